"""Results in files: where they lie, what one holds, and the folder of tables and reports that is made of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from nimdesk.atomic import os_error_words, write_atomically
from nimdesk.errors import ResultsError
from nimdesk.experiments.plan import Plan
from nimdesk.experiments.report import comparison_csv, markdown, published_as
from nimdesk.experiments.results import Result
from nimdesk.experiments.schedule import Schedule, schedule_of
from nimdesk.experiments.store import SUFFIX, Store
from nimdesk.experiments.tables import csv_files
from nimdesk.experiments.tally import Tally, tally_of
from nimdesk.paths import results_dir


@dataclass(frozen=True, slots=True)
class Found:
    """What a file of results holds, counted."""

    path: Path
    schedule: Schedule
    results: list[Result]
    tally: Tally

    @property
    def complete(self) -> bool:
        """Whether nothing is left to be done."""
        return self.tally.done >= self.tally.total


def default_path(plan: Plan) -> Path:
    """Where a plan's results go unless told otherwise: named after the plan and its digest."""
    return results_dir() / f"{plan.name}-{plan.digest[:8]}{SUFFIX}"


def read(path: Path) -> Found:
    """The results in a file; ``ResultsError`` for one that is not ours, damaged, or newer."""
    with Store.open_to_read(path) as store:
        results = list(store.results())
        schedule = schedule_of(store.plan)
    if results and results[-1].number >= len(schedule.tasks):
        raise ResultsError(f"The results “{path}” cannot be used: they hold a game beyond the plan's last.")
    return Found(path, schedule, results, tally_of(schedule, results))


def write_files(found: Found, folder: Path) -> list[Path]:
    """Write all CSV files, the report in Markdown and the plan into a folder, made where it is missing."""
    files = csv_files(found.schedule, found.tally, found.results)
    files["report.md"] = markdown(found.schedule, found.tally)
    files["plan.json"] = found.schedule.plan.to_json().decode()
    built_in = published_as(found.schedule)
    if built_in is not None:
        files["published.csv"] = comparison_csv(built_in, found.tally)
    return list(_written(folder, files))


def _written(folder: Path, files: dict[str, str]) -> Iterable[Path]:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            write_atomically(folder / name, text.encode())
            yield folder / name
    except (OSError, ValueError) as error:
        raise ResultsError(f"The results cannot be written to “{folder}”: {os_error_words(error)}.") from error
