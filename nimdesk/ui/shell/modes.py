"""The pages of the window and the switch between them; and how large the window is, and was."""

from __future__ import annotations

import traceback
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator
from hashlib import sha256

from PySide6.QtCore import QByteArray, QEvent, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QActionGroup, QGuiApplication
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QMainWindow,
    QStackedWidget,
    QToolButton,
    QWidget,
)

from nimdesk.ui.look.actions import PLAY, ActionSet
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.look.widgets import tip

_PLANNED = QSize(1280, 860)
_ROOMY = 900
_SEAL_BYTES = 16

Maker = Callable[[], Iterator[QWidget | None]]
"""Builds a page in pieces, each in a moment: it yields None after each piece, and the page at the end."""


class Modes(QWidget):
    """The switch itself, for a corner of the window; pages are made when they are first shown.

    It takes up to a second to make a page. If a person asks for it, each piece has its own turn of the event loop, and
    keys are heard between them.

    A mode has an action ``mode_<name>`` among the declared ones, which is its button, its menu item and its key.
    """

    mode_changed = Signal(str)
    """Another page is shown; the signal carries its name."""

    def __init__(self, window: QMainWindow, actions: ActionSet, play: QWidget) -> None:
        super().__init__()
        self.setAccessibleName("Pages")
        self._window, self._actions = window, actions
        self._mode = PLAY
        self._makers: dict[str, Maker] = {}
        self._pieces: dict[str, Iterator[QWidget | None]] = {}
        self._wanted = ""
        self._then: list[Callable[[], object]] = []
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._go_on)
        self._pages: dict[str, QWidget] = {PLAY: play}
        self._group = QActionGroup(self)
        self.stack = QStackedWidget()
        self.stack.addWidget(play)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 1, 6, 1)
        self._row.setSpacing(0)
        self._add_button(PLAY)
        self._color()
        LOOK.changed.connect(self._color)

    def add(self, name: str, make: Maker) -> None:
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
            " padding: 0 12px; border-radius: 4px; }"
            f"QToolButton#first {{ {ends.format('right')} border-right: none; }}"
            "QToolButton#middle { border-radius: 0; border-right: none; }"
            f"QToolButton#last {{ {ends.format('left')} }}"
            f"QToolButton:hover {{ background: {theme.alternate}; }}"
            f"QToolButton:checked {{ background: {theme.thumb}; font-weight: 600; border: 1px solid {theme.field}; }}"
            f"QToolButton:focus {{ border: 1px solid {theme.text}; }}"
        )

    @property
    def mode(self) -> str:
        """The name of the page shown."""
        return self._mode

    def page(self, name: str) -> QWidget:
        """The page of this name, made at once if need be."""
        while name not in self._pages:
            self._make_piece(name)
        return self._pages[name]

    def _make_piece(self, name: str) -> None:
        """Make one more piece of this page; after the last one, put the page in its place."""
        pieces = self._pieces.pop(name, None) or self._makers[name]()
        page = next(pieces)
        if page is None:
            self._pieces[name] = pieces
        else:
            self._pages[name] = page
            self.stack.addWidget(page)

    def finish(self) -> None:
        """Finish all half-made pages, so that they can be taken down whole; call it once the window is hidden."""
        for name in list(self._pieces):
            try:
                self.page(name)
            except Exception as error:  # closing goes on
                traceback.print_exception(error)

    def open(self, name: str, then: Callable[[], object] | None = None) -> None:
        """Show this page as soon as it is made, and do ``then`` in it, unless another page is asked for before that."""
        if name != self._wanted:
            self._then = []
        if then is not None:
            self._then.append(then)
        if name in self._pages:
            self._show_wanted(name)
        else:
            self._wanted = name
            self._timer.start()

    def _go_on(self) -> None:
        """Make one more piece of the page that is wanted; show it once it is there."""
        name, self._wanted = self._wanted, ""
        if not name or not self._window.isVisible():
            self._timer.stop()
        elif name in self._pages:
            self._show_wanted(name)
        else:
            self._make_piece(name)
            self._wanted = name  # not if the piece has failed: it would fail again and again

    def _show_wanted(self, name: str) -> None:
        then, self._then = self._then, []
        self.show_mode(name)
        for act in then:
            act()

    def show_mode(self, name: str) -> None:
        """Show this page, made at once if need be."""
        self._wanted, self._then = "", []
        if name == self._mode:
            self._actions[f"mode_{name}"].setChecked(True)
            return
        page = self.page(name)
        self._mode = name
        self._actions.set_mode(name)
        self._actions[f"mode_{name}"].setChecked(True)
        self.stack.setCurrentWidget(page)
        page.setFocus()
        self.mode_changed.emit(name)

    def _on_triggered(self) -> None:
        action = self.sender()
        assert isinstance(action, QAction)
        self.open(str(action.data()))


