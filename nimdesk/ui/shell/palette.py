"""The command palette: every command of the page with its key, found by a few letters."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QAction, QColor, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QDialog, QHeaderView, QLineEdit, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from nimdesk.ui.look.actions import ACTIONS, BOARD_KEYS, ActionSet, key_words
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.look.widgets import label, open_with, tip

_MOVES = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)
_ACTION = Qt.ItemDataRole.UserRole
_HEIGHT, _AROUND, _WIDEST = 480, 80, 1000
_TOLD = "Enter does it; what is grey cannot be done now."


class Palette(QDialog):
    """After ``exec`` returned Accepted, ``chosen`` is the action to trigger."""

    def __init__(self, actions: ActionSet, parent: QWidget, others: Iterable[tuple[str, QAction]] = ()) -> None:
        """``others`` are commands that are not among the declared ones, each with the menu it is in, or ""."""
        super().__init__(parent)
        self.setWindowTitle("Commands and keys")
        self.chosen: QAction | None = None
        """The action that a person chose; None until then."""
        self.search = QLineEdit()
        self.search.setPlaceholderText("Type a few letters of a command")
        self.search.setAccessibleName("Find a command")
        self.search.setClearButtonEnabled(True)
        self.list = QTreeWidget()
        self.list.setAccessibleName("Commands")
        self.list.setColumnCount(3)
        self.list.setHeaderHidden(True)
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.setAlternatingRowColors(True)
        self.list.setStyleSheet("QTreeWidget::item { padding: 3px 2px; }")
        header = self.list.header()
        header.setStretchLastSection(False)
        for column in (0, 2):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        layout = QVBoxLayout(self)
        layout.addWidget(self.search)
        layout.addWidget(self.list, 1)
        self.told = label(role="muted")
        layout.addWidget(self.told)
        self._fill(actions, others)
        self.search.textChanged.connect(self._filter)
        self.search.installEventFilter(self)
        self.list.itemActivated.connect(self._on_activated)
        self.list.itemClicked.connect(self._on_activated)
        self._filter("")
        # Wide enough that no sentence of a command is cut off; what a lesson is about fills paragraphs, as some do.
        whole = sum(self.list.sizeHintForColumn(column) for column in range(3)) + _AROUND
        open_with(self, min(whole, _WIDEST), _HEIGHT)

    def _fill(self, actions: ActionSet, others: Iterable[tuple[str, QAction]]) -> None:
        for spec in ACTIONS:
            action = actions[spec.name]
            if action.isVisible() and spec.name != "palette":
                self._add(_plain(action.text()), spec.tip, key_words(spec), action)
        for menu, action in others:
            keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
            tip = ": ".join(filter(None, (_plain(menu), action.statusTip())))
            self._add(_plain(action.text()), tip, keys, action)
        for keys, what in BOARD_KEYS:
            self._add("On the board", what, keys, None)

    def _add(self, title: str, about: str, keys: str, action: QAction | None) -> None:
        """Add one row; it cannot be chosen if it has no action, or one that cannot be used now."""
        item = QTreeWidgetItem([title, about, keys])
        item.setData(0, _ACTION, action)
        item.setToolTip(1, tip(about))
        item.setForeground(1, QColor(LOOK.theme.muted))
        item.setTextAlignment(2, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        if action is None or not action.isEnabled():
            item.setFlags(Qt.ItemFlag.NoItemFlags)
        self.list.addTopLevelItem(item)

    def _filter(self, typed: str) -> None:
        """Show the rows that have all the typed words, and select the first one that can be chosen."""
        words = typed.casefold().split()
        best: QTreeWidgetItem | None = None
        found = False
        for index in range(self.list.topLevelItemCount()):
            item = self.list.topLevelItem(index)
            assert item is not None
            text = " ".join(item.text(column) for column in range(3)).casefold()
            fits = all(word in text for word in words)
            item.setHidden(not fits)
            found = found or fits
            if not fits or not item.flags():
                continue
            titled = typed.strip().casefold() in item.text(0).casefold()
            if best is None or (titled and typed.strip().casefold() not in best.text(0).casefold()):
                best = item
        self.told.setText(_TOLD if found else f"No command has “{typed.strip()}” in its words.")
        self.list.clearSelection()
        if best is not None:
            self.list.setCurrentItem(best)
            self.list.scrollToItem(best)

    def _on_activated(self, item: QTreeWidgetItem) -> None:
        action = item.data(0, _ACTION)
        if isinstance(action, QAction) and action.isEnabled():
            self.chosen = action
            self.accept()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() in _MOVES:
                self.list.event(event)
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                for item in self.list.selectedItems():
                    self._on_activated(item)
                return True
        return super().eventFilter(watched, event)


def _plain(words: str) -> str:
    """The words of a menu entry without the marks that only menus need."""
    return words.replace("&", "").removesuffix("…")
