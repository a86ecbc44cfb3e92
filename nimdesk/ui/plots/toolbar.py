"""The row of switches above the plot: linear or log, share, count or mean, lines or heat map, pause, help."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QKeySequence, QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QSizePolicy, QToolButton, QToolTip, QWidget

from nimdesk.ui.look.painting import icon
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.look.widgets import tip

HELP = (
    "Each simulation visits one root move. The move with the most visits is the one that will be played. "
    "A level below the best may choose another, and says so.\n\n"
    "A curve shows a move's share of all visits so far; where the curves stop crossing, the search has made up its "
    "mind. The leader and four rivals have colours and names, the other moves are the grey bundle. The band on top "
    "shows which move it would have played at each moment. A curve that ends in ✓, = or ✗ is proven: its move wins, "
    "draws or loses whatever the other side does. Point at the plot (or use the arrow keys on it) for exact values."
)

Choice = tuple[str, str, str]
"""Of one segment: its key in the settings, its text with a mnemonic, its tooltip."""

X: tuple[Choice, ...] = (
    ("linear", "L&inear", "Iterations on a linear axis: all simulations count alike"),
    ("log", "L&og", "Iterations on a logarithmic axis: shows the early part, where minds change"),
)
Y: tuple[Choice, ...] = (
    ("share", "Sha&re", "Each move's share of all visits"),
    ("count", "&Count", "Each move's number of visits"),
    ("mean", "M&ean", "Each move's expected score, 1 for a win; with lines, in a band of its standard error"),
)
VIEW: tuple[Choice, ...] = (
    ("lines", "&Lines", "One curve a move; the leader and four rivals have colours and names"),
    ("heat", "Heat &map", "One row for each move that was visited"),
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
        f" padding: 2px {side}px; border-radius: 3px; }}"
        "QToolButton#first { border-top-right-radius: 0; border-bottom-right-radius: 0; border-right: none; }"
        "QToolButton#middle { border-radius: 0; border-right: none; }"
        "QToolButton#last { border-top-left-radius: 0; border-bottom-left-radius: 0; }"
        f"QToolButton:hover {{ background: {theme.alternate}; }}"
        f"QToolButton:checked {{ background: {theme.thumb}; border: 1px solid {theme.field}; }}"
        f"QToolButton:disabled {{ color: {theme.muted}; }}"
        f"QToolButton:focus {{ border: 1px solid {theme.text}; }}"
    )


class PlotToolbar(QWidget):
    """All switches of the convergence panel."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.x_axis = Segments("Iterations axis", X)
        self.values = Segments("Values", Y)
        self.view_as = Segments("View", VIEW)
        self.pause = QToolButton()
        _name(self.pause, "Freeze displa&y")
        self.pause.setCheckable(True)
        self.pause.setAccessibleName("Freeze display")
        about = "Freeze what is shown here; the search goes on. Press again to see the newest."
        self.pause.setToolTip(tip(f"{about} ({self.pause.shortcut().toString()})"))
        self.pause.setAccessibleDescription(about)
        self.pause.setIconSize(QSize(16, 16))
        self.help = QToolButton()
        self.help.setText("?")
        self.help.setAccessibleName("What this plot shows")
        self.help.setAccessibleDescription(HELP)
        self.help.setToolTip(tip(HELP))
        for button in (self.pause, self.help):
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._row = layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        for widget in (self.x_axis, self.values, self.view_as):
            layout.addWidget(widget)
        layout.addStretch()
        layout.addWidget(self.pause)
        layout.addWidget(self.help)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.help.clicked.connect(self._show_help)
        self._compact = False
        self._needed = 0
        # What is spared first where not even short texts have room stands last.
        self._parts = (self.view_as, self.pause, self.x_axis, self.values, self.help)
        LOOK.changed.connect(self._take_look)
        self._take_look()
        self.pause.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)

    def _take_look(self) -> None:
        self.setStyleSheet(buttons_style(2 if self._compact else 7))
        self.pause.setIcon(icon("pause", LOOK.theme))

    def _set_compact(self, compact: bool) -> None:
        """Spare room: the pause button shows its symbol alone, texts are short."""
        if compact == self._compact:
            return
        self._compact = compact
        _name(self.view_as.button("heat"), "&Map" if compact else "Heat &map")
        self._row.setSpacing(4 if compact else 8)
        style = Qt.ToolButtonStyle
        self.pause.setToolButtonStyle(style.ToolButtonIconOnly if compact else style.ToolButtonTextBesideIcon)
        self._take_look()

    def _width(self) -> int:
        """What all parts need side by side."""
        return sum(part.sizeHint().width() + self._row.spacing() for part in self._parts)

    def compact_width(self) -> int:
        """About the least width in pixels at which every text is whole."""
        return self._width() if self._compact else 4 * self._width() // 5

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._set_compact(False)
            self._fit()

    def _fit(self) -> None:
        """Short texts where the long ones have no room, and fewer parts where those have none either."""
        if not self._compact:
            self._needed = self._width()
        self._set_compact(self.width() < self._needed)
        excess = self._width() - self.width()
        for part in reversed(self._parts[2:]):
            part.setVisible(excess <= 0)
            excess -= part.sizeHint().width() + self._row.spacing() if excess > 0 else 0

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def _show_help(self) -> None:
        QToolTip.showText(self.help.mapToGlobal(self.help.rect().bottomLeft()), tip(HELP), self.help)
