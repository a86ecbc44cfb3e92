"""The commands with their arguments, and how one command line is carried out."""

import inspect
import io
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Protocol

import typer

from nimdesk import __version__
from nimdesk.agents import CATALOGUE, agent_info, load_plugins
from nimdesk.atomic import os_error_words
from nimdesk.cli import analyse as analysing
from nimdesk.cli import solve as solving
from nimdesk.cli.experiment import experiment_app
from nimdesk.cli.listing import list_agents, list_games
from nimdesk.cli.match import MATCH_HELP, match_command
from nimdesk.cli.options import DEFAULT_AGENT, HUMAN, agent_from_flags, flag, option_help, option_names, player_named
from nimdesk.cli.study_command import STUDY_HELP, study_command
from nimdesk.errors import NimdeskError, OptionError
from nimdesk.games import AnyPosition, parse_position
from nimdesk.games.kit import find_kit
from nimdesk.play.players import Player


class OpenWindow(Protocol):
    """Opens the window and returns its exit code."""

    def __call__(
        self,
        position: AnyPosition | None,
        players: tuple[Player | None, Player | None],
        *,
        laboratory: bool = False,
        bundle: Path | None = None,
    ) -> int:
        """``laboratory``: open the laboratory at the position, not a game, or with the experiment of ``bundle``."""


RunDemo = Callable[[Path], list[Path]]

BROKEN_PIPE = 1
# Flags and help of these commands are built from the catalogue, so it has to be complete before.
_WITH_AGENTS = ("play", "analyse", "analyze", "agents", "study", "replay")

# Typer 0.29 brings a click of its own, older ones use the package; their exceptions derive from each other alike.
_CommandLineError: Any = typer.BadParameter.__mro__[2]

_ABOUT = """Play Nim and m,n,k games against the computer, and watch its search make up its mind.

Without a command, the window opens.

\b
Examples:
  nimdesk                                        open the window
  nimdesk play nim:3,4,5 --second uct            … with this game and this opponent
  nimdesk lab nim:3,4,5                          watch searches converge to the truth
  nimdesk games                                  the well-known games in notation
  nimdesk analyse nim:1,3,5,7 --iterations 1e6   search a position, print its moves
  nimdesk analyse mnk:3,3,3 b2 --time-s 2 --json
  nimdesk solve nim:3,4,5                        the exact value of every move
  nimdesk match uct flat --position nim:3,4,5    matches, with statistics
  nimdesk experiment list                        the published tables, to be run here
  nimdesk study --position nim:3,4,5             how fast searches find the truth
"""
_ABOUT_POSITION = """POSITION is a game in notation, then the moves played, such as nim:1,3,5,7 2-3 (take 3 from pile 2)
or mnk:3,3,3 b2. “nimdesk games” lists the well-known games."""

# Described in the text of the command: typer would show it as a "list[str]".
_Position = typer.Argument(metavar="POSITION", hidden=True)
_JsonFlag = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


