"""What the forms of plans share: they say how much work the plan is, or what is wrong, and can be kept as a draft."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import msgspec
from PySide6.QtCore import Signal, SignalInstance
from PySide6.QtWidgets import QCheckBox, QComboBox, QWidget

from nimdesk.agents import agent_from_json
from nimdesk.errors import NimdeskError
from nimdesk.experiments.plan import Plan
from nimdesk.experiments.planned import schedule_of
from nimdesk.experiments.schedule import Schedule
from nimdesk.ui.experiments.agent_picks import MAX_ROWS, AgentPicks
from nimdesk.ui.experiments.fields import CheckedLine, PositionsField, Problem
from nimdesk.ui.look.forms import OptionEdit
from nimdesk.ui.look.widgets import label

Field: TypeAlias = CheckedLine | PositionsField | OptionEdit | QComboBox | QCheckBox
"""What a form may have, besides agents."""


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
        self.schedule: Schedule | None = None
        """The filled-in plan, checked; None while something is wrong."""
        self.work = label(role="muted", wrap=True)
        self.problem = Problem()

    @property
    def plan(self) -> Plan | None:
        """The same as a plan."""
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
        agents = [(row.agent.to_json(), row.player_name) for row in self.picks.rows]
        fields = {name: _content(field) for name, field in self._fields_by_name().items()}
        return msgspec.json.encode(_Draft(agents, fields)).decode()

    def take_draft(self, draft: str) -> bool:
        """Fill in what ``draft`` returned; False, and nothing is changed, for any other text."""
        try:
            found = msgspec.json.decode(draft, type=_Draft)
            agents = [(agent_from_json(data), name) for data, name in found.agents[:MAX_ROWS]]
        except (NimdeskError, ValueError, RecursionError):
            return False
        if not agents:
            return False
        self.picks.set_agents(agents)
        self._on_edit()  # the agents decide what there is to choose from
        self._setting = True
        for name, field in self._fields_by_name().items():
            if name in found.fields:
                _fill(field, found.fields[name])
        self._setting = False
        self._on_edit()
        return True

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
