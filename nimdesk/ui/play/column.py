"""The left half of the Play page: the board between the two players' cards, the evaluation beside it, words below."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QWheelEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from nimdesk.agents import Agent
from nimdesk.games import Side
from nimdesk.games.truth import Truth
from nimdesk.games.truth_words import told
from nimdesk.play.ending import Ending, ending
from nimdesk.play.words import (
    CardWords,
    about_player,
    budget_used,
    person_side,
    player_name,
    result_words,
    search_state,
    seconds_words,
)
from nimdesk.play.worth import worth_now
from nimdesk.search import Snapshot
from nimdesk.ui.boards import BoardPlace
from nimdesk.ui.look.actions import ActionSet
from nimdesk.ui.look.widgets import TruthLine, label
from nimdesk.ui.play.action_row import ActionRow
from nimdesk.ui.play.card import PlayerCard
from nimdesk.ui.play.controller import GameController, State
from nimdesk.ui.play.evaluation import EvaluationBar
from nimdesk.ui.play.searching import FOLLOWED, slowed_s

if TYPE_CHECKING:
    from nimdesk.play.review import MoveReview

_TICK_MS, _CLOCK_MS = 100, 1000
_CLOCK_S = 10.0
"""From so many seconds on a person's card shows the clock of the turn."""
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
        self._snapshot: Snapshot | None = None
        self._busy = False
        self._began: float | None = None
        """When the search under way began, once it has shown something; what prepares it spends no budget."""
        self._headline = self._sentence = ""
        self._proven: tuple[Truth | None, ...] = ()
        self._reviewed: tuple[MoveReview, ...] = ()
        self._ending = Ending()
        self.place = BoardPlace(controller.position.game)
        # In a small window with large type the board gives way, so that every sentence is whole.
        self.place.setMinimumHeight(_LEAST_BOARD)
        self.evaluation = EvaluationBar()
        self.above, self.below = PlayerCard(), PlayerCard()
        self.row = ActionRow(actions)
        self._notice, self.truth_line = label(role="notice", wrap=True), TruthLine()
        self._lay_out()
        self._tick = QTimer(self)
        self._tick.timeout.connect(self._show_cards)
        for card in (self.above, self.below):
            card.clicked.connect(partial(self._on_card, card))
        controller.state_changed.connect(self._on_state)
        controller.players_changed.connect(self._arrange)
        controller.game_replaced.connect(self._on_game)
        self.place.board_replaced.connect(self._watch_board)
        self._turned = 0
        self._watch_board()
        self._arrange()

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
        words.addWidget(self._notice)
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

    # What the window tells it

    def set_words(self, headline: str, notice: str) -> None:
        """The state of the game in one phrase, which the cards say, and the sentence below the board."""
        self._headline, self._sentence = headline, notice
        self._show_notice()

    def show_proven(self, proven: tuple[Truth | None, ...]) -> None:
        """Say what decided the game with what is proven of its positions, while there is nothing else to say."""
        self._proven = proven
        self._show_notice()
        self._show_score()

    def show_reviewed(self, reviewed: tuple[MoveReview, ...]) -> None:
        """The same with what a review found, of all moves of the game; empty: there is none."""
        self._reviewed = reviewed
        self._show_notice()

    @property
    def try_from(self) -> int | None:
        """After how many moves to try again, where the game is over and that is known."""
        return self._ending.try_from

    def _show_notice(self) -> None:
        over = self._controller.state is State.OVER
        game = self._controller.game
        of_game = [each.move for each in self._reviewed] == [ply.move for ply in game.plies]
        self._ending = ending(game, self._proven, self._reviewed if of_game else ()) if over else Ending()
        text = self._sentence or self._ending.sentence
        if over and not self._sentence:
            text = f"{self._headline}. {text}".strip()
        if text != self._notice.text():
            self._notice.setText(text)

    @property
    def words(self) -> tuple[str, str]:
        """The state in one phrase, and the sentence, as they were told."""
        return self._headline, self._sentence

    @property
    def said(self) -> str:
        """What stands below the board."""
        return self._notice.text()

    def show_search(self, snapshot: Snapshot | None) -> None:
        """Show the figures of the search that all of this frame shows."""
        self._snapshot = snapshot
        if self._began is None and snapshot is not None and snapshot.position == self._controller.position:
            self._began = time.monotonic() - snapshot.elapsed_s
        self._show_cards()
        self._show_score()

    def card(self, side: Side) -> PlayerCard:
        """The card of this side."""
        return self.above if self.above.side == side else self.below

    # Following the game

    def _on_game(self) -> None:
        self._snapshot, self._proven = None, ()
        self._arrange()

    def _arrange(self) -> None:
        """The person sits below; where there is none, or two, whoever began."""
        person = person_side(self._controller.game.players)
        self.below.side = Side.FIRST if person is None else person
        self.above.side = self.below.side.other
        self._wear_colors()
        self._show_cards()
        self._show_score()

    def _on_state(self) -> None:
        busy = self._controller.busy
        if busy and not self._busy:
            self._began = None
        self._busy = busy
        wanted_ms = _TICK_MS if busy else _CLOCK_MS
        if not self._controller.game.clock.runs:
            self._tick.stop()
        elif not self._tick.isActive() or self._tick.interval() != wanted_ms:
            self._tick.start(wanted_ms)
        self._show_cards()
        self._show_score()

    def _show_cards(self) -> None:
        for card in (self.above, self.below):
            card.show_words(self._card_words(card.side))

    def _card_words(self, side: Side) -> CardWords:
        controller = self._controller
        game, position = controller.game, controller.position
        player, state = game.players[side], controller.state
        name = player_name(game.players, side, game.game)
        side_name = game.game.side_name(side)
        slow_s = slowed_s(player, controller.slow_motion_s) if isinstance(player, Agent) else 0.0
        about = "A person" if name == side_name else about_player(player, side_name, slow_s)
        if state is State.OVER:
            result = result_words(game.result, side)
            return CardWords(name, about, result, active=result == "Won", loud=True)
        if position.turn != side:
            last = self._last_search(side)
            return CardWords(name, about, search_state(last, running=False) if last is not None else "")
        used_s = game.clock.used_s(game.node)
        if not isinstance(player, Agent):
            clock = f" · {seconds_words(used_s)}" if used_s >= _CLOCK_S else ""
            return CardWords(name, about, f"{'Your turn' if name == 'You' else 'To move'}{clock}", active=True)
        snapshot = self._snapshot if self._snapshot is not None and self._snapshot.position == position else None
        if state is not State.THINKING:
            figures = "" if snapshot is None else search_state(snapshot, running=False)
            waiting = f"Paused · {figures}" if figures and game.at_end else figures or "Waiting"
            return CardWords(name, about, waiting, active=True)
        if snapshot is None:
            doing = "getting ready" if controller.preparing else f"thinking · {seconds_words(used_s)}"
            return CardWords(name, about, doing, active=True, used=0.0)
        words = search_state(
            snapshot, running=snapshot.stopped is None, slow=slow_s > 0 and snapshot.iterations < FOLLOWED
        )
        elapsed = 0.0 if self._began is None else time.monotonic() - self._began
        used = budget_used(player, snapshot, max(elapsed, snapshot.elapsed_s), slow_s)
        return CardWords(name, about, words or f"thinking · {seconds_words(used_s)}", active=True, used=used)

    def _last_search(self, side: Side) -> Snapshot | None:
        """The search behind the last move on the board, if this side played it."""
        game = self._controller.game
        return game.analysis(game.cursor) if game.cursor and (game.cursor - 1) % 2 == side else None

    def _show_score(self) -> None:
        game, below = self._controller.game, self.below.side
        truth = self._proven[game.cursor] if game.cursor < len(self._proven) else None
        worth = worth_now(self._controller.position, self._snapshot, truth)
        if worth is None:
            self.evaluation.show_score(None, "Nothing estimates what this game is worth", below=below, exact=False)
            return
        score, name = worth.of(below), player_name(game.players, below, game.game)
        kind = "proven" if worth.exact else "estimated by the search shown"
        words = told("score", who=name, score=f"{score:.2f}", kind=kind)
        self.evaluation.show_score(score, words, below=below, exact=worth.exact)

    # Stepping through the moves

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Turning the wheel looks at earlier and later moves; a search that runs is left in peace."""
        event.accept()
        if self._controller.busy:
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
