"""What is proven of the moves, in the words and signs that boards and plots share; an estimate is never among them."""

from __future__ import annotations

from collections.abc import Iterable

from nimdesk.games import AnyPosition, Move
from nimdesk.games.truth import MoveTruth, Truth, Value
from nimdesk.games.truth_words import value_words
from nimdesk.games.words import describe_move

SIGNS = {Value.WIN: "✓", Value.DRAW: "=", Value.LOSS: "✗", Value.UNKNOWN: "?"}

_LISTED = 12


def proven_moves(truth: Truth | None, position: AnyPosition) -> dict[Move, MoveTruth]:
    """What is known of each legal move of this position; empty for the truth of another position."""
    if truth is None or truth.position != position:
        return {}
    return {each.move: each for each in truth.moves}


def short_words(truth: MoveTruth) -> str:
    """Such as "win 5", "draw", "loss 8", "?", for little room; a distance is in plies."""
    if truth.value is Value.UNKNOWN:
        return SIGNS[Value.UNKNOWN]
    return value_words(truth.value, truth.distance).replace(" in ", " ")


def full_words(truth: MoveTruth) -> str:
    """Such as "win in 5", "draw", "loss in 8", "not proven"; a distance is in plies."""
    return "not proven" if truth.value is Value.UNKNOWN else value_words(truth.value, truth.distance)


def winning_moves_words(proven: Iterable[MoveTruth]) -> str:
    """Which moves win, as one or two sentences; and which draw, if none wins."""
    moves = tuple(proven)
    wins = [each for each in moves if each.value is Value.WIN]
    if wins:
        return f"{'Winning move' if len(wins) == 1 else 'Winning moves'}: {_listed(wins)}."
    none = "No move is proven to win." if any(each.value is Value.UNKNOWN for each in moves) else "No move wins."
    draws = [each for each in moves if each.value is Value.DRAW]
    if draws and len(draws) == len(moves) > 1:
        return f"{none} Every move draws."
    return f"{none} {'Drawing move' if len(draws) == 1 else 'Drawing moves'}: {_listed(draws)}." if draws else none


def _listed(moves: list[MoveTruth]) -> str:
    texts = [
        f"{describe_move(each.move)}{f' ({full_words(each)})' if each.value is Value.WIN and each.distance else ''}"
        for each in moves[:_LISTED]
    ]
    more = f" and {len(moves) - _LISTED} more" if len(moves) > _LISTED else ""
    return f"{', '.join(texts)}{more}"
