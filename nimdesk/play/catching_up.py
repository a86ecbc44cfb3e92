"""The moments of a search that nobody saw: once it has ended, they are shown from its trace.

A search is quicker than a screen, and a busy machine draws three pictures of it where thirty were due. What was missed
runs by afterwards, each moment as it would have been shown, at one pace over the logarithm of the simulations.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from msgspec import structs

from nimdesk.play.moment import Search
from nimdesk.search import MoveStats, Snapshot

SWEEP_S = 1.0
"""How long it takes to run over a whole search."""
_FRAMES_A_SECOND = 30
_GAP = 0.2
"""A longer part of the logarithmic axis between two moments shown was missed."""
_FEWEST_ROWS = 12
"""A search of fewer moments has nothing to follow."""


@dataclass(frozen=True)
class CatchingUp:
    """A search that has ended, and the rows of its trace to show: all from the first one on that was missed."""

    search: Search
    rows: tuple[int, ...] = ()

    def __len__(self) -> int:
        """How many moments there are."""
        return len(self.rows)

    @property
    def seconds(self) -> float:
        """How long they are to take."""
        return len(self.rows) / _FRAMES_A_SECOND

    def at(self, elapsed_s: float) -> Search:
        """What to show so long after the beginning; from ``seconds`` on the search as it ended."""
        number, ended = int(elapsed_s * _FRAMES_A_SECOND), self.search.snapshot
        if number >= len(self.rows) or ended is None:
            return self.search
        return replace(self.search, snapshot=moment(ended, self.rows[number]), ended=ended)


def caught_up(search: Search, seen: Sequence[int]) -> CatchingUp:
    """What was missed of a search that has ended; ``seen`` are the iterations at which it was shown while it ran.

    Nothing is where a person has turned slow motion off, or where the search keeps no trace.
    """
    snapshot = search.snapshot
    trace = None if snapshot is None or not search.slow_motion_s else snapshot.trace
    if trace is None or len(trace) < _FEWEST_ROWS:
        return CatchingUp(search)
    done = trace.iterations.tolist()
    last = math.log(done[-1])
    shown = [0.0, *(math.log(count) for count in seen if 1 < count < done[-1]), last]
    first = next((left for left, right in pairwise(shown) if right - left > _GAP * last), None)
    if first is None:
        return CatchingUp(search)
    frames = max(1, round(SWEEP_S * _FRAMES_A_SECOND * (last - first) / last))
    places = (math.exp(first + (last - first) * number / frames) for number in range(frames))
    rows = [bisect_right(done, place * (1 + 1e-9)) - 1 for place in places]
    return CatchingUp(search, tuple(row for row in rows if row >= 0))


def moment(snapshot: Snapshot, row: int) -> Snapshot:
    """The search as it was at this row of its trace; nothing was proven then, since nobody kept when it was."""
    trace = snapshot.trace
    if trace is None:
        raise ValueError("a search without a trace has no moments")
    visits, sums = trace.visits[row].tolist(), trace.value_sum[row].tolist()
    until = slice(row + 1)
    earlier = structs.replace(
        trace,
        iterations=trace.iterations[until],
        elapsed_s=trace.elapsed_s[until],
        visits=trace.visits[until],
        value_sum=trace.value_sum[until],
        choice=trace.choice[until],
        playouts=None if trace.playouts is None else trace.playouts[until],
        nodes=None if trace.nodes is None else trace.nodes[until],
    )
    choice = int(trace.choice[row])
    return Snapshot(
        position=snapshot.position,
        agent=snapshot.agent,
        seed=snapshot.seed,
        iterations=int(trace.iterations[row]),
        elapsed_s=float(trace.elapsed_s[row]),
        moves=tuple(
            MoveStats(move, count, total / count if count else None)
            for move, count, total in zip(trace.moves, visits, sums, strict=True)
        ),
        best_move=trace.moves[choice] if choice >= 0 else None,
        tree_nodes=snapshot.tree_nodes if trace.nodes is None else int(trace.nodes[row]),
        tree_bytes=snapshot.tree_bytes,
        reused=snapshot.reused,
        trace=earlier,
        playouts=None if trace.playouts is None else int(trace.playouts[row]),
    )
