"""``nimdesk serve`` as a process of its own, asked line by line."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from types import TracebackType
from typing import Any, Self


class Service:
    """The process; in a ``with`` it is ended by the end of its input."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "nimdesk", "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._numbers = itertools.count(1)

    def say(self, line: str) -> dict[str, Any]:
        """Send this line, and read the answer."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        return answer

    def ask(self, method: str, **params: object) -> dict[str, Any]:
        """The result of a question that can be answered."""
        number = next(self._numbers)
        answer = self.say(json.dumps({"id": number, "method": method, "params": params}))
        assert answer["id"] == number
        result: dict[str, Any] = answer["result"]
        return result

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait(30)
        self.process.stdout.close()
