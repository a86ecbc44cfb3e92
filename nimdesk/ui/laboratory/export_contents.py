"""What can be taken away from the laboratory: numbers as CSV, commands, a bundle, and the search as a film."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from PySide6.QtCore import QObject, QPoint, QRect, QSize, QTimer, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from nimdesk.cells import csv_text
from nimdesk.disk.provenance import made_here
from nimdesk.figures.content import Content, Searched, of_searches
from nimdesk.figures.files import SEED_COLUMNS, about_seeds
from nimdesk.figures.seeds import Spread, of_seeds
from nimdesk.play.bundle import Bundle, SavedRun, analyse_call, analyse_command, as_run, limited_to, runs_csv
from nimdesk.play.laboratory import AgentSearch, LabMoment
from nimdesk.search import Snapshot
from nimdesk.search.timeline import Cost
from nimdesk.ui.boards import BoardView
from nimdesk.ui.jobs.bridge import Bridge
from nimdesk.ui.laboratory.drawn_tree import TITLE
from nimdesk.ui.laboratory.export_pictures import Sheet, image_of, inked_part, sheet_of
from nimdesk.ui.laboratory.page import LaboratoryPage
from nimdesk.ui.laboratory.studied import LETTERS, title_of
from nimdesk.ui.laboratory.view_pane import ViewPane
from nimdesk.ui.plots.frame import Axis, Drawn, Frame
from nimdesk.ui.plots.history import Floats, Ints

if TYPE_CHECKING:
    from PIL import Image  # lazy: few make films

_WHOLE = (Cost.ITERATIONS, Cost.PLAYOUTS, Cost.NODES)
FRAMES = 60
_FRAME_MS, _LAST_MS = 120, 2000
_PAUSE_MS = 15
"""The pause between two frames, so that the window keeps answering."""
_WAITING = 3
"""How many frames may wait for their colours to be reduced."""
_COLORS = 255
"""The colours of each frame; the last of a GIF's 256 means unchanged."""


class Begun(NamedTuple):
    """A search that has begun."""

    letter: str
    search: AgentSearch
    snapshot: Snapshot


def searches_begun(at: LabMoment) -> list[Begun]:
    """The searches that have begun, in the order of the agents."""
    lettered = zip(LETTERS, at.searches, strict=False)
    return [Begun(letter, each, each.newest) for letter, each in lettered if each.newest is not None]


# Numbers


def view_csv(frames: Sequence[Frame]) -> str:
    """The numbers that a view draws, one line per checkpoint; one of the frames must have something to draw.

    A view of moves has the cost and a column for each move (for a mean also its error, for a bound also its mean).
    Several frames are of one agent each; the agent is then the first column. A view of agents has ``agent``, the cost,
    the value and ``plays``, agent after agent. If there are searches with other seeds, the columns of their band
    follow: 5%, 50% and 95%, or for a regret low, mean and high of its 95% interval; then the number of seeds, the first
    and the last. Unknown values are empty.
    """
    drawn = [frame for frame in frames if not frame.why_not()]
    if not drawn[0].view.of_moves:
        tables = [_agents_table(frame) for frame in drawn]
        return _written(tables[0][0], chain.from_iterable(rows for _header, rows in tables))
    if len(frames) == 1:
        return _written(*_moves_table(drawn[0]))
    of_agents = [(frame.lines[frame.focus], *_moves_table(frame)) for frame in drawn]
    header = list(dict.fromkeys(name for _line, names, _rows in of_agents for name in names))
    rows = (
        {"agent": f"{line.letter} {line.name}", **dict(zip(names, row, strict=True))}
        for line, names, own in of_agents
        for row in own
    )
    return _written(["agent", *header], ([row.get(name, "") for name in ("agent", *header)] for row in rows))


def _moves_table(frame: Frame) -> tuple[list[str], list[list[object]]]:
    history = frame.moves
    values = frame.values(np.arange(len(history.moves)))
    columns = list(zip(history.names, values.tolist(), strict=True))
    if (band := frame.measure.band) is not None:
        parts = band.part_of(history)
        columns += [(f"{band.part}:{name}", parts[:, c].tolist()) for c, name in enumerate(history.names)]
    if frame.spread is not None and (sample := frame.lines[frame.focus].sample) is not None:
        spread = sample.spread(frame.view.measure.name, frame.truth)
        assert spread is not None
        for part, numbers in zip(spread.columns, _at_rows(spread, history.iterations), strict=True):
            columns += [(f"{part}:{name}", numbers[:, c].tolist()) for c, name in enumerate(history.names)]
        cells = zip(SEED_COLUMNS, about_seeds(spread.seeds), strict=True)
        columns += [(name, [cell] * len(history)) for name, cell in cells]
    cost = frame.axis.cost
    spent = [int(each) if cost in _WHOLE else each for each in frame.spent.tolist()]
    rows = zip(spent, *(numbers for _, numbers in columns), strict=True)
    return [cost.value, *(name for name, _ in columns)], [list(row) for row in rows]


