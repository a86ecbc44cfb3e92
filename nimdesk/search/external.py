"""A search in a process of its own, which nimdesk can end at any moment.

The process (``nimdesk.agents.plugin_host``) sends one JSON line when it is ready, then answers each line with one line.
Nothing here waits longer than it is told to, and no thread is needed: pipes are polled. A process ends with the object
that started it, and at the latest with nimdesk: it is killed at exit, and if nimdesk itself is killed, the process sees
the end of its input and leaves.
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
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import IO, Any, NoReturn

from nimdesk.errors import AgentError, NimdeskError, quoted
from nimdesk.games import AnyPosition, Move
from nimdesk.limit import Limit
from nimdesk.search.types import MoveStats, Snapshot, StopReason

LOAD_S = 30.0
"""How long a process may take to get ready; the time for a move counts from then on."""
_SLICE_S = 0.015
_PEEK_S = 0.002
_EXIT_S = 1.0
_MAX_LINE_BYTES = 2**20


class HostError(Exception):
    """What the process did wrong, as a clause that follows its agent's name. The process cannot be used again."""


class HostProcess:
    """One running process, and the lines sent to and from it. It is killed when this object is dropped."""

    def __init__(self, command: Sequence[str], *, quiet: bool = False) -> None:
        """Start the process without waiting for it to be ready; ``HostError`` if it cannot start.

        Its output goes to our standard error, for authors of plug-ins, or nowhere if ``quiet``.
        """
        self._buffer = b""
        self._begin = time.monotonic()
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL if quiet else _standard_error(),
                bufsize=0,
                # A group of its own: Ctrl-C reaches only nimdesk, and the process's own children are killed with it.
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

    def send(self, message: Mapping[str, object]) -> None:
        """Send a question; one answer follows, unless the process ends."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(message).encode("ascii") + b"\n")
        except OSError:
            raise HostError(self._ending()) from None

    def receive(self, wait_s: float) -> dict[str, Any] | None:
        """The next line, or None if none is complete within ``wait_s``; ``HostError`` if none can follow."""
        assert self._process.stdout is not None
        until = time.monotonic() + wait_s
        while b"\n" not in self._buffer:
            if not _readable(self._process.stdout, max(0.0, until - time.monotonic())):
                return None
            chunk = os.read(self._process.stdout.fileno(), 65_536)
            self._buffer += chunk
            if not chunk:
                raise HostError(self._ending())
            if len(self._buffer) > _MAX_LINE_BYTES:
                raise HostError("answered with more than a megabyte")
        line, _, self._buffer = self._buffer.partition(b"\n")
        try:
            message = json.loads(line)
        except ValueError:
            message = None
        if not isinstance(message, dict):
            raise HostError("answered with something that is no answer")
        return message

    def kill(self) -> None:
        """End it now, with all that it started (on Windows, it alone). Does nothing if it has ended."""
        self._end()

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


class HostPool:
    """Idle processes of one agent, kept because starting one and loading a plug-in takes time.

    Safe to use from several threads. Idle processes end with the pool, and with nimdesk.
    """

    def __init__(self, command: Sequence[str]) -> None:
        """``command`` starts one process; none is started yet."""
        self._command = tuple(command)
        self._idle: list[HostProcess] = []
        self._lock = threading.Lock()

    def take(self) -> tuple[HostProcess, bool]:
        """A process, and whether it is already ready; ``HostError`` if none can be started."""
        with self._lock:
            while self._idle:
                host = self._idle.pop()
                if host.alive:
                    return host, True
                host.kill()
        return HostProcess(self._command), False

    def give_back(self, host: HostProcess) -> None:
        """Keep this process for the next move; it must be ready and owe no answer."""
        with self._lock:
            self._idle.append(host)

    def close(self) -> None:
        """End the idle processes; the pool remains usable."""
        with self._lock:
            while self._idle:
                self._idle.pop().kill()


class ExternalSearcher:
    """A search whose move comes from another process, within ``time_s`` seconds.

    For everything that can go wrong, ``advance`` ends the process and raises ``AgentError``: one sentence that starts
    with the agent. The process also ends when the searcher is closed or dropped before its move.
    """

    def __init__(self, name: str, title: str, pool: HostPool, options: Mapping[str, object], time_s: float) -> None:
        """``name`` is the agent's in the catalogue, ``title`` is for people; ``options`` are sent unchanged."""
        self._name, self._title, self._pool = name, title, pool
        self._options, self._time_s = options, time_s
        self._host: HostProcess | None = None

    def start(self, position: AnyPosition, seed: int) -> None:
        """Begin with a position that is not over, without waiting."""
        if position.outcome is not None:
            raise ValueError(f"the game is over in {position.text}: there is nothing to choose")
        self.close()
        self._position, self._seed = position, seed
        self._moves = tuple(MoveStats(move, 0, None) for move in position.legal_moves)
        self._choice: Move | None = None
        self._waited_s = self._elapsed_s = 0.0
        self._asked_at: float | None = None
        try:
            self._host, ready = self._pool.take()
            if ready:
                self._ask(self._host)
        except HostError as error:
            self._fail(str(error))

    def advance(self, limit: Limit) -> StopReason | None:
        """Wait for the move: at most 15 ms if ``limit`` has a time, and not at all once that has passed."""
        if self._choice is not None:
            return StopReason.NO_SEARCH
        if self._host is None:
            raise ValueError("start the search before it can advance")
        begin = time.monotonic()
        while True:
            left_s = _SLICE_S if limit.time_s is None else min(_SLICE_S, limit.time_s - self._waited_s)
            try:
                answer = self._host.receive(max(0.0, left_s))
                if answer is not None:
                    self._take(self._host, answer)
            except HostError as error:
                self._fail(str(error))
            if self._choice is not None:
                return StopReason.NO_SEARCH
            self._check_time(self._host)
            if limit.time_s is not None:
                self._waited_s += time.monotonic() - begin
                return None

    def snapshot(self) -> Snapshot:
        """The position without visits, and the move once it is known."""
        done = None if self._choice is None else StopReason.NO_SEARCH
        return Snapshot(
            self._position, self._name, self._seed, 0, self._elapsed_s, self._moves, self._choice, stopped=done
        )

    def close(self) -> None:
        """End the process if it still owes its move; the searcher can be started again."""
        if self._host is not None:
            self._host.kill()
            self._host = None

    def _ask(self, host: HostProcess) -> None:
        host.send({"position": self._position.text, "options": self._options, "seed": self._seed})
        self._asked_at = time.monotonic()

    def _take(self, host: HostProcess, answer: Mapping[str, Any]) -> None:
        """Handle one line from the process."""
        if "failed" in answer:
            self._fail(str(answer["failed"]))
        if self._asked_at is None:
            self._ask(host)  # this line said that it is ready
            return
        self._elapsed_s = time.monotonic() - self._asked_at
        try:
            self._choice = self._position.parse_move(str(answer.get("move")))
        except NimdeskError as error:
            self._fail(f"gave no move that can be played: {error}")
        self._host = None
        self._pool.give_back(host)

    def _check_time(self, host: HostProcess) -> None:
        if self._asked_at is None:
            if host.age_s > LOAD_S:
                self._fail(f"was not loaded within {LOAD_S:g} s")
        else:
            self._elapsed_s = time.monotonic() - self._asked_at
            if self._elapsed_s > self._time_s:
                self._fail(f"gave no move within {self._time_s:g} s")

    def _fail(self, clause: str) -> NoReturn:
        self.close()
        raise AgentError(f"The agent {quoted(self._title)} {clause.rstrip('.')}.") from None


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the process with its group, and leave no zombie and no open pipe."""
    with suppress(OSError):  # nobody is left in the group
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
    for pipe in (process.stdin, process.stdout):
        assert pipe is not None
        with suppress(OSError):
            pipe.close()
    with suppress(subprocess.TimeoutExpired):
        process.wait(_EXIT_S)


def _standard_error() -> int | None:
    """Our own standard error, if there is one; None inherits it."""
    try:
        os.fstat(2)
    except OSError:
        return subprocess.DEVNULL
    return None if sys.__stderr__ is not None else subprocess.DEVNULL


if sys.platform == "win32":
    import _winapi
    import msvcrt

    _CREATION_FLAGS = subprocess.CREATE_NO_WINDOW

    def _readable(pipe: IO[bytes], wait_s: float) -> bool:
        """Whether the pipe has data, or has ended, within that time."""
        until = time.monotonic() + wait_s
        while True:
            try:
                if _winapi.PeekNamedPipe(msvcrt.get_osfhandle(pipe.fileno()), 0)[0]:
                    return True
            except OSError:  # the other end is closed
                return True
            if time.monotonic() >= until:
                return False
            time.sleep(_PEEK_S)

else:
    import selectors

    _CREATION_FLAGS = 0

    def _readable(pipe: IO[bytes], wait_s: float) -> bool:
        """Whether the pipe has data, or has ended, within that time."""
        with selectors.DefaultSelector() as selector:
            selector.register(pipe, selectors.EVENT_READ)
            return bool(selector.select(wait_s))
