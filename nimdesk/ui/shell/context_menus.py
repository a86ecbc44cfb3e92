"""The menus that a right press opens on the board, the plot, the moves and the players' cards; and pictures to copy."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from nimdesk.disk.atomic import write_file
from nimdesk.disk.paths import documents_dir
from nimdesk.disk.provenance import made_here, write_beside
from nimdesk.ui.look.desktop import save_as
from nimdesk.ui.play.card import PlayerCard
from nimdesk.ui.shell.window import MainWindow

_TOLD_MS = 5000
_BOARD = (
    *("copy_picture", "", "suggest", "undo", "redo", "", "copy", "paste", ""),
    *("truth", "overlay", "", "analyse", "restart", "swap", "new_game"),
)
_MOVES = ("first", "previous", "next", "last", "", "undo", "redo", "", "copy", "save", "analyse")
_PLOT = ("film", "", "freeze", "listing", "", "analyse")
_CARD = ("", "move_now", "pause", "continue", "step", "stop", "", "suggest_options", "swap")


class ContextMenus:
    """Gives each part of the Play page its menu; the keyboard's menu key opens it too."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        window.actions_by_name.connect("copy_picture", self.copy_board)
        column, page = window.column, window.page
        self._give(column.place, _BOARD, ("Save as picture…", self.save_board))
        self._give(page.tabs, _MOVES)
        plot = (("Copy as picture", self.copy_plot), ("Save as picture…", self.save_plot))
        self._give(window.plots, _PLOT, *plot, ("Save the numbers…", self.save_numbers))
        for card in (column.above, column.below):
            self._give(
                card,
                _CARD,
                ("Another player…", partial(self._ask, card)),
                ("Options…", partial(self._ask, card, more=True)),
            )

    def _give(self, widget: QWidget, names: tuple[str, ...], *first: tuple[str, Callable[[], None]]) -> None:
        widget.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        widget.customContextMenuRequested.connect(lambda at: self._open(widget, at, names, first))

    def _open(
        self, widget: QWidget, at: QPoint, names: tuple[str, ...], first: tuple[tuple[str, Callable[[], None]], ...]
    ) -> None:
        menu = self.menu(names, *first)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(widget.mapToGlobal(at))

    def menu(self, names: tuple[str, ...], *first: tuple[str, Callable[[], None]]) -> QMenu:
        """A menu with what is there ``first`` and those of the window's actions that can be used now."""
        menu = QMenu(self._window)
        for text, slot in first:
            menu.addAction(text).triggered.connect(slot)
        for name in names:
            if not name:
                menu.addSeparator()
            elif self._window.actions_by_name[name].isEnabled():
                menu.addAction(self._window.actions_by_name[name])
        return menu

    def copy_board(self) -> None:
        """The board, with what lies on it, to the clipboard."""
        board = self._window.area.board.twin()
        self._copy(board, "The board")
        board.deleteLater()

    def save_board(self) -> None:
        """The board, with what lies on it, to a file."""
        from nimdesk.ui.laboratory.export_pictures import PICTURES, board_sheet, file_of  # lazy: it loads numpy

        board = self._window.area.board.twin()
        self._save("Save the board", "board.png", PICTURES, lambda path: file_of(board_sheet(board), path.suffix))
        board.deleteLater()

    def save_plot(self) -> None:
        """The plot with its names to a file."""
        from nimdesk.ui.laboratory.export_pictures import PICTURES, file_of, widget_sheet  # lazy: it loads numpy

        plots = self._window.plots
        self._window.display.draw_now()
        sheet = widget_sheet(plots, plots.accessibleName())
        self._save("Save the plot", "plot.png", PICTURES, lambda path: file_of(sheet, path.suffix))

    def save_numbers(self) -> None:
        """The checkpoints of the search that is drawn to a file, as ``analyse --csv`` writes them."""
        from nimdesk.search.timeline import search_csv  # lazy: it loads numpy

        panel = self._window.plots.panel
        searched = None if panel is None else panel.searched
        if searched is None or not (text := search_csv(searched)):
            self._window.status.showMessage("There is no search here whose numbers could be saved.", _TOLD_MS)
            return
        about = {"position": searched.position.text, "agent": searched.agent, "seed": searched.seed}

        def table(path: Path) -> bytes:
            write_beside(path, about, [made_here()])
            return text.encode()

        self._save("Save the numbers", "search.csv", "Table (*.csv)", table)

    def _save(self, title: str, name: str, kinds: str, made: Callable[[Path], bytes]) -> None:
        """Ask for a file, and write to it what ``made`` returns for its name."""
        start = documents_dir() / name
        if path := save_as(self._window, title, start, kinds, lambda path: write_file(path, made(path))):
            self._window.status.showMessage(f"Saved to {path}", _TOLD_MS)

    def copy_plot(self) -> None:
        """The plot with its names to the clipboard."""
        self._window.display.draw_now()
        self._copy(self._window.plots, "The plot")

    def _copy(self, widget: QWidget, what: str) -> None:
        QGuiApplication.clipboard().setPixmap(widget.grab())
        self._window.status.showMessage(f"{what} was copied as a picture.", _TOLD_MS)

    def _ask(self, card: PlayerCard, *, more: bool = False) -> None:
        self._window.show_players(card.side, more=more)
