"""What stands where on the page of matches and tables; what it does is the panel's."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QSplitter,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from nimdesk.ui.experiments.fields import Problem, number_field, run_buttons
from nimdesk.ui.experiments.plan_editor import PlanEditor
from nimdesk.ui.experiments.run_list import RunList
from nimdesk.ui.experiments.run_view import RunView
from nimdesk.ui.look.actions import ActionSet
from nimdesk.ui.look.forms import OptionEdit
from nimdesk.ui.look.theme import Theme
from nimdesk.ui.look.widgets import label


class MatchesParts(QWidget):
    """The list of runs at the left; at the right the plan chosen, or the editor of a new one."""

    def __init__(self, actions: ActionSet, theme: Theme, on_board: Callable[[], str]) -> None:
        """``on_board`` gives the position on the board of the game, as text."""
        super().__init__()
        self.list = RunList()
        self.new = QPushButton("New p&lan…")
        self.new.setToolTip("Set up a match or a tournament of your own")
        self.remove = QPushButton("&Delete…")
        self.remove.setToolTip("Delete the results of the run that is shown")
        self.title = label(role="side", wrap=True)
        self.buttons = run_buttons(actions)
        self.games = OptionEdit(
            number_field(
                "games", "Games each", "Another number of games (or searches) makes another plan.", 1, 1, 10**6
            )
        )
        self.games.setFixedWidth(80)
        self.copy = QToolButton()
        self.copy.setText("Edit a cop&y")
        self.copy.setToolTip("Make a plan of your own from this one")
        self.bar = QProgressBar()
        self.bar.setAccessibleName("Progress of the run")
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(10)
        self.status = label(role="muted", wrap=True)
        self.problem = Problem()
        self.view = RunView(theme)
        self.editor = PlanEditor(theme, on_board)
        left, right = self._lay_out_list(), self._lay_out_plan()
        self.pages = QStackedWidget()
        self.pages.addWidget(right)
        self.pages.addWidget(self.editor)
        self.columns = QSplitter(Qt.Orientation.Horizontal)
        self.columns.addWidget(left)
        self.columns.addWidget(self.pages)
        self.columns.setStretchFactor(1, 1)
        self.columns.setChildrenCollapsible(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.columns)

    def _lay_out_list(self) -> QWidget:
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(8, 6, 4, 8)
        column.addWidget(self.list, 1)
        row = QHBoxLayout()
        row.addWidget(self.new)
        row.addWidget(self.remove)
        column.addLayout(row)
        return left

    def _lay_out_plan(self) -> QWidget:
        shown = QWidget()
        column = QVBoxLayout(shown)
        column.setContentsMargins(6, 6, 8, 6)
        column.setSpacing(5)
        head = QHBoxLayout()
        head.setSpacing(6)
        for button in self.buttons:
            head.addWidget(button)
        head.addWidget(self.bar, 1)
        games = QLabel("Games &each")
        games.setBuddy(self.games)
        head.addWidget(games)
        head.addWidget(self.games)
        head.addWidget(self.copy)
        column.addWidget(self.title)
        column.addLayout(head)
        column.addWidget(self.status)
        column.addWidget(self.problem)
        column.addWidget(self.view, 1)
        return shown

    def sizeHint(self) -> QSize:
        return QSize(1100, 700)
