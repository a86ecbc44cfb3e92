"""Boards for pictures that are enlarged or made of lines: painted anew, where the screen gets copies of pixels."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager

import numpy as np
from PySide6.QtCore import QPoint, QPointF, QRect, QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QWidget

from nimdesk.ui.boards import BoardView, board_for
from nimdesk.ui.boards.pictures import CellPictures, DiscArt, StillPicture, paint_disc
from nimdesk.ui.boards.sticks import StickArt, paint_stick
from nimdesk.ui.look.theme import Theme
from nimdesk.ui.look.truth_marks import ExactMarkArt


class _ExactStill(StillPicture):
    def draw(
        self, painter: QPainter, widget: QWidget, background: QColor, key: object, paint: Callable[[QPainter], None]
    ) -> None:
        painter.save()
        painter.fillRect(widget.rect(), background)
        paint(painter)
        painter.restore()


class _ExactCells(CellPictures):
    def draw(
        self,
        painter: QPainter,
        widget: QWidget,
        key: object,
        cells: Mapping[int, Hashable],
        place: Callable[[int], QRectF],
        paint: Callable[[QPainter, list[int]], None],
        *,
        within_s: float = math.inf,
    ) -> bool:
        painter.save()
        paint(painter, list(cells))
        painter.restore()
        return True


class _ExactDiscs(DiscArt):
    def draw(self, painter: QPainter, middle: QPointF, radius: float, color: QColor, ratio: float) -> None:
        painter.save()
        paint_disc(painter, middle, radius, color, 1.0)
        painter.restore()


class _ExactSticks(StickArt):
    def draw(self, painter: QPainter, theme: Theme, look: str, rect: QRectF, ratio: float) -> None:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate(rect.topLeft())
        paint_stick(painter, theme, look, rect.width(), rect.height())
        painter.restore()


_EXACT = {
    "_still": _ExactStill,
    "_cells": _ExactCells,
    "_discs": _ExactDiscs,
    "_art": _ExactSticks,
    "_mark_art": ExactMarkArt,
}


def inked_part(board: BoardView, margin: int = 10) -> QRect:
    """The part of the widget that anything is painted in, with so much around it, within the widget."""
    whole = board.rect()
    image = QImage(board.size(), QImage.Format.Format_RGB32)
    board.render(image, renderFlags=QWidget.RenderFlag.DrawChildren)
    pixels = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), image.width())
    inked = pixels != pixels[0, 0]
    if not inked.any():
        return whole
    rows, columns = np.flatnonzero(inked.any(axis=1)), np.flatnonzero(inked.any(axis=0))
    part = QRect(QPoint(int(columns[0]), int(rows[0])), QPoint(int(columns[-1]), int(rows[-1])))
    return part.adjusted(-margin, -margin, margin, margin) & whole


@contextmanager
def painted_exactly(board: BoardView) -> Iterator[None]:
    """While this lasts, the board paints everything anew and copies no pixels."""
    kept = {name: getattr(board, name) for name in _EXACT if hasattr(board, name)}
    for name in kept:
        setattr(board, name, _EXACT[name]())
    try:
        yield
    finally:
        for name, art in kept.items():
            setattr(board, name, art)


def twin_of(board: BoardView) -> BoardView:
    """A board that shows the same and is never on the screen, so that nothing there changes its size.

    It is as large as what lies on it needs, where the one on the screen has more height than that.
    """
    twin = board_for(board._position.game, board._theme, None)
    twin.set_animation_enabled(False)
    twin.resize(board.size())
    twin.setFont(board.font())
    show_the_same(twin, board)
    twin.resize(board.width(), twin.fitting_height())
    return twin


def show_the_same(twin: BoardView, board: BoardView) -> None:
    """Let the twin show what the board shows, without what is pointed at."""
    twin.set_theme(board._theme)
    twin.set_position(board._position)
    twin.set_overlay_style(board._overlay_style)
    twin.set_overlay(board._overlay)
    twin.set_truth(board._truth)
