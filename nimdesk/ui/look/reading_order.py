"""The order in which Tab comes past the parts of a window: that of the eye, whenever they were made or moved."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QScrollArea, QWidget

_TAB = Qt.FocusPolicy.TabFocus


def tab_on(window: QWidget, forward: bool) -> bool:
    """Give the keyboard to the next part of this window, or the one before; whether there was any.

    For ``QWidget.focusNextPrevChild`` of the window, which is asked for all of its parts. After the last comes the
    first. What stands in one widget is gone through before what stands beside it.
    """
    now = QApplication.focusWidget()
    stops = list(_stops(window, now))
    there = [stop for stop in stops if stop is not now]
    if not there:
        return False
    if now not in stops:
        found = there[0 if forward else -1]
    else:
        found = stops[(stops.index(now) + (1 if forward else -1)) % len(stops)]
    reason = Qt.FocusReason
    found.setFocus(reason.TabFocusReason if forward else reason.BacktabFocusReason)
    _bring_into_sight(found)
    return True


def _stops(widget: QWidget, now: QWidget | None) -> Iterator[QWidget]:
    """What Tab comes past in this widget, and ``now`` wherever it is.

    It may have been given the keyboard otherwise, or be hidden or disabled by now: Qt then asks for the next part too.
    """
    usable = widget.isEnabled() and widget.isVisible()
    by_tab = widget.focusPolicy() & _TAB == _TAB and widget.focusProxy() is None
    if widget is now or (usable and by_tab and not widget.isWindow()):
        yield widget
    parts = [part for part in _parts(widget) if not part.isWindow()]
    for row in _rows([part for part in parts if part.isVisible() or (now is not None and _holds(part, now))]):
        for part in row:
            yield from _stops(part, now)


def _holds(widget: QWidget, other: QWidget) -> bool:
    return widget is other or widget.isAncestorOf(other)


def _parts(widget: QWidget) -> list[QWidget]:
    return widget.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)


def _rows(parts: list[QWidget]) -> list[list[QWidget]]:
    """These from top to bottom, and those of one row from left to right: their middles are beside its first one."""
    rows: list[list[QWidget]] = []
    for part in sorted(parts, key=lambda part: (part.y(), part.x())):
        if rows and part.geometry().center().y() <= rows[-1][0].geometry().bottom():
            rows[-1].append(part)
        else:
            rows.append([part])
    return [sorted(row, key=QWidget.x) for row in rows]


def _bring_into_sight(widget: QWidget) -> None:
    above = widget.parentWidget()
    while above is not None:
        if isinstance(above, QScrollArea):
            above.ensureWidgetVisible(widget)
        above = above.parentWidget()
