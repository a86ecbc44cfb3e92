"""Games and other documents as files: opened and saved, dropped on the window, remembered, and named in its title."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtWidgets import QMenu

from nimdesk.disk import paths
from nimdesk.errors import NimdeskError, RecordError, shown
from nimdesk.play import RECORD_SUFFIX, GameInProgress
from nimdesk.ui.look.widgets import keyless
from nimdesk.ui.play.importing import ALL_GAMES, import_games
from nimdesk.ui.play.keeping import GameKeeper
from nimdesk.ui.shell.games import Games
from nimdesk.ui.shell.lessons import Lessons
from nimdesk.ui.shell.menus import Preferences
from nimdesk.ui.shell.other_pages import LaboratoryDoor
from nimdesk.ui.shell.proofs import Proofs
from nimdesk.ui.shell.window import MainWindow

_GAMES = f"nimdesk games (*{RECORD_SUFFIX})"
_BUNDLE_ENDING = ".json"
_TOLD_MS = 5000
_MOST_RECENT = 10


def _others(game: GameInProgress) -> list[str]:
    """The filters of a dialog for the formats of other programs that can hold this game."""
    from nimdesk.formats import FORMATS  # lazy: not before the first paint
    from nimdesk.play.exchange import record_of

    record, found = record_of(game), []
    for each in FORMATS:
        with suppress(NimdeskError):
            each.write([record])
            found += [f"{each.label} (*{ending})" for ending in each.endings]
    return found


class Files(QObject):
    """What the menu "Game" does with files."""

    def __init__(
        self,
        window: MainWindow,
        games: Games,
        keeper: GameKeeper,
        preferences: Preferences,
        laboratory: LaboratoryDoor,
        proofs: Proofs,
        lessons: Lessons,
    ) -> None:
        super().__init__(window)
        self._window, self._games, self._keeper = window, games, keeper
        self._laboratory, self._preferences, self._proofs = laboratory, preferences, proofs
        self._lessons = lessons
        # Queued until the drop is over: a question or a warning would keep the program that gave the file waiting.
        window.files_dropped.connect(self.take, Qt.ConnectionType.QueuedConnection)
        keeper.replaced.connect(self._name_window)
        keeper.changed.connect(self._name_window)
        self._name_window()

    def connect_actions(self, connect: Callable[[str, Callable[[], object]], object]) -> None:
        """Tie the actions to what they do."""
        connect("open", self.ask_open)
        connect("save", self.save_again)
        connect("save_as", self.ask_save)
        connect("paste", self.paste)

    # Opening

    def ask_open(self) -> None:
        """Open a game, saved here or by another program, a lesson, a bundle of the laboratory, or a certificate."""
        from PySide6.QtWidgets import QFileDialog  # lazy: not before the first paint

        every = f"All that nimdesk opens ({' '.join(f'*{ending}' for ending in (*paths.DOCUMENTS, *paths.GAMES))})"
        lessons, bundles = f"Lessons (*{paths.LESSONS})", f"Bundles of the laboratory (*{_BUNDLE_ENDING})"
        certificates = f"Certificates (*{paths.CERTIFICATES})"
        kinds = ";;".join((every, ALL_GAMES, _GAMES, lessons, bundles, certificates, "All files (*)"))
        name, _ = QFileDialog.getOpenFileName(self._window, "Open", str(self._folder), kinds)
        if name:
            self.open(Path(name))

    @Slot(object)
    def open(self, path: Path | str) -> None:
        """Open this file: by its ending lesson, bundle or certificate, else a game; a text in its place is a link.

        A broken file gives one sentence and changes nothing.
        """
        if isinstance(path, str):
            self._open_text(path)
            return
        if path.name.lower().endswith(paths.CERTIFICATES):
            self._proofs.open(path)
            return
        if path.name.lower().endswith(paths.LESSONS):
            self._lessons.open(path)
            return
        from nimdesk.play.exchange import first_words, read_games  # lazy: not before the first paint
        from nimdesk.play.record import is_saved_game

        if path.name.lower().endswith(_BUNDLE_ENDING) and not is_saved_game(path):
            self._open_bundle(path)
            return
        try:
            found = read_games(path)
        except NimdeskError as error:
            self._warn(error)
            return
        self._games.show(found.games[0])
        self._keep_name(path)
        if told := first_words(path, found):
            self._games.explain(told)

    def paste(self) -> None:
        """Open what was copied: a position, a link, a game as text, or a file."""
        from PySide6.QtGui import QGuiApplication  # lazy: not before the first paint

        clipboard = QGuiApplication.clipboard()
        copied = clipboard.mimeData()  # None on some platforms while nothing is there
        files = [Path(url.toLocalFile()) for url in (copied.urls() if copied else ()) if url.isLocalFile()]
        if files:
            self.take(files)
            return
        try:
            self._games.open_text(clipboard.text())
        except NimdeskError as error:
            self._games.explain(f"Nothing was pasted. {error}")

    def _open_text(self, text: str) -> None:
        try:
            self._games.open_text(text)
        except NimdeskError as error:
            self._warn(error)

    @Slot(object)
    def take(self, files: Sequence[Path]) -> None:
        """Open a file that was dropped or copied; several are games, which go into the library."""
        if len(files) == 1:
            self.open(files[0])
        elif files:
            import_games(self._keeper, files, self._games.explain)

    def _open_bundle(self, path: Path) -> None:
        from nimdesk.play.bundle import load_bundle  # lazy: not before the first paint

        try:
            bundle = load_bundle(path)
        except NimdeskError as error:
            self._warn(error)
            return
        if not self._laboratory.open:
            self._laboratory.study_game()
        self._laboratory.show_bundle(bundle, path.name)

    def fill_recent(self, menu: QMenu) -> None:
        """Fill this menu with the games opened or saved last, whenever it is opened."""
        recent = menu.addMenu("Open r&ecent")
        recent.aboutToShow.connect(partial(self._list_recent, recent))
        self._list_recent(recent)

    def _list_recent(self, menu: QMenu) -> None:
        menu.clear()
        files = self._preferences.now.recent_games[:_MOST_RECENT]
        for number, file in enumerate(files, 1):
            path = paths.path_of(file)
            letter = f"&{number} " if number < _MOST_RECENT else ""
            action = menu.addAction(f"{letter}{keyless(shown(path.name))}")
            action.setStatusTip(file)
            action.triggered.connect(partial(self._open_recent, file))
        menu.menuAction().setEnabled(bool(files))

    def _open_recent(self, file: str) -> None:
        path = paths.path_of(file)
        self.open(path)
        if not os.path.exists(path):
            left = [each for each in self._preferences.now.recent_games if each != file]
            self._preferences.change(recent_games=left)

    # Saving

    def save_again(self) -> None:
        """Save this game to its file; ask for one where it has none."""
        file = self._keeper.kept.file
        if file:
            self.save(paths.path_of(file))
        else:
            self.ask_save()

    def ask_save(self) -> None:
        """Save this game to a file that a person chooses."""
        from nimdesk.ui.look.desktop import ask_save_path  # lazy: not before the first paint

        kept = self._keeper.kept
        file, name = kept.file, paths.file_name(kept.game.game.title)
        start = paths.path_of(file) if file else self._folder / f"{name}{RECORD_SUFFIX}"
        kinds = ";;".join([_GAMES, *_others(kept.game), "All files (*)"])
        path = ask_save_path(self._window, "Save this game", start, kinds)
        if path is not None and kept is self._keeper.kept:
            self.save(path)
        elif path is not None:  # the file was meant for the game that was asked about
            self._warn(RecordError("Nothing was saved: another game has come onto the board meanwhile."))

    def save(self, path: Path) -> None:
        """Save to this file, in the format that its ending says.

        A failure gives one sentence, and a file that was there stays.
        """
        from nimdesk.formats import format_for  # lazy: not before the first paint
        from nimdesk.play.exchange import write_games

        form = None if path.name.lower().endswith(RECORD_SUFFIX) else format_for(path)
        try:
            told = write_games([self._keeper.kept.game], path, form)
        except NimdeskError as error:
            self._warn(error)
            return
        self._keep_name(path)
        self._window.status.showMessage(shown(" ".join((f"Saved to {path}.", *told))), _TOLD_MS)

    def _keep_name(self, path: Path) -> None:
        """Offer this file again. A game belongs to a file of nimdesk's alone: others do not hold all of it."""
        this, folder = paths.path_text(path), paths.path_text(path.absolute().parent)
        if path.name.lower().endswith(RECORD_SUFFIX):
            self._keeper.mark_saved(this)
        others = [file for file in self._preferences.now.recent_games if file != this]
        self._preferences.change(games_folder=folder, recent_games=[this, *others][:50])
        self._name_window()

    @property
    def _folder(self) -> Path:
        folder = self._preferences.now.games_folder
        return paths.path_of(folder) if folder else paths.documents_dir()

    @Slot()
    def _name_window(self) -> None:
        kept = self._keeper.kept
        title = f"{kept.game.game.title} – nimdesk"
        if kept.file:
            name = shown(paths.path_of(kept.file).name).replace("[*]", "[*][*]")
            self._window.name_game(f"{name}[*] – {title}", kept.file, modified=kept.modified)
        else:
            self._window.name_game(title)

    def _warn(self, error: NimdeskError) -> None:
        from nimdesk.ui.look.desktop import warn  # lazy: not before the first paint

        warn(self._window, str(error))
