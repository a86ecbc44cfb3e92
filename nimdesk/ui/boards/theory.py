"""What is proven of a position, as a page and in sentences: what serves every game that has exact answers."""

from __future__ import annotations

from html import escape

from nimdesk.games import AnyPosition, Move
from nimdesk.games.base import describe_move
from nimdesk.games.truth import Truth, Value
from nimdesk.games.truth_words import clause, told, truth_sentence, within_words
from nimdesk.search import Snapshot
from nimdesk.ui.boards import board_kit
from nimdesk.ui.look.move_marks import full_words, proven_moves
from nimdesk.ui.look.theme import LOOK

_MOST_LISTED = 24


def theory_html(
    position: AnyPosition, truth: Truth | None, sentence: str, *, proving: bool = False, other: bool = False
) -> str:
    """The page of this position, or of the ``other`` rule; see ``BoardKit.theory_html``.

    ``sentence`` says how far the truth is known, and ``proving`` that more may be known soon.
    """
    if position.outcome is not None:
        return "<p>The game is over here: there is nothing left to prove.</p>"
    under_way = sentence[:1].upper() + sentence[1:] if proving or truth is None else ""
    return board_kit(position.game).theory_html(position, truth, under_way, other=other)


def verdict_sentence(snapshot: Snapshot | None, truth: Truth | None, *, by_mean: bool = False) -> str:
    """What the search prefers, what theory says, and why; "" where either is missing.

    ``by_mean`` says that it prefers the best mean, not the most visits.
    """
    if snapshot is None or snapshot.best_move is None or truth is None or truth.value is Value.UNKNOWN:
        return ""
    chosen, reason = snapshot.best_move, board_kit(snapshot.position.game).reason
    stats = snapshot.stats_of(chosen)
    assert stats is not None
    share = f" ({snapshot.share(stats):.0%} of the visits)" if snapshot.trace is not None else ""
    if by_mean and stats.mean_value is not None:
        share = f" (with a mean value of {stats.mean_value:.2f})"
    known = proven_moves(truth, snapshot.position).get(chosen)
    if known is None or known.value is Value.UNKNOWN:
        theory = clause("nothing is proven")
    elif known.value is truth.value:
        name = "theory loses" if truth.value is Value.LOSS else "theory agrees"
        theory = clause(name, why=reason(snapshot.position, chosen, truth))
    else:
        best = (truth.quickest_moves or truth.best_moves)[0]
        why, other = (reason(snapshot.position, move, truth) for move in (best, chosen))
        theory = clause("theory differs", best=describe_move(best), why=why, other=other)
    return told("prefers", move=describe_move(chosen), share=share, theory=theory)


def proven_reason(position: AnyPosition, move: Move, truth: Truth) -> str:
    """Why the move is worth what it is, as a clause, from the proof alone."""
    known = truth.of(move)
    if known.value is Value.DRAW:
        return clause("holds the draw", move=move.text)
    side = position.game.side_name(position.turn if known.value is Value.WIN else position.turn.other)
    return clause("can win after", move=move.text, side=side, within=within_words(known.distance))


def proof_html(truth: Truth | None, under_way: str) -> str:
    """What was proven of each move and at what cost; see ``BoardKit.theory_html``."""
    if truth is None:
        return f"<p>{escape(under_way)}</p>"
    theme = LOOK.theme
    # A proof under way may still find what it has not found yet.
    why = "" if under_way and truth.value is Value.UNKNOWN else truth.explanation
    parts = [f"<p><b>{escape(under_way or truth_sentence(truth))}</b> {escape(why)}</p>"]
    counts = [(value, [each for each in truth.moves if each.value is value]) for value in Value]
    proven = len(truth.moves) - len(counts[-1][1])
    rows = []
    for value, moves in counts:
        if not moves:
            continue
        named = ", ".join(
            f"<a href='move:{escape(each.move.text)}'>{escape(each.move.text)}</a>"
            + (f" ({escape(full_words(each))})" if each.distance and value is not Value.DRAW else "")
            for each in moves[:_MOST_LISTED]
        )
        more = f" and {len(moves) - _MOST_LISTED} more" if len(moves) > _MOST_LISTED else ""
        color = {Value.WIN: theme.win, Value.DRAW: theme.draw, Value.LOSS: theme.loss}.get(value, theme.muted)
        word = "not proven" if value is Value.UNKNOWN else value.value
        rows.append(
            f"<tr><td style='color:{color}'><b>{len(moves)}&nbsp;{word}&nbsp;</b></td><td>{named}{more}</td></tr>"
        )
    nodes = f"{truth.nodes:,} {'position' if truth.nodes == 1 else 'positions'}"
    of_moves = f"{proven} of {len(truth.moves)} moves"
    if under_way:
        parts.append(
            f"<p>The solver is at work: so far it has proven {of_moves}, and visited {nodes} in "
            f"{_seconds(truth.elapsed_s)}.</p>"
        )
    elif truth.nodes:
        gave_up = "" if truth.complete else " It gave up on the others." if proven else " It gave up."
        parts.append(
            f"<p>The solver proved {of_moves}. It visited {nodes} in {_seconds(truth.elapsed_s)}.{gave_up}</p>"
        )
    parts.append(f"<table cellspacing='0' cellpadding='3'>{''.join(rows)}</table>")
    return "".join(parts)


def _seconds(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1e3:.3g} ms" if seconds > 1e-5 else "no time"
