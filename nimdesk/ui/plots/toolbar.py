"""What is chosen about a plot: segments, and the menu beside its title with axis, values, view and help."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QMenu, QSizePolicy, QToolButton, QToolTip, QWidget

from nimdesk.ui.look.painting import icon
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.look.widgets import grow_icon, tip

HELP = (
    "Each simulation begins with one of the moves. The move that most of them begin with will be played. A level "
    "below the best chooses after few simulations, and may play another move by dice (⚄); its curves go on to "
    "2,000.\n\n"
    "A curve shows a move's share of all simulations so far; where the curves stop crossing, the search has made up "
    "its mind. The leader and its rivals have colours and names, and moves that led before have colours; the others "
    "are the grey bundle; the list beside tells which is which. The band on top shows which move the search "
    "preferred at each moment. A curve that ends in ✓, = or ✗ is proven: its move wins, draws or loses whatever the "
    "other side does. Point at the plot (or use the arrow keys on it) for exact values."
)

Choice = tuple[str, str, str]
"""Of one segment: its key in the settings, its text with a mnemonic, its tooltip."""

X: tuple[Choice, ...] = (
    ("linear", "L&inear", "Simulations on a linear axis: all count alike"),
    ("log", "L&og", "Simulations on a logarithmic axis: shows the early part, where minds change"),
)
Y: tuple[Choice, ...] = (
    ("share", "Sha&re", "Each move's share of all simulations"),
    ("count", "&Count", "With how many simulations each move was tried"),
    ("mean", "M&ean", "Each move's expected score, 1 for a win; with lines, in a band of its standard error"),
)
VIEW: tuple[Choice, ...] = (
    ("lines", "&Lines", "One curve a move; the leader and its rivals have colours and names"),
    ("heat", "Heat &map", "One row for each move that was tried"),
)


class Segments(QWidget):
    """Buttons side by side of which exactly one is down."""

    chosen = Signal(str)
    """A person pressed another segment; its key."""

    def __init__(self, name: str, choices: tuple[Choice, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._group = QButtonGroup(self)
        self._buttons: dict[str, QToolButton] = {}
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for place, (key, text, about) in enumerate(choices):
            button = QToolButton()
            _name(button, text)
            button.setCheckable(True)
            button.setObjectName("first" if place == 0 else "last" if place == len(choices) - 1 else "middle")
            # Tab enters at the one that is down, and arrow keys lead from there. Qt has it so by itself, but only once
            # the keyboard has been there.
            button.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
            button.toggled.connect(partial(_let_tab_enter, button))
            shortcut = button.shortcut().toString()
            button.setToolTip(tip(f"{about} ({shortcut})" if shortcut else about))
            button.setAccessibleName(f"{name}: {text.replace('&', '')}")
            button.setAccessibleDescription(about)
            button.clicked.connect(self._clicked)
            self._group.addButton(button)
            self._buttons[key] = button
            layout.addWidget(button)

    def button(self, key: str) -> QToolButton:
        """The segment with this key."""
        return self._buttons[key]

    @property
    def value(self) -> str:
        """The key of the segment that is down."""
        return next(key for key, button in self._buttons.items() if button.isChecked())

    def set_value(self, key: str) -> None:
        """Press this segment, without emitting ``chosen``."""
        self._buttons[key].setChecked(True)

    def _clicked(self) -> None:
        self.chosen.emit(self.value)


def _let_tab_enter(button: QToolButton, down: bool) -> None:
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus if down else Qt.FocusPolicy.ClickFocus)


def _name(button: QToolButton, text: str) -> None:
    """Give it these words, and the key of their letter without the line under it: a row of such lines is noise."""
    button.setText(text.replace("&", ""))
    button.setShortcut(QKeySequence.mnemonic(text))


def buttons_style(side: int = 7) -> str:
    """The look of segments and other tool buttons, with so many pixels beside their texts."""
    theme = LOOK.theme
    return (
        f"QToolButton {{ background: {theme.button}; color: {theme.text}; border: 1px solid {theme.border};"
        f" padding: 0 {side}px; border-radius: 3px; }}"
        "QToolButton#first { border-top-right-radius: 0; border-bottom-right-radius: 0; border-right: none; }"
        "QToolButton#middle { border-radius: 0; border-right: none; }"
        "QToolButton#last { border-top-left-radius: 0; border-bottom-left-radius: 0; }"
        f"QToolButton:hover {{ background: {theme.alternate}; }}"
        f"QToolButton:checked {{ background: {theme.thumb}; border: 1px solid {theme.accent}; }}"
        f"QToolButton:disabled {{ color: {theme.muted}; }}"
        f"QToolButton:focus {{ border: 1px solid {theme.text}; }}"
    )


class Choices(QObject):
    """Entries of a menu of which exactly one is checked."""

    chosen = Signal(str)
    """A person chose another one; its key."""

    def __init__(self, name: str, choices: tuple[Choice, ...], menu: QMenu, place: QWidget) -> None:
        """In ``menu`` under this name; their keys work while ``place`` is shown."""
        super().__init__(place)
        self._group = QActionGroup(self)
        self._actions: dict[str, QAction] = {}
        menu.addSection(name)
        for key, text, about in choices:
            action = self._actions[key] = QAction(text, self, checkable=True)
            action.setShortcut(QKeySequence.mnemonic(text))
            action.setToolTip(tip(about))
            action.setStatusTip(about)
            action.triggered.connect(partial(self.chosen.emit, key))
            self._group.addAction(action)
            menu.addAction(action)
            place.addAction(action)

    def action(self, key: str) -> QAction:
        """The entry with this key."""
        return self._actions[key]

    @property
    def value(self) -> str:
        """The key of the entry that is checked."""
        return next(key for key, action in self._actions.items() if action.isChecked())

    @property
    def words(self) -> str:
        """The text of the entry that is checked."""
        return self._actions[self.value].text().replace("&", "")

    def set_value(self, key: str) -> None:
        """Check this entry, without emitting ``chosen``."""
        self._actions[key].setChecked(True)


class PlotToolbar(QWidget):
    """Beside the title: pause, a menu of all that can be chosen about the plot, and what the window adds."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.pause, self.choices = QToolButton(), QToolButton()
        self._short = False
        self.pause.setCheckable(True)
        self.pause.setAccessibleName("Freeze display")
        about = "Freeze what is shown here; the search goes on. Press again to see the newest."
        self.pause.setShortcut(QKeySequence.mnemonic("Freeze displa&y"))
        self.pause.setToolTip(tip(f"{about} ({self.pause.shortcut().toString()})"))
        self.pause.setAccessibleDescription(about)
        menu = QMenu(self.choices)
        menu.setToolTipsVisible(True)
        self.x_axis = Choices("Iterations axis", X, menu, self)
        self.values = Choices("Values", Y, menu, self)
        self.view_as = Choices("View", VIEW, menu, self)
        menu.addSeparator()
        menu.addAction("&What this plot shows").triggered.connect(self._show_help)
        self.choices.setMenu(menu)
        self.choices.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.choices.setToolTip("What the plot shows, over which axis")
        self.choices.setAccessibleDescription(HELP)
        self._row = layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        for button in (self.pause, self.choices):
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            layout.addWidget(button)
        grow_icon(self.pause)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        LOOK.changed.connect(self._take_look)
        self._take_look()

    def add(self, action: QAction) -> None:
        """One more button, without words."""
        button = QToolButton()
        button.setDefaultAction(action)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        grow_icon(button)
        self._row.addWidget(button)

    def spare(self, short: bool) -> None:
        """Whether the menu's button says no more than which values are shown."""
        if short != self._short:
            self._short = short
            self.name_choices()

    def name_choices(self) -> None:
        """Say on the menu's button what is chosen."""
        view = self.view_as.words if self.view_as.value == "heat" else ""
        parts = (self.values.words, *(() if self._short else (view, self.x_axis.words)))
        self.choices.setText(" · ".join(filter(None, parts)))
        self.choices.setAccessibleName(f"Shown: {self.choices.text()}")

    def _take_look(self) -> None:
        self.setStyleSheet(buttons_style(4) + "QToolButton::menu-indicator { image: none; }")
        self.pause.setIcon(icon("pause", LOOK.theme))

    def _show_help(self) -> None:
        QToolTip.showText(self.choices.mapToGlobal(self.choices.rect().bottomLeft()), tip(HELP), self.choices)
