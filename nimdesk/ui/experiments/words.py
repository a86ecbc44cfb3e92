"""Plans, runs and studies in words: their progress, their tables and curves, and the line for a terminal."""

from __future__ import annotations

import shlex
from pathlib import Path

import numpy as np

from nimdesk.disk.atomic import os_error_words, write_atomically
from nimdesk.disk.paths import make_private
from nimdesk.errors import ResultsError
from nimdesk.experiments.parts import OWN_BUDGET
from nimdesk.experiments.plan import Plan
from nimdesk.experiments.published import BUILT_IN
from nimdesk.experiments.results import progress_text
from nimdesk.experiments.run import RunState
from nimdesk.experiments.studies.tables import regret_words, study_cells
from nimdesk.experiments.studies.tally import StudyRow, Variation
from nimdesk.experiments.studies.work import Study, StudyPart
from nimdesk.figures.measure import Unit
from nimdesk.games.base import Game
from nimdesk.ui.experiments.runner import Frame
from nimdesk.ui.plots.study_plots import StudyCurve, StudyCurves, StudyGrid

HEADERS = ("Agent", "Budget", "Searches", "Optimal", "95% interval", "Regret [95%]", "Visits on optimal")
TIPS = (
    "Who searches, with the options that are not as usual",
    "How long each search was when its choice was read: iterations, or nodes",
    "How many searches there are so far",
    "How many of them would have played an optimal move",
    "Wilson's interval of that share",
    "What the choices gave away on average (win 1, draw 1/2, loss 0), and its 95% interval",
    "The share of all visits that optimal moves got",
)


_STATES = {
    RunState.READY: "Loading…",
    RunState.PROVING: "Finding out the exact value of every move…",
    RunState.PAUSED: "paused",
    RunState.WAITING: "waiting until results can be stored",
    RunState.FINISHED: "finished",
    RunState.CANCELLED: "cancelled; what is done is kept, and Continue goes on",
    RunState.FAILED: "failed",
}


def status_words(frame: Frame | None, state: RunState | None, what: str, *, waiting: bool) -> str:
    """How far a plan is; ``state`` is None unless it is the current run, ``waiting`` if its run is held.

    ``what`` names the tasks after their number, or is "".
    """
    if state in (RunState.READY, RunState.PROVING):
        return _STATES[state]
    if frame is None:
        return ""
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
    if plan.study:
        return _study_command(plan)
    published = BUILT_IN.get(plan.name)
    words = ["nimdesk", "experiment", "run"]
    if published is not None:
        if plan.digest == published.plan.digest:
            return shlex.join([*words, plan.name])
        if plan.digest == published.plan.repeated(plan.repeats).digest:
            return shlex.join([*words, plan.name, "--games", str(plan.repeats)])
    return shlex.join([*words, str(write_plan(plan, path)), "--out", str(path)])


def _study_command(plan: Plan) -> str:
    study = plan.study
    assert study
    words = ["nimdesk", "study"]
    for label in plan.players:
        words += ["--agent", label]
    for position in study.positions:
        words += ["--position", position]
    words += ["--budgets", _budgets(study), "--seeds", str(study.repeats), "--seed", str(plan.seed)]
    words += ["--solver-nodes", str(study.solver_nodes), "--csv", "study.csv"]
    return shlex.join(words)


def _budgets(study: StudyPart) -> str:
    return ",".join(f"{budget}{study.unit or ''}" for budget in study.budgets)


def script(plan: Plan, path: Path) -> str:
    """A script that has these results by the library; for a study it runs, or continues, the same plan."""
    if not plan.study:
        return f"import nimdesk as nd\n\nresults = nd.open({str(path)!r})\nresults.to_pandas()\n"
    study = plan.study
    agents = [
        f"nd.agent({part.agent!r}{''.join(f', {name}={value!r}' for name, value in part.options.items())})"
        for part in plan.players.values()
    ]
    lines = [
        "import nimdesk as nd",
        "",
        "study = nd.study(",
        f"    {list(study.positions)!r},",
        f"    [{', '.join(agents)}],",
        f"    budgets={_budgets(study) if study.unit else list(study.budgets)!r},",
        f"    seeds={study.repeats},",
        f"    seed={plan.seed},",
        f"    solver_nodes={study.solver_nodes},",
        f"    file={str(path)!r},",
        ")",
        "study.plot()",
    ]
    return "\n".join([*lines, ""])


def write_plan(plan: Plan, path: Path) -> Path:
    """Write the plan beside its results, and return where; ``ResultsError`` if that fails."""
    file = path.with_suffix(".json")
    try:
        make_private(file.parent)
        write_atomically(file, plan.to_json(), follow=False)
    except (OSError, ValueError) as error:
        raise ResultsError(f"The plan is not kept: {os_error_words(error)}.") from error
    return file


def letter(agent: int) -> str:
    """The letter of an agent's curve: A, B, …, Z, 27, …"""
    return chr(ord("A") + agent) if agent < 26 else str(agent + 1)


