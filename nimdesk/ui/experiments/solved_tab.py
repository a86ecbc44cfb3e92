"""The tab of solved boards: what the starts of games are worth, beside the published values; each can be played."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from nimdesk.disk.atomic import write_file
from nimdesk.disk.paths import existing, resources_dir
from nimdesk.disk.provenance import Provenance, write_beside
from nimdesk.errors import NimdeskError
from nimdesk.experiments.solved import (
    SOLVED_HEADERS,
    SOLVED_TIPS,
    SolvedFile,
    SolvedRow,
    solved_cells,
    solved_csv,
    solved_rows,
    solved_words,
    source_words,
)
from nimdesk.games import kit_of, parse_position
from nimdesk.play import GameInProgress, Human
from nimdesk.ui.experiments.exports import TABLES
from nimdesk.ui.experiments.tables import RowsView
from nimdesk.ui.jobs.bridge import Bridge
from nimdesk.ui.look.desktop import ask_save_path
from nimdesk.ui.look.widgets import label

_FILES = "Solved boards (*.json);;All files (*)"
_WORDS = (0, 1, 6, 8)


class SolvedTab(QWidget):
    """A file of results of “nimdesk atlas solved”, as a table; at first, as soon as it is seen, the one that comes with
    nimdesk.
    """

    told = Signal(str)
    """One sentence for the status line."""
    game_wanted = Signal(object)
    """The person opened the board of this ``GameInProgress``."""
    certificate_wanted = Signal(object)
    """The person wants to play against the certificate of this position."""

    def __init__(self) -> None:
        super().__init__()
        self._asked = False
        self.jobs = Bridge("nimdesk-solved", parent=self)
        self.title, self.found = label(role="muted", wrap=True), label(role="muted", wrap=True)
        self.table = RowsView("Solved boards")
        self._rows: list[SolvedRow] = []
        self._made: list[Provenance] = []
        self.open, self.reference = QPushButton("&Open a table…"), QPushButton("&Reference run")
        self.open.setToolTip("A file that “nimdesk atlas solved --out FILE.json” has made")
        self.reference.setToolTip("The table that comes with nimdesk")
        self.table.setToolTip("Enter or a double click opens the board")
        self.export = QPushButton("Ex&port as CSV…")
        self.export.setToolTip("All rows, with the sources of the published values")
        self.export.setEnabled(False)
        self.certificate = QPushButton("Play against the cer&tificate")
        self.certificate.setToolTip("The proof of the value of the board chosen answers your moves, and says why")
        self.certificate.setEnabled(False)
        self._lay_out()
        self.open.clicked.connect(self._choose)
        self.reference.clicked.connect(self._show_reference)
        self.export.clicked.connect(self._export)
        self.certificate.clicked.connect(self._play_certificate)
        self.table.opened.connect(self._open_row)
        self.table.selectionModel().currentRowChanged.connect(lambda now, _before: self._tell_row(now.row()))

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        for widget in (self.open, self.reference, self.export, self.certificate):
            head.addWidget(widget)
        head.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 6, 8, 8)
        column.addLayout(head)
        column.addWidget(self.title)
        column.addWidget(self.table, 1)
        column.addWidget(self.found)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._asked:
            self._show_reference()

    def show_file(self, path: Path) -> None:
        """Read the results in a file and show them; what is wrong with it is said in one sentence."""
        self._asked = True
        self._show_title(f"Reading {path.name}…")
        self.jobs.start(lambda _job: _found(path), done=partial(self._on_read, path), failed=self._show_title)

    def shutdown(self) -> None:
        """End the thread."""
        self.jobs.shutdown()

    def _show_reference(self) -> None:
        self.show_file(resources_dir() / "solved.json")

    def _choose(self) -> None:
        chosen, _ = QFileDialog.getOpenFileName(self, "Open a table of solved boards", "", _FILES)
        if chosen:
            self.show_file(Path(chosen))

    def _show_title(self, text: str) -> None:
        self.title.setText(text)
        self.told.emit(text)

    def _on_read(self, path: Path, found: tuple[list[SolvedRow], list[Provenance]]) -> None:
        self._rows, self._made = found
        self.export.setEnabled(True)
        self._show_title(f"{path.name}: {solved_words(self._rows)}")
        self.table.show_rows(SOLVED_HEADERS, [solved_cells(row) for row in self._rows], _WORDS, SOLVED_TIPS)
        self.found.setText("\n".join(f"Made {made.words}." for made in self._made))

    def _tell_row(self, number: int) -> None:
        chosen = self._rows[number] if 0 <= number < len(self._rows) else None
        provable = chosen is not None and kit_of(parse_position(chosen.example)).new_certificate is not None
        self.certificate.setEnabled(provable)
        if chosen is not None:
            self.found.setText(source_words(chosen))

    def _play_certificate(self) -> None:
        self.certificate_wanted.emit(parse_position(self._rows[self.table.currentIndex().row()].example))

    def _open_row(self, number: int) -> None:
        start = parse_position(self._rows[number].example)
        self.game_wanted.emit(GameInProgress(start, (Human(), Human())))

    def _export(self) -> None:
        path = ask_save_path(self, "Export the table", Path("solved.csv"), TABLES)
        if path is None:
            return
        try:
            write_file(path, solved_csv(self._rows).encode())
            write_beside(path, {"rows": len(self._rows)}, self._made)
        except NimdeskError as error:
            self.told.emit(str(error))
        else:
            self.told.emit(f"Saved to {path}")


def _found(path: Path) -> tuple[list[SolvedRow], list[Provenance]]:
    file = SolvedFile(existing(path))
    return solved_rows(file), list(file.made)
