"""The execution of tasks, in any thread or process."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from nimdesk.errors import StoppedError
from nimdesk.experiments.brakes import Brakes
from nimdesk.experiments.plan import plan_from_json
from nimdesk.experiments.results import Result
from nimdesk.experiments.schedule import Schedule, schedule_of
from nimdesk.plugins import games as games_of_packages

Known = Mapping[str, Any]
"""What each kind has proven before its first task (``Tally.known``), by its field in the plan."""


def run_tasks(
    schedule: Schedule, numbers: Sequence[int], brakes: Brakes | None = None, known: Known | None = None
) -> tuple[list[Result], float]:
    """Do these tasks in order, and return the results and the seconds taken; fewer if the brakes are applied.

    A player that fails loses its game; in a study ``AgentError`` ends the run.
    """
    began, results = time.perf_counter(), list[Result]()
    for number in numbers:
        if brakes is not None and (brakes.pausing or brakes.stopping):
            break
        kind = schedule.kind(number)
        work = schedule.works[kind]
        try:
            results.append(kind.run(work, work.task(number), (known or {}).get(kind.name), brakes))
        except StoppedError:
            break
    return results, time.perf_counter() - began


def run_tasks_of(plan_json: bytes, numbers: Sequence[int], known: Known) -> tuple[list[Result], float]:
    """``run_tasks`` with picklable arguments, for a worker in another process."""
    games_of_packages.begin()
    return run_tasks(_schedule(plan_json), numbers, None, known)


@lru_cache(maxsize=4)
def _schedule(plan_json: bytes) -> Schedule:
    return schedule_of(plan_from_json(plan_json))
