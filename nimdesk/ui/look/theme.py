"""Light and dark: every colour of the program, the Fusion palette made of them, and the curves' colours.

The twelve curve colours of a look were searched for: each has a contrast of at least 3 on the grounds it is drawn on,
and any two are far apart (9 of OKLab's hundredths and more) for full colour vision and in simulations of its three
deficiencies (Machado, Oliveira and Fernandes 2009), where those of Okabe and Ito (2008), made readable on white, come
as close as 1. After twelve moves the dash pattern changes, so that colour is never alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import msgspec
from msgspec.structs import replace
from PySide6.QtCore import QChildEvent, QEvent, QObject, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QMainWindow, QStackedWidget, QWidget

from nimdesk.ui.jobs.bridge import Turns


class Theme(msgspec.Struct, frozen=True, kw_only=True):
    """The colours of one look, by role."""

    name: str
    window: str
    base: str
    alternate: str
    text: str
    muted: str
    border: str
    field: str
    thumb: str
    chosen: str
    button: str
    accent: str
    accent_text: str
    board: str
    board_line: str
    frame: str
    disc_first: str
    disc_second: str
    ground: str
    ground_line: str
    stone_first: str
    stone_second: str
    stone_edge: str
    last: str
    wood: str
    wood_edge: str
    wood_tip: str
    first: str
    second: str
    warning: str
    error: str
    win: str
    draw: str
    loss: str
    plot: str
    grid: str
    curves: tuple[str, ...]
    line: float = 1.0
    """How wide the lines of plots and boards are, as a multiple of their usual width."""

    def color(self, role: str) -> QColor:
        """The colour of a role, such as ``accent``."""
        return QColor(getattr(self, role))

    def curve(self, index: int) -> QColor:
        """The colour of the curve with this index; colours repeat, dash patterns then differ."""
        return QColor(self.curves[index % len(self.curves)])

    @property
    def dark(self) -> bool:
        """Whether this is a dark look."""
        return self.color("window").lightness() < 128


LIGHT = Theme(
    name="light",
    window="#f4f4f1",
    base="#ffffff",
    alternate="#f3f5f8",
    text="#1c2126",
    muted="#5b646d",
    border="#c9ced3",
    field="#787f87",
    thumb="#ffffff",
    chosen="#dbe9f6",
    button="#ebecea",
    accent="#1f6fb2",
    accent_text="#ffffff",
    board="#fbfaf6",
    board_line="#8f8d82",
    frame="#2f62a8",
    disc_first="#cc3b31",
    disc_second="#f5c542",
    ground="#e6c88f",
    ground_line="#7a5c2e",
    stone_first="#1b1b1b",
    stone_second="#f8f7f2",
    stone_edge="#5c5346",
    last="#d4322a",
    wood="#d9a860",
    wood_edge="#8a5f24",
    wood_tip="#a8322a",
    first="#1f4e8c",
    second="#b0413e",
    warning="#8a5a00",
    error="#b3261e",
    win="#0b7048",
    draw="#5d5a00",
    loss="#8f4a3c",
    plot="#ffffff",
    grid="#d9dde1",
    curves=(
        *("#3c64a0", "#f05000", "#648c64", "#78143c", "#785014", "#3c8cff"),
        *("#b41478", "#3c004b", "#b478b4", "#0000c8", "#64008c", "#8c14f0"),
    ),
)

DARK = Theme(
    name="dark",
    window="#22262b",
    base="#191c20",
    alternate="#20242a",
    text="#e8eaed",
    muted="#a3acb5",
    border="#454c54",
    field="#7a848e",
    thumb="#4a525b",
    chosen="#27394a",
    button="#30363d",
    accent="#58a6e8",
    accent_text="#0d1115",
    board="#1d2126",
    board_line="#6a7581",
    frame="#3b70b9",
    disc_first="#cc3b31",
    disc_second="#f5c542",
    ground="#5b4a35",
    ground_line="#b89560",
    stone_first="#0c0c0c",
    stone_second="#f0eee8",
    stone_edge="#a59a86",
    last="#f04438",
    wood="#d3a263",
    wood_edge="#6e4a1c",
    wood_tip="#d4564b",
    first="#7db7f0",
    second="#f08f86",
    warning="#e5b454",
    error="#ff8a80",
    win="#4fd1a0",
    draw="#d8cf5e",
    loss="#cf9184",
    plot="#191c20",
    grid="#3a4149",
    curves=(
        *("#00c8ff", "#f08c28", "#78fff0", "#b43ca0", "#f0f0a0", "#648cf0"),
        *("#6450ff", "#b4dc00", "#f0b4b4", "#b48cb4", "#647800", "#ff1464"),
    ),
)

READ_ON = {
    "text": "window base alternate button thumb chosen board plot",
    "muted": "window base alternate button chosen board plot",
    "error": "window base alternate",
    "warning": "window base plot",
    **dict.fromkeys(("win", "draw", "loss"), "base alternate chosen board plot"),
    **dict.fromkeys(("first", "second"), "base alternate chosen board"),
    "accent": "window base",
    "accent_text": "accent",
    "board": "first second win",
}
"""The colours of writing, and on which grounds each is written; WCAG 2.2 wants a contrast of 4.5 (1.4.3)."""

SEEN_ON = {
    "field": "window base alternate button plot",
    "accent": "window base alternate button thumb chosen board plot",
    "board_line": "window board plot",
    "frame": "window board",
    "ground_line": "ground",
    "stone_edge": "ground",
    "last": "stone_first stone_second",
    "disc_first": "board disc_second",
    "disc_second": "frame disc_first",
    "muted": "plot",
    "curves": "base board plot",
}
"""The colours of lines and marks that say something, and what each must stand out from; WCAG 2.2 wants 3 (1.4.11)."""

DASHES: tuple[Qt.PenStyle, ...] = (
    Qt.PenStyle.SolidLine,
    Qt.PenStyle.DashLine,
    Qt.PenStyle.DotLine,
    Qt.PenStyle.DashDotLine,
)


def dash(theme: Theme, index: int) -> Qt.PenStyle:
    """The dash pattern of the curve with this index: solid while there are fresh colours, then dashed, ..."""
    return DASHES[index // len(theme.curves) % len(DASHES)]


class Look(QObject):
    """The theme in use: widgets ask for it when they paint, and connect to ``changed`` if that is not enough."""

    changed = Signal()

    def __init__(self) -> None:
        """Light, until told otherwise."""
        super().__init__()
        self._theme = LIGHT

    @property
    def theme(self) -> Theme:
        """The theme in use."""
        return self._theme

    def use(self, theme: Theme) -> None:
        """Show everything in this theme from now on."""
        if theme is not self._theme:
            self._theme = theme
            self.changed.emit()


LOOK = Look()
"""The one look of the program."""


_BOLD = {each.name: replace(each, name=f"{each.name}, bold", line=2.0) for each in (LIGHT, DARK)}


PRINTED = replace(LIGHT, name="printed", window="#ffffff", board="#ffffff")
"""The look of what goes to paper."""


@contextmanager
def printed() -> Iterator[None]:
    """Paint for paper inside, and as before after it."""
    before = LOOK.theme
    LOOK.use(PRINTED)
    try:
        yield
    finally:
        LOOK.use(before)


def resolve(choice: str, *, bold: bool = False) -> Theme:
    """The look for the choice ``light``, ``dark`` or ``system`` (what the desktop asks for).

    A ``bold`` one has thick lines, which are seen from the last row.
    """
    if choice == "system":
        choice = "dark" if QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark else "light"
    theme = DARK if choice == "dark" else LIGHT
    return _BOLD[theme.name] if bold else theme


def palette(theme: Theme) -> QPalette:
    """The whole Fusion palette in this look."""
    role, group = QPalette.ColorRole, QPalette.ColorGroup
    colors = {
        role.Window: theme.window,
        role.WindowText: theme.text,
        role.Base: theme.base,
        role.AlternateBase: theme.alternate,
        role.Text: theme.text,
        role.PlaceholderText: theme.muted,
        role.Button: theme.button,
        role.ButtonText: theme.text,
        role.BrightText: theme.error,
        role.ToolTipBase: theme.base,
        role.ToolTipText: theme.text,
        role.Highlight: theme.accent,
        role.HighlightedText: theme.accent_text,
        role.Accent: theme.accent,
        role.Link: theme.accent,
        role.LinkVisited: theme.accent,
        role.Light: theme.base,
        role.Midlight: theme.alternate,
        role.Mid: theme.border,
        role.Dark: theme.border,
        role.Shadow: "#000000",
    }
    made = QPalette()
    for each, color in colors.items():
        made.setColor(each, QColor(color))
    for each in (role.WindowText, role.Text, role.ButtonText):
        made.setColor(group.Disabled, each, QColor(theme.muted))
    made.setColor(group.Disabled, role.Highlight, QColor(theme.border))
    return made


_OUTLINED = ("QComboBox", "QCheckBox", "QRadioButton", "QAbstractSpinBox")
"""Widgets that Fusion outlines in a shade of the window's colour, with a contrast below 3."""