def run(arguments: Sequence[str], open_window: OpenWindow, run_demo: RunDemo) -> int:
    """Carry out one command line (without the program's name) and return the exit code.

    ``open_window(position, players)`` and ``run_demo(folder)`` do what ``play`` and ``demo`` ask for. Raises
    ``NimdeskError`` for anything a person can put right; a reader that closes the pipe ends it quietly.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal that lacks a letter shows ?, and the program goes on
    if arguments[:1] and arguments[0] in _WITH_AGENTS:
        load_plugins()
    command = typer.main.get_command(_make_app(open_window, run_demo))
    try:
        result = command.main(args=list(arguments), prog_name="nimdesk", standalone_mode=False)
        sys.stdout.flush()
    except _CommandLineError as error:
        raise OptionError(_usage_sentence(error, arguments)) from None
    except typer.Abort:
        raise KeyboardInterrupt from None
    except SystemExit as end:  # how typer ends where the pipe is broken
        return BROKEN_PIPE if end.code else 0
    except OSError as error:
        _drop_output()
        if isinstance(error, BrokenPipeError):
            return BROKEN_PIPE
        where = f"“{error.filename}”" if error.filename else "the output"
        raise NimdeskError(f"Reading or writing {where} failed: {os_error_words(error)}.") from error
    return result if isinstance(result, int) else 0


def _drop_output() -> None:
    """Let what is left in the buffer go nowhere, or Python would complain of it once more on leaving."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _usage_sentence(error: Any, arguments: Sequence[str]) -> str:
    """What is wrong with the command line, as one sentence."""
    first = arguments[0] if arguments else ""
    if find_kit(first.partition(":")[0]) is not None and ":" in first:
        return f"“{first}” is a position, not a command; write “nimdesk play {first}” or “nimdesk analyse {first}”."
    if (option := getattr(error, "option_name", None)) and hasattr(error, "possibilities"):
        path = error.ctx.command_path if error.ctx is not None else "nimdesk"
        near = " or ".join(error.possibilities or ())
        hint = f"did you mean {near}?" if near else f"“{path} --help” lists what there is."
        return f"There is no option {option}; {hint}"
    text: str = " ".join(error.format_message().split())
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _make_app(open_window: OpenWindow, run_demo: RunDemo) -> typer.Typer:
    """All commands. Without rich's markup no bracket in a text gets lost."""
    app = typer.Typer(
        name="nimdesk",
        help=_ABOUT,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )
    app.callback(help=_ABOUT)(_top)
    _add_window_commands(app, open_window, run_demo)
    app.command("analyse")(_analyse_command())
    app.command("analyze", hidden=True)(_analyse_command())
    app.command("solve", help=f"Print the exact value of a position and of every move.\n\n{_ABOUT_POSITION}")(_solve)
    app.command("study", help=STUDY_HELP)(study_command)
    app.command("match", help=MATCH_HELP)(match_command)
    app.add_typer(experiment_app(), name="experiment")
    app.command("replay")(_replay)
    app.command("bench")(_bench)
    app.command("games")(_games)
    app.command("agents")(_agents)
    return app


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"nimdesk {__version__}")
        raise typer.Exit


