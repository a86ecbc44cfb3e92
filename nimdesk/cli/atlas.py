"""The atlas commands: what holds for all positions of a small game, and what the starts of games are worth."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from nimdesk.cli.completion import complete_file
from nimdesk.cli.experiments import InOrder
from nimdesk.cli.figures import Wanted
from nimdesk.cli.file_types import FOLDER, KEPT, READ, check_unnamed
from nimdesk.cli.flags import (
    agent_option,
    arguments_option,
    cluster_option,
    csv_option,
    figure_flags,
    json_flag,
    number,
    options,
    out_option,
    plan_options,
    position_option,
    seed_option,
    threads_option,
    told_apart,
    typed_for_plan,
)
from nimdesk.disk.paths import resources_dir
from nimdesk.errors import OptionError
from nimdesk.experiments.atlas import USUAL_AGENTS, USUAL_BUDGETS

if TYPE_CHECKING:
    from nimdesk.experiments.plan import Plan

_HELP = """What holds for all positions of a small game, and what the starts of games are worth.

\b
Examples:
  nimdesk atlas convergence 3,3,3 --budgets 10,100,1000 --seeds 100
  nimdesk atlas solved --show reference
"""
_CONVERGENCE_HELP = """Search every essentially different position of small games, and say which mislead the search.

Each agent searches each position with many seeds, read at each budget: how often the choice is optimal, the mean
regret, by when the searches have settled, the positions that mislead most, and those where more simulations make it
worse. What is stored are sums; the seeds are those of “nimdesk study”, which repeats the single searches. Everything is
kept as it is finished, and the same command goes on where it was stopped.

All of it (the defaults: five games, 12 budgets up to 10^6, 1,000 seeds) is work for a cluster; choose a part. --show
prints what is in a file; “reference” is the run that comes with nimdesk.

\b
Games: 3,3,3 · 4,4,3 and 4,4,4 up to 6 plies · connect-4x4, the same with dropping · nim-4x7, all Nim with up to 4 piles
of up to 7 (nim-3x5 is smaller) · or any position, with --plies.

\b
Examples:
  nimdesk atlas convergence 3,3,3 nim-3x7 --budgets 10,100,1000 --seeds 100 --out small.db
  nimdesk atlas convergence "mnk:3,4,3 b2" uct flat --plies 2 --out other.db
  nimdesk atlas convergence --show small.db --sort worse --csv small.csv
  nimdesk atlas convergence --show reference --figure traps.pdf --figure-of worst

\b
Exit codes: 0 done, 2 something to put right, 130 stopped by Ctrl-C (how to go on is printed).
"""
_SOLVED_HELP = """Work out what the starts of games are worth, and when they end, beside the published values.

BOARDS are games such as mnk:5,5,4 or mnk:6,5,4:gravity. Without any: all m,n,k boards of up to 7 by 7, some larger
ones, and Connect Four with up to 12 columns and rows together. Each result is kept as it is found. The same command
goes on where it was stopped, and tries again what an earlier limit was too short for: of an m,n,k board that takes
longer than a minute the work is kept beside the results, with what is done of it and how long the rest may take. What
is not proven within the limit is unknown. --show prints what is in a file; “reference” is the run that comes with
nimdesk.

With --certificates each value is also proven in a file, which “nimdesk verify” checks, where one of a reasonable
size is found within the limit.

\b
Examples:
  nimdesk atlas solved mnk:5,5,4 mnk:6,5,4 --out mine.json --certificates proofs
  nimdesk atlas solved --time-s 60 --out all.json
  nimdesk atlas solved --show reference --csv solved.csv

