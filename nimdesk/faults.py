"""Faults in words: what an exception says, for somebody who does not write programs."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from typing import Any

from nimdesk.disk.atomic import os_error_words
from nimdesk.errors import shown

_LONGEST = 200
_NOT_OTHERS = (os.path.dirname(__file__), os.path.dirname(importlib.__file__))
# What these say of themselves is no sentence, or says less.
_WORDS: tuple[tuple[type[BaseException], str], ...] = (
    (KeyError, "it looked for {}, which is not there"),
    (EOFError, "it read on where there is nothing to read"),
    (MemoryError, "it asked for more memory than it may have"),
    (RecursionError, "it called itself too often"),
    (KeyboardInterrupt, "it was interrupted"),
    (SystemExit, "it ended itself by sys.exit({})"),
)


def fault_words(error: BaseException) -> str:
    """What went wrong, and where in the other's files, as a clause without a full stop."""
    try:
        return _fault_words(error)
    except Exception:  # it may hold anything in place of its texts
        return f"it raised an error that cannot be told ({type(error).__name__})"


def _fault_words(error: BaseException) -> str:
    if isinstance(error, OSError) and error.errno is not None:
        return os_error_words(error)
    if isinstance(error, ModuleNotFoundError) and error.name:
        return f"the module “{one_line(error.name, longest=60)}” is not installed"
    if isinstance(error, SyntaxError):
        file, why = os.path.basename(str(error.filename or "")), one_line(error.msg, longest=80)
        return f"line {error.lineno} of {file} is no Python ({why})"
    text, kind = one_line(error, longest=120).rstrip("."), type(error).__name__
    words = next((words.format(text) for each, words in _WORDS if isinstance(error, each)), "")
    place = _place(error)
    if words:
        return f"{words} ({place})" if place else words
    what = f"{kind} in {place}" if place else kind
    return f"{text} ({what})" if text else f"it raised an error without words ({what})"


def one_line(value: object, text_of: Callable[[Any], str] = str, *, longest: int = _LONGEST) -> str:
    """Anything as one short line that can be printed, whatever it does when it is asked for its text."""
    try:
        text = " ".join(shown(text_of(value)).split())
    except BaseException:
        return f"a {type(value).__name__} that cannot be shown"
    return text if len(text) <= longest else f"{text[: longest - 20]}…{text[-18:]}"


def _place(error: BaseException) -> str:
    """The last line that was done in the folder where the other's code begins; "" if none of it is known."""
    import traceback  # lazy: only a fault needs it

    frames = [(os.path.dirname(frame.filename), frame) for frame in traceback.extract_tb(error.__traceback__)]
    folder = next((folder for folder, _ in frames if folder and not folder.startswith(_NOT_OTHERS)), None)
    own = [frame for each, frame in frames if each == folder]
    return f"line {own[-1].lineno} of {os.path.basename(own[-1].filename)}" if own else ""
