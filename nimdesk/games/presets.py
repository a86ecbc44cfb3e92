"""The well-known set-ups that the new-game dialog and ``nimdesk games`` offer."""

import msgspec

from nimdesk.games.base import Game
from nimdesk.games.mnk.rules import MnkGame
from nimdesk.games.nim.rules import NimGame


class Preset(msgspec.Struct, frozen=True):
    """A set-up with the name people know it by and one sentence about it."""

    name: str
    game: Game
    about: str


PRESETS: tuple[Preset, ...] = (
    Preset("1-3-5-7", NimGame((1, 3, 5, 7)), "The pyramid of the films; the second player can win."),
    Preset("3-4-5", NimGame((3, 4, 5)), "Twelve first moves, and only one of them wins."),
    Preset("21, take 1–3", NimGame((21,), max_take=3), "One pile; leave your opponent a multiple of four."),
    Preset("Tic-tac-toe", MnkGame(3, 3, 3), "Three in a row on 3 × 3; a draw if both play well."),
    Preset("4 × 4", MnkGame(4, 4, 4), "Four in a row on 4 × 4; a draw."),
    Preset("5,5,4", MnkGame(5, 5, 4), "Four in a row on 5 × 5; a draw, but easy to lose."),
    Preset("Gomoku", MnkGame(15, 15, 5), "Five in a row on 15 × 15; the first player can win."),
    Preset("Connect Four", MnkGame(7, 6, 4, gravity=True), "Four in a row with dropping marks on 7 × 6."),
)
