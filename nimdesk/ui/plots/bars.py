"""Bars of shares with intervals, in groups, the published figure beside ours: what a table of results looks like."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from nimdesk.ui.look.theme import LOOK

_SIDE = 10
_BAR = 15
_ROW = 24
_PIE = 120


@dataclass(frozen=True)
class Bar:
    """One row: its name, the shares of its parts, the 95% interval of the first part, and what was published of it.

    ``shares`` are lengths from 0 to 1 on the axis; they are empty before the first game. ``words`` stand at the right.
    """

    name: str
    shares: tuple[float, ...]
    interval: tuple[float, float] | None
    words: str
    published: tuple[float, float] | None = None
    published_words: str = ""


@dataclass(frozen=True)
class BarGroup:
    """Bars that belong together, under a title."""

    title: str
    bars: tuple[Bar, ...]


PERCENT = tuple((percent / 100, f"{percent}%") for percent in (0, 25, 50, 75, 100))


@dataclass(frozen=True)
class BarChart:
    """What a ``BarsPlot`` draws; ``parts`` name the parts of every bar.

    ``ticks`` name places from 0 to 1 on the axis.
    """

    title: str
    parts: tuple[str, ...]
    groups: tuple[BarGroup, ...]
    ticks: tuple[tuple[float, str], ...] = PERCENT
    pies: bool = False
    """Whether each bar is a pie: a row for each group, whose bars have the same names."""

    @property
    def compared(self) -> bool:
        """Whether anything published is shown."""
        return any(bar.published is not None for group in self.groups for bar in group.bars)

    @property
    def measured(self) -> bool:
        """Whether any bar has an interval."""
        return any(bar.interval is not None for group in self.groups for bar in group.bars)

    @property
    def present(self) -> frozenset[int]:
        """Which parts there are in any bar; the first and the last one always."""
        shares = [bar.shares for group in self.groups for bar in group.bars]
        inner = {number for each in shares for number, share in enumerate(each) if share > 0}
        return frozenset({0, len(self.parts) - 1} | inner)

    @property
    def spoken(self) -> str:
        """The chart in words, for those who do not see it."""
        rows = [
            f"{group.title}, {bar.name}: {bar.words}{f', published {bar.published_words}' * bool(bar.published_words)}"
            for group in self.groups
            for bar in group.bars
        ]
        return f"{self.title}. {'; '.join(rows[:40])}."


class BarsPlot(QWidget):
    """Paints a ``BarChart``; as high as it needs to be, so that it can stand in a scroll area."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chart: BarChart | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.setAccessibleName("Chart")
        LOOK.changed.connect(self.update)

    @property
    def chart(self) -> BarChart | None:
        """What is drawn."""
        return self._chart

    def show_chart(self, chart: BarChart | None) -> None:
        """Draw this."""
        before = self.sizeHint()
        self._chart = chart
        self.setAccessibleDescription("" if chart is None else chart.spoken)
        if self.sizeHint() != before:
            self.setMinimumHeight(self.sizeHint().height())
            self.updateGeometry()
        self.update()

    @staticmethod
    def _rows(chart: BarChart) -> int:
        return sum(1 + len(group.bars) for group in chart.groups)

    def sizeHint(self) -> QSize:
        rows = 0 if self._chart is None else self._rows(self._chart)
        if self._chart is not None and self._chart.pies:
            return QSize(560, len(self._chart.groups) * _PIE + 4 * self.fontMetrics().height() + 2 * _SIDE)
        return QSize(560, rows * _ROW + 4 * self.fontMetrics().height() + 2 * _SIDE)

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.fillRect(self.rect(), LOOK.theme.color("plot"))
            chart = self._chart
            if chart is None:
                return
            if chart.pies:
                self._paint_pies(painter, chart, self._paint_head(painter, chart, _SIDE))
                return
            metrics = self.fontMetrics()
            names = [bar.name for group in chart.groups for bar in group.bars]
            words = [bar.words for group in chart.groups for bar in group.bars]
            left = min(0.3 * self.width(), max((metrics.horizontalAdvance(name) for name in names), default=0) + 8.0)
            right = min(0.34 * self.width(), max((metrics.horizontalAdvance(text) for text in words), default=0) + 8.0)
            area = QRectF(_SIDE + left, 0, max(60.0, self.width() - 2 * _SIDE - left - right), self.height())
            y = self._paint_head(painter, chart, _SIDE)
            top = y
            for group in chart.groups:
                font = painter.font()
                font.setBold(True)
                painter.setFont(font)
                painter.setPen(LOOK.theme.color("text"))
                title = metrics.elidedText(group.title, Qt.TextElideMode.ElideRight, self.width() - 2 * _SIDE)
                painter.drawText(QPointF(_SIDE, y + _ROW - 7), title)
                font.setBold(False)
                painter.setFont(font)
                y += _ROW
                for bar in group.bars:
                    self._paint_bar(painter, bar, area, y, left)
                    y += _ROW
            self._paint_axis(painter, chart, area, top, y)

    def _paint_head(self, painter: QPainter, chart: BarChart, y: float) -> float:
        metrics = self.fontMetrics()
        painter.setPen(LOOK.theme.color("text"))
        painter.drawText(QPointF(_SIDE, y + metrics.ascent()), chart.title)
        y += metrics.height() + 4
        x = float(_SIDE)
        for number, part in enumerate(chart.parts):
            if number not in chart.present:
                continue
            painter.setPen(QPen(LOOK.theme.color("field"), 1))
            painter.setBrush(self._brush(number))
            painter.drawRect(QRectF(x, y + 2, 16, 10))
            painter.setPen(LOOK.theme.color("muted"))
            painter.drawText(QPointF(x + 21, y + metrics.ascent()), part)
            x += 21 + metrics.horizontalAdvance(part) + 16
        keys = ["├┤ 95% interval"] * chart.measured + ["▼ published"] * chart.compared
        painter.drawText(QPointF(x, y + metrics.ascent()), "    ".join(keys))
        return y + metrics.height() + 6

    def _paint_pies(self, painter: QPainter, chart: BarChart, y: float) -> None:
        """A row of pies for each group, its title at the left; a pie begins at the top and goes to the right."""
        metrics, center = self.fontMetrics(), Qt.AlignmentFlag.AlignCenter
        left = _SIDE + max(metrics.horizontalAdvance(group.title) for group in chart.groups) + 12.0
        width = (self.width() - _SIDE - left) / max(len(group.bars) for group in chart.groups)
        painter.setPen(LOOK.theme.color("muted"))
        for column, bar in enumerate(chart.groups[0].bars):
            name = metrics.elidedText(bar.name, Qt.TextElideMode.ElideMiddle, round(width - 6))
            painter.drawText(QRectF(left + column * width, y, width, metrics.height()), center, name)
        y += metrics.height() + 4
        for group in chart.groups:
            painter.setPen(LOOK.theme.color("text"))
            painter.drawText(QPointF(_SIDE, y + _PIE / 2), group.title)
            for column, bar in enumerate(group.bars):
                place = QRectF(left + column * width, y, width, _PIE)
                round_part = QRectF(0, 0, _PIE - 34, _PIE - 34)
                round_part.moveCenter(QPointF(place.center().x(), place.top() + _PIE / 2 - 12))
                painter.setPen(QPen(LOOK.theme.color("field"), 1))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawEllipse(round_part)
                begun = 0.0
                for number, share in enumerate(bar.shares):
                    if share > 0:
                        painter.setBrush(self._brush(number))
                        # In sixteenths of a degree, against the clock from the right.
                        painter.drawPie(round_part, round(16 * (90 - 360 * begun)), round(-16 * 360 * share))
                    begun += share
                painter.setPen(LOOK.theme.color("text"))
                painter.drawText(
                    QRectF(place.left(), round_part.bottom() + 2, width, metrics.height()), center, bar.words
                )
            y += _PIE

    def _brush(self, part: int) -> QBrush:
        """Full, hatched, faint: the parts differ without their colours, too."""
        first, second = LOOK.theme.color("first"), LOOK.theme.color("second")
        if part == 0:
            return QBrush(first)
        if part == 1:
            return QBrush(LOOK.theme.color("muted"), Qt.BrushStyle.BDiagPattern)
        faint = QColor(second)
        faint.setAlpha(110)
        return QBrush(faint)

    def _paint_bar(self, painter: QPainter, bar: Bar, area: QRectF, y: float, left: float) -> None:
        metrics, middle = self.fontMetrics(), Qt.AlignmentFlag.AlignVCenter
        painter.setPen(LOOK.theme.color("text"))
        name = metrics.elidedText(bar.name, Qt.TextElideMode.ElideMiddle, round(left - 6))
        painter.drawText(QRectF(_SIDE, y, left - 6, _ROW), middle | Qt.AlignmentFlag.AlignRight, name)
        painter.drawText(QRectF(area.right() + 8, y, self.width(), _ROW), middle, bar.words)
        top = y + (_ROW - _BAR) / 2 + 2
        x = area.left()
        painter.setPen(QPen(LOOK.theme.color("field"), 1))
        if not bar.shares:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(x, top, area.width(), _BAR - 4))
        for number, share in enumerate(bar.shares):
            width = share * area.width()
            if width > 0:
                painter.setBrush(self._brush(number))
                painter.drawRect(QRectF(x, top, width, _BAR - 4))
            x += width
        if bar.interval is not None and bar.shares:
            self._paint_interval(painter, area, bar.interval, top)
        if bar.published is not None:
            self._paint_published(painter, area, bar.published, top)

    def _paint_interval(self, painter: QPainter, area: QRectF, interval: tuple[float, float], top: float) -> None:
        low, high = (area.left() + bound * area.width() for bound in interval)
        middle, bottom = top + (_BAR - 4) / 2, top + _BAR - 4
        # Light under dark: the line lies on every colour of the bar.
        for color, width in ((LOOK.theme.color("plot"), 4.0), (LOOK.theme.color("text"), 1.6)):
            painter.setPen(QPen(color, width))
            painter.drawLine(QPointF(low, middle), QPointF(high, middle))
            for x in (low, high):
                painter.drawLine(QPointF(x, top), QPointF(x, bottom))

    def _paint_published(self, painter: QPainter, area: QRectF, published: tuple[float, float], top: float) -> None:
        low, high = (area.left() + bound * area.width() for bound in published)
        painter.setPen(QPen(LOOK.theme.color("plot"), 1))
        painter.setBrush(LOOK.theme.color("warning"))
        at = (low + high) / 2
        if high - low > 8:
            painter.fillRect(QRectF(low, top - 5, high - low, 3), LOOK.theme.color("warning"))
        painter.drawPolygon(QPolygonF([QPointF(at - 5, top - 6), QPointF(at + 5, top - 6), QPointF(at, top + 2)]))

    def _paint_axis(self, painter: QPainter, chart: BarChart, area: QRectF, top: float, bottom: float) -> None:
        metrics = self.fontMetrics()
        painter.setPen(LOOK.theme.color("muted"))
        for place, text in chart.ticks:
            x = area.left() + place * area.width()
            painter.drawLine(QPointF(x, bottom), QPointF(x, bottom + 4))
            painter.drawText(QPointF(x - metrics.horizontalAdvance(text) / 2, bottom + 5 + metrics.ascent()), text)
        painter.drawLine(QPointF(area.left(), bottom), QPointF(area.right(), bottom))
        painter.setPen(QPen(LOOK.theme.color("grid"), 1, Qt.PenStyle.DotLine))
        for place, _ in chart.ticks[len(chart.ticks) // 2 :: len(chart.ticks)]:
            x = area.left() + place * area.width()
            painter.drawLine(QPointF(x, top), QPointF(x, bottom))
