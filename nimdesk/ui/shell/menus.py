"""The menu bar, made from the declared actions, the well-known games and the settings with a few choices."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu

from nimdesk.games import AnyPosition, Game, presets
from nimdesk.ui.look.actions import EXPERIMENTS, LABORATORY, PLAY

if TYPE_CHECKING:
    from nimdesk.ui.shell.session import Session
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
_THEMES = (("system", "As the &system"), ("light", "&Light"), ("dark", "&Dark"))
_NUMBERS = (("share", "&Share of visits"), ("visits", "&Visits"), ("value", "&Mean value"), ("none", "&None"))
_ANIMATIONS = (("system", "As the &system"), ("on", "&On"), ("off", "O&ff"))
_DELAYS = (("0", "&None"), ("400", "&Short"), ("1000", "&One second"), ("3000", "&Three seconds"))


def add_menus(window: MainWindow) -> None:
    """Put the titles into the menu bar, which then has its height; ``fill_menus`` does the rest."""
    for name, title in _MENUS:
        menu = window.menuBar().addMenu(title)
        menu.setObjectName(name)
        if name in _PAGES:
            show = _shower(menu, title, _PAGES[name])
            show(PLAY)
            window.modes.mode_changed.connect(show)


def fill_menus(session: Session) -> None:
    """Fill the menus of the session's window, once it has been painted."""
    window, actions = session.window, session.window.actions_by_name
    for name, _title in _MENUS:
        menu = window.menuBar().findChild(QMenu, name)
        assert isinstance(menu, QMenu)
        for action in actions.of_menu(name):
            if action.objectName() in _GROUPS_BEGIN_AT:
                menu.addSeparator()
            menu.addAction(action)
            if action.objectName() == "new_game":
                _add_presets(menu, session.start_game)
        if name == "View":
            _add_settings(menu, session)


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


def _add_settings(menu: QMenu, session: Session) -> None:
    settings = session.settings
    menu.addSeparator()
    _add_choice(menu, "&Theme", settings.theme, _THEMES, session.set_theme)
    _add_choice(menu, "&Number on the board", settings.overlay_number, _NUMBERS, session.set_number)
    _add_choice(menu, "&Animations", settings.animations, _ANIMATIONS, session.set_animations)
    _add_choice(menu, "&Pause between computer moves", str(settings.move_delay_ms), _DELAYS, session.set_delay)
    menu.addSeparator()
    for dock in session.window.docks:
        menu.addAction(dock.toggleViewAction())
    menu.addAction(session.window.toolbar.toggleViewAction())


def _add_choice(
    parent: QMenu, title: str, current: str, choices: tuple[tuple[str, str], ...], choose: Callable[[str], None]
) -> None:
    menu = parent.addMenu(title)
    group = QActionGroup(menu)
    for value, text in choices:
        action = QAction(text, menu, checkable=True)
        action.setData(value)
        action.setChecked(value == current)
        group.addAction(action)
        menu.addAction(action)
    group.triggered.connect(lambda action: choose(action.data()))
