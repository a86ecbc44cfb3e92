"""The button with what was run earlier, the name and note of the run shown, and what else a tab has to offer."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QToolButton

from nimdesk.experiments.files import RunEntry
from nimdesk.ui.experiments.run_head import RunHead
from nimdesk.ui.experiments.run_list import about_run, ask_words
from nimdesk.ui.experiments.shown_results import ShownResults
from nimdesk.ui.jobs.bridge import Bridge
from nimdesk.ui.look.widgets import keyless, tip

_MOST = 12


class EarlierRuns(QToolButton):
    """What was run earlier, the newest first; it is looked for in a thread, because a disk may be slow."""

    chosen = Signal(object)
    """The person chose this ``RunEntry``."""

    def __init__(
        self,
        title: str,
        find: Callable[[int], list[RunEntry]],
        add_first: Callable[[QMenu], object],
        shown: ShownResults,
        head: RunHead,
        jobs: Bridge,
        *,
        at_rest: bool = False,
    ) -> None:
        """``find`` returns so many at most; ``add_first`` adds what the menu begins with.

        ``at_rest``: one can be chosen only while nothing runs.
        """
        super().__init__()
        self._title, self._find, self._add_first, self._shown, self._head = title, find, add_first, shown, head
        self._jobs, self._at_rest = jobs, at_rest
        self.entries: list[RunEntry] | None = None
        """The latest; None before they were looked for."""
        self.list = fill_by(self, title, self._fill)
        self.list.setToolTipsVisible(True)
        self.setAccessibleName(f"Earlier {title.lower()}")

    def look(self) -> None:
        """Look for them."""
        self._jobs.start(lambda _job: self._find(_MOST), done=self._on_found, failed=self._head.say)

    def _on_found(self, entries: list[RunEntry]) -> None:
        changed, self.entries = entries != self.entries, entries
        if changed and self.list.isVisible():
            self._show()

    def _fill(self) -> None:
        """Show what is known at once; files on a slow disk come when they come."""
        self._show()
        self.look()

    def _show(self) -> None:
        self.list.clear()
        self._add_first(self.list)
        entries, path = self.entries or [], self._shown.path
        shown = next((entry for entry in entries if entry.path == path and entry.date), None)
        named = self.list.addAction("&Name, note…")
        named.setEnabled(shown is not None)
        if shown is not None:
            named.triggered.connect(lambda: ask_words(self.window(), self._jobs, shown, self._on_words))
        self.list.addSeparator()
        add_title(self.list, f"Earlier {self._title.lower()}")
        if not entries:
            self.list.addAction("Looking…" if self.entries is None else "None yet").setEnabled(False)
        for entry in entries:
            text = " · ".join(filter(None, (entry.title, entry.date)))
            action = self.list.addAction(keyless(text), partial(self.chosen.emit, entry))
            action.setToolTip(tip(about_run(entry)))
            action.setEnabled(not (self._at_rest and self._shown.runner.active))

    def _on_words(self) -> None:
        self.look()
        self._head.told.emit(f"Kept in its file; “{self._title}” lists it by its name.")


def fill_by(button: QToolButton, text: str, fill: Callable[[], object]) -> QMenu:
    """Let the button open a menu, which ``fill`` fills anew each time."""
    button.setText(text)
    button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
    menu = QMenu(button)
    menu.aboutToShow.connect(fill)
    button.setMenu(menu)
    return menu


def add_title(menu: QMenu, text: str) -> None:
    """A line that cannot be chosen, because not every style shows the titles of sections."""
    menu.addAction(keyless(text)).setEnabled(False)
