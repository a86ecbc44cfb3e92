"""A plan and its run as words: how far it is, and the line that runs it in a terminal."""

from __future__ import annotations

import shlex
from pathlib import Path

import msgspec

from nimdesk.experiments.plan import Plan
from nimdesk.experiments.published import BUILT_IN
from nimdesk.experiments.runner import RunState
from nimdesk.experiments.words import progress_text
from nimdesk.ui.experiments.exports import write_text
from nimdesk.ui.experiments.match_runner import RunFrame

_STATES = {
    RunState.READY: "Loading…",
    RunState.RUNNING: "",
    RunState.PAUSED: "paused",
    RunState.FINISHED: "finished",
    RunState.CANCELLED: "cancelled; what is done is kept, and Continue goes on",
    RunState.FAILED: "failed",
}


def status_words(frame: RunFrame | None, state: RunState | None, *, waiting: bool) -> str:
    """How far a plan is; ``state`` is None if it is not the one that was run, ``waiting`` if its run is held."""
    if frame is None or state is RunState.READY:
        return _STATES[RunState.READY] if state is RunState.READY else ""
    done = f"{frame.done:,} of {frame.total:,}"
    if waiting and state is not None:
        return f"{done}, waiting while a search is being watched"
    if state is RunState.RUNNING:
        return progress_text(frame.progress) if frame.progress is not None else f"{done}, beginning…"
    if state is not None and not (state is RunState.FINISHED and not frame.complete):
        return f"{done}, {_STATES[state]}"
    if frame.complete:
        return f"{done}, finished"
    return f"{done} are done" if frame.done else "Not run yet: Start (F5) runs it."


def with_games(plan: Plan, games: int) -> Plan:
    """The same plan with so many games of each kind, or searches."""
    change = msgspec.structs.replace
    return change(
        plan,
        matches=[change(part, games=games) for part in plan.matches],
        searches=[change(part, repeats=games) for part in plan.searches],
    )


def command(plan: Plan, path: Path) -> str:
    """The line that runs the plan, or goes on with it, in a terminal."""
    published = BUILT_IN.get(plan.name)
    words = ["nimdesk", "experiment", "run"]
    if published is not None:
        parts = [*(part.games for part in plan.matches), *(part.repeats for part in plan.searches)]
        if plan.digest == published.plan.digest:
            return shlex.join([*words, plan.name])
        if plan.digest == with_games(published.plan, parts[0]).digest:
            return shlex.join([*words, plan.name, "--games", str(parts[0])])
    file = path.with_suffix(".json")
    file.parent.mkdir(parents=True, exist_ok=True)
    write_text(file, plan.to_json().decode())
    return shlex.join([*words, str(file), "--out", str(path)])
