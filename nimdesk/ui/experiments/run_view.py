"""A run or a published table: what it is, its charts, tables, games and notes."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from html import escape

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QScrollArea,
    QTabWidget,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from nimdesk.experiments.matches.work import MatchPart
from nimdesk.experiments.plan import Plan
from nimdesk.experiments.published import BuiltIn, published_as
from nimdesk.experiments.published.figures import READINGS
from nimdesk.experiments.results import duration
from nimdesk.experiments.schedule import schedule_of
from nimdesk.experiments.sections import Section
from nimdesk.ui.dialogs import readings
from nimdesk.ui.experiments.runner import Frame
from nimdesk.ui.experiments.tables import GamesTable, RowsView
from nimdesk.ui.look.widgets import Label, arrange, keyless, label, name_choice, narrow, tip
from nimdesk.ui.plots.bars import BarsPlot


class SectionPage(QWidget):
    """A table of the results, and below it what is said of it; made when it is first seen, because a run has many."""

    rows: RowsView
    """This and the note are made by the first ``show_section``."""
    note: Label

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name

    def _build(self) -> None:
        self.rows, self.note = RowsView(self._name), label(role="muted", wrap=True)
        arrange(QVBoxLayout(self), self.rows, self.note, wide=self.rows, spacing=4)
        self.setFocusProxy(self.rows)

    def show_section(self, section: Section) -> None:
        """Show these rows."""
        if self.layout() is None:
            self._build()
        self.rows.show_rows(section.headers, section.rows, range(section.left))
        self.note.setText(section.note)
        self.note.setVisible(bool(section.note))


# While a run goes on, tables are painted less often, because each cell asks Python a dozen questions.
_EVERY_S: dict[type, float] = {SectionPage: 1.0, GamesTable: 3.0}


class RunView(QTabWidget):
    """Tabs: about, chart, one for each table of the results, games, notes."""

    game_opened = Signal(object)
    """The person opened this ``GameResult``."""

    def __init__(self) -> None:
        super().__init__()
        self.setDocumentMode(True)
        self._frame: Frame | None = None
        self._stale = False
        self._filled: QWidget | None = None
        self._filled_s = 0.0
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._fill)
        self.about = QTextBrowser()
        self.about.setAccessibleName("About this plan")
        self.chart = BarsPlot()
        self.choice = narrow(QComboBox())
        self.choice.setMinimumContentsLength(24)
        self.choice.currentIndexChanged.connect(self._show_chart)
        scroll = QScrollArea()
        scroll.setWidget(self.chart)
        scroll.setWidgetResizable(True)
        scroll.setAccessibleName("Chart")
        self.chart_page = QWidget()
        column = QVBoxLayout(self.chart_page)
        column.setContentsMargins(0, 5, 0, 0)
        row = QHBoxLayout()
        row.addWidget(self.choice)
        row.addStretch(1)
        column.addLayout(row)
        column.addWidget(scroll, 1)
        name_choice(self.choice, "Chart shown")
        self.tables: dict[str, SectionPage] = {}
        self.games = GamesTable()
        self.games.game_opened.connect(self.game_opened)
        self.notes = QTextBrowser()
        self.notes.setAccessibleName("Notes")
        self.notes.setOpenLinks(False)
        self.notes.anchorClicked.connect(self._show_readings)
        self.addTab(self.about, "A&bout")
        for page, title in ((self.chart_page, "Cha&rt"), (self.games, "Game&s"), (self.notes, "&Notes")):
            self.addTab(page, title)
        self.currentChanged.connect(self._fill)
        self.show_frame(None)

    def show_plan(self, plan: Plan) -> None:
        """Show another plan, without results yet."""
        self.show_size(plan, "")
        self.show_frame(None)
        self.setCurrentWidget(self.about)

    def show_size(self, plan: Plan, size: str) -> None:
        """Describe the plan and its size."""
        self.about.setHtml(about_html(plan, published_as(plan), size))

    def show_frame(self, frame: Frame | None) -> None:
        """Show these results; None hides their tabs."""
        before = self._frame
        self._frame = frame
        there = frame is not None and frame.done > 0
        charted = frame is not None and there and bool(frame.charts)
        self._show_tab(self.chart_page, charted)
        self._show_tab(self.notes, there)
        self._show_tab(self.games, frame is not None and frame.count > 0)
        if not there:
            for table in self.tables.values():
                self._show_tab(table, False)
        if frame is None:
            self._filled = None
            self._timer.stop()
            self.games.show_frame(None)
            return
        self._redraw()
        if there and (before is None or before.done == 0):
            tables = (table for table in self.tables.values() if self.isTabVisible(self.indexOf(table)))
            self.setCurrentWidget(self.chart_page if charted else next(tables, self.notes))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._stale:
            self._redraw()

    def _redraw(self) -> None:
        frame = self._frame
        if frame is None or frame.done == 0:
            return
        if not self.isVisible():
            self._stale = True
            return
        self._stale = False
        titles = [chart.title for chart in frame.charts]
        if titles != [self.choice.itemText(i) for i in range(self.choice.count())]:
            self.choice.blockSignals(True)
            self.choice.clear()
            self.choice.addItems(titles)
            self.choice.blockSignals(False)
        shown = {section.title for section in frame.sections}
        for section in frame.sections:
            self._make_table(section)
        for title, table in self.tables.items():
            self._show_tab(table, title in shown)
        self._show_tab(self.games, frame.count > 0)
        page = self.currentWidget()
        wait_s = _EVERY_S.get(type(page), 0.0) - (time.monotonic() - self._filled_s)
        if page is not self._filled or wait_s <= 0 or frame.progress is None or frame.complete:
            self._fill()
        elif not self._timer.isActive():
            self._timer.start(round(1000 * wait_s) + 1)

    def _show_tab(self, page: QWidget, shown: bool) -> None:
        index = self.indexOf(page)
        if self.isTabVisible(index) != shown:  # setting it again would lay out and paint everything
            self.setTabVisible(index, shown)

    def _fill(self) -> None:
        """Fill the front page; the others are filled when they come to the front."""
        frame, page = self._frame, self.currentWidget()
        self._timer.stop()
        if frame is None or frame.done == 0:
            return
        self._filled, self._filled_s = page, time.monotonic()
        if page is self.chart_page:
            self._show_chart()
        elif page is self.games:
            self.games.show_frame(frame)
        elif page is self.notes:
            self._show_notes(frame)
        elif isinstance(page, SectionPage):
            section = next((each for each in frame.sections if self.tables[each.title] is page), None)
            if section is not None:
                page.show_section(section)

    def _show_notes(self, frame: Frame) -> None:
        text = "".join(f"<li>{_linked(note)}</li>" for note in frame.notes) or "<li>Nothing to be noted.</li>"
        if text != self.notes.property("shown"):
            self.notes.setProperty("shown", text)
            self.notes.setHtml(f"<ul>{text}</ul>")

    def _show_readings(self) -> None:
        built_in = None if self._frame is None else published_as(self._frame.schedule.plan)
        if built_in is not None:
            readings(self.window(), built_in.readings).open()

    def _show_chart(self) -> None:
        index = self.choice.currentIndex()
        if self._frame is not None and 0 <= index < len(self._frame.charts):
            self.chart.show_chart(self._frame.charts[index])

    def _make_table(self, section: Section) -> None:
        if section.title not in self.tables:
            table = self.tables[section.title] = SectionPage(section.title)
            self.insertTab(self.indexOf(self.games), table, keyless(section.title.partition(":")[0]))
            self.setTabToolTip(self.indexOf(table), tip(section.title))

    @property
    def picture(self) -> QWidget:
        return self.chart


def _linked(note: str) -> str:
    """The note as HTML, with the address of the readings as a link."""
    return re.sub(rf"{re.escape(READINGS)}\S*", r'<a href="\g<0>">the readings</a>.', escape(note))


def about_html(plan: Plan, built_in: BuiltIn | None, size: str) -> str:
    """What the plan is, for a person who considers running it."""
    lines = [f"<h3>{escape(plan.title or plan.name)}</h3>"]
    if built_in is not None:
        lines[0] = f"<h3>{escape(built_in.title)}</h3>"
        lines += [f"<p>{escape(built_in.about)}</p>", f"<p><b>Source:</b> {escape(built_in.source)}</p>"]
    elif plan.about:
        lines.append(f"<p>{escape(plan.about)}</p>")
    lines.append(f"<p><b>Size:</b> {escape(size)}.</p>" if size else "")
    players = "".join(
        f"<tr><td><b>{escape(name)}</b>&nbsp;&nbsp;</td><td>{escape(part.agent)}</td>"
        f"<td>&nbsp;&nbsp;{escape(', '.join(f'{key} = {value}' for key, value in part.options.items()))}</td></tr>"
        for name, part in plan.players.items()
    )
    lines.append(f"<p><b>Players</b></p><table>{players}</table>")
    positions = plan.texts
    lines.append(f"<p><b>Positions:</b> {escape(', '.join(positions[:40]))}{' …' * (len(positions) > 40)}</p>")
    lines += [
        f"<p>{escape(rule)}</p>" for rule in dict.fromkeys(rule for each in plan.matches for rule in _rules(each))
    ]
    if built_in is not None and built_in.choices:
        items = "".join(f"<li>{escape(choice)}</li>" for choice in built_in.choices)
        lines.append(f"<p><b>What the source leaves open</b></p><ul>{items}</ul>")
    return "".join(lines)


def _rules(part: MatchPart) -> Iterator[str]:
    """How games end otherwise than by the rules of the game."""
    if part.adjudicate:
        yield f"A game ends as soon as its outcome is proven, after {part.adjudicate} moves at the earliest."
    if part.clock:
        yield (
            f"Each player has {part.clock.time_s:g} s for a game, and {part.clock.increment_s:g} s more after each of "
            "its moves; whoever oversteps that has lost."
        )


def size_words(plan: Plan) -> str:
    """How much there is to do. Counts every game of the plan, which may take a moment."""
    tasks, built_in = schedule_of(plan, to_read=True).total, published_as(plan)
    words = f"{tasks:,} games or searches"
    if built_in is not None and built_in.plan.digest == plan.digest:
        words += f", about {duration(60 * built_in.minutes)} on two processors"
    return words
