"""What follows from a snapshot, cut into steps: each has a turn of the event loop to itself."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Qt, QTimer

_APART_MS = 6
"""Between two steps: whatever else waits, such as a key or a click, is served there."""
_REST = 4.0
"""After all steps they rest for so many times what they cost with their painting: a fifth of the time is theirs."""


class Turns(QObject):
    """Does the steps in order, some milliseconds apart, as often as it is asked and there is time.

    What the steps cost is measured, painting included; pages that cost much are drawn less often. A step has to show
    whatever is newest when its turn comes. Call everything from the UI thread.
    """

    def __init__(self, steps: Sequence[Callable[[], None]], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._steps = tuple(steps)
        self._next = 0
        self._wanted = False
        self._resting = self._hurried = False
        self._begun = self._cost_s = 0.0
        # Due at once, but only after what the step has asked to be painted.
        self._painted = QTimer(self, singleShot=True, interval=0)
        self._painted.timeout.connect(self._on_painted)
        self._timer = QTimer(self, singleShot=True, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._go_on)

    @property
    def active(self) -> bool:
        """Whether steps are still to come."""
        return self._wanted or self._next > 0

    def ask(self) -> None:
        """Do all steps once more: the first one now, or if they are under way or rest, when that is over."""
        self._wanted = True
        if not self._next and not self._resting:
            self._begin()

    def hurry(self) -> None:
        """Do all steps from the first one on without a rest, since what they show is final; each is painted by itself.

        A key or a click is served between them, so that it never waits for more than one.
        """
        self.cancel()
        self._hurried = True
        self._begin()

    def finish(self) -> None:
        """Do all steps now, and none later: what they show is final, or a person waits for it."""
        self.cancel()
        for step in self._steps:
            step()

    def cancel(self) -> None:
        """Forget what was asked for."""
        self._painted.stop()
        self._timer.stop()
        self._next, self._wanted, self._cost_s = 0, False, 0.0
        self._resting = self._hurried = False

    def _begin(self) -> None:
        self._wanted, self._cost_s = False, 0.0
        self._do()

    def _do(self) -> None:
        step, self._begun = self._steps[self._next], time.perf_counter()
        self._next += 1
        self._painted.start()
        step()

    def _on_painted(self) -> None:
        self._cost_s += time.perf_counter() - self._begun
        wait_ms = 0 if self._hurried else _APART_MS
        if self._next == len(self._steps):
            self._next, self._resting = 0, True
            if not self._hurried:
                wait_ms = max(_APART_MS, round(1000 * _REST * self._cost_s) - _APART_MS * (len(self._steps) - 1))
            self._hurried = False
        self._timer.start(wait_ms)

    def _go_on(self) -> None:
        if self._resting:
            self._resting = False
            if self._wanted:
                self._begin()
        else:
            self._do()
