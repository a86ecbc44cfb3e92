"""Results to files: pictures of what is shown, texts, and the dialogs that ask where."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from nimdesk import paths
from nimdesk.atomic import os_error_words, write_atomically
from nimdesk.errors import ResultsError
from nimdesk.ui.laboratory.export_pictures import file_of, widget_sheet
from nimdesk.ui.look.desktop import ask_save_path

PICTURES = "PNG picture (*.png);;SVG drawing (*.svg)"
PLANS = "Plans (*.json);;All files (*)"
TABLES = "Tables (*.csv);;All files (*)"


class LastFolder:
    """Where a file was last opened or saved on this page."""

    def __init__(self) -> None:
        self._folder: Path | None = None

    def ask_save(self, parent: QWidget, title: str, name: str, filters: str) -> Path | None:
        """Where to write; None if the person changed their mind."""
        path = ask_save_path(parent, title, self._start / name, filters)
        if path is not None:
            self._folder = path.parent
        return path

    def ask_open(self, parent: QWidget, title: str, filters: str) -> Path | None:
        """What to read; None if the person changed their mind."""
        chosen, _ = QFileDialog.getOpenFileName(parent, title, str(self._start), filters)
        return self._kept(chosen)

    def ask_folder(self, parent: QWidget, title: str) -> Path | None:
        """A folder to write to; None if the person changed their mind."""
        return self._kept(QFileDialog.getExistingDirectory(parent, title, str(self._start)))

    def _kept(self, chosen: str) -> Path | None:
        if not chosen:
            return None
        self._folder = Path(chosen) if Path(chosen).is_dir() else Path(chosen).parent
        return Path(chosen)

    @property
    def _start(self) -> Path:
        return self._folder or paths.documents_dir()


def write_text(path: Path, text: str) -> None:
    """Replace the file as a whole; ``ResultsError`` where that cannot be done."""
    _write(path, text.encode())


def write_picture(widget: QWidget, path: Path) -> None:
    """The widget as it looks, as SVG where the name ends so, else as PNG at twice the size; else ``ResultsError``."""
    _write(path, file_of(widget_sheet(widget, widget.accessibleName()), path.suffix))


def _write(path: Path, data: bytes) -> None:
    try:
        write_atomically(path, data)
    except (OSError, ValueError) as error:
        raise ResultsError(f"“{path}” cannot be written: {os_error_words(error)}.") from error
