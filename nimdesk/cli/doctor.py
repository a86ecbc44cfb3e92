"""``nimdesk doctor``: what is found on this machine, what is wrong with it, and the lines that mend it.

Nothing is changed, so that it can be asked at any time; and nothing printed names the person, so that it can be pasted
into a report.
"""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from nimdesk.agents import CATALOGUE, DEFAULT_AGENT, load_plugins, make_agent
from nimdesk.agents.engines import list_problem
from nimdesk.agents.warm_up import everything_is_compiled
from nimdesk.disk import logs, paths
from nimdesk.disk.atomic import os_error_words
from nimdesk.errors import DamagedLibraryError, Finding, LibraryError, NimdeskError
from nimdesk.faults import fault_words
from nimdesk.games import load_plugin_games, parse_position
from nimdesk.games.kit import PROBLEMS
from nimdesk.play.library import Library
from nimdesk.plugins.games import GROUP as GAMES_GROUP
from nimdesk.search import Limit
from nimdesk.settings import SettingsStore
from nimdesk.version import ISSUES, __version__

_PACKAGES = (
    *("PySide6-Essentials", "pyqtgraph", "numpy", "numba", "llvmlite", "msgspec", "platformdirs", "click", "rich"),
    *("pillow", "distributed", "matplotlib", "pandas"),
)
_LITTLE_ROOM_MB = 200
_MB = 1e6
_WRONG = 2


def examine(screen: Iterable[Finding]) -> int:
    """Print what is found, with what the window's side says of the ``screen``; return 2 if something is wrong, or 0."""
    wrong: list[Finding] = []
    for finding in (*_program(), *screen, *_folders(), *_compiled(), *_plugins(), *_crashes()):
        print(f"{finding.what:<13}{_private(finding.says)}", flush=True)
        wrong += [finding] * bool(finding.wrong)
    print()
    if not wrong:
        print("Nothing is wrong.")
        return 0
    print("1 thing is wrong:" if len(wrong) == 1 else f"{len(wrong)} things are wrong:")
    for number, finding in enumerate(wrong, 1):
        print(f"{number}. {_private(finding.wrong)}")
        if finding.mend:
            print(f"       {finding.mend}")
    return _WRONG


def _private(text: str) -> str:
    """The text without the name of the home folder."""
    home = str(Path.home())
    return text if len(home) < len("/x/y") else text.replace(home, "~")


def _program() -> Iterator[Finding]:
    if getattr(sys, "frozen", False):
        kind = "a package with its own Python"
    else:
        kind = "installed" if (Path(paths.__file__).parent / "_resources").is_dir() else "a checkout"
    yield Finding("nimdesk", f"{__version__}, {kind}, in {Path(paths.__file__).parent}")
    yield Finding("Python", f"{platform.python_version()} ({platform.python_implementation()})")
    yield Finding("system", f"{_system()}, {platform.machine()}, {os.cpu_count()} processors{_memory()}")
    yield Finding("packages", ", ".join(_versions()))


def _system() -> str:
    with suppress(OSError):
        return f"{platform.freedesktop_os_release()['PRETTY_NAME']} (Linux {platform.release()})"
    return platform.platform()


def _memory() -> str:
    if not hasattr(os, "sysconf"):
        return ""
    with suppress(OSError, ValueError):
        return f", {os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 1e9:.0f} GB of memory"
    return ""


def _versions() -> Iterator[str]:
    from importlib.metadata import PackageNotFoundError, version  # lazy: 40 ms

    for name in _PACKAGES:
        with suppress(PackageNotFoundError):
            yield f"{name} {version(name)}"


# Folders


def _folders() -> Iterator[Finding]:
    yield _settings(paths.settings_dir() / "settings.json")
    for what, folder, variable in (
        ("settings in", paths.settings_dir(), "NIMDESK_CONFIG_DIR"),
        ("data in", paths.data_dir(), "NIMDESK_DATA_DIR"),
        ("cache in", paths.cache_dir(), "NIMDESK_CACHE_DIR"),
    ):
        yield _folder(what, folder, variable)
    yield _games(paths.library_file())


