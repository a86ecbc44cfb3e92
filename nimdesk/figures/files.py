"""A figure as files: the picture, the table of what it draws, and the script that draws it again from that.

The picture is drawn by that very script, in a process of its own: so it is known to work, and a window never loads
matplotlib.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
from math import isnan
from pathlib import Path
from pprint import pformat
from typing import Annotated

import msgspec
from msgspec import Meta

from nimdesk.cells import csv_text
from nimdesk.disk.atomic import os_error_words, write_file
from nimdesk.disk.documents import DocumentFaultError, parsed
from nimdesk.disk.provenance import beside, document, made_here
from nimdesk.errors import NimdeskError, OptionError, lacking
from nimdesk.figures.content import Content

KINDS = (".pdf", ".svg", ".png", ".pgf")
_COLUMNS = ("panel", "curve", "faint", "x", "y", "low", "high")
SEED_COLUMNS = ("seeds", "first_seed", "last_seed")
"""For a curve from many seeds: how many, the first and the last; each seed is the one before it plus 1."""
# The first use of matplotlib on a machine looks through all of its fonts.
_DRAW_S = 300.0
_WORDS = {"yes": True, "no": False}


class Look(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The measures of a figure; a height of 0 follows from the width."""

    width_mm: Annotated[float, Meta(ge=20, le=1_000)] = 85.0
    height_mm: Annotated[float, Meta(ge=0, le=1_000)] = 0.0
    font: Annotated[str, Meta(min_length=1, max_length=100)] = "serif"
    size_pt: Annotated[float, Meta(ge=4, le=40)] = 8.0
    legend: bool = True
    dpi: Annotated[int, Meta(ge=50, le=2_400)] = 300
    log_y: bool = False


def look_of(text: str) -> Look:
    """The look in ``width_mm=174,size_pt=9,font=sans``; ``OptionError`` for an unknown name or value."""
    given: dict[str, object] = {}
    for word in filter(None, text.split(",")):
        name, equals, value = (part.strip() for part in word.partition("="))
        if not equals or name not in Look.__struct_fields__:
            there = ", ".join(f"{each}=…" for each in Look.__struct_fields__)
            raise OptionError(f"“{word}” is no measure of a figure; there are: {there}.")
        given[name] = _WORDS.get(value.lower(), value)
        with suppress(ValueError):
            given[name] = int(value) if value.isdecimal() else float(value)
    try:
        return parsed(msgspec.json.encode(given), Look)
    except DocumentFaultError as fault:
        raise OptionError(f"The figure cannot look like “{text}”: {fault}.") from None


def check(path: Path) -> None:
    """``NimdeskError`` where no figure can be drawn to this file; asked before long work, not after it."""
    if path.suffix.lower() not in KINDS:
        raise OptionError(f"A figure is a file that ends in {', '.join(KINDS)}; “{path.name}” does not.")
    if not path.parent.is_dir():
        raise OptionError(f"The figure cannot be written to “{path}”: “{path.parent}” is not a folder.")
    if find_spec("matplotlib") is None:
        raise NimdeskError(lacking("Figures need", "matplotlib", "notebook"))


def files_of(path: Path) -> list[Path]:
    """All files that a figure of this name is made of, the picture first; a tree is one file."""
    if path.suffix.lower() not in KINDS:
        return [path]
    table = path.with_name(f"{path.stem}.figure.csv")
    return [path, table, path.with_name(f"{path.stem}.figure.py"), beside(table)]


def write_figure(content: Content, look: Look, path: Path, about: Mapping[str, object]) -> list[Path]:
    """Write ``NAME.pdf`` (or of another kind), ``NAME.figure.csv`` and ``NAME.figure.py``; return the files.

    A fourth, beside the table, says what made all of it, and has the caption. Takes seconds: not on the UI thread.
    """
    check(path)
    _picture, table, script, about_it = files_of(path)
    made = made_here()
    files = {table: table_of(content).encode(), script: script_of(content, look, table.name, made.words).encode()}
    try:
        with tempfile.TemporaryDirectory(prefix="nimdesk-figure-") as folder:
            for file, data in files.items():
                Path(folder, file.name).write_bytes(data)
            out = Path(folder, f"out{path.suffix.lower()}")
            _draw(Path(folder, script.name), out)
            files = {path: out.read_bytes(), **files}
    except OSError as error:
        words = os_error_words(error)
        raise NimdeskError(f"The figure cannot be drawn, which takes temporary files: {words}.") from error
    told = {"file": table.name, "figure": path.name, "caption": content.caption, "look": msgspec.to_builtins(look)}
    files[about_it] = document({**told, **about}, [made])
    for file, data in files.items():
        write_file(file, data, follow=file == path)
    return list(files)


def about_seeds(seeds: Sequence[int]) -> tuple[int, int, int]:
    """The cells of ``SEED_COLUMNS``."""
    return len(seeds), seeds[0], seeds[-1]


def table_of(content: Content) -> str:
    """What the figure draws, a row for each point; an unknown number is empty. Curves of many seeds name the seeds."""
    rows: list[list[object]] = []
    seeded = content.seeded
    for panel in content.plot["panels"]:
        for curve in panel["curves"]:
            nothing = [float("nan")] * len(curve["x"])
            points = zip(curve["x"], curve["y"], curve["low"] or nothing, curve["high"] or nothing, strict=True)
            head, tail = (panel["title"], curve["label"], int(curve["faint"])), about_seeds(curve.get("seeds", (0,)))
            rows += [
                [*head, *("" if isnan(number) else repr(number) for number in point), *(tail if seeded else ())]
                for point in points
            ]
    return csv_text((*_COLUMNS, *(SEED_COLUMNS if seeded else ())), rows)


def script_of(content: Content, look: Look, table: str, made: str) -> str:
    """The script that draws the figure from its table."""
    source = Path(__file__).with_name("drawing.py").read_text(encoding="utf-8")
    plot = {**content.plot, "panels": []}
    values = (table, plot, msgspec.to_builtins(look), content.title, content.caption, made)
    settings = "".join(f"    {pformat(value, width=110, sort_dicts=False)},\n" for value in values)
    return f'{source}\n\nif __name__ == "__main__":\n    main(\n    __file__,\n{settings}    )\n'


def _draw(script: Path, out: Path) -> None:
    command = [sys.executable, "-P", str(script), str(out)]
    try:
        done = subprocess.run(
            command, capture_output=True, encoding="utf-8", errors="replace", timeout=_DRAW_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise NimdeskError(f"The figure was not drawn within {_DRAW_S:.0f} s.") from None
    except OSError as error:
        raise NimdeskError(f"The figure cannot be drawn: {os_error_words(error)}.") from error
    if done.returncode or not out.exists():
        if out.suffix == ".pgf" and "latex" in done.stderr.lower():
            raise NimdeskError("PGF needs LaTeX on this machine, to measure its letters; LaTeX includes a PDF as well.")
        last = (done.stderr.strip().splitlines() or ["it ended without a word"])[-1]
        if (of_system := re.search(r"Error: \[Errno (\d+)\]", last)) is not None:
            raise OSError(int(of_system[1]), os.strerror(int(of_system[1])))
        raise NimdeskError(f"The figure cannot be drawn: {last.rstrip('.')}.")
