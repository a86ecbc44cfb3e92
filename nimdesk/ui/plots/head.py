"""What stands above the plot in words: which search it shows, that it is frozen, and what the lines mean."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from nimdesk.ui.look.theme import Theme


class PanelHead(QWidget):
    """The title, the badge of a paused display, and the key to what is proven."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = QLabel()
        self.title.setObjectName("title")
        self.badge = QLabel("paused display")
        self.badge.setObjectName("badge")
        self.badge.setToolTip("The search goes on; press “Pause display” again to see the newest.")
        self.badge.hide()
        self.key = QLabel()
        self.key.setObjectName("key")
        self.key.setToolTip(
            "What is proven, not estimated: the outcome of each move when both sides play perfectly after it, for the "
            "side that plays it. Numbers count plies (moves of either side) to the end of the game."
        )
        self.key.hide()
        for label in (self.title, self.key):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        row = QHBoxLayout()
        row.addWidget(self.title, 1)
        row.addWidget(self.badge, 0, Qt.AlignmentFlag.AlignTop)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addLayout(row)
        layout.addWidget(self.key)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)

    def set_title(self, text: str) -> None:
        """Show this title; none if it is empty."""
        self.title.setText(text)
        self.title.setVisible(bool(text))

    def set_key(self, text: str) -> None:
        """Show this key; none if it is empty."""
        self.key.setText(text)
        self.key.setVisible(bool(text))


def head_style(theme: Theme) -> str:
    """The looks of the three labels."""
    return (
        "QLabel#title { font-weight: bold; }"
        f"QLabel#badge {{ color: {theme.warning}; border: 1px solid {theme.warning}; border-radius: 3px;"
        " padding: 0 4px; }"
        f"QLabel#key {{ color: {theme.muted}; }}"
    )
