"""The flags of ``nimdesk study``; what it does is in ``nimdesk.cli.study``, which is loaded when it is wanted."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from nimdesk.errors import OptionError
from nimdesk.search.options import MAX_SEED

STUDY_HELP = """Measure how fast searches converge to the truth: many seeds, every budget, against exact values.

Each agent searches each position once per seed. At every budget the move it would play is compared with the truth
(theory in Nim, the solver for m,n,k games): how often it is optimal, with a 95% Wilson interval, the mean regret (value
of the best move minus that of the move chosen; win 1, draw 1/2, loss 0), and by how many iterations the choice settled.

\b
Examples:
  nimdesk study --position nim:3,4,5 --budgets 100,500,2000 --seeds 200
  nimdesk study --agent uct --agent uct:exploration=0.5 --position nim:3,4,5 --csv study.csv
  nimdesk study --vary exploration=0.1,0.3,1,3 --position mnk:3,3,3 --out study.db
  nimdesk study --out study.db                   go on where it was stopped

\b
Columns of --csv, one row for each agent, position and budget:
  agent, position, budget
  searches         how many (one where nothing is left to chance)
  optimal          how many of them chose an optimal move
  optimal_share, low, high   the same as a share, and its 95% Wilson interval
  regret, regret_error       mean regret and its standard error
  visit_share      share of all visits that optimal moves got
  settled          how many searches chose optimally from some moment on up to the largest budget
  settled_median   by how many iterations half of all searches had; empty where fewer ever did
  chance           share of the legal moves that are optimal
The CSV depends on the plan alone, not on threads, interruptions or the speed of the machine.

A budget is a number of iterations; for agents that search without sampling (alphabeta, minimax, solver) one of nodes.

Exit codes: 0 done, 2 something to put right, 130 stopped by Ctrl-C (what is done is printed and kept).
"""


def study_command(
    context: typer.Context,
    agent: Annotated[
        list[str] | None,
        typer.Option(metavar="AGENT", help="Who searches, with options: uct:exploration=0.5. Repeatable. [uct]"),
    ] = None,
    position: Annotated[
        list[str] | None, typer.Option(metavar="POSITION", help="What is searched, such as nim:3,4,5. Repeatable.")
    ] = None,
    budgets: Annotated[
        str | None,
        typer.Option(metavar="LIST", help="Numbers with commas; 10-10000 is 10, 20, 50, 100, … 10000. [10-10000]"),
    ] = None,
    seeds: Annotated[
        str | None, typer.Option(metavar="N", help="How many searches for each agent and position. [100]")
    ] = None,
    seed: Annotated[str | None, typer.Option(metavar="N", help="What all seeds are derived from. [0]")] = None,
    vary: Annotated[
        str | None,
        typer.Option(metavar="OPTION=LIST", help="Each agent once for each value: exploration=0.1,0.5,1."),
    ] = None,
    solver_nodes: Annotated[
        str | None,
        typer.Option(metavar="N", help="How many positions the solver may visit to prove a board. [5,000,000]"),
    ] = None,
    plan: Annotated[
        Path | None, typer.Option(metavar="FILE.json", help="Take all of the above from this plan.")
    ] = None,
    save_plan: Annotated[Path | None, typer.Option(metavar="FILE.json", help="Write the plan to this file.")] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE.db", help="Keep every search here; the same command then goes on.")
    ] = None,
    csv: Annotated[Path | None, typer.Option(metavar="FILE.csv", help="Write the summary to this file.")] = None,
    searches: Annotated[
        Path | None, typer.Option(metavar="FILE.csv", help="Write each search at each budget, with its visits.")
    ] = None,
    threads: Annotated[
        str | None, typer.Option(metavar="N", help="How many searches at a time. [as many as there are cores]")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
) -> int:
    """Read the flags and run the study; see ``STUDY_HELP``."""
    from nimdesk.cli import study as studies  # lazy: loads numpy, and other commands do without
    from nimdesk.experiments.words import whole

    asked = {
        "--agent": agent,
        "--position": position,
        "--budgets": budgets,
        "--seeds": seeds,
        "--seed": seed,
        "--vary": vary,
        "--solver-nodes": solver_nodes,
    }
    given = [name for name, value in asked.items() if value]
    if plan is not None and given:
        raise OptionError(f"--plan says everything that {given[0]} would say; give one of them.")
    made = studies.plan_in(plan, out if not given else None)
    if made is None:
        if not position:
            raise OptionError("Say what to search, such as --position nim:3,4,5; “nimdesk study --help” has examples.")
        made = studies.plan_from_flags(
            agent or ["uct"],
            position,
            budgets or studies.DEFAULT_BUDGETS,
            studies.DEFAULT_SEEDS if seeds is None else whole("Seeds", seeds, 1, studies.MAX_SEEDS),
            seed=0 if seed is None else whole("Seed", seed, 0, MAX_SEED),
            solver_nodes=None if solver_nodes is None else whole("Solver nodes", solver_nodes, 1, 1_000_000_000),
            vary=vary,
        )
    output = studies.Output(out=out, csv=csv, searches=searches, plan=save_plan, as_json=as_json)
    number = None if threads is None else whole("Threads", threads, 1, 256)
    return studies.study(made, output, threads=number, arguments=sys.argv[1:])
