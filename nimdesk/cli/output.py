"""Where the command line prints: tables for people, JSON for programs."""

import json
import sys

from rich.console import Console
from rich.table import Table

_WIDTH_IN_A_PIPE = 120


def console() -> Console:
    """Standard output: as wide as the terminal, 120 in a pipe. Texts are printed as they are, brackets and all."""
    width = None if sys.stdout.isatty() else _WIDTH_IN_A_PIPE
    return Console(width=width, markup=False, emoji=False, highlight=False)


def table(*headers: str, indent: int = 0) -> Table:
    """An empty table without lines, so that it can be copied out of a terminal."""
    return Table(*headers, box=None, padding=(0, 2, 0, indent), pad_edge=indent > 0)


def print_json(data: object) -> None:
    """Plain values as JSON, in letters that the output can take."""
    ascii_only = "utf" not in (sys.stdout.encoding or "").lower()
    print(json.dumps(data, indent=2, ensure_ascii=ascii_only))
