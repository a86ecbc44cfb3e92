"""All commands, those that open the window, and the execution of one command line."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol

import click

from nimdesk.agents import CATALOGUE, load_plugins
from nimdesk.agents.naming import HUMAN, agent_named
from nimdesk.cli.atlas import atlas
from nimdesk.cli.check_agent import check_agent
from nimdesk.cli.check_game import check_game
from nimdesk.cli.cite import cite
from nimdesk.cli.completion import complete_agent, complete_file, install_option
from nimdesk.cli.convert import convert
from nimdesk.cli.desktop import desktop
from nimdesk.cli.engine import engine
from nimdesk.cli.engines import engine_added, engine_removed, new_agent
from nimdesk.cli.experiments import InOrder, experiment, match, study
from nimdesk.cli.file_types import FOLDER
from nimdesk.cli.flags import position_option
from nimdesk.cli.grundy import grundy
from nimdesk.cli.inspecting import (
    ABOUT_POSITION,
    DrawBoard,
    agents,
    analyse_command,
    bench,
    games,
    replay,
    review,
    solve,
    verify,
    warm_up,
)
from nimdesk.cli.interrupting import UnfinishedError, interruptibly, leave
from nimdesk.cli.lessons import lessons
from nimdesk.cli.measuring import compare, elo, rate, tune
from nimdesk.cli.old_forms import as_now
from nimdesk.cli.options import CompilerProgress, player_named, position_of, print_error, say
from nimdesk.cli.serve import serve
from nimdesk.cli.teaching import Paper, grade, worksheet
from nimdesk.compiling import listening
from nimdesk.disk.atomic import os_error_words
from nimdesk.disk.paths import COMPLETING, DOCUMENTS, GAMES, existing
from nimdesk.errors import Finding, NimdeskError, OptionError, shown
from nimdesk.formats import read_file
from nimdesk.games import AnyPosition
from nimdesk.games.kit import find_kit
from nimdesk.letters import as_written
from nimdesk.play.game import TIME_A_MOVE_S, Player
from nimdesk.version import __version__


class OpenWindow(Protocol):
    """Opens the window and returns its exit code."""

    def __call__(
        self,
        position: AnyPosition | None,
        players: tuple[Player | None, Player | None],
        *,
        laboratory: bool = False,
        file: Path | None = None,
    ) -> int:
        """``laboratory`` opens the laboratory at the position; ``file`` opens this game, bundle or certificate."""


RunDemo = Callable[[Path, Callable[[str], object]], list[Path]]
"""Writes the demo into a folder, and says how far it is."""
LookAtScreen = Callable[[], Iterable[Finding]]
"""Looks at screen and fonts, and returns what it found."""

BROKEN_PIPE = 1
WINDOW_FLAGS = {
    "--safe": "Find no plug-ins and begin with default settings; the old ones are kept beside them. For a window that "
    "does not open any more.",
    "--reuse-window": "Open the file in a window of nimdesk that is open already, if there is one.",
}
"""The flags that may stand before everything else, with their help."""
_HELP, _JSON = ("-h", "--help"), "--json"
_ANALYSE = ("analyse", "analyze")
_NAME_ALL = ("play", *_ANALYSE)

_ABOUT = """Play Nim and m,n,k games against the computer, and watch its search make up its mind.

Without a command, the window opens.

\b
Examples:
  nimdesk                                        open the window with the last game
  nimdesk game.nimdesk                           … with a saved game, or bundle, or certificate
  nimdesk game.psq                               … with a game of another program, also in SGF
  nimdesk play nim:3,4,5 --second uct            … with this game and this opponent
  nimdesk lab nim:3,4,5                          watch searches converge to the truth
  nimdesk games                                  the well-known games in notation
  nimdesk analyse nim:1,3,5,7 --iterations 1e6   search a position, print its moves
  nimdesk analyse mnk:3,3,3 b2 --time-s 2 --json
  nimdesk solve nim:3,4,5                        the exact value of every move
  nimdesk grundy 0.77 --to 100000                values and period of Kayles, or any octal code
  nimdesk match uct flat nim:3,4,5               matches, with statistics
  nimdesk experiment list                        the published tables, to be run here
  nimdesk study nim:3,4,5                        how fast searches find the truth
  nimdesk tune uct exploration=0.1..3 nim:3,4,5
  nimdesk rate uct mcts flat nim:3,4,5           one rating list
  nimdesk compare one.db other.db                two studies or runs, with the difference
  nimdesk elo 35 0 11                            Elo with its interval from counts of games
  nimdesk atlas convergence 3,3,3                what misleads searches, over a whole game
  nimdesk engine                                 play gomoku for a Gomocup manager
  nimdesk convert game.psq game.sgf              from the file of one program to that of another
  nimdesk serve                                  answer other programs, in lines of JSON
  nimdesk doctor                                 what is wrong on this machine, and what mends it
