"""Budgets as people write them: numbers, ranges, and times."""

from __future__ import annotations

import re

from nimdesk.agents.fields import real_field, whole_field
from nimdesk.errors import OptionError, quoted
from nimdesk.experiments.parts import MAX_BUDGET


class Milliseconds(tuple[int, ...]):
    """Budgets of time."""

    __slots__ = ()


def whole(title: str, text: str, minimum: int, maximum: int) -> int:
    """A whole number within bounds, as the forms read it: 10000, 10,000, 1e4."""
    value = whole_field(title, title, "", minimum, minimum, maximum).parse(text)
    assert isinstance(value, int)
    return value


def real(title: str, text: str, minimum: float, maximum: float) -> float:
    """A real number within bounds, as the forms read it: 0.05, 0,05."""
    value = real_field(title, minimum, minimum, maximum).parse(text)
    assert isinstance(value, float)
    return value


def parse_budgets(text: str) -> tuple[int, ...]:
    """``100,500,2000``, or ``10-10000`` for 10, 20, 50, 100, … 10000; in increasing order, each once.

    With units, as in ``10ms,0.5s`` or ``1ms-1s``, they are ``Milliseconds``.
    """
    # Begun within a number, it would take a minute for a long one that has no unit.
    timed = re.sub(r"(?<!\d)(\d+(?:\.\d+)?|\.\d+)\s*(ms|s)(?![a-z])", _milliseconds, text)
    if timed != text:
        if len(re.findall(r"m?s(?![a-z])", text)) != len(re.findall(r"[^,-]+", text)):
            raise OptionError(f"“{text}” mixes seconds and numbers; give each budget its unit, as in 10ms,0.5s.")
        return Milliseconds(parse_budgets(timed))
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


def _milliseconds(found: re.Match[str]) -> str:
    number = float(found[1]) * (1 if found[2] == "ms" else 1_000)
    if not number.is_integer() or number < 1:  # an infinite one is no integer
        raise OptionError(f"{quoted(found[0])} is no budget; it must be a whole number of milliseconds, at least 1ms.")
    return str(round(number))


def log_budgets(first: int, last: int) -> tuple[int, ...]:
    """The budgets 1, 2, 5, 10, 20, ... from ``first`` to ``last``, including these two."""
    steps = {digit * 10**power for power in range(len(str(last))) for digit in (1, 2, 5)}
    return tuple(sorted({step for step in steps if first < step < last} | {first, last}))
