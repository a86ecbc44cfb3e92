"""Openings from a file: one of another program, or a line each with a position or the moves that lead to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from nimdesk.disk.atomic import os_error_words, read_bounded
from nimdesk.disk.paths import resources_dir
from nimdesk.errors import NimdeskError, OptionError, quoted, shown
from nimdesk.experiments.parts import MAX_POSITIONS, position_of
from nimdesk.formats import Asked, format_for, read_bytes
from nimdesk.games import AnyPosition

_MOST_BYTES = 1 << 20


def openings(path: Path, starts: Sequence[str], *, instead: bool = False) -> tuple[list[str], tuple[str, ...]]:
    """The positions in a file, each once, from which games can start, and sentences about how it was read.

    What another program wrote is read as by ``nimdesk convert``, on the board of the start where it names none. In any
    other file a line is a position, such as ``nim:3,4,5 1-2``, or moves, such as ``1-2``, which are played from each of
    the ``starts``; empty lines and those that begin with # are left out. A position that begins from none of them is
    refused, unless what is found stands ``instead`` of them. ``NimdeskError`` says what is wrong where.
    The name of a set that comes with nimdesk, such as ``gomoku-15``, does where no file has it.
    """
    path = shipped().get(str(path), path) if not path.exists() else path
    try:
        data = read_bounded(path, _MOST_BYTES)
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise OptionError(f"The openings “{shown(path)}” are no text in UTF-8.") from None
    except (OSError, ValueError) as error:
        raise OptionError(f"The openings “{shown(path)}” cannot be opened: {os_error_words(error)}.") from error
    form, told = format_for(path, text), tuple[str, ...]()
    if form is not None and form.begins(text):
        if len(starts) > 1:
            raise OptionError(f"The openings “{shown(path)}” are on one board; name one position, or none.")
        reading = read_bytes(data, path, Asked(position_of(starts[0]).game if starts else None), form)
        positions, told = [record.position for record in reading.records], reading.told
    else:
        positions = list(_lines(path, text, starts))
    if not instead:
        check_begin(positions, starts)
    found = list(dict.fromkeys(position.text for position in positions if position.outcome is None))
    if not found:
        raise OptionError(f"No game can start from “{shown(path)}”: it has no position, or every game in it is over.")
    if len(found) > MAX_POSITIONS:
        raise OptionError(f"The openings “{shown(path)}” are more than the {MAX_POSITIONS:,} that are allowed.")
    return found, told


def check_begin(positions: Iterable[AnyPosition], starts: Sequence[str]) -> None:
    """``OptionError`` for a position that the moves of no start lead to, if there are any starts."""
    begun = [position_of(start) for start in starts]
    for position in positions:
        if begun and not any(_begins(position, start) for start in begun):
            where = begun[0].text if len(begun) == 1 else f"any of the {len(begun):,} positions named"
            raise OptionError(
                f"The opening “{position.text}” does not begin from {where}; name a position from which it does, "
                f"such as {position.game.text}."
            )


def _begins(position: AnyPosition, start: AnyPosition) -> bool:
    return position.game == start.game and position.moves[: start.ply] == start.moves


def shipped() -> dict[str, Path]:
    """The sets that come with nimdesk, by name."""
    return {path.stem: path for path in sorted((resources_dir() / "openings").glob("*.txt"))}


def _lines(path: Path, text: str, starts: Sequence[str]) -> Iterator[AnyPosition]:
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            yield from after(line, starts)
        except NimdeskError as error:
            raise OptionError(f"Line {number} of the openings “{shown(path)}”: {error}") from None


def after(opening: str, starts: Sequence[str]) -> Iterator[AnyPosition]:
    """The position that an opening is, or those after its moves from each of the ``starts``; ``NimdeskError``."""
    words = opening.split()
    if words and ":" in words[0]:
        yield position_of(" ".join(words))
        return
    if not starts:
        raise OptionError(f"{quoted(opening)} has moves; say from which position.")
    for start in starts:
        yield position_of(" ".join([start, *words]))
