"""A run on the command line: its progress, its output, and what is said after Ctrl-C."""

from __future__ import annotations

import shlex
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from rich.progress import Progress

from nimdesk.cli.figures import Wanted
from nimdesk.cli.file_types import is_table
from nimdesk.cli.interrupting import STOP_S, interruptible, leave
from nimdesk.cli.options import check_csv, check_folder, console, progress_bar, say, write_table
from nimdesk.cli.plans import results_path, save_plan_to, wanted_plan
from nimdesk.cli.printing import print_atlas, print_found, print_found_json, print_study, print_study_json
from nimdesk.errors import INTERRUPTED, OptionError
from nimdesk.experiments.atlas.tally import AtlasTally, Order
from nimdesk.experiments.files import Found, read
from nimdesk.experiments.plan import Plan
from nimdesk.experiments.report import finding, main_table, notes, write_files
from nimdesk.experiments.results import progress_text
from nimdesk.experiments.run import Run, RunState
from nimdesk.experiments.schedule import schedule_of
from nimdesk.experiments.studies.tables import study_searches_csv
from nimdesk.experiments.studies.tally import StudyTally

_LOOK_S = 0.1
_LOG_EVERY_S = 10.0


def run_asked(
    kind: str,
    make: Callable[[], Plan],
    *,
    plan_file: Path | None,
    save_plan: Path | None,
    out: Path | None,
    **how: Any,
) -> int:
    """Run the plan that ``make`` makes of the flags, or one of this kind in a file, as ``run_plan`` does."""
    plan = wanted_plan(plan_file, kind, make)
    path = results_path(plan, out)
    save_plan_to(save_plan, plan)
    return run_plan(plan, path, **how)


def run_plan(
    plan: Plan,
    path: Path,
    *,
    threads: int | None,
    cluster: str | None,
    as_json: bool,
    csv: Path | None,
    only: tuple[str, ...] = (),
    figure: Wanted | None = None,
) -> int:
    """Do the rest of the plan and print the results; return 0 when all is done, 130 after Ctrl-C.

    ``only`` limits what is printed to sections whose titles begin with one of these.
    """
    check_csv(csv)
    run = Run(schedule_of(plan), path, workers=threads, cluster=cluster)
    if not _carried_out(run):
        now = run.progress()
        say(f"Stopped: {now.done:,} of {now.total:,} are stored in {run.path}. To go on: {again()}")
        return interrupted(run)
    write_csv(run.found, csv)
    if as_json:
        print_found_json(run.found)
    else:
        print_found(run.found, only)
        say(f"\nResults: {run.path}")
    draw(run.found, figure)
    return 0


def write_csv(found: Found, path: Path | None) -> None:
    """Write what ``--csv`` names: the main table to a file, or all tables and the report to a folder."""
    if path is None:
        return
    if is_table(path):
        write_table(path, main_table(found), found.about, found.made)
    else:
        write_files(found, path)


def draw(found: Found, figure: Wanted | None, order: Order = "traps") -> None:
    """Draw the figure that is wanted, if one is, by one of the measures that the results have."""
    if figure is None:
        return
    from nimdesk.figures.results import of_results  # lazy: few draw figures

    about = {"plan": found.schedule.plan.name, **found.about}
    figure.draw(of_results(found, figure.measure, heat=figure.heat, order=order), about)


def run_study(
    plan: Plan,
    path: Path | None,
    *,
    threads: int | None,
    cluster: str | None,
    as_json: bool,
    csv: Path | None,
    searches: Path | None,
    figure: Wanted | None = None,
) -> int:
    """Do the rest of a study and print the results so far; return 0 when all is done, 130 after Ctrl-C."""
    check_csv(csv)
    check_folder(searches)
    keep_visits = searches is not None
    run = Run(schedule_of(plan), path, workers=threads, cluster=cluster, in_full=keep_visits)
    complete = _carried_out(run)
    found = run.found
    if not found.is_proven:
        say("Stopped before the truth about all positions was known.")
        return interrupted(run)
    try:
        write_csv(found, csv)
        if searches is not None:
            write_table(searches, study_searches_csv(found[StudyTally]), found.about, found.made)
    finally:  # if a table cannot be written, the results may be nowhere else
        _print_study(found, as_json)
    draw(found, figure)
    if complete:
        return 0
    done = f"Stopped after {found.done:,} of {found.total:,} searches."
    if path is None:
        say(f"{done} With --out FILE they would have been kept, and the same command would go on.")
    else:
        say(f"{done} To go on: {again()}")
    return interrupted(run)


