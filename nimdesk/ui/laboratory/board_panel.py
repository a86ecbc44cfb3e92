"""The panes of the position studied: its text, its board at the moment shown, and what is proven of it and why."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import cast

from PySide6.QtCore import QEvent, QObject, Qt, QUrl, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLineEdit, QTextBrowser, QVBoxLayout, QWidget

from nimdesk.errors import NimdeskError
from nimdesk.formats import Asked, read_position
from nimdesk.games import AnyPosition, Move
from nimdesk.play.laboratory import LabShown
from nimdesk.ui.boards import BoardPlace, board_kit
from nimdesk.ui.boards.theory import theory_html, verdict_sentence
from nimdesk.ui.laboratory.model import Laboratory
from nimdesk.ui.laboratory.run_bar import button_for, icon_button_for
from nimdesk.ui.laboratory.studied import Place
from nimdesk.ui.look.actions import ActionSet
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.look.widgets import TruthLine, TruthRow, arrange, keyless, label, tip


class PositionBar(QWidget):
    """Back, forward, parent; the position as text to read, copy and type; editing it."""

    def __init__(self, place: Place, actions: ActionSet) -> None:
        super().__init__()
        self._place, self._told = place, ""
        self.text = QLineEdit()
        self.text.setAccessibleName("Position as text")
        self.text.setToolTip("The position: a game and the moves played. Type another and press Enter")
        self.text.returnPressed.connect(self._go)
        self.text.installEventFilter(self)
        self.problem, self.told = label(role="problem", wrap=True), label(role="muted", wrap=True)
        self.problem.hide()
        self.told.hide()
        before = [icon_button_for(actions, name) for name in ("lab_back", "lab_forward", "lab_parent")]
        behind = [button_for(actions, name) for name in ("lab_edit", "lab_play_from")]
        row = arrange(QHBoxLayout(), *before, self.text, *behind, wide=self.text, spacing=4)
        arrange(QVBoxLayout(self), row, self.problem, self.told, spacing=2)
        actions.connect("lab_back", place.back)
        actions.connect("lab_forward", place.forward)
        actions.connect("lab_parent", place.to_parent)

    def show_moment(self, now: LabShown) -> None:
        """Show the position as text, unless it is there: a person may be typing another one."""
        if now.at.position.text != self._told:
            self._tell()

    def _tell(self) -> None:
        """Show the position studied, whatever was typed."""
        self._told = self._place.position.text
        self.text.setText(self._told)
        self.text.setCursorPosition(0)
        self._say("")

    def _go(self) -> None:
        try:
            position, told = read_position(self.text.text(), Asked(self._place.position.game))
        except NimdeskError as error:
            self._say(str(error))
        else:
            self._place.go_to(position)
            self._tell()
            self.told.setText(told)
            self.told.setVisible(bool(told))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # Left without Enter, or cancelled: a text that is not studied must not stay there. A person who opens the
        # field's menu or another window comes back.
        back = (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.ActiveWindowFocusReason)
        if event.type() == QEvent.Type.FocusOut and cast(QFocusEvent, event).reason() not in back:
            self._tell()
        elif event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            self._tell()
            self.text.selectAll()
            return True
        return super().eventFilter(watched, event)

    def _say(self, problem: str) -> None:
        self.told.hide()
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))


class BoardPanel(BoardPlace):
    """Words and the board: a move chosen there leads to its position, and all panels share the move pointed at."""

    def __init__(self, model: Laboratory, actions: ActionSet) -> None:
        super().__init__(model.place.position.game)
        self._model = model
        self.taker: Callable[[Move], bool] = lambda _move: False
        """Asked first about a move chosen on the board; where it takes the move, as an answer, it is not played."""
        self.headline, self.sentence, self.truth_line = label(role="headline"), label(role="notice"), TruthLine()
        row = TruthRow(self.truth_line, actions["lab_win_back"], actions["lab_win_on"])
        for place, words in enumerate((self.headline, self.sentence, row)):
            self._layout.insertWidget(place, words)
        self.headline.setWordWrap(True)
        self.sentence.setWordWrap(True)
        for name, by in (("lab_win_on", 1), ("lab_win_back", -1)):
            actions.connect(name, partial(self._step, by))
        # Room for a long sentence, so that the board does not jump when one comes.
        self.sentence.setMinimumHeight(3 * self.sentence.fontMetrics().lineSpacing())
        self._layout.setContentsMargins(12, 10, 12, 8)
        self.board_replaced.connect(self._adopt_board)
        self._adopt_board()

    def _adopt_board(self) -> None:
        self.board.move_chosen.connect(self._on_chosen)
        self.board.move_hovered.connect(self._model.pointing.point_on_board)

    def _step(self, by: int) -> None:
        self._model.pointing.step_in_win(self._model.shown.at.known, by)

    def _on_chosen(self, move: Move) -> None:
        if not self.taker(move):
            self._model.place.play(move)

    def show_moment(self, now: LabShown) -> None:
        """Show the position with the search and what is proven; a step forward is seen to happen."""
        position, before = now.at.position, self.board.position
        forward = position.game == before.game and position.moves[:-1] == before.moves and position.ply > 0
        self.show_board(now.board, self._model.colors, animate=forward)

    def show_words(self, now: LabShown) -> None:
        """Say whose turn it is, what the search has come to and what is proven."""
        self.headline.setText(now.headline)
        self.sentence.setText(now.sentence)
        self.truth_line.tell(*now.truth)


class TheoryPanel(QWidget):
    """Follows the position, its truth and the moment shown. Moves are links: pointing marks them, Enter plays them."""

    certificate_wanted = Signal(object)
    """The person wants to play against the certificate of this position."""

    def __init__(self, model: Laboratory) -> None:
        super().__init__()
        self._model = model
        self._position = model.place.position
        self._html = ""
        self.verdict = label(wrap=True)
        self.other = QCheckBox()
        self.other.toggled.connect(self._draw)
        self.text = QTextBrowser()
        self.text.setAccessibleName("Theory of the position")
        self.text.setOpenLinks(False)
        self.text.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.text.anchorClicked.connect(self._on_link)
        self.text.highlighted.connect(self._on_pointed)
        head = arrange(QHBoxLayout(), self.verdict, self.other, wide=self.verdict)
        arrange(QVBoxLayout(self), head, self.text, wide=self.text, margins=(8, 6, 8, 4), spacing=4)
        LOOK.changed.connect(self._take_look)

    def _take_look(self) -> None:
        self._html = ""
        self._draw()

    def _other_rule(self) -> tuple[str, AnyPosition] | None:
        position = self._model.place.position
        return None if position.outcome is not None else board_kit(position.game).other_rule(position)

    def show_moment(self, now: LabShown) -> None:
        """Show what is proven of the position, and what it says of the search."""
        if now.at.position != self._position:
            self._position = now.at.position
            self.other.setChecked(False)
        self._draw()

    def _draw(self) -> None:
        if not self.isVisible():
            return
        at = self._model.shown.at
        truth, line = at.known.truth, at.known.line
        other = self._other_rule()
        self.other.setVisible(other is not None and line.wanted)
        if other is not None:
            self.other.setText(keyless(f"As in {other[0]}"))
            self.other.setToolTip(tip(f"What would change in {other[0]}; the position studied stays"))
        html = "<p>What is proven is hidden. Truth (Ctrl+T) shows it.</p>"
        if line.wanted:
            compared = other is not None and self.other.isChecked()
            sentence = line.sentence.removeprefix("Truth: ")
            html = theory_html(at.position, truth, sentence, proving=at.proving, other=compared)
        if html != self._html:
            self._html = html
            place = self.text.verticalScrollBar().value()
            self.text.setHtml(f"<style>a {{ color: {LOOK.theme.accent}; }}</style>{html}")
            self.text.verticalScrollBar().setValue(place)
        sentence = verdict_sentence(at.state, truth, by_mean=at.focused.agent.choice_rule == "mean")
        if sentence != self.verdict.text():
            self.verdict.setText(sentence)
            self.verdict.setVisible(bool(sentence))

    def _on_link(self, url: QUrl) -> None:
        if url.scheme() == "rule" and (other := self._other_rule()) is not None:
            self._model.place.go_to(other[1])
        elif url.scheme() == "certificate":
            self.certificate_wanted.emit(self._model.place.position)
        elif (move := self._move(url)) is not None:
            self._model.place.play(move)

    def _on_pointed(self, url: QUrl) -> None:
        self._model.pointing.point(self._move(url))

    def _move(self, url: QUrl) -> Move | None:
        if url.scheme() != "move":
            return None
        try:
            return self._model.place.position.parse_move(url.path())
        except NimdeskError:
            return None
