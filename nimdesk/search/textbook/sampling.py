"""Flat Monte Carlo and UCT on positions, and what all sampling textbook searches share: random numbers and playouts.

Flat Monte Carlo plays the same number of random games after each legal move, in sweeps of one playout a move, and plays
the best mean. There is no tree.

UCT (Kocsis and Szepesvári, 2006) grows a tree by one move with each random game. A simulation selects the move with the
largest ``mean + c * sqrt(ln N / n)``, the first among equals, as long as every move of the position has been tried. It
expands one untried move, plays out at random, and backs the result up. Bounds are in single precision, as in the
kernel.
"""

from __future__ import annotations

from abc import abstractmethod
from ctypes import c_float
from dataclasses import dataclass, field
from functools import partial
from math import log, sqrt
from typing import Any

import numpy as np

from nimdesk.errors import OptionError
from nimdesk.games import AnyPosition, Move, kit_of
from nimdesk.games.twin import Playout
from nimdesk.search.options import FlatOptions, FlatPerfectOptions, UctOptions, VariantsOptions
from nimdesk.search.sampled import SampledSearcher
from nimdesk.search.traces import Root, Rows
from nimdesk.search.tree_types import Branch, Ending, Family, Line, value_of
from nimdesk.search.types import MoveStats, StopReason

_STEP = 0x9E3779B97F4A7C15
_MASK = (1 << 64) - 1


class SplitMix64:
    """Steele, Lea and Flood's generator; its state after n numbers is known without drawing them."""

    def __init__(self, state: int) -> None:
        """``state`` is the seed at first."""
        self.state = state

    def number(self) -> int:
        """The next 64 random bits."""
        self.skip()
        z = self.state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & _MASK
        z = (z ^ z >> 27) * 0x94D049BB133111EB & _MASK
        return z ^ z >> 31

    def below(self, bound: int) -> int:
        """A number from 0 to ``bound`` - 1, from the upper half of the next 64 bits."""
        return (self.number() >> 32) * bound >> 32

    def skip(self, numbers: int = 1) -> None:
        """Advance as if this many numbers had been drawn."""
        self.state = (self.state + numbers * _STEP) & _MASK


def play_out(root: AnyPosition, line: Line, random: SplitMix64) -> Playout:
    """Random moves from the position behind ``line`` to the end of the game, all legal moves equally likely.

    A game with a kernel maps numbers to moves as its kernel does.
    """
    return kit_of(root).twin.play_out(root, line, random.number)


def after(position: AnyPosition, line: tuple[Move, ...]) -> AnyPosition:
    """The position after these moves."""
    for move in line:
        position = position.play(move)
    return position


# Roughly the size of a node with its moves.
NODE_BYTES = 512


