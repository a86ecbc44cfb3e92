"""The plan editor: a form for each kind that has one, and the JSON document for everything else."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from nimdesk.errors import NimdeskError, PlanError
from nimdesk.experiments.plan import Plan, plan_from_json
from nimdesk.experiments.schedule import schedule_of
from nimdesk.ui.experiments.fields import Problem
from nimdesk.ui.experiments.kinds import IN_WINDOW
from nimdesk.ui.experiments.plan_form import EditedForm
from nimdesk.ui.jobs.bridge import Bridge, Job

_CHECK_MS = 300


class PlanEditor(QTabWidget):
    """Edits one plan; ``use_wanted`` delivers it."""

    use_wanted = Signal(object)
    """The person is done with this ``Plan``."""
    changed = Signal()
    """``plan`` changed, or there no longer is one."""

    def __init__(self, on_board: Callable[[], str]) -> None:
        super().__init__()
        self.setDocumentMode(True)
        self.setAccessibleName("Plan editor")
        self.forms: list[EditedForm] = []
        for title, make in (form for each in IN_WINDOW.values() for form in each.forms):
            form = make(on_board)
            self.forms.append(form)
            scroll = QScrollArea()
            scroll.setWidget(form)
            scroll.setWidgetResizable(True)
            scroll.setFrameShape(QFrame.Shape.NoFrame)
            self.addTab(scroll, title)
            form.changed.connect(self._on_edit)
        self.json = JsonForm()
        self.json.edit.textChanged.connect(self._on_edit)
        self.addTab(self.json, "&JSON")
        made: list[EditedForm | JsonForm] = [*self.forms, self.json]
        for editing in made:
            editing.changed.connect(self.changed)
            editing.use.clicked.connect(self.use_plan)
        self.currentChanged.connect(self._on_tab)
        self.unused = False
        """Whether the person changed something that was not used since."""

    @property
    def form(self) -> EditedForm | None:
        """The form shown; None for the JSON document."""
        return self.forms[self.currentIndex()] if self.currentIndex() < len(self.forms) else None

    @property
    def plan(self) -> Plan | None:
        """The filled-in plan, checked; None while something is wrong."""
        return self.json.plan if self.form is None else self.form.plan

    def take(self, plan: Plan) -> None:
        """Edit a copy of this plan: in a form that can hold all of it, if there is one, else as JSON."""
        at = next((at for at, form in enumerate(self.forms) if form.take(plan)), len(self.forms))
        self.json.set_plan(plan)
        self.setCurrentIndex(at)
        self.unused = False

    def begin(self) -> None:
        """Show the first form."""
        self.setCurrentIndex(0)
        self.forms[0].setFocus()

    @property
    def text(self) -> str:
        """All that stands there, used or not."""
        return "".join([*(form.draft() for form in self.forms), self.json.edit.toPlainText()])

    def remember(self) -> str:
        """What is not used yet, for ``restore``: the form's draft or the document as it stands, or "" for nothing."""
        if not self.unused:
            return ""
        if self.form is None:
            return self.json.edit.toPlainText()
        # Who looks at another form before closing has filled in this one.
        return next((form for form in (self.form, *self.forms) if form.edited), self.form).draft()

    def restore(self, text: str) -> None:
        """Fill it in again; "" changes nothing."""
        if not text:
            return
        at = next((at for at, form in enumerate(self.forms) if form.take_draft(text)), None)
        if at is not None:
            self.setCurrentIndex(at)
        else:
            self._restore_json(text)
        self.unused = True

    def seat_awaited(self) -> None:
        for form in self.forms:
            form.seat_awaited()

    def _restore_json(self, text: str) -> None:
        try:
            plan = plan_from_json(text.encode())
            check_place(plan)
            self.take(plan)
        except NimdeskError:
            self.json.edit.setPlainText(text)
            self.setCurrentWidget(self.json)

    def _on_edit(self) -> None:
        self.unused = True

    def _on_tab(self) -> None:
        # The document follows the forms, not the other way round: they cannot hold every plan.
        for form in self.forms:
            if self.form is None and form.plan is not None and form.edited:
                unused = self.unused
                self.json.set_plan(form.plan)
                form.edited, self.unused = False, unused
        self.changed.emit()

    def use_plan(self) -> None:
        """Deliver the plan, if there is one."""
        if self.plan is not None:
            self.unused = False
            self.use_wanted.emit(self.plan)


class JsonForm(QWidget):
    """The JSON document, checked as it is typed, beside the window: a large plan takes seconds."""

    changed = Signal()
    """``plan`` changed, or there no longer is one."""

    def __init__(self) -> None:
        super().__init__()
        self.plan: Plan | None = None
        """The plan that stands there; None while something is wrong, or before it is checked."""
        self.jobs = Bridge("nimdesk-plan", parent=self)
        self._checking: Job | None = None
        self.edit = QPlainTextEdit()
        self.edit.setAccessibleName("Plan as JSON")
        self.edit.setTabChangesFocus(True)
        self.edit.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.problem = Problem()
        self.use = QPushButton("&Use this plan")
        row = QHBoxLayout()
        row.addWidget(self.problem, 1)
        row.addWidget(self.use)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 6, 0, 0)
        layout.addWidget(self.edit, 1)
        layout.addLayout(row)
        self._timer = QTimer(self, singleShot=True, interval=_CHECK_MS)
        self._timer.timeout.connect(self._check)
        self.edit.textChanged.connect(self._on_text)

    def set_plan(self, plan: Plan) -> None:
        """Write this plan in place of what stands there, which undoing brings back."""
        cursor = self.edit.textCursor()
        cursor.select(cursor.SelectionType.Document)
        cursor.insertText(plan.to_json().decode())
        self.edit.moveCursor(cursor.MoveOperation.Start)
        self._timer.stop()
        self._show(_checked(plan))

    def _on_text(self) -> None:
        if self._checking is not None:
            self._checking.drop()
        self._timer.start()
        if self.plan is not None:
            self._show((None, ""))

    def _check(self) -> None:
        data = self.edit.toPlainText().encode()
        self._checking = self.jobs.start(lambda _job: _checked(data), done=self._show, failed=self.problem.say)

    def _show(self, found: tuple[Plan | None, str]) -> None:
        self.plan, problem = found
        self.problem.say(problem)
        self.use.setEnabled(self.plan is not None)
        self.changed.emit()


def _checked(made: Plan | bytes) -> tuple[Plan | None, str]:
    """The plan if it can be run here, or what is wrong with it."""
    try:
        plan = plan_from_json(made) if isinstance(made, bytes) else made
        check_place(plan)
        schedule_of(plan)
    except NimdeskError as error:
        return None, str(error)
    return plan, ""


def check_place(plan: Plan) -> None:
    """``PlanError`` for a kind with a tab of its own; its positions are not worked out while the window waits."""
    for kind in plan.kinds:
        if kind in IN_WINDOW and IN_WINDOW[kind].own_tab:
            raise PlanError(f"The plan is one of {kind.words}, which has a tab of its own.")
