"""Numbers of an experiment as people read and type them: durations, progress, counts, lists of budgets."""

from __future__ import annotations

from dataclasses import dataclass

from nimdesk.agents import NumberField
from nimdesk.errors import OptionError
from nimdesk.experiments.plan import MAX_BUDGET


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is: ``done`` of ``total`` tasks, ``fresh`` of them in the ``elapsed_s`` of this run."""

    done: int
    total: int
    fresh: int
    elapsed_s: float
    rate: float
    """Tasks a second in this run."""

    @property
    def left_s(self) -> float | None:
        """About how long the rest takes, None while that cannot be said."""
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
    return f"{now.done:,} of {now.total:,}{f' {what}' if what else ''}, {now.rate:,.3g} a second{left}"


def whole(title: str, text: str, minimum: int, maximum: int) -> int:
    """A whole number within bounds, as the forms read it: 10000, 10,000, 1e4."""
    field = NumberField(
        name=title, title=title, description="", default=minimum, advanced=False, note="", kind=int, minimum=minimum,
        maximum=maximum, optional=False, empty="", unit="",
    )  # fmt: skip
    value = field.parse(text)
    assert isinstance(value, int)
    return value


def parse_budgets(text: str) -> tuple[int, ...]:
    """``100,500,2000``, or ``10-10000`` for 10, 20, 50, 100, … 10000; in increasing order, each once."""
    found: set[int] = set()
    for word in text.split(","):
        first, dash, last = word.partition("-")
        if any(end.strip().startswith("00") for end in (first, last)):
            raise OptionError(f"Commas stand between budgets; write 1000 without one, not “1,{word.strip()}”.")
        if not dash:
            found.add(whole("Budget", first, 1, MAX_BUDGET))
            continue
        low, high = (whole("Budget", end, 1, MAX_BUDGET) for end in (first, last))
        if low > high:
            raise OptionError(f"The budgets {word} end before they begin; write the smaller one first.")
        found.update(log_budgets(low, high))
    return tuple(sorted(found))


def log_budgets(first: int, last: int) -> tuple[int, ...]:
    """The budgets 1, 2, 5, 10, 20, ... from ``first`` to ``last``, and these two."""
    steps = {digit * 10**power for power in range(len(str(last))) for digit in (1, 2, 5)}
    return tuple(sorted({step for step in steps if first < step < last} | {first, last}))
