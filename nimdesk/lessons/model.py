"""A lesson as plain values: its steps, what each shows, and what it asks; the types are the format of its file.

A document is ``{"format": "nimdesk-lesson", "version": 1, "title", "about", "minutes", "steps": [...]}``; texts are
Markdown. Nothing in it can run: agents are named by their names in the catalogue, boards and curves are drawn by the
program, and a text that names a file or an address loads nothing.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias, get_args

import msgspec
from msgspec import Meta

from nimdesk.agents import Agent, make_agent
from nimdesk.figures.measure import MeasureName
from nimdesk.games import AnyPosition, parse_position
from nimdesk.play.laboratory import MAX_AGENTS
from nimdesk.search.options import MAX_SEED

FORMAT: Literal["nimdesk-lesson"] = "nimdesk-lesson"
VERSION: Literal[1] = 1
MAX_STEPS = 100
MAX_ITERATIONS = 10_000_000
"""As far as a search of a lesson may go: some seconds."""
MAX_SEEDS = 200
MOST_WORK = 30_000_000
"""As many simulations may be needed to judge one answer."""

Text = Annotated[str, Meta(max_length=20_000)]
Line = Annotated[str, Meta(max_length=500)]
PositionText = Annotated[str, Meta(max_length=4000)]
MoveText = Annotated[str, Meta(min_length=1, max_length=16)]
Iterations = Annotated[int, Meta(ge=1, le=MAX_ITERATIONS)]
Seeds = Annotated[int, Meta(ge=1, le=MAX_SEEDS)]
Place = Annotated[int, Meta(ge=1, le=MAX_AGENTS)]
"""An agent of the step, counted from 1."""
OptionValues = Annotated[dict[str, Any], Meta(max_length=50)]

Locked = Literal["position", "agents", "limit", "truth", "views", "next"]
"""What students may not change: the position, the agents with options and seeds, how far they search, whether the truth
is shown, the plots; or going on before a task is answered.
"""
Ringed = Literal["", "board", "run", "plot", "second plot", "scrubber", "agents", "moves", "truth"]
ViewName = Literal[
    "share",
    "visits",
    "stack",
    "heat",
    "visits-heat",
    "mean",
    "mean-heat",
    "bound",
    "entropy",
    "optimal",
    "regret",
    "tree",
]
TabName = Literal["moves", "tree", "simulation", "theory"]
TABS: tuple[TabName, ...] = get_args(TabName)
"""The tabs of the laboratory, in their order."""
ValueName = Literal["win", "draw", "loss"]


class Part(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Base of all parts: a field that this version does not know is an error, not a silent loss."""


class AgentPart(Part, frozen=True, kw_only=True, omit_defaults=True):
    """An agent of the catalogue with its options, and the seed of its search.

    In the laboratory it searches as far as the step says. A ``disguised`` agent does not show its options.
    """

    agent: Annotated[str, Meta(min_length=1, max_length=200)]
    options: OptionValues = {}
    seed: Annotated[int, Meta(ge=0, le=MAX_SEED)] = 1
    disguised: bool = False

    def make(self, changed: dict[str, Any] | None = None) -> Agent:
        """The agent, perhaps with some options ``changed``; ``OptionError`` for what there is not."""
        return make_agent(self.agent, {**self.options, **(changed or {})})


class Show(Part, frozen=True, kw_only=True, omit_defaults=True):
    """What the window shows at a step.

    ``position`` and ``agents`` stay those of the step before where they are left out. In the laboratory the agents
    search up to ``iterations`` on arriving (or seconds, playouts or nodes, as ``axis`` says); 0 leaves it to the
    person. In a game the person is to move, against the first agent. The truth is "shown", shown "after" the answer, or
    "hidden". ``view`` and ``second`` are what the plots show. ``ring`` is what to look at.
    """

    page: Literal["laboratory", "play"] = "laboratory"
    position: PositionText = ""
    agents: Annotated[list[AgentPart], Meta(max_length=MAX_AGENTS)] = []
    iterations: Annotated[int, Meta(ge=0, le=MAX_ITERATIONS)] = 0
    truth: Literal["shown", "after", "hidden"] = "hidden"
    view: ViewName = "share"
    second: ViewName | None = None
    axis: Literal["iterations", "seconds", "playouts", "nodes"] = "iterations"
    log: bool = True
    tab: TabName = "moves"
    ring: Ringed = ""


