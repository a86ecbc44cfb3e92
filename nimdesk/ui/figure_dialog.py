"""The dialog for a figure for print: its measures, which search it shows, and its caption."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QLocale, Signal
from PySide6.QtGui import QValidator
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFormLayout,
    QPlainTextEdit,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from nimdesk.errors import NimdeskError
from nimdesk.figures.content import Content
from nimdesk.figures.files import Look
from nimdesk.ui.look.widgets import label

FIGURES = "PDF (*.pdf);;SVG drawing (*.svg);;PNG picture (*.png);;PGF for LaTeX (*.pgf)"
_LAST = [Look()]
"""The look of the last figure, with which the next one begins."""


def last_look() -> Look:
    """How the last figure looked."""
    return _LAST[0]


class FigureDialog(QDialog):
    """Asks how a figure is to look; ``save_wanted`` has its content and its look."""

    save_wanted = Signal(object, object)

    def __init__(
        self, shows: Sequence[str], content_of: Callable[[int], Content], parent: QWidget | None = None
    ) -> None:
        """``shows`` are the choices of what is shown; ``content_of`` makes the figure of one; ``NimdeskError``."""
        super().__init__(parent)
        self.setWindowTitle("Figure for print")
        self._content_of = content_of
        self._content: Content | None = None
        look = last_look()
        self.shown = QComboBox()
        self.shown.addItems(list(shows))
        self.width_mm, self.height_mm = _Number(look.width_mm, 20, 1_000), _Number(look.height_mm, 0, 1_000)
        self.width_mm.setToolTip("A column of a journal is often 85 mm wide, a page 174 mm")
        self.height_mm.setSpecialValueText("by the width")
        self.font_name = QComboBox()
        self.font_name.setEditable(True)
        self.font_name.addItems(["serif", "sans"])
        self.font_name.setEditText(look.font)
        self.size_pt = _Number(look.size_pt, 4, 40)
        self.dpi = QSpinBox()
        self.dpi.setRange(50, 2_400)
        self.dpi.setValue(look.dpi)
        self.legend = QCheckBox("&Legend")
        self.legend.setChecked(look.legend)
        self.log_y = QCheckBox("Logarithmic &values")
        self.log_y.setChecked(look.log_y)
        self.caption = QPlainTextEdit()
        self.caption.setReadOnly(True)
        self.caption.setTabChangesFocus(True)
        self.caption.setAccessibleName("Caption")
        self.problem = label(role="problem", wrap=True)
        form = QFormLayout()
        for text, field in (
            ("Sh&ows", self.shown),
            ("&Width in mm", self.width_mm),
            ("&Height in mm", self.height_mm),
            ("&Font", self.font_name),
            ("Font si&ze in pt", self.size_pt),
            ("&Dots an inch (PNG)", self.dpi),
        ):
            form.addRow(text, field)
        form.addRow(self.legend)
        form.addRow(self.log_y)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel)
        self.save = buttons.button(QDialogButtonBox.StandardButton.Save)
        layout = QVBoxLayout(self)
        layout.addLayout(form)
        layout.addWidget(label("Caption, which is copied when the figure is saved:", role="muted"))
        layout.addWidget(self.caption)
        layout.addWidget(self.problem)
        layout.addWidget(buttons)
        buttons.accepted.connect(self._on_save)
        buttons.rejected.connect(self.reject)
        self.shown.currentIndexChanged.connect(self._show)
        self._show()

    @property
    def look(self) -> Look:
        """The look that the fields describe."""
        return Look(
            width_mm=self.width_mm.value(),
            height_mm=self.height_mm.value(),
            font=self.font_name.currentText().strip() or "serif",
            size_pt=self.size_pt.value(),
            legend=self.legend.isChecked(),
            dpi=self.dpi.value(),
            log_y=self.log_y.isChecked(),
        )

    def _show(self) -> None:
        self._content, problem = None, ""
        try:
            self._content = self._content_of(self.shown.currentIndex())
        except NimdeskError as error:
            problem = str(error)
        self.caption.setPlainText("" if self._content is None else self._content.caption)
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))
        self.save.setEnabled(self._content is not None)

    def _on_save(self) -> None:
        if self._content is not None:
            _LAST[0] = self.look
            self.save_wanted.emit(self._content, self.look)
            self.accept()


class _Number(QDoubleSpinBox):
    """A real number, shown with a point in every language; a typed comma counts as a point."""

    def __init__(self, value: float, low: float, high: float) -> None:
        super().__init__()
        self.setLocale(QLocale.c())
        self.setDecimals(1)
        self.setRange(low, high)
        self.setValue(value)

    def validate(self, text: str, place: int) -> tuple[QValidator.State, str, int]:
        return super().validate(text.replace(",", "."), place)
