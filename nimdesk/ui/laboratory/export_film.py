"""The search as it happened, as pictures: the moment goes from the first row to the newest, and all panels follow."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, QPoint, QRect, QSize, QTimer, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget

from nimdesk.ui.jobs.bridge import Bridge, Job
from nimdesk.ui.laboratory.export_data import runs_begun
from nimdesk.ui.laboratory.export_pictures import Sheet, image_of, inked_part, sheet_of
from nimdesk.ui.laboratory.model import Laboratory
from nimdesk.ui.laboratory.page import LaboratoryPage

if TYPE_CHECKING:
    from PIL import Image  # lazy: few make films

FRAMES = 60
FRAME_S, LAST_S = 0.12, 2.0
_PAUSE_MS = 15
"""Between two frames, so that the window goes on answering."""
_WAITING = 3
"""So many frames may wait for their colours to be reduced."""
_COLORS = 255
"""Of each frame; the last of a GIF's 256 is for what stays as it was."""


def film_moments(model: Laboratory, frames: int = FRAMES) -> list[float | None]:
    """Moments at even steps of the axis, the newest (None) last, none of them twice; empty before the first row."""
    line = model.searches.focused.timeline
    spent = None if line is None else line.costs(model.searches.axis.cost)
    if line is None or spent is None:
        return []
    axis = model.searches.axis
    left, right = axis.range(float(spent[0]), float(spent[-1]))
    moments: dict[int, float] = {}
    for x in np.linspace(left, right, frames).tolist():
        moment = axis.cost_at(x)
        moments.setdefault(line.row_at(model.searches.axis.cost, moment), moment)
    moments.pop(len(line) - 1, None)
    return [*moments.values(), None]


def sheet_of_page(
    page: LaboratoryPage, title: str, parts: list[tuple[QWidget, QPoint]], cuts: dict[QWidget, QRect] | None = None
) -> Sheet:
    """These parts of the laboratory under a caption that says what was searched, and which moment is shown."""
    model = page.model
    lines = [f"{letter}: {studied.title}, seed {studied.seed}" for letter, studied, _ in runs_begun(model)]
    caption = f"{title} · {model.place.position.text} · {page.scrubber.words.text()}"
    return sheet_of(caption, lines, parts, cuts or {})


class Film(QObject):
    """Sets one moment after the other, takes a picture of each, and puts them together in a thread."""

    went_on = Signal(int, int)
    """So many frames of so many are taken."""
    ended = Signal(object)
    """The bytes of a GIF, or a list of images; None if it was cancelled or could not be made."""

    def __init__(self, page: LaboratoryPage, *, animated: bool, parent: QObject | None = None) -> None:
        """``animated`` for one GIF, else single images."""
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
        self._moments = film_moments(self._model, frames)
        self._timer.start()

    def cancel(self) -> None:
        """End without a result."""
        self._finish(None)

    def sheet(self) -> Sheet:
        """Board and views side by side, as they are at the moment shown."""
        page, board = self._page, self._board
        page.draw_now()
        board.show_as(page.board_panel.board)
        panes = [pane for pane in page.views.panes if pane.isVisible()]
        origin = panes[0].mapTo(page, QPoint())
        parts: list[tuple[QWidget, QPoint]] = [(board, QPoint())]
        for pane in panes:
            # Of a view that has nothing to draw the reason, not what its plot drew last.
            parts.append((pane.page, pane.mapTo(page, QPoint()) - origin + QPoint(self._cut.width() + 12, 0)))
        # The piles or the grid keep their places: what is cut off the first picture is cut off all.
        return sheet_of_page(page, ", ".join(pane.view.title for pane in panes), parts, {board: self._cut})

    def _step(self) -> None:
        if self._taken == len(self._moments):
            if not self._animated:
                self._finish(self._images)
            elif len(self._frames) == self._taken:
                self._timer.stop()
                self._bridge.start(partial(_put_together, self._frames), done=self._finish, failed=self._fail)
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
        # All frames have the size of the first, whatever the window does meanwhile.
        self._size = self._size or sheet.size
        image = image_of(replace(sheet, size=self._size), 1.0)
        self._taken += 1
        if self._animated:
            self._bridge.start(partial(_reduced, image), done=self._frames.append, failed=self._fail)
        else:
            self._images.append(image)

    def _fail(self, sentence: str) -> None:
        self._finish(None)

    def _finish(self, made: object) -> None:
        self._timer.stop()
        self._bridge.shutdown()
        self._board.deleteLater()
        self._model.clock.set_moment(self._before)
        self.ended.emit(made)


def reduced(image: QImage) -> Image.Image:
    """The image in so few colours that a GIF can have them, without dots to make up for others."""
    from PIL import Image  # lazy: few make films

    plain = image.convertToFormat(QImage.Format.Format_RGB888)
    size = (plain.width(), plain.height())
    whole = Image.frombuffer("RGB", size, bytes(plain.constBits()), "raw", "RGB", plain.bytesPerLine(), 1)
    few = whole.quantize(_COLORS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    # Each colour becomes the mean of those that it stands for: as near as Pillow's ``kmeans``, in a third of the time.
    group, pixels = np.asarray(few).ravel(), np.asarray(whole).reshape(-1, 3)
    counts = np.maximum(np.bincount(group, minlength=_COLORS), 1)
    sums = [np.bincount(group, pixels[:, channel], _COLORS) for channel in range(3)]
    few.putpalette((np.stack(sums, 1) / counts[:, None]).round().astype(np.uint8).tobytes())
    return few


def gif_of(frames: Sequence[Image.Image]) -> bytes:
    """An animation without end, whose last frame stays longer."""
    buffer, times = io.BytesIO(), [FRAME_S] * (len(frames) - 1) + [LAST_S]
    milliseconds = [round(each * 1000) for each in times]
    frames[0].save(buffer, "GIF", save_all=True, append_images=frames[1:], duration=milliseconds, loop=0)
    return buffer.getvalue()


def _reduced(image: QImage, job: Job) -> Image.Image:
    return reduced(image)


def _put_together(frames: Sequence[Image.Image], job: Job) -> bytes:
    return gif_of(frames)
