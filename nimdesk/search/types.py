"""What a search is given and what it answers: ``Limit``, ``Snapshot``, ``MoveStats``, ``Trace``, ``Searcher``.

These are plain values; importing them loads neither numba nor numpy, so that the window can paint first. ``drive`` is
the one loop that runs a search in slices, so that it can be watched and stopped.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

import msgspec

from nimdesk.games import AnyPosition, Move
from nimdesk.games.truth import MoveTruth, Threats, Truth, Value
from nimdesk.games.truth_words import result_words
from nimdesk.limit import Limit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Choice = Literal["visits", "mean", "secure"]
"""What a search looks at first where it chooses its move: visits, the mean, or mean − 1/√n. See ``search.choice``."""


class StopReason(Enum):
    """Why a search ended, as words that stand alone."""

    ITERATIONS = "all iterations done"
    TIME = "time is up"
    NODES = "node limit reached"
    PLAYOUTS = "all playouts done"
    EXHAUSTED = "its tree grows no more"
    STOPPED = "interrupted by you"
    MOVE_NOW = "told to move now"
    NO_SEARCH = "this player does not search"
    COMPLETE = "everything is worked out"
    DEPTH = "searched to its depth, the result not proven"
    PROVEN = "the result is proven"
    DECIDED = "no other move can be better"


class MoveStats(msgspec.Struct, frozen=True):
    """What the search knows of one root move.

    ``mean_value`` is the expected score in [0, 1] for the side that plays the move (the side to move at the root), or
    None before the first visit. ``principal_variation`` starts with the move itself and follows the most visits.
    ``proven`` is the exact value for that side if this search has proven it, otherwise None. ``distance`` is then the
    number of plies to the end, if known.
    """

    move: Move
    visits: int
    mean_value: float | None
    principal_variation: tuple[Move, ...] = ()
    proven: Value | None = None
    distance: int | None = None

    @property
    def proof(self) -> str:
        """What is proven of the move, such as "wins in 9" (plies) or "draws"; "" if nothing is."""
        return "" if self.proven is None else result_words(self.proven, self.distance)


class Trace(msgspec.Struct, frozen=True, eq=False):
    """The root's statistics at log-spaced checkpoints from iteration 1 on, exact at each of them.

    With T rows and L root moves: ``iterations`` int64 (T,), increasing; ``elapsed_s`` float64 (T,), interpolated inside
    a slice; ``visits`` uint32 (T, L); ``value_sum`` float64 (T, L), for the side to move. Columns are in the order of
    ``moves``, which is that of ``position.legal_moves``. ``playouts`` and ``nodes`` int64 (T,) are the playouts and the
    nodes of the tree by then, None where nobody counted them, as in older files. ``choice`` int64 (T,) are the columns
    of the moves that the search would have played, as it says itself. The arrays are read-only. ``reused`` is that of
    the ``Snapshot``.

    Trees that grow side by side add up their rows, so the first row is after one iteration of each. The visits of a row
    are its iterations and those kept from an earlier search. They are one fewer once a simulation has found the root
    proven without trying a move.
    """

    moves: tuple[Move, ...]
    iterations: NDArray[np.int64]
    elapsed_s: NDArray[np.float64]
    visits: NDArray[np.uint32]
    value_sum: NDArray[np.float64]
    choice: NDArray[np.int64]
    playouts: NDArray[np.int64] | None = None
    nodes: NDArray[np.int64] | None = None
    reused: int = 0

    def __len__(self) -> int:
        """The number of checkpoints, T."""
        return len(self.iterations)

    def shares(self, first: int = 0) -> NDArray[np.float64]:
        """Visits as a share of all root visits, (T, L), from row ``first`` on; a row without visits is all 0."""
        visits = self.visits[first:]
        totals = visits.sum(axis=1, keepdims=True, dtype="float64")
        totals[totals == 0] = 1.0
        shares: NDArray[np.float64] = visits / totals
        return shares


class Resistance(msgspec.Struct, frozen=True):
    """Which moves of a lost position hold out longest; ``exact``, or as far as a search has proven it."""

    longest: tuple[Move, ...]
    exact: bool


class Step(msgspec.Struct, frozen=True):
    """One finished depth of iterative deepening: the costs by then, and its result.

    ``value`` is for the side to move: a win or a loss is proven, ``UNKNOWN`` is undecided within ``depth`` moves.
    """

    depth: int
    nodes: int
    elapsed_s: float
    best_move: Move
    value: Value


class Snapshot(msgspec.Struct, frozen=True, eq=False):
    """A search at one moment: a frozen value that later slices do not change.

    * ``moves`` has one entry for each legal root move, in the order of ``position.legal_moves``; ``best_move`` is what
      the agent would play now.
    * ``iterations`` are simulations. One that finds the position proven visits no move, so there may be one visit
      fewer; the ``comment`` says so. ``playouts`` counts the random continuations: fewer than iterations, since a
      finished or proven position needs none, nor one that is evaluated; None for an agent that counts none.
    * ``tree_nodes`` counts the nodes of the tree, or those visited by an agent that keeps none. ``tree_full`` says that
      the memory cap was met and the tree grows no more; the search itself goes on. ``reused`` counts visits kept from
      an earlier search; the trace's visits include them. One of them in each tree (one tree a thread) is that of the
      root itself, from before it had moves: the visits of the moves are ``iterations`` and ``reused``, less that one.
    * ``stopped`` is None while the search runs. ``trace`` is None for agents that do not sample.
    * ``proven`` is what this search has proven of the position, for the side to move, or None; a proof of a move alone
      stands in ``moves``. ``distance`` is then the number of plies to the end, if known. ``resistance`` says which
      moves of a lost position hold out longest, where that is known.
    * ``chosen_after`` is the number of iterations after which ``best_move`` was chosen, where the search went on from
      there for its curves alone; None where it did not.
    * ``comment`` is one sentence on the result, or ""; ``listing`` explains the search to a learner, line by line, or
      is empty; ``steps`` are the finished depths of iterative deepening. ``pairs`` are moves that a proof plays in
      answer to each other, after ``best_move`` where that is the proof's own. ``in_python``: it was searched in plain
      Python, as a game without compiled rules always is, and others while compiled code is not loaded yet.
    * ``threats`` is what was found of wins by threats in the position, where somebody looked for them. No file has it.
    """

    position: AnyPosition
    agent: str
    seed: int
    iterations: int
    elapsed_s: float
    moves: tuple[MoveStats, ...]
    best_move: Move | None
    tree_nodes: int = 0
    tree_bytes: int = 0
    tree_full: bool = False
    stopped: StopReason | None = None
    reused: int = 0
    trace: Trace | None = None
    comment: str = ""
    listing: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    playouts: int | None = None
    pairs: tuple[tuple[Move, Move], ...] = ()
    proven: Value | None = None
    distance: int | None = None
    resistance: Resistance | None = None
    chosen_after: int | None = None
    in_python: bool = False
    threats: Threats | None = None

    @property
    def leader(self) -> Move | None:
        """The move that the search prefers; a player who throws dice may play another one, ``best_move``."""
        trace = self.trace
        if trace is None or not len(trace) or trace.iterations[-1] != self.iterations or trace.choice[-1] < 0:
            return self.best_move
        return trace.moves[int(trace.choice[-1])]

    @property
    def diced(self) -> bool:
        """Whether the player did not follow its search; where the curves go on, the search as it was at the choice."""
        return bool(self.comment) if self.chosen_after is not None else self.best_move != self.leader

    @property
    def simulations_per_s(self) -> float:
        """Iterations per second of searching; 0 before the first slice."""
        return self.iterations / self.elapsed_s if self.elapsed_s > 0 else 0.0

    @property
    def finished(self) -> bool:
        """Whether nothing is left to do: no limit has ended the search, and with a larger one it would not go on."""
        return self.stopped in (StopReason.COMPLETE, StopReason.DEPTH, StopReason.PROVEN, StopReason.NO_SEARCH)

    @property
    def has_nodes(self) -> bool:
        """Whether ``tree_nodes`` counts anything: a search that samples and keeps no tree has no nodes."""
        return self.tree_bytes > 0 or (self.trace is None and not self.iterations)

    @property
    def nodes(self) -> int | None:
        """The nodes that were made; None where there are none to count."""
        return self.tree_nodes if self.has_nodes else None

    @property
    def total_visits(self) -> int:
        """Visits of all root moves together."""
        return sum(stats.visits for stats in self.moves)

    @property
    def proof(self) -> str:
        """What is proven of the position for the side to move, such as "proven: wins in 9"; "" where nothing is."""
        return "" if self.proven is None else f"proven: {result_words(self.proven, self.distance)}"

    @property
    def truth(self) -> Truth:
        """What this search has proven, of the position and of each move; the rest is UNKNOWN."""
        moves = tuple(MoveTruth(each.move, each.proven or Value.UNKNOWN, each.distance) for each in self.moves)
        return Truth(self.position, self.proven or Value.UNKNOWN, self.distance, moves)

    def stats_of(self, move: Move | None) -> MoveStats | None:
        """What the search knows of this root move; None if it is not among ``moves``."""
        return next((stats for stats in self.moves if stats.move == move), None)

    @property
    def counted(self) -> Literal["visits", "nodes", ""]:
        """What ``visits`` count in ``moves``: simulations that began with the move, or the nodes searched below it by a
        search that plays none; or nothing.
        """
        if self.trace is not None:
            return "visits"
        return "nodes" if self.total_visits else ""

    def share(self, stats: MoveStats) -> float:
        """The move's share of all that is ``counted``, 0 to 1."""
        total = self.total_visits
        return stats.visits / total if total else 0.0

    @property
    def parries(self) -> tuple[Move, ...]:
        """The moves that parry the ``threats``, without those that this search has proven to lose.

        Its own choice is first, then comes the most visited. There are none where nothing is threatened.
        """
        found = () if self.threats is None else self.threats.parries
        left = [each for each in self.moves if each.move in found and each.proven is not Value.LOSS]
        return tuple(each.move for each in sorted(left, key=lambda each: (each.move != self.best_move, -each.visits)))

    def ended(self, reason: StopReason) -> Snapshot:
        """This snapshot, stopped for this reason."""
        return msgspec.structs.replace(self, stopped=reason)

    def pairs_at(self, position: AnyPosition) -> tuple[tuple[Move, Move], ...]:
        """The ``pairs``, if this is the position that was searched, or the one after the best move; otherwise none."""
        best = self.best_move
        here = position == self.position or (best is not None and position == self.position.play(best))
        return self.pairs if here else ()


