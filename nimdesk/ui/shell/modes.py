"""The pages of the window and the switch between them: playing has docks around it, other pages have the window.

Where the docks are at first, fitted to the screen, and as a person left them, is here as well.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QByteArray, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QGuiApplication
from PySide6.QtWidgets import (
    QDockWidget,
    QHBoxLayout,
    QMainWindow,
    QStackedWidget,
    QToolBar,
    QToolButton,
    QWidget,
)

from nimdesk.ui.look.actions import PLAY, ActionSet
from nimdesk.ui.look.theme import LOOK

LAYOUT_VERSION = 1
"""Changed when docks are added, so that an old saved layout is not forced upon them."""
# What the plot, once it is there, asks for at least.
_PLOT_WIDTH = 470
# On a lower screen the plot does not go below the board.
_ROOMY_HEIGHT = 740


class Modes(QWidget):
    """The switch itself, for a corner of the window; pages are made when they are first shown.

    A mode has an action ``mode_<name>`` among the declared ones, which is its button, its menu item and its key.
    """

    mode_changed = Signal(str)
    """Another page is shown; its name."""

    def __init__(self, window: QMainWindow, actions: ActionSet, play: QWidget) -> None:
        super().__init__()
        self.setAccessibleName("Pages")
        self._window, self._actions = window, actions
        self._mode = PLAY
        self._makers: dict[str, Callable[[], QWidget]] = {}
        self._pages: dict[str, QWidget] = {PLAY: play}
        self._docks_state: QByteArray | None = None
        self._group = QActionGroup(self)
        self.stack = QStackedWidget()
        self.stack.addWidget(play)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 1, 6, 1)
        self._row.setSpacing(0)
        self._add_button(PLAY)
        self._color()
        LOOK.changed.connect(self._color)

    def add(self, name: str, make: Callable[[], QWidget]) -> None:
        """Offer one more page; ``make`` is called when it is first shown."""
        self._makers[name] = make
        self._add_button(name)
        self._name_buttons()

    def _add_button(self, name: str) -> None:
        action = self._actions[f"mode_{name}"]
        action.setData(name)
        action.setChecked(name == self._mode)
        self._group.addAction(action)
        action.triggered.connect(self._on_triggered)
        button = QToolButton()
        button.setDefaultAction(action)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._row.addWidget(button)

    def _name_buttons(self) -> None:
        buttons = self.findChildren(QToolButton)
        for place, button in enumerate(buttons):
            button.setObjectName("first" if place == 0 else "last" if place == len(buttons) - 1 else "middle")

    def _color(self) -> None:
        theme = LOOK.theme
        ends = "border-top-{0}-radius: 0; border-bottom-{0}-radius: 0;"
        self.setStyleSheet(
            f"QToolButton {{ background: {theme.button}; color: {theme.text}; border: 1px solid {theme.border};"
            " padding: 2px 12px; border-radius: 4px; }"
            f"QToolButton#first {{ {ends.format('right')} border-right: none; }}"
            "QToolButton#middle { border-radius: 0; border-right: none; }"
            f"QToolButton#last {{ {ends.format('left')} }}"
            f"QToolButton:hover {{ background: {theme.alternate}; }}"
            f"QToolButton:checked {{ background: {theme.accent}; color: {theme.accent_text}; font-weight: 600; }}"
            f"QToolButton:focus {{ border: 1px solid {theme.text}; }}"
        )

    @property
    def mode(self) -> str:
        """The name of the page shown."""
        return self._mode

    def page(self, name: str) -> QWidget:
        """The page of this name, made if need be."""
        if name not in self._pages:
            page = self._pages[name] = self._makers[name]()
            self.stack.addWidget(page)
        return self._pages[name]

    def show_mode(self, name: str) -> None:
        """Show this page; the docks of playing go, and come back as they were."""
        if name == self._mode:
            return
        page = self.page(name)
        if self._mode == PLAY:
            self._docks_state = self._window.saveState(LAYOUT_VERSION)
            for part in self._play_parts():
                part.hide()
        self._mode = name
        self._actions.set_mode(name)
        self._actions[f"mode_{name}"].setChecked(True)
        for part in self._play_parts():
            _toggle(part).setVisible(name == PLAY)
        self.stack.setCurrentWidget(page)
        if name == PLAY and self._docks_state is not None:
            self._window.restoreState(self._docks_state, LAYOUT_VERSION)
            self._docks_state = None
        page.setFocus()
        self.mode_changed.emit(name)

    def docks_state(self) -> QByteArray:
        """How the docks of playing lie, for ``QMainWindow.restoreState``, whatever page is shown."""
        return self._docks_state if self._docks_state is not None else self._window.saveState(LAYOUT_VERSION)

    def _play_parts(self) -> list[QWidget]:
        return [*self._window.findChildren(QDockWidget), *self._window.findChildren(QToolBar)]

    def _on_triggered(self) -> None:
        action = self.sender()
        assert isinstance(action, QAction)
        self.show_mode(str(action.data()))


def _toggle(part: QWidget) -> QAction:
    action: QAction = part.toggleViewAction()  # type: ignore[attr-defined]
    return action


def arrange_docks(window: QMainWindow, docks: list[QDockWidget], toolbar: QToolBar) -> None:
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


def restore_docks(window: QMainWindow, geometry: str, docks: str) -> None:
    """What ``as_text`` gave of both; nonsense changes nothing."""
    if geometry:
        window.restoreGeometry(QByteArray.fromBase64(QByteArray(geometry.encode())))
    if docks:
        window.restoreState(QByteArray.fromBase64(QByteArray(docks.encode())), LAYOUT_VERSION)
