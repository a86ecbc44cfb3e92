"""UCT in all variants, compiled: those of documents, and the mistakes of implementations.

With none of them it is the search of ``search.uct``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from msgspec.structs import asdict

from nimdesk.games import AnyPosition, Move, kernel_of
from nimdesk.kernels import repeated, variants
from nimdesk.kernels.jit import first_use
from nimdesk.kernels.memory.held import hold
from nimdesk.kernels.rules import ONGOING
from nimdesk.search.memory import new_record, on_own_lines, root_tables
from nimdesk.search.options import MAX_ITERATIONS, UctOptions, VariantsOptions
from nimdesk.search.repeated import Choices, choices_of, start_repeated, without_checkpoints
from nimdesk.search.sampled import SampledSearcher, start_search
from nimdesk.search.textbook.sampling import SplitMix64, after
from nimdesk.search.traces import Root, Rows
from nimdesk.search.tree_types import VALUES, Branch, Ending, Family, Line
from nimdesk.search.types import MoveStats

_FIRST_NODES = 1 << 13


class VariantsSearcher(SampledSearcher[Root]):
    """UCT in any variant. Visits and means are what the search itself believes, mistakes and all."""

    def __init__(self, options: VariantsOptions | None = None, agent: str = "variants") -> None:
        """Without options it is plain UCT; ``agent`` is the name in snapshots."""
        self.options = VariantsOptions() if options is None else options
        super().__init__(agent, self.options.iterations, self.options.time_s, self.options.final, self.options.ties)

    def _begin(self) -> None:
        position, options = self._position, self.options
        self._kernel = kernel_of(position)
        self._check_playouts(options.playouts, guided=self._kernel.guided_playouts)
        self._most_moves = self._kernel.sizes(position.game).moves
        self._rules = hold(self._kernel.encode_position(position))
        nodes = np.zeros(max(_FIRST_NODES, 2 * self._most_moves), variants.NODE)
        nodes["over"][0] = ONGOING
        self._tree = hold(variants.Tree(nodes))
        self._grow = True
        counts = np.zeros(8, np.int64)
        counts[variants.USED] = counts[variants.NODES] = 1
        self._search = hold(self._new_search(counts))
        job = partial(start_search, VariantsSearcher, options, position)
        first_use("variants", (self._rules,), partial(self._run, 0), job)

    def _new_search(self, counts: Any) -> variants.Search:
        options = self.options
        return variants.Search(
            exploration=np.float32(options.bound.exploration),
            root_log=options.bound.of_root,
            all_at_once=options.growth == "all",
            backup=("turns", "root", "leaf", "inverted").index(options.backup),
            expansion=("random", "first", "neighbours").index(options.expansion),
            policy=("uniform", "zeroing", "perfect_opponent").index(options.playouts),
            counts=counts,
            random=np.array([self._seed], np.uint64),
            roots=root_tables(self._last + 1),
            path=np.zeros(self._kernel.longest_game(self._position) + 2, np.int32),
            record=new_record(self._at, len(self._moves), self._kernel.encode_columns(self._position)),
        )

    def resume(self, position: AnyPosition, seed: int) -> bool:
        """Begin a search of a later position of the same game from what the tree knows; False if it knows nothing.

        The nodes of moves that were not played stay in memory, and count as nodes of the tree.
        """
        moves = self._moves_since(position)
        if moves is None:
            return False
        node = self._place(moves)
        if node is None:
            return False
        tree, counts, grow = self._tree, self._search.counts, self._grow
        self.start(position, seed)
        self._tree, self._grow = tree, grow
        self._search.counts[[variants.USED, variants.NODES]] = counts[[variants.USED, variants.NODES]]
        self._search.counts[variants.ROOT] = node
        used = tree.nodes[: int(counts[variants.USED])]
        if self.options.kept_tree == "wrong":
            used["score"] = 2 * used["visits"] - used["score"]
        self._reused = int(used["visits"][node])
        root_tables()  # the kept visits come on top of this search's own; all tables share one memory
        return True

    def keep_apart(self) -> None:
        """After the start: move all that is written to memory of its own, so that searches can run side by side."""
        self._rules, self._search = hold(on_own_lines(self._rules)), hold(on_own_lines(self._search))

    def repeated(self, budgets: Sequence[int]) -> Choices | None:
        """As ``UctSearcher`` has it."""
        size = 1 + (budgets[-1] + 1) * self._most_moves
        if self.rule != "visits" or size * variants.NODE.itemsize > self.options.memory_mb * 1024 * 1024:
            return None
        nodes = np.zeros(size, variants.NODE)
        nodes["over"][0] = ONGOING
        rules, search = hold(on_own_lines(self._rules)), without_checkpoints(self._search)
        run = partial(repeated.run_variants, rules, search, hold(variants.Tree(nodes)), self._most_moves)
        choices = choices_of(run, self._position, self._ties, budgets)
        job = partial(start_repeated, VariantsSearcher, self.options, self._position)
        first_use("variants-repeated", (rules,), partial(choices, ()), job)
        return choices

    @property
    def _kind(self) -> object:
        return self._position, type(self), self.options.playouts

    @property
    def iterations(self) -> int:
        """Simulations done since the start."""
        return int(self._search.counts[variants.ITERATIONS])

    @property
    def tree_nodes(self) -> int:
        """Nodes in the tree, the root among them."""
        return int(self._search.counts[variants.NODES])

    @property
    def playouts(self) -> int:
        """Simulations that included a playout."""
        return int(self._search.counts[variants.PLAYOUTS])

    def _room(self, nodes: int) -> int:
        added = self._most_moves if self.options.growth == "all" else 1
        left = nodes - self.tree_nodes
        return max(1, left // added) if left > 0 else 0

    def _run(self, count: int) -> None:
        status = variants.run(self._rules, self._search, self._tree, self._grow, self._most_moves, count)
        if status == variants.NEEDS_MEMORY:
            self._enlarge()

    def _enlarge(self) -> None:
        """Double the room for nodes, up to the memory cap; beyond it the tree stops growing."""
        old = self._tree.nodes
        size = 2 * old.size
        self._grow = size * old.itemsize <= self.options.memory_mb * 1024 * 1024
        if self._grow:
            try:
                larger = np.zeros(size, variants.NODE)
            except MemoryError:
                self._grow = False
                return
            larger[: old.size] = old
            self._tree = hold(variants.Tree(larger))

    def _tried(self, node: int) -> Any:
        """The children of a node that belong to the tree."""
        place = self._tree.nodes[node]
        return self._tree.nodes[int(place["first"]) : int(place["first"]) + int(place["tried"])]

    def _place(self, line: Line) -> int | None:
        """The node behind this line, or None if not reached."""
        node = int(self._search.counts[variants.ROOT])
        for move in line:
            code = self._kernel.encode_move(self._position.game, move)
            found = np.flatnonzero(self._tried(node)["move"] == code)
            if not len(found):
                return None
            node = int(self._tree.nodes[node]["first"]) + int(found[0])
        return node

    def _root(self) -> Root:
        children = self._tried(int(self._search.counts[variants.ROOT]))
        columns = self._search.record.column_of[children["move"]]
        visits, score = np.zeros(len(self._moves), np.uint32), np.zeros(len(self._moves), np.uint32)
        visits[columns], score[columns] = children["visits"], children["score"]
        return Root(visits, score)

    def _rows(self) -> Rows:
        record, rows = self._search.record, int(self._search.counts[variants.TRACE_ROWS])
        return Rows(record.visits[:rows], record.score[:rows], record.playouts[:rows], record.nodes[:rows])

    def _more(self, root: Root, choice: int | None) -> dict[str, Any]:
        used = int(self._search.counts[variants.USED]) * variants.NODE.itemsize
        return {"tree_bytes": used, "tree_full": not self._grow}

    def _move_stats(self, root: Root) -> tuple[MoveStats, ...]:
        return tuple(
            MoveStats(move, visits, score / (2 * visits), self._line(move)) if visits else MoveStats(move, 0, None)
            for move, visits, score in zip(self._moves, root.visits.tolist(), root.score.tolist(), strict=True)
        )

    def _line(self, move: Move) -> Line:
        """The most visited line that begins with this move."""
        line: Line = (move,)
        node = self._place(line)
        decode = self._kernel.decode_table(self._position.game)
        while node is not None and len(children := self._tried(node)) and children["visits"].any():
            best = int(children["visits"].argmax())
            line = (*line, decode[int(children["move"][best])])
            node = int(self._tree.nodes[node]["first"]) + best
        return line

    def family(self, line: Line) -> Family | None:
        """The node behind this line, or None if not reached."""
        node = self._place(line)
        if node is None:
            return None
        root = int(self._search.counts[variants.ROOT])
        n = int(self._tree.nodes[root if self.options.log_n == "root" else node]["visits"])
        decode, rule = self._kernel.decode_table(self._position.game), self.options.bound
        branches, children = [], self._tried(node)
        for child in children:
            visits, over = int(child["visits"]), int(child["over"])
            mean = int(child["score"]) / (2 * visits) if visits else None
            bound = None if mean is None else mean + rule.bonus(n, visits, len(children))
            value = VALUES[over] if over != ONGOING else None
            branches.append(Branch(decode[int(child["move"])], visits, mean, bound, value, int(child["tried"])))
        return Family(line, n, tuple(branches), rule)

    def forget_last(self) -> None:
        """Does nothing: each simulation writes its path anew."""

    def last_line(self) -> Line:
        """The moves of the last simulation in the tree."""
        decode, search = self._kernel.decode_table(self._position.game), self._search
        path = search.path[1 : int(search.counts[variants.DEPTH]) + 1]
        return tuple(decode[code] for code in self._tree.nodes["move"][path].tolist())

    def last_result(self, before: object) -> tuple[Ending, float]:
        """How it ended, and its score for the side to move at the root."""
        line, score = self.last_line(), int(self._search.counts[variants.SCORE]) / 2
        over = after(self._position, line).outcome is not None
        return (Ending.GAME_OVER if over else Ending.PLAYOUT), score if len(line) % 2 else 1 - score

    def last_playout(self, before: VariantsSearcher) -> Line | None:
        """The moves of its playout, or None if they are not known; ``before`` is the search without it."""
        if self.options.playouts != "uniform":
            return None
        line, random = self.last_line(), SplitMix64(int(before._search.random[0]))
        # Choosing the move to expand took one number, if there was one to expand.
        random.skip(before.family(line) is None)
        playout: Line = self._kernel.play_out(self._position, line, random.number).moves
        return playout if random.state == int(self._search.random[0]) else None


class UctVariantSearcher(VariantsSearcher):
    """UCT with the logarithm, the expansion or the playouts of a document."""

    def __init__(self, options: UctOptions) -> None:
        known = asdict(options).items()
        super().__init__(VariantsOptions(**{k: v for k, v in known if k not in ("keep_tree", "threads")}), "uct")

    def resume(self, position: AnyPosition, seed: int) -> bool:
        """As ``UctSearcher`` does it: not where no move of the position has been tried."""
        moves = self._moves_since(position)
        node = None if moves is None else self._place(moves)
        if node is None:
            return False
        place = self._tree.nodes[node]
        return bool(place["tried"] and place["visits"] <= MAX_ITERATIONS) and super().resume(position, seed)
