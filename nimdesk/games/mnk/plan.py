"""The questions of the m,n,k solver, their order, and the conclusions from the answers.

What is known of a move is a pair of bounds for each side: no win within ``low`` plies, a win within ``high``. Yes-or-no
questions (see ``solver.search``) tighten them: first whether each side can win at all from the position, then whether
it can after every move, then how soon. A question that takes too long is put back and asked again with more effort; the
table of proven positions keeps what it found.

Without gravity, and where longer lines win too, an extra mark never hurts its owner. So if the opponent could not win
even by moving now, no move loses; and from an empty board the second player cannot win if the first cannot (strategy
stealing).
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Annotated, NamedTuple

from msgspec import Meta

from nimdesk.games.mnk.rules import MnkMove
from nimdesk.games.mnk.solver.defence import MOST_CELLS
from nimdesk.games.mnk.solver.table import NEVER
from nimdesk.games.truth import Value

# Positions to spend on a question about a move in the first round; each round spends four times as many.
_FIRST_EFFORT = 250
# The position's own value comes before those of its moves.
_ROOT_FIRST = 64
# A position of the search for a defence takes as long as this many of the other search.
_DEFENCE_COST = 4
# With more empty cells, near wins and wins by threats alone are tried before everything else.
_LARGE_BOARD = 40


@dataclass(slots=True)
class Bounds:
    """A side has no win within ``low`` plies from the root, and has one within ``high`` (``NEVER``: none is known)."""

    low: int = 0
    high: int = NEVER
    blockable: bool = True
    """Whether the other side may be able to keep it from winning by blocking alone."""
    blocked: bool = False
    """Whether the other side is known to keep it from winning so."""

    @property
    def open(self) -> bool:
        """Whether it is unknown if there is a win."""
        return self.high == NEVER and self.low < NEVER

    @property
    def exact(self) -> bool:
        """Whether the distance is known if there is a win: it has the parity of ``high``."""
        return self.low == NEVER or self.high - self.low <= 2

    def learn(self, yes: bool, bound: int) -> None:
        """Add an answer."""
        if yes:
            self.high = min(self.high, bound)
        else:
            self.low = max(self.low, bound)


def value_of(own: Bounds, other: Bounds) -> Value:
    """The value for the side with the bounds ``own``."""
    if own.high < NEVER:
        return Value.WIN
    if other.high < NEVER:
        return Value.LOSS
    return Value.DRAW if own.low == NEVER and other.low == NEVER else Value.UNKNOWN


def _exclude(one: Bounds, other: Bounds) -> None:
    """Conclude that only one side can have a win."""
    if one.high < NEVER:
        other.low = NEVER
    elif other.high < NEVER:
        one.low = NEVER


@dataclass(slots=True)
class Group:
    """Moves that lead to the same position up to symmetry, with the bounds of the side to move and the opponent."""

    moves: list[MnkMove] = field(default_factory=list)
    cells: list[int] = field(default_factory=list)
    mover: Bounds = field(default_factory=Bounds)
    opponent: Bounds = field(default_factory=Bounds)

    @property
    def value(self) -> Value:
        """The value for the side that plays the move."""
        return value_of(self.mover, self.opponent)

    @property
    def exact(self) -> bool:
        """Whether value and distance are known (a draw is played to a full board)."""
        return self.value is not Value.UNKNOWN and self.mover.exact and self.opponent.exact


class Question(NamedTuple):
    """Can the side to move (if ``ours``) or the opponent win within ``plies``, for ``effort`` positions of work?

    The first mark goes to ``cell`` (-1: any); ``passed`` lets the opponent make it. See ``solver.search.ask``; with
    ``blocking``, ``solver.defence.ask``: then a yes says only that the other side needs more than to block.
    """

    cell: int
    ours: bool
    plies: int
    effort: int
    forcing: bool = False
    passed: bool = False
    blocking: bool = False


class Answer(NamedTuple):
    """Yes or no within ``bound`` plies, the first move that settled it (or -1), and the positions searched.

    The ranges check an answer that is read from a file.
    """

    yes: bool
    bound: Annotated[int, Meta(ge=0, le=NEVER)]
    move: Annotated[int, Meta(ge=-1, le=NEVER)]
    nodes: Annotated[int, Meta(ge=0, le=10**15)]


# The plan receives None for a question that was given up.
Plan = Generator[Question, Answer | None, None]


class Proof:
    """All that is known of a position with ``empty`` cells, and the plan that adds to it."""

    def __init__(
        self, groups: list[Group], empty: int, *, cells: int, gravity: bool, distances: bool, exact: bool = False
    ) -> None:
        """``groups`` hold every legal move; those that end the game have final bounds."""
        self.groups = groups
        self.mover, self.opponent = Bounds(), Bounds()
        self._empty, self._untouched = empty, empty == cells
        self._gravity, self._distances = gravity, distances
        self._large = empty > _LARGE_BOARD and not gravity
        # Where a mark may hurt its owner, nothing follows from what the opponent could do by moving now.
        self._pass_asked = gravity or exact
        self._blocking = not gravity and cells <= MOST_CELLS
        self._pass_blockable = self._blocking
        self._conclude()

    @property
    def value(self) -> Value:
        """The value for the side to move."""
        return value_of(self.mover, self.opponent)

    @property
    def done(self) -> bool:
        """Whether no question is left."""
        return self.value is not Value.UNKNOWN and all(self.settled(group) for group in self.groups)

    def settled(self, group: Group) -> bool:
        """Whether no question is left about these moves."""
        return group.exact if self._distances else group.value is not Value.UNKNOWN

    def plan(self) -> Plan:
        """The questions to ask, until ``done``."""
        effort = _FIRST_EFFORT
        while not self.done:
            stolen = self._untouched and not self._pass_asked and self.mover.low == NEVER
            if self.value is Value.UNKNOWN or stolen:
                yield from self._ask_root(_ROOT_FIRST * effort)
            if self._distances and self.value in (Value.WIN, Value.LOSS):
                yield from self._ask_nearer(None, self.value is Value.WIN, _ROOT_FIRST * effort)
            for group in self.groups:
                yield from self._ask_group(group, effort)
            effort *= 4

    def _ask_root(self, effort: int) -> Plan:
        yield from self._ask_side(None, True, effort)
        if self.mover.low == NEVER and not self._pass_asked and (self._untouched or self.opponent.open):
            if self._untouched:
                answer: Answer | None = Answer(False, NEVER, -1, 0)
            else:
                answer = yield from self._ask_pass(effort)
            if answer is not None:
                self._learn_pass(answer)
        yield from self._ask_side(None, False, effort)

    def _ask_pass(self, effort: int) -> Generator[Question, Answer | None, Answer | None]:
        """Ask whether the opponent can win by moving now."""
        question = Question(-1, False, self._empty, effort, passed=True)
        if self._pass_blockable:
            cheap = question._replace(effort=effort // _DEFENCE_COST, blocking=True)
            answer = yield cheap
            self._pass_blockable = answer is None
            if answer is not None and not answer.yes:
                return answer
        return (yield question)

    def _ask_group(self, group: Group, effort: int) -> Plan:
        yield from self._ask_side(group, True, effort)
        # On an empty board, what the first side can do may soon settle the second.
        waits = self._untouched and not self._pass_asked and self.mover.high == NEVER
        if group.value is Value.UNKNOWN and not waits:
            yield from self._ask_side(group, False, effort)
        if self._distances and group.value is not Value.UNKNOWN:
            ours = group.value is Value.WIN
            yield from self._ask_nearer(group, ours, effort)

    def _ask_side(self, group: Group | None, ours: bool, effort: int) -> Plan:
        """Ask whether this side can win at all, while that is unknown."""
        bounds = self._bounds(group, ours)
        if self._blocking and bounds.open and bounds.blockable:
            cell = -1 if group is None else group.cells[0]
            # The first side can hardly win a large board: most of the work is to prove that.
            cost = 1 if self._large and self._untouched and ours and group is None else _DEFENCE_COST
            answer = yield Question(cell, ours, self._empty, effort // cost, blocking=True)
            bounds.blockable = answer is None
            if answer is not None and not answer.yes:
                bounds.blocked = True
                self._learn(group, ours, answer)
        if not bounds.open:
            return
        if self._large:
            # A proof by threats alone is for the side with the first free move.
            if ours == (group is None):
                yield from self._ask(group, ours, self._empty, effort, forcing=True)
            if bounds.open:
                yield from self._ask_nearer(group, ours, effort)
        if bounds.open:
            yield from self._ask(group, ours, self._empty, effort // 4 if self._large else effort)
        if bounds.open and not self._large:
            yield from self._ask_nearer(group, ours, effort)

    def _ask_nearer(self, group: Group | None, ours: bool, effort: int) -> Plan:
        """Ask for wins within 1, 3, 5, ... plies (the opponent: 2, 4, ...), where they are unknown."""
        bounds = self._bounds(group, ours)
        while effort > 0 and bounds.low < NEVER and not (bounds.high < NEVER and bounds.exact):
            plies = bounds.low + 1 + (bounds.low + ours + 1) % 2
            effort -= yield from self._ask(group, ours, plies, effort)

    def _ask(
        self, group: Group | None, ours: bool, plies: int, effort: int, *, forcing: bool = False
    ) -> Generator[Question, Answer | None, int]:
        """Ask and learn; return the effort spent."""
        answer = yield Question(-1 if group is None else group.cells[0], ours, plies, effort, forcing)
        if answer is None:
            return effort
        if answer.yes or not forcing:
            self._learn(group, ours, answer)
        return answer.nodes

    def _bounds(self, group: Group | None, ours: bool) -> Bounds:
        of = self if group is None else group
        return of.mover if ours else of.opponent

    def _learn(self, group: Group | None, ours: bool, answer: Answer) -> None:
        """Learn an answer, at the root also for its moves.

        Our no and the opponent's yes hold after every move; our yes and the opponent's no only after the settling move.
        """
        self._bounds(group, ours).learn(answer.yes, answer.bound)
        if group is None:
            for each in self.groups:
                if ours != answer.yes or answer.move in each.cells:
                    self._bounds(each, ours).learn(answer.yes, answer.bound)
        self._conclude()

    def _learn_pass(self, answer: Answer) -> None:
        """Learn whether the opponent could win by moving now; an extra mark for the mover would not help it."""
        self._pass_asked = True
        if not answer.yes:
            for group in self.groups:
                group.opponent.learn(False, min(answer.bound + 1, NEVER))
            self._conclude()

    def _conclude(self) -> None:
        """Conclude from one side to the other, and from the moves to the root."""
        for group in self.groups:
            _exclude(group.mover, group.opponent)
        self.mover.learn(True, min(group.mover.high for group in self.groups))
        self.mover.learn(False, min(group.mover.low for group in self.groups))
        self.opponent.learn(True, max(group.opponent.high for group in self.groups))
        self.opponent.learn(False, max(group.opponent.low for group in self.groups))
        _exclude(self.mover, self.opponent)
