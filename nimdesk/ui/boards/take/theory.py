"""The theory of take-away games as a page: the Grundy value of each heap, a chart of all values, and what is proven."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QBuffer, QIODevice, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QImage, QImageWriter, QPainter

from nimdesk.games.take.codes import HeapRule
from nimdesk.games.take.grundy import Sequence, small_sequence
from nimdesk.games.take.rules import TakePosition
from nimdesk.games.take.theory import heap_values
from nimdesk.games.truth import Truth
from nimdesk.ui.boards.theory import proof_html
from nimdesk.ui.look.theme import LOOK

_WIDTH, _HEIGHT, _LEFT, _BELOW, _SCALE = 460, 130, 26, 18, 2
_FEWEST, _MOST_LISTED = 48, 12


def take_html(position: TakePosition, truth: Truth | None, under_way: str) -> str:
    """See ``BoardKit.theory_html``. The values are shown once the proof has worked them out."""
    page = proof_html(truth, under_way)
    if truth is None or position.game.misere:
        return page
    parts = [page]
    for part, heaps in zip(position.game.parts, position.board, strict=True):
        if part.rule.pairs or not heaps:
            continue
        known = small_sequence(part.rule)
        parts.append(f"<p>{_listed(part.rule, heaps)}</p>{_picture(known, heaps)}<p>{_about(known)}</p>")
    return "".join(parts)


def _listed(rule: HeapRule, heaps: tuple[int, ...]) -> str:
    named = [f"{heap} has {value}" for heap, value in zip(heaps, heap_values(rule, heaps), strict=True)]
    more = ", …" if len(named) > _MOST_LISTED else ""
    return f"Grundy values of {escape(rule.text)}: {', '.join(named[:_MOST_LISTED])}{more}."


def _about(known: Sequence) -> str:
    if known.period is None:
        return f"No period is seen up to heap {len(known.values) - 1:,}."
    how = "by the rule of Guy and Smith forever" if known.period.proven else "as far as seen"
    return f"In the shaded part they repeat, {how}."


def _picture(known: Sequence, heaps: tuple[int, ...]) -> str:
    """The values over the sizes of heaps as an image of the page; a screen reader hears the sentences around it."""
    period = known.period
    wanted = max(_FEWEST, max(heaps) + 2, period.start + 2 * period.length + 1 if period is not None else 0)
    values = known.values[: min(wanted, len(known.values))].tolist()
    image = QImage(_WIDTH * _SCALE, _HEIGHT * _SCALE, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    with QPainter(image) as painter:
        painter.scale(_SCALE, _SCALE)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        font = QGuiApplication.font()
        font.setPixelSize(11)
        painter.setFont(font)
        _paint(painter, values, set(heaps), period.start if period is not None else None)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, b"png").write(image)
    data = bytes(buffer.data().toBase64().data()).decode()
    return f"<p><img src='data:image/png;base64,{data}' width='{_WIDTH}' height='{_HEIGHT}'></p>"


def _paint(painter: QPainter, values: list[int], marked: set[int], start: int | None) -> None:
    theme, highest = LOOK.theme, max(1, *values)
    plot = QRectF(_LEFT, 6, _WIDTH - _LEFT - 4, _HEIGHT - _BELOW - 6)
    step = plot.width() / len(values)

    def x(heap: float) -> float:
        return plot.left() + heap * step

    if start is not None and start < len(values):
        shade = QColor(theme.color("accent"))
        shade.setAlphaF(0.1)
        painter.fillRect(QRectF(x(start), plot.top(), plot.right() - x(start), plot.height()), shade)
    painter.setPen(theme.color("muted"))
    painter.drawLine(plot.bottomLeft(), plot.bottomRight())
    right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
    for value in {0, highest}:
        y = plot.bottom() - value / highest * plot.height()
        painter.drawText(QRectF(0, y - 7, _LEFT - 5, 14), right, str(value))
    every = next(each for each in (10, 20, 50, 100, 200, 500) if each * step >= 34 or each == 500)
    for heap in range(0, len(values), every):
        place = QRectF(x(heap + 0.5) - 30, plot.bottom() + 2, 60, _BELOW - 2)
        painter.drawText(place, Qt.AlignmentFlag.AlignHCenter, str(heap))
    painter.setPen(Qt.PenStyle.NoPen)
    for heap, value in enumerate(values):
        top = plot.bottom() - value / highest * plot.height()
        painter.setBrush(theme.color("win" if heap in marked else "text"))
        if step >= 4:
            painter.drawRect(QRectF(x(heap) + step * 0.15, top, step * 0.7, max(1.0, plot.bottom() - top)))
        else:
            radius = 3.0 if heap in marked else 1.1
            painter.drawEllipse(QPointF(x(heap + 0.5), top), radius, radius)
