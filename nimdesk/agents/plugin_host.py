"""The process of a plug-in: it loads the plug-in, describes it, and asks it for one move after the other.

``nimdesk.agents.plugins`` starts it, and ``nimdesk.search.external`` talks to it, in lines of JSON. The first line out
is ``{"ready": {"title", "about", "options"}}``; then each ``{"position", "options", "seed"}`` that comes in is answered
with ``{"move": text}``. ``{"failed": clause}`` in place of either says what went wrong, after the agent's name.

Whatever the plug-in prints goes to standard error. The process leaves when its input ends: it cannot outlive nimdesk.
"""

from __future__ import annotations

import faulthandler
import importlib
import json
import os
import random
import sys
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, BinaryIO, NoReturn

import msgspec

if sys.platform == "linux":
    import resource

from nimdesk.agents.fields import NumberField, OptionField, PluginOptions, field_to_json, option_fields
from nimdesk.errors import IllegalMoveError, NimdeskError, OptionError
from nimdesk.games import AnyPosition, Move, parse_position

_LONGEST = 200
_GRACE_S = 5.0
_ROOM_FOR_LAST_WORDS_MB = 2**22
_DECLARATION = "a default and Annotated[…, Meta(title=…, description=…)], numbers with ge= and le=, choices with labels"


class _FaultError(Exception):
    """What the plug-in did wrong, as a clause that follows its name."""


@dataclass(frozen=True, slots=True)
class _Loaded:
    choose: Callable[[AnyPosition, PluginOptions, int], object]
    options_type: type[PluginOptions]


def main(reference: str) -> NoReturn:
    """Serve the plug-in that ``reference`` names (``package.module:attribute``) until standard input ends."""
    questions, answers = _claim_streams()
    lines: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_read, args=(questions, lines), daemon=True).start()
    _limit_memory(PluginOptions().memory_mb)

    def say(message: object) -> None:
        answers.write(json.dumps(message).encode("ascii") + b"\n")

    try:
        plugin, about = _load(reference)
        say({"ready": about})
        while True:
            say({"move": _choose(plugin, json.loads(lines.get()))})
    except _FaultError as fault:
        say({"failed": str(fault)})
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    # Not sys.exit: a thread of the plug-in would keep the process alive.
    os._exit(0)


def _claim_streams() -> tuple[BinaryIO, BinaryIO]:
    """Keep standard input and output for ourselves; the plug-in reads nothing, and prints to standard error."""
    questions, answers = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    faulthandler.enable()  # a crash says where, for the author
    return os.fdopen(questions, "rb"), os.fdopen(answers, "wb", buffering=0)


def _read(questions: BinaryIO, lines: SimpleQueue[bytes]) -> None:
    """Run in a thread of its own, which sees the end of nimdesk even while the plug-in thinks."""
    for line in questions:
        lines.put(line)
    os._exit(0)


def _limit_memory(memory_mb: int) -> None:
    """Let an allocation beyond this fail in the plug-in rather than exhaust the machine. Only Linux counts this
    correctly.
    """
    if sys.platform == "linux":
        most = resource.getrlimit(resource.RLIMIT_DATA)[1]
        wanted = memory_mb * 2**20
        resource.setrlimit(resource.RLIMIT_DATA, (wanted if most < 0 else min(wanted, most), most))


def _load(reference: str) -> tuple[_Loaded, dict[str, object]]:
    """The plug-in, ready to choose, and its description."""
    try:
        module, _, path = reference.partition(":")
        found: Any = importlib.import_module(module)
        for name in filter(None, path.split(".")):
            found = getattr(found, name)
        # A class, or a function that makes the agent; else it is the agent itself.
        agent = found() if callable(found) and not (hasattr(found, "choose") and not isinstance(found, type)) else found
        choose = getattr(agent, "choose", None)
        title, about = getattr(agent, "title", ""), getattr(agent, "about", "")
        options_type = getattr(agent, "options_type", PluginOptions)
    except BaseException as error:
        raise _fault("cannot be loaded:", error) from None
    if not callable(choose):
        raise _FaultError("cannot be used: it has no method choose(position, options, seed)")
    if not isinstance(title, str) or not isinstance(about, str):
        raise _FaultError("cannot be used: its title and its about must be texts")
    fields = [field_to_json(field) for field in _declared(options_type)]
    words: dict[str, object] = {"title": _line(title), "about": _line(about), "options": fields}
    return _Loaded(choose, options_type), words


