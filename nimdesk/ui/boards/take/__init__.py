"""What take-away games bring to the window: the plain board serves them; the theory page shows the Grundy values."""

from __future__ import annotations

from typing import cast

from nimdesk.games import AnyPosition, Move
from nimdesk.games.take.rules import TakeMove, TakePosition
from nimdesk.games.truth import Truth
from nimdesk.ui.boards import BoardKit


class TakeKit(BoardKit):
    """The values of the heaps, and a chart of them."""

    tab = "Ta&ke-away"

    def theory_html(self, position: AnyPosition, truth: Truth | None, sentence: str, *, other: bool = False) -> str:
        from nimdesk.ui.boards.take.theory import take_html  # lazy: see BoardKit

        return take_html(cast(TakePosition, position), truth, sentence)

    def reason(self, position: AnyPosition, move: Move, truth: Truth) -> str:
        take = cast(TakePosition, position)
        if take.game.misere:
            return super().reason(position, move, truth)
        from nimdesk.games.take.theory import reason  # lazy: the proof has loaded it

        return reason(take, cast(TakeMove, move))


KIT = TakeKit()
