"""Plug-ins from nimdesk's side: their processes, which it can end at any moment, and what they may say.

``nimdesk.plugins.side`` is the other side. It says, line by line in JSON, one of ``Begun``, ``Ready``, ``Answer`` and
``Failed``; everything else is a fault of the plug-in, which can write into our pipes as well. Nothing here waits longer
than it is told to, and no thread is needed: pipes are polled. A process ends with the object that started it, at the
latest with nimdesk, and all that it has started ends with it.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Annotated, Generic, TypeVar

import msgspec
from msgspec import Meta

from nimdesk.faults import one_line
from nimdesk.plugins import HOST

INTRODUCTION_S = 5.0
"""How long a plug-in's own code may take to be loaded and say what it is, while it has a processor."""
_START_S = 30.0
"""How long a busy machine may take to start a process, and that code in all."""
_AT_ONCE = 4
"""So many plug-ins are asked at once what they are; more would keep each other from answering in time."""
_EXIT_S = 1.0
_MAX_LINE_BYTES = 2**20
_MAX_QUESTION_BYTES = 50_000
"""What an empty pipe takes at once, so that nobody waits for a plug-in to listen."""
_LONGEST_FAULT = 240
_MOST_CHUNKS = 16
"""So much is heard of a program that complains without end before its next line is looked for."""
_PEEK_S = 0.002
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from nimdesk.plugins.side import serve; serve(*sys.argv[2:])"
)
_KeyT = TypeVar("_KeyT", bound=Hashable)


class _Line(msgspec.Struct, frozen=True, tag=str.lower, tag_field="is", forbid_unknown_fields=True):
    pass


class Begun(_Line, frozen=True):
    """The process is there, and the plug-in's own code comes next: its time counts from now on."""


class Ready(_Line, frozen=True):
    """The plug-in is loaded; ``words`` describe it."""

    words: msgspec.Raw = msgspec.Raw(b"null")


class Answer(_Line, frozen=True):
    """The answer to the question of this number."""

    number: int
    text: Annotated[str, Meta(max_length=1000)]


class Failed(_Line, frozen=True):
    """What the plug-in did wrong, as a clause that follows its name."""

    why: Annotated[str, Meta(max_length=1000)]


_DECODER = msgspec.json.Decoder(Begun | Ready | Answer | Failed)


class HostError(Exception):
    """What the process did wrong, as a clause that follows its agent's name. The process cannot be used again."""


def host_command(module: str, *arguments: str) -> tuple[str, ...]:
    """The command for a process in which ``main`` of this module serves; it sees the same packages as we do."""
    if getattr(sys, "frozen", False):
        # There is no Python but the one in the program itself.
        return (sys.executable, HOST, module, *arguments)
    path = json.dumps([os.path.abspath(folder) for folder in sys.path])
    # -P keeps the current folder out.
    return (sys.executable, "-P", "-c", _START, path, module, *arguments)


class Program:
    """A running program, and the lines sent to and from it. It is killed when this object is dropped."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        quiet: bool = False,
        folder: Path | None = None,
        hear: Callable[[bytes], object] | None = None,
    ) -> None:
        """Start the program in ``folder`` without waiting for anything; ``HostError`` if it cannot start.

        ``hear`` gets what it says on its standard error, whenever a line is read. Without it that goes to ours, for
        authors of plug-ins, or nowhere if ``quiet``.
        """
        self._buffer, self._hear = b"", hear
        self._begin = time.monotonic()
        # A program of windows may have no standard error.
        errors = subprocess.DEVNULL if quiet or sys.__stderr__ is None else None
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors if hear is None else subprocess.PIPE,
                bufsize=0,
                cwd=folder,
                # A group of its own: Ctrl-C reaches only nimdesk.
                start_new_session=True,
                creationflags=_CREATION_FLAGS,
            )
        except OSError as error:
            raise HostError(f"could not be started ({error.strerror or error})") from error
        self._end = weakref.finalize(self, _end, self._process)

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it is still running."""
        return self._process.poll() is None

    @property
    def age_s(self) -> float:
        """Seconds since it was started."""
        return time.monotonic() - self._begin

    def write_line(self, line: bytes) -> None:
        """Send one line to a program that waits for it; ``HostError`` if it has ended, or the line is too long."""
        assert self._process.stdin is not None
        if len(line) >= _MAX_QUESTION_BYTES:
            raise HostError(f"cannot be asked: its question would take more than {_MAX_QUESTION_BYTES:,} letters")
        try:
            self._process.stdin.write(line + b"\n")
        except (OSError, ValueError):  # it has ended, or was ended from here, as at nimdesk's own end
            raise HostError(self._ending()) from None

    def read_line(self, wait_s: float) -> bytes | None:
        """Its next line; None if none is complete within ``wait_s``. ``HostError`` if it has ended."""
        assert self._process.stdout is not None
        until = time.monotonic() + wait_s
        while b"\n" not in self._buffer:
            pipes = [self._process.stdout]
            if self._hear is not None and self._process.stderr is not None:
                pipes.append(self._process.stderr)
            ready = _readable(pipes, max(0.0, until - time.monotonic()))
            if not ready:
                return None
            if self._process.stderr in ready:
                self._hear_errors()
            if self._process.stdout not in ready:
                continue
            chunk = os.read(self._process.stdout.fileno(), 65_536)
            self._buffer += chunk
            if not chunk:
                ending = self._ending()
                if self._hear is not None:
                    self._hear_errors()
                raise HostError(ending)
            if len(self._buffer) > _MAX_LINE_BYTES:
                raise HostError("answered with more than a megabyte")
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line

    def _hear_errors(self) -> None:
        errors = self._process.stderr
        assert errors is not None
        assert self._hear is not None
        for _ in range(_MOST_CHUNKS):
            if not _readable([errors], 0.0):
                return
            chunk = os.read(errors.fileno(), 65_536)
            if not chunk:  # it has closed it
                self._hear = None
                return
            self._hear(chunk)

    def kill(self) -> None:
        """End it now, with all that it started (on Windows, it alone). Does nothing if it has ended."""
        self._end()

    def leave(self) -> bool:
        """Let it end, and say whether it has: to free gigabytes takes a while, and nobody needs to wait for that."""
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.close()
        if self.alive:
            return False
        self.kill()
        return True

    def _ending(self) -> str:
        try:
            code = self._process.wait(_EXIT_S)
        except subprocess.TimeoutExpired:
            return "closed the connection to nimdesk"
        if code >= 0:
            return f"ended its process, with exit code {code}"
        with suppress(ValueError):
            return f"crashed: its process was ended by {signal.Signals(-code).name}"
        return f"crashed: its process was ended by signal {-code}"


