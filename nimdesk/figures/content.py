"""What figures show: the curves of searches and of studies, as plain values, and a caption for them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from nimdesk.agents import Agent, OptionValue
from nimdesk.disk.provenance import made_here
from nimdesk.errors import OptionError, shown
from nimdesk.experiments.files import Found
from nimdesk.experiments.parts import OWN_BUDGET
from nimdesk.experiments.studies.tally import StudyRow, StudyTally
from nimdesk.figures.measure import MEASURES, AgentMeasure, Measure, MeasureName, MoveMeasure, Unit
from nimdesk.games import AnyPosition, Game
from nimdesk.games.truth import Truth, Value
from nimdesk.search.measures import Floats, MoveNumbers
from nimdesk.search.timeline import Cost, Timeline

if TYPE_CHECKING:
    from nimdesk.figures.drawing import Curve, Panel, Plot
    from nimdesk.games.take.grundy import Sequence as GrundySequence
    from nimdesk.play.bundle import SavedRun

StudyMeasure = Literal["optimal", "regret"]
STUDY_BANDS: dict[str, str] = {
    "optimal": "Bands are Wilson's 95% intervals.",
    "regret": "Bands are 95% intervals, Wilson's of a share with the same mean.",
}
"""What the bands of a study's curves are, for each measure."""
_COSTS = {Cost.ITERATIONS: "iterations", Cost.SECONDS: "seconds", Cost.PLAYOUTS: "playouts", Cost.NODES: "nodes"}
_NAMED = 5


@dataclass(frozen=True, slots=True)
class Content:
    """A figure without its look: what is drawn, its title, and the text of its caption."""

    plot: Plot
    title: str
    caption: str

    @property
    def seeded(self) -> bool:
        """Whether it has curves of many seeds."""
        return any("seeds" in curve for panel in self.plot["panels"] for curve in panel["curves"])


@dataclass(frozen=True, slots=True)
class Searched:
    """One search to be shown: who searched which game, with which seed, and how it went; ``letter`` tells it apart."""

    agent: Agent
    game: Game
    seed: int
    timeline: Timeline
    letter: str = ""

    @property
    def name(self) -> str:
        """The agent in one word, after the letter."""
        memory = self.agent.traits.memory
        # How much a tree may grow is no character of the search; the laboratory sets it for itself.
        usual = {field.name: field.default for field in self.agent.info.fields if field.name == memory}
        label = self.agent.with_options(usual).label
        return f"{self.letter}: {label}" if self.letter else label

    @property
    def numbers(self) -> MoveNumbers | None:
        """What measures of moves are worked out from; None for a search without a trace."""
        trace = self.timeline.trace
        return None if trace is None else MoveNumbers(trace, self.agent.bound(self.game))

    @property
    def words(self) -> str:
        """The agent in full, after the letter."""
        return f"{self.letter}{': ' * bool(self.letter)}{in_full(self.agent, self.seed, self.game)}"


def searches_in(runs: Iterable[tuple[str, SavedRun]]) -> list[Searched]:
    """Those of the lettered runs of a bundle that have curves; ``OptionError`` if none has."""
    found = [
        Searched(run.agent, run.snapshot.position.game, run.seed, run.timeline, letter)
        for letter, run in runs
        if run.snapshot.trace
    ]
    if not found:
        raise OptionError("None of these agents plays simulations, so there are no curves to draw.")
    return found


def usual_measure(agent: Agent) -> MeasureName:
    """What this agent chooses by: its means, or its visits."""
    return "mean" if agent.choice_rule == "mean" else "share"


def in_full(agent: Agent, seed: int | None = None, game: Game | None = None) -> str:
    """The agent with all options that matter, and with ``seed`` if there is one and the agent makes use of it.

    A limit that is not set is left out. With the ``game`` it also says where another constant counts there.
    """
    left_out = {agent.traits.seed, "memory_mb", "threads"}
    if agent == agent.unlimited():  # as in the laboratory, where a person ends the search
        left_out |= agent.traits.limits
    told = []
    for field in agent.info.fields:
        value: OptionValue = getattr(agent.options, field.name)
        if field.name in left_out or (value is None and field.name in agent.traits.limits):
            continue
        if value is None:
            words = getattr(field, "empty", "") or "none"
        else:
            words = ("no", "yes")[value] if isinstance(value, bool) else str(value)
        told.append(f"{field.name} = {words}")
    seeded = f"seed {seed}" if seed is not None and agent.draws else ""
    scaled = "" if game is None else agent.scaled(game)
    inside = "; ".join(filter(None, [", ".join(told), scaled, seeded]))
    return f"{agent.info.title} ({inside})" if inside else agent.info.title


def agents_in_full(agents: Iterable[Agent]) -> list[str]:
    """A sentence for each agent of a study or an atlas, which sets the limits and the seeds itself."""
    return [f"{agent.label}: {in_full(agent.unlimited())}." for agent in agents]


