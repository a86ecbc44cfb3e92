"""The process of an agent of another package: it loads the agent, describes it, and asks it for one move after another.

``nimdesk.agents.plugins`` starts it, and ``nimdesk.search.external`` talks to it; ``nimdesk.plugins.process`` says in
which lines. Its first line describes the agent (``Description``); each ``Question`` that comes in is answered with the
notation of a move. What is wrong with the agent is said in words that follow its name.
"""

from __future__ import annotations

import faulthandler
import importlib
import inspect
import random
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec

from nimdesk.agents.plugin_options import Description, PluginOptions, declared
from nimdesk.agents.search_plugin import Search, as_search
from nimdesk.errors import IllegalMoveError, NimdeskError, OptionError
from nimdesk.faults import fault_words, one_line
from nimdesk.games import AnyPosition, Move, parse_position
from nimdesk.plugins.games import load_game
from nimdesk.plugins.process import Answer, Begun, Failed, Ready
from nimdesk.plugins.side import Conversation, limit_memory

_LONGEST = 1000
_ROOM_FOR_LAST_WORDS_MB = 2**22


class FaultError(Exception):
    """What the plug-in did wrong, as a clause that follows its name."""


@dataclass(frozen=True, slots=True)
class _Loaded:
    choose: Callable[[AnyPosition, PluginOptions, int], object]
    options_type: type[PluginOptions]


class _Question(msgspec.Struct, frozen=True):
    number: int
    position: str
    options: dict[str, Any]
    seed: int


def main(reference: str) -> None:
    """Serve the agent that ``reference`` names (``package.module:attribute``) until nimdesk has had enough."""
    conversation = Conversation()
    faulthandler.enable()  # a crash says where, for the author
    limit_memory(PluginOptions().memory_mb)
    conversation.say(msgspec.json.encode(Begun()))
    try:
        plugin, description = _load(reference)
        conversation.say(msgspec.json.encode(Ready(msgspec.Raw(msgspec.json.encode(description)))))
        while True:
            question = msgspec.json.decode(conversation.hear(), type=_Question)
            conversation.say(msgspec.json.encode(Answer(question.number, _choose(plugin, question))))
    except FaultError as wrong:
        conversation.say(msgspec.json.encode(Failed(str(wrong))))


def loaded(reference: str) -> object:
    """The agent that this names: a ``Search``, or an object with a method ``choose``; ``FaultError`` if it is none."""
    try:
        module, _, path = reference.partition(":")
        found: Any = importlib.import_module(module)
        for name in filter(None, path.split(".")):
            found = getattr(found, name)
        # A class, or a function that makes the agent; else it is the agent itself.
        whole = inspect.isgeneratorfunction(found) or (hasattr(found, "choose") and not isinstance(found, type))
        agent = found() if callable(found) and not whole else found
        search = as_search(agent)
    except OptionError as error:
        raise FaultError(f"cannot be used: it {error}") from None
    except BaseException as error:
        raise fault("cannot be loaded:", error) from None
    return agent if search is None else search


def _load(reference: str) -> tuple[_Loaded, Description]:
    """The plug-in, ready to choose, and its description, which nimdesk will check."""
    agent = loaded(reference)
    if isinstance(agent, Search):
        greeting = agent.greeting
        return _Loaded(_never, PluginOptions), Description(greeting.name, greeting.about, (), greeting)
    try:
        choose = getattr(agent, "choose", None)
        title, about = getattr(agent, "title", ""), getattr(agent, "about", "")
        options_type = getattr(agent, "options_type", PluginOptions)
    except BaseException as error:
        raise fault("cannot be loaded:", error) from None
    if not callable(choose):
        raise FaultError("cannot be used: it has no method choose(position, options, seed)")
    if not isinstance(title, str) or not isinstance(about, str):
        raise FaultError("cannot be used: its title and its about must be texts")
    try:
        description = Description(title[:_LONGEST], about[:_LONGEST], declared(options_type))
    except OptionError as error:
        raise FaultError(f"cannot be used: it {error}") from None
    return _Loaded(choose, options_type), description


def _never(_position: AnyPosition, _options: PluginOptions, _seed: int) -> object:
    raise NotImplementedError("a search is asked by nimdesk.agents.search_host")


def _choose(plugin: _Loaded, question: _Question) -> str:
    """The text of the plug-in's move."""
    load_game(question.position.partition(":")[0], trusted=True)
    position = parse_position(question.position)
    given = _contents(position)
    try:
        options = msgspec.convert(question.options, plugin.options_type)
    except msgspec.ValidationError as error:
        raise FaultError(f"refused its options: {one_line(error)}") from None
    limit_memory(options.memory_mb)
    random.seed(question.seed)
    try:
        move = plugin.choose(position, options, question.seed)
    except BaseException as error:
        raise fault("failed while it chose a move:", error) from None
    if _contents(position) != given:
        raise FaultError("changed the position that it was given")
    return _move_text(position, move)


def _contents(position: AnyPosition) -> str:
    """All that a position says, as text, which nobody can change."""
    try:
        moves = [move.text for move in position.legal_moves]
        return repr((position.text, position.board, position.turn, moves, position.outcome))
    except Exception as error:
        return repr(error)


def _move_text(position: AnyPosition, move: object) -> str:
    if move is None:
        raise FaultError("returned None instead of a move")
    shown = one_line(move, repr, longest=60)
    if not isinstance(move, Move):
        raise FaultError(f"returned {shown}, of type {type(move).__name__}, instead of a move")
    try:
        position.play(move)
        text = move.text
        if position.parse_move(text) == move:
            return text
    except IllegalMoveError as error:
        why = str(error).partition(" is not legal here: ")[2].partition(". Legal moves: ")[0]
        what = f"{one_line(move.text, longest=60)}: {one_line(why or error, longest=120)}"
        raise FaultError(f"made an illegal move, {what}") from None
    except (Exception, NimdeskError) as error:
        raise FaultError(f"returned {shown}, which cannot be played ({one_line(error, longest=100)})") from None
    raise FaultError(f"returned {shown}, which is no move of this game")


def fault(what: str, error: BaseException) -> FaultError:
    """For an exception of the plug-in, whose author finds the traceback on standard error."""
    if isinstance(error, MemoryError):
        error.__traceback__ = None  # the traceback keeps the variables that hold the memory
        limit_memory(_ROOM_FOR_LAST_WORDS_MB)
    traceback.print_exception(error)
    return FaultError(f"{what} {fault_words(error)}")
