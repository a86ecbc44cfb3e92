"""The menu bar, made from the declared actions, the well-known games and the settings with a few choices."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu

from nimdesk.games import AnyPosition, Game, presets
from nimdesk.settings import choices
from nimdesk.ui.look.actions import EXPERIMENTS, LABORATORY, PLAY
from nimdesk.ui.shell.preferences import Preferences
from nimdesk.ui.shell.window import MainWindow

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
    "open", "copy", "quit", "suggest", "pause", "analyse", "lab_seeds", "lab_edit", "lab_back", "lab_first",
    "exp_open", "exp_csv", "take_board", "take_command", "take_bundle", "overlay", "focus_board",
)  # fmt: skip
# What is for one page alone is not there on the others.
_PAGES = {"Play": PLAY, "Moves": PLAY, "Laboratory": LABORATORY, "Take away": LABORATORY, "Experiments": EXPERIMENTS}
_CHOICES = ("theme", "overlay_number", "animations", "move_delay_ms")


def add_menus(window: MainWindow) -> None:
    """Put the titles into the menu bar, which then has its height; ``fill_menus`` does the rest."""
    for name, title in _MENUS:
        menu = window.menuBar().addMenu(title)
        menu.setObjectName(name)
        if name in _PAGES:
            show = _shower(menu, title, _PAGES[name])
            show(PLAY)
            window.modes.mode_changed.connect(show)


def fill_menus(window: MainWindow, preferences: Preferences, start: Callable[[AnyPosition], None]) -> None:
    """Fill the menus, once the window has been painted; ``start`` begins a game from one of the well-known set-ups."""
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
        if name == "View":
            _add_settings(menu, window, preferences)


def _shower(menu: QMenu, title: str, page: str) -> Callable[[str], None]:
    def show(mode: str) -> None:
        menu.menuAction().setVisible(mode == page)
        # A menu that is hidden would still answer to its letter.
        menu.setTitle(title if mode == page else title.replace("&", ""))

    return show


def _add_presets(parent: QMenu, start: Callable[[AnyPosition], None]) -> None:
    menu = parent.addMenu("&Well-known games")
    for preset in presets():
        action = menu.addAction(preset.name)
        action.setStatusTip(preset.about)
        action.triggered.connect(_starter(preset.game, start))


def _starter(game: Game, start: Callable[[AnyPosition], None]) -> Callable[[], None]:
    return lambda: start(game.start())


def _add_settings(menu: QMenu, window: MainWindow, preferences: Preferences) -> None:
    menu.addSeparator()
    for name in _CHOICES:
        _add_choice(menu, name, preferences)
    menu.addSeparator()
    for dock in window.docks:
        menu.addAction(dock.toggleViewAction())
    menu.addAction(window.toolbar.toggleViewAction())


def _add_choice(parent: QMenu, name: str, preferences: Preferences) -> None:
    title, offered = choices(name)
    menu = parent.addMenu(f"&{title}")
    group = QActionGroup(menu)
    for value, words in offered.items():
        action = QAction(words, menu, checkable=True)
        action.setData(value)
        action.setChecked(value == getattr(preferences.now, name))
        group.addAction(action)
        menu.addAction(action)
    group.triggered.connect(lambda action: preferences.change(**{name: action.data()}))
