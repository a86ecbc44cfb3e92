"""Small builders that several parts of the window share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

if TYPE_CHECKING:
    # Lazy: PySide6 makes a class when it is asked for, and the window is painted without these.
    from PySide6.QtWidgets import QComboBox, QDialogButtonBox


MODIFIER_KEYS = (Qt.Key.Key_Shift, Qt.Key.Key_Control, Qt.Key.Key_Alt, Qt.Key.Key_AltGr, Qt.Key.Key_Meta)
"""What one presses before the key that is meant."""


def label(text: str = "", *, role: str = "", wrap: bool = False) -> QLabel:
    """A label; ``role`` names its look in the style sheet (``muted``, ``problem``, ``side``, ``headline``)."""
    made = QLabel(text)
    made.setObjectName(role)
    made.setWordWrap(wrap)
    return made


class ElidedLabel(QLabel):
    """One line that takes the room it is given: what does not fit ends in "…" and, without another, is the tool tip."""

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
        shown = self.fontMetrics().elidedText(self._whole, Qt.TextElideMode.ElideRight, self.width())
        if shown != super().text():
            super().setText(shown)
        if self.toolTip() == self._tip:
            self._tip = self._whole if shown != self._whole else ""
            self.setToolTip(self._tip)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()


def plain(buttons: QDialogButtonBox) -> QDialogButtonBox:
    """The same buttons without the icons that Qt draws where the desktop has none of its own."""
    for button in buttons.buttons():
        button.setIcon(QIcon())
    return buttons


def name_choice(choice: QComboBox, words: str) -> None:
    """Name a list for screen readers, once it is laid out; call it again for another name.

    On Linux a list is told by the label that is tied to it, so it has one beside it that is not shown.
    """
    choice.setAccessibleName(words)
    beside = choice.parentWidget()
    assert beside is not None, "it has no place yet"
    tied = next((each for each in beside.findChildren(QLabel) if each.buddy() is choice), None)
    if tied is None:
        tied = QLabel(beside)
        tied.setBuddy(choice)
        tied.hide()
    tied.setText(words)


def narrow(choice: QComboBox) -> QComboBox:
    """The same list, allowed to be narrower than its longest entry (which shows in full when it opens)."""
    choice.setSizeAdjustPolicy(choice.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    choice.setMinimumContentsLength(6)
    choice.view().setMinimumWidth(choice.view().sizeHintForColumn(0) + 24)
    return choice


def announce(widget: QWidget, words: str) -> None:
    """Have these words read out by a screen reader, whatever has the keyboard; nothing happens where none listens."""
    from PySide6.QtGui import QAccessible  # lazy: not before the first paint

    if not QAccessible.isActive():
        return
    try:
        from PySide6.QtGui import QAccessibleAnnouncementEvent
    except ImportError:  # PySide6 before 6.8.2 on some systems
        return
    QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, words))
