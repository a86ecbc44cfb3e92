"""How the board of an m,n,k game is made: marks in cells, discs in a frame, or stones on the crossings of lines."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPainterPath, QPen, QRadialGradient

from nimdesk.games import MnkGame, MnkMove, Side
from nimdesk.ui.look import painting
from nimdesk.ui.look.theme import LOOK


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

    def middle(self, column: int, row: int) -> QPointF:
        """The middle of that cell."""
        return self.cell_rect(column, row).center() + QPointF(0.5, 0.5)


class CellsLook:
    """X and O in the cells of a grid: what people know of tic-tac-toe."""

    disc = 0.42
    """The largest radius of the overlay's discs, in cells."""
    lies = False
    """Whether the overlay's discs lie on lines, which then have to be hidden under them."""
    rim = 0.0
    """How far the board reaches beyond its cells, in cells."""
    roles = ("first", "second")
    """The roles of the sides' colours."""

    def color(self, side: Side) -> QColor:
        """The colour of this side's pieces."""
        return LOOK.theme.color(self.roles[side])

    def ink(self, side: Side) -> QColor:
        """The colour of writing that can be read on such a piece."""
        return LOOK.theme.color("board")

    def ground(self, painter: QPainter, layout: GridLayout, ratio: float) -> None:
        """The empty board; ``ratio`` device pixels to a pixel."""
        rect = layout.rect
        painter.fillRect(rect, LOOK.theme.color("board"))
        for column in range(layout.columns + 1):
            _line(painter, rect.left() + column * layout.cell, rect.top(), 0, rect.height(), "board_line", ratio)
        for row in range(layout.rows + 1):
            _line(painter, rect.left(), rect.top() + row * layout.cell, rect.width(), 0, "board_line", ratio)

    def tint(self, painter: QPainter, cell: QRectF, side: Side) -> None:
        """Behind the last move, and behind each piece of the winning line."""
        painter.fillRect(cell, painting.faded(self.color(side), 0.2))

    def piece(self, painter: QPainter, side: Side, middle: QPointF, cell: float, strength: float = 1.0) -> None:
        """A piece of this side; fainter below a ``strength`` of 1."""
        painting.draw_mark(painter, side, middle, cell, painting.faded(self.color(side), strength))

    def last(self, painter: QPainter, side: Side, cell: QRectF) -> None:
        """What marks the last move."""
        painting.draw_corners(painter, cell, self.color(side))

    def numbered(self, painter: QPainter, plies: list[tuple[Side, QPointF]], radius: float) -> None:
        """A line of play: where each move would be, with the number of its ply from 1 on."""
        painting.draw_plies(painter, plies, radius)

    def fall(self, painter: QPainter, layout: GridLayout, column: int) -> None:
        """Clip the painter to what is seen of a piece that falls in this column."""
        painter.setClipRect(layout.rect)


class _Pieces(CellsLook):
    """What discs and stones have in common."""

    radius = 0.4
    """The radius of a piece, in cells."""

    def ink(self, side: Side) -> QColor:
        return QColor("#141414" if self.color(side).lightnessF() > 0.55 else "#ffffff")

    def tint(self, painter: QPainter, cell: QRectF, side: Side) -> None:
        """Nothing: the pieces are large enough."""

    def numbered(self, painter: QPainter, plies: list[tuple[Side, QPointF]], radius: float) -> None:
        for side, middle in plies:
            self.piece(painter, side, middle, radius / self.radius, 0.8)
        painter.setFont(painting.sized(painter.font(), radius * 1.1, bold=True))
        for number, (side, middle) in enumerate(plies, 1):
            painter.setPen(self.ink(side))
            place = QRectF(middle.x() - 2 * radius, middle.y() - radius, 4 * radius, 2 * radius)
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, str(number))


class DiscsLook(_Pieces):
    """Discs of two colours that drop into a frame with holes: Connect Four."""

    disc, radius, hole, rim = 0.39, 0.385, 0.43, 0.08
    roles = ("disc_first", "disc_second")

    def ground(self, painter: QPainter, layout: GridLayout, ratio: float) -> None:
        theme, edge = LOOK.theme, layout.cell * self.rim
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.color("frame").darker(125), max(1.0, layout.cell * 0.02)))
        painter.setBrush(theme.color("frame"))
        painter.drawRoundedRect(layout.rect.adjusted(-edge, -edge, edge, edge), layout.cell * 0.2, layout.cell * 0.2)
        painter.setBrush(theme.color("board"))
        for column in range(layout.columns):
            painter.drawPath(self._holes(layout, column))

    def _holes(self, layout: GridLayout, column: int) -> QPainterPath:
        path, radius = QPainterPath(), layout.cell * self.hole
        for row in range(layout.rows):
            path.addEllipse(layout.middle(column, row), radius, radius)
        return path

    def piece(self, painter: QPainter, side: Side, middle: QPointF, cell: float, strength: float = 1.0) -> None:
        color, radius = self.color(side), cell * self.radius
        painter.setPen(QPen(painting.faded(color.darker(150), strength), max(1.0, cell * 0.025)))
        painter.setBrush(painting.faded(color, strength))
        painter.drawEllipse(middle, radius, radius)
        if cell >= 24:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(painting.faded(color.darker(120), strength), max(1.0, cell * 0.025)))
            painter.drawEllipse(middle, radius * 0.72, radius * 0.72)

    def last(self, painter: QPainter, side: Side, cell: QRectF) -> None:
        painter.setPen(QPen(self.ink(side), max(2.0, cell.width() * 0.055)))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        radius = cell.width() * 0.16
        painter.drawEllipse(cell.center() + QPointF(0.5, 0.5), radius, radius)

    def fall(self, painter: QPainter, layout: GridLayout, column: int) -> None:
        painter.setClipPath(self._holes(layout, column))


