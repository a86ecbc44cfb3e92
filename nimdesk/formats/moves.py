"""A position as people and programs write it in a line: nimdesk's notation, or moves alone in some other way.

Moves may have any separators or none (``h8i9``, ``h8-i9``, ``1. h8 2. i9``), may be pairs of numbers (``7,7 8,8``,
``[[7, 7], [8, 8]]``: column and row, from the top), columns as digits where marks drop (``4453``), or their letters.
What such a text leaves open is decided by a rule, and said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from nimdesk.errors import GameParameterError, IllegalMoveError, NimdeskError, NotationError, quoted
from nimdesk.formats.base import MOST_LETTERS, Asked, FaultInFileError, Growing, Record
from nimdesk.games import AnyPosition, Game, MnkGame, MnkMove, Move, parse_game, parse_position
from nimdesk.games.kit import find_kit

CONNECT_FOUR = "mnk:7,6,4:gravity"
_Placed = tuple[Move | Callable[[AnyPosition], Move], int]
_NUMBERED = re.compile(r"(?<![^\s(])[0-9]{1,3}\s*[.:)](?=\s*[A-Za-z])")
_CELL = re.compile(r"[A-Za-z][0-9]{1,2}")
_COLUMNS = re.compile(r"[0-9]+")
_LETTERS = re.compile(r"[A-Za-z]+")
_PAIR = re.compile(r"(-?[0-9]{1,3})\s*[,;:\s]\s*(-?[0-9]{1,3})")
_BETWEEN = re.compile(r"[\s,;:/|>()\[\]{}-]*")
_SEPARATORS = re.compile(r"[\s,;/|>]+")


def read_position(text: str, asked: Asked | None = None) -> tuple[AnyPosition, str]:
    """The position that this text names, and what was decided of it, as a sentence or "".

    ``asked`` has the game of moves without one: that on the board. A text in nimdesk's own notation is what it says,
    whatever is asked. ``NotationError``, ``GameParameterError`` and ``IllegalMoveError`` as ``parse_position`` raises
    them.
    """
    asked = asked or Asked()
    try:
        return parse_position(text), ""
    except (NotationError, GameParameterError, IllegalMoveError) as error:
        own = error
    if not text.strip():
        raise own
    try:
        record, told = read_line(text, asked)
    except FaultInFileError as fault:
        if _names_game(text) or not _looks_like_moves(text):
            raise own from None
        raise NotationError(f"{quoted(text.strip())} is not understood: {fault}.") from None
    return record.position, told


def _names_game(text: str) -> bool:
    words = text.split(None, 1)
    return not words or _is_game(words[0].partition(":")[0])


def _is_game(name: str) -> bool:
    return re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", name) is not None and find_kit(name) is not None


def _looks_like_moves(text: str) -> bool:
    return re.fullmatch(r"[0-9A-Za-z\s,;:./|>()\[\]{}-]+", text) is not None and re.search(r"[0-9]", text) is not None


def _game_in(word: str) -> Game | None:
    if ":" not in word or not _is_game(word.partition(":")[0]):
        return None
    try:
        return parse_game(word)
    except NimdeskError:
        return None


def read_line(line: str, asked: Asked, place: int = 0) -> tuple[Record, str]:
    """The moves in a line, perhaps after a game; ``place`` is where the line begins, for faults.

    Without a game the moves are of ``asked.game``; digits that mean nothing there are Connect Four.
    """
    if len(line) > MOST_LETTERS:
        raise FaultInFileError(f"no position takes more than {MOST_LETTERS:,} letters", place)
    begin = len(line) - len(line.lstrip())
    word = line[begin:].split(None, 1)[0] if line.strip() else ""
    game = _game_in(word)
    at = begin + len(word) if game is not None else begin
    rest = line[at:].rstrip()
    digits = game is None and _COLUMNS.fullmatch("".join(rest.split())) is not None
    game = game or asked.game
    if game is None and not digits:
        why = "it does not say which game; write that before the moves, such as mnk:15,15,5"
        raise FaultInFileError(why, place)
    if game is not None:
        try:
            return _read_moves(rest, game, asked, place + at)
        except FaultInFileError:
            if not digits or (isinstance(game, MnkGame) and game.gravity):
                raise
    return _read_moves(rest, parse_game(CONNECT_FOUR), asked, place + at)


def _read_moves(text: str, game: Game, asked: Asked, place: int) -> tuple[Record, str]:
    moves, told = _moves_in(text, game, asked, place)
    growing = Growing(game)
    growing.line(moves)
    return growing.record(), told


def _moves_in(text: str, game: Game, asked: Asked, place: int) -> tuple[list[_Placed], str]:
    if not text.strip():
        return [], ""
    if not isinstance(game, MnkGame):
        return _by_words(text, place), ""
    if game.gravity and _COLUMNS.fullmatch(re.sub(_SEPARATORS, "", text)):
        digits = [(int(each[0]), each.start() + place) for each in re.finditer(r"[0-9]", text)]
        from_, counted = counted_from(asked, zero=any(digit == 0 for digit, _ in digits))
        return columns(game, digits, from_), f"The columns were {counted}."
    numbered = _NUMBERED.sub(lambda found: " " * len(found[0]), text)
    for one in (_CELL, _PAIR):
        found = list(one.finditer(numbered))
        if found and _nothing_between(numbered, found):
            if one is _PAIR:
                return _pairs(game, found, asked, place)
            return [(_named(each[0]), each.start() + place) for each in found], ""
    if game.gravity and _LETTERS.fullmatch(re.sub(_SEPARATORS, "", text)):
        return [(_named(each[0]), each.start() + place) for each in re.finditer(r"[A-Za-z]", text)], ""
    return _by_words(text, place), ""


def _nothing_between(text: str, found: Sequence[re.Match[str]]) -> bool:
    """Whether between these, before and after them are separators alone."""
    ends = [0, *(each.end() for each in found)]
    begins = [*(each.start() for each in found), len(text)]
    return all(_BETWEEN.fullmatch(text, end, begin) for end, begin in zip(ends, begins, strict=True))


def _by_words(text: str, place: int) -> list[_Placed]:
    return [(_named(each[0]), each.start() + place) for each in re.finditer(r"[^\s,;/|>]+", text)]


def _named(text: str) -> Callable[[AnyPosition], Move]:
    return lambda position: position.parse_move(text)


def _pairs(game: MnkGame, found: Sequence[re.Match[str]], asked: Asked, place: int) -> tuple[list[_Placed], str]:
    pairs = [(int(each[1]), int(each[2]), each.start() + place) for each in found]
    if any(column < 0 or row < 0 for column, row, _ in pairs):
        return offsets(game, pairs), "The numbers were read as distances from the middle, because some are negative."
    from_, counted = counted_from(asked, zero=any(0 in pair[:2] for pair in pairs))
    moves: list[_Placed] = [
        (_cell(game, column - from_, row - from_, f"{column},{row}", where), where) for column, row, where in pairs
    ]
    return moves, f"The numbers were read as column and row from the top, {counted}."


def offsets(game: MnkGame, pairs: Sequence[tuple[int, int, int]]) -> list[_Placed]:
    """The cells at these distances from the middle, to the right and down, as openings of Gomocup have them."""
    return [
        (_cell(game, game.m // 2 + right, game.n // 2 + down, f"{right},{down}", place), place)
        for right, down, place in pairs
    ]


def _cell(game: MnkGame, column: int, row: int, words: str, place: int) -> MnkMove:
    if not (0 <= column < game.m and 0 <= row < game.n):
        raise FaultInFileError(f"{words} is not on the board of {game.m} by {game.n}", place)
    return MnkMove(column, game.n - 1 - row)


def counted_from(asked: Asked, *, zero: bool) -> tuple[int, str]:
    """Whether numbers count from 0 or 1, and that as words with the reason; ``zero`` says whether a 0 occurs."""
    if asked.columns_from is not None:
        from_, why = asked.columns_from, "as asked"
    else:
        from_, why = (0, "a 0 occurs") if zero else (1, "no 0 occurs")
    return from_, f"counted from {from_}: {why}"


def columns(game: MnkGame, digits: Sequence[tuple[int, int]], from_: int) -> list[_Placed]:
    """Marks dropped into these columns, which count from ``from_``."""
    for digit, place in digits:
        if not 0 <= digit - from_ < game.m:
            most = game.m - 1 + from_
            raise FaultInFileError(f"there is no column {digit} in {game.text}; here they are {from_} to {most}", place)
    return [(_dropped(digit - from_), place) for digit, place in digits]


def _dropped(column: int) -> Callable[[AnyPosition], Move]:
    def drop(position: AnyPosition) -> Move:
        cells = (move for move in position.legal_moves if isinstance(move, MnkMove))
        lowest = next((move for move in cells if move.column == column), None)
        # A full column has no legal move; the rules say so of its topmost cell.
        assert isinstance(position.game, MnkGame)
        return lowest or MnkMove(column, position.game.n - 1)

    return drop
