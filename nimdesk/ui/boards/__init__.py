"""Boards: what each game brings to be seen and set up in the window, and a plain board for the games without."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from nimdesk.games import AnyPosition, Game, GameKit, Move, kit_of
from nimdesk.games.truth import Truth
from nimdesk.ui.boards.base import BoardView
from nimdesk.ui.boards.overlay import OverlayItem

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from nimdesk.ui.boards.forms import PositionForm

__all__ = ["BoardKit", "BoardView", "OverlayItem", "board_for", "board_kit"]


class BoardKit:
    """What a game brings to the window beside its rules; this one serves every game, and others replace its parts.

    Each part is loaded when it is first wanted: the window is painted without the other boards, and without forms.
    """

    tab = ""
    """What the tabs of dialogs call the game, with the key that leads there; "" for its name."""

    def new_board(self, position: AnyPosition, parent: QWidget | None = None) -> BoardView:
        """A board that shows this position."""
        from nimdesk.ui.boards.plain import PlainBoard  # lazy: see the class

        return PlainBoard(position, parent)

    def new_game_form(self) -> PositionForm | None:
        """A form for the parameters of the game; None: its notation is typed."""
        return None

    def position_form(self) -> PositionForm | None:
        """A form for any position of the game; None: its notation is typed."""
        return None

    def theory_html(self, position: AnyPosition, truth: Truth | None, sentence: str, *, other: bool = False) -> str:
        """What is proven of the position and why, as a page; links ``move:<text>`` name its moves.

        ``sentence`` says how far the proof is while ``truth`` is not complete; ``other`` is for the ``other_rule``,
        and a link ``rule:other`` goes there.
        """
        from nimdesk.ui.boards.theory import proof_html  # lazy: see the class

        return proof_html(position, truth, sentence)

    def other_rule(self, position: AnyPosition) -> tuple[str, AnyPosition] | None:
        """A rule to compare with, such as "misère play", and the same position under it; None where there is none."""
        return None

    def reason(self, position: AnyPosition, move: Move, truth: Truth) -> str:
        """Why the move is worth what it is, as a clause."""
        from nimdesk.ui.boards.theory import proven_reason  # lazy: see the class

        return proven_reason(position, move, truth)


_PLAIN = BoardKit()


def board_kit(game: Game | GameKit) -> BoardKit:
    """What this game brings to the window (``GameKit.board``); what serves every game where it brings nothing."""
    reference = (game if isinstance(game, GameKit) else kit_of(game)).board
    if not reference:
        return _PLAIN
    module, _, attribute = reference.partition(":")
    found = getattr(import_module(module), attribute)
    if not isinstance(found, BoardKit):
        raise TypeError(f"“{reference}” is not a BoardKit")
    return found


def board_for(game: Game, parent: QWidget | None = None) -> BoardView:
    """A new board for this game, showing its start position."""
    return board_kit(game).new_board(game.start(), parent)