class HostProcess(Program):
    """One running process of a plug-in, and the lines sent to and from it."""

    def __init__(self, command: Sequence[str], *, quiet: bool = False) -> None:
        """Start the process without waiting for it to be ready; ``HostError`` if it cannot start.

        Its output goes to our standard error, for authors of plug-ins, or nowhere if ``quiet``.
        """
        self.ready = False
        """Whether it has said so."""
        self.begun = False
        """Whether the plug-in's own code runs."""
        self._asked, self._waited_before_s = 0, 0.0
        super().__init__(command, quiet=quiet)

    @property
    def own_age_s(self) -> float:
        """Seconds since it was started, or since the plug-in's own code began, without the time in which it could have
        run, but others had the processors (only Linux tells).
        """
        return self.age_s - (self._kept_waiting_s() - self._waited_before_s)

    @property
    def late(self) -> bool:
        """Whether it should have been ready by now. On a busy machine a sound one is given longer."""
        own_s = min(self.age_s, self.own_age_s) if self.begun else 0.0
        return own_s > INTRODUCTION_S or self.age_s > _START_S

    def _kept_waiting_s(self) -> float:
        with suppress(OSError, ValueError, IndexError):
            child = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()[0]
            return int(Path(f"/proc/{child}/schedstat").read_text().split()[1]) / 1e9
        return 0.0

    def ask(self, question: Mapping[str, object]) -> None:
        """Ask a process that is ready, and owes no answer, for an ``Answer``."""
        self._asked += 1
        self.write_line(msgspec.json.encode({"number": self._asked, **question}))

    def receive(self, wait_s: float) -> Ready | Answer | None:
        """What it says, first that it is ready; None if no line is complete within ``wait_s``.

        ``HostError`` if it failed or ended, or says what it was not asked.
        """
        if (line := self.read_line(wait_s)) is None:
            return None
        try:
            message: Begun | Ready | Answer | Failed = _DECODER.decode(line)
        except (msgspec.MsgspecError, ValueError, RecursionError):
            raise HostError("answered with something that is no answer") from None
        if isinstance(message, Failed):
            raise HostError(one_line(message.why, longest=_LONGEST_FAULT))
        if isinstance(message, Begun) and not self.begun:
            self.begun, self._begin, self._waited_before_s = True, time.monotonic(), self._kept_waiting_s()
            return None
        # What is answered unasked must not become the answer to another question.
        if isinstance(message, Answer):
            expected = self.ready and message.number == self._asked
        else:
            expected = isinstance(message, Ready) and not self.ready
        if not expected or isinstance(message, Begun):
            raise HostError("answered what it was not asked")
        self.ready = True
        return message


