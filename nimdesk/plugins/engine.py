"""The door for searches of others: one conversation with a process that searches, whatever its language.

``Engine`` is the door. ``ProtocolEngine`` stands behind it for programs that speak ``nimdesk.plugins.protocol``; a
translator of another protocol is one more class with the same few methods, and answers in the same structs:

* Make it, which starts the process and waits for nothing. Call ``receive`` until it returns the ``Greeting``.
* ``begin`` a ``Position``, then ``go``, again and again: a ``Go`` says how far in all, so that the next one goes on.
* ``receive`` returns one ``Checkpoint`` after the other, and at the end of a ``go`` its ``Best``; None if there was
  nothing within the time, or only words for the log. It never waits longer than it is told to.
* ``stop`` asks for the end of a ``go``, which still comes as a ``Best``. ``close`` ends the process, with all that it
  has started.

What the program does wrong is a ``HostError``: a clause that follows its name. Then it is to be closed; a search that
comes later begins a new process.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable

import msgspec

from nimdesk.disk.logs import WordsLog
from nimdesk.faults import one_line
from nimdesk.plugins.process import HostError, Program, host_command
from nimdesk.plugins.protocol import TOLD, Best, Checkpoint, Error, Go, Greeting, Position, Quit, Stop

_MOST_IDLE = 4
_LONGEST_SHOWN = 80
_LONGEST_WHY = 240


class Engine(Protocol):
    """A conversation with a process that searches; used by one thread at a time."""

    @property
    def greeting(self) -> Greeting | None:
        """What the program says of itself; None until ``receive`` has returned it."""

    @property
    def going(self) -> bool:
        """Whether it owes the ``Best`` of a ``go``."""

    @property
    def alive(self) -> bool:
        """Whether the process is still running."""

    def begin(self, position: Position) -> None:
        """Begin a search, in place of any other; not while it is ``going``."""

    def go(self, go: Go) -> None:
        """Search on; not while it is ``going``."""

    def receive(self, wait_s: float) -> Greeting | Checkpoint | Best | Swap2Answer | None:
        """The next answer, if one comes within ``wait_s``."""

    def stop(self) -> None:
        """End the ``go`` under way as soon as possible."""

    def close(self) -> None:
        """End the process. Dropping the engine does the same."""


class Swap2Answer(msgspec.Struct, frozen=True):
    """What an engine does under swap2: the moves that it makes; none if it takes the side that is not to move; None if
    it does not know the rule.
    """

    moves: tuple[str, ...] | None


@runtime_checkable
class Swap2Engine(Engine, Protocol):
    """An engine that may open a game by swap2 itself."""

    def open(self, go: Go) -> None:
        """Answer no, three or five stones as under swap2, in this time; not while it is ``going``.

        ``receive`` then returns a ``Swap2Answer``.
        """


class ProgramEngine:
    """What the engines of all protocols share: the process, and the log of what is said beside the answers."""

    def __init__(
        self, command: Sequence[str], *, folder: Path | None = None, log: WordsLog, memory_mb: int | None = None
    ) -> None:
        """Start the command in this folder. With ``memory_mb`` it is a program of its own, which gets no more; without,
        it is a command of ``nimdesk.plugins.process.host_command``.
        """
        self.greeting: Greeting | None = None
        self.going = False
        self._log = log
        wanted = tuple(command) if memory_mb is None else _program_command(command, memory_mb)
        self._program = Program(wanted, folder=folder, hear=log.hear)

    @property
    def alive(self) -> bool:
        """Whether the process is still running."""
        return self._program.alive

    def close(self) -> None:
        """End the process, and all that it has started."""
        self._program.kill()
        self._log.close()


class ProtocolEngine(ProgramEngine):
    """An ``Engine`` that speaks the protocol."""

    def begin(self, position: Position) -> None:
        """Begin a search, in place of any other; not while it is ``going``."""
        self._say(position)

    def go(self, go: Go) -> None:
        """Search on; not while it is ``going``."""
        self._say(go)
        self.going = True

    def receive(self, wait_s: float) -> Greeting | Checkpoint | Best | None:
        """The next answer, if one comes within ``wait_s``."""
        if (line := self._program.read_line(wait_s)) is None:
            return None
        if not line.lstrip().startswith(b"{"):
            self._log.hear(line + b"\n")
            return None
        try:
            message = TOLD.decode(line)
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            shown = one_line(line.decode(errors="replace"), longest=_LONGEST_SHOWN)
            why = one_line(error, longest=_LONGEST_WHY).rstrip(".")
            raise HostError(f"said something that is no line of the protocol, {shown} ({why})") from None
        if isinstance(message, Error):
            raise HostError(one_line(message.why, longest=_LONGEST_WHY))
        if isinstance(message, Greeting):
            if self.greeting is not None:
                raise HostError("greeted twice")
            self.greeting = message
        elif not self.going:
            raise HostError("answered what it was not asked")
        elif isinstance(message, Best):
            self.going = False
        return message

    def stop(self) -> None:
        """End the ``go`` under way as soon as possible."""
        self._say(Stop())

    def _say(self, message: Position | Go | Stop | Quit) -> None:
        self._program.write_line(msgspec.json.encode(message))


def _program_command(command: Sequence[str], memory_mb: int) -> tuple[str, ...]:
    """The command that runs this program with a keeper, which ends all that it starts, and with bounded memory.

    On Windows it is the program itself.
    """
    if sys.platform == "win32":
        return tuple(command)
    return host_command("nimdesk.plugins.command", str(memory_mb), *command)


Stamp = tuple[object, ...]
"""What a process has begun with: its memory, and the names, times and sizes of its files."""


def stamp_of(files: Iterable[Path]) -> Stamp:
    """What changes whenever one of these files does; those that are not there do not count."""
    found = []
    for path in files:
        try:
            about = path.stat()
        except OSError:
            continue
        found.append((str(path), about.st_mtime_ns, about.st_size))
    return tuple(sorted(found))


class EnginePool:
    """Idle processes of one engine, kept because starting one takes time. Safe to use from several threads.

    A process whose files have changed since is not used again, so that changed code is taken at the next search.
    """

    def __init__(self, begin: Callable[[int], Engine], stamp: Callable[[], Stamp], fault: str = "") -> None:
        """``begin`` starts a process with so many megabytes; ``stamp`` is that of its files. ``fault``: why none can be
        started.
        """
        self._begin, self._stamp, self._fault = begin, stamp, fault
        self._idle: list[tuple[Engine, Stamp]] = []
        self._lock = threading.Lock()

    def take(self, memory_mb: int) -> tuple[Engine, Stamp]:
        """A process with so much memory, which may have greeted already, and the stamp to give it back with."""
        if self._fault:
            raise HostError(self._fault)
        wanted = (memory_mb, *self._stamp())
        with self._lock:
            # One with other memory stays for those who want that.
            fresh = [(engine, stamp) for engine, stamp in self._idle if stamp[1:] == wanted[1:] and engine.alive]
            old = [each for each in self._idle if each not in fresh]
            taken = next((each for each in fresh if each[1] == wanted), None)
            self._idle = [each for each in fresh if each is not taken]
        for engine, _stamp in old:
            engine.close()
        return (self._begin(memory_mb), wanted) if taken is None else taken

    def give_back(self, engine: Engine, stamp: Stamp) -> None:
        """Keep this process for the next search, unless it owes an answer, or there are enough."""
        with self._lock:
            if engine.alive and engine.greeting is not None and not engine.going and len(self._idle) < _MOST_IDLE:
                self._idle.append((engine, stamp))
                return
        engine.close()

    def close(self) -> None:
        """End the idle processes; the pool remains usable."""
        with self._lock:
            idle, self._idle = self._idle, []
        for engine, _stamp in idle:
            engine.close()
