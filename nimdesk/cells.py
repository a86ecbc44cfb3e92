"""Tables as text for other programs: CSV for files, and lines with tabs for the clipboard.

A spreadsheet takes a cell that begins with ``=``, ``+``, ``-`` or ``@`` for a formula and runs it. Names of players,
agents and moves come from outside: one that could be run gets an apostrophe before it, which a spreadsheet takes for
"this is text" and a person can read. Numbers stay numbers, and signs without a letter or digit, such as the verdicts
``+-=``, stay as they are: they run nothing.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from contextlib import suppress

# The wide forms of the signs are formulas in East Asian spreadsheets; a tab or a break at the front may be dropped, and
# so may letters that nobody sees.
_UNSEEN = "\\s\ufeff\u200b"
_SIGN = "[=+\\-@＝＋－＠]"
# Most cells have none of these, and are as they should be.
_SUSPECT = re.compile(rf"{_SIGN[:-1]}\t\n\r]")
_RUN = re.compile(rf"([{_UNSEEN}]*{_SIGN}|[\t\n]).*\w", re.DOTALL)
# A spreadsheet that takes one of these for the end of a cell begins another one within the text.
_WITHIN = re.compile(rf"(?<=[;\t\n])(?=[{_UNSEEN}]*{_SIGN}[^;\t\n]*\w)")


def percent(share: float) -> str:
    """A share for a table: 61.3%; shares below 0.1% keep two places."""
    value = 100 * share
    return f"{value:.2f}%" if 0 < value < 0.995 else f"{value:.1f}%"


def cell(value: object) -> str:
    """The value as the text of a cell that a spreadsheet does not run, with line feeds alone; nothing for None."""
    text = "" if value is None else str(value)
    if isinstance(value, int | float) or not _SUSPECT.search(text):
        return text
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    with suppress(ValueError):
        float(text)
        return text
    text = _WITHIN.sub("'", text)
    return f"'{text}" if _RUN.match(text) else text


def csv_text(header: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """The header and the rows as CSV; lines end in a line feed, None is an empty cell."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(map(cell, header))
    writer.writerows(map(cell, row) for row in rows)
    return out.getvalue()


def tab_line(cells: Iterable[object]) -> str:
    """One line of a table for the clipboard: its cells with tabs between them."""
    return "\t".join(" ".join(cell(value).split()) for value in cells)
