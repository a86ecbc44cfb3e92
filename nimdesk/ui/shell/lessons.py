"""Lessons in the window: begun from the menu or a file, gone through beside the pages, answered, and handed in."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtWidgets import QBoxLayout, QMenu

from nimdesk.disk import paths
from nimdesk.errors import LessonError, NimdeskError
from nimdesk.ui.jobs.bridge import Bridge, Job
from nimdesk.ui.look.widgets import keyless
from nimdesk.ui.shell.menus import Preferences
from nimdesk.ui.shell.window import MainWindow

if TYPE_CHECKING:
    from nimdesk.lessons import AnswerFile, Lesson, Verdict
    from nimdesk.lessons.judging import Key
    from nimdesk.lessons.model import Shown
    from nimdesk.ui.lessons.panel import LessonPanel
    from nimdesk.ui.shell.lesson_stage import LessonStage

_TOLD_MS = 8000


def asked_lesson(window: MainWindow, title: str, folder: Path) -> Lesson | None:
    """The lesson in the file that a person chooses; None for none, or for a broken one, which a message explains."""
    from PySide6.QtWidgets import QFileDialog  # lazy: not before the first paint

    name, _ = QFileDialog.getOpenFileName(window, title, str(folder), f"Lessons (*{paths.LESSONS})")
    return _lesson_in(window, Path(name)) if name else None


def _lesson_in(window: MainWindow, path: Path) -> Lesson | None:
    from nimdesk.lessons import load_lesson  # lazy: with numpy, not before the first paint
    from nimdesk.ui.look.desktop import warn

    try:
        return load_lesson(path)
    except NimdeskError as error:
        warn(window, str(error))
        return None


class Lessons(QObject):
    """One lesson at a time. Its answers are on the disk before the next step is shown."""

    changed = Signal()
    """A lesson was begun or left, or another step is shown."""

    def __init__(self, window: MainWindow, preferences: Preferences, new_stage: Callable[[], LessonStage]) -> None:
        """``new_stage`` makes the pages the stage of a lesson, as they are then."""
        super().__init__(window)
        self._window, self._preferences, self._new_stage = window, preferences, new_stage
        self.panel: LessonPanel | None = None
        """The pane; None until the first lesson is begun."""
        self.lesson: Lesson | None = None
        """The lesson under way."""
        self._file: AnswerFile
        self._stage: LessonStage
        self._shown: Shown
        """The step shown; at the end, the last one."""
        self._verdict: Verdict | None = None
        self._said = ""
        self._hinted = self._solved = self._found = False
        self._begun_s = 0.0
        self._job: Job | None = None
        self._bridge = Bridge("nimdesk-lessons", what="The answer", parent=self)
        window.installEventFilter(self)

    def connect_actions(self, connect: Callable[[str, Callable[[], object]], object]) -> None:
        """Tie the actions to what they do."""
        connect("first_lesson", self.begin_first)
        connect("lesson_next", self.go_on)
        connect("lesson_back", self.go_back)
        self._enable()

    def fill_menu(self, menu: QMenu) -> None:
        """Add a menu of the lessons that come with nimdesk, those that are done with a tick."""
        lessons = menu.addMenu("&Lessons")
        lessons.aboutToShow.connect(partial(self._list, lessons))

    def _list(self, menu: QMenu) -> None:
        from nimdesk.lessons import AnswerFile, shipped_lessons  # lazy: with numpy, not before the first paint

        menu.clear()
        for lesson in shipped_lessons():
            kept = AnswerFile(lesson)
            if kept.problem:
                self._window.status.showMessage(kept.problem, _TOLD_MS)
            action = menu.addAction(keyless(f"{'✓ ' if kept.done else ''}{lesson.number}. {lesson.title}"))
            action.setStatusTip(" ".join(lesson.about.split()))
            action.triggered.connect(partial(self.begin, lesson))
        menu.addSeparator()
        menu.addAction("&Open a lesson…").triggered.connect(self._ask_open)

    # Beginning

    def begin_first(self) -> None:
        """Begin the first of the lessons that come with nimdesk."""
        from nimdesk.lessons import shipped_lessons  # lazy, as above

        self.begin(shipped_lessons()[0])

    def open(self, path: Path) -> None:
        """Begin the lesson in this file; a broken file gives one sentence and changes nothing."""
        lesson = _lesson_in(self._window, path)
        if lesson is not None:
            self.begin(lesson)

    def _ask_open(self) -> None:
        lesson = asked_lesson(self._window, "Open a lesson", paths.documents_dir())
        if lesson is not None:
            self.begin(lesson)

    def begin(self, lesson: Lesson, *_: object) -> None:
        """Begin a lesson, where it was left; one that is done begins anew, and keeps its answers."""
        from nimdesk.lessons import AnswerFile  # lazy, as above
        from nimdesk.ui.look.desktop import warn

        self.leave()
        self._make_panel()
        self.lesson, self._file = lesson, AnswerFile(lesson)
        if self._file.done:
            self._keep(at=1)
        self._stage = self._new_stage()
        self._stage.changed.connect(self._draw)
        self._stage.answered.connect(self._on_answer)
        assert self.panel is not None
        self._stage.arrived.connect(self.panel.take_keyboard)
        self.panel.show()
        self._arrive()
        if self._file.problem:
            warn(self._window, self._file.problem)

    def _make_panel(self) -> None:
        if self.panel is not None:
            return
        from nimdesk.ui.lessons.panel import WIDTH, LessonPanel  # lazy: not before the first paint

        self.panel = panel = LessonPanel()
        panel.setMaximumWidth(WIDTH)
        layout = self._window.middle.layout()
        assert isinstance(layout, QBoxLayout)
        layout.insertWidget(0, panel)
        for signal, slot in (
            (panel.next_wanted, self.go_on),
            (panel.back_wanted, self.go_back),
            (panel.leave_wanted, self.leave),
            (panel.hint_wanted, self._show_hint),
            (panel.solution_wanted, self._ask_solution),
            (panel.save_wanted, self._ask_save),
            (panel.following_wanted, self._begin_following),
            (panel.answered, self._on_answer),
            (panel.person_named, self._on_named),
        ):
            signal.connect(slot)

    @property
    def _following(self) -> Lesson | None:
        """The lesson after this one, of those that come with nimdesk."""
        from nimdesk.lessons import shipped_lessons  # lazy, as above

        course = shipped_lessons()
        after = course.index(self.lesson) + 1 if self.lesson in course else len(course)
        return course[after] if after < len(course) else None

    def _begin_following(self) -> None:
        if (lesson := self._following) is not None:
            self.begin(lesson)

    def leave(self) -> None:
        """End the lesson here: the next time it goes on from this step. The window is as it was before."""
        if self.lesson is None:
            return
        self._drop()
        self.lesson = None
        self._stage.leave()
        if self.panel is not None:
            self.panel.hide()
        self._enable()
        self.changed.emit()

    def shutdown(self) -> None:
        """End the thread; call it after the window is hidden."""
        self._bridge.shutdown()

    # Going through

    @property
    def number(self) -> int:
        """The step shown, from 1; one more than there are at the end."""
        return self._file.answers.at

    @property
    def _at_end(self) -> bool:
        return self.lesson is None or self._file.done

    def go_on(self) -> None:
        """Show the next step; after the end, leave the lesson."""
        if self.lesson is None or not self._may_go_on:
            return
        if self._at_end:
            self.leave()
            return
        self._keep(at=self.number + 1)
        self._arrive()

    def go_back(self) -> None:
        """Show the step before."""
        if self.lesson is not None and self.number > 1:
            self._keep(at=self.number - 1)
            self._arrive()

    def _arrive(self) -> None:
        assert self.lesson is not None
        self._drop()
        self._verdict, self._said, self._begun_s = None, "", time.monotonic()
        self._hinted = self._solved = self._found = False
        self._shown = self.lesson.at(min(self.number, len(self.lesson.steps)))
        if not self._at_end:
            shown, answered = self._shown, self._file.answers.of(self.number)
            after = shown.show.truth == "after" and answered is not None and answered.right is not False
            truth = shown.show.truth == "shown" or after
            self._stage.show(shown, self.lesson.locked, anew=self.number == 1, truth=truth)
        self._draw()
        self.changed.emit()

    @property
    def _may_go_on(self) -> bool:
        if self.lesson is None or self._at_end:
            return True
        step = self._shown.step
        answered = step.task is None or self._file.answers.of(self.number) is not None
        waits = bool(step.found) and not self._stage.ready
        return not waits and (answered or "next" not in self.lesson.locked)

    def _keep(self, **values: Any) -> None:
        """Keep what has changed; where the disk cannot, the lesson goes on, and a sentence says so."""
        try:
            self._file.keep(msgspec.structs.replace(self._file.answers, **values))
        except LessonError as error:
            self._window.status.showMessage(str(error), 0)

    # Answers

    def _on_answer(self, answer: object) -> None:
        from nimdesk.lessons import judge  # lazy, as above

        if self._at_end:
            return  # the board of the last step is still there, but nothing is asked any more
        shown = self._shown
        self._drop()
        self._job = self._bridge.start(
            lambda job: judge(shown, answer, job.stopping),
            done=partial(self._on_verdict, self.number, answer),
            failed=self._on_failed,
        )
        self._draw()

    def _on_verdict(self, number: int, answer: object, verdict: Verdict) -> None:
        from nimdesk.lessons import StepAnswer  # lazy, as above
        from nimdesk.lessons.model import is_prediction
        from nimdesk.lessons.words import verdict_words

        self._job, self._verdict = None, verdict
        before = self._file.answers.of(number)
        seconds = round(time.monotonic() - self._begun_s + (before.seconds if before else 0.0), 1)
        self._begun_s = time.monotonic()
        attempts = 1 + (before.attempts if before else 0)
        kept = StepAnswer(step=number, answer=answer, right=verdict.right, attempts=attempts, seconds=seconds)
        step, again = self._shown.step, before is not None
        if before is not None and is_prediction(step.task):
            kept = msgspec.structs.replace(before, attempts=attempts, seconds=seconds)
        self._keep(answers=self._file.answers.with_answer(kept).answers)
        self._said = verdict_words(step, verdict, again=again)
        if self._shown.show.truth == "after" and (verdict.right is not False or verdict.curve):
            self._stage.show_truth()
        self._draw()

    def _on_failed(self, sentence: str) -> None:
        self._job, self._said = None, sentence
        self._draw()

    def _show_hint(self) -> None:
        self._hinted = True
        self._draw()

    def _ask_solution(self) -> None:
        from nimdesk.lessons.judging import key_of  # lazy, as above

        shown = self._shown
        self._drop()
        self._job = self._bridge.start(
            lambda job: key_of(shown, job.stopping), done=self._on_solution, failed=self._on_failed
        )

    def _on_solution(self, key: Key) -> None:
        from nimdesk.lessons.words import key_words  # lazy, as above

        self._job, self._solved = None, True
        self._said = key_words(self._shown.step, key)
        if self._shown.show.truth == "after":
            self._stage.show_truth()
        self._draw()

    def _drop(self) -> None:
        if self._job is not None:
            self._job.drop()
            self._job = None

    # Handing in

    def _on_named(self, name: str) -> None:
        self._preferences.change(person=name)

    def _ask_save(self) -> None:
        from nimdesk.lessons.answers import write_answers  # lazy, as above
        from nimdesk.lessons.files import ANSWERS_SUFFIX
        from nimdesk.ui.look.desktop import save_as

        assert self.lesson is not None
        person = self._preferences.now.person.strip()
        self._keep(person=person)
        name = paths.file_name(f"{self.lesson.title} {person}".strip())
        start = paths.documents_dir() / f"{name}{ANSWERS_SUFFIX}"
        kinds, write = f"Answers (*{ANSWERS_SUFFIX})", partial(write_answers, self._file.answers)
        if path := save_as(self._window, "Save my answers", start, kinds, write):
            self._window.status.showMessage(f"Saved to {path}.", _TOLD_MS)

    # What is shown

    def _draw(self) -> None:
        from nimdesk.lessons.model import is_prediction  # lazy, as above
        from nimdesk.lessons.words import end_words, has_key, sign
        from nimdesk.ui.lessons.panel import PanelShown

        lesson, panel = self.lesson, self.panel
        if lesson is None or panel is None:
            return
        self._enable()
        of, number = len(lesson.steps), self.number
        if self._at_end:
            text, person = end_words(lesson, self._file.answers), self._preferences.now.person
            following = "" if (after := self._following) is None else after.title
            end = PanelShown(lesson.title, "The end", number, of, text, can_back=True, ends=True, person=person)
            panel.show_moment(replace(end, following=following))
            return
        shown, step = self._shown, self._shown.step
        ready = self._stage.ready
        self._found = self._found or ready
        problem = self._stage.problem
        found = step.found if self._found else ""
        if problem:
            found = f"The search could not run: {problem}"
        texts = (f"**{step.title}**" if step.title else "", step.text, found, f"*Hint:* {step.hint}" * self._hinted)
        answered = self._file.answers.of(number)
        wrong = answered is not None and answered.right is False
        done = answered is not None and (not wrong or is_prediction(step.task))
        panel.show_moment(
            PanelShown(
                lesson.title,
                f"Step {number} of {of}",
                number,
                of,
                "\n\n".join(filter(None, texts)),
                can_back=number > 1,
                asked=shown if step.task is not None else None,
                answer=None if answered is None else answered.answer,
                curve=() if self._verdict is None else self._verdict.curve,
                verdict=self._said or ("" if answered is None else sign(step, answered.right)),
                waits="Judging…" if self._job is not None else self._stage.waits,
                done=done,
                hint=bool(step.hint) and not self._hinted and not done,
                solution=wrong and not self._solved and has_key(step),
                can_next=self._may_go_on,
                busy=self._job is not None,
            )
        )

    def _enable(self) -> None:
        under_way = self.lesson is not None
        actions = self._window.actions_by_name
        actions["lesson_next"].setVisible(under_way)
        actions["lesson_next"].setEnabled(under_way and self._may_go_on)
        actions["lesson_back"].setVisible(under_way)
        actions["lesson_back"].setEnabled(under_way and self.number > 1)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self.lesson is not None:
            self._stage.place_ring()
        return False
