"""Results as tables of plain values. Each column is declared once with its meaning, for CSV, documentation and windows.

Rows are in the order of the plan. Every table but ``TIMES`` holds only reproducible values, so the CSV of a plan has
the same bytes on every machine, with any number of threads.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from nimdesk.cells import csv_text

RowT = TypeVar("RowT")
Cell = str | int | float | None


@dataclass(frozen=True, slots=True)
class Column(Generic[RowT]):
    """A column: its name, its meaning, and its value in a row. None becomes an empty cell."""

    name: str
    about: str
    value: Callable[[RowT], Cell]


@dataclass(frozen=True, slots=True)
class Table(Generic[RowT]):
    """A table: its name (and that of its file), its meaning, its columns, and its rows, made from a tally."""

    name: str
    about: str
    columns: tuple[Column[RowT], ...]
    rows: Callable[[Any], Iterable[RowT]]

    def records(self, tally: Any) -> list[dict[str, Cell]]:
        """The rows, each with its values by column."""
        return [{column.name: column.value(row) for column in self.columns} for row in self.rows(tally)]

    def csv(self, tally: Any) -> str:
        """The table as CSV: a row of names, then the rows."""
        names = [column.name for column in self.columns]
        return csv_text(names, ([cell_text(column.value(row)) for column in self.columns] for row in self.rows(tally)))


def cell_text(value: Cell) -> str:
    """The value as in CSV: numbers with at most six decimals, nothing for None."""
    if value is None:
        return ""
    if isinstance(value, float):
        text = f"{value:.6f}".rstrip("0").rstrip(".") if math.isfinite(value) else str(value)
        return "0" if text == "-0" else text
    return str(value)


def nine_digits(value: Cell) -> str:
    """The value to nine digits, empty if unknown."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return f"{value:.9g}" if isinstance(value, float) else str(value)


class TimeRow(NamedTuple):
    """How long moves or searches took."""

    player: str
    role: str
    position: str
    moves: int
    mean_s: float | None


TIMES: Table[TimeRow] = Table(
    "times",
    "Seconds a move or a search: measurements, different each time. All other tables are reproducible.",
    (
        Column("player", "whose", lambda t: t.player),
        Column("role", "first, second, or search", lambda t: t.role),
        Column("position", "the start position, or what is searched", lambda t: t.position),
        Column("moves", "moves or searches measured", lambda t: t.moves),
        Column("mean_s", "seconds for each", lambda t: t.mean_s),
    ),
    lambda tallies: (row for kind, tally in tallies.items() for row in kind.times(tally)),
)
