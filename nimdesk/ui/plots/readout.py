"""The read-out: the exact values under the cross-hair, in a box beside it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from nimdesk.games import Move
from nimdesk.ui.plots.data import Ints, PlotData, percent
from nimdesk.ui.proven import short_words
from nimdesk.ui.theme import Theme


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
        self.setStyleSheet(
            f"#readout {{ background: {theme.base}; color: {theme.text}; border: 1px solid {theme.border};"
            " border-radius: 4px; padding: 3px 5px; }"
        )

    def rows(self, height: int) -> int:
        """How many moves fit in a plot of this height."""
        return max(2, min(6, (height - 70) // (self.fontMetrics().height() + 3)))

    def say(self, data: PlotData, checkpoint: int, columns: Ints, pointed: Move | None) -> None:
        """Show the values of these columns at this checkpoint."""
        rows = "".join(self._row(data, checkpoint, int(column), pointed) for column in columns)
        head = f"iteration <b>{int(data.iterations[checkpoint]):,}</b>"
        self.setText(f"{head}<table cellspacing='0' cellpadding='1'>{rows}</table>")
        self.adjustSize()

    def _row(self, data: PlotData, checkpoint: int, column: int, pointed: Move | None) -> str:
        assert self._theme is not None
        style, visits = int(data.styles[column]), int(data.visits[checkpoint, column])
        color = self._theme.curve(style).name() if style >= 0 else self._theme.muted
        weight = ("<b>", "</b>") if data.moves[column] == pointed else ("", "")
        cells = [data.names[column], f"{visits:,}", percent(visits / data.totals[checkpoint])]
        if data.proven:
            cells.append(short_words(data.proven[column]))
        texts = ""
        for i, cell in enumerate(cells):
            align, space = ("right" if i in (1, 2) else "left"), "&nbsp;&nbsp;" if i else ""
            texts += f"<td align='{align}'>{space}{weight[0]}{cell}{weight[1]}</td>"
        return f"<tr><td><span style='color:{color}'>■</span>&nbsp;</td>{texts}</tr>"
