"""How a move's line looks: its own colour always; its dashes and strength say what is proven, while that is shown."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from nimdesk.games.truth import Value
from nimdesk.ui.look.theme import Theme, dash

_DASHES = {
    Value.WIN: Qt.PenStyle.SolidLine,
    Value.DRAW: Qt.PenStyle.DashDotLine,
    Value.LOSS: Qt.PenStyle.DashLine,
    Value.UNKNOWN: Qt.PenStyle.DotLine,
}
_STRENGTHS = {Value.WIN: 255, Value.DRAW: 230, Value.LOSS: 230, Value.UNKNOWN: 230}
"""Of 255. Colours that are blended with the ground come nearer to each other: little of that, even where a line loses;
that it is thin and dashed sets it back."""
_MUTED = 130

KEYS = {
    Value.WIN: "solid wins",
    Value.DRAW: "dash-dotted draws",
    Value.LOSS: "thin and dashed loses",
    Value.UNKNOWN: "dotted is not proven",
}


def line_color(theme: Theme, style: int, value: Value | None) -> QColor:
    """The colour of the line with this style (-1: a move without one), fainter where it is proven to lose."""
    color = theme.curve(style) if style >= 0 else theme.color("muted")
    strength = 255 if value is None else _STRENGTHS[value]
    color.setAlpha(strength if style >= 0 or value is Value.WIN else min(strength, _MUTED))
    return color


def line_dash(theme: Theme, style: int, value: Value | None) -> Qt.PenStyle:
    """The dashes of the line: what is proven (``value``), else what tells it from the others of its colour."""
    if value is not None:
        return _DASHES[value]
    return dash(theme, style) if style >= 0 else Qt.PenStyle.SolidLine
