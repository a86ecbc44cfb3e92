"""The theory of the position as a page of text: columns, nim-sum, remainders, what was proven; and why it disagrees."""

from __future__ import annotations

from html import escape

from nimdesk.games import AnyPosition, MnkPosition, Move, NimGame, NimMove, NimPosition
from nimdesk.games.nim.theory import nim_columns, nim_sum, solve_nim, winning_moves
from nimdesk.games.nim.theory_words import NimColumns
from nimdesk.games.truth import Truth, Value
from nimdesk.games.truth_words import truth_sentence
from nimdesk.games.words import describe_move
from nimdesk.search import Snapshot
from nimdesk.ui.look.proven import full_words, proven_moves
from nimdesk.ui.look.theme import Theme

_STRIP_CELLS = 34
"""Of the strip of remainders; larger piles show the cells around theirs."""
_MOST_WINS = 6
HIDDEN = "What is proven is hidden. Truth (Ctrl+T) shows it."


def theory_html(position: AnyPosition, truth: Truth | None, sentence: str, theme: Theme, *, other_end: bool) -> str:
    """All of it; links ``move:<text>`` name moves of this position, ``rule:other`` studies the other end rule.

    ``sentence`` says how far the proof is while ``truth`` is not complete; ``other_end`` shows Nim with misère and
    normal play exchanged.
    """
    if position.outcome is not None:
        return "<p>The game is over here: there is nothing left to prove.</p>"
    if isinstance(position, NimPosition):
        return _nim_html(other_rule(position) if other_end else position, position, theme, other_end=other_end)
    return _mnk_html(position, truth, sentence, theme) if isinstance(position, MnkPosition) else ""


def other_rule(position: NimPosition) -> NimPosition:
    """A start with the piles as they are, where the last stick means the opposite."""
    game = position.game
    return NimGame(tuple(size for size in position.piles if size), game.max_take, not game.misere).start()


def verdict_sentence(snapshot: Snapshot | None, truth: Truth | None) -> str:
    """What the search prefers, what theory says, and why; "" where either is missing."""
    if snapshot is None or snapshot.best_move is None or truth is None or truth.value is Value.UNKNOWN:
        return ""
    chosen = snapshot.best_move
    stats = next(each for each in snapshot.moves if each.move == chosen)
    share = f" ({snapshot.share(stats):.0%} of the visits)" if snapshot.trace is not None else ""
    prefers = f"The search prefers {describe_move(chosen)}{share};"
    known = proven_moves(truth, snapshot.position).get(chosen)
    if known is None or known.value is Value.UNKNOWN:
        return f"{prefers} nothing is proven of that move."
    if truth.value is Value.LOSS:
        return f"{prefers} theory says every move loses, because {_reason(snapshot.position, chosen, truth)}."
    if known.value is truth.value:
        return f"{prefers} theory agrees, because {_reason(snapshot.position, chosen, truth)}."
    best = truth.best_moves[0]
    return (
        f"{prefers} theory says {describe_move(best)}, because {_reason(snapshot.position, best, truth)}, "
        f"while {_reason(snapshot.position, chosen, truth)}."
    )


def _reason(position: AnyPosition, move: Move, truth: Truth) -> str:
    """Why the move is worth what it is, as a clause."""
    if isinstance(position, NimPosition) and isinstance(move, NimMove):
        return _nim_reason(position, move)
    known = truth.of(move)
    if known.value is Value.DRAW:
        return f"{move.text} holds the draw"
    side = position.game.side_name(position.turn if known.value is Value.WIN else position.turn.other)
    within = f" in {known.distance} plies" if known.distance else ""
    return f"after {move.text} {side} can win{within}"


def _nim_reason(position: NimPosition, move: NimMove) -> str:
    after = position.play(move)
    left = [size for size in after.piles if size]
    if not left:
        return f"{move.text} takes the last stick"
    columns = nim_columns(after)
    total, lost = columns.nim_sum, not winning_moves(after)
    if columns.max_take is not None and len(left) == 1:
        goal = f"{left[0]} mod {columns.modulus} is {left[0] % (columns.max_take + 1)}"
        wanted = f"{int(columns.misere)} is what loses for the opponent"
        return f"{move.text} leaves {left[0]}, and {goal}" + (f" ({wanted})" if lost else "")
    what = "remainders" if columns.limited else "piles"
    if columns.misere and not columns.big:
        ones = sum(value == 1 for value in columns.values)
        return f"{move.text} leaves an {'odd' if ones % 2 else 'even'} number of ones"
    values = ", ".join(str(value) for value, size in zip(columns.values, after.piles, strict=True) if size)
    return f"{move.text} leaves the {what} {values} with nim-sum {total}"