class MoveTask(Part, frozen=True, kw_only=True, omit_defaults=True, tag_field="kind", tag="move"):
    """Choose a move of the position; the truth judges it.

    It is right if it is proven to be worth ``value``, to have ``kept`` what the position is worth, or if it is the
    quickest win, or the longest resistance (``distance``).
    """

    judged: Literal["value", "kept", "distance"] = "kept"
    value: ValueName = "win"


class ChoiceTask(Part, frozen=True, kw_only=True, omit_defaults=True, tag_field="kind", tag="choice"):
    """Choose one of some sentences; ``right`` is the number of the right one, from 1."""

    choices: Annotated[list[Line], Meta(min_length=2, max_length=9)]
    right: Annotated[int, Meta(ge=1, le=9)]


class WhichTask(Part, frozen=True, kw_only=True, omit_defaults=True, tag_field="kind", tag="which"):
    """Predict which agent of the step has ``most`` or ``least`` of a measure after ``iterations``.

    The mean over the seeds 1 to ``seeds`` counts; with 1, the agents' own seeds do. Of "moves", predict which one the
    first agent plays.
    """

    of: Literal["agents", "moves"] = "agents"
    measure: Literal["optimal", "regret", "entropy"] = "optimal"
    wanted: Literal["most", "least"] = "most"
    iterations: Iterations
    seeds: Seeds = 1


class NumberTask(Part, frozen=True, kw_only=True, omit_defaults=True, tag_field="kind", tag="number"):
    """Predict a number, which is then counted.

    * ``moves``, ``games``, ``positions``: the legal moves; the ways to play on to the end; the different positions met
      (with who is to move), the present one included.
    * ``proven``, ``nodes``: the simulations, or the nodes, after which the agent has proven the position.
    * ``settled``: the simulations from which on it plays an optimal move, up to ``iterations``.
    * ``right``: how many of the seeds 1 to ``seeds`` play an optimal move after ``iterations``.
    * ``visits``, ``mean``, ``bound``: of ``move``, after ``iterations``.

    ``moves``, ``settled`` and ``bound`` can be worked out from what is shown, and be tried again; the others are
    predicted. An answer is right between the number divided by ``factor`` and multiplied by it, and ``within`` to
    either side.
    """

    number: Literal["moves", "games", "positions", "proven", "nodes", "settled", "right", "visits", "mean", "bound"]
    agent: Place = 1
    move: Annotated[str, Meta(max_length=16)] = ""
    iterations: Iterations = 1000
    seeds: Seeds = 100
    factor: Annotated[float, Meta(ge=1, le=1000)] = 1.0
    within: Annotated[float, Meta(ge=0, le=1e9)] = 0.0


class CurveTask(Part, frozen=True, kw_only=True, omit_defaults=True, tag_field="kind", tag="curve"):
    """Draw a curve over the simulations, which is then compared with what the agent's search has.

    It is the mean over the seeds 1 to ``seeds``; with 1, of the agent's own. ``move`` is for a measure of moves. With
    ``option``, the curve is over that option of the agent, from ``low`` to ``high``, each value after ``iterations``.
    It is right if it is ``within`` so much on average.
    """

    measure: MeasureName = "optimal"
    agent: Place = 1
    move: Annotated[str, Meta(max_length=16)] = ""
    iterations: Iterations
    seeds: Seeds = 1
    option: Annotated[str, Meta(max_length=100)] = ""
    low: float = 0.0
    high: float = 2.0
    within: Annotated[float, Meta(gt=0, le=1e9)] = 0.15


