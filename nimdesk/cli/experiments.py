"""``nimdesk study``, ``match`` and ``experiment``: three commands for one engine, each with its flags.

The engine is imported only when needed, because other commands do without it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from nimdesk.cli.figures import Wanted
from nimdesk.cli.file_types import FOLDER, KEPT, NAME, TABLE, told_as_file
from nimdesk.cli.flags import (
    agent_option,
    arguments_option,
    budget_option,
    budgets_option,
    cluster_option,
    csv_option,
    ending_options,
    figure_flags,
    games_option,
    json_flag,
    number,
    opening_plies,
    opening_rule_option,
    openings_option,
    options,
    other_plan,
    parted,
    plan_options,
    position_option,
    running_options,
    save_plan_option,
    seed_option,
    threads_option,
    told_apart,
)
from nimdesk.cli.interrupting import interruptibly
from nimdesk.cli.options import write_text
from nimdesk.disk.paths import resources_dir
from nimdesk.errors import OptionError, quoted, shown, suggestion
from nimdesk.experiments.hypotheses import OF_SCORE

_STUDY_HELP = """Measure how fast searches converge to the truth: many seeds, every budget, against exact values.

Each agent searches each position once per seed. At every budget the move it would play is compared with the truth
(theory in Nim, the solver for m,n,k games): how often it is optimal, with a 95% Wilson interval, the mean regret (value
of the best move minus that of the move chosen; win 1, draw 1/2, loss 0), and by how many iterations the choice settled.

POSITION is what is searched, AGENT who searches, both as often as you like; a position with moves stands in quotation
marks.

\b
Examples:
  nimdesk study nim:3,4,5 --budgets 100,500,2000 --seeds 200
  nimdesk study uct uct:exploration=0.5 nim:3,4,5 --csv study.csv
  nimdesk study mnk:3,3,3 --vary exploration=0.1,0.3,1,3 --out study.db
  nimdesk study --out study.db                   go on where it was stopped

\b
Columns of --csv, one row for each agent, position and budget:
  agent, position
  budget           empty for an agent with a budget of its own
  searches         how many (one where nothing is left to chance)
  optimal          how many of them chose an optimal move
  optimal_share, low, high   the same as a share, and its 95% Wilson interval
  regret, regret_error       mean regret and its standard error
  visit_share      share of all visits that optimal moves got
  settled          how many searches chose optimally from some moment on up to the largest budget
  settled_median   by how many iterations half of all searches had; empty where fewer ever did
  chance           share of the legal moves that are optimal
The CSV depends on the plan alone, not on threads, a cluster, interruptions or how fast they are.

A budget is a number of iterations; for agents that search without sampling (alphabeta, minimax, solver) one of nodes.
Or it is a time for all of them, as in --budgets 1ms-1s: then agents are compared by what they find in the same time,
the column “budget” has milliseconds, and the results depend on the machine. Agents with a budget of their own (levels,
plug-ins that only choose, players that look the move up) are read at their end: one row, one flat line.

Exit codes: 0 done, 2 something to put right, 130 stopped by Ctrl-C (what is done is printed and kept).
"""
_MATCH_HELP = """Let agents play matches against each other, and print who is better, with intervals.

AGENT is a player of the catalogue, or a published one, with options: uct:iterations=500,exploration=1.0; with a name
before it, short=uct:iterations=500, it is called so. Two play a
match; more play a round-robin, or with --format gauntlet the first against each other. POSITION is where games start;
one with moves stands in quotation marks. All seeds derive from the flags, so that the same command gives the same
games; each finished game is stored at once, and the same command goes on where it was stopped.

