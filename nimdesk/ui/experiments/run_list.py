"""The list beside matches and tables: the published tables, and the runs whose results lie on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QTreeWidget, QTreeWidgetItem

from nimdesk.errors import NimdeskError
from nimdesk.experiments.files import default_path
from nimdesk.experiments.plan import Plan
from nimdesk.experiments.published import BUILT_IN
from nimdesk.experiments.results import duration
from nimdesk.experiments.schedule import schedule_of
from nimdesk.experiments.store import SUFFIX, Store
from nimdesk.paths import results_dir

_PLAN, _PATH = Qt.ItemDataRole.UserRole, Qt.ItemDataRole.UserRole + 1


@dataclass(frozen=True)
class RunEntry:
    """A file of results, in a list: its plan and how much of it is done, or why it cannot be read."""

    path: Path
    plan: Plan | None
    done: int
    total: int
    problem: str = ""


class RunList(QTreeWidget):
    """Two sections of plans, each with how much of it is done."""

    plan_chosen = Signal(object, object)
    """A person chose this ``Plan``, whose results are in the file at this ``Path``."""
    told = Signal(str)
    """A person chose a file that cannot be read: why, as one sentence."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Published tables and runs")
        self.setHeaderHidden(True)
        self.setColumnCount(1)
        self.setIndentation(12)
        self.currentItemChanged.connect(self._on_item)

    def show_runs(self, entries: Sequence[RunEntry], selected: Path | None) -> None:
        """List these runs below the published tables, with the one at ``selected`` marked; nothing is chosen by it."""
        self.blockSignals(True)
        self.clear()
        done = {entry.path: entry for entry in entries}
        published = self._section("Published tables")
        for built_in in BUILT_IN.values():
            path = default_path(built_in.plan)
            entry = done.pop(path, None)
            plan = built_in.plan
            words = f"not run yet; about {duration(60 * built_in.minutes)}" if entry is None else _entry_words(entry)
            tip = f"{built_in.title}. {built_in.source}"
            _add(published, f"{plan.title}\n{words}", plan, path, tip)
        own = self._section("Runs on this machine")
        for path, entry in done.items():
            title = path.stem if entry.plan is None else entry.plan.title or entry.plan.name
            _add(own, f"{title}\n{_entry_words(entry)}", entry.plan, path, entry.problem or str(path))
        if not done:
            nothing = QTreeWidgetItem(own, ["none yet"])
            nothing.setFlags(Qt.ItemFlag.NoItemFlags)
        self.expandAll()
        self.blockSignals(False)
        self.mark(selected)

    def mark(self, path: Path | None) -> None:
        """Mark the run whose results are there, if it is listed, and no other; nothing is chosen by it."""
        self.blockSignals(True)
        found = next((item for item in self.items() if path is not None and item.data(0, _PATH) == path), None)
        self.setCurrentItem(found)  # type: ignore[arg-type]
        self.blockSignals(False)

    def choose_first(self) -> None:
        """Choose the first of the published tables."""
        self.setCurrentItem(self.items()[0])

    def items(self) -> list[QTreeWidgetItem]:
        """The rows that stand below the titles of sections."""
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
            self.told.emit(item.toolTip(0))
            return
        self.plan_chosen.emit(plan, item.data(0, _PATH))


def _add(parent: QTreeWidgetItem, text: str, plan: Plan | None, path: Path, tip: str) -> None:
    item = QTreeWidgetItem(parent, [text])
    item.setData(0, _PLAN, plan)
    item.setData(0, _PATH, path)
    item.setToolTip(0, tip)


def _entry_words(entry: RunEntry) -> str:
    if entry.plan is None:
        return "cannot be read"
    tested = any(part.sprt is not None for part in entry.plan.matches)
    if entry.done >= entry.total:
        return f"finished: {entry.done:,}"
    return f"{entry.done:,} of {'at most ' * tested}{entry.total:,}"


def list_runs() -> list[RunEntry]:
    """All files of results, the newest first."""
    try:
        files = sorted(results_dir().glob(f"*{SUFFIX}"), key=_changed, reverse=True)
    except OSError:
        return []
    entries = [_entry(path) for path in files]
    return [entry for entry in entries if entry.plan is None or not entry.plan.study]


def _entry(path: Path) -> RunEntry:
    try:
        with Store.open_to_read(path) as store:
            return RunEntry(path, store.plan, store.count(), schedule_of(store.plan).total)
    except NimdeskError as error:
        return RunEntry(path, None, 0, 0, str(error))


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
