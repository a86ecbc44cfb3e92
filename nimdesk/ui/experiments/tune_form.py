"""The form of a tuning: an agent, the values of its options to try, and the test of the best of them."""

from __future__ import annotations

from collections.abc import Callable

from nimdesk.agents import Agent, make_agent
from nimdesk.agents.fields import whole_field
from nimdesk.experiments.hypotheses import OF_SCORE
from nimdesk.experiments.plan import Plan
from nimdesk.experiments.tuning import MOST_SETTINGS, VALUES, parse_settings, tuning_plan, with_budget
from nimdesk.search.options import MAX_SEED
from nimdesk.ui.experiments.agent_picks import AgentPicks
from nimdesk.ui.experiments.fields import CheckedLine, PositionsField, heading, number_row
from nimdesk.ui.experiments.plan_form import EditedForm, Field
from nimdesk.ui.look.forms import OptionEdit
from nimdesk.ui.look.widgets import label

_ABOUT = "OPTION=LOW..HIGH, such as exploration=0.1..3, or a list of values; several options with spaces between them."


class TuneForm(EditedForm):
    """Makes a plan of a tuning, as ``nimdesk tune`` does."""

    def __init__(self, on_board: Callable[[], str]) -> None:
        super().__init__()
        self.agents = AgentPicks([make_agent("uct")], named=False)
        self.agents.add.hide()  # one agent is tuned
        self.ranges = CheckedLine("Values to try", "exploration=0.1..3", _ABOUT, self._read_ranges)
        about = "Of each move: a number, or a time such as 20ms."
        self.budget = CheckedLine("Budget of a move", "200", about, lambda text: with_budget(self._chosen, text))
        self.positions = PositionsField("nim:3,4,5", on_board)
        self.values = OptionEdit(
            whole_field("values", "Values of a range", "So many are tried.", VALUES, 2, MOST_SETTINGS)
        )
        self.games = OptionEdit(
            whole_field(
                "games", "Games", "Of each value in the first round, from each position and role.", 50, 1, 10**6
            )
        )
        self.confirm = OptionEdit(
            whole_field("confirm", "Games of the test", "At most so many, counted like the others.", 5_000, 1, 10**6)
        )
        self.elo1 = OptionEdit(
            whole_field("elo1", "Elo H1", f"The test is of 0 against this. {OF_SCORE}", 30, 1, 4_000)
        )
        self.opening = OptionEdit(
            whole_field("opening", "Random opening moves", "So many first moves are random.", 0, 0, 100)
        )
        self.seed = OptionEdit(whole_field("seed", "Seed", "What all seeds are derived from.", 0, 0, MAX_SEED))
        self._lay_out()
        fields = (self.agents.changed, self.ranges.changed, self.budget.changed, self.positions.changed)
        self._follow(self._on_edit, self.numbers, *fields)
        self._on_edit()
        self.edited = False

    @property
    def numbers(self) -> tuple[OptionEdit, ...]:
        return self.values, self.games, self.confirm, self.elo1, self.opening, self.seed

    @property
    def picks(self) -> AgentPicks:
        return self.agents

    def _fields_by_name(self) -> dict[str, Field]:
        lines: dict[str, Field] = {"ranges": self.ranges, "budget": self.budget, "positions": self.positions}
        return lines | {edit.field.name: edit for edit in self.numbers}

    def _lay_out(self) -> None:
        layout = self._column()
        layout.addWidget(self.agents)
        for words, line, about in (("Values to try", self.ranges, _ABOUT), ("Budget of a move", self.budget, "")):
            title = heading(words)
            title.setBuddy(line.line)
            layout.addWidget(title)
            layout.addWidget(line)
            if about:
                layout.addWidget(label(about, role="muted", wrap=True))
        layout.addWidget(self.positions)
        layout.addLayout(number_row(self.values, self.games, self.confirm))
        layout.addLayout(number_row(self.elo1, self.opening, self.seed))
        self._end(layout)
        self.setFocusProxy(self.ranges.line)

    def take(self, plan: Plan) -> bool:
        """It holds no plan that was made: its rounds do not say of which ranges they are."""
        return False

    @property
    def _chosen(self) -> Agent:
        return self.agents.agents[0]

    def _read_ranges(self, text: str) -> object:
        values, seed = self.values.value, self.seed.value
        assert isinstance(values, int)
        assert isinstance(seed, int)
        return parse_settings(self._chosen, text.split(), values=values, seed=seed)

    def _on_edit(self) -> None:
        if self._setting:
            return
        self.edited = True
        checks = [self.agents.check(), self.ranges.check(), self.budget.check(), self.positions.check()]
        self._make(self._plan, checks, self.numbers)
        most = "" if self.schedule is None else f"At most {self.schedule.total:,} games."
        self.work.setText(most)
        self.use.setEnabled(self.plan is not None)
        self.changed.emit()

    def _plan(self) -> Plan:
        agent = with_budget(self._chosen, self.budget.text)
        values, games, confirm, elo1, opening, seed = (int(edit.value or 0) for edit in self.numbers)
        settings = parse_settings(agent, self.ranges.text.split(), values=values, seed=seed)
        how = {"games": games, "confirm": confirm, "opening_plies": opening, "seed": seed}
        return tuning_plan(agent, settings, self.positions.texts, elo1=float(elo1), **how)
