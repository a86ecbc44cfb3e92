"""``nimdesk engine``: nimdesk as a program for five in a row, which a manager of Gomocup's protocol starts."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path

import click

from nimdesk.agents.naming import agent_from_text
from nimdesk.cli.completion import complete_agent
from nimdesk.cli.file_types import WRITTEN
from nimdesk.letters import as_written
from nimdesk.lines import listen

_DEFAULT = "mcts"


@click.command(
    help="Play five in a row for a manager of the Gomocup (Piskvork) protocol, version 2.\n\n"
    "The manager starts this command, under the name pbrain-nimdesk, and talks with it on standard input and output. "
    "It plays free-style five in a row on every board that the game mnk:m,n,5 has, and exactly five where that is "
    "known. Time, memory, nodes and threads are as the manager says; before it has, the agent's own budget holds."
)
@click.option(
    "--agent",
    metavar="NAME",
    default=_DEFAULT,
    help="Who plays, perhaps with options, such as level6 or mcts:exploration=1.",
    shell_complete=complete_agent,
)
@click.option("--log", type=WRITTEN, metavar="FILE", help="Write all lines, with their seconds, to this file.")
def engine(agent: str, log: Path | None) -> None:
    """Answer line by line until END, or the end of the input."""
    from nimdesk.agents.gomocup.brain import Brain  # lazy: no other command speaks this protocol

    out, lines = sys.stdout, listen()
    with _log(log) as note, redirect_stdout(sys.stderr):  # the manager takes every line for an answer

        def say(line: str) -> None:
            print(as_written(line, "ascii"), file=out, flush=True)
            note("->", line)

        brain = Brain(agent_from_text(agent), say, lines.ended, lines.none_waits)
        while (heard := lines.next()) is not None:
            note("<-", heard[0])
            brain.hear(*heard)
    sys.stderr.flush()
    os._exit(0)  # a manager waits for half a second, and Python's own end may take longer while kernels are loaded


@contextmanager
def _log(path: Path | None) -> Iterator[Callable[[str, str], object]]:
    """Writes lines to this file, each with the seconds since the start; nothing without a file."""
    if path is None:
        yield lambda _way, _line: None
        return
    began = time.monotonic()
    with path.open("w", encoding="utf-8", buffering=1) as file:
        yield lambda way, line: file.write(f"{time.monotonic() - began:9.3f} {way} {line.rstrip()}\n")
