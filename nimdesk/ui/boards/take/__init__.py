"""What take-away games bring to the window."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from nimdesk.games import AnyPosition, Move
from nimdesk.games.take.rules import TakeMove, TakePosition
from nimdesk.games.truth import Truth
from nimdesk.ui.boards import BoardKit, BoardView

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget


class TakeKit(BoardKit):
    """Rows of pins or tokens, and the values of the heaps with a chart of them."""

    tab = "Ta&ke-away"

    def new_board(self, position: AnyPosition, parent: QWidget | None = None) -> BoardView:
        from nimdesk.ui.boards.take.board import HeapList, TakeBoard  # lazy: see BoardKit

        take = cast(TakePosition, position)
        return TakeBoard(take, parent) if take.game.is_drawn else HeapList(take, parent)

    def theory_html(self, position: AnyPosition, truth: Truth | None, under_way: str, *, other: bool = False) -> str:
        from nimdesk.ui.boards.take.theory import take_html  # lazy: see BoardKit

        return take_html(cast(TakePosition, position), truth, under_way)

    def reason(self, position: AnyPosition, move: Move, truth: Truth) -> str:
        take = cast(TakePosition, position)
        if take.game.misere:
            return super().reason(position, move, truth)
        from nimdesk.games.take.theory import reason  # lazy: the proof has loaded it

        return reason(take, cast(TakeMove, move))


KIT = TakeKit()
