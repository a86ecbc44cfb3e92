"""Bands between two curves, painted as one picture: filling paths costs many frames, an image a fraction of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pyqtgraph as pg  # type: ignore[import-untyped]
from PySide6.QtGui import QColor

from nimdesk.ui.plots.data import Floats

_ALPHA = 56


class Bands:
    """A few bands of one plot item, below its curves."""

    COLUMNS: Final = 320
    """How many steps of the x axis a band is given for."""
    ROWS: Final = 200

    def __init__(self, item: Any) -> None:
        """``item`` is the pyqtgraph plot item to paint in."""
        self._image: Any = pg.ImageItem()
        self._image.setZValue(1)
        item.addItem(self._image, ignoreBounds=True)

    def hide(self) -> None:
        """Show no band."""
        self._image.hide()

    def draw(
        self, bands: Sequence[tuple[QColor, Floats, Floats]], x: tuple[float, float], y: tuple[float, float]
    ) -> None:
        """Fill between each low and high, (COLUMNS,), in these ranges of the axes; NaN fills nothing."""
        picture = np.zeros((self.ROWS, self.COLUMNS, 4), np.uint8)
        heights = y[0] + (np.arange(self.ROWS) + 0.5)[:, np.newaxis] * (y[1] - y[0]) / self.ROWS
        half = (y[1] - y[0]) / self.ROWS / 2
        for color, low, high in bands:
            # At least one pixel high, so that a sure value does not vanish.
            inside = (heights >= low - half) & (heights <= high + half)
            picture[inside] = (color.red(), color.green(), color.blue(), _ALPHA)
        self._image.setImage(picture, autoLevels=False, levels=(0, 255))
        self._image.setRect(x[0], y[0], x[1] - x[0], y[1] - y[0])
        self._image.show()
