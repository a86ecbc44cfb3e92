"""Small plans, runs of them, and their results as text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from nimdesk.experiments.files import Found, read
from nimdesk.experiments.matches.work import MatchPart
from nimdesk.experiments.parts import PlayerPart
from nimdesk.experiments.plan import Plan, new_plan
from nimdesk.experiments.report import csv_files
from nimdesk.experiments.results import Result
from nimdesk.experiments.run import Event, Run, RunState
from nimdesk.experiments.schedule import Schedule, schedule_of
from nimdesk.experiments.searches import SearchPart

# A bound, for machines on which kernels are being compiled meanwhile; nothing here takes so long.
TIMEOUT_S = 300.0


def mixed_plan(games: int = 6) -> Plan:
    """Some of everything: Nim and a board, sampling, pruning and chance, openings, and searches."""
    players = {
        "mcts": PlayerPart(agent="uct", options={"iterations": 60}),
        "mcts that keeps its tree": PlayerPart(agent="uct", options={"iterations": 40, "keep_tree": True}),
        "alpha-beta": PlayerPart(agent="alphabeta", options={"depth": 2}),
        "random": PlayerPart(agent="random"),
        "flat": PlayerPart(agent="flat", options={"playouts": 5}),
    }
    first = MatchPart(players=["mcts", "mcts that keeps its tree", "random"], positions=["nim:3,4,5"], games=games)
    second = MatchPart(players=["mcts", "alpha-beta"], positions=["mnk:3,3,3"], games=games, opening_plies=1)
    searches = SearchPart(players=["flat", "mcts"], positions=["nim:5:max3", "nim:4:max3"], repeats=games)
    return new_plan("mixed", players, matches=[first, second], searches=[searches])


def finished(plan: Plan, path: Path | None, listener: Callable[[Event], None] | None = None, **how: Any) -> Run:
    """The plan run to its end."""
    run = Run(schedule_of(plan), path, listener=listener, **how)
    run.start()
    assert run.wait(TIMEOUT_S), "the run does not end"
    assert run.error is None, run.error
    assert run.state is RunState.FINISHED
    return run


def counted(schedule: Schedule, results: list[Result]) -> Found:
    """These results, counted."""
    found = Found(schedule)
    for result in results:
        found.add(result)
    return found


def tasks(schedule: Schedule) -> list[Any]:
    """All tasks."""
    return [schedule.task(number) for number in range(schedule.total)]


def csv_of(path: Path) -> dict[str, str]:
    """All reproducible files."""
    files = csv_files(read(path))
    assert files.pop("times.csv")
    return files