class StonesLook(_Pieces):
    """Black and white stones on the crossings of lines on a warm ground: gomoku."""

    disc, radius, lies = 0.44, 0.455, True
    roles = ("stone_first", "stone_second")

    def ground(self, painter: QPainter, layout: GridLayout, ratio: float) -> None:
        rect = layout.rect
        painter.fillRect(rect, LOOK.theme.color("ground"))
        first, last = layout.cell_rect(0, layout.rows - 1).center(), layout.cell_rect(layout.columns - 1, 0).center()
        wide, high = last.x() - first.x(), last.y() - first.y()
        for column in range(layout.columns):
            _line(painter, first.x() + column * layout.cell, first.y(), 0, high, "ground_line", ratio)
        for row in range(layout.rows):
            _line(painter, first.x(), first.y() + row * layout.cell, wide, 0, "ground_line", ratio)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(LOOK.theme.color("ground_line"))
        radius = max(2.0, layout.cell * 0.085)
        for column, row in star_points(layout.columns, layout.rows):
            painter.drawEllipse(layout.middle(column, row), radius, radius)

    def piece(self, painter: QPainter, side: Side, middle: QPointF, cell: float, strength: float = 1.0) -> None:
        color, radius = painting.faded(self.color(side), strength), cell * self.radius
        brush = QBrush(color)
        if cell >= 20:
            shine = QRadialGradient(middle - QPointF(radius, radius) * 0.35, radius * 1.5)
            shine.setColorAt(0.0, painting.mixed(color, QColor("#ffffff"), 0.3))
            shine.setColorAt(0.6, color)
            brush = QBrush(shine)
        painter.setPen(QPen(painting.faded(LOOK.theme.color("stone_edge"), strength), max(1.0, cell * 0.03)))
        painter.setBrush(brush)
        painter.drawEllipse(middle, radius, radius)

    def last(self, painter: QPainter, side: Side, cell: QRectF) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(LOOK.theme.color("last"))
        radius = max(2.5, cell.width() * 0.13)
        painter.drawEllipse(cell.center() + QPointF(0.5, 0.5), radius, radius)


def star_points(columns: int, rows: int) -> list[tuple[int, int]]:
    """The crossings that are marked on a board of this size, as players know them from boards of 9, 13, 15 and 19."""

    def places(size: int) -> list[int]:
        edge = 2 if size < 13 else 3
        return [edge, size - 1 - edge] if size % 2 == 0 else [edge, size // 2, size - 1 - edge]

    middle = (columns // 2, rows // 2)
    points = [(column, row) for column in places(columns) for row in places(rows)]
    if min(columns, rows) >= 17:
        return points
    # On smaller boards the corners and the middle alone.
    return [point for point in points if point == middle or (point[0] != middle[0] and point[1] != middle[1])]


def _line(painter: QPainter, x: float, y: float, width: float, height: float, role: str, ratio: float) -> None:
    """A line along whole device pixels."""
    thick = max(1, round(ratio * LOOK.theme.line)) / ratio
    x, y = math.floor(x * ratio) / ratio, math.floor(y * ratio) / ratio
    painter.fillRect(QRectF(x, y, width + thick, height + thick), LOOK.theme.color(role))


def look_of(game: MnkGame) -> CellsLook:
    """How the board of this game is made."""
    return {"disc": DiscsLook, "stone": StonesLook, "mark": CellsLook}[game.pieces]()


def paint_winning_line(
    painter: QPainter, look: CellsLook, layout: GridLayout, ends: tuple[MnkMove, MnkMove], side: Side, progress: float
) -> None:
    """Paint the line from one end towards the other, as far as ``progress`` says, 0 to 1."""
    start, end = (layout.middle(each.column, each.row) for each in ends)
    length = max(1.0, math.hypot((end - start).x(), (end - start).y()))
    reach = (end - start) / length * layout.cell * 0.36
    start -= reach
    width = max(2.8, layout.cell * 0.098)
    # A light line has a dark rim, a dark one a light rim: it runs over pieces of its own colour.
    for color, wide in ((look.ink(side), width + max(2.0, layout.cell * 0.05)), (look.color(side), width)):
        pen = QPen(color, wide)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        painter.setPen(pen)
        painter.drawLine(start, start + (end + reach - start) * progress)
