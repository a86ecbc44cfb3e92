"""Engines: programs of any language that search, as agents; those that a person has added stand in a file.

``nimdesk add-engine`` starts the command once and writes down how it greets, so that nobody waits for it later. From
then on it is in the catalogue like any other agent, whatever protocol it speaks (``PROTOCOLS``).
"""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any, Literal, Protocol

import msgspec
from msgspec.structs import replace

from nimdesk.agents.agent import Traits, at_no_position
from nimdesk.agents.gomocup import PREFIX
from nimdesk.agents.plugin_options import BUDGETS, SearchOptions, options_class
from nimdesk.disk.atomic import os_error_words, read_bounded, write_atomically
from nimdesk.disk.documents import MAX_BYTES, DocumentFaultError, check_header, parsed, sentence
from nimdesk.disk.logs import WordsLog
from nimdesk.disk.paths import engine_logs_dir, engines_file, make_private
from nimdesk.errors import OptionError, quoted
from nimdesk.faults import one_line
from nimdesk.games import AnyPosition, kit_of
from nimdesk.plugins.engine import Engine, EnginePool, ProtocolEngine, Stamp, stamp_of
from nimdesk.plugins.process import HostError
from nimdesk.plugins.protocol import Greeting
from nimdesk.search import Choice, Searcher

FORMAT = "nimdesk-engines"
_MEMORY_MB = SearchOptions().memory_mb
_GREETING_S = 15.0
_POLL_S = 0.05
_LONGEST_ABOUT = 300


class Begin(Protocol):
    """Starts an engine that speaks some protocol; it greets as soon as it can."""

    def __call__(self, command: Sequence[str], folder: Path, log: WordsLog, memory_mb: int) -> Engine:
        """The command runs in this folder, and its own words go to the log."""


def _begin_protocol(command: Sequence[str], folder: Path, log: WordsLog, memory_mb: int) -> Engine:
    return ProtocolEngine(command, folder=folder, log=log, memory_mb=memory_mb)


def _begin_gomocup(command: Sequence[str], folder: Path, log: WordsLog, memory_mb: int) -> Engine:
    from nimdesk.agents.gomocup.translator import GomocupEngine  # lazy: most people have no such engine

    # What it is told it keeps to by itself; what the system counts is more.
    return GomocupEngine(command, folder=folder, log=log, memory_mb=max(memory_mb, _MEMORY_MB))


PROTOCOLS: dict[str, Begin] = {"nimdesk-search": _begin_protocol, "gomocup": _begin_gomocup}
"""How to start an engine, by the protocol that it speaks."""


def protocol_of(command: Sequence[str]) -> str:
    """The protocol that this program speaks by its name: those of Gomocup begin with "pbrain-"."""
    return "gomocup" if any(Path(word).name.lower().startswith(PREFIX) for word in command) else "nimdesk-search"


@dataclass(frozen=True, slots=True)
class EnginePlugin:
    """An engine that is known; if it gives no description, ``about`` is its problem."""

    name: str
    title: str
    about: str
    greeting: Greeting
    options_type: type[SearchOptions]
    hosts: EnginePool = field(repr=False, compare=False)

    @property
    def traits(self) -> Traits:
        """As its greeting tells them."""
        greeting, counts = self.greeting, self.greeting.counts
        return Traits(
            budget=counts,
            counts="iterations" if counts == "iterations" else "nodes",
            time="time_s",
            seed="seed",
            memory="memory_mb",
            chance=partial(_samples, greeting),
            choice=partial(_choice, greeting),
            searches=at_no_position,
            tree="kept" if greeting.tree and counts is not None else None,
            known=False,
            fits=partial(_fits, greeting),
        )

    def new_searcher(self, options: Any) -> Searcher:
        """A search that asks the engine; it raises nothing but ``AgentError``."""
        from nimdesk.search.foreign import Foreign, ForeignSearcher  # lazy: numpy is not for start-up
        from nimdesk.search.foreign_tree import ForeignTree

        greeting = self.greeting
        values = msgspec.to_builtins(options)
        foreign = Foreign(
            name=self.name,
            title=self.title,
            pool=self.hosts,
            memory_mb=options.memory_mb,
            options={part.name: values[part.name] for part in greeting.options} | {"memory_mb": options.memory_mb},
            counts=greeting.counts,
            chooses=greeting.chooses,
            budget=None if greeting.counts is None else values[greeting.counts],
            time_s=options.time_s,
        )
        return (ForeignTree if self.traits.tree else ForeignSearcher)(foreign)


def log_of(name: str) -> WordsLog:
    """Where the own words of the engine of this name go."""
    return WordsLog(engine_logs_dir() / f"{name}.log")


def _samples(greeting: Greeting, _options: object) -> bool:
    # How far an engine comes in its time depends on the machine, so that no two searches are the same.
    return greeting.samples or greeting.counts is None


def _choice(greeting: Greeting, _options: object) -> Choice | None:
    return greeting.chooses


def _fits(greeting: Greeting, _options: object, position: AnyPosition) -> bool:
    name, text = kit_of(position).name, position.game.text
    return not greeting.games or any(name == each or fnmatchcase(text, each) for each in greeting.games)


def engine_plugin(name: str, greeting: Greeting, pool: EnginePool) -> EnginePlugin:
    """The agent of this greeting; ``OptionError``, a clause that follows its name, for options nobody can use."""
    titled = tuple(
        replace(part, title=part.title or part.name.replace("_", " ").capitalize()) for part in greeting.options
    )
    return EnginePlugin(
        name=name,
        title=one_line(greeting.name, longest=40),
        about=one_line(greeting.about, longest=_LONGEST_ABOUT) or "An engine of your own.",
        greeting=greeting,
        options_type=options_class(titled, BUDGETS[greeting.counts]),
        hosts=pool,
    )


