"""Plans and runs in words: how far they are, the line for a terminal, and the script for a notebook."""

from __future__ import annotations

import shlex
from pathlib import Path

from nimdesk.disk.atomic import os_error_words, write_atomically
from nimdesk.disk.paths import make_private
from nimdesk.errors import ResultsError
from nimdesk.experiments.plan import Plan
from nimdesk.experiments.published import BUILT_IN
from nimdesk.experiments.results import progress_text
from nimdesk.experiments.run import RunState
from nimdesk.ui.experiments.runner import Frame

_STATES = {
    RunState.READY: "Loading…",
    RunState.PROVING: "Finding out the exact value of every move…",
    RunState.PAUSED: "paused",
    RunState.WAITING: "waiting until results can be stored",
    RunState.FINISHED: "finished",
    RunState.CANCELLED: "cancelled; what is done is kept, and Continue goes on",
    RunState.FAILED: "failed",
}


def status_words(frame: Frame | None, state: RunState | None, *, waiting: bool, queued: bool = False) -> str:
    """How far a plan is; ``state`` is None unless it is the current run, ``waiting`` if its run is held.

    ``queued`` says that it waits for its turn.
    """
    if queued:
        done = "" if frame is None or not frame.done else f"{frame.done:,} of {frame.total:,} are done; "
        return f"{done}waiting for its turn"
    if state in (RunState.READY, RunState.PROVING):
        return _STATES[state]
    if frame is None:
        return ""
    what = frame.schedule.tasks
    done = f"{frame.done:,} of {frame.total:,}{f' {what}' if what else ''}"
    if waiting and state is not None:
        return f"{done}, waiting while a search is being watched"
    if state is RunState.RUNNING:
        if frame.progress is None or not frame.progress.fresh:
            return f"{done}, beginning…"
        return progress_text(frame.progress, what)
    if state is not None and not (state is RunState.FINISHED and not frame.complete):
        return f"{done}, {_STATES[state]}"
    if frame.complete:
        return f"{done}, finished"
    return f"{done} are done" if frame.done else "Not run yet: Start (F5) runs it."


def command(plan: Plan, path: Path) -> str:
    """The terminal command that runs the plan, or continues it; the plan is written beside its results for it."""
    for kind in plan.kinds:
        if kind.command is not None:
            return shlex.join(kind.command(plan))
    published = BUILT_IN.get(plan.name)
    words = ["nimdesk", "experiment", "run"]
    if published is not None:
        if plan.digest == published.plan.digest:
            return shlex.join([*words, plan.name])
        if plan.digest == published.plan.repeated(plan.repeats).digest:
            return shlex.join([*words, plan.name, "--games", str(plan.repeats)])
    return shlex.join([*words, str(write_plan(plan, path)), "--out", str(path)])


def script(plan: Plan, path: Path) -> str:
    """A script that has these results by the library, or that runs the plan, if its kind has one of its own."""
    made = next((kind.script for kind in plan.kinds if kind.script is not None), None)
    if made is not None:
        return made(plan, path)
    return f"import nimdesk as nd\n\nresults = nd.open({str(path)!r})\nresults.to_pandas()\n"


def write_plan(plan: Plan, path: Path) -> Path:
    """Write the plan beside its results, and return where; ``ResultsError`` if that fails."""
    file = path.with_suffix(".json")
    try:
        make_private(file.parent)
        write_atomically(file, plan.to_json(), follow=False)
    except (OSError, ValueError) as error:
        raise ResultsError(f"The plan is not kept: {os_error_words(error)}.") from error
    return file
