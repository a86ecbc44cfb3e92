"""``nimdesk experiment``: list the published tables, run one or a plan of your own, look at results, export them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nimdesk.cli.match import AsJson, Cluster, Csv, Out, Threads
from nimdesk.errors import OptionError, PlanError
from nimdesk.search.options import MAX_SEED

if TYPE_CHECKING:
    from nimdesk.experiments.plan import Plan

EXPERIMENT_HELP = """Run experiments: the published tables of the five documents, and plans of your own.

A plan is a JSON file (its schema is resources/plan.schema.json). It determines every result: the number of threads, the
order and interruptions change nothing. Every finished game is stored at once; the same command goes on where a run was
stopped, be it by Ctrl-C or by a power cut.

\b
Examples:
  nimdesk experiment list
  nimdesk experiment run 000-piles --games 100
  nimdesk experiment run my-plan.json --out my-results.db --cluster tcp://host:8786
  nimdesk experiment status my-results.db
  nimdesk experiment export 000-piles --out folder
  nimdesk experiment export my-results.db --game 17 --searches --out game.nimdesk

\b
Exit codes: 0 done, 2 something to put right, 130 stopped by Ctrl-C (how to go on is printed).
"""
_EXPORT_HELP = """Write results as CSV files and a report in Markdown, or one game as a saved game.

