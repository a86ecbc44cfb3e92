"""What Nim brings to the window."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from nimdesk.games import AnyPosition, Move, NimMove, NimPosition
from nimdesk.games.truth import Truth
from nimdesk.ui.boards import BoardKit, BoardView

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from nimdesk.ui.boards.forms import PositionForm


class NimKit(BoardKit):
    """Match-sticks, forms for piles, and the theory of nim-sums."""

    tab = "&Nim"

    def new_board(self, position: AnyPosition, parent: QWidget | None = None) -> BoardView:
        from nimdesk.ui.boards.nim.board import NimBoard  # lazy: see BoardKit

        return NimBoard(cast(NimPosition, position), parent)

    def new_game_form(self) -> PositionForm:
        from nimdesk.ui.boards.nim.setup import TypedPiles  # lazy: see BoardKit

        return TypedPiles()

    def position_form(self) -> PositionForm:
        from nimdesk.ui.boards.nim.setup import CountedPiles  # lazy: see BoardKit

        return CountedPiles()

    def theory_html(self, position: AnyPosition, truth: Truth | None, under_way: str, *, other: bool = False) -> str:
        from nimdesk.ui.boards.nim.theory import nim_html  # lazy: see BoardKit

        return nim_html(cast(NimPosition, position), other=other)

    def other_rule(self, position: AnyPosition) -> tuple[str, NimPosition]:
        from nimdesk.ui.boards.nim.theory import other_rule  # lazy: see BoardKit

        nim = cast(NimPosition, position)
        return "normal play" if nim.game.misere else "misère play", other_rule(nim)

    def reason(self, position: AnyPosition, move: Move, truth: Truth) -> str:
        from nimdesk.ui.boards.nim.theory import reason  # lazy: see BoardKit

        return reason(cast(NimPosition, position), cast(NimMove, move))


KIT = NimKit()
