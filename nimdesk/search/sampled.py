"""What all searches by simulations share: their limits, their pace, their trace and their snapshot.

A subclass says how to begin, how to do some simulations, and what is known at the root. numpy is imported when a search
starts, because start-up imports this module beside the options.
"""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from nimdesk.errors import OptionError
from nimdesk.games import AnyPosition, Move
from nimdesk.limit import Limit
from nimdesk.search.options import MAX_ITERATIONS, AgentOptions, Ties
from nimdesk.search.traces import Root, Rows, checkpoints, make_trace
from nimdesk.search.types import Choice, MoveStats, Snapshot, StopReason, Trace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# The target length of one slice.
_SLICE_S = 0.004
_LARGEST_SLICE = 200_000
# The times of this many slices are worked out together, or when the trace is asked for: that takes longer than the rest
# of a slice's bookkeeping.
_MOST_ENDS = 256
# Simulations per second, as last seen, of the positions searched last; other positions may be much slower.
speeds: dict[object, float] = {}
_MOST_SPEEDS = 64


RootT = TypeVar("RootT", bound=tuple[Any, ...])


class SampledSearcher(ABC, Generic[RootT]):
    """Base of the sampling searches; position, options, seed and iterations determine the statistics."""

    first_slice = 64
    """How many simulations are done before it is known how long one takes."""
    in_python = False
    """Whether its simulations are plain Python."""

    def __init__(
        self,
        agent: str,
        iterations: int | None,
        time_s: float | None,
        rule: Choice = "visits",
        ties: Ties = "random",
    ) -> None:
        """``agent`` is the name in snapshots, ``rule`` and ``ties`` say how it chooses; the rest are its own limits."""
        self.agent, self.rule, self._ties = agent, rule, ties
        self._own_iterations, self._own_time_s = iterations, time_s

    # What a subclass provides.

    @abstractmethod
    def _begin(self) -> None:
        """Prepare the first simulation of ``position``; the time this takes (to compile) is not counted."""

    @abstractmethod
    def _run(self, count: int) -> None:
        """Do ``count`` simulations; fewer only if there is no room for more, or nothing left to do."""

    @property
    @abstractmethod
    def iterations(self) -> int:
        """Simulations done since the start."""

    @property
    @abstractmethod
    def tree_nodes(self) -> int:
        """Nodes in the tree."""

    @property
    @abstractmethod
    def playouts(self) -> int:
        """Simulations that included a playout."""

    @abstractmethod
    def _root(self) -> RootT:
        """What is known at the root: a ``Root``, or a tuple that begins like one."""

    @abstractmethod
    def _rows(self) -> Rows:
        """What was known at the checkpoints ``self._at``."""

    @abstractmethod
    def _move_stats(self, root: RootT) -> tuple[MoveStats, ...]:
        """What the search knows of each root move."""

    def _choice(self, root: RootT) -> int | None:
        """The column of the move that it would play now; None before there is one."""
        if not root[0].any():
            return None
        return int(self._choices(slice(0), root[0], root[1]))

    def _choices(self, rows: slice, visits: NDArray[Any], score: NDArray[Any]) -> NDArray[np.int64]:
        """The columns that it would have played at the checkpoints ``rows``, with these visits and half points."""
        from nimdesk.search.choice import by_counts, by_order  # lazy: see above

        def keys() -> Iterator[NDArray[Any]]:
            yield from by_counts(self.rule, visits, 0.5 * score)
            yield self._precedence

        return by_order(keys())

    def _iterations_of(self) -> int:
        """The search's own limit at this position."""
        return MAX_ITERATIONS if self._own_iterations is None else self._own_iterations

    def _more(self, root: RootT, choice: int | None) -> dict[str, Any]:
        """Further fields of the snapshot."""
        return {}

    def _reason(self, reason: StopReason) -> StopReason:
        """The reason to give when the search meets one of its own limits."""
        return reason

    def _room(self, nodes: int) -> int:
        """How many simulations may be done before the tree has this many nodes; each adds at most one."""
        return nodes - self.tree_nodes

    # What follows from it.

    def start(self, position: AnyPosition, seed: int) -> None:
        """Begin a search of a position that is not over; ``OptionError`` for a game that it cannot search."""
        if position.outcome is not None:
            raise ValueError(f"the game is over in {position.text}: there is nothing to search")
        import numpy as np  # lazy: see above

        self._position, self._seed = position, seed
        self._moves: tuple[Move, ...] = position.legal_moves
        self._last = min(self._iterations_of(), MAX_ITERATIONS)
        self._stopped: StopReason | None = None
        self._reused = 0
        self._at = checkpoints(self._last)
        self._row_times = np.zeros(len(self._at), np.float64)
        # The ends of the slices whose checkpoints are not yet in it: simulations done, and seconds.
        self._ends, self._end_times = [0], [0.0]
        self._prepare_choices()
        self._begin()
        if len(speeds) >= _MOST_SPEEDS:
            speeds.clear()
        self._pace = Pace(self.first_slice, speeds.get(self._kind, 0.0))

    def _prepare_choices(self) -> None:
        """No checkpoint has a choice yet, and no lot is thrown."""
        import numpy as np  # lazy: see above

        self._ranks: NDArray[np.int64] | None = None
        self._row_choice = np.zeros(len(self._at), np.int64)
        self._rows_chosen = 0

    @property
    def _precedence(self) -> NDArray[np.int64]:
        """What decides between equal moves here with this seed, (L,), made when it is first asked for."""
        from nimdesk.search.choice import precedence  # lazy: see above

        if self._ranks is None:
            (self._ranks,) = precedence(self._position, (self._seed,), self._ties)
        return self._ranks

    def _row_choices(self, rows: Rows) -> NDArray[np.int64]:
        """The columns that it would have played at the checkpoints; those passed before stay as they are."""
        first, last = self._rows_chosen, len(rows.visits)
        if first < last:
            new = slice(first, last)
            self._row_choice[new] = self._choices(new, rows.visits[new], rows.score[new])
            self._rows_chosen = last
        return self._row_choice[:last]

    def _moves_since(self, position: AnyPosition) -> tuple[Move, ...] | None:
        """The moves from the position searched to a later one of the same game that is not over; None for any other."""
        old, moves = self._position.moves, position.moves
        later = self._position.game == position.game and moves[: len(old)] == old
        return tuple(moves[len(old) :]) if later and position.outcome is None else None

    def _check_playouts(self, playouts: str, *, guided: bool) -> None:
        """``OptionError`` for playouts that only Nim has, unless this game has them (``guided``)."""
        if playouts != "uniform" and not guided:
            title = self._position.game.title
            raise OptionError(f"Playouts by the nim-sum, or against a perfect opponent, need Nim, not {title}.")

    @property
    def _kind(self) -> object:
        """A key that is equal for searches of equal speed."""
        return self._position, type(self)

    @property
    def position(self) -> AnyPosition:
        """The position searched."""
        return self._position

    @property
    def by_visits(self) -> bool:
        """Whether the move played always is one with the most visits."""
        return self.rule == "visits"

    def tree_note(self) -> str:
        """What a viewer of the tree has to know, or ""."""
        return ""

    @property
    def elapsed_s(self) -> float:
        """Seconds of searching since the start."""
        return self._pace.elapsed_s

    def advance(self, limit: Limit) -> StopReason | None:
        """Search until ``limit`` (counted from the start) or the agent's own limit; return the reason if it was its
        own.

        ``limit.time_s`` is met within a few milliseconds; an empty limit runs to the search's own end.
        """
        last = self._last if limit.iterations is None else min(limit.iterations, self._last)
        own_time = self._own_time_s
        deadline = min((each for each in (own_time, limit.time_s) if each is not None), default=math.inf)
        done = self.iterations
        while self._stopped is None:
            elapsed_s = self._pace.elapsed_s
            if done >= self._last:
                self._stopped = self._reason(StopReason.ITERATIONS)
            elif own_time is not None and elapsed_s >= own_time:
                self._stopped = self._reason(StopReason.TIME)
            else:
                room = MAX_ITERATIONS if limit.nodes is None else self._room(limit.nodes)
                if done >= last or elapsed_s >= deadline or room <= 0:
                    return None
                done = self._slice(done, min(last - done, room), deadline - elapsed_s)
        return self._stopped

    def _slice(self, before: int, iterations: int, time_s: float) -> int:
        """Do one slice of this many iterations; return how many are done in all."""
        count = self._pace.count(iterations, time_s)
        begin = time.perf_counter()
        self._run(count)
        took = time.perf_counter() - begin
        after = self.iterations
        self._pace.spent(after - before, took)
        if after > before:
            self._ends.append(after)
            self._end_times.append(self._pace.elapsed_s)
            if len(self._ends) > _MOST_ENDS:
                self._time_rows()
        speeds[self._kind] = self._pace.per_s
        return after

    def snapshot(self) -> Snapshot:
        """The current state."""
        return self._snapshot(full=True)

    def brief(self) -> Snapshot:
        """The same without moves and trace, in a fraction of the time."""
        return self._snapshot(full=False)

    def _snapshot(self, *, full: bool) -> Snapshot:
        root = self._root()
        choice = self._choice(root)
        return Snapshot(
            position=self._position,
            agent=self.agent,
            seed=self._seed,
            iterations=self.iterations,
            elapsed_s=self.elapsed_s,
            moves=self._move_stats(root) if full else (),
            best_move=None if choice is None else self._moves[choice],
            tree_nodes=self.tree_nodes,
            stopped=self._stopped,
            reused=self._reused,
            playouts=self.playouts,
            trace=self._trace(root, choice) if full else None,
            in_python=self.in_python,
            **self._more(root, choice),
        )

    def _trace(self, root: RootT, choice: int | None) -> Trace:
        rows = self._rows()
        at, elapsed_s = self._moments(len(rows.visits))
        spent = self.iterations, self.elapsed_s, self.playouts, self.tree_nodes
        now = Root(root[0], root[1])
        return make_trace(self._moves, at, elapsed_s, rows, spent, now, self._row_choices(rows), choice, self._reused)

    def _moments(self, rows: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The iterations and the seconds at which the first ``rows`` checkpoints were passed."""
        self._time_rows()
        return self._at[:rows], self._row_times[:rows]

    def _time_rows(self) -> None:
        """Give the checkpoints passed their times, as if all simulations of a slice took equally long."""
        import numpy as np  # lazy: see above

        ends, times = self._ends, self._end_times
        first, stop = self._at.searchsorted((ends[0], ends[-1]), side="right")
        self._row_times[first:stop] = np.interp(self._at[first:stop], ends, times)
        self._ends, self._end_times = ends[-1:], times[-1:]


def start_search(
    make_searcher: Callable[[Any], SampledSearcher[Any]], options: AgentOptions, position: AnyPosition
) -> None:
    """Start a sampling search; another process calls this to have the kernels compiled."""
    make_searcher(options).start(position, 0)


class Pace:
    """Seconds spent so far, and how many iterations fit into a slice."""

    def __init__(self, first: int, per_s: float = 0.0) -> None:
        """The first slice has ``first`` iterations, unless ``per_s`` iterations a second are already known."""
        self._first = first
        self.per_s = per_s
        self.elapsed_s = 0.0

    def count(self, iterations: int, time_s: float) -> int:
        """How many of ``iterations`` to do now, with ``time_s`` left; at least one."""
        count = int(self.per_s * min(_SLICE_S, max(time_s, 0.0002))) if self.per_s else self._first
        return min(max(count, 1), _LARGEST_SLICE, iterations)

    def spent(self, iterations: int, took_s: float) -> None:
        """Record that a slice did this many iterations in this time."""
        self.elapsed_s += took_s
        if iterations:
            self.per_s = iterations / took_s if took_s > 0 else 0.0