class TextbookSampler(SampledSearcher[Root]):
    """A search whose simulations are plain Python. A subclass provides the simulation and the root's statistics.

    It can be stepped: the ``last_...`` methods describe its last simulation.
    """

    first_slice = 8
    in_python = True
    memory_mb = 512

    def _begin(self) -> None:
        self._random = SplitMix64(self._seed)
        self._done = self._playouts = 0
        self._nodes = 1
        self._most_nodes = max(self.memory_mb * 2**20 // NODE_BYTES, 1)
        self._kept: list[tuple[list[int], list[float], int, int]] = []
        self._told: tuple[Line, Ending, float, Line] = ((), Ending.PLAYOUT, 0, ())
        self._plant()

    @abstractmethod
    def _plant(self) -> None:
        """Make the root."""

    @abstractmethod
    def _simulate(self) -> None:
        """Do one simulation, and ``_tell`` it."""

    @abstractmethod
    def _statistics(self) -> dict[Move, tuple[int, float]]:
        """Visits and half points, for the side to move at the root, of the tried root moves."""

    @abstractmethod
    def _line(self, move: Move) -> Line:
        """The most visited line that begins with this move."""

    def _play_out(self, line: Line) -> int:
        """Play the game out after these moves and record it; return half points for the side to move at the root."""
        playout, score = play_out(self._position, line, self._random)
        if playout:
            self._playouts += 1
        self._told = (line, Ending.PLAYOUT if playout else Ending.GAME_OVER, score, playout)
        return score

    def _run(self, count: int) -> None:
        for _ in range(count):
            if self._is_over():
                self._stopped = StopReason.PROVEN
                return
            self._simulate()
            self._done += 1
            if self._done == self._at[len(self._kept)]:
                self._at_checkpoint(self._root())

    def _is_over(self) -> bool:
        """Whether nothing is left to be found out."""
        return False

    def _at_checkpoint(self, root: Root) -> None:
        self._kept.append((root.visits.tolist(), root.score.tolist(), self._playouts, self._nodes))

    @property
    def iterations(self) -> int:
        """Simulations done since the start."""
        return self._done

    @property
    def tree_nodes(self) -> int:
        """Nodes in the tree, the root among them."""
        return self._nodes

    @property
    def playouts(self) -> int:
        """Simulations that included a playout."""
        return self._playouts

    @property
    def tree_bytes(self) -> int:
        """Roughly the memory of the tree."""
        return self._nodes * NODE_BYTES

    @property
    def _grows(self) -> bool:
        return self._nodes < self._most_nodes

    def _root(self) -> Root:
        known = self._statistics()
        columns = [known.get(move, (0, 0.0)) for move in self._moves]
        return Root(np.array([n for n, _ in columns], np.uint32), np.array([score for _, score in columns], np.float64))

    def _rows(self) -> Rows:
        shape = len(self._kept), len(self._moves)
        return Rows(
            np.array([visits for visits, *_ in self._kept], np.uint32).reshape(shape),
            np.array([score for _, score, *_ in self._kept], np.float64).reshape(shape),
            np.array([playouts for *_, playouts, _ in self._kept], np.int64),
            np.array([nodes for *_, nodes in self._kept], np.int64),
        )

    def _move_stats(self, root: Root) -> tuple[MoveStats, ...]:
        return tuple(
            MoveStats(move, visits, score / (2 * visits), self._line(move)) if visits else MoveStats(move, 0, None)
            for move, visits, score in zip(self._moves, root.visits.tolist(), root.score.tolist(), strict=True)
        )

    # One simulation at a time.

    def forget_last(self) -> None:
        """Does nothing: each simulation records itself anew."""

    def last_line(self) -> Line:
        """The moves of the last simulation in the tree."""
        return self._told[0]

    def last_result(self, before: object) -> tuple[Ending, float]:
        """How the last simulation ended, and its score in [0, 1] for the side to move at the root."""
        return self._told[1], self._told[2] / 2

    def last_playout(self, before: object) -> Line | None:
        """The moves of the last simulation's playout."""
        return self._told[3]


class TextbookFlat(TextbookSampler):
    """``playouts`` for each legal move. It does what ``FlatSearcher`` does where the game has both."""

    def __init__(self, options: FlatPerfectOptions) -> None:
        """Only uniformly random playouts: the others need to know how Nim is played."""
        self.options = options
        name = "flat" if isinstance(options, FlatOptions) else "flat-perfect"
        super().__init__(name, None, None, "mean", options.ties)

    def _iterations_of(self) -> int:
        return self.options.playouts * len(self._moves)

    def _plant(self) -> None:
        title = self._position.game.title
        if not isinstance(self.options, FlatOptions):
            raise OptionError(
                f"Flat Monte Carlo with a perfect opponent plays Nim only, not {title}; "
                "choose Flat Monte Carlo instead."
            )
        if self.options.overshoot:
            raise OptionError(
                f"Playouts that may take more than is left need Nim with one pile and a largest take, not {title}."
            )
        self._sweep = [self._moves[column] for column in np.argsort(-self._precedence)]
        self._visits = dict.fromkeys(self._moves, 0)
        self._half_points = dict.fromkeys(self._moves, 0.0)

    def _simulate(self) -> None:
        move = self._sweep[self._done % len(self._sweep)]
        self._half_points[move] += self._play_out((move,))
        self._visits[move] += 1
        self._nodes = 1 + min(self._done + 1, len(self._moves))

    def _room(self, nodes: int) -> int:
        # A limit on nodes can only end the first sweep early.
        return nodes - self.tree_nodes if nodes <= len(self._moves) + 1 else self._last

    def _statistics(self) -> dict[Move, tuple[int, float]]:
        return {move: (self._visits[move], self._half_points[move]) for move in self._moves}

    def _line(self, move: Move) -> Line:
        return (move,)


def single(x: float) -> float:
    """``x`` rounded to single precision."""
    return c_float(x).value


@dataclass(slots=True)
class Node:
    """A move played in the tree; ``half_points`` (2 a win, 1 a draw) are those of the side that played it."""

    move: Move | None = None
    visits: int = 0
    half_points: int = 0
    children: list[Node] = field(default_factory=list)

    @property
    def mean(self) -> float:
        """The expected score in [0, 1] of the side that played the move."""
        return self.half_points / (2 * self.visits)

    def bound(self, factor: float) -> float:
        """The upper bound, where ``factor`` is c * sqrt(ln N)."""
        return single(single(self.mean) + single(factor * single(1.0 / sqrt(self.visits))))


class TextbookUct(TextbookSampler):
    """UCT. Expansion by neighbours is expansion at random here, since the rules alone know no board."""

    options: UctOptions | VariantsOptions

    def __init__(self, options: UctOptions | VariantsOptions | None = None, agent: str = "uct") -> None:
        """Use the default options if none are given; ``threads`` and ``keep_tree`` of UCT have no effect here."""
        self.options = UctOptions() if options is None else options
        self.memory_mb = self.options.memory_mb
        super().__init__(agent, self.options.iterations, self.options.time_s, self.options.final, self.options.ties)

    def _plant(self) -> None:
        self._check_playouts(self.options.playouts, guided=False)
        self.tree = Node()

    def _simulate(self) -> None:
        position, path = self._position, [self.tree]
        # Select, as long as every move has been tried.
        while position.outcome is None and len(path[-1].children) == len(position.legal_moves):
            path.append(self._select(path[-1]))
            assert path[-1].move is not None
            position = position.play(path[-1].move)
        # Expand.
        if position.outcome is None and self._grows:
            child = Node(self._untried(path[-1], position))
            path[-1].children.append(child)
            path.append(child)
            self._nodes += 1
        # Play out.
        score = self._play_out(tuple(node.move for node in path if node.move is not None))
        # Back up: each node counts for the side that moved into it; the root's is the opponent of the side to move.
        for depth, node in enumerate(path):
            node.visits += 1
            node.half_points += score if depth % 2 else 2 - score

    def _select(self, node: Node) -> Node:
        visits = (self.tree if self.options.bound.of_root else node).visits
        factor = single(single(self.options.bound.exploration) * single(sqrt(log(visits))))
        return max(node.children, key=lambda child: child.bound(factor))

    def _untried(self, node: Node, position: AnyPosition) -> Move:
        tried = {child.move for child in node.children}
        untried = [move for move in position.legal_moves if move not in tried]
        drawn = self._random.below(len(untried))
        if self.options.expansion != "first":
            return untried[drawn]
        # By the kernel's order where there is one: with gravity it is row by row, that of the rules column by column.
        return min(untried, key=partial(kit_of(position).twin.encode_move, position.game))

    def _statistics(self) -> dict[Move, tuple[int, float]]:
        return {node.move: (node.visits, node.half_points) for node in self.tree.children if node.move is not None}

    def _line(self, move: Move) -> Line:
        line: Line = ()
        node = next(child for child in self.tree.children if child.move == move)
        while node.move is not None:
            line = (*line, node.move)
            node = max(node.children, key=lambda child: child.visits, default=Node())
        return line

    def _more(self, root: object, choice: int | None) -> dict[str, Any]:
        return {"tree_bytes": self.tree_bytes, "tree_full": not self._grows}

    def family(self, line: Line) -> Family | None:
        """The node behind this line, or None if not reached."""
        node, rule = self.tree, self.options.bound
        for move in line:
            found = next((child for child in node.children if child.move == move), None)
            if found is None:
                return None
            node = found
        visits = self.tree.visits if rule.of_root else node.visits
        position, branches = after(self._position, line), []
        for child in node.children:
            assert child.move is not None
            mean = child.mean if child.visits else None
            bound = None if mean is None else mean + rule.bonus(visits, child.visits, len(node.children))
            over = value_of(position, child.move)
            branches.append(Branch(child.move, child.visits, mean, bound, over, len(child.children)))
        return Family(line, visits, tuple(branches), rule)