class Searcher(Protocol):
    """A search that runs in slices: ``start``, then ``advance`` until it returns a reason; ``snapshot`` at any time."""

    def start(self, position: AnyPosition, seed: int) -> None:
        """Begin a search of ``position``, which must not be over; ``seed`` is 0 to 2**63 - 1."""

    def advance(self, limit: Limit) -> StopReason | None:
        """Search until ``limit`` or the agent's own limit is met; return the reason if it was the agent's own."""

    def snapshot(self) -> Snapshot:
        """The current state, frozen."""


@runtime_checkable
class BriefSearcher(Searcher, Protocol):
    """A searcher that can give its choice alone, quickly."""

    def brief(self) -> Snapshot:
        """The snapshot without ``moves`` and ``trace``, in a fraction of the time."""


@runtime_checkable
class ResumableSearcher(Searcher, Protocol):
    """A searcher that can go on in a later position of the same game."""

    def resume(self, position: AnyPosition, seed: int) -> bool:
        """Begin a search of ``position`` with what is known of it; if nothing is, begin nothing and return False."""


@runtime_checkable
class RepeatedSearcher(Searcher, Protocol):
    """A searcher that can make many searches of its position at once."""

    def repeated(self, budgets: Sequence[int]) -> Callable[[Sequence[int]], NDArray[np.int16]] | None:
        """Return, after ``start``, a function that makes a search with each of the seeds that it is given.

        The function returns the columns that the searches would play at each of the increasing budgets, (seeds,
        budgets); the last budget is the search's own limit. None where the options do not allow it.
        """


