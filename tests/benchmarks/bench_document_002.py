"""Table 1 of document 002 (nodes of minimax with alpha-beta): ours beside the published numbers, and variants of it.

    uv run python tests/benchmarks/bench_document_002.py
    uv run python tests/benchmarks/bench_document_002.py --variants

What is found: 165 (3x3, k=2) and 18,297 (3x3, k=3) without ordering come out exactly, as the text describes the search:
row by row, full window, a node left when its value is >= beta or <= alpha, every node counted with root and leaves. The
same search gives 814 where 813 is printed (4x4, k=2) and 947,128 for 1,024,394 (4x4, k=3), and with ordering 128 for
26, 9,746 for 536, 479 for 47, 984,267 for 4,242.

No search with a full window can have 26: after a first move that wins, each of the other 8 needs 3 nodes to be refuted
(the move, a reply, the win against it), and 18 + 8 x 3 = 42. So ordering was not all that changed between the columns:
- 26 and 47 come out (18 + 8 and 32 + 15) with a window of -1 to +1 in which a node is left before its first move once
  alpha >= beta, but only where this is not done at the root; and just as well from a search of only two plies
  (2 + 3 x 8, 2 + 3 x 15). Neither gives 536 and 4,242 as well, nor 165 without ordering.
- Tried in vain for 536 and 4,242, alone and combined (some 260,000 combinations, by a throwaway program in C): 8, 4 or
  the 4 diagonal neighbours, 5 x 5 cells around, neighbours that wrap around the edge; occupied by anybody, by the side
  to move, by its opponent, by the maximiser, by the minimiser; most first, fewest first; ties by row, by column (the
  same, by symmetry), reversed, at random (one sample each), in the order left by the parent's sort; only cells with an
  occupied neighbour, only those with the most, only one for each number; leaving at >= or >, at alpha >= beta, at a
  sure win; alpha or beta not passed on; windows from or to 0, 1 or infinity; pruning at the root or not; a table of
  positions, with and without the 8 symmetries, hits counted or not; depth limits 2 to 14. Near, with 26 and 47 in
  place: 1,342 and 4,916 (window of -1 to +1, only cells that touch a mark of the side to move, if it has any).
- Tried in vain for 813 and 1,024,394, keeping 165 and 18,297: depth limits, any one or two of the lines of the board
  forgotten by the win test, cells in the order of their numbers as text (0, 1, 10, 11, ...) or of a Python set of
  pairs, the test for a full board before the test for a win.

The variants below are a readable version of the ones that say something. Not collected by pytest.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from typing import Literal

from nimdesk.games import parse_position
from nimdesk.search import Limit
from nimdesk.search.alphabeta import AlphaBetaSearcher
from nimdesk.search.options import AlphaBetaOptions

INFINITE = 99
BOARDS = [(3, 2), (3, 3), (4, 2), (4, 3)]
PUBLISHED = {"none": (165, 18_297, 813, 1_024_394), "neighbours": (26, 536, 47, 4_242)}


@dataclass
class Variant:
    """A search of a square board of ``size``, k in a row: the fields say what is done otherwise; ``nodes`` counts."""

    size: int
    k: int
    order: Literal["none", "most", "fewest"] = "none"
    around: Literal["8", "4"] = "8"
    of: Literal["anybody", "mover"] = "anybody"
    near_only: bool = False  # only cells with a neighbour that counts, where there are any
    window: int = INFINITE
    early: bool = False  # leave a node before its first move, if alpha >= beta
    prune_root: bool = True
    strict: bool = False  # leave a node at > beta and < alpha only
    table: bool = False  # remember positions
    depth: int = 99
    nodes: int = 0
    seen: dict[tuple[int, int], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """The lines and the neighbours of the board, as bits of cells."""
        cells = [(x, y) for y in range(self.size) for x in range(self.size)]
        bit = {cell: 1 << i for i, cell in enumerate(cells)}
        runs = [
            [(x + i * dx, y + i * dy) for i in range(self.k)]
            for x, y in cells
            for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1))
        ]
        self.lines = [sum(bit[cell] for cell in run) for run in runs if all(cell in bit for cell in run)]
        reach = 2 if self.around == "8" else 1
        self.near = [
            sum(
                bit[u, v]
                for u, v in cells
                if (u, v) != (x, y) and max(abs(u - x), abs(v - y)) == 1 and abs(u - x) + abs(v - y) <= reach
            )
            for x, y in cells
        ]
        self.full = (1 << len(cells)) - 1

    def count(self) -> int:
        """The nodes of the search from the empty board."""
        self.search(0, 0, -self.window, self.window, 0)
        return self.nodes

    def moves(self, mover: int, other: int) -> list[int]:
        """The empty cells in the order of this variant."""
        empty = [cell for cell in range(self.size**2) if not (mover | other) >> cell & 1]
        marks = mover | other if self.of == "anybody" else mover
        if self.order != "none":
            sign = -1 if self.order == "most" else 1
            empty.sort(key=lambda cell: sign * (self.near[cell] & marks).bit_count())
        near = [cell for cell in empty if self.near[cell] & marks]
        return near if self.near_only and near else empty

    def search(self, mover: int, other: int, alpha: int, beta: int, ply: int) -> int:
        """The value for the first player, who moves at even plies."""
        maximise = ply % 2 == 0
        if self.table and (mover, other) in self.seen:
            return self.seen[mover, other]
        self.nodes += 1
        if any(other & line == line for line in self.lines):
            return -1 if maximise else 1
        if mover | other == self.full or ply == self.depth:
            return 0
        if self.early and ply and alpha >= beta:
            return alpha if maximise else beta
        value = -INFINITE if maximise else INFINITE
        for cell in self.moves(mover, other):
            child = self.search(other, mover | 1 << cell, alpha, beta, ply + 1)
            value = max(value, child) if maximise else min(value, child)
            beyond = value - beta if maximise else alpha - value
            if (ply or self.prune_root) and (beyond > 0 or (beyond == 0 and not self.strict)):
                break
            alpha, beta = (max(alpha, value), beta) if maximise else (alpha, min(beta, value))
        if self.table:
            self.seen[mover, other] = value
        return value


VARIANTS: dict[str, dict[str, object]] = {
    "as described, no ordering": {},
    "as described, with ordering": {"order": "most"},
    "4 neighbours": {"order": "most", "around": "4"},
    "neighbours of the mover's marks": {"order": "most", "of": "mover"},
    "fewest neighbours first (3x3)": {"order": "fewest"},
    "leaving at > and < only (3x3)": {"order": "most", "strict": True},
    "positions remembered": {"order": "most", "table": True},
    "window -1 to +1": {"order": "most", "window": 1},
    "  and early": {"order": "most", "window": 1, "early": True},
    "  and early, not at the root": {"order": "most", "window": 1, "early": True, "prune_root": False},
    "  the same without ordering": {"window": 1, "early": True, "prune_root": False},
    "  the same, mover's neighbours": {
        "order": "most",
        "of": "mover",
        "window": 1,
        "early": True,
        "prune_root": False,
    },
    "  and no others": {
        "order": "most",
        "of": "mover",
        "near_only": True,
        "window": 1,
        "early": True,
        "prune_root": False,
    },
    "two plies only": {"order": "most", "depth": 2},
    "six plies only": {"order": "most", "depth": 6},
}


def ours(size: int, k: int, ordering: Literal["none", "neighbours"]) -> tuple[int, float]:
    searcher = AlphaBetaSearcher(AlphaBetaOptions(depth=None, ordering=ordering))
    searcher.start(parse_position(f"mnk:{size},{size},{k}"), 0)
    searcher.advance(Limit())
    snapshot = searcher.snapshot()
    return snapshot.tree_nodes, snapshot.elapsed_s


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--variants", action="store_true", help="count the variants as well (a minute)")
    args = parser.parse_args()
    print(f"{'board':10} {'ordering':>10} {'published':>10} {'ours':>10} {'nodes/s':>12}")
    orderings: tuple[Literal["none", "neighbours"], ...] = ("none", "neighbours")
    for ordering in orderings:
        for (size, k), published in zip(BOARDS, PUBLISHED[ordering], strict=True):
            nodes, took = min((ours(size, k, ordering) for _ in range(5)), key=lambda result: result[1])
            same = " =" if nodes == published else ""
            print(f"{size}x{size}, k={k}  {ordering:>10} {published:10,} {nodes:10,} {nodes / took:12,.0f}{same}")
    if args.variants:
        print(f"\n{'nodes':34}" + "".join(f"{f'{size}x{size}, k={k}':>13}" for size, k in BOARDS))
        for name, changes in VARIANTS.items():
            boards = BOARDS[:2] if "3x3" in name else BOARDS
            counts = [Variant(size, k, **changes).count() for size, k in boards]  # type: ignore[arg-type]
            print(f"{name:34}" + "".join(f"{count:13,}" for count in counts), flush=True)


if __name__ == "__main__":
    main()
