"""``nimdesk tune``, ``rate``, ``compare`` and ``elo``: what experiments say of agents, beyond their own tables.

The engine is imported only when needed, because other commands do without it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nimdesk.cli.figures import Wanted
from nimdesk.cli.file_types import NAME
from nimdesk.cli.flags import (
    agent_option,
    arguments_option,
    budget_option,
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
    parted,
    plan_options,
    position_option,
    real_number,
    running_options,
    seed_option,
    told_apart,
)
from nimdesk.disk.provenance import made_here
from nimdesk.errors import OptionError
from nimdesk.experiments.hypotheses import OF_SCORE

if TYPE_CHECKING:
    from nimdesk.experiments.plan import Plan

_TUNE_HELP = """Find the best value of an option of an agent, and test whether it is better than the default.

OPTION=RANGE is exploration=0.1..3 (evenly spaced values; by factors where the ends are far apart) or a list of values,
exploration=0.1,0.5,1. With several options all combinations are tried, or --settings of them, drawn at random. All
play the agent as it is; the better half plays on, twice as many games, until two are left (successive halving). The
score of the best flatters it, because it was chosen by it. So it is then tested against the default in new games, in
pairs, by an SPRT, and called “better” only if that accepts H1; otherwise it is “not shown to be better”. Each finished
game is stored at once, and the same command goes on where it was stopped.

\b
Examples:
  nimdesk tune uct exploration=0.1..3 nim:3,4,5 --budget 200
  nimdesk tune mcts exploration=0.2..2 mnk:5,5,4 --opening-plies 2 --budget 20ms --values 12
  nimdesk tune uct final=mean,secure nim:1,3,5,7 --budget 500 --json
  nimdesk tune uct exploration=0.1..3 final=mean,secure nim:3,4,5 --budget 200 --settings 12

\b
Exit codes: 0 done, 2 something to put right, 130 stopped by Ctrl-C (how to go on is printed).
"""
_RATE_HELP = """Rate players: a round-robin of all of them, and one list with Elo and intervals.

Players and positions are as in “nimdesk match”, which plays the same games. The ratings are Elo by maximum likelihood,
above the mean of all players; a draw is half a win. The intervals are by profile likelihood and count pairs of games,
one in each role, so that draws and roles that decide many games narrow them. A player who has won or lost every point
is infinitely far away, with an interval that is open to that side, and the ratings are then above the mean of the
others.

\b
Examples:
  nimdesk rate uct:iterations=100 uct:iterations=300 flat random nim:3,4,5 --games 100
  nimdesk rate uct mcts alphabeta mnk:4,4,3 --opening-plies 2 --json

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
  nimdesk study uct nim:3,4,5 --out one.db
  nimdesk study uct:exploration=0.5 nim:3,4,5 --out other.db
  nimdesk compare one.db other.db --figure difference.pdf --figure-of difference