@runtime_checkable
class IllustratedSearcher(Searcher, Protocol):
    """A searcher that chooses by dice and so soon that its curves say little, and can search on for them alone."""

    def show_search(self) -> None:
        """From now on the trace's ``choice`` is what the search prefers, and not what the dice make of it."""

    def illustrate(self, limit: Limit) -> bool:
        """Search on after the end, until ``limit`` is met; the choice stays. Return whether the curves say enough."""


@runtime_checkable
class Swap2Searcher(Searcher, Protocol):
    """A searcher that may open a game by swap2 in its own way."""

    def swap2(self, position: AnyPosition) -> tuple[Move, ...] | None:
        """What it does with no, three or five stones: the moves that it makes, one to play on with the side to move;
        none if it takes the other side; None if it does not know the rule. ``AgentError`` if it fails.
        """


@runtime_checkable
class ClosableSearcher(Searcher, Protocol):
    """A searcher that holds more than memory, such as a process; it must not be kept idle."""

    def close(self) -> None:
        """Release what it holds; dropping the searcher does the same."""


def drive(
    searcher: Searcher,
    limit: Limit | None = None,
    stop: threading.Event | None = None,
    on_snapshot: Callable[[Snapshot], object] | None = None,
    *,
    slice_s: float = 0.05,
) -> StopReason | None:
    """Advance a started search to its own end or to ``limit``; return why it ended, None if ``stop`` was set.

    Every ``slice_s`` seconds of searching it checks ``stop`` and shows the state to ``on_snapshot``. Slicing does not
    change the result.
    """
    limit = Limit() if limit is None else limit
    counted = limit.iterations is not None or limit.nodes is not None
    for part in limit.slices(stop, slice_s):
        if (reason := searcher.advance(part)) is not None:
            return reason
        if on_snapshot is None and not counted:
            continue
        snapshot = searcher.snapshot()
        if on_snapshot is not None:
            on_snapshot(snapshot)
        if limit.iterations is not None and snapshot.iterations >= limit.iterations:
            return StopReason.ITERATIONS
        if limit.nodes is not None and snapshot.tree_nodes >= limit.nodes:
            return StopReason.NODES
    return None if stop is not None and stop.is_set() else StopReason.TIME
