"""What a game keeps of a search: checked against the position, owning its memory, unable to change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from nimdesk.games import AnyPosition
from nimdesk.play.schema import MAX_COUNT, MAX_SECONDS
from nimdesk.search import MoveStats, Snapshot, Trace
from nimdesk.search.options import MAX_SEED

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Sums of results are rounded; a mean may be off by this much before it is nonsense.
_TOLERANCE = 1e-6


def is_duration(value: float | None) -> bool:
    """Whether this can be a time in seconds, or is None for an unknown one."""
    return value is None or 0 <= value <= MAX_SECONDS


def kept(snapshot: Snapshot, position: AnyPosition) -> Snapshot:
    """The snapshot as a game keeps it: of ``position`` itself, its trace in read-only arrays of exactly its size.

    Raises ``ValueError``, with a clause that says what is wrong, for a snapshot that breaks the contract of
    ``Snapshot`` and ``Trace`` or is of another position. Whatever passes can be saved and loaded again.
    """
    if snapshot.position != position:
        raise ValueError(f"the search is of “{snapshot.position.text}”, not of “{position.text}”")
    _check_numbers(snapshot)
    legal = position.legal_moves
    if snapshot.moves and tuple(stats.move for stats in snapshot.moves) != legal:
        raise ValueError("the search must list every legal move once, in the order of the board")
    if snapshot.best_move is not None and snapshot.best_move not in legal:
        raise ValueError(f"the search's best move {snapshot.best_move.text} is not legal")
    for stats in snapshot.moves:
        _check_stats(stats)
    for step in snapshot.steps:
        if step.best_move not in legal:
            raise ValueError(f"the best move {step.best_move.text} at depth {step.depth} is not legal")
    if snapshot.trace is None:
        return replace(snapshot, position=position)
    if snapshot.trace.moves != legal:
        raise ValueError("the trace must have one column for each legal move, in the order of the board")
    return replace(snapshot, position=position, trace=_kept_trace(snapshot.trace, legal, snapshot.iterations))


def _check_numbers(snapshot: Snapshot) -> None:
    if not 0 <= snapshot.seed <= MAX_SEED:
        raise ValueError(f"the search's seed is {snapshot.seed}; it must be 0 to {MAX_SEED}")
    for name in ("iterations", "tree_nodes", "tree_bytes", "reused"):
        value = getattr(snapshot, name)
        if not 0 <= value <= MAX_COUNT:
            raise ValueError(f"the search's {name} is {value}; it must be 0 to {MAX_COUNT}")
    if snapshot.playouts is not None and not 0 <= snapshot.playouts <= snapshot.iterations:
        raise ValueError(f"the search's playouts are {snapshot.playouts}; they must be 0 to its iterations")
    if snapshot.chosen_after is not None and not 0 <= snapshot.chosen_after <= snapshot.iterations:
        raise ValueError(f"the search's chosen_after is {snapshot.chosen_after}; it must be 0 to its iterations")
    if not is_duration(snapshot.elapsed_s):
        raise ValueError(f"the search's elapsed_s is {snapshot.elapsed_s}; it must be 0 to {MAX_SECONDS:g} seconds")


def _check_stats(stats: MoveStats) -> None:
    if not 0 <= stats.visits <= MAX_COUNT:
        raise ValueError(f"the visits of {stats.move.text} are {stats.visits}; they must be 0 to {MAX_COUNT}")
    value = stats.mean_value
    if value is not None and not (-_TOLERANCE <= value <= 1 + _TOLERANCE):
        raise ValueError(f"the mean value of {stats.move.text} is {value}; it must be 0 to 1")
    variation = stats.principal_variation
    if variation and variation[0] != stats.move:
        raise ValueError(f"the principal variation of {stats.move.text} must start with that move")


def _kept_trace(trace: Trace, moves: tuple[Any, ...], iterations: int) -> Trace:
    rows, columns = len(trace), len(moves)
    for name, shape in (
        ("iterations", (rows,)),
        ("elapsed_s", (rows,)),
        ("visits", (rows, columns)),
        ("value_sum", (rows, columns)),
        ("choice", (rows,)),
    ):
        if getattr(trace, name).shape != shape:
            raise ValueError(f"the trace's {name} has the shape {getattr(trace, name).shape}; it must be {shape}")
    for name in ("playouts", "nodes"):
        array = getattr(trace, name)
        if array is not None and array.shape != (rows,):
            raise ValueError(f"the trace's {name} has the shape {array.shape}; it must be {(rows,)}")
    result = Trace(
        moves,
        _own(trace.iterations, "int64"),
        _own(trace.elapsed_s, "float64"),
        _own(trace.visits, "uint32"),
        _own(trace.value_sum, "float64"),
        _own(trace.choice, "int64"),
        None if trace.playouts is None else _own(trace.playouts, "int64"),
        None if trace.nodes is None else _own(trace.nodes, "int64"),
        trace.reused,
    )
    if rows:
        _check_trace(result, iterations)
    return result


def _check_trace(trace: Trace, iterations: int) -> None:
    steps = trace.iterations[1:] <= trace.iterations[:-1]
    if trace.iterations[0] < 1 or steps.any() or trace.iterations[-1] > iterations:
        raise ValueError(f"the trace's iterations must rise from 1 or more to at most {iterations}")
    times = trace.elapsed_s
    if not ((times >= 0) & (times <= MAX_SECONDS)).all() or (times[1:] < times[:-1] - _TOLERANCE).any():
        raise ValueError("the trace's elapsed_s must be seconds from 0 on that do not fall")
    played = trace.playouts
    if played is not None and ((played[1:] < played[:-1]).any() or played[0] < 0 or (played > trace.iterations).any()):
        raise ValueError("the trace's playouts must be 0 to its iterations and must not fall")
    if ((trace.choice < 0) | (trace.choice >= len(trace.moves))).any():
        raise ValueError(f"the trace's choice must be 0 to {len(trace.moves) - 1} everywhere")
    if trace.nodes is not None and ((trace.nodes[1:] < trace.nodes[:-1]).any() or trace.nodes[0] < 0):
        raise ValueError("the trace's nodes must be 0 or more and must not fall")
    # Written so that nan fails as well.
    if not ((trace.value_sum >= -_TOLERANCE) & (trace.value_sum <= trace.visits * (1 + _TOLERANCE))).all():
        raise ValueError("the trace's value_sum must be 0 to the number of visits everywhere")


def _own(array: NDArray[Any], dtype: str) -> NDArray[Any]:
    """The array itself if it owns its memory and cannot change, else a copy that does and cannot.

    A searcher hands out views of a buffer made for the longest search; a game must not keep those alive.
    """
    if array.base is None and not array.flags.writeable and array.dtype == dtype and array.flags.c_contiguous:
        return array
    copy = array.astype(dtype, order="C", copy=True)
    copy.setflags(write=False)
    return copy
