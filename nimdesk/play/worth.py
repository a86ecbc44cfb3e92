"""What a game was worth at each of its positions, as searches estimated it and as far as it is proven."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from nimdesk.games import AnyPosition, Side
from nimdesk.games.truth import Truth, Value
from nimdesk.play.game import GameInProgress
from nimdesk.play.tree import Ply
from nimdesk.search import Snapshot
from nimdesk.search.types import MoveStats

_EVEN = 0.4
"""An estimated score from here on counts as not lost."""


class Worth(NamedTuple):
    """The expected score of the side that began, 0 to 1; ``exact`` where it is proven and no estimate."""

    score: float
    exact: bool

    def of(self, side: Side) -> float:
        """The same for this side."""
        return self.score if side is Side.FIRST else 1.0 - self.score


class Turn(NamedTuple):
    """The move that decided a game: its number from 1 on, what had been there before, and what to play instead."""

    ply: int
    before: Value
    better: str
    exact: bool


def worth_of_search(snapshot: Snapshot | None) -> Worth | None:
    """What the search's best move is worth; None where it estimates no scores."""
    if snapshot is None or snapshot.best_move is None:
        return None
    worth = _worth(snapshot.stats_of(snapshot.best_move), snapshot.position.turn)
    proven = [each.proven for each in snapshot.moves]
    if worth is not None and worth.exact and Value.WIN not in proven and None in proven:
        # The best move is proven to lose, or to draw; the position may still be better.
        return worth._replace(exact=False)
    return worth


def worth_now(position: AnyPosition, snapshot: Snapshot | None, truth: Truth | None) -> Worth | None:
    """What the position is worth: as the game ended, as it is proven, or as the search that is shown estimates it."""
    if position.outcome is not None:
        return Worth(position.outcome.score(Side.FIRST), exact=True)
    score = None if truth is None else truth.value.score
    if score is not None:
        return Worth(score if position.turn is Side.FIRST else 1.0 - score, exact=True)
    return worth_of_search(snapshot)


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
            scores.append(truth.value.score if position.turn is Side.FIRST else 1.0 - truth.value.score)
    return tuple(scores)


def turning_point(game: GameInProgress, loser: Side, proven: Sequence[Truth | None]) -> Turn | None:
    """The last move by which ``loser`` gave something away: as it is proven, or else as the searches estimated it.

    None where neither tells of such a move.
    """
    return _proven_turn(game, loser, proven) or _estimated_turn(game, loser)


def lost_from_the_start(game: GameInProgress, loser: Side, proven: Sequence[Truth | None]) -> bool:
    """Whether the first position of the game is proven to be lost for this side."""
    scores = exact_scores(game, proven[:1])
    return scores[0] == (0.0 if loser is Side.FIRST else 1.0)


def _proven_turn(game: GameInProgress, loser: Side, proven: Sequence[Truth | None]) -> Turn | None:
    for ply in range(len(game.plies), 0, -1):
        truth = proven[ply - 1] if ply - 1 < len(proven) else None
        if (ply - 1) % 2 != loser or truth is None:
            continue
        played = truth.of(game.plies[ply - 1].move)
        if Value.UNKNOWN in (truth.value, played.value):
            return None  # what came before is no better known
        if played.value is not truth.value:
            return Turn(ply, truth.value, truth.best_moves[0].text, exact=True)
    return None


def _estimated_turn(game: GameInProgress, loser: Side) -> Turn | None:
    scores = [None if worth is None else worth.of(loser) for worth in estimates(game)]
    known = [(cursor, score) for cursor, score in enumerate(scores) if score is not None]
    good = next((cursor for cursor, score in reversed(known) if score >= _EVEN), None)
    if good is None or good >= len(game.plies):
        return None
    # The move that was played there, or the next one if it was the winner's turn.
    ply = good + 1 if good % 2 == loser else good + 2
    return Turn(ply, Value.DRAW, "", exact=False) if ply <= len(game.plies) else None


def _after(ply: Ply, mover: Side) -> Worth | None:
    """What the search behind a move said of the move that was played."""
    if ply.snapshot is None:
        return None
    return _worth(ply.snapshot.stats_of(ply.move), mover)


def _worth(stats: MoveStats | None, mover: Side) -> Worth | None:
    if stats is None:
        return None
    proven = stats.proven.score if stats.proven is not None else None
    score = stats.mean_value if proven is None else proven
    if score is None:
        return None
    return Worth(score if mover is Side.FIRST else 1.0 - score, exact=proven is not None)
