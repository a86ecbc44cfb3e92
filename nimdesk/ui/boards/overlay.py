"""The overlay: how the visits of a search spread over the moves, as numbers to be drawn."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from PySide6.QtGui import QColor

from nimdesk.games import Move
from nimdesk.search import Snapshot
from nimdesk.ui.look.move_marks import MoveColors
from nimdesk.ui.look.theme import LOOK

OVERLAY_STYLES = ("share", "visits", "value", "none")


class OverlayItem(msgspec.Struct, frozen=True):
    """What a board draws for one root move while (or after) the computer thinks.

    ``share`` is the move's share of the visits, 0 to 1; ``color`` is the colour of its curve; ``leader`` marks the most
    visited move. ``mean_value`` is from the view of the side to move, None before the first visit.
    """

    share: float
    visits: int
    mean_value: float | None
    color: QColor
    leader: bool


def overlay_of(snapshot: Snapshot | None, colors: MoveColors) -> dict[Move, OverlayItem] | None:
    """The overlay of this search, in the colours of its curves; None before the first visit."""
    total = snapshot.total_visits if snapshot is not None else 0
    if snapshot is None or not total:
        return None
    theme, items = LOOK.theme, dict[Move, OverlayItem]()
    muted, wheel = theme.color("muted"), [theme.curve(index) for index in range(len(theme.curves))]
    styles, best = colors.indices, snapshot.best_move
    for stats in snapshot.moves:
        if visits := stats.visits:
            move = stats.move
            index = styles.get(move)
            color = muted if index is None else wheel[index % len(wheel)]
            items[move] = OverlayItem(visits / total, visits, stats.mean_value, color, move == best)
    return items


def number_text(item: OverlayItem, style: str) -> str:
    """The number that the overlay shows for a move; empty when it shows none."""
    if style == "share":
        percent = item.share * 100
        return f"{percent:.0f}%" if percent >= 0.5 or item.visits == 0 else "<1%"
    if style == "visits":
        return short_count(item.visits)
    if style == "value":
        return "–" if item.mean_value is None else f"{item.mean_value:.2f}"
    return ""


def short_count(count: int) -> str:
    """A count in at most four characters or so: 950, 1.2k, 34k, 5.6M."""
    value = float(count)
    for unit in ("", "k", "M", "G"):
        if value < 999.5 or unit == "G":
            break
        value /= 1000
    return f"{value:.1f}{unit}" if unit and value < 9.95 else f"{value:.0f}{unit}"


def full_share(items: Iterable[OverlayItem], moves: int) -> float:
    """The share that fills its bar or disc: the leader's, but while all are alike more than any has."""
    leader = max((item.share for item in items), default=0.0)
    return max(leader, min(1.0, 2.5 / max(1, moves)), 1e-9)
