"""The commands with their arguments, and the execution of one command line."""

import io
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Protocol

import click

from nimdesk.agents import CATALOGUE, agent_info, load_plugins
from nimdesk.atomic import os_error_words
from nimdesk.cli import analyse as analysing
from nimdesk.cli.atlas import atlas
from nimdesk.cli.cite import cite
from nimdesk.cli.completion import complete_agent, complete_file, install_option
from nimdesk.cli.desktop import desktop
from nimdesk.cli.experiments import InOrder, experiment, match, study
from nimdesk.cli.figures import HEAT_MAPS, MEASURES, TREES, Wanted, figure_options
from nimdesk.cli.flags import json_flag
from nimdesk.cli.grundy import grundy
from nimdesk.cli.measuring import compare, rate, tune
from nimdesk.cli.options import (
    DEFAULT_AGENT,
    HUMAN,
    agent_from_flags,
    agent_named,
    check_folder,
    flag,
    list_agents,
    list_games,
    option_help,
    option_names,
    player_named,
    write_bytes,
)
from nimdesk.errors import Finding, NimdeskError, OptionError
from nimdesk.games import AnyPosition, parse_position
from nimdesk.games.kit import find_kit
from nimdesk.paths import COMPLETING, DOCUMENTS, existing
from nimdesk.play.game import TIME_A_MOVE_S, Player
from nimdesk.search import Snapshot
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


RunDemo = Callable[[Path], list[Path]]
LookAtScreen = Callable[[], Iterable[Finding]]
"""What there is to say of screen and fonts."""
DrawBoard = Callable[[Snapshot, str], bytes]
"""The board of a search with its shares, as a file with this ending."""

BROKEN_PIPE = 1
WINDOW_FLAGS = {
    "--safe": "Find no plug-ins and begin with default settings; the old ones are kept beside them. For a window that "
    "does not open any more.",
    "--reuse-window": "Open the file in a window of nimdesk that is open already, if there is one.",
}
"""What may stand before all else, with its help."""
_HELP = ("-h", "--help")
_ANALYSE = ("analyse", "analyze")
BOARDS = (".pdf", ".svg", ".png")
_NAME_ALL = ("play", *_ANALYSE)

_ABOUT = """Play Nim and m,n,k games against the computer, and watch its search make up its mind.

Without a command, the window opens.

\b
Examples:
  nimdesk                                        open the window with the last game
  nimdesk game.nimdesk                           … with a saved game, or bundle, or certificate
  nimdesk play nim:3,4,5 --second uct            … with this game and this opponent
  nimdesk lab nim:3,4,5                          watch searches converge to the truth
  nimdesk games                                  the well-known games in notation
  nimdesk analyse nim:1,3,5,7 --iterations 1e6   search a position, print its moves
  nimdesk analyse mnk:3,3,3 b2 --time-s 2 --json
  nimdesk solve nim:3,4,5                        the exact value of every move
  nimdesk grundy 0.77 --to 100000                values and period of Kayles, or any octal code
  nimdesk match uct flat --position nim:3,4,5    matches, with statistics
  nimdesk experiment list                        the published tables, to be run here
  nimdesk study --position nim:3,4,5             how fast searches find the truth
  nimdesk tune uct exploration=0.1..3 --position nim:3,4,5
  nimdesk rate uct mcts flat --position nim:3,4,5
  nimdesk compare one.db other.db                two studies or runs, with the difference
  nimdesk atlas convergence --game 3,3,3         what misleads searches, over a whole game
  nimdesk doctor                                 what is wrong on this machine, and what mends it
"""
_ABOUT_POSITION = """POSITION is a game in notation, then the moves played, such as nim:1,3,5,7 2-3 (take 3 from pile 2)
or mnk:3,3,3 b2. “nimdesk games” lists the well-known games."""
_FILE = click.Path(path_type=Path)


