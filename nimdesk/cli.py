"""The command line: everything that needs no screen, and the two commands that open or draw the window.

``run`` is the whole of it. It knows no Qt: ``nimdesk.__main__`` hands in what opens the window. Whatever a person can
get wrong leaves as a ``NimdeskError`` with one sentence. The options of ``analyse`` are the declared fields of all
agents in the catalogue, so a new agent brings its flags along.
"""

import inspect
import io
import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from nimdesk import __version__
from nimdesk.agents import CATALOGUE, Agent, OptionField, agent_info, make_agent
from nimdesk.atomic import os_error_words, write_atomically
from nimdesk.errors import NimdeskError, NotationError, OptionError
from nimdesk.games import PRESETS, AnyPosition, Move, parse_position
from nimdesk.games.notation import NOTATION_HELP
from nimdesk.games.words import describe_outcome, describe_turn
from nimdesk.play.players import Human, Player
from nimdesk.search import Limit, Snapshot, StopReason
from nimdesk.search.trace_csv import trace_csv

OpenWindow = Callable[[AnyPosition | None, tuple[Player | None, Player | None]], int]
RunDemo = Callable[[Path], list[Path]]

BROKEN_PIPE = 1
HUMAN = "human"
_SLICE_S = 0.05
_MOST_ROWS = 30

# Typer 0.29 brings a click of its own, older ones use the package: both derive their exceptions in the same way.
_CommandLineError: Any = typer.BadParameter.__mro__[2]
_JsonFlag = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
_POSITION_HELP = (
    "A game in notation, then the moves played, such as nim:1,3,5,7 2-3 (3 from pile 2) or mnk:3,3,3 b2. "
    "“nimdesk games” lists the well-known games."
)

_ABOUT = """Play Nim and m,n,k games against the computer, and watch its search make up its mind.

Without a command, the window opens.

\b
Examples:
  nimdesk                                        open the window
  nimdesk play nim:3,4,5 --second uct            … with this game and opponent
  nimdesk games                                  the well-known games in notation
  nimdesk analyse nim:1,3,5,7 --iterations 1e6   search a position and print the moves
  nimdesk analyse mnk:3,3,3 b2 --time-s 2 --json
"""


def run(arguments: Sequence[str], open_window: OpenWindow, run_demo: RunDemo) -> int:
    """Carry out one command line (without the program's name) and return the exit code.

    ``open_window(position, players)`` and ``run_demo(folder)`` do what ``play`` and ``demo`` ask for. Raises
    ``NimdeskError`` for anything a person can put right; a reader that closes the pipe ends it quietly.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a terminal without √ and “ shows ?, and the program goes on
    command = typer.main.get_command(_make_app(open_window, run_demo))
    try:
        result = command.main(args=list(arguments), prog_name="nimdesk", standalone_mode=False)
        sys.stdout.flush()
    except _CommandLineError as error:
        raise OptionError(_usage_sentence(error, arguments)) from None
    except typer.Abort:
        raise KeyboardInterrupt from None
    except SystemExit as end:  # how typer ends when the pipe is broken
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
    first = arguments[0]
    if first.startswith(("nim:", "mnk:")):
        return f"“{first}” is a position, not a command; write “nimdesk play {first}” or “nimdesk analyse {first}”."
    if (option := getattr(error, "option_name", None)) and hasattr(error, "possibilities"):
        path = error.ctx.command_path if error.ctx is not None else "nimdesk"
        near = " or ".join(error.possibilities or ())
        hint = f"did you mean {near}?" if near else f"“{path} --help” lists what there is."
        return f"There is no option {option}; {hint}"
    text = " ".join(error.format_message().split())
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _make_app(open_window: OpenWindow, run_demo: RunDemo) -> typer.Typer:
    """All commands. Texts are taken as they are: without rich's markup, no bracket in them gets lost."""
    app = typer.Typer(
        name="nimdesk",
        help=_ABOUT,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )
    app.callback()(_top)
    _add_window_commands(app, open_window, run_demo)
    app.command("analyse")(_analyse_command())
    app.command("analyze", hidden=True)(_analyse_command())
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


_top.__doc__ = _ABOUT


