"""Processes beside the window that compile kernels for it, so that the window does not wait.

Compiling is seconds of Python under the interpreter's lock: a thread would freeze the window again and again. Another
process leaves the compiled code on disk, where the window finds it (``nimdesk.kernels.jit.first_use``).
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from typing import TYPE_CHECKING, TextIO

from nimdesk import compiling
from nimdesk.errors import CompilationEndedError

if TYPE_CHECKING:
    import subprocess

Job = Callable[[], object]
Done = Callable[[int], bool]
SERVE = "--compile-for-the-window"
"""The first word of a frozen program that is to ``serve``; the second says whether idly, as 0 or 1."""
_LONGEST_S = 300.0
_READY, _DONE, _FAILED, _TOLD, _QUIET = "ready", "done", "failed", "compiling", "quiet"


class CompilerProcesses:
    """Starts a process for each request. At the end, each finishes the job that it does, and begins no other.

    Make it in a thread of normal priority: the processes have that, whoever waits for them.
    """

    def __init__(self) -> None:
        from concurrent.futures import ThreadPoolExecutor  # lazy: not before the first paint

        self._running: set[subprocess.Popen[bytes]] = set()
        self._changing = threading.Condition()
        self._ended = False
        # A thread for this alone, begun now: on Linux a process has the priority of the thread that starts it, those
        # that wait for one are of a low priority, and none may raise it again.
        self._starter = ThreadPoolExecutor(1, "nimdesk-compiler")
        self._starter.submit(threading.get_ident)

    def run(self, *jobs: Job, idle: bool = False, done: Done | None = None) -> bool:
        """Wait until another process has called the jobs, which must be picklable; return whether all succeeded.

        After each of them, ``done`` is called in another thread with their number so far; where it returns False, those
        that are left are given up. ``compiling.listening`` hears what is compiled there. An ``idle`` process works only
        while the machine has nothing better to do. ``CompilationEndedError`` if ``end`` is called first.
        """
        import pickle  # lazy: not before the first paint

        pickled = [pickle.dumps(job) for job in jobs]
        with self._changing:
            process = None if self._ended else self._starter.submit(self._start, idle).result()
        succeeded = process is not None and self._finish(process, pickled, done)
        self.check_wanted()
        return succeeded

    def start_thread(self, thread: threading.Thread) -> None:
        """Start it at the priority of the processes, whoever asks."""
        with self._changing:
            if not self._ended:
                self._starter.submit(thread.start).result()
                return
        thread.start()

    def check_wanted(self) -> None:
        """``CompilationEndedError`` once ``end`` was called."""
        with self._changing:
            if self._ended:
                raise CompilationEndedError("Nothing is compiled any more: nimdesk is being closed.")

    def end(self) -> None:
        """Let the processes end after what they compile now; ``run`` stops waiting for them."""
        with self._changing:
            self._ended = True
            self._starter.shutdown()
            for process in self._running:
                _let_go(process)
            self._changing.notify_all()

    def _start(self, idle: bool) -> subprocess.Popen[bytes] | None:
        import subprocess  # lazy: hardly ever needed, and the window opens sooner without

        flags = getattr(subprocess, "CREATE_NO_WINDOW", 0)
        if idle:
            flags |= getattr(subprocess, "IDLE_PRIORITY_CLASS", 0)
        with suppress(OSError):
            process = subprocess.Popen(
                _command(idle),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                creationflags=flags,
            )
            self._running.add(process)
            return process
        return None

    def _finish(self, process: subprocess.Popen[bytes], jobs: Sequence[bytes], done: Done | None) -> bool:
        answers: list[bool] = []
        over = threading.Event()
        left = iter(jobs)

        def ask() -> None:
            # One job at a time: when its input ends, the process has none that it could begin.
            job = next(left, None)
            if job is None:
                _let_go(process)
                return
            assert process.stdin is not None
            with suppress(OSError, ValueError):  # of a process that has ended, or was let go
                process.stdin.write(job)
                process.stdin.flush()

        def hear() -> None:
            assert process.stdout is not None
            try:
                for line in process.stdout:
                    word, *rest = line.decode().split()
                    if word == _READY:
                        ask()
                    elif word in (_DONE, _FAILED):
                        answers.append(word == _DONE)
                        if done is None or done(len(answers)):
                            ask()
                        else:
                            _let_go(process)
                    elif word == _TOLD:
                        compiling.tell(rest[0], int(rest[1]))
                    elif word == _QUIET:
                        compiling.tell_end()
            finally:  # or ``run`` would wait for ever
                _let_go(process)
                process.stdout.close()
                process.wait()
                over.set()
                with self._changing:
                    self._running.discard(process)
                    self._changing.notify_all()

        # A thread of its own, which nobody waits for: at the end the process may still be at work.
        threading.Thread(target=hear, name="nimdesk-compiler-heard", daemon=True).start()
        with self._changing:
            self._changing.wait_for(lambda: over.is_set() or self._ended)
        return len(answers) == len(jobs) and all(answers)


def _let_go(process: subprocess.Popen[bytes]) -> None:
    """Close its input, by which it knows that nobody wants more of it."""
    assert process.stdin is not None
    with suppress(OSError, ValueError):  # of a process that has ended, or that another thread lets go
        process.stdin.close()


def _command(idle: bool) -> list[str]:
    if getattr(sys, "frozen", False):
        # There is no Python but the one in the program itself.
        return [sys.executable, SERVE, str(int(idle))]
    # Not ``-m``, which would look for nimdesk in the current folder first.
    serve = f"import sys; sys.path[:] = {sys.path!r}; from nimdesk.__main__ import main; main()"
    return [sys.executable or "python", "-c", serve, SERVE, str(int(idle))]


def serve(idle: bool) -> None:
    """Call the jobs that come on standard input, and say on standard output what is compiled and done.

    Each job comes when the one before is done. The input ends with the program that sends it, even if that is killed:
    then this process ends after the job that it does, so that what it has compiled is there at the next start.
    """
    import signal  # lazy: the window does without

    # Ctrl-C in the terminal is for the program, which then ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if idle and hasattr(os, "nice"):
        os.nice(19)
    # What the rules of a package print is no answer.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    tell, say = partial(_tell, answers), partial(_say, answers)
    jobs: SimpleQueue[Job | None] = SimpleQueue()
    threading.Thread(target=_receive, args=(jobs,), daemon=True).start()
    say(_READY)
    with compiling.listening(tell):
        while (job := jobs.get()) is not None:
            try:
                job()
            except Exception:  # the program will compile the kernel itself, and report the error there
                say(_FAILED)
            else:
                say(_DONE)
    os._exit(0)


def _receive(jobs: SimpleQueue[Job | None]) -> None:
    import pickle

    with suppress(BaseException):  # the input has ended, or a job is of a module that cannot be loaded, or that exits
        while True:
            jobs.put(pickle.load(sys.stdin.buffer))
    jobs.put(None)
    # No compilation takes this long, but the rules of a package may.
    time.sleep(_LONGEST_S)
    os._exit(1)


def _tell(answers: TextIO, now: compiling.Compiling | None) -> None:
    _say(answers, _QUIET if now is None else f"{_TOLD} {now.what} {now.done}")


def _say(answers: TextIO, line: str) -> None:
    with suppress(OSError):  # the program has ended
        print(line, file=answers, flush=True)


_current: list[CompilerProcesses] = []


def begin() -> None:
    """From now on, compile kernels that are not on disk in processes of their own."""
    end()
    _current.append(CompilerProcesses())


def refuse() -> None:
    """Wait for no compiler from now on: until ``end``, a kernel that needs one raises ``CompilationEndedError``."""
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
