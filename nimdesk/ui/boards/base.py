"""What every board widget offers to the window, what the window tells it, and what all boards paint alike.

A board adds where its moves are, a keyboard cursor, words, and its painting.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass, field

import msgspec
from PySide6.QtCore import QAbstractAnimation, QPointF, QRectF, QSize, Qt, QVariantAnimation
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from nimdesk.games import AnyPosition, Game, Move
from nimdesk.games.base import describe_move, describe_turn
from nimdesk.games.truth import MoveTruth, Truth, Value
from nimdesk.search import MoveStats, Snapshot
from nimdesk.ui.boards.pictures import BoardArt
from nimdesk.ui.boards.pointing import MoveCursor, MovePointer
from nimdesk.ui.look import painting
from nimdesk.ui.look.move_marks import (
    SIGNS,
    MoveColors,
    full_words,
    proven_moves,
    slow_wins,
    winning_moves_words,
)
from nimdesk.ui.look.theme import LOOK

OVERLAY_STYLES = ("share", "visits", "value", "none")


class OverlayItem(msgspec.Struct, frozen=True):
    """What a board draws for one root move while (or after) the computer thinks.

    ``share`` is the move's share of the visits, 0 to 1; ``color`` is the colour of its curve; ``leader`` marks
    the move that the search prefers. ``mean_value`` is from the view of the side to move, None before the first visit.
    """

    share: float
    visits: int
    mean_value: float | None
    color: QColor
    leader: bool
    proof: str = ""
    """What the search has proven of the move, such as "✓ 9"; it is shown in place of a share."""


@dataclass
class Shown:
    """All that the window told a board to show; ``proven`` is the part of ``truth`` that speaks of this position."""

    position: AnyPosition
    overlay: dict[Move, OverlayItem] = field(default_factory=dict)
    style: str = "share"
    highlight: Move | None = None
    suggestion: Move | None = None
    line: tuple[Move, ...] = ()
    answers: tuple[Move, ...] = ()
    pairs: tuple[tuple[Move, Move], ...] = ()
    truth: Truth | None = None
    proven: dict[Move, MoveTruth] = field(default_factory=dict)
    slow: frozenset[Move] = frozenset()
    """Those of the ``proven`` moves that win, but not as soon as another one."""


class BoardView(MovePointer):
    """Base of the boards: a widget that shows one position and lets a person choose a move.

    The window calls the ``set_`` methods; none of them emits a signal. Everything may be called in any order and as
    often as 30 times a second.
    """

    def __init__(self, position: AnyPosition, cursor: MoveCursor, parent: QWidget | None = None) -> None:
        super().__init__(cursor, parent)
        cursor.adapt(position, in_use=False)
        self.shown = Shown(position)
        """What the board's art paints; changed by the ``set_`` methods alone."""
        self.rule_told = False
        """Whether the rule is shown beside the board, so that the board need not show it."""
        self.pictured = False
        """Whether it is painted for a small picture."""
        self._animation_enabled = True
        self._animation = QVariantAnimation(self)
        self._animation.setStartValue(0.0)
        self._animation.setEndValue(1.0)
        self._animation.valueChanged.connect(self._on_frame)
        self._animation.finished.connect(self._on_frame)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        LOOK.changed.connect(self._on_frame)

    # What the window tells the board.

    def set_position(self, position: AnyPosition, *, animate: bool = False) -> None:
        """Show this position; with ``animate``, show the last move of ``position.moves`` happening.

        Raises ``TypeError`` for a position of another kind of game.
        """
        if type(position) is not type(self.position):
            raise TypeError(f"{type(self).__name__} cannot show {position!r}")
        if position == self.position and position.moves == self.position.moves:
            return
        self._animation.stop()
        same_game = position.game == self.position.game
        self.shown.position, self._pressed = position, None
        self.shown.proven, self.shown.slow = self._known(position)
        self._cursor.adapt(position, in_use=self._keyboard and same_game)
        if animate and position.moves and self._animation_enabled and self.isVisible():
            self._animation.setDuration(self._animation_ms())
            self._animation.start()
        self._describe()
        last = f"{self.last_move_words()}. " if position.moves else ""
        self._announce(f"{last}{describe_turn(position)}.")
        self._rest()

    def set_overlay(self, overlay: dict[Move, OverlayItem] | None) -> None:
        """Draw visit shares on the moves; None draws none. Moves that are missing have no visits."""
        self.shown.overlay = overlay or {}
        self.update()

    def set_overlay_style(self, number: str) -> None:
        """Which number each move shows in the overlay: ``share``, ``visits``, ``value`` or ``none``.

        The bars and discs always show the share of visits.
        """
        if number not in OVERLAY_STYLES:
            raise ValueError(f"an overlay shows one of {', '.join(OVERLAY_STYLES)}, not {number!r}")
        self.shown.style = number
        self.update()

    def set_truth(self, truth: Truth | None) -> None:
        """Mark what is proven of this position's moves; None marks nothing, as does the truth of another position.

        What is not proven is marked as unknown.
        """
        self.shown.truth = truth
        known = self._known(self.position)
        if known != (self.shown.proven, self.shown.slow):
            self.shown.proven, self.shown.slow = known
            self._describe()
            self.update()

    def _known(self, position: AnyPosition) -> tuple[dict[Move, MoveTruth], frozenset[Move]]:
        return proven_moves(self.shown.truth, position), slow_wins(self.shown.truth, position)

    def set_highlight(self, move: Move | None) -> None:
        """Mark the move that is pointed at elsewhere (curve, legend, table)."""
        if move != self.shown.highlight:
            self.shown.highlight = move
            self.update()

    def set_suggestion(self, move: Move | None) -> None:
        """Mark the move that the machine proposes."""
        if move != self.shown.suggestion:
            self.shown.suggestion = move
            self.update()

    def set_line(self, line: tuple[Move, ...], answers: tuple[Move, ...] = ()) -> None:
        """Number the moves of this line of play, which begins here, where they would happen; empty ends it.

        ``answers`` are all moves that answer the last one of the line, where that is a threat.
        """
        if (line, answers) != (self.shown.line, self.shown.answers):
            self.shown.line, self.shown.answers = line, answers
            self.update()

    def set_pairs(self, pairs: tuple[tuple[Move, Move], ...]) -> None:
        """Mark moves of which one answers the other; empty marks none."""
        if pairs != self.shown.pairs:
            self.shown.pairs = pairs
            self._describe()
            self.update()

    def be_pictured(self) -> None:
        """From now on show positions for small pictures: without animation, without the rule, with nothing to press."""
        self.set_animation_enabled(False)
        self.rule_told = self.pictured = True

    def set_animation_enabled(self, enabled: bool) -> None:
        """Whether moves may be animated; switching it off ends an animation that runs."""
        self._animation_enabled = enabled
        if not enabled:
            self._animation.stop()
            self.update()

    def show_as(self, other: BoardView) -> None:
        """Show what the other board shows, without what is pointed at there."""
        self.set_position(other.position)
        self.set_overlay_style(other.shown.style)
        self.set_overlay(other.shown.overlay)
        self.set_truth(other.shown.truth)
        self.set_pairs(other.shown.pairs)

    def twin(self) -> BoardView:
        """A board that shows the same and is never on the screen, so that nothing there changes its size.

        The twin is as wide as this board, and as high as its contents need.
        """
        made = type(self)(self.position)  # type: ignore[call-arg]  # all boards are made of a position
        made.set_animation_enabled(False)
        made.resize(self.size())
        made.setFont(self.font())
        made.show_as(self)
        made.resize(self.width(), made.fitting_height())
        return made

    # What the board tells.

    @property
    def position(self) -> AnyPosition:
        """The position shown."""
        return self.shown.position

    @property
    def animating(self) -> bool:
        """Whether the last move is being shown happening."""
        return self._animation.state() == QAbstractAnimation.State.Running

    @property
    def progress(self) -> float:
        """How far the last move has happened, 0 to 1."""
        return float(self._animation.currentValue()) if self.animating else 1.0

    def last_move_words(self) -> str:
        """Who played which move last; there must be one."""
        side = self.position.game.side_name(self.position.turn.other)
        return f"{side}: {describe_move(self.position.moves[-1])}"

    def suits(self, game: Game) -> bool:
        """Whether positions of this game can be shown here."""
        return isinstance(game, type(self.position.game))

    def move_point(self, move: Move) -> QPointF:
        """Where a click plays this legal move, for tests and demonstrations."""
        raise NotImplementedError

    @property
    def frame(self) -> QRectF:
        """Where the board itself is painted, without the letters and numbers around it."""
        return QRectF(self.rect())

    def hover_words(self) -> str:
        """The label of the move that is pointed at; "" if there is none."""
        raise NotImplementedError

    def fitting_height(self) -> int:
        """The height for a picture of everything on the board, with the pieces in their present size."""
        return self.height()

    def sizeHint(self) -> QSize:
        return QSize(680, 560)

    def minimumSizeHint(self) -> QSize:
        return QSize(260, 200)

    # What each kind of board adds, beside what ``MovePointer`` asks for.

    @property
    def art(self) -> BoardArt:
        """What paints this board."""
        raise NotImplementedError

    def _board_words(self) -> str:
        """What lies on the board, for people who do not see it."""
        raise NotImplementedError

    def _animation_ms(self) -> int:
        """How long the last move takes to happen."""
        return 220

    # Shared machinery.

    def _legal_moves(self) -> tuple[Move, ...]:
        return self.position.legal_moves

    def _on_frame(self) -> None:
        self.update()

    def _describe(self) -> None:
        self.setAccessibleName(f"{self.position.game.title}: {describe_turn(self.position)}")
        last = f"Last move: {self.last_move_words()}. " if self.position.moves else ""
        proven = f" {winning_moves_words(self.shown.proven.values())}" if self.shown.proven else ""
        cursor = f" Cursor: {self._cursor_words()}." if self.cursor_shown else ""
        self.setAccessibleDescription(f"{last}{self._board_words()}{proven}{cursor}")

    def _proven_words(self, move: Move) -> str:
        """What is proven of the move, after a comma; "" where nothing is known."""
        return f", {full_words(self.shown.proven[move])}" if move in self.shown.proven else ""

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._refresh(later=True)

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            try:
                self.art.paint(painter)
            except Exception:  # PySide ends the process for an exception raised in here while a picture is made
                sys.excepthook(*sys.exc_info())
                painter.fillRect(self.rect(), LOOK.theme.color("board"))
            if self.cursor_shown:
                painting.draw_focus(painter, self)


