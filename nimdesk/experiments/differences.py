"""Two studies or runs side by side: what was measured in both, the difference, and its 95% interval."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nimdesk.errors import OptionError
from nimdesk.experiments.files import Found
from nimdesk.experiments.statistics import difference, wilson
from nimdesk.experiments.study_tally import StudyRow, StudyTally
from nimdesk.experiments.tables import right_rate
from nimdesk.experiments.tally import SettingTally
from nimdesk.games import Side

Measured = tuple[float, float, float]
"""A value with the ends of its 95% interval."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One quantity in both: ``of`` says of what, such as agent, position and budget.

    ``low`` to ``high`` is the 95% interval of ``other`` minus ``one``: Newcombe's, which for mean regrets is a little
    too wide.
    """

    of: tuple[str, ...]
    quantity: str
    one: Measured
    other: Measured
    low: float
    high: float

    @property
    def value(self) -> float:
        """``other`` minus ``one``."""
        return self.other[0] - self.one[0]

    @property
    def is_told(self) -> bool:
        """Whether the interval excludes 0."""
        return self.low > 0 or self.high < 0


@dataclass(frozen=True, slots=True)
class Differences:
    """All that two experiments have in common."""

    rows: tuple[Difference, ...]
    notes: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """What was found, for a person."""
        told = [row for row in self.rows if row.is_told]
        n, by_chance = len(self.rows), 0.05 * len(self.rows)
        all_of = f"{len(told):,} of {n:,} differences {'excludes' if len(told) == 1 else 'exclude'} 0"
        chance = f"about {by_chance:.1f} would by chance alone if nothing differed, one in twenty"
        if not told:
            return f"{all_of}; {chance}."
        most = max(told, key=lambda row: abs(row.value))
        return (
            f"{all_of} ({chance}); the largest of them: {most.quantity} of {', '.join(most.of)}, "
            f"{number(most, most.value, signed=True)} [{number(most, most.low, signed=True)}, "
            f"{number(most, most.high, signed=True)}]."
        )


def number(row: Difference, value: float, *, signed: bool = False) -> str:
    """A value of this row for a person: shares in per cent."""
    sign = "+" if signed else ""
    text = f"{value:{sign}.3f}" if row.quantity == "mean regret" else f"{100 * value:{sign}.1f}%"
    return text.replace("-", "−")


def differences(one: Found, other: Found) -> Differences:
    """What both have measured; ``OptionError`` if that is nothing."""
    if (one.study is None) != (other.study is None):
        raise OptionError("A study cannot be compared with a run of games: they measure different things.")
    if one.study is not None and other.study is not None:
        rows = tuple(_of_studies(one.study, other.study))
    else:
        rows = (*_of_games(one, other), *_of_searches(one, other))
    if not rows:
        raise OptionError(
            f"The two have nothing in common to be compared: one has {_contents(one)}; the other {_contents(other)}."
        )
    notes = []
    if _same_seeds(one, other):
        notes.append(
            "Both derive their seeds alike, so some searches or games are the same in both; the intervals take them "
            "for independent, and are wider than need be."
        )
    versions = [sorted({made.nimdesk for made in found.made}) for found in (one, other)]
    if versions[0] != versions[1]:
        notes.append(f"Made by nimdesk {', '.join(versions[0]) or '?'} and by nimdesk {', '.join(versions[1]) or '?'}.")
    for found, name in ((one, "first"), (other, "second")):
        if not found.complete:
            notes.append(f"The {name} is not complete: {found.done:,} of {found.total:,}.")
    return Differences(rows, tuple(notes))


def agents_in_both(one: StudyTally, other: StudyTally) -> list[tuple[int, int]]:
    """The agents of two studies that are compared: those with the same label, or the only ones."""
    theirs = {label: agent for agent, label in enumerate(other.study.labels)}
    same = [(agent, theirs[label]) for agent, label in enumerate(one.study.labels) if label in theirs]
    if not same and len(one.study.agents) == len(other.study.agents) == 1:
        return [(0, 0)]
    return same


def _of_studies(one: StudyTally, other: StudyTally) -> Iterator[Difference]:
    mine, theirs = one.study, other.study
    if mine.part.unit != theirs.part.unit:
        raise OptionError("The budgets of one are times, those of the other are not; so no budget is in both.")
    places = {position.text: place for place, position in enumerate(theirs.positions)}
    for agent, agent_there in agents_in_both(one, other):
        same = mine.labels[agent] == theirs.labels[agent_there]
        label = mine.labels[agent] if same else f"{mine.labels[agent]} / {theirs.labels[agent_there]}"
        for place, position in enumerate(mine.positions):
            there = other.rows_of(agent_there, places[position.text]) if position.text in places else []
            found = {row.budget: row for row in there}
            for a in one.rows_of(agent, place):
                if (b := found.get(a.budget)) is not None:
                    of = (label, position.text, mine.part.words(a.budget))
                    yield _shares(of, "optimal", (a.optimal_share, a.low, a.high), (b.optimal_share, b.low, b.high))
                    yield _regrets(of, a, b)


def _shares(of: tuple[str, ...], quantity: str, one: Measured, other: Measured) -> Difference:
    return Difference(of, quantity, one, other, *difference(other, one))


def _regrets(of: tuple[str, ...], one: StudyRow, other: StudyRow) -> Difference:
    mine, theirs = ((row.regret, *row.regret_interval) for row in (one, other))
    return Difference(of, "mean regret", mine, theirs, *difference(theirs, mine))


def _of_games(one: Found, other: Found) -> Iterator[Difference]:
    theirs = {_where(each): each for each in other.tally.played_settings}
    for mine in one.tally.played_settings:
        there = theirs.get(_where(mine))
        if there is None or not (mine.games and there.games):
            continue
        for quantity in ("first wins", "draws", "second wins"):
            yield _shares(_where(mine), quantity, _share(mine, quantity), _share(there, quantity))


def _where(tally: SettingTally) -> tuple[str, ...]:
    return (*tally.setting.players, tally.setting.position)


def _share(tally: SettingTally, quantity: str) -> Measured:
    counts = {"first wins": tally.wins[Side.FIRST], "draws": tally.draws, "second wins": tally.wins[Side.SECOND]}
    share = counts[quantity] / tally.games
    # One game of deterministic players stands for all.
    return (share, share, share) if tally.setting.once else (share, *wilson(counts[quantity], tally.games))


def _of_searches(one: Found, other: Found) -> Iterator[Difference]:
    theirs = {(each.setting.player, each.setting.position): each for each in other.tally.searches}
    for mine in one.tally.searches:
        of = (mine.setting.player, mine.setting.position)
        if of in theirs:
            ours, there = _measured(right_rate(mine)), _measured(right_rate(theirs[of]))
            if ours is not None and there is not None:
                yield _shares(of, "right", ours, there)


def _measured(rate: tuple[float | None, float | None, float | None]) -> Measured | None:
    value, low, high = rate
    return None if value is None or low is None or high is None else (value, low, high)


def _same_seeds(one: Found, other: Found) -> bool:
    mine, theirs = one.schedule.plan, other.schedule.plan
    if one.study is not None:
        return mine.seed == theirs.seed and bool(set(mine.players) & set(theirs.players))
    return mine.digest == theirs.digest


def _contents(found: Found) -> str:
    names, places = list(found.schedule.agents), list(found.schedule.positions)
    budgets = "" if found.study is None else f" at budgets {', '.join(map(str, found.study.study.budgets[:8]))}"
    shown = [", ".join(each[:4]) + (", …" if len(each) > 4 else "") for each in (names, places)]
    return f"{shown[0]} on {shown[1]}{budgets}"
