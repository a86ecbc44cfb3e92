"""What the forms of plans share: they say how much work the plan is, or what is wrong, and can be kept as a draft."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias

import msgspec
from PySide6.QtCore import Signal, SignalInstance
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from nimdesk.agents import Agent, agent_from_json
from nimdesk.errors import NimdeskError
from nimdesk.experiments.plan import Plan
from nimdesk.experiments.schedule import Schedule, schedule_of
from nimdesk.ui.experiments.agent_picks import MAX_ROWS, AgentPicks
from nimdesk.ui.experiments.fields import CheckedLine, PositionsField, Problem
from nimdesk.ui.look.forms import OptionEdit
from nimdesk.ui.look.widgets import label

Field: TypeAlias = CheckedLine | PositionsField | OptionEdit | QComboBox | QCheckBox
"""What a form may have, besides agents."""


class FilledIn(Protocol):
    """What a person fills in on a tab, and what of it is kept for the next start."""

    @property
    def text(self) -> str:
        """All that stands there, used or not."""

    def remember(self) -> str:
        """What is not used, for ``restore``; "" for nothing."""

    def restore(self, text: str) -> None:
        """Fill it in again; "" changes nothing."""

    def seat_awaited(self) -> None:
        """Agents of plug-ins have come."""


class _Draft(msgspec.Struct, forbid_unknown_fields=True):
    """What stands in a form, right or wrong: its agents with their names, and the contents of its fields."""

    agents: list[tuple[dict[str, Any], str]]
    fields: dict[str, str | bool]


class PlanForm(QWidget):
    """Base of a form that makes a plan; below its fields it says how much work the plan is, or what is wrong."""

    changed = Signal()
    """The plan changed, or there no longer is one."""

    def __init__(self) -> None:
        super().__init__()
        self._setting = False
        self._awaited: tuple[str, str] | None = None
        """A draft with agents that are not there, and what of it was filled in."""
        self.schedule: Schedule | None = None
        """The filled-in plan, checked; None while something is wrong."""
        self.work = label(role="muted", wrap=True)
        self.problem = Problem()

    @property
    def plan(self) -> Plan | None:
        """The filled-in plan; None while something is wrong."""
        return None if self.schedule is None else self.schedule.plan

    # Each form provides these

    @property
    def picks(self) -> AgentPicks:
        """Its agents."""
        raise NotImplementedError

    def _fields_by_name(self) -> dict[str, Field]:
        """Everything else that is filled in."""
        raise NotImplementedError

    def _on_edit(self) -> None:
        raise NotImplementedError

    # A draft

    def draft(self) -> str:
        """All that stands in the form, be it in order or not, for ``take_draft``."""
        now = self._draft()
        # An agent that is missing is not in the form, but must not be forgotten.
        return self._awaited[0] if self._awaited is not None and self._awaited[1] == now else now

    def _draft(self) -> str:
        agents = [(row.agent.to_json(), row.player_name) for row in self.picks.rows]
        fields = {name: _content(field) for name, field in self._fields_by_name().items()}
        return msgspec.json.encode(_Draft(agents, fields)).decode()

    def take_draft(self, draft: str) -> bool:
        """Fill in what ``draft`` returned; False, and nothing is changed, for any other text.

        An agent that is not there is left out, which is said, and awaited until something else is filled in.
        """
        try:
            found = msgspec.json.decode(draft, type=_Draft)
        except (ValueError, RecursionError):
            return False
        if not found.fields.keys() <= self._fields_by_name().keys():
            return False  # it is of another form
        agents, problem = list[tuple[Agent, str]](), ""
        for data, name in found.agents[:MAX_ROWS]:
            try:
                agents.append((agent_from_json(data), name))
            except NimdeskError as error:
                problem = str(error)
        if agents:
            self.picks.set_agents(agents)
        self._on_edit()  # the agents decide what there is to choose from
        self._setting = True
        try:
            for field_name, field in self._fields_by_name().items():
                if field_name in found.fields:
                    _fill(field, found.fields[field_name])
        finally:
            self._setting = False
        self._on_edit()
        self._awaited = (draft, self._draft()) if problem else None
        if problem:
            self.problem.say(problem)
        return True

    def seat_awaited(self) -> None:
        """Agents of plug-ins have come: fill in those that were awaited, unless something else is there by now."""
        if self._awaited is not None and self._awaited[1] == self._draft():
            self.take_draft(self._awaited[0])

    def _follow(self, act: Callable[[], None], numbers: Sequence[OptionEdit], *signals: SignalInstance) -> None:
        """Call ``act`` after each edit."""
        for signal in signals:
            signal.connect(act)
        for edit in numbers:
            edit.value_committed.connect(act)
            edit.problem_changed.connect(act)

    def _make(self, make: Callable[[], Plan], checks: Sequence[bool], numbers: Sequence[OptionEdit]) -> None:
        """Make the plan if all fields are in order, and show what is wrong if not."""
        self.schedule = None
        problem = next((edit.problem for edit in numbers if edit.problem), "")
        if all(checks) and not problem:
            try:
                self.schedule = schedule_of(make())
            except NimdeskError as error:
                problem = str(error)
        self.problem.say(problem)


class EditedForm(PlanForm):
    """Base of a form in the editor of plans."""

    def __init__(self) -> None:
        super().__init__()
        self.edited = False
        """Whether the person changed something since ``take``."""
        self.use = QPushButton("&Use this plan")
        self.use.setToolTip("Show the plan, ready to be run with Start")

    def _column(self) -> QVBoxLayout:
        """The column of its fields, yet empty."""
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 8, 8, 8)
        layout.setSpacing(8)
        self.setMaximumWidth(760)
        return layout

    def _end(self, column: QVBoxLayout) -> None:
        """Put below the fields how much work the plan is, what is wrong, and the button."""
        column.addWidget(self.work)
        column.addWidget(self.problem)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(self.use)
        column.addLayout(row)
        column.addStretch(1)

    def take(self, plan: Plan) -> bool:
        """Fill in this plan; if the form cannot hold all of it, fill in only players and positions and return False."""
        raise NotImplementedError


def _content(field: Field) -> str | bool:
    if isinstance(field, QCheckBox):
        return field.isChecked()
    if isinstance(field, QComboBox):
        return str(field.currentData())
    if isinstance(field, PositionsField):
        return field.edit.toPlainText()
    return field.line.text() if isinstance(field, CheckedLine) else field.text()


def _fill(field: Field, content: str | bool) -> None:
    if isinstance(field, QCheckBox):
        field.setChecked(bool(content))
    elif isinstance(field, QComboBox):
        field.setCurrentIndex(max(0, field.findData(content)))
    elif isinstance(field, PositionsField):
        field.edit.setPlainText(str(content))
    elif isinstance(field, CheckedLine):
        field.set_text(str(content))
    else:
        field.enter(str(content))
