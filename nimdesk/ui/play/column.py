"""The left half of the Play page: the board between the two players' cards, the evaluation beside it, words below."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from nimdesk.games import Game, Side
from nimdesk.play.shown import Shown
from nimdesk.ui.boards import BoardPlace
from nimdesk.ui.look.actions import ActionSet
from nimdesk.ui.look.widgets import TruthLine, TruthRow, label
from nimdesk.ui.play.card import EvaluationBar, PlayerCard
from nimdesk.ui.play.controller import GameController

ROW = (
    *("undo", "redo", "suggest", "move_now", "pause", "continue", "step", "stop"),
    *("truth", "quiet", "try_again", "restart", "swap"),
)
"""The actions that may stand in the row, by name, in order."""
_WORDED = ("try_again", "continue", "suggest", "move_now", "stop", "undo", "restart", "truth", "quiet", "pause", "swap")
"""Which of them have words beside their icons first, where not all can."""
# What stays to be seen while it cannot be used: a row of which everything goes and comes would jump about.
_ALWAYS = frozenset({"undo", "redo", "truth", "restart", "swap"})
_ICON, _PAD, _GAP, _APART = 18, 10, 11, 2
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
        self._truth_row = TruthRow(self.truth_line, actions["win_back"], actions["win_on"])
        self.end = EndRow(actions)
        self._lay_out()
        for card in (self.above, self.below):
            card.clicked.connect(partial(self._on_card, card))
        self.place.board_replaced.connect(self._watch_board)
        self._turned = 0
        self._worn: tuple[Side, Game] | None = None
        """Who sits below, and of which game the sides have the look: one board may show games with other pieces."""
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
        words.addWidget(self.end)
        words.addWidget(self._truth_row)
        words.addWidget(self._sentence)
        words.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(3)
        layout.addWidget(self.above)
        layout.addLayout(middle, 1)
        layout.addWidget(self._words)
        layout.addWidget(self.below)
        layout.addWidget(self.row)

    def _keep_lines(self) -> None:
        """Room at all times for three lines, and for how the game ended with two: the board stands still."""
        line = self.fontMetrics().lineSpacing()
        self._words.setMinimumHeight(max(line, self.end.sizeHint().height()) + 2 * line)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._keep_lines()

    def show_moment(self, shown: Shown) -> None:
        """Show what the cards, the evaluation and the sentence below the board say at this moment."""
        worn = shown.below, shown.board.position.game
        if worn != self._worn:
            self._worn = worn
            self.below.side, self.above.side = shown.below, shown.below.other
            self._wear_colors()
        for card in (self.above, self.below):
            card.show_words(shown.cards[card.side])
        score = shown.score
        self.evaluation.show_score(score.score, score.words, below=shown.below, exact=score.exact)
        self.evaluation.stand_beside(self.place.board.frame)
        self.end.tell(shown.result)
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
        if event.type() == QEvent.Type.Resize:
            self.evaluation.stand_beside(self.place.board.frame)
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


class EndRow(QWidget):
    """How the game ended, said large, and what one may want to do then; hidden while it goes on."""

    def __init__(self, actions: ActionSet, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = label(role="headline")
        self.title.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(self.title, 1)
        actions["review"].setIconText("Review")
        for name in ("review", "restart"):
            button = QToolButton()
            button.setDefaultAction(actions[name])
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            layout.addWidget(button)
        self.hide()

    def tell(self, result: str) -> None:
        """Say this; "" hides it."""
        if result != self.title.text():
            self.title.setText(result)
        self.setVisible(bool(result))


class ActionRow(QWidget):
    """Buttons for the actions of ``ROW`` that apply, with words as far as there is room, else with icons alone."""

    def __init__(self, actions: ActionSet, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._actions = actions
        self._buttons: dict[str, QToolButton] = {}
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(_APART)
        for name in ROW:
            button = QToolButton()
            button.setDefaultAction(actions[name])
            button.setAutoRaise(True)
            button.setIconSize(QSize(_ICON, _ICON))
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            self._buttons[name] = button
            layout.addWidget(button)
        layout.addStretch(1)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.show_applying()

    def button(self, name: str) -> QToolButton:
        """The button of this action."""
        return self._buttons[name]

    def show_applying(self, *, quiet: bool = False) -> None:
        """Show the buttons of what can be done now; of a ``quiet`` game the one that ends that, not the truth's."""
        for name, button in self._buttons.items():
            action: QAction = self._actions[name]
            shown = action.isEnabled() or name in _ALWAYS
            button.setVisible(shown and name != ("truth" if quiet else "quiet"))
        self._fit()

    def _shown(self) -> list[QToolButton]:
        return [button for button in self._buttons.values() if not button.isHidden()]

    def _fit(self) -> None:
        """Words beside the icons of as many as have room, the most important first."""
        style = Qt.ToolButtonStyle
        metrics = self.fontMetrics()
        # As large as the words beside it.
        icon = max(_ICON, round(1.2 * metrics.height()))
        shown = self._shown()
        room = self.width() - len(shown) * (icon + _PAD + _APART)
        for name in (*_WORDED, *(each for each in ROW if each not in _WORDED)):
            button = self._buttons[name]
            needed = metrics.horizontalAdvance(button.text()) + _GAP if button in shown else 0
            wanted = style.ToolButtonTextBesideIcon if needed <= room else style.ToolButtonIconOnly
            # What is less important has none either: words that stand out by their shortness say nothing.
            room = room - needed if needed <= room else 0
            if button.iconSize().height() != icon:
                button.setIconSize(QSize(icon, icon))
            if button.toolButtonStyle() != wanted:
                button.setToolButtonStyle(wanted)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()
