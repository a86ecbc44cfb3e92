"""Agents and their options on the command line; and the output of all commands: tables, JSON, files.

Flags come from the catalogue; nothing here knows a particular agent.
"""

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from time import monotonic

import click
from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from nimdesk.agents import (
    CATALOGUE,
    DEFAULT_AGENT,
    PUBLISHED,
    AgentInfo,
    ChoiceField,
    NumberField,
    OptionField,
)
from nimdesk.agents.engines import list_problem
from nimdesk.agents.naming import HUMAN, agent_from_text, agent_named, flag
from nimdesk.cli.file_types import is_table, told_as_file
from nimdesk.compiling import Compiling
from nimdesk.disk.atomic import check_ordinary, os_error_words, write_atomically
from nimdesk.disk.provenance import Provenance, made_here, plain, write_beside
from nimdesk.errors import NimdeskError, NotationError, OptionError, shown
from nimdesk.formats import read_position
from nimdesk.games import AnyPosition, load_plugin_games, presets
from nimdesk.games.kit import PROBLEMS, notation_help
from nimdesk.play.game import Human, Player, opponent

_WIDTH_IN_A_PIPE = 120


def console() -> Console:
    """Standard output: as wide as the terminal, 120 in a pipe. Texts are printed unchanged, brackets and all."""
    width = None if sys.stdout.isatty() else _WIDTH_IN_A_PIPE
    return Console(width=width, markup=False, emoji=False, highlight=False)


def table(*headers: str, indent: int = 0) -> Table:
    """An empty table without lines, so that it can be copied out of a terminal."""
    return Table(*headers, box=None, padding=(0, 2, 0, indent), pad_edge=indent > 0)


def print_json(told: Mapping[str, object], made: Sequence[Provenance], finding: str = "") -> None:
    """Plain values as one JSON object, which ends with what was found, as a sentence, and with what made it."""
    sentence = {"finding": finding} if finding else {}
    _print_object({**told, **sentence, "made": list(map(plain, made))})
    context = click.get_current_context(silent=True)
    if context is not None:
        context.meta[_ANSWERED] = True


def print_error(error: NimdeskError, context: click.Context | None = None) -> None:
    """What is wrong, as a JSON object, unless the command in this context has printed its own already."""
    if context is not None and context.meta.get(_ANSWERED):
        return
    told = {"kind": type(error).__name__, "sentence": str(error)}
    with suppress(OSError):  # nobody reads it
        _print_object({"error": told, "made": [plain(made_here())]})


_ANSWERED = f"{__name__}.answered"


def _print_object(data: Mapping[str, object]) -> None:
    """In letters that the output supports."""
    ascii_only = "utf" not in (sys.stdout.encoding or "").lower()
    print(json.dumps(data, indent=2, ensure_ascii=ascii_only))


def say(words: str) -> None:
    """Print lines on standard error while work goes on; where that fails, as on a full disk, the work still goes on.

    Nothing in them, such as the name of a file, can steer the terminal.
    """
    with suppress(OSError):
        print(*map(shown, words.split("\n")), sep="\n", file=sys.stderr, flush=True)


@contextmanager
def progress_bar(words: str, *columns: ProgressColumn, auto_refresh: bool = True) -> Iterator[tuple[Progress, TaskID]]:
    """A bar on standard error, if that is a terminal, and its first task."""
    text = TextColumn("{task.description}", markup=False)
    err = Console(stderr=True)
    disable = not sys.stderr.isatty()
    with Progress(
        text, BarColumn(), *columns, console=err, transient=True, auto_refresh=auto_refresh, disable=disable
    ) as bar:
        task = bar.add_task(words, total=None)
        bar.refresh()
        _bars.append(bar)
        try:
            yield bar, task
        finally:
            _bars.remove(bar)


# Those that are shown: a terminal has room for one.
_bars: list[Progress] = []
SAY_AFTER_S, _SAY_EVERY_S = 1.0, 10.0


