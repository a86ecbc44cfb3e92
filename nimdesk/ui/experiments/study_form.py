"""The form of a convergence study: from its fields to a plan, and back."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QGridLayout, QLabel, QVBoxLayout

from nimdesk.agents import Agent, NumberField, OptionValue, make_agent
from nimdesk.agents.fields import whole_field
from nimdesk.disk.provenance import cores
from nimdesk.errors import OptionError, PlanError
from nimdesk.experiments.budgets import Milliseconds, log_budgets, parse_budgets
from nimdesk.experiments.parts import MAX_REPEATS, MAX_STUDY_POSITIONS, PlayerPart, set_by_study, varied
from nimdesk.experiments.plan import Plan, study_plan
from nimdesk.experiments.schedule import schedule_of
from nimdesk.experiments.studies.work import Study
from nimdesk.search.options import MAX_SEED
from nimdesk.ui.experiments.agent_picks import AgentPicks
from nimdesk.ui.experiments.fields import CheckedLine, PositionsField, heading, number_row
from nimdesk.ui.experiments.plan_form import Field, PlanForm
from nimdesk.ui.look.forms import OptionEdit
from nimdesk.ui.look.widgets import label, narrow

DEFAULT_BUDGETS = "10-100000"
DEFAULT_SEEDS = 100
_MANY = 3
# Options that limit resources rather than decide the choice.
_UNVARIED = frozenset({"memory_mb", "threads"})
_VARY_EXAMPLE = "0.1, 0.3, 0.7, 1.4, 3"


class StudyForm(PlanForm):
    """Agents, an option to vary, positions, budgets, seeds and threads; each field says what is wrong with it."""

    def __init__(self, on_board: Callable[[], str]) -> None:
        super().__init__()
        self.agents = AgentPicks([make_agent("uct"), make_agent("mcts")], named=False)
        self.vary = QComboBox()
        self.vary.setAccessibleName("Option to vary")
        narrow(self.vary)
        about = "Each agent that has the option is studied once for each of these values, such as 0.1, 0.5, 1."
        self.values = CheckedLine("Values to vary over", _VARY_EXAMPLE, about, self._read_values)
        self.positions = PositionsField("nim:3,4,5", on_board, MAX_STUDY_POSITIONS)
        about = (
            "How long each search is, in iterations (or nodes, for agents that have no iterations): numbers with "
            "commas, or 10-10000 for 10, 20, 50, 100, … 10,000. Or in time, for all agents: 10ms, 0.5s, or 1ms-1s."
        )
        self.budgets = CheckedLine("Budgets", DEFAULT_BUDGETS, about, parse_budgets)
        self.seeds = OptionEdit(
            whole_field(
                "seeds", "Searches", "How many searches there are of each position by each agent.", DEFAULT_SEEDS, 1,
                MAX_REPEATS,
            )
        )  # fmt: skip
        self.seed = OptionEdit(
            whole_field("seed", "Seed", "What the seeds of all searches are derived from.", 0, 0, MAX_SEED)
        )
        self.threads = OptionEdit(
            whole_field(
                "threads", "Threads", "How many searches at a time; the results do not depend on it.",
                cores(), 1, 256,
            )
        )  # fmt: skip
        about = "How many positions the solver may visit to prove one."
        # Not shown, but kept with what is shown: a study that was opened has a number of its own.
        self.solver_nodes = OptionEdit(
            whole_field("solver_nodes", "Solver nodes", about, 5_000_000, 1, 1_000_000_000), self
        )
        self.solver_nodes.hide()
        self._lay_out()
        self._timed = False
        fields = (self.agents, self.values, self.positions, self.budgets)
        self._follow(self._on_edit, self.numbers, self.vary.activated, *(field.changed for field in fields))
        self._on_edit()

    @property
    def numbers(self) -> tuple[OptionEdit, ...]:
        return self.seeds, self.seed, self.threads

    @property
    def picks(self) -> AgentPicks:
        return self.agents

    def _fields_by_name(self) -> dict[str, Field]:
        return {
            "vary": self.vary,
            "values": self.values,
            "positions": self.positions,
            "budgets": self.budgets,
            **{edit.field.name: edit for edit in (*self.numbers, self.solver_nodes)},
        }

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 6, 8, 8)
        layout.setSpacing(8)
        layout.addWidget(self.agents)
        grid = QGridLayout()
        grid.setVerticalSpacing(2)
        grid.setHorizontalSpacing(6)
        vary = label("Vary")
        vary.setBuddy(self.vary)
        grid.addWidget(vary, 0, 0)
        grid.addWidget(self.vary, 0, 1)
        grid.addWidget(self.values, 1, 1)
        grid.setColumnStretch(1, 1)
        layout.addLayout(grid)
        layout.addWidget(self.positions)
        budgets = heading("Budgets")
        budgets.setBuddy(self.budgets.line)
        column = QVBoxLayout()
        column.setSpacing(3)
        column.addWidget(budgets)
        column.addWidget(self.budgets)
        layout.addLayout(column)
        layout.addLayout(number_row(*self.numbers))
        layout.addWidget(self.work)
        layout.addWidget(self.problem)
        layout.addStretch(1)

    # The plan

    @property
    def study(self) -> Study | None:
        """The filled-in study, checked; None while something is wrong."""
        return None if self.schedule is None else self.schedule.of(Study)

    def set_plan(self, plan: Plan) -> None:
        """Fill in this plan; ``NimdeskError``, changing nothing, if it is not a study or cannot be run."""
        study = schedule_of(plan).of(Study)
        if study is None:
            raise PlanError("The plan is not one of a convergence study: matches and tables have a tab of their own.")
        self._setting = True
        self.solver_nodes.set_value(study.part.solver_nodes)
        agents, option, values = unvaried(study.agents)
        self.agents.set_agents([(agent, "") for agent in agents])
        self._offer_fields()
        self.vary.setCurrentIndex(max(0, self.vary.findData(option)))
        self.values.set_text(", ".join(map(str, values)) or _VARY_EXAMPLE)
        self.positions.set_texts(study.part.positions)
        self.budgets.set_text(budgets_text(study.budgets))
        self.seeds.set_value(study.part.repeats)
        self.seed.set_value(plan.seed)
        self._setting = False
        self._on_edit()

    def set_enabled(self, enabled: bool) -> None:
        """Allow or forbid editing, which would change a running study."""
        # Disabling the whole form would take the keyboard from everything; the last field passes it on.
        words = self.findChildren(QLabel, options=Qt.FindChildOption.FindDirectChildrenOnly)
        for widget in (self.agents, self.vary, self.values, self.positions, self.budgets, *self.numbers, *words):
            widget.setEnabled(enabled)

    def _fields(self) -> dict[str, NumberField]:
        """The numbers of all agents that can be varied."""
        found: dict[str, NumberField] = {}
        for agent in self.agents.agents:
            hidden = set_by_study(agent)
            for field in agent.info.fields:
                if isinstance(field, NumberField) and field.name not in hidden | _UNVARIED:
                    found.setdefault(field.name, field)
        return found

    def _offer_fields(self) -> None:
        chosen, fields = self.vary.currentData(), self._fields()
        wanted = [("nothing", ""), *((field.title, name) for name, field in fields.items())]
        there = [(self.vary.itemText(i), self.vary.itemData(i)) for i in range(self.vary.count())]
        if wanted != there:
            self.vary.clear()
            for title, name in wanted:
                self.vary.addItem(title, name)
            self.vary.setCurrentIndex(max(0, self.vary.findData(chosen)))
        self.values.setVisible(bool(self.vary.currentData()))

    def _read_values(self, text: str) -> list[OptionValue]:
        field = self._fields().get(str(self.vary.currentData()))
        if field is None:
            return []
        values: list[OptionValue] = [field.parse(word) for word in text.split(",") if word.strip()]
        if not values:
            raise OptionError("Give the values, such as 0.1, 0.5, 1.")
        return values

    def _parts(self) -> list[PlayerPart]:
        option = str(self.vary.currentData() or "")
        parts: list[PlayerPart] = []
        for agent in self.agents.agents:
            part = PlayerPart(agent=agent.name, options=agent.character)
            if option and any(field.name == option for field in agent.info.fields):
                parts += varied(part, option, self._read_values(self.values.text))
            else:
                parts.append(part)
        return parts

    def _on_edit(self) -> None:
        if self._setting:
            return
        self._offer_fields()
        checks = [self.agents.check(), self.positions.check(), self.budgets.check()]
        if self.vary.currentData():
            checks.append(self.values.check())
        self._make(self._plan, checks, self.numbers)
        self._propose_threads()
        self.work.setText("" if self.study is None else size_words(self.study))
        self.changed.emit()

    def _propose_threads(self) -> None:
        """One where budgets become times, because searches at a time slow each other; what was typed since stays."""
        timed = self._timed if self.study is None else bool(self.study.part.unit)
        if timed is self._timed:
            return
        before, proposed = (cores(), 1) if timed else (1, cores())
        self._timed = timed
        if self.threads.value == before:
            self.threads.set_value(proposed)

    def _plan(self) -> Plan:
        seeds, seed, nodes = self.seeds.value, self.seed.value, self.solver_nodes.value
        assert isinstance(seeds, int)
        assert isinstance(seed, int)
        assert isinstance(nodes, int)
        budgets = parse_budgets(self.budgets.text)
        return study_plan(self._parts(), self.positions.texts, budgets, seeds, seed, nodes)


def unvaried(agents: Sequence[Agent]) -> tuple[list[Agent], str, list[OptionValue]]:
    """Fewer agents, an option and the three or more values that turn these into all; else all agents, and none."""
    labels = [agent.label for agent in agents]
    for option in [field.name for field in agents[0].info.fields if isinstance(field, NumberField)]:
        having = [agent for agent in agents if hasattr(agent.options, option)]
        values: list[OptionValue] = list(dict.fromkeys(getattr(agent.options, option) for agent in having))
        if len(values) < _MANY or None in values:
            continue
        bases: dict[str, Agent] = {}
        for agent in agents:
            rest = {name: value for name, value in agent.character.items() if name != option}
            base = make_agent(agent.name, rest)
            bases.setdefault(base.label, base)
        made = [
            changed.label
            for base in bases.values()
            for changed in (
                [base.with_options({option: value}) for value in values] if hasattr(base.options, option) else [base]
            )
        ]
        if made == labels:
            return list(bases.values()), option, values
    return list(agents), "", []


def budgets_text(budgets: tuple[int, ...]) -> str:
    """Such as "10-10000" for 10, 20, 50, …, 10,000; else all of them."""
    first, last = budgets[0], budgets[-1]
    unit = "ms" if isinstance(budgets, Milliseconds) else ""
    if len(budgets) > 2 and tuple(budgets) == log_budgets(first, last):
        return f"{first}{unit}-{last}{unit}"
    return ", ".join(f"{budget}{unit}" for budget in budgets)


def size_words(study: Study) -> str:
    """How much work it is, such as "200 searches: 2 agents, 1 position; each to 10,000 at 10 budgets."."""
    agents, positions, budgets = len(study.agents), len(study.positions), len(study.budgets)
    read = f"read at {budgets:,} budgets up to" if budgets > 1 else "up to"
    return (
        f"{study.tasks:,} searches: {agents:,} agent{'s' * (agents != 1)}, "
        f"{positions:,} position{'s' * (positions != 1)}; each {read} {study.part.words(study.budgets[-1])}."
    )
