"""``nimdesk tune``, ``rate`` and ``compare``: what experiments say of agents, beyond their own tables.

The engine is imported only when needed, because other commands do without it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from nimdesk.cli.figures import Wanted, figure_options
from nimdesk.cli.file_types import NAME
from nimdesk.cli.flags import games_option, json_flag, number, options, real_number, running_options, seed_option
from nimdesk.experiments.hypotheses import OF_SCORE

_TUNE_HELP = """Find the best value of an option of an agent, and test whether it is better than the default.

OPTION=RANGE is exploration=0.1..3 (evenly spaced values; by factors where the ends are far apart) or a list of values,
exploration=0.1,0.5,1. With several options all combinations are tried, or --settings of them, drawn at random. All
play the agent as it is; the better half plays on, twice as many games, until two are left (successive halving). The
score of the best flatters it, because it was chosen by it. So it is then tested against the default in new games, in
pairs, by an SPRT, and called “better” only if that accepts H1; otherwise it is “not shown to be better”. Each finished
game is stored at once, and the same command goes on where it was stopped.

\b
Examples:
  nimdesk tune uct exploration=0.1..3 --position nim:3,4,5 --budget 200
  nimdesk tune mcts exploration=0.2..2 --position mnk:5,5,4 --opening-plies 2 --budget 20ms --values 12
  nimdesk tune uct final=mean,secure --position nim:1,3,5,7 --budget 500 --json
  nimdesk tune uct exploration=0.1..3 final=mean,secure --position nim:3,4,5 --budget 200 --settings 12

\b
Exit codes: 0 done, 2 something to put right, 130 stopped by Ctrl-C (how to go on is printed).
"""
_RATE_HELP = """Rate players: a round-robin of all of them, and one list with Elo and intervals.

PLAYERS are as in “nimdesk match”, which plays the same games. The ratings are Elo by maximum likelihood, above the mean
of all players; a draw is half a win. The intervals are by profile likelihood and count pairs of games, one in each
role, so that draws and roles that decide many games narrow them. A player who has won or lost every point is
infinitely far away, with an interval that is open to that side, and the ratings are then above the mean of the others.

\b
Examples:
  nimdesk rate uct:iterations=100 uct:iterations=300 flat random --position nim:3,4,5 --games 100
  nimdesk rate uct mcts alphabeta --position mnk:4,4,3 --opening-plies 2 --json

\b
Exit codes: 0 done, 2 something to put right, 130 stopped by Ctrl-C (how to go on is printed).
"""
_COMPARE_HELP = """Compare two studies or runs: what both have measured, the difference, and its 95% interval.

ONE and OTHER are files of results, or the names of published tables that have been run. Of studies, agents with the
same name and options are compared (or the only ones), at the positions and budgets that both have. Of games, the shares
of wins and draws by players, roles and position; of searches, how often they were right. Differences are OTHER minus
ONE.

\b
Examples:
  nimdesk study --agent uct --position nim:3,4,5 --out one.db
  nimdesk study --agent uct:exploration=0.5 --position nim:3,4,5 --out other.db
  nimdesk compare one.db other.db --figure difference.pdf --figure-of difference
