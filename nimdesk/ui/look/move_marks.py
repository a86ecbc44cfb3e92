"""How a move is marked on boards and in plots alike: the style of its curve, and what is proven of it.

What is proven is told in words, signs and marks; an estimate is never among them. A filled badge wins, a ringed one
draws, a bare cross loses, a question mark is open. Shape and weight tell them apart before colour does. They are drawn
as lines, not as letters, so that they look alike whatever the fonts.

Loads neither numpy nor pyqtgraph, so that the boards can use it before the first paint.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import count as count_up
from typing import NamedTuple, TypeAlias

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPainterPath, QPen

from nimdesk.games import AnyPosition, Move
from nimdesk.games.base import describe_move
from nimdesk.games.truth import MoveTruth, Truth, Value
from nimdesk.games.truth_words import told, value_words
from nimdesk.search.types import Snapshot, Trace
from nimdesk.ui.look.painting import faded, sized, text_width
from nimdesk.ui.look.theme import LOOK

TOP = 12
"""How many styles have colours of their own: as many as a theme has."""

NAMED = 5
"""How many moves, the leader and its rivals by their visits, have names and colours in a plot whatever happened."""
_OPTIMAL = 3
"""How many optimal moves more, at most, where what is proven is shown."""


class Marked(NamedTuple):
    """The moves of a search that stand out; all others are one grey bundle."""

    named: tuple[Move, ...]
    """Those with a name and a colour: the leader, its rivals, the move that was played, and optimal ones."""
    colored: tuple[Move, ...]
    """Those, and the moves that led the search at some time, with a colour."""


def _led(trace: Trace | None) -> list[Move]:
    """The moves that the search preferred at some time, and had come back to: the longest ahead first."""
    if trace is None or not len(trace):
        return []
    choice = trace.choice.tolist()
    visits = trace.visits[list(range(len(choice))), choice].tolist()
    times = Counter(column for column, count in zip(choice, visits, strict=True) if count > 1 and column >= 0)
    return [trace.moves[column] for column, _ in times.most_common()]


_Heard: TypeAlias = tuple[tuple[object, ...], int]
"""A search and its iterations. The snapshot itself would keep memory that others are free to drop."""


def _heard(snapshot: Snapshot) -> _Heard:
    return (snapshot.position, snapshot.position.moves, snapshot.agent, snapshot.seed), snapshot.iterations


def _goes_on(before: _Heard | None, now: _Heard | None) -> bool:
    """Whether the search that was heard of before, if there was one, is the same one now, as far or farther."""
    return before is None or (now is not None and now[0] == before[0] and now[1] >= before[1])


class MoveColors:
    """Gives each root move of the searches of a position a stable style index, which never changes while they go on.

    An index stands for ``theme.curve(index)`` and ``theme.dash(theme, index)``. Games with at most ``TOP`` legal moves
    are numbered in legal order. In larger ones a move gets an index at the first checkpoint at which it leads, or is
    among the ``NAMED`` most visited; its colour differs from those of the other moves named then. For one search this
    depends on its trace alone, not on how often the screen was drawn: looking at it again, when it is finished, gives
    the same colours. Only moves that are known to be optimal come later. Searches side by side share the indices, so
    that a move has one in all of them; which one then also depends on which search came to its move first.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget everything: the next ``update`` begins anew."""
        self._indices: dict[Move, int] = {}
        self._searches: list[_Heard | None] = []
        """The searches, and how far they were when ``update`` last heard of them."""
        self._rows: list[int] = []
        """How many rows of the trace of each are read."""

    @property
    def indices(self) -> Mapping[Move, int]:
        """The style of each move that has one."""
        return self._indices

    def index(self, move: Move) -> int | None:
        """The style of this move, or None if it never was among the top moves (draw it muted)."""
        return self._indices.get(move)

    def marked(self, snapshot: Snapshot, truth: Truth | None = None) -> Marked:
        """The moves that stand out in this search, the last of which ``update`` has heard; optimal ones get a colour.

        There are at most ``TOP`` colours in one plot.
        """
        leader, played = snapshot.leader, snapshot.best_move if snapshot.stopped is not None else None
        ranked = sorted(snapshot.moves, key=lambda each: (each.move != leader, -each.visits))
        named = [stats.move for stats in ranked[:NAMED] if stats.visits or stats.move == leader]
        if named and played is not None and played not in named:
            named.append(played)
        optimal = optimal_moves(truth, snapshot.position)
        more = [stats.move for stats in ranked if stats.move in optimal and stats.move not in named][:_OPTIMAL]
        named += more
        self._enter(more, beside=named)
        return Marked(tuple(named), tuple(dict.fromkeys([*named, *_led(snapshot.trace)]))[:TOP])

    def update(self, *searches: Snapshot | None) -> None:
        """Give styles to the moves that entered the top of these searches since the last call.

        They are of one position; None stands for one without results yet. If one of those before is another one now,
        begin anew.
        """
        heard = [None if each is None else _heard(each) for each in searches]
        if not all(map(_goes_on, self._searches, heard)):
            self.reset()
        self._searches = heard
        self._rows = [*self._rows, *[0] * len(searches)][: len(searches)]
        for number, snapshot in enumerate(searches):
            if snapshot is not None and len(snapshot.moves) <= TOP:
                self._indices = {stats.move: index for index, stats in enumerate(snapshot.moves)}
            elif snapshot is not None:
                self._read_trace(number, snapshot)
                if snapshot.stopped is not None:
                    self._add_all(snapshot)

    def _read_trace(self, number: int, snapshot: Snapshot) -> None:
        trace = snapshot.trace
        if trace is None:
            return
        # The last row of a running search is the live one: the next snapshot may no longer have it.
        rows = len(trace) if snapshot.stopped is not None else len(trace) - 1
        first = self._rows[number]
        if rows <= first:
            return
        self._rows[number] = rows
        # Until every move was tried twice, the most visited moves are just those that were tried first.
        needed = 2 * len(trace.moves)
        iterations = trace.iterations[first:rows].tolist()
        ranked = (-trace.visits[first:rows].astype("int64")).argsort(axis=1, kind="stable")[:, :NAMED]
        led = trace.choice[first:rows]
        for row, (count, best, choice) in enumerate(zip(iterations, ranked.tolist(), led.tolist(), strict=True)):
            if count >= needed:
                self._enter_with(trace.moves[choice], [trace.moves[column] for column in best])
            elif trace.visits[first + row, choice] > 1:
                self._enter([trace.moves[choice]], beside=[trace.moves[column] for column in best])

    def _enter(self, moves: Sequence[Move], *, beside: Sequence[Move] = ()) -> None:
        """Give each of these moves an index; a new index has a colour that none of the others, nor ``beside``, has."""
        for move in moves:
            if move not in self._indices:
                near = {self._indices[each] % TOP for each in (*moves, *beside) if each in self._indices}
                taken = set(self._indices.values())
                free = (index for index in count_up() if index not in taken and index % TOP not in near)
                self._indices[move] = next(free)

    def _add_all(self, snapshot: Snapshot) -> None:
        best = sorted(snapshot.moves, key=lambda each: -each.visits)[:NAMED]
        named = [stats.move for stats in best if stats.visits]
        if snapshot.leader is not None:
            self._enter_with(snapshot.leader, named)
        if snapshot.best_move is not None:
            self._enter([snapshot.best_move], beside=named)

    def _enter_with(self, leader: Move, best: list[Move]) -> None:
        """Give an index to these moves and to the leader, which may not be among the most visited."""
        self._enter(best if leader in best else [*best[: NAMED - 1], leader])


DIE, EARLY = "⚄", "◂"
"""Mark the move that was played in place of the leader: by dice; or because the search preferred it when it chose."""
SIGNS = {Value.WIN: "✓", Value.DRAW: "=", Value.LOSS: "✗", Value.UNKNOWN: "?"}
_LISTED = 12
_ROLES = {Value.WIN: "win", Value.DRAW: "draw", Value.LOSS: "loss", Value.UNKNOWN: "muted"}
_STROKES: dict[Value, tuple[tuple[tuple[float, float], ...], ...]] = {
    Value.WIN: (((0.12, 0.55), (0.39, 0.83), (0.88, 0.2)),),
    Value.DRAW: (((0.15, 0.35), (0.85, 0.35)), ((0.15, 0.67), (0.85, 0.67))),
    Value.LOSS: (((0.16, 0.16), (0.84, 0.84)), ((0.16, 0.84), (0.84, 0.16))),
}


def tag_width(font: QFont, text: str, height: float) -> float:
    """How wide a tag with this text is."""
    words = text_width(sized(font, font.pixelSize(), bold=True), text) + height * 0.2 if text else 0.0
    return float(round(height * 1.15 + words))


def paint_mark(painter: QPainter, value: Value, rect: QRectF, *, bare: bool = False, slow: bool = False) -> None:
    """The mark alone, in this square; ``bare`` for a cross of light colour on something dark.

    ``slow`` is for a win beside a quicker one: its badge is not filled.
    """
    theme = LOOK.theme
    color, ground = theme.color(_ROLES[value]), theme.color("board")
    if value is Value.WIN and not slow:
        painter.setPen(QPen(ground, max(1.0, rect.width() * 0.06)))
        painter.setBrush(color)
        painter.drawEllipse(rect)
        _paint_sign(painter, value, _inner(rect, 0.25), ground, max(1.2, rect.width() * 0.14))
    elif value in (Value.WIN, Value.DRAW):
        painter.setPen(QPen(color, max(1.0, rect.width() * 0.09)))
        painter.setBrush(ground)
        painter.drawEllipse(_inner(rect, 0.04))
        _paint_sign(painter, value, _inner(rect, 0.25), color, max(1.2, rect.width() * 0.12))
    elif bare:
        _paint_sign(painter, value, _inner(rect, 0.1), faded(QColor("#ffffff"), 0.85), max(1.0, rect.width() * 0.16))
    elif value is Value.UNKNOWN:
        # Drawn lightly: where little is proven there are hundreds of question marks.
        _paint_sign(painter, value, _inner(rect, 0.18), faded(color, 0.75), 1.0)
    else:
        inner = _inner(rect, 0.14)
        width = max(1.2, rect.width() * 0.13)
        _paint_sign(painter, value, inner, faded(ground, 0.8), width + 2)
        _paint_sign(painter, value, inner, color, width)


def paint_tag(painter: QPainter, value: Value, text: str, font: QFont, rect: QRectF, *, slow: bool = False) -> None:
    """The mark and its words side by side, in a rectangle as wide as ``tag_width``; ``slow`` as in ``paint_mark``."""
    theme, strong = LOOK.theme, value is Value.WIN and not slow
    color, ground = theme.color(_ROLES[value]), theme.color("board")
    ink, fill = (ground, color) if strong else (color, faded(ground, 0.85))
    radius = rect.height() * 0.35
    painter.setPen(QPen(color, 1.0) if value in (Value.WIN, Value.DRAW) else Qt.PenStyle.NoPen)
    painter.setBrush(fill)
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
    side = rect.height() * 0.5
    center = rect.center() if not text else QPointF(rect.left() + rect.height() * 0.6, rect.center().y())
    sign = QRectF(center.x() - side / 2, center.y() - side / 2, side, side)
    _paint_sign(painter, value, sign, ink, max(1.2, rect.height() * 0.11))
    if text:
        painter.setPen(ink)
        painter.setFont(sized(font, font.pixelSize(), bold=strong))
        place = rect.adjusted(rect.height(), 0, -rect.height() * 0.1, 0)
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)


def _paint_sign(painter: QPainter, value: Value, rect: QRectF, color: QColor, width: float) -> None:
    """The bare sign of a value: check mark, equals sign, cross or question mark."""
    if value is Value.UNKNOWN:
        painter.setPen(color)
        painter.setFont(sized(painter.font(), rect.height() * 1.35, bold=True))
        painter.drawText(rect.adjusted(-4, -4, 4, 4), Qt.AlignmentFlag.AlignCenter, "?")
        return
    path = QPainterPath()
    for stroke in _STROKES[value]:
        for index, (x, y) in enumerate(stroke):
            place = QPointF(rect.left() + x * rect.width(), rect.top() + y * rect.height())
            if index:
                path.lineTo(place)
            else:
                path.moveTo(place)
    pen = QPen(color, width)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPath(path)


def _inner(rect: QRectF, part: float) -> QRectF:
    inset = rect.width() * part
    return rect.adjusted(inset, inset, -inset, -inset)


def proven_moves(truth: Truth | None, position: AnyPosition) -> dict[Move, MoveTruth]:
    """What is known of each legal move of this position; empty for the truth of another position."""
    if truth is None or truth.position != position:
        return {}
    return {each.move: each for each in truth.moves}


def optimal_moves(truth: Truth | None, position: AnyPosition) -> frozenset[Move]:
    """The moves of this position that keep its value where others do not; none where that is not known."""
    if truth is None or truth.position != position or truth.value not in (Value.WIN, Value.DRAW):
        return frozenset()
    best = truth.quickest_moves or truth.best_moves
    return frozenset(best) if len(best) < len(truth.moves) else frozenset()


def slow_wins(truth: Truth | None, position: AnyPosition) -> frozenset[Move]:
    """The moves of this position that win, but not as soon as another one; none where that is not known."""
    if truth is None or truth.position != position or truth.value is not Value.WIN or not truth.quickest_moves:
        return frozenset()
    return frozenset(truth.best_moves) - frozenset(truth.quickest_moves)


def short_words(truth: MoveTruth) -> str:
    """The value in short, such as "win 5", "draw", "loss 8" or "?"; a distance is in plies."""
    if truth.value is Value.UNKNOWN:
        return SIGNS[Value.UNKNOWN]
    return value_words(truth.value, truth.distance).replace(" in ", " ")


def full_words(truth: MoveTruth) -> str:
    """The value in full, such as "win in 5", "draw", "loss in 8" or "not proven"; a distance is in plies."""
    return "not proven" if truth.value is Value.UNKNOWN else value_words(truth.value, truth.distance)


def winning_moves_words(proven: Iterable[MoveTruth]) -> str:
    """Which moves win, as one or two sentences; and which draw, if none wins."""
    moves = tuple(proven)
    wins = [each for each in moves if each.value is Value.WIN]
    wins.sort(key=lambda each: math.inf if each.distance is None else each.distance)
    if wins:
        return told("winning", what="Winning move" if len(wins) == 1 else "Winning moves", known=_listed(wins))
    none = told("none is proven to win" if any(each.value is Value.UNKNOWN for each in moves) else "none wins")
    draws = [each for each in moves if each.value is Value.DRAW]
    if draws and len(draws) == len(moves) > 1:
        return f"{none} {told('every move draws')}"
    if not draws:
        return none
    which = told("winning", what="Drawing move" if len(draws) == 1 else "Drawing moves", known=_listed(draws))
    return f"{none} {which}"


def _listed(moves: list[MoveTruth]) -> str:
    texts = [
        f"{describe_move(each.move)}{f' ({full_words(each)})' if each.value is Value.WIN and each.distance else ''}"
        for each in moves[:_LISTED]
    ]
    more = f" and {len(moves) - _LISTED} more" if len(moves) > _LISTED else ""
    return f"{', '.join(texts)}{more}"
