"""The results of experiments as they are printed, for a person and as JSON."""

from __future__ import annotations

import math
import re
from dataclasses import asdict
from textwrap import fill
from typing import Any

from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.text import Text

from nimdesk.cli.options import console, print_json, table
from nimdesk.disk.provenance import made_here, plain
from nimdesk.errors import shown
from nimdesk.experiments.atlas.tables import atlas_section
from nimdesk.experiments.atlas.tally import AtlasTally, Order
from nimdesk.experiments.differences import Differences
from nimdesk.experiments.files import Found
from nimdesk.experiments.published import BUILT_IN, published_as
from nimdesk.experiments.report import finding, notes, sections
from nimdesk.experiments.results import duration
from nimdesk.experiments.schedule import schedule_of
from nimdesk.experiments.sections import Section
from nimdesk.experiments.studies.tables import study_cells
from nimdesk.experiments.studies.tally import StudyTally, variations


def print_found(found: Found, only: tuple[str, ...] = ()) -> None:
    """Print all tables and notes, and what was found; or ``only`` the tables whose titles begin with one of these."""
    out = console()
    for section in sections(found):
        if not only or section.title.startswith(only):
            print_section(section, out)
    for note in notes(found):
        out.print(f"* {shown(note)}")
    out.print(shown(finding(found)))


class _Name:
    """The label of a player; a narrow column breaks it after punctuation and never within a number."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __rich_measure__(self, out: Console, options: ConsoleOptions) -> Measurement:
        return Measurement(max(map(len, self._pieces()), default=0), len(self._text))

    def __rich_console__(self, out: Console, options: ConsoleOptions) -> RenderResult:
        lines = [""]
        for piece in self._pieces():
            if lines[-1] and len(lines[-1] + piece) > options.max_width:
                lines.append("")
            lines[-1] += piece
        yield Text("\n".join(lines), overflow="fold")

    def _pieces(self) -> list[str]:
        return re.findall(r"[^:,=]*[:,=]|[^:,=]+$", self._text)


def print_section(section: Section, out: Console) -> None:
    """One table for a person, and an empty line after it."""
    out.print(shown(section.title), style="bold")
    rows = table()
    for i, header in enumerate(section.headers):
        is_name = i < section.left
        rows.add_column(header, justify="left" if is_name else "right", no_wrap=not is_name, overflow="fold")
    for row in (map(shown, cells) for cells in section.rows):
        rows.add_row(*(_Name(cell) if i < section.left and " " not in cell else cell for i, cell in enumerate(row)))
    out.print(rows)
    if section.note:
        out.print(shown(section.note))
    out.print()


def print_atlas(found: Found, order: Order, top: int, *, as_json: bool) -> None:
    """An atlas, for a person or as JSON."""
    atlas = found[AtlasTally]
    if as_json:
        rows = list(map(asdict, atlas.rows(order)[:top]))
        told = {**found.about, "budgets": atlas.atlas.budgets, "rows": rows, "notes": notes(found)}
        print_json(told, found.made, finding(found))
        return
    out = console()
    print_section(atlas_section(atlas, order, top), out)
    for note in notes(found):
        out.print(f"* {note}")
    if found.done < found.total:
        out.print(f"* {found.done:,} of {found.total:,} pairs of position and agent are done.")


def print_published(as_json: bool) -> None:
    """Print the published tables: what each is, its source, and how long it takes."""
    sizes = {name: schedule_of(each.plan).total for name, each in BUILT_IN.items()}
    if as_json:
        names = ("name", "title", "about", "source", "minutes")
        tables = [{name: getattr(each, name) for name in names} for each in BUILT_IN.values()]
        listed = [table | {"tasks": sizes[each]} for each, table in zip(BUILT_IN, tables, strict=True)]
        print_json({"tables": listed}, [made_here()])
        return
    out = console()
    for each in BUILT_IN.values():
        out.print(f"{each.name}: {each.title}", style="bold")
        size = f"{sizes[each.name]:,} games or searches, about {duration(60 * each.minutes)} on two processors"
        for line in (each.about, each.source, size):
            out.print(fill(line, out.width, initial_indent="  ", subsequent_indent="  ", break_long_words=False))
        out.print()
    out.print("Run one with “nimdesk experiment run NAME”, or a plan of your own with its file's name.")


def print_found_json(found: Found) -> None:
    """The results as ``--json`` prints them, with the columns of the CSV files."""
    plan = found.schedule.plan
    built_in = published_as(plan)
    compared = [] if built_in is None else built_in.compare(found)
    told = {
        "name": plan.name,
        "digest": found.schedule.digest,
        "results": str(found.path),
        "done": found.done,
        "total": found.total,
        **{
            name: finite(value)
            for kind, tally in found.tallies.items()
            for name, made in kind.data.items()
            if (value := made(tally)) is not None
        },
        "published": [
            {
                "of": list(each.figure.where),
                "quantity": each.figure.quantity,
                "move": each.figure.move,
                "printed": each.figure.printed,
                "ours": each.ours.value,
                "low": bounds[0],
                "high": bounds[1],
                "verdict": each.verdict,
            }
            for each in compared
            for bounds in [each.ours.interval() or (None, None)]
        ],
        "notes": notes(found),
    }
    print_json(told, found.made, finding(found))


def print_differences_json(found: Differences, names: tuple[str, str], both: tuple[Found, Found]) -> None:
    """Two experiments side by side as ``--json`` prints them."""
    rows = [
        {
            "of": list(row.of),
            "quantity": row.quantity,
            "one": dict(zip(("value", "low", "high"), row.one, strict=True)),
            "other": dict(zip(("value", "low", "high"), row.other, strict=True)),
            "difference": row.value,
            "low": row.low,
            "high": row.high,
            "excludes_0": row.is_told,
            "counted": list(row.counted),
        }
        for row in found.rows
    ]
    sides = [
        {"name": name, "digest": each.schedule.digest, "made": list(map(plain, each.made))}
        for name, each in zip(names, both, strict=True)
    ]
    told = {"one": sides[0], "other": sides[1], "notes": list(found.notes), "differences": rows}
    print_json(told, [made_here()], found.sentence)


def finite(value: Any) -> Any:
    """The value with None for numbers that JSON cannot express, such as an infinite Elo difference."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {name: finite(each) for name, each in value.items()}
    return list(map(finite, value)) if isinstance(value, list | tuple) else value


