"""The theory pane: what is proven of the position and why, beside what the search prefers."""

from __future__ import annotations

from PySide6.QtCore import QSize, QTimer, QUrl
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QTextBrowser, QVBoxLayout, QWidget

from nimdesk.errors import NimdeskError
from nimdesk.games import AnyPosition, Move
from nimdesk.ui.boards import board_kit
from nimdesk.ui.boards.theory import HIDDEN, theory_html, verdict_sentence
from nimdesk.ui.laboratory.model import Laboratory
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.look.widgets import label

_UPDATE_MS = 250
"""While a search runs the sentence changes no more often."""


class TheoryPanel(QWidget):
    """Follows the position, its truth and the moment shown. Moves are links: pointing marks them, Enter plays them."""

    def __init__(self, model: Laboratory, parent: QWidget | None = None) -> None:
        super().__init__(parent)
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
        head = QHBoxLayout()
        head.addWidget(self.verdict, 1)
        head.addWidget(self.other)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 6, 8, 4)
        layout.setSpacing(4)
        layout.addLayout(head)
        layout.addWidget(self.text, 1)
        self._timer = QTimer(self, singleShot=True, interval=_UPDATE_MS)
        self._timer.timeout.connect(self._follow_search)
        model.place.changed.connect(self._on_position)
        model.proof.changed.connect(self._follow)
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
        self.other.setVisible(other is not None and model.proof.shown)
        if other is not None:
            self.other.setText(f"As in {other[0]}")
            self.other.setToolTip(f"What would change in {other[0]}; the position studied stays")
        html = f"<p>{HIDDEN}</p>"
        if model.proof.shown:
            sentence = model.proof.words[0].removeprefix("Truth: ")
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

    def showEvent(self, event: object) -> None:
        super().showEvent(event)  # type: ignore[arg-type]
        if self._stale:
            self._follow()

    def sizeHint(self) -> QSize:
        return QSize(560, 190)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, 70)