def _add_window_commands(app: typer.Typer, open_window: OpenWindow, run_demo: RunDemo) -> None:
    players = f"{HUMAN}, or one of: {', '.join(CATALOGUE)}. Without it, as in the settings."

    @app.command()
    def play(
        position: Annotated[list[str] | None, typer.Argument(metavar="POSITION", help=_POSITION_HELP)] = None,
        first: Annotated[str | None, typer.Option(metavar="AGENT", help=f"Who moves first: {players}")] = None,
        second: Annotated[str | None, typer.Option(metavar="AGENT", help=f"Who moves second: {players}")] = None,
    ) -> int:
        """Open the window at a position, with these players."""
        start = parse_position(" ".join(position)) if position else None
        return open_window(start, (_player(first), _player(second)))

    @app.command()
    def demo(
        out: Annotated[Path, typer.Option(metavar="DIR", help="The folder to write to; made if need be.")] = Path(
            "nimdesk-demo"
        ),
    ) -> None:
        """Play a game of Nim and an m,n,k game without a screen; write pictures of the window, and traces as CSV."""
        for path in run_demo(out):
            print(path)


def _games(as_json: _JsonFlag = False) -> None:
    """List the well-known games with their notation."""
    if as_json:
        _print_json([{"name": p.name, "notation": p.game.text, "about": p.about} for p in PRESETS])
        return
    table = Table("Name", "Notation", "About", box=None, padding=(0, 2, 0, 0))
    for preset in PRESETS:
        table.add_row(preset.name, preset.game.text, preset.about)
    _console().print(table, f"\nAny other: {NOTATION_HELP}.")


def _agents(as_json: _JsonFlag = False) -> None:
    """List the players that the computer can be, with their options."""
    if as_json:
        _print_json([_agent_json(name) for name in CATALOGUE])
        return
    console = _console()
    for info in CATALOGUE.values():
        console.print(f"{info.name} ({info.title})", style="bold")
        console.print(f"  {info.about}")
        table = Table("Option", "Default", "Allowed", "Meaning", box=None, padding=(0, 2, 0, 2))
        for field in info.fields:
            table.add_row(_flag(field.name), _default_text(field), field.bounds_text, field.description)
        console.print(table)
        console.print()


def _agent_json(name: str) -> dict[str, object]:
    info = CATALOGUE[name]
    options = [
        {
            "name": field.name,
            "title": field.title,
            "description": field.description,
            "kind": field.kind.__name__,
            "default": field.default,
            "minimum": field.minimum,
            "maximum": field.maximum,
            "optional": field.optional,
            "unit": field.unit,
        }
        for field in info.fields
    ]
    return {"name": info.name, "title": info.title, "about": info.about, "options": options}


def _analyse_command() -> Callable[..., None]:
    """The command ``analyse``, its signature made from the options that the agents declare."""

    def analyse(position: list[str], agent: str, as_json: bool, trace: Path | None, **options: str | None) -> None:
        given = {name: text for name, text in options.items() if text is not None}
        _analyse(" ".join(position), agent, given, as_json, trace)

    analyse.__doc__ = (
        "Search a position with an agent and print what it thinks of every move.\n\n"
        "Ctrl-C stops the search and prints what there is. Options that an agent does not have are refused."
    )
    agents = f"Who searches: {', '.join(CATALOGUE)}. “nimdesk agents” explains them."
    trace_help = "Also write the search's checkpoints to this file, as CSV."
    annotations: dict[str, Any] = {
        "position": Annotated[list[str], typer.Argument(metavar="POSITION", help=_POSITION_HELP)],
        "agent": Annotated[str, typer.Option("--agent", metavar="NAME", help=agents)],
        **{
            name: Annotated[
                str | None, typer.Option(_flag(name), metavar="VALUE", show_default=False, help=_option_help(name))
            ]
            for name in dict.fromkeys(field.name for info in CATALOGUE.values() for field in info.fields)
        },
        "trace": Annotated[Path | None, typer.Option("--trace", metavar="FILE.csv", help=trace_help)],
        "as_json": _JsonFlag,
    }
    defaults: dict[str, Any] = {"position": inspect.Parameter.empty, "agent": "uct", "as_json": False}
    kind = inspect.Parameter.KEYWORD_ONLY
    parameters = [
        inspect.Parameter(name, kind, default=defaults.get(name), annotation=annotation)
        for name, annotation in annotations.items()
    ]
    analyse.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    analyse.__annotations__ = annotations
    return analyse


