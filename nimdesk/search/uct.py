"""UCT, compiled: a tree of moves with uniformly random playouts. ``search.variants`` has all other forms of it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from nimdesk.games import AnyPosition, Move, kernel_of
from nimdesk.kernels import places, repeated, tree, uct
from nimdesk.kernels.jit import first_use
from nimdesk.kernels.memory.held import hold
from nimdesk.search.memory import new_record, on_own_lines, root_tables
from nimdesk.search.options import MAX_ITERATIONS, UctOptions
from nimdesk.search.repeated import Choices, choices_of, start_repeated, without_checkpoints
from nimdesk.search.sampled import SampledSearcher, start_search
from nimdesk.search.textbook.sampling import SplitMix64, after
from nimdesk.search.traces import Root, Rows
from nimdesk.search.tree_types import VALUES, Branch, Ending, Family, Line
from nimdesk.search.types import MoveStats

# From the second growth on, numpy asks the operating system for 2 MB pages, which are found faster.
_SMALL_PAGES, _LARGE_PAGES = 1 << 16, 1 << 18
# A tree begins with room for at most this many nodes.
MOST_AT_FIRST = 1 << 21
_LINE_LENGTH = 12
_NO_BLOCKS = np.full(places.CLASSES, places.NO_BLOCK, np.int32)


def _first_nodes(iterations: int | None) -> int:
    """Room for all nodes that this many iterations can add; unused memory is never touched."""
    wanted = _LARGE_PAGES if iterations is None else iterations + 2 * places.LARGEST_BLOCK
    return min(wanted if wanted <= _SMALL_PAGES else max(wanted, _LARGE_PAGES), MOST_AT_FIRST)


def _load_copying() -> None:
    """Load the kernel that keeps a tree for a later position, by one call."""
    source, target = hold(tree.make_tree(1)), hold(tree.make_tree(1))
    tree.copy_subtree(source, 0, target, _NO_BLOCKS.copy(), np.ones(2, np.int64), np.zeros(1, np.int32))


class UctSearcher(SampledSearcher[Root]):
    """UCT on one thread, as in the textbook: ``parallel_uct.uct_searcher`` makes searchers for all options."""

    def __init__(self, options: UctOptions | None = None) -> None:
        self.options = UctOptions() if options is None else options
        if self.options.is_variant:
            raise ValueError("ln N, expansion and playouts are those of the textbook here, not those of a document")
        super().__init__("uct", self.options.iterations, self.options.time_s, self.options.final, self.options.ties)

    def _begin(self) -> None:
        position, options = self._position, self.options
        self._kernel = kernel_of(position)
        self._rules = hold(self._kernel.encode_position(position))
        self._max_nodes = options.memory_mb * 1024 * 1024 // tree.NODE_BYTES
        self._tree = hold(tree.make_tree(min(_first_nodes(self._own_iterations), self._max_nodes)))
        self._grow = True
        self._search = self._new_search()
        job = partial(start_search, UctSearcher, options, position)
        first_use("uct", (self._rules,), self._load, job)

    def _load(self) -> None:
        """Call each kernel once without effect, so that it is loaded."""
        uct.run(self._rules, self._search, self._tree, self._grow, 0)
        tree.principal_variations(self._tree.nodes, np.empty((0, _LINE_LENGTH), np.int16))

    def resume(self, position: AnyPosition, seed: int) -> bool:
        """Begin a search of a later position of the same game with what the tree knows of it.

        Returns False, and changes nothing, if the tree knows nothing of it, if there is no memory to copy it to, or if
        it has more than ``MAX_ITERATIONS`` visits. Counts of iterations, time and trace begin at 0; visits go on from
        those kept (``Snapshot.reused``).
        """
        moves = self._moves_since(position)
        if moves is None:
            return False
        node = 0
        for move in moves:
            child = tree.child(self._tree, node, self._kernel.encode_move(position.game, move))
            if child is None:
                return False
            node = child
        if self._tree.nodes["children"][node] <= 0 or self._tree.nodes["visits"][node] > MAX_ITERATIONS:
            return False
        old_tree = self._tree
        first_use("uct-copy", (), _load_copying, _load_copying)
        try:
            kept = hold(tree.make_tree(old_tree.nodes.size))
            scratch = np.empty(int(self._search.counts[uct.NODES]), np.int32)
        except MemoryError:
            return False
        self.start(position, seed)
        self._tree = kept
        counts, free = self._search.counts, self._search.free
        counts[uct.NODES] = tree.copy_subtree(old_tree, node, self._tree, free, counts, scratch)
        self._reused = int(self._tree.nodes["visits"][0])
        # The kept visits come on top of this search's own; all tables share one memory.
        root_tables()
        return True

    def keep_apart(self) -> None:
        """Call it after the start: give what is written its own memory, so that searches can run side by side."""
        self._rules, self._search = hold(on_own_lines(self._rules)), hold(on_own_lines(self._search))

    def _new_search(self) -> uct.Search:
        longest = self._kernel.longest_game(self._position) + 2
        counts = np.zeros(8, np.int64)
        counts[uct.USED] = counts[uct.NODES] = 1
        counts[uct.ADDED] = uct.NO_MOVE
        record = new_record(self._at, len(self._moves), self._kernel.encode_columns(self._position))
        # The root's next visit is looked up, too.
        roots, levels = root_tables(self._last + 1), np.zeros(longest, uct.LEVEL)
        path = uct.Path(np.float32(self.options.bound.exploration), roots, levels)
        return hold(
            uct.Search(
                counts=counts,
                random=np.array([self._seed], np.uint64),
                free=_NO_BLOCKS.copy(),
                path=path,
                record=record,
            )
        )

    def repeated(self, budgets: Sequence[int]) -> Choices | None:
        """After the start: what makes many searches in one call (``RepeatedSearcher``).

        None if their trees would not fit, or another rule than visits chooses the move.
        """
        size = budgets[-1] + 2 * places.LARGEST_BLOCK
        if self.rule != "visits" or size > self._max_nodes:
            return None
        rules, search = hold(on_own_lines(self._rules)), without_checkpoints(self._search)
        run = partial(repeated.run, rules, search, hold(tree.make_tree(size)))
        choices = choices_of(run, self._position, self._ties, budgets)
        job = partial(start_repeated, UctSearcher, self.options, self._position)
        first_use("uct-repeated", (rules,), partial(choices, ()), job)
        return choices

    @property
    def iterations(self) -> int:
        """Simulations done since the start."""
        return int(self._search.counts[uct.ITERATIONS])

    @property
    def tree_nodes(self) -> int:
        """Nodes in the tree, the root among them."""
        return int(self._search.counts[uct.NODES])

    @property
    def playouts(self) -> int:
        """Simulations that included a playout."""
        return int(self._search.counts[uct.PLAYOUTS])

    @property
    def search_tree(self) -> tree.Tree:
        """The tree as it is now; read it before the next slice."""
        return self._tree

    @property
    def search_state(self) -> uct.Search:
        """Counts, random state and the path of the last simulation."""
        return self._search

    def _run(self, count: int) -> None:
        if uct.run(self._rules, self._search, self._tree, self._grow, count) == uct.NEEDS_MEMORY:
            self._enlarge()

    def _enlarge(self) -> None:
        """Double the room for nodes, up to the memory cap; beyond it the tree stops growing."""
        old = self._tree
        size = min(2 * old.nodes.size, self._max_nodes)
        if size <= old.nodes.size:
            self._grow = False
            return
        try:
            larger = tree.make_tree(size)
        except MemoryError:
            self._grow = False
            return
        larger.nodes[: old.nodes.size], larger.bounds[: old.bounds.size] = old.nodes, old.bounds
        self._tree = hold(larger)

    def _root(self) -> Root:
        block = tree.children(self._tree, 0)
        columns = self._search.record.column_of[block["move"]]
        visits, score = np.zeros(len(self._moves), np.uint32), np.zeros(len(self._moves), np.uint32)
        visits[columns], score[columns] = block["visits"], block["score"]
        return Root(visits, score)

    def _rows(self) -> Rows:
        record, rows = self._search.record, int(self._search.counts[uct.TRACE_ROWS])
        return Rows(record.visits[:rows], record.score[:rows], record.playouts[:rows], record.nodes[:rows])

    def _more(self, root: Root, choice: int | None) -> dict[str, Any]:
        used = int(self._search.counts[uct.USED]) * tree.NODE_BYTES
        return {"tree_bytes": used, "tree_full": not self._grow}

    def _move_stats(self, root: Root) -> tuple[MoveStats, ...]:
        columns = self._search.record.column_of[tree.children(self._tree, 0)["move"]]
        lines = np.empty((len(columns), _LINE_LENGTH), np.int16)
        tree.principal_variations(self._tree.nodes, lines)
        moves = self._kernel.decode_table(self._position.game)
        variations: list[tuple[Move, ...]] = [()] * len(self._moves)
        for column, line in zip(columns.tolist(), lines.tolist(), strict=True):
            length = line.index(-1) if -1 in line else _LINE_LENGTH
            variations[column] = tuple(moves[code] for code in line[:length])
        return tuple(
            MoveStats(move, n, half_points / (2 * n) if n else None, variation)
            for move, n, half_points, variation in zip(
                self._moves, root.visits.tolist(), root.score.tolist(), variations, strict=True
            )
        )

    # Looking at the tree, and at one simulation at a time.

    def family(self, line: Line) -> Family | None:
        """The node behind this line, or None if not reached."""
        memory, rule = self._tree, self.options.bound
        place, node, children = memory.nodes[0], 0, tree.children(memory, 0)
        for move in line:
            code = self._kernel.encode_move(self._position.game, move)
            found = np.flatnonzero(children["move"] == code)
            if not len(found):
                return None
            place, stands = children[found[0]], tree.child(memory, node, code)
            # A move in a list of tried moves has no node yet.
            node, children = (0, children[:0]) if stands is None else (stands, tree.children(memory, stands))
        decode = self._kernel.decode_table(self._position.game)
        n = int(place["visits"])
        branches = []
        for child in children:
            visits, below = int(child["visits"]), int(child["children"])
            mean = int(child["score"]) / (2 * visits) if visits else None
            bound = None if mean is None else mean + rule.bonus(n, visits, len(children))
            over = VALUES[places.OVER - below] if below < 0 else None
            count = below & (places.FULL - 1) if below > 0 else 0
            branches.append(Branch(decode[int(child["move"])], visits, mean, bound, over, count))
        return Family(line, n, tuple(branches), rule)

    def forget_last(self) -> None:
        """Prepare to be asked about the path of the next simulation."""
        self._search.counts[uct.DEPTH] = 0

    def last_line(self) -> Line:
        """The moves of the last simulation in the tree, after ``forget_last``."""
        counts, decode = self._search.counts, self._kernel.decode_table(self._position.game)
        added = int(counts[uct.ADDED])
        new = (decode[added],) if added != uct.NO_MOVE else ()
        path = self._search.path.levels["node"][1 : int(counts[uct.DEPTH]) + 1 - len(new)]
        return *(decode[code] for code in self._tree.nodes["move"][path].tolist()), *new

    def last_result(self, before: UctSearcher) -> tuple[Ending, float]:
        """How the last simulation ended, and its score for the side to move at the root; ``before`` lacks it."""
        # The root's score is that of the side that moved into it.
        half_points = 2 - (int(self._tree.nodes["score"][0]) - int(before.search_tree.nodes["score"][0]))
        over = after(self._position, self.last_line()).outcome is not None
        return (Ending.GAME_OVER if over else Ending.PLAYOUT), half_points / 2

    def last_playout(self, before: UctSearcher) -> Line | None:
        """The moves of its playout."""
        line, random = self.last_line(), SplitMix64(int(before.search_state.random[0]))
        # Choosing the move to expand took one number, if there was one to expand.
        random.skip(before.family(line) is None)
        playout: Line = self._kernel.play_out(self._position, line, random.number).moves
        return playout if random.state == int(self._search.random[0]) else None
