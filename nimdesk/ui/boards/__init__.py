"""Boards: one widget for each kind of game, all with the contract of ``base.BoardView``."""

from PySide6.QtWidgets import QWidget

from nimdesk.games import Game, NimGame
from nimdesk.ui.boards.base import BoardView
from nimdesk.ui.boards.overlay import OverlayItem
from nimdesk.ui.look.theme import LIGHT, Theme

__all__ = ["BoardView", "OverlayItem", "board_for"]


def board_for(game: Game, theme: Theme = LIGHT, parent: QWidget | None = None) -> BoardView:
    """A new board for this game, showing its start position."""
    board = _empty_board(game, theme, parent)
    board.set_position(game.start())
    return board


def _empty_board(game: Game, theme: Theme, parent: QWidget | None) -> BoardView:
    # Each kind is loaded when it is first wanted: the window paints without the other.
    if isinstance(game, NimGame):
        from nimdesk.ui.boards.nim_board import NimBoard

        return NimBoard(theme, parent)
    from nimdesk.ui.boards.mnk_board import MnkBoard

    return MnkBoard(theme, parent)
