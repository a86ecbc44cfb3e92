"""Searches of positions, each to its player's own limit or the plan's: a kind of experiment."""

from __future__ import annotations

import bisect
import itertools
import math
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated

import msgspec
from msgspec import Meta

from nimdesk.agents import Agent
from nimdesk.errors import AgentError
from nimdesk.experiments.brakes import Brakes, advance
from nimdesk.experiments.kind import Asked, Kind, Setup, Tally, Trial, Work
from nimdesk.experiments.measured import Difference, Measured, compared
from nimdesk.experiments.parts import MAX_POSITIONS, PlayerName, PositionText, Repeats
from nimdesk.experiments.results import Packed, Result, ShortText
from nimdesk.experiments.sections import NONE, Section, first_rows, number_words, range_words, rate_words
from nimdesk.experiments.seeds import derived_seed
from nimdesk.experiments.statistics import wilson
from nimdesk.experiments.tables import Column, Table, TimeRow
from nimdesk.experiments.truth import Verdict, judge
from nimdesk.play.schema import Count, Seconds

_VALUE_BITS = 80
# Sums of results are rounded.
_Mean = Annotated[float, Meta(ge=-1e-6, le=1 + 1e-6)]


class SearchPart(Asked, frozen=True, kw_only=True):
    """Every player searches every position ``repeats`` times; a search ends at ``node_limit``, if there is one."""

    players: Annotated[list[PlayerName], Meta(min_length=1, max_length=64)]
    positions: Annotated[list[PositionText], Meta(min_length=1, max_length=MAX_POSITIONS)]
    repeats: Repeats
    node_limit: Annotated[int, Meta(ge=1, le=10**12)] | None = None

    @property
    def ways(self) -> int:
        """Every player by itself."""
        return len(self.players)