"""


def run(
    arguments: Sequence[str],
    open_window: OpenWindow,
    run_demo: RunDemo,
    look_at_screen: LookAtScreen = tuple,
    draw_board: DrawBoard | None = None,
    paper: Paper | None = None,
) -> int:
    """Execute one command line (without the program's name) and return the exit code.

    ``open_window``, ``run_demo``, ``look_at_screen``, ``draw_board`` and ``paper`` do what ``play``, ``demo``,
    ``doctor``, ``analyse --board`` and the commands that make PDF ask for. Raises ``NimdeskError`` for anything that a
    person can put right. A reader that closes the pipe ends it quietly.
    """
    if COMPLETING in os.environ:
        commands(open_window, run_demo, look_at_screen, draw_board).main(
            [], "nimdesk", COMPLETING
        )  # which ends the process
    arguments = as_now(arguments)
    _load_wanted_plugins(arguments)
    group = commands(open_window, run_demo, look_at_screen, draw_board)
    contexts: list[click.Context] = []
    try:
        return _executed(group, arguments, contexts, paper)
    except NimdeskError as error:
        if _JSON in arguments:
            print_error(error, *contexts)
        raise


def _executed(group: click.Group, arguments: Sequence[str], contexts: list[click.Context], paper: Paper | None) -> int:
    """Execute the command line and return the exit code; its context goes into the list, once there is one."""
    try:
        with listening(CompilerProgress()), group.make_context("nimdesk", [*arguments], obj=paper) as context:
            contexts.append(context)
            result = group.invoke(context)
        sys.stdout.flush()
    except UnfinishedError:
        leave()
    except click.exceptions.Exit as end:
        result = end.exit_code
    except click.ClickException as error:
        raise OptionError(_usage_sentence(error, arguments)) from None
    except OSError as error:
        _drop_output()
        if isinstance(error, BrokenPipeError):
            return BROKEN_PIPE
        where = f"“{error.filename}”" if error.filename else "the output"
        raise NimdeskError(f"Reading or writing {where} failed: {os_error_words(error)}.") from error
    return result if isinstance(result, int) else 0


def _load_wanted_plugins(arguments: Sequence[str]) -> None:
    """Load the plug-ins from which the commands' flags and help are built; no other command waits for a plug-in."""
    command = arguments[0] if arguments else ""
    if command == "agents" or (command in _NAME_ALL and any(word in _HELP for word in arguments)):
        load_plugins()
    if command in _ANALYSE:
        for word, after in zip(arguments, [*arguments[1:], ""], strict=True):
            given, equals, name = word.partition("=")
            if given == "--agent":
                with suppress(OptionError):  # a wrong name is reported when the command runs
                    agent_named((name if equals else after).partition(":")[0])


def _drop_output() -> None:
    """Discard what is left in the buffer, or Python would report it again at exit."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _usage_sentence(error: click.ClickException, arguments: Sequence[str]) -> str:
    """What is wrong with the command line, as one sentence."""
    first = arguments[0] if arguments else ""
    if find_kit(first.partition(":")[0]) is not None and ":" in first:
        return f"“{first}” is a position, not a command; write “nimdesk play {first}” or “nimdesk analyse {first}”."
    if isinstance(error, click.NoSuchOption):
        path = error.ctx.command_path if error.ctx is not None else "nimdesk"
        near = " or ".join(error.possibilities or ())
        hint = f"did you mean {near}?" if near else f"“{path} --help” lists what there is."
        return f"There is no option {error.option_name}; {hint}"
    text = " ".join(error.format_message().split()).replace("...'", "'")  # of an argument with several words
    return text if text.endswith((".", "?", "!")) else f"{text}."


def commands(
    open_window: OpenWindow,
    run_demo: RunDemo,
    look_at_screen: LookAtScreen = tuple,
    draw_board: DrawBoard | None = None,
) -> click.Group:
    """All commands with their help; ``run`` executes them."""
    settings = {"help_option_names": ["-h", "--help"], "max_content_width": 100, "show_default": True}
    # ``nimdesk.__main__`` takes the two for the window before it loads click; here they are for help and completion.
    window = [
        click.Option([name], is_flag=True, expose_value=False, show_default=False, help=words)
        for name, words in WINDOW_FLAGS.items()
    ]
    group = InOrder(name="nimdesk", help=_ABOUT, context_settings=settings, params=[*window, install_option()])
    click.version_option(__version__, message="nimdesk %(version)s", help="Print the version and exit.")(group)
    listed: list[click.Command] = [
        *_window_commands(open_window, run_demo),
        analyse_command(draw_board),
        solve,
        verify,
        grundy,
        study,
        match,
        tune,
        rate,
        compare,
        elo,
        replay,
        convert,
    ]
    for command in (
        *listed,
        review,
        worksheet,
        grade,
        engine,
        bench,
        games,
        lessons,
        check_game,
        check_agent,
        agents,
        new_agent,
        engine_added,
        engine_removed,
        experiment,
        atlas,
        serve,
        cite,
        desktop,
        warm_up,
        _doctor(look_at_screen),
    ):
        group.add_command(command)
    group.add_command(analyse_command(draw_board, hidden=True), _ANALYSE[1])
    for command in _all_below(group):
        command.context_class = _Context
    return group


class _Context(click.Context):
    """click writes help in UTF-8 where the output has the letters of ASCII alone."""

    def get_help(self) -> str:
        return as_written(super().get_help())


def _all_below(command: click.Command) -> Iterator[click.Command]:
    yield command
    for each in command.commands.values() if isinstance(command, click.Group) else ():
        yield from _all_below(each)


def _window_commands(open_window: OpenWindow, run_demo: RunDemo) -> Iterator[click.Command]:
    players = (
        f"{', '.join((HUMAN, *CATALOGUE))}. Without options after its name, an agent has {TIME_A_MOVE_S:g} s a "
        "move, as in the window. Without it: a person, where the other is an agent; else as last set there."
    )

    @click.command(
        help="Open the window at a position, with these players.\n\n"
        f"{ABOUT_POSITION} The name of a saved game (.nimdesk) in its place, or of a game of another program (.psq, "
        ".rec, .sgf, .txt), opens that, and that of a certificate (.cert) plays against it."
    )
    @click.argument("words", metavar="[POSITION]...", nargs=-1, shell_complete=complete_file)
    @position_option("The same as a flag.", several=False)
    @click.option("--first", metavar="AGENT", help=f"Who moves first: {players}", shell_complete=complete_agent)
    @click.option("--second", metavar="AGENT", help=f"Who moves second: {players}", shell_complete=complete_agent)
    def play(words: tuple[str, ...], position: str | None, first: str | None, second: str | None) -> int:
        if len(words) == 1 and words[0].lower().endswith((*DOCUMENTS, *GAMES)):
            # No position ends so: it is what one types to open a file.
            if first or second:
                raise OptionError("A saved game has its own players; --first and --second go with a position.")
            path = existing(Path(words[0]))
            if words[0].lower().endswith(GAMES):
                read_file(path)  # so that what is wrong with it is said in the terminal
            return open_window(None, (None, None), file=path)
        return open_window(_position(words, position), (player_named(first), player_named(second)))

    @click.command(
        help="Open the laboratory at a position: watch searches converge, against what is proven.\n\n"
        f"{ABOUT_POSITION} The name of a bundle (.json) in its place opens that saved experiment."
    )
    @click.argument("words", metavar="[POSITION]...", nargs=-1, shell_complete=complete_file)
    @position_option("The same as a flag.", several=False)
    def lab(words: tuple[str, ...], position: str | None) -> int:
        # No position ends so; it is a file to open.
        bundle = next((Path(word) for word in words if word.lower().endswith(".json")), None)
        if bundle is None:
            return open_window(_position(words, position), (None, None), laboratory=True)
        if len(words) > 1 or position is not None:
            raise OptionError("A bundle brings its own position; give either a position or a bundle.")
        from nimdesk.play.bundle import load_bundle  # lazy: no other command for the window wants bundles

        load_bundle(bundle)  # so that what is wrong with it is said in the terminal
        return open_window(None, (None, None), file=bundle)

    @click.command(
        help="Play two games without a screen; write pictures and curves.\n\n"
        "It draws the real window, plays a game of Nim and an m,n,k game in it, and writes pictures of the window as "
        "PNG and the search traces as CSV. The files written are printed."
    )
    @click.option(
        "--out",
        type=FOLDER,
        metavar="DIR",
        default=Path("nimdesk-demo"),
        help="The folder to write to, made where it is missing.",
    )
    def demo(out: Path) -> None:
        for path in run_demo(out, lambda words: say(f"nimdesk: {words}")):
            print(shown(path))

    yield from (play, lab, demo)


def _doctor(look_at_screen: LookAtScreen) -> click.Command:
    @click.command()
    def doctor() -> int:
        """Say what nimdesk finds on this machine, what is wrong, and the line that mends it; to be pasted into reports.

        It changes nothing. The exit code is 2 if something is wrong.
        """
        from nimdesk.cli.doctor import examine  # lazy: it looks at everything, and loads numba

        screen = tuple(look_at_screen())
        return interruptibly(lambda _stop: examine(screen))

    return doctor


def _position(words: tuple[str, ...], position: str | None) -> AnyPosition | None:
    return position_of(words, position) if words or position is not None else None
