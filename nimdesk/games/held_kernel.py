"""The compiled rules of a game of another package, held to what ``KernelKit`` promises, as its other parts are.

Every answer is looked at before a search makes arrays of it. What the compiled functions themselves do is tried before
(``kernel_trial``); in a search they read and write memory as they like.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from numbers import Real
from threading import Lock
from typing import Any

import numpy as np

from nimdesk.errors import RulesError
from nimdesk.games.base import AnyPosition, Game, Move
from nimdesk.games.check import demand, demand_result
from nimdesk.games.kernel_kit import LIMITS, KernelKit, Sizes
from nimdesk.kernels.memory.held import hold

_MOST_NEIGHBOURS = 8


class HeldKernel(KernelKit[Game, AnyPosition, Move]):
    """A ``KernelKit`` around one of another package."""

    def __init__(
        self,
        kernel: KernelKit[Any, Any, Any],
        guard: Callable[[], AbstractContextManager[None]],
        trial: Callable[[Game, str], object] | None = None,
    ) -> None:
        """Within ``guard``, what goes wrong becomes a sentence about the game.

        ``trial`` is called before any search with a game and the name of the type of its rules, once for each type; it
        raises ``RulesError`` for rules that are not to be used.
        """
        self._kernel, self._guard = kernel, guard
        self._trial, self._trying = trial, Lock()
        self._tried: dict[str, RulesError | None] = {}
        with guard():
            self.guided_playouts = bool(kernel.guided_playouts)
            self.orders_moves = bool(kernel.orders_moves)
            self.looks_ahead = bool(kernel.looks_ahead)

    def sizes(self, game: Game) -> Sizes:
        """Four whole numbers above zero."""
        with self._guard():
            sizes = self._kernel.sizes(game)
            sound = isinstance(sizes, tuple) and len(sizes) == len(Sizes._fields)
            sound = sound and all(_is_whole(size, 1) for size in sizes)
            demand_result("sizes", sound, sizes, "no Sizes of whole numbers")
            return Sizes(*map(int, sizes))

    def make_rules(self, position: AnyPosition) -> Any:
        """A named tuple that kernels can get; the codes of the legal moves are those of its table."""
        with self._guard():
            game, legal = position.game, position.legal_moves
            most = self.sizes(game).moves
            demand(len(legal) <= most, f"sizes says {most:,} legal moves at most, and there are {len(legal):,}")
            table = self.decode_table(game)
            sound = all(table[self.encode_move(game, move)] == move for move in legal)
            demand(sound, "moves_by_code does not lead from the code of a move back to the move")
            made = _as_arrays("make_rules", self._kernel.make_rules(position))
        self._try(game, made)
        return made

    def _try(self, game: Game, rules: Any) -> None:
        if self._trial is None:
            return
        kind = hold(rules).kind.name
        with self._trying:
            if kind not in self._tried:
                fault = None
                try:
                    self._trial(game, kind)
                except RulesError as error:
                    fault = error
                self._tried[kind] = fault
        if (found := self._tried[kind]) is not None:
            raise found.with_traceback(None)

    def copy_rules(self, rules: Any) -> Any:
        """The same named tuple again."""
        with self._guard():
            copy = _as_arrays("copy_rules", self._kernel.copy_rules(rules))
            demand(_alike(copy, rules), "copy_rules returned other rules than it was given")
            return copy

    def encode_identity(self, position: AnyPosition) -> Any:
        """A named tuple that kernels can get."""
        with self._guard():
            return _as_arrays("encode_identity", self._kernel.encode_identity(position))

    def encode_move(self, game: Game, move: Move) -> int:
        """A code of ``moves_by_code``."""
        with self._guard():
            code, codes = self._kernel.encode_move(game, move), len(self.decode_table(game))
            demand_result("encode_move", _is_whole(code, 0, codes - 1), code, f"no whole number below {codes:,}")
            return int(code)

    def moves_by_code(self, game: Game) -> tuple[Move, ...]:
        """As many moves as ``sizes`` says, or fewer."""
        with self._guard():
            moves, codes = self._kernel.moves_by_code(game), self.sizes(game).codes
            sound = isinstance(moves, tuple) and all(isinstance(move, Move) for move in moves)
            demand_result("moves_by_code", sound, moves, "no tuple of moves")
            demand(0 < len(moves) <= codes, f"moves_by_code returned {len(moves):,} moves, and sizes says {codes:,}")
            return moves

    def longest_game(self, position: AnyPosition) -> int:
        """At most the plies of ``sizes``."""
        with self._guard():
            plies, most = self._kernel.longest_game(position), min(self.sizes(position.game).plies, LIMITS.plies)
            demand_result("longest_game", _is_whole(plies, 1, most), plies, f"no whole number from 1 to {most:,}")
            return int(plies)

    def most_positions(self, position: AnyPosition) -> float:
        """A number above zero."""
        with self._guard():
            most = self._kernel.most_positions(position)
            demand_result("most_positions", isinstance(most, Real) and most >= 1, most, "no number from 1 on")
            return float(most)

    def can_overshoot(self, game: Game) -> bool:
        """Yes or no."""
        with self._guard():
            return bool(self._kernel.can_overshoot(game))

    def neighbours(self, position: AnyPosition, move: Move) -> int:
        """From 0 to 8."""
        with self._guard():
            count = self._kernel.neighbours(position, move)
            demand_result("neighbours", _is_whole(count, 0, _MOST_NEIGHBOURS), count, "no whole number from 0 to 8")
            return int(count)

    def replay(self, root: AnyPosition, line: tuple[Move, ...], number: Callable[[], int]) -> tuple[Move, ...]:
        """Moves that can be played after the line, up to the end of the game."""
        with self._guard():
            moves = self._kernel.replay(root, line, number)
            demand_result("replay", isinstance(moves, tuple), moves, "no tuple of moves")
            position = root
            for move in (*line, *moves):
                position = position.play(move)
            demand(position.outcome is not None, "replay returned moves that do not end the game")
            return moves


def _is_whole(value: object, least: int, most: float = np.inf) -> bool:
    return isinstance(value, int | np.integer) and bool(least <= value <= most)


def _as_arrays(method: str, made: Any) -> Any:
    """The tuple, which kernels can get."""
    demand_result(method, isinstance(made, tuple) and hasattr(made, "_fields"), made, "no named tuple")
    demand(not _has_objects(made), f"{method} returned arrays of Python's objects, which no kernel can read")
    hold(made)  # raises what is wrong with its fields
    return made


def _has_objects(made: Any) -> bool:
    if isinstance(made, tuple):
        return any(map(_has_objects, made))
    return isinstance(made, np.ndarray) and made.dtype.hasobject


def _alike(one: Any, other: Any) -> bool:
    """Whether two named tuples have the same fields, with numbers of the same kind."""
    if isinstance(other, np.ndarray):
        return isinstance(one, np.ndarray) and one.dtype == other.dtype and np.array_equal(one, other)
    if isinstance(other, tuple):
        return type(one) is type(other) and all(map(_alike, one, other)) and len(one) == len(other)
    return type(one) is type(other) and bool(one == other)
