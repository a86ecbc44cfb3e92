"""Lines on standard input, each with the time when it came: whose clock runs from then on need not be loaded yet."""

from __future__ import annotations

import sys
import threading
import time
from functools import cache
from queue import SimpleQueue

_LONGEST = 1000


class Lines:
    """The lines before END or the end of the input, heard by a thread from now on; ``ended`` is set as that comes."""

    def __init__(self) -> None:
        self.ended = threading.Event()
        self._heard: SimpleQueue[tuple[str, float] | None] = SimpleQueue()
        threading.Thread(target=self._listen, name="nimdesk-lines", daemon=True).start()

    def next(self) -> tuple[str, float] | None:
        """The next line, and when it came by ``time.monotonic``; None at the end. Waits for it."""
        return self._heard.get()

    def none_waits(self) -> bool:
        """Whether all lines that have come are taken."""
        return self._heard.empty()

    def _listen(self) -> None:
        # Without a buffer, whose lock would keep the program from ending.
        with open(sys.stdin.fileno(), "rb", buffering=0, closefd=False) as lines:
            for data in lines:
                line = data[:_LONGEST].decode(errors="replace")
                if line.strip().upper() == "END":
                    break
                self._heard.put((line, time.monotonic()))
        self.ended.set()
        self._heard.put(None)


@cache
def listen() -> Lines:
    """Those of this process; the first call begins to listen."""
    return Lines()
