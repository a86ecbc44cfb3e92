"""Two studies side by side."""

from __future__ import annotations

from collections.abc import Iterator

from nimdesk.errors import OptionError
from nimdesk.experiments.measured import Difference, compared
from nimdesk.experiments.studies.tally import StudyRow, StudyTally


def agents_in_both(one: StudyTally, other: StudyTally) -> list[tuple[int, int]]:
    """The agents of two studies that are compared: those with the same label, or the only ones."""
    theirs = {label: agent for agent, label in enumerate(other.study.labels)}
    same = [(agent, theirs[label]) for agent, label in enumerate(one.study.labels) if label in theirs]
    if not same and len(one.study.agents) == len(other.study.agents) == 1:
        return [(0, 0)]
    return same


def study_differences(one: StudyTally, other: StudyTally) -> Iterator[Difference]:
    """What two studies have both measured; ``OptionError`` if their budgets are not of one kind."""
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
                    yield from _of_rows((label, position.text, mine.part.words(a.budget)), a, b)


def _of_rows(of: tuple[str, ...], one: StudyRow, other: StudyRow) -> Iterator[Difference]:
    counted = one.searches, other.searches
    mine, theirs = ((row.optimal_share, row.low, row.high) for row in (one, other))
    yield compared(of, "optimal", mine, theirs, counted)
    mine, theirs = ((row.regret, *row.regret_interval) for row in (one, other))
    yield compared(of, "mean regret", mine, theirs, counted)