def run(
    arguments: Sequence[str],
    open_window: OpenWindow,
    run_demo: RunDemo,
    look_at_screen: LookAtScreen = tuple,
    draw_board: DrawBoard | None = None,
) -> int:
    """Execute one command line (without the program's name) and return the exit code.

    ``open_window``, ``run_demo``, ``look_at_screen`` and ``draw_board`` do what ``play``, ``demo``, ``doctor`` and
    ``analyse --board`` ask for. Raises
    ``NimdeskError`` for anything that a person can put right. A reader that closes the pipe ends it quietly.
    """
    if COMPLETING in os.environ:
        commands(open_window, run_demo, look_at_screen, draw_board).main(
            [], "nimdesk", COMPLETING
        )  # which ends the process
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal that lacks a letter shows ?, and the program goes on
    _load_wanted_plugins(arguments)
    group = commands(open_window, run_demo, look_at_screen, draw_board)
    try:
        with group.make_context("nimdesk", list(arguments)) as context:
            result = group.invoke(context)
        sys.stdout.flush()
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
    """Those that the commands' flags and help are built from; nobody else waits for a plug-in."""
    command = arguments[0] if arguments else ""
    if command == "agents" or (command in _NAME_ALL and any(word in _HELP for word in arguments)):
        load_plugins()
    if command in _ANALYSE:
        for word, after in zip(arguments, [*arguments[1:], ""], strict=True):
            given, equals, name = word.partition("=")
            if given == "--agent":
                with suppress(OptionError):  # told in its place
                    agent_named(name if equals else after)


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
        _analyse(draw_board),
        solve,
        verify,
        grundy,
        study,
        match,
        tune,
        rate,
        compare,
        replay,
    ]
    for command in (
        *listed,
        review,
        bench,
        games,
        agents,
        experiment,
        atlas,
        cite,
        desktop,
        warm_up,
        _doctor(look_at_screen),
    ):
        group.add_command(command)
    group.add_command(_analyse(draw_board, hidden=True), _ANALYSE[1])
    return group


def _window_commands(open_window: OpenWindow, run_demo: RunDemo) -> Iterator[click.Command]:
    players = (
        f"{', '.join((HUMAN, *CATALOGUE))}. An agent that can be given seconds has {TIME_A_MOVE_S:g} a move, as in the "
        "window. Without it: as last set there."
    )

    @click.command(
        help="Open the window at a position, with these players.\n\n"
        f"{_ABOUT_POSITION} The name of a saved game (.nimdesk) in its place opens that, "
        "and that of a certificate (.cert) plays against it."
    )
    @click.argument("position", nargs=-1, shell_complete=complete_file)
    @click.option("--first", metavar="AGENT", help=f"Who moves first: {players}", shell_complete=complete_agent)
    @click.option("--second", metavar="AGENT", help=f"Who moves second: {players}", shell_complete=complete_agent)
    def play(position: tuple[str, ...], first: str | None, second: str | None) -> int:
        if len(position) == 1 and position[0].lower().endswith(DOCUMENTS):
            # No position ends so: it is what one types to open a file.
            if first or second:
                raise OptionError("A saved game has its own players; --first and --second go with a position.")
            return open_window(None, (None, None), file=existing(Path(position[0])))
        return open_window(_position(position), (player_named(first), player_named(second)))

    @click.command(
        help="Open the laboratory at a position: watch searches converge, against what is proven.\n\n"
        f"{_ABOUT_POSITION} The name of a bundle (.json) in its place opens that saved experiment."
    )
    @click.argument("position", nargs=-1, shell_complete=complete_file)
    @click.option("--bundle", type=_FILE, metavar="FILE", help="Open this saved experiment instead.")
    def lab(position: tuple[str, ...], bundle: Path | None) -> int:
        if bundle is None and len(position) == 1 and position[0].lower().endswith(".json"):
            # No position ends so; the argument is a file to open.
            bundle, position = Path(position[0]), ()
        if bundle is None:
            return open_window(_position(position), (None, None), laboratory=True)
        if position:
            raise OptionError("A bundle brings its own position; give either a position or --bundle.")
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
        type=_FILE,
        metavar="DIR",
        default=Path("nimdesk-demo"),
        help="The folder to write to, made where it is missing.",
    )
    def demo(out: Path) -> None:
        for path in run_demo(out):
            print(path)

    yield from (play, lab, demo)


