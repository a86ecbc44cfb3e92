"""The computer's thinking about the position on the board: from the start of a search to the move that comes of it."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from nimdesk.agents import CATALOGUE, Agent, make_agent
from nimdesk.games import AnyPosition
from nimdesk.search import Snapshot, StopReason
from nimdesk.ui.play.searching import SearchService

_PREPARING_NOTICE_MS = 250
_AGAIN_MS = 4
_MOST_SEARCHES = 500
"""Of so many searches it is known who made them: those of a long game."""


def search_of(snapshot: Snapshot | None) -> object:
    """What all snapshots of one search have in common."""
    return None if snapshot is None else (snapshot.position, snapshot.seed, snapshot.agent)


def _known_by(snapshot: Snapshot) -> object:
    """What tells a search from another with the same seed but other options: when its first simulation was done."""
    begun = None if snapshot.trace is None else tuple(snapshot.trace.elapsed_s[:1].tolist())
    return search_of(snapshot), begun


class Thinking(QObject):
    """One search at a time, for a move or for a suggestion, and its newest snapshot.

    A move that was found is told by ``move_found`` when it is time to play it.
    """

    changed = Signal()
    """``preparing`` or ``busy`` changed."""
    snapshot_changed = Signal()
    """``live`` is a newer snapshot; up to 30 times a second."""
    ended = Signal(object)
    """The last ``Snapshot`` of a search that came to its end; what comes of it is told next."""
    suggestion_found = Signal(object)
    """The last ``Snapshot`` of a search for a suggestion."""
    move_found = Signal(object)
    """The last ``Snapshot`` of a search for a move, which is to be played now."""
    failed = Signal(str)
    """One sentence: the search failed."""
    agent_failed = Signal(str)
    """One sentence: the agent that was to move is to blame."""

    def __init__(self, service: SearchService, not_before: Callable[[], float], parent: QObject) -> None:
        """``not_before`` says at which ``time.monotonic`` a move may be played at the earliest."""
        super().__init__(parent)
        self._service, self._not_before = service, not_before
        self.live: Snapshot | None = None
        """The newest snapshot of the running or last search of this position."""
        self.suggested: Snapshot | None = None
        """The same, where that search was for a suggestion and has ended."""
        self.suggesting = self.preparing = False
        self.ready = True
        """Whether the search under way can run: its kernels are loaded, and compiled the first time."""
        self.slow_motion_s = 0.0
        """What was asked for when the search under way began."""
        self._began: float | None = None
        self._agent: Agent | None = None
        self._agents: dict[object, Agent] = {}
        self.waits: Callable[[], bool] = lambda: False
        """Whether a move that is found is not to be played yet."""
        self._found: Snapshot | None = None
        self._held: Snapshot | None = None
        self._ready: tuple[Agent, Snapshot] | None = None
        """Who had found a move, and how, when its search was held."""
        self._play_timer = QTimer(self, singleShot=True)
        self._play_timer.timeout.connect(self._tell_move)
        self._preparing_timer = QTimer(self, singleShot=True, interval=_PREPARING_NOTICE_MS)
        self._preparing_timer.timeout.connect(self._on_preparing)
        service.search_started.connect(self._on_started)
        service.snapshot_ready.connect(self._on_snapshot)
        service.search_finished.connect(self._on_finished)
        service.search_held.connect(self._on_held)
        service.search_failed.connect(self._on_failed)
        service.agent_failed.connect(self._on_agent_failed)

    @property
    def busy(self) -> bool:
        """Whether a search runs, or its move waits to be played."""
        return self._service.searching or self._found is not None

    def of(self, position: AnyPosition) -> Snapshot | None:
        """The newest search of this position, which runs, has ended or is held; None where there is none."""
        newest = self.live or self._held
        return newest if newest is not None and newest.position == position else None

    @property
    def held(self) -> Snapshot | None:
        """The search for a move that rests, perhaps of another position; None where there is none."""
        return self._held

    @property
    def resting(self) -> tuple[Snapshot, bool] | None:
        """The search that is shown while none runs, held or made for a hint, and whether it is a hint."""
        if self.busy:
            return None
        if self.suggested is not None:
            return self.suggested, True
        return None if self._held is None else (self._held, False)

    @property
    def elapsed_s(self) -> float:
        """How long ago the search under way began; 0 until it has shown something."""
        return 0.0 if self._began is None else time.monotonic() - self._began

    def agent_of(self, snapshot: Snapshot) -> Agent | None:
        """Who made this search, with all options.

        The options are kept while the program runs, and not for ever: then an agent is known whose name says it all.
        """
        made = self._agents.get(_known_by(snapshot))
        if made is None and snapshot.agent in CATALOGUE:
            by_name = make_agent(snapshot.agent)
            made = by_name if by_name.known_by_name else None
        return made

    def bring_back(self, snapshot: Snapshot, *, hint: bool) -> None:
        """Show a search that rested when the program ended; ``start`` begins it anew."""
        if hint:
            self.live = self.suggested = snapshot
        else:
            self._held = snapshot

    def goes_on(self, position: AnyPosition, agent: Agent) -> bool:
        """Whether ``start`` would go on with a search that is held."""
        return self._service.holds(position, agent) or self._is_ready(position, agent)

    def _is_ready(self, position: AnyPosition, agent: Agent) -> bool:
        return self._ready is not None and self._ready[0] == agent and self._ready[1].position == position

    def start(self, position: AnyPosition, agent: Agent, *, slow_motion_s: float) -> None:
        """Search for a move: go on with the search of this position by this agent that is held, or begin anew."""
        if self._ready is not None and self._is_ready(position, agent):
            self._found = self.live = self._ready[1]
            self._play_timer.start(0)
        elif self._service.holds(position, agent):
            self.live = self._held
            self._service.go_on()
        else:
            self.forget()
            self.slow_motion_s = slow_motion_s
            self._service.start(position, agent, slow_motion_s=slow_motion_s)
        self._held = self._ready = None
        self._begun(agent, suggesting=False)

    def suggest(self, position: AnyPosition, agent: Agent, *, slow_motion_s: float) -> None:
        """Search for a suggestion; a search for a move that is held stays so."""
        self.live = self.suggested = None
        self.slow_motion_s = slow_motion_s
        self._service.start(position, agent, slow_motion_s=slow_motion_s, threats=True)
        self._begun(agent, suggesting=True)

    def _begun(self, agent: Agent, *, suggesting: bool) -> None:
        self._agent, self.suggesting, self._began = agent, suggesting, None
        self.ready = not self._service.searching
        if self._service.searching:
            self._preparing_timer.start()
        self.changed.emit()

    def hold(self) -> None:
        """Let the search for a move rest, or end that for a suggestion; its curves stay. ``start`` goes on with it."""
        if not self.busy:
            return
        if self._service.searching:
            self.live = self.live and self.live.ended(StopReason.STOPPED)
        if self.suggesting:
            self.suggested = self.live
        else:
            self._held = self.live
            if self._agent is not None and self._found is not None:
                self._ready = self._agent, self._found
            self._service.hold()
        self._end()
        self.snapshot_changed.emit()

    def leave(self) -> None:
        """As ``hold``, and another position is on the board from now on."""
        self.hold()
        self.live = self.suggested = None

    def halt(self) -> None:
        """End whatever runs, without a trace on the screen."""
        self._end()
        self.forget()

    def forget(self) -> None:
        """Let go of the last search, and of one that is held."""
        self.live = self.suggested = self._held = self._ready = None
        self._service.let_go()

    def move_now(self) -> None:
        """Let the search finish with what it knows; a move that waits is played at once."""
        if self._found is not None:
            self._tell_move()
        else:
            self._service.move_now()

    def _end(self) -> None:
        self._service.stop()
        self._play_timer.stop()
        self._found, self.suggesting = None, False
        self._set_preparing(False)

    def _set_preparing(self, preparing: bool) -> None:
        self._preparing_timer.stop()
        self.preparing = preparing

    @Slot()
    def _on_preparing(self) -> None:
        self._set_preparing(True)
        self.changed.emit()

    @Slot()
    def _on_started(self) -> None:
        self.ready = True
        self._set_preparing(False)
        self.changed.emit()

    def _hear(self, snapshot: Snapshot) -> None:
        self.live = snapshot
        if self._began is None:
            self._began = time.monotonic() - snapshot.elapsed_s
        if self._agent is not None:
            self._agents[_known_by(snapshot)] = self._agent
            if len(self._agents) > _MOST_SEARCHES:
                del self._agents[next(iter(self._agents))]

    @Slot(object)
    def _on_snapshot(self, snapshot: Snapshot) -> None:
        self._hear(snapshot)
        self.snapshot_changed.emit()

    @Slot(object)
    def _on_finished(self, snapshot: Snapshot) -> None:
        self._set_preparing(False)
        self._hear(snapshot)
        self.ended.emit(snapshot)
        if self.suggesting:
            self.suggesting = False
            self.suggested = snapshot
            self.suggestion_found.emit(snapshot)
            return
        self._found = snapshot
        delay_ms = int(1000 * (self._not_before() - time.monotonic()))
        if delay_ms > 0 or snapshot.best_move is None:
            self.snapshot_changed.emit()
        # Otherwise it is shown with the move: drawing it twice would only make the person wait.
        self._play_timer.start(max(delay_ms, 0))

    @Slot(object)
    def _on_held(self, snapshot: Snapshot) -> None:
        if snapshot.best_move is not None:  # else it had not yet begun
            self.live, self._held = self.live and snapshot, snapshot
            self.snapshot_changed.emit()

    @Slot()
    def _tell_move(self) -> None:
        if self._found is not None and self.waits():
            self._play_timer.start(_AGAIN_MS)
            return
        found, self._found = self._found, None
        if found is not None:
            self.move_found.emit(found)

    @Slot(str)
    def _on_agent_failed(self, message: str) -> None:
        if self.suggesting:
            self._on_failed(message)
        else:
            self._set_preparing(False)
            self.agent_failed.emit(message)

    @Slot(str)
    def _on_failed(self, message: str) -> None:
        self._set_preparing(False)
        self.suggesting = False
        # Its curves would claim for ever that the search goes on.
        self.live = self._held = None
        self.failed.emit(message)