class MoveResult(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One move of a searched position: its text, visits, and mean value for the side that plays it, if any."""

    move: ShortText
    visits: Count
    mean_value: _Mean | None


class SearchResult(Result, frozen=True, tag="search", gc=False):
    """One search: its choice, the verdict, its cost, and its statistics of every legal move.

    ``complete`` is False if the plan's node limit ended it. ``failure`` is the sentence about a player that failed.
    """

    choice: ShortText
    verdict: Verdict
    iterations: Count
    nodes: Count
    time_s: Seconds
    complete: bool
    moves: tuple[MoveResult, ...]
    failure: ShortText = ""


@dataclass(frozen=True, slots=True)
class SearchSetting:
    """Searches that differ only in their seeds; one if ``once``, because the player is deterministic.

    Its ``tasks`` begin with the number ``first``.
    """

    index: int
    player: str
    position: str
    tasks: int
    once: bool
    node_limit: int | None
    first: int


class SearchTask(msgspec.Struct, frozen=True):
    """One search: number ``repeat`` of its setting."""

    number: int
    setting: SearchSetting
    repeat: int


class Searches(Work):
    """All searches that the parts of a plan ask for."""

    def __init__(self, parts: Sequence[SearchPart], setup: Setup, first: int) -> None:
        """``PlanError`` for a player or a position that does not exist."""
        for i, part in enumerate(parts):
            setup.look_up(f"searches[{i}]", part.players, part.positions)
        self.setup, self.first = setup, first
        self.settings = tuple(_settings(parts, setup.agents, first))
        self.notes = [
            f"{player} is deterministic: each of its searches is done once."
            for player in dict.fromkeys(setting.player for setting in self.settings if setting.once)
        ]

    @cached_property
    def tasks(self) -> int:  # asked for with every result
        """The number of searches."""
        return sum(setting.tasks for setting in self.settings)

    def task(self, number: int) -> SearchTask:
        """The search of this number."""
        setting = self.settings[bisect.bisect_right(self.settings, number, key=_first) - 1]
        return SearchTask(number, setting, number - setting.first)

    def trials(self) -> Iterator[Trial]:
        """The player of every setting."""
        for each in self.settings:
            yield each.player, each.position, self.setup.agents[each.player], self.setup.positions[each.position]

    def seed(self, task: SearchTask) -> int:
        """The seed of a search."""
        setting = task.setting
        return derived_seed(self.setup.digest, "search", setting.player, setting.position, task.repeat)


def _first(setting: SearchSetting) -> int:
    return setting.first


def _settings(parts: Sequence[SearchPart], agents: dict[str, Agent], first: int) -> Iterator[SearchSetting]:
    index = itertools.count()
    for part in parts:
        for player in dict.fromkeys(part.players):
            for position in dict.fromkeys(part.positions):
                once = not agents[player].uses_chance
                repeats = 1 if once else part.repeats
                yield SearchSetting(next(index), player, position, repeats, once, part.node_limit, first)
                first += repeats


def run_search(searches: Searches, task: SearchTask, brakes: Brakes | None = None) -> SearchResult:
    """Search the position to the agent's own limit, or the plan's, and judge the choice."""
    position, agent = searches.setup.positions[task.setting.position], searches.setup.agents[task.setting.player]
    began = time.perf_counter()
    try:
        searcher = agent.new_searcher(position)
        searcher.start(position, agent.seed_or(searches.seed(task)))
        complete = advance(searcher, brakes, task.setting.node_limit)
        snapshot = searcher.snapshot()
    except AgentError as error:
        return SearchResult(task.number, "", "?", 0, 0, time.perf_counter() - began, False, (), str(error))
    move = snapshot.best_move
    moves = tuple(MoveResult(each.move.text, each.visits, each.mean_value) for each in snapshot.moves)
    return SearchResult(
        number=task.number,
        choice="" if move is None else move.text,
        verdict="?" if move is None else judge(position, move, searches.setup.plan.truth_nodes),
        iterations=snapshot.iterations,
        nodes=snapshot.tree_nodes,
        time_s=snapshot.elapsed_s,
        complete=complete,
        moves=moves,
    )


@dataclass(slots=True)
class SearchTally:
    """The searches of one setting: ``searches`` are those whose player did not fail.

    ``complete`` are all that the plan's node limit did not end, ``verdicts`` and ``choices`` count what was chosen, and
    ``moves`` are the legal moves, in the order of the rules. ``time_s`` is a measurement, as in ``SideTally``.
    """

    setting: SearchSetting
    searches: int = 0
    failed: int = 0
    complete: int = 0
    nodes: int = 0
    time_s: float = 0.0
    verdicts: Counter[str] = field(default_factory=Counter)
    choices: Counter[str] = field(default_factory=Counter)
    moves: list[str] = field(default_factory=list)
    _values: dict[str, tuple[int, int]] = field(default_factory=dict)
    """For each move, how many searches have its mean value, and the sum of those in units of 2^-80."""

    def add(self, result: SearchResult) -> None:
        """Count one search."""
        if result.failure:
            self.failed += 1
        else:
            self.searches += 1
            self.nodes += result.nodes
            self.time_s += result.time_s
        self.complete += result.complete
        self.verdicts[result.verdict] += 1
        if result.choice:
            self.choices[result.choice] += 1
        if not self.moves:
            self.moves = [each.move for each in result.moves]
        for each in result.moves:
            if each.mean_value is not None:
                count, total = self._values.get(each.move, (0, 0))
                # Whole numbers, so the order of the results makes no difference.
                self._values[each.move] = count + 1, total + int(math.ldexp(each.mean_value, _VALUE_BITS))

    @property
    def mean_nodes(self) -> float | None:
        """Nodes per search."""
        return self.nodes / self.searches if self.searches else None

    @property
    def mean_time_s(self) -> float | None:
        """Seconds per search, a measurement."""
        return self.time_s / self.searches if self.searches else None

    def mean_value(self, move: str) -> float | None:
        """The mean over the searches of the move's mean value."""
        count, total = self._values.get(move, (0, 0))
        return total / (1 << _VALUE_BITS) / count if count else None


class SearchesTally(Tally):
    """The searches, counted by setting."""

    def __init__(self, searches: Searches) -> None:
        self.searches = searches
        self.settings = [SearchTally(setting) for setting in searches.settings]
        self.results = Packed(SearchResult)
        """All finished searches."""

    def add(self, result: SearchResult) -> None:
        """Count one search."""
        self.settings[self.searches.task(result.number).setting.index].add(result)
        self.results.add(result)

    @property
    def done(self) -> int:
        """Searches counted."""
        return sum(tally.searches + tally.failed for tally in self.settings)

    @property
    def total(self) -> int:
        """All of them."""
        return self.searches.tasks


_Search = tuple[SearchTask, SearchResult]


def _rows(tally: SearchesTally) -> Iterator[_Search]:
    """Every search, by number."""
    for result in tally.results.by_number():
        yield tally.searches.task(result.number), result


_SEARCH_COLUMNS: tuple[Column[_Search], ...] = (
    Column("number", "the search's number in the plan", lambda s: s[1].number),
    Column("player", "who searches", lambda s: s[0].setting.player),
    Column("position", "what is searched", lambda s: s[0].setting.position),
    Column("repeat", "which search of this player and position, from 0", lambda s: s[0].repeat),
    Column("choice", "the move chosen", lambda s: s[1].choice),
    Column("verdict", "+ kept the value, - gave it away, = could not, ? not known", lambda s: s[1].verdict),
    Column("simulations", "simulations", lambda s: s[1].iterations),
    Column("nodes", "nodes of the tree", lambda s: s[1].nodes),
    Column("complete", "1, or 0 where the plan's node limit ended it", lambda s: int(s[1].complete)),
    Column("failure", "why the player failed", lambda s: s[1].failure),
)


def _choice_columns() -> Iterator[Column[SearchTally]]:
    yield Column("player", "who searches", lambda t: t.setting.player)
    yield Column("position", "what is searched", lambda t: t.setting.position)
    yield Column("searches", "searches counted", lambda t: t.searches)
    yield Column("complete", "those that the plan's node limit did not end", lambda t: t.complete)
    yield Column("right", "choices that kept the value where a move could give it away", lambda t: t.verdicts["+"])
    yield Column("wrong", "choices that gave it away", lambda t: t.verdicts["-"])
    yield Column("indifferent", "choices where no move gives anything away", lambda t: t.verdicts["="])
    yield Column("right_rate", "right / (right + wrong)", lambda t: right_rate(t)[0])
    yield Column("right_low", "lower end of its Wilson 95% interval", lambda t: right_rate(t)[1])
    yield Column("right_high", "upper end of it", lambda t: right_rate(t)[2])
    yield Column("mean_nodes", "nodes a search", lambda t: t.mean_nodes)
    yield Column("choices", "the moves chosen, each with how often", _choices_text)


def right_rate(tally: SearchTally) -> tuple[float | None, float | None, float | None]:
    """How often a choice that mattered was right, with its Wilson interval; None if none mattered."""
    right, mattered = tally.verdicts["+"], _mattered(tally)
    return (right / mattered, *wilson(right, mattered)) if mattered else (None, None, None)


def _mattered(tally: SearchTally) -> int:
    """How many of the choices were between moves of different values."""
    return tally.verdicts["+"] + tally.verdicts["-"]


def _choices_text(tally: SearchTally) -> str:
    return " ".join(f"{move}:{tally.choices[move]}" for move in tally.moves if tally.choices[move])


_Move = tuple[SearchTally, str]

SEARCH_TABLE: Table[_Search] = Table("searches", "One row a search.", _SEARCH_COLUMNS, _rows)
CHOICES: Table[SearchTally] = Table(
    "choices",
    "Searches by player and position.",
    tuple(_choice_columns()),
    lambda tally: tally.settings,
)
MOVES: Table[_Move] = Table(
    "moves",
    "What the searches thought of each legal move.",
    (
        Column("player", "who searches", lambda m: m[0].setting.player),
        Column("position", "what is searched", lambda m: m[0].setting.position),
        Column("move", "a legal move", lambda m: m[1]),
        Column("chosen", "how many searches chose it", lambda m: m[0].choices[m[1]]),
        Column("mean_value", "its mean value, from 0 to 1, over all searches", lambda m: m[0].mean_value(m[1])),
    ),
    lambda tally: ((search, move) for search in tally.settings for move in search.moves),
)


def _times(tally: SearchesTally) -> Iterator[TimeRow]:
    for each in tally.settings:
        yield TimeRow(each.setting.player, "search", each.setting.position, each.searches, each.mean_time_s)


def search_section(tally: SearchesTally) -> Section:
    """How often single searches were right, and what they took."""
    headers = ("Player", "Position", "Searches", "Right", "95% interval", "Nodes", "Seconds", "Choices")
    return first_rows("Searches", headers, tally.settings, _search_row, 2)


def _search_row(tally: SearchTally) -> tuple[str, ...]:
    right, low, high = right_rate(tally)
    more = "> " if tally.complete < tally.searches else ""
    chosen = tally.choices.most_common(4)
    return (
        tally.setting.player,
        tally.setting.position,
        f"{tally.searches:,}",
        "nothing to choose" if right is None and tally.verdicts["="] else rate_words(right),
        NONE if low is None or high is None or tally.setting.once else range_words((low, high)),
        f"{more}{number_words(tally.mean_nodes)}",
        NONE if tally.mean_time_s is None else f"{tally.mean_time_s:.3g}",
        ", ".join(
            f"{move} {count / tally.searches:.0%}" for move, count in sorted(chosen, key=lambda c: (-c[1], c[0]))
        ),
    )


def search_finding(tally: SearchesTally) -> str:
    """Which of them is right most often."""
    searches = tally.settings
    if not searches:
        return ""
    rates = [(right_rate(each), each) for each in searches]
    known = [(rate, low, high, each) for (rate, low, high), each in rates if rate is not None]
    if not known:
        return f"{sum(each.searches for each in searches):,} searches are done; of none is it known what is right."
    rate, low, high, best = max(known, key=lambda each: each[0])
    sure = "" if best.setting.once else f" [{low:.1%}, {high:.1%}]"
    return (
        f"Of {len(known)} players and positions, {best.setting.player} on {best.setting.position} is right most often: "
        f"{rate:.1%}{sure}."
    )


def _differences(one: SearchesTally, other: SearchesTally) -> Iterator[Difference]:
    theirs = {(each.setting.player, each.setting.position): each for each in other.settings}
    for mine in one.settings:
        of = (mine.setting.player, mine.setting.position)
        if of in theirs:
            yours = theirs[of]
            ours, there = _measured(right_rate(mine)), _measured(right_rate(yours))
            if ours is not None and there is not None:
                yield compared(of, "right", ours, there, (_mattered(mine), _mattered(yours)))


def _measured(rate: tuple[float | None, float | None, float | None]) -> Measured | None:
    value, low, high = rate
    return None if value is None or low is None or high is None else (value, low, high)


SEARCHES = Kind(
    name="searches",
    words="searches",
    work=Searches,
    run=lambda searches, task, _known, brakes: run_search(searches, task, brakes),
    result=SearchResult,
    tally=lambda searches, _in_full: SearchesTally(searches),
    finding=search_finding,
    sections=lambda tally: [search_section(tally)] if tally.settings else [],
    times=_times,
    differences=_differences,
    tables=(SEARCH_TABLE, CHOICES, MOVES),
    data={"choices": CHOICES.records},
)
