"""What m,n,k games bring to the window."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from nimdesk.games import AnyPosition, MnkPosition
from nimdesk.ui.boards import BoardKit, BoardView

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from nimdesk.games.truth import Truth
    from nimdesk.ui.boards.forms import PositionForm


class MnkKit(BoardKit):
    """A grid with marks, and forms for its size and for marks on it."""

    tab = "&m,n,k"

    def new_board(self, position: AnyPosition, parent: QWidget | None = None) -> BoardView:
        from nimdesk.ui.boards.mnk.board import MnkBoard  # lazy: see BoardKit

        return MnkBoard(cast(MnkPosition, position), parent)

    def new_game_form(self) -> PositionForm:
        from nimdesk.ui.boards.mnk.setup import SizeForm  # lazy: see BoardKit

        return SizeForm()

    def position_form(self) -> PositionForm:
        from nimdesk.ui.boards.mnk.setup import MarksForm  # lazy: see BoardKit

        return MarksForm()

    def theory_html(self, position: AnyPosition, truth: Truth | None, under_way: str, *, other: bool = False) -> str:
        from nimdesk.ui.boards.mnk.theory import mnk_html  # lazy: see BoardKit

        return mnk_html(cast(MnkPosition, position), truth, under_way)


KIT = MnkKit()
