"""What is studied in the laboratory, and what changed: the model that all panels follow, and through which they act."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal, Slot

from nimdesk.agents import Agent
from nimdesk.games import AnyPosition, Move
from nimdesk.games.truth import Truth
from nimdesk.search import Snapshot, StopReason
from nimdesk.search.timeline import Cost, cost_of
from nimdesk.ui.jobs.truth import Followed, TruthFollower
from nimdesk.ui.laboratory.agents import MAX_AGENTS, Studied, new_agent
from nimdesk.ui.laboratory.history import PositionHistory
from nimdesk.ui.laboratory.replay import Replay
from nimdesk.ui.laboratory.runs import Run, RunKey, RunStore
from nimdesk.ui.laboratory.selection import Selection
from nimdesk.ui.laboratory.service import LaboratoryService, Progress
from nimdesk.ui.laboratory.words import run_sentence
from nimdesk.ui.look.move_colors import MoveColors

TRUTH_TIME_S = 30.0
Rows = tuple[tuple[int, float, float, int], ...]
DEFAULT_LIMITS: dict[Cost, float | None] = {
    Cost.ITERATIONS: 10_000.0,
    Cost.SECONDS: 5.0,
    Cost.PLAYOUTS: 10_000.0,
    Cost.NODES: 10_000.0,
}


@dataclass(frozen=True, slots=True)
class Axis:
    """The cost on the x axis of every view, on which a race is kept level; logarithmic or linear."""

    cost: Cost = Cost.ITERATIONS
    log: bool = True


class _Source(Followed):
    """The laboratory's position, for the follower of the truth."""

    def __init__(self, history: PositionHistory) -> None:
        super().__init__()
        self.history = history

    @property
    def position(self) -> AnyPosition:
        return self.history.position