def position_words(frame: Frame, position: int) -> str:
    """The position, and how hard the choice is: how many moves are optimal."""
    regrets, text = frame.results.regrets[position], frame.study.positions[position].text
    optimal, total = regrets.count(0), len(regrets)
    if optimal == total:
        return f"{text}: every one of the {total} moves is optimal, so every choice is."
    verb = "is" if optimal == 1 else "are"
    chance = f"choosing blindly would be right in {optimal / total:.0%}"
    return f"{text}: {optimal} of {total} moves {verb} optimal, so {chance}."


def settled_words(frame: Frame, agent: int, position: int) -> str:
    """When the choice settles, such as "half settled by 63 iterations"."""
    row = next((row for row in frame.rows[agent, position] if row is not None), None)
    if row is None:
        return "no search yet"
    if row.budget is None:
        return OWN_BUDGET
    unit = frame.study.agents[agent].traits.counts
    if row.settled_median is not None:
        return f"half settled by {row.settled_median:,} {unit}"
    last = frame.study.part.words(frame.study.budgets[-1])
    return f"{row.settled / row.searches:.0%} settled by {last}{'' if frame.study.part.unit else f' {unit}'}"


def cells(row: StudyRow, agent: int, study: Study) -> tuple[str, ...]:
    """The cells of a row of the table."""
    return f"{letter(agent)}  {row.agent}", *study_cells(row, study)


def probability_curves(frame: Frame, position: int) -> StudyCurves:
    """The share of optimal choices of every agent, with Wilson's intervals."""
    return _curves(frame, position, "optimal")


def regret_curves(frame: Frame, position: int) -> StudyCurves:
    """The mean regret of every agent, with its 95% interval."""
    return _curves(frame, position, "regret")


def _curves(frame: Frame, position: int, what: str) -> StudyCurves:
    study = frame.study
    curves, top = [], 0.0
    for agent, label in enumerate(study.labels):
        values, low, high, words = _points(frame.rows[agent, position], what)
        if not np.all(np.isnan(high)):
            top = max(top, float(np.nanmax(high)))
        curves.append(StudyCurve(letter(agent), label, agent, values, low, high, words))
    budgets = np.array(study.budgets, dtype=np.float64)
    if what == "optimal":
        chance = frame.results.chance(position)
        return StudyCurves(budgets, tuple(curves), "optimal choices", Unit.SHARE, 1.0, chance, per=study.unit)
    # The regret of a game with two outcomes is 0 to 1; a small one is shown enlarged.
    chance = frame.results.chance_regret(position)
    top = max(top, chance)
    top = 1.0 if top > 0.5 else max(0.05, top)
    return StudyCurves(budgets, tuple(curves), "mean regret", Unit.SCORE, top, chance, per=study.unit)


def _points(rows: tuple[StudyRow | None, ...], what: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, tuple[str, ...]]:
    values, low, high = (np.full(len(rows), np.nan) for _ in range(3))
    words = []
    for i, row in enumerate(rows):
        own = f", {OWN_BUDGET}" * (row is not None and row.budget is None)
        if row is None:
            words.append("–")
        elif what == "optimal":
            values[i], low[i], high[i] = row.optimal_share, row.low, row.high
            words.append(
                f"{row.optimal:,} of {row.searches:,}: {row.optimal_share:.1%} [{row.low:.1%}, {row.high:.1%}]{own}"
            )
        else:
            values[i], (low[i], high[i]) = row.regret, row.regret_interval
            words.append(f"{regret_words(row)}{own}")
    return values, low, high, tuple(words)


def variation_words(study: Study, variation: Variation) -> str:
    """The varied number, such as "MCTS, textbook: Exploration c", with other options that are not the default."""
    agent = study.agents[variation.agents[0]]
    title = next((field.title for field in agent.info.fields if field.name == variation.option), variation.option)
    rest = [f"{name}={value}" for name, value in agent.character.items() if name != variation.option]
    return f"{', '.join([agent.info.title, *rest])}: {title}"


def grid(frame: Frame, position: int, variation: Variation) -> StudyGrid:
    """The heat map of one varied number."""
    shares = tuple(
        tuple(None if row is None else row.optimal_share for row in frame.rows[agent, position])
        for agent in variation.agents
    )
    title = f"{variation_words(frame.study, variation)} × budget, share of optimal choices"
    return StudyGrid(title, variation.values, frame.study.budgets, shares, frame.study.unit)


def spoken(frame: Frame, position: int, game: Game) -> str:
    """What the plots show, for screen readers."""
    parts = []
    for agent, label in enumerate(frame.study.labels):
        row = frame.rows[agent, position][-1]
        share, settled = "no search yet", settled_words(frame, agent, position)
        if row is not None:
            where = (
                f"with its {OWN_BUDGET}" if row.budget is None else f"at budget {frame.study.part.words(row.budget)}"
            )
            share = f"{row.optimal_share:.0%} optimal {where}"
        parts.append(f"{label}: {share}" if settled == OWN_BUDGET else f"{label}: {share}, {settled}")
    return f"{game.title}. {position_words(frame, position)} {'; '.join(parts)}."
