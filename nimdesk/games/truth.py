"""Exact answers: the value of a position and of each of its moves, and the distance to the end."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any, Protocol, TypeAlias, runtime_checkable

import msgspec

from nimdesk.games.base import AnyPosition, Move, Side
from nimdesk.limit import Limit


class Value(Enum):
    """The outcome under perfect play from here on, for a side that each use names."""

    WIN = "win"
    DRAW = "draw"
    LOSS = "loss"
    UNKNOWN = "unknown"

    @property
    def reverse(self) -> Value:
        """The same outcome for the opponent."""
        return _REVERSE[self]

    @property
    def score(self) -> float | None:
        """1, 1/2 or 0 on the scale of mean values; None if unknown."""
        return _SCORE[self]

    @property
    def rank(self) -> int:
        """The larger, the rather it is chosen: a win, then a draw, then what nothing is proven of, then a loss."""
        return _RANK[self]


_REVERSE = {Value.WIN: Value.LOSS, Value.LOSS: Value.WIN, Value.DRAW: Value.DRAW, Value.UNKNOWN: Value.UNKNOWN}
_RANK = {Value.LOSS: 0, Value.UNKNOWN: 1, Value.DRAW: 2, Value.WIN: 3}
_SCORE = {Value.WIN: 1.0, Value.DRAW: 0.5, Value.LOSS: 0.0, Value.UNKNOWN: None}


class MoveTruth(msgspec.Struct, frozen=True):
    """What is proven of one legal move.

    ``value`` is for the side that plays the move. ``distance`` counts plies from the position before the move to the
    end of the game, when the winning side hurries, the losing side resists as long as it can, and a draw is played out;
    None if unknown.
    """

    move: Move
    value: Value
    distance: int | None = None


class Truth(msgspec.Struct, frozen=True):
    """What is proven of a position: frozen, and perhaps incomplete.

    ``value`` is for the side to move (for a finished game, the side that would be). ``distance`` is in plies, 0 for a
    finished game, None if unknown. ``moves`` is in the order of ``position.legal_moves``. ``nodes`` counts the
    positions that the proof visited (0 for a formula). ``explanation`` is a few sentences for a person, or "".
    ``pairs`` are a reason of a draw, where there is one: the side to move never wins if the other side answers each
    move of a pair with the other one. ``threats`` is what is found of wins by threats; None where nothing is.
    """

    position: AnyPosition
    value: Value
    distance: int | None
    moves: tuple[MoveTruth, ...]
    nodes: int = 0
    elapsed_s: float = 0.0
    explanation: str = ""
    pairs: tuple[tuple[Move, Move], ...] = ()
    threats: Threats | None = None

    @property
    def forced(self) -> ForcedWin | None:
        """The win by threats that the side to move has, if one is found."""
        return None if self.threats is None else self.threats.win

    @property
    def complete(self) -> bool:
        """Whether the value of the position and of each move is known."""
        return self.value is not Value.UNKNOWN and all(truth.value is not Value.UNKNOWN for truth in self.moves)

    @property
    def best_moves(self) -> tuple[Move, ...]:
        """Every move proven to keep the position's value, if that value is known."""
        if self.value is Value.UNKNOWN:
            return ()
        return tuple(truth.move for truth in self.moves if truth.value is self.value)

    @property
    def quickest_moves(self) -> tuple[Move, ...]:
        """Of the ``best_moves`` those that win soonest, or lose latest; all of them in a draw.

        Where the distance of the position is unknown, or of none of its moves, there are none, but in a draw.
        """
        if self.value is Value.DRAW:
            return self.best_moves
        if self.distance is None or self.value is Value.UNKNOWN:
            return ()
        kept = (truth for truth in self.moves if truth.value is self.value)
        return tuple(truth.move for truth in kept if truth.distance == self.distance)

    def __repr__(self) -> str:
        """The value and the distance, with the moves that have both; all else is in ``moves``."""
        plies = "" if self.distance is None else f" in {self.distance}"
        best = self.quickest_moves or self.best_moves
        moves = f" with {', '.join(move.text for move in best)}" if best else ""
        return f"<{self.position.text}: {self.value.value}{plies}{moves}>"

    def of(self, move: Move) -> MoveTruth:
        """What is known of this legal move; ``KeyError`` for any other."""
        for truth in self.moves:
            if truth.move == move:
                return truth
        raise KeyError(move)


