"""Every action of the window declared once: its words, key, icon and menu."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence

from nimdesk.ui.icons import icon
from nimdesk.ui.theme import Theme


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """One action: ``key`` is portable text such as ``Ctrl+Z``; ``tip`` says what it does in a sentence."""

    name: str
    text: str
    key: str
    tip: str
    icon: str = ""
    menu: str = ""
    checkable: bool = False


ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec("new_game", "&New game…", "Ctrl+N", "Choose another game or another position", "new", "Game"),
    ActionSpec("restart", "&Restart", "Ctrl+R", "The same game from the start, with the same players", menu="Game"),
    ActionSpec("open", "&Open…", "Ctrl+O", "Open a saved game with the searches behind its moves", menu="Game"),
    ActionSpec("save", "&Save as…", "Ctrl+S", "Save this game with the searches behind its moves", menu="Game"),
    ActionSpec("copy", "&Copy position", "Ctrl+C", "Copy the position as text", menu="Game"),
    ActionSpec("paste", "&Paste position", "Ctrl+V", "Start from a position copied as text", menu="Game"),
    ActionSpec("quit", "&Quit", "Ctrl+Q", "Close nimdesk", menu="Game"),
    ActionSpec("undo", "&Undo", "Ctrl+Z", "Take back to your own last turn", "undo", "Play"),
    ActionSpec("redo", "&Redo", "Ctrl+Shift+Z", "Play again what was taken back", "redo", "Play"),
    ActionSpec("suggest", "Su&ggest", "F2", "Let the machine propose a move for whoever is to move", "suggest", "Play"),
    ActionSpec(
        "suggest_options", "Suggest &with…", "Shift+F2", "How much the machine thinks before it proposes", menu="Play"
    ),
    ActionSpec("move_now", "&Move now", "F3", "End the search; its best move so far counts", "move-now", "Play"),
    ActionSpec("stop", "&Stop", "Esc", "End the search at once; nothing is played", "stop", "Play"),
    ActionSpec("pause", "&Pause", "F4", "Computers wait until Continue or Step", "pause", "Play"),
    ActionSpec("continue", "&Continue", "F5", "Computers go on from the position shown", "continue", "Play"),
    ActionSpec("step", "S&tep", "F6", "One move of the computer, then pause", "step", "Play"),
    ActionSpec("first", "&First position", "Ctrl+Home", "Look at the start position", "first", "Moves"),
    ActionSpec("previous", "&Previous move", "Ctrl+Left", "Look one move back", "previous", "Moves"),
    ActionSpec("next", "&Next move", "Ctrl+Right", "Look one move forward", "next", "Moves"),
    ActionSpec("last", "&Last position", "Ctrl+End", "Look at the newest position", "last", "Moves"),
    ActionSpec(
        "overlay", "Visit shares on the &board", "Ctrl+B", "Draw each move's share of the visits", "", "View", True
    ),
    ActionSpec(
        "slow_motion",
        "Slow &motion",
        "Ctrl+M",
        "Spread a search with a number of iterations over a few seconds, to watch it; the moves stay the same",
        "",
        "View",
        True,
    ),
    ActionSpec(
        "truth", "Tr&uth", "Ctrl+T", "Show what is proven of the position and of every move", "truth", "View", True
    ),
    ActionSpec(
        "feedback",
        "Feedbac&k on your moves",
        "Ctrl+Shift+T",
        "Say after each of your moves if it kept the value",
        "",
        "View",
        True,
    ),
    ActionSpec(
        "listing", "Search &listing…", "Ctrl+I", "How the last search came to its move, line by line", menu="View"
    ),
    ActionSpec("freeze", "Pause the displa&y", "Ctrl+F", "Hold the plot while the search goes on", "", "View", True),
    ActionSpec("focus_board", "Go to the b&oard", "Ctrl+L", "Put the keyboard on the board", menu="View"),
    ActionSpec("reset_layout", "&Reset layout", "Ctrl+0", "All docks where they were at first", menu="View"),
    ActionSpec("how_to_read", "&How to read this window", "F1", "A short guide to what you see", menu="Help"),
    ActionSpec("shortcuts", "&Keyboard shortcuts", "Ctrl+K", "All keys on one page", menu="Help"),
    ActionSpec("settings_folder", "Open the &settings folder", "Ctrl+Shift+S", "Where settings.json is", menu="Help"),
    ActionSpec("about", "&About nimdesk", "Shift+F1", "Version and licence", menu="Help"),
)

BOARD_KEYS: tuple[tuple[str, str], ...] = (
    ("Arrows", "Move over the board; in Nim: up and down for the pile, left and right for how many"),
    ("Enter or Space", "Play the move under the cursor"),
    ("1 … 9", "In Nim: take so many from the pile chosen"),
)


class ActionSet:
    """The actions as Qt objects, by name."""

    def __init__(self, parent: QObject, theme: Theme) -> None:
        self._actions: dict[str, QAction] = {}
        for spec in ACTIONS:
            action = QAction(spec.text, parent)
            action.setObjectName(spec.name)
            action.setCheckable(spec.checkable)
            if spec.key:
                action.setShortcut(QKeySequence(spec.key))
            keys = f" ({QKeySequence(spec.key).toString(QKeySequence.SequenceFormat.NativeText)})" if spec.key else ""
            action.setToolTip(f"{spec.tip}{keys}")
            action.setStatusTip(spec.tip)
            self._actions[spec.name] = action
        self.set_theme(theme)

    def __getitem__(self, name: str) -> QAction:
        """The action of this name; ``KeyError`` if there is none."""
        return self._actions[name]

    def connect(self, name: str, slot: Callable[[], object]) -> None:
        """Call ``slot`` without arguments when the action is triggered."""
        self._actions[name].triggered.connect(lambda _checked=False: slot())

    def of_menu(self, menu: str) -> list[QAction]:
        """The actions of a menu, in order."""
        return [self._actions[spec.name] for spec in ACTIONS if spec.menu == menu]

    def set_theme(self, theme: Theme) -> None:
        """Colour the icons."""
        for spec in ACTIONS:
            if spec.icon:
                self._actions[spec.name].setIcon(icon(spec.icon, theme))
