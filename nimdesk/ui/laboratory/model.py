"""The laboratory without its panels: position, agents, searches, the moment shown, and what is proven."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from nimdesk.agents import Agent
from nimdesk.games import AnyPosition, Move
from nimdesk.play.laboratory import LabMoment, lab_shown
from nimdesk.play.moment import BoardLook, Pointer
from nimdesk.search import Limit, Snapshot
from nimdesk.search.timeline import cost_of
from nimdesk.search.types import drive
from nimdesk.ui.jobs.bridge import Job, ignore
from nimdesk.ui.jobs.truth import NodeTruths, TruthFollower
from nimdesk.ui.laboratory.many_seeds import ManySeeds
from nimdesk.ui.laboratory.races import SLICE_S, Rows, Run, RunKey
from nimdesk.ui.laboratory.searches import Searches
from nimdesk.ui.laboratory.studied import AgentList, Place, Pointing, Studied
from nimdesk.ui.look.move_marks import MoveColors

TRUTH_TIME_S, NODE_TIME_S = 30.0, 2.0
MOST_ITERATIONS, MOST_NODES = 300_000, 3_000_000
"""A longer search is shown without lines of play at earlier moments, because it is repeated to get them."""
_REST_MS = 180


class Clock(QObject):
    """The moment shown, as an amount of the axis' cost.

    When an earlier moment has rested for a while, the search is repeated up to it, which gives its lines of play.
    """

    moment_changed = Signal()

    def __init__(self, place: Place, searches: Searches, parent: QObject) -> None:
        super().__init__(parent)
        self._searches = searches
        self.moment: float | None = None
        """The cost at which everything is shown; None to follow the newest state. See ``set_moment``."""
        self.lit: tuple[Move, ...] | None = None
        """The line of a single simulation that is looked at; see ``show_state``."""
        self._exact: tuple[Run, Snapshot] | None = None
        self._cost = searches.axis.cost
        self._job: Job | None = None
        self._timer = QTimer(self, singleShot=True, interval=_REST_MS)
        self._timer.timeout.connect(self._repeat)
        searches.axis_changed.connect(self._on_axis)
        searches.newest_wanted.connect(self.show_newest)
        place.changed.connect(self._on_position)

    def set_moment(self, moment: float | None) -> None:
        """Show everything as it was at this cost; with None, follow the newest state."""
        if moment != self.moment:
            self._set(moment)

    def show_newest(self) -> None:
        """Show the newest state, and follow it."""
        self.set_moment(None)

    def show_state(self, state: Snapshot, lit: tuple[Move, ...]) -> None:
        """Show everything in this state of the search in focus, which need not be one of its checkpoints.

        ``lit`` is the line of the simulation looked at, as far as it is lit in the tree.
        """
        run = self._searches.focused
        state = run.dated(state)
        self._set(cost_of(state, self._searches.axis.cost), (run, state), lit)

    def shown(self) -> Snapshot | None:
        """The state of the run in focus at the moment shown."""
        run = self._searches.focused
        if self._exact is not None and self._exact[0] is run:
            return self._exact[1]
        return run.at(self._searches.axis.cost, self.moment)

    def rest(self) -> None:
        """Do not repeat a search for the moment shown."""
        self._timer.stop()
        if self._job is not None:
            self._job.drop()
            self._job = None

    def _set(
        self,
        moment: float | None,
        exact: tuple[Run, Snapshot] | None = None,
        lit: tuple[Move, ...] | None = None,
    ) -> None:
        self.moment, self._exact, self.lit = moment, exact, lit
        self.rest()
        if moment is not None and exact is None:
            self._timer.start()
        self.moment_changed.emit()

    def _on_position(self) -> None:
        # Panels hear of the position themselves; until then they show the previous one, which has no such moment.
        self.moment = self._exact = self.lit = None
        self.rest()

    def _on_axis(self) -> None:
        """Keep the same moment of the run in focus on the new axis."""
        cost, moment, exact = self._searches.axis.cost, self.moment, self._exact
        if exact is not None:
            moment = cost_of(exact[1], cost)
        elif moment is not None and cost is not self._cost:
            line = self._searches.focused.timeline
            spent = line.costs(cost) if line is not None else None
            row = line.row_at(self._cost, moment) if line is not None else 0
            moment = None if spent is None else float(spent[row])
        self._cost = cost
        self._set(moment, exact, self.lit)

    # An earlier moment in full

    def _repeat(self) -> None:
        run, shown = self._searches.focused, self.shown()
        if self._searches.running or shown is None or shown is run.snapshot:
            return
        if 0 < _done(shown) <= (MOST_NODES if shown.trace is None else MOST_ITERATIONS):
            limit = Limit(nodes=shown.tree_nodes) if shown.trace is None else Limit(iterations=shown.iterations)
            again = partial(_repeated, run.key, limit)
            # A failure only means no lines of play.
            self._job = self._searches.bridge.ask(again, done=partial(self._on_repeated, run), failed=ignore)

    def _on_repeated(self, run: Run, snapshot: Snapshot) -> None:
        self._job = None
        if run.recall(snapshot) and run is self._searches.focused:
            self._searches.results_changed.emit()


def _done(snapshot: Snapshot) -> int:
    """How far a search was: its iterations, or its nodes where it has none."""
    return snapshot.tree_nodes if snapshot.trace is None else snapshot.iterations


def _repeated(key: RunKey, limit: Limit, job: Job) -> Snapshot:
    """Search again up to this limit, in the thread of the searches."""
    searcher = key.agent.new_searcher(key.position)
    searcher.start(key.position, key.seed)
    drive(searcher, limit, job.stopping, slice_s=SLICE_S)
    return searcher.snapshot()


class Laboratory(QObject):
    """One position, one to four agents, and their searches. Lives in the UI thread and never waits.

    Each part signals its own changes; the parts hear each other before any panel does.
    """

    told = Signal(str)
    """One sentence for the status line, such as why nothing was pasted."""

    def __init__(self, position: AnyPosition, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.place = Place(position, self)
        self.agents = AgentList(self)
        self.pointing = Pointing(self.place, self)
        self.searches = Searches(self.place, self.agents, self)
        self.clock = Clock(self.place, self.searches, self)
        self.proof = TruthFollower(self.place, TRUTH_TIME_S)
        """What is proven of the position, in a thread of its own, while it is shown."""
        self.node_truths = NodeTruths(NODE_TIME_S, self)
        """What is proven of the positions of the game tree that are drawn, in another thread."""
        self.seeds = ManySeeds(self.place, self.searches, self)
        self.seeds.failed.connect(self.told)
        self.colors = MoveColors()
        """The colours of the moves of the search in focus, as it is shown."""
        self.shown = lab_shown(self.moment(), BoardLook(), Pointer())
        """What every panel shows now; ``LabDisplay`` sets it, and tells them."""

    def shutdown(self) -> None:
        """End all threads; call it after the window is hidden."""
        self.clock.rest()
        self.seeds.shutdown()
        self.searches.bridge.shutdown()
        self.proof.end()
        self.node_truths.shutdown()

    def show_saved(self, position: AnyPosition, saved: Sequence[tuple[Studied, Snapshot, Rows]]) -> None:
        """Study these agents in this position, with saved searches in place of their own."""
        self.place.go_to(position)
        self.agents.set_all(tuple(studied for studied, _, _ in saved))
        self.searches.restore((snapshot, rows) for _, snapshot, rows in saved)

    def show_search(self, agent: Agent, snapshot: Snapshot) -> None:
        """Study this agent, in focus, with this search of the position; running it continues that search.

        A search that began with the tree of an earlier one cannot be repeated alone, so it is not shown.
        """
        if snapshot.position != self.place.position:
            return
        self.agents.welcome(Studied(agent.unlimited(), snapshot.seed))
        if not snapshot.reused:
            self.searches.adopt(snapshot)

    def moment(self) -> LabMoment:
        """All that is so now."""
        place, searches, clock = self.place, self.searches, self.clock
        return LabMoment(
            position=place.position,
            searches=tuple(run.as_search(self.seeds.sample(run)) for run in searches.runs),
            focus=self.agents.focus,
            state=clock.shown(),
            moment=clock.moment,
            lit=clock.lit,
            cost=searches.axis.cost,
            log=searches.axis.log,
            limit=searches.limit,
            running=searches.running,
            preparing=searches.preparing,
            known=self.proof.known,
            proving=self.proof.proving,
            repeats=(self.seeds.done, self.seeds.total) if self.seeds.running else None,
            can_back=place.can_back,
            can_forward=place.can_forward,
        )
