"""The order in which Tab visits the parts of a window: that of the eye, whenever they were made or moved."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QScrollArea, QWidget

_TAB = Qt.FocusPolicy.TabFocus


def tab_on(window: QWidget, forward: bool) -> bool:
    """Give the keyboard to the next part of this window, or to the one before; False if there is none.

    For ``QWidget.focusNextPrevChild`` of the window, which is asked for all of its parts. After the last comes the
    first. All parts of a widget come before the widget beside it.
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
    """The widgets that Tab visits in this one, and ``now`` if it is among them.

    ``now`` counts even if Tab would not visit it, or if it has been hidden or disabled: Qt asks for the next part
    then, too.
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
    """The parts in rows from top to bottom, each from left to right; a row has its middles beside its first part."""
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