class Published(msgspec.Struct, frozen=True):
    """What the literature says of the start of a game, and where.

    ``value`` is for the side to move; ``distance`` is in plies, None where no source tells it.
    """

    value: Value
    source: str
    distance: int | None = None


class Solver(Protocol):
    """An exact answer worked out in slices: ``start``, then ``advance`` until it returns True."""

    def start(self, position: AnyPosition) -> None:
        """Begin with this position; a finished game is solved at once."""

    def advance(self, limit: Limit) -> bool:
        """Work until ``limit`` (counted from the start) is met; return True when the truth is complete."""

    @property
    def progress(self) -> float:
        """The part that is done, roughly, from 0 to 1."""

    def truth(self) -> Truth:
        """What is proven so far; the rest is UNKNOWN."""


def with_wins_at_once(truth: Truth) -> Truth:
    """The same, where each move that wins at once by the rules does so: a formula or a search may not look for it."""
    at_once = truth.position.winning_moves
    if not at_once:
        return truth
    moves = (MoveTruth(each.move, Value.WIN, 1) if each.move in at_once else each for each in truth.moves)
    return msgspec.structs.replace(truth, value=Value.WIN, distance=1, moves=tuple(moves))


class FormulaSolver:
    """A ``Solver`` for a game whose exact values are known at once.

    What wins at once is told as such also where the formula has no distances.
    """

    progress = 1.0

    def __init__(self, answer: Callable[[Any], Truth]) -> None:
        """``answer`` gives the whole truth of a position of the game."""
        self._answer = answer

    def start(self, position: AnyPosition) -> None:
        """Find the answer."""
        self._truth = with_wins_at_once(self._answer(position))

    def advance(self, limit: Limit) -> bool:
        """There is nothing left to do."""
        return True

    def truth(self) -> Truth:
        """The answer."""
        return self._truth


class Threat(msgspec.Struct, frozen=True):
    """A move of a side that wins by force, and what it plays after each answer.

    ``answers`` are the moves of the other side that matter, each with what follows; after all others ``otherwise``
    does. A move that ends the game has neither. ``plies`` counts the moves to the end, this one included, if the other
    side holds out as long as these answers let it.
    """

    move: Move
    answers: tuple[tuple[Move, Threat], ...] = ()
    otherwise: Threat | None = None
    plies: int = 1

    def after(self, answer: Move) -> Threat | None:
        """What follows this answer; None after a move that ends the game."""
        return next((threat for move, threat in self.answers if move == answer), self.otherwise)


class ForcedWin(msgspec.Struct, frozen=True):
    """A proof that a side wins by threats, each of which the other side has to meet.

    ``side`` moves first; it need not be to move in the position, and then this is what it threatens. ``by_fours`` says
    that it only threatens to win with its very next move, so that there is one answer each time. The win need not be
    the shortest.
    """

    side: Side
    by_fours: bool
    start: Threat

    @property
    def plies(self) -> int:
        """The moves to the end, if the other side holds out as long as it can against these threats."""
        return self.start.plies

    def line(self) -> tuple[Move, ...]:
        """The moves to the end, both sides' in turn, where the other side holds out longest."""
        return tuple(move for _, move in self.steps())

    def steps(self) -> tuple[tuple[Threat, Move], ...]:
        """The moves of the line, each with the threat that it makes, answers or ends."""
        threat, steps = self.start, [(self.start, self.start.move)]
        while threat.answers:
            answer, then = max(threat.answers, key=lambda each: each[1].plies)
            steps += [(threat, answer), (then, then.move)]
            threat = then
        return tuple(steps)


