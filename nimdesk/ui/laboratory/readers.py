"""What panels read of a run in the thread of the searches: its tree, and its simulations one at a time.

Functions import here what loads numba, because in the UI thread that would hold up the window.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from nimdesk.agents import Agent
from nimdesk.play.laboratory import LabMoment
from nimdesk.search import Limit, Searcher, Snapshot
from nimdesk.search.tree_types import Family, Line, TreeView
from nimdesk.ui.jobs.bridge import Bridge, Job, ignore
from nimdesk.ui.laboratory.races import Run, RunKey
from nimdesk.ui.laboratory.stepping_stages import Stage, stages_of

if TYPE_CHECKING:
    from nimdesk.search.stepping import Replay, Stepper

PART_S = 0.012
"""How long one part of an answer may keep the searches waiting."""
Question = Callable[[], object]


class Unfinished:
    """The answer of a question that has to be asked again to continue."""


UNFINISHED = Unfinished()


class Asker:
    """Has a panel's newest question answered, part by part; of the questions asked meanwhile only the last is kept."""

    def __init__(self, bridge: Bridge, answered: Callable[[object], None], failed: Callable[[str], None]) -> None:
        """``answered`` hears the answer, ``failed`` one sentence instead of it."""
        self._bridge, self._answered, self._failed = bridge, answered, failed
        self._job: Job | None = None
        self._asked: Question | None = None
        self._next: Question | None = None

    @property
    def busy(self) -> bool:
        """Whether an answer is awaited."""
        return self._job is not None

    def ask(self, question: Question) -> None:
        """Have this called in the thread of the searches, again and again until it is finished."""
        if self._job is None:
            self._asked = question
            self._job = self._bridge.ask(lambda _job: question(), done=self._on_answered, failed=self._on_failed)
        else:
            self._next = question

    def forget(self, reader: TreeReader | SteppingReader | None) -> None:
        """Forget all questions; the reader releases all that it holds."""
        self._asked = self._next = None
        if self._job is not None:
            self._job.drop()
            self._job = None
        if reader is not None:
            self._bridge.ask(reader.clear, done=ignore, failed=ignore)

    def _on_answered(self, answer: object) -> None:
        self._job = None
        following, self._next = self._next, None
        if following is None and answer is UNFINISHED:
            following = self._asked
        if following is not None:
            self.ask(following)
        if answer is not UNFINISHED:
            self._answered(answer)

    def _on_failed(self, sentence: str) -> None:
        self._job = self._next = None
        self._failed(sentence)


@dataclass(frozen=True, slots=True)
class TreeRequest:
    """The wanted nodes at a moment: after ``iterations`` (None: now), or after ``nodes`` searched nodes."""

    lines: tuple[Line, ...]
    iterations: int | None
    nodes: int


@dataclass(frozen=True, slots=True)
class TreeAnswer:
    """The nodes, None for those not in the tree; ``note`` is a few words on the tree as a whole."""

    families: dict[Line, Family | None]
    note: str


def iterations_shown(at: LabMoment) -> int | None:
    """The iterations of the moment shown, for a search that samples; None for the newest."""
    shown, newest = at.state, at.focused.newest
    if shown is None or (newest is not None and shown.iterations == newest.iterations):
        return None
    return shown.iterations


def records(agent: Agent) -> bool:
    """Whether this agent's tree must be recorded by another search."""
    return agent.traits.tree == "recorded"


class TreeReader:
    """Reads one run's tree: the live one, or the one at an earlier moment.

    Made in the UI thread, then used only in the thread of the searches.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self._replay: Replay | None = None
        self._recorded: Searcher | None = None

    def question(self, request: TreeRequest) -> Question:
        """A question whose answer is a ``TreeAnswer``, None for a search without a tree, or ``UNFINISHED``."""
        return partial(self._read_recorded if records(self._run.key.agent) else self._read, request)

    def clear(self, _job: Job) -> None:
        """Release everything; returning memory takes time."""
        self._replay = self._recorded = None

    def _read(self, request: TreeRequest) -> object:
        from nimdesk.search.stepping import Replay

        key, searcher, snapshot = self._run.key, self._run.searcher, self._run.snapshot
        iterations = request.iterations
        if iterations is None and searcher is None and snapshot is not None:
            iterations = snapshot.iterations
        if iterations is not None:
            new_searcher = partial(key.agent.new_searcher, key.position)
            self._replay = self._replay or Replay(new_searcher, key.position, key.seed)
            if not self._replay.go_to(iterations, time.perf_counter() + PART_S):
                return UNFINISHED
            searcher = self._replay.searcher
        return _answer(searcher, request)

    def _read_recorded(self, request: TreeRequest) -> object:
        from nimdesk.search.textbook.depth_first import NODE_LIMIT

        nodes, key = min(request.nodes, NODE_LIMIT), self._run.key
        searcher = self._recorded
        if searcher is None or searcher.snapshot().tree_nodes > nodes:
            searcher = self._recorded = key.agent.new_recording()
            searcher.start(key.position, key.seed)
        ended = searcher.advance(Limit(nodes=nodes, time_s=searcher.snapshot().elapsed_s + PART_S)) is not None
        return _answer(searcher, request) if ended or searcher.snapshot().tree_nodes >= nodes else UNFINISHED


def _answer(searcher: Searcher | None, request: TreeRequest) -> TreeAnswer | None:
    if not isinstance(searcher, TreeView):
        return None
    return TreeAnswer({line: searcher.family(line) for line in request.lines}, searcher.tree_note())


@dataclass(frozen=True, slots=True)
class Told:
    """The steps of a simulation; none if the search comes to its end first, after ``ended`` simulations.

    ``states`` are the whole search before and after it.
    """

    number: int
    stages: list[Stage]
    ended: int | None = None
    states: tuple[Snapshot, Snapshot] | None = None


@dataclass(frozen=True, slots=True)
class NextChange:
    """The simulation that changes the leader next; None if there was none up to ``looked`` simulations."""

    number: int | None
    looked: int


class SteppingReader:
    """Reads the simulations of one run's position, agent and seed; make and use it like a ``TreeReader``."""

    def __init__(self, key: RunKey) -> None:
        self._key = key
        self._made: Stepper | None = None

    def simulation(self, number: int) -> Question:
        """A question whose answer is ``Told``, or ``UNFINISHED``."""
        return partial(self._tell, number)

    def next_change(self, after: int, last: int) -> Question:
        """A question whose answer is ``NextChange``, or ``UNFINISHED``."""
        return partial(self._look_ahead, after, last)

    def clear(self, _job: Job) -> None:
        """Release everything; returning memory takes time."""
        self._made = None

    def _stepper(self) -> Stepper:
        from nimdesk.search.stepping import Stepper

        key = self._key
        self._made = self._made or Stepper(partial(key.agent.new_searcher, key.position), key.position, key.seed)
        return self._made

    def _tell(self, number: int) -> object:
        stepper = self._stepper()
        told = stepper.simulation(number, time.perf_counter() + PART_S)
        if told is None and stepper.ended is None:
            return UNFINISHED
        if told is None:
            return Told(number, [], stepper.ended)
        return Told(number, stages_of(told), stepper.ended, told.states)

    def _look_ahead(self, after: int, last: int) -> object:
        found = self._stepper().next_change(after, last, time.perf_counter() + PART_S)
        if found is None:
            return UNFINISHED
        return NextChange(found if found <= last else None, last)
