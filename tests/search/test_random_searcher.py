"""The agent without a thought: legal, fair, and the same for the same seed."""

from collections import Counter

import pytest

from nimdesk.games import parse_position
from nimdesk.search import Limit, Snapshot, StopReason
from nimdesk.search.exact import RandomSearcher


def choice(text: str, seed: int) -> Snapshot:
    searcher = RandomSearcher()
    searcher.start(parse_position(text), seed)
    assert searcher.advance(Limit()) is StopReason.NO_SEARCH
    return searcher.snapshot()


def test_the_same_seed_and_position_give_the_same_legal_move() -> None:
    for text in ("nim:1,3,5,7 2-1", "mnk:7,6,4:gravity d1", "nim:1"):
        for seed in range(20):
            snapshot = choice(text, seed)
            assert snapshot.best_move in parse_position(text).legal_moves
            assert snapshot.best_move == choice(text, seed).best_move
            assert (snapshot.iterations, snapshot.trace, snapshot.total_visits) == (0, None, 0)


def test_all_moves_are_equally_likely_over_seeds() -> None:
    chosen = Counter(choice("mnk:3,3,3 b2", seed).best_move for seed in range(4_000))
    assert len(chosen) == 8
    assert all(abs(count - 500) < 5 * (4_000 / 8 * 7 / 8) ** 0.5 for count in chosen.values())


def test_a_finished_game_is_refused_in_words() -> None:
    with pytest.raises(ValueError, match="the game is over"):
        choice("nim:1 1-1", 0)
