"""Matches and tables: published tables and own runs on the left, the chosen plan and its results on the right."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from nimdesk.agents.fields import whole_field
from nimdesk.experiments.files import RunEntry, default_path, list_runs, read
from nimdesk.experiments.matches.playing import game_of
from nimdesk.experiments.matches.work import GameResult, Matches
from nimdesk.experiments.plan import Plan
from nimdesk.experiments.report import files_in, write_files
from nimdesk.experiments.run import RunState
from nimdesk.experiments.schedule import Schedule
from nimdesk.play import GameInProgress
from nimdesk.ui.experiments.panel import RunPanel
from nimdesk.ui.experiments.plan_editor import PlanEditor, check_place
from nimdesk.ui.experiments.run_list import RunList
from nimdesk.ui.experiments.run_view import RunView, size_words
from nimdesk.ui.experiments.runner import Frame
from nimdesk.ui.jobs.bridge import Job
from nimdesk.ui.look.actions import ActionSet
from nimdesk.ui.look.desktop import ask, may_replace
from nimdesk.ui.look.forms import OptionEdit
from nimdesk.ui.look.widgets import label

_LIST_WIDTH = 290
_REPLAYED_S = 20.0
"""Games that took longer are opened without their searches, which would have to be repeated."""


class MatchesPanel(RunPanel):
    """The list of runs on the left; on the right the chosen plan with its results, or the editor of a new one."""

    game_wanted = Signal(object)
    """The person opened this ``GameInProgress``."""

    def __init__(self, actions: ActionSet, on_board: Callable[[], str]) -> None:
        """An empty panel, for ``build``; ``on_board`` returns the position on the game's board, as text."""
        super().__init__(actions, "")
        self._shown: Plan | None = None
        self._on_board = on_board

    def build(self) -> Iterator[None]:
        """Put everything into the panel, in pieces that each take a moment; do it once, and all of it."""
        self.list = RunList()
        self.new = QPushButton("New p&lan…")
        self.new.setToolTip("Set up a match or a tournament of your own")
        self.remove = QPushButton("&Delete…")
        self.remove.setToolTip("Delete the results of the run that is shown")
        self.rename = QPushButton("Name, note…")
        self.rename.setToolTip("Give the run that is shown a name and a note")
        self.search = QLineEdit()
        self.search.setPlaceholderText("Search: name, date, position, option, note")
        self.search.setAccessibleName("Search the runs")
        self.search.setClearButtonEnabled(True)
        self.title = label(role="side", wrap=True)
        self.games = OptionEdit(
            whole_field("games", "Games each", "Another number of games (or searches) makes another plan.", 1, 1, 10**6)
        )
        self.games.setFixedWidth(80)
        self.copy = QToolButton()
        self.copy.setText("Edit a cop&y")
        self.copy.setToolTip("Make a plan of your own from this one")
        self.view = RunView()
        yield
        self.editor = PlanEditor(self._on_board)
        yield
        self.pages = QStackedWidget()
        self.pages.addWidget(self._shown_plan())
        self.pages.addWidget(self.editor)
        yield
        self._lay_out(self._list_with_buttons(), _LIST_WIDTH, self.pages)
        self._connect()
        self._show_list([])
        self._show_progress()
        yield

    def _list_with_buttons(self) -> QWidget:
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(8, 6, 4, 8)
        column.addWidget(self.search)
        column.addWidget(self.list, 1)
        row = QHBoxLayout()
        row.addWidget(self.new)
        row.addWidget(self.rename)
        row.addWidget(self.remove)
        column.addLayout(row)
        return left

    def _shown_plan(self) -> QWidget:
        shown = QWidget()
        self.counted = label("Games &each")
        self.counted.setBuddy(self.games)
        head = QHBoxLayout()
        head.addWidget(self.title, 1)
        for widget in (self.counted, self.games, self.copy):
            head.addWidget(widget)
        column = self._results(self.view)
        column.insertLayout(0, head)
        shown.setLayout(column)
        return shown

    def _connect(self) -> None:
        self.list.plan_chosen.connect(self.show_plan)
        self.list.told.connect(self._say)
        self.new.clicked.connect(self._on_new)
        self.remove.clicked.connect(self._on_remove)
        self.rename.clicked.connect(self._on_rename)
        self.search.textChanged.connect(self.list.look_for)
        self.copy.clicked.connect(self._on_copy)
        self.games.value_committed.connect(self._on_games)
        self.editor.use_wanted.connect(self.show_plan)
        self.editor.changed.connect(self.abilities_changed)
        self.view.game_opened.connect(self._open_game)
        self.pages.currentChanged.connect(self._show_progress)

    def _begin(self) -> None:
        self.refresh()

    # The list

    def refresh(self) -> None:
        """Look for runs again."""
        self.jobs.start(lambda job: list_runs(job.check), done=self._show_list, failed=self._say)

    def _show_list(self, entries: list[RunEntry]) -> None:
        self.list.show_runs(entries, self.path)
        self._list_newest()
        if self._shown is None:
            self.list.choose_first()
        self._show_progress()

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
        return [(f"{entry.title}, {entry.date}", entry.path) for entry in self.list.entries if entry.done]

    def show_frame(self, frame: Frame | None) -> None:
        self.view.show_frame(frame)

    def show_plan(self, plan: Plan, path: Path | None = None) -> None:
        """Show this plan with its results in the file, by default ``default_path``."""
        self.pages.setCurrentIndex(0)
        self._shown = plan
        self._say("")
        self.title.setText(plan.title or plan.name)
        self.counted.setText("Games &each" if plan.matches else "Searches &each")
        self.games.set_value(plan.repeats)
        self.view.show_plan(plan)
        self._look(plan, path or default_path(plan))
        self.list.mark(self.path)
        self.jobs.start(
            lambda _job: (plan, size_words(plan)), done=lambda found: self._on_size(*found), failed=self._say
        )

    def filled_in(self) -> str:
        return self.editor.form.draft() + self.editor.json.edit.toPlainText()

    def take_plan(self, plan: Plan) -> None:
        """Show it; ``PlanError`` for a study or an atlas."""
        check_place(plan)
        self.show_plan(plan)

    def _on_size(self, plan: Plan, size: str) -> None:
        if plan is self._shown:
            self.view.show_size(plan, size)

    def _on_state(self) -> None:
        super()._on_state()
        # At its beginning too: a run of a plan of one's own is not in the list before.
        if not self.runner.active or self.runner.state is RunState.RUNNING:
            self.refresh()

    def _on_run_frame(self, frame: Frame) -> None:
        super()._on_run_frame(frame)
        entry = self.list.entry(frame.path)
        if entry is not None and entry.plan is None:
            # Its file was looked at just while it was made.
            self.refresh()
        self._list_newest()

    def _list_newest(self) -> None:
        """The list is read at the beginning and the end of a run; in between it follows."""
        frame = self._newest
        if frame is not None and not frame.complete:
            self.list.show_done(frame.path, frame.done, frame.total)

    def _show_progress(self) -> None:
        super()._show_progress()
        self.games.setEnabled(not self.runner.active)
        done = 0 if self.frame is None else self.frame.done
        self.rename.setEnabled(self.list.entry(self.path) is not None and not self._editing)
        self.remove.setEnabled(done > 0 and not self.is_running and not self._editing)

    # The person's actions

    def abilities(self) -> dict[str, bool]:
        """In the editor a plan can be started and saved, while another run goes on."""
        able = super().abilities()
        if self._editing:
            wanted = self.editor.plan is not None
            able |= dict.fromkeys(able, False) | {"exp_open": True, "exp_save": wanted}
            able["exp_start"] = wanted and not self.runner.active
        return able

    @property
    def start_text(self) -> str:
        return "&Start" if self._editing else super().start_text

    def start(self) -> None:
        """Do the rest of the plan that is shown, or of the one in the editor."""
        if self._editing:
            self.editor.use_plan()
        super().start()

    def _on_new(self) -> None:
        self.pages.setCurrentIndex(1)
        self.editor.setCurrentIndex(0)
        self.editor.form.title.line.setFocus()
        self.list.mark(None)
        self.abilities_changed.emit()

    def _on_copy(self) -> None:
        lost = "The plan in the editor was changed and not used yet. Replace it?"
        shown = self._shown
        if shown is not None and (not self.editor.unused or ask(self, "Edit a copy", lost)):
            self._open(lambda: shown, self._edit)

    def _edit(self, plan: Plan) -> None:
        if plan is self._shown and not self._editing:  # else something else was chosen meanwhile
            self.editor.take(plan)
            self.pages.setCurrentIndex(1)
            self.abilities_changed.emit()

    def _on_games(self) -> None:
        plan, games = self._shown, self.games.value
        if plan is not None and isinstance(games, int):
            self.show_plan(plan.repeated(games))

    def _on_rename(self) -> None:
        entry = self.list.entry(self.path)
        if entry is not None:
            self.ask_words(entry, self.refresh)

    def _on_remove(self) -> None:
        frame, plan = self.frame, self._shown
        if frame is None or plan is None or self.is_running:
            return
        title = plan.title or plan.name
        if self._delete_results(f"Delete the {frame.done:,} games or searches of “{title}”? They can be run again."):
            self.show_plan(plan)
            self.refresh()

    def shutdown(self) -> None:
        super().shutdown()
        self.editor.json.jobs.shutdown()

    def export_tables(self) -> None:
        """Write all tables as CSV, and a report in Markdown, into a folder."""
        path, title = self.path, "Export the tables into a folder"
        folder = self._ask_folder(title) if path is not None else None
        if folder is not None and path is not None and may_replace(self, title, files_in(folder)):
            self.told.emit("Writing the tables…")
            self.jobs.start(
                lambda job: write_files(read(path, job.check), folder), done=self._on_exported, failed=self._say
            )

    def _on_exported(self, files: list[Path]) -> None:
        self.told.emit(f"{len(files)} files were written to {files[0].parent}" if files else "Nothing to write yet.")

    # From a game of the table to the board

    def _open_game(self, result: GameResult) -> None:
        if self.frame is not None:
            self.told.emit("Doing the searches of the game again…")
            act = partial(_game, self.frame.schedule, result)
            self.jobs.start(act, done=self._on_game, failed=self._say)

    def _on_game(self, game: GameInProgress) -> None:
        self.told.emit("")
        self.game_wanted.emit(game)


def _game(schedule: Schedule, result: GameResult, _job: Job) -> GameInProgress:
    again = sum(ply.time_s for ply in result.plies) < _REPLAYED_S
    return game_of(schedule[Matches], result, searches=again)
