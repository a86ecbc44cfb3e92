"""What the tabs of tables that are kept in files share: opening one, the one that comes with nimdesk, and the table."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from nimdesk.paths import resources_dir
from nimdesk.ui.experiments.tables import RowsView
from nimdesk.ui.jobs.bridge import Bridge
from nimdesk.ui.look.widgets import label


class FileTab(QWidget):
    """A file of results as a table; at first, as soon as the tab is seen, the one that comes with nimdesk."""

    told = Signal(str)
    """One sentence for the status line."""

    def __init__(self, what: str, reference: str, opening: str, filters: str) -> None:
        """``what`` names the table, ``reference`` the shipped file; others are chosen in a dialog with the title
        ``opening`` and these ``filters``.
        """
        super().__init__()
        self._reference, self._opening, self._filters = reference, opening, filters
        self._asked = False
        self.jobs = Bridge(f"nimdesk-{Path(reference).stem}", parent=self)
        self.open = QPushButton(f"&{opening}…")
        self.reference = QPushButton("&Reference run")
        self.title = label(role="muted", wrap=True)
        self.table = RowsView(what)
        self.found = label(role="muted", wrap=True)
        self.open.clicked.connect(self._choose)
        self.reference.clicked.connect(self._show_reference)

    def _lay_out(self, *beside: QWidget) -> None:
        """The buttons with ``beside``, what is shown, the table, and what is said of it."""
        head = QHBoxLayout()
        for widget in (self.open, self.reference, *beside):
            head.addWidget(widget)
        head.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 6, 8, 8)
        column.addLayout(head)
        column.addWidget(self.title)
        column.addWidget(self.table, 1)
        column.addWidget(self.found)

    def _read(self, path: Path) -> None:
        """Begin to read this file in ``jobs``, and show what is found."""
        raise NotImplementedError

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._asked:
            self._show_reference()

    def show_file(self, path: Path) -> None:
        """Read the results in a file and show them; what is wrong with it is said in one sentence."""
        self._asked = True
        self._show_title(f"Reading {path.name}…")
        self._read(path)

    def shutdown(self) -> None:
        """End the thread."""
        self.jobs.shutdown()

    def _show_reference(self) -> None:
        self.show_file(resources_dir() / self._reference)

    def _choose(self) -> None:
        chosen, _ = QFileDialog.getOpenFileName(self, self._opening, "", self._filters)
        if chosen:
            self.show_file(Path(chosen))

    def _show_title(self, text: str) -> None:
        self.title.setText(text)
        self.told.emit(text)
