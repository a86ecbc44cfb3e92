"""Results as sections of text cells, for a terminal, for Markdown, for a window; and numbers in words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

_Row = TypeVar("_Row")
_MOST_ROWS = 200
NONE = "–"
"""Where there is no number."""


@dataclass(frozen=True, slots=True)
class Section:
    """A table in words: its title, its headers and rows. ``left`` columns hold text, the others numbers.

    ``note`` is a sentence below it.
    """

    title: str
    headers: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    left: int
    note: str = ""


def first_rows(
    title: str,
    headers: tuple[str, ...],
    rows: Sequence[_Row],
    cells: Callable[[_Row], tuple[str, ...]],
    left: int,
    most: int = _MOST_ROWS,
) -> Section:
    """A section of what a person may want to read of these rows; its note says how many more there are."""
    note = f"{len(rows) - most:,} more rows are in the CSV file." if len(rows) > most else ""
    return Section(title, headers, [cells(row) for row in rows[:most]], left, note)


def rate_words(value: float | None) -> str:
    """A share in percent."""
    return NONE if value is None else f"{value:.1%}"


def range_words(interval: Sequence[float]) -> str:
    """An interval of shares in percent."""
    return f"{interval[0]:.1%} – {interval[1]:.1%}"


def number_words(value: float | None) -> str:
    """A number with three digits, or all of those before the point."""
    if not value:
        return NONE
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.3g}"