# The overlay: how the visits of a search spread over the moves


def overlay_of(
    snapshot: Snapshot | None, colors: MoveColors, truth: Truth | None = None
) -> dict[Move, OverlayItem] | None:
    """The overlay of this search, in the colours of its curves; None before it prefers a move.

    ``truth`` is what is shown of it.

    A search that plays no simulations has no shares: the move it would play is marked, and what it has proven. Of a
    player that counts nothing, that move alone is marked.
    """
    if snapshot is None or snapshot.leader is None:
        return None
    counted, total = snapshot.counted, max(1, snapshot.total_visits)
    theme, items = LOOK.theme, dict[Move, OverlayItem]()
    muted, wheel = theme.color("muted"), [theme.curve(index) for index in range(len(theme.curves))]
    colored, styles, best = colors.marked(snapshot, truth).colored, colors.indices, snapshot.leader
    for stats in snapshot.moves:
        move, visits = stats.move, stats.visits if counted == "visits" else 0
        if visits or (counted != "visits" and move == best) or (counted == "nodes" and stats.proven is not None):
            index = styles.get(move) if move in colored else None
            color = muted if index is None else wheel[index % len(wheel)]
            items[move] = OverlayItem(visits / total, visits, stats.mean_value, color, move == best, _proof(stats))
    return items


