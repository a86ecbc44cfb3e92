"""What a game was worth at each of its positions, proven or estimated by searches, and where that decided it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from nimdesk.games import AnyPosition, Side
from nimdesk.games.truth import Truth
from nimdesk.play.game import GameInProgress
from nimdesk.play.tree import Ply
from nimdesk.search import Snapshot
from nimdesk.search.worth import Worth, worth_of_move, worth_of_search

_HOPE = 0.4
"""So much more than it got a side must have been able to expect, where it gave the game away."""


class Turn(NamedTuple):
    """The move that decided a game: its number from 1 on, and what its side could expect before it, 0 to 1.

    ``exact`` where that, and what the move left, is proven and no estimate.
    """

    ply: int
    before: float
    exact: bool


def worth_now(position: AnyPosition, snapshot: Snapshot | None, truth: Truth | None) -> Worth | None:
    """What the position is worth: as the game ended, as it is proven, or as the search that is shown estimates it.

    The search may be of the position before: what it says of the move that was played counts then.
    """
    if position.outcome is not None:
        return Worth(position.outcome.score(Side.FIRST), exact=True)
    score = None if truth is None else truth.value.score
    if score is not None:
        return Worth.for_side(score, position.turn, exact=True)
    if snapshot is None or snapshot.position == position:
        return worth_of_search(snapshot)
    before = snapshot.position
    if position.moves[: before.ply] == before.moves and position.ply == before.ply + 1:
        return worth_of_move(snapshot.stats_of(position.moves[-1]), before.turn)
    # Moves were made that the search knew nothing of.
    worth = worth_of_search(snapshot)
    return None if worth is None else worth._replace(exact=False)


def estimates(game: GameInProgress) -> tuple[Worth | None, ...]:
    """What searches said of each position of the game, from the start to the end of its moves.

    A search of the position itself goes before the one that led there; the end of a game is known.
    """
    plies, found = game.plies, list[Worth | None]()
    for cursor, position in enumerate(game.positions):
        outcome = position.outcome
        worth = Worth(outcome.score(Side.FIRST), exact=True) if outcome is not None else None
        if worth is None and cursor < len(plies):
            worth = worth_of_search(plies[cursor].snapshot)
        if worth is None and cursor:
            worth = _after(plies[cursor - 1], Side((cursor - 1) % 2))
        found.append(worth)
    return tuple(found)


def exact_scores(game: GameInProgress, proven: Sequence[Truth | None]) -> tuple[float | None, ...]:
    """The proven score of the side that began, for each position of the game; None where nothing is proven."""
    scores: list[float | None] = []
    for cursor, position in enumerate(game.positions):
        truth = proven[cursor] if cursor < len(proven) else None
        if position.outcome is not None:
            scores.append(position.outcome.score(Side.FIRST))
        elif truth is None or truth.value.score is None:
            scores.append(None)
        else:
            scores.append(Worth.for_side(truth.value.score, position.turn, exact=True).score)
    return tuple(scores)


def known_worths(game: GameInProgress, proven: Sequence[Truth | None]) -> tuple[Worth | None, ...]:
    """What each position of the game is worth: as it is proven, else as searches estimated it."""
    exact = exact_scores(game, proven)
    both = zip(exact, estimates(game), strict=True)
    return tuple(estimate if score is None else Worth(score, exact=True) for score, estimate in both)


def turning_point(worths: Sequence[Worth | None], side: Side) -> Turn | None:
    """The move that decided a finished game for ``side``, which lost it or only drew.

    It is the last move of this side before which it could still hope: expect at least 0.4 of a point more than it got
    in the end. Where all is proven, that is the last move by which it gave a win or a draw away. A game that was lost
    and then won back was not decided yet, however much the first mistake cost.

    ``worths`` are those of all positions of the game, from the start to the end; what is proven of a position has to
    go before an estimate, and None is passed over. None where the side never had such a hope, as far as is known.
    """
    end = worths[-1]
    if end is None:
        return None
    for cursor in reversed(range(len(worths) - 1)):
        worth, after = worths[cursor], worths[cursor + 1]
        if cursor % 2 == side and worth is not None and worth.of(side) >= end.of(side) + _HOPE:
            return Turn(cursor + 1, worth.of(side), worth.exact and after is not None and after.exact)
    return None


def _after(ply: Ply, mover: Side) -> Worth | None:
    """What the search behind a move said of the move that was played."""
    if ply.snapshot is None:
        return None
    return worth_of_move(ply.snapshot.stats_of(ply.move), mover)
