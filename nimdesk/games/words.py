"""Positions in words: whose turn it is, who won and why. The window, the CLI and screen readers share them."""

from nimdesk.games.base import AnyPosition, Move, OutcomeReason, Side
from nimdesk.games.mnk.rules import MnkGame
from nimdesk.games.nim.rules import NimMove


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
    if outcome.winner is None:
        return "Draw: the board is full"
    winner = position.game.side_name(outcome.winner)
    if outcome.reason is OutcomeReason.TOOK_LAST:
        return f"{winner} wins: took the last stick"
    if outcome.reason is OutcomeReason.FORCED_LAST:
        loser = position.game.side_name(outcome.winner.other)
        return f"{winner} wins: {loser} had to take the last stick"
    k = position.game.k if isinstance(position.game, MnkGame) else 0
    return f"{winner} wins: {k} in a row"


def describe_move(move: Move) -> str:
    """Such as "take 3 from pile 2" or "b2"."""
    if isinstance(move, NimMove):
        return f"take {move.take} from pile {move.pile + 1}"
    return move.text


def side_of_ply(ply: int) -> Side:
    """Who plays the move number ``ply`` (the first move is ply 0)."""
    return Side(ply % 2)
