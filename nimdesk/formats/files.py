"""The registry of formats, and files read and written by them: recognised by what they hold, then by their names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from nimdesk.disk.atomic import os_error_words, read_bounded, write_atomically
from nimdesk.errors import RecordError, quoted
from nimdesk.formats.base import Asked, FaultInFileError, Format, Reading, Record, Writing
from nimdesk.formats.lists import COLUMNS, OPENINGS, POSITIONS
from nimdesk.formats.psq import PSQ, REC
from nimdesk.formats.sgf import SGF

FORMATS: tuple[Format, ...] = (PSQ, SGF, COLUMNS, OPENINGS, REC, POSITIONS)
"""All formats, in the order in which a text is tried."""
MOST_BYTES = 2**24
_LISTS = (".txt", ".csv", ".dat", "")
"""Endings, one of them none at all, of files that hold a list of one kind or another."""
_CHARSET = re.compile(rb"CA\[([A-Za-z0-9_.:-]{1,40})\]")
# What files that are no game begin with, and what such a file is called.
_KINDS: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"BM", "a BMP picture"),
    (b"%PDF", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive or a document packed as one"),
    (b"\x1f\x8b", "a packed file (gzip)"),
    (b"7z\xbc\xaf", "a packed file (7z)"),
    (b"Rar!", "a packed file (RAR)"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a program of Windows"),
    (b"SQLite format 3", "a database (SQLite)"),
    (b"<!DOCTYPE html", "a web page"),
    (b"<html", "a web page"),
    (b"<svg", "an SVG picture"),
    (b"\xff\xfe", "a text in UTF-16, which is not read; save it as UTF-8"),
    (b"\xfe\xff", "a text in UTF-16, which is not read; save it as UTF-8"),
)


def readable() -> str:
    """What can be read, for a sentence."""
    return (
        "games of Piskvork (.psq, .rec), SGF of five in a row (.sgf), and lists of openings, of Connect Four positions "
        "and of moves (.txt)"
    )


def format_for(path: Path, text: str = "") -> Format | None:
    """The format of this text, or else of a file of this name; None for a name that tells nothing."""
    if text and (found := next((each for each in FORMATS if each.begins(text)), None)) is not None:
        return found
    ending = path.suffix.lower()
    if ending in _LISTS:
        return POSITIONS
    return next((each for each in FORMATS if ending in each.endings), None)


def read_file(path: Path, asked: Asked | None = None, form: Format | None = None) -> Reading:
    """The games in a file; ``RecordError``, one sentence with the file, the line and the column, for any other."""
    try:
        data = read_bounded(path, MOST_BYTES)
    except (OSError, ValueError) as fault:
        raise RecordError(f"“{path}” cannot be opened: {os_error_words(fault)}.") from fault
    return read_bytes(data, path, asked, form)


def read_bytes(data: bytes, path: Path, asked: Asked | None = None, form: Format | None = None) -> Reading:
    """As ``read_file``, of these bytes under that name."""
    name = quoted(path.name)
    if len(data) > MOST_BYTES:
        raise RecordError(f"{name} is larger than {MOST_BYTES >> 20} MB, which no file of games is.")
    if not data.strip():
        raise RecordError(f"{name} is empty; nimdesk reads {readable()}.")
    if (kind := _kind(data)) and form is None:
        raise RecordError(f"{name} is {kind}, not a game; nimdesk reads {readable()}.")
    text, encoding = _decoded(data)
    found = form or format_for(path, text)
    if found is None:
        raise RecordError(_no_game(name, text))
    try:
        reading = found.read(text, asked or Asked())
    except FaultInFileError as fault:
        if found is POSITIONS and form is None and not text[: fault.place].strip():
            raise RecordError(_no_game(name, text)) from None
        line = text.count("\n", 0, fault.place) + 1
        column = fault.place - (text.rfind("\n", 0, fault.place) + 1) + 1
        raise RecordError(f"{name} is not read, line {line:,}, column {column:,}: {fault}.") from None
    if encoding == "utf-8":
        return reading
    return Reading(reading.records, (*reading.told, f"Its letters were read as {encoding}, because it is not UTF-8."))


def kind_of(path: Path) -> str:
    """What a file that is no game is called, such as "a PNG picture"; "" for a text, or where it cannot be read."""
    try:
        return _kind(read_bounded(path, 4096)[:4096])
    except (OSError, ValueError):
        return ""


def _kind(data: bytes) -> str:
    head = data[:64].lstrip(b"\xef\xbb\xbf \t\r\n")
    kind = next((words for begin, words in _KINDS if head.lower().startswith(begin.lower())), "")
    # Two letters begin many a text as well.
    if kind and head[:2] in (b"BM", b"MZ") and b"\0" not in data[:64]:
        kind = ""
    return kind or ("no text" if b"\0" in data[:4096] else "")


def _decoded(data: bytes) -> tuple[str, str]:
    """The text and how its letters are written: as the file says, as UTF-8, or else as a byte a letter."""
    if (said := _CHARSET.search(data[:2000])) is not None:
        try:
            return data.decode(said[1].decode()), "utf-8"
        except (LookupError, UnicodeDecodeError):
            pass
    try:
        return data.decode("utf-8-sig"), "utf-8"
    except UnicodeDecodeError:
        return data.decode("latin-1"), "Latin-1"


def _no_game(name: str, text: str) -> str:
    line = next((line for line in text.splitlines() if line.strip()), "")
    return f"{name} is not a game that nimdesk reads: it begins with {quoted(line)}; it reads {readable()}."


def write_file(records: Sequence[Record], path: Path, form: Format) -> Writing:
    """Write these games in this format, whole or not at all; ``RecordError`` where that cannot be done.

    The sentences in what is returned say what the format has no place for.
    """
    if not records:
        raise RecordError(f"“{path.name}” would hold no game; nothing was written.")
    if len(records) > 1 and not form.many:
        raise RecordError(f"A {form.title} is one game, and here are {len(records):,}; give a folder in its place.")
    writing = form.write(records)
    try:
        write_atomically(path, writing.text.encode())
    except (OSError, ValueError) as fault:
        raise RecordError(f"The game cannot be saved to “{path}”: {os_error_words(fault)}.") from fault
    except UnicodeEncodeError:
        raise RecordError(f"The game cannot be saved to “{path}”: a name in it is no Unicode.") from None
    return writing