def _print_study(found: Found, as_json: bool) -> None:
    if as_json:
        print_study_json(found)
        return
    print_study(found[StudyTally])
    for note in notes(found):
        console().print(f"* {note}")
    console().print(finding(found))


def run_atlas(
    plan: Plan,
    path: Path,
    order: Order,
    top: int,
    csv: Path | None,
    *,
    threads: int | None,
    cluster: str | None,
    as_json: bool,
    figure: Wanted | None,
) -> int:
    """Do the rest of an atlas and print the results so far; return 0 when all is done, 130 after Ctrl-C."""
    check_csv(csv)
    run = Run(schedule_of(plan), path, workers=threads, cluster=cluster)
    complete = _carried_out(run)
    _print_atlas(run.found, order, top, csv, as_json, figure)
    if complete:
        say(f"\nResults: {run.path}")
        return 0
    say(f"Stopped after {run.found.done:,} of {run.found.total:,} pairs. To go on: {again()}")
    return interrupted(run)


def show_atlas(path: Path, order: Order, top: int, csv: Path | None, *, as_json: bool, figure: Wanted | None) -> int:
    """Print the atlas in a file."""
    check_csv(csv)
    found = read(path)
    if found.of(AtlasTally) is None:
        raise OptionError(f"The results “{path}” are no atlas; “nimdesk experiment status” prints them.")
    _print_atlas(found, order, top, csv, as_json, figure)
    return 0


def _print_atlas(found: Found, order: Order, top: int, csv: Path | None, as_json: bool, figure: Wanted | None) -> None:
    write_csv(found, csv)
    print_atlas(found, order, top, as_json=as_json)
    draw(found, figure, order)


def _carried_out(run: Run) -> bool:
    """Run to the end and return True, or to Ctrl-C and return False; an error of the run is raised.

    ``KeyboardInterrupt`` if Ctrl-C came so early that nothing can be said of the results.
    """
    with interruptible() as stop:
        run.start()
        _watch(run, stop)
        if stop.is_set() and run.state is not RunState.FINISHED:
            run.cancel()
            run.wait(STOP_S)
            if run.found.is_proven and not run.found.is_whole:
                words = "Stopped before all stored results were read; they are kept. To go on:"
                say(f"{words} {again()}")
                interrupted(run)
                raise KeyboardInterrupt
            return False
    if run.error is not None:
        raise run.error
    return True


def _watch(run: Run, stop: threading.Event) -> None:
    """Show the progress until the run ends, or until Ctrl-C."""
    what = run.schedule.tasks
    with progress_bar(f"loading{' the ' * bool(what)}{what}…") as (bar, task):
        said_s, told = 0.0, ""
        while not run.wait(_LOOK_S):
            if stop.is_set():
                return
            now = run.progress()
            told = tell_of_waiting(run, told, bar)
            if run.state in (RunState.READY, RunState.PROVING) and (reading := run.reading) is not None:
                words = f"reading results: {reading.read:,} of {reading.stored:,}"
                bar.update(task, description=words, completed=reading.read, total=reading.stored)
            if run.state is RunState.RUNNING:
                bar.update(task, description=progress_text(now, what), completed=now.done, total=now.total)
            if bar.disable and now.elapsed_s - said_s >= _LOG_EVERY_S:
                said_s = now.elapsed_s
                say(progress_text(now, what))


def tell_of_waiting(run: Run, told: str, bar: Progress) -> str:
    """Say once that the run waits for the disk, and once that it goes on; return what is said now, after ``told``."""
    if (words := run.waiting_words) != told:
        with suppress(OSError):  # the output may go to a file on the same full disk
            bar.console.print(f"nimdesk: {words or 'The results can be stored again.'}", soft_wrap=True)
    return words


def again() -> str:
    """The command line that was given."""
    return shlex.join(["nimdesk", *sys.argv[1:]])


def interrupted(run: Run) -> int:
    """The exit code after Ctrl-C; a run that is deep in the compiler is not waited for."""
    if not run.wait(0):
        leave()  # all finished results are stored
    return INTERRUPTED