def _settings(path: Path) -> Finding:
    """What is wrong with the settings, as a copy of them shows: the file itself would be set aside."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / path.name
        try:
            shutil.copyfile(path, copy)
        except FileNotFoundError:
            return Finding("settings", "none yet")
        except OSError as error:
            wrong = f"The settings in “{path}” cannot be read: {os_error_words(error)}."
            return Finding("settings", "not readable", wrong, f"chmod u+rw {shlex.quote(str(path))}")
        store = SettingsStore(copy)
        store.load()
        if store.problem is None:
            return Finding("settings", f"well, {path.stat().st_size:,} bytes")
        broken = not copy.exists()  # it was set aside
        found = store.problem.replace(folder, str(path.parent)).partition("; nimdesk uses")[0].rstrip(".")
        return Finding("settings", "broken" if broken else "not all allowed", f"{found}.", "nimdesk --safe")


def _folder(what: str, folder: Path, variable: str) -> Finding:
    above = next((each for each in (folder, *folder.parents) if os.path.exists(each)), folder)
    move = f"export {variable}=/a/folder/of/yours"
    free = shutil.disk_usage(above).free / _MB
    says = f"{folder} ({free / 1000:,.0f} GB free)"
    if not above.is_dir():
        return Finding(what, says, f"“{above}” is a file where a folder should be.", move)
    try:
        tempfile.TemporaryFile(dir=above).close()
    except OSError as error:
        return Finding(what, says, f"“{above}” cannot be written to: {os_error_words(error)}.", move)
    if free < _LITTLE_ROOM_MB:
        return Finding(what, says, f"The disk of “{above}” has {free:,.0f} MB left.", move)
    return Finding(what, says)


def _games(path: Path) -> Finding:
    """What is wrong with the library of games, which is read as it is."""
    try:
        library = Library.look_into(path)
        if library is None:
            return Finding("games", "none kept yet")
        with library:
            return Finding("games", f"{len(library.entries()):,} kept, {library.used_bytes / _MB:,.1f} MB")
    except DamagedLibraryError as error:
        return Finding("games", "broken", f"{error} The window sets the file aside, and begins a new one.", "nimdesk")
    except LibraryError as error:
        return Finding("games", "not readable", str(error), f"chmod u+rw {shlex.quote(str(path))}")


# Compiled code


def _compiled() -> Iterator[Finding]:
    again = "python -m pip install --force-reinstall numba llvmlite numpy"
    try:
        from nimdesk.kernels import CACHE  # lazy: loads numba

        kernels = "all compiled" if everything_is_compiled() else "not all compiled yet (“nimdesk warm-up” does it)"
        if CACHE.is_kept:
            yield Finding("kernels", f"{kernels}, {_size(CACHE.folder) / _MB:,.0f} MB in {CACHE.folder}")
        else:
            wrong = "Compiled searches cannot be kept, so each start compiles them anew: the cache cannot be used."
            yield Finding("kernels", "not kept", wrong, "export NIMDESK_CACHE_DIR=/a/folder/of/yours")
        yield Finding("compiler", f"compiled a function in {_timed(_compile):.1f} s")
        yield Finding("search", f"found the winning move of Nim 3-4-5 in {_timed(_search):.1f} s")
    except Exception as error:  # whatever it is, it is what the person came to hear of
        why = str(error) if isinstance(error, NimdeskError) else fault_words(error)
        yield Finding("compiler", "fails", f"Searches cannot be compiled: {why.rstrip('.')}.", again)


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _timed(work: Callable[[], None]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def _compile() -> None:
    import numba  # lazy: a quarter of a second

    def summed(count: int) -> int:
        total = 0
        for each in range(count):
            total ^= each * each
        return total

    if numba.njit()(summed)(1000) != summed(1000):
        raise NimdeskError("compiled code computes something else than Python")


def _search() -> None:
    searcher = make_agent(DEFAULT_AGENT).new_searcher()
    searcher.start(parse_position("nim:3,4,5"), 1)
    searcher.advance(Limit(iterations=2000))
    found = searcher.snapshot().best_move
    if found is None or found.text != "1-2":
        raise NimdeskError(f"the search of nim:3,4,5 plays {found}, and 1-2 is the only move that wins")


# Others


def _plugins() -> Iterator[Finding]:
    before = set(CATALOGUE)
    load_plugins()
    load_plugin_games()
    names = [f"{name} ({info.about.rstrip('.')})" for name, info in CATALOGUE.items() if name not in before]
    yield Finding("plug-ins", "; ".join(names) or "no agents")
    if wrong := list_problem():
        path = str(paths.engines_file())
        yield Finding("engines", "not readable", wrong, f"mv {shlex.quote(path)} {shlex.quote(f'{path}.broken')}")
    for name, problem in PROBLEMS.items():
        yield Finding(GAMES_GROUP, f"{name} fails", problem, "nimdesk --safe")


def _crashes() -> Iterator[Finding]:
    folder = paths.logs_dir()
    found = logs.crashed(folder)
    yield Finding("logs in", f"{folder} ({len(logs.all_logs(folder))} runs)")
    if found:
        yield Finding(
            "crashes", f"{len(found)}", f"nimdesk crashed; “{found[-1]}” says where. Please report it:", ISSUES
        )
