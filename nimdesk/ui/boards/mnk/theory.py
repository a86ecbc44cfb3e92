"""The theory page of m,n,k games: what is proven, and for a draw by pairs of cells a drawing of the pairs."""

from __future__ import annotations

from html import escape

from nimdesk.games import MnkMove, MnkPosition, Move, kit_of
from nimdesk.games.truth import Truth, Value
from nimdesk.games.truth_words import step_sentence
from nimdesk.ui.boards.theory import proof_html
from nimdesk.ui.look.theme import LOOK

_PUBLISHED = {
    Value.WIN: "the first side can win",
    Value.DRAW: "neither side can win",
    Value.LOSS: "the second side can win",
}


def mnk_html(position: MnkPosition, truth: Truth | None, under_way: str) -> str:
    """See ``BoardKit.theory_html``."""
    html = proof_html(truth, under_way)
    if truth is None:
        return html
    known = kit_of(position).published if truth.value is Value.UNKNOWN and not position.moves else None
    if known is not None and (told := known(position.game)) is not None:
        html += f"<p>The literature tells that {_PUBLISHED[told.value]}: {escape(told.source)}.</p>"
    if truth.value is not Value.UNKNOWN:
        html += (
            "<p><a href='certificate:'>Play against the certificate</a>: the written proof of this answers each of "
            "your moves, and says why.</p>"
        )
    if truth.forced is not None:
        steps = range(1, len(truth.forced.steps()) + 1)
        html += f"<p>{'<br>'.join(escape(step_sentence(position, truth.forced, step)) for step in steps)}</p>"
    return html + _pairs_html(position, truth.pairs) if truth.pairs else html


def _pairs_html(position: MnkPosition, pairs: tuple[tuple[Move, Move], ...]) -> str:
    """The board with a number and a color for each pair."""
    game, theme = position.game, LOOK.theme
    mover, other = (game.side_name(side) for side in (position.turn, position.turn.other))
    pair_of = {move: number for number, pair in enumerate(pairs) for move in pair}
    rows = []
    for row in reversed(range(game.n)):
        cells = []
        for column in range(game.m):
            side, number = position.mark(column, row), pair_of.get(MnkMove(column, row))
            if side is not None:
                cells.append(f"<td align='center'><b>{escape(game.side_name(side))}</b></td>")
            elif number is None:
                cells.append(f"<td align='center' style='color:{theme.muted}'>·</td>")
            else:
                color = theme.curves[number % len(theme.curves)]
                cells.append(f"<td align='center' style='color:{color}'><b>{number + 1}</b></td>")
        rows.append(f"<tr>{''.join(cells)}</tr>")
    return (
        f"<p><b>Why {escape(mover)} cannot win:</b> every line that {escape(mover)} could still complete holds "
        f"both cells of one number. Whenever {escape(mover)} marks one of them, {escape(other)} marks the other.</p>"
        f"<table border='1' cellspacing='0' cellpadding='5'>{''.join(rows)}</table>"
    )
