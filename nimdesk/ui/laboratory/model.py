"""The laboratory without its panels: position, agents, searches, the moment shown, and what is proven."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from nimdesk.games import AnyPosition
from nimdesk.games.truth import Truth
from nimdesk.search import Limit, Snapshot
from nimdesk.search.types import drive
from nimdesk.ui.jobs.bridge import Job
from nimdesk.ui.jobs.truth import Followed, TruthFollower
from nimdesk.ui.laboratory.races import SLICE_S
from nimdesk.ui.laboratory.runs import Rows, Run, RunKey, run_sentence
from nimdesk.ui.laboratory.searches import Searches
from nimdesk.ui.laboratory.studied import AgentList, Place, Pointing, Studied

TRUTH_TIME_S = 30.0
MOST_ITERATIONS = 300_000
"""A search that takes longer to repeat is shown without lines of play."""
_REST_MS = 180


class Clock(QObject):
    """The moment shown: how much of the axis' cost was spent by then; None for the newest, and following it.

    When an earlier moment has rested for a while, the search is run again up to there: that gives its lines of play.
    """

    moment_changed = Signal()
    """``moment`` changed."""

    def __init__(self, place: Place, searches: Searches, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._searches = searches
        self._moment: float | None = None
        self._cost = searches.axis.cost
        self._wanted: Run | None = None
        self._job: Job | None = None
        self._timer = QTimer(self, singleShot=True, interval=_REST_MS)
        self._timer.timeout.connect(self._repeat)
        searches.axis_changed.connect(self._on_axis)
        searches.newest_wanted.connect(self._show_newest)
        place.changed.connect(self._on_position)

    @property
    def moment(self) -> float | None:
        """The cost at which everything is shown; None: the newest."""
        return self._moment

    def set_moment(self, moment: float | None) -> None:
        """Show everything as it was when so much of the axis' cost was spent; None: as it is now."""
        if moment != self._moment:
            self._set(moment)

    def shown(self, index: int | None = None) -> Snapshot | None:
        """The state of this agent's run (default: the one in focus) at the moment shown."""
        searches = self._searches
        run = searches.focused if index is None else searches.runs[index]
        return run.at(searches.axis.cost, self._moment)

    def rest(self) -> None:
        """Do not repeat a search for the moment shown."""
        self._timer.stop()
        if self._job is not None:
            self._job.drop()
            self._job = None

    def _set(self, moment: float | None) -> None:
        self._moment = moment
        self._want_repeat()
        self.moment_changed.emit()

    def _show_newest(self) -> None:
        self.set_moment(None)

    def _on_position(self) -> None:
        # Panels hear of the position themselves: until then they show the one before, which has no such moment.
        self._moment = None
        self.rest()

    def _on_axis(self) -> None:
        """It stays the same moment of the run in focus, on the new axis."""
        cost, moment = self._searches.axis.cost, self._moment
        if moment is not None and cost is not self._cost:
            line = self._searches.focused.timeline
            spent = line.costs(cost) if line is not None else None
            row = line.row_at(self._cost, moment) if line is not None else 0
            moment = None if spent is None else float(spent[row])
        self._cost = cost
        self._set(moment)

    # An earlier moment in full

    def _want_repeat(self) -> None:
        self.rest()
        run, snapshot = self._searches.focused, self.shown()
        sampled = run.timeline is not None and run.timeline.trace is not None
        if self._moment is None or snapshot is None or snapshot is run.snapshot or self._searches.running:
            return
        if sampled and 0 < snapshot.iterations <= MOST_ITERATIONS:
            self._wanted = run
            self._timer.start()

    def _repeat(self) -> None:
        run, snapshot = self._searches.focused, self.shown()
        if run is self._wanted and snapshot is not None:
            self._job = self._searches.bridge.ask(
                partial(_repeated, run.key, snapshot.iterations), done=self._on_repeated, failed=_hear_nothing
            )

    def _on_repeated(self, snapshot: Snapshot) -> None:
        self._job = None
        if self._wanted is not None and self._wanted.recall(snapshot) and self._wanted is self._searches.focused:
            self._searches.results_changed.emit()


def _repeated(key: RunKey, iterations: int, job: Job) -> Snapshot:
    """Search again up to so many iterations, in the thread of the searches."""
    searcher = key.agent.new_searcher(key.position)
    searcher.start(key.position, key.seed)
    drive(searcher, Limit(iterations=iterations), job.stopping, slice_s=SLICE_S)
    return searcher.snapshot()


def _hear_nothing(_sentence: str) -> None:
    """Without the lines of play nothing is wrong."""


class Proof(Followed):
    """What is proven of the position studied, unless a person would rather guess; proofs run in a thread of theirs."""

    changed = Signal()
    """``truth``, ``words`` or ``shown`` changed."""

    def __init__(self, place: Place) -> None:
        super().__init__()
        self._place = place
        self._shown = True
        self._follower = TruthFollower(self, TRUTH_TIME_S)
        self._follower.truth_changed.connect(self.changed)

    def begin(self) -> None:
        """The page is on the screen: proofs may start."""
        # Not before: panels have to hear of a position before they are told what is proven of it.
        self._place.changed.connect(self._on_position)
        self._follower.set_shown(self._shown)

    def end(self) -> None:
        """End the thread."""
        self._follower.end()

    @property
    def position(self) -> AnyPosition:
        return self._place.position

    def _on_position(self) -> None:
        self.position_changed.emit(False)

    @property
    def truth(self) -> Truth | None:
        """What is proven of the position by now; None while it is not shown."""
        return self._follower.truth

    @property
    def words(self) -> tuple[str, str]:
        """The truth as a sentence, and why it is so."""
        return self._follower.sentence, self._follower.explanation

    @property
    def proving(self) -> bool:
        """Whether more of the truth may become known soon."""
        return self._follower.proving

    @property
    def shown(self) -> bool:
        """Whether what is proven is shown."""
        return self._shown

    def set_shown(self, shown: bool) -> None:
        """Show what is proven, or leave it to guess."""
        self._shown = shown
        self._follower.set_shown(shown)


class Laboratory(QObject):
    """One position, one to four agents, and their searches. Lives in the UI thread and never waits.

    Each part tells what changed by its own signals; the parts themselves hear each other before any panel does.
    """

    told = Signal(str)
    """One sentence for the person at the screen, such as why nothing was pasted."""

    def __init__(self, position: AnyPosition, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.place = Place(position, self)
        self.agents = AgentList(self)
        self.pointing = Pointing(self.place, self)
        self.searches = Searches(self.place, self.agents, self)
        self.clock = Clock(self.place, self.searches, self)
        self.proof = Proof(self.place)

    def shutdown(self) -> None:
        """End both threads; call it after the window is hidden."""
        self.clock.rest()
        self.searches.bridge.shutdown()
        self.proof.end()

    def show_saved(self, position: AnyPosition, saved: Sequence[tuple[Studied, Snapshot, Rows]]) -> None:
        """Study these agents in this position, with searches that were saved in place of their own."""
        self.place.go_to(position)
        self.agents.set_all(tuple(studied for studied, _, _ in saved))
        self.searches.restore((snapshot, rows) for _, snapshot, rows in saved)

    def sentence(self) -> str:
        """What the run in focus has come to at the moment shown."""
        searches = self.searches
        return run_sentence(
            self.agents.focused.agent.info.title,
            searches.focused,
            self.clock.shown(),
            self.proof.truth,
            searches.axis.cost,
            running=searches.running,
            preparing=searches.preparing,
        )
