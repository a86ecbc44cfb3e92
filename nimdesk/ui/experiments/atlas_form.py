"""The dialog for a new atlas: games, agents, budgets and seeds."""

from __future__ import annotations

from PySide6.QtWidgets import QDialog, QDialogButtonBox, QGridLayout, QVBoxLayout, QWidget

from nimdesk.agents import make_agent
from nimdesk.agents.fields import whole_field
from nimdesk.errors import NimdeskError, OptionError
from nimdesk.experiments.atlas.games import ATLAS_GAMES, ATLAS_NIM, atlas_set
from nimdesk.experiments.atlas.work import AtlasSet
from nimdesk.experiments.budgets import parse_budgets
from nimdesk.experiments.parts import PlayerPart
from nimdesk.experiments.plan import Plan, atlas_plan
from nimdesk.games import parse_position
from nimdesk.search.options import MAX_SEED
from nimdesk.ui.experiments.agent_picks import AgentPicks
from nimdesk.ui.experiments.fields import CheckedLine, Problem, number_row
from nimdesk.ui.look.forms import OptionEdit
from nimdesk.ui.look.widgets import label, plain


class AtlasDialog(QDialog):
    """Asks for the plan of an atlas; after ``exec`` returned Accepted, ``made`` has it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("New atlas")
        about = (
            f"Which positions are searched: {', '.join(ATLAS_GAMES)}, {ATLAS_NIM} or smaller as nim-3x5; or any "
            "position in notation. Several with semicolons between them."
        )
        self.games = CheckedLine("Games", "3,3,3", about, games_of)
        self.agents = AgentPicks([make_agent("uct"), make_agent("mcts")], named=False)
        about = (
            "The iterations at which each search is read: numbers with commas, or 10-10000 for 10, 20, 50, …, 10,000"
        )
        self.budgets = CheckedLine("Budgets", "10-1000", about, parse_budgets)
        self.plies = OptionEdit(
            whole_field(
                "plies", "Plies", "Up to how many moves after a position; games with names know theirs", 0, 0, 100
            )
        )
        self.seeds = OptionEdit(
            whole_field("seeds", "Searches", "Searches of each position by each agent.", 100, 1, 100_000)
        )
        self.seed = OptionEdit(whole_field("seed", "Seed", "What all seeds are derived from.", 0, 0, MAX_SEED))
        self.problem = Problem()
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        self.accepting = buttons.button(QDialogButtonBox.StandardButton.Ok)
        grid = QGridLayout()
        for row, (words, field) in enumerate((("&Games", self.games), ("&Budgets", self.budgets))):
            title = label(words)
            title.setBuddy(field.line)
            grid.addWidget(title, row, 0)
            grid.addWidget(field, row, 1)
        layout = QVBoxLayout(self)
        layout.addLayout(grid)
        layout.addWidget(self.agents)
        layout.addLayout(number_row(self.plies, self.seeds, self.seed))
        layout.addWidget(label("It takes from seconds to days; it can be paused, and goes on.", role="muted"))
        layout.addWidget(self.problem)
        layout.addWidget(plain(buttons))
        for changed in (self.games.changed, self.budgets.changed, self.agents.changed):
            changed.connect(self._check)
        for edit in (self.plies, self.seeds, self.seed):
            edit.value_committed.connect(self._check)
            edit.problem_changed.connect(self._check)
        self.resize(460, self.sizeHint().height())

    def made(self) -> Plan:
        """The plan that is filled in; ``NimdeskError`` where there is none."""
        plies, seeds, seed = self.plies.value, self.seeds.value, self.seed.value
        assert isinstance(plies, int)
        assert isinstance(seeds, int)
        assert isinstance(seed, int)
        parts = [PlayerPart(agent=agent.name, options=agent.character) for agent in self.agents.agents]
        sets = games_of(self.games.text, plies)
        return atlas_plan("atlas", parts, sets, parse_budgets(self.budgets.text), seeds, seed)

    def _check(self) -> None:
        good = all([self.games.check(), self.budgets.check(), self.agents.check()])
        problem = next((edit.problem for edit in (self.plies, self.seeds, self.seed) if edit.problem), "")
        if good and not problem:
            try:
                self.made()
            except NimdeskError as error:
                problem = str(error)
        self.problem.say(problem)
        self.accepting.setEnabled(good and not problem)
        layout = self.layout()
        if layout is not None:  # what is wrong takes lines that a dialog does not grow by itself for
            self.resize(self.width(), max(self.height(), layout.totalHeightForWidth(self.width())))


def games_of(text: str, plies: int = 0) -> list[AtlasSet]:
    """The sets of these games, with semicolons between them; ``NimdeskError`` for one that does not exist."""
    names = [name.strip() for name in text.split(";") if name.strip()]
    if not names:
        raise OptionError("Name a game, such as 3,3,3 or nim-3x5.")
    sets = [atlas_set(name, None if name in ATLAS_GAMES else plies) for name in dict.fromkeys(names)]
    for each in sets:
        parse_position(each.starts[0])
    return sets
