"""The laboratory without its panels: position, agents, searches, the moment shown, and what is proven."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from nimdesk.agents import Agent
from nimdesk.figures.measure import percent
from nimdesk.games import AnyPosition
from nimdesk.games.base import describe_move
from nimdesk.games.truth import Truth, Value
from nimdesk.games.truth_words import told
from nimdesk.search import Limit, Snapshot
from nimdesk.search.timeline import Cost, Timeline, cost_of
from nimdesk.search.types import drive
from nimdesk.ui.jobs.bridge import Job, ignore
from nimdesk.ui.jobs.truth import TruthFollower
from nimdesk.ui.laboratory.many_seeds import ManySeeds
from nimdesk.ui.laboratory.races import SLICE_S, Rows, Run, RunKey, change_rows
from nimdesk.ui.laboratory.searches import Searches
from nimdesk.ui.laboratory.studied import AgentList, Place, Pointing, Studied
from nimdesk.ui.look.move_marks import full_words, proven_moves
from nimdesk.ui.plots.history import cost_words

TRUTH_TIME_S = 30.0
MOST_ITERATIONS, MOST_NODES = 300_000, 3_000_000
"""A longer search is shown without lines of play at earlier moments, because it is repeated to get them."""
_REST_MS = 180

PREPARING = "Preparing the search; the first time for a game this takes some seconds…"
SEARCHING = "The search has begun; its first results appear here in a moment."


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

    def show_state(self, state: Snapshot) -> None:
        """Show everything in this state of the search in focus, which need not be one of its checkpoints."""
        run = self._searches.focused
        state = run.dated(state)
        self._set(cost_of(state, self._searches.axis.cost), (run, state))

    def shown(self) -> Snapshot | None:
        """The state of the run in focus at the moment shown."""
        run = self._searches.focused
        if self._exact is not None and self._exact[0] is run:
            return self._exact[1]
        return run.at(self._searches.axis.cost, self.moment)

    @property
    def spent(self) -> float | None:
        """What the state shown has spent of the axis' cost; None while the newest is followed."""
        shown = None if self.moment is None else self.shown()
        return None if shown is None else cost_of(shown, self._searches.axis.cost)

    def rest(self) -> None:
        """Do not repeat a search for the moment shown."""
        self._timer.stop()
        if self._job is not None:
            self._job.drop()
            self._job = None

    def _set(self, moment: float | None, exact: tuple[Run, Snapshot] | None = None) -> None:
        self.moment, self._exact = moment, exact
        self.rest()
        if moment is not None and exact is None:
            self._timer.start()
        self.moment_changed.emit()

    def _on_position(self) -> None:
        # Panels hear of the position themselves; until then they show the previous one, which has no such moment.
        self.moment = self._exact = None
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
        self._set(moment, exact)

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
        self.seeds = ManySeeds(self.place, self.searches, self)
        self.seeds.failed.connect(self.told)

    def shutdown(self) -> None:
        """End all threads; call it after the window is hidden."""
        self.clock.rest()
        self.seeds.shutdown()
        self.searches.bridge.shutdown()
        self.proof.end()

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

    def sentence(self) -> str:
        """The result of the run in focus at the moment shown, the last change of its leader, and whether it is optimal.

        Before the first result it says what the search waits for.
        """
        searches, name = self.searches, self.agents.focused.agent.info.title
        run, snapshot = searches.focused, self.clock.shown()
        if run.problem:
            return f"{name}: {run.problem}"
        if snapshot is not None and snapshot.best_move is None and self.clock.moment is not None:
            return f"Before its first simulation {name} prefers no move."
        if snapshot is None or snapshot.best_move is None:
            waiting = PREPARING if searches.preparing else SEARCHING
            return waiting if searches.running else f"{name} has not begun. Press F5."
        stats = snapshot.stats_of(snapshot.best_move)
        assert stats is not None
        if stats.proven is not None:
            share = f" (proven: it {stats.proof})"
        elif self.agents.focused.agent.choice_rule == "mean" and stats.mean_value is not None:
            share = f" with a mean value of {stats.mean_value:.2f}"
        else:
            share = f" with {percent(snapshot.share(stats))} of the visits" if snapshot.trace is not None else ""
        changes = "" if run.timeline is None else _changes(run.timeline, snapshot, searches.axis.cost)
        judged = _verdict(snapshot, self.proof.truth)
        play = told("would play", who=name, move=describe_move(snapshot.best_move), share=share, changes=changes)
        return f"{play} {judged}".rstrip()


def _changes(line: Timeline, snapshot: Snapshot, axis: Cost) -> str:
    """How often the choice has changed before this moment, and when it last did."""
    by_nodes = line.trace is None
    row = line.row_at(Cost.NODES if by_nodes else Cost.ITERATIONS, _done(snapshot))
    changed = [at for at in change_rows(line) if at <= row]
    if not changed:
        return ""
    spent = line.costs(axis)
    times = "once" if len(changed) == 1 else f"{len(changed)} times"
    if spent is None:
        return f"; the leader changed {times}"
    when = cost_words(axis, float(spent[changed[-1]]))  # of seconds it is "after 2.5 s"
    return f"; the leader changed {times}, last {'' if axis is Cost.SECONDS else 'at '}{when}"


def _verdict(snapshot: Snapshot, truth: Truth | None) -> str:
    """Whether the move it would play is optimal, as a sentence; "" if unknown."""
    known = proven_moves(truth, snapshot.position)
    chosen = known.get(snapshot.best_move) if snapshot.best_move is not None else None
    if truth is None or chosen is None or Value.UNKNOWN in (truth.value, chosen.value):
        return ""
    if truth.value is Value.LOSS:
        return told("all lose")
    if chosen.value is truth.value:
        return told("optimal")
    best = truth.best_moves
    named = describe_move(best[0]) if len(best) == 1 else f"one of {len(best)} moves"
    kept = "wins" if truth.value is Value.WIN else "holds the draw"
    return told("mistake", worth=full_words(chosen), better=f"{named} {kept}")