def _option_help(name: str) -> str:
    """What the option means, agent by agent where they differ."""
    texts: dict[str, list[str]] = {}
    for info in CATALOGUE.values():
        for field in info.fields:
            if field.name == name:
                text = f"{field.description} ({field.bounds_text}; default: {_default_text(field)})"
                texts.setdefault(text, []).append(info.name)
    everyone = len(texts) == 1 and len(next(iter(texts.values()))) == len(CATALOGUE)
    parts = [text if everyone else f"For {', '.join(agents)}: {text}" for text, agents in texts.items()]
    if name == "time_s":
        parts.append("With this and no --iterations, time alone ends the search.")
    return " ".join(parts)


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _default_text(field: OptionField) -> str:
    if field.default is None:
        return field.empty or "empty"
    return f"{field.default:,}" if isinstance(field.default, int) else f"{field.default:g}"


def _agent_name(text: str, also: Sequence[str] = ()) -> str:
    """The agent that a person means, by its name or the title that the window shows; ``OptionError`` otherwise."""
    wanted = text.strip().lower()
    names = {info.title.lower(): info.name for info in CATALOGUE.values()}
    names |= {name: name for name in (*also, *CATALOGUE)}
    if wanted in names:
        return names[wanted]
    near = get_close_matches(wanted, names, n=1)
    hint = f"did you mean {names[near[0]]}?" if near else f"there are: {', '.join((*also, *CATALOGUE))}."
    raise OptionError(f"There is no agent “{text}”; {hint}")


def _player(text: str | None) -> Player | None:
    if text is None:
        return None
    name = _agent_name(text, also=(HUMAN,))
    return Human() if name == HUMAN else make_agent(name)


def _make_agent(name: str, given: Mapping[str, str]) -> Agent:
    """The agent with the options that were typed, checked by the same fields as the window's forms."""
    fields = {field.name: field for field in agent_info(name).fields}
    for option in given:
        if option not in fields:
            has = ", ".join(map(_flag, fields)) or "none"
            raise OptionError(f"The agent {name} has no option {_flag(option)}; it has: {has}.")
    values: dict[str, object] = {option: fields[option].parse(text) for option, text in given.items()}
    if values.get("time_s") is not None and "iterations" in fields and "iterations" not in values:
        values["iterations"] = None
    return make_agent(name, values)


def _analyse(position_text: str, agent_text: str, given: Mapping[str, str], as_json: bool, trace: Path | None) -> None:
    position = parse_position(position_text)
    if position.outcome is not None:
        raise NotationError(f"There is nothing to analyse in {position.text}: {describe_outcome(position)}.")
    agent = _make_agent(_agent_name(agent_text), given)
    if trace is not None and not os.path.isdir(trace.parent):
        raise OptionError(f"The trace cannot be written to “{trace}”: the folder “{trace.parent}” does not exist.")
    snapshot = _search(position, agent)
    if as_json:
        _print_json(_snapshot_json(snapshot))
    else:
        _print_snapshot(snapshot)
    if trace is not None:
        _write_trace(snapshot, trace)


def _search(position: AnyPosition, agent: Agent) -> Snapshot:
    """Run the search to its own limit, or to Ctrl-C, with a progress bar where a person watches."""
    searcher = agent.new_searcher()
    errors = Console(stderr=True)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=errors, transient=True, auto_refresh=False, disable=not errors.is_terminal) as bar:
        task = bar.add_task("Loading the search…", total=None)
        bar.refresh()
        searcher.start(position, agent.new_seed())
        deadline_s = 0.0
        with _interruptible() as stop:
            while not stop.is_set():
                deadline_s += _SLICE_S
                if searcher.advance(Limit(time_s=deadline_s)) is not None:
                    return searcher.snapshot()
                if errors.is_terminal:
                    now = searcher.snapshot()
                    done = _fraction_done(now, agent)
                    bar.update(
                        task, description=f"{now.iterations:,} iterations", completed=done, total=1, refresh=True
                    )
    return searcher.snapshot().ended(StopReason.STOPPED)