class CompilerProgress:
    """Hears of compiling (``nimdesk.compiling``), for which any command may have to wait, and shows how far it is.

    On a terminal that is one more line of the bar that is shown, or a bar of its own; elsewhere a sentence after a
    second, and one every ten seconds.
    """

    def __init__(self) -> None:
        self._line: tuple[Progress, TaskID] | None = None
        self._own = ExitStack()
        self._say_at: float | None = None

    def __call__(self, now: Compiling | None) -> None:
        """Show this, or no more."""
        if not sys.stderr.isatty():
            self._say(now)
        elif now is None:
            self._end()
        else:
            if self._line is None:
                self._line = self._new_line(now)
            bar, task = self._line
            bar.update(task, description=now.words, refresh=True)

    def _new_line(self, now: Compiling) -> tuple[Progress, TaskID]:
        if _bars:
            return _bars[-1], _bars[-1].add_task(now.words, total=None)
        return self._own.enter_context(progress_bar(now.words, TimeElapsedColumn()))

    def _end(self) -> None:
        if self._line is not None:
            bar, task = self._line
            bar.remove_task(task)
        self._line = None
        self._own.close()

    def _say(self, now: Compiling | None) -> None:
        time_s = monotonic()
        if now is None:
            self._say_at = None
        elif self._say_at is None:
            self._say_at = time_s + SAY_AFTER_S
        elif time_s >= self._say_at:
            self._say_at = time_s + _SAY_EVERY_S
            say(f"nimdesk: {now.words}")


def check_folder(path: Path | None, what: str = "") -> None:
    """``OptionError`` if the file's folder is missing, or a folder or a device has its name.

    It is checked before long work rather than after it.
    """
    if path is None:
        return
    if not os.path.isdir(path.parent):
        raise OptionError(f"{_named(path, what)} cannot be written{_to(path, what)}: “{path.parent}” is not a folder.")
    try:
        check_ordinary(path)
    except (OSError, ValueError) as error:
        raise _unwritable(path, what, error) from error


def check_csv(path: Path | None, what: str = "") -> None:
    """``check_folder`` for what ``--csv`` names; a folder of tables is made where it is missing."""
    if path is not None and is_table(path):
        check_folder(path, what)


def write_table(path: Path, text: str, about: Mapping[str, object], made: Sequence[Provenance], what: str = "") -> None:
    """Replace the file by a table, and the one beside it by what the table is of and what made it."""
    write_text(path, text, what)
    write_beside(path, about, made)


def write_only_table(path: Path, name: str, text: str, about: Mapping[str, object], made: Sequence[Provenance]) -> None:
    """Write the one table of a command to ``--csv``: to that file, or to one of this name in that folder."""
    if not is_table(path):
        try:
            path.mkdir(parents=True, exist_ok=True)
        except (OSError, ValueError) as error:
            raise _unwritable(path, "", error) from error
        path /= f"{name}.csv"
        say(str(path))
    write_table(path, text, about, made, "The CSV")


def write_text(path: Path, text: str, what: str = "") -> None:
    """Replace the whole file; ``OptionError`` if that is impossible; ``what`` begins the sentence."""
    write_bytes(path, text.encode(), what)


def write_bytes(path: Path, data: bytes, what: str = "") -> None:
    """Replace the whole file by these bytes; ``OptionError`` if that is impossible; ``what`` begins the sentence."""
    try:
        write_atomically(path, data)
    except (OSError, ValueError) as error:
        raise _unwritable(path, what, error) from error


def _unwritable(path: Path, what: str, error: OSError | ValueError) -> OptionError:
    return OptionError(f"{_named(path, what)} cannot be written{_to(path, what)}: {os_error_words(error)}.")


def _named(path: Path, what: str) -> str:
    return what or f"“{path}”"


def _to(path: Path, what: str) -> str:
    return f" to “{path}”" if what else ""


def default_text(field: OptionField) -> str:
    """The default in words."""
    default = field.default
    if default is None:
        return (field.empty if isinstance(field, NumberField) else "") or "empty"
    if isinstance(default, bool):
        return "yes" if default else "no"
    if isinstance(default, str):
        return default
    return f"{default:,}" if isinstance(default, int) else f"{default:g}"


def option_names() -> tuple[str, ...]:
    """The names of all agents' options, each once; those of the default agent come first."""
    infos = [CATALOGUE[DEFAULT_AGENT], *CATALOGUE.values()]
    return tuple(dict.fromkeys(field.name for info in infos for field in info.fields))


