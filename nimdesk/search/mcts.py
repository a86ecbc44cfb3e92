"""MCTS as nimdesk plays it, compiled: a graph of positions, proven values, and heuristically ordered moves."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nimdesk.games import AnyPosition, Move, kernel_of
from nimdesk.kernels import graph, mcts, mcts_state
from nimdesk.kernels.jit import first_use
from nimdesk.kernels.memory.held import hold
from nimdesk.kernels.rules import LOSS, WIN
from nimdesk.search.memory import enlarged, first_graph, root_tables, without_table
from nimdesk.search.options import CONFIRMED, MctsOptions
from nimdesk.search.proving import ProvingSearcher, rounded
from nimdesk.search.resistance import plies_left
from nimdesk.search.sampled import start_search
from nimdesk.search.textbook.sampling import SplitMix64
from nimdesk.search.traces import Rows
from nimdesk.search.tree_types import VALUES, Branch, Ending, Family, Line
from nimdesk.search.types import MoveStats, StopReason
from nimdesk.search.widening import opening

_LINE_LENGTH = 12
# Nodes that stand for finished games, and count no visits.
_ENDED = frozenset(range(graph.ENDED, graph.FIRST_FREE))


class _Root(NamedTuple):
    """Visits and half points by column; the root's opened edges, the nodes behind them, and their columns."""

    visits: NDArray[np.uint32]
    score: NDArray[np.float64]
    edges: NDArray[np.void]
    children: NDArray[np.void]
    columns: NDArray[np.int32]


def _start_and_walk(position: AnyPosition) -> None:
    searcher = MctsSearcher()
    searcher.start(position, 0)
    searcher.walk(())


