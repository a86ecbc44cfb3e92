"""What positions are worth, from their notation alone: the rules once more, and every game played to its end.

It shares nothing with nimdesk, and imports nothing of it, so that what nimdesk says can be compared with it. Rules and
words are those of the page on notation. A board is a plain value as seen by the side to move; who that is does not
matter to its worth.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

WIN, DRAW, LOSS = "win", "draw", "loss"
REVERSE = {WIN: LOSS, DRAW: DRAW, LOSS: WIN}
SCORES = {WIN: 1.0, DRAW: 0.5, LOSS: 0.0}


class Worth(NamedTuple):
    """A result with best play, for one side, and after how many plies the game ends then.

    Whoever wins hurries, whoever loses holds out, and a draw is played out.
    """

    value: str
    plies: int


class Step(NamedTuple):
    """A move: in notation, as a person says it, and the board that it leaves."""

    text: str
    words: str
    board: Any


class Rules(ABC):
    """A game: its start, the names of its sides, and what can be played."""

    start: Any
    sides = ("First", "Second")

    @abstractmethod
    def steps(self, board: Any) -> Iterator[Step]:
        """The legal moves; none where the game is over."""

    @abstractmethod
    def ended(self, board: Any) -> str | None:
        """What the end of the game is for the side that would be to move; None while the game goes on."""

    def key(self, board: Any) -> Hashable:
        """The same for boards that are worth the same."""
        return board  # type: ignore[no-any-return]


class Nim(Rules):
    """``1,3,5,7`` with ``:max3`` and ``:misere``."""

    def __init__(self, parameters: str) -> None:
        piles, *flags = parameters.split(":")
        self.start = tuple(map(int, piles.split(",")))
        self.misere = "misere" in flags
        self.most = next((int(flag[3:]) for flag in flags if flag.startswith("max")), max(self.start))

    def steps(self, board: tuple[int, ...]) -> Iterator[Step]:
        for at, size in enumerate(board):
            for take in range(1, min(size, self.most) + 1):
                left = (*board[:at], size - take, *board[at + 1 :])
                yield Step(f"{at + 1}-{take}", f"take {take} from pile {at + 1}", left)

    def ended(self, board: tuple[int, ...]) -> str | None:
        if any(board):
            return None
        return WIN if self.misere else LOSS

    def key(self, board: tuple[int, ...]) -> Hashable:
        return tuple(sorted(board))


class Mnk(Rules):
    """``columns,rows,in a row`` with ``:gravity``; a board are the cells of the side to move, and of the other."""

    def __init__(self, parameters: str) -> None:
        sizes, *flags = parameters.split(":")
        self.m, self.n, self.k = map(int, sizes.split(","))
        self.gravity = flags == ["gravity"]
        large = min(self.m, self.n) >= 9
        self.sides = ("Red", "Yellow") if self.gravity else ("Black", "White") if large else ("X", "O")
        self.start = (frozenset[tuple[int, int]](), frozenset[tuple[int, int]]())
        self.cells = [(column, row) for row in range(self.n) for column in range(self.m)]
        self.lines: dict[tuple[int, int], list[list[tuple[int, int]]]] = {cell: [] for cell in self.cells}
        for column, row in self.cells:
            for right, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
                line = [(column + i * right, row + i * up) for i in range(self.k)]
                if all(cell in self.lines for cell in line):
                    for cell in line:
                        self.lines[cell].append(line)
        self._complete: dict[frozenset[tuple[int, int]], bool] = {}

    def steps(self, board: Any) -> Iterator[Step]:
        own, other = board
        if self.ended(board) is not None:
            return
        taken = own | other
        for column, row in self.cells:
            if (column, row) in taken or (self.gravity and row and (column, row - 1) not in taken):
                continue
            text = f"{chr(ord('a') + column)}{row + 1}"
            yield Step(text, text, (other, own | {(column, row)}))

    def ended(self, board: Any) -> str | None:
        own, other = board
        if (complete := self._complete.get(other)) is None:
            complete = any(all(cell in other for cell in line) for cell in other for line in self.lines[cell])
            self._complete[other] = complete
        if complete:
            return LOSS
        return DRAW if len(own) + len(other) == len(self.cells) else None


class Take(Rules):
    """``rule:heaps`` and more of them after ``+``, with ``:misere``; a board has the sorted heaps of each part."""

    def __init__(self, parameters: str) -> None:
        self.misere = parameters.endswith(":misere")
        parts = [part.rpartition(":") for part in parameters.removesuffix(":misere").split("+")]
        self.rules = [rule for rule, _, _ in parts]
        self.start = tuple(tuple(sorted(map(int, heaps.split(",")))) for _, _, heaps in parts)

    def steps(self, board: tuple[tuple[int, ...], ...]) -> Iterator[Step]:
        for at, (rule, heaps) in enumerate(zip(self.rules, board, strict=True)):
            several = len(board) > 1
            where, of = (f"{at + 1}:", f" of part {at + 1}") if several else ("", "")
            moves = _wythoff(heaps, of) if rule == "wythoff" else _in_heaps(rule, heaps, of)
            for text, words, left in moves:
                yield Step(f"{where}{text}", words, (*board[:at], tuple(sorted(left)), *board[at + 1 :]))

    def ended(self, board: tuple[tuple[int, ...], ...]) -> str | None:
        if next(self.steps(board), None) is not None:
            return None
        return WIN if self.misere else LOSS


def _wythoff(heaps: tuple[int, ...], of: str) -> Iterator[tuple[str, str, list[int]]]:
    low, high = heaps
    for heap, other in {low: high, high: low}.items():
        for take in range(1, heap + 1):
            yield f"{heap}-{take}", f"take {take} from the heap of {heap}{of}", [heap - take, other]
    for take in range(1, low + 1):
        yield f"{low},{high}-{take}", f"take {take} from both heaps{of}", [low - take, high - take]


def _in_heaps(rule: str, heaps: tuple[int, ...], of: str) -> Iterator[tuple[str, str, list[int]]]:
    for heap in set(heaps):
        rest = list(heaps)
        rest.remove(heap)
        for take, left in _in_heap(rule, heap):
            taken, leaving = f"-{take}" if take else "", " and ".join(map(str, left))
            split = f"={'+'.join(map(str, left))}" if len(left) == 2 else ""
            if not take:
                words = f"split the heap of {heap}{of} into {leaving}"
            else:
                words = f"take {take} from the heap of {heap}{of}{f', leaving {leaving}' if split else ''}"
            yield f"{heap}{taken}{split}", words, [*rest, *left]


def _in_heap(rule: str, heap: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    """How many tokens are taken, and which heaps are left."""
    if rule.startswith("{"):
        for take in set(map(int, rule.strip("{}").split(","))):
            if take <= heap:
                yield take, (heap - take,) if heap > take else ()
        return
    for take, digit in enumerate(int(each) for each in rule.replace(".", "")):
        rest = heap - take
        if rest == 0 and digit & 1:
            yield take, ()
        if rest > 0 and digit & 2:
            yield take, (rest,)
        if digit & 4:
            for left in range(1, rest // 2 + 1):
                yield take, (left, rest - left)


class Kayles(Rules):
    """``3,4``: rows of pins; a board has a text for each."""

    def __init__(self, parameters: str) -> None:
        self.start = tuple("!" * int(row) for row in parameters.split(","))

    def steps(self, board: tuple[str, ...]) -> Iterator[Step]:
        for row, pins in enumerate(board):
            for count in (1, 2):
                for pin in range(len(pins) - count + 1):
                    if pins[pin : pin + count] == "!" * count:
                        text = f"{row + 1}-{pin + 1}" + (f"+{pin + 2}" if count == 2 else "")
                        left = f"{pins[:pin]}{'.' * count}{pins[pin + count :]}"
                        yield Step(text, text, (*board[:row], left, *board[row + 1 :]))

    def ended(self, board: tuple[str, ...]) -> str | None:
        return None if any("!" in row for row in board) else LOSS

    def key(self, board: tuple[str, ...]) -> Hashable:
        return tuple(sorted(map(len, re.findall("!+", " ".join(board)))))


GAMES: dict[str, type[Rules]] = {"nim": Nim, "mnk": Mnk, "take": Take, "kayles": Kayles}
_GOOD = {WIN: 2, DRAW: 1, LOSS: 0}


class Solved:
    """A game with what was worked out of it."""

    def __init__(self, text: str) -> None:
        name, _, parameters = text.partition(":")
        self.rules = GAMES[name](parameters)  # type: ignore[call-arg]
        self._known: dict[Hashable, Worth] = {}

    def worth(self, board: Any) -> Worth:
        """What a board is worth to the side to move, by all that can follow."""
        key = self.rules.key(board)
        if (known := self._known.get(key)) is None:
            known = self._known[key] = self._worked_out(board)
        return known

    def _worked_out(self, board: Any) -> Worth:
        if (end := self.rules.ended(board)) is not None:
            return Worth(end, 0)
        after = [step.board for step in self.rules.steps(board)]
        if any(self.rules.ended(each) == LOSS for each in after):
            return Worth(WIN, 1)
        return max(map(self.before, after), key=_wanted)

    def before(self, board: Any) -> Worth:
        """What it is worth to move to this board."""
        value, plies = self.worth(board)
        return Worth(REVERSE[value], plies + 1)


def _wanted(worth: Worth) -> tuple[int, int]:
    return _GOOD[worth.value], -worth.plies if worth.value == WIN else worth.plies


@lru_cache(maxsize=64)
def solved(game: str) -> Solved:
    """The game of this notation, with all that is known of it."""
    return Solved(game)


class Known:
    """A position, by its notation: a game, and the moves played."""

    def __init__(self, text: str) -> None:
        game, *moves = text.split()
        self.text, self.solved = text, solved(game)
        self.board = self.solved.rules.start
        for move in moves:
            self.board = next(each.board for each in self.solved.rules.steps(self.board) if each.text == move)
        mover = len(moves) % 2
        self.side, self.other = self.solved.rules.sides[mover], self.solved.rules.sides[1 - mover]

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.solved.rules.ended(self.board) is not None

    @cached_property
    def worth(self) -> Worth:
        """For the side to move."""
        return self.solved.worth(self.board)

    @cached_property
    def steps(self) -> dict[str, Step]:
        """The legal moves, by their notation."""
        return {each.text: each for each in self.solved.rules.steps(self.board)}

    @cached_property
    def moves(self) -> dict[str, Worth]:
        """What each legal move is worth to the side that plays it, its plies counted from before the move."""
        return {text: self.solved.before(step.board) for text, step in self.steps.items()}

    @cached_property
    def best(self) -> frozenset[str]:
        """The moves that keep the value."""
        return frozenset(text for text, worth in self.moves.items() if worth.value == self.worth.value)

    @cached_property
    def quickest(self) -> frozenset[str]:
        """Of these the ones that win soonest or lose latest; all where the position is drawn."""
        if self.worth.value == DRAW:
            return self.best
        return frozenset(text for text in self.best if self.moves[text].plies == self.worth.plies)

    @cached_property
    def at_once(self) -> frozenset[str]:
        """The moves that win at once."""
        return frozenset(text for text, worth in self.moves.items() if worth == (WIN, 1))

    def after(self, move: str) -> Known:
        """The position after a move."""
        return known(f"{self.text} {move}")

    def named(self, words: str) -> str:
        """The move that a person calls so; ``KeyError`` where there is none."""
        return next((text for text, step in self.steps.items() if words in (text, step.words)), None) or _none(words)


def _none(words: str) -> str:
    raise KeyError(words)


@lru_cache(maxsize=4096)
def known(text: str) -> Known:
    """The position of this notation."""
    return Known(text)