def outlined(theme: Theme) -> QPalette:
    """The palette of ``_OUTLINED`` widgets: as ``palette``, but Fusion draws their outline 1.4 times as dark."""
    made = palette(theme)
    made.setColor(QPalette.ColorRole.Window, theme.color("field").lighter(140))
    return made


TOUCHED = 24
"""The least width and height, in pixels, of what a person presses: WCAG 2.2, 2.5.8."""
_AROUND = 5
"""What the style adds at least around what a button or a field holds."""


def style_sheet(theme: Theme, points: float) -> str:
    """The few looks that a palette cannot say, with words of this size."""
    return f"""
        QLabel#headline {{ font-size: {1.6 * points:.1f}pt; font-weight: 600; }}
        QLabel#notice, QLabel#muted {{ color: {theme.muted}; }}
        QLabel#truth {{ color: {theme.text}; }}
        QLabel#problem {{ color: {theme.error}; }}
        QLabel#side {{ font-weight: 600; }}
        QLineEdit {{
            background: {theme.base}; border: 1px solid {theme.field}; border-radius: 3px; padding: 2px 4px;
        }}
        QPushButton, QToolButton, QComboBox, QCheckBox, QRadioButton, QAbstractSpinBox {{
            min-height: {TOUCHED - _AROUND}px;
        }}
        QToolButton {{ min-width: {TOUCHED - _AROUND}px; }}
        QLineEdit {{ min-height: {TOUCHED - 6}px; }}
        QAbstractSpinBox QLineEdit, QComboBox QLineEdit {{ min-height: 0; }}
        QLineEdit:focus {{ border: 1px solid {theme.accent}; }}
        QLineEdit[invalid="true"] {{ border: 2px solid {theme.error}; border-radius: 3px; }}
        QToolTip {{ color: {theme.text}; background: {theme.base}; border: 1px solid {theme.border}; padding: 3px; }}
        QMenuBar::item {{ background: transparent; padding: 5px 8px; }}
        QMenuBar::item:selected {{ background: {theme.accent}; color: {theme.accent_text}; }}
        QMenu {{ border: 1px solid {theme.border}; }}
        QMenu::separator {{ background: {theme.border}; height: 1px; margin: 3px 6px; }}
        PlayerSheet {{ background: {theme.base}; border: 1px solid {theme.field}; border-radius: 8px; }}
        PlayerSheet QScrollArea, PlayerSheet QScrollArea > QWidget > QWidget {{ background: transparent; }}
        QTreeView::item {{ min-height: {TOUCHED}px; }}
        QListView, QTableView, QTreeView, QTextEdit, QPlainTextEdit {{ border: 1px solid {theme.field}; }}
        QTableView {{
            selection-background-color: {theme.chosen}; selection-color: {theme.text};
        }}
        QTabWidget#analysis::pane {{ border: none; border-top: 1px solid {theme.border}; }}
        QTabWidget#analysis > QTabBar::tab {{
            background: transparent; color: {theme.muted}; border: none; border-bottom: 2px solid transparent;
            padding: 5px 12px 4px 12px;
        }}
        QTabWidget#analysis > QTabBar::tab:selected {{ color: {theme.text}; border-bottom-color: {theme.accent}; }}
        QTabWidget#analysis > QTabBar::tab:hover {{ color: {theme.text}; }}
        QHeaderView::section {{
            background: {theme.button}; color: {theme.muted}; border: none; padding: 5px 6px;
        }}
        QStatusBar QLabel {{ padding: 0 6px; color: {theme.muted}; }}
    """