def _at_rows(spread: Spread, iterations: Ints) -> list[Floats]:
    """The band at these iterations; NaN after its end."""
    parts = [part[spread.rows_at(iterations)] for part in (spread.low, spread.middle, spread.high)]
    for part in parts:
        part[iterations > spread.iterations[-1]] = np.nan
    return parts


def _agents_table(frame: Frame) -> tuple[list[str], list[list[object]]]:
    rows: list[list[object]] = []
    spread = next((curve.spread for curve in frame.curves if curve.spread is not None), None)
    for curve in frame.curves:
        band = [np.full(len(curve.spent), np.nan)] * 3 if spread else []
        tail: Sequence[object] = [""] * 3 if spread else []
        if curve.spread is not None:
            band, tail = _at_rows(curve.spread, curve.timeline.iterations), about_seeds(curve.spread.seeds)
        for row, (spent, value) in enumerate(zip(curve.spent.tolist(), curve.values.tolist(), strict=True)):
            cost = int(spent) if frame.axis.cost in _WHOLE else spent
            ends = [float(part[row]) for part in band]
            rows.append([f"{curve.line.letter} {curve.line.name}", cost, value, curve.chosen(row), *ends, *tail])
    head = ["agent", frame.axis.cost.value, frame.view.title.lower(), "plays"]
    return [*head, *((*spread.columns, *SEED_COLUMNS) if spread is not None else ())], rows


def full_csv(at: LabMoment) -> str:
    """Every row of every search, as ``runs_csv`` has them; at least one search must have begun."""
    return runs_csv(_saved(at))


class Shown(NamedTuple):
    """A choice of what a figure shows: these searches, or the bands of those with other seeds."""

    words: str
    letters: str
    seeds: bool


def figure_choices(at: LabMoment) -> list[Shown]:
    """What a figure may show: all searches that have begun, or one of them; and the same with many seeds."""
    begun = searches_begun(at)
    letters = [each.letter for each in begun]
    found = [Shown("All agents", "".join(letters), seeds=False)] if len(letters) > 1 else []
    found += [Shown(f"Agent {letter}", letter, seeds=False) for letter in letters]
    many = {each.letter: each.search.sample for each in begun if each.search.sample is not None}
    if len(many) > 1:
        found.append(Shown("All agents, many seeds", "".join(many), seeds=True))
    return [
        *found,
        *(
            Shown(f"Agent {letter}, {len(sample.searches)} seeds", letter, seeds=True)
            for letter, sample in many.items()
        ),
    ]


def figure_of(at: LabMoment, frame: Frame, shown: Shown) -> Content:
    """The figure of this view: its curves, with the axis and the truth that it has; ``OptionError`` if it has none."""
    begun = [each for each in searches_begun(at) if each.letter in shown.letters]
    axis, measure, position = frame.axis, frame.view.measure.name, at.position
    if shown.seeds:
        several = len(shown.letters) > 1
        groups = [
            [
                _limited(replace(searched, letter=each.letter if several else ""), each.snapshot)
                for searched in each.search.sample.searches
            ]
            for each in begun
            if each.search.sample is not None
        ]
        return of_seeds(position, groups, measure, truth=frame.truth, log_x=axis.log)
    searches = [
        _limited(Searched(search.agent, position.game, search.seed, search.timeline, letter), snapshot)
        for letter, search, snapshot in begun
        if search.timeline is not None
    ]
    heat = frame.view.drawn is Drawn.HEAT_MAP
    return of_searches(position, searches, measure, cost=axis.cost, log_x=axis.log, truth=frame.truth, heat=heat)


def _limited(searched: Searched, snapshot: Snapshot) -> Searched:
    """The search for a caption: its agent, which has no limit in the laboratory, gets one where the search ended."""
    return replace(searched, agent=limited_to(searched.agent, snapshot))


def about_searches(at: LabMoment, *, bands: bool) -> dict[str, object]:
    """What the tables of the laboratory are of: the position, the agents with all options, seeds and how far they went.

    With ``bands`` it also says how many seeds, and which, each band is drawn from.
    """
    agents = []
    for begun in searches_begun(at):
        told = {"run": begun.letter, **as_run(begun.search.agent, begun.snapshot)}
        if bands and begun.search.sample is not None:
            seeds = [each.seed for each in begun.search.sample.searches]
            told |= zip(SEED_COLUMNS, about_seeds(seeds), strict=True)
        agents.append(told)
    return {"position": at.position.text, "agents": agents}


