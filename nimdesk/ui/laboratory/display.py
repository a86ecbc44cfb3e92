"""Keeps every panel of the laboratory at one moment of its searches."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from nimdesk.play.laboratory import lab_shown
from nimdesk.play.moment import BoardLook
from nimdesk.ui.jobs.bridge import Turns
from nimdesk.ui.look.move_marks import MoveColors

if TYPE_CHECKING:
    from nimdesk.ui.laboratory.page import LaboratoryPage

_READ_S = 0.2
"""The least time between two changes of what is read while a search runs: faster changes cannot be read."""
_REMEMBERED = 1000
"""Of so many sets of searches the colours are remembered."""
_SCRUB_MS = 40
"""What is read follows the moment this much later: a person who scrubs looks at both table and board."""


class LabDisplay(QObject):
    """Works out what is shown whenever something changes, and hands it to the panels, which show what is different.

    What a running search has come to is drawn in turns: the board, the views, then all that is read. Every part of a
    turn is of the same moment.
    """

    read = Signal(object)
    """All that is read (words, tables, rows) shows this ``LabShown`` from now on: show the same."""

    def __init__(self, page: LaboratoryPage) -> None:
        super().__init__(page)
        self._page, self._model = page, page.model
        self._views = page.views
        self._look = BoardLook()
        self._colored: tuple[int, ...] = ()
        """The numbers of the searches that have their colours."""
        self._colors: dict[tuple[int, ...], MoveColors] = {}
        """Those of searches shown before, by their numbers: a person who comes back finds each move in its colour."""
        self._read_at_s = 0.0
        self._turns = Turns((self._show_board, self._views.show_first, self._views.show_second, self._show_read), self)
        self._read_soon = QTimer(self, singleShot=True, interval=_SCRUB_MS)
        self._read_soon.timeout.connect(self._read)
        model = self._model
        searches = model.searches
        for signal in (model.place.changed, searches.runs_changed, searches.axis_changed, model.seeds.changed):
            signal.connect(self.draw_now)
        searches.results_changed.connect(self._follow)
        searches.running_changed.connect(self._on_running)
        model.clock.moment_changed.connect(self._on_moment)
        model.proof.truth_changed.connect(self._on_truth)
        model.pointing.changed.connect(self._on_pointed)
        self.draw_now()

    def set_look(self, look: BoardLook) -> None:
        """Show what a person sets about the board."""
        self._look = look
        self._resolve()
        self._page.board_panel.show_moment(self._model.shown)

    def draw_now(self) -> None:
        """Show what is so now everywhere at once, as a picture needs it."""
        self._turns.cancel()
        self._show_board()
        self._show_views()
        self._read()

    # What changes

    def _follow(self) -> None:
        """Draw one part after the other, with rests while searches run."""
        if self._model.searches.running:
            self._turns.ask()
        else:
            self._turns.hurry()

    def _on_running(self) -> None:
        self._show_board()
        if self._model.shown.at.focused.newest is None:
            self._show_views()
        self._read()

    def _on_moment(self) -> None:
        self._show_board()
        self._views.show_marks()
        if not self._read_soon.isActive():
            self._read_soon.start()

    def _on_truth(self) -> None:
        if self._model.proof.proving:
            self._turns.ask()
        else:
            self._follow()

    def _on_pointed(self) -> None:
        self._resolve()
        self._page.board_panel.show_moment(self._model.shown)
        self._page.board_panel.show_words(self._model.shown)
        self._views.show_marks()
        self._page.moves.show_pointed(self._model.shown)

    # What is shown

    def _take(self) -> None:
        """Take what is so now, and give the moves of all searches their colours."""
        self._at = self._model.moment()
        numbers, before = tuple(each.number for each in self._at.searches), self._colored
        if numbers != before:
            # Agents that are added share the colours of those that are there.
            more = before and numbers[: len(before)] == before
            colors = self._colors.pop(numbers, None) or (self._model.colors if more else MoveColors())
            self._colors[numbers] = self._model.colors = colors
            if len(self._colors) > _REMEMBERED:
                del self._colors[next(iter(self._colors))]
            self._colored = numbers
        self._model.colors.update(*(each.newest for each in self._at.searches))
        self._resolve()

    def _resolve(self) -> None:
        self._model.shown = lab_shown(self._at, self._look, self._model.pointing.pointer)

    def _show_board(self) -> None:
        self._take()
        self._page.board_panel.show_moment(self._model.shown)
        self._page.scrubber.show_moment(self._model.shown)

    def _show_views(self) -> None:
        self._views.show_first()
        self._views.show_second()

    def _show_read(self) -> None:
        if not self._model.shown.at.running or time.monotonic() - self._read_at_s >= _READ_S:
            self._read()

    def _read(self) -> None:
        self._read_soon.stop()
        self._read_at_s = time.monotonic()
        page, now = self._page, self._model.shown
        page.run_bar.show_moment(now)
        page.position_bar.show_moment(now)
        page.board_panel.show_words(now)
        page.agents.show_moment(now)
        for panel in page.panels:
            panel.show_moment(now)
        self.read.emit(now)