NAME is a published table that has been run, or a file of results. In the folder: games.csv and searches.csv (a row
each), table.csv (by role and position), pairings.csv, choices.csv and moves.csv (of searches), published.csv (the
document's figures and ours), report.md, plan.json; all the same to the byte whenever the plan is run again. times.csv
and the seconds in the report are measurements, and are not. “--columns” explains every column.
"""
Source = Annotated[str, typer.Argument(metavar="NAME", help="A published table, or a file of results.")]
Games = Annotated[str | None, typer.Option(metavar="N", help="Another number of games (or searches) than the plan's.")]
Seed = Annotated[str | None, typer.Option(metavar="N", help="Derive all seeds from this number.")]


def experiment_app() -> typer.Typer:
    """The group of commands."""
    app = typer.Typer(
        help=EXPERIMENT_HELP,
        rich_markup_mode=None,
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )
    app.command("list", help="List the published tables: what each is, its source, how long it takes.")(_list)
    app.command("run", help="Run a published table, or the plan in a file; go on with it where it was stopped.")(_run)
    app.command("status", help="Print how far a run is, and its results so far.")(_status)
    app.command("export", help=_EXPORT_HELP)(_export)
    return app


def _list(as_json: AsJson = False) -> None:
    from nimdesk.cli.output import console, print_json
    from nimdesk.experiments.published import BUILT_IN
    from nimdesk.experiments.schedule import schedule_of
    from nimdesk.experiments.words import duration

    sizes = {name: len(schedule_of(each.plan).tasks) for name, each in BUILT_IN.items()}
    if as_json:
        print_json(
            [
                {
                    "name": each.name,
                    "title": each.title,
                    "about": each.about,
                    "source": each.source,
                    "minutes": each.minutes,
                    "tasks": sizes[each.name],
                }
                for each in BUILT_IN.values()
            ]
        )
        return
    out = console()
    for each in BUILT_IN.values():
        out.print(f"{each.name}: {each.title}", style="bold")
        size = f"{sizes[each.name]:,} games or searches, about {duration(60 * each.minutes)} on two processors"
        for line in (each.about, each.source, size):
            out.print(f"  {line}")
        out.print()
    out.print("Run one with “nimdesk experiment run NAME”, or a plan of your own with its file's name.")


def _run(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A published table, or the file of a plan (.json).")],
    games: Games = None,
    seed: Seed = None,
    threads: Threads = None,
    cluster: Cluster = None,
    out: Out = None,
    csv: Csv = None,
    as_json: AsJson = False,
) -> int:
    from nimdesk.cli.experiment_run import run_plan
    from nimdesk.experiments.words import whole

    number = None if threads is None else whole("Threads", threads, 1, 256)
    plan = _plan(name, games, seed)
    return run_plan(plan, out, threads=number, cluster=cluster, as_json=as_json, csv=csv)


def _status(name: Source, games: Games = None, seed: Seed = None, as_json: AsJson = False) -> None:
    from nimdesk.cli.experiment_run import found_json, print_found
    from nimdesk.cli.output import console, print_json
    from nimdesk.experiments.files import read

    found = read(_results(name, games, seed))
    if as_json:
        print_json(found_json(found))
        return
    print_found(found)
    share = f"{found.tally.done:,} of {found.tally.total:,}"
    console().print(f"\n{share} are done{'' if found.complete else ', the run is not complete'}: {found.path}")


def _export(
    name: Source = "",
    out: Annotated[Path | None, typer.Option(metavar="PATH", help="The folder, or the file of a saved game.")] = None,
    game: Annotated[
        str | None, typer.Option(metavar="N", help="Write game number N as a saved game, which the window opens.")
    ] = None,
    searches: Annotated[
        bool, typer.Option("--searches", help="With --game: do its searches again and save them with it.")
    ] = False,
    columns: Annotated[bool, typer.Option("--columns", help="Explain the columns of the CSV files, and exit.")] = False,
    games: Games = None,
    seed: Seed = None,
) -> None:
    from nimdesk.experiments.files import read, write_files
    from nimdesk.experiments.tables import columns_text
    from nimdesk.experiments.words import whole

    if columns:
        print(columns_text())
        return
    if not name:
        raise OptionError("Say what to export: a published table such as 000-piles, or a file of results.")
    if out is None:
        raise OptionError("Say where to with --out: a folder, or with --game the file of a saved game.")
    path = _results(name, games, seed)
    if game is not None:
        _export_game(path, whole("Game", game, 0, 10_000_000), out, searches=searches)
        return
    for file in write_files(read(path), out):
        print(file)


def _export_game(path: Path, number: int, out: Path, *, searches: bool) -> None:
    from nimdesk.experiments.files import read
    from nimdesk.experiments.records import game_of
    from nimdesk.experiments.results import GameResult
    from nimdesk.play.record import save_game

    found = read(path)
    result = next((each for each in found.results if each.number == number), None)
    if not isinstance(result, GameResult):
        raise OptionError(f"There is no finished game number {number} in “{path}”; games.csv lists them.")
    save_game(game_of(found.schedule, result, searches=searches), out)
    print(out)


def _plan(name: str, games: str | None, seed: str | None) -> Plan:
    """The plan of that name, with another number of games, or another seed, where those are asked for."""
    import msgspec

    from nimdesk.experiments.plan import load_plan
    from nimdesk.experiments.published import BUILT_IN, built_in
    from nimdesk.experiments.words import whole

    if name in BUILT_IN:
        plan = BUILT_IN[name].plan
    elif name.endswith(".json") or Path(name).exists():
        plan = load_plan(Path(name))
    else:
        plan = built_in(name).plan  # which says what there is
    change = msgspec.structs.replace
    if games is not None:
        number = whole("Games", games, 1, 1_000_000)
        plan = change(
            plan,
            matches=[change(part, games=number) for part in plan.matches],
            searches=[change(part, repeats=number) for part in plan.searches],
        )
    return plan if seed is None else change(plan, seed=whole("Seed", seed, 0, MAX_SEED))


def _results(name: str, games: str | None, seed: str | None) -> Path:
    from nimdesk.experiments.files import default_path
    from nimdesk.experiments.published import BUILT_IN, built_in

    path = Path(name)
    if name not in BUILT_IN and not name.endswith(".json"):
        if not path.exists() and path.suffix != ".db":
            built_in(name)
        return path
    path = default_path(_plan(name, games, seed))
    if not path.exists():
        raise PlanError(f"“{name}” has not been run here yet; “nimdesk experiment run {name}” does.")
    return path
