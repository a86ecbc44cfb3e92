"""One quantity as two experiments have measured it."""

from __future__ import annotations

from dataclasses import dataclass

from nimdesk.experiments.statistics import difference

Measured = tuple[float, float, float]
"""A value with the ends of its 95% interval."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One quantity in both: ``of`` says of what, such as agent, position and budget.

    ``counted`` is how many games or searches each of the two values is of.
    ``low`` to ``high`` is the 95% interval of ``other`` minus ``one``: Newcombe's, which for mean regrets is a little
    too wide.
    """

    of: tuple[str, ...]
    quantity: str
    one: Measured
    other: Measured
    counted: tuple[int, int]
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

    @property
    def can_differ(self) -> bool:
        """Whether chance could make a difference: not where both are nothing, as draws of Nim, or all."""
        return not (self.one[0] == self.other[0] in (0, 1))


def number(row: Difference, value: float, *, signed: bool = False) -> str:
    """A value of this row for a person: shares in per cent."""
    sign = "+" if signed else ""
    text = f"{value:{sign}.3f}" if row.quantity == "mean regret" else f"{100 * value:{sign}.1f}%"
    return text.replace("-", "−")


def compared(
    of: tuple[str, ...], quantity: str, one: Measured, other: Measured, counted: tuple[int, int]
) -> Difference:
    """The difference with its interval."""
    return Difference(of, quantity, one, other, counted, *difference(other, one))
