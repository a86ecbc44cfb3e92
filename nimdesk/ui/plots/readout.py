"""The read-out: the exact values under the cross-hair, in a box beside it."""

from __future__ import annotations

import re
from html import unescape

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from nimdesk.games import Move
from nimdesk.search.timeline import Cost
from nimdesk.ui.look.proven import short_words
from nimdesk.ui.look.theme import Theme
from nimdesk.ui.plots.data import Ints, Measure, Mode, PlotData, cost_words, percent

_TAG = re.compile("<[^>]*>")


class Readout(QLabel):
    """A box that the mouse passes through: the iteration, and a row for each of some moves."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("readout")
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()
        self._theme: Theme | None = None

    def set_theme(self, theme: Theme) -> None:
        """Take the colours of this look."""
        self._theme = theme
        self.clear()
        self.setStyleSheet(
            f"#readout {{ background: {theme.base}; color: {theme.text}; border: 1px solid {theme.border};"
            " border-radius: 4px; padding: 3px 5px; }"
        )

    @property
    def words(self) -> str:
        """What it says, for who hears it: the head, then the rows, with semicolons between them."""
        plain = unescape(_TAG.sub(" ", self.text().replace("<table", ";<table").replace("</tr>", ";")))
        parts = (" ".join(part.replace("■", " ").split()) for part in plain.split(";"))
        return "; ".join(part for part in parts if part) + "."

    def rows(self, height: int) -> int:
        """How many moves fit in a plot of this height."""
        return max(2, min(6, (height - 70) // (self.fontMetrics().height() + 3)))

    def say_moves(self, data: PlotData, mode: Mode, checkpoint: int, columns: Ints, pointed: Move | None) -> None:
        """Show the values of these columns at this checkpoint."""
        rows = "".join(self._row(data, mode, checkpoint, int(column), pointed) for column in columns)
        head = f"iteration <b>{int(data.iterations[checkpoint]):,}</b>"
        if mode.cost is not Cost.ITERATIONS:
            head += f" · {cost_words(mode.cost, float(data.spent(mode)[checkpoint]))}"
        self.say_table(head, rows)

    def say_table(self, head: str, rows: str) -> None:
        """Show this head and these rows of a table, as rich text."""
        text = f"{head}<table cellspacing='0' cellpadding='1'>{rows}</table>"
        # The mouse moves more often than what is below it changes, and to lay out a table takes milliseconds.
        if text != self.text():
            self.setText(text)
            self.adjustSize()

    def _row(self, data: PlotData, mode: Mode, checkpoint: int, column: int, pointed: Move | None) -> str:
        assert self._theme is not None
        style, visits = int(data.styles[column]), int(data.visits[checkpoint, column])
        color = self._theme.curve(style).name() if style >= 0 else self._theme.muted
        cells = [data.names[column], f"{visits:,}", percent(visits / data.totals[checkpoint])]
        if mode.values:
            cells[1:] = [_value_words(data, mode, checkpoint, column)]
        if data.proven:
            cells.append(short_words(data.proven[column]))
        return table_row(color, cells, bold=data.moves[column] == pointed)


def table_row(color: str, cells: list[str], *, bold: bool = False) -> str:
    """One row of a read-out: a square of this colour, then the cells."""
    before, after = ("<b>", "</b>") if bold else ("", "")
    texts = ""
    for i, cell in enumerate(cells):
        align, space = ("right" if 0 < i < 3 else "left"), "&nbsp;&nbsp;" if i else ""
        texts += f"<td align='{align}'>{space}{before}{cell}{after}</td>"
    return f"<tr><td><span style='color:{color}'>■</span>&nbsp;</td>{texts}</tr>"


def _value_words(data: PlotData, mode: Mode, checkpoint: int, column: int) -> str:
    mean, error = data.means[checkpoint, column], data.errors[checkpoint, column]
    if np.isnan(mean):
        return "not visited"
    if mode.measure is Measure.MEAN:
        return f"{mean:.3f} ± {error:.3f}"
    bound = data.bounds[checkpoint, column]
    return f"{mean:.3f} + {bound - mean:.3f} = {bound:.3f}"
