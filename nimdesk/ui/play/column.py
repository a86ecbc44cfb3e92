"""The left half of the Play page: the board between the two players' cards, the evaluation beside it, words below."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QWheelEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from nimdesk.games import Side
from nimdesk.play.shown import Shown
from nimdesk.ui.boards import BoardPlace
from nimdesk.ui.look.actions import ActionSet
from nimdesk.ui.look.widgets import TruthLine, label
from nimdesk.ui.play.action_row import ActionRow
from nimdesk.ui.play.card import EvaluationBar, PlayerCard
from nimdesk.ui.play.controller import GameController

_LEAST_BOARD = 100
_NOTCH = 120
"""How far one step of a wheel turns, as Qt counts."""
_ARROWS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
_WITH = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.ShiftModifier


class BoardColumn(QWidget):
    """The opponent's card, the board as large as it can be, one's own card, and the row of actions."""

    player_pressed = Signal(object)
    """The card of this ``Side`` was pressed."""

    def __init__(self, controller: GameController, actions: ActionSet, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self.place = BoardPlace(controller.position.game)
        # In a small window with large type the board gives way, so that every sentence is whole.
        self.place.setMinimumHeight(_LEAST_BOARD)
        self.evaluation = EvaluationBar()
        self.above, self.below = PlayerCard(Side.SECOND), PlayerCard(Side.FIRST)
        self.row = ActionRow(actions)
        self._sentence, self.truth_line = label(role="notice", wrap=True), TruthLine()
        self._lay_out()
        for card in (self.above, self.below):
            card.clicked.connect(partial(self._on_card, card))
        self.place.board_replaced.connect(self._watch_board)
        self._turned = 0
        self._watch_board()

    def _lay_out(self) -> None:
        middle = QHBoxLayout()
        middle.setSpacing(8)
        middle.addWidget(self.evaluation)
        middle.addWidget(self.place, 1)
        self._words = QWidget()
        self._keep_lines()
        words = QVBoxLayout(self._words)
        words.setContentsMargins(2, 0, 2, 0)
        words.setSpacing(0)
        words.addWidget(self.truth_line)
        words.addWidget(self._sentence)
        words.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(self.above)
        layout.addLayout(middle, 1)
        layout.addWidget(self._words)
        layout.addWidget(self.below)
        layout.addWidget(self.row)

    def _keep_lines(self) -> None:
        """Room for two lines at all times, so that the board does not jump when there is more to say."""
        self._words.setMinimumHeight(2 * self.fontMetrics().lineSpacing())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._keep_lines()

    def show_moment(self, shown: Shown) -> None:
        """Show what the cards, the evaluation and the sentence below the board say at this moment."""
        if self.below.side != shown.below:
            self.below.side, self.above.side = shown.below, shown.below.other
            self._wear_colors()
        for card in (self.above, self.below):
            card.show_words(shown.cards[card.side])
        score = shown.score
        self.evaluation.show_score(score.score, score.words, below=shown.below, exact=score.exact)
        if shown.sentence != self._sentence.text():
            self._sentence.setText(shown.sentence)

    @property
    def said(self) -> str:
        """What stands below the board."""
        return self._sentence.text()

    def card(self, side: Side) -> PlayerCard:
        """The card of this side."""
        return self.above if self.above.side == side else self.below

    # Stepping through the moves

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Turning the wheel looks at earlier and later moves; a search that runs is left in peace."""
        event.accept()
        if self._controller.thinking.busy:
            return
        self._turned += event.angleDelta().y()
        steps = int(self._turned / _NOTCH)
        self._turned -= steps * _NOTCH
        if steps:
            self._controller.jump(self._controller.game.cursor - steps)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """On the board of a game that is over the arrows step, until Enter asks for the cursor."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and self._reviewing:
            step = _ARROWS.get(Qt.Key(event.key()))
            if step is not None and not event.modifiers() & _WITH:
                self._controller.jump(self._controller.game.cursor + step)
                return True
        return super().eventFilter(watched, event)

    @property
    def _reviewing(self) -> bool:
        over = self._controller.game.last_position.outcome is not None
        return over and not self.place.board.cursor_shown

    def _watch_board(self) -> None:
        self.place.board.installEventFilter(self)
        self.place.board.rule_told = True
        self._wear_colors()

    def _wear_colors(self) -> None:
        """The sides look beside the board as they do on it."""
        art = self.place.board.art
        for card in (self.above, self.below):
            card.set_piece(art.paint_side)
        self.evaluation.side_color = art.side_color
        self.evaluation.update()

    def _on_card(self, card: PlayerCard) -> None:
        self.player_pressed.emit(card.side)
