"""A walk over all that the window shows: whether Qt would take any of it for HTML and load a picture that it names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import QAbstractListModel, QModelIndex
from PySide6.QtGui import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QHeaderView,
    QLabel,
    QMenu,
    QMessageBox,
    QTabBar,
    QTextEdit,
    QWidget,
)

PICTURE = "<img src=marker.png>"
HOSTILE = f"{PICTURE} & co"
"""A name that asks for the picture of the fixture ``marker``, and for a key."""
Role = Qt.ItemDataRole
_ROWS = 50


def taken_for_html(text: str, how: Qt.TextFormat = Qt.TextFormat.AutoText) -> bool:
    rich = how == Qt.TextFormat.RichText or (how == Qt.TextFormat.AutoText and Qt.mightBeRichText(text))
    return rich and "<img" in text


def cells(view: QAbstractItemView | QComboBox) -> Iterator[QModelIndex]:
    """The cells of its first rows, at any depth."""
    model, waiting = view.model(), [QModelIndex()]
    while waiting and model is not None:
        parent = waiting.pop()
        for row in range(min(model.rowCount(parent), _ROWS)):
            # A list answers no question for its columns.
            columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount(parent)
            yield from (model.index(row, column, parent) for column in range(columns))
            waiting.append(model.index(row, 0, parent))


def tips_of(view: QAbstractItemView | QComboBox) -> Iterator[str]:
    """The tips of its cells and of its headers."""
    yield from (str(cell.data(Role.ToolTipRole) or "") for cell in cells(view))
    if isinstance(view, QHeaderView):
        yield from (
            str(view.model().headerData(at, view.orientation(), Role.ToolTipRole)) for at in range(view.count())
        )


def html_in(widget: QWidget) -> Iterator[str]:
    """What the widget would show as HTML with a picture in it."""
    if taken_for_html(widget.toolTip()):
        yield widget.toolTip()
    if isinstance(widget, QLabel) and taken_for_html(QLabel.text(widget), widget.textFormat()):
        yield QLabel.text(widget)
    elif isinstance(widget, QTextEdit) and "<img" in widget.toHtml():
        yield widget.toHtml()
    elif isinstance(widget, QMessageBox) and taken_for_html(widget.text(), widget.textFormat()):
        yield widget.text()
    elif isinstance(widget, QTabBar):
        yield from filter(taken_for_html, map(widget.tabToolTip, range(widget.count())))
    elif isinstance(widget, QMenu) and widget.toolTipsVisible():
        yield from (action.toolTip() for action in widget.actions() if taken_for_html(action.toolTip()))
    elif isinstance(widget, QAbstractItemView | QComboBox):
        yield from filter(taken_for_html, tips_of(widget))


def words_of(widget: QWidget) -> Iterator[str]:
    """What the widget says, as far as this is short."""
    if isinstance(widget, QLabel | QAbstractButton):
        yield widget.text()
    elif isinstance(widget, QTextEdit):
        yield widget.toPlainText()
    elif isinstance(widget, QMenu):
        yield from (action.text() for action in widget.actions())
    elif isinstance(widget, QAbstractItemView | QComboBox):
        yield from (str(cell.data()) for cell in cells(widget))
    yield widget.windowTitle()


def look_around(marker: Path, least: int) -> None:
    """Every widget there is shows the hostile names letter by letter; at least so many of them show one."""
    for widget in QApplication.topLevelWidgets():
        widget.grab()
    widgets = QApplication.allWidgets()
    found = [f"{type(widget).__name__}: {html}" for widget in widgets for html in html_in(widget)]
    assert found == [], found
    assert marker.stat().st_atime == 0, "the picture was opened"
    names = [widget for widget in widgets if any(PICTURE in words for words in words_of(widget))]
    assert len(names) >= least, sorted(type(widget).__name__ for widget in names)