def option_help(name: str) -> str:
    """What the option means and what is allowed, agent by agent where they differ."""
    texts: dict[str, list[str]] = {}
    for info in CATALOGUE.values():
        for field in info.fields:
            if field.name == name:
                text = f"{field.description} ({field.bounds_text}; default: {default_text(field)})"
                texts.setdefault(text, []).append(info.name)
    for_all = any(len(agents) == len(CATALOGUE) for agents in texts.values())
    parts = [text if for_all else f"For {', '.join(agents)}: {text}" for text, agents in texts.items()]
    if name == "time_s":
        parts.append("With this and no --iterations, time alone ends the search.")
    return " ".join(parts)


def player_named(text: str | None) -> Player | None:
    """A person, or an agent: as the window offers it, or with the options after its name; None stays None."""
    if text is None:
        return None
    if ":" in text:
        return agent_from_text(text)
    name = agent_named(text, also=(HUMAN,))
    if name in PUBLISHED:
        return PUBLISHED[name].agent
    return Human() if name == HUMAN else opponent(name)


def position_of(words: Sequence[str], flag: str | None = None) -> AnyPosition:
    """The position that these words of a command line name, or ``--position``.

    ``NotationError``; ``OptionError`` if it is a file, or if none or two are named. What was decided of a position
    written as other programs do is said on standard error.
    """
    if flag is not None and words:
        raise OptionError("The position is named twice; give it as an argument, or by --position.")
    words = [flag] if flag is not None else words
    if not words:
        raise OptionError("Say which position, such as nim:3,4,5; “nimdesk games” lists well-known ones.")
    try:
        position, told = read_position(" ".join(words))
    except NotationError:
        if len(words) == 1 and (told := told_as_file(words[0])):
            raise OptionError(told) from None
        raise
    if told:
        say(told)
    return position


def list_games(as_json: bool) -> None:
    """Print the well-known games: name, notation, one sentence."""
    load_plugin_games()
    if as_json:
        listed = [{"name": p.name, "notation": p.game.text, "about": p.about} for p in presets()]
        print_json({"games": listed}, [made_here()])
        return
    rows = table("Name", "Notation", "About")
    for preset in presets():
        rows.add_row(preset.name, preset.game.text, preset.about)
    console().print(rows, f"\nAny other: {notation_help()}.")
    for problem in PROBLEMS.values():
        console().print(problem)


def list_agents(as_json: bool) -> None:
    """Print the catalogue: each agent with its options, their defaults and bounds."""
    if as_json:
        print_json({"agents": list(map(_agent_json, CATALOGUE.values()))}, [made_here()])
        return
    out = console()
    for info in CATALOGUE.values():
        out.print(f"{info.name} ({info.title})", style="bold")
        out.print(f"  {info.about}")
        rows = table("Option", "Default", "Allowed", "Meaning", indent=2)
        for field in info.fields:
            rows.add_row(flag(field.name), default_text(field), field.bounds_text, field.description)
        if info.fields:
            out.print(rows)
        out.print()
    out.print("As published (a name is an agent with its options)", style="bold")
    published = table("Name", "Agent", "Note", indent=2)
    for preset in PUBLISHED.values():
        published.add_row(preset.name, preset.agent_name, f"Document {preset.document}. {preset.note}")
    out.print(published)
    if problem := list_problem():
        out.print(problem)


def _agent_json(info: AgentInfo) -> dict[str, object]:
    options = [_field_json(field) for field in info.fields]
    return {"name": info.name, "title": info.title, "about": info.about, "options": options}


def _field_json(field: OptionField) -> dict[str, object]:
    common = {name: getattr(field, name) for name in ("name", "title", "description", "default")}
    if isinstance(field, NumberField):
        bounds = {name: getattr(field, name) for name in ("minimum", "maximum", "optional", "unit")}
        return common | {"kind": field.kind.__name__, **bounds}
    if isinstance(field, ChoiceField):
        return common | {"kind": "choice", "choices": [value for value, _words in field.choices]}
    return common | {"kind": "switch"}
