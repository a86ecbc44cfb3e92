"""Two experiments side by side: what was measured in both, the difference, and its 95% interval."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nimdesk.cells import csv_text
from nimdesk.errors import OptionError
from nimdesk.experiments.files import Found
from nimdesk.experiments.measured import Difference, number
from nimdesk.experiments.sections import Section

_GAMES = "a run of games"
_NOTE = "* The interval excludes 0. How many: the games or searches behind each value; two numbers where they differ."


@dataclass(frozen=True, slots=True)
class Differences:
    """All that two experiments have in common."""

    rows: tuple[Difference, ...]
    notes: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """What was found, for a person."""
        told = [row for row in self.rows if row.is_told]
        n, by_chance = len(self.rows), 0.05 * sum(row.can_differ for row in self.rows)
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


def differences(one: Found, other: Found) -> Differences:
    """What both have measured; ``OptionError`` if that is nothing."""
    alone = [next((kind for kind in each.tallies if kind.alone), None) for each in (one, other)]
    if alone[0] is not alone[1]:
        first, second = sorted((kind.words if kind else _GAMES for kind in alone), key=_GAMES.__eq__)
        raise OptionError(f"{first.capitalize()} cannot be compared with {second}: they measure different things.")
    rows = tuple(
        row
        for kind, tally in one.tallies.items()
        if kind in other.tallies
        for row in kind.differences(tally, other.tallies[kind])
    )
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
    for found, name in ((one, "One"), (other, "Other")):
        if not found.complete:
            notes.append(f"{name} is not complete: {found.done:,} of {found.total:,}.")
    return Differences(rows, tuple(notes))


def _same_seeds(one: Found, other: Found) -> bool:
    mine, theirs = one.schedule.plan, other.schedule.plan
    if any(kind.alone for kind in one.tallies):  # from the labels
        return mine.seed == theirs.seed and bool(set(mine.players) & set(theirs.players))
    return mine.digest == theirs.digest


def _contents(found: Found) -> str:
    names, places = list(found.schedule.agents), list(found.schedule.positions)
    read = [budget for part in found.schedule.plan.parts for budget in getattr(part, "budgets", ())]
    budgets = f" at budgets {', '.join(map(str, read[:8]))}" if read else ""
    shown = [", ".join(each[:4]) + (", …" if len(each) > 4 else "") for each in (names, places)]
    return f"{shown[0]} on {shown[1]}{budgets}"


def side_by_side(found: Differences) -> Section:
    """Two experiments, quantity by quantity."""
    width = max(len(row.of) for row in found.rows)
    rows = [
        (
            *row.of,
            *[""] * (width - len(row.of)),
            row.quantity,
            " and ".join(f"{each:,}" for each in dict.fromkeys(row.counted)),
            number(row, row.one[0]),
            number(row, row.other[0]),
            number(row, row.value, signed=True),
            f"[{number(row, row.low, signed=True)}, {number(row, row.high, signed=True)}]{' *' * row.is_told}",
        )
        for row in found.rows
    ]
    headers = (*["Of", *[""] * (width - 1)], "What", "How many", "One", "Other", "Difference", "95% interval")
    return Section("Differences: other minus one", headers, rows, width + 1, _NOTE)


DIFFERENCE_COLUMNS = ("of", "quantity", "one", "other", "difference", "low", "high", "one_counted", "other_counted")


def differences_csv(found: Differences) -> str:
    """A row for each quantity, numbers in full: on what it was measured, both values, the difference, its interval,
    and how many games or searches both values are of.
    """
    return csv_text(DIFFERENCE_COLUMNS, difference_rows(found))


def difference_rows(found: Differences) -> Iterator[tuple[str, str, float, float, float, float, float, int, int]]:
    """The rows of that table."""
    for row in found.rows:
        yield ", ".join(row.of), row.quantity, row.one[0], row.other[0], row.value, row.low, row.high, *row.counted
