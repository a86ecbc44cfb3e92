"""What was missed of a search is shown from its trace: each moment as it would have been shown, at an even pace."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import pytest

from nimdesk.agents import make_agent
from nimdesk.games import AnyPosition, parse_position
from nimdesk.play import GameInProgress, Human
from nimdesk.play.catching_up import SWEEP_S, caught_up, moment
from nimdesk.play.moment import BoardLook, Known, Pointer, Search, Sitting
from nimdesk.play.shown import Shown, shown
from nimdesk.play.story import story
from nimdesk.search import Limit, Snapshot

DROP = parse_position("mnk:7,6,4:gravity d1")


def searched(position: AnyPosition, name: str = "mcts", iterations: int = 3000, seed: int = 1) -> Snapshot:
    searcher = make_agent(name, {"iterations": iterations}).new_searcher(position)
    searcher.start(position, seed)
    searcher.advance(Limit())
    return searcher.snapshot()


def watched(snapshot: Snapshot, *, slow_motion_s: float = 1.0) -> Search:
    return Search(snapshot, "The search", slow_motion_s=slow_motion_s)


def moments(search: Search, seen: list[int]) -> list[Search]:
    """Everything that is shown, one picture after the other."""
    missed = caught_up(search, seen)
    return [missed.at((number + 0.5) / 30) for number in range(len(missed) + 1)]


def counts(search: Search, seen: list[int]) -> list[int]:
    return [each.snapshot.iterations for each in moments(search, seen) if each.snapshot is not None]


@pytest.mark.parametrize("name", ["mcts", "uct", "flat"])
def test_a_moment_is_the_search_as_it_was(name: str) -> None:
    position = parse_position("nim:3,4,5") if name == "flat" else DROP
    options = {"playouts": 50} if name == "flat" else {"iterations": 600}
    searcher = make_agent(name, options).new_searcher(position)
    searcher.start(position, 1)
    searcher.advance(Limit())
    whole = searcher.snapshot()
    assert whole.trace is not None
    for row in (0, 5, 40, len(whole.trace) - 2):
        again = make_agent(name, options).new_searcher(position)
        again.start(position, 1)
        again.advance(Limit(iterations=int(whole.trace.iterations[row])))
        then, now = again.snapshot(), moment(whole, row)
        assert now.iterations == then.iterations
        assert [stats.visits for stats in now.moves] == [stats.visits for stats in then.moves]
        assert now.best_move == now.leader == then.best_move
        assert now.playouts == then.playouts
        assert now.stopped is None
        assert now.trace is not None
        assert now.trace.iterations[-1] == now.iterations


def test_a_search_of_which_nothing_was_seen_runs_by_once_evenly_on_the_logarithm() -> None:
    search = watched(searched(DROP))
    missed = caught_up(search, [])
    assert missed.seconds == pytest.approx(SWEEP_S)
    shown = counts(search, [])
    assert shown[0] == 1
    assert shown[-1] == 3000
    assert shown == sorted(shown)
    steps = [math.log(right / left) for left, right in pairwise(shown) if left > 30]
    assert max(steps) < 2 * min(steps)
    assert missed.at(60.0) is search


@pytest.mark.parametrize(
    ("seen", "first"),
    [
        ([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048], None),
        ([1, 358], 1),
        ([1, 3, 10, 30, 50], 50),
        ([3000], 1),
        ([20, 60, 300, 1000], 1),
    ],
)
def test_what_was_seen_is_not_shown_again(seen: list[int], first: int | None) -> None:
    search = watched(searched(DROP))
    shown = counts(search, seen)
    if first is None:
        assert shown == [3000]
    else:
        assert abs(shown[0] - first) <= 0.04 * first
        assert caught_up(search, seen).seconds == pytest.approx(
            SWEEP_S * math.log(3000 / first) / math.log(3000), abs=0.04
        )


def test_nothing_runs_by_without_slow_motion_or_without_a_trace_or_for_some_simulations() -> None:
    snapshot = searched(DROP)
    assert not len(caught_up(watched(snapshot, slow_motion_s=0.0), []))
    assert not len(caught_up(watched(searched(DROP, iterations=8)), []))
    assert not len(caught_up(Search(None, slow_motion_s=1.0), []))
    searcher = make_agent("alphabeta").new_searcher(DROP)
    searcher.start(DROP, 1)
    searcher.advance(Limit())
    assert not len(caught_up(watched(searcher.snapshot()), []))


def test_all_that_is_shown_of_such_a_moment_is_of_the_same_one() -> None:
    game = GameInProgress(DROP, (Human(), make_agent("mcts", {"iterations": 3000})))
    whole = searched(DROP)
    assert whole.best_move is not None
    game.play(whole.best_move, by="MCTS", snapshot=whole)
    kept = game.analysis(2)
    assert kept is not None
    before = GameInProgress(DROP, (Human(), Human()))

    def show(at: GameInProgress, search: Search) -> Shown:
        return shown(Sitting(at), search, Known(), story(at, Known()), BoardLook(), Pointer())

    frames = moments(watched(kept), [])
    assert len(frames) == 31
    for search in frames:
        assert search.snapshot is not None
        count = search.snapshot.iterations
        on_board, after = show(before, search), show(game, search)
        assert on_board.board.searched is on_board.plot.snapshot is after.plot.snapshot is search.snapshot
        assert after.board.searched is None, "the answer is on the board, and the person may move"
        assert after.board.interactive
        assert after.cards[1].state.startswith(f"{count:,} simulation")
        assert after.plot.ended is (None if search is frames[-1] else kept)
    assert show(game, replace(frames[-1], ended=None)) == show(game, watched(kept))
