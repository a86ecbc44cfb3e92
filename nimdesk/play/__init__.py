"""A game in progress and its record: moves, players, search traces, save and load.

``nimdesk.play.record`` is not imported here: the window paints without it.
"""

from nimdesk.play.game import (
    RECORD_SUFFIX,
    Awaited,
    Forfeit,
    GameInProgress,
    Human,
    Player,
    Pruned,
    begins_quiet,
    first_opponent,
    opponent,
    player_from_json,
    player_title,
    player_to_json,
)
from nimdesk.play.tree import Node, Ply

__all__ = [
    "RECORD_SUFFIX",
    "Awaited",
    "Forfeit",
    "GameInProgress",
    "Human",
    "Node",
    "Player",
    "Ply",
    "Pruned",
    "begins_quiet",
    "first_opponent",
    "opponent",
    "player_from_json",
    "player_title",
    "player_to_json",
]
