"""The Moves tab: the graph of the game above the list of its moves."""

from __future__ import annotations

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QVBoxLayout, QWidget

from nimdesk.games import Side
from nimdesk.games.truth import Truth
from nimdesk.play.words import person_side, player_name
from nimdesk.play.worth import estimates, exact_scores
from nimdesk.ui.jobs.truth import Judged
from nimdesk.ui.play.controller import GameController
from nimdesk.ui.play.graph import GameGraph
from nimdesk.ui.play.moves import MovesPanel


class GameTab(QWidget):
    """Follows the game; the graph is from the point of view of the person, or of whoever began."""

    def __init__(
        self,
        controller: GameController,
        navigation: tuple[QAction, ...],
        changes: tuple[QAction, ...],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._controller = controller
        self._proven: tuple[Truth | None, ...] = ()
        self.graph, self.moves = GameGraph(), MovesPanel(navigation, changes)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 6, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self.graph)
        layout.addWidget(self.moves, 1)
        self.graph.jump_requested.connect(controller.jump)
        self.moves.place_requested.connect(controller.look_at)
        controller.position_changed.connect(self._show)
        controller.players_changed.connect(self._show)
        self._show()

    def show_proven(self, judged: tuple[Judged | None, ...] | None, proven: tuple[Truth | None, ...]) -> None:
        """Show what is proven of the moves (None: nothing) and of the positions."""
        self.moves.show_judged(judged)
        if proven != self._proven:
            self._proven = proven
            self._show_worth()

    def _show(self) -> None:
        game = self._controller.game
        self.moves.show_game(game)
        names = (player_name(game.players, Side.FIRST, game.game), player_name(game.players, Side.SECOND, game.game))
        side = person_side(game.players) or Side.FIRST
        self.graph.show_game(tuple(ply.move.text for ply in game.plies), game.cursor, side, names)
        self._show_worth()

    def _show_worth(self) -> None:
        game = self._controller.game
        self.graph.show_worth(estimates(game), exact_scores(game, self._proven))
