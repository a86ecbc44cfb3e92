"""A run on the command line: where its results go, its progress, what it prints, and how it goes on after Ctrl-C."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, TextColumn
from rich.progress import Progress as Bar

from nimdesk.cli.analyse import interruptible
from nimdesk.cli.output import console, print_json, table
from nimdesk.experiments.files import Found, default_path, read, write_files
from nimdesk.experiments.plan import Plan
from nimdesk.experiments.report import notes, published_as, sections
from nimdesk.experiments.runner import Run, RunState
from nimdesk.experiments.tables import CHOICES, PAIRINGS, SETTINGS, Cell, Table
from nimdesk.experiments.tally import Tally
from nimdesk.experiments.words import progress_text

INTERRUPTED = 130
_LOOK_S = 0.1
_LOG_EVERY_S = 10.0
# Ctrl-C is answered within a second, even while a kernel is being compiled.
_STOP_S = 0.7


def run_plan(
    plan: Plan, path: Path | None, *, threads: int | None, cluster: str | None, as_json: bool, csv: Path | None
) -> int:
    """Run what is left of the plan and print the results; 0 when all is done, 130 after Ctrl-C."""
    target = path or default_path(plan)
    run = Run(plan, target, workers=threads, cluster=cluster)
    with interruptible() as stop:
        run.start()
        _watch(run, stop)
        if stop.is_set() and run.state is not RunState.FINISHED:
            return _interrupted(run)
    if run.error is not None:
        raise run.error
    found = read(target)
    if csv is not None:
        write_files(found, csv)
    if as_json:
        print_json(found_json(found))
    else:
        print_found(found)
        print(f"\nResults: {target}", file=sys.stderr)
    return 0


def _watch(run: Run, stop: object) -> None:
    """Show how far it is until it ends, or Ctrl-C."""
    watched = sys.stderr.isatty()
    columns = (TextColumn("{task.description}", markup=False), BarColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True, disable=not watched) as bar:
        task = bar.add_task("loading…", total=None)
        said_s = 0.0
        while not run.wait(_LOOK_S):
            if stop.is_set():  # type: ignore[attr-defined]
                return
            now = run.progress()
            if now.state is RunState.RUNNING:
                bar.update(task, description=progress_text(now), completed=now.done, total=now.total)
            if not watched and now.elapsed_s - said_s >= _LOG_EVERY_S:
                said_s = now.elapsed_s
                print(progress_text(now), file=sys.stderr, flush=True)


def _interrupted(run: Run) -> int:
    run.cancel()
    ended = run.wait(_STOP_S)
    now = run.progress()
    again = shlex.join(["nimdesk", *sys.argv[1:]])
    print(f"Stopped: {now.done:,} of {now.total:,} are stored in {run.path}. To go on: {again}", file=sys.stderr)
    if not ended:
        # A thread is deep in the compiler, and Python would wait for it. What is stored is stored.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(INTERRUPTED)
    return INTERRUPTED


def print_found(found: Found) -> None:
    """All tables and notes for a person."""
    out = console()
    for section in sections(found.schedule, found.tally):
        out.print(section.title, style="bold")
        rows = table()
        for i, header in enumerate(section.headers):
            is_name = i < section.left
            rows.add_column(header, justify="left" if is_name else "right", no_wrap=not is_name, overflow="fold")
        for row in section.rows:
            rows.add_row(*row)
        out.print(rows)
        out.print()
    for note in notes(found.schedule, found.tally):
        out.print(f"* {note}")


def found_json(found: Found) -> dict[str, object]:
    """The results as ``--json`` prints them: the same columns as the CSV files."""
    plan, tally = found.schedule.plan, found.tally
    built_in = published_as(found.schedule)
    compared = [] if built_in is None else built_in.compare(tally)
    return {
        "name": plan.name,
        "digest": found.schedule.digest,
        "results": str(found.path),
        "done": tally.done,
        "total": tally.total,
        "pairings": _rows(PAIRINGS, tally),
        "table": _rows(SETTINGS, tally),
        "choices": _rows(CHOICES, tally),
        "published": [
            {
                "of": list(each.figure.where),
                "quantity": each.figure.quantity,
                "move": each.figure.move,
                "printed": each.figure.printed,
                "ours": each.ours,
                "low": each.low,
                "high": each.high,
                "verdict": each.verdict,
            }
            for each in compared
        ],
        "notes": notes(found.schedule, tally),
    }


def _rows(source: Table, tally: Tally) -> list[dict[str, Cell]]:  # type: ignore[type-arg]
    return [{column.name: _finite(column.value(row)) for column in source.columns} for row in source.rows(tally)]


def _finite(value: Cell) -> Cell:
    """JSON has no word for an infinite Elo difference."""
    return None if isinstance(value, float) and value in (float("inf"), float("-inf")) else value