def _declared(options_type: Any) -> tuple[OptionField, ...]:
    """The options as fields, checked by every rule that forms and the command line rely on."""
    if not isinstance(options_type, type) or not issubclass(options_type, PluginOptions):
        raise _FaultError("cannot be used: its options_type must be a subclass of nimdesk.agents.PluginOptions")
    try:
        fields = option_fields(options_type)
        options_type()
        for field in fields:
            field.check(field.default)
    except OptionError as error:
        raise _FaultError(f"cannot be used: the default of an option is out of bounds: {error}") from None
    except Exception as error:
        words = f"{type(error).__name__}: {_line(error)}"
        raise _FaultError(f"cannot be used: each option needs {_DECLARATION} ({words})") from None
    common = {field.name: field for field in option_fields(PluginOptions)}
    for field in fields:
        if field.name in common and not _narrows(field, common[field.name]):
            raise _FaultError(f"cannot be used: its option {field.name} must stay within the declaration of nimdesk")
    return fields


def _narrows(field: OptionField, common: OptionField) -> bool:
    assert isinstance(common, NumberField)
    return (
        isinstance(field, NumberField)
        and (field.kind, field.optional) == (common.kind, common.optional)
        and common.minimum <= field.minimum <= field.maximum <= common.maximum
    )


def _choose(plugin: _Loaded, question: dict[str, Any]) -> str:
    """The text of the plug-in's move."""
    position, seed = parse_position(question["position"]), question["seed"]
    try:
        options = msgspec.convert(question["options"], plugin.options_type)
    except msgspec.ValidationError as error:
        raise _FaultError(f"refused its options: {_line(error)}") from None
    _limit_memory(options.memory_mb)
    random.seed(seed)
    # If nimdesk is gone and the plug-in holds Python's lock, only this still works.
    faulthandler.dump_traceback_later(options.time_s + _GRACE_S, exit=True)
    try:
        move = plugin.choose(position, options, seed)
    except BaseException as error:
        raise _fault("raised", error) from None
    faulthandler.cancel_dump_traceback_later()
    return _move_text(position, move)


def _move_text(position: AnyPosition, move: object) -> str:
    if move is None:
        raise _FaultError("returned None instead of a move")
    if not isinstance(move, Move):
        raise _FaultError(f"returned {_line(move, repr)}, of type {type(move).__name__}, instead of a move")
    try:
        position.play(move)
        text = move.text
        if position.parse_move(text) == move:
            return text
    except IllegalMoveError as error:
        why = str(error).partition(" is not legal here: ")[2].partition(". Legal moves: ")[0]
        raise _FaultError(f"made an illegal move, {_line(move.text)}: {_line(why or error)}") from None
    except (Exception, NimdeskError) as error:
        raise _FaultError(f"returned {_line(move, repr)}, which cannot be played ({_line(error)})") from None
    raise _FaultError(f"returned {_line(move, repr)}, which is no move of this game")


def _fault(what: str, error: BaseException) -> _FaultError:
    """For an exception of the plug-in, whose author finds the traceback on standard error."""
    if isinstance(error, SystemExit):
        return _FaultError(f"called sys.exit({_line(error.code, repr)}) where it should have {_WANTED[what]}")
    text = _line(error)
    if isinstance(error, MemoryError):
        error.__traceback__ = None  # the traceback keeps the variables that hold the memory
        _limit_memory(_ROOM_FOR_LAST_WORDS_MB)
        text = text or "it asked for more memory than its options allow"
    traceback.print_exception(error)
    return _FaultError(f"{what} {type(error).__name__}{': ' * bool(text)}{text}")


_WANTED = {"raised": "given a move", "cannot be loaded:": "been loaded"}


def _line(value: object, text_of: Callable[[Any], str] = str) -> str:
    """A text of the plug-in as one short printable line."""
    try:
        text = " ".join(text_of(value).split())
    except BaseException:
        return f"a {type(value).__name__} that cannot be shown"
    shown = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
    return shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 20]}…{shown[-18:]}"