def _written(header: list[str], rows: Iterable[Iterable[object]]) -> str:
    # Only NaN, an unknown value, differs from itself.
    return csv_text(header, (["" if value != value else value for value in row] for row in rows))


def commands(at: LabMoment) -> str:
    """One command line for each search; it gives the same numbers and writes the trace, if there is one."""
    lines = []
    for letter, run in _saved(at):
        traced = run.snapshot.trace is not None or run.snapshot.steps
        lines.append(analyse_command(run, f"trace-{letter}.csv" if traced else ""))
    return "\n".join(lines)


def calls(at: LabMoment) -> str:
    """A script that gives the same numbers by the library."""
    lines = [f"{letter.lower()} = {analyse_call(run)}" for letter, run in _saved(at)]
    return "\n".join(["import nimdesk as nd", "", *lines, ""])


def unsure(at: LabMoment) -> str:
    """Which searches cannot be repeated to the same numbers, and why, as a clause; "" if all can."""
    return ", ".join(f"{letter} ({why})" for letter, run in _saved(at) if (why := run.why_not_repeatable))


def bundle_of(at: LabMoment, shown: dict[str, object]) -> Bundle:
    """The current experiment; at least one search must have begun."""
    return Bundle(at.position, tuple(run for _letter, run in _saved(at)), shown)


def _saved(at: LabMoment) -> list[tuple[str, SavedRun]]:
    """The searches that have begun, each with its letter, in the form of a bundle."""
    return [
        (letter, SavedRun(search.agent, search.seed, snapshot, search.rows))
        for letter, search, snapshot in searches_begun(at)
    ]


# The film: the moment goes from the first row to the newest, and all panels follow


def film_moments(at: LabMoment, frames: int = FRAMES) -> list[float | None]:
    """Moments at even steps of the axis without repetition, the newest (None) last; empty before the first row."""
    line, axis = at.focused.timeline, Axis(at.cost, at.log)
    spent = None if line is None else line.costs(axis.cost)
    if line is None or spent is None:
        return []
    left, right = axis.range(float(spent[0]), float(spent[-1]))
    moments: dict[int, float] = {}
    for x in np.linspace(left, right, frames).tolist():
        moment = axis.cost_at(x)
        moments.setdefault(line.row_at(axis.cost, moment), moment)
    moments.pop(len(line) - 1, None)
    return [*moments.values(), None]


def sheet_of_page(
    page: LaboratoryPage,
    panes: Sequence[ViewPane],
    parts: list[tuple[QWidget, QPoint]],
    cuts: dict[QWidget, QRect] | None = None,
) -> Sheet:
    """A picture of these parts of the laboratory, which show the views of ``panes``, under a caption.

    The caption says which moment and whose search is shown, and names the agents in the picture.
    """
    at = page.model.shown.at
    focus, shown = LETTERS[at.focus], set[str]()
    titles, keys = [], list[str]()
    for pane in panes:
        keys.append(pane.key.text())
        if pane.tree is not None:
            titles.append(TITLE)
            shown.update([focus] if at.focused.newest is not None else [])
            continue
        frames = page.views.frames(pane.view)
        if len(frames) > 1:
            shown.update(frame.lines[0].letter for frame in frames if not frame.why_not())
        else:
            shown.update(focus if pane.view.of_moves else (curve.line.letter for curve in frames[0].curves))
        alone = pane.view.of_moves and len(frames) == 1
        titles.append(f"{pane.view.title} of {focus}" if alone else pane.view.title)
    if any(isinstance(part, BoardView) for part, _place in parts):
        shown.add(focus)  # the board shows the search in focus
    lines = [told(begun.letter, begun.search) for begun in searches_begun(at) if begun.letter in shown]
    caption = " · ".join(filter(None, (", ".join(titles), at.position.text, page.scrubber.words.text())))
    return sheet_of(caption, [*lines, *filter(None, keys)], parts, cuts or {})


def told(letter: str, search: AgentSearch) -> str:
    """What one needs to search again: the agent's options, and its seed if it makes use of one."""
    agent = search.agent
    scaled = "" if search.newest is None else agent.scaled(search.newest.position.game)
    seed = f"seed {search.seed}" if agent.draws else ""
    return f"{letter}: {', '.join(filter(None, (title_of(agent, full=True), scaled, seed)))}"


