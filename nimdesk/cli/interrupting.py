"""Ctrl-C on the command line: what it ends, how soon, and what is still printed after it."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn, TypeVar

from nimdesk.errors import INTERRUPTED

_R = TypeVar("_R")
_LOOK_S = 0.1
STOP_S = 0.7
"""How long work may go on after Ctrl-C, which is answered within a second even while a kernel is compiled."""


class UnfinishedError(KeyboardInterrupt):
    """Ctrl-C came while a thread is deep in the compiler: call ``leave``, because Python would wait for the thread."""


@contextmanager
def interruptible() -> Iterator[threading.Event]:
    """An event that the first Ctrl-C sets, so that no slice is torn; a second one interrupts as usual."""
    stop = threading.Event()
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before in (None, signal.SIG_IGN):
        yield stop
        return

    def on_interrupt(number: int, frame: object) -> None:
        stop.set()
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


def interruptibly(work: Callable[[threading.Event], _R]) -> _R:
    """Call ``work`` with an event that the first Ctrl-C sets, and return what it returns.

    The work is done on a thread of its own, because compiling there does not hold up Ctrl-C. ``UnfinishedError`` if it
    has not returned a moment after Ctrl-C, or at a second one.
    """
    from concurrent.futures import Future, wait  # lazy: most commands do without it

    ended: Future[_R] = Future()

    def attend(stop: threading.Event) -> None:
        try:
            ended.set_result(work(stop))
        except BaseException as error:
            ended.set_exception(error)

    with interruptible() as stop, suppress(KeyboardInterrupt):
        threading.Thread(target=attend, args=(stop,), name="nimdesk-command", daemon=True).start()
        while not stop.is_set() and not ended.done():
            wait([ended], _LOOK_S)
        wait([ended], STOP_S)
    if not ended.done():
        raise UnfinishedError
    return ended.result()


def leave() -> NoReturn:
    """End the program after Ctrl-C, whatever its threads do."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(INTERRUPTED)
