"""The middle of the window: whose turn it is in words, and the board below."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from nimdesk.games import Game
from nimdesk.ui.boards import BoardView, board_for
from nimdesk.ui.look.widgets import label


class BoardArea(QWidget):
    """Headline, one sentence, and the board of the current game."""

    board_replaced = Signal()
    """``board`` is another widget: connect it and tell it everything."""
    first_painted = Signal()
    """The board was painted for the first time, and the paint has reached the screen."""

    def __init__(self, game: Game, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._headline = label(role="headline", wrap=True)
        self._notice = label(role="notice", wrap=True)
        self.keep_lines(2)
        self._truth = label(role="truth", wrap=True)
        self._truth.hide()
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(12, 10, 12, 8)
        self._layout.setSpacing(4)
        self._layout.addWidget(self._headline)
        self._layout.addWidget(self._notice)
        self._layout.addWidget(self._truth)
        self.board: BoardView = board_for(game, self)
        self._layout.addWidget(self.board, 1)
        self._painted = False
        self.board.installEventFilter(self)

    def keep_lines(self, count: int) -> None:
        """Keep so many lines free for the sentence, so that the board does not jump when a longer one comes."""
        self._notice.setMinimumHeight(count * self._notice.fontMetrics().lineSpacing())

    def show_game(self, game: Game) -> None:
        """A board for this game; the one there is stays if it suits."""
        if isinstance(game, type(self.board.position.game)):
            return
        old = self.board
        self.board = board_for(game, self)
        self._layout.replaceWidget(old, self.board)
        # At once: a widget that is still hidden does not get the keyboard when its window becomes active again.
        self.board.show()
        old.hide()
        old.deleteLater()
        self.board_replaced.emit()

    def set_words(self, headline: str, notice: str) -> None:
        """Show the headline and the sentence below it."""
        if headline != self._headline.text():
            self._headline.setText(headline)
        if notice != self._notice.text():
            self._notice.setText(notice)

    def set_truth_words(self, wanted: bool, sentence: str, explanation: str) -> None:
        """Show the line about what is proven, if it is wanted; pointing at it tells why."""
        self._truth.setVisible(wanted)
        if sentence != self._truth.text():
            self._truth.setText(sentence)
        self._truth.setToolTip(f"<p>{explanation}</p>" if explanation else "")

    @property
    def words(self) -> tuple[str, str]:
        """The headline and the sentence shown."""
        return self._headline.text(), self._notice.text()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not self._painted and watched is self.board and event.type() == QEvent.Type.Paint:
            self._painted = True
            self.board.removeEventFilter(self)
            # From within the paint, so that it comes after the paint has been flushed.
            QTimer.singleShot(0, self.first_painted.emit)
        return False
