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
from nimdesk.ui.shell.lessons import Lessons, asked_lesson
from nimdesk.ui.shell.other_pages import LaboratoryDoor
from nimdesk.ui.shell.window import MainWindow

if TYPE_CHECKING:
    from nimdesk.lessons import Lesson
    from nimdesk.lessons.judging import Key
    from nimdesk.lessons.model import Show
    from nimdesk.ui.lessons.editor import LessonEditor

_TOLD_MS = 8000


class Teaching(QObject):
    """Prints the lesson under way, or one that is asked for; and has the one draft of a lesson, with its editor."""

    def __init__(self, window: MainWindow, lessons: Lessons, laboratory: LaboratoryDoor) -> None:
        super().__init__(window)
        self._window, self._lessons, self._laboratory = window, lessons, laboratory
        self.editor: LessonEditor | None = None
        """The editor; None until it is first asked for."""
        self._bridge = Bridge("nimdesk-keys", what="The answer key", parent=self)

    def connect_actions(self, connect: Callable[[str, Callable[[], object]], object]) -> None:
        """Tie the actions to what they do."""
        connect("worksheet", partial(self._ask_print, key=False))
        connect("answer_key", partial(self._ask_print, key=True))
        connect("edit_lesson", self.edit)
        connect("lab_step", self.add_step)

    # A lesson of one's own

    def edit(self) -> None:
        """Open the editor, or bring it to the front."""
        editor = self._made_editor()
        editor.show()
        editor.raise_()
        editor.activateWindow()

    def add_step(self) -> None:
        """Make the present state of the laboratory a step of the lesson that is written."""
        editor = self._made_editor()
        editor.refresh()
        editor.steps.setCurrentRow(editor.steps.count() - 1)
        editor.add_step()
        count, title = editor.steps.count(), editor.draft.plain.get("title", "")
        self._window.status.showMessage(f"This is step {count} of “{title}” now; Ctrl+Alt+L edits it.", _TOLD_MS)

    def _made_editor(self) -> LessonEditor:
        if self.editor is None:
            from nimdesk.lessons.answers import answers_dir  # lazy: with numpy, not before the first paint
            from nimdesk.lessons.drafting import Draft
            from nimdesk.ui.lessons.editor import LessonEditor

            draft = Draft(answers_dir() / f"draft{paths.LESSONS}")
            self.editor = editor = LessonEditor(draft, self._taken, self._window)
            editor.save_wanted.connect(self._ask_save)
            editor.open_wanted.connect(self._ask_open)
            editor.try_wanted.connect(self._try)
            editor.worksheet_wanted.connect(partial(self.print_lesson, key=False))
            editor.key_wanted.connect(partial(self.print_lesson, key=True))
            editor.told.connect(partial(self._window.status.showMessage, timeout=0))
            if draft.problem:
                self._warn(draft.problem)
        return self.editor

    def keep(self) -> None:
        """Put what was typed on the disk at once."""
        if self.editor is not None:
            self.editor.check()

    def _taken(self) -> Show | None:
        from nimdesk.ui.lessons.editor import shown_by  # lazy, as above

        page = self._laboratory.page
        return None if page is None else shown_by(page)

    def _try(self, lesson: Lesson) -> None:
        """Begin it, with the editor out of the way."""
        assert self.editor is not None
        self.editor.hide()
        self._window.activateWindow()
        self._lessons.begin(lesson)
        self._window.status.showMessage("Ctrl+Alt+L brings the editor back.", _TOLD_MS)

    def _ask_save(self, lesson: Lesson) -> None:
        from nimdesk.lessons.files import save_lesson  # lazy, as above
        from nimdesk.ui.look.desktop import save_as

        start = paths.documents_dir() / f"{paths.file_name(lesson.title)}{paths.LESSONS}"
        kinds = f"Lessons (*{paths.LESSONS})"
        if path := save_as(self._window, "Save the lesson", start, kinds, partial(save_lesson, lesson)):
            self._window.status.showMessage(f"Saved to {path}", _TOLD_MS)

    def _ask_open(self) -> None:
        lesson = self._asked("Edit a lesson")
        if lesson is not None and self.editor is not None and self.editor.may_replace():
            self.editor.take_lesson(lesson)

    # On paper

    def shutdown(self) -> None:
        """End the thread; call it after the window is hidden."""
        self._bridge.shutdown()

    def _ask_print(self, *, key: bool) -> None:
        lesson = self._lessons.lesson or self._asked("Print a lesson")
        if lesson is not None:
            self.print_lesson(lesson, key=key)

    def _asked(self, title: str) -> Lesson | None:
        """A lesson from a file, of those that come with nimdesk or another one."""
        return asked_lesson(self._window, title, paths.resources_dir() / "lessons")

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