\b
Examples:
  nimdesk match uct:iterations=500 uct:iterations=100 nim:3,4,5 --games 200
  nimdesk match uct-002 alphabeta-002 mnk:5,5,4 --games 50 --csv results
  nimdesk match uct flat random nim:21:max3 nim:1,3,5,7 --budget 20ms
  nimdesk match uct:iterations=900 uct:iterations=300 nim:3,4,5 --sprt 0,50 --games 5000
  nimdesk match uct mcts mnk:5,5,4 --opening-plies 2 --sprt 0,50 --pairs --games 5000
  nimdesk match uct mcts level5 mnk:7,6,4:gravity --openings lines.txt --clock 10+0.1
  nimdesk match uct mcts mnk:15,15,5 --openings openings.txt --games 1
  nimdesk match uct mcts mnk:9,9,5 --opening-rule swap2 --games 24

\b
Exit codes: 0 done, 2 something to put right, 130 stopped by Ctrl-C (how to go on is printed).
"""
_EXPERIMENT_HELP = """Run experiments: the published tables of the five documents, and plans of your own.

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
each), table.csv (by role and position), pairings.csv and pairs.csv (what Elo and its interval are from), choices.csv
and moves.csv (of searches), published.csv (the document's figures and ours), report.md, plan.json; all the same to the
byte whenever the plan is run again. times.csv and the seconds in the report are measurements, and are not; nor are
made.json and the end of the report, which say what made the results. “--columns” explains every column. A name that a
spreadsheet would take for a formula, such as =1+1, has an apostrophe before it.
"""


ALL_MEASURES = ("optimal", "regret", "misled", "worst", "score", "ratings", "llr")
"""What results of some kind can be drawn by."""


class InOrder(click.Group):
    """A group that lists its commands in the order in which they were added, and suggests one for a slip."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Their names."""
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the first word names; a usage error if there is none."""
        if not ctx.resilient_parsing and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            shown = [name for name in self.commands if not self.commands[name].hidden]
            hint = suggestion(args[0], shown, f"“{ctx.command_path} --help” lists what there is.")
            if told := told_as_file(args[0]):
                below = f"{quoted(args[0])} is a file; what to do with it comes before it: “{ctx.command_path} --help”."
                raise click.UsageError(told if ctx.parent is None else below, ctx)
            what = "command or file" if any(mark in args[0] for mark in "./\\") else "command"
            raise click.UsageError(f"There is no {what} {quoted(args[0])}; {hint}", ctx)
        return super().resolve_command(ctx, args)


@click.command(help=_STUDY_HELP)
@arguments_option()
@options(
    agent_option("Who searches", "uct"),
    position_option("What is searched, such as nim:3,4,5."),
    budgets_option,
    number("--seeds", "Seeds", 1, 1_000_000, "How many searches for each agent and position. [100]"),
    seed_option("What all seeds are derived from. [0]"),
    click.option("--vary", metavar="OPTION=LIST", help="Each agent once for each value: exploration=0.1,0.5,1."),
    number(
        "--solver-nodes",
        "Solver nodes",
        1,
        1_000_000_000,
        "How many positions the solver may visit to prove a board. [5,000,000]",
    ),
    plan_options,
    threads_option("How many searches at a time. [as many as there are cores, and one if the budgets are times]"),
    cluster_option,
    click.option("--out", type=KEPT, metavar="FILE.db", help="Keep every search here; the same command then goes on."),
    csv_option("the summary", "all tables and a report"),
    click.option(
        "--searches", type=TABLE, metavar="FILE.csv", help="Write each search at each budget, with its visits."
    ),
    json_flag,
)
@figure_flags(("optimal", "regret", "optimal-heat", "regret-heat"))
def study(
    words: tuple[str, ...],
    position: tuple[str, ...],
    agent: tuple[str, ...],
    plan_file: Path | None,
    save_plan: Path | None,
    out: Path | None,
    csv: Path | None,
    searches: Path | None,
    threads: int | None,
    cluster: str | None,
    as_json: bool,
    figure: Wanted | None,
    **given: Any,
) -> int:
    """Make a plan of the flags, or take that of a file, and run it."""
    from nimdesk.cli.plans import begun, save_plan_to, study_of_flags, wanted_plan
    from nimdesk.cli.running import run_study

    positions, agents = told_apart(words, position, agent)
    asked = {"position": positions, "agent": agents, **given}
    asked = {name: value for name, value in asked.items() if value not in (None, ())}
    going_on = begun(out) if plan_file is None and not asked else None
    plan = going_on or wanted_plan(plan_file, "a study", lambda: study_of_flags(**asked))
    save_plan_to(save_plan, plan)
    how: dict[str, Any] = {"threads": threads, "cluster": cluster, "as_json": as_json}
    return run_study(plan, out, **how, csv=csv, searches=searches, figure=figure)


@click.command(help=_MATCH_HELP)
@arguments_option()
@options(
    agent_option("Who plays"),
    position_option("Where games start, such as nim:3,4,5."),
    openings_option,
    budget_option("Of each move of all players that have none of their own"),
    games_option("Games of a pair from each position, in each order.", "100"),
    click.option("--swap/--no-swap", default=True, help="Play as many again with the roles exchanged."),
    click.option("--format", metavar="NAME", default="round-robin", help="round-robin or gauntlet."),
    opening_plies,
    opening_rule_option,
    click.option(
        "--sprt",
        metavar="ELO0,ELO1",
        help=f"End a pairing when one of these Elo differences is accepted. For ELO1: {OF_SCORE}",
    ),
    click.option("--alpha", metavar="P", default="0.05", help="The error rates of --sprt."),
    click.option(
        "--pairs",
        is_flag=True,
        show_default=False,
        help="Let --sprt count pairs of games, one in each role (pentanomial), not single games.",
    ),
    ending_options,
    seed_option("What all seeds are derived from.", "0"),
    plan_options,
)
@running_options
@json_flag
@figure_flags(("score", "ratings", "llr"))
def match(words: tuple[str, ...], position: tuple[str, ...], agent: tuple[str, ...], **given: Any) -> int:
    """Make a plan of the flags, or take that of a file, and run it."""
    from nimdesk.cli.plans import match_of_flags
    from nimdesk.cli.running import run_asked

    asked, how = parted(given)
    positions, players = told_apart(words, position, agent)
    return run_asked("a match", lambda: match_of_flags(players, positions, **asked), **how)


@click.group(cls=InOrder, help=_EXPERIMENT_HELP, invoke_without_command=True)
@click.pass_context
def experiment(context: click.Context) -> None:
    """The commands below; without one, what they are."""
    if context.invoked_subcommand is None:
        print(context.get_help())
        context.exit(2)


@experiment.command("list", help="List the published tables: what each is, its source, how long it takes.")
@json_flag
def list_published(as_json: bool) -> None:
    """Print them."""
    from nimdesk.cli.printing import print_published

    print_published(as_json)


@experiment.command(
    help="Run a published table, or the plan in a file; go on with it where it was stopped.\n\n"
    "NAME is a published table, or the file of a plan (.json) or of results (.db)."
)
@click.argument("name", type=NAME, metavar="NAME")
@other_plan
@save_plan_option
@running_options
@json_flag
@figure_flags(ALL_MEASURES, default="what such results have first")
def run(name: str, games: int | None, seed: int | None, out: Path | None, save_plan: Path | None, **how: Any) -> int:
    """NAME: a published table, or the file of a plan (.json) or of results (.db), which is gone on with."""
    from nimdesk.cli.plans import plan_named, results_path, save_plan_to
    from nimdesk.cli.running import run_plan
    from nimdesk.experiments.store import SUFFIX

    stored = Path(name) if name.endswith(SUFFIX) else None
    plan = plan_named(name, games, seed)
    path = results_path(plan, out or stored)
    save_plan_to(save_plan, plan)
    return run_plan(plan, path, **how)


@experiment.command(
    help="Print how far a run is, and its results so far.\n\nNAME is a published table, or a file of results."
)
@click.argument("name", type=NAME, metavar="NAME")
@other_plan
@csv_option("the main table", "all tables and a report")
@json_flag
@figure_flags(ALL_MEASURES, default="what such results have first")
def status(
    name: str, games: int | None, seed: int | None, csv: Path | None, as_json: bool, figure: Wanted | None
) -> None:
    """NAME: a published table, or a file of results."""
    from nimdesk.cli.options import check_csv, console
    from nimdesk.cli.plans import found_in, results_named
    from nimdesk.cli.printing import print_found, print_found_json
    from nimdesk.cli.running import draw, write_csv

    check_csv(csv)
    found = found_in(results_named(name, games, seed))
    write_csv(found, csv)
    if as_json:
        print_found_json(found)
    else:
        print_found(found)
        open_words = "" if found.complete else ", the run is not complete"
        console().print(f"\n{found.done:,} of {found.total:,} are done{open_words}: {shown(found.path)}")
    draw(found, figure)


# For one version: whoever typed it in the last one is told where it went.
@experiment.command(hidden=True, add_help_option=False, context_settings={"ignore_unknown_options": True})
@click.argument("_words", nargs=-1, type=click.UNPROCESSED)
def readings(_words: tuple[str, ...]) -> None:
    """Say that it is a notebook now; ``OptionError``."""
    where = shown(resources_dir() / "notebooks" / "7_readings.py")
    raise OptionError(f"The readings of documents are a notebook now, which uses nimdesk as a library: {where}.")


@experiment.command(help=_EXPORT_HELP)
@click.argument("name", type=NAME, metavar="NAME", default="")
@click.option("--out", type=FOLDER, metavar="PATH", help="The folder, or the file of a saved game.")
@number(
    "--game",
    "Game",
    0,
    10_000_000,
    "Write game number N as a saved game, which the window opens; as text with a name in .txt.",
)
@click.option(
    "--searches", is_flag=True, show_default=False, help="With --game: do its searches again and save them with it."
)
@click.option("--columns", is_flag=True, show_default=False, help="Explain the columns of the CSV files, and exit.")
@other_plan
def export(
    name: str, out: Path | None, game: int | None, searches: bool, columns: bool, games: int | None, seed: int | None
) -> None:
    """Write files, or one game."""
    from rich.progress import TimeElapsedColumn

    from nimdesk.cli.options import progress_bar
    from nimdesk.cli.plans import found_in, results_named
    from nimdesk.experiments.report import columns_text, write_files

    if columns:
        print(columns_text())
        return
    if not name:
        raise OptionError("Say what to export: a published table such as 000-piles, or a file of results.")
    if out is None:
        raise OptionError("Say where to with --out: a folder, or with --game the file of a saved game.")
    path = results_named(name, games, seed)
    if game is not None:
        _export_game(path, game, out, searches=searches)
        return
    found = found_in(path)
    with progress_bar("writing tables", TimeElapsedColumn()):
        files = write_files(found, out)
    for file in files:
        print(shown(file))


def _export_game(path: Path, number: int, out: Path, *, searches: bool) -> None:
    from nimdesk.cli.plans import found_in
    from nimdesk.experiments.matches.playing import game_of
    from nimdesk.experiments.matches.tally import MatchTally
    from nimdesk.experiments.matches.work import Matches
    from nimdesk.play.log import game_log
    from nimdesk.play.record import save_game

    found = found_in(path)
    result = found[MatchTally].results.numbered(number)
    if result is None:
        raise OptionError(f"There is no finished game number {number} in “{path}”; games.csv lists them.")
    game = interruptibly(lambda _stop: game_of(found.schedule[Matches], result, searches=searches))
    if out.suffix.lower() == ".txt":
        write_text(out, game_log(game), "The log")
    else:
        save_game(game, out)
    print(shown(out))
