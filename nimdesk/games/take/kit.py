"""What take-away games bring to nimdesk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nimdesk.games.diagram import Diagram
from nimdesk.games.kit import GameKit, Preset
from nimdesk.games.plain_solver import PlainSolver
from nimdesk.games.take.codes import HeapRule
from nimdesk.games.take.heaps import fits
from nimdesk.games.take.rules import Part, TakeGame, TakePosition
from nimdesk.games.take.twin import TakeTwin

if TYPE_CHECKING:
    from nimdesk.games.take.encoding import TakeKernel
    from nimdesk.games.take.theory import TakeSolver


# The most positions that the value table lists.
_MOST_LISTED = 10_000
# Heaps up to this are pictured thing by thing.
_MOST_DRAWN = 30


def _kernel() -> TakeKernel:
    from nimdesk.games.take.encoding import TakeKernel  # lazy: loads numba

    return TakeKernel()


def _solver(*, distances: bool = True) -> TakeSolver:
    from nimdesk.games.take.theory import TakeSolver  # lazy: loads numba

    return TakeSolver(distances=distances)


def _game(rule: str, *heaps: int) -> TakeGame:
    return TakeGame((Part(HeapRule.parse(rule), heaps),))


def _diagram(position: TakePosition) -> Diagram:
    """A row of tokens for each heap, with its size; of a large heap the size alone."""
    heaps = [heap for part in position.board for heap in part]
    return Diagram(tuple(("●",) * heap if heap <= _MOST_DRAWN else () for heap in heaps), tuple(map(str, heaps)))


KIT = GameKit(
    name="take",
    game_type=TakeGame,
    notation="take:{1,3,4}:10,12 (takes or an octal code like 0.77, then heaps; + adds more, :misere for misère play)",
    presets=(
        Preset("Kayles", _game("0.77", 5, 7), "Two rows of pins: knock down one, or two side by side."),
        Preset("Take 1, 3 or 4", _game("{1,3,4}", 10, 12), "Two rows of tokens; the values repeat every 7."),
        Preset("Wythoff", _game("wythoff", 5, 8), "Two rows of tokens: take from one, or as many from both."),
    ),
    load_kernel=_kernel,
    fits_kernel=fits,
    twin=TakeTwin(),
    new_solver=_solver,
    new_table=lambda _game: PlainSolver(most_positions=_MOST_LISTED),
    by_formula=lambda position: not position.game.misere,
    diagram=_diagram,
    board="nimdesk.ui.boards.take:KIT",
)
