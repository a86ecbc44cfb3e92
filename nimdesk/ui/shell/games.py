"""Games that come and go: begun anew, set up, opened and saved, copied and pasted, and shown from the other pages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtGui import QGuiApplication

from nimdesk import paths
from nimdesk.errors import NimdeskError
from nimdesk.games import AnyPosition, parse_position
from nimdesk.play import RECORD_SUFFIX, GameInProgress, Player
from nimdesk.ui.look.actions import PLAY
from nimdesk.ui.play.controller import GameController
from nimdesk.ui.play.searching import SearchService
from nimdesk.ui.shell.doors import LaboratoryDoor
from nimdesk.ui.shell.menus import Preferences
from nimdesk.ui.shell.window import MainWindow

_FILES = f"nimdesk games (*{RECORD_SUFFIX});;All files (*)"


class Games:
    """What the menu "Game" offers, and how a game or a position gets onto the screen."""

    def __init__(
        self,
        window: MainWindow,
        controller: GameController,
        service: SearchService,
        laboratory: LaboratoryDoor,
        preferences: Preferences,
    ) -> None:
        self._window, self._controller, self._service = window, controller, service
        self._laboratory, self._preferences = laboratory, preferences

    def connect(self, connect: Callable[[str, Callable[[], object]], object]) -> None:
        """Tie the actions to what they do."""
        connect("new_game", self.ask_new)
        connect("restart", lambda: self.start(self._controller.game.position_at(0)))
        connect("swap", self.swap)
        connect("open", self.ask_open)
        connect("save", self.ask_save)
        connect("copy", self.copy)
        connect("paste", self.paste)

    def start(self, position: AnyPosition, players: tuple[Player, Player] | None = None) -> None:
        """A new game from this position, with these players or those there are; in the laboratory, study it."""
        if self._laboratory.open:
            self._laboratory.study(position)
            return
        self._window.modes.show_mode(PLAY)
        self._controller.new_game(GameInProgress(position, players or self._controller.game.players))
        if position.outcome is None:
            self._service.warm_up(position, self._controller.suggester)
        self._window.area.board.setFocus()

    def swap(self) -> None:
        """The same game from the start, the players having changed sides."""
        game = self._controller.game
        first, second = game.players
        self._controller.new_game(GameInProgress(game.position_at(0), (second, first)))
        self._window.area.board.setFocus()

    def play_from(self, position: AnyPosition) -> None:
        """Leave the laboratory for a game from this position."""
        self._window.modes.show_mode(PLAY)
        self.start(position)

    def show(self, game: GameInProgress) -> None:
        """Put this game on the board, to be looked at; its computers wait."""
        self._window.modes.show_mode(PLAY)
        self._controller.new_game(game)
        self._controller.pause()
        self._window.area.board.setFocus()

    def ask_new(self) -> None:
        """The sheet for a new game; on another page than that of playing its players are for later."""
        from nimdesk.ui.play.new_game import NewGameSheet  # lazy: not before the first paint

        sheet = NewGameSheet(self._shown, self._controller.game.players, self._window)
        if sheet.exec():
            if self._window.modes.mode == PLAY:
                self.start(sheet.position, sheet.players)
            else:
                self.start(sheet.position)
        sheet.deleteLater()

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
        self._preferences.change(games_folder=str(path.parent))
        self.show(game)

    def ask_save(self) -> None:
        """Save this game to a file."""
        from nimdesk.ui.look.desktop import ask_save_path  # lazy: not before the first paint

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
        self._preferences.change(games_folder=str(path.parent))
        self._window.status.showMessage(f"Saved to {path}", 5000)

    def copy(self) -> None:
        """The position shown, as text, to the clipboard."""
        text = self._shown.text
        QGuiApplication.clipboard().setText(text)
        self._window.status.showMessage(f"Copied: {text}", 5000)

    def paste(self) -> None:
        """Start from the position whose text is on the clipboard."""
        try:
            self.start(parse_position(QGuiApplication.clipboard().text()))
        except NimdeskError as error:
            self._explain(f"Nothing was pasted. {error}")
        else:
            self._window.status.clearMessage()  # why nothing was pasted before

    @property
    def _shown(self) -> AnyPosition:
        """The position on the screen."""
        page = self._laboratory.page
        studied = page is not None and self._laboratory.open
        return page.model.place.position if page is not None and studied else self._controller.position

    @property
    def _folder(self) -> Path:
        return Path(self._preferences.now.games_folder or paths.documents_dir())

    def _warn(self, error: NimdeskError) -> None:
        from PySide6.QtWidgets import QMessageBox  # lazy: not before the first paint

        QMessageBox.warning(self._window, "nimdesk", str(error))

    def _explain(self, sentence: str) -> None:
        if self._window.modes.mode == PLAY:
            self._controller.explain(sentence)
        else:
            self._window.status.showMessage(sentence, 8000)
