"""Plain minimax over the full tree (document 001), run in compiled slices, with a listing that a learner can follow."""

from __future__ import annotations

import math

from msgspec.structs import replace

from nimdesk.errors import OptionError, quoted
from nimdesk.games import AnyPosition, Move, Side, kit_of
from nimdesk.games.base import describe_move, describe_outcome
from nimdesk.games.truth import Value
from nimdesk.games.truth_words import told
from nimdesk.limit import Limit
from nimdesk.search.alphabeta import DepthFirst, DepthFirstSearcher
from nimdesk.search.options import MinimaxOptions
from nimdesk.search.textbook import depth_first as textbook
from nimdesk.search.types import Snapshot, StopReason

LISTED_NODES = 2_000
_NAMES = {Side.FIRST: "A", Side.SECOND: "B"}
_RESULTS = {1: "A wins", 0: "a draw", -1: "B wins"}


class MinimaxSearcher(DepthFirstSearcher):
    """Every node of the tree, without pruning; the first best move is played.

    As in document 001, player A moves first in the game and maximises, and B minimises. A leaf is worth +1 if A has
    won, -1 if B has, 0 for a draw. Levels count from 1 at the root. The search is deterministic.

    In snapshots ``tree_nodes`` are the nodes searched, including root and leaves. The ``visits`` of a move are the
    nodes of its subtree, ``mean_value`` is None, and ``proven`` and ``distance`` are exact for each finished root move.
    ``principal_variation`` follows the first best moves (row by row from the bottom, pile by pile), which need not win
    quickest. ``listing`` comes with the last snapshot: a summary (nodes by level, the children's values, the best
    child), then the first 2,000 nodes in search order, indented by level. ``iterations`` stay 0.
    """

    agent = "minimax"
    distances = True

    def __init__(self, options: MinimaxOptions | None = None) -> None:
        """Use the default options if none are given. A tree of more than ``max_nodes`` nodes is refused."""
        self._max_nodes = (MinimaxOptions() if options is None else options).max_nodes

    def start(self, position: AnyPosition, seed: int) -> None:
        """Begin a search of a position that is not over; ``OptionError`` if its tree is seen to be too large."""
        fewest_nodes = kit_of(position).fewest_nodes
        if position.outcome is None and fewest_nodes is not None and fewest_nodes(position) > self._max_nodes:
            raise self._refusal(position)
        self._search = self.engine(position, depth=None, ordered=False, prune=False, log=LISTED_NODES)
        self._seed = seed
        self._stopped = None
        self._listing = ()

    def advance(self, limit: Limit) -> StopReason | None:
        """Search until ``limit`` (counted from the start) is met; return the reason once all is done.

        ``OptionError`` as soon as the tree turns out to be too large. ``limit.nodes`` is met exactly, ``limit.time_s``
        within a few milliseconds; ``limit.iterations`` is ignored.
        """
        if self._stopped is None:
            search = self._search
            nodes = self._max_nodes if limit.nodes is None else min(limit.nodes, self._max_nodes)
            search.advance(nodes, math.inf if limit.time_s is None else limit.time_s)
            if search.done:
                self._stopped = StopReason.COMPLETE
                self._listing = (*_summary(search), "", *_listed_nodes(search))
            elif search.nodes >= self._max_nodes:
                raise self._refusal(search.position)
        return self._stopped

    def snapshot(self) -> Snapshot:
        """The current state; the distance is that of the quickest win or of the longest loss."""
        snapshot = super().snapshot()
        plies = [each.distance for each in snapshot.moves if each.proven is snapshot.proven and each.distance]
        if snapshot.proven in (None, Value.DRAW) or not self._search.done:
            return snapshot
        return replace(snapshot, distance=(min if snapshot.proven is Value.WIN else max)(plies))

    def _refusal(self, position: AnyPosition) -> OptionError:
        return OptionError(
            f"The full tree of {quoted(position.text)} has more than {self._max_nodes:,} nodes; minimax searches it "
            "without pruning, so raise its node limit or start closer to the end of the game."
        )

    def _comment(self) -> str:
        search = self._search
        nodes = f"{search.nodes:,} {'node' if search.nodes == 1 else 'nodes'}"
        if not search.done:
            return told("nodes", nodes=nodes)
        value = _for_a(search, search.value)
        return told("root", number=_signed(value), found=_result(search.position, value), nodes=nodes)


