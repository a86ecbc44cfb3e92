"""The report of an experiment: all sections of its results, what a reader should know, and what made it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from nimdesk.disk.atomic import os_error_words, write_atomically
from nimdesk.disk.provenance import document
from nimdesk.errors import ResultsError
from nimdesk.experiments.atlas_tally import features, misled
from nimdesk.experiments.files import Found
from nimdesk.experiments.findings import finding
from nimdesk.experiments.published import published_as
from nimdesk.experiments.published.sections import comparison_csv, published_sections, where_words
from nimdesk.experiments.sections import Section, atlas_section, convergence, landscape, matches, searches
from nimdesk.experiments.tables import TABLES, csv_files
from nimdesk.experiments.tuning import tuning_of


def sections(found: Found) -> Iterator[Section]:
    """All sections of these results, with a crosstable if three or more players have met."""
    tally = found.tally
    if found.study is not None:
        yield convergence(found.study)
    if (tuned := tuning_of(found)) is not None:
        yield landscape(tuned)
    if found.atlas is not None:
        yield atlas_section(found.atlas, "traps")
        yield atlas_section(found.atlas, "worse")
    if tally.pairings:
        yield from matches(tally, rated=tuned is None)
    if tally.searches:
        yield searches(tally)
    built_in = published_as(found.schedule.plan)
    if built_in is not None:
        yield from published_sections(built_in, tally)


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
    tables = (*(table.name for table in TABLES), "study", "atlas", "published")
    return [folder / name for name in ("report.md", "plan.json", "made.json", *(f"{name}.csv" for name in tables))]


def write_files(found: Found, folder: Path) -> list[Path]:
    """Write all CSV files, the report in Markdown, the plan, and what made all that into a folder, made if missing."""
    plan, files = found.schedule.plan, csv_files(found)
    made = document({"plan": plan.name, "digest": found.schedule.digest}, found.made).decode()
    files |= {"report.md": markdown(found), "plan.json": plan.to_json().decode(), "made.json": made}
    built_in = published_as(plan)
    if built_in is not None:
        files["published.csv"] = comparison_csv(built_in, found.tally)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            write_atomically(folder / name, text.encode(), follow=False)
    except (OSError, ValueError) as error:
        raise ResultsError(f"The results cannot be written to “{folder}”: {os_error_words(error)}.") from error
    return [folder / name for name in files]


def markdown_table(section: Section) -> list[str]:
    """The lines of a table in Markdown."""
    marks = [":--" if i < section.left else "--:" for i in range(len(section.headers))]
    rows = [section.headers, tuple(marks), *section.rows]
    return [f"| {' | '.join(cell.replace('|', '/') for cell in row)} |" for row in rows]


def notes(found: Found) -> list[str]:
    """What a reader should know of the plan, of games lost by a failure, and of a published table."""
    tally, listed = found.tally, list(found.schedule.notes)
    failed = sum(each.forfeits for each in tally.settings)
    if failed:
        listed.append(f"{failed:,} {'game was' if failed == 1 else 'games were'} lost by a player that failed.")
    if found.atlas is not None:
        rows = found.atlas.rows()
        if found.atlas.without_choice:
            listed.append(
                f"In {found.atlas.without_choice:,} positions all moves are worth the same; they are not searched."
            )
        listed += [*misled(rows), *features(rows)]
    built_in = published_as(found.schedule.plan)
    if built_in is not None:
        listed += [*built_in.choices, *built_in.found(tally)]
        listed += dict.fromkeys(
            f"{where_words(each.figure.where)}, {each.figure.quantity}: {each.figure.note}"
            for each in built_in.compare(tally)
            if each.figure.note
        )
    return listed
