"""The main window: its pages, the dock of agent settings, menus and status line. What they do is theirs; this only
connects."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QApplication, QDockWidget, QMainWindow, QVBoxLayout, QWidget

from nimdesk.games import Move, Side
from nimdesk.games.truth import Truth
from nimdesk.ui.boards import BoardPlace, BoardView
from nimdesk.ui.look.actions import PLAY, ActionSet
from nimdesk.ui.look.move_marks import MoveColors
from nimdesk.ui.look.reading_order import tab_on
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.look.widgets import SearchStatus
from nimdesk.ui.play.action_row import ROW
from nimdesk.ui.play.column import BoardColumn
from nimdesk.ui.play.controller import GameController, State
from nimdesk.ui.play.page import PlayPage
from nimdesk.ui.play.shown_search import PlotHolder, ShownSearch
from nimdesk.ui.shell.modes import Modes, TitleRow, arrange_docks, as_text, first_size, restore_docks

if TYPE_CHECKING:
    from nimdesk.play.review import MoveReview
    from nimdesk.search import Snapshot
    from nimdesk.ui.jobs.truth import Judged
    from nimdesk.ui.play.game_tab import GameTab
    from nimdesk.ui.play.lines import LinesPanel
    from nimdesk.ui.play.moves import MovesPanel
    from nimdesk.ui.play.players import PlayersPanel


class MainWindow(QMainWindow):
    """The pages, the dock of agent settings, menus and status line of one game.

    It is painted first without moves and settings; ``fill_players`` and ``fill_moves`` are to follow at once.
    """

    players: PlayersPanel
    """There after ``fill_players``."""
    moves: MovesPanel
    """There after ``fill_moves``, as the next two."""
    game_tab: GameTab
    lines: LinesPanel

    file_dropped = Signal(object)
    """The ``Path`` of a file that was dropped on the window."""
    closing = Signal()
    """The window is about to close; it is still there to be asked for its state."""

    def __init__(self, controller: GameController, *, overlay: bool = True, number: str = "share") -> None:
        super().__init__()
        self.setWindowTitle("nimdesk")
        self.setAcceptDrops(True)
        self._controller = controller
        self.may_close: Callable[[], bool] = lambda: True
        """Asked when the window is to close; it stays open if this says False."""
        self._game_name = ("nimdesk", "", False)
        self.colors = MoveColors()
        self.plots = PlotHolder(self.colors)
        self.actions_by_name = ActionSet(self)
        self.column = BoardColumn(controller, self.actions_by_name)
        self.area: BoardPlace = self.column.place
        self.page = PlayPage(self.column, self.plots)
        self._moves_tab = QWidget()
        self.page.add_tab("Moves", self._moves_tab)
        self.modes = Modes(self, self.actions_by_name, self.page)
        self.setCentralWidget(self.modes.stack)
        self.title_row = TitleRow(self.modes, self.actions_by_name)
        self.menuBar().setCornerWidget(self.title_row)
        self.status = SearchStatus()
        self.setStatusBar(self.status)
        self.settings_dock = QDockWidget("Agent settings", self)
        self.settings_dock.setObjectName("Agent settings")
        self.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, self.settings_dock)
        shown = self.settings_dock.toggleViewAction()
        shown.setShortcut(QKeySequence("Ctrl+E"))
        shown.setStatusTip("Who plays each side, and with which options")
        self.addAction(shown)
        where = self.area, self.status, self.plots
        self.search = ShownSearch(controller, self.colors, where, overlay=overlay, parent=self)
        self.search.set_number(number)
        self._connect(overlay)
        self._on_frame(None)
        self._on_game_replaced()
        self._on_state()
        self.actions_by_name.draw_now(ROW)
        self.resize(first_size())
        self.reset_layout()
        LOOK.changed.connect(self._on_look)

    # Building

    def fill_players(self) -> None:
        """Put the players into their dock: their forms take longer than all that is seen before them."""
        from nimdesk.ui.play.players import PlayersPanel  # lazy: not before the first paint

        game = self._controller.game
        self.players = PlayersPanel(game.game, game.players, self.actions_by_name["suggest_options"])
        self.players.player_changed.connect(self._controller.set_player)
        self._controller.game_replaced.connect(self._show_game)
        self._controller.players_changed.connect(self._show_players)
        self.settings_dock.setWidget(self.players)
        self.column.player_pressed.connect(self.show_settings)

    def fill_moves(self) -> None:
        """Put the moves into their tab, and the best lines beside it."""
        from nimdesk.ui.play.game_tab import GameTab  # lazy: not before the first paint
        from nimdesk.ui.play.lines import LinesPanel

        navigation = tuple(self.actions_by_name[name] for name in ("first", "previous", "next", "last"))
        changes = tuple(self.actions_by_name[name] for name in ("promote", "prune", "restore"))
        self.game_tab, self.lines = GameTab(self._controller, navigation, changes), LinesPanel()
        self.moves = self.game_tab.moves
        self.lines.line_pointed.connect(self._on_line)
        self.search.frame_shown.connect(self.lines.show_snapshot)
        self.lines.show_snapshot(self._controller.shown_snapshot)
        layout = QVBoxLayout(self._moves_tab)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.game_tab)
        self.page.add_tab("Lines", self.lines)

    def _connect(self, overlay: bool) -> None:
        controller, actions = self._controller, self.actions_by_name
        for name, slot in (
            ("undo", controller.undo),
            ("redo", controller.redo),
            ("suggest", controller.suggest),
            ("move_now", controller.move_now),
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
        actions["overlay"].setChecked(overlay)
        actions["overlay"].toggled.connect(self.search.set_overlay)
        actions["freeze"].toggled.connect(self.plots.set_paused)
        self.plots.paused_changed.connect(actions["freeze"].setChecked)
        self.search.frame_shown.connect(self._on_frame)
        controller.game_replaced.connect(self._on_game_replaced)
        controller.state_changed.connect(self._on_state)

    # Following the controller

    def _on_game_replaced(self) -> None:
        game = self._controller.game
        self.area.show_game(game.game)
        self.name_game(f"{game.game.title} – nimdesk")
        # A frozen plot would go on showing a search of the game before.
        self.plots.set_paused(False)

    def _try_again(self) -> None:
        start = self.column.try_from
        if start is not None:
            self._controller.jump(start)
            self.area.board.setFocus()

    def name_game(self, title: str, file: str = "", *, modified: bool = False) -> None:
        """What the window is called while it shows the game; ``title`` has the place of the mark of unsaved changes."""
        self._game_name = title, file, modified
        self.show_game_name()

    def show_game_name(self) -> None:
        """Name the window after the game, if it shows that."""
        if self.modes.mode == PLAY:
            title, file, modified = self._game_name
            self.setWindowTitle(title)
            self.setWindowFilePath(file)
            self.setWindowModified(modified)

    def _show_game(self) -> None:
        self.players.show_game(self._controller.game.game, self._controller.game.players)

    def _show_players(self) -> None:
        self.players.show_players(self._controller.game.players)

    def _on_state(self) -> None:
        controller, actions = self._controller, self.actions_by_name
        state, game = controller.state, controller.game
        self.column.set_words(controller.headline, controller.notice)
        searching = state in (State.THINKING, State.SUGGESTING)
        for name, enabled in (
            ("undo", game.undo_target() != game.cursor),
            ("redo", game.can_redo),
            ("suggest", state in (State.HUMAN, State.PAUSED)),
            ("move_now", searching),
            ("stop", state is State.SUGGESTING),
            ("pause", state is State.THINKING and not controller.paused),
            ("continue", state is State.PAUSED),
            ("step", state is State.PAUSED),
            ("restart", bool(game.plies)),
            ("swap", game.players[0] != game.players[1]),
            ("first", game.can_undo),
            ("previous", game.can_undo),
            ("next", game.can_redo),
            ("last", game.can_redo),
            ("promote", not game.node.on_main_line),
            ("prune", game.can_undo),
            ("restore", controller.can_restore),
        ):
            actions[name].setEnabled(enabled)
        self._show_applying()

    def _show_applying(self) -> None:
        self.actions_by_name["try_again"].setEnabled(self.column.try_from is not None)
        self.column.row.show_applying()

    def _on_frame(self, snapshot: Snapshot | None) -> None:
        self.column.show_search(snapshot)
        self.actions_by_name["listing"].setEnabled(snapshot is not None and bool(snapshot.listing))
        self.actions_by_name["film"].setEnabled(snapshot is not None and snapshot.trace is not None)

    def show_settings(self, side: Side) -> None:
        """Open the dock of agent settings at this side."""
        self.settings_dock.show()
        self.settings_dock.raise_()
        self.players.show_side(side)

    def _on_line(self, line: tuple[Move, ...]) -> None:
        """Show a line on the board, if it begins there."""
        snapshot = self._controller.shown_snapshot
        here = snapshot is not None and snapshot.position == self._controller.position
        self.area.board.set_line(line if here else ())

    # What a person sets

    def show_truth(
        self, truth: Truth | None, of_search: Truth | None, wanted: bool, sentence: str, explanation: str
    ) -> None:
        """Show what is proven, on the board and of the search shown (None: nothing), and the line if wanted."""
        self.search.set_truth(truth, of_search)
        self.column.truth_line.tell(wanted, sentence, explanation)

    def show_proven(self, judged: tuple[Judged | None, ...] | None, proven: tuple[Truth | None, ...]) -> None:
        """Show what is proven of the game's moves (None: nothing) and of its positions."""
        self.game_tab.show_proven(judged, proven)
        self.column.show_proven(proven)
        self._show_applying()

    def show_reviewed(self, reviewed: tuple[MoveReview, ...]) -> None:
        """Say where the game was decided as a review found it; empty: there is none."""
        self.column.show_reviewed(reviewed)
        self._show_applying()

    def _on_look(self) -> None:
        self.actions_by_name.draw_icons()

    def _focus_board(self) -> None:
        shown = [board for board in self.findChildren(BoardView) if board.isVisible()]
        # The small one beside the search tree is to be looked at.
        board = next((board for board in shown if board.focusPolicy() != Qt.FocusPolicy.NoFocus), None)
        if board is None:
            return  # not every page has one
        # A board that has the keyboard already shows its cursor only when it is given the keyboard anew.
        board.clearFocus()
        board.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def focusNextPrevChild(self, forward: bool) -> bool:  # Qt calls it ``next``
        return tab_on(self, forward)

    # The layout

    def reset_layout(self) -> None:
        """Everything where it was at first, in the window as large as it is."""
        keyboard = QApplication.focusWidget()
        there = keyboard is not None and self.settings_dock.isAncestorOf(keyboard)
        arrange_docks(self, self.settings_dock)
        self.page.reset()
        if there:  # it would be left on the way to the commands
            self._focus_board()

    def layout_state(self) -> tuple[str, str, dict[str, float]]:
        """Geometry and docks as text, and the shares of the Play page, for ``restore_layout``."""
        return as_text(self.saveGeometry()), as_text(self.modes.docks_state()), self.page.shares()

    def restore_layout(self, geometry: str, docks: str, shares: dict[str, float]) -> None:
        """What ``layout_state`` gave; nonsense changes nothing."""
        restore_docks(self, geometry, docks)
        self.page.restore(shares)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.title_row.set_room(self.width())

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            _take_as_copy(event)

    def dropEvent(self, event: QDropEvent) -> None:
        files = [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]
        if files and _take_as_copy(event):
            self.file_dropped.emit(Path(files[0]))

    def closeEvent(self, event: QCloseEvent) -> None:
        if self.may_close():
            self.closing.emit()
            event.accept()
        else:
            event.ignore()


def _take_as_copy(event: QDropEvent) -> bool:
    """Where a move is proposed, as with Shift, whoever gives the file may delete it once it is said to be moved.

    Whether it is taken: not where it can only be moved.
    """
    event.setDropAction(Qt.DropAction.CopyAction)
    safe = event.dropAction() != Qt.DropAction.MoveAction  # Qt leaves it at that where nothing else is offered
    event.setAccepted(safe)
    return safe
