"""The results of an atlas as CSV and as sections in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from nimdesk.cells import csv_text
from nimdesk.experiments.atlas.tally import AtlasRow, AtlasTally, Order
from nimdesk.experiments.sections import NONE, Section, first_rows
from nimdesk.experiments.tables import Cell, nine_digits


def atlas_csv(atlas: AtlasTally) -> str:
    """All rows of an atlas, with the columns of ``AtlasRow``; those with one entry per budget once for each budget."""
    names: list[str] = []
    for each in fields(AtlasRow):
        many = each.name in ("optimal_share", "regret", "settled_share")
        names += [f"{each.name}_{budget}" for budget in atlas.atlas.budgets] if many else [each.name]
    return csv_text(names, (_atlas_cells(row) for row in atlas.rows()))


def _atlas_cells(row: AtlasRow) -> Iterator[Cell]:
    for each in fields(row):
        value = getattr(row, each.name)
        yield from map(nine_digits, value if isinstance(value, tuple) else (value,))


_ATLAS_TITLES = {"traps": "The worst traps", "worse": "Where more simulations make it worse"}
_ATLAS_ROWS = 20
ATLAS_HEADERS = (
    "Position", "Agent", "Value", "Best moves", "Optimal", "Regret", "Settled", "Gets worse", "Mistake",
)  # fmt: skip


def atlas_section(atlas: AtlasTally, order: Order, most: int = _ATLAS_ROWS) -> Section:
    """The positions that mislead most, in one of the two senses."""
    rows = atlas.rows(order)
    if order == "worse":
        rows = [row for row in rows if row.fall]
    return first_rows(_ATLAS_TITLES[order], ATLAS_HEADERS, rows, atlas_cells, 3, most)


def atlas_cells(row: AtlasRow) -> tuple[str, ...]:
    """A row as the tables show it; the share of optimal choices goes from the smallest budget to the largest."""
    first, last = (f"{share:.1%}" for share in (row.optimal_share[0], row.optimal_share[-1]))
    lasts = "" if row.plies is None else f" ({row.plies})"
    return (
        row.position,
        row.agent,
        row.value,
        f"{row.best} of {row.moves}",
        f"{first} → {last}",
        f"{row.trap:.3f}",
        NONE if row.settled_median is None else f"{row.settled_median:,}",
        f"−{row.fall:.1%}, {row.worse_from:,} → {row.worse_to:,}" if row.fall else NONE,
        f"{row.wrong}{lasts}" if row.wrong else NONE,
    )
