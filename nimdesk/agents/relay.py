"""A search that begins in Python at once, and is taken over by the compiled one as soon as that is loaded."""

from __future__ import annotations

import threading
from contextlib import suppress

from nimdesk import compiler_process
from nimdesk.agents.agent import Agent
from nimdesk.compiler_process import CompilerProcesses
from nimdesk.errors import OptionError
from nimdesk.games import AnyPosition, kit_of
from nimdesk.limit import Limit
from nimdesk.search import Searcher

# What is loaded already starts within this; nobody sees such a delay.
_PATIENCE_S = 0.1


class Relay:
    """A started search; ``searcher`` is the one that runs now.

    Between ``compiler_process.begin`` and ``end`` compiled code is loaded in a thread beside, while the same search on
    positions runs; call ``pass_on`` between two slices. Elsewhere, and where there is no such search, it waits.
    """

    def __init__(self, agent: Agent, position: AnyPosition, seed: int) -> None:
        """Start a search of a position that is not over; whatever starting raises is raised here."""
        self._loading: _Loading | None = None
        make_textbook, processes = agent.info.make_textbook, compiler_process.current()
        loading = _Loading(agent, position, seed)
        if make_textbook is None or kit_of(position).load_kernel is None or processes is None:
            loading.load()
        elif not loading.begin(processes, _PATIENCE_S):
            with suppress(OptionError):  # it lacks what only the game's own kernel has
                self.searcher: Searcher = make_textbook(agent.options)
                self.searcher.start(position, seed)
                self._loading = loading
                return
        self.searcher = loading.result()

    @property
    def in_python(self) -> bool:
        """Whether the compiled search is still to take over."""
        return self._loading is not None

    def pass_on(self) -> bool:
        """Let the compiled search take over, if it is loaded; whether it did.

        It makes the same simulations again first, or visits as many nodes, and so knows at least as much.
        """
        if self._loading is None or not self._loading.over:
            return False
        loaded, self._loading = self._loading.result(), None
        done = self.searcher.snapshot()
        loaded.advance(Limit(done.iterations) if done.iterations else Limit(nodes=done.tree_nodes))
        self.searcher = loaded
        return True


class _Loading:
    """A compiled search that is started, in a thread of its own or in the caller's."""

    def __init__(self, agent: Agent, position: AnyPosition, seed: int) -> None:
        self._agent, self._position, self._seed = agent, position, seed
        self._ended = threading.Event()
        self._searcher: Searcher | None = None
        self._error: BaseException | None = None

    def load(self) -> None:
        """Start the search now."""
        try:
            searcher = self._agent.new_searcher(self._position)
            searcher.start(self._position, self._seed)
            self._searcher = searcher
        except BaseException as error:  # raised again by ``result``; the rules of a game may raise anything
            self._error = error
        self._ended.set()

    def begin(self, processes: CompilerProcesses, patience_s: float) -> bool:
        """Start the search in a thread; whether that came to its end within ``patience_s``."""
        # At the usual priority: a thread that holds the interpreter's lock at a low one would hold up all others.
        processes.start_thread(threading.Thread(target=self.load, name="nimdesk-loading", daemon=True))
        return self._ended.wait(patience_s)

    @property
    def over(self) -> bool:
        """Whether the search is started, or starting failed."""
        return self._ended.is_set()

    def result(self) -> Searcher:
        """The started search, once there is one; raises what starting raised."""
        self._ended.wait()
        if self._error is not None:
            raise self._error
        assert self._searcher is not None
        return self._searcher
