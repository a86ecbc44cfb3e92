"""Matches and tables: the published tables and one's own runs on the left, the plan shown and its results beside."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication, QShowEvent
from PySide6.QtWidgets import QMessageBox

from nimdesk.atomic import os_error_words
from nimdesk.errors import NimdeskError
from nimdesk.experiments.files import Found, default_path, read, write_files
from nimdesk.experiments.plan import Plan, load_plan
from nimdesk.experiments.records import game_of
from nimdesk.experiments.results import GameResult
from nimdesk.experiments.runner import RunState
from nimdesk.experiments.schedule import Schedule
from nimdesk.play import GameInProgress
from nimdesk.ui.experiments.exports import PICTURES, PLANS, LastFolder, write_picture, write_text
from nimdesk.ui.experiments.match_runner import MatchRunner, RunEntry, RunFrame, counted, list_runs
from nimdesk.ui.experiments.matches_parts import MatchesParts
from nimdesk.ui.experiments.run_view import size_words
from nimdesk.ui.experiments.run_words import command, status_words, with_games
from nimdesk.ui.jobs.pool import Jobs
from nimdesk.ui.look.actions import ActionSet
from nimdesk.ui.look.theme import Theme

_LIST_WIDTH = 290
_REPLAYED_S = 20.0
"""Games that took longer are opened without their searches, which would have to be done again."""


class MatchesPanel(MatchesParts):
    """The list; the plan chosen with its buttons, progress and results; or the editor of a new plan."""

    game_wanted = Signal(object)
    """A person wants to look at this ``GameInProgress``."""
    told = Signal(str)
    """One sentence for the person at the screen."""
    abilities_changed = Signal()
    """What can be done changed: see ``abilities``."""

    def __init__(self, actions: ActionSet, theme: Theme, on_board: Callable[[], str]) -> None:
        super().__init__(actions, theme, on_board)
        self._folder = LastFolder()
        self._begun = False
        self._plan: Plan | None = None
        self._path: Path | None = None
        self._frame: RunFrame | None = None
        self.jobs = Jobs(self)
        self.runner = MatchRunner(self.jobs, self)
        self._connect()
        self._show_list([])
        self._show_progress()

    def _connect(self) -> None:
        self.list.plan_chosen.connect(self.show_plan)
        self.list.told.connect(self._say)
        self.new.clicked.connect(self._on_new)
        self.remove.clicked.connect(self._on_remove)
        self.copy.clicked.connect(self._on_copy)
        self.games.value_committed.connect(self._on_games)
        self.editor.use_wanted.connect(self.show_plan)
        self.editor.changed.connect(self.abilities_changed)
        self.view.game_opened.connect(self._open_game)
        self.runner.state_changed.connect(self._on_state)
        self.runner.frame_changed.connect(self._on_frame)
        self.pages.currentChanged.connect(self._show_progress)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._begun:
            self._begun = True
            self.columns.setSizes([_LIST_WIDTH, max(200, self.width() - _LIST_WIDTH)])
            self.refresh()

    def set_theme(self, theme: Theme) -> None:
        """Take the colours of this look."""
        self.view.set_theme(theme)
        self.editor.set_theme(theme)

    def shutdown(self) -> None:
        """End the run and the thread; call it after the window is hidden."""
        self.runner.shutdown()
        self.jobs.shutdown()

    def hold(self, held: bool) -> None:
        """Let the run rest while a search is being watched."""
        self.runner.hold(held)

    # The list

    def refresh(self) -> None:
        """Look for runs anew."""
        self.jobs.do(list_runs, self._show_list, self._say)

    def _show_list(self, entries: list[RunEntry]) -> None:
        self.list.show_runs(entries, self._path)
        if self._plan is None:
            self.list.choose_first()

    # The plan that is shown

    @property
    def plan(self) -> Plan | None:
        """The plan that is shown."""
        return self._plan

    @property
    def frame(self) -> RunFrame | None:
        """Its results."""
        return self._frame

    def show_plan(self, plan: Plan, path: Path | None = None) -> None:
        """Show this plan, and what the file (by default the one where the plan's results go) has of it."""
        self.pages.setCurrentIndex(0)
        self._plan, self._path, self._frame = plan, path or default_path(plan), None
        self._say("")
        self.title.setText(plan.title or plan.name)
        parts = [*(part.games for part in plan.matches), *(part.repeats for part in plan.searches)]
        self.games.set_value(parts[0])
        self.view.show_plan(plan)
        self.list.mark(self._path)
        self._show_progress()
        target = self._path
        self.jobs.do(lambda: size_words(plan), lambda size: self._on_size(plan, size), self._say)
        if not self._is_running:
            self.jobs.do(lambda: counted(plan, target).frame(), self._on_read, self._say)

    def _on_size(self, plan: Plan, size: str) -> None:
        if plan is self._plan:
            self.view.show_size(plan, size)

    def _on_read(self, frame: RunFrame) -> None:
        if frame.path == self._path and not self._is_running:
            self._on_frame(frame)

    @property
    def _is_running(self) -> bool:
        """Whether the plan that is shown is the one under way."""
        return self.runner.active and self.runner.path == self._path

    def _on_frame(self, frame: RunFrame) -> None:
        if frame.path == self._path:
            self._frame = frame
            self.view.show_frame(frame)
            self._show_progress()
            if frame.progress is None:
                self.abilities_changed.emit()

    def _on_state(self) -> None:
        if self.runner.problem:
            self._say(self.runner.problem)
        self._show_progress()
        self.abilities_changed.emit()
        if not self.runner.active:
            self.refresh()

    def _show_progress(self) -> None:
        frame, state = self._frame, self.runner.state
        mine = self.runner.path == self._path and state is not None
        self.bar.setRange(0, 0 if mine and state is RunState.READY else 1000)
        if self.bar.maximum():
            self.bar.setValue(0 if frame is None or not frame.total else round(1000 * frame.done / frame.total))
        waiting = self.runner.held and self.runner.active
        self.status.setText(status_words(frame, state if mine else None, waiting=waiting))
        self.games.setEnabled(not self.runner.active)
        editing = self.pages.currentIndex() == 1
        self.remove.setEnabled(frame is not None and frame.done > 0 and not self._is_running and not editing)

    def _say(self, sentence: str) -> None:
        self.problem.say(sentence)

    # What a person does

    def abilities(self) -> dict[str, bool]:
        """Which of the page's actions can be done now."""
        editing, frame, running = self.pages.currentIndex() == 1, self._frame, self._is_running
        resting = running and (self.runner.state is RunState.PAUSED or self.runner.held)
        ready = not self.runner.active and self._plan is not None and not (frame is not None and frame.complete)
        found = not editing and frame is not None and frame.done > 0
        return {
            "exp_start": (ready or resting) if not editing else self.editor.plan is not None and not self.runner.active,
            "exp_pause": running and not editing and self.runner.state is RunState.RUNNING,
            "exp_cancel": running and not editing,
            "exp_open": True,
            "exp_save": (self.editor.plan if editing else self._plan) is not None,
            "exp_csv": found,
            "exp_picture": found,
            "exp_command": self._plan is not None and not editing,
        }

    @property
    def start_text(self) -> str:
        """What Start would do."""
        begun = self._frame is not None and 0 < self._frame.done < self._frame.total
        return "&Continue" if self.pages.currentIndex() == 0 and (begun or self._is_running) else "&Start"

    def start(self) -> None:
        """Run what is left of the plan that is shown, or of the one in the editor."""
        if self.pages.currentIndex() == 1:
            if self.editor.plan is None:
                return
            self.show_plan(self.editor.plan)
        if self._is_running:
            self.runner.resume()
        elif self._plan is not None:
            self.runner.start(self._plan, self._path)

    def pause(self) -> None:
        """Begin no more games for now."""
        self.runner.pause()

    def cancel(self) -> None:
        """End the run; what is done is kept."""
        self.runner.cancel()

    def _on_new(self) -> None:
        self.pages.setCurrentIndex(1)
        self.editor.setCurrentIndex(0)
        self.editor.form.title.line.setFocus()
        self.list.mark(None)
        self.abilities_changed.emit()

    def _on_copy(self) -> None:
        if self._plan is not None:
            self.editor.take(self._plan)
            self.pages.setCurrentIndex(1)
            self.abilities_changed.emit()

    def _on_games(self) -> None:
        plan, games = self._plan, self.games.value
        if plan is not None and isinstance(games, int):
            self.show_plan(with_games(plan, games))

    def _on_remove(self) -> None:
        frame, path = self._frame, self._path
        if frame is None or path is None or self._plan is None or self._is_running:
            return
        title = self._plan.title or self._plan.name
        ask = QMessageBox.question(
            self, "Delete results", f"Delete the {frame.done:,} games or searches of “{title}”? They can be run again."
        )
        if ask != QMessageBox.StandardButton.Yes:
            return
        try:
            for ending in ("", "-wal", "-shm"):
                path.with_name(path.name + ending).unlink(missing_ok=True)
        except OSError as error:
            self._say(f"“{path}” cannot be deleted: {os_error_words(error)}.")
            return
        self.show_plan(self._plan)
        self.refresh()

    def open_plan(self) -> None:
        """Take a plan from a file."""
        path = self._folder.ask_open(self, "Open a plan", PLANS)
        if path is not None:
            try:
                self.show_plan(load_plan(path))
            except NimdeskError as error:
                self._say(str(error))

    def save_plan(self) -> None:
        """Write the plan to a file."""
        plan = self.editor.plan if self.pages.currentIndex() == 1 else self._plan
        path = self._folder.ask_save(self, "Save the plan", f"{plan.name}.json", PLANS) if plan is not None else None
        if path is not None and plan is not None:
            self._guarded(lambda: write_text(path, plan.to_json().decode()), f"Saved to {path}")

    def export_tables(self) -> None:
        """Write all tables as CSV, and a report in Markdown, into a folder."""
        path = self._path
        folder = self._folder.ask_folder(self, "Export the tables into a folder") if path is not None else None
        if folder is not None and path is not None:
            self.jobs.do(lambda: _export(path, folder), self._on_exported, self._say)

    def _on_exported(self, files: list[Path]) -> None:
        self.told.emit(f"{len(files)} files were written to {files[0].parent}" if files else "Nothing to write yet.")

    def export_picture(self) -> None:
        """Write the chart as PNG or SVG."""
        path = self._folder.ask_save(self, "Export the chart", "chart.png", PICTURES)
        if path is not None:
            self._guarded(lambda: write_picture(self.view.picture, path), f"Saved to {path}")

    def copy_command(self) -> None:
        """The line for a terminal, to the clipboard; a plan of one's own is written beside its results for it."""
        plan, path = self._plan, self._path
        if plan is None or path is None:
            return
        try:
            text = command(plan, path)
        except OSError as error:
            self._say(f"The plan cannot be kept for the command: {os_error_words(error)}.")
            return
        except NimdeskError as error:
            self._say(str(error))
            return
        QGuiApplication.clipboard().setText(text)
        self.told.emit(f"Copied: {text}")

    def _guarded(self, act: Callable[[], object], done: str) -> None:
        try:
            act()
        except NimdeskError as error:
            self._say(str(error))
        else:
            self._say("")
            self.told.emit(done)

    # From a game of the table to the board

    def _open_game(self, result: GameResult) -> None:
        frame = self._frame
        if frame is not None:
            schedule = frame.schedule
            self.told.emit("Doing the searches of the game again…")
            self.jobs.do(lambda: _game(schedule, result), self._on_game, self._say)

    def _on_game(self, game: GameInProgress) -> None:
        self.told.emit("")
        self.game_wanted.emit(game)


def _export(path: Path, folder: Path) -> list[Path]:
    found: Found = read(path)
    return write_files(found, folder)


def _game(schedule: Schedule, result: GameResult) -> GameInProgress:
    again = sum(ply.time_s for ply in result.plies) < _REPLAYED_S
    return game_of(schedule, result, searches=again)
