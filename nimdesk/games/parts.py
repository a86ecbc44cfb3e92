"""The optional parts of a game of another package, held to what they promise, as its rules are.

What a part raises, and what it returns instead of what it should, becomes a ``RulesError`` that names the game and the
part. Sentences that it raises on purpose stay.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from numbers import Integral, Real
from typing import Any

from nimdesk.games.base import AnyPosition, Game, Move
from nimdesk.games.check import demand, demand_result, rules_of
from nimdesk.games.kit import GameKit
from nimdesk.games.truth import MoveTruth, Published, Truth, Value
from nimdesk.limit import Limit

_Guard = Callable[[], AbstractContextManager[None]]


def held(kit: GameKit, reference: str = "") -> GameKit:
    """The kit with parts that keep their promises, or fail with a sentence when they are used.

    Its compiled rules are tried first, unless ``reference``, which names the kit, is "".
    """
    parts: dict[str, Any] = {
        part: _held(kit.name, part, made, reference) for part in PARTS if (made := getattr(kit, part)) is not None
    }
    return replace(kit, **parts)


def _held(game: str, part: str, made: Callable[..., Any], reference: str) -> Callable[..., Any]:
    broken, kept = PARTS[part]
    guard = partial(rules_of, game, f"The part {part}")

    def call(*arguments: Any, **named: Any) -> Any:
        with guard():
            result = made(*arguments, **named)
            demand_result("it", kept(result), result, broken)
        if part == "load_kernel":
            from nimdesk.games.held_kernel import HeldKernel  # lazy: it loads numba, which came with the kernel
            from nimdesk.games.kernel_trial import try_kernel

            trial = partial(try_kernel, game, reference) if reference else None
            return HeldKernel(result, partial(rules_of, game, "The compiled rules"), trial)
        if part == "views":
            return tuple((view, _held_view(turn, guard)) for view, turn in result)
        if part not in _SOLVERS:
            return result
        return (_HeldKeptSolver if _is_kept(result) else _HeldSolver)(result, guard)

    return call


def _held_view(turn: Callable[[Move], Any], guard: _Guard) -> Callable[[Move], Move]:
    def turned(move: Move) -> Move:
        with guard():
            made = turn(move)
            demand(isinstance(made, Move), f"a view turned {move.text} into no move")
            assert isinstance(made, Move)
            return made

    return turned


class _HeldSolver:
    """A ``ListedSolver`` around one of another package; ``lines`` is for one that has them."""

    def __init__(self, solver: Any, guard: _Guard) -> None:
        self._solver, self._guard = solver, guard
        self._position: AnyPosition | None = None

    def start(self, position: AnyPosition) -> None:
        self._position = position
        with self._guard():
            self._solver.start(position)

    def advance(self, limit: Limit) -> bool:
        with self._guard():
            return bool(self._solver.advance(limit))

    @property
    def progress(self) -> float:
        return self._part("progress")

    def truth(self) -> Truth:
        with self._guard():
            truth = self._solver.truth()
            demand(_is_truth(truth, self._position), "its truth is no Truth of the position and its legal moves")
            assert isinstance(truth, Truth)
            return truth

    def lines(self) -> tuple[str, ...]:
        with self._guard():
            return tuple(map(str, self._solver.lines()))

    def _part(self, name: str) -> float:
        if self._position is None:
            return 0.0  # ``isinstance`` asks one that is not started whether it has this
        with self._guard():
            return float(getattr(self._solver, name))


class _HeldKeptSolver(_HeldSolver):
    """The same for a ``KeptSolver``."""

    @property
    def defended(self) -> float:
        return self._part("defended")

    def keep(self) -> bytes | None:
        with self._guard():
            kept = self._solver.keep()
            demand(kept is None or isinstance(kept, bytes), "what it keeps is neither bytes nor None")
            assert kept is None or isinstance(kept, bytes)
            return kept

    def resume(self, position: AnyPosition, kept: bytes) -> None:
        self._position, refused = position, None
        with self._guard():
            try:
                self._solver.resume(position, kept)
            except ValueError as error:
                refused = error
        if refused is not None:
            raise refused


def _is_truth(truth: object, position: AnyPosition | None) -> bool:
    return (
        isinstance(truth, Truth)
        and position is not None
        and truth.position == position
        and _is_value(truth.value, truth.distance)
        and all(isinstance(move, MoveTruth) and _is_value(move.value, move.distance) for move in truth.moves)
        and tuple(move.move for move in truth.moves) == position.legal_moves
        and isinstance(truth.nodes, int)
        and isinstance(truth.elapsed_s, int | float)
        and isinstance(truth.explanation, str)
    )


def _is_value(value: object, distance: object) -> bool:
    return isinstance(value, Value) and isinstance(distance, int | None)


def _is_solver(result: object) -> bool:
    return all(callable(getattr(result, name, None)) for name in ("start", "advance", "truth"))


def _is_kept(solver: object) -> bool:
    return all(callable(getattr(solver, name, None)) for name in ("keep", "resume"))


def _is_kernel(result: object) -> bool:
    from nimdesk.games.kernel_kit import KernelKit  # lazy: it loads numpy

    return isinstance(result, KernelKit)


def _are_views(result: object) -> bool:
    return isinstance(result, tuple) and len(result) > 0 and all(map(_is_view, result))


def _is_view(view: object) -> bool:
    return isinstance(view, tuple) and len(view) == 2 and isinstance(view[0], Game) and callable(view[1])


def _are_numbers(result: object) -> bool:
    return isinstance(result, tuple) and all(isinstance(each, Real) and each == each for each in result)


def _is_group(result: object) -> bool:
    name, value = result if isinstance(result, tuple) and len(result) == 2 else (None, None)
    return isinstance(name, str) and isinstance(value, Integral)


_SOLVERS = ("new_solver", "new_table")
PARTS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "load_kernel": ("no KernelKit", _is_kernel),
    "new_solver": ("no solver", _is_solver),
    "new_certificate": ("no bytes", lambda result: isinstance(result, bytes)),
    "read_certificate": ("no certificate", lambda result: callable(getattr(result, "advise", None))),
    "published": ("neither Published nor None", lambda result: result is None or isinstance(result, Published)),
    "new_table": ("no solver with lines", lambda result: _is_solver(result) and callable(result.lines)),
    "fewest_nodes": ("no number", lambda result: isinstance(result, Real)),
    "by_formula": ("neither True nor False", lambda result: isinstance(result, bool)),
    "solver_pace": ("no whole number", lambda result: isinstance(result, Integral)),
    "preferences": ("no tuple of numbers", _are_numbers),
    "child_number": ("neither a whole number nor None", lambda result: isinstance(result, Integral | None)),
    "group": ("no name with a whole number", _is_group),
    "views": ("no tuple of games and functions", _are_views),
}
"""Each optional part: what it returned if it breaks its promise, and whether it keeps it."""
