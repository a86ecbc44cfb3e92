"""The library of games as a dialog: all games played here, to be found, opened, exported and deleted."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QSize, Qt, Slot
from PySide6.QtGui import QKeySequence, QPixmap, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QDialog,
    QFileDialog,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QMenu,
    QPushButton,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from nimdesk.disk import paths
from nimdesk.errors import NimdeskError
from nimdesk.formats import FORMATS, Format
from nimdesk.games import Side, parse_game, parse_position
from nimdesk.play import RECORD_SUFFIX, Human
from nimdesk.play.exchange import write_games
from nimdesk.play.kept import Head
from nimdesk.play.library import MOST_BYTES, Entry, Library
from nimdesk.ui.boards import BoardView, board_for
from nimdesk.ui.look.desktop import ask_save_path
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.look.widgets import label, open_with, tip
from nimdesk.ui.play.importing import ALL_GAMES, import_games
from nimdesk.ui.play.keeping import GameKeeper

_COLUMNS = ("Game", "Players", "Result", "Moves", "Last played")
_PICTURE, _DRAWN = 64, 256
_ALL = "All"
_ROOM = (
    f"Beyond {MOST_BYTES / 1e6:,.0f} MB the searches of the games played longest ago are dropped to make room; "
    "their moves stay."
)
_Index = QModelIndex | QPersistentModelIndex


def opponents(head: Head) -> tuple[str, ...]:
    """The computers that play in this game; "People" where there are none."""
    names = (head.first, head.second)
    return tuple(name for side, name in enumerate(names) if not head.people >> side & 1) or ("People",)


def result_words(head: Head) -> str:
    """How the game ended, from the person's view where one plays."""
    if not head.result:
        return "Unfinished"
    if head.result == "draw":
        return "Draw"
    winner = Side.FIRST if head.result == "first" else Side.SECOND
    if head.people in (1, 2):
        return "Won" if head.people >> winner & 1 else "Lost"
    try:
        return f"{parse_game(head.game).side_name(winner)} won"
    except NimdeskError:
        return f"{head.result.capitalize()} won"


def players_words(head: Head) -> str:
    """Who played: "You – MCTS"; "Ann – Bob", if a file of another program says so; "Two people"."""
    names = [head.first, head.second]
    if head.people == 3:
        return "Two people" if set(names) == {Human().title} else " – ".join(names)
    if head.people in (1, 2):
        names[head.people - 1] = "You"
    return " – ".join(names)


def _played(entry: Entry) -> str:
    return datetime.fromtimestamp(entry.changed).strftime("%Y-%m-%d %H:%M")


