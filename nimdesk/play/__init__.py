"""A game in progress and its record: moves, players, search traces, save and load."""

from nimdesk.play.game import GameInProgress, Ply
from nimdesk.play.players import Human, Player, player_from_json, player_title, player_to_json
from nimdesk.play.record import RECORD_SUFFIX, game_text, load_game, save_game

__all__ = [
    "RECORD_SUFFIX",
    "GameInProgress",
    "Human",
    "Player",
    "Ply",
    "game_text",
    "load_game",
    "player_from_json",
    "player_title",
    "player_to_json",
    "save_game",
]