\b
Exit codes: 0 done, 2 something to put right, 130 stopped by Ctrl-C (how to go on is printed).
"""


@click.group(cls=InOrder, help=_HELP, invoke_without_command=True)
@click.pass_context
def atlas(context: click.Context) -> None:
    """The commands below; without one, what they are."""
    if context.invoked_subcommand is None:
        print(context.get_help())
        context.exit(2)


@atlas.command(help=_CONVERGENCE_HELP)
@arguments_option("[GAME|POSITION|AGENT]...")
@options(
    position_option("A game as above, or a position; all five without any."),
    number("--plies", "Plies", 0, 100, "Up to how many moves after the start. [as said above; 0 for a position]"),
    agent_option("Who searches", ", ".join(USUAL_AGENTS)),
    click.option(
        "--budgets",
        "--budget",
        "budgets",
        metavar="LIST",
        help="Numbers with commas; 10-10000 is 10, 20, 50, … [12 from 10 to 1000000]",
    ),
    number("--seeds", "Seeds", 1, 100_000, "How many searches for each agent and position. [1,000]"),
    seed_option("What all seeds are derived from. [0]"),
    plan_options,
    out_option,
    click.option(
        "--show",
        type=READ,
        metavar="FILE.db",
        help="Search nothing; print what is in this file, or in the “reference” run.",
        shell_complete=complete_file,
    ),
    click.option(
        "--sort",
        type=click.Choice(["traps", "worse"]),
        default="traps",
        help="First the highest mean regret over all budgets; or the largest fall with more simulations.",
    ),
    number("--top", "Top", 1, 1_000_000, "How many rows to print.", "20"),
    csv_option("all rows", "all tables and a report"),
    threads_option("How many positions at a time. [as many as there are processors]"),
    cluster_option,
    json_flag,
)
@figure_flags(("optimal", "regret", "misled", "worst"))
def convergence(
    words: tuple[str, ...],
    position: tuple[str, ...],
    agent: tuple[str, ...],
    plan_file: Path | None,
    save_plan: Path | None,
    out: Path | None,
    show: Path | None,
    sort: Literal["traps", "worse"],
    top: int,
    csv: Path | None,
    threads: int | None,
    cluster: str | None,
    as_json: bool,
    figure: Wanted | None,
    **given: Any,
) -> int:
    """Make a plan of the flags, or take that of a file, and run it; or show a file."""
    from nimdesk.cli.plans import results_path, save_plan_to, wanted_plan
    from nimdesk.cli.running import run_atlas, show_atlas
    from nimdesk.experiments.atlas.games import is_atlas_game

    if show is not None:
        files = {"--plan": plan_file, "--save-plan": save_plan, "--out": out}
        if typed := typed_for_plan() or next((flag for flag, file in files.items() if file is not None), ""):
            raise OptionError(f"--show searches nothing; {typed} says what to search. Give one of them.")
        return show_atlas(_shown(show, "atlas.db"), sort, top, csv, as_json=as_json, figure=figure)
    games, agents = told_apart(words, position, agent, is_atlas_game)
    asked = {"games": games, "agent": agents, **given}
    asked = {name: value for name, value in asked.items() if value not in (None, ())}
    plan = wanted_plan(plan_file, "an atlas", lambda: _plan(**asked))
    path = results_path(plan, out)
    save_plan_to(save_plan, plan)
    how: dict[str, Any] = {"threads": threads, "cluster": cluster, "as_json": as_json}
    return run_atlas(plan, path, sort, top, csv, **how, figure=figure)


@atlas.command(help=_SOLVED_HELP)
@click.argument("boards", nargs=-1)
@position_option("A board.")
@click.option("--time-s", default="60", metavar="S", help="The limit for a board, and for its certificate.")
@click.option("--out", type=KEPT, metavar="FILE.json", help="Keep the results here. [in the data folder]")
@click.option("--certificates", type=FOLDER, metavar="FOLDER", help="Write certificates into this folder.")
@click.option(
    "--show",
    type=READ,
    metavar="FILE.json",
    help="Solve nothing; print what is in this file, or in the “reference” run.",
    shell_complete=complete_file,
)
@csv_option("all rows, with the sources")
@json_flag
def solved(
    boards: tuple[str, ...],
    position: tuple[str, ...],
    time_s: str,
    out: Path | None,
    certificates: Path | None,
    show: Path | None,
    csv: Path | None,
    as_json: bool,
) -> int:
    """Solve the boards and print the table, or show a file."""
    from nimdesk.cli.solved import run_solved, show_solved

    boards = (*boards, *position)
    if show is not None:
        if boards or out is not None or certificates is not None:
            raise OptionError("--show solves nothing; leave out what says what to solve, and where to.")
        return show_solved(_shown(show, "solved.json"), csv, as_json=as_json)
    return run_solved(boards, _seconds(time_s), out, certificates, csv, as_json=as_json)


def _shown(show: Path, reference: str) -> Path:
    """The file that --show names, or the one of this name that comes with nimdesk."""
    if show != Path("reference"):
        return show
    path = resources_dir() / reference
    check_unnamed(path)
    return path


def _seconds(text: str) -> float:
    from nimdesk.agents import agent_info  # lazy, like everything that one command needs

    seconds = next(field for field in agent_info("solver").fields if field.name == "time_s").parse(text)
    assert isinstance(seconds, float)
    return seconds


def _plan(
    games: tuple[str, ...] = (),
    plies: int | None = None,
    agent: tuple[str, ...] = USUAL_AGENTS,
    budgets: str = USUAL_BUDGETS,
    seeds: int = 1_000,
    seed: int = 0,
) -> Plan:
    from nimdesk.cli.plans import agent_part
    from nimdesk.experiments.atlas.games import ATLAS_GAMES, ATLAS_NIM, atlas_set
    from nimdesk.experiments.budgets import parse_budgets
    from nimdesk.experiments.plan import atlas_plan

    sets = [atlas_set(text, plies) for text in dict.fromkeys(games or (*ATLAS_GAMES, ATLAS_NIM))]
    return atlas_plan("atlas", map(agent_part, agent), sets, parse_budgets(budgets), seeds, seed)
