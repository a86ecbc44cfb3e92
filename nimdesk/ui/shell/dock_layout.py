"""Where the docks beside the board are: at first, fitted to the screen, and as a person left them."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDockWidget, QMainWindow, QToolBar

LAYOUT_VERSION = 1
"""Changed when docks are added, so that an old saved layout is not forced upon them."""
# What the plot, once it is there, asks for at least.
_PLOT_WIDTH = 470
# On a lower screen the plot does not go below the board.
_ROOMY_HEIGHT = 740


def arrange(window: QMainWindow, docks: list[QDockWidget], toolbar: QToolBar) -> None:
    """All docks (players, moves, convergence) where they were at first, sized for the screen."""
    screen = QGuiApplication.primaryScreen()
    room = screen.availableGeometry() if screen is not None else None
    width = min(1280, room.width() - 20) if room else 1280
    height = min(860, room.height() - 40) if room else 860
    if not window.isMaximized():
        window.resize(width, height)
    areas = Qt.DockWidgetArea
    sides = (areas.RightDockWidgetArea, areas.RightDockWidgetArea, areas.BottomDockWidgetArea)
    for dock, side in zip(docks, sides, strict=True):
        dock.setFloating(False)
        window.addDockWidget(side, dock)
        dock.show()
    players, moves, plots = docks
    if height < _ROOMY_HEIGHT:
        # The board gets the whole height; what is beside it shares a wider column.
        window.addDockWidget(areas.RightDockWidgetArea, plots)
        window.splitDockWidget(players, plots, Qt.Orientation.Vertical)
        window.tabifyDockWidget(players, moves)
        players.raise_()
        window.resizeDocks([players, plots], [height // 2, height // 2], Qt.Orientation.Vertical)
        window.resizeDocks([players], [max(round(width * 0.42), _PLOT_WIDTH)], Qt.Orientation.Horizontal)
        toolbar.show()
        return
    window.splitDockWidget(players, moves, Qt.Orientation.Vertical)
    window.setCorner(Qt.Corner.BottomRightCorner, areas.RightDockWidgetArea)
    window.resizeDocks([players, moves], [round(height * 0.58), round(height * 0.42)], Qt.Orientation.Vertical)
    window.resizeDocks([players], [290], Qt.Orientation.Horizontal)
    window.resizeDocks([plots], [round(height * 0.38)], Qt.Orientation.Vertical)
    toolbar.show()


def as_text(state: QByteArray) -> str:
    """Geometry or docks, as Qt saves them, for the settings."""
    return bytes(state.toBase64().data()).decode()


def restore(window: QMainWindow, geometry: str, docks: str) -> None:
    """What ``as_text`` gave of both; nonsense changes nothing."""
    if geometry:
        window.restoreGeometry(QByteArray.fromBase64(QByteArray(geometry.encode())))
    if docks:
        window.restoreState(QByteArray.fromBase64(QByteArray(docks.encode())), LAYOUT_VERSION)
