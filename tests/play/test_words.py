"""What is said of a search: its proposal in a sentence."""

from __future__ import annotations

import re

import pytest
from msgspec.structs import replace

from nimdesk.agents import make_agent
from nimdesk.games import parse_position
from nimdesk.limit import Limit
from nimdesk.play.words import proposal
from nimdesk.search import MoveStats, Snapshot, drive


def searched(text: str, name: str, limit: Limit, **options: object) -> Snapshot:
    """A search of this position to its end."""
    searcher = make_agent(name, {"seed": 1, **options}).new_searcher()
    searcher.start(parse_position(text), 1)
    drive(searcher, limit)
    return searcher.snapshot()


@pytest.mark.parametrize(("visits", "told"), [(99, "9.9%"), (100, "10%"), (250, "25%")])
def test_a_hint_tells_small_shares_more_precisely(visits: int, told: str) -> None:
    one, two = parse_position("nim:2").legal_moves
    moves = (MoveStats(one, visits, 0.5), MoveStats(two, 1000 - visits, 0.5))
    snapshot = searched("nim:2", "uct", Limit(iterations=2), iterations=2)
    assert f"({told} of the visits, " in proposal(replace(snapshot, moves=moves, best_move=one))


def test_a_proven_hint_is_no_estimate() -> None:
    snapshot = searched("nim:3,4,5", "mcts", Limit(iterations=100_000))
    assert proposal(snapshot) == "Hint: take 2 from pile 1 (proven: it wins)."


def test_in_a_lost_position_every_move_is_said_to_lose() -> None:
    snapshot = searched("nim:1,3,5,7", "mcts", Limit(iterations=100_000))
    assert re.fullmatch(
        r"Hint: take 1 from pile (\d)\. Every move loses\. \1-1 is one of 4 moves that hold out longest\.",
        proposal(snapshot),
    )
