"""Every action of the window declared once: its words, key, icon and menu."""

from __future__ import annotations

from collections.abc import Callable, Collection

import msgspec
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from nimdesk.settings import switches
from nimdesk.ui.look.painting import icon, icon_now
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.look.widgets import tip


class ActionSpec(msgspec.Struct, frozen=True):
    """One action: ``key`` is portable text such as ``Ctrl+Z``, or ``Ctrl++; Ctrl+=`` for two; ``tip`` is a sentence.

    ``mode`` is the page it belongs to; on other pages it is hidden, and its key is free. An empty mode means all pages.
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
EVERYWHERE = ""
PRESENTING = "presenting"
"""Not a page: these actions are there on all pages while an audience watches."""
_SAY = "Whose turn it is, what the search thinks and what is proven: in the line below, and by a screen reader"


def _actions(menu: str, mode: str, *rows: tuple[str, ...], checkable: bool = False) -> tuple[ActionSpec, ...]:
    """The actions of one menu and one page; a row has a name, words, key, tip and perhaps an icon."""
    return tuple(
        ActionSpec(name, text, key, tip, "".join(icon), menu, checkable, mode) for name, text, key, tip, *icon in rows
    )


def _switches(page: str) -> tuple[ActionSpec, ...]:
    """The actions of the settings that are turned on and off on this page."""
    return tuple(
        ActionSpec(each.action, each.words, each.key, about.rstrip("."), each.icon, "View", True, page)
        for each, about in switches().values()
        if each.page == page
    )


ACTIONS: tuple[ActionSpec, ...] = (
    *_actions(
        "Game",
        EVERYWHERE,
        ("new_game", "&New game…", "Ctrl+N", "Choose another game or another position", "new"),
    ),
    *_actions(
        "Game",
        PLAY,
        ("restart", "&Rematch", "Ctrl+R", "The same game from the start, with the same players", "rematch"),
        ("swap", "Sw&ap sides", "Ctrl+Shift+R", "The same game from the start, and the players change sides", "swap"),
        (
            "open",
            "&Open…",
            "Ctrl+O",
            "Open a saved game with its searches, a game of another program, a bundle, or a certificate",
        ),
        (
            "library",
            "&Library of games…",
            "Ctrl+Shift+O",
            "All games played here, each with the searches behind its moves",
        ),
        ("game_before", "&Back to the game before", "Ctrl+Backspace", "The game that was on the board before this one"),
        ("save", "&Save", "Ctrl+S", "Save this game, with the searches behind its moves, to its file"),
        ("save_as", "Sa&ve as…", "Ctrl+Shift+S", "Save this game, with the searches behind its moves, to another file"),
    ),
    *_actions(
        "Game",
        PLAY,
        ("copy_picture", "Copy as pic&ture", "Ctrl+Shift+C", "Copy the board as a picture"),
    ),
    *_actions(
        "Game",
        EVERYWHERE,
        ("copy", "&Copy position", "Ctrl+C", "Copy the position as text"),
        ("copy_link", "Copy as lin&k", "Ctrl+Alt+C", "Copy a line that opens this position, or these searches, again"),
        ("copy_text", "Copy board as te&xt", "Ctrl+Alt+X", "Copy the board drawn in letters, for a message"),
        ("paste", "&Paste position", "Ctrl+V", "Start from a position, a link or a game copied as text"),
        ("quit", "&Quit", "Ctrl+Q", "Close nimdesk"),
    ),
    *_actions(
        "Play",
        PLAY,
        ("undo", "Take bac&k", "Ctrl+Z", "Take back to your own last turn", "undo"),
        ("redo", "&Redo", "Ctrl+Shift+Z; Ctrl+Y", "Play again what was taken back", "redo"),
        ("suggest", "&Hint", "F2", "Let the machine propose a move for whoever is to move", "suggest"),
        ("suggest_options", "Hint &options…", "Shift+F2", "Who proposes a move, and how much it thinks first"),
        ("move_now", "&Move now", "F3", "End the search; its best move so far counts", "move-now"),
        ("stop", "&Stop", "Esc", "End the search for a proposal", "stop"),
        ("pause", "&Pause", "F4", "The computer rests; Continue goes on with the same search", "pause"),
        ("continue", "&Continue", "F5", "The computer goes on, with the search it was at", "continue"),
        ("step", "S&tep", "F6", "One move of the computer, then pause", "step"),
        ("try_again", "Tr&y again from there", "F9", "Go back to the move that decided the game", "undo"),
        ("players", "P&layers…", "Ctrl+E", "Who plays against you, and how strongly"),
        ("add_engine", "Add an en&gine…", "Ctrl+Alt+E", "Make a program of your own, or one of Gomocup, a player"),
        ("review", "Re&view this game", "F7", "Go through the moves and show where something was given away"),
        ("practise", "Practise missed mov&es…", "Shift+F7", "Try the positions in which a better move was missed"),
        (
            "report",
            "Report of the revie&w…",
            "Ctrl+F7",
            "Save the review of this game as PDF, with the boards to look at",
        ),
        ("review_lesson", "Lesson of the review…", "Ctrl+Shift+F7", "Save what was missed as a lesson with questions"),
        ("analyse", "&Analyse this position", "F8", "Open the position on the board in the laboratory"),
        ("film", "Animation o&f the search…", "Ctrl+Shift+A", "Save the search of the plot as it went on, as a film"),
    ),
    *_actions(
        "Moves",
        PLAY,
        ("first", "&First position", "Ctrl+Home", "Look at the start position", "first"),
        ("previous", "&Previous move", "Ctrl+Left", "Look one move back", "previous"),
        ("next", "&Next move", "Ctrl+Right", "Look one move forward", "next"),
        ("last", "&Last position", "Ctrl+End", "Look at the newest position", "last"),
        ("win_on", "&On in the forced win", "Alt+PgDown", "One move more of a win by threats", "next"),
        ("win_back", "B&ack in the forced win", "Alt+PgUp", "One move less of a win by threats", "previous"),
        ("promote", "&Make this the main line", "Ctrl+Shift+Up", "The other moves become variations of this line"),
        ("prune", "&Delete from here on", "Ctrl+Delete", "Delete the move looked at and all that was played after it"),
        ("restore", "&Bring deleted moves back", "Ctrl+Shift+Backspace", "Undo the last deletion of moves"),
    ),
    *_actions(
        "Laboratory",
        LABORATORY,
        ("lab_run", "&Run", "F5", "Carry the searches on to the limit, or as far again", "continue"),
        ("lab_stop", "&Stop", "Esc", "Let the searches rest; nothing is lost", "stop"),
        ("lab_seeds", "New see&ds", "F6", "The same searches once more with another seed; results so far are kept"),
        (
            "lab_many",
            "Man&y seeds",
            "Ctrl+Shift+M",
            "The same searches with many other seeds, in the background: the plots show the band that they lie in",
        ),
        ("lab_over", "Start o&ver", "F7", "Forget the results of these searches in this position"),
        ("lab_add", "&Add an agent", "Ctrl+D", "Study one more agent beside the others, four at most"),
        ("lab_edit", "&Edit position…", "Ctrl+E", "Set up piles, put and take away marks"),
        ("lab_play_from", "&Play this position", "F8", "Start a game from the position studied"),
        ("lab_step", "Add to the lesson", "Ctrl+Alt+N", "What is shown now becomes a step of the lesson you write"),
        ("lab_back", "&Back", "Alt+Left", "The position studied before", "back"),
        ("lab_forward", "&Forward", "Alt+Right", "The position that Back left", "forward"),
        ("lab_parent", "&Up one move", "Alt+Up", "The position before the last move", "up"),
        (
            "lab_win_on",
            "On in the forced &win",
            "Alt+PgDown",
            "One move more of a win by threats",
            "next",
        ),
        ("lab_win_back", "Back in the forced w&in", "Alt+PgUp", "One move less of a win by threats", "previous"),
        ("lab_first", "First &moment", "Ctrl+Home", "Show the search as it began", "first"),
        ("lab_earlier", "Ear&lier", "Ctrl+Left", "One checkpoint back", "previous"),
    ),
    *_actions(
        "Laboratory",
        LABORATORY,
        ("lab_play", "Play bac&k", "Ctrl+Space", "Watch the search happen again", "play"),
        checkable=True,
    ),
    *_actions(
        "Laboratory",
        LABORATORY,
        ("lab_later", "La&ter", "Ctrl+Right", "One checkpoint forward", "next"),
        ("lab_newest", "&Newest moment", "Ctrl+End", "Show the newest state and follow it", "last"),
        (
            "lab_change_before",
            "Change before",
            "Ctrl+Shift+Left",
            "To the last change of the leader before this moment",
        ),
        ("lab_change_after", "Change after", "Ctrl+Shift+Right", "To the next change of the leader after this moment"),
    ),
    *_actions(
        "Experiments",
        EXPERIMENTS,
        ("exp_start", "&Start", "F5", "Run it, or go on with it", "continue"),
        ("exp_pause", "&Pause", "F4", "Rest until Start goes on", "pause"),
        ("exp_cancel", "&Cancel", "Esc", "End it; what is done is kept", "stop"),
        ("exp_open", "&Open a plan…", "Ctrl+O", "Take a plan from a file"),
        ("exp_save", "Sa&ve the plan…", "Ctrl+S", "Write the plan to a file"),
        ("exp_csv", "&Export tables…", "Ctrl+E", "Write the results to files"),
        ("exp_picture", "Export the p&icture…", "Ctrl+Shift+E", "Write the chart that is shown as PNG, SVG or PDF"),
        ("exp_figure", "&Figure for print…", "Ctrl+Shift+F", "Save a figure as PDF, SVG or PGF for a paper"),
        ("exp_command", "Copy as co&mmand", "Ctrl+Shift+C", "Copy the line that does the same in a terminal"),
        ("exp_python", "Cop&y as Python", "Ctrl+Shift+Y", "Copy a script that has the results in a notebook"),
    ),
    *_actions(
        "Take away",
        LABORATORY,
        ("take_picture", "&Picture of the view…", "Ctrl+P", "Save the first view as PNG, SVG or PDF"),
        (
            "take_figure",
            "&Figure for print…",
            "Ctrl+Shift+F",
            "Save the first view as PDF, SVG or PGF for a paper",
        ),
        ("take_data", "&Data of the view…", "Ctrl+Shift+D", "Save what the first view draws as CSV"),
        ("take_picture_two", "P&icture of the second view…", "Ctrl+Shift+P", "Save the second view as PNG, SVG or PDF"),
        ("take_data_two", "D&ata of the second view…", "Ctrl+Alt+D", "Save what the second view draws as CSV"),
        (
            "take_board",
            "Picture of the &board…",
            "Ctrl+Shift+B",
            "Save the board and what lies on it as PNG, SVG or PDF",
        ),
        (
            "take_tree",
            "Figure of the search &tree…",
            "Ctrl+Alt+T",
            "Save what is unfolded of the search tree as TikZ for LaTeX, or as DOT for Graphviz",
        ),
        (
            "take_film",
            "A&nimation of the search…",
            "Ctrl+Shift+A",
            "Save board and views as the search went on: an animated GIF, or a PNG for each moment",
        ),
        (
            "take_full",
            "All data of the &searches…",
            "Ctrl+Shift+E",
            "Save every checkpoint of all searches here as CSV",
        ),
        (
            "take_command",
            "&Copy as command",
            "Ctrl+Shift+C",
            "Copy the command lines that come to the same numbers without a window",
        ),
        (
            "take_python",
            "Cop&y as Python",
            "Ctrl+Shift+Y",
            "Copy a script that comes to the same numbers in a notebook",
        ),
        (
            "take_bundle",
            "Save a b&undle…",
            "Ctrl+S",
            "Save position, agents, options, seeds and searches in one file that opens again to the same curves",
        ),
        ("take_open", "&Open a bundle…", "Ctrl+O", "Show an experiment that was saved"),
        (
            "take_repeat",
            "&Repeat and compare",
            "Ctrl+Shift+R",
            "Run the searches shown again, in the background, and say if the numbers are the same",
        ),
    ),
    *_actions(
        "View",
        EVERYWHERE,
        ("mode_play", "Play", "Ctrl+1", "Play against the computer or watch it play"),
        ("mode_laboratory", "Laboratory", "Ctrl+2", "Study how searches come to their moves"),
        ("mode_experiments", "E&xperiments", "Ctrl+3", "Run studies, matches and published tables"),
        checkable=True,
    ),
    *_switches(EVERYWHERE),
    *_switches(PLAY),
    *_actions(
        "View",
        PLAY,
        ("listing", "Search &listing…", "Ctrl+I", "How the last search came to its move, line by line"),
    ),
    *_actions(
        "View",
        PLAY,
        (
            "quiet",
            "&Quiet game",
            "Ctrl+H",
            "No evaluation, curves or proofs until the game is over; hints you ask for still come",
            "quiet",
        ),
        ("freeze", "Freeze the displa&y", "Ctrl+F", "Hold the plot while the search goes on"),
        ("whole_plot", "Plot over the &whole side", "Ctrl+G", "The plot alone beside the board", "whole-plot"),
        checkable=True,
    ),
    *_actions(
        "View",
        LABORATORY,
        ("lab_two", "T&wo views", "Ctrl+J", "Show two views over the same axis"),
        ("lab_side", "Agents side b&y side", "Ctrl+Shift+J", "A plot for each agent, all with the same axes"),
        ("lab_log_y", "Lo&garithmic values", "Ctrl+Shift+L", "Shares, visits and entropy on a logarithmic axis"),
        ("lab_truth", "Tr&uth", "Ctrl+T", "Show what is proven of the position and of every move", "truth"),
        checkable=True,
    ),
    *_actions(
        "View",
        PLAY,
        ("say", "Say what is &shown", "F12", _SAY),
    ),
    *_actions(
        "View",
        LABORATORY,
        ("lab_say", "Say what is &shown", "F12", _SAY),
    ),
    *_actions(
        "View",
        EVERYWHERE,
        ("focus_board", "Go to the b&oard", "Ctrl+L", "Put the keyboard on the board"),
        ("larger_text", "Larger text", "Ctrl++; Ctrl+=", "Text size: all words of the window larger"),
        ("smaller_text", "Smaller text", "Ctrl+-", "Text size: all words of the window smaller"),
        ("normal_text", "Normal text", "Ctrl+0", "Text size: all words of the window as large as the system has them"),
    ),
    *_actions(
        "View",
        EVERYWHERE,
        (
            "presenter",
            "Presenter mode",
            "F11",
            "Full screen for an audience: large words, thick lines, keys of a remote; F11 or Esc ends it",
        ),
        checkable=True,
    ),
    *_actions(
        "View",
        PRESENTING,
        ("present_next", "Next step", "PgDown; Right", "One step on in the lesson, else in the game or the search"),
        ("present_back", "Step back", "PgUp; Left", "One step back in the lesson, else in the game or the search"),
    ),
    *_actions(
        "View",
        PRESENTING,
        ("black_out", "Black screen", "B; .", "Show nothing for a while; the same key or a click ends it"),
        checkable=True,
    ),
    *_actions(
        "View",
        PLAY,
        (
            "board_alone",
            "Board alon&e",
            "Shift+F11",
            "The whole screen for the board with its players",
        ),
        checkable=True,
    ),
    *_actions(
        "View",
        PLAY,
        ("reset_layout", "&Reset layout", "Ctrl+Alt+0", "All parts of this page where they were at first"),
    ),
    *_actions(
        "Help",
        EVERYWHERE,
        ("first_lesson", "&First lesson", "Ctrl+F1", "Ten minutes, the first of the lessons: how a search is wrong"),
        ("lesson_next", "Ne&xt step of the lesson", "Ctrl+PgDown", "Go on with the lesson"),
        ("lesson_back", "Step &back in the lesson", "Ctrl+PgUp", "Read the step before again"),
        ("worksheet", "Print &worksheet…", "Ctrl+Alt+W", "A lesson on paper: boards as questions, lines to write on"),
        ("answer_key", "Print answer ke&y…", "Ctrl+Alt+Y", "The right answers of a lesson, worked out here, on paper"),
        ("edit_lesson", "&Edit a lesson…", "Ctrl+Alt+L", "Write a lesson: steps from the laboratory, texts, questions"),
        ("help", "&Help on this place", "F1", "The page about what you see, in your browser"),
        ("palette", "&Commands and keys…", "Ctrl+K", "Find any command by a few letters, with its key"),
        ("settings_folder", "Open the &settings folder", "Ctrl+,", "Where settings.json is"),
        ("data_folder", "Open the &data folder", "Ctrl+Shift+,", "Where games, results, logs and notes of crashes are"),
        ("about", "&About nimdesk", "Shift+F1", "Version and licence"),
    ),
)

BOARD_KEYS: tuple[tuple[str, str], ...] = (
    ("Arrows", "Move over the board; in Nim: up and down for the pile, left and right for how many"),
    ("Enter or Space", "Play the move under the cursor"),
    ("1 … 9", "In Nim: take that many from the pile chosen"),
)


def key_words(spec: ActionSpec) -> str:
    """Its keys as this system writes them."""
    keys = QKeySequence.listFromString(spec.key)
    return " or ".join(key.toString(QKeySequence.SequenceFormat.NativeText) for key in keys)


class ActionSet:
    """The actions of a window as Qt objects, by name; without icons until ``draw_now`` or ``draw_icons``."""

    def __init__(self, window: QWidget) -> None:
        self._actions: dict[str, QAction] = {}
        for spec in ACTIONS:
            action = QAction(spec.text, window)
            action.setObjectName(spec.name)
            action.setCheckable(spec.checkable)
            # In a menu an icon would take the place of the check mark.
            action.setIconVisibleInMenu(not spec.checkable)
            if spec.key:
                action.setShortcuts(QKeySequence.listFromString(spec.key))
            keys = f" ({key_words(spec)})" if spec.key else ""
            action.setToolTip(tip(f"{spec.tip}{keys}"))
            action.setStatusTip(spec.tip)
            self._actions[spec.name] = action
        # Their keys must work from the start, before there are menus.
        window.addActions(list(self._actions.values()))
        self._mode, self._presenting = PLAY, False
        self._show()

    def set_mode(self, mode: str) -> None:
        """Hide the actions of other pages; a hidden action has no key."""
        self._mode = mode
        self._show()

    def set_presenting(self, presenting: bool) -> None:
        """Show the actions for an audience, or hide them."""
        self._presenting = presenting
        self._show()

    def _show(self) -> None:
        for spec in ACTIONS:
            if spec.mode:
                shown = self._presenting if spec.mode == PRESENTING else spec.mode == self._mode
                self._actions[spec.name].setVisible(shown)

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
        """Draw the icons of these actions alone, for the first paint; call ``draw_icons`` later."""
        for spec in ACTIONS:
            if spec.icon and spec.name in names:
                action = self._actions[spec.name]
                action.setIcon(icon_now(spec.icon, LOOK.theme, enabled=action.isEnabled()))

    def draw_icons(self) -> None:
        """Draw all icons, for enabled and for disabled actions."""
        for spec in ACTIONS:
            if spec.icon:
                self._actions[spec.name].setIcon(icon(spec.icon, LOOK.theme))