class Film(QObject):
    """Sets one moment after the other, takes a picture of each, and assembles them in a thread."""

    went_on = Signal(int, int)
    """How many frames are taken, and how many there will be."""
    ended = Signal(object)
    """The bytes of a GIF, or a list of images; None if it was cancelled, a sentence if it failed."""

    def __init__(self, page: LaboratoryPage, *, animated: bool, parent: QObject | None = None) -> None:
        """``animated`` makes one GIF, otherwise single images are made."""
        super().__init__(parent)
        self._page, self._model, self._animated = page, page.model, animated
        # The sentence above the board grows and shrinks, and the board with it; its twin does not.
        self._board = page.board_panel.board.twin()
        self._cut = inked_part(self._board)
        self._size: QSize | None = None
        self._before = page.model.clock.moment
        self._moments: list[float | None] = []
        self._taken, self._set = 0, False
        self._images: list[QImage] = []
        self._frames: list[Image.Image] = []
        self._bridge = Bridge("nimdesk-film", what="The animation", parent=self)
        self._timer = QTimer(self, interval=_PAUSE_MS)
        self._timer.timeout.connect(self._step)

    def start(self, frames: int = FRAMES) -> None:
        """Begin; ``ended`` follows."""
        self._moments = film_moments(self._page.model.shown.at, frames)
        self._timer.start()

    def cancel(self) -> None:
        """End without a result."""
        self._finish(None)

    def sheet(self) -> Sheet:
        """Board and views side by side, at the moment shown."""
        page, board = self._page, self._board
        page.display.draw_now()
        board.show_as(page.board_panel.board)
        # What a search did in the tree is read later than it is searched, which is too late for a picture.
        panes = [pane for pane in page.views.panes if pane.isVisible() and pane.tree is None]
        origin = panes[0].mapTo(page, QPoint())
        parts: list[tuple[QWidget, QPoint]] = [(board, QPoint())]
        for pane in panes:
            # A view with nothing to draw shows the reason, not its plot's last content.
            beside = pane.mapTo(page, QPoint()) - origin + QPoint(self._cut.width() + 12, 0)
            parts += [(part, place + beside) for part, place in pane.parts]
        # All pictures are cut like the first, so that piles and grid keep their places.
        return sheet_of_page(page, panes, parts, {board: self._cut})

    def _step(self) -> None:
        if not self._page.isVisible():  # the window has been closed, and there is no picture to take
            self.cancel()
        elif self._taken == len(self._moments):
            if not self._animated:
                self._finish(self._images)
            elif len(self._frames) == self._taken:
                self._timer.stop()
                frames = self._frames
                self._bridge.start(lambda _job: gif_of(frames), done=self._finish, failed=self._finish)
        elif not self._animated or self._taken - len(self._frames) < _WAITING:
            if self._set:
                self._take()
                self.went_on.emit(self._taken, len(self._moments))
            else:
                # The picture is taken the next time, when all panels have followed and have their places.
                self._model.clock.set_moment(self._moments[self._taken])
            self._set = not self._set

    def _take(self) -> None:
        sheet = self.sheet()
        # All frames have the size of the first, whatever happens to the window.
        self._size = self._size or sheet.size
        image = image_of(replace(sheet, size=self._size), 1.0)
        self._taken += 1
        if self._animated:
            self._bridge.start(lambda _job: reduced(image), done=self._frames.append, failed=self._finish)
        else:
            self._images.append(image)

    def _finish(self, made: object) -> None:
        self._timer.stop()
        self._bridge.shutdown()
        self._board.deleteLater()
        self._model.clock.set_moment(self._before)
        self.ended.emit(made)


def reduced(image: QImage) -> Image.Image:
    """The image in few enough colours for a GIF, without dithering."""
    from PIL import Image  # lazy: few make films

    plain = image.convertToFormat(QImage.Format.Format_RGB888)
    size = (plain.width(), plain.height())
    whole = Image.frombuffer("RGB", size, bytes(plain.constBits()), "raw", "RGB", plain.bytesPerLine(), 1)
    few = whole.quantize(_COLORS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    # Each colour becomes the mean of those that it replaces: as close as Pillow's ``kmeans``, in a third of the time.
    group, pixels = np.asarray(few).ravel(), np.asarray(whole).reshape(-1, 3)
    counts = np.maximum(np.bincount(group, minlength=_COLORS), 1)
    sums = [np.bincount(group, pixels[:, channel], _COLORS) for channel in range(3)]
    few.putpalette((np.stack(sums, 1) / counts[:, None]).round().astype(np.uint8).tobytes())
    return few


def gif_of(frames: Sequence[Image.Image]) -> bytes:
    """An endless animation that pauses on its last frame."""
    buffer, times = io.BytesIO(), [_FRAME_MS] * (len(frames) - 1) + [_LAST_MS]
    made = made_here().words.encode()
    frames[0].save(buffer, "GIF", save_all=True, append_images=frames[1:], duration=times, loop=0, comment=made)
    return buffer.getvalue()
