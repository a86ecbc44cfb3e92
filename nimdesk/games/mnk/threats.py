"""Wins by threats, as proofs: each threat with all answers that matter, and what follows them."""

from __future__ import annotations

from nimdesk.games.base import Side
from nimdesk.games.mnk.line_sameness import LineBoard
from nimdesk.games.mnk.patterns import COMPLETES
from nimdesk.games.mnk.rules import MnkMove, MnkPosition, all_cells
from nimdesk.games.truth import MOST_TRIED, ForcedWin, Threat


def threat(move: MnkMove, answers: list[tuple[MnkMove, Threat]], otherwise: Threat) -> Threat:
    """A threat, with the plies that follow from the answers."""
    return Threat(move, tuple(answers), otherwise, 2 + max(each.plies for _, each in answers))


class LineThreats:
    """The ``ThreatSearch`` of boards whose lines are read as patterns."""

    def find_win(
        self, position: MnkPosition, side: Side | None = None, *, by_fours: bool = False, most: int = MOST_TRIED
    ) -> ForcedWin | None:
        """A win of the side if it moved now."""
        if position.outcome is not None:
            return None
        mover = position.turn if side is None else side
        board, cells = LineBoard(position), all_cells(position.game.m, position.game.n)

        def proven() -> Threat | None:
            for cell in board.cells(mover, COMPLETES):
                return Threat(cells[cell])
            plies, cell = board.win_by_fours(mover, most)
            if not plies:
                return None
            board.put(mover, cell)
            ends = list(board.cells(mover, COMPLETES))
            if len(ends) > 1:
                then = Threat(cells[ends[1]])
            else:
                board.put(1 - mover, ends[0])
                found = proven()
                board.lift(1 - mover, ends[0])
                if found is None:
                    raise AssertionError("the search has taken back what it said")
                then = found
            board.lift(mover, cell)
            return threat(cells[cell], [(cells[ends[0]], then)], Threat(cells[ends[0]]))

        if len(list(board.cells(1 - mover, COMPLETES))) > 1 and not board.counts[mover][COMPLETES]:
            return None
        found = proven()
        return None if found is None else ForcedWin(mover, True, found)

    def parries(self, position: MnkPosition, *, most: int = MOST_TRIED) -> tuple[MnkMove, ...] | None:
        """The moves after which the opponent is no longer found to win by threats."""
        if position.outcome is not None or self.find_win(position, position.turn.other, most=most) is None:
            return None
        return tuple(move for move in position.legal_moves if self.find_win(position.play(move), most=most) is None)
