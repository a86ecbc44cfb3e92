"""What is read of a run's tree in the thread of the searches: the live one, or the one at an earlier moment."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nimdesk.agents import Agent
from nimdesk.search.options import AlphaBetaOptions, DeepeningOptions
from nimdesk.search.tree_types import Family, Line, TreeView
from nimdesk.ui.laboratory.asking import PART_S, UNFINISHED
from nimdesk.ui.laboratory.runs import Run

if TYPE_CHECKING:
    from nimdesk.search.recorded_tree import RecordedDeepening, RecordedTree
    from nimdesk.search.stepping import Replay

# Functions that import do so in the thread of the searches: these modules load numba, which would hold up the window.


@dataclass(frozen=True, slots=True)
class TreeRequest:
    """The nodes wanted, as they were after so many iterations (None: now) or so many nodes searched."""

    lines: tuple[Line, ...]
    iterations: int | None
    nodes: int


@dataclass(frozen=True, slots=True)
class TreeAnswer:
    """The nodes, None for those that the tree does not have; ``note`` is a few words on the tree as a whole."""

    families: dict[Line, Family | None]
    note: str


def records(agent: Agent) -> bool:
    """Whether the tree of this agent's search must be recorded by another one."""
    return agent.traits.tree == "recorded"


class TreeReader:
    """Of one run; made in the UI thread, and then used in that of the searches alone."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._replay: Replay | None = None
        self._recorded: RecordedTree | RecordedDeepening | None = None

    def question(self, request: TreeRequest) -> Callable[[threading.Event], object]:
        """What to ask the service: a ``TreeAnswer``, None for a search without a tree, or ``UNFINISHED``."""

        def read(_stop: threading.Event) -> object:
            return self._read(request)

        return read

    def clear(self, _stop: threading.Event) -> None:
        """A question that lets go of everything: giving memory back takes its time."""
        self._replay = self._recorded = None

    def _read(self, request: TreeRequest) -> object:
        deadline = time.perf_counter() + PART_S
        if records(self._run.key.agent):
            return self._read_recorded(request, deadline)
        searcher = self._run.searcher
        snapshot = self._run.snapshot
        iterations = request.iterations
        if iterations is None and searcher is None and snapshot is not None:
            iterations = snapshot.iterations
        if iterations is not None:
            if self._replay is None:
                from nimdesk.search.stepping import Replay

                key = self._run.key
                self._replay = Replay(key.agent.new_searcher, key.position, key.seed)
            if not self._replay.go_to(iterations, deadline):
                return UNFINISHED
            searcher = self._replay.searcher
        from nimdesk.search.parallel_uct import ParallelUctSearcher
        from nimdesk.search.tree_view import tree_of

        view = None if searcher is None else tree_of(searcher)
        if view is None:
            return None
        note = ""
        if isinstance(searcher, ParallelUctSearcher):
            note = f"the first of {len(searcher.trees)} trees, one for each thread"
        return _answer(view, request, note)

    def _read_recorded(self, request: TreeRequest, deadline: float) -> object:
        tree = self._recorded
        if tree is None or tree.nodes > request.nodes:
            tree = self._recorded = _new_recording(self._run)
        if not tree.advance(request.nodes, deadline):
            return UNFINISHED
        longer = tree.full and request.nodes > tree.limit
        from nimdesk.search.recorded_tree import RecordedDeepening
        from nimdesk.search.tree_view import tree_of

        if not isinstance(tree, RecordedDeepening):
            return _answer(tree_of(tree), request, f"the first {tree.limit:,} are kept" if longer else "")
        if longer and tree.complete is not None:
            # Of the depth at which the recording ends there is a piece alone, whose values mean nothing yet.
            depth, whole = tree.complete
            note = f"depth {depth}, the last that the first {tree.limit:,} nodes complete"
            return _answer(tree_of(whole), request, note)
        return _answer(tree_of(tree.tree), request, f"depth {tree.depth}")


def _new_recording(run: Run) -> RecordedTree | RecordedDeepening:
    from nimdesk.search.recorded_tree import RecordedDeepening, RecordedTree

    options = run.key.agent.options
    if isinstance(options, DeepeningOptions):
        return RecordedDeepening(run.key.position, depth=options.depth)
    if isinstance(options, AlphaBetaOptions):
        ordered = options.ordering == "neighbours"
        return RecordedTree(run.key.position, depth=options.depth, ordered=ordered, prune=True)
    return RecordedTree(run.key.position, depth=None, ordered=False, prune=False)


def _answer(view: TreeView | None, request: TreeRequest, note: str) -> TreeAnswer | None:
    if view is None:
        return None
    return TreeAnswer({line: view.family(line) for line in request.lines}, note)
