"""Games that come and go: opened from files and saved to them, copied and pasted as text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtGui import QGuiApplication

from nimdesk import paths
from nimdesk.errors import NimdeskError
from nimdesk.games import AnyPosition, parse_position
from nimdesk.play import RECORD_SUFFIX, GameInProgress
from nimdesk.ui.look.actions import PLAY
from nimdesk.ui.play.controller import GameController
from nimdesk.ui.shell.kept_settings import KeptSettings
from nimdesk.ui.shell.window import MainWindow

_FILES = f"nimdesk games (*{RECORD_SUFFIX});;All files (*)"


class GameFiles:
    """What the menu offers of the kind; what a file or the clipboard brings is handed to ``show`` or ``start``."""

    def __init__(
        self,
        window: MainWindow,
        controller: GameController,
        kept: KeptSettings,
        *,
        shown: Callable[[], AnyPosition],
        start: Callable[[AnyPosition], None],
        show: Callable[[GameInProgress], None],
    ) -> None:
        """``shown`` is the position on the screen, ``start`` begins a game from one, ``show`` one to be looked at."""
        self._window, self._controller, self._kept = window, controller, kept
        self._shown, self._start, self._show = shown, start, show

    def ask_open(self) -> None:
        """Open a saved game in place of this one."""
        from PySide6.QtWidgets import QFileDialog  # lazy: not before the first paint

        name, _ = QFileDialog.getOpenFileName(self._window, "Open a game", str(self._folder), _FILES)
        if name:
            self.open(Path(name))

    def open(self, path: Path) -> None:
        """Open this file; a broken one gives one sentence and changes nothing."""
        from nimdesk.play.record import load_game  # lazy: not before the first paint

        try:
            game = load_game(path)
        except NimdeskError as error:
            self._warn(error)
            return
        self._kept.change(games_folder=str(path.parent))
        self._show(game)

    def ask_save(self) -> None:
        """Save this game to a file."""
        from nimdesk.ui.look.saving import ask_save_path  # lazy: not before the first paint

        path = ask_save_path(self._window, "Save this game", self._folder / f"game{RECORD_SUFFIX}", _FILES)
        if path is not None:
            self.save(path)

    def save(self, path: Path) -> None:
        """Save to this file; a failure gives one sentence, and a file that was there stays."""
        from nimdesk.play.record import save_game  # lazy: not before the first paint

        try:
            save_game(self._controller.game, path)
        except NimdeskError as error:
            self._warn(error)
            return
        self._kept.change(games_folder=str(path.parent))
        self._window.status.showMessage(f"Saved to {path}", 5000)

    @property
    def _folder(self) -> Path:
        return Path(self._kept.now.games_folder or paths.documents_dir())

    def _warn(self, error: NimdeskError) -> None:
        from PySide6.QtWidgets import QMessageBox  # lazy: not before the first paint

        QMessageBox.warning(self._window, "nimdesk", str(error))

    def copy(self) -> None:
        """The position shown, as text, to the clipboard."""
        text = self._shown().text
        QGuiApplication.clipboard().setText(text)
        self._window.status.showMessage(f"Copied: {text}", 5000)

    def paste(self) -> None:
        """Start from the position whose text is on the clipboard."""
        try:
            self._start(parse_position(QGuiApplication.clipboard().text()))
        except NimdeskError as error:
            self._explain(f"Nothing was pasted. {error}")
        else:
            self._window.status.clearMessage()  # why nothing was pasted before

    def _explain(self, sentence: str) -> None:
        if self._window.modes.mode == PLAY:
            self._controller.explain(sentence)
        else:
            self._window.status.showMessage(sentence, 8000)
