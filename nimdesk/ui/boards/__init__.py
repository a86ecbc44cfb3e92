"""Boards: one widget for each kind of game, all with the contract of ``base.BoardView``."""

from PySide6.QtWidgets import QWidget

from nimdesk.games import Game, NimGame
from nimdesk.ui.boards.base import BoardView
from nimdesk.ui.boards.mnk_board import MnkBoard
from nimdesk.ui.boards.nim_board import NimBoard
from nimdesk.ui.boards.overlay import OverlayItem
from nimdesk.ui.theme import LIGHT, Theme

__all__ = ["BoardView", "MnkBoard", "NimBoard", "OverlayItem", "board_for"]


def board_for(game: Game, theme: Theme = LIGHT, parent: QWidget | None = None) -> BoardView:
    """A new board for this game, showing its start position."""
    board = NimBoard(theme, parent) if isinstance(game, NimGame) else MnkBoard(theme, parent)
    board.set_position(game.start())
    return board
