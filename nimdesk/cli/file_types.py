"""The names of files on a command line, each with what is done to the file: no command writes over what it reads.

Every parameter that names a file has one of these types. All names of a command are compared while the command line is
read, before anything starts, so no command can forget it. A file that the command uses without being given its name,
such as the results of a published table, is compared by ``check_unnamed``.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

import click

from nimdesk.disk.atomic import os_error_words
from nimdesk.disk.paths import DOCUMENTS, GAMES, RESULTS
from nimdesk.disk.provenance import beside
from nimdesk.errors import OptionError, quoted, shown
from nimdesk.formats import kind_of, readable

_Use = Literal["read", "kept", "written"]
_Given = tuple[click.Parameter, _Use, list[Path]]
_ALL = f"{__name__}.all"


class FileType(click.Path):
    """The name of a file; "-", with which others mean the terminal, would make a file of that name.

    A file that is "kept" is read and added to: it may be the one that is read, and refuses what is not its own kind.
    ``files`` gives all files that are made for a name, the named one included.
    """

    def __init__(self, use: _Use, files: Callable[[Path], list[Path]] = lambda path: [path]) -> None:
        super().__init__()
        self.use, self.files = use, files

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path; ``OptionError`` if the command would lose what is in the file, or what it writes there."""
        if value == "-":
            self.fail("“-” is no file; give a name. For another program there is --json.", param, ctx)
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        files = self.files(path) if path.name else [path]
        _compare(param, ctx, self.use, files)
        if param is not None and self.use == "written":
            _check_names(param, files)
        return path


class NameType(click.types.StringParamType):
    """A text that may name a file to be read, or something else, such as a published table."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The text as it is; ``OptionError`` if the command would lose what is in a file of that name."""
        with suppress(OSError, ValueError):  # no file can have that name
            if Path(value).is_file():
                _compare(param, ctx, "read", [Path(value)])
        return str(value)


def _compare(param: click.Parameter | None, ctx: click.Context | None, use: _Use, files: list[Path]) -> None:
    """Note what a parameter names; ``OptionError`` if another one of the command names the same file."""
    if param is None or ctx is None:
        return
    given: list[_Given] = ctx.meta.setdefault(_ALL, [])
    this: _Given = (param, use, files)
    for other in given:
        if other[0] is not param and (pair := _same(files, other[2])) is not None:
            _check(this, other, pair)
    given.append(this)


def _check_names(param: click.Parameter, files: list[Path]) -> None:
    """``OptionError`` if a name is too long, which would otherwise be said only after all the work."""
    for file in files:
        try:
            os.lstat(file)
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:
                words = os_error_words(error)
                raise OptionError(f"{param.opts[0]} cannot write “{file.name}”: {words}.") from None


def check_unnamed(path: Path) -> None:
    """``OptionError`` if the command would write over this file, which no parameter names."""
    context = click.get_current_context(silent=True)
    given: list[_Given] = [] if context is None else context.meta.get(_ALL, [])
    for other in given:
        if other[1] == "written" and (same := _same([path], other[2])) is not None:
            raise _over(other, same)


def _check(one: _Given, other: _Given, same: Path) -> None:
    uses = {one[1], other[1]}
    if "written" not in uses and uses != {"kept"}:
        return
    writer, reader = (one, other) if one[1] == "written" else (other, one)
    if "read" in uses:
        raise _over(writer, same)
    raise OptionError(f"{_said(writer)} and {_said(reader)} would both write {quoted(str(same))}; give two names.")


def _over(writer: _Given, same: Path) -> OptionError:
    return OptionError(f"{_said(writer)} would write over {quoted(str(same))}, which is read; give another name.")


def _said(given: _Given) -> str:
    return given[0].opts[0]


def _same(some: Iterable[Path], others: Iterable[Path]) -> Path | None:
    """The first of some files that is one of the others too, by this name or by a link."""
    others = list(others)
    return next((one for one in some if any(_is_same(one, other) for other in others)), None)


def _is_same(one: Path, other: Path) -> bool:
    with suppress(OSError, ValueError):  # one of the files is not there, or has a name that no file can have
        return os.path.samefile(one, other)
    with suppress(OSError, ValueError):
        return _resolved(one) == _resolved(other)
    return False


def _resolved(path: Path) -> str:
    return os.path.normcase(os.path.realpath(path))


OPENED = (
    "saved games (.nimdesk), lessons (.nimdesk-lesson), bundles of the laboratory (.json), certificates (.cert), and "
    f"{readable()}"
)
"""What the window opens, for a sentence."""


def told_as_file(word: str) -> str:
    """What to say of a word that is no command and no position if a file or a folder has that name; "" if none has."""
    path, name = Path(word), quoted(word)
    try:
        is_folder, is_there = path.is_dir(), path.exists()
    except (OSError, ValueError):  # no file can have that name
        return ""
    if not is_there or not word:
        return ""
    if is_folder:
        return f"{name} is a folder; nimdesk opens {OPENED}."
    if path.name.lower().endswith((*DOCUMENTS, *GAMES)):
        return f"{name} is a file to be opened, one at a time and with nothing before it: “nimdesk {shown(word)}”."
    if path.name.lower().endswith(RESULTS):
        return f"{name} is a file; if it has results of nimdesk, “nimdesk experiment status {shown(word)}” prints them."
    what = kind_of(path)
    return f"{name} is {what or 'a file'}, but not one of nimdesk, which opens {OPENED}."


def _figure_files(path: Path) -> list[Path]:
    from nimdesk.figures.files import files_of  # lazy: few draw figures

    return files_of(path)


def is_table(path: Path) -> bool:
    """Whether ``--csv`` means one file: its name ends in .csv, or a file is there. Else it is a folder of tables."""
    try:
        return not path.is_dir() and (path.suffix.lower() == ".csv" or path.exists())
    except (OSError, ValueError):  # no file can have that name
        return True


def _csv_files(path: Path) -> list[Path]:
    return (TABLE if is_table(path) else FOLDER).files(path)


READ = FileType("read")
WRITTEN = FileType("written")
TABLE = FileType("written", lambda path: [path, beside(path)])
"""A table, with a file beside it that says what made it."""
FIGURE = FileType("written", _figure_files)
FOLDER = FileType("written", lambda path: [path, path / "plan.json"])
"""A folder of tables; of the files written into it, commands read only the plan."""
CSV = FileType("written", _csv_files)
"""A table or a folder of tables, as the name says (``is_table``)."""
KEPT = FileType("kept")
"""Results, which a command continues if they exist already."""
NAME = NameType()
