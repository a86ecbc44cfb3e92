"""Positions in words: whose turn it is, who won and why. The window, the CLI and screen readers share them."""

from nimdesk.games.base import AnyPosition, Move


def describe_turn(position: AnyPosition) -> str:
    """Such as "X to move" or "Draw: the board is full"; for a finished game the outcome."""
    if position.outcome is not None:
        return describe_outcome(position)
    return f"{position.game.side_name(position.turn)} to move"


def describe_outcome(position: AnyPosition) -> str:
    """Who won and why, as one phrase; the game must be over."""
    outcome = position.outcome
    if outcome is None:
        raise ValueError(f"{position!r} is not over")
    who = "Draw" if outcome.winner is None else f"{position.game.side_name(outcome.winner)} wins"
    return f"{who}: {outcome.reason}" if outcome.reason else who


def describe_move(move: Move) -> str:
    """Such as "take 3 from pile 2" or "b2"."""
    return move.words
