"""The list of published tables and runs, with its search; and the dialog for the name and the note of a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from nimdesk.errors import ResultsError
from nimdesk.experiments.files import RunEntry, default_path, list_runs
from nimdesk.experiments.plan import Plan
from nimdesk.experiments.published import BUILT_IN
from nimdesk.experiments.results import duration
from nimdesk.experiments.run import RunState
from nimdesk.experiments.store import MAX_NAME, annotate, check_words
from nimdesk.ui.experiments.fields import Problem
from nimdesk.ui.experiments.run_head import RunHead
from nimdesk.ui.experiments.runner import Frame
from nimdesk.ui.experiments.shown_results import ShownResults
from nimdesk.ui.jobs.bridge import Bridge
from nimdesk.ui.look.widgets import label, plain, tip

_PLAN, _PATH, _ABOUT, _NAMED = (Qt.ItemDataRole.UserRole + number for number in range(4))


class RunWordsDialog(QDialog):
    """Asks for the name and the note of a run; after ``exec`` returned Accepted they are its ``words``."""

    def __init__(self, entry: RunEntry, problem: str = "", parent: QWidget | None = None) -> None:
        """``problem`` is why those of the entry could not be kept, or ""."""
        super().__init__(parent)
        self.setWindowTitle("Name and note")
        self.name, self.note = QLineEdit(entry.name), QPlainTextEdit(entry.note)
        self.name.setPlaceholderText(entry.title)
        self.name.setMaxLength(MAX_NAME)
        self.note.setTabChangesFocus(True)
        self.problem = Problem()
        self.problem.say(problem)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        for words, field in (("&Name", self.name), ("N&ote", self.note)):
            title = label(words)
            title.setBuddy(field)
            layout.addWidget(title)
            layout.addWidget(field)
        layout.addWidget(self.problem)
        layout.addWidget(plain(buttons))
        self.resize(460, 300)

    @property
    def words(self) -> tuple[str, str]:
        """The name and the note."""
        return self.name.text().strip(), self.note.toPlainText().strip()

    def accept(self) -> None:
        """Close, unless something is too long."""
        try:
            check_words(*self.words)
        except ResultsError as error:
            self.problem.say(str(error))
        else:
            super().accept()


def ask_words(over: QWidget, jobs: Bridge, entry: RunEntry, then: Callable[[], object], problem: str = "") -> None:
    """Ask for the name and the note of a run, and keep them in its file; ask again if that fails."""
    dialog = RunWordsDialog(entry, problem, over)
    if dialog.exec() == dialog.DialogCode.Accepted:
        name, note = dialog.words
        again = partial(ask_words, over, jobs, replace(entry, name=name, note=note), then)
        jobs.start(lambda _job: annotate(entry.path, name, note), done=lambda _none: then(), failed=again)
    dialog.deleteLater()


class RunsColumn(QWidget):
    """The list with its search and its buttons; it is read when it is shown, and when a run begins and ends."""

    listed = Signal()
    """The list was read."""

    def __init__(self, shown: ShownResults, head: RunHead, jobs: Bridge) -> None:
        super().__init__()
        self._shown, self._head, self._jobs = shown, head, jobs
        self.list = RunList(shown.runner.waits)
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
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 6, 4, 8)
        column.addWidget(self.search)
        column.addWidget(self.list, 1)
        row = QHBoxLayout()
        for button in (self.new, self.rename, self.remove):
            row.addWidget(button)
        column.addLayout(row)
        self.list.show_runs([], None)
        self.list.told.connect(head.say)
        self.search.textChanged.connect(self.list.look_for)
        self.rename.clicked.connect(self._on_rename)
        shown.runner.state_changed.connect(self._on_state)
        shown.runner.frame_changed.connect(self._on_run_frame)
        shown.runner.queue_changed.connect(self._on_queue)

    @property
    def others(self) -> list[tuple[str, Path]]:
        """The names and files of the runs that have results."""
        return [(f"{entry.title}, {entry.date}", entry.path) for entry in self.list.entries if entry.done]

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()  # the command line may have made others since

    def refresh(self) -> None:
        """Look for runs again."""
        self._jobs.start(lambda job: list_runs(job.check), done=self._show, failed=self._head.say)

    def _show(self, entries: list[RunEntry]) -> None:
        self.list.show_runs(entries, self._shown.path)
        self._follow()
        self.listed.emit()

    def _on_state(self) -> None:
        # When a run begins too: only from then on is a new plan in the list.
        if not self._shown.runner.active or self._shown.runner.state is RunState.RUNNING:
            self.refresh()

    def _on_run_frame(self, frame: Frame) -> None:
        entry = self.list.entry(frame.path)
        if entry is not None and entry.plan is None:
            # Its file was looked at just while it was made.
            self.refresh()
        self._follow()

    def _on_queue(self) -> None:
        self.list.tell()
        self._follow()

    def _follow(self) -> None:
        frame = self._shown.newest
        if frame is not None and not frame.complete:
            self.list.show_done(frame.path, frame.done, frame.total)

    def _on_rename(self) -> None:
        entry = self.list.entry(self._shown.path)
        if entry is not None:
            ask_words(self, self._jobs, entry, self.refresh)


class RunList(QTreeWidget):
    """Two sections of plans, each with its date, its positions and how much of it is done."""

    plan_chosen = Signal(object, object)
    """The person chose this ``Plan``, with results in the file at this ``Path``."""
    told = Signal(str)
    """The person chose an unreadable file: why, as one sentence."""

    def __init__(self, waits: Callable[[Path], bool]) -> None:
        """``waits`` says whether the run with results at a path waits for its turn."""
        super().__init__()
        self._waits = waits
        self.setAccessibleName("Published tables and runs")
        self.setHeaderHidden(True)
        self.setColumnCount(1)
        self.setIndentation(12)
        self.currentItemChanged.connect(self._on_item)
        self._entries: dict[Path, RunEntry] = {}
        self._wanted = ""

    def entry(self, path: Path | None) -> RunEntry | None:
        """The run with results at this path, if it is listed."""
        return None if path is None else self._entries.get(path)

    @property
    def entries(self) -> list[RunEntry]:
        """All runs of which there are results."""
        return list(self._entries.values())

    def look_for(self, words: str) -> None:
        """Show only the runs and tables that have all of these words."""
        self._wanted = words
        for item in self.items():
            entry = self.entry(item.data(0, _PATH))
            text = f"{item.text(0)} {item.data(0, _ABOUT)}".lower()
            found = all(word in text for word in words.lower().split()) or (entry is not None and entry.matches(words))
            item.setHidden(not found)

    def show_runs(self, entries: Sequence[RunEntry], selected: Path | None) -> None:
        """List these runs below the published tables and mark ``selected``, without choosing it."""
        self.blockSignals(True)
        self.clear()
        done = {entry.path: entry for entry in entries}
        self._entries = dict(done)
        published = self._section("Published tables")
        for built_in in BUILT_IN.values():
            path = default_path(built_in.plan)
            entry = done.pop(path, None)
            plan = built_in.plan
            name = (entry and entry.name) or plan.title
            _add(published, name, plan, path, f"{built_in.title}. {built_in.source}")
        own = self._section("Runs on this machine")
        for path, entry in done.items():
            lines = [entry.title, " · ".join(filter(None, [entry.date, _few(entry.positions)]))]
            _add(own, "\n".join(filter(None, lines)), entry.plan, path, entry.problem or about_run(entry))
        if not done:
            nothing = QTreeWidgetItem(own, ["none yet"])
            nothing.setFlags(Qt.ItemFlag.NoItemFlags)
        self.expandAll()
        self.tell()
        self.look_for(self._wanted)
        self.blockSignals(False)
        self.mark(selected)

    def tell(self) -> None:
        """Say how far each of them was when it was read, and which ones wait for their turn."""
        for item in self.items():
            if (path := item.data(0, _PATH)) is not None:
                _say(item, self._words(item.data(0, _PLAN), path))

    def _words(self, plan: Plan | None, path: Path) -> str:
        entry, waiting = self._entries.get(path), "waiting for its turn" * self._waits(path)
        if entry is not None:
            return "; ".join(filter(None, (_entry_words(entry), waiting)))
        assert plan is not None, "only a published table is listed before it was run"
        return f"{waiting or 'not run yet'}; about {duration(60 * BUILT_IN[plan.name].minutes)}"

    def show_done(self, path: Path | None, done: int, total: int) -> None:
        """Say how far the run with results at this path is by now, if it is listed and could be read."""
        for item in self.items():
            plan = item.data(0, _PLAN)
            if path is not None and item.data(0, _PATH) == path and plan is not None:
                _say(item, _so_far(plan, done, total))

    def mark(self, path: Path | None) -> None:
        """Mark only the run with results at this path, if it is listed, without choosing it."""
        self.blockSignals(True)
        found = next((item for item in self.items() if path is not None and item.data(0, _PATH) == path), None)
        self.setCurrentItem(found)  # type: ignore[arg-type]
        self.blockSignals(False)

    def choose_first(self) -> None:
        """Choose the first published table."""
        self.setCurrentItem(self.items()[0])

    def items(self) -> list[QTreeWidgetItem]:
        """The rows below the section titles."""
        sections = [self.topLevelItem(place) for place in range(self.topLevelItemCount())]
        rows = [
            section.child(row) for section in sections if section is not None for row in range(section.childCount())
        ]
        return [row for row in rows if row is not None]

    def _section(self, title: str) -> QTreeWidgetItem:
        item = QTreeWidgetItem(self, [title])
        item.setFlags(Qt.ItemFlag.ItemIsEnabled)
        font = item.font(0)
        font.setBold(True)
        item.setFont(0, font)
        return item

    def _on_item(self, item: QTreeWidgetItem | None) -> None:
        if item is None or item.data(0, _PATH) is None:
            return
        plan = item.data(0, _PLAN)
        if plan is None:
            self.told.emit(item.data(0, _ABOUT))
            return
        self.plan_chosen.emit(plan, item.data(0, _PATH))


def _add(parent: QTreeWidgetItem, named: str, plan: Plan | None, path: Path, about: str) -> None:
    item = QTreeWidgetItem(parent)
    item.setData(0, _NAMED, named)
    item.setData(0, _PLAN, plan)
    item.setData(0, _PATH, path)
    item.setData(0, _ABOUT, about)
    item.setToolTip(0, tip(about))


def _say(item: QTreeWidgetItem, words: str) -> None:
    """Put these words below what the run is called."""
    item.setText(0, "\n".join(filter(None, (item.data(0, _NAMED), words))))


def _few(texts: Sequence[str]) -> str:
    return f"{', '.join(texts[:2])}{f' and {len(texts) - 2} more' if len(texts) > 2 else ''}"


def about_run(entry: RunEntry) -> str:
    """The note of a run, its players, its positions and its file."""
    players = "; ".join(entry.players[:8]) + ("; …" if len(entry.players) > 8 else "")
    return "\n".join(filter(None, [entry.note, players, ", ".join(entry.positions[:8]), str(entry.path)]))


def _entry_words(entry: RunEntry) -> str:
    if entry.plan is None:
        return f"cannot be read: {entry.problem}"
    if entry.done >= entry.total:
        return entry.decided or f"finished: {entry.done:,}"
    return f"{_so_far(entry.plan, entry.done, entry.total)}{entry.decided and f'; {entry.decided}'}"


def _so_far(plan: Plan, done: int, total: int) -> str:
    return f"{done:,} of {'at most ' * any(part.is_open for part in plan.parts)}{total:,}"