def print_study_json(found: Found) -> None:
    """The study as ``--json`` prints it: whether it is complete, its digest, and a row for each point."""
    rows = finite(list(map(asdict, found[StudyTally].rows())))
    told = {"complete": found.complete, "searches": found.done, "rows": rows, **found.about}
    print_json(told, found.made, finding(found))


def print_study(results: StudyTally) -> None:
    """The tables of a study for a person."""
    out, made = console(), results.study
    for position in range(len(made.positions)):
        out.print(_position_words(results, position))
        if not any(results.regrets[position]):
            continue  # a table of nothing but 100%
        rows = table("Agent")
        for title in ("Budget", "Optimal", "95% interval", "Mean regret [95%]", "Visits on optimal"):
            rows.add_column(title, justify="right")
        for agent in range(len(made.agents)):
            for place, row in enumerate(results.rows_of(agent, position)):
                name = "" if place else f"{row.agent} (×{row.searches:,})"
                shown_budget, _searches, *cells = study_cells(row, made)
                rows.add_row(name, shown_budget, *cells)
        out.print(rows)
        for agent in range(len(made.agents)):
            if not made.has_own_budget(agent, position):
                out.print(_settled_words(results, agent, position))
        _print_variations(results, position, out)
        out.print()


def _position_words(results: StudyTally, position: int) -> str:
    regrets, where = results.regrets[position], results.study.positions[position].text
    optimal = regrets.count(0)
    if optimal == len(regrets):
        return f"{where}: every move is optimal here, so every choice is.\n"
    are = "is" if optimal == 1 else "are"
    return f"{where}: {optimal} of {len(regrets)} moves {are} optimal (by chance {results.chance(position):.0%})"


def _settled_words(results: StudyTally, agent: int, position: int) -> str:
    row = results.row(agent, position, 0)
    label = results.study.labels[agent]
    if row is None:
        return f"{label}: no search yet."
    unit = results.study.agents[agent].traits.counts.removesuffix("s")
    share = f"{row.settled:,} of {row.searches:,} settled on an optimal move"
    if row.settled_median is None:
        last = results.study.part.words(results.study.budgets[-1])
        beyond = last if results.study.part.unit else f"{unit} {last}"
        return f"{label}: {share}; fewer than half, so the median is beyond {beyond}."
    return f"{label}: {share}, half of all by {unit} {row.settled_median:,}."


def _print_variations(results: StudyTally, position: int, out: Console) -> None:
    """The share of optimal choices: values of the varied option down, budgets across."""
    for variation in variations(results.study):
        own = results.study.has_own_budget(variation.agents[0], position)
        rows = table(variation.option)
        for budget in [None] if own else results.study.budgets:
            rows.add_column(results.study.part.words(budget), justify="right")
        for agent, value in zip(variation.agents, variation.values, strict=True):
            rows.add_row(f"{value:g}", *(f"{row.optimal_share:.0%}" for row in results.rows_of(agent, position)))
        out.print(rows)
