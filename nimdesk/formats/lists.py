"""Files with a position a line: openings of Gomocup, Connect Four as its solvers write it, and moves in any other way.

Openings: ``0,0, 1,0, 1,3``, distances from the middle of the board to the right and down. Connect Four: the columns as
digits, ``4453``, perhaps with the value beside it (Pascal Pons' sets). Positions: nimdesk's notation, or moves as
``nimdesk.formats.moves`` reads them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

import msgspec

from nimdesk.disk.documents import clause
from nimdesk.errors import NimdeskError, RecordError
from nimdesk.formats.base import (
    MOST_LETTERS,
    MOST_RECORDS,
    Asked,
    FaultInFileError,
    Format,
    Growing,
    Reading,
    Record,
    Writing,
    five_in_a_row,
    lines_in,
    newline_in,
    refuse,
    told_left,
)
from nimdesk.formats.moves import CONNECT_FOUR, columns, counted_from, offsets, read_line
from nimdesk.games import Game, MnkGame, MnkMove, parse_game
from nimdesk.games.base import MOST_PLIES

_OFFSETS = re.compile(r"\s*-?[0-9]{1,2}\s*,\s*-?[0-9]{1,2}(\s*,\s*-?[0-9]{1,2}\s*,\s*-?[0-9]{1,2})*\s*")
_NUMBER = re.compile(r"(-?[0-9]{1,2})(?![0-9])\s*")
_COMMA = re.compile(r",\s*")
_COLUMNS = re.compile(r"\s*([0-9]+)(?:[\s,;]+(-?[0-9]{1,3}))?\s*")
_LOOKED_AT = 50
# Gomocup's boards, the smaller first.
_BOARDS = (15, 20)


def _positions(text: str) -> Iterator[tuple[int, str]]:
    """The lines that have something in them, and are no remark; a fault where they are too many or too long."""
    for number, (place, line) in enumerate(_filled(text), 1):
        if number > MOST_RECORDS:
            raise FaultInFileError(f"no file has more than {MOST_RECORDS:,} positions", place)
        if len(line) > MOST_LETTERS:
            raise FaultInFileError(f"no position takes more than {MOST_LETTERS:,} letters", place)
        yield place, line


def _filled(text: str) -> Iterator[tuple[int, str]]:
    for place, line in lines_in(text):
        if line.strip() and not line.lstrip().startswith("#"):
            yield place, line


def _all_like(pattern: re.Pattern[str], text: str) -> bool:
    """Whether the first lines are of this kind, but for a slip or two, which the reader will name."""
    lines = [line for _, line in islice(_filled(text), _LOOKED_AT)]
    alike = sum(pattern.fullmatch(line) is not None for line in lines)
    return alike > 0 and 2 * alike >= len(lines)


def _source(text: str, **more: str) -> dict[str, str]:
    source = {"newline": newline_in(text)} | more
    if not text.endswith("\n"):
        source["open"] = "yes"
    return source


# Openings


def _read_openings(text: str, asked: Asked) -> Reading:
    lines = [(line, _pairs(line, place)) for place, line in _positions(text)]
    source = _source(text, form="openings")
    game = asked.game or _board_for([pairs for _, pairs in lines])
    if not isinstance(game, MnkGame) or game.gravity:
        raise FaultInFileError(f"openings are of a board without gravity, not of {game.text}")
    records = []
    for line, pairs in lines:
        growing = Growing(game)
        growing.line(offsets(game, pairs))
        close = {} if re.search(r",\s", line) else {"close": "yes"}
        records.append(growing.record(source=source | close))
    told = () if asked.game else (f"Openings do not say how large the board is; they were put on {game.text}.",)
    return Reading(tuple(records), told)


def _pairs(line: str, place: int) -> list[tuple[int, int, int]]:
    numbers, at = list[tuple[int, int]](), len(line) - len(line.lstrip())
    while True:
        number = _NUMBER.match(line, at)
        if number is None:
            what = "here is nothing more" if at >= len(line) else f"here is “{line[at : at + 8]}”"
            raise FaultInFileError(f"an opening is numbers with commas, such as 0,0, 1,0, 1,3; {what}", place + at)
        if len(numbers) == 2 * MOST_PLIES:
            raise FaultInFileError("no game has so many moves", place + at)
        numbers.append((int(number[1]), place + at))
        at = number.end()
        if at >= len(line):
            break
        comma = _COMMA.match(line, at)
        if comma is None:
            raise FaultInFileError(f"a comma must stand between two numbers; here is “{line[at : at + 8]}”", place + at)
        at = comma.end()
    if len(numbers) % 2:
        raise FaultInFileError("an opening has two numbers for each move; the last one has no partner", numbers[-1][1])
    return [(x, y, where) for (x, where), (y, _) in zip(numbers[::2], numbers[1::2], strict=True)]


def _board_for(openings: Sequence[list[tuple[int, int, int]]]) -> Game:
    numbers = [number for pairs in openings for right, down, _ in pairs for number in (right, down)]
    least, most = min(numbers, default=0), max(numbers, default=0)
    fits = (size for size in _BOARDS if -(size // 2) <= least and most < size - size // 2)
    size = next(fits, _BOARDS[-1])
    try:
        return parse_game(five_in_a_row(size, size)[0])
    except NimdeskError as error:
        raise FaultInFileError(f"it needs a board of {size} by {size}; {clause(error)}") from None


def _write_openings(records: Sequence[Record]) -> Writing:
    lines = []
    for record in records:
        game = record.game
        if not isinstance(game, MnkGame) or game.gravity:
            raise refuse(record, "list of openings", "boards without gravity")
        pairs = []
        for move in record.moves:
            assert isinstance(move, MnkMove)
            pairs.append(f"{move.column - game.m // 2},{game.n - 1 - move.row - game.n // 2}")
        lines.append(("," if "close" in record.source else ", ").join(pairs))
    return _listed(records, lines, "openings", "list of openings")


OPENINGS = Format(
    "openings",
    "list of openings",
    (),
    lambda text: _all_like(_OFFSETS, text),
    _read_openings,
    _write_openings,
    many=True,
)


# Connect Four


def _read_columns(text: str, asked: Asked) -> Reading:
    game = asked.game or parse_game(CONNECT_FOUR)
    if not isinstance(game, MnkGame) or not game.gravity:
        raise FaultInFileError(f"columns as digits are of a game in which marks drop, not of {game.text}")
    lines = []
    for place, line in _positions(text):
        match = _COLUMNS.fullmatch(line)
        if match is None:
            raise FaultInFileError("a position is columns as digits, with or without its value, such as 4453 2", place)
        lines.append((place, match))
    from_, counted = counted_from(asked, zero=any("0" in match[1] for _, match in lines))
    source = _source(text, form="columns", **{"from": str(from_)})
    records = []
    for place, match in lines:
        digits = [(int(digit), place + match.start(1) + number) for number, digit in enumerate(match[1])]
        growing = Growing(game)
        growing.line(columns(game, digits, from_))
        score = None if match[2] is None else int(match[2])
        records.append(growing.record(score=score, source=source))
    return Reading(tuple(records), (f"The columns were {counted}.",))


def _write_columns(records: Sequence[Record]) -> Writing:
    lines = []
    for record in records:
        game, from_ = record.game, int(record.source.get("from", 1))
        if not isinstance(game, MnkGame) or not game.gravity or game.m - 1 + from_ > 9:
            raise refuse(record, "list of columns", "games in which marks drop into at most nine columns")
        digits = []
        for move in record.moves:
            assert isinstance(move, MnkMove)
            digits.append(str(move.column + from_))
        if not digits:
            raise RecordError("A board without a mark cannot be written as columns: its line would be empty.")
        lines.append("".join(digits) + ("" if record.score is None else f" {record.score}"))
    return _listed(records, lines, "columns", "list of columns")


COLUMNS = Format(
    "columns",
    "list of Connect Four positions",
    (),
    lambda text: _all_like(_COLUMNS, text),
    _read_columns,
    _write_columns,
    many=True,
)


# Positions of any kind


def _read_positions(text: str, asked: Asked) -> Reading:
    records, told = [], dict[str, None]()
    source = _source(text, form="positions")
    for place, line in _positions(text):
        record, said = read_line(line, asked, place)
        records.append(msgspec.structs.replace(record, source=source))
        told.update({said: None} if said else {})
    if not records:
        raise FaultInFileError("it is empty")
    return Reading(tuple(records), tuple(told))


def _write_positions(records: Sequence[Record]) -> Writing:
    return _listed(records, [record.position.text for record in records], "positions", "list of positions")


POSITIONS = Format(
    "positions",
    "list of positions",
    (".txt",),
    lambda text: False,
    _read_positions,
    _write_positions,
    many=True,
)


def _listed(records: Sequence[Record], lines: Sequence[str], form: str, title: str) -> Writing:
    source = records[0].source if records and records[0].source.get("form") == form else {}
    newline = source.get("newline", "\n")
    text = newline.join(lines) + ("" if "open" in source else newline)
    return Writing(text, told_left(records, title))
