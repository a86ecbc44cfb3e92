"""The panes of the position studied: its text, its board at the moment shown, and what is proven of it and why."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLineEdit, QTextBrowser, QVBoxLayout, QWidget

from nimdesk.errors import NimdeskError
from nimdesk.games import AnyPosition, Move, parse_position
from nimdesk.games.base import describe_turn
from nimdesk.ui.boards import BoardArea, BoardView, board_kit
from nimdesk.ui.boards.base import OverlayItem, overlay_of
from nimdesk.ui.boards.theory import HIDDEN, theory_html, verdict_sentence
from nimdesk.ui.laboratory.bars import button_for, icon_button_for
from nimdesk.ui.laboratory.model import Laboratory
from nimdesk.ui.laboratory.studied import Place
from nimdesk.ui.look.actions import ActionSet
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.look.widgets import arrange, keyless, label, tip

_WORDS_MS = 250
"""The least time between two changes of a sentence while a search runs."""


class PositionBar(QWidget):
    """Back, forward, parent; the position as text to read, copy and type; editing it."""

    def __init__(self, place: Place, actions: ActionSet) -> None:
        super().__init__()
        self._place, self._actions = place, actions
        self.text = QLineEdit()
        self.text.setAccessibleName("Position as text")
        self.text.setToolTip("The position: a game and the moves played. Type another and press Enter")
        self.text.returnPressed.connect(self._go)
        self.text.installEventFilter(self)
        self.problem = label(role="problem", wrap=True)
        self.problem.hide()
        before = [icon_button_for(actions, name) for name in ("lab_back", "lab_forward", "lab_parent")]
        behind = [button_for(actions, name) for name in ("lab_edit", "lab_play_from")]
        row = arrange(QHBoxLayout(), *before, self.text, *behind, wide=self.text, spacing=4)
        arrange(QVBoxLayout(self), row, self.problem, spacing=2)
        actions.connect("lab_back", place.back)
        actions.connect("lab_forward", place.forward)
        actions.connect("lab_parent", place.to_parent)
        place.changed.connect(self._follow)
        self._follow()

    def _follow(self) -> None:
        self.text.setText(self._place.position.text)
        self.text.setCursorPosition(0)
        self._say("")
        self._actions["lab_back"].setEnabled(self._place.can_back)
        self._actions["lab_forward"].setEnabled(self._place.can_forward)
        self._actions["lab_parent"].setEnabled(bool(self._place.position.moves))

    def _go(self) -> None:
        try:
            position = parse_position(self.text.text())
        except NimdeskError as error:
            self._say(str(error))
        else:
            self._say("")
            self._place.go_to(position)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # Left without Enter, or cancelled: a text that is not studied must not stay there. A person who opens the
        # field's menu or another window comes back.
        back = (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.ActiveWindowFocusReason)
        if event.type() == QEvent.Type.FocusOut and cast(QFocusEvent, event).reason() not in back:
            self._follow()
        elif event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            self._follow()
            self.text.selectAll()
            return True
        return super().eventFilter(watched, event)

    def _say(self, problem: str) -> None:
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))


class BoardPanel(QWidget):
    """A move chosen on the board leads to its position; all panels share the move pointed at."""

    def __init__(self, model: Laboratory) -> None:
        super().__init__()
        self._model = model
        self._overlay, self._number, self._animated = True, "share", True
        self._items: dict[Move, OverlayItem] | None = None
        self._pairs: tuple[tuple[Move, Move], ...] = ()
        self._no_result_said = True
        self.steps = (self._read_results, self._draw_results)
        """The effects of a new result, to be done in this order, at once or in turns."""
        self.area = BoardArea(model.place.position.game)
        self.area.keep_lines(3)
        arrange(QVBoxLayout(self), self.area)
        self._words_timer = QTimer(self, singleShot=True, interval=_WORDS_MS)
        self._words_timer.timeout.connect(self._show_words)
        self.area.board_replaced.connect(self._adopt_board)
        model.place.changed.connect(self._show_position)
        model.searches.runs_changed.connect(self._show_all)
        model.clock.moment_changed.connect(self._show_all)
        model.searches.axis_changed.connect(self._show_words)
        model.searches.running_changed.connect(self._show_words)
        model.proof.truth_changed.connect(self._show_truth)
        model.pointing.changed.connect(self._show_pointed)
        model.pointing.line_changed.connect(self._show_line)
        LOOK.changed.connect(self.show_results)
        self._adopt_board()
        self._show_position()

    @property
    def board(self) -> BoardView:
        return self.area.board

    def set_overlay(self, shown: bool) -> None:
        """Set whether visit shares are drawn on the board."""
        self._overlay = shown
        self.show_results()

    def set_number(self, number: str) -> None:
        """Set the number that a move shows on the board."""
        self._number = number
        self.board.set_overlay_style(number)

    def set_animated(self, animated: bool) -> None:
        self._animated = animated
        self.board.set_animation_enabled(animated)

    def _adopt_board(self) -> None:
        board = self.board
        board.set_interactive(True)
        board.set_overlay_style(self._number)
        board.set_animation_enabled(self._animated)
        board.move_chosen.connect(self._model.place.play)
        board.move_hovered.connect(self._model.pointing.point)

    def _show_position(self) -> None:
        position, before = self._model.place.position, self.board.position
        self.area.show_game(position.game)
        # A step forward is animated; any other change is immediate.
        forward = position.game == before.game and position.moves[:-1] == before.moves and position.ply > 0
        self._items = None
        self.board.set_overlay(None)
        self.board.set_pairs(())
        self.board.set_line(())
        self.board.set_position(position, animate=forward and self._animated)
        self._show_truth()
        self._show_all()

    def _show_all(self) -> None:
        self.show_results()
        self._show_words()

    def show_results(self) -> None:
        for step in self.steps:
            step()

    def _read_results(self) -> None:
        snapshot = self._model.clock.shown() if self._overlay else None
        self._items = overlay_of(snapshot, self._model.searches.colors)
        self._pairs = () if snapshot is None else snapshot.pairs_at(self._model.place.position)

    def _draw_results(self) -> None:
        self.board.set_overlay(self._items)
        self.board.set_pairs(self._pairs)
        if self._no_result_said:
            self._show_words()
        elif not self._words_timer.isActive():
            self._words_timer.start()

    def _show_truth(self) -> None:
        proof = self._model.proof
        self.board.set_truth(proof.truth)
        self.area.truth_line.tell(proof.wanted, proof.sentence, proof.explanation)
        self._show_words()

    def _show_words(self) -> None:
        model = self._model
        sentence = model.sentence() if model.place.position.outcome is None else ""
        self._no_result_said = model.clock.shown() is None
        self.area.set_words(describe_turn(model.place.position), sentence)

    def _show_pointed(self, move: Move | None) -> None:
        # The board itself knows its own hover.
        self.board.set_highlight(move if move != self.board.hovered_move else None)

    def _show_line(self, line: tuple[Move, ...]) -> None:
        self.board.set_line(line)


class TheoryPanel(QWidget):
    """Follows the position, its truth and the moment shown. Moves are links: pointing marks them, Enter plays them."""

    certificate_wanted = Signal(object)
    """The person wants to play against the certificate of this position."""

    def __init__(self, model: Laboratory) -> None:
        super().__init__()
        self._model = model
        self._stale = True
        self._html = ""
        self.verdict = label(wrap=True)
        self.other = QCheckBox()
        self.other.toggled.connect(self._follow)
        self.text = QTextBrowser()
        self.text.setAccessibleName("Theory of the position")
        self.text.setOpenLinks(False)
        self.text.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.text.anchorClicked.connect(self._on_link)
        self.text.highlighted.connect(self._on_pointed)
        head = arrange(QHBoxLayout(), self.verdict, self.other, wide=self.verdict)
        arrange(QVBoxLayout(self), head, self.text, wide=self.text, margins=(8, 6, 8, 4), spacing=4)
        self._timer = QTimer(self, singleShot=True, interval=_WORDS_MS)
        self._timer.timeout.connect(self._follow_search)
        model.place.changed.connect(self._on_position)
        model.proof.truth_changed.connect(self._follow)
        for signal in (model.searches.results_changed, model.clock.moment_changed, model.searches.runs_changed):
            signal.connect(self._soon)
        LOOK.changed.connect(self._take_look)

    def _take_look(self) -> None:
        self._html = ""
        self._follow()

    def _other_rule(self) -> tuple[str, AnyPosition] | None:
        position = self._model.place.position
        return None if position.outcome is not None else board_kit(position.game).other_rule(position)

    def _soon(self) -> None:
        if not self._timer.isActive():
            self._timer.start()

    def _on_position(self) -> None:
        self.other.setChecked(False)
        self._follow()

    def _follow(self) -> None:
        if not self.isVisible():
            self._stale = True
            return
        self._stale = False
        model, position = self._model, self._model.place.position
        other = self._other_rule()
        self.other.setVisible(other is not None and model.proof.wanted)
        if other is not None:
            self.other.setText(keyless(f"As in {other[0]}"))
            self.other.setToolTip(tip(f"What would change in {other[0]}; the position studied stays"))
        html = f"<p>{HIDDEN}</p>"
        if model.proof.wanted:
            sentence = model.proof.sentence.removeprefix("Truth: ")
            compared = other is not None and self.other.isChecked()
            html = theory_html(position, model.proof.truth, sentence, other=compared)
        if html != self._html:
            self._html = html
            place = self.text.verticalScrollBar().value()
            self.text.setHtml(f"<style>a {{ color: {LOOK.theme.accent}; }}</style>{html}")
            self.text.verticalScrollBar().setValue(place)
        self._follow_search()

    def _follow_search(self) -> None:
        if not self.isVisible():
            return
        sentence = verdict_sentence(self._model.clock.shown(), self._model.proof.truth)
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

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._stale:
            self._follow()