def of_searches(
    position: AnyPosition,
    searches: Sequence[Searched],
    measure: MeasureName = "share",
    *,
    cost: Cost = Cost.ITERATIONS,
    log_x: bool = True,
    truth: Truth | None = None,
    heat: bool = False,
) -> Content:
    """How searches of one position went: for a measure of moves a panel for each search, otherwise a curve for each.

    As a ``heat`` map there is a row for each move that was visited. ``OptionError`` where there is nothing to draw.
    """
    kind = MEASURES[measure]
    alone, what = len(searches) == 1, f"{kind.words} over {_COSTS[cost]}"
    found = [(each, curves) for each in searches if (curves := _curves(each, kind, cost, truth, heat=heat))]
    if not found:
        raise OptionError(f"There is nothing to draw: none of these searches has a known {what}.")
    of_moves = isinstance(kind, MoveMeasure)
    if of_moves:
        panels = [panel("" if alone else each.name, curves) for each, curves in found]
    else:
        panels = [panel("", [curve for _each, curves in found for curve in curves])]
    without = [each.name for each in searches if all(each is not drawn for drawn, _curves in found)]
    label = axis_label(kind, position)
    plot: Plot = {
        "x": _COSTS[cost],
        "y": label,
        "log_x": log_x,
        "log_y": False,
        "y_range": kind.ends,
        # Without visits, what an agent is worth against the truth is what its choice is worth.
        "steps": kind.needs_truth,
        "panels": panels,
        "heat": heat,
    }
    band = kind.band.caption if isinstance(kind, MoveMeasure) and kind.band is not None else ""
    named = "Named are the move played and its rivals with most visits; the others are grey." * of_moves
    how = f"{band} {named}".strip()
    if heat:
        how = f"The colour is the {label}; first the move played, then those with most visits."
    notes = [
        f"{position.text}: {label} over {_COSTS[cost]}.",
        *(each.words + "." for each, _curves in found),
        f"Without {', '.join(without)}: no {what}." * bool(without),
        how,
        "✓ marks moves that are proven to keep the value of the position." * (truth is not None and of_moves),
    ]
    return Content(plot, f"{kind.words.capitalize()} on {position.text}", caption(notes))


def axis_label(measure: Measure, position: AnyPosition) -> str:
    """What the y axis of a figure says: the measure, and of a score for whom."""
    side = position.game.side_name(position.turn)
    return f"{measure.words} for {side}" if measure.unit is Unit.SCORE else measure.words


def _curves(searched: Searched, measure: Measure, cost: Cost, truth: Truth | None, *, heat: bool) -> list[Curve]:
    if isinstance(measure, MoveMeasure):
        return _of_moves(searched, measure, cost, truth, heat=heat)
    return _of_agent(searched, measure, cost, truth)


def _of_moves(searched: Searched, measure: MoveMeasure, cost: Cost, truth: Truth | None, *, heat: bool) -> list[Curve]:
    timeline, numbers = searched.timeline, searched.numbers
    spent = timeline.costs(cost)
    if numbers is None or spent is None or not len(numbers.trace):
        return []
    trace = numbers.trace
    values = measure.values(numbers)
    if values is None:
        return []
    if measure.line is not None:
        values = measure.line(numbers)
    low, high = (None, None) if measure.band is None else measure.band.ends(numbers)
    ranks = trace.visits[-1].astype(np.int64)
    ranks[timeline.choice[-1]] = ranks.max() + 1
    order = np.argsort(-ranks, kind="stable")
    curves: list[Curve] = []
    for number, column in enumerate(order.tolist()):
        move = trace.moves[column]
        good = truth is not None and truth.of(move).value is truth.value is not Value.UNKNOWN
        visited = bool(trace.visits[-1, column])
        if heat and not visited:
            continue
        faint = not heat and (number >= _NAMED or not visited)
        band = not faint and not heat and low is not None and high is not None
        curves.append(
            {
                "label": f"{move.text} ✓" if good else move.text,
                "x": spent.tolist(),
                "y": values[:, column].tolist(),
                "low": low[:, column].tolist() if band and low is not None else [],
                "high": high[:, column].tolist() if band and high is not None else [],
                "faint": faint,
            }
        )
    return curves


def measured(searched: Searched, measure: Measure, truth: Truth | None) -> Floats | None:
    """The measure at each row of the search, for each move if it is one of moves; None if it is not known."""
    timeline = searched.timeline
    if isinstance(measure, AgentMeasure):
        return measure.values(timeline, truth)
    numbers = searched.numbers
    return None if numbers is None else measure.values(numbers)