class OptionTask(Part, frozen=True, kw_only=True, omit_defaults=True, tag_field="kind", tag="option"):
    """Set some ``options`` of an agent so that a condition holds for at least ``least`` of the seeds 1 to ``seeds``.

    After ``iterations`` its choice is "optimal"; its "regret" is at most ``below`` on average over all seeds; or the
    position is "proven" by then.
    """

    agent: Place = 1
    options: Annotated[list[Annotated[str, Meta(max_length=100)]], Meta(min_length=1, max_length=20)]
    holds: Literal["optimal", "regret", "proven"] = "optimal"
    iterations: Iterations
    seeds: Seeds = 20
    least: Seeds = 1
    below: Annotated[float, Meta(ge=0, le=1)] = 0.0


class FaultTask(Part, frozen=True, kw_only=True, omit_defaults=True, tag_field="kind", tag="fault"):
    """Find which switch of an agent of the step is set wrongly: the only one that is not at its default."""

    agent: Place = 1


class ProveTask(Part, frozen=True, kw_only=True, omit_defaults=True, tag_field="kind", tag="prove"):
    """Play on from the position against perfect play, and end with what the position is worth to the side to move."""


class TextTask(Part, frozen=True, kw_only=True, omit_defaults=True, tag_field="kind", tag="text"):
    """Answer in words, on so many ``lines`` of a worksheet; ``answer`` is what a good one says."""

    lines: Annotated[int, Meta(ge=1, le=40)] = 4
    answer: Text = ""


Task: TypeAlias = (
    MoveTask | ChoiceTask | WhichTask | NumberTask | CurveTask | OptionTask | FaultTask | ProveTask | TextTask
)


def is_prediction(task: Task | None) -> bool:
    """Whether the question is what will come: the verdict tells what came, and the first answer counts."""
    if isinstance(task, NumberTask):
        return task.number not in ("moves", "settled", "bound")
    return isinstance(task, WhichTask | CurveTask)


class Step(Part, frozen=True, kw_only=True, omit_defaults=True):
    """One step: what is shown and said, and what is asked.

    ``found`` is said once the searches have come as far as the step says and, where it is shown, the truth is known.
    ``right`` is said after a right answer, beside an answer that is shown, and of a prediction in any case; ``wrong``
    in its place after a wrong one. What can be tried again has a ``wrong`` that does not tell the answer.
    """

    title: Line = ""
    text: Text
    found: Text = ""
    show: Show = Show()
    task: Task | None = None
    hint: Text = ""
    right: Text = ""
    wrong: Text = ""


class Lesson(Part, frozen=True, kw_only=True, omit_defaults=True):
    """The whole document. ``about`` is the question that it answers; ``number`` orders the lessons of a course."""

    format: Literal["nimdesk-lesson"] = FORMAT
    version: Literal[1] = VERSION
    title: Annotated[str, Meta(min_length=1, max_length=200)]
    about: Text
    number: Annotated[int, Meta(ge=0, le=1000)] = 0
    minutes: Annotated[int, Meta(ge=1, le=600)] = 10
    locked: Annotated[list[Locked], Meta(max_length=10)] = []
    steps: Annotated[list[Step], Meta(min_length=1, max_length=MAX_STEPS)]

    def at(self, number: int) -> Shown:
        """All that a step shows, from 1 on, with what stays from the steps before it."""
        shown = self.steps[0].show
        for step in self.steps[:number]:
            kept = {
                "position": step.show.position or shown.position,
                "agents": step.show.agents or shown.agents,
            }
            shown = msgspec.structs.replace(step.show, **kept)
        return Shown(self.steps[number - 1], shown, parse_position(shown.position), tuple(shown.agents))


class Shown(msgspec.Struct, frozen=True):
    """A step with what it shows, its position and its agents read."""

    step: Step
    show: Show
    position: AnyPosition
    agents: tuple[AgentPart, ...]
