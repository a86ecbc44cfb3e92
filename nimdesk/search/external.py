"""A search whose move comes from another process, which nimdesk can end at any moment."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import NoReturn

from nimdesk.errors import AgentError, NimdeskError, quoted
from nimdesk.games import AnyPosition, Move
from nimdesk.limit import Limit
from nimdesk.plugins.process import INTRODUCTION_S, Answer, HostError, HostPool, HostProcess, Ready
from nimdesk.search.types import MoveStats, Snapshot, StopReason

_SLICE_S = 0.015


class ExternalSearcher:
    """A search whose move comes from another process, within ``time_s`` seconds of its being ready.

    Whatever goes wrong, ``advance`` ends the process and raises ``AgentError`` with one sentence that names the agent.
    The process also ends when the searcher is closed or dropped before its move.
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
        self._elapsed_s = 0.0
        self._asked_at: float | None = None
        try:
            self._host = self._pool.take()
            if self._host.ready:
                self._ask(self._host)
        except HostError as error:
            self._fail(str(error))

    def advance(self, limit: Limit) -> StopReason | None:
        """Wait for the move: at most 15 ms if ``limit`` has a time, and not at all once that has passed."""
        if self._choice is not None:
            return StopReason.NO_SEARCH
        if self._host is None:
            raise ValueError("start the search before it can advance")
        while True:
            left_s = _SLICE_S if limit.time_s is None else min(_SLICE_S, limit.time_s - self._elapsed_s)
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
        host.ask({"position": self._position.text, "options": self._options, "seed": self._seed})
        self._asked_at = time.monotonic()

    def _take(self, host: HostProcess, message: Ready | Answer) -> None:
        """Handle one line from the process."""
        if isinstance(message, Ready):
            self._ask(host)
            return
        assert self._asked_at is not None
        self._elapsed_s = time.monotonic() - self._asked_at
        try:
            self._choice = self._position.parse_move(message.text)
        except NimdeskError as error:
            raise HostError(f"gave no move that can be played: {error}") from None
        self._host = None
        self._pool.give_back(host)

    def _check_time(self, host: HostProcess) -> None:
        if self._asked_at is None:
            if host.late:
                self._fail(f"was not loaded within {INTRODUCTION_S:g} s")
        else:
            self._elapsed_s = time.monotonic() - self._asked_at
            if self._elapsed_s > self._time_s:
                self._fail(f"gave no move within {self._time_s:g} s")

    def _fail(self, clause: str) -> NoReturn:
        self.close()
        raise AgentError(f"The agent {quoted(self._title)} {clause.rstrip('.')}.") from None
