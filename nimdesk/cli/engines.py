"""The commands for searches of one's own: ``add-engine``, ``remove-engine`` and ``new-agent``."""

from __future__ import annotations

import re
from pathlib import Path

import click

from nimdesk.agents.engines import PROTOCOLS, add_engine, remove_engine
from nimdesk.agents.naming import check_free
from nimdesk.cli.options import write_text
from nimdesk.disk.atomic import os_error_words
from nimdesk.disk.paths import resources_dir
from nimdesk.errors import OptionError, quoted, shown

_COUNTS = {"iterations": "counts iterations", "nodes": "counts nodes", None: "is told its time alone"}
_PROJECT = """\
[project]
name = "nimdesk-{name}"
version = "1.0"
dependencies = ["nimdesk"]

[project.entry-points."nimdesk.agents"]
{name} = "{module}:Search"

[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[tool.hatch.build.targets.wheel]
only-include = ["{module}.py"]
"""
_LANGUAGES = {"python": "search.py", "c": "uct.c", "javascript": "uct.js"}


@click.command("add-engine", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option(
    "--protocol",
    type=click.Choice(tuple(PROTOCOLS)),
    help="What it speaks: nimdesk-search, which the reference describes, or gomocup. Without it, a program whose name "
    "begins with pbrain- speaks gomocup.",
)
@click.argument("name")
@click.argument("command", nargs=-1, required=True)
def engine_added(protocol: str | None, name: str, command: tuple[str, ...]) -> None:
    """Make a program that searches an agent, whatever its language.

    NAME is what it is called from now on. COMMAND starts it, in this folder; it is started once now, to hear what it
    can. In the window it is among the players at the next start. A program of the same name is replaced.
    """
    # Click leaves it there, since what follows NAME is not read as options.
    if command[0] == "--" and len(command) > 1:
        command = command[1:]
    check_free(name)
    engine = add_engine(name, command, Path.cwd(), protocol)
    greeting = engine.greeting
    games = ", ".join(greeting.games) or "every game"
    options = ", ".join(part.name for part in greeting.options) or "none"
    print(shown(f"{name}: {greeting.name}; it {_COUNTS[greeting.counts]}. Games: {games}. Options: {options}."))
    print(shown(f"Its own words go to {engine.log.path}"))


@click.command("remove-engine")
@click.argument("name")
def engine_removed(name: str) -> None:
    """Forget a program that was added by add-engine."""
    remove_engine(name)


@click.command("new-agent")
@click.argument("name")
@click.option("--language", type=click.Choice(tuple(_LANGUAGES)), default="python", help="What it is to be written in.")
def new_agent(name: str, language: str) -> None:
    """Write a search of one's own that works, to begin with: UCT, in a new folder of this name.

    In Python it is a package for pip, which plays every game; in C and JavaScript a program that knows Nim and Connect
    Four. What to type next is printed.
    """
    if not re.fullmatch(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*", name) or len(name) > 30:
        raise OptionError(f"{quoted(name)} is no name for an agent; it is made of small letters, digits and “-”.")
    folder, module = Path(name), name.replace("-", "_")
    if folder.exists():
        raise OptionError(f"There is a “{name}” already; choose another name.")
    template = resources_dir() / "examples" / "engines" / _LANGUAGES[language]
    title = name.replace("-", " ").capitalize()
    text = template.read_text(encoding="utf-8").replace("TITLE", title)
    text = re.sub(r"UCT in (?:C|JavaScript)\b", title, text)
    try:
        folder.mkdir()
    except OSError as error:
        raise OptionError(f"The folder “{name}” cannot be made: {os_error_words(error)}.") from error
    if language == "python":
        write_text(folder / "pyproject.toml", _PROJECT.format(name=name, module=module))
        write_text(folder / f"{module}.py", text)
        steps = [f"pip install -e ./{name}"]
    elif language == "c":
        write_text(folder / "uct.c", text)
        steps = [f"cc -O2 -o {name}/uct {name}/uct.c -lm", f"nimdesk add-engine {name} {name}/uct"]
    else:
        write_text(folder / "uct.js", text)
        steps = [f"nimdesk add-engine {name} node {name}/uct.js"]
    print("\n".join([*steps, f"nimdesk check-agent {name}"]))
