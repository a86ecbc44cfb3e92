"""What a person has set, and the menu bar, which offers it beside the actions and the well-known games."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import msgspec
from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu

from nimdesk.errors import SettingsError
from nimdesk.games import AnyPosition, Game, presets
from nimdesk.settings import Settings, SettingsStore, choices
from nimdesk.ui.look.actions import EXPERIMENTS, LABORATORY, PLAY
from nimdesk.ui.look.widgets import keyless
from nimdesk.ui.shell.window import MainWindow

_SAVE_AFTER_MS, _SAVE_AGAIN_MS = 1000, 5000


class Preferences(QObject):
    """Loaded at once; saved soon after each change, again where that failed, and a last time when the window closes."""

    saving_failed = Signal(str)
    """They could not be saved for the first time: one sentence for the person at the screen."""

    def __init__(self, store: SettingsStore, parent: QObject) -> None:
        super().__init__(parent)
        self.store = store
        self.now: Settings = store.load()
        """The settings as they are; change them by ``change``."""
        self._obeying: dict[str, list[Callable[[Any], object]]] = {name: [] for name in Settings.__struct_fields__}
        self.failure = ""
        """Why they could not be saved the last time, in one sentence; "" where they were."""
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.save)

    @property
    def problem(self) -> str | None:
        """Why they could not be loaded, in one sentence; None where they were."""
        return self.store.problem

    @property
    def animated(self) -> bool:
        """Whether moves are animated."""
        if self.now.animations != "system":
            return self.now.animations == "on"
        from nimdesk.ui.look.desktop import reduced_motion  # lazy: not before the first paint

        return not reduced_motion()

    def change(self, **values: object) -> None:
        """Set these fields of ``Settings``."""
        new = [name for name, value in values.items() if getattr(self.now, name) != value]
        self.now = msgspec.structs.replace(self.now, **values)
        if new:
            # Soon, not at once: several changes come together, and a crash must not lose them all.
            self._timer.start(_SAVE_AFTER_MS)
        for name in new:
            for follow in self._obeying[name]:
                follow(getattr(self.now, name))

    def obey(self, name: str, follow: Callable[[Any], object]) -> None:
        """Call this with the new value of this setting whenever it changes."""
        self._obeying[name].append(follow)

    @property
    def obeyed(self) -> set[str]:
        """The settings whose changes somebody follows."""
        return {name for name, following in self._obeying.items() if following}

    def save_last(self) -> None:
        """Save at once: the window is closing."""
        try:
            self.store.save(self.now)
        except SettingsError as error:
            # The terminal is where a sentence can still be read.
            print(f"nimdesk: {error}", file=sys.stderr)

    def stop(self) -> None:
        """Save nothing more."""
        self._timer.stop()

    def save(self) -> None:
        """Save at once; ``failure`` says whether that worked."""
        try:
            self.store.save(self.now)
        except SettingsError as error:
            self._timer.start(_SAVE_AGAIN_MS)
            before, self.failure = self.failure, str(error)
            if not before:
                self.saving_failed.emit(self.failure)
        else:
            self.failure = ""


_MENUS = (
    ("Game", "&Game"),
    ("Play", "&Play"),
    ("Moves", "Mov&es"),
    ("Laboratory", "La&boratory"),
    ("Take away", "&Take away"),
    ("Experiments", "E&xperiments"),
    ("View", "&View"),
    ("Help", "&Help"),
)
_GROUPS_BEGIN_AT = (
    "open", "save", "copy", "quit", "promote", "suggest", "pause", "analyse", "lab_seeds", "lab_edit", "lab_back",
    "lab_first", "exp_open", "exp_csv", "take_board", "take_command", "take_bundle", "overlay", "focus_board",
)  # fmt: skip
# Actions of one page are not there on the others.
_PAGES = {"Play": PLAY, "Moves": PLAY, "Laboratory": LABORATORY, "Take away": LABORATORY, "Experiments": EXPERIMENTS}


def add_menus(window: MainWindow) -> None:
    """Put the titles into the menu bar, which then has its height; ``fill_menus`` does the rest."""
    for name, title in _MENUS:
        menu = window.menuBar().addMenu(title)
        menu.setObjectName(name)
        if name in _PAGES:
            show = _shower(menu, title, _PAGES[name])
            show(PLAY)
            window.modes.mode_changed.connect(show)


def fill_menus(
    window: MainWindow,
    preferences: Preferences,
    start: Callable[[AnyPosition], None],
    add_recent: Callable[[QMenu], None],
    add_lessons: Callable[[QMenu], None],
) -> None:
    """Fill the menus, once the window has been painted.

    ``start`` begins a game from one of the well-known set-ups; the others add the menus of recent files and of lessons.
    """
    actions = window.actions_by_name
    for name, _title in _MENUS:
        menu = window.menuBar().findChild(QMenu, name)
        assert isinstance(menu, QMenu)
        for action in actions.of_menu(name):
            if action.objectName() in _GROUPS_BEGIN_AT:
                menu.addSeparator()
            menu.addAction(action)
            if action.objectName() == "new_game":
                _add_presets(menu, start)
            elif action.objectName() == "open":
                add_recent(menu)
            elif action.objectName() == "first_lesson":
                add_lessons(menu)
        if name == "View":
            _add_settings(menu, preferences)


def _shower(menu: QMenu, title: str, page: str) -> Callable[[str], None]:
    def show(mode: str) -> None:
        menu.menuAction().setVisible(mode == page)
        # A menu that is hidden would still answer to its letter.
        menu.setTitle(title if mode == page else title.replace("&", ""))

    return show


def _add_presets(parent: QMenu, start: Callable[[AnyPosition], None]) -> None:
    menu = parent.addMenu("&Well-known games")
    for preset in presets():
        action = menu.addAction(keyless(preset.name))
        action.setStatusTip(preset.about)
        action.triggered.connect(_starter(preset.game, start))


def _starter(game: Game, start: Callable[[AnyPosition], None]) -> Callable[[], None]:
    return lambda: start(game.start())


def _add_settings(menu: QMenu, preferences: Preferences) -> None:
    menu.addSeparator()
    for name, (title, offered) in choices().items():
        _add_choice(menu, name, title, offered, preferences)


def _add_choice(parent: QMenu, name: str, title: str, offered: dict[object, str], preferences: Preferences) -> None:
    menu = parent.addMenu(f"&{title}")
    group = QActionGroup(menu)
    for value, words in offered.items():
        action = QAction(words, menu, checkable=True)
        action.setData(value)
        action.setChecked(value == getattr(preferences.now, name))
        group.addAction(action)
        menu.addAction(action)
    group.triggered.connect(lambda action: preferences.change(**{name: action.data()}))
