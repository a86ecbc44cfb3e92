"""Small widgets and helpers that several parts of the window share: labels, lists, the status line, announcements."""

from __future__ import annotations

from functools import lru_cache
from textwrap import fill
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QEvent, QObject, QSize
from PySide6.QtGui import QAction, QIcon, QKeyEvent, QKeySequence, QResizeEvent, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QStatusBar, QToolButton, QWidget

from nimdesk.play.words import search_words
from nimdesk.search import Snapshot
from nimdesk.ui.look.theme import TOUCHED

if TYPE_CHECKING:
    # Lazy: PySide6 makes a class when it is asked for, and the first paint does not need these.
    from PySide6.QtWidgets import QBoxLayout, QComboBox, QDialogButtonBox, QLayout, QTableView, QToolButton


MODIFIER_KEYS = (Qt.Key.Key_Shift, Qt.Key.Key_Control, Qt.Key.Key_Alt, Qt.Key.Key_AltGr, Qt.Key.Key_Meta)
"""The keys that are pressed before another one."""
_TIP_LETTERS = 90


# Text from outside: names in files, of files, of plug-ins, and typed text


class Label(QLabel):
    """A label that shows its text letter by letter; all labels of the window are of this kind.

    Qt's own labels guess, and read a name such as ``<img src=…>`` as HTML: they would open that file.
    """

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        # Not ``self.setText``: a subclass may override it and not be ready yet.
        QLabel.setText(self, text)


def label(text: str = "", *, role: str = "", wrap: bool = False) -> Label:
    """A label; ``role`` names its look in the style sheet (``muted``, ``problem``, ``side``, ``headline``)."""
    made = Label(text)
    made.setObjectName(role)
    made.setWordWrap(wrap)
    return made


@lru_cache(1024)  # a window has hundreds, most of them each time they are made the same
def tip(text: str) -> str:
    """This text as a tool tip, letter by letter; an empty line begins a paragraph.

    Qt reads a tip as HTML if it looks like it: then it becomes HTML with its own tags escaped. Others stay as they are,
    in lines of a length that is read well, because Qt wraps only HTML, and screen readers would read its tags out.
    """
    if Qt.mightBeRichText(text):
        return Qt.convertFromPlainText(text, Qt.WhiteSpaceMode.WhiteSpaceNormal)
    return "\n".join(fill(line, _TIP_LETTERS) for line in text.split("\n"))


def keyless(text: str) -> str:
    """This text for a button, a menu, a tab or a label beside a field, where "&" would give the next letter a key."""
    return text.replace("&", "&&")


