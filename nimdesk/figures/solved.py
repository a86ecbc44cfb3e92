"""A figure of what is proven: the moves of a position with what each is worth."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nimdesk.figures.content import Content, caption, plot_of
from nimdesk.games.truth import Truth
from nimdesk.games.truth_words import truth_sentence

if TYPE_CHECKING:
    from nimdesk.figures.drawing import Curve


def of_truth(truth: Truth) -> Content:
    """A bar for each move, as long as the score that it is proven to bring; none where that is unknown."""
    scores = [each.value.score or 0.0 for each in truth.moves]
    bars: Curve = {
        "label": "value",
        "x": list(map(float, range(len(scores)))),
        "y": scores,
        "low": [],
        "high": [],
        "faint": False,
    }
    side = truth.position.game.side_name(truth.position.turn)
    plot = plot_of(f"proven score of {side}", "", [bars], (0.0, 1.02))
    plot["rows"] = [f"{each.move.text} ({each.value.value})" for each in truth.moves]
    return Content(
        plot, f"Moves of {truth.position.text}", caption([f"{truth.position.text}: {truth_sentence(truth)}"])
    )
