"""Loading and compiling kernels before they are needed: those of the game on the board, then the usual ones."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from queue import SimpleQueue

from nimdesk import compiler_process
from nimdesk.agents.agent import CATALOGUE, Agent
from nimdesk.agents.catalogue import agent_from_json, make_agent
from nimdesk.errors import CompilationEndedError, NimdeskError
from nimdesk.games import AnyPosition, kit_of, parse_position, presets

# The delay before the usual ones: there is enough to do while a window opens.
_LATER_S = 10.0
_USUAL, _EVERYTHING = "usual", "everything"
_SUPPLIES = Path("/sys/class/power_supply")


class WarmUp:
    """Loads kernels while nobody waits, and has those compiled that are not on disk (``compiler_process``).

    What ``want`` names comes first. Once that is done and some time has passed, an idle process compiles the usual
    kernels, unless the machine runs on its battery, or ``stop_idling`` was called. ``heard`` is told, in another
    thread, how many of how many of those are done.
    """

    def __init__(self, heard: Callable[[int, int], object]) -> None:
        self._heard = heard
        self._ended, self._calm = threading.Event(), threading.Event()
        self._wanted: SimpleQueue[tuple[AnyPosition, tuple[Agent, ...]] | None] = SimpleQueue()
        self._threads = [
            threading.Thread(target=run, name="nimdesk-warm-up", daemon=True) for run in (self._load, self._idle)
        ]
        for thread in self._threads:
            thread.start()

    def want(self, position: AnyPosition, agents: Sequence[Agent]) -> None:
        """Get ready for searches of this position by these agents."""
        self._wanted.put((position, tuple(dict.fromkeys(agents)) if position.outcome is None else ()))

    def stop_idling(self) -> None:
        """Compile nothing any more that nobody has asked for."""
        self._ended.set()

    def end(self) -> None:
        """Wait for the threads, after ``compiler_process.refuse``."""
        self.stop_idling()
        self._calm.set()
        self._wanted.put(None)
        for thread in self._threads:
            thread.join()

    def _load(self) -> None:
        while (wanted := self._wanted.get()) is not None:
            position, agents = wanted
            for agent in agents:
                with suppress(Exception):  # its search will say why
                    agent.new_searcher(position).start(position, 0)
            self._calm.set()

    def _idle(self) -> None:
        self._calm.wait()
        if self._ended.wait(_LATER_S):
            return
        from nimdesk.kernels import CACHE  # lazy: loads numba

        processes = compiler_process.current()
        known = not CACHE.is_kept or CACHE.has(_USUAL) or CACHE.has(_EVERYTHING)
        if processes is None or known or on_battery():
            return
        usual = [info.name for info in CATALOGUE.values() if info.usual]
        starts = [each.game.text for each in presets() if kit_of(each.game).usual]
        jobs = [partial(_warm_up_at, name, text) for name in usual for text in starts]

        def done(count: int) -> bool:
            if wanted := not self._ended.is_set():
                self._heard(min(count, len(jobs) - 1), len(jobs))  # the last one once that is noted
            return wanted

        with suppress(CompilationEndedError):
            done(0)
            if processes.run(*jobs, idle=True, done=done):
                CACHE.note(_USUAL)
        self._heard(len(jobs), len(jobs))


def on_battery() -> bool:
    """Whether the machine runs on its battery now, as far as Linux tells."""
    return any(
        _said(supply, "status") == "Discharging" and _said(supply, "scope") != "Device"  # as that of a mouse
        for supply in _SUPPLIES.glob("*")
    )


def _said(supply: Path, what: str) -> str:
    with suppress(OSError):
        return (supply / what).read_text().strip()
    return ""


def warm_up(position: AnyPosition, agents: Sequence[object]) -> None:
    """Load or compile what these agents, given as JSON, need to search this position. Plug-ins need nothing."""
    for data in agents:
        if isinstance(data, dict) and data["agent"] in CATALOGUE:
            with suppress(NimdeskError):  # it does not play this game
                agent_from_json(data).new_searcher(position).start(position, 0)


def _warm_up_at(name: str, text: str) -> None:
    warm_up(parse_position(text), [make_agent(name).to_json()])


def warm_up_agent(name: str) -> None:
    """Load or compile what this agent of the catalogue needs for all well-known set-ups."""
    for preset in presets():
        _warm_up_at(name, preset.game.text)


def everything_is_compiled() -> bool:
    """Whether ``mark_everything`` has left its mark."""
    from nimdesk.kernels import CACHE  # lazy: loads numba

    return CACHE.has(_EVERYTHING)


def mark_everything() -> None:
    """Leave the mark that everything is compiled, if compiled kernels are kept."""
    from nimdesk.kernels import CACHE  # lazy: loads numba

    CACHE.note(_EVERYTHING)
