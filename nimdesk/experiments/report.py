"""The report of an experiment: all sections of its results, what a reader should know, and what made it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from nimdesk.disk.atomic import os_error_words, write_atomically
from nimdesk.disk.provenance import document, write_beside
from nimdesk.errors import ResultsError
from nimdesk.experiments.files import Found
from nimdesk.experiments.plan import KINDS
from nimdesk.experiments.published import published_as
from nimdesk.experiments.published.figures import verdict_words
from nimdesk.experiments.published.sections import comparison_csv, published_sections, where_words
from nimdesk.experiments.sections import Section
from nimdesk.experiments.tables import TIMES, Table


def sections(found: Found) -> Iterator[Section]:
    """All sections of these results, and the figures of a document that has published the plan."""
    for kind, tally in found.tallies.items():
        yield from kind.sections(tally)
    built_in = published_as(found.schedule.plan)
    if built_in is not None:
        yield from published_sections(built_in, found)


def finding(found: Found) -> str:
    """What was found, in one sentence; it begins with "So far" while something is left to do."""
    words = _finding(found) if found.done else ""
    if not words:
        return "Nothing is known yet."
    return words if found.complete else f"So far: {words}"


def _finding(found: Found) -> str:
    built_in = published_as(found.schedule.plan)
    if built_in is not None:
        return verdict_words(built_in.compare(found))
    return next(filter(None, (kind.finding(tally) for kind, tally in found.tallies.items())), "")


def csv_files(found: Found) -> dict[str, str]:
    """All CSV files by name, except those without rows."""
    files = {name: text for kind, tally in found.tallies.items() for name, text in kind.csv_of(tally).items()}
    files |= {TIMES.name: TIMES.csv(found.tallies)}
    return {f"{name}.csv": text for name, text in files.items() if text.count("\n") > 1}


TABLES: tuple[Table[Any], ...] = (*(table for kind in KINDS for table in kind.tables), TIMES)
"""All tables whose columns are explained."""


def columns_text() -> str:
    """What every column of every file means, in Markdown."""
    lines = []
    for table in TABLES:
        columns = [f"- `{column.name}`: {column.about}" for column in table.columns]
        lines += [f"**{table.name}.csv**: {table.about}", "", *columns, ""]
    return "\n".join(lines)


def markdown(found: Found) -> str:
    """A report: the title, how much is done, all sections, notes, and what made the results."""
    plan = found.schedule.plan
    built_in = published_as(plan)
    lines = [f"# {found.name or plan.title or plan.name}", "", *([found.note, ""] if found.note else [])]
    if built_in is not None:
        lines += [built_in.about, "", f"Source: {built_in.source}", ""]
    elif plan.about:
        lines += [plan.about, ""]
    digest = found.schedule.digest[:16]
    lines += [f"{found.done:,} of {found.total:,} games and searches; plan `{digest}`.", "", finding(found), ""]
    for section in sections(found):
        lines += [f"## {section.title}", "", *markdown_table(section), ""]
        lines += [section.note, ""] if section.note else []
    if listed := notes(found):
        lines += ["## Notes", "", *(f"- {note}" for note in listed), ""]
    if found.made:
        lines += ["## Made", "", *(f"- {made.words}." for made in found.made), ""]
    # What people wrote comes from outside: a control character would tell a terminal what to do, a tag would be one of
    # the page, and a picture would be loaded.
    text = re.sub(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029]", "\N{REPLACEMENT CHARACTER}", "\n".join(lines))
    return re.sub(r"\\|<|(?<=!)\[", r"\\\g<0>", text)


def files_in(folder: Path) -> list[Path]:
    """All files that ``write_files`` may write into this folder."""
    tables = (*(table.name for table in TABLES), *(name for kind in KINDS for name in kind.csv), "published")
    return [folder / name for name in ("report.md", "plan.json", "made.json", *(f"{name}.csv" for name in tables))]


def write_files(found: Found, folder: Path) -> list[Path]:
    """Write all CSV files, the report in Markdown, the plan, and what made all that into a folder, made if missing."""
    plan, files = found.schedule.plan, csv_files(found)
    made = document({"plan": plan.name, "digest": found.schedule.digest}, found.made).decode()
    files |= {"report.md": markdown(found), "plan.json": plan.to_json().decode(), "made.json": made}
    built_in = published_as(plan)
    if built_in is not None:
        files["published.csv"] = comparison_csv(built_in, found)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            write_atomically(folder / name, text.encode(), follow=False)
    except (OSError, ValueError) as error:
        raise ResultsError(f"The results cannot be written to “{folder}”: {os_error_words(error)}.") from error
    return [folder / name for name in files]


def main_table(found: Found) -> str:
    """The CSV file with the main table of these results."""
    made = {kind: kind.csv_of(tally)[next(iter(kind.data))] for kind, tally in found.tallies.items() if kind.data}
    return next((text for text in made.values() if text.count("\n") > 1), next(iter(made.values()), ""))


def only_table(found: Found) -> tuple[str, Callable[[Path], bytes]] | None:
    """The name of the one CSV file of these results, and what makes it, as ``nimdesk study --csv`` does, for a path
    beside which it writes what made the results; None where there may be several.
    """
    kind = next((kind for kind in found.tallies if kind.alone), None)
    if kind is None or kind.tables or len(kind.csv) != 1:
        return None
    tally, ((name, made),) = found.tallies[kind], kind.csv.items()

    def make(path: Path) -> bytes:
        write_beside(path, found.about, found.made)
        return made(tally).encode()

    return f"{name}.csv", make


def markdown_table(section: Section) -> list[str]:
    """The lines of a table in Markdown."""
    marks = [":--" if i < section.left else "--:" for i in range(len(section.headers))]
    rows = [section.headers, tuple(marks), *section.rows]
    return [f"| {' | '.join(cell.replace('|', '/') for cell in row)} |" for row in rows]


def notes(found: Found) -> list[str]:
    """What a reader should know of the plan, of games lost by a failure, and of a published table."""
    listed = list(found.schedule.notes)
    for kind, tally in found.tallies.items():
        listed += kind.notes(tally)
    built_in = published_as(found.schedule.plan)
    if built_in is not None:
        listed += [*built_in.choices, *built_in.found(found)]
        listed += dict.fromkeys(
            f"{where_words(each.figure.where)}, {each.figure.quantity}: {each.figure.note}"
            for each in built_in.compare(found)
            if each.figure.note
        )
        if url := built_in.readings_url:
            listed.append(f"Which mistakes of an implementation would explain the published figures: {url}")
    return listed
