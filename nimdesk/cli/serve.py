"""``nimdesk serve``: other programs ask for truth, judgements, searches and pictures, on standard input and output."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from nimdesk.cli.interrupting import interruptibly
from nimdesk.errors import OptionError


@click.command()
@click.option("--mcp", "as_mcp", is_flag=True, show_default=False, help="Be a server of the Model Context Protocol.")
@click.option("--schema", "as_schema", is_flag=True, show_default=False, help="Print the JSON schema, and exit.")
def serve(as_mcp: bool, as_schema: bool) -> None:
    """Answer questions of other programs on standard input and output: exact values, judgements of moves, searches.

    A question is a line of JSON, and so is its answer; they come in the same order, and no network port is opened. The
    end of the input ends it.

    \b
    Questions:
      {"id": 1, "method": "truth", "params": {"position": "nim:3,4,5"}}
      {"id": 2, "method": "judge", "params": {"position": "nim:3,4,5", "move": "1-1"}}
      {"id": 3, "method": "analyse", "params": {"position": "mnk:3,3,3", "agent": "uct", "budget": 1000, "seed": 1}}
      {"id": 4, "method": "render", "params": {"position": "mnk:3,3,3 b2", "form": "svg"}}
      {"id": 5, "method": "games"}
    """
    if as_mcp and as_schema:
        raise OptionError("--schema is of the lines of JSON; the tools of --mcp have their own. Give one of them.")
    # Lazy: no other command answers others.
    if as_schema:
        from nimdesk.cli.oracle.lines import schema

        print(json.dumps(schema(), indent=2))
    elif as_mcp:
        from nimdesk.cli.oracle.mcp import run

        run()
    else:
        interruptibly(_answer_lines)


def _answer_lines(stop: threading.Event) -> None:
    from nimdesk.cli.oracle.lines import answer_all
    from nimdesk.cli.oracle.questions import Oracle

    with _own_output() as write:
        answer_all(sys.stdin.buffer, write, Oracle(stop))


@contextmanager
def _own_output() -> Iterator[Callable[[bytes], object]]:
    """Write to standard output what is given, while all else that is printed goes to standard error."""
    sys.stdout.flush()
    out = os.dup(1)
    os.dup2(2, 1)

    def write(data: bytes) -> None:
        while data:
            data = data[os.write(out, data) :]

    try:
        yield write
    finally:
        sys.stdout.flush()
        os.dup2(out, 1)
        os.close(out)
