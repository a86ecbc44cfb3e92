"""A ring around a part of a widget, to point it out."""

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QRegion
from PySide6.QtWidgets import QWidget


class Ring(QWidget):
    """So many pixels thick, and so far ``around`` what it stands around; the mouse goes through it. Hidden at first."""

    def __init__(self, parent: QWidget, thick: int, around: int) -> None:
        super().__init__(parent)
        self._thick, self._around = thick, around
        self.color = QColor()
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def surround(self, rect: QRect) -> None:
        """Stand around this part of the parent."""
        around, thick, parent = self._around, self._thick, self.parentWidget()
        assert parent is not None
        outer = rect.adjusted(-around, -around, around, around) & parent.rect()
        if outer != self.geometry():
            self.setGeometry(outer)
            inside = self.rect().adjusted(thick, thick, -thick, -thick)
            # Only the ring itself: what is inside repaints as if nothing were above it.
            self.setMask(QRegion(self.rect()) - QRegion(inside))
        self.show()
        self.raise_()

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), self.color)
