"""The rules as people read them: immutable positions, moves, outcomes, notation; and the registry of all games."""

from nimdesk.games.base import AnyPosition, Game, Move, Outcome, Position, Side
from nimdesk.games.kit import (
    GameKit,
    Preset,
    kernel_of,
    kit_of,
    load_plugin_games,
    parse_game,
    parse_position,
    presets,
    register,
    solved,
    solver_for,
)
from nimdesk.games.mnk.kit import KIT as MNK_KIT
from nimdesk.games.mnk.rules import MnkGame, MnkMove, MnkPosition
from nimdesk.games.nim.kit import KIT as NIM_KIT
from nimdesk.games.nim.rules import NimGame, NimMove, NimPosition
from nimdesk.games.take.kit import KIT as TAKE_KIT

# All that a game of nimdesk's own needs to be known.
register(NIM_KIT)
register(MNK_KIT)
register(TAKE_KIT)

__all__ = [
    "AnyPosition",
    "Game",
    "GameKit",
    "MnkGame",
    "MnkMove",
    "MnkPosition",
    "Move",
    "NimGame",
    "NimMove",
    "NimPosition",
    "Outcome",
    "Position",
    "Preset",
    "Side",
    "kernel_of",
    "kit_of",
    "load_plugin_games",
    "parse_game",
    "parse_position",
    "presets",
    "register",
    "solved",
    "solver_for",
]