class Laboratory(QObject):
    """One position, one to four agents, their results, and the moment of them that every panel shows.

    Lives in the UI thread and never waits. Results belong to (position, agent, seed) and come back with them.
    """

    position_changed = Signal()
    """Another position is studied; all results are others."""
    agents_changed = Signal()
    """The list of agents, their options, seeds, or which of them is in focus changed; results may be others."""
    results_changed = Signal()
    """A run shown went on, or began anew; up to 30 times a second."""
    running_changed = Signal()
    """``running``, ``preparing``, ``can_run`` or ``limit`` changed, or a run failed."""
    axis_changed = Signal()
    """``axis`` changed; ``moment`` then is on the new one."""
    moment_changed = Signal()
    """``moment`` changed."""
    truth_changed = Signal()
    """``truth``, ``truth_words`` or ``truth_shown`` changed."""
    pointed_changed = Signal(object)
    """The ``Move`` pointed at in any panel, or None."""
    line_changed = Signal(object)
    """The line of play (a tuple of ``Move``) to preview on the board; empty for none."""
    told = Signal(str)
    """One sentence for the person at the screen, such as why nothing was pasted."""

    def __init__(self, position: AnyPosition, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._history = PositionHistory(position)
        self._source = _Source(self._history)
        self._store = RunStore()
        self._selection = Selection((Studied(new_agent("uct"), 1),))
        self._axis = Axis()
        self._limits = dict(DEFAULT_LIMITS)
        self._moment: float | None = None
        self._pointed: Move | None = None
        self._preparing = False
        self._again = False
        self.colors = MoveColors()
        self.service = LaboratoryService(self)
        self.service.race_begun.connect(self._on_begun)
        self.service.progressed.connect(self._on_progress)
        self.service.race_ended.connect(self._on_ended)
        self.service.run_failed.connect(self._on_failed)
        self._follower = TruthFollower(self._source, TRUTH_TIME_S)
        self._follower.truth_changed.connect(self.truth_changed)
        self._truth_shown = True
        self._replay = Replay(self.service, self)
        self._replay.replayed.connect(self._on_replayed)
        self.moment_changed.connect(self._want_replay)
        self._runs = self._find_runs()

    def begin(self) -> None:
        """The page is on the screen: proofs may start."""
        self._follower.set_shown(self._truth_shown)

    def shutdown(self) -> None:
        """End both threads; call it after the window is hidden."""
        self._replay.cancel()
        self.service.shutdown()
        self._follower.end()

    # The position

    @property
    def position(self) -> AnyPosition:
        """The position studied."""
        return self._history.position

    @property
    def can_back(self) -> bool:
        """Whether another position was studied before."""
        return self._history.can_back

    @property
    def can_forward(self) -> bool:
        """Whether ``back`` was called."""
        return self._history.can_forward

    @property
    def can_parent(self) -> bool:
        """Whether moves led to the position."""
        return bool(self.position.moves)

    def go_to(self, position: AnyPosition) -> None:
        """Study this position; results of the one before are kept."""
        if self._history.visit(position):
            self._position_changed()

    def play(self, move: Move) -> None:
        """Study the position after this legal move."""
        self.go_to(self.position.play(move))

    def back(self) -> None:
        """The position studied before this one."""
        if self._history.can_back:
            self._history.back()
            self._position_changed()

    def forward(self) -> None:
        """The position that ``back`` left."""
        if self._history.can_forward:
            self._history.forward()
            self._position_changed()

    def parent_position(self) -> None:
        """The position before the last move."""
        if (parent := self._history.parent) is not None:
            self.go_to(parent)

    def _position_changed(self) -> None:
        self._again = False
        self.service.stop()
        self.colors.reset()
        self._moment = None
        self.point(None)
        self.preview(())
        self._runs = self._find_runs()
        self._read_colors()
        self.position_changed.emit()
        self.moment_changed.emit()
        self.running_changed.emit()
        self._source.position_changed.emit(False)

    # The agents

    @property
    def studied(self) -> tuple[Studied, ...]:
        """The agents under study, one to four."""
        return self._selection.studied

    @property
    def focus(self) -> int:
        """Which of them the views of a single search show."""
        return self._selection.focus

    @property
    def runs(self) -> tuple[Run, ...]:
        """Their runs in this position, in the same order."""
        return self._runs

    @property
    def focused(self) -> Run:
        """The run in focus."""
        return self._runs[self.focus]

    def set_focus(self, index: int) -> None:
        """Show this agent where one search is shown."""
        self._select(self._selection.focused_on(index))

    def add_agent(self, agent: Agent | None = None, seed: int | None = None) -> None:
        """Study one more agent, by default one that is not there yet; nothing happens beyond four."""
        self._select(self._selection.with_added(agent, seed))

    def set_agent(self, index: int, agent: Agent) -> None:
        """Study this agent in place of the one at ``index``, with the same seed."""
        self._select(self._selection.with_agent(index, agent))

    def set_seed(self, index: int, seed: int) -> None:
        """Search with this seed."""
        self._select(self._selection.with_seed(index, seed))

    def new_seeds(self) -> None:
        """Another seed for every agent: the same experiment once more."""
        self._select(self._selection.with_seeds(int.from_bytes(os.urandom(4))))

    def remove_agent(self, index: int) -> None:
        """Study the others alone; its results come back with it. The last one stays."""
        self._select(self._selection.without(index))

    def set_studied(self, studied: tuple[Studied, ...], focus: int = 0) -> None:
        """Study exactly these (one to four)."""
        self._select(Selection(studied[:MAX_AGENTS], focus))

    def show_saved(self, position: AnyPosition, saved: Sequence[tuple[Studied, Snapshot, Rows]]) -> None:
        """Study these agents in this position, with searches that were saved in place of their own."""
        self.go_to(position)
        self.set_studied(tuple(studied for studied, _, _ in saved))
        self.stop()
        for run, (_, snapshot, rows) in zip(self._runs, saved, strict=False):
            if (searcher := self._store.forget(run.key)) is not None:
                self.service.release([searcher])
            self._store.get(run.key).restore(snapshot, rows)
        self.set_moment(None)
        self._agents_changed()

    def _select(self, selection: Selection) -> None:
        before, self._selection = self._selection, selection
        if selection.studied != before.studied:
            self._again = False
            self.service.stop()
        if selection != before:
            self._agents_changed()

    def _agents_changed(self) -> None:
        self._runs = self._find_runs()
        self.colors.reset()
        self._read_colors()
        self.agents_changed.emit()
        self.running_changed.emit()

    def _find_runs(self) -> tuple[Run, ...]:
        runs = tuple(self._store.get(RunKey(self.position, each.agent, each.seed)) for each in self.studied)
        self._trim((*runs, *self.service.busy))
        return runs

    def _trim(self, shown: tuple[Run, ...]) -> None:
        self.service.release(self._store.trim(shown))

    # Running

    @property
    def running(self) -> bool:
        """Whether searches run."""
        return self.service.running or self._again

    @property
    def preparing(self) -> bool:
        """Whether a race waits for its kernels to be loaded or compiled."""
        return self._preparing

    @property
    def can_run(self) -> bool:
        """Whether there is anything to carry on."""
        return self.position.outcome is None and not all(run.ended for run in self._runs)

    @property
    def limit(self) -> float | None:
        """How much of the axis' cost each search may spend before it waits; None: no end."""
        return self._limits[self._axis.cost]

    @property
    def limits(self) -> dict[Cost, float | None]:
        """The limit of each cost."""
        return dict(self._limits)

    def set_limit_of(self, cost: Cost, limit: float | None) -> None:
        """The limit of this cost, which counts while the axis has it."""
        self._limits[cost] = limit
        self.running_changed.emit()

    def set_limit(self, limit: float | None) -> None:
        """Stop after so much of the axis' cost; None: run without end."""
        if limit != self.limit:
            self.set_limit_of(self._axis.cost, limit)

    def run(self) -> None:
        """Carry all searches on: to the limit, or if they are there, as far again."""
        if self.service.busy:
            # Stopping takes up to a slice: begin when it is done.
            self._again = self.can_run and not self.service.running
            self.running_changed.emit()
            return
        self._again = False
        runs = tuple(dict.fromkeys(run for run in self._runs if not run.ended))
        if runs and self.can_run:
            self.set_moment(None)
            self._preparing = True
            self.service.start(runs, self._axis.cost, self._goal(runs))
            self.running_changed.emit()

    def _goal(self, runs: tuple[Run, ...]) -> float | None:
        limit = self.limit
        if limit is None:
            return None
        # Who is behind comes to the limit that the others have met; who is there goes on by as much again. Those that
        # do not have this cost, or no more of it to spend, would be behind for ever.
        counting = [run for run in runs if run.snapshot is None or self._can_spend(run.snapshot)]
        spent = min((run.spent(self._axis.cost) or 0.0 for run in counting), default=0.0)
        return limit * (1 + int(spent / limit * (1 + 1e-9)))

    def _can_spend(self, snapshot: Snapshot) -> bool:
        return snapshot.stopped is not StopReason.EXHAUSTED and cost_of(snapshot, self._axis.cost) is not None

    def stop(self) -> None:
        """Let the searches rest; ``run`` carries them on."""
        self._again = False
        self.service.stop()
        self.running_changed.emit()

    def start_over(self) -> None:
        """Forget the results of these searches."""
        self.stop()
        self.service.release([s for run in self._runs if (s := self._store.forget(run.key)) is not None])
        self._moment = None
        self._agents_changed()
        self.moment_changed.emit()

    @Slot()
    def _on_begun(self) -> None:
        self._preparing = False
        self.running_changed.emit()

    @Slot(object)
    def _on_progress(self, progress: Progress) -> None:
        for run, snapshot in progress.snapshots.items():
            run.update(snapshot)
            run.finished = run in progress.finished
        if any(run in progress.snapshots for run in self._runs):
            self._read_colors()
            self.results_changed.emit()

    @Slot(object)
    def _on_ended(self, progress: Progress) -> None:
        self._preparing = False
        self._on_progress(progress)
        self._trim(self._runs)
        if self._again:
            self.run()
        self.running_changed.emit()

    @Slot(object, str)
    def _on_failed(self, run: Run, message: str) -> None:
        run.problem = message
        self.results_changed.emit()
        self.running_changed.emit()

    def _read_colors(self) -> None:
        if (snapshot := self.focused.snapshot) is not None:
            self.colors.update(snapshot)

    # The moment, and what is shown of it

    @property
    def axis(self) -> Axis:
        """The x axis of every view."""
        return self._axis

    def set_axis(self, axis: Axis) -> None:
        """Show, and run, on this axis; the moment stays the same moment of the run in focus."""
        if axis == self._axis:
            return
        line = self.focused.timeline
        if self._moment is not None and axis.cost is not self._axis.cost:
            spent = line.costs(axis.cost) if line is not None else None
            row = line.row_at(self._axis.cost, self._moment) if line is not None else 0
            self._moment = None if spent is None else float(spent[row])
        self._axis = axis
        self.axis_changed.emit()
        self.moment_changed.emit()
        self.running_changed.emit()

    @property
    def moment(self) -> float | None:
        """The cost at which everything is shown; None: the newest, and following it."""
        return self._moment

    def set_moment(self, moment: float | None) -> None:
        """Show everything as it was when so much of the axis' cost was spent; None: as it is now."""
        if moment != self._moment:
            self._moment = moment
            self.moment_changed.emit()

    def shown(self, index: int | None = None) -> Snapshot | None:
        """The state of this agent's run (default: the one in focus) at the moment shown."""
        run = self._runs[self.focus if index is None else index]
        return run.at(self._axis.cost, self._moment)

    def sentence(self) -> str:
        """What the run in focus has come to at the moment shown."""
        name = self.studied[self.focus].agent.info.title
        shown, cost = self.shown(), self.axis.cost
        preparing, running = self.preparing, self.running
        return run_sentence(name, self.focused, shown, self.truth, cost, running=running, preparing=preparing)

    def _want_replay(self) -> None:
        """An earlier moment that rests is repeated, for the lines of play that it had."""
        snapshot, line = self.shown(), self.focused.timeline
        earlier = self._moment is not None and snapshot is not self.focused.snapshot
        sampled = line is not None and line.trace is not None
        wanted = earlier and sampled and not self.running and snapshot is not None
        self._replay.want(self.focused, snapshot.iterations if wanted and snapshot is not None else None)

    @Slot(object)
    def _on_replayed(self, run: Run) -> None:
        if run is self.focused:
            self.results_changed.emit()

    # What is proven, and what is pointed at

    @property
    def truth(self) -> Truth | None:
        """What is proven of the position by now; None while it is not shown."""
        return self._follower.truth

    @property
    def truth_words(self) -> tuple[str, str]:
        """The truth as a sentence, and why it is so."""
        return self._follower.sentence, self._follower.explanation

    @property
    def proving(self) -> bool:
        """Whether more of the truth may become known soon."""
        return self._follower.proving

    @property
    def truth_shown(self) -> bool:
        """Whether what is proven is shown."""
        return self._truth_shown

    def set_truth_shown(self, shown: bool) -> None:
        """Show what is proven, or leave it to guess."""
        self._truth_shown = shown
        self._follower.set_shown(shown)

    @property
    def pointed(self) -> Move | None:
        """The move pointed at in any panel."""
        return self._pointed

    def point(self, move: Move | None) -> None:
        """A panel tells that this move is pointed at."""
        if move != self._pointed:
            self._pointed = move
            self.pointed_changed.emit(move)

    def preview(self, line: tuple[Move, ...]) -> None:
        """Show this line of play on the board; an empty one ends it."""
        self.line_changed.emit(line)
