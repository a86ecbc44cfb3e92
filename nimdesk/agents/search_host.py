"""The process of a search of another package: a generator, which is asked to go on as the protocol has it.

``nimdesk.plugins.protocol`` says in which lines. A search is a function, or the method ``search`` of an object, that
takes a position, options and a seed, and yields a ``Checkpoint`` as often as it likes.
"""

from __future__ import annotations

import faulthandler
import random
import time
from collections.abc import Iterator

import msgspec

from nimdesk.agents.checkpoint import Checkpoint
from nimdesk.agents.plugin_host import FaultError, fault, loaded
from nimdesk.agents.plugin_options import SearchOptions
from nimdesk.agents.search_plugin import Search
from nimdesk.faults import one_line
from nimdesk.games import AnyPosition, parse_position
from nimdesk.plugins.games import load_game
from nimdesk.plugins.protocol import ASKED, Best, Error, Go, Position, Quit
from nimdesk.plugins.side import Conversation, limit_memory

_LONGEST = 1000


def main(reference: str) -> None:
    """Serve the search that ``reference`` names (``package.module:attribute``) until nimdesk has had enough."""
    conversation = Conversation()
    faulthandler.enable()  # a crash says where, for the author
    limit_memory(SearchOptions().memory_mb)
    try:
        search = loaded(reference)
        if not isinstance(search, Search):
            raise FaultError("is no search any more: it has no method search(position, options, seed)")
        conversation.say(msgspec.json.encode(search.greeting))
        _Serving(search, conversation).serve()
    except FaultError as wrong:
        conversation.say(msgspec.json.encode(Error(why=str(wrong)[:_LONGEST])))


class _Serving:
    """Answers one message after the other."""

    def __init__(self, search: Search, conversation: Conversation) -> None:
        self._search, self._conversation = search, conversation
        self._position: AnyPosition | None = None
        self._running: Iterator[object] | None = None
        self._newest: Checkpoint | None = None
        self._over = False

    def serve(self) -> None:
        while True:
            message = ASKED.decode(self._conversation.hear())
            if isinstance(message, Quit):
                return
            if isinstance(message, Position):
                self._begin(message)
            elif isinstance(message, Go):
                self._go(message)

    def _begin(self, asked: Position) -> None:
        load_game(asked.game.partition(":")[0], trusted=True)
        self._position, self._running, self._newest, self._over = parse_position(asked.text), None, None, False
        limit_memory(int(asked.options.get("memory_mb", SearchOptions().memory_mb)))
        fields = self._search.options_type.__struct_fields__
        known = {name: value for name, value in asked.options.items() if name in fields}
        try:
            self._options = msgspec.convert(known, self._search.options_type)
        except msgspec.ValidationError as error:
            raise FaultError(f"refused its options: {one_line(error)}") from None

    def _go(self, go: Go) -> None:
        position = self._position
        if position is None:
            raise FaultError("was to search no position")
        try:
            if self._running is None:
                random.seed(go.seed)
                self._running = self._search.generate(position, self._options, go.seed)
            until = time.monotonic() + go.time_ms / 1_000 if go.time_ms is not None else None
            while not self._over and not self._far_enough(go, until) and not self._stopped():
                newest = next(self._running, None)
                if newest is None:
                    self._over = True
                elif isinstance(newest, Checkpoint):
                    self._newest = newest
                else:
                    raise FaultError(f"yielded {one_line(newest, repr, longest=60)} instead of a Checkpoint")
        except FaultError:
            raise
        except BaseException as error:
            raise fault("failed while it searched:", error) from None
        self._answer(position, go)

    def _far_enough(self, go: Go, until: float | None) -> bool:
        newest = self._newest
        if newest is None:
            return False
        return (
            (go.iterations is not None and newest.iterations >= go.iterations)
            or (go.nodes is not None and (newest.nodes or 0) >= go.nodes)
            or (until is not None and time.monotonic() >= until)
        )

    def _stopped(self) -> bool:
        """Whether it was told to stop; nothing else is said while a ``go`` is under way."""
        return self._newest is not None and self._conversation.waiting

    def _answer(self, position: AnyPosition, go: Go) -> None:
        if self._newest is None:
            raise FaultError("ended without a checkpoint")
        try:
            told = self._newest.told(position, go.tree)
        except Exception as error:
            raise FaultError(f"yielded a checkpoint that cannot be told: {one_line(error, longest=120)}") from None
        self._conversation.say(msgspec.json.encode(told))
        self._conversation.say(msgspec.json.encode(Best(move=told.best, finished=self._over)))
