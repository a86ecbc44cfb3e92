"""The side of a plug-in: the process that runs code of another package, and what keeps it.

``nimdesk.plugins.process`` is the other side. The process that it starts is a *keeper*, which has the plug-in run by a
child, and waits. When the plug-in ends, or nimdesk does (even by kill -9, which the keeper sees by its input), the
keeper ends all that the plug-in has started, and then itself in the same way. On Windows there is no keeper: there the
plug-in's process leaves when its input ends.

This is no wall against a hostile program: a plug-in has all the rights of the person who installed it.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
import time
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import NoReturn

if sys.platform != "win32":
    import resource

_CHILD_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of prctl(2)
_PATIENCE_S = 1.0


def serve(module: str, *arguments: str) -> NoReturn:
    """Call ``main(*arguments)`` of the module, in a process that ends then, or with nimdesk."""
    if sys.platform != "win32":
        if child := os.fork():
            _keep(child)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a crash leaves no gigabytes on the disk
    import_module(module).main(*arguments)
    sys.stderr.flush()
    os._exit(0)  # whatever threads the plug-in may have left


class Conversation:
    """Lines to and from nimdesk. The plug-in reads nothing, and prints to standard error."""

    def __init__(self) -> None:
        """Standard input and output are ours from now on."""
        self._process = os.getpid()
        self._questions, self._answers = os.dup(0), os.dup(1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)
        sys.stdout = sys.stderr
        self._heard: list[bytes] = []
        self._news = threading.Semaphore(0)
        threading.Thread(target=self._listen, daemon=True).start()

    def hear(self) -> bytes:
        """Wait for the next line."""
        self._news.acquire()
        return self._heard.pop(0)

    @property
    def waiting(self) -> bool:
        """Whether a line has come that was not heard yet."""
        return bool(self._heard)

    def say(self, line: bytes) -> None:
        """Say one line; a copy of this process that the plug-in forked ends instead."""
        if os.getpid() != self._process:
            os._exit(0)
        line += b"\n"
        while line:
            line = line[os.write(self._answers, line) :]

    def _listen(self) -> None:
        """In a thread of its own, which sees the end of nimdesk even while the plug-in thinks."""
        with open(self._questions, "rb") as questions:
            for line in questions:
                self._heard.append(line)
                self._news.release()
        os._exit(0)


def limit_memory(memory_mb: int) -> None:
    """Let an allocation beyond this fail rather than exhaust the machine. Only Linux counts this correctly.

    Each process is counted by itself. What is shared with other processes (``multiprocessing.shared_memory``, a mapped
    file) does not count.
    """
    if sys.platform == "linux":
        most = resource.getrlimit(resource.RLIMIT_DATA)[1]
        wanted = memory_mb * 2**20
        resource.setrlimit(resource.RLIMIT_DATA, (wanted if most < 0 else min(wanted, most), most))


if sys.platform != "win32":

    def _keep(child: int) -> NoReturn:
        os.close(1)  # or nimdesk would not see that the plug-in has closed it
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        if sys.platform == "linux":
            from ctypes import CDLL  # lazy: the plug-in's process does without

            # What the plug-in's children start becomes ours when they end, wherever it has put itself.
            CDLL(None).prctl(_CHILD_SUBREAPER, 1, 0, 0, 0)
        threading.Thread(target=_kill_at_hangup, args=(child,), daemon=True).start()
        status = os.waitpid(child, 0)[1]
        if sys.platform == "linux":
            _kill_children()
        else:  # those that have not left the group, and ourselves only if nimdesk is gone
            os.killpg(0, signal.SIGKILL if _hung_up(0) else signal.SIGTERM)
        _end_likewise(os.waitstatus_to_exitcode(status))

    def _kill_at_hangup(child: int) -> None:
        _hung_up(None)
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)

    def _hung_up(wait_ms: int | None) -> bool:
        """Whether nobody is left to write to our input; without a time it waits for that."""
        poll = select.poll()
        poll.register(0, 0)  # the end is told even to those who ask for nothing
        return bool(poll.poll(wait_ms))

    def _kill_children() -> None:
        """End all descendants: when a child has ended, its children are ours. Only Linux tells who they are."""
        until = time.monotonic() + _PATIENCE_S
        with suppress(ChildProcessError):  # none is left
            while time.monotonic() < until:
                for children in Path("/proc/self/task").glob("*/children"):
                    for child in children.read_text().split():
                        with suppress(ProcessLookupError):
                            os.kill(int(child), signal.SIGKILL)
                if os.waitpid(-1, os.WNOHANG) == (0, 0):
                    time.sleep(0.002)

    def _end_likewise(code: int) -> NoReturn:
        """End with this exit code, or by this signal if it is negative, so that nimdesk can tell it."""
        if code < 0:
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            with suppress(OSError, ValueError):  # SIGKILL needs no such thing
                signal.signal(-code, signal.SIG_DFL)
            os.kill(os.getpid(), -code)
        os._exit(max(code, 1) if code < 0 else code)