def _for_a(search: DepthFirst | textbook.DepthFirst, value: int) -> int:
    """A value for the side to move at the root, as seen by A, the first player."""
    return value if search.position.turn is Side.FIRST else -value


def _signed(value: int) -> str:
    return f"{value:+d}" if value else "0"


def _result(position: AnyPosition, value: int) -> str:
    name = position.game.side_name
    return _RESULTS[value] + (f" ({name(Side.FIRST if value > 0 else Side.SECOND)})" if value else "")


def _child_number(position: AnyPosition, moves: tuple[Move, ...], best: Move) -> str:
    """Document 001's HighChildIndex if the game has one, otherwise the child's place."""
    numbered = kit_of(position).child_number
    if numbered is not None and (number := numbered(moves, best)) is not None:
        return f"HighChildIndex {number}"
    return f"child {moves.index(best) + 1} of {len(moves)}"


def _summary(search: DepthFirst | textbook.DepthFirst) -> list[str]:
    """A summary of the finished search."""
    position = search.position
    name = position.game.side_name
    lines = [
        f"Minimax of {position.text}: player A ({name(Side.FIRST)}) wants the largest value, "
        f"player B ({name(Side.SECOND)}) the smallest.",
        "A leaf is worth +1 where A has won, -1 where B has won, 0 for a draw. "
        "Every other node has the value of its best child.",
        "",
        f"{search.nodes:,} nodes by level:",
    ]
    for ply, count in enumerate(search.levels):
        lines.append(f"  level {ply + 1}: {count:,} ({_NAMES[Side((position.turn + ply) % 2)]}'s turn)")
    lines += ["", "Values that came up to the children of the root:"]
    values = search.root_values()
    moves = search.move_stats(distances=True)
    for entry in moves:
        value = _for_a(search, values[entry.move])
        lines.append(f"  {entry.move.text}: {_signed(value)}, {_RESULTS[value]} at level {(entry.distance or 0) + 1}")
    best, value = search.best_move, _for_a(search, search.value)
    wanted = "largest" if position.turn is Side.FIRST else "smallest"
    lines += [
        "",
        f"{_NAMES[position.turn]} is to move and takes the {wanted} value, {_signed(value)}: "
        f"{_result(position, value)}.",
        f"Best child: {describe_move(best)} ({_child_number(position, tuple(entry.move for entry in moves), best)}).",
    ]
    return lines


def _listed_nodes(search: DepthFirst | textbook.DepthFirst) -> list[str]:
    """The first nodes in search order, one a line, with their final values."""
    lines = ["The search, node by node:"]
    path = [search.position]
    for ply, move, best, value in search.first_nodes():
        position = search.position if move is None else path[ply - 1].play(move)
        path[ply:] = [position]
        words = [f"level {ply + 1}: "]
        if move is not None:
            words.append(f"{move.text}, ")
        words.append(f"value {_signed(_for_a(search, value))}")
        if position.outcome is not None:
            words.append(f", {describe_outcome(position)}")
        else:
            left = f", {position.summary}" if position.summary else ""
            words.append(f"{left}, {_NAMES[position.turn]} to move, best child {best.text if best else '–'}")
        lines.append("  " * ply + "".join(words))
    if (rest := search.nodes - (len(lines) - 1)) > 0:
        lines.append(f"... and {rest:,} more {'node' if rest == 1 else 'nodes'}.")
    return lines