def _top(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


def _add_window_commands(app: typer.Typer, open_window: OpenWindow, run_demo: RunDemo) -> None:
    players = f"{', '.join((HUMAN, *CATALOGUE))}. Without it: as last set in the window."

    @app.command(help=f"Open the window at a position, with these players.\n\n{_ABOUT_POSITION}")
    def play(
        position: Annotated[list[str] | None, _Position] = None,
        first: Annotated[str | None, typer.Option(metavar="AGENT", help=f"Who moves first: {players}")] = None,
        second: Annotated[str | None, typer.Option(metavar="AGENT", help=f"Who moves second: {players}")] = None,
    ) -> int:
        start = parse_position(" ".join(position)) if position else None
        return open_window(start, (player_named(first), player_named(second)))

    @app.command(
        help="Open the laboratory at a position: watch searches converge, against what is proven.\n\n"
        f"{_ABOUT_POSITION} The name of a bundle (.json) in its place opens that saved experiment."
    )
    def lab(
        position: Annotated[list[str] | None, _Position] = None,
        bundle: Annotated[
            Path | None, typer.Option("--bundle", metavar="FILE", help="Open this saved experiment instead.")
        ] = None,
    ) -> int:
        if bundle is None and position and len(position) == 1 and position[0].lower().endswith(".json"):
            # No position ends so: it is what one types to open a file.
            bundle = Path(position.pop())
        if bundle is None:
            start = parse_position(" ".join(position)) if position else None
            return open_window(start, (None, None), laboratory=True)
        if position:
            raise OptionError("A bundle brings its own position; give either a position or --bundle.")
        from nimdesk.play.bundle import load_bundle  # lazy: no other command for the window wants bundles

        return open_window(load_bundle(bundle).position, (None, None), laboratory=True, bundle=bundle)

    @app.command(
        help="Play two games without a screen; write pictures and curves.\n\n"
        "It draws the real window, plays a game of Nim and an m,n,k game in it, and writes pictures of the window as "
        "PNG and the search traces as CSV. The files written are printed."
    )
    def demo(
        out: Annotated[Path, typer.Option(metavar="DIR", help="The folder to write to, made where it is missing.")] = (
            Path("nimdesk-demo")
        ),
    ) -> None:
        for path in run_demo(out):
            print(path)


def _solve(
    position: Annotated[list[str], _Position],
    time_s: Annotated[
        str,
        typer.Option(
            "--time-s", metavar="T", help="Stop after so many seconds; what is not proven by then is unknown."
        ),
    ] = "10",
    as_json: _JsonFlag = False,
) -> None:
    seconds = next(field for field in agent_info("solver").fields if field.name == "time_s").parse(time_s)
    assert isinstance(seconds, float)
    solving.solve(parse_position(" ".join(position)), seconds, as_json=as_json)


def _replay(
    bundle: Annotated[Path, typer.Argument(metavar="FILE", help="A bundle saved in the laboratory.")],
    csv: Annotated[
        Path | None,
        typer.Option("--csv", metavar="FILE.csv", help="Write the checkpoints of the searches run again, as CSV."),
    ] = None,
) -> int:
    """Run the searches of a bundle again, and say if they come to the same numbers; exit code 1 if one does not."""
    from nimdesk.cli.replay import replay  # lazy: no other command wants bundles

    return replay(bundle, csv)


def _bench(as_json: _JsonFlag = False) -> None:
    """Measure the search on this machine: simulations a second and bytes a tree node, in under a minute."""
    from nimdesk.cli.bench import bench  # lazy: it loads the compiled search, and no other command wants that at once

    bench(as_json=as_json)


def _games(as_json: _JsonFlag = False) -> None:
    """List the well-known games with their notation."""
    list_games(as_json)


def _agents(as_json: _JsonFlag = False) -> None:
    """List the players that the computer can be, with their options."""
    list_agents(as_json)


def _analyse_command() -> Callable[..., None]:
    """The command ``analyse``; its signature, from which typer derives the flags, has the options of all agents."""

    def analyse(
        position: list[str], agent: str, as_json: bool, trace: Path | None, listing: bool, **options: str | None
    ) -> None:
        given = {name: text for name, text in options.items() if text is not None}
        start = parse_position(" ".join(position))
        analysing.analyse(start, agent_from_flags(agent, given), as_json=as_json, trace=trace, listing=listing)

    analyse.__doc__ = (
        "Search a position and print what the agent thinks of each move.\n\n"
        f"{_ABOUT_POSITION}\n\nCtrl-C ends the search and prints what there is so far."
    )
    agents = f"Who searches: {', '.join(CATALOGUE)}. “nimdesk agents” explains them."
    trace_help = "Write the checkpoints of the search, or its depths, to this file, as CSV."
    annotations: dict[str, Any] = {
        "position": Annotated[list[str], _Position],
        "agent": Annotated[str, typer.Option("--agent", metavar="NAME", help=agents)],
        **{
            name: Annotated[str | None, typer.Option(flag(name), metavar="VALUE", help=option_help(name))]
            for name in option_names()
        },
        "trace": Annotated[Path | None, typer.Option("--trace", metavar="FILE.csv", help=trace_help)],
        "listing": Annotated[
            bool, typer.Option("--listing", help="Print how minimax, deepening or the value table got there.")
        ],
        "as_json": _JsonFlag,
    }
    defaults: dict[str, Any] = {
        "position": inspect.Parameter.empty,
        "agent": DEFAULT_AGENT,
        "listing": False,
        "as_json": False,
    }
    analyse.__annotations__ = annotations
    analyse.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=defaults.get(name), annotation=annotation)
            for name, annotation in annotations.items()
        ]
    )
    return analyse
