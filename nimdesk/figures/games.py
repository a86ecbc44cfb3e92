"""A figure of one game: what each of its positions was worth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from nimdesk.errors import OptionError
from nimdesk.figures.content import Content, caption, plot_of
from nimdesk.games import AnyPosition, Side
from nimdesk.search.worth import Worth

if TYPE_CHECKING:
    from nimdesk.figures.drawing import Curve


def of_game(last: AnyPosition, worths: Sequence[Worth | None]) -> Content:
    """The expected score of the side that began, over the moves; proven values have a curve of their own.

    ``OptionError`` where nothing is known of any position.
    """
    if not any(worths):
        raise OptionError("There is nothing to draw: no search and no proof says what the positions were worth.")
    side = last.game.side_name(Side.FIRST)
    x, shown = list(map(float, range(len(worths)))), [math.nan if each is None else each.score for each in worths]
    proven = [each.score if each is not None and each.exact else math.nan for each in worths]
    curves: list[Curve] = [{"label": f"worth to {side}", "x": x, "y": shown, "low": [], "high": [], "faint": False}]
    if not all(map(math.isnan, proven)):
        curves.append({"label": "proven", "x": x, "y": proven, "low": [], "high": [], "faint": False})
    plot = plot_of("moves played", f"expected score of {side}", curves, (-0.02, 1.02))
    notes = [f"{last.text}: what each position was worth to {side}; 1 is a win, ½ a draw, 0 a loss."]
    return Content(plot, "Worth over the moves", caption(notes))