def _fraction_done(snapshot: Snapshot, agent: Agent) -> float:
    iterations: int | None = getattr(agent.options, "iterations", None)
    time_s: float | None = getattr(agent.options, "time_s", None)
    by_iterations = snapshot.iterations / iterations if iterations else 0.0
    return min(1.0, max(by_iterations, snapshot.elapsed_s / time_s if time_s else 0.0))


@contextmanager
def _interruptible() -> Iterator[threading.Event]:
    """An event that the first Ctrl-C sets, so that no slice is torn; a second one interrupts as usual."""
    stop = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return

    def on_interrupt(number: int, frame: object) -> None:
        stop.set()
        signal.signal(signal.SIGINT, before)

    before = signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


def _snapshot_json(snapshot: Snapshot) -> dict[str, object]:
    return {
        "position": snapshot.position.text,
        "agent": snapshot.agent,
        "best_move": _move_text(snapshot.best_move),
        "iterations": snapshot.iterations,
        "elapsed_s": snapshot.elapsed_s,
        "stopped": snapshot.stopped.name.lower() if snapshot.stopped is not None else None,
        "seed": snapshot.seed,
        "moves": [
            {"move": stats.move.text, "visits": stats.visits, "mean_value": stats.mean_value, "proven": None}
            for stats in snapshot.moves
        ],
    }


def _print_snapshot(snapshot: Snapshot) -> None:
    position, console = snapshot.position, _console()
    side = position.game.side_name(position.turn)
    console.print(f"{position.text}: {describe_turn(position)}")
    ranked = sorted(snapshot.moves, key=lambda stats: -stats.visits)
    if snapshot.total_visits:
        table = Table(box=None, padding=(0, 2, 0, 0))
        table.add_column("Move")
        for title in ("Visits", "Share", f"Mean value for {side}"):
            table.add_column(title, justify="right")
        table.add_column("Principal variation", no_wrap=True)
        for stats in ranked[:_MOST_ROWS]:
            mean = "–" if stats.mean_value is None else f"{stats.mean_value:.4f}"
            line = " ".join(move.text for move in stats.principal_variation)
            table.add_row(stats.move.text, f"{stats.visits:,}", f"{snapshot.share(stats):.1%}", mean, line)
        console.print(table)
    if snapshot.total_visits and (rest := ranked[_MOST_ROWS:]):
        console.print(
            f"and {len(rest)} more moves with {sum(stats.visits for stats in rest):,} visits (--json has all)"
        )
    full = " (full: the tree grew no more)" if snapshot.tree_full else ""
    console.print(
        f"{snapshot.iterations:,} iterations · {snapshot.simulations_per_s:,.0f} simulations/s · "
        f"{snapshot.tree_nodes:,} tree nodes{full} · stopped: {snapshot.stopped.value if snapshot.stopped else '–'}"
    )
    console.print(
        f"best move: {_move_text(snapshot.best_move) or '–'} · agent: {snapshot.agent} · seed: {snapshot.seed}"
    )


def _move_text(move: Move | None) -> str | None:
    return None if move is None else move.text


def _write_trace(snapshot: Snapshot, path: Path) -> None:
    if snapshot.trace is None:
        raise OptionError(f"The agent {snapshot.agent} does not search, so there is no trace to write to “{path}”.")
    try:
        write_atomically(path, trace_csv(snapshot.trace).encode())
    except (OSError, ValueError) as error:
        raise OptionError(f"The trace cannot be written to “{path}”: {os_error_words(error)}.") from error


def _console() -> Console:
    """Where tables go: in full colour and width on a terminal, plain and 120 wide in a pipe; texts as they are."""
    width = None if sys.stdout.isatty() else 120
    return Console(width=width, markup=False, emoji=False, highlight=False)


def _print_json(data: object) -> None:
    ascii_only = "utf" not in (sys.stdout.encoding or "").lower()
    print(json.dumps(data, indent=2, ensure_ascii=ascii_only))
