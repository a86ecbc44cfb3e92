"""Small builders that several parts of the window share."""

from PySide6.QtWidgets import QLabel


def label(text: str = "", *, role: str = "", wrap: bool = False) -> QLabel:
    """A label; ``role`` names its look in the style sheet (``muted``, ``problem``, ``side``, ``headline``)."""
    made = QLabel(text)
    made.setObjectName(role)
    made.setWordWrap(wrap)
    return made
