"""Matches and tables: published tables and own runs on the left, the chosen plan and its results on the right."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QToolButton, QVBoxLayout, QWidget

from nimdesk.agents.fields import whole_field
from nimdesk.experiments.files import default_path
from nimdesk.experiments.matches.playing import game_of
from nimdesk.experiments.matches.work import GameResult, Matches
from nimdesk.experiments.plan import Plan
from nimdesk.experiments.schedule import Schedule
from nimdesk.play import GameInProgress
from nimdesk.ui.experiments.panel import Columns, RunPanel
from nimdesk.ui.experiments.plan_editor import PlanEditor, check_place
from nimdesk.ui.experiments.run_head import RunHead
from nimdesk.ui.experiments.run_list import RunsColumn
from nimdesk.ui.experiments.run_view import RunView, size_words
from nimdesk.ui.experiments.runner import Frame
from nimdesk.ui.experiments.shown_results import ShownResults
from nimdesk.ui.jobs.bridge import Bridge, Job
from nimdesk.ui.look.actions import ActionSet
from nimdesk.ui.look.desktop import ask
from nimdesk.ui.look.forms import OptionEdit
from nimdesk.ui.look.widgets import label

_LIST_WIDTH = 290
_REPLAYED_S = 20.0
"""Games that took longer are opened without their searches, which would have to be repeated."""


class MatchesPanel(RunPanel):
    """The list of runs on the left; on the right the chosen plan with its results, or the editor of a new one."""

    title = "&Matches and tables"
    kept_as = "plan"

    def __init__(self, actions: ActionSet, on_board: Callable[[], str]) -> None:
        super().__init__(actions, on_board)
        self._shown: Plan | None = None

    def build(self) -> Iterator[None]:
        self.runs = RunsColumn(self.shown, self.head, self.jobs)
        self.name = label(role="side", wrap=True)
        self.games = OptionEdit(
            whole_field("games", "Games each", "Another number of games (or searches) makes another plan.", 1, 1, 10**6)
        )
        self.games.setFixedWidth(80)
        self.copy = QToolButton()
        self.copy.setText("Edit a cop&y")
        self.copy.setToolTip("Make a plan of your own from this one")
        self.view = RunView()
        self._game_opening = GameOpening(self.shown, self.head, self.jobs, self.game_wanted.emit)
        yield
        self.filled = self.editor = PlanEditor(self._on_board)
        yield
        self.pages = QStackedWidget()
        self.pages.addWidget(self._shown_plan())
        self.pages.addWidget(self.editor)
        yield
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(Columns(self.runs, _LIST_WIDTH, self.pages))
        self._connect()
        self._follow()
        yield

    def _shown_plan(self) -> QWidget:
        shown = QWidget()
        self.counted = label("Games &each")
        self.counted.setBuddy(self.games)
        head = QHBoxLayout()
        head.addWidget(self.name, 1)
        for widget in (self.counted, self.games, self.copy):
            head.addWidget(widget)
        column = self._column(self.view)
        column.insertLayout(0, head)
        shown.setLayout(column)
        return shown

    def _connect(self) -> None:
        self.runs.list.plan_chosen.connect(self.show_plan)
        self.runs.new.clicked.connect(self._on_new)
        self.runs.remove.clicked.connect(self._on_remove)
        self.runs.listed.connect(self._on_listed)
        self.copy.clicked.connect(self._on_copy)
        self.games.value_committed.connect(self._on_games)
        self.editor.use_wanted.connect(self.show_plan)
        self.editor.changed.connect(self.abilities_changed)
        self.view.game_opened.connect(self._game_opening.open)
        for changed in (self.pages.currentChanged, self.shown.frame_changed, self.shown.changed):
            changed.connect(self._follow)

    def _on_listed(self) -> None:
        if self._shown is None:
            self.runs.list.choose_first()
        self._follow()

    # The plan shown

    @property
    def _editing(self) -> bool:
        return self.pages.currentIndex() == 1

    @property
    def plan(self) -> Plan | None:
        """The plan shown, or the one in the editor."""
        return self.editor.plan if self._editing else self._shown

    @property
    def picture(self) -> QWidget:
        return self.view.picture

    def others(self) -> list[tuple[str, Path]]:
        """The runs in the list."""
        return self.runs.others

    def show_frame(self, frame: Frame | None) -> None:
        self.view.show_frame(frame)

    def show_plan(self, plan: Plan, path: Path | None = None) -> None:
        """Show this plan with its results in the file, by default ``default_path``."""
        self.pages.setCurrentIndex(0)
        self._shown = plan
        self.head.say("")
        self.name.setText(plan.title or plan.name)
        self.counted.setText(f"{plan.parts[0].repeated_tasks.capitalize()} &each")
        self.games.set_value(plan.repeats)
        self.view.show_plan(plan)
        self.shown.look(plan, path or default_path(plan))
        self.runs.list.mark(self.path)
        self.jobs.start(
            lambda _job: (plan, size_words(plan)), done=lambda found: self._on_size(*found), failed=self.head.say
        )

    def _on_size(self, plan: Plan, size: str) -> None:
        if plan is self._shown:
            self.view.show_size(plan, size)

    def take_plan(self, plan: Plan) -> None:
        """Show it; ``PlanError`` for one that has a tab of its own."""
        check_place(plan)
        self.show_plan(plan)

    def _follow(self) -> None:
        self.games.setEnabled(not self.runner.active)
        kept = self.runs.list.entry(self.path) is not None and not self._editing
        self.runs.rename.setEnabled(kept)
        self.runs.remove.setEnabled(kept and not self.shown.is_running)

    # The person's actions

    def abilities(self) -> dict[str, bool]:
        """In the editor a plan can be started and saved, while another run goes on."""
        able = super().abilities()
        if self._editing:
            wanted = self.editor.plan is not None
            able |= dict.fromkeys(able, False) | {"exp_open": True, "exp_save": wanted}
            able["exp_start"] = wanted
        return able

    @property
    def start_text(self) -> str:
        return ("&Queue" if self.runner.active else "&Start") if self._editing else super().start_text

    def start(self, workers: int | None = None) -> None:
        """Do the rest of the plan that is shown, or of the one in the editor."""
        if self._editing:
            self.editor.use_plan()
        super().start(workers)

    def _on_new(self) -> None:
        self.pages.setCurrentIndex(1)
        self.editor.begin()
        self.runs.list.mark(None)
        self.abilities_changed.emit()

    def _on_copy(self) -> None:
        lost = "The plan in the editor was changed and not used yet. Replace it?"
        shown = self._shown
        if shown is not None and (not self.editor.unused or ask(self, "Edit a copy", lost)):
            self.opening.open(lambda: shown, self._edit)

    def _edit(self, plan: Plan) -> None:
        if plan is self._shown and not self._editing:  # else something else was chosen meanwhile
            self.editor.take(plan)
            self.pages.setCurrentIndex(1)
            self.abilities_changed.emit()

    def _on_games(self) -> None:
        plan, games = self._shown, self.games.value
        if plan is not None and isinstance(games, int):
            self.show_plan(plan.repeated(games))

    def _on_remove(self) -> None:
        frame, plan = self.frame, self._shown
        if frame is None or plan is None or self.shown.is_running:
            return
        question = f"Delete the {frame.done:,} games or searches of “{plan.title or plan.name}”? They can be run again."
        if ask(self, "Delete results", question) and self.head.attempt(self.shown.delete):
            self.show_plan(plan)
            self.runs.refresh()

    def shutdown(self) -> None:
        super().shutdown()
        self.editor.json.jobs.shutdown()


class GameOpening:
    """The way from a game of the table to the board: its searches are done again in a thread."""

    def __init__(
        self, shown: ShownResults, head: RunHead, jobs: Bridge, wanted: Callable[[GameInProgress], object]
    ) -> None:
        self._shown, self._head, self._jobs, self._wanted = shown, head, jobs, wanted

    def open(self, result: GameResult) -> None:
        """Do it for this game of the results shown."""
        if self._shown.frame is not None:
            self._head.told.emit("Doing the searches of the game again…")
            act = partial(_game, self._shown.frame.schedule, result)
            self._jobs.start(act, done=self._on_game, failed=self._on_failed)

    def _on_game(self, game: GameInProgress) -> None:
        self._head.told.emit("")
        self._wanted(game)

    def _on_failed(self, sentence: str) -> None:
        self._head.told.emit("")
        self._head.say(sentence)


def _game(schedule: Schedule, result: GameResult, _job: Job) -> GameInProgress:
    again = sum(ply.time_s for ply in result.plies) < _REPLAYED_S
    return game_of(schedule[Matches], result, searches=again)
