"""A list of configured agents: one row each, with its kind, its options and, in a match, its name."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QToolButton, QVBoxLayout, QWidget

from nimdesk.agents import Agent, PublishedAgent, make_agent, proposed
from nimdesk.experiments.parts import set_by_study
from nimdesk.ui.dialogs import AgentOptionsDialog
from nimdesk.ui.experiments.fields import Problem, heading
from nimdesk.ui.look.agent_choice import AgentChoice
from nimdesk.ui.look.widgets import label, name_choice, tip

MAX_ROWS = 24


def match_name(agent: Agent) -> str:
    """The default name of a player in a match, such as "uct 500 (exploration=0.5)"."""
    name, _, options = agent.label.partition(":")
    traits, time_s = agent.traits, agent.limit.time_s
    limits = []
    if traits.budget is not None and traits.counts == "iterations":
        budget = getattr(agent.options, traits.budget)
        limits += [f"{budget:,}{' playouts' * traits.per_move}"] if budget is not None else []
    if traits.time is not None and time_s is not None:
        limits.append(f"{time_s:,} s")
    words = " ".join([name, *limits])
    return f"{words} ({options})" if options else words


class AgentPick(QFrame):
    """One agent."""

    changed = Signal()
    """The agent, its options or its name changed."""
    removal_wanted = Signal()
    """The cross was pressed."""

    def __init__(self, agent: Agent, *, named: bool) -> None:
        """``named``: a player of a match, with a name and limits of its own; else an agent of a study."""
        super().__init__()
        self._agent, self._named = agent, named
        self._own_name = ""
        self.setObjectName("agent")
        self.choice = AgentChoice()
        self.choice.activated.connect(self._on_chosen)
        self.options = QToolButton()
        self.options.setText("Options…")
        self.options.clicked.connect(self.ask_options)
        self.remove = QToolButton(autoRaise=True)
        self.remove.setText("✕")
        self.remove.clicked.connect(self.removal_wanted)
        self.words = label(role="muted")
        self.name = QLineEdit()
        self.name.setMaxLength(80)
        self.name.textEdited.connect(self._on_name)
        row = QHBoxLayout()
        row.setSpacing(4)
        row.addWidget(self.choice, 1)
        row.addWidget(self.options)
        row.addWidget(self.remove)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(1)
        layout.addLayout(row)
        layout.addWidget(self.name if named else self.words)
        self._show()

    @property
    def agent(self) -> Agent:
        """The configured agent."""
        return self._agent

    @property
    def player_name(self) -> str:
        """Its name in a match."""
        return self._own_name or match_name(self._agent)

    def set_agent(self, agent: Agent, name: str = "") -> None:
        self._agent, self._own_name = agent, name if name != match_name(agent) else ""
        self._show()

    def set_number(self, number: int, *, alone: bool) -> None:
        """Number the rows for screen readers; the last row cannot be removed."""
        what = f"{'player' if self._named else 'agent'} {number}"
        name_choice(self.choice, what.capitalize())
        self.options.setAccessibleName(f"Options of {what}")
        self.remove.setAccessibleName(f"Remove {what}")
        self.name.setAccessibleName(f"Name of {what}")
        self.remove.setVisible(not alone)

    def _show(self) -> None:
        self.choice.show_key(self._agent.name)
        hidden = frozenset[str]() if self._named else set_by_study(self._agent)
        self.options.setEnabled(any(field.name not in hidden for field in self._agent.info.fields))
        text = self._agent.label
        self.words.setText(text.partition(":")[2].replace(",", ", "))
        self.words.setToolTip(tip(text))
        self.words.setVisible(":" in text and not self._named)
        if not self.name.hasFocus():
            self.name.setText(self.player_name)

    def _on_chosen(self, index: int) -> None:
        chosen = self.choice.itemData(index)
        if isinstance(chosen, PublishedAgent):
            self._agent = chosen.agent
            self._own_name = chosen.name if self._named else ""
        elif isinstance(chosen, str) and chosen != self._agent.name:
            self._agent, self._own_name = make_agent(chosen), ""
        self._show()
        self.changed.emit()

    def _on_name(self, text: str) -> None:
        self._own_name = text.strip()
        self.changed.emit()

    def ask_options(self) -> None:
        """Open the dialog of its options."""
        agent = self._agent
        about = agent.info.about
        if not self._named:
            about += " How long it searches, and its seeds, are set by the study."
        hidden = frozenset[str]() if self._named else set_by_study(agent)
        dialog = AgentOptionsDialog(agent.info.title, about, agent, self.window(), hidden=hidden)
        if dialog.exec() and dialog.agent != agent:
            self.set_agent(dialog.agent, self._own_name)
            self.changed.emit()
        dialog.deleteLater()


class AgentPicks(QWidget):
    """The rows, and a button for one more."""

    changed = Signal()
    """The list, an agent or a name changed."""

    def __init__(self, agents: list[Agent], *, named: bool, minimum: int = 1) -> None:
        super().__init__()
        self._named, self._minimum = named, minimum
        self.rows: list[AgentPick] = []
        self.add = QToolButton()
        self.add.setText("Add")
        self.add.setAccessibleName("Add a player" if named else "Add an agent")
        self.add.clicked.connect(self._on_add)
        self.problem = Problem()
        head = QHBoxLayout()
        head.addWidget(heading("Players" if named else "Agents"), 1)
        head.addWidget(self.add)
        self._list = QVBoxLayout()
        self._list.setSpacing(4)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(3)
        layout.addLayout(head)
        layout.addLayout(self._list)
        layout.addWidget(self.problem)
        self.set_agents([(agent, "") for agent in agents])

    @property
    def agents(self) -> list[Agent]:
        """The agents in the order of their rows."""
        return [row.agent for row in self.rows]

    def set_agents(self, agents: list[tuple[Agent, str]]) -> None:
        """Show these agents with these names."""
        for row in self.rows[len(agents) :]:
            self._drop(row)
        del self.rows[len(agents) :]
        for number, (agent, name) in enumerate(agents):
            if number < len(self.rows):
                self.rows[number].set_agent(agent, name)
            else:
                self._append(agent, name)
        self._number()

    def check(self) -> bool:
        """Whether all are different; if not, the problem is shown."""
        names = [row.player_name if self._named else row.agent.label for row in self.rows]
        twice = next((name for number, name in enumerate(names) if name in names[:number]), "")
        what = "Two players are called" if self._named else "Twice there is the agent"
        self.problem.say(f"{what} “{twice}”; change the {'name' if self._named else 'options'} of one." * bool(twice))
        return not twice

    def _append(self, agent: Agent, name: str) -> None:
        row = AgentPick(agent, named=self._named)
        row.set_agent(agent, name)
        row.changed.connect(self._on_changed)
        row.removal_wanted.connect(self._on_removal)
        self.rows.append(row)
        self._list.addWidget(row)

    def _number(self) -> None:
        for number, row in enumerate(self.rows, 1):
            row.set_number(number, alone=len(self.rows) <= self._minimum)
        self.add.setEnabled(len(self.rows) < MAX_ROWS)

    def _on_add(self) -> None:
        self._append(proposed({row.agent.name for row in self.rows}), "")
        self._number()
        self._on_changed()
        self.rows[-1].choice.setFocus()

    def _on_removal(self) -> None:
        row = self.sender()
        assert isinstance(row, AgentPick)
        self.rows.remove(row)
        self._drop(row)
        self._number()
        self._on_changed()

    def _drop(self, row: AgentPick) -> None:
        self._list.removeWidget(row)
        row.hide()
        row.deleteLater()

    def _on_changed(self) -> None:
        self.check()
        self.changed.emit()