# Those that a person has added


class AddedEngine(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An engine by its command, which runs in ``folder``, and how it greeted."""

    name: str
    command: tuple[str, ...]
    folder: str
    greeting: Greeting
    protocol: str = "nimdesk-search"

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that its command names: when one of them changes, the engine is begun anew."""
        named = (Path(self.folder, word) for word in self.command if not word.startswith("-"))
        found = shutil.which(self.command[0])
        return (*(path for path in named if path.is_file()), *([Path(found)] if found else []))

    @property
    def log(self) -> WordsLog:
        """Where its own words go."""
        return log_of(self.name)

    def begin(self, memory_mb: int = _MEMORY_MB) -> Engine:
        """Start its process, which gets no more than so many megabytes."""
        if self.protocol not in PROTOCOLS:
            raise HostError(f"speaks a protocol that is not known, {quoted(self.protocol)}")
        return PROTOCOLS[self.protocol](self.command, Path(self.folder), self.log, memory_mb)

    @property
    def plugin(self) -> EnginePlugin:
        """Its agent; one with options that nobody can use is there as well, and says so."""
        try:
            return engine_plugin(self.name, self.greeting, EnginePool(self.begin, self._stamp))
        except OptionError as error:
            problem = f"cannot be used: it {error}"
        told = replace(self.greeting, about=f"This engine {problem.rstrip('.')}.", options=())
        return engine_plugin(self.name, told, EnginePool(self.begin, self._stamp, problem))

    def _stamp(self) -> Stamp:
        return stamp_of(self.files)


class _Engines(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    format: Literal["nimdesk-engines"] = "nimdesk-engines"
    version: Literal[1] = 1
    engines: tuple[AddedEngine, ...] = ()


def added_engines() -> tuple[AddedEngine, ...]:
    """Those in the file; ``OptionError`` if it cannot be read."""
    path = engines_file()
    try:
        data = read_bounded(path, MAX_BYTES[FORMAT])
        check_header(data, FORMAT, 1, "list of engines")
        return parsed(data, _Engines).engines
    except (FileNotFoundError, NotADirectoryError):
        return ()
    except (OSError, ValueError) as error:
        raise OptionError(f"The list of engines “{path}” cannot be read: {os_error_words(error)}.") from error
    except DocumentFaultError as fault:
        raise OptionError(sentence(f"The list of engines “{path}” cannot be read: {fault}")) from None


def list_problem() -> str:
    """What is wrong with the file, in a sentence; "" if nothing is."""
    try:
        added_engines()
    except OptionError as error:
        return str(error)
    return ""


def add_engine(name: str, command: Sequence[str], folder: Path, protocol: str | None = None) -> AddedEngine:
    """Start the command once, hear its greeting, and write it down in place of one of the same name.

    Without a ``protocol`` it is the one that the program's name tells.

    ``OptionError`` says what is wrong with it. Waits for it: not on the UI thread.
    """
    if not re.fullmatch(r"[a-z0-9]+(?:[-_.][a-z0-9]+)*", name) or len(name) > 40:
        raise OptionError(
            f"{quoted(name)} is no name for an engine; it is made of small letters, digits, “-”, “_” and “.”."
        )
    protocol = protocol_of(command) if protocol is None else protocol
    if protocol not in PROTOCOLS:
        raise OptionError(f"There is no protocol {quoted(protocol)}; there are: {', '.join(PROTOCOLS)}.")
    unknown = Greeting(protocol="nimdesk-search", version=1, name=name)
    engine = AddedEngine(
        name=name, command=tuple(command), folder=str(folder.absolute()), greeting=unknown, protocol=protocol
    )
    try:
        engine = replace(engine, greeting=greeting_of(engine.begin))
        engine_plugin(name, engine.greeting, EnginePool(engine.begin, tuple))
    except HostError as error:
        raise OptionError(
            f"The engine {quoted(name)} {str(error).rstrip('.')}; its own words: {engine.log.path}."
        ) from None
    except OptionError as error:
        raise OptionError(f"The engine {quoted(name)} {str(error).rstrip('.')}.") from None
    _write((*(each for each in added_engines() if each.name != name), engine))
    return engine


def remove_engine(name: str) -> None:
    """Take it out of the file; ``OptionError`` if it is not there."""
    engines = added_engines()
    if name not in {each.name for each in engines}:
        there = ", ".join(each.name for each in engines) or "none"
        raise OptionError(f"No engine {quoted(name)} was added; there are: {there}.")
    _write(each for each in engines if each.name != name)


def _write(engines: Iterable[AddedEngine]) -> None:
    path = engines_file()
    try:
        make_private(path.parent)
        data = msgspec.json.encode(_Engines(engines=tuple(sorted(engines, key=lambda each: each.name))))
        write_atomically(path, msgspec.json.format(data, indent=2))
    except (OSError, ValueError) as error:
        raise OptionError(f"The list of engines “{path}” cannot be saved: {os_error_words(error)}.") from error


def greeting_of(begin: Callable[[], Engine]) -> Greeting:
    """How an engine greets; ``HostError`` if it does not within some seconds."""
    engine = begin()
    try:
        until = time.monotonic() + _GREETING_S
        while time.monotonic() < until:
            engine.receive(_POLL_S)
            if engine.greeting is not None:
                return engine.greeting
        raise HostError(f"did not greet within {_GREETING_S:g} s")
    finally:
        engine.close()
