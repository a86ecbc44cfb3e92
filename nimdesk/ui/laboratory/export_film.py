"""The search as it happened, as pictures: the moment goes from the first row to the newest, and all panels follow."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QImage

from nimdesk.ui.laboratory.export_gif import GifWriter, Pixels
from nimdesk.ui.laboratory.model import Laboratory

FRAMES = 60
FRAME_S, LAST_S = 0.12, 2.0
_PAUSE_MS = 15
"""Between two frames, so that the window goes on answering."""
_WAITING = 3
"""So many frames may wait to be packed."""


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


class Film(QObject):
    """Sets one moment after the other, has a picture taken of each, and hands them on packed."""

    went_on = Signal(int, int)
    """So many frames of so many are taken."""
    ended = Signal(object)
    """The bytes of a GIF, or a list of images; None if it was cancelled or could not be made."""

    def __init__(
        self, model: Laboratory, picture: Callable[[], QImage], *, animated: bool, parent: QObject | None = None
    ) -> None:
        """``picture`` paints the window's parts as they are; ``animated`` for one GIF, else single images."""
        super().__init__(parent)
        self._model, self._picture, self._animated = model, picture, animated
        self._before = model.clock.moment
        self._moments: list[float | None] = []
        self._taken, self._set = 0, False
        self._images: list[QImage] = []
        self._gif: GifWriter | None = None
        self._pool = ThreadPoolExecutor(1, "nimdesk-film")
        self._packing: list[Future[None]] = []
        self._timer = QTimer(self, interval=_PAUSE_MS)
        self._timer.timeout.connect(self._step)

    def start(self, frames: int = FRAMES) -> None:
        """Begin; ``ended`` follows."""
        self._moments = film_moments(self._model, frames)
        self._timer.start()

    def cancel(self) -> None:
        """End without a result."""
        self._finish(None)

    def _step(self) -> None:
        if any(future.done() and future.exception() for future in self._packing):
            self._finish(None)  # out of memory, say
            return
        self._packing = [future for future in self._packing if not future.done()]
        if len(self._packing) >= _WAITING:
            return
        if self._taken < len(self._moments):
            if not self._set:
                # The picture is taken the next time, when all panels have followed and have their places.
                self._set = True
                self._model.clock.set_moment(self._moments[self._taken])
                return
            self._set = False
            self._take(self._picture(), last=self._taken == len(self._moments) - 1)
            self._taken += 1
            self.went_on.emit(self._taken, len(self._moments))
        elif not self._packing:
            made = self._images if not self._animated else None if self._gif is None else self._gif.data()
            self._finish(made)

    def _take(self, image: QImage, *, last: bool) -> None:
        if not self._animated:
            self._images.append(image)
            return
        pixels = pixels_of(image)
        if self._gif is None:
            self._gif = GifWriter(pixels.shape[1], pixels.shape[0])
        self._packing.append(self._pool.submit(self._gif.add, pixels, LAST_S if last else FRAME_S))

    def _finish(self, made: object) -> None:
        self._timer.stop()
        self._pool.shutdown(wait=made is None, cancel_futures=True)
        self._model.clock.set_moment(self._before)
        self.ended.emit(made)


def pixels_of(image: QImage) -> Pixels:
    """A copy of the image's pixels, (height, width, 3)."""
    plain = image.convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(plain.constBits(), np.uint8).reshape(plain.height(), plain.bytesPerLine())
    return rows[:, : plain.width() * 3].reshape(plain.height(), plain.width(), 3).copy()
