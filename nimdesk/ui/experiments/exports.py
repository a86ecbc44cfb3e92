"""Results to files: pictures of what is shown, texts, and the dialogs that ask where."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

from PySide6.QtCore import QByteArray, QPoint, QRect, QSize
from PySide6.QtGui import QImage, QImageWriter, QPainter
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget

from nimdesk import paths
from nimdesk.atomic import os_error_words, write_atomically
from nimdesk.errors import ResultsError
from nimdesk.ui.plots.canvas import PlotCanvas
from nimdesk.ui.plots.exact import drawn_exactly
from nimdesk.ui.saving import ask_save_path

_SCALE = 2
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
    try:
        write_atomically(path, text.encode())
    except (OSError, ValueError) as error:
        raise ResultsError(f"“{path}” cannot be written: {os_error_words(error)}.") from error


def write_picture(widget: QWidget, path: Path) -> None:
    """The widget as it looks, as SVG where the name ends so, else as PNG at twice the size; else ``ResultsError``."""
    with ExitStack() as exactly:
        for plot in widget.findChildren(PlotCanvas):
            if plot.isVisible():
                exactly.enter_context(drawn_exactly(plot))
        if path.suffix.lower() == ".svg":
            _write_svg(widget, path)
        else:
            _write_png(widget, path)


def _write_png(widget: QWidget, path: Path) -> None:
    image = QImage(widget.size() * _SCALE, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(_SCALE)
    image.fill(widget.palette().window().color())
    widget.render(image)
    if not QImageWriter(str(path), QByteArray(b"png")).write(image):
        raise ResultsError(f"The picture “{path}” cannot be written; choose another folder or name.")


def _write_svg(widget: QWidget, path: Path) -> None:
    from PySide6.QtSvg import QSvgGenerator  # lazy: only who exports a drawing needs it

    generator = QSvgGenerator()
    generator.setFileName(str(path))
    # Letters as large, beside lines, as on the screen.
    generator.setResolution(round(QApplication.primaryScreen().logicalDotsPerInch()))
    size = widget.size()
    generator.setSize(QSize(size))
    generator.setViewBox(QRect(0, 0, size.width(), size.height()))
    generator.setTitle(widget.accessibleName())
    painter = QPainter()
    if not painter.begin(generator):
        raise ResultsError(f"The drawing “{path}” cannot be written; choose another folder or name.")
    painter.fillRect(widget.rect(), widget.palette().window())
    widget.render(painter, QPoint())
    painter.end()
