"""``nimdesk match``: two or more agents play each other; the flags make a plan, and the plan is run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nimdesk.errors import OptionError
from nimdesk.search.options import MAX_SEED

if TYPE_CHECKING:
    from nimdesk.experiments.plan import Plan
    from nimdesk.experiments.statistics import Sprt

MATCH_HELP = """Let agents play matches against each other, and print who is better, with intervals.

PLAYERS are agents of the catalogue, or published ones, with options: uct:iterations=500,exploration=1.0. Two play a
match; more play a round-robin, or with --format gauntlet the first against each other. All seeds derive from the flags,
so that the same command gives the same games; each finished game is stored at once, and the same command goes on where
it was stopped.

\b
Examples:
  nimdesk match uct:iterations=500 uct:iterations=100 --position nim:3,4,5 --games 200
  nimdesk match uct-002 alphabeta-002 --position mnk:5,5,4 --games 50 --csv results
  nimdesk match uct flat random --position nim:21:max3 --position nim:1,3,5,7
  nimdesk match uct:iterations=900 uct:iterations=300 --position nim:3,4,5 --sprt 0,50 --games 5000

\b
Exit codes: 0 done, 2 something to put right, 130 stopped by Ctrl-C (how to go on is printed).
"""

Threads = Annotated[
    str | None, typer.Option(metavar="N", help="How many games at a time. [as many as there are processors]")
]
Cluster = Annotated[
    str | None, typer.Option(metavar="ADDRESS", help="Run on the Dask cluster of this scheduler: tcp://host:8786.")
]
Out = Annotated[Path | None, typer.Option(metavar="FILE.db", help="Store the results here. [in the data folder]")]
Csv = Annotated[Path | None, typer.Option(metavar="DIR", help="Also write CSV files and a report to this folder.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


def match_command(
    players: Annotated[list[str], typer.Argument(metavar="PLAYERS...", hidden=True)],
    position: Annotated[
        list[str] | None, typer.Option(metavar="POSITION", help="Where games start: nim:3,4,5. Repeatable.")
    ] = None,
    games: Annotated[str, typer.Option(metavar="N", help="Games of a pair from each position, in each order.")] = "100",
    swap: Annotated[bool, typer.Option("--swap/--no-swap", help="Play as many again with the roles exchanged.")] = True,
    format: Annotated[str, typer.Option(metavar="NAME", help="round-robin or gauntlet.")] = "round-robin",
    opening_plies: Annotated[
        str, typer.Option(metavar="N", help="Begin with so many random moves, the same for both orders.")
    ] = "0",
    sprt: Annotated[
        str | None,
        typer.Option(metavar="ELO0,ELO1", help="End a pairing when one of these Elo differences is accepted."),
    ] = None,
    alpha: Annotated[str, typer.Option(metavar="P", help="The error rates of --sprt.")] = "0.05",
    seed: Annotated[str, typer.Option(metavar="N", help="What all seeds are derived from.")] = "0",
    threads: Threads = None,
    cluster: Cluster = None,
    out: Out = None,
    csv: Csv = None,
    save_plan: Annotated[Path | None, typer.Option(metavar="FILE.json", help="Write the plan to this file.")] = None,
    as_json: AsJson = False,
) -> int:
    """Read the flags and run the match; see ``MATCH_HELP``."""
    from nimdesk.cli.experiment_run import run_plan  # lazy: other commands do without
    from nimdesk.experiments.plan import MatchPart
    from nimdesk.experiments.words import whole

    if len(players) < 2:
        raise OptionError(
            "A match needs two players or more, such as “nimdesk match uct random”; a name may come twice."
        )
    if not position:
        raise OptionError("Say where the games start, such as --position nim:3,4,5; “nimdesk games” lists positions.")
    if format not in ("round-robin", "gauntlet"):
        raise OptionError(f"The format is “{format}”; it must be round-robin or gauntlet.")
    part: dict[str, Any] = {
        "players": players,
        "format": format,
        "positions": position,
        "games": whole("Games", games, 1, 1_000_000),
        "swap": swap,
        "opening_plies": whole("Opening plies", opening_plies, 0, 100),
        "sprt": None if sprt is None else _sprt(sprt, alpha),
    }
    plan = match_plan(players, [MatchPart(**part)], whole("Seed", seed, 0, MAX_SEED))
    if save_plan is not None:
        write_text(save_plan, plan.to_json())
    number = None if threads is None else whole("Threads", threads, 1, 256)
    return run_plan(plan, out, threads=number, cluster=cluster, as_json=as_json, csv=csv)


def match_plan(players: Sequence[str], matches: Sequence[object], seed: int) -> Plan:
    """The plan of a match between players as they are typed."""
    from nimdesk.cli.options import agent_from_text
    from nimdesk.experiments.plan import PlayerPart, new_plan

    parts = {}
    for text in players:
        agent = agent_from_text(text)
        parts[text] = PlayerPart(agent=agent.name, options=agent.changed_options)
    return new_plan("match", parts, title=" – ".join(dict.fromkeys(players)), matches=list(matches), seed=seed)


def write_text(path: Path, data: bytes) -> None:
    """Write a file at once; ``OptionError`` where that cannot be done."""
    from nimdesk.atomic import os_error_words, write_atomically

    try:
        write_atomically(path, data)
    except (OSError, ValueError) as error:
        raise OptionError(f"“{path}” cannot be written: {os_error_words(error)}.") from error


def _sprt(text: str, alpha: str) -> Sprt:
    from nimdesk.experiments.statistics import Sprt

    try:
        elo0, elo1 = (float(part) for part in text.split(","))
        return Sprt(elo0=elo0, elo1=elo1, alpha=float(alpha), beta=float(alpha))
    except ValueError as error:
        why = str(error) if "elo" in str(error) or "alpha" in str(error) else "write two numbers like 0,50"
        raise OptionError(f"--sprt {text} (--alpha {alpha}) is not understood: {why}.") from None
