"""Bands between two curves, painted as one picture: filling paths costs many frames, an image a fraction of one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from PySide6.QtGui import QColor

from nimdesk.ui.plots.data import Floats
from nimdesk.ui.plots.ink import BAND_ALPHA, Picture

BAND_COLUMNS: Final = 320
"""How many steps of the x axis a band is given for."""
_ROWS = 200


def bands_picture(
    bands: Sequence[tuple[QColor, Floats, Floats]], x: tuple[float, float], y: tuple[float, float]
) -> Picture:
    """Between each low and high, (BAND_COLUMNS,), in these ranges of the axes; NaN fills nothing."""
    index = np.zeros((_ROWS, BAND_COLUMNS), np.uint8)
    heights = y[1] - (np.arange(_ROWS) + 0.5)[:, np.newaxis] * (y[1] - y[0]) / _ROWS
    half = (y[1] - y[0]) / _ROWS / 2
    table = np.zeros((len(bands) + 1, 4), np.uint8)
    for number, (color, low, high) in enumerate(bands, 1):
        # At least one pixel high, so that a sure value does not vanish.
        index[(heights >= low - half) & (heights <= high + half)] = number
        table[number] = (color.red(), color.green(), color.blue(), BAND_ALPHA)
    return Picture(index, x, y, table=table)