class TruthLine(Label):
    """The line about what is proven; hidden until it is wanted and has something to say."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("truth")
        self.setWordWrap(True)
        self.hide()

    def tell(self, wanted: bool, sentence: str, explanation: str) -> None:
        """Show this sentence if ``wanted``, with the explanation as its tool tip; a screen reader says a new one."""
        new = wanted and not sentence.endswith("…") and (sentence != self.text() or self.isHidden())
        self.setVisible(wanted and bool(sentence))
        if new and sentence:
            announce(self, sentence)
        if sentence != self.text():
            self.setText(sentence)
        self.setToolTip(tip(explanation))


class TruthRow(QWidget):
    """The line about what is proven, and beside it buttons that go through a forced win, while there is one."""

    def __init__(self, line: TruthLine, back: QAction, on: QAction) -> None:
        super().__init__()
        self.buttons = [QToolButton() for _ in (back, on)]
        for button, action in zip(self.buttons, (back, on), strict=True):
            button.setDefaultAction(action)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
            button.setAutoRaise(True)
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        on.changed.connect(lambda: self._offer(on.isEnabled()))
        self._offer(on.isEnabled())
        arrange(QHBoxLayout(self), line, *self.buttons, wide=line, spacing=2)

    def _offer(self, there: bool) -> None:
        for button in self.buttons:
            button.setVisible(there)


class ElidedLabel(Label):
    """One line that takes the room it is given; a longer text loses its last parts after " · ", or else ends in "…".

    The whole of it is the tool tip, if there is no other.
    """

    def __init__(self, role: str = "") -> None:
        super().__init__()
        self._whole = self._tip = ""
        self.setObjectName(role)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def text(self) -> str:
        return self._whole

    def setText(self, text: str) -> None:
        if text != self._whole:
            self._whole = text
            self.setAccessibleName(text)
            self._fit()

    def _fit(self) -> None:
        metrics, parts = self.fontMetrics(), self._whole.split(" · ")
        while len(parts) > 1 and metrics.horizontalAdvance(" · ".join(parts)) > self.width():
            parts.pop()
        shown = metrics.elidedText(" · ".join(parts), Qt.TextElideMode.ElideRight, self.width())
        if shown != super().text():
            super().setText(shown)
        if self.toolTip() == self._tip:
            self._tip = tip(self._whole) if shown != self._whole else ""
            self.setToolTip(self._tip)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()


def arrange(
    layout: QBoxLayout,
    *parts: QWidget | QLayout | None,
    wide: QWidget | QLayout | None = None,
    margins: tuple[int, int, int, int] = (0, 0, 0, 0),
    spacing: int = -1,
) -> QBoxLayout:
    """Put these parts one after the other and return the layout.

    ``wide`` is the part that gets the room left over, and None stands for empty room; −1 is the style's own spacing.
    """
    layout.setContentsMargins(*margins)
    layout.setSpacing(spacing)
    for part in parts:
        if part is None:
            layout.addStretch(1)
        elif isinstance(part, QWidget):
            layout.addWidget(part, int(part is wide))
        else:
            layout.addLayout(part, int(part is wide))
    return layout


def plain(buttons: QDialogButtonBox) -> QDialogButtonBox:
    """The buttons, without the icons that Qt draws if the desktop has none of its own."""
    for button in buttons.buttons():
        button.setIcon(QIcon())
    return buttons


def name_choice(choice: QComboBox, words: str) -> None:
    """Name a list for screen readers, once it is laid out; call it again for another name.

    On Linux a screen reader reads the label that is tied to the list, so this puts a hidden one beside it.
    """
    choice.setAccessibleName(words)
    beside = choice.parentWidget()
    assert beside is not None, "it has no place yet"
    tied = next((each for each in beside.findChildren(QLabel) if each.buddy() is choice), None)
    if tied is None:
        tied = Label(parent=beside)
        tied.setBuddy(choice)
        tied.hide()
    tied.setText(keyless(words))


def narrow(choice: QComboBox) -> QComboBox:
    """The list, now allowed to be narrower than its longest entry (which shows in full when the list opens)."""
    choice.setSizeAdjustPolicy(choice.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    choice.setMinimumContentsLength(6)
    choice.view().setMinimumWidth(choice.view().sizeHintForColumn(0) + 24)
    return choice


def set_up_table(table: QTableView, *, air: int, framed: bool = True) -> None:
    """What all tables have in common: whole rows are chosen, nothing is typed; ``air`` pixels part the rows."""
    table.setSelectionBehavior(table.SelectionBehavior.SelectRows)
    table.setSelectionMode(table.SelectionMode.SingleSelection)
    table.setEditTriggers(table.EditTrigger.NoEditTriggers)
    if not framed:
        table.setFrameShape(table.Shape.NoFrame)
        table.setVerticalScrollMode(table.ScrollMode.ScrollPerPixel)
    table.setShowGrid(False)
    table.setWordWrap(False)
    table.setTabKeyNavigation(False)
    table.verticalHeader().hide()
    table.horizontalHeader().setHighlightSections(False)
    table.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    table.installEventFilter(_RowHeight(table, air))


class _RowHeight(QObject):
    """Keeps the rows of a table as high as its words, which a person may make larger."""

    def __init__(self, table: QTableView, air: int) -> None:
        super().__init__(table)
        self._air = air
        # Otherwise the header's own words, which change their size after those of the table, would keep the rows high.
        table.verticalHeader().setMinimumSectionSize(1)
        self._fit(table)

    def _fit(self, table: QTableView) -> None:
        table.verticalHeader().setDefaultSectionSize(max(TOUCHED, table.fontMetrics().height() + self._air))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FontChange:
            self._fit(cast("QTableView", watched))
        return False


def grow_icon(button: QToolButton) -> None:
    """Keep the button's icon as large as words are."""
    button.installEventFilter(_IconSize(button))


class _IconSize(QObject):
    def __init__(self, button: QToolButton) -> None:
        super().__init__(button)
        self._fit(button)

    @staticmethod
    def _fit(button: QToolButton) -> None:
        side = max(16, round(1.1 * button.fontMetrics().height()))
        button.setIconSize(QSize(side, side))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FontChange:
            self._fit(cast("QToolButton", watched))
        return False


