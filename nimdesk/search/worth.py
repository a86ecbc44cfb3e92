"""What a search takes a position for: the score that a side can expect, proven or estimated."""

from __future__ import annotations

from typing import NamedTuple

from nimdesk.games import Side
from nimdesk.games.truth import Value
from nimdesk.search.types import MoveStats, Snapshot


class Worth(NamedTuple):
    """The expected score of the side that began, 0 to 1; ``exact`` where it is proven and no estimate."""

    score: float
    exact: bool

    @classmethod
    def for_side(cls, score: float, side: Side, exact: bool) -> Worth:
        """What is worth so much to this side."""
        return cls(score if side is Side.FIRST else 1.0 - score, exact)

    def of(self, side: Side) -> float:
        """The same for this side."""
        return self.score if side is Side.FIRST else 1.0 - self.score


def worth_of_search(snapshot: Snapshot | None) -> Worth | None:
    """What the position searched is worth, by its proof, or by the move that the search prefers; None if nothing tells.

    What a player by dice makes of it is another matter. What is proven of that move alone is an estimate of the
    position: others may be better.
    """
    if snapshot is None or snapshot.best_move is None:
        return None
    turn, proven = snapshot.position.turn, [each.proven for each in snapshot.moves]
    value = Value.WIN if Value.WIN in proven else snapshot.proven
    if value is not None and value.score is not None:
        return Worth.for_side(value.score, turn, exact=True)
    worth = worth_of_move(snapshot.stats_of(snapshot.leader), turn)
    return None if worth is None else worth._replace(exact=False)


def expected_score(snapshot: Snapshot) -> float:
    """What the position searched is worth to the side to move, 0 to 1; 1/2 where nothing tells."""
    worth = worth_of_search(snapshot)
    return 0.5 if worth is None else worth.of(snapshot.position.turn)


def worth_of_move(stats: MoveStats | None, mover: Side) -> Worth | None:
    """What a search says of a move: what is proven of it, or else the mean of its simulations, with a win and a loss
    added (the rule of succession), since three simulations that were lost do not make a loss.
    """
    if stats is None:
        return None
    if stats.proven is not None and stats.proven.score is not None:
        return Worth.for_side(stats.proven.score, mover, exact=True)
    if stats.mean_value is None:
        return None
    count = stats.visits
    score = (stats.mean_value * count + 1) / (count + 2) if count else stats.mean_value
    return Worth.for_side(score, mover, exact=False)
