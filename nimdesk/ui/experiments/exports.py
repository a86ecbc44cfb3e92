"""What a tab of runs exports: tables, pictures, figures for print, and lines for a terminal or a notebook."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from nimdesk.disk import paths
from nimdesk.disk.atomic import write_file
from nimdesk.experiments.files import read
from nimdesk.experiments.plan import Plan
from nimdesk.experiments.report import files_in, only_table, write_files
from nimdesk.figures.content import Content
from nimdesk.figures.files import Look, files_of, write_figure
from nimdesk.ui.experiments import words
from nimdesk.ui.experiments.figures import Choice
from nimdesk.ui.experiments.run_head import RunHead
from nimdesk.ui.experiments.shown_results import ShownResults
from nimdesk.ui.figure_dialog import FIGURES, FigureDialog
from nimdesk.ui.jobs.bridge import Bridge, Job
from nimdesk.ui.laboratory.export_pictures import PICTURES, file_of, widget_sheet
from nimdesk.ui.look.desktop import ask_save_path, may_replace, only_itself

PLANS = "Plans (*.json);;All files (*)"
TABLES = "Tables (*.csv);;All files (*)"


class Files:
    """Asks a person for files and folders, from the folder that was chosen last."""

    def __init__(self, over: QWidget) -> None:
        """The dialogs are shown ``over`` this."""
        self.over, self._last = over, paths.documents_dir

    def to_open(self, title: str, filters: str) -> Path | None:
        """The file to open; None if the person changed their mind."""
        chosen, _ = QFileDialog.getOpenFileName(self.over, title, str(self._last()), filters)
        return self._chosen(Path(chosen), Path(chosen).parent) if chosen else None

    def to_save(
        self, title: str, name: str, filters: str, files: Callable[[Path], list[Path]] = only_itself
    ) -> Path | None:
        """Where to write; ``files`` as for ``ask_save_path``."""
        path = ask_save_path(self.over, title, self._last() / name, filters, files)
        return None if path is None else self._chosen(path, path.parent)

    def folder(self, title: str) -> Path | None:
        """The folder to write into."""
        chosen = QFileDialog.getExistingDirectory(self.over, title, str(self._last()))
        return self._chosen(Path(chosen), Path(chosen)) if chosen else None

    def _chosen(self, path: Path, folder: Path) -> Path:
        self._last = lambda: folder
        return path


class Exportable(Protocol):
    """What a tab has to be exported."""

    @property
    def plan(self) -> Plan | None:
        """The plan shown, or None."""

    @property
    def picture(self) -> QWidget:
        """The content of an exported picture."""

    def figures(self) -> list[Choice]:
        """The figures for print that the results shown allow."""


class Exports:
    """Writes and copies what a tab shows; each asks for what it needs to know, and says what came of it."""

    def __init__(self, tab: Exportable, shown: ShownResults, files: Files, head: RunHead, jobs: Bridge) -> None:
        self._tab, self._shown, self._files, self._head, self._jobs = tab, shown, files, head, jobs

    def tables(self) -> None:
        """Write the one table of a study or an atlas; of other results all tables and a report, into a folder."""
        frame = self._shown.frame
        if frame is None or frame.path is None:
            return
        if (table := only_table(frame.found)) is not None:
            self._save("Export the results", table[0], TABLES, table[1])
            return
        path, title = frame.path, "Export the tables into a folder"
        folder = self._files.folder(title)
        if folder is not None and may_replace(self._files.over, title, files_in(folder)):
            self._head.told.emit("Writing the tables…")
            act = partial(_write_tables, path, folder)
            self._jobs.start(act, done=self._on_tables, failed=self._head.say)

    def _on_tables(self, files: list[Path]) -> None:
        words = f"{len(files)} files were written to {files[0].parent}" if files else "Nothing to write yet."
        self._head.told.emit(words)

    def picture(self) -> None:
        """Write the picture as SVG or PDF, or as PNG at twice the size."""
        picture, plan = self._tab.picture, self._tab.plan
        name = next((kind.name for kind in plan.kinds if kind.alone), "chart") if plan is not None else "chart"
        self._save(
            "Export the picture",
            f"{name}.png",
            PICTURES,
            lambda path: file_of(widget_sheet(picture, picture.accessibleName()), path.suffix),
        )

    def plan(self) -> None:
        """Write the plan as JSON."""
        plan = self._tab.plan
        if plan is not None:
            self._save("Save the plan", f"{paths.file_name(plan.name)}.json", PLANS, lambda _path: plan.to_json())

    def figure(self) -> None:
        """Ask what a figure for print is to show and how it is to look, and write it."""
        if self._shown.frame is not None:
            self.ask_figure(self._tab.figures(), self._files.over)

    def ask_figure(self, choices: list[Choice], over: QWidget) -> None:
        """Ask which of these a figure is to show and how it is to look, and write it."""
        dialog = FigureDialog([words for words, _made in choices], lambda at: choices[at][1](), over)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.save_wanted.connect(self._on_figure)
        dialog.open()

    def _on_figure(self, content: Content, look: Look) -> None:
        plan, frame = self._tab.plan, self._shown.frame
        path = self._files.to_save("Save the figure", "figure.pdf", FIGURES, files_of)
        if path is None or plan is None:
            return
        about = {"plan": plan.name, "digest": "" if frame is None else frame.schedule.digest}
        self._head.told.emit("Drawing the figure…")
        act, drawn = partial(write_figure, content, look, path, about), partial(self._on_drawn, content)
        self._jobs.start(lambda _job: act(), done=drawn, failed=self._head.say)

    def _on_drawn(self, content: Content, files: list[Path]) -> None:
        QGuiApplication.clipboard().setText(content.caption)
        self._head.say("")
        self._head.told.emit(f"Saved to {files[0]}, with its data and script beside it; the caption was copied.")

    def command(self) -> None:
        """Copy the terminal command to the clipboard."""
        plan, path = self._tab.plan, self._shown.path
        if plan is not None and path is not None:
            self._head.attempt(lambda: self._copy(words.command(plan, path)))

    def python(self) -> None:
        """Copy a script that has the results; that of a study goes on with it where it was stopped."""
        plan, path = self._tab.plan, self._shown.path
        if plan is not None and path is not None:
            QGuiApplication.clipboard().setText(words.script(plan, path))
            self._head.told.emit("Copied as Python.")

    def _copy(self, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self._head.told.emit(f"Copied: {text}")

    def _save(self, title: str, name: str, filters: str, data: Callable[[Path], bytes]) -> None:
        path = self._files.to_save(title, name, filters)
        if path is not None:
            self._head.attempt(lambda: write_file(path, data(path)), f"Saved to {path}")


def _write_tables(path: Path, folder: Path, job: Job) -> list[Path]:
    return write_files(read(path, job.check), folder)