class TitleRow(QWidget):
    """The right end of the menu bar: the way to every command, and the switch between pages."""

    def __init__(self, modes: Modes, actions: ActionSet) -> None:
        super().__init__()
        self._actions = actions
        self._tips: dict[str, str] = {}
        self.search = QToolButton()
        self.search.setDefaultAction(actions["palette"])
        self.search.setText("Search commands  Ctrl+K")
        self.search.setAutoRaise(True)
        self.search.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(10)
        layout.addStretch(1)
        layout.addWidget(self.search)
        layout.addWidget(modes)

    def mark(self, name: str, mark: str, about: str) -> None:
        """Put a short mark on the button of this page, with ``about`` for a pointer that rests there; "" for none."""
        action = self._actions[f"mode_{name}"]
        usual = self._tips.setdefault(name, action.toolTip())
        action.setToolTip(tip(about or usual))
        # Figure spaces: the button keeps its width while the number grows.
        text = f"{name.capitalize()}  {mark:\u2007>4}" if mark else name.capitalize()
        if action.iconText() != text:
            comes_or_goes = len(action.iconText()) != len(text)
            action.setIconText(text)
            if comes_or_goes:
                self._settle()

    def set_room(self, width: int) -> None:
        """Hide the words in a window that is too narrow for them: the key and the menu are enough."""
        roomy = width >= _ROOMY
        if roomy == self.search.isHidden():
            self.search.setVisible(roomy)
            self._settle()

    def _settle(self) -> None:
        """Make the menu bar ask again how wide this is: it does so only when its corner is hidden and shown."""
        for button in self.findChildren(QToolButton):
            # The menu bar may have asked before the style sheet was there, and it remembers the answer.
            QApplication.sendEvent(button, QEvent(QEvent.Type.StyleChange))
        keyboard = QApplication.focusWidget()
        self.hide()
        self.show()
        if keyboard is not None and self.isAncestorOf(keyboard):
            keyboard.setFocus()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange) and self.isVisible():
            QTimer.singleShot(0, self, self._settle)


def first_size() -> QSize:
    """How large the window is at its first start: as large as planned, or as the screen allows."""
    screen = QGuiApplication.primaryScreen()
    if screen is None:
        return _PLANNED
    room = screen.availableGeometry()
    return QSize(min(_PLANNED.width(), room.width() - 20), min(_PLANNED.height(), room.height() - 40))


def as_text(state: QByteArray) -> str:
    """Qt's saved geometry as text for the settings, with a checksum: Qt believes whatever it is given."""
    data = bytes(state.data())
    return b64encode(_seal(data) + data).decode()


def as_saved(text: str) -> QByteArray | None:
    """The bytes that ``as_text`` made this text of; None for any other text."""
    try:
        sealed = b64decode(text, validate=True)
    except ValueError:
        return None
    seal, data = sealed[:_SEAL_BYTES], sealed[_SEAL_BYTES:]
    return QByteArray(data) if data and seal == _seal(data) else None


def _seal(data: bytes) -> bytes:
    return sha256(data).digest()[:_SEAL_BYTES]