class HostPool:
    """Idle processes of one agent, kept because starting one and loading a plug-in takes time.

    Safe to use from several threads. Idle processes end with the pool, and with nimdesk.
    """

    def __init__(self, command: Sequence[str], fault: str = "") -> None:
        """``command`` starts one process; none is started yet.

        None ever is for an agent with a known ``fault``, as it would only be waited for again: ``take`` says it.
        """
        self._command, self._fault = tuple(command), fault
        self._idle: list[HostProcess] = []
        self._lock = threading.Lock()

    def take(self) -> HostProcess:
        """A process, which may be ``ready`` already; ``HostError`` if none can be started."""
        if self._fault:
            raise HostError(self._fault)
        with self._lock:
            while self._idle:
                host = self._idle.pop()
                if host.alive:
                    return host
                host.kill()
        return HostProcess(self._command)

    def give_back(self, host: HostProcess) -> None:
        """Keep this process for the next move; it must be ready and owe no answer."""
        with self._lock:
            self._idle.append(host)

    def close(self) -> None:
        """End the idle processes; the pool remains usable."""
        with self._lock:
            while self._idle:
                self._idle.pop().kill()


class Introductions(Generic[_KeyT]):
    """Asks plug-ins what they are, some at a time and each for ``INTRODUCTION_S`` at most, and makes nobody wait."""

    def __init__(self, commands: Mapping[_KeyT, Sequence[str]]) -> None:
        """The commands that start their processes; none is started yet."""
        self._waiting = dict(commands)
        self._asked: dict[_KeyT, HostProcess] = {}
        self._leaving: list[HostProcess] = []

    @property
    def pending(self) -> set[_KeyT]:
        """Those of whom nothing is known yet."""
        return {*self._waiting, *self._asked}

    @property
    def over(self) -> bool:
        """Whether all is known, and no process is left."""
        return not self.pending and not self._leaving

    def poll(self, wait_s: float = 0.0) -> dict[_KeyT, bytes | HostError]:
        """What is known since the last time: the words of each, or its fault. Waits at most so long for one of them."""
        known: dict[_KeyT, bytes | HostError] = {}
        self._leaving = [host for host in self._leaving if not host.leave()]
        while self._waiting and len(self._asked) < _AT_ONCE:
            key = next(iter(self._waiting))
            try:
                self._asked[key] = HostProcess(self._waiting.pop(key), quiet=True)
            except HostError as error:
                known[key] = error
        until = time.monotonic() + wait_s
        for key, host in tuple(self._asked.items()):
            words = _introduction(host, 0.0 if known else max(0.0, until - time.monotonic()))
            if words is not None:
                known[key] = words
                self._leaving.append(self._asked.pop(key))
        return known

    def close(self) -> None:
        """End what still runs; of those nothing will be known."""
        left = [*self._leaving, *self._asked.values()]
        self._waiting, self._asked, self._leaving = {}, {}, []
        for host in left:
            host.leave()
        for host in left:
            host.kill()


def _introduction(host: HostProcess, wait_s: float) -> bytes | HostError | None:
    try:
        message = host.receive(wait_s)
    except HostError as error:
        return error
    if isinstance(message, Ready):
        return bytes(message.words)
    return HostError(f"did not say within {INTRODUCTION_S:g} s what it is") if host.late else None


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the process with all that it started, and leave no zombie and no open pipe."""
    for pipe in filter(None, (process.stdin, process.stdout, process.stderr)):
        with suppress(OSError):
            pipe.close()
    # The end of its input has its keeper end everything.
    try:
        process.wait(0 if sys.platform == "win32" else _EXIT_S)
    except subprocess.TimeoutExpired:
        with suppress(OSError):  # nobody is left in the group
            process.kill() if sys.platform == "win32" else os.killpg(process.pid, signal.SIGKILL)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_EXIT_S)


if sys.platform == "win32":
    import _winapi
    import msvcrt

    _CREATION_FLAGS = subprocess.CREATE_NO_WINDOW

    def _readable(pipes: Sequence[IO[bytes]], wait_s: float) -> list[IO[bytes]]:
        """Those pipes that have data, or have ended, within that time."""
        until = time.monotonic() + wait_s
        while True:
            if ready := [pipe for pipe in pipes if _has_data(pipe)]:
                return ready
            if time.monotonic() >= until:
                return []
            time.sleep(_PEEK_S)

    def _has_data(pipe: IO[bytes]) -> bool:
        try:
            return bool(_winapi.PeekNamedPipe(msvcrt.get_osfhandle(pipe.fileno()), 0)[0])
        except OSError:  # the other end is closed
            return True

else:
    import selectors

    _CREATION_FLAGS = 0

    def _readable(pipes: Sequence[IO[bytes]], wait_s: float) -> list[IO[bytes]]:
        """Those pipes that have data, or have ended, within that time."""
        with selectors.DefaultSelector() as selector:
            for pipe in pipes:
                selector.register(pipe, selectors.EVENT_READ)
            ready = {key.fd for key, _events in selector.select(wait_s)}
            return [pipe for pipe in pipes if pipe.fileno() in ready]
