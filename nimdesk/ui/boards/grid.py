"""The grid of an m,n,k board: where its cells lie, and its winning lines from end to end."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF

from nimdesk.games import MnkMove, MnkPosition


@dataclass(frozen=True, slots=True)
class GridLayout:
    """Where the cells lie: the top left corner of the grid, the side of a cell, and the coordinates' size."""

    left: float
    top: float
    cell: float
    columns: int
    rows: int
    text_px: float

    @property
    def rect(self) -> QRectF:
        """The whole grid."""
        return QRectF(self.left, self.top, self.columns * self.cell, self.rows * self.cell)

    def cell_rect(self, column: int, row: int) -> QRectF:
        """The cell in this column and row, row 0 at the bottom."""
        return QRectF(
            self.left + column * self.cell, self.top + (self.rows - 1 - row) * self.cell, self.cell, self.cell
        )


def winning_ends(position: MnkPosition) -> list[tuple[MnkMove, MnkMove]]:
    """The two ends of each line that ended the game."""
    cells, last = set(position.winning_line), position.moves[-1]
    ends = []
    for right, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
        line = [last]
        for sign in (1, -1):
            step = 1
            while (cell := MnkMove(last.column + sign * step * right, last.row + sign * step * up)) in cells:
                line.append(cell)
                step += 1
        if len(line) >= position.game.k:
            ends.append((min(line), max(line)))
    return ends[:1] if position.game.k == 1 else ends
