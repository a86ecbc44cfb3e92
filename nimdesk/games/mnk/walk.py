"""A certificate followed along the moves of a game: which of its positions is met, and what it answers there.

``verify`` says what the reasons mean. It asks only whether they hold for all moves at once. A game needs the
answer to one move after another, so this module also remembers which move was answered as another one.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any, NamedTuple

from nimdesk.games.mnk.verify import Checker, Lines, bits, fours, lacked, turned

Cell = int


class Reply(NamedTuple):
    """A cell to mark, None if any will do, and why.

    ``why`` is a template with ``{cell}``, the ``{move}`` that it answers, ``{us}`` and ``{them}``. ``number`` is the
    position of the certificate that says so, and ``as_to`` the move as which the last one is answered, if another.
    """

    cell: Cell | None
    why: str
    number: int = 0
    as_to: Cell | None = None


_FREE = "no answer to {move} is needed, so {us} may mark any cell"
_HAS = "{us} has what answers {move} already, so it may mark any cell"
_ANY = "{them} can complete no line any more, so {us} may mark any cell"
_PAIR = "the cells {move} and {cell} are a pair: {them} marked one, so {us} marks the other"
_LISTED = "position {number:,} of the proof answers {move} with {cell}"
_OUTSIDE = "position {number:,} of the proof answers {as_to} with {cell}, and all that follows leaves {move} alone"
_UNDER = "position {number:,} of the proof answers {as_to} with {cell}, and {move} is on no open line without {as_to}"
_FIRST = "{us} marks {cell}, and from here on blocks every line"
_STRATEGY = "the proof plays {cell} here (its position {number:,})"
_TWICE = "{us} can complete lines in two cells after {cell}"
_COMPLETES = "{us} completes a line with {cell}"


class Walk:
    """One proof of a certificate, for one side, at one position of a game."""

    def __init__(self, checker: Checker, side: int, own: int, other: int) -> None:
        self.checker, self.side, self.own, self.other = checker, side, own, other
        self._at = list(checker.cells)
        """For each cell of the game, its number on the board of the position met."""
        self.reply = Reply(None, _ANY)
        """What the side should play, if it is to move."""

    def possible(self) -> list[Cell]:
        """The cells that can be marked."""
        return bits(self.checker.may_mark(self.own | self.other))

    def best(self) -> Reply:
        """What the side plays: a cell that completes a line, the proof's cell or, if any will do, the best spoiler."""
        cells = self.possible()
        last = next((cell for cell in cells if self.checker.completes(cell, self.own)), None)
        if last is not None:
            return Reply(last, _COMPLETES)
        if self.reply.cell is not None:
            return self.reply
        lines = [line for line, _ in self.checker.lines if not line & self.own]
        return self.reply._replace(cell=max(cells, key=lambda cell: sum(line >> cell & 1 for line in lines)))

    def heard(self, cell: Cell) -> Walk:
        """The walk after a move of the other side."""
        after = copy(self)
        after.other = self.other | 1 << cell
        return after._hear(cell)

    def _hear(self, cell: Cell) -> Walk:
        """Take in a move of the other side, and return the walk that goes on from there."""
        raise NotImplementedError

    def played(self, cell: Cell) -> Walk | None:
        """The walk after a move of the side itself; None if the proof says nothing after that move."""
        if self.reply.cell not in (None, cell):
            return None
        after = copy(self)
        after.own = self.own | 1 << cell
        after._play(cell)
        return after

    def _play(self, cell: Cell) -> None:
        """Take in a move of the side: that of ``reply``, or any if the reply names none."""
        raise NotImplementedError

    def pairs(self) -> list[tuple[Cell, Cell]]:
        """The pairs of empty cells that answer each other."""
        return []


class StrategyWalk(Walk):
    """A strategy: a move for each position and what follows each answer to it; from some position on it may block."""

    def __init__(
        self,
        checker: Checker,
        side: int,
        own: int,
        other: int,
        given: Sequence[Any],
        *,
        wins: bool,
    ) -> None:
        """``given`` is what the proof has after its kind; the other side is to move."""
        super().__init__(checker, side, own, other)
        self._wins = wins
        self._number: int | None = None
        self._replies, self._others = given

    def begun(self) -> Walk:
        """The walk if the side itself is to move: it is at the position that ``given`` refers to, without answers."""
        return self._met(self._others)

    def _hear(self, cell: Cell) -> Walk:
        place = self._at[cell]
        # The checker has not looked at what follows then: it may be anything.
        ends = any(self.checker.completes(each, self.own) for each in self.possible())
        if ends or (not self._wins and all(line & self.own for line, _ in self.checker.lines)):
            return self._met(None)
        listed = (each[1] for each in self._replies if len(each) == 2 and each[0] == place)
        return self._met(next(listed, self._others))

    def _met(self, reference: int | None) -> Walk:
        """This walk, moved to the position of a reference; None as reference if nothing needs an answer any more."""
        if reference is None:
            self._number, self.reply = None, Reply(None, _ANY)
            return self
        self._number, image = self.checker.at(reference)
        self._at = [image[cell] for cell in self._at]
        kind, given = self.checker.reason(self._number)
        if kind == "blocking":
            first = None if given[0] is None else self._at.index(given[0])
            return BlockingWalk(self.checker, self.side, self.own, self.other, (first, given[1]), self._at)
        if kind == "threats":
            moves = [self._at.index(each) for each in given]
            return ThreatsWalk(self, moves, self._number)
        self.reply = Reply(self._at.index(given[0]), _STRATEGY, self._number)
        return self

    def _play(self, cell: Cell) -> None:
        if self._number is not None:
            _move, self._replies, self._others = self.checker.reason(self._number)[1]


