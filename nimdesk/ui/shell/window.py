"""The main window: docks around the board, wired to the controller. What they do is theirs; this only connects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QDockWidget, QMainWindow, QToolBar, QWidget

from nimdesk.games import Move
from nimdesk.games.truth import Truth
from nimdesk.ui.boards import BoardArea, BoardView
from nimdesk.ui.look.actions import ActionSet
from nimdesk.ui.look.move_marks import MoveColors
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.look.widgets import SearchStatus
from nimdesk.ui.play.controller import GameController, State
from nimdesk.ui.play.shown_search import PlotHolder, ShownSearch
from nimdesk.ui.shell.modes import Modes, arrange_docks, as_text, restore_docks

if TYPE_CHECKING:
    from nimdesk.ui.play.moves import MovesPanel
    from nimdesk.ui.play.players import PlayersPanel

_TOOLBAR = ("new_game", "undo", "redo", "suggest", "move_now", "stop", "pause", "continue", "step", "truth")
# What the docks beside the board keep free until they are filled.
_SIDE_WIDTH = 250


class MainWindow(QMainWindow):
    """Board, players, moves, convergence, toolbar, menus and status line of one game.

    It is painted first with empty docks; ``fill_players`` and ``fill_moves`` are to follow at once.
    """

    players: PlayersPanel
    """There after ``fill_players``."""
    moves: MovesPanel
    """There after ``fill_moves``."""

    closing = Signal()
    """The person closes the window; the window is still there to be asked for its state."""

    def __init__(self, controller: GameController, *, overlay: bool = True, number: str = "share") -> None:
        super().__init__()
        self.setWindowTitle("nimdesk")
        self._controller = controller
        self._number, self._animated = number, True
        self._truth: Truth | None = None
        self.colors = MoveColors()
        self.plots = PlotHolder(self.colors)
        self.actions_by_name = ActionSet(self)
        self.area = BoardArea(controller.position.game)
        self.modes = Modes(self, self.actions_by_name, self.area)
        self.setCentralWidget(self.modes.stack)
        self.menuBar().setCornerWidget(self.modes)
        self.status = SearchStatus()
        self.setStatusBar(self.status)
        self._docks = [
            self._dock("Players", _place(), Qt.DockWidgetArea.RightDockWidgetArea),
            self._dock("Moves", _place(), Qt.DockWidgetArea.RightDockWidgetArea),
            self._dock("Convergence", self.plots, Qt.DockWidgetArea.BottomDockWidgetArea),
        ]
        where = self.area, self.status, self.plots
        self.search = ShownSearch(controller, self.colors, where, overlay=overlay, parent=self)
        self._make_toolbar()
        self._connect(overlay)
        self._adopt_board()
        self._on_game_replaced()
        self._on_position(False)
        self._on_state()
        self.actions_by_name.draw_now(_TOOLBAR)
        self.reset_layout()
        LOOK.changed.connect(self._on_look)

    # Building

    def _dock(self, title: str, widget: QWidget, area: Qt.DockWidgetArea) -> QDockWidget:
        dock = QDockWidget(title, self)
        dock.setObjectName(title)
        dock.setWidget(widget)
        self.addDockWidget(area, dock)
        return dock

    def fill_players(self) -> None:
        """Put the players into their dock: their forms take longer than all that is seen before them."""
        from nimdesk.ui.play.players import PlayersPanel  # lazy: not before the first paint

        game = self._controller.game
        self.players = PlayersPanel(game.game, game.players)
        self.players.player_changed.connect(self._controller.set_player)
        self._controller.game_replaced.connect(self._show_players)
        self._controller.players_changed.connect(self._show_players)
        self._fill(0, self.players)

    def fill_moves(self) -> None:
        """Put the moves into their dock."""
        from nimdesk.ui.play.moves import MovesPanel  # lazy: not before the first paint

        navigation = tuple(self.actions_by_name[name] for name in ("first", "previous", "next", "last"))
        self.moves = MovesPanel(navigation)
        self.moves.jump_requested.connect(self._controller.jump)
        self._controller.position_changed.connect(self._show_moves)
        self._show_moves()
        self._fill(1, self.moves)

    def _fill(self, dock: int, panel: QWidget) -> None:
        place = self._docks[dock].widget()
        self._docks[dock].setWidget(panel)
        place.deleteLater()

    def _make_toolbar(self) -> None:
        self.toolbar = QToolBar("Toolbar", self)
        self.toolbar.setObjectName("Toolbar")
        self.toolbar.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.toolbar.setMovable(False)
        for name in _TOOLBAR:
            if name in ("undo", "suggest", "pause", "truth"):
                self.toolbar.addSeparator()
            self.toolbar.addAction(self.actions_by_name[name])
        self.addToolBar(self.toolbar)

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
            ("reset_layout", self.reset_layout),
            ("quit", self.close),
            ("focus_board", self._focus_board),
        ):
            actions.connect(name, slot)
        actions["overlay"].setChecked(overlay)
        actions["overlay"].toggled.connect(self.search.set_overlay)
        actions["freeze"].toggled.connect(self.plots.set_paused)
        self.plots.paused_changed.connect(actions["freeze"].setChecked)
        self.plots.move_hovered.connect(self._on_plot_hover)
        self.area.board_replaced.connect(self._adopt_board)
        controller.game_replaced.connect(self._on_game_replaced)
        controller.position_changed.connect(self._on_position)
        controller.state_changed.connect(self._on_state)
        controller.suggestion_changed.connect(self._on_suggestion)

    def _adopt_board(self) -> None:
        board = self.area.board
        board.set_overlay_style(self._number)
        board.set_animation_enabled(self._animated)
        board.set_truth(self._truth)
        board.move_chosen.connect(self._controller.human_move)
        board.move_hovered.connect(self.plots.set_highlight)

    # Following the controller

    def _on_game_replaced(self) -> None:
        game = self._controller.game
        self.area.show_game(game.game)
        self.setWindowTitle(f"{game.game.title} – nimdesk")
        # A frozen plot would go on showing a search of the game before.
        self.plots.set_paused(False)

    def _on_position(self, animate: bool) -> None:
        board = self.area.board
        board.set_overlay(None)
        board.set_position(self._controller.position, animate=animate and self._animated)
        board.set_suggestion(self._controller.suggestion)

    def _show_moves(self) -> None:
        self.moves.show_game(self._controller.game)

    def _show_players(self) -> None:
        self.players.show_game(self._controller.game.game, self._controller.game.players)

    def _on_state(self) -> None:
        controller, actions = self._controller, self.actions_by_name
        state, game = controller.state, controller.game
        self.area.set_words(controller.headline, controller.notice)
        self.area.board.set_interactive(controller.person_to_move)
        searching = state in (State.THINKING, State.SUGGESTING)
        for name, enabled in (
            ("undo", game.undo_target() != game.cursor),
            ("redo", game.can_redo),
            ("suggest", state in (State.HUMAN, State.PAUSED)),
            ("move_now", searching),
            ("stop", searching),
            ("pause", state is State.THINKING and not controller.paused),
            ("continue", state is State.PAUSED),
            ("step", state is State.PAUSED),
            ("first", game.can_undo),
            ("previous", game.can_undo),
            ("next", game.can_redo),
            ("last", game.can_redo),
        ):
            actions[name].setEnabled(enabled)

    def _on_suggestion(self) -> None:
        self.area.board.set_suggestion(self._controller.suggestion)

    def _on_plot_hover(self, move: Move | None) -> None:
        self.area.board.set_highlight(move)

    # What a person sets

    def show_truth(
        self, truth: Truth | None, of_search: Truth | None, wanted: bool, sentence: str, explanation: str
    ) -> None:
        """Show what is proven, on the board and of the search shown (None: nothing), and the line if wanted."""
        self._truth = truth
        self.area.board.set_truth(truth)
        self.plots.set_truth(of_search)
        self.area.set_truth_words(wanted, sentence, explanation)

    def set_number(self, number: str) -> None:
        """Which number a move shows on the board: ``share``, ``visits``, ``value`` or ``none``."""
        self._number = number
        self.area.board.set_overlay_style(number)

    def set_animated(self, animated: bool) -> None:
        """Whether moves are animated."""
        self._animated = animated
        self.area.board.set_animation_enabled(animated)

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

    # The layout

    def reset_layout(self) -> None:
        """All docks where they were at first, sized for the screen."""
        arrange_docks(self, self._docks, self.toolbar)

    def layout_state(self) -> tuple[str, str]:
        """Geometry and docks as text, for ``restore_layout``."""
        return as_text(self.saveGeometry()), as_text(self.modes.docks_state())

    def restore_layout(self, geometry: str, docks: str) -> None:
        """What ``layout_state`` gave; nonsense changes nothing."""
        restore_docks(self, geometry, docks)

    @property
    def docks(self) -> list[QDockWidget]:
        """Players, moves and convergence."""
        return self._docks

    def closeEvent(self, event: QCloseEvent) -> None:
        self.closing.emit()
        event.accept()


def _place() -> QWidget:
    """What a dock holds until it is filled."""
    place = QWidget()
    place.setMinimumWidth(_SIDE_WIDTH)
    return place