def _of_agent(searched: Searched, measure: AgentMeasure, cost: Cost, truth: Truth | None) -> list[Curve]:
    spent, values = searched.timeline.costs(cost), measured(searched, measure, truth)
    if spent is None or values is None:
        return []
    label = searched.name
    return [{"label": label, "x": spent.tolist(), "y": values.tolist(), "low": [], "high": [], "faint": False}]


def of_study(found: Found, measure: StudyMeasure = "optimal", *, heat: bool = False) -> Content:
    """A study over its budgets: a panel for each position, and for each agent a curve with its band or a ``heat`` row.

    ``OptionError`` for results of games, and before the first search.
    """
    study = found.of(StudyTally)
    if study is None:
        raise OptionError("Only a study has curves; to_pandas() gives the results of games.")
    made = study.study
    panels: list[Panel] = []
    for number, position in enumerate(made.positions):
        if curves := curves_of_study(study, number, measure, range(len(made.agents))):
            panels.append(panel(position.text if len(made.positions) > 1 else "", curves))
    if not panels:
        raise OptionError("There is nothing to draw: the study has no search yet.")
    optimal = measure == "optimal"
    label = study_label(measure)
    plot: Plot = {
        "x": f"budget ({made.unit})",
        "y": label,
        "log_x": True,
        "log_y": False,
        "y_range": (0.0, 1.02) if optimal else None,
        "steps": False,
        "panels": panels,
        "heat": heat,
    }
    plan = found.schedule.plan
    notes = [
        f"{', '.join(position.text for position in made.positions)}: {label} over the budget, in {made.unit}.",
        *agents_in_full(made.agents),
        f"{plan.repeats:,} searches of each position by each agent; seeds derived from {plan.seed}.",
        f"The colour is the {label}." if heat else STUDY_BANDS[measure],
    ]
    return Content(plot, f"{label.capitalize()} over the budget", caption(notes))


def study_label(measure: StudyMeasure) -> str:
    """What the y axis of a study's figure says."""
    return "share of optimal choices" if measure == "optimal" else "mean regret"


def curves_of_study(
    study: StudyTally, position: int, measure: StudyMeasure, agents: Iterable[int], before: str = ""
) -> list[Curve]:
    """A curve with its band for each of these agents on one position; ``before`` begins their names."""
    curves: list[Curve] = []
    for agent in agents:
        if rows := study.rows_of(agent, position):
            budgets, label = list(map(float, study.study.budgets)), f"{before}{study.study.labels[agent]}"
            if study.study.has_own_budget(agent, position):  # a flat line
                rows, label = rows * len(budgets), f"{label} ({OWN_BUDGET})"
            curves.append(_study_curve(label, budgets, rows, measure))
    return curves


def of_grundy(rule: str, found: GrundySequence) -> Content:
    """The Grundy values of a take-away game over the sizes of heaps."""
    values = found.values.astype(np.float64).tolist()
    sizes = list(map(float, range(len(values))))
    curve: Curve = {"label": rule, "x": sizes, "y": values, "low": [], "high": [], "faint": False}
    plot: Plot = {
        "x": "heap",
        "y": "Grundy value",
        "log_x": False,
        "log_y": False,
        "y_range": None,
        "steps": True,
        "panels": [panel("", [curve])],
    }
    period = found.period
    how = "" if period is None else "proven" if period.proven else "seen, not proven"
    repeats = "" if period is None else f"They repeat every {period.length} from heap {period.start} on ({how})."
    notes = [f"Grundy values of heaps under {rule}, up to {len(values) - 1:,}.", repeats]
    return Content(plot, f"Grundy values of {rule}", caption(notes))


def _study_curve(label: str, budgets: list[float], rows: Sequence[StudyRow], measure: StudyMeasure) -> Curve:
    if measure == "optimal":
        bands = [(row.optimal_share, row.low, row.high) for row in rows]
    else:
        bands = [(row.regret, *row.regret_interval) for row in rows]
    values, low, high = (list(each) for each in zip(*bands, strict=True))
    return {"label": label, "x": budgets, "y": values, "low": low, "high": high, "faint": False}


def plot_of(
    x: str, y: str, curves: list[Curve], y_range: tuple[float, float] | None = None, *, log_x: bool = False
) -> Plot:
    """Curves in one panel over these axes."""
    return {
        "x": x,
        "y": y,
        "log_x": log_x,
        "log_y": False,
        "y_range": y_range,
        "steps": False,
        "panels": [panel("", curves)],
    }


def panel(title: str, curves: list[Curve]) -> Panel:
    """Curves under a title."""
    return {"title": title, "curves": curves}


def caption(notes: Sequence[str]) -> str:
    """These sentences, and what computed the figure, in one line of visible letters.

    In a PGF it stands in a comment, which a line break would end; in an SVG other letters are no XML.
    """
    return " ".join(map(shown, [*filter(None, notes), f"Computed with {made_here().programs}."]))