class ThreatsWalk(Walk):
    """A sequence of threats: the next of them, or after an answer that matters to none of them what it threatened."""

    def __init__(self, before: Walk, moves: Sequence[Cell], number: int) -> None:
        """At a walk's place, where ``moves`` are the threats of position ``number``, on the board of the game."""
        super().__init__(before.checker, before.side, before.own, before.other)
        self._moves, self._number = moves, number
        self._choose()

    def _choose(self) -> None:
        """Set the reply."""
        loses = any(self.checker.rests(self.other, self.own, 1))
        double = [] if loses else fours(lacked(self.checker.lines, self.own, self.other))
        if double:
            self.reply = Reply(bits(double[0][0])[0], _TWICE, self._number)
        elif self._moves:
            self.reply = Reply(self._moves[0], _STRATEGY, self._number)
        else:
            self.reply = Reply(None, _ANY)

    def _hear(self, cell: Cell) -> Walk:
        self._choose()
        return self

    def _play(self, cell: Cell) -> None:
        self._moves = [each for each in self._moves if each != cell]


class BlockingWalk(Walk):
    """Pairs and answers, by which a side blocks every line.

    ``_lines`` are the empty cells of the lines that it has not blocked, on the board of the position met. ``_at`` is
    the place of each cell of the game on that board: the board may be turned, and two cells are swapped for each move
    that was answered as another one, which lies on all its lines.
    """

    def __init__(
        self,
        checker: Checker,
        side: int,
        own: int,
        other: int,
        given: Sequence[Any],
        at: list[Cell] | None = None,
    ) -> None:
        """``given`` is the side's first mark, None if the other side is to move, and a reference to what holds then.

        ``at`` gives the place of each cell on the board of that reference, if the places differ.
        """
        super().__init__(checker, side, own, other)
        first, reference = given
        self._at = at or self._at
        blocked = own if first is None else own | 1 << first
        open_lines = [line & ~other for line, _ in checker.lines if not line & blocked]
        self._enter(reference, frozenset(turned(line, self._at) for line in open_lines))
        if first is not None:
            self.reply = Reply(first, _FIRST)

    def _enter(self, reference: int, lines: Lines) -> None:
        """Move to the position of a reference, for which the board is turned."""
        self._number, image = self.checker.at(reference)
        self._at = [image[cell] for cell in self._at]
        self._lines = frozenset(turned(line, image) for line in lines)
        self._kind, self._given = self.checker.reason(self._number)

    def _play(self, cell: Cell) -> None:
        if self._kind == "pairs":
            self._lines = frozenset(line for line in self._lines if not line >> self._at[cell] & 1)

    def _hear(self, cell: Cell) -> Walk:
        place = self._at[cell]
        if not any(line >> place & 1 for line in self._lines):
            self.reply = Reply(None, _FREE if self._lines else _ANY)
        elif self._kind == "pairs":
            self._hear_pairs(place)
        else:
            self._hear_answers(cell, place)
        if self.reply.cell is not None and self.own >> self.reply.cell & 1:
            self.reply = Reply(None, _HAS)
        return self

    def _hear_pairs(self, place: Cell) -> None:
        partner = next((b if a == place else a for a, b in self._needed() if place in (a, b)), None)
        self._lines = frozenset(line & ~(1 << place) for line in self._lines)
        if partner is None:
            self.reply = Reply(None, _FREE)
        else:
            self.reply = Reply(self._at.index(partner), _PAIR)

    def _hear_answers(self, cell: Cell, place: Cell) -> None:
        move, reply, after, why = self._chosen(place)
        other = self._at.index(move)
        if why == _UNDER:
            swapped = {cell: move, other: place}
            self._at = [swapped.get(each, at) for each, at in enumerate(self._at)]
        self.reply = Reply(self._at.index(reply), why, self._number, other)
        self._enter(after, self._left(move, reply))

    def _chosen(self, place: Cell) -> tuple[Cell, Cell, int, str]:
        """The answer to a move: its own one, or the one to another move."""
        listed = {move: (reply, after) for move, reply, after in self._given}
        if place in listed:
            return place, *listed[place], _LISTED
        for move, (reply, after) in listed.items():
            if not (self.checker.defends(after, self._left(move, reply)) | 1 << reply) >> place & 1:
                return move, reply, after, _OUTSIDE
        for move, (reply, after) in listed.items():
            if all(line >> move & 1 for line in self._lines if line >> place & 1):
                return move, reply, after, _UNDER
        raise AssertionError("the checker has found an answer to every move")

    def _left(self, move: Cell, reply: Cell) -> Lines:
        return frozenset(line & ~(1 << move) for line in self._lines if not line >> reply & 1)

    def _needed(self) -> list[tuple[Cell, Cell]]:
        """The pairs that are on open lines."""
        cells = self._given if self._kind == "pairs" else []
        pairs = zip(cells[::2], cells[1::2], strict=True)
        return [(a, b) for a, b in pairs if any(line >> a & line >> b & 1 for line in self._lines)]

    def pairs(self) -> list[tuple[Cell, Cell]]:
        """The pairs on lines that are still open."""
        return [(self._at.index(a), self._at.index(b)) for a, b in self._needed()]
