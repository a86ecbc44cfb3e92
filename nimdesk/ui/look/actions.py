"""Every action of the window declared once: its words, key, icon and menu."""

from __future__ import annotations

from collections.abc import Callable, Collection

import msgspec
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from nimdesk.ui.look.painting import icon, icon_now
from nimdesk.ui.look.theme import LOOK


class ActionSpec(msgspec.Struct, frozen=True):
    """One action: ``key`` is portable text such as ``Ctrl+Z``; ``tip`` says what it does in a sentence.

    ``mode`` is the page it belongs to; elsewhere it is hidden, and its key is free for others. Empty: everywhere.
    """

    name: str
    text: str
    key: str
    tip: str
    icon: str = ""
    menu: str = ""
    checkable: bool = False
    mode: str = ""


PLAY, LABORATORY, EXPERIMENTS = "play", "laboratory", "experiments"

ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec("new_game", "&New game…", "Ctrl+N", "Choose another game or another position", "new", "Game"),
    ActionSpec(
        "restart", "&Restart", "Ctrl+R", "The same game from the start, with the same players", menu="Game", mode=PLAY
    ),
    ActionSpec(
        "open", "&Open…", "Ctrl+O", "Open a saved game with the searches behind its moves", menu="Game", mode=PLAY
    ),
    ActionSpec(
        "save", "&Save as…", "Ctrl+S", "Save this game with the searches behind its moves", menu="Game", mode=PLAY
    ),
    ActionSpec("copy", "&Copy position", "Ctrl+C", "Copy the position as text", menu="Game"),
    ActionSpec("paste", "&Paste position", "Ctrl+V", "Start from a position copied as text", menu="Game"),
    ActionSpec("quit", "&Quit", "Ctrl+Q", "Close nimdesk", menu="Game"),
    ActionSpec("undo", "&Undo", "Ctrl+Z", "Take back to your own last turn", "undo", "Play", mode=PLAY),
    ActionSpec("redo", "&Redo", "Ctrl+Shift+Z", "Play again what was taken back", "redo", "Play", mode=PLAY),
    ActionSpec(
        "suggest",
        "Su&ggest",
        "F2",
        "Let the machine propose a move for whoever is to move",
        "suggest",
        "Play",
        mode=PLAY,
    ),
    ActionSpec(
        "suggest_options",
        "Suggest &with…",
        "Shift+F2",
        "How much the machine thinks before it proposes",
        menu="Play",
        mode=PLAY,
    ),
    ActionSpec(
        "move_now", "&Move now", "F3", "End the search; its best move so far counts", "move-now", "Play", mode=PLAY
    ),
    ActionSpec("stop", "&Stop", "Esc", "End the search at once; nothing is played", "stop", "Play", mode=PLAY),
    ActionSpec("pause", "&Pause", "F4", "Computers wait until Continue or Step", "pause", "Play", mode=PLAY),
    ActionSpec("continue", "&Continue", "F5", "Computers go on from the position shown", "continue", "Play", mode=PLAY),
    ActionSpec("step", "S&tep", "F6", "One move of the computer, then pause", "step", "Play", mode=PLAY),
    ActionSpec("first", "&First position", "Ctrl+Home", "Look at the start position", "first", "Moves", mode=PLAY),
    ActionSpec("previous", "&Previous move", "Ctrl+Left", "Look one move back", "previous", "Moves", mode=PLAY),
    ActionSpec("next", "&Next move", "Ctrl+Right", "Look one move forward", "next", "Moves", mode=PLAY),
    ActionSpec("last", "&Last position", "Ctrl+End", "Look at the newest position", "last", "Moves", mode=PLAY),
    ActionSpec(
        "analyse",
        "&Analyse this position",
        "F8",
        "Open the position on the board in the laboratory",
        "",
        "Play",
        mode=PLAY,
    ),
    ActionSpec(
        "lab_run",
        "&Run",
        "F5",
        "Carry the searches on to the limit, or as far again",
        "continue",
        "Laboratory",
        mode=LABORATORY,
    ),
    ActionSpec(
        "lab_stop", "&Stop", "Esc", "Let the searches rest; nothing is lost", "stop", "Laboratory", mode=LABORATORY
    ),
    ActionSpec(
        "lab_seeds",
        "New see&ds",
        "F6",
        "The same searches once more with another seed; results so far are kept",
        "",
        "Laboratory",
        mode=LABORATORY,
    ),
    ActionSpec(
        "lab_over",
        "Start o&ver",
        "F7",
        "Forget the results of these searches in this position",
        "",
        "Laboratory",
        mode=LABORATORY,
    ),
    ActionSpec(
        "lab_add",
        "&Add an agent",
        "Ctrl+D",
        "Study one more agent beside the others, four at most",
        "",
        "Laboratory",
        mode=LABORATORY,
    ),
    ActionSpec(
        "lab_edit",
        "&Edit position…",
        "Ctrl+E",
        "Set up piles, put and take away marks",
        "",
        "Laboratory",
        mode=LABORATORY,
    ),
    ActionSpec(
        "lab_play_from",
        "&Play this position",
        "F8",
        "Start a game from the position studied",
        "",
        "Laboratory",
        mode=LABORATORY,
    ),
    ActionSpec("lab_back", "&Back", "Alt+Left", "The position studied before", "back", "Laboratory", mode=LABORATORY),
    ActionSpec(
        "lab_forward", "&Forward", "Alt+Right", "The position that Back left", "forward", "Laboratory", mode=LABORATORY
    ),
    ActionSpec(
        "lab_parent", "&Up one move", "Alt+Up", "The position before the last move", "up", "Laboratory", mode=LABORATORY
    ),
    ActionSpec(
        "lab_first", "First &moment", "Ctrl+Home", "Show the search as it began", "first", "Laboratory", mode=LABORATORY
    ),
    ActionSpec(
        "lab_earlier", "Ear&lier", "Ctrl+Left", "One checkpoint back", "previous", "Laboratory", mode=LABORATORY
    ),
    ActionSpec(
        "lab_play",
        "Play bac&k",
        "Ctrl+Space",
        "Watch the search happen again",
        "play",
        "Laboratory",
        True,
        mode=LABORATORY,
    ),
    ActionSpec("lab_later", "La&ter", "Ctrl+Right", "One checkpoint forward", "next", "Laboratory", mode=LABORATORY),
    ActionSpec(
        "lab_newest",
        "&Newest moment",
        "Ctrl+End",
        "Show the newest state and follow it",
        "last",
        "Laboratory",
        mode=LABORATORY,
    ),
    ActionSpec(
        "lab_change_before",
        "Change before",
        "Ctrl+Shift+Left",
        "To the last change of the leader before this moment",
        "",
        "Laboratory",
        mode=LABORATORY,
    ),
    ActionSpec(
        "lab_change_after",
        "Change after",
        "Ctrl+Shift+Right",
        "To the next change of the leader after this moment",
        "",
        "Laboratory",
        mode=LABORATORY,
    ),
    ActionSpec("exp_start", "&Start", "F5", "Run it, or go on with it", "continue", "Experiments", mode=EXPERIMENTS),
    ActionSpec("exp_pause", "&Pause", "F4", "Rest until Start goes on", "pause", "Experiments", mode=EXPERIMENTS),
    ActionSpec("exp_cancel", "&Cancel", "Esc", "End it; what is done is kept", "stop", "Experiments", mode=EXPERIMENTS),
    ActionSpec("exp_open", "&Open a plan…", "Ctrl+O", "Take a plan from a file", menu="Experiments", mode=EXPERIMENTS),
    ActionSpec(
        "exp_save", "Sa&ve the plan…", "Ctrl+S", "Write the plan to a file", menu="Experiments", mode=EXPERIMENTS
    ),
    ActionSpec(
        "exp_csv", "&Export tables…", "Ctrl+E", "Write the results to files", menu="Experiments", mode=EXPERIMENTS
    ),
    ActionSpec(
        "exp_picture",
        "Export the p&icture…",
        "Ctrl+Shift+E",
        "Write the chart that is shown as PNG or SVG",
        menu="Experiments",
        mode=EXPERIMENTS,
    ),
    ActionSpec(
        "exp_command",
        "Copy as co&mmand",
        "Ctrl+Shift+C",
        "Copy the line that does the same in a terminal",
        menu="Experiments",
        mode=EXPERIMENTS,
    ),
    ActionSpec(
        "take_picture",
        "&Picture of the view…",
        "Ctrl+P",
        "Save the first view as PNG or SVG",
        "",
        "Take away",
        mode=LABORATORY,
    ),
    ActionSpec(
        "take_data",
        "&Data of the view…",
        "Ctrl+Shift+D",
        "Save what the first view draws as CSV",
        "",
        "Take away",
        mode=LABORATORY,
    ),
    ActionSpec(
        "take_picture_two",
        "P&icture of the second view…",
        "Ctrl+Shift+P",
        "Save the second view as PNG or SVG",
        "",
        "Take away",
        mode=LABORATORY,
    ),
    ActionSpec(
        "take_data_two",
        "D&ata of the second view…",
        "Ctrl+Alt+D",
        "Save what the second view draws as CSV",
        "",
        "Take away",
        mode=LABORATORY,
    ),
    ActionSpec(
        "take_board",
        "Picture of the &board…",
        "Ctrl+Shift+B",
        "Save the board, with what lies on it, as PNG or SVG",
        "",
        "Take away",
        mode=LABORATORY,
    ),
    ActionSpec(
        "take_film",
        "A&nimation of the search…",
        "Ctrl+Shift+A",
        "Save board and views as the search went on: an animated GIF, or a PNG for each moment",
        "",
        "Take away",
        mode=LABORATORY,
    ),
    ActionSpec(
        "take_full",
        "All data of the &searches…",
        "Ctrl+Shift+E",
        "Save every checkpoint of all searches here as CSV",
        "",
        "Take away",
        mode=LABORATORY,
    ),
    ActionSpec(
        "take_command",
        "&Copy as command",
        "Ctrl+Shift+C",
        "Copy the command lines that come to the same numbers without a window",
        "",
        "Take away",
        mode=LABORATORY,
    ),
    ActionSpec(
        "take_bundle",
        "Save a b&undle…",
        "Ctrl+S",
        "Save position, agents, options, seeds and searches in one file that opens again to the same curves",
        "",
        "Take away",
        mode=LABORATORY,
    ),
    ActionSpec(
        "take_open",
        "&Open a bundle…",
        "Ctrl+O",
        "Show an experiment that was saved",
        "",
        "Take away",
        mode=LABORATORY,
    ),
    ActionSpec(
        "take_repeat",
        "&Repeat and compare",
        "Ctrl+Shift+R",
        "Run the searches shown again, in the background, and say if the numbers are the same",
        "",
        "Take away",
        mode=LABORATORY,
    ),
    ActionSpec("mode_play", "Play", "Ctrl+1", "Play against the computer or watch it play", "", "View", True),
    ActionSpec("mode_laboratory", "Laboratory", "Ctrl+2", "Study how searches come to their moves", "", "View", True),
    ActionSpec(
        "mode_experiments", "E&xperiments", "Ctrl+3", "Run studies, matches and published tables", "", "View", True
    ),
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
        mode=PLAY,
    ),
    ActionSpec(
        "truth",
        "Tr&uth",
        "Ctrl+T",
        "Show what is proven of the position and of every move",
        "truth",
        "View",
        True,
        mode=PLAY,
    ),
    ActionSpec(
        "feedback",
        "Feedbac&k on your moves",
        "Ctrl+Shift+T",
        "Say after each of your moves if it kept the value",
        "",
        "View",
        True,
        mode=PLAY,
    ),
    ActionSpec(
        "listing",
        "Search &listing…",
        "Ctrl+I",
        "How the last search came to its move, line by line",
        menu="View",
        mode=PLAY,
    ),
    ActionSpec(
        "freeze", "Pause the displa&y", "Ctrl+F", "Hold the plot while the search goes on", "", "View", True, mode=PLAY
    ),
    ActionSpec(
        "lab_two", "T&wo views", "Ctrl+J", "Show two views over the same axis", "", "View", True, mode=LABORATORY
    ),
    ActionSpec(
        "lab_truth",
        "Tr&uth",
        "Ctrl+T",
        "Show what is proven of the position and of every move",
        "truth",
        "View",
        True,
        mode=LABORATORY,
    ),
    ActionSpec("focus_board", "Go to the b&oard", "Ctrl+L", "Put the keyboard on the board", menu="View"),
    ActionSpec("reset_layout", "&Reset layout", "Ctrl+0", "All docks where they were at first", menu="View", mode=PLAY),
    ActionSpec("tour", "&Guided first look", "Ctrl+F1", "Three minutes in the laboratory, step by step", menu="Help"),
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
    """The actions of a window as Qt objects, by name; without icons until ``draw_now`` or ``draw_icons``."""

    def __init__(self, window: QWidget) -> None:
        self._actions: dict[str, QAction] = {}
        for spec in ACTIONS:
            action = QAction(spec.text, window)
            action.setObjectName(spec.name)
            action.setCheckable(spec.checkable)
            if spec.key:
                action.setShortcut(QKeySequence(spec.key))
            keys = f" ({QKeySequence(spec.key).toString(QKeySequence.SequenceFormat.NativeText)})" if spec.key else ""
            action.setToolTip(f"{spec.tip}{keys}")
            action.setStatusTip(spec.tip)
            self._actions[spec.name] = action
        # So that their keys work from the start, before there are menus.
        window.addActions(list(self._actions.values()))
        self.set_mode(PLAY)

    def set_mode(self, mode: str) -> None:
        """Hide what belongs to other pages; what is hidden has no key."""
        for spec in ACTIONS:
            if spec.mode:
                self._actions[spec.name].setVisible(spec.mode == mode)

    def __getitem__(self, name: str) -> QAction:
        """The action of this name; ``KeyError`` if there is none."""
        return self._actions[name]

    def connect(self, name: str, slot: Callable[[], object]) -> None:
        """Call ``slot`` without arguments when the action is triggered."""
        self._actions[name].triggered.connect(lambda _checked=False: slot())

    def of_menu(self, menu: str) -> list[QAction]:
        """The actions of a menu, in order."""
        return [self._actions[spec.name] for spec in ACTIONS if spec.menu == menu]

    def draw_now(self, names: Collection[str]) -> None:
        """Draw the icons of these actions alone, for the first paint; ``draw_icons`` is to follow."""
        for spec in ACTIONS:
            if spec.icon and spec.name in names:
                action = self._actions[spec.name]
                action.setIcon(icon_now(spec.icon, LOOK.theme, enabled=action.isEnabled()))

    def draw_icons(self) -> None:
        """Draw all icons, as they are enabled and as they are not."""
        for spec in ACTIONS:
            if spec.icon:
                self._actions[spec.name].setIcon(icon(spec.icon, LOOK.theme))
