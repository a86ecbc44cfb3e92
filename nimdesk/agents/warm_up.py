"""Compiling kernels before they are needed: first those of the game on the board, then all others."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

from nimdesk import compiler_process
from nimdesk.agents.agent import CATALOGUE, Agent
from nimdesk.agents.catalogue import agent_from_json, make_agent
from nimdesk.errors import CompilationEndedError, NimdeskError
from nimdesk.games import AnyPosition, presets

# The delay before the others: there is enough to do while a window opens.
_LATER_S = 10.0
_EVERYTHING = "everything"


class WarmUp:
    """Has kernels compiled in processes beside the window (``compiler_process``), by a thread that waits for them."""

    def __init__(self, position: AnyPosition, agents: Sequence[Agent]) -> None:
        """Begin with what these agents need at this position."""
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(position, agents), name="nimdesk-warm-up", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Wait for the thread, after ``compiler_process.refuse``."""
        self._ended.set()
        self._thread.join()

    def _run(self, position: AnyPosition, agents: Sequence[Agent]) -> None:
        from nimdesk.kernels import CACHE  # lazy: loads numba

        processes = compiler_process.current()
        if processes is None or not CACHE.is_kept or CACHE.has(_EVERYTHING):
            return
        with suppress(CompilationEndedError):
            if agents and position.outcome is None:
                processes.run(partial(warm_up, position, [agent.to_json() for agent in agents]))
            if not self._ended.wait(_LATER_S):
                processes.run(warm_up_everything, idle=True)


def warm_up(position: AnyPosition, agents: Sequence[object]) -> None:
    """Load or compile what these agents, given as JSON, need to search this position. Plug-ins need nothing."""
    for data in agents:
        if isinstance(data, dict) and data["agent"] in CATALOGUE:
            with suppress(NimdeskError):  # it does not play this game
                agent_from_json(data).new_searcher(position).start(position, 0)


def warm_up_agent(name: str) -> None:
    """Load or compile what this agent of the catalogue needs for all well-known set-ups."""
    agent = [make_agent(name).to_json()]
    for preset in presets():
        warm_up(preset.game.start(), agent)


def warm_up_everything() -> None:
    """Load or compile what all agents of the catalogue need, and leave a mark that everything is compiled."""
    for name in CATALOGUE:
        warm_up_agent(name)
    mark_everything()


def everything_is_compiled() -> bool:
    """Whether ``mark_everything`` has left its mark."""
    from nimdesk.kernels import CACHE  # lazy: loads numba

    return CACHE.has(_EVERYTHING)


def mark_everything() -> None:
    """Leave the mark that everything is compiled, if compiled kernels are kept."""
    from nimdesk.kernels import CACHE  # lazy: loads numba

    CACHE.note(_EVERYTHING)