class MctsSearcher(ProvingSearcher[_Root]):
    """The search on a graph of positions.

    In snapshots ``visits`` count how often the search chose the move. ``mean_value`` is the value of the position
    behind it, from every line that reached that position. A search ends with ``PROVEN`` when its root is proven and its
    visits agree, or later, where its options want the whole way of the curves. A move that wins at once is tried first.
    ``limit.nodes`` is met within the few nodes of one simulation.
    """

    def __init__(self, options: MctsOptions | None = None) -> None:
        self.options = MctsOptions() if options is None else options
        super().__init__("mcts", self.options.iterations, self.options.time_s)

    def _begin(self) -> None:
        position = self._position
        self._kernel = kernel = kernel_of(position)
        self._rules, self._identity = hold(kernel.encode_position(position)), hold(kernel.encode_identity(position))
        self._grow = True
        self._search = self._new_search()
        self._graph = hold(first_graph(position, self._search))
        self._rows_rounded = 0
        job = partial(start_search, MctsSearcher, self.options, position)
        first_use("mcts", (self._rules, self._identity), self._load, job)

    def _load(self) -> None:
        """Call each kernel once without effect, so that it is loaded."""
        mcts.run(self._rules, self._identity, self._search, self._graph, self._grow, 0)
        mcts.principal_variation(self._identity, self._graph, -1, np.empty(_LINE_LENGTH, np.int16))

    def _new_search(self) -> mcts_state.Search:
        width, most = len(self._moves), self._kernel.most_moves(self._position)
        longest = self._kernel.longest_game(self._position) + 2
        game, options = self._position.game, self.options
        wide, widening = opening(game, ordered=options.order, evaluated=options.evaluates(game))
        columns = {move: column for column, move in enumerate(self._moves)}
        wins = [columns[move] for move in self._position.winning_moves] if options.prove else []
        first = self._moves[max(wins, key=self._precedence.__getitem__)] if wins else None
        counts = np.zeros(8, np.int64)
        counts[mcts_state.NODES] = counts[mcts_state.UNLISTED] = graph.FIRST_FREE
        search = mcts_state.Search(
            exploration=options.bound_in(game).exploration,
            merge=options.merge,
            prove=options.prove,
            order=options.order,
            look_ahead=self._kernel.looks_ahead and options.merge and options.prove,
            evaluate=options.evaluates(game),
            wide=wide,
            widening=widening,
            margin=longest * (most + 3),
            first=-1 if first is None else self._kernel.encode_move(self._position.game, first),
            counts=counts,
            random=np.array([self._seed], np.uint64),
            roots=root_tables(self._last + 1),
            free=np.full(mcts_state.BLOCK_SIZES, -1, np.int32),
            path=np.zeros(longest, np.int32),
            taken=np.zeros(longest, np.int32),
            totals=np.zeros(longest, np.float64),
            codes=np.zeros(most, np.int16),
            scores=np.zeros(most, np.int64),
            best=np.zeros(most, np.int64),
            listed=np.zeros(self._kernel.sizes(self._position.game).view_codes, np.uint8),
            column_of=self._kernel.encode_columns(self._position),
            trace_at=self._at,
            # calloc hands out zero pages without touching them: rows never reached cost nothing.
            trace_visits=np.zeros((len(self._at), width), np.uint32),
            trace_score=np.zeros((len(self._at), width), np.float64),
            trace_playouts=np.zeros(len(self._at), np.int64),
            trace_nodes=np.zeros(len(self._at), np.int64),
            trace_bounds=np.zeros((len(self._at), width), np.uint8),
        )
        return hold(search)

    @property
    def iterations(self) -> int:
        """Simulations done since the start."""
        return int(self._search.counts[mcts_state.ITERATIONS])

    @property
    def tree_nodes(self) -> int:
        """Nodes in the graph, the root among them."""
        return int(self._search.counts[mcts_state.NODES]) - graph.FIRST_FREE + 1

    @property
    def playouts(self) -> int:
        """Simulations that included a playout."""
        return int(self._search.counts[mcts_state.PLAYOUTS])

    @property
    def proven_after(self) -> int | None:
        """The simulation that proved the position, or None while it is open. Later ones confirm the move."""
        return int(self._search.counts[mcts_state.PROVEN_AT]) if self._proven else None

    @property
    def search_graph(self) -> tuple[graph.Readable, NDArray[np.void]]:
        """Nodes and edges as they are now; read them before the next slice."""
        return graph.Readable(self._graph), self._graph.edges

    @property
    def search_state(self) -> mcts_state.Search:
        """Counts, random state and the path of the last simulation."""
        return self._search

    def walk(self, line: tuple[Move, ...]) -> tuple[int, NDArray[np.int32], NDArray[np.int16]]:
        """The node behind this line of play (−1: none), its opened edges, and the moves they stand for."""
        codes = np.array([self._kernel.encode_move(self._position.game, move) for move in line], np.int16)
        most = self._kernel.most_moves(self._position)
        edges, moves = np.empty(most, np.int32), np.empty(most, np.int16)
        values = self._rules, self._identity
        walk = partial(mcts.walk, *values, self._graph, codes, edges, moves)
        first_use("mcts-walk", values, walk, partial(_start_and_walk, self._position))
        node, count = walk()
        return node, edges[:count], moves[:count]

    @property
    def _proven(self) -> bool:
        root = self.search_graph[0][graph.ROOT]
        return bool(root["low"] == root["high"])

    def _reason(self, reason: StopReason) -> StopReason:
        return StopReason.PROVEN if self._proven else reason

    def _room(self, nodes: int) -> int:
        left = nodes - self.tree_nodes
        # One simulation can add as many nodes as its path is long, so more simulations might overshoot.
        return max(1, left // self._search.path.size) if left > 0 else 0

    def _run(self, count: int) -> None:
        last = self.iterations + count
        status = mcts.run(self._rules, self._identity, self._search, self._graph, self._grow, count)
        if status == mcts.NEEDS_MEMORY:
            self._enlarge()
        elif status == mcts.PROVEN and (self.options.stop_at_proof or not self._confirm(last - self.iterations)):
            self._stopped = StopReason.PROVEN

    def _confirm(self, count: int) -> bool:
        """Visit the best move of a proven root ``count`` times more; False once it has the share of ``CONFIRMED``."""
        root, search = self._root(), self._search
        column = self._choice(root)
        assert column is not None
        visits, opened = int(root.visits[column]), root.columns.tolist().index(column)
        rate = 2.0 * (1.0 - float(root.children["value"][opened]))
        count = min(count, CONFIRMED * (int(root.visits.sum()) - visits) - visits)
        if count <= 0:
            return False
        done, row = self.iterations, int(search.counts[mcts_state.TRACE_ROWS])
        passed = self._at[row : self._at.searchsorted(done + count, side="right")]
        rows = slice(row, row + len(passed))
        search.trace_visits[rows], search.trace_score[rows] = root.visits, root.score
        search.trace_visits[rows, column] = visits + passed - done
        search.trace_score[rows, column] = search.trace_visits[rows, column] * rate
        search.trace_bounds[rows] = self._bounds(root)
        search.trace_playouts[rows], search.trace_nodes[rows] = self.playouts, self.tree_nodes
        search.counts[mcts_state.TRACE_ROWS] += len(passed)
        search.counts[mcts_state.ITERATIONS] += count
        edge = int(self._graph.nodes[graph.ROOT]["first"]) + opened
        search.path[0], search.taken[0] = graph.ROOT, edge
        search.counts[mcts_state.DEPTH] = max(1, int(search.counts[mcts_state.DEPTH]))
        for node in {graph.ROOT, int(self._graph.edges["child"][edge])} - _ENDED:
            self._graph.nodes["visits"][node] += count
        self._graph.edges["visits"][edge] += count
        return True

    def _enlarge(self) -> None:
        """Make room for what has run short, up to the memory cap; beyond it the graph stops growing."""
        grown = enlarged(self._graph, self._position, self._search, self.options.memory_mb)
        self._grow = grown is not None
        self._graph = hold(without_table(self._graph) if grown is None else grown)

    def _root(self) -> _Root:
        nodes, edges = self.search_graph
        root = nodes[graph.ROOT]
        opened = edges[root["first"] : root["first"] + root["opened"]] if root["opened"] else edges[:0]
        children, columns = nodes[opened["child"]], self._search.column_of[opened["code"]]
        visits, score = np.zeros(len(self._moves), np.uint32), np.zeros(len(self._moves), np.float64)
        visits[columns] = opened["visits"]
        score[columns] = rounded(2.0 * opened["visits"] * (1.0 - children["value"].astype(np.float64)))
        return _Root(visits, score, opened, children, columns)

    def _worth(self) -> int:
        return int(self.search_graph[0][graph.ROOT]["low"])

    def _bounds(self, root: _Root) -> NDArray[np.uint8]:
        low, high = WIN - root.children["high"].astype(np.uint8), WIN - root.children["low"].astype(np.uint8)
        bounds = np.zeros(len(self._moves), np.uint8)
        bounds[root.columns] = 1 + 3 * low + high
        return bounds

    def _row_bounds(self, rows: slice) -> NDArray[np.uint8]:
        return self._search.trace_bounds[rows]

    def _plies_to_end(self, root: _Root, columns: Sequence[int]) -> list[int] | None:
        nodes, edges = self.search_graph
        used = nodes[: int(self._search.counts[mcts_state.NODES])]
        lows, highs, firsts, counts = (used[name].tolist() for name in ("low", "high", "first", "opened"))

        def look(node: int) -> tuple[bool, list[int]] | int:
            if node < graph.FIRST_FREE:
                return 0
            wins = lows[node] == WIN
            children = edges["child"][firsts[node] : firsts[node] + counts[node]].tolist()
            below = [child for child in children if child >= 0 and (not wins or highs[child] == LOSS)]
            if wins and not below:
                return int(graph.WON_IN - edges["child"][firsts[node]])
            # Only one of two threats can be met; that is seen without trying a move.
            return (wins, below) if below else 2

        behind = dict(zip(root.columns.tolist(), root.edges["child"].tolist(), strict=True))
        return plies_left([behind[column] for column in columns], look)

    def _move_stats(self, root: _Root) -> tuple[MoveStats, ...]:
        stats = {move: MoveStats(move, 0, None) for move in self._moves}
        decode = self._kernel.decode_table(self._position.game)
        for i, (edge, child, column) in enumerate(zip(root.edges, root.children, root.columns.tolist(), strict=True)):
            move, visits = self._moves[column], int(edge["visits"])
            proven = VALUES[WIN - int(child["low"])] if child["low"] == child["high"] else None
            line = tuple(decode[code] for code in self._variation(i))
            mean, plies = 1.0 - float(child["value"]) if visits else None, 1 if int(edge["child"]) in _ENDED else None
            stats[move] = MoveStats(move, visits, mean, line, proven, plies)
        return tuple(stats.values())

    def _variation(self, i: int) -> list[int]:
        """The principal variation of the i-th opened root edge, as codes."""
        line = np.full(_LINE_LENGTH, -1, np.int16)
        edge = int(self._graph.nodes[graph.ROOT]["first"]) + i
        mcts.principal_variation(self._identity, self._graph, edge, line)
        codes: list[int] = line.tolist()
        return codes[: codes.index(-1)] if -1 in codes else codes

    def _rows(self) -> Rows:
        search, rows = self._search, int(self._search.counts[mcts_state.TRACE_ROWS])
        new = slice(self._rows_rounded, rows)
        search.trace_score[new] = rounded(search.trace_score[new])
        self._rows_rounded = rows
        counted = search.trace_playouts[:rows], search.trace_nodes[:rows]
        return Rows(search.trace_visits[:rows], search.trace_score[:rows], *counted)

    def _more(self, root: _Root, choice: int | None) -> dict[str, Any]:
        counts = self._search.counts
        used = int(counts[mcts_state.NODES]) * graph.NODE.itemsize + int(counts[mcts_state.EDGES]) * graph.EDGE.itemsize
        used += self._graph.scores.nbytes + (self._graph.table.nbytes if self.options.merge else 0)
        return {"tree_bytes": used, "tree_full": not self._grow, **self._proof(root, choice)}

    # Looking at the graph, and at one simulation at a time.

    def family(self, line: Line) -> Family | None:
        """The node behind this line, or None if not reached. Several lines may reach the same position."""
        node, found, codes = self.walk(line)
        if node < 0:
            return None
        nodes, edges = self.search_graph
        rule, n = self.options.bound_in(self._position.game), int(nodes[node]["visits"])
        decode = self._kernel.decode_table(self._position.game)
        branches = []
        for edge, code in zip(edges[found], codes.tolist(), strict=True):
            visits, child = int(edge["visits"]), nodes[edge["child"]]
            mean = 1.0 - float(child["value"]) if visits else None
            proven = VALUES[WIN - int(child["low"])] if child["low"] == child["high"] else None
            # What is certain is not chosen by a bound.
            bound = None if mean is None or proven else mean + rule.bonus(n, visits, len(codes))
            branches.append(Branch(decode[code], visits, mean, bound, proven, int(child["opened"])))
        return Family(line, n, tuple(branches), rule)

    def forget_last(self) -> None:
        """Prepare to be asked about the path of the next simulation."""
        self._search.counts[mcts_state.DEPTH] = 0

    def last_line(self) -> Line:
        """The moves of the last simulation in the graph, after ``forget_last``."""
        decode = self._kernel.decode_table(self._position.game)
        line: Line = ()
        for edge in self._taken():
            _, edges, codes = self.walk(line)
            line = (*line, decode[int(codes[edges.tolist().index(edge)])])
        return line

    def last_result(self, before: MctsSearcher) -> tuple[Ending, float]:
        """How the last simulation ended, and its score for the side to move at the root; ``before`` lacks it."""
        leaf, depth = self._leaf(), len(self._taken())
        place = self.search_graph[0][leaf]
        # A simulation plays out where it can go no further and nothing is proven; that proves nothing.
        if place["low"] != place["high"]:
            known = before.search_graph[0][leaf]["playout_score"] if before.knows(leaf) else 0
            ending = Ending.ESTIMATE if self._search.evaluate else Ending.PLAYOUT
            score = float(place["playout_score"] - known)
        else:
            ending = Ending.PROVEN if leaf >= graph.FIRST_FREE or leaf == graph.ROOT else Ending.GAME_OVER
            score = int(place["low"]) / 2
        return ending, score if depth % 2 == 0 else 1 - score

    def last_playout(self, before: MctsSearcher) -> Line | None:
        """The moves of the last simulation's playout, or None if they are not known."""
        path: list[int] = self._search.path[: int(self._search.counts[mcts_state.DEPTH])].tolist()
        if any(self.doubles(node) != before.doubles(node) for node in path):
            # Symmetry made the move equal to an earlier one; the line shows that one.
            return None
        numbers, nodes = 0, self.search_graph[0]
        for node in [*path, self._leaf()]:
            known = before.knows(node)
            had_edges = known and int(before.search_graph[0][node]["first"]) != graph.NO_EDGES
            has_edges = int(nodes[node]["first"]) != graph.NO_EDGES
            # One number makes the edges (a new node brings them along), one chooses among them.
            numbers += int(has_edges) + int(known and has_edges and not had_edges)
        random = SplitMix64(int(before.search_state.random[0]))
        random.skip(numbers)
        playout: Line = self._kernel.play_out(self._position, self.last_line(), random.number).moves
        return playout if random.state == int(self._search.random[0]) else None

    def _taken(self) -> list[int]:
        taken: list[int] = self._search.taken[: int(self._search.counts[mcts_state.DEPTH])].tolist()
        return taken

    def _leaf(self) -> int:
        taken = self._taken()
        return int(self._graph.edges["child"][taken[-1]]) if taken else graph.ROOT

    def knows(self, node: int) -> bool:
        """Whether the node exists yet."""
        return node < int(self._search.counts[mcts_state.NODES])

    def doubles(self, node: int) -> int:
        """How many edges of a node equal an earlier one."""
        if not self.knows(node):
            return 0
        nodes, edges = self.search_graph
        first = int(nodes[node]["first"])
        return int((edges["child"][first : first + int(nodes[node]["opened"])] == graph.DOUBLE).sum())
