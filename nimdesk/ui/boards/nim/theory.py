"""The theory of Nim as a page of text: columns and nim-sum, remainders, and what the other end rule changes."""

from __future__ import annotations

from html import escape

from nimdesk.games import Move, NimGame, NimMove, NimPosition
from nimdesk.games.base import describe_move
from nimdesk.games.nim.theory import nim_columns, nim_sum, solve_nim, winning_moves
from nimdesk.games.nim.theory_words import NimColumns
from nimdesk.games.truth_words import truth_sentence
from nimdesk.ui.look.theme import LOOK

_STRIP_CELLS = 34
"""The cells of the strip of remainders; larger piles show the cells around theirs."""
_MOST_WINS = 6


def other_rule(position: NimPosition) -> NimPosition:
    """A start with the present piles under the other end rule."""
    game = position.game
    return NimGame(tuple(size for size in position.piles if size), game.max_take, not game.misere).start()


def reason(position: NimPosition, move: NimMove) -> str:
    """Why the move is worth what it is, as a clause."""
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


def nim_html(studied: NimPosition, *, other: bool) -> str:
    """The theory of the position, or of the same piles under the other rule; see ``BoardKit.theory_html``."""
    shown = other_rule(studied) if other else studied
    columns, wins = nim_columns(shown), winning_moves(shown)
    truth = solve_nim(shown)
    parts = [f"<p><b>{escape(truth_sentence(truth))}</b> {escape(truth.explanation)}</p>"]
    live = sum(bool(size) for size in shown.piles)
    if live == 1 and columns.limited:
        parts.append(_strip(columns, max(shown.piles)))
    else:
        parts.append(_table(columns, shown, wins))
    if wins:
        # Under the other rule the piles may be numbered anew: there are no links then.
        moves = [_link(move) if not other else describe_move(move) for move in wins[:_MOST_WINS]]
        more = f" and {len(wins) - _MOST_WINS} more" if len(wins) > _MOST_WINS else ""
        title = "Winning moves" if len(wins) > 1 else "Winning move"
        parts.append(f"<p>{title}: {', '.join(moves)}{more}.</p>")
    if other:
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


def _table(columns: NimColumns, position: NimPosition, wins: tuple[NimMove, ...]) -> str:
    """One row for each pile with its binary digits, then the nim-sum; odd columns and winning takes marked.

    If several takes from one pile win, the smallest is marked.
    """
    theme, win = LOOK.theme, wins[0] if wins else None
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


def _strip(columns: NimColumns, size: int) -> str:
    """A strip of n and n mod (K + 1) for every size: lost sizes are marked, the present pile is framed."""
    theme, count = LOOK.theme, len(columns.remainders)
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
