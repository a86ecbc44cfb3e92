"""Games of Piskvork (.psq) and of the older Gomotur (.rec), as Gomocup's results are kept.

PSQ: ``Piskvorky 15x15, 11:11, 0``, then a line ``column,row,milliseconds`` for each move, counted from 1 at the top
left, then the players' names and a code. The two numbers with a colon are the levels of computers, the last one says
which of the two players began. REC has the names first, counts from 0, and knows boards of 20 by 20 alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from nimdesk.formats.base import (
    Asked,
    FaultInFileError,
    Format,
    Growing,
    Reading,
    Record,
    Writing,
    five_in_a_row,
    five_of,
    lines_in,
    newline_in,
    refuse,
    told_left,
    under_first,
)
from nimdesk.games import MnkGame, MnkMove
from nimdesk.games.base import MOST_PLIES

_HEADER = re.compile(r"Piskvorky\s+([0-9]{1,3})x([0-9]{1,3})(.*)")
_BEGAN = re.compile(r".*,\s*([01])\s*")
_MOVE = re.compile(r"\s*([0-9]{1,4})\s*,\s*([0-9]{1,4})\s*(?:,\s*(-?[0-9]{1,12})\s*)?")
_ALMOST_MOVE = re.compile(r"\s*-?[0-9]+\s*[,;]")
_REC_SIZE = 20
_HUMANS = ", 0:0, 0"


def _read_psq(text: str, asked: Asked) -> Reading:
    lines = list(lines_in(text))
    header = _HEADER.fullmatch(lines[0][1])
    if header is None:
        raise FaultInFileError("a game of Piskvork begins with a line such as “Piskvorky 15x15, 11:11, 0”")
    columns, rows = int(header[1]), int(header[2])
    moves = _moves(lines[1:])
    rest = lines[1 + len(moves) :]
    tail = text[rest[0][0] :] if rest else ""
    _check_end(rest)
    from_ = 0 if any(0 in where for where, _, _ in moves) else 1
    exact = "standard" in tail.lower()
    rules = five_in_a_row(columns, rows, exact=exact)
    record = under_first(asked, rules, lambda game: _played(game, moves, from_), header.start(1))
    names = [line.strip() for _, line in rest if not re.fullmatch(r"\s*(-?[0-9]+\s*(,.*)?)?", line)][:2]
    began = _BEGAN.fullmatch(header[3])
    told = ("It counts columns and rows from 0, because a 0 occurs.",) if from_ == 0 else ()
    source = {"form": "psq", "header": header[3], "newline": newline_in(text), "from": str(from_)}
    if rest:
        source["end"] = tail
    if moves and all(ms is None for _, ms, _ in moves):
        source["times"] = "none"
    return Reading((_named(record, names, second=began is not None and began[1] == "1", source=source),), told)


def _named(record: Record, names: Sequence[str], *, second: bool, source: dict[str, str]) -> Record:
    first, other = [*names, "", ""][:2]
    by_side = (other, first) if second else (first, other)
    return Record(record.game, record.nodes, by_side, source=source)


_Moves = list[tuple[tuple[int, int], int | None, int]]


def _moves(lines: Sequence[tuple[int, str]]) -> _Moves:
    """The moves at the beginning of these lines: column and row as they stand there, milliseconds, and the place."""
    found: _Moves = []
    for place, line in lines:
        move = _MOVE.fullmatch(line)
        if move is None:
            break
        if len(found) == MOST_PLIES:
            raise FaultInFileError("no game has so many moves", place)
        found.append(((int(move[1]), int(move[2])), None if move[3] is None else int(move[3]), place))
    return found


def _played(game: MnkGame, moves: _Moves, from_: int) -> Record:
    growing, at = Growing(game), 0
    for (column, row), elapsed, place in moves:
        move = MnkMove(column - from_, game.n - 1 - (row - from_))
        if not (0 <= move.column < game.m and 0 <= move.row < game.n):
            sizes = f"{from_} to {game.m - 1 + from_} and rows {from_} to {game.n - 1 + from_}"
            raise FaultInFileError(f"{column},{row} is not on the board, whose columns are {sizes}", place)
        at = growing.play(at, move, place, elapsed_ms=elapsed)
    return growing.record()


def _check_end(rest: Sequence[tuple[int, str]]) -> None:
    """A fault for a line after the moves that was meant to be one."""
    for number, (place, line) in enumerate(rest):
        if _ALMOST_MOVE.match(line) and (number == 0 or _MOVE.fullmatch(line)):
            raise FaultInFileError("a move is written as column,row,milliseconds, such as 8,8,1200", place)


def _write_psq(records: Sequence[Record]) -> Writing:
    (record,) = records
    game = five_of(record, "game of Piskvork")
    source = record.source if record.source.get("form") == "psq" else {}
    newline, from_ = source.get("newline", "\n"), int(source.get("from", 1))
    lines = [f"Piskvorky {game.m}x{game.n}{source.get('header', _HUMANS)}"]
    lines += _move_lines(record, game, from_, times="times" not in source)
    names = [*filter(None, map(_one_line, _both(record.names))), "-1", ""]
    return Writing(_ended(lines, source, newline.join(names)), told_left(records, "game of Piskvork", "times", "names"))


def _ended(lines: Sequence[str], source: Mapping[str, str], usual: str) -> str:
    """The lines and what follows them in the file that was read, if there was one and anything followed."""
    newline = source.get("newline", "\n")
    return newline.join(lines if source and "end" not in source else [*lines, source.get("end", usual)])


def _move_lines(record: Record, game: MnkGame, from_: int, *, times: bool = True) -> list[str]:
    lines = []
    for node in record.main_line:
        move = node.move
        assert isinstance(move, MnkMove)
        where = f"{move.column + from_},{game.n - 1 - move.row + from_}"
        lines.append(f"{where},{node.elapsed_ms or 0}" if times else where)
    return lines


def _both(names: tuple[str, str]) -> tuple[str, str]:
    """Two names or none: readers count the lines."""
    return (names[0] or "Player 1", names[1] or "Player 2") if any(names) else ("", "")


def _one_line(name: str) -> str:
    return " ".join(name.split())


PSQ = Format(
    "psq",
    "game of Piskvork",
    (".psq",),
    lambda text: text.startswith("Piskvorky"),
    _read_psq,
    _write_psq,
)


def _is_rec(text: str) -> bool:
    lines = [line for _, line in lines_in(text)][:3]
    return len(lines) == 3 and [_MOVE.fullmatch(line) is not None for line in lines] == [False, False, True]


def _read_rec(text: str, asked: Asked) -> Reading:
    lines = list(lines_in(text))
    if not _is_rec(text):
        raise FaultInFileError("a game of Gomotur begins with two names, and has a move such as 9,9,1200 in line 3")
    moves = _moves(lines[2:])
    rest = lines[2 + len(moves) :]
    _check_end(rest)
    rules = five_in_a_row(_REC_SIZE, _REC_SIZE)
    record = under_first(asked, rules, lambda game: _played(game, moves, 0), lines[2][0])
    source = {"form": "rec", "newline": newline_in(text)}
    if rest:
        source["end"] = text[rest[0][0] :]
    return Reading((_named(record, [lines[0][1], lines[1][1]], second=False, source=source),))


def _write_rec(records: Sequence[Record]) -> Writing:
    (record,) = records
    game = five_of(record, "game of Gomotur")
    if (game.m, game.n) != (_REC_SIZE, _REC_SIZE):
        raise refuse(record, "game of Gomotur", "boards of 20 by 20 alone")
    source = record.source if record.source.get("form") == "rec" else {}
    names = record.names if source else map(_one_line, _both((record.names[0] or "Player 1", record.names[1])))
    lines = [*names, *_move_lines(record, game, 0)]
    return Writing(_ended(lines, source, "-1\n"), told_left(records, "game of Gomotur", "times", "names"))


REC = Format("rec", "game of Gomotur", (".rec",), _is_rec, _read_rec, _write_rec)
