"""What Nim brings to nimdesk."""

from __future__ import annotations

import math
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from nimdesk.games.base import Move
from nimdesk.games.diagram import Diagram
from nimdesk.games.kit import GameKit, Preset, View
from nimdesk.games.nim.rules import NimGame, NimMove, NimPosition
from nimdesk.games.nim.theory import solve_nim
from nimdesk.games.nim.twin import NimTwin, fits
from nimdesk.games.nim.value_table import TableSolver
from nimdesk.games.truth import FormulaSolver

if TYPE_CHECKING:
    from nimdesk.games.nim.encoding import NimKernel

# Counting a tree beforehand looks at no more positions than this.
_COUNTED_POSITIONS = 2_000


def _kernel() -> NimKernel:
    from nimdesk.games.nim.encoding import NimKernel  # lazy: loads numba

    return NimKernel()


def _playout_policies(game: NimGame) -> tuple[str, ...]:
    guided = ("zeroing", "perfect_opponent")
    return (*guided, "overshoot") if len(game.piles) == 1 and game.max_take is not None else guided


def _solver(*, distances: bool = True) -> FormulaSolver:
    return FormulaSolver(lambda position: solve_nim(position, distances=distances))


def _fewest_nodes(position: NimPosition) -> int:
    """The tree of the largest piles alone, as many as can be counted at once; more piles only make it larger."""
    chosen: list[int] = []
    for pile in sorted(position.piles, reverse=True):
        if math.prod(size + 1 for size in (*chosen, pile)) <= _COUNTED_POSITIONS or not chosen:
            chosen.append(pile)

    return _tree_nodes(tuple(sorted(chosen)), position.game.max_take)


@lru_cache(maxsize=64)  # cached: several agents are asked one after another whether they can play
def _tree_nodes(piles: tuple[int, ...], max_take: int | None) -> int:
    @cache
    def count(piles: tuple[int, ...]) -> int:
        nodes = 1
        for i, pile in enumerate(piles):
            for take in range(1, min(pile, max_take or pile) + 1):
                nodes += count(tuple(sorted((*piles[:i], pile - take, *piles[i + 1 :]))))
        return nodes

    return count(piles)


def _child_number(moves: tuple[Move, ...], best: NimMove) -> int | None:
    """With a single pile, the number of sticks to take."""
    return best.take if all(isinstance(move, NimMove) and move.pile == 0 for move in moves) else None


def _views(game: NimGame) -> tuple[View, ...]:
    """The piles as they are, in reverse, and rotated by each number of places."""
    number = len(game.piles)
    orders = [tuple(range(number)), tuple(reversed(range(number)))]
    orders += [tuple((i + by) % number for i in range(number)) for by in range(1, number)]
    return tuple(_rearranged(game, order) for order in dict.fromkeys(orders))


def _rearranged(game: NimGame, order: tuple[int, ...]) -> View:
    """Pile ``i`` of the new game is pile ``order[i]`` of the old one."""
    piles = tuple(game.piles[old] for old in order)
    place = {old: new for new, old in enumerate(order)}
    return NimGame(piles, game.max_take, game.misere), lambda move: NimMove(place[move.pile], move.take)


def _diagram(position: NimPosition) -> Diagram:
    """A row of sticks for each pile, with its number."""
    rows = tuple(("|",) * size for size in position.piles)
    return Diagram(rows, tuple(str(number) for number in range(1, len(rows) + 1)))


KIT = GameKit(
    name="nim",
    game_type=NimGame,
    notation="nim:1,3,5,7 (piles; add :max3 for a largest take, :misere for misère play)",
    presets=(
        Preset("Nim 1-3-5-7", NimGame((1, 3, 5, 7)), "A pyramid; the second player wins."),
        Preset("Nim 3-4-5", NimGame((3, 4, 5)), "Twelve first moves, and only one of them wins."),
        Preset("Nim 21, take 1–3", NimGame((21,), max_take=3), "One pile; leave a multiple of four."),
    ),
    load_kernel=_kernel,
    fits_kernel=fits,
    twin=NimTwin(),
    playout_policies=_playout_policies,
    new_solver=_solver,
    by_formula=lambda _position: True,
    new_table=TableSolver,
    fewest_nodes=_fewest_nodes,
    child_number=_child_number,
    views=_views,
    diagram=_diagram,
    usual=True,
    board="nimdesk.ui.boards.nim:KIT",
)
