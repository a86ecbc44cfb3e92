"""The menus that a right press opens on the board, the plot, the moves and the players' cards; and pictures to copy."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from nimdesk.atomic import write_file
from nimdesk.errors import NimdeskError
from nimdesk.paths import documents_dir
from nimdesk.ui.look.desktop import ask_save_path, warn
from nimdesk.ui.play.card import PlayerCard
from nimdesk.ui.shell.window import MainWindow

_TOLD_MS = 5000
_BOARD = (
    *("suggest", "undo", "redo", "", "copy_picture", "copy", "paste", ""),
    *("truth", "overlay", "", "analyse", "restart", "swap", "new_game"),
)
_MOVES = ("first", "previous", "next", "last", "", "undo", "redo", "", "copy", "save", "analyse")
_PLOT = ("freeze", "listing", "", "analyse")
_CARD = ("move_now", "pause", "continue", "step", "stop", "", "suggest_options", "swap")


class ContextMenus:
    """Gives each part of the Play page its menu; the keyboard's menu key opens the same."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window
        window.actions_by_name.connect("copy_picture", self.copy_board)
        column, page = window.column, window.page
        self._give(column.place, _BOARD, ("Save as picture…", self.save_board))
        self._give(page.tabs, _MOVES)
        self._give(window.plots, _PLOT, ("Copy as picture", self.copy_plot))
        for card in (column.above, column.below):
            self._give(card, _CARD, ("Settings of this player…", partial(self._settings, card)))

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
        if first:
            menu.addSeparator()
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

        path = ask_save_path(self._window, "Save the board", documents_dir() / "board.png", PICTURES)
        if path is None:
            return
        board = self._window.area.board.twin()
        try:
            write_file(path, file_of(board_sheet(board), path.suffix))
            self._window.status.showMessage(f"Saved to {path}", _TOLD_MS)
        except NimdeskError as error:
            warn(self._window, str(error))
        finally:
            board.deleteLater()

    def copy_plot(self) -> None:
        """The plot with its names to the clipboard."""
        self._window.search.draw_now()
        self._copy(self._window.plots, "The plot")

    def _copy(self, widget: QWidget, what: str) -> None:
        QGuiApplication.clipboard().setPixmap(widget.grab())
        self._window.status.showMessage(f"{what} was copied as a picture.", _TOLD_MS)

    def _settings(self, card: PlayerCard) -> None:
        self._window.show_settings(card.side)
