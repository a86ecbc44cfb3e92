"""Processes beside the window that compile kernels for it, so that the window does not wait.

Compiling is seconds of Python under the interpreter's lock: a thread would freeze the window again and again. Another
process leaves the compiled code on disk, where the window finds it (``nimdesk.kernels.jit.first_use``).
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from nimdesk.errors import CompilationEndedError

if TYPE_CHECKING:
    import subprocess

Job = Callable[[], object]
SERVE = "--compile-for-the-window"
"""The first word of a frozen program that is to ``serve``; the second says whether idly, as 0 or 1."""


class CompilerProcesses:
    """Starts a process for each job, and kills the running ones at the end.

    Make it in a thread of normal priority: the processes have that, whoever waits for them.
    """

    def __init__(self) -> None:
        from concurrent.futures import ThreadPoolExecutor  # lazy: not before the first paint

        self._running: set[subprocess.Popen[bytes]] = set()
        self._changing = threading.Lock()
        self._ended = False
        # A thread for this alone, begun now: on Linux a process has the priority of the thread that starts it, those
        # that wait for one are of a low priority, and none may raise it again.
        self._starter = ThreadPoolExecutor(1, "nimdesk-compiler")
        self._starter.submit(threading.get_ident)

    def run(self, job: Job, *, idle: bool = False) -> bool:
        """Wait until another process has called ``job``, which must be picklable; return whether it succeeded.

        An ``idle`` process works only while the machine has nothing better to do. ``CompilationEndedError`` if ``end``
        is called first.
        """
        with self._changing:
            process = None if self._ended else self._starter.submit(self._start, idle).result()
        done = process is not None and self._finish(process, job)
        self.check_wanted()
        return done

    def check_wanted(self) -> None:
        """``CompilationEndedError`` once ``end`` was called."""
        with self._changing:
            if self._ended:
                raise CompilationEndedError("Nothing is compiled any more: nimdesk is being closed.")

    def end(self) -> None:
        """Kill the processes; ``run`` stops waiting for them."""
        with self._changing:
            self._ended = True
            self._starter.shutdown()
            for process in self._running:
                process.kill()

    def _start(self, idle: bool) -> subprocess.Popen[bytes] | None:
        import subprocess  # lazy: hardly ever needed, and the window opens sooner without

        flags = getattr(subprocess, "CREATE_NO_WINDOW", 0)
        if idle:
            flags |= getattr(subprocess, "IDLE_PRIORITY_CLASS", 0)
        nothing = subprocess.DEVNULL
        with suppress(OSError):
            process = subprocess.Popen(
                _command(idle), stdin=subprocess.PIPE, stdout=nothing, stderr=nothing, creationflags=flags
            )
            self._running.add(process)
            return process
        return None

    def _finish(self, process: subprocess.Popen[bytes], job: Job) -> bool:
        assert process.stdin is not None
        import pickle  # lazy: not before the first paint

        with suppress(OSError):  # of a process that has ended
            process.stdin.write(pickle.dumps(job))
            process.stdin.flush()
        done = process.wait() == 0
        with suppress(OSError):
            process.stdin.close()
        with self._changing:
            self._running.discard(process)
        return done


def _command(idle: bool) -> list[str]:
    if getattr(sys, "frozen", False):
        # There is no Python but the one in the program itself.
        return [sys.executable, SERVE, str(int(idle))]
    # Not ``-m``, which would look for nimdesk in the current folder first.
    serve = f"import sys; sys.path[:] = {sys.path!r}; from nimdesk.__main__ import main; main()"
    return [sys.executable or "python", "-c", serve, SERVE, str(int(idle))]


def serve(idle: bool) -> None:
    """Call the job that comes on standard input.

    The input ends with the program that sends it, even if that is killed: then this process ends as well.
    """
    import signal  # lazy: the window does without

    # Ctrl-C in the terminal is for the program, which then ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if idle and hasattr(os, "nice"):
        os.nice(19)
    import pickle

    job = pickle.load(sys.stdin.buffer)
    threading.Thread(target=_end_with_input, daemon=True).start()
    try:
        job()
    except Exception:  # the program will compile the kernel itself, and report the error there
        os._exit(1)
    os._exit(0)


def _end_with_input() -> None:
    sys.stdin.buffer.read()
    os._exit(1)


_current: list[CompilerProcesses] = []


def begin() -> None:
    """From now on, compile kernels that are not on disk in processes of their own."""
    end()
    _current.append(CompilerProcesses())


def refuse() -> None:
    """Kill running compilers; until ``end``, a kernel that would need compiling raises ``CompilationEndedError``."""
    for processes in _current:
        processes.end()


def check_wanted() -> None:
    """``CompilationEndedError`` between ``refuse`` and ``end``."""
    for processes in _current:
        processes.check_wanted()


def end() -> None:
    """From now on, compile kernels in the process that needs them."""
    refuse()
    _current.clear()


def current() -> CompilerProcesses | None:
    """The running processes, between ``begin`` and ``end``."""
    return _current[0] if _current else None
