"""The command that looks for the reading of a document that gives its figures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from nimdesk.cells import csv_text
from nimdesk.cli.file_types import check_unnamed
from nimdesk.cli.interrupting import STOP_S, interruptible
from nimdesk.cli.options import check_folder, console, print_json, progress_bar, say, table, write_table
from nimdesk.cli.running import again, interrupted, tell_of_waiting
from nimdesk.disk.provenance import made_here
from nimdesk.experiments.files import readings_dir
from nimdesk.experiments.plan import Plan
from nimdesk.experiments.planned import schedule_of
from nimdesk.experiments.published import Figure, built_in
from nimdesk.experiments.readings import Fit, Readings, search, verdict, words
from nimdesk.experiments.run import Run
from nimdesk.experiments.store import SUFFIX
from nimdesk.experiments.tally import Tally

_LOOK_S = 0.05
_SHOWN = 20


def search_readings(
    name: str,
    positions: Sequence[str],
    *,
    games: int,
    finalists: int,
    final_games: int,
    threads: int | None,
    as_json: bool,
    csv: Path | None,
) -> int:
    """Play the readings of a published table and print which fit; 0 when done, 130 after Ctrl-C."""
    check_folder(csv)
    readings = Readings(built_in(name), positions)
    runs: list[Run] = []
    with interruptible() as stop, progress_bar("") as (bar, task):

        def play(plans: Sequence[Plan]) -> list[Tally] | None:
            tallies: list[Tally] = []
            paths = [readings_dir() / f"{plan.digest[:16]}{SUFFIX}" for plan in plans]
            for path in paths:
                check_unnamed(path)
            for number, (plan, path) in enumerate(zip(plans, paths, strict=True)):
                what = f"{plan.title}, {plan.repeats:,} games each"
                bar.update(task, description=what, completed=number, total=len(plans))
                run = Run(schedule_of(plan), path, workers=threads)
                runs.append(run)
                run.start()
                told = ""
                while not (run.wait(_LOOK_S) or stop.is_set()):
                    told = tell_of_waiting(run, told, bar)
                if stop.is_set():
                    run.cancel()
                    run.wait(STOP_S)
                    return None
                if run.error is not None:
                    raise run.error
                tallies.append(run.found.tally)
            return tallies

        fits = search(readings, play, games, finalists, final_games)
    if fits is None:
        say(f"Stopped; what was played is kept. To go on: {again()}")
        return interrupted(runs[-1])
    if csv is not None:
        write_table(csv, _csv(fits), {"table": name}, [made_here()])
    if as_json:
        print_json(_json(readings, fits))
    else:
        _print(readings, fits)
    return 0


def _print(readings: Readings, fits: Sequence[Fit]) -> None:
    out, rows = console(), table("Reading")
    for header in ("Games each", "log10 of the likelihood", "Impossible figures"):
        rows.add_column(header, justify="right")
    for fit in fits[:_SHOWN]:
        impossible = f"{len(fit.impossible)} of {len(fit.figures)}"
        rows.add_row(words(fit.reading), f"{fit.games:,}", f"{fit.log_likelihood:.1f}", impossible)
    out.print(rows)
    if len(fits) > _SHOWN:
        out.print(f"… and {len(fits) - _SHOWN} less likely ones.")
    best = table("Figure", "Printed")
    for header in ("Ours", "Chance of being as far off"):
        best.add_column(header, justify="right")
    for figure, ours, chance in fits[0].figures:
        best.add_row(f"{' - '.join(figure.where)}: {figure.quantity}", figure.printed, f"{ours:.1%}", f"{chance:.2g}")
    out.print(f"\nThe likeliest: {words(fits[0].reading)}", style="bold")
    out.print(best)
    out.print(verdict(readings, fits))


def _csv(fits: Sequence[Fit]) -> str:
    headers = ("reading", "games", "log10_likelihood", "of", "quantity", "printed", "ours", "chance")
    rows = (
        (words(fit.reading), fit.games, round(fit.log_likelihood, 3), *_figure(figure, ours, chance))
        for fit in fits
        for figure, ours, chance in fit.figures
    )
    return csv_text(headers, rows)


def _figure(figure: Figure, ours: float, chance: float) -> tuple[str | float, ...]:
    return " - ".join(figure.where), figure.quantity, figure.printed, round(ours, 9), float(f"{chance:.3g}")


def _json(readings: Readings, fits: Sequence[Fit]) -> dict[str, object]:
    return {
        "table": readings.table.name,
        "verdict": verdict(readings, fits),
        "readings": [
            {
                "reading": dict(fit.reading),
                "games": fit.games,
                "log10_likelihood": fit.log_likelihood,
                "figures": [
                    {
                        "of": list(figure.where),
                        "quantity": figure.quantity,
                        "printed": figure.printed,
                        "ours": ours,
                        "chance": chance,
                    }
                    for figure, ours, chance in fit.figures
                ],
            }
            for fit in fits
        ],
    }
