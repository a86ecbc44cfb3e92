"""The computer's thinking about the position on the board: from the start of a search to the move that comes of it."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from nimdesk.agents import Agent
from nimdesk.games import AnyPosition
from nimdesk.games.base import describe_move
from nimdesk.search import Snapshot, StopReason
from nimdesk.ui.play.searching import SearchService

_PREPARING_NOTICE_MS = 250


class Thinking(QObject):
    """One search at a time, for a move or for a suggestion, and its newest snapshot.

    A move that was found is told by ``move_found`` when it is time to play it.
    """

    changed = Signal()
    """``preparing`` or ``busy`` changed."""
    snapshot_changed = Signal()
    """``live`` is a newer snapshot; up to 30 times a second."""
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
        self._found: Snapshot | None = None
        self._play_timer = QTimer(self, singleShot=True)
        self._play_timer.timeout.connect(self._tell_move)
        self._preparing_timer = QTimer(self, singleShot=True, interval=_PREPARING_NOTICE_MS)
        self._preparing_timer.timeout.connect(self._on_preparing)
        service.search_started.connect(self._on_started)
        service.snapshot_ready.connect(self._on_snapshot)
        service.search_finished.connect(self._on_finished)
        service.search_failed.connect(self._on_failed)
        service.agent_failed.connect(self._on_agent_failed)

    @property
    def busy(self) -> bool:
        """Whether a search runs, or its move waits to be played."""
        return self._service.searching or self._found is not None

    @property
    def slowed_down(self) -> bool:
        """Whether the running search is spread over time to be watched."""
        return self._service.slowed_down

    def start(self, position: AnyPosition, agent: Agent, *, slow_motion_s: float, suggest: bool = False) -> None:
        """Search for a move, or for a suggestion."""
        self.suggesting = suggest
        self._service.start(position, agent, slow_motion_s=slow_motion_s)
        self._preparing_timer.start()
        self.changed.emit()

    def stop(self) -> None:
        """End the search at once and keep its curves."""
        shown = self.live.ended(StopReason.STOPPED) if self.live and self._service.searching else self.live
        suggesting = self.suggesting
        self._end()
        self.live = shown
        self.suggested = shown if suggesting else None
        self.snapshot_changed.emit()

    def halt(self) -> None:
        """End whatever runs, without a trace on the screen."""
        self._end()
        self.forget()

    def forget(self) -> None:
        """Let go of the last search."""
        self.live = self.suggested = None

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
        self._set_preparing(False)
        self.changed.emit()

    @Slot(object)
    def _on_snapshot(self, snapshot: Snapshot) -> None:
        self.live = snapshot
        self.snapshot_changed.emit()

    @Slot(object)
    def _on_finished(self, snapshot: Snapshot) -> None:
        self._set_preparing(False)
        self.live = snapshot
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

    @Slot()
    def _tell_move(self) -> None:
        found, self._found = self._found, None
        self._play_timer.stop()
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
        self.live = None
        self.failed.emit(message)


def proposal(snapshot: Snapshot) -> str:
    """What a search for a suggestion proposes, in one sentence."""
    best = snapshot.best_move
    if best is None:
        return "The search ended before it could propose a move."
    stats = next(stats for stats in snapshot.moves if stats.move == best)
    value = "" if stats.mean_value is None else f", expected score {stats.mean_value:.2f}"
    share = snapshot.share(stats)
    return f"Suggestion: {describe_move(best)} ({share:{'.0%' if share >= 0.1 else '.1%'}} of the visits{value})."
