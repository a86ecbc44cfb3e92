"""Saying something to who listens to a screen reader, whatever has the keyboard."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget


def announce(widget: QWidget, words: str) -> None:
    """Have it read out, if anything reads."""
    from PySide6.QtGui import QAccessible  # lazy: not before the first paint

    if not QAccessible.isActive():
        return
    try:
        from PySide6.QtGui import QAccessibleAnnouncementEvent
    except ImportError:  # PySide6 before 6.8.2 on some systems
        return
    QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, words))
