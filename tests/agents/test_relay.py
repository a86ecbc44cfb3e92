"""A search begins in Python at once where its compiled form is not loaded, and is then taken over by that."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from nimdesk import compiler_process
from nimdesk.agents import CATALOGUE, Agent, levels, make_agent
from nimdesk.agents.relay import Relay
from nimdesk.errors import OptionError
from nimdesk.games import parse_position
from nimdesk.limit import Limit
from nimdesk.search.options import UctOptions
from nimdesk.search.textbook.sampling import TextbookUct
from nimdesk.search.uct import UctSearcher

NIM = parse_position("nim:3,4,5")


@pytest.fixture(autouse=True)
def window() -> Iterator[None]:
    compiler_process.begin()
    yield
    compiler_process.end()


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """UCT whose kernel is there only once this event is set."""
    loaded = threading.Event()

    class Slow(UctSearcher):
        def _begin(self) -> None:
            assert loaded.wait(60)
            super()._begin()

    monkeypatch.setitem(CATALOGUE, "uct", replace(CATALOGUE["uct"], make_searcher=Slow))
    return loaded


def passed_on(relay: Relay) -> bool:
    """Wait until the compiled search takes over."""
    for _ in range(6_000):
        if relay.pass_on():
            return True
        threading.Event().wait(0.01)
    return False


def test_what_is_loaded_searches_from_the_start() -> None:
    Agent("uct", UctOptions()).new_searcher(NIM).start(NIM, 0)
    relay = Relay(make_agent("uct"), NIM, 7)
    assert not relay.in_python
    assert isinstance(relay.searcher, UctSearcher)
    assert not relay.pass_on()


def test_until_then_it_is_searched_in_python_and_the_tree_goes_on(slow: threading.Event) -> None:
    relay = Relay(make_agent("uct"), NIM, 7)
    assert isinstance(relay.searcher, TextbookUct)
    assert not relay.pass_on()
    relay.searcher.advance(Limit(150))
    before: Any = relay.searcher.snapshot()
    assert before.iterations == 150
    slow.set()
    assert passed_on(relay)
    after = relay.searcher.snapshot()
    assert (after.iterations, after.moves) == (150, before.moves)
    assert not relay.in_python
    assert not relay.pass_on()


def test_without_a_window_it_waits(slow: threading.Event) -> None:
    compiler_process.end()
    slow.set()
    assert isinstance(Relay(make_agent("uct"), NIM, 7).searcher, UctSearcher)


def test_what_python_cannot_search_waits_for_the_kernel(slow: threading.Event, monkeypatch: pytest.MonkeyPatch) -> None:
    """As playouts by the nim-sum, which are the kernel's alone."""

    def refuse(_options: object) -> TextbookUct:
        raise OptionError("Only the kernel has that.")

    monkeypatch.setitem(CATALOGUE, "uct", replace(CATALOGUE["uct"], make_textbook=refuse))
    threading.Timer(0.3, slow.set).start()
    assert isinstance(Relay(make_agent("uct"), NIM, 7).searcher, UctSearcher)


def test_what_starting_raises_is_raised() -> None:
    with pytest.raises(OptionError, match="Nim"):
        Relay(make_agent("flat-perfect"), parse_position("mnk:3,3,3"), 7)


@pytest.mark.parametrize("level", ["level1", "level2", "level4"])
@pytest.mark.parametrize("text", ["mnk:7,6,4:gravity d1", "nim:3,4,5", "mnk:9,9,5 e5 d5"])
def test_a_level_finds_in_python_what_it_finds_compiled(level: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(levels, "_STAND_IN_S", 60.0)  # however slow the machine is
    position = parse_position(text)
    make_textbook = CATALOGUE[level].make_textbook
    assert make_textbook is not None
    found = []
    for searcher in (make_agent(level).new_searcher(position), make_textbook(make_agent(level).options)):
        searcher.start(position, 3)
        searcher.advance(Limit())
        snapshot = searcher.snapshot()
        found.append((snapshot.iterations, snapshot.moves, snapshot.best_move, snapshot.comment, snapshot.stopped))
    assert found[0] == found[1]
