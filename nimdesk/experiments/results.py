"""The result of a finished game or search, as stored and sent between processes; and the progress of a run.

Theory, if the game has one, says whether a move was optimal, and for a study its regret; elsewhere a bounded proof
does.

``old_...`` read files of studies from before a study was a plan; ``store`` converts them. Their tables are
``about(name, value)``, with the study's short form as ``plan``, and ``searches(agent, position, number, result)``,
where the result is MessagePack.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Generic, Literal, TypeAlias, TypeVar

import msgspec
from msgspec import Meta

from nimdesk.errors import PlanError
from nimdesk.experiments.plan import MAX_TASKS, Plan
from nimdesk.experiments.planned import schedule_of
from nimdesk.games import AnyPosition, Move, kit_of, solver_for
from nimdesk.games.truth import Truth, Value
from nimdesk.limit import Limit
from nimdesk.play.schema import Count, Seconds

_Number = Annotated[int, Meta(ge=0, lt=MAX_TASKS)]
_Text = Annotated[str, Meta(max_length=10_000)]
# Sums of results are rounded.
_Mean = Annotated[float, Meta(ge=-1e-6, le=1 + 1e-6)]
Verdict: TypeAlias = Literal["?", "=", "+", "-"]
"""A move against the truth: "?" unknown, "=" no move could lose value, "+" kept the value, "-" gave it away."""


class PlyResult(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One move: its text, simulations (0 if the agent does not count any), nodes, seconds, and the verdict."""

    move: _Text
    iterations: Count
    nodes: Count
    time_s: Seconds
    verdict: Verdict


class GameResult(msgspec.Struct, frozen=True, tag="game", tag_field="kind", gc=False):
    """One game. ``start`` is the position in which the players took over, ``plies`` the moves after it.

    ``winner`` is 0 for the side that began the game, 1 for the other, None for a draw; the setting says which player
    that is. ``forfeit`` is the sentence about a player that failed and so lost, or "".
    """

    number: _Number
    start: _Text
    winner: Literal[0, 1] | None
    plies: tuple[PlyResult, ...]
    forfeit: _Text = ""

    @property
    def turn(self) -> int:
        """The side to move in ``start``, by the number of moves played in its notation."""
        return (len(self.start.split()) - 1) % 2


