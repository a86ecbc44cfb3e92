"""The form of a match or a tournament: players, positions, games, roles, openings, a sequential test."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

from msgspec import UNSET, UnsetType
from PySide6.QtWidgets import QCheckBox, QComboBox, QVBoxLayout, QWidget

from nimdesk.agents import make_agent
from nimdesk.agents.fields import real_field, whole_field
from nimdesk.agents.opening_rules import RULES
from nimdesk.errors import NimdeskError, PlanError
from nimdesk.experiments.hypotheses import OF_SCORE
from nimdesk.experiments.matches.work import Clock, MatchPart
from nimdesk.experiments.parts import PlayerPart
from nimdesk.experiments.plan import Plan, new_plan
from nimdesk.experiments.schedule import schedule_of
from nimdesk.experiments.statistics import Sprt
from nimdesk.games.base import MOST_PLIES
from nimdesk.search.options import MAX_SEED, MAX_TIME_S
from nimdesk.ui.experiments.agent_picks import AgentPicks
from nimdesk.ui.experiments.fields import CheckedLine, PositionsField, heading, number_row
from nimdesk.ui.experiments.plan_form import EditedForm, Field
from nimdesk.ui.look.forms import OptionEdit
from nimdesk.ui.look.widgets import label, name_choice


class MatchForm(EditedForm):
    """Makes a plan of one match."""

    def __init__(self, on_board: Callable[[], str]) -> None:
        super().__init__()
        self.title = CheckedLine("Title", "My experiment", "What the experiment is called.", _read_title)
        agents = [make_agent("uct", {"iterations": 500}), make_agent("mcts", {"iterations": 500})]
        self.players = AgentPicks(agents, named=True, minimum=2)
        self.positions = PositionsField("nim:3,4,5", on_board)
        self.format = QComboBox()
        self.format.addItem("Each against each", "round-robin")
        self.format.addItem("The first against each other", "gauntlet")
        self.games = OptionEdit(
            whole_field("games", "Games", "Games from each position in each order of the players.", 100, 1, 1_000_000)
        )
        self.opening = OptionEdit(
            whole_field("opening", "Random opening moves", "So many first moves are random.", 0, 0, 100)
        )
        self.rule = QComboBox()
        self.rule.addItem("No opening rule", None)
        for rule, words in RULES.items():
            self.rule.addItem(words, rule)
        self.seed = OptionEdit(whole_field("seed", "Seed", "What all seeds are derived from.", 0, 0, MAX_SEED))
        self.swap = QCheckBox("S&wap roles: as many games again with the other one first")
        self.swap.setChecked(True)
        self.sprt = QCheckBox("S&top early by a sequential test (SPRT) of Elo")
        self.pairs = QCheckBox("Count pairs of games, one in each role (needs fewer games where the role decides)")
        self.elo0 = OptionEdit(whole_field("elo0", "Elo H0", "Accepted: no stronger than this.", 0, -4000, 4000))
        about = f"Accepted: at least so strong. {OF_SCORE}"
        self.elo1 = OptionEdit(whole_field("elo1", "Elo H1", about, 50, -4000, 4000))
        self.proven = QCheckBox("End games whose outcome is pro&ven, as if played on without a mistake")
        about = "Only when the players have made so many moves: openings may be known from the start."
        self.adjudicate = OptionEdit(whole_field("adjudicate", "After so many moves", about, 8, 1, MOST_PLIES))
        self.timed = QCheckBox("Play under a cloc&k; whoever oversteps it has lost")
        about = "For a whole game. Agents that can be given seconds think as long as it allows."
        self.time = OptionEdit(real_field("Seconds a game", 10.0, 0.1, MAX_TIME_S, name="clock", description=about))
        about = "After each move a player has so many seconds more."
        self.more = OptionEdit(
            real_field("Seconds more a move", 0.1, 0.0, MAX_TIME_S, name="increment", description=about)
        )
        self._lay_out()
        fields = (self.title.changed, self.players.changed, self.positions.changed)
        choices = (self.format.activated, self.rule.activated, self.swap.toggled, self.pairs.toggled)
        ends = (self.sprt.toggled, self.proven.toggled, self.timed.toggled)
        self._follow(self._on_edit, self.numbers, *fields, *choices, *ends)
        self.positions.set_taken.connect(self._on_set)
        self._on_edit()
        self.edited = False

    @property
    def numbers(self) -> tuple[OptionEdit, ...]:
        return self.games, self.opening, self.seed, *(edit for _, edits in self._further for edit in edits)

    @property
    def _further(self) -> tuple[tuple[QCheckBox, tuple[OptionEdit, ...]], ...]:
        """What is asked only where something is wanted, with what says so."""
        clock = (self.time, self.more)
        return (self.sprt, (self.elo0, self.elo1)), (self.proven, (self.adjudicate,)), (self.timed, clock)

    @property
    def picks(self) -> AgentPicks:
        return self.players

    def _fields_by_name(self) -> dict[str, Field]:
        return {
            "title": self.title,
            "format": self.format,
            "positions": self.positions,
            "rule": self.rule,
            "swap": self.swap,
            "sprt": self.sprt,
            "pairs": self.pairs,
            "proven": self.proven,
            "timed": self.timed,
            **{edit.field.name: edit for edit in self.numbers},
        }

    def _lay_out(self) -> None:
        layout = self._column()
        title = heading("Title")
        title.setBuddy(self.title.line)
        self.setFocusProxy(self.title.line)
        layout.addWidget(title)
        layout.addWidget(self.title)
        layout.addWidget(self.players)
        layout.addWidget(self.format)
        name_choice(self.format, "Who meets whom")
        layout.addWidget(self.positions)
        layout.addLayout(number_row(self.games, self.opening, self.seed))
        layout.addWidget(self.rule)
        name_choice(self.rule, "Opening rule")
        layout.addWidget(self.swap)
        layout.addWidget(self.sprt)
        self.test = QWidget()
        test = QVBoxLayout(self.test)
        test.setContentsMargins(0, 0, 0, 0)
        test.addLayout(number_row(self.elo0, self.elo1))
        test.addWidget(label(f"H1: {OF_SCORE}", role="muted", wrap=True))
        test.addWidget(self.pairs)
        layout.addWidget(self.test)
        self.ends: list[QWidget] = []
        for choice, edits in self._further[1:]:
            layout.addWidget(choice)
            row_of = QWidget()
            row_of.setLayout(number_row(*edits))
            self.ends.append(row_of)
            layout.addWidget(row_of)
        self._end(layout)

    def take(self, plan: Plan) -> bool:
        try:
            schedule = schedule_of(plan)
        except NimdeskError:
            return False
        self._setting = True
        self.title.set_text(plan.title or plan.name)
        self.players.set_agents([(agent, name) for name, agent in schedule.agents.items()])
        part = plan.matches[0] if plan.matches else None
        self.positions.set_texts(list(schedule.positions))
        self.seed.set_value(plan.seed)
        if part is not None:
            self.format.setCurrentIndex(self.format.findData(part.format))
            self.games.set_value(part.games)
            self.opening.set_value(part.opening_plies)
            self.rule.setCurrentIndex(self.rule.findData(part.opening_rule or None))
            self.swap.setChecked(part.swap)
            self.sprt.setChecked(part.sprt is not None)
            whole = part.sprt is None or (part.sprt.elo0.is_integer() and part.sprt.elo1.is_integer())
            if part.sprt is not None and whole:
                self.elo0.set_value(int(part.sprt.elo0))
                self.elo1.set_value(int(part.sprt.elo1))
                self.pairs.setChecked(part.sprt.unit == "pairs")
            self.proven.setChecked(bool(part.adjudicate))
            self.adjudicate.set_value(part.adjudicate or 8)
            self.timed.setChecked(bool(part.clock))
            if part.clock:
                self.time.set_value(part.clock.time_s)
                self.more.set_value(part.clock.increment_s)
        self._setting = False
        self._on_edit()
        self.edited = False
        return self.plan is not None and self.plan.digest == plan.digest

    def _on_edit(self) -> None:
        if self._setting:
            return
        self.edited = True
        for choice, row in zip((self.sprt, self.proven, self.timed), (self.test, *self.ends), strict=True):
            row.setVisible(choice.isChecked())
        checks = [self.title.check(), self.players.check(), self.positions.check()]
        further = (edit for choice, edits in self._further if choice.isChecked() for edit in edits)
        shown = (*self.numbers[:3], *further)
        self._make(self._plan, checks, shown)
        self.work.setText("" if self.schedule is None else f"{self.schedule.total:,} games.")
        self.use.setEnabled(self.plan is not None)
        self.changed.emit()

    def _on_set(self) -> None:
        """From so many positions one game each is plenty; a number that somebody chose stays."""
        if self.games.value == self.games.field.default and not self.games.isModified():
            self.games.set_value(1)

    @property
    def _clock(self) -> Clock:
        return Clock(time_s=_number(self.time), increment_s=_number(self.more))

    def _plan(self) -> Plan:
        names = [row.player_name for row in self.players.rows]
        players = {
            name: PlayerPart(agent=agent.name, options=agent.changed_options)
            for name, agent in zip(names, self.players.agents, strict=True)
        }
        test = None
        if self.sprt.isChecked():
            try:
                unit: Literal["pairs"] | UnsetType = "pairs" if self.pairs.isChecked() else UNSET
                test = Sprt(elo0=_number(self.elo0), elo1=_number(self.elo1), unit=unit)
            except ValueError as error:
                raise PlanError(f"The sequential test cannot be made: {error}.") from None
        part = MatchPart(
            players=names,
            format=self.format.currentData(),
            positions=self.positions.texts,
            games=int(_number(self.games)),
            swap=self.swap.isChecked(),
            opening_plies=int(_number(self.opening)),
            opening_rule=self.rule.currentData() or UNSET,
            sprt=test,
            adjudicate=int(_number(self.adjudicate)) if self.proven.isChecked() else UNSET,
            clock=self._clock if self.timed.isChecked() else UNSET,
        )
        title = self.title.text
        return new_plan(slug(title), players, title=title, seed=int(_number(self.seed)), matches=[part])


def slug(title: str) -> str:
    """A file name from a title: "My experiment!" becomes "my-experiment"."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:60].strip("-")


def _read_title(text: str) -> str:
    if not slug(text):
        raise PlanError("Give it a title with at least one letter (a–z) or digit.")
    return text


def _number(edit: OptionEdit) -> float:
    value = edit.value
    assert isinstance(value, int | float)
    return value
