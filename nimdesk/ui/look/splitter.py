"""Two parts of a window side by side, or one above the other, whose shares of the room stay when the room changes."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QWidget

_HANDLE = 8
_LEAST, _MOST = 0.2, 0.8


class ShareSplitter(QSplitter):
    """A splitter of two parts; ``share`` is how much of the room the first one has, 0 to 1."""

    share_changed = Signal(float)
    """A person moved the handle."""

    def __init__(self, orientation: Qt.Orientation, share: float, parent: QWidget | None = None) -> None:
        super().__init__(orientation, parent)
        self._share = share
        self.setHandleWidth(_HANDLE)
        self.setChildrenCollapsible(False)
        self.splitterMoved.connect(self._on_moved)

    @property
    def share(self) -> float:
        """The first part's share of the room, as set or moved; minimum sizes may give it another one for now."""
        return self._share

    def set_share(self, share: float) -> None:
        """Give the first part this share, within reason."""
        self._share = min(max(share, _LEAST), _MOST)
        self._apply()

    def _room(self) -> int:
        whole = self.width() if self.orientation() is Qt.Orientation.Horizontal else self.height()
        return max(whole - self.handleWidth(), 1)

    def _apply(self) -> None:
        if self.count() == 2:
            first = round(self._room() * self._share)
            self.setSizes([first, self._room() - first])

    def _on_moved(self) -> None:
        self._share = self.sizes()[0] / self._room()
        self.share_changed.emit(self._share)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._apply()
