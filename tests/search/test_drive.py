"""The loop that everybody drives a search with: it ends where it should, shows what happens, and can be stopped."""

import threading

from nimdesk.agents import make_agent
from nimdesk.games import parse_position
from nimdesk.search import Limit, Searcher, Snapshot, StopReason, drive


def started(name: str = "uct", **options: object) -> Searcher:
    searcher = make_agent(name, options).new_searcher()
    searcher.start(parse_position("mnk:5,5,4"), 1)
    return searcher


def test_a_search_is_driven_to_its_own_end() -> None:
    searcher = started(iterations=500)
    assert drive(searcher) is StopReason.ITERATIONS
    assert searcher.snapshot().iterations == 500


def test_a_limit_ends_it_before_and_a_later_one_goes_on() -> None:
    searcher = started(iterations=500)
    assert drive(searcher, Limit(iterations=123)) is StopReason.ITERATIONS
    assert searcher.snapshot().iterations == 123
    assert drive(searcher, Limit(nodes=300)) is StopReason.NODES
    assert searcher.snapshot().tree_nodes == 300
    assert drive(searcher) is StopReason.ITERATIONS


def test_so_does_a_limit_in_seconds() -> None:
    searcher = started(iterations=None, time_s=1000.0)
    assert drive(searcher, Limit(time_s=0.03), slice_s=0.01) is StopReason.TIME
    assert 0.03 <= searcher.snapshot().elapsed_s < 1.0


def test_slices_change_no_result() -> None:
    whole, sliced = started(iterations=30_000), started(iterations=30_000)
    drive(whole)
    drive(sliced, slice_s=0.001)
    assert whole.snapshot().moves == sliced.snapshot().moves


def test_it_shows_what_happens_and_stops_when_told_to() -> None:
    stop, seen = threading.Event(), list[Snapshot]()

    def watch(snapshot: Snapshot) -> None:
        seen.append(snapshot)
        if len(seen) == 3:
            stop.set()

    assert drive(started(iterations=None, time_s=1000.0), stop=stop, on_snapshot=watch, slice_s=0.002) is None
    assert len(seen) == 3
    assert 0 < seen[0].iterations <= seen[1].iterations <= seen[2].iterations
    assert drive(started(), stop=stop) is None, "told before it began"