def _proof(stats: MoveStats) -> str:
    if stats.proven is None:
        return ""
    distance = f" {stats.distance}" if stats.distance and stats.proven is not Value.DRAW else ""
    return f"{SIGNS[stats.proven]}{distance}"


def number_text(item: OverlayItem, style: str) -> str:
    """The number that the overlay shows for a move, or what is proven of it; empty when it shows none."""
    if item.proof and (style in ("share", "value") or (style == "visits" and not item.visits)):
        return item.proof
    if not item.visits:
        return ""
    if style == "share":
        percent = item.share * 100
        return f"{percent:.0f}%" if percent >= 0.5 else "<1%"
    if style == "visits":
        return short_count(item.visits)
    if style == "value":
        return "–" if item.mean_value is None else f"{item.mean_value:.2f}"
    return ""


def short_count(count: int) -> str:
    """A count in about four characters: 950, 1.2k, 34k, 5.6M."""
    value = float(count)
    for unit in ("", "k", "M", "G"):
        if value < 999.5 or unit == "G":
            break
        value /= 1000
    return f"{value:.1f}{unit}" if unit and value < 9.95 else f"{value:.0f}{unit}"


def full_share(items: Iterable[OverlayItem], moves: int) -> float:
    """The share that fills a bar or a disc: the leader's, or a larger one as long as all shares are alike."""
    leader = max((item.share for item in items), default=0.0)
    return max(leader, min(1.0, 2.5 / max(1, moves)), 1e-9)
