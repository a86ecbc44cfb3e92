"""Wins by threats, as proofs: each threat with all answers that matter, and what follows them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from nimdesk.games.base import Side
from nimdesk.games.mnk import kernel_threats as kernel
from nimdesk.games.mnk.lines import Lines, matters, next_cell
from nimdesk.games.mnk.patterns import COMPLETES, WINS_SOON
from nimdesk.games.mnk.rules import MnkMove, MnkPosition, all_cells
from nimdesk.games.truth import MOST_TRIED, ForcedWin, Threat
from nimdesk.kernels.jit import first_use

_FOURS = 5
"""With fours alone, so many positions take the time of one with threes."""
_SHARE = 20
"""There is a search for each move that might parry, which gets this part of the work."""
_LEFT = 5
"""Those moves that still seem to parry then share so many times the work."""
_Played = tuple[int, ...]
"""Moves from the root, each twice the cell plus the side."""


class LineThreats:
    """The ``ThreatSearch`` of boards whose lines are read as patterns."""

    def find_win(self, position: MnkPosition, side: Side | None = None, *, most: int = MOST_TRIED) -> ForcedWin | None:
        """A win of the side if it moved now: one by fours, with the fewest of them, before one by fours and threes."""
        side = position.turn if side is None else side
        for threes in (False, True):
            search = WinsByThreats(position, side, threes=threes)
            if search.wins((), most):
                return ForcedWin(side, not threes, search.threat(()))
        return None

    def parries(self, position: MnkPosition, *, most: int = MOST_TRIED) -> tuple[MnkMove, ...] | None:
        """The moves after which the opponent is not found to win by threats; None where none are soon seen.

        All moves get a little of the work each, those that are left then more of it.
        """
        searches = [WinsByThreats(position, position.turn.other, threes=threes) for threes in (False, True)]
        if not any(search.wins((), most // _SHARE) for search in searches):
            return None
        mover, columns = int(position.turn), position.game.m

        def loses(move: MnkMove, most: int) -> bool:
            played = (2 * (move.row * columns + move.column) + mover,)
            return any(search.wins(played, most) for search in searches)

        at_once = position.winning_moves
        left = [move for move in position.legal_moves if move in at_once or not loses(move, most // _SHARE)]
        more = min(most, _LEFT * most // max(len(left), 1))
        return tuple(move for move in left if move in at_once or not loses(move, more))


class WinsByThreats:
    """The search for wins of one side from one position, by fours or also by threes, with its table."""

    def __init__(self, position: MnkPosition, side: Side, *, threes: bool) -> None:
        self._cells, self._side = all_cells(position.game.m, position.game.n), int(side)
        self._kernel = kernel.make_threats(position, self._side, threes)
        self._known: dict[frozenset[int], Threat] = {}
        job = partial(WinsByThreats, position.game.start(), Side.FIRST, threes=False)
        first_use("mnk-threats", (self._kernel,), self._load, job)

    def _load(self) -> None:
        self._look(())
        self.first((), 0)

    def wins(self, played: _Played, most: int) -> bool:
        """Whether the side is found to win by moving after these moves."""
        return self.first(played, most) >= 0

    def first(self, played: Sequence[int], most: int) -> int:
        """The cell in which the side then begins to win; -1 if it is not found to."""
        most = most if self._kernel.threes else _FOURS * most
        return kernel.find(self._kernel, np.array(played, np.int64), most)

    def threat(self, played: _Played) -> Threat:
        """How it wins, where that was found."""
        key = frozenset(played)
        if key not in self._known:
            cell = self.first(played, 1 << 40)
            if cell < 0:
                raise AssertionError("the search has taken back what it said")
            self._known[key] = self._after(played, cell)
        return self._known[key]

    def _after(self, played: _Played, cell: int) -> Threat:
        """The threat in this cell with what follows: after each answer that matters, and after all others."""
        move, played = self._cells[cell], (*played, 2 * cell + self._side)
        if self._look(played[:-1]).found[played[-1]] == COMPLETES:
            return Threat(move)
        lines = self._look(played)
        row = next_cell(lines, self._side, COMPLETES)
        answers = [row] if row >= 0 else [each for each in range(lines.cells) if matters(lines, each, True)]
        ending = row if row >= 0 else next_cell(lines, self._side, WINS_SOON)
        if ending < 0:
            raise AssertionError(f"{move.text} threatens nothing")
        otherwise = self._after(played, ending)
        then = [(self._cells[each], self.threat((*played, 2 * each + 1 - self._side))) for each in answers]
        return Threat(move, tuple(then), otherwise, 2 + max(threat.plies for _, threat in then))

    def _look(self, played: _Played) -> Lines:
        """The lines after these moves, in the kernel's working copy."""
        kernel.play(self._kernel, np.array(played, np.int64))
        return self._kernel.lines