class EntriesModel(QAbstractTableModel):
    """The games that are to be seen, newest first, each with a small picture of its last position."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._around = parent
        self.entries: list[Entry] = []
        self._boards: list[BoardView] = []
        self._pictures: dict[str, QPixmap] = {}

    def show(self, entries: list[Entry]) -> None:
        """List these."""
        self.beginResetModel()
        self.entries = entries
        self.endResetModel()

    def rowCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.entries)

    def columnCount(self, parent: _Index | None = None) -> int:
        return len(_COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        horizontal = orientation == Qt.Orientation.Horizontal
        return _COLUMNS[section] if horizontal and role == Qt.ItemDataRole.DisplayRole else None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        entry, column = self.entries[index.row()], index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            head = entry.head
            return (head.title, players_words(head), result_words(head), str(head.length), _played(entry))[column]
        if role == Qt.ItemDataRole.DecorationRole and column == 0:
            return self._picture(entry.head.last)
        if role == Qt.ItemDataRole.TextAlignmentRole and column == _COLUMNS.index("Moves"):
            return Qt.AlignmentFlag.AlignCenter
        if role == Qt.ItemDataRole.ToolTipRole:
            return tip(entry.head.file)
        return None

    def _picture(self, text: str) -> QPixmap:
        """The board, small; an empty picture for a position that this program cannot read."""
        key = f"{LOOK.theme.name} {text}"
        if key not in self._pictures:
            self._pictures[key] = self._drawn(text)
        return self._pictures[key]

    def _drawn(self, text: str) -> QPixmap:
        try:
            position = parse_position(text)
        except NimdeskError:
            return QPixmap()
        board = next((each for each in self._boards if each.suits(position.game)), None)
        if board is None:
            # The dialog's, and deleted with it: left to Python, it would go with its cycles, in whichever thread then
            # runs, and take the program with it.
            board = board_for(position.game, self._around)
            self._boards.append(board)
            board.hide()
            board.resize(_DRAWN, _DRAWN)
            board.be_pictured()
        board.set_position(position)
        smooth = Qt.TransformationMode.SmoothTransformation
        return board.grab().scaled(QSize(_PICTURE, _PICTURE), Qt.AspectRatioMode.KeepAspectRatio, smooth)


class LibraryDialog(QDialog):
    """Lists the games; what is done with them is done in the library's thread."""

    def __init__(self, keeper: GameKeeper, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Library of games")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._keeper = keeper
        self._all: list[Entry] = []
        self.model = EntriesModel(self)
        self.words = QLineEdit(placeholderText="Search", clearButtonEnabled=True)
        self.words.setAccessibleName("Search in games, players, results and dates")
        self.kind, self.opponent, self.outcome = QComboBox(), QComboBox(), QComboBox()
        self.table = self._make_table()
        self.told = label("Reading the library…", role="muted")
        self.room = label(_ROOM, role="muted", wrap=True)
        self.open_button, self.export_button = QPushButton("&Open"), QPushButton("&Export…")
        self.import_button, self.others_button = QPushButton("&Import…"), QPushButton("Export &as")
        self.others_button.setMenu(self._make_formats())
        self.delete_button, self.undo_button = QPushButton("&Delete"), QPushButton("&Undo")
        self._lay_out()
        self._connect()
        self._on_selection()
        open_with(self, 820, 560)
        self.words.setFocus()
        self._read()

    def _make_table(self) -> QTableView:
        table = QTableView()
        table.setModel(self.model)
        table.setAccessibleName("Games, the newest first")
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setIconSize(QSize(_PICTURE, _PICTURE))
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.setTabKeyNavigation(False)
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(_PICTURE + 8)
        header = table.horizontalHeader()
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        return table

    def _lay_out(self) -> None:
        filters, buttons = QHBoxLayout(), QHBoxLayout()
        filters.addWidget(self.words, 1)
        for name, combo in (("Game", self.kind), ("Opponent", self.opponent), ("Result", self.outcome)):
            combo.setAccessibleName(name)
            filters.addWidget(label(name))
            filters.addWidget(combo)
        buttons.addWidget(self.told, 1)
        for button in (
            self.undo_button,
            self.delete_button,
            self.import_button,
            self.export_button,
            self.others_button,
            self.open_button,
        ):
            button.setAutoDefault(False)
            buttons.addWidget(button)
        layout = QVBoxLayout(self)
        layout.addLayout(filters)
        layout.addWidget(self.table, 1)
        layout.addLayout(buttons)
        layout.addWidget(self.room)

    def _connect(self) -> None:
        self.words.textChanged.connect(self._filter)
        self.words.returnPressed.connect(self.open_selected)
        for combo in (self.kind, self.opponent, self.outcome):
            combo.currentIndexChanged.connect(self._filter)
        self.table.selectionModel().selectionChanged.connect(self._on_selection)
        self.table.activated.connect(self.open_selected)
        self.open_button.clicked.connect(self.open_selected)
        self.export_button.clicked.connect(lambda: self.ask_export(None))
        self.import_button.clicked.connect(self.ask_import)
        self.delete_button.clicked.connect(self.delete_selected)
        self.undo_button.clicked.connect(self.undo_delete)
        for key, slot in ((QKeySequence.StandardKey.Delete, self.delete_selected), ("Ctrl+Z", self.undo_delete)):
            self._add_key(key, self.table, slot)
        self._add_key("Down", self.words, self.table.setFocus)

    @staticmethod
    def _add_key(key: QKeySequence.StandardKey | str, where: QWidget, slot: Callable[[], object]) -> None:
        """Do this when the key is pressed while ``where`` has the keyboard."""
        shortcut = QShortcut(QKeySequence(key), where)
        shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
        shortcut.activated.connect(slot)

    # What is listed

    @property
    def selected(self) -> list[Entry]:
        """The games that are selected, the newest first."""
        rows = sorted({index.row() for index in self.table.selectionModel().selectedRows()})
        return [self.model.entries[row] for row in rows]

    def _read(self, news: str = "") -> None:
        self._keeper.ask(lambda library: (library.entries(), library.used_bytes), partial(self._on_read, news))

    def _on_read(self, news: str, found: tuple[list[Entry], int]) -> None:
        entries, used = found
        self._all = entries
        self.room.setText(f"They take {used / 1e6:,.1f} MB. {_ROOM}")
        heads = [entry.head for entry in entries]
        _offer(self.kind, {head.title for head in heads})
        _offer(self.opponent, {name for head in heads for name in opponents(head)})
        _offer(self.outcome, {result_words(head) for head in heads})
        self._filter()
        if news:
            self.told.setText(news)

    @Slot()
    def _filter(self) -> None:
        wanted = self.words.text().casefold().split()
        self.model.show([entry for entry in self._all if self._fits(entry, wanted)])
        number = len(self.model.entries)
        self.told.setText(f"{number:,} {'game' if number == 1 else 'games'}" if self._all else "No games.")
        if self.model.entries:
            # Not ``selectRow``, which does nothing before the table has a place on the screen.
            self.table.setCurrentIndex(self.model.index(0, 0))
        self._on_selection()

    def _fits(self, entry: Entry, wanted: Sequence[str]) -> bool:
        head = entry.head
        for combo, values in (
            (self.kind, (head.title,)),
            (self.opponent, opponents(head)),
            (self.outcome, (result_words(head),)),
        ):
            if combo.currentIndex() > 0 and combo.currentText() not in values:
                return False
        parts = (head.title, players_words(head), result_words(head), _played(entry), head.last, head.file)
        text = " ".join(parts).casefold()
        return all(word in text for word in wanted)

    @Slot()
    def _on_selection(self) -> None:
        number = len(self.table.selectionModel().selectedRows())
        self.open_button.setEnabled(number == 1)
        self.export_button.setEnabled(number > 0)
        self.others_button.setEnabled(number > 0)
        self.delete_button.setEnabled(number > 0)
        self.undo_button.setEnabled(bool(self._keeper.deleted))

    # What is done

    @Slot()
    def open_selected(self) -> None:
        """Put the game on the board."""
        if len(self.selected) == 1:
            self._keeper.open(self.selected[0].id)
            self.accept()

    @Slot()
    def delete_selected(self) -> None:
        """Take these out of the library; Undo brings them back, until the program ends."""
        if self.selected:
            self._keeper.delete([entry.id for entry in self.selected], self._on_deleted)

    def _on_deleted(self, all_went: bool) -> None:
        self._read("" if all_went else "A game on a board cannot be deleted.")

    @Slot()
    def undo_delete(self) -> None:
        """Bring back what was deleted last."""
        if self._keeper.deleted:
            games = self._keeper.deleted.pop()
            self._keeper.ask(lambda library: library.restore(games), self._then_read)

    def _then_read(self, _: object) -> None:
        self._read()

    def _make_formats(self) -> QMenu:
        menu = QMenu(self)
        for each in FORMATS:
            action = menu.addAction(f"{each.label}…")
            action.triggered.connect(partial(self.ask_export, each))
        return menu

    @Slot()
    def ask_import(self) -> None:
        """Put the games of files into the library, many at once."""
        kinds = f"{ALL_GAMES};;All files (*)"
        chosen, _ = QFileDialog.getOpenFileNames(self, "Import games", str(paths.documents_dir()), kinds)
        if chosen:
            self.told.setText("Reading the files…")
            import_games(self._keeper, [Path(name) for name in chosen], self._read)

    def ask_export(self, form: Format | None) -> None:
        """Write the games that are selected in this format, or as saved games without one.

        They go to one file if it holds them all, else to a folder.
        """
        entries = self.selected
        if not entries:
            return
        title, kinds, ending = "Export this game", f"nimdesk games (*{RECORD_SUFFIX});;All files (*)", RECORD_SUFFIX
        if form is not None:
            title, kinds, ending = f"Export as {form.title}", f"{form.label} (*{form.ending})", form.ending
        start = paths.documents_dir() / _file_name(entries[0], ending)
        if len(entries) == 1 or (form is not None and form.many):
            path = ask_save_path(self, title, start, kinds)
            wanted = [] if path is None else [([entry.id for entry in entries], path)]
        else:
            chosen = QFileDialog.getExistingDirectory(self, "Export these games to a folder", str(start.parent))
            wanted = _free_names(entries, Path(chosen), ending) if chosen else []
        if wanted:
            self._keeper.ask(partial(_export, wanted, form), self._on_exported)

    def _on_exported(self, problem: str) -> None:
        self.told.setText(problem or "Exported.")


def _offer(combo: QComboBox, values: set[str]) -> None:
    """Let these be chosen; what is chosen stays if it is among them."""
    chosen = combo.currentText()
    combo.blockSignals(True)
    combo.clear()
    combo.addItems([_ALL, *sorted(values)])
    combo.setCurrentIndex(max(0, combo.findText(chosen)))
    combo.blockSignals(False)


def _file_name(entry: Entry, ending: str) -> str:
    return paths.file_name(f"{entry.head.title} {_played(entry).replace(':', '.')}") + ending


def _free_names(entries: Sequence[Entry], folder: Path, ending: str) -> list[tuple[list[int], Path]]:
    """A name for each that no file there has, nor another of them."""
    taken: set[Path] = set()
    found = []
    for entry in entries:
        first = path = folder / _file_name(entry, ending)
        number = 2
        while path in taken or os.path.exists(path):
            path = first.with_stem(f"{first.stem} ({number})")
            number += 1
        taken.add(path)
        found.append(([entry.id], path))
    return found


def _export(wanted: Sequence[tuple[Sequence[int], Path]], form: Format | None, library: Library) -> str:
    """Write these games to their files in this format, in the library's thread; what is to be said of it, or ""."""
    told: dict[str, None] = {}
    for games, path in wanted:
        try:
            kept = [found for found in map(library.read, games) if found is not None]
            told.update(dict.fromkeys(write_games([each.game for each in kept], path, form)))
        except NimdeskError as error:
            return str(error)
    return " ".join(("Exported.", *told)) if told else ""