"""
_START = "Where games start, such as nim:3,4,5."


@click.command(help=_TUNE_HELP)
@arguments_option("[AGENT] [OPTION=RANGE]... [POSITION]...")
@options(
    position_option(_START),
    openings_option,
    budget_option("Of each move; without it the agent's own"),
    number("--values", "Values", 2, 63, "How many values of a range are tried.", "8"),
    number("--settings", "Settings", 2, 63, "Of several options, at most this many combinations are tried.", "32"),
    games_option("Games of each value in the first round, from each position, in each role.", "50"),
    number("--confirm", "Confirm", 1, 1_000_000, "At most this many games of the test, counted like --games.", "5000"),
    real_number("--elo1", "ELO", "Elo", -4_000, 4_000, f"The test is of 0 against this many Elo. {OF_SCORE}", "30"),
    real_number("--alpha", "P", "Alpha", 0, 0.5, "The error rates of the test.", "0.05"),
    opening_plies,
    seed_option("What all seeds are derived from.", "0"),
    plan_options,
)
@running_options
@json_flag
@figure_flags(("score",))
def tune(words: tuple[str, ...], position: tuple[str, ...], **given: Any) -> int:
    """Make a plan of the flags, or take that of a file, and run it."""
    from nimdesk.cli.running import run_asked

    asked, how = parted(given)
    return run_asked("a tuning", lambda: _tuning(words, position, **asked), **how, only=("Landscape",))


def _tuning(
    words: tuple[str, ...], position: tuple[str, ...], budget: str | None, values: int, settings: int, **how: Any
) -> Plan:
    from nimdesk.agents.naming import agent_from_text
    from nimdesk.cli.plans import some_positions
    from nimdesk.experiments.tuning import parse_settings, tuning_plan, with_budget

    positions, rest = told_apart(words, position)
    if len(rest) < 2:
        raise OptionError("Say whose option to tune and its values, such as “nimdesk tune uct exploration=0.1..3”.")
    base = agent_from_text(rest[0])
    if budget is not None:
        base = with_budget(base, budget)
    tried = parse_settings(base, rest[1:], values=values, settings=settings, seed=how["seed"])
    return tuning_plan(base, tried, some_positions(positions, how.pop("openings")), **how)


@click.command(help=_RATE_HELP)
@arguments_option()
@options(
    agent_option("Who plays"),
    position_option(_START),
    openings_option,
    budget_option("Of each move of all players that have none of their own"),
    games_option("Games of a pair from each position, in each role.", "100"),
    opening_plies,
    opening_rule_option,
    ending_options,
    seed_option("What all seeds are derived from.", "0"),
    plan_options,
)
@running_options
@json_flag
@figure_flags(("ratings", "score"))
def rate(words: tuple[str, ...], position: tuple[str, ...], agent: tuple[str, ...], **given: Any) -> int:
    """Make the plan of a match of all against all, or take that of a file, and run it."""
    from nimdesk.cli.plans import match_of_flags
    from nimdesk.cli.running import run_asked

    asked, how = parted(given)
    positions, players = told_apart(words, position, agent)
    only = ("Pairings", "Rating list", "Crosstable")
    return run_asked("a match", lambda: match_of_flags(players, positions, **asked), **how, only=only)


@click.command(help=_COMPARE_HELP)
@click.argument("one", type=NAME)
@click.argument("other", type=NAME)
@csv_option("the differences")
@json_flag
@figure_flags(("optimal", "regret", "difference"))
def compare(one: str, other: str, csv: Path | None, as_json: bool, figure: Wanted | None) -> None:
    """Read both, and print the differences."""
    from nimdesk.cli.options import check_csv, console, write_only_table
    from nimdesk.cli.plans import found_in, results_named
    from nimdesk.cli.printing import print_differences_json, print_section
    from nimdesk.experiments.differences import differences, differences_csv, side_by_side
    from nimdesk.experiments.store import Store

    check_csv(csv)
    paths = [results_named(name, None, None) for name in (one, other)]
    Store.open_to_read(paths[1]).close()  # a fault shows now, not after the first is read
    first, second = map(found_in, paths)
    found = differences(first, second)
    about = {"one": one, "other": other}
    if csv is not None:
        write_only_table(csv, "differences", differences_csv(found), about, [made_here()])
    if as_json:
        print_differences_json(found, (one, other), (first, second))
    else:
        out = console()
        print_section(side_by_side(found), out)
        for note in found.notes:
            out.print(f"* {note}")
        out.print(found.sentence)
    if figure is not None:
        from nimdesk.figures.compared import of_comparison  # lazy: few draw figures

        figure.draw(of_comparison(first, second, (one, other), figure.measure), about)


_ELO_HELP = """Say how strong one player is against another after games that were played anywhere.

COUNTS are three, WINS DRAWS LOSSES; or five, the pairs of games with 0, ½, 1, 1½ and 2 points, as fishtest and
fastchess print them. The output says how they were read. The Elo is that of the mean score, with a 95% interval by
profile likelihood; pairs narrow it. With --sprt two differences are tested, as in “nimdesk match”.

\b
Examples:
  nimdesk elo 35 0 11
  nimdesk elo 379 10170 22000 10300 402 --sprt 0,5
"""


@click.command(help=_ELO_HELP)
@click.argument("counts", nargs=-1, required=True, metavar="COUNTS...")
@click.option("--sprt", metavar="ELO0,ELO1", help="Test these two Elo differences.")
@click.option("--alpha", metavar="P", default="0.05", help="The error rates of --sprt.")
@json_flag
@figure_flags(("likelihood",))
def elo(counts: tuple[str, ...], sprt: str | None, alpha: str, as_json: bool, figure: Wanted | None) -> None:
    """Work it out and print it."""
    from nimdesk.cli.options import console, print_json
    from nimdesk.cli.plans import sprt_of_flags
    from nimdesk.cli.printing import finite
    from nimdesk.experiments.budgets import whole
    from nimdesk.experiments.strength import MOST, strength_of

    numbers = [whole("Count", each, 0, MOST) for each in counts]
    test = None if sprt is None else sprt_of_flags(sprt, alpha, pairs=len(numbers) != 3)
    found = strength_of(numbers, test)
    if as_json:
        print_json(finite(found.plain), [made_here()], found.finding)
    else:
        console().print(found.finding)
    if figure is not None:
        from nimdesk.figures.matches import of_strength  # lazy: few draw figures

        figure.draw(of_strength(found), {"counts": found.counted})
