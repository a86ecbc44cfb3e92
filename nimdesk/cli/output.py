"""Where the command line prints and writes: tables for people, JSON for programs, files."""

import json
import os
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

from nimdesk.atomic import os_error_words, write_atomically
from nimdesk.errors import OptionError

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


def check_folder(path: Path | None, what: str = "") -> None:
    """``OptionError`` where the file's folder is missing: said before long work rather than after it."""
    if path is not None and not os.path.isdir(path.parent):
        raise OptionError(f"{_named(path, what)} cannot be written{_to(path, what)}: “{path.parent}” is not a folder.")


def write_text(path: Path, text: str, what: str = "") -> None:
    """Replace the file as a whole; ``OptionError`` where that cannot be done. ``what`` it is begins the sentence."""
    try:
        write_atomically(path, text.encode())
    except (OSError, ValueError) as error:
        words = os_error_words(error)
        raise OptionError(f"{_named(path, what)} cannot be written{_to(path, what)}: {words}.") from error


def _named(path: Path, what: str) -> str:
    return what or f"“{path}”"


def _to(path: Path, what: str) -> str:
    return f" to “{path}”" if what else ""
