"""What teachers do in the window: lessons on paper, and lessons of their own."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from nimdesk.disk import paths
from nimdesk.errors import NimdeskError
from nimdesk.ui.jobs.bridge import Bridge, Job
from nimdesk.ui.shell.lessons import Lessons
from nimdesk.ui.shell.window import MainWindow

if TYPE_CHECKING:
    from nimdesk.lessons import Lesson
    from nimdesk.lessons.judging import Key

_TOLD_MS = 8000


class Teaching(QObject):
    """Prints the lesson under way, or one that is asked for."""

    def __init__(self, window: MainWindow, lessons: Lessons) -> None:
        super().__init__(window)
        self._window, self._lessons = window, lessons
        self._bridge = Bridge("nimdesk-keys", what="The answer key", parent=self)

    def connect_actions(self, connect: Callable[[str, Callable[[], object]], object]) -> None:
        """Tie the actions to what they do."""
        connect("worksheet", partial(self._ask_print, key=False))
        connect("answer_key", partial(self._ask_print, key=True))

    def shutdown(self) -> None:
        """End the thread; call it after the window is hidden."""
        self._bridge.shutdown()

    def _ask_print(self, *, key: bool) -> None:
        lesson = self._lessons.lesson or self._asked()
        if lesson is not None:
            self.print_lesson(lesson, key=key)

    def _asked(self) -> Lesson | None:
        """A lesson from a file, of those that come with nimdesk or another one."""
        from PySide6.QtWidgets import QFileDialog  # lazy: not before the first paint

        from nimdesk.lessons import load_lesson  # lazy: with numpy, as above

        folder, kinds = str(paths.resources_dir() / "lessons"), f"Lessons (*{paths.LESSONS})"
        name, _ = QFileDialog.getOpenFileName(self._window, "Print a lesson", folder, kinds)
        if not name:
            return None
        try:
            return load_lesson(Path(name))
        except NimdeskError as error:
            self._warn(str(error))
            return None

    def print_lesson(self, lesson: Lesson, *, key: bool) -> None:
        """Ask for a file, and print the lesson there, with its answers once they are worked out if ``key``."""
        from nimdesk.lessons.keys import keys_of  # lazy, as above
        from nimdesk.ui.look.desktop import ask_save_path

        what = "answer key" if key else "worksheet"
        start = paths.documents_dir() / f"{paths.file_name(lesson.title)} {what}.pdf"
        path = ask_save_path(self._window, f"Print {what}", start, "PDF (*.pdf)")
        if path is None:
            return
        if not key:
            self._write(lesson, path, ())
            return
        self._window.status.showMessage("The answers are being worked out…")

        def work(job: Job) -> tuple[Key, ...]:
            return keys_of(lesson, job.stopping)

        self._bridge.start(work, done=partial(self._write, lesson, path), failed=self._warn)

    def _write(self, lesson: Lesson, path: Path, keys: tuple[Key, ...]) -> None:
        from nimdesk.disk.atomic import write_file  # lazy, as above
        from nimdesk.ui.paper.worksheet import worksheet_file

        try:
            write_file(path, worksheet_file(lesson, keys))
            self._window.status.showMessage(f"Saved to {path}", _TOLD_MS)
        except NimdeskError as error:
            self._warn(str(error))

    def _warn(self, sentence: str) -> None:
        from nimdesk.ui.look.desktop import warn  # lazy, as above

        self._window.status.clearMessage()
        warn(self._window, sentence)
