"""The main window: its pages, menus and status line. It only connects these parts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMainWindow, QVBoxLayout, QWidget

from nimdesk.games import Side
from nimdesk.play.moment import BoardLook
from nimdesk.ui.boards import BoardPlace, BoardView
from nimdesk.ui.look.actions import PLAY, ActionSet
from nimdesk.ui.look.move_marks import MoveColors
from nimdesk.ui.look.reading_order import tab_on
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.look.widgets import SearchStatus, arrange
from nimdesk.ui.play.column import ROW, BoardColumn
from nimdesk.ui.play.controller import GameController
from nimdesk.ui.play.display import Display
from nimdesk.ui.play.page import PlayPage, PlotPlace
from nimdesk.ui.shell.modes import Modes, TitleRow, as_saved, as_text, first_size

if TYPE_CHECKING:
    from nimdesk.ui.play.lines import LinesPanel
    from nimdesk.ui.play.moves import GameTab, MovesPanel
    from nimdesk.ui.play.sheet import PlayerSheet


class MainWindow(QMainWindow):
    """The pages, menus and status line of one game.

    It is first painted without moves and players; call ``fill_players`` and ``fill_moves`` right after that.
    """

    sheets: tuple[PlayerSheet, ...] = ()
    """Who plays each side, by ``Side``; there after ``fill_players``."""
    moves: MovesPanel
    """Set by ``fill_moves``, as are the next two."""
    game_tab: GameTab
    lines: LinesPanel

    files_dropped = Signal(object)
    """The paths of the files that were dropped on the window, a list."""
    closing = Signal()
    """The window is about to close; it is still there to be asked for its state."""

    def __init__(self, controller: GameController, look: BoardLook) -> None:
        super().__init__()
        self.setWindowTitle("nimdesk")
        self.setAcceptDrops(True)
        self._controller = controller
        self.may_close: Callable[[], bool] = lambda: True
        """Asked before the window closes; it stays open if this returns False."""
        self._game_name = ("nimdesk", "", False)
        self.colors = MoveColors()
        self.plots = PlotPlace(self.colors)
        self.actions_by_name = ActionSet(self)
        self.column = BoardColumn(controller, self.actions_by_name)
        self.area: BoardPlace = self.column.place
        self.page = PlayPage(self.column, self.plots)
        self._moves_tab = QWidget()
        self.page.add_tab("Moves", self._moves_tab)
        self.modes = Modes(self, self.actions_by_name, self.page)
        self.middle = QWidget()
        """The pages, and at times a pane beside them."""
        arrange(QHBoxLayout(self.middle), self.modes.stack, wide=self.modes.stack, spacing=0)
        self.setCentralWidget(self.middle)
        self.title_row = TitleRow(self.modes, self.actions_by_name)
        self.menuBar().setCornerWidget(self.title_row)
        self.status = SearchStatus()
        self.setStatusBar(self.status)
        where = self.page, self.status, self.actions_by_name
        self.display = Display(controller, self.colors, where, look, self)
        self._connect()
        self._on_game_replaced()
        self.actions_by_name.draw_now(ROW)
        self.resize(first_size())
        self.reset_layout()
        LOOK.changed.connect(self._on_look)

    # Building

    def fill_players(self) -> None:
        """Make the sheets of the players: their forms take longer than everything that is seen first."""
        from nimdesk.ui.play.sheet import PlayerSheet  # lazy: not before the first paint

        game, adapt = self._controller.game, self.actions_by_name["adapt"]
        self.sheets = tuple(PlayerSheet(side, game.game, game.players[side], adapt, self.page) for side in Side)
        for sheet in self.sheets:
            sheet.player_changed.connect(self._controller.set_player)
        self._controller.game_replaced.connect(self._show_game)
        self._controller.players_changed.connect(self._show_players)
        self.column.player_pressed.connect(self.show_players)
        self.actions_by_name.connect("players", self._show_opponent)

    def fill_moves(self) -> None:
        """Put the moves into their tab, and the best lines beside it."""
        from nimdesk.ui.play.lines import LinesPanel  # lazy: not before the first paint
        from nimdesk.ui.play.moves import GameTab, Navigation

        navigation = tuple(self.actions_by_name[name] for name in ("first", "previous", "next", "last"))
        self.game_tab, self.lines = GameTab(self.actions_by_name["restore"]), LinesPanel()
        self.page.add_corner(Navigation(navigation))
        self.moves = self.game_tab.moves
        self.game_tab.graph.jump_requested.connect(self._controller.jump)
        self.moves.place_requested.connect(self._controller.look_at)
        self.moves.promotion_requested.connect(self._controller.promote)
        self.moves.deletion_requested.connect(self._controller.prune)
        self.display.story_changed.connect(self.game_tab.show_story)
        self.game_tab.show_story(self.display.shown.story)
        self.lines.line_pointed.connect(self.display.point_at_line)
        self.display.searched_changed.connect(self.lines.show_snapshot)
        self.lines.show_snapshot(self.display.shown.plot.snapshot)
        layout = QVBoxLayout(self._moves_tab)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.game_tab)
        self.page.add_tab("Lines", self.lines)

    def _connect(self) -> None:
        controller, actions = self._controller, self.actions_by_name
        for name, slot in (
            ("undo", controller.undo),
            ("redo", controller.redo),
            ("suggest", controller.suggest),
            ("move_now", controller.thinking.move_now),
            ("stop", controller.stop),
            ("pause", controller.pause),
            ("continue", controller.resume),
            ("step", controller.step),
            ("first", lambda: controller.jump(0)),
            ("previous", lambda: controller.jump(controller.game.cursor - 1)),
            ("next", lambda: controller.jump(controller.game.cursor + 1)),
            ("last", lambda: controller.jump(len(controller.game.plies))),
            ("try_again", self._try_again),
            ("promote", controller.promote),
            ("prune", controller.prune),
            ("restore", controller.restore),
            ("reset_layout", self.reset_layout),
            ("quit", self.close),
            ("focus_board", self._focus_board),
        ):
            actions.connect(name, slot)
        self.plots.filled.connect(self._connect_plots)
        controller.game_replaced.connect(self._on_game_replaced)
        quiet, whole_plot = actions["quiet"], actions["whole_plot"]
        quiet.toggled.connect(controller.set_quiet)
        controller.state_changed.connect(lambda: quiet.setChecked(controller.sitting.quiet))
        quiet.setChecked(controller.sitting.quiet)
        whole_plot.toggled.connect(self.page.give_plot_all)

    def _connect_plots(self) -> None:
        panel, freeze = self.plots.panel, self.actions_by_name["freeze"]
        assert panel is not None
        panel.set_paused(freeze.isChecked())
        freeze.toggled.connect(panel.set_paused)
        panel.toolbar.pause.toggled.connect(freeze.setChecked)
        panel.toolbar.add(self.actions_by_name["whole_plot"])

    # Following the controller

    def _on_game_replaced(self) -> None:
        game = self._controller.game
        self.name_game(f"{game.game.title} – nimdesk")
        self.page.show_game()

    def _try_again(self) -> None:
        start = self.display.try_from
        if start is not None:
            self._controller.jump(start)
            self.area.board.setFocus()

    def name_game(self, title: str, file: str = "", *, modified: bool = False) -> None:
        """Set the window's title for the game; ``title`` contains Qt's placeholder for the mark of unsaved changes."""
        self._game_name = title, file, modified
        self.show_game_name()

    def show_game_name(self) -> None:
        """Name the window after the game, if it shows the game."""
        if self.modes.mode == PLAY:
            title, file, modified = self._game_name
            self.setWindowTitle(title)
            self.setWindowFilePath(file)
            self.setWindowModified(modified)

    def _show_game(self) -> None:
        game = self._controller.game
        for sheet in self.sheets:
            sheet.show_game(game.game, game.players[sheet.side])

    def _show_players(self) -> None:
        for sheet in self.sheets:
            sheet.show_player(self._controller.game.players[sheet.side])

    def show_players(self, side: Side, *, more: bool | None = None) -> None:
        """Open the sheet at the card of this side, or close it; ``more`` is whether its levels are passed over."""
        sheet = self.sheets[side]
        if sheet.isVisible() and more is None:
            sheet.hide()
        else:
            sheet.open_at(self.column.card(side), more=more)

    def _show_opponent(self) -> None:
        """Open the sheet of the computer, or of whose card is above the board."""
        self.show_players(self.column.above.side)

    # What a person does

    def _on_look(self) -> None:
        self.actions_by_name.draw_icons()

    def _focus_board(self) -> None:
        shown = [board for board in self.findChildren(BoardView) if board.isVisible()]
        # The small board beside the search tree is only to be looked at.
        board = next((board for board in shown if board.focusPolicy() != Qt.FocusPolicy.NoFocus), None)
        if board is None:
            return  # not every page has a board
        # A board that has the keyboard already shows its cursor only when it is given the keyboard anew.
        board.clearFocus()
        board.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def focusNextPrevChild(self, forward: bool) -> bool:  # Qt calls it ``next``
        return tab_on(self, forward)

    # The layout

    def reset_layout(self) -> None:
        """Put everything back where it was at first; the window keeps its size."""
        self.actions_by_name["whole_plot"].setChecked(False)
        self.page.reset()

    def layout_state(self) -> tuple[str, dict[str, float]]:
        """Geometry as text, and the shares of the Play page, for ``restore_layout``."""
        return as_text(self.saveGeometry()), self.page.shares()

    def restore_layout(self, geometry: str, shares: dict[str, float]) -> None:
        """Restore what ``layout_state`` gave; nonsense changes nothing."""
        if (saved := as_saved(geometry)) is not None:
            self.restoreGeometry(saved)
        self.page.restore(shares)
        self.actions_by_name["whole_plot"].setChecked(shares.get("whole plot") == 1.0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.title_row.set_room(self.width())

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            _take_as_copy(event)

    def dropEvent(self, event: QDropEvent) -> None:
        files = [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]
        if files and _take_as_copy(event):
            self.files_dropped.emit([Path(file) for file in files])

    def closeEvent(self, event: QCloseEvent) -> None:
        if self.may_close():
            self.closing.emit()
            event.accept()
        else:
            event.ignore()


def _take_as_copy(event: QDropEvent) -> bool:
    """Accept a dropped file as a copy; return False, and refuse it, if it can only be moved.

    The program that gives a file may delete it once it hears that the file was moved. It proposes a move if, for
    example, Shift is held.
    """
    event.setDropAction(Qt.DropAction.CopyAction)
    safe = event.dropAction() != Qt.DropAction.MoveAction  # it stays a move if nothing else is offered
    event.setAccepted(safe)
    return safe