def _doctor(look_at_screen: LookAtScreen) -> click.Command:
    @click.command()
    def doctor() -> int:
        """Say what nimdesk finds on this machine, what is wrong, and the line that mends it; to be pasted into reports.

        It changes nothing. The exit code is 2 if something is wrong.
        """
        from nimdesk.cli.doctor import examine  # lazy: it looks at everything, and loads numba

        return examine(look_at_screen())

    return doctor


def _position(words: tuple[str, ...]) -> AnyPosition | None:
    return parse_position(" ".join(words)) if words else None


def _analyse(draw_board: DrawBoard | None, *, hidden: bool = False) -> click.Command:
    """The command ``analyse`` with the options of all agents."""
    agents = f"Who searches: {', '.join(CATALOGUE)}. “nimdesk agents” explains them."
    trace = "Write the checkpoints of the search, or its depths, to this file, as CSV."
    listing = "Print how minimax, deepening or the value table got there."
    tree = " A name in .dot or .tex draws the search tree instead, for Graphviz or by TikZ, and needs neither."
    own = [click.Option([flag(name)], metavar="VALUE", help=option_help(name)) for name in option_names()]
    return click.Command(
        "analyse",
        help="Search a position and print what the agent thinks of each move.\n\n"
        f"{_ABOUT_POSITION}\n\nCtrl-C ends the search and prints what there is so far.",
        callback=partial(_analysed, draw_board),
        hidden=hidden,
        params=[
            click.Argument(["position"], nargs=-1, required=True),
            click.Option(
                ["--agent"], metavar="NAME", default=DEFAULT_AGENT, help=agents, shell_complete=complete_agent
            ),
            *own,
            click.Option(["--trace"], type=_FILE, metavar="FILE.csv", help=trace),
            *_parameters(figure_options((*MEASURES, *HEAT_MAPS), tree)),
            click.Option(
                ["--figure-seeds"],
                type=click.IntRange(2, 1_000),
                metavar="N",
                help="With --figure: draw N searches with the seeds from this one on, as medians with bands of 90%.",
            ),
            click.Option(
                ["--figure-nodes"],
                type=click.IntRange(1, 10_000),
                metavar="N",
                help="With --figure FILE.dot or .tex: draw the N moves with most visits, as far as the width holds "
                "their lines.  [default: 25]",
            ),
            click.Option(
                ["--board"],
                type=_FILE,
                metavar="FILE",
                help="Draw the board with the shares of the visits on it: PDF, SVG or PNG. With --agent random it "
                "is bare. Needs the libraries of the window, but no screen.",
            ),
            click.Option(["--listing"], is_flag=True, show_default=False, help=listing),
            click.Option(["--json", "as_json"], is_flag=True, show_default=False, help="Print JSON, for programs."),
        ],
    )


def _parameters(options: Iterable[Callable[..., object]]) -> list[click.Parameter]:
    """These options as a command that is not decorated has them."""

    def nothing() -> None:
        """Carries them."""

    for option in reversed(list(options)):
        option(nothing)
    return click.command()(nothing).params


def _analysed(
    draw_board: DrawBoard | None,
    position: tuple[str, ...],
    agent: str,
    as_json: bool,
    trace: Path | None,
    listing: bool,
    figure: Path | None,
    figure_of: str,
    figure_look: str,
    figure_seeds: int | None,
    figure_nodes: int | None,
    board: Path | None,
    **options: str | None,
) -> None:
    tree = figure is not None and figure.suffix.lower() in TREES
    if figure_seeds is not None and (figure is None or tree):
        raise OptionError("--figure-seeds says what --figure draws; it goes with --figure FILE, and not with a tree.")
    if figure_seeds is not None and figure_of in HEAT_MAPS:
        raise OptionError("A heat map is of one search; --figure-seeds draws medians with bands.")
    if figure_nodes is not None and not tree:
        raise OptionError(
            "--figure-nodes says how much of a tree is drawn; it goes with --figure FILE.dot or FILE.tex."
        )
    wanted = Wanted.of(figure, figure_of, figure_look, tree=tree)
    given = {name: text for name, text in options.items() if text is not None}
    start = parse_position(" ".join(position))
    agent_given = agent_from_flags(agent, given)
    how = {"as_json": as_json, "listing": listing}
    if board is not None:
        if board.suffix.lower() not in BOARDS:
            raise OptionError(f"A board is a file that ends in {', '.join(BOARDS)}; “{board.name}” does not.")
        check_folder(board, "The board")
    snapshot = analysing.analyse(
        start, agent_given, **how, trace=trace, figure=wanted, seeds=figure_seeds, nodes=figure_nodes
    )
    if board is not None and draw_board is not None:
        write_bytes(board, draw_board(snapshot, board.suffix.lower()), "The board")
        print(board, file=sys.stderr)