def open_with(dialog: QWidget, width: int, height: int) -> None:
    """Open a dialog in this size, or as large as the screen has room for; Qt alone would take two thirds of that."""
    room = dialog.screen().availableSize()
    dialog.resize(min(width, room.width() - 16), min(height, room.height() - 40))


def keeps_copy_key(event: QEvent) -> bool:
    """Whether this event asks who wants Ctrl+C; if so, the widget that asked gets the key."""
    if event.type() != QEvent.Type.ShortcutOverride or not isinstance(event, QKeyEvent):
        return False
    if event.matches(QKeySequence.StandardKey.Copy):
        event.accept()
        return True
    return False


def announce(widget: QWidget, words: str) -> None:
    """Have a screen reader read out these words, whatever has the keyboard; without one, nothing happens."""
    from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent  # lazy: not before the first paint

    if QAccessible.isActive():
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, words))


def spoken(*parts: str) -> str:
    """These parts as sentences after one another; empty ones are left out."""
    return " ".join(part if part.endswith((".", "…", "!", "?")) else f"{part}." for part in parts if part)


_GRIP, _APART = 24, 6
"""The room of a status line's corner, and the room between its figures."""


ABOUT_ITERATIONS = (
    "Simulations done: each selects, expands, plays out and backs up. Those kept are visits of an earlier search; in "
    "each tree one of them is the first visit of the position itself, and belongs to no move."
)


class SearchStatus(QStatusBar):
    """How far the search has come, how fast it is, how large its tree; other messages come and go at the left."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._labels: dict[str, Label] = {}
        self._widest: dict[str, str] = {}
        self._beside: list[QWidget] = []
        for name, widest, about in (
            ("iterations", "10,000,000 simulations", ABOUT_ITERATIONS),
            ("rate", "10.00 M simulations/s", "Simulations for each second of searching"),
            ("tree", "tree 10,000,000 nodes, 500.0 MB", "Positions in the search tree, and the memory they take"),
            ("seed", "seed 999999999", "With the same seed, this search can be repeated"),
        ):
            shown = Label()
            shown.setToolTip(tip(about))
            shown.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            self._labels[name], self._widest[name] = shown, widest
            self.addPermanentWidget(shown)
        self._fit()
        self.messageChanged.connect(self._make_room)

    def showMessage(self, text: str, /, timeout: int | None = 0) -> None:
        super().showMessage(text, timeout or 0)
        # Qt's own messages, about the entry of a menu that is pointed at, do not come this way.
        announce(self, text)

    def add_beside(self, widget: QWidget) -> None:
        """Show this at the right of the figures, which give way to it while it is not hidden; it is as high as they."""
        self._beside.append(widget)
        self.addPermanentWidget(widget)
        self._fit()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:  # something beside has come, gone, or another size
            self._make_room()
        return super().event(event)

    def _fit(self) -> None:
        """Give each figure a fixed size, so that none jumps about and nothing is laid out anew.

        The line is high enough for what is pressed in it, also while that is hidden: the board above it stands still.
        """
        metrics = self.fontMetrics()
        height = max(metrics.height() + 2, TOUCHED)
        for name, shown in self._labels.items():
            shown.setFixedSize(metrics.horizontalAdvance(self._widest[name]) + 18, height)
        for widget in self._beside:
            widget.setMaximumHeight(height)
        self._make_room()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    def minimumSizeHint(self) -> QSize:
        # Figures in large type must not keep a window from being narrow.
        return QSize(0, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._make_room()

    def _make_room(self) -> None:
        """Show as many figures as there is room for, from the first on; a message has the whole line."""
        room = self.width() - _GRIP
        room -= sum(each.sizeHint().width() + _APART for each in self._beside if not each.isHidden())
        for shown in self._labels.values():
            room -= shown.width() + _APART
            shown.setVisible(room >= 0 and not self.currentMessage())

    def show_snapshot(self, snapshot: Snapshot | None) -> None:
        """Show the figures of this search; nothing for None."""
        texts = dict.fromkeys(self._labels, "") if snapshot is None else search_words(snapshot)
        if snapshot is not None and snapshot.proof:
            texts["rate"] = snapshot.proof  # the speed of the search is of no interest any more
        for name, text in texts.items():
            shown = self._labels[name]
            if text != shown.text():
                shown.setText(text)
                if (needed := shown.sizeHint().width()) > shown.width():
                    shown.setFixedWidth(needed)
                    self._make_room()