# Nim


def _nim_html(shown: NimPosition, studied: NimPosition, theme: Theme, *, other_end: bool) -> str:
    columns, wins = nim_columns(shown), winning_moves(shown)
    truth = solve_nim(shown)
    parts = [f"<p><b>{escape(truth_sentence(truth))}</b> {escape(truth.explanation)}</p>"]
    live = sum(bool(size) for size in shown.piles)
    if live == 1 and columns.limited:
        parts.append(_strip(columns, max(shown.piles), theme))
    else:
        parts.append(_table(columns, shown, wins, theme))
    if wins:
        # Under the other rule the piles may be numbered anew: there are no links then.
        moves = [_link(move) if not other_end else describe_move(move) for move in wins[:_MOST_WINS]]
        more = f" and {len(wins) - _MOST_WINS} more" if len(wins) > _MOST_WINS else ""
        title = "Winning moves" if len(wins) > 1 else "Winning move"
        parts.append(f"<p>{title}: {', '.join(moves)}{more}.</p>")
    if other_end:
        parts.append(_comparison(shown, studied))
    return "".join(parts)


def _link(move: Move) -> str:
    return f"<a href='move:{escape(move.text)}'>{escape(describe_move(move))}</a>"


def _comparison(shown: NimPosition, studied: NimPosition) -> str:
    """What the other end rule changes."""
    rule = "misère play" if shown.game.misere else "normal play"
    one, two = bool(winning_moves(studied)), bool(winning_moves(shown))
    piles = [pile for pile, size in enumerate(studied.piles) if size]
    now = {(piles.index(move.pile), move.take) for move in winning_moves(studied)}
    then = {(move.pile, move.take) for move in winning_moves(shown)}
    if one is not two:
        text = f"The rule decides: in {rule} this is {'won' if two else 'lost'}, as the game is played {_lost(one)}."
    elif now == then:
        text = f"In {rule} nothing changes: the same moves {'win' if one else 'lose'}, until no pile is above one."
    else:
        text = f"Both are {'won' if one else 'lost'}, but the winning moves are others."
    return f"<p>{text} <a href='rule:other'>Study it in {rule}</a></p>"


def _lost(won: bool) -> str:
    return "won" if won else "lost"


def _table(columns: NimColumns, position: NimPosition, wins: tuple[NimMove, ...], theme: Theme) -> str:
    """One row for each pile with its binary digits, then the nim-sum; odd columns and winning takes marked.

    Of several takes that win from one pile it is the smallest.
    """
    win = wins[0] if wins else None
    from_pile = {each.pile: each for each in reversed(wins)}
    mod = columns.modulus if columns.limited else None
    head = ["Pile", "sticks", *([f"mod {mod}"] if mod else []), *(str(place) for place in columns.places), ""]
    rows = [_row([_cell(text, theme.muted) for text in head])]
    odd = [parity == 1 for parity in columns.parities]
    for pile, size in enumerate(columns.piles):
        digits = [
            _cell(str(digit), theme.win if odd[place] and digit else theme.text if digit else theme.muted, bold=digit)
            for place, digit in enumerate(columns.digits[pile])
        ]
        note = ""
        if (here := from_pile.get(pile)) is not None:
            left = size - here.take
            value = left % mod if mod else left
            binary = f"{value:0{len(columns.places)}b}"
            note = f"<span style='color:{theme.win}'><b>◀ take {here.take}, leave {left} = {binary}</b></span>"
        rest = [_cell(str(columns.values[pile]))] if mod else []
        rows.append(_row([_cell(f"{pile + 1}", theme.muted), _cell(str(size)), *rest, *digits, f"<td>{note}</td>"]))
    sums = [_cell(str(parity), theme.win if parity else theme.muted, bold=parity) for parity in columns.parities]
    words = f"nim-sum {columns.nim_sum}" + ("" if columns.nim_sum else ": every column is even")
    blank = [_cell("")] if mod else []
    rows.append(_row([_cell("Σ", theme.muted), _cell(""), *blank, *sums, f"<td>{words}</td>"], line=theme.border))
    if win is not None:
        after = nim_sum([*columns.values[: win.pile], _after(columns, win), *columns.values[win.pile + 1 :]])
        rows.append(
            _row(
                [_cell("", theme.muted), _cell(""), *blank]
                + [_cell(str(after >> place & 1), theme.muted) for place in reversed(range(len(columns.places)))]
                + [f"<td>after it: nim-sum {after}</td>"]
            )
        )
    return f"<table cellspacing='0' cellpadding='3'>{''.join(rows)}</table>"