class MoveResult(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One move of a searched position: its text, visits, and mean value for the side that plays it, if any."""

    move: _Text
    visits: Count
    mean_value: _Mean | None


class SearchResult(msgspec.Struct, frozen=True, tag="search", tag_field="kind", gc=False):
    """One search: its choice, the verdict, its cost, and its statistics of every legal move.

    ``complete`` is False if the plan's node limit ended it. ``failure`` is the sentence about a player that failed.
    """

    number: _Number
    choice: _Text
    verdict: Verdict
    iterations: Count
    nodes: Count
    time_s: Seconds
    complete: bool
    moves: tuple[MoveResult, ...]
    failure: _Text = ""


class StudyResult(msgspec.Struct, frozen=True, tag="study", tag_field="kind", gc=False):
    """One search of a study; columns are those of ``position.legal_moves``.

    ``choices``, ``spent`` and ``visits`` have one entry per budget: the column of the move it would play, the
    iterations (or nodes) done by then, fewer than the budget if nothing was left to search, and the visits of each
    column. ``settled`` is the first checkpoint from which on every choice was optimal, None if the last was not.
    """

    number: _Number
    choices: tuple[Count, ...]
    spent: tuple[Count, ...]
    visits: tuple[tuple[Count, ...], ...]
    settled: Count | None


# There are thousands of them in a file, most of which would be names.
_SHORT = {"value": "v", "moves": "m", "best": "b", "searches": "n", "optimal": "o"}
_SHORT |= {"regret": "r", "settled": "s", "wrong": "w", "plies": "p"}


class AtlasResult(
    msgspec.Struct,
    frozen=True,
    tag="atlas",
    tag_field="kind",
    kw_only=True,
    rename=_SHORT,
    omit_defaults=True,
    gc=False,
):
    """All searches of a position by an agent, added up. ``value`` is that of the position for the side to move.

    ``best`` of the ``moves`` are optimal. If all are, there is nothing to choose, and no search: the rest is empty.
    ``optimal``, ``regret`` and ``settled`` have one entry per budget: how many of the ``searches`` chose an optimal
    move, the sum of their regrets in half points, and how many chose optimally at this and all later budgets. ``wrong``
    is the move that was chosen most often of those that are not optimal, and ``plies`` how long the game lasts after it
    (with it), as far as proven.
    """

    number: _Number
    value: Literal["win", "draw", "loss"]
    moves: Count
    best: Count
    searches: Count = 0
    optimal: tuple[Count, ...] = ()
    regret: tuple[Count, ...] = ()
    settled: tuple[Count, ...] = ()
    wrong: _Text = ""
    plies: Count | None = None


Result: TypeAlias = GameResult | SearchResult | StudyResult | AtlasResult

_R = TypeVar("_R", bound=GameResult | SearchResult)

encode_result = msgspec.json.Encoder().encode
decode_result = msgspec.json.Decoder(Result).decode
_pack = msgspec.msgpack.Encoder().encode


class Packed(Generic[_R]):
    """Results in the order in which they came. Each is made when it is asked for, so that there may be a million.

    One thread adds to them while others read.
    """

    def __init__(self, kind: type[_R]) -> None:
        """``kind`` is what they are, all of them."""
        self._decoder: msgspec.msgpack.Decoder[_R] = msgspec.msgpack.Decoder(kind)
        self._numbers: list[int] = []
        self._packed: list[bytes] = []

    def add(self, result: _R) -> None:
        """The next one."""
        self._packed.append(_pack(result))
        self._numbers.append(result.number)

    def __len__(self) -> int:
        """How many there are."""
        return len(self._numbers)

    def __getitem__(self, place: int) -> _R:
        """The one that came at this place, from 0."""
        return self._decoder.decode(self._packed[place])

    def __iter__(self) -> Iterator[_R]:
        """All of them in the order in which they came."""
        return map(self._decoder.decode, self._packed)

    def by_number(self) -> Iterator[_R]:
        """All of them in the order of the plan."""
        return map(self.__getitem__, sorted(range(len(self)), key=self._numbers.__getitem__))

    def numbered(self, number: int) -> _R | None:
        """The one with this number in the plan, if it is there."""
        return self[self._numbers.index(number)] if number in self._numbers else None


OLD_APPLICATION_ID = 0x4E445354
OLD_TABLE = "searches"
OLD_META = ("about", "name")
OLD_TABLES = (
    "CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
    "CREATE TABLE searches ( agent INTEGER, position INTEGER, number INTEGER, result BLOB NOT NULL, "
    "PRIMARY KEY (agent, position, number) ) STRICT, WITHOUT ROWID",
)


class _OldSearch(msgspec.Struct, frozen=True, array_like=True):
    agent: int
    position: int
    number: int
    choices: tuple[Count, ...]
    spent: tuple[Count, ...]
    visits: tuple[tuple[Count, ...], ...]
    settled: Count | None


def old_results(connection: sqlite3.Connection, plan: Plan) -> Iterator[StudyResult]:
    """All searches in the file of an old study; ``ValueError`` if one is unreadable or does not belong to the plan."""
    study = schedule_of(plan).study
    if study is None:
        raise ValueError("its plan is not that of a study")
    for (data,) in connection.execute(f"SELECT result FROM {OLD_TABLE} ORDER BY agent, position, number"):
        try:
            old = msgspec.msgpack.decode(data, type=_OldSearch)
        except (TypeError, ValueError, RecursionError):
            raise ValueError("a search in it cannot be read") from None
        there = 0 <= old.agent < len(study.agents) and 0 <= old.position < len(study.positions)
        if not there or not 0 <= old.number < study.part.repeats:
            raise ValueError("a search of another study is in it")
        # Some agents without chance were once thought to use it: their further searches are copies.
        if old.number < study.searches(old.agent):
            number = study.number(old.agent, old.position, old.number)
            yield StudyResult(number, old.choices, old.spent, old.visits, old.settled)


Regrets: TypeAlias = Sequence[Sequence[int]]
"""For each position of a study, the regret of each legal move in half points."""
_KEPT = 1 << 15
# How long a proof runs between two checks whether it is still wanted.
_SLICE_S = 0.1


def judge(position: AnyPosition, move: Move, truth_nodes: int) -> Verdict:
    """The verdict on a legal move; "?" if ``truth_nodes`` do not suffice to prove the value of every move.

    With at most ``plan.MAX_TRUTH_NODES`` the answer is the same on every machine.
    """
    if not (truth_nodes or kit_of(position).by_formula(position)):
        return "?"
    values = _values(position, truth_nodes)
    if not values:
        return "?"
    best = max(values.values(), key=_score)
    if all(value is best for value in values.values()):
        return "="
    return "+" if values[move] is best else "-"


@lru_cache(maxsize=_KEPT)
def _values(position: AnyPosition, truth_nodes: int) -> dict[Move, Value]:
    """The value of every move, or nothing unless all are proven."""
    solver = solver_for(position, distances=False)
    solver.start(position)
    solver.advance(Limit(nodes=truth_nodes))
    truth = solver.truth()
    return {each.move: each.value for each in truth.moves} if truth.complete else {}


def _score(value: Value) -> float:
    assert value.score is not None
    return value.score


def prove(positions: Sequence[AnyPosition], nodes: int, check: Callable[[], object] = bool) -> tuple[Truth, ...]:
    """The exact value of every move of every position; ``check`` is called now and then, and may raise.

    ``PlanError`` for a position that ``nodes`` positions of search do not solve.
    """
    return tuple(_proven(position, nodes, check) for position in positions)


def _proven(position: AnyPosition, nodes: int, check: Callable[[], object]) -> Truth:
    solver = solver_for(position, distances=False)
    solver.start(position)
    time_s = 0.0
    while True:
        time_s += _SLICE_S
        if solver.advance(Limit(nodes=nodes, time_s=time_s)):
            return solver.truth()
        truth = solver.truth()
        if truth.complete:
            return truth
        if truth.nodes >= nodes:
            unknown = sum(each.value.score is None for each in truth.moves)
            raise PlanError(
                f"The truth about {position.text} is not known: after {nodes:,} positions {unknown} of its "
                f"{len(truth.moves)} moves are not proven. Choose a smaller board or a later position, or let the "
                "solver visit more."
            )
        check()


def regret_half_points(truth: Truth) -> tuple[int, ...]:
    """The regret of each legal move in half points: 0 for an optimal one, 2 for losing a won game."""
    best = truth.value.score
    worth = [each.value.score for each in truth.moves]
    assert best is not None
    return tuple(round(2 * (best - score)) for score in worth if score is not None)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is: ``done`` of ``total`` tasks, ``fresh`` of them in the ``elapsed_s`` of this run."""

    done: int
    total: int
    fresh: int
    elapsed_s: float
    rate: float
    """Tasks per second in this run."""
    tests: str = ""
    """How far its sequential tests are, in words."""

    @property
    def left_s(self) -> float | None:
        """Roughly how long the rest takes, None while that is unknown."""
        return (self.total - self.done) / self.rate if self.rate else None


def duration(seconds: float) -> str:
    """Such as "16 s", "4 min", "2.5 h"."""
    whole = round(seconds)
    if whole < 90:
        return f"{whole} s"
    return f"{round(whole / 60)} min" if whole < 5400 else f"{whole / 3600:.1f} h"


def progress_text(now: Progress, what: str = "") -> str:
    """Such as "120 of 800 searches, 85 a second, 8 s left"; ``what`` is the word after the total, if any."""
    left = "" if now.left_s is None else f", {duration(now.left_s)} left"
    tests = f", {now.tests}" if now.tests else ""
    return f"{now.done:,} of {now.total:,}{f' {what}' if what else ''}, {now.rate:,.3g} a second{left}{tests}"
