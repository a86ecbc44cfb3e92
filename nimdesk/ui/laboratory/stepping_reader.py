"""One simulation at a time, asked for in the thread of the searches."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nimdesk.ui.laboratory.asking import PART_S, UNFINISHED
from nimdesk.ui.laboratory.runs import RunKey
from nimdesk.ui.laboratory.stepping_words import Stage, stages_of

if TYPE_CHECKING:
    from nimdesk.search.stepping import Stepper

Question = Callable[[threading.Event], object]


@dataclass(frozen=True, slots=True)
class Told:
    """The steps of the simulation asked for; none if the search comes to its end before, after ``ended`` of them."""

    number: int
    stages: list[Stage]
    ended: int | None = None


@dataclass(frozen=True, slots=True)
class NextChange:
    """The simulation that changes the leader next; None where there was none up to ``looked`` simulations."""

    number: int | None
    looked: int


class SteppingReader:
    """Of one run's position, agent and seed; made in the UI thread, and then used in that of the searches alone."""

    def __init__(self, key: RunKey) -> None:
        self._key = key
        self._made: Stepper | None = None

    def _stepper(self) -> Stepper:
        if self._made is None:
            # Here, in the thread of the searches: it loads numba, which would hold up the window.
            from nimdesk.search.stepping import Stepper

            self._made = Stepper(self._key.agent.new_searcher, self._key.position, self._key.seed)
        return self._made

    def simulation(self, number: int) -> Question:
        """What to ask the service: ``Told``, or ``UNFINISHED``."""

        def read(_stop: threading.Event) -> object:
            stepper = self._stepper()
            told = stepper.simulation(number, time.perf_counter() + PART_S)
            if told is None and stepper.ended is None:
                return UNFINISHED
            return Told(number, [] if told is None else stages_of(told), stepper.ended)

        return read

    def next_change(self, after: int, last: int) -> Question:
        """What to ask the service: ``NextChange``, or ``UNFINISHED``."""

        def read(_stop: threading.Event) -> object:
            found = self._stepper().next_change(after, last, time.perf_counter() + PART_S)
            if found is None:
                return UNFINISHED
            return NextChange(found if found <= last else None, last)

        return read

    def clear(self, _stop: threading.Event) -> None:
        """A question that lets go of everything: giving memory back takes its time."""
        self._made = None
