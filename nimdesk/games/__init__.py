"""The rules as people read them: immutable positions, moves, outcomes, notation."""

from nimdesk.games.base import AnyPosition, Game, Move, Outcome, OutcomeReason, Position, Side
from nimdesk.games.mnk.rules import MnkGame, MnkMove, MnkPosition
from nimdesk.games.nim.rules import NimGame, NimMove, NimPosition
from nimdesk.games.notation import parse_game, parse_position
from nimdesk.games.presets import PRESETS, Preset

__all__ = [
    "PRESETS",
    "AnyPosition",
    "Game",
    "MnkGame",
    "MnkMove",
    "MnkPosition",
    "Move",
    "NimGame",
    "NimMove",
    "NimPosition",
    "Outcome",
    "OutcomeReason",
    "Position",
    "Preset",
    "Side",
    "parse_game",
    "parse_position",
]