"""
_positions = click.option(
    "--position", multiple=True, metavar="POSITION", help="Where games start: nim:3,4,5. Repeatable."
)
_openings = number(
    "--opening-plies", "Opening plies", 0, 100, "Begin with this many random moves, the same for both orders.", "0"
)


@click.command(help=_TUNE_HELP)
@click.argument("agent")
@click.argument("option", metavar="OPTION=RANGE...", nargs=-1, required=True)
@options(
    _positions,
    click.option("--budget", metavar="N", help="Of each move: a number, or a time such as 20ms. [the agent's own]"),
    number("--values", "Values", 2, 63, "How many values of a range are tried.", "8"),
    number("--settings", "Settings", 2, 63, "Of several options, at most this many combinations are tried.", "32"),
    games_option("Games of each value in the first round, from each position, in each role.", "50"),
    number("--confirm", "Confirm", 1, 1_000_000, "At most this many games of the test, counted like --games.", "5000"),
    real_number("--elo1", "ELO", "Elo", -4_000, 4_000, f"The test is of 0 against this many Elo. {OF_SCORE}", "30"),
    real_number("--alpha", "P", "Alpha", 0, 0.5, "The error rates of the test.", "0.05"),
    _openings,
    seed_option("What all seeds are derived from.", "0"),
)
@running_options
@json_flag
@options(*figure_options(("score",)))
def tune(
    agent: str,
    option: tuple[str, ...],
    position: tuple[str, ...],
    budget: str | None,
    values: int,
    settings: int,
    threads: int | None,
    cluster: str | None,
    out: Path | None,
    csv: Path | None,
    as_json: bool,
    figure: Path | None,
    figure_of: str,
    figure_look: str,
    **how: Any,
) -> int:
    """Make a plan of the flags and run it."""
    from nimdesk.cli.options import agent_from_text
    from nimdesk.cli.plans import results_path, some_positions
    from nimdesk.cli.running import run_plan
    from nimdesk.experiments.tuning import parse_settings, tuning_plan, with_budget

    wanted = Wanted.of(figure, figure_of, figure_look)
    base = agent_from_text(agent)
    if budget is not None:
        base = with_budget(base, budget)
    tried = parse_settings(base, option, values=values, settings=settings, seed=how["seed"])
    plan = tuning_plan(base, tried, some_positions(position), **how)
    how_run: dict[str, Any] = {"threads": threads, "cluster": cluster, "as_json": as_json, "csv": csv}
    return run_plan(plan, results_path(plan, out), **how_run, only=("Landscape",), figure=wanted)


@click.command(help=_RATE_HELP)
@click.argument("players", nargs=-1, required=True)
@options(
    _positions,
    games_option("Games of a pair from each position, in each role.", "100"),
    _openings,
    seed_option("What all seeds are derived from.", "0"),
)
@running_options
@json_flag
def rate(players: tuple[str, ...], out: Path | None, **given: Any) -> int:
    """Make the plan of a match of all against all, and run it."""
    from nimdesk.cli.plans import match_of_flags, results_path
    from nimdesk.cli.running import run_plan

    how = {name: given.pop(name) for name in ("threads", "cluster", "as_json", "csv")}
    plan = match_of_flags(players, swap=True, format="round-robin", sprt=None, alpha="", pairs=False, **given)
    return run_plan(plan, results_path(plan, out), **how, only=("Rating list", "Crosstable"))


@click.command(help=_COMPARE_HELP)
@click.argument("one", type=NAME)
@click.argument("other", type=NAME)
@json_flag
@options(*figure_options(("optimal", "regret", "difference")))
def compare(one: str, other: str, as_json: bool, figure: Path | None, figure_of: str, figure_look: str) -> None:
    """Read both, and print the differences."""
    from nimdesk.cli.options import console, print_json
    from nimdesk.cli.plans import found_in, results_named
    from nimdesk.cli.printing import differences_json, print_section
    from nimdesk.experiments.differences import differences, side_by_side
    from nimdesk.experiments.store import Store

    wanted = Wanted.of(figure, figure_of, figure_look)
    paths = [results_named(name, None, None) for name in (one, other)]
    Store.open_to_read(paths[1]).close()  # a fault shows now, not after the first is read
    first, second = map(found_in, paths)
    found = differences(first, second)
    if as_json:
        print_json(differences_json(found, (one, other), (first, second)))
    else:
        out = console()
        print_section(side_by_side(found), out)
        for note in found.notes:
            out.print(f"* {note}")
        out.print(found.sentence)
    if wanted is not None:
        from nimdesk.figures.compared import of_comparison  # lazy: few draw figures

        wanted.draw(of_comparison(first, second, (one, other), wanted.measure), {"one": one, "other": other})
