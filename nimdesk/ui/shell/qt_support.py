"""PySide6's support code, which it carries as text inside a library: compiled once, and not at each start.

Python keeps what it has compiled of a file; of this text nobody does, and PySide6 takes 45 ms of every start for it.
"""

from __future__ import annotations

import builtins
import marshal
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib.util import MAGIC_NUMBER, source_hash
from pathlib import Path
from types import CodeType
from typing import Any

from nimdesk.atomic import write_atomically

_MODULES = ("shibokensupport/", "signature_bootstrap.py")
_SUPPORT = "shibokensupport."


@contextmanager
def compiled_once(folder: Path) -> Iterator[None]:
    """While PySide6 is imported: take its support code from ``folder``, or keep it there; patterns are compiled late.

    Whatever is wrong with the folder, PySide6 is imported; it only takes longer.
    """
    # Code of one Python is nonsense to another.
    kept = _KeptCode(folder / f"pyside6-{sys.implementation.cache_tag}.code")
    compile_now, pattern_now = builtins.compile, re.compile
    builtins.compile = kept.compile
    re.compile = partial(_compile_late, pattern_now)
    try:
        yield
    finally:
        builtins.compile, re.compile = compile_now, pattern_now
    kept.save()


class _KeptCode:
    """The file of compiled modules: each by its name, with a hash of the text it was made of."""

    def __init__(self, path: Path) -> None:
        self._path, self._compile_now, self._grown = path, builtins.compile, False
        self._modules: dict[str, tuple[bytes, CodeType]] = {}
        try:
            magic, modules = marshal.loads(path.read_bytes())
        except (OSError, EOFError, ValueError, TypeError):
            return
        if magic == MAGIC_NUMBER:
            self._modules = modules

    def compile(self, source: Any, filename: Any, mode: str, *args: Any, **kwargs: Any) -> Any:
        """What ``compile`` gives; the modules of PySide6 are compiled only if they are not known."""
        ours = isinstance(source, bytes) and isinstance(filename, str) and filename.startswith(_MODULES)
        if not ours or mode != "exec" or args or kwargs:
            return self._compile_now(source, filename, mode, *args, **kwargs)
        text = source_hash(source)
        known = self._modules.get(filename)
        if known is None or known[0] != text:
            known = self._modules[filename] = text, self._compile_now(source, filename, mode)
            self._grown = True
        return known[1]

    def save(self) -> None:
        """Keep what is new for the next start, if that is possible."""
        if self._grown:
            try:
                self._path.parent.mkdir(parents=True, exist_ok=True)
                write_atomically(self._path, marshal.dumps((MAGIC_NUMBER, self._modules)))
            except OSError:
                return


def _compile_late(compile_now: Callable[..., Any], pattern: str, flags: int = 0) -> Any:
    """Three patterns of the support code take 20 ms; they serve error messages and the writing of stub files."""
    late = sys._getframe(1).f_globals.get("__name__", "").startswith(_SUPPORT)
    return _LatePattern(pattern, flags) if late else compile_now(pattern, flags)


class _LatePattern:
    """A regular expression, compiled when one of its methods is called."""

    def __init__(self, pattern: str, flags: int) -> None:
        self._given = pattern, flags

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if not callable(getattr(re.Pattern, name)):
            raise AttributeError(name)
        return partial(self._call, name)

    def _call(self, name: str, *args: Any, **kwargs: Any) -> Any:
        # ``re`` itself remembers what it has compiled.
        return getattr(re.compile(*self._given), name)(*args, **kwargs)