@click.command(help=f"Print the exact value of a position and of every move.\n\n{_ABOUT_POSITION}")
@click.argument("position", nargs=-1, required=True)
@click.option(
    "--time-s", metavar="T", default="10", help="Stop after so many seconds; what is not proven by then is unknown."
)
@click.option(
    "--certificate", type=_FILE, metavar="FILE", help="Write a proof of the value to this file, which “verify” checks."
)
@json_flag
def solve(position: tuple[str, ...], time_s: str, certificate: Path | None, as_json: bool) -> None:
    """Solve it."""
    seconds = next(field for field in agent_info("solver").fields if field.name == "time_s").parse(time_s)
    assert isinstance(seconds, float)
    analysing.solve(parse_position(" ".join(position)), seconds, as_json=as_json, certificate=certificate)


@click.command()
@click.argument("certificate", type=_FILE, metavar="FILE")
def verify(certificate: Path) -> int:
    """Check a certificate that “solve” wrote, with nothing of the solver; exit code 1 if it fails."""
    from nimdesk.games.mnk import verify as checker  # lazy: no other command needs it

    return checker.main([str(certificate)])


@click.command()
@click.argument("bundle", type=_FILE, metavar="FILE")
@click.option("--csv", type=_FILE, metavar="FILE.csv", help="Write the checkpoints of the searches run again, as CSV.")
def replay(bundle: Path, csv: Path | None) -> int:
    """Run the searches of a bundle again, and say if they come to the same numbers; exit code 1 if one does not."""
    return analysing.replay(bundle, csv)


@click.command()
@click.argument("game", type=_FILE, metavar="FILE")
@click.option("--iterations", metavar="N", default="10000", help="Simulations of the search of each position.")
@click.option("--seed", metavar="N", default="1", help="The seed of the first search; the others count on from it.")
@click.option(
    "--exact-s", metavar="T", default="2", help="Seconds of the solver for each position; 0 leaves all to the search."
)
@click.option(
    "--exercises", type=_FILE, metavar="FILE", help="Write the moves that were missed to this file, to learn."
)
@json_flag
def review(game: Path, iterations: str, seed: str, exact_s: str, exercises: Path | None, as_json: bool) -> None:
    """Go through a saved game: what each move gave away, exactly where that can be proven, else by an estimate."""
    from nimdesk.cli.review import review_file  # lazy: no other command reads games

    given = {"iterations": iterations, "seed": seed}
    review_file(game, agent_from_flags(DEFAULT_AGENT, given), exact_s, as_json=as_json, exercises=exercises)


@click.command()
@json_flag
def bench(as_json: bool) -> None:
    """Measure the search on this machine: simulations a second and bytes a tree node, in under a minute."""
    from nimdesk.cli.bench import bench  # lazy: it loads the compiled search, and no other command wants that at once

    bench(as_json=as_json)


@click.command("warm-up")
def warm_up() -> None:
    """Compile all searches now, which the first of each kind would otherwise wait for: a minute or two, once."""
    from nimdesk.cli.warm_up import warm_up  # lazy: no other command wants several processes

    warm_up()


@click.command()
@json_flag
def games(as_json: bool) -> None:
    """List the well-known games with their notation."""
    list_games(as_json)


@click.command()
@json_flag
def agents(as_json: bool) -> None:
    """List the players that the computer can be, with their options."""
    list_agents(as_json)
