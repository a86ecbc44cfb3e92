"""A process beside the program that compiles kernels for it, so that the window does not wait.

A compilation is seconds of Python, of which no other thread gets much: the window would stand still for a tenth of a
second again and again. The other process leaves what it compiled on disk, where the program finds it.
``nimdesk.kernels.compile_requests`` is what runs there.
"""

from __future__ import annotations

import base64
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING

from nimdesk.errors import CompilationEndedError

if TYPE_CHECKING:
    import subprocess

IDLE_S = 60.0
"""The other process ends by itself when nothing has been asked of it for so long: its memory is wanted elsewhere."""


class CompilerProcess:
    """Starts the process when something is to be compiled, and again whenever it is gone."""

    def __init__(self) -> None:
        """Nothing runs yet."""
        self._process: subprocess.Popen[bytes] | None = None
        # One request at a time; the other lock is held for moments only, so that ``end`` never waits.
        self._asking, self._changing = threading.Lock(), threading.Lock()
        self._ended = False

    def compile(self, module: str, function: str, signature: bytes) -> bool:
        """Have this kernel compiled for a pickled signature; whether that has been done.

        ``CompilationEndedError`` if ``end`` is called before.
        """
        words = module.encode(), function.encode(), base64.b64encode(signature)
        request = b" ".join(words) + b"\n"
        with self._asking:
            # One that waited for work may just be ending for want of it.
            waited = self._process is not None
            answer = self._ask(request) or (self._ask(request) if waited else b"")
        with self._changing:
            if self._ended:
                raise CompilationEndedError("Nothing is compiled any more: nimdesk is being closed.")
        return answer == b"done\n"

    def end(self) -> None:
        """Kill the process; whoever waits for it stops waiting."""
        with self._changing:
            self._ended, process = True, self._process
            if process is not None:
                process.kill()
        # Whoever waits for an answer closes it, hearing that there will be none.
        if process is not None and self._asking.acquire(blocking=False):
            self._drop(process)
            self._asking.release()

    def _ask(self, request: bytes) -> bytes:
        process = self._running()
        answer = b""
        if process is not None and process.stdin is not None and process.stdout is not None:
            with suppress(OSError):
                process.stdin.write(request)
                process.stdin.flush()
                answer = process.stdout.readline()
            if not answer:
                self._drop(process)
        return answer

    def _running(self) -> subprocess.Popen[bytes] | None:
        """The process, started if need be; None where that cannot be done, and after the end."""
        with self._changing:
            if self._process is not None and self._process.poll() is not None:
                _close(self._process)
                self._process = None
            if self._process is None and not self._ended:
                with suppress(OSError):
                    self._process = _start()
            return self._process

    def _drop(self, process: subprocess.Popen[bytes]) -> None:
        with self._changing:
            process.kill()
            _close(process)
            self._process = None


def _start() -> subprocess.Popen[bytes]:
    import subprocess  # lazy: hardly ever needed, and the window opens sooner without

    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
    flags = getattr(subprocess, "CREATE_NO_WINDOW", 0)
    return subprocess.Popen(_command(), stdin=pipe, stdout=pipe, stderr=nothing, creationflags=flags)


def _close(process: subprocess.Popen[bytes]) -> None:
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):  # of a request that nobody reads any more
                pipe.close()


def _command() -> list[str]:
    # Not ``-m``, which would look for nimdesk in the current folder first.
    code = (
        f"import sys; sys.path[:] = {sys.path!r}; from nimdesk.kernels import compile_requests as c; c.serve({IDLE_S})"
    )
    return [sys.executable or "python", "-c", code]


_current: list[CompilerProcess] = []


def begin() -> None:
    """From now on kernels that are not on disk are compiled in a process of their own."""
    end()
    _current.append(CompilerProcess())


def refuse() -> None:
    """Kill that process, if it runs; whoever wants a kernel compiled before ``end`` gets ``CompilationEndedError``."""
    for process in _current:
        process.end()


def end() -> None:
    """From now on kernels are compiled where they are wanted."""
    refuse()
    _current.clear()


def current() -> CompilerProcess | None:
    """The process to ask, between ``begin`` and ``end``."""
    return _current[0] if _current else None