class Dresser(QObject):
    """Shows the whole program in a look, and all words in a size.

    For a style sheet of the application Qt goes through every widget, twice if it replaces one, which takes up to a
    third of a second. So each page and each other part of the window has a sheet of its own. They get it in turns of
    the event loop, between which keys are heard; the page that is shown comes first. The window is painted again once
    everything that is seen has its sheet.
    """

    def __init__(self, app: QApplication, parent: QObject) -> None:
        super().__init__(parent)
        self._app = app
        self._theme, self._points = LOOK.theme, app.font().pointSizeF()
        self._choice, self._bold = self._theme.name, False
        self._sheet = ""
        self._window: QMainWindow | None = None
        self._pages: QStackedWidget | None = None
        hidden = self._dress_hidden
        self._turns = Turns((self._change, self._color, self._dress_around, self._dress_shown, hidden, hidden), self)

    def follow(self, window: QMainWindow, pages: QStackedWidget) -> None:
        """Dress this window, its pages, and the dialogs that it will have."""
        self._window, self._pages = window, pages
        self._dress_around()
        for index in range(pages.count()):
            self._dress(pages.widget(index))
        pages.widgetAdded.connect(lambda index: self._dress(pages.widget(index)))
        window.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        # Hears of a dialog or a menu when it is about to be shown for the first time.
        if event.type() == QEvent.Type.ChildPolished and isinstance(event, QChildEvent):
            part = event.child()
            if isinstance(part, QWidget) and part is not self._pages:
                self._dress(part)
        return False

    def set_look(self, choice: str) -> None:
        """Show everything in the look for this choice."""
        self._choice = choice
        self._resolve()

    def set_bold(self, bold: bool) -> None:
        """Show plots and boards with thick lines, or with the usual ones."""
        self._bold = bold
        self._resolve()

    def _resolve(self) -> None:
        self._theme = resolve(self._choice, bold=self._bold)
        self._turns.hurry()

    @property
    def text_size(self) -> float:
        """The points of all words, once they have reached each of them."""
        return self._points

    def set_text_size(self, points: float) -> None:
        """Show all words in this size."""
        self._points = points
        self._turns.hurry()

    def finish(self) -> None:
        """Do at once what is left: nothing is painted yet, or nothing is painted any more."""
        if self._turns.active:
            self._turns.finish()

    def _change(self) -> None:
        if self._window is not None:
            self._window.setUpdatesEnabled(False)
        LOOK.use(self._theme)

    def _color(self) -> None:
        self._app.setPalette(palette(self._theme))
        for kind in _OUTLINED:
            self._app.setPalette(outlined(self._theme), kind)  # type: ignore[arg-type]  # it takes text, not only bytes
        font = self._app.font()
        font.setPointSizeF(self._points)
        self._app.setFont(font)
        self._sheet = style_sheet(self._theme, self._points)

    def _dress_around(self) -> None:
        if self._window is not None:
            direct = Qt.FindChildOption.FindDirectChildrenOnly
            for part in self._window.findChildren(QWidget, options=direct):
                if part is not self._pages:
                    self._dress(part)

    def _dress_shown(self) -> None:
        if self._window is not None and self._pages is not None:
            self._dress(self._pages.currentWidget())
            self._window.setUpdatesEnabled(True)
            # A part that needed painting when updates were disabled counts as asked for, though Qt has dropped the
            # request.
            self._app.postEvent(
                self._window, QEvent(QEvent.Type.UpdateRequest), Qt.EventPriority.LowEventPriority.value
            )

    def _dress_hidden(self) -> None:
        if self._pages is not None:
            pages = [page for index in range(self._pages.count()) if (page := self._pages.widget(index)) is not None]
            self._dress(next((page for page in pages if page.styleSheet() != self._sheet), None))

    def _dress(self, part: QWidget | None) -> None:
        if part is not None and part.styleSheet() != self._sheet:
            part.setStyleSheet(self._sheet)