class Threats(msgspec.Struct, frozen=True):
    """What is found of wins by threats: the ``win`` of the side to move, or else the ``danger`` and what parries it.

    ``danger`` is what the other side would win by if it moved now; ``parries`` are the moves after which it is no
    longer found to win so. Every other move is proven to lose.
    """

    win: ForcedWin | None = None
    danger: ForcedWin | None = None
    parries: tuple[Move, ...] = ()


def with_threats(truth: Truth, threats: Threats | None) -> Truth:
    """The same, with what the threats prove where nothing else did; how far it is to the end they do not say."""
    if threats is None:
        return truth
    if threats.win is not None:
        value, proven = Value.WIN, {threats.win.start.move: Value.WIN}
    else:
        lost = {each.move for each in truth.moves}.difference(threats.parries)
        value, proven = Value.UNKNOWN if threats.parries else Value.LOSS, dict.fromkeys(lost, Value.LOSS)
    moves = tuple(
        MoveTruth(each.move, proven[each.move]) if each.value is Value.UNKNOWN and each.move in proven else each
        for each in truth.moves
    )
    value = value if truth.value is Value.UNKNOWN else truth.value
    return msgspec.structs.replace(truth, value=value, moves=moves, threats=threats)


MOST_TRIED = 20_000
"""A search for threats gives up after so many positions: well within a second on a board of 15 by 15."""


class ThreatSearch(Protocol):
    """A game's search for wins by threats in positions that are not over. Nothing found is no proof that there is none.

    It may load numba: not on the UI thread. ``most`` bounds the positions that are searched, so that the answer is the
    same on every machine; what parries a threat is found by many searches, which get a small part of it each.
    """

    def find_win(self, position: Any, side: Side | None = None, *, most: int = MOST_TRIED) -> ForcedWin | None:
        """A win of the side if it moved now, by default that of the side to move."""

    def parries(self, position: Any, *, most: int = MOST_TRIED) -> tuple[Move, ...] | None:
        """The moves of the side to move after which the opponent is no longer found to win by threats.

        None where the opponent does not threaten to win at all.
        """


MOST_KEPT_BYTES = 1 << 29
"""More of the kept work of a solver is not read: nobody here keeps as much."""


@runtime_checkable
class KeptSolver(Solver, Protocol):
    """A solver whose work can be kept, for a run that goes on where it was killed."""

    @property
    def defended(self) -> float:
        """What part of a defence by blocking alone is found, roughly; 0 where none is looked for."""

    def keep(self) -> bytes | None:
        """What ``resume`` needs to go on from here, at most ``MOST_KEPT_BYTES``; None where there is little to keep."""

    def resume(self, position: AnyPosition, kept: bytes) -> None:
        """Begin as ``start`` does, where a solver with the same options was; ``ValueError`` if that cannot be."""


class ListedSolver(Solver, Protocol):
    """A solver that can show its reasons: all positions in a table."""

    def lines(self) -> tuple[str, ...]:
        """The table for a person, once the truth is complete."""


class Answer(msgspec.Struct, frozen=True):
    """What a side plays by a certificate, and why, as a sentence."""

    move: Move
    why: str


class Advice(msgspec.Struct, frozen=True):
    """What a certificate says of a position.

    ``answer`` is for the side to move, None where it proves nothing for that side. ``answers`` are those of the other
    side to each legal move, in their order, None after one that ends the game; or there are none. ``pairs`` are empty
    cells of which one answers the other from here on. ``value`` is what it proves for the side to move, as long as the
    game is one that it answers.
    """

    answer: Answer | None
    answers: tuple[Answer | None, ...] = ()
    pairs: tuple[tuple[Move, Move], ...] = ()
    value: Value = Value.UNKNOWN


Heard: TypeAlias = Callable[[float], object]
"""What is told how much of a certificate was looked at, in [0, 1]."""


class Certificate(Protocol):
    """A proof that was read, and checked."""

    @property
    def start(self) -> Any:
        """The position whose value it proves."""

    @property
    def claim(self) -> str:
        """What it proves, as the checker says it."""

    def advise(self, position: Any) -> Advice:
        """What it says of a later position of its game; ``GameParameterError`` if the moves have left it."""