def _after(columns: NimColumns, move: NimMove) -> int:
    left = columns.piles[move.pile] - move.take
    return left if columns.modulus is None else left % columns.modulus


def _row(cells: list[str], line: str = "") -> str:
    style = f" style='background:{line}'" if line else ""
    return f"<tr{style}>{''.join(cells)}</tr>"


def _cell(text: str, color: str = "", *, bold: int | bool = False) -> str:
    style = f" style='color:{color}'" if color else ""
    inner = f"<b>{text}</b>" if bold else text
    return f"<td align='right'{style}>&nbsp;{inner}&nbsp;</td>"


def _strip(columns: NimColumns, size: int, theme: Theme) -> str:
    """n and n mod (K + 1) for every size, lost ones marked, the pile as it is framed."""
    count = len(columns.remainders)
    first = 0 if count <= _STRIP_CELLS else max(0, min(size - _STRIP_CELLS // 2, count - _STRIP_CELLS))
    shown = range(first, min(count, first + _STRIP_CELLS))
    lost = set(columns.lost_sizes)
    above, below = [], []
    for n in shown:
        paint = f"background:{theme.loss}; color:{theme.base};" if n in lost else ""
        here = f"background:{theme.accent}; color:{theme.accent_text};" if n == size else paint
        number = f"<b>{n}</b>" if n == size or n in lost else str(n)
        above.append(f"<td align='center' style='{here}'>&nbsp;{number}&nbsp;</td>")
        below.append(f"<td align='center' style='color:{theme.muted}'>{columns.remainders[n]}</td>")
    label = f"<td style='color:{theme.muted}'>{{}}&nbsp;</td>"
    where = "lost" if size in lost else "won"
    note = (
        f"<p>Marked sizes are lost for whoever is to move; the pile of {size} is {where}. "
        f"K + 1 = {columns.modulus}: each take of t can be answered with {columns.modulus} − t.</p>"
    )
    table = (
        f"<tr>{label.format('n')}{''.join(above)}</tr><tr>{label.format(f'mod {columns.modulus}')}{''.join(below)}</tr>"
    )
    return f"<table cellspacing='2' cellpadding='2'>{table}</table>{note}"


# m,n,k games


def _mnk_html(position: MnkPosition, truth: Truth | None, sentence: str, theme: Theme) -> str:
    if truth is None:
        return f"<p>{escape(sentence or HIDDEN)}</p>"
    proving = "proving" in sentence
    # What a proof under way has not found yet is not out of its reach.
    why = "" if proving and truth.value is Value.UNKNOWN else truth.explanation
    parts = [f"<p><b>{escape(sentence if proving else truth_sentence(truth))}</b> {escape(why)}</p>"]
    counts = [(value, [each for each in truth.moves if each.value is value]) for value in Value]
    proven = len(truth.moves) - len(counts[-1][1])
    rows = []
    for value, moves in counts:
        if not moves:
            continue
        named = ", ".join(
            f"<a href='move:{escape(each.move.text)}'>{escape(each.move.text)}</a>"
            + (f" ({escape(full_words(each))})" if each.distance and value is not Value.DRAW else "")
            for each in moves[:24]
        )
        more = f" and {len(moves) - 24} more" if len(moves) > 24 else ""
        color = {Value.WIN: theme.win, Value.DRAW: theme.draw, Value.LOSS: theme.loss}.get(value, theme.muted)
        word = "not proven" if value is Value.UNKNOWN else value.value
        rows.append(
            f"<tr><td style='color:{color}'><b>{len(moves)}&nbsp;{word}&nbsp;</b></td><td>{named}{more}</td></tr>"
        )
    nodes = f"{truth.nodes:,} {'position' if truth.nodes == 1 else 'positions'}"
    of_moves = f"{proven} of {len(truth.moves)} moves"
    if proving:
        parts.append(
            f"<p>The solver is at work: so far it has proven {of_moves}, and visited {nodes} in "
            f"{_seconds(truth.elapsed_s)}.</p>"
        )
    else:
        gave_up = "" if truth.complete else " It gave up on the others."
        parts.append(
            f"<p>The solver proved {of_moves}. It visited {nodes} in {_seconds(truth.elapsed_s)}.{gave_up}</p>"
        )
    parts.append(f"<table cellspacing='0' cellpadding='3'>{''.join(rows)}</table>")
    return "".join(parts)


def _seconds(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1e3:.3g} ms" if seconds > 1e-5 else "no time"
