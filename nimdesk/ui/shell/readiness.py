"""Gets searches ready beside the window, and says in the status line what is compiled."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QToolButton

from nimdesk import compiler_process, compiling
from nimdesk.agents import Agent
from nimdesk.agents.warm_up import WarmUp
from nimdesk.compiling import Compiling
from nimdesk.ui.look.widgets import SearchStatus, tip
from nimdesk.ui.play.controller import GameController

_ABOUT = (
    "Searches are compiled once, and kept. A search that is not ready yet plays in Python, more slowly, until its "
    "compiled form takes over."
)
_ABOUT_IDLING = f"{_ABOUT} Click to stop; what is left is compiled when it is wanted."


class Readiness(QObject):
    """Follows the game on the board; begins with ``begin``, after the first paint."""

    _heard = Signal(object)
    _idled = Signal(int, int)

    def __init__(self, controller: GameController, status: SearchStatus, parent: QObject) -> None:
        super().__init__(parent)
        self.controller = controller
        self._warm_up: WarmUp | None = None
        self._listening = compiling.listening(self._heard.emit)
        self._now: Compiling | None = None
        self._done = self._total = 0
        self.button = QToolButton(autoRaise=True)
        """What is compiled, in the status line; hidden while nothing is. Pressed, it stops what nobody asked for."""
        self.button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.button.setStyleSheet("padding: 0 4px;")
        self.button.hide()
        self.button.clicked.connect(self._stop_idling)
        status.add_beside(self.button)
        # The signals are sent by other threads, and so heard in this one's turn.
        self._heard.connect(self._on_heard)
        self._idled.connect(self._on_idled)

    def begin(self) -> None:
        """From now on kernels are compiled in other processes, those of the game on the board first."""
        compiler_process.begin()
        self._listening.__enter__()
        self._warm_up = WarmUp(self._idled.emit)
        self._want()
        self.controller.game_replaced.connect(self._want)
        self.controller.players_changed.connect(self._want)

    def refuse(self) -> None:
        """No thread waits for a compilation from here on, nor begins one."""
        compiler_process.refuse()

    def end(self) -> None:
        """Wait for the threads, after ``refuse``."""
        if self._warm_up is not None:
            self._listening.__exit__(None, None, None)
            self._warm_up.end()
            compiler_process.end()

    @Slot()
    def _want(self) -> None:
        assert self._warm_up is not None
        game = self.controller.game
        players = [each for each in game.players if isinstance(each, Agent)]
        self._warm_up.want(self.controller.position, (*players, self.controller.suggester))

    @Slot()
    def _stop_idling(self) -> None:
        if self._total and self._warm_up is not None:
            self._warm_up.stop_idling()
            self._total = 0
            self._show()

    @Slot(object)
    def _on_heard(self, now: Compiling | None) -> None:
        self._now = now
        self._show()

    @Slot(int, int)
    def _on_idled(self, done: int, total: int) -> None:
        self._done, self._total = (0, 0) if done == total else (done, total)
        self._show()

    def _show(self) -> None:
        text = ""
        if self._total:
            text = f"Getting searches ready: {self._done} of {self._total}  ✕"
        elif self._now is not None:
            text = self._now.words[:1].upper() + self._now.words[1:]
        self.button.setText(text)
        self.button.setToolTip(tip(_ABOUT_IDLING if self._total else _ABOUT))
        self.button.setVisible(bool(text))
