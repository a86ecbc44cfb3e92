"""What a plot is drawn with lands where its data say, and in its colours."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPen

from nimdesk.ui.plots.ink import Band, Bundle, Column, Line, Picture, Scale, Words, apart, inside

WIDE = Scale(0.0, 10.0, 0.0, 1.0, 200.0, 100.0, False)


def painted(
    *shapes: Band | Line | Picture | Column, scale: Scale = WIDE, exact: bool = False
) -> np.ndarray[tuple[int, ...], np.dtype]:
    """The pixels, (height, width, 4) as blue, green, red, alpha."""
    image = QImage(200, 100, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for shape in shapes:
        shape.paint(painter, replace(scale, exact=exact))
    painter.end()
    return np.frombuffer(image.constBits(), np.uint8).reshape(100, 200, 4).copy()


def line(x: list[float], y: list[float], width: float = 1.0) -> Line:
    pen = QPen(QColor("#c04020"), width)
    pen.setCosmetic(True)
    return Line(np.array(x), np.array(y), pen)


@pytest.mark.parametrize(("down", "row"), [(False, 25), (True, 75)])
def test_a_line_is_at_its_height(down: bool, row: int) -> None:
    scale = Scale(0.0, 10.0, 0.0, 1.0, 200.0, 100.0, down)
    ink = painted(line([0, 10], [0.745, 0.745]), scale=scale)[:, :, 3].sum(axis=1)
    assert ink.argmax() in (row, row - 1)
    assert ink[[row - 3, row + 3]].sum() == 0


def middle(shape: Bundle | Line, *, exact: bool) -> np.ndarray[tuple[int, ...], np.dtype]:
    """How dense each pixel of the middle column is, of 255, in a picture of twice the size."""
    image = QImage(400, 200, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(2.0)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    shape.paint(painter, replace(WIDE, exact=exact))
    painter.end()
    return np.frombuffer(image.constBits(), np.uint8).reshape(200, 400, 4)[:, 200, 3].copy()


def test_a_line_of_an_enlarged_picture_is_as_wide_as_on_the_screen() -> None:
    wide = line([0, 10], [0.5, 0.5], width=2.0)
    assert [(middle(wide, exact=exact) > 127).sum() for exact in (False, True)] == [2, 4]


@pytest.mark.parametrize("exact", [False, True])
def test_curves_that_lie_on_each_other_are_darker_in_a_picture_too(exact: bool) -> None:
    pen = QPen(QColor(60, 70, 80, 90), 1.0)
    pen.setCosmetic(True)
    x, heights = np.array([0.0, 10.0]), np.full((3, 2), 0.505)
    one, three = (middle(Bundle(x, heights[:curves], pen), exact=exact).max() for curves in (1, 3))
    assert 0 < 1.5 * one < three


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(-40, 90)), min_size=2, max_size=8))
def test_what_is_left_of_a_line_lies_inside_and_misses_nothing(points: list[tuple[int, int]]) -> None:
    x, y = (np.array(each, float) for each in zip(*points, strict=True))
    kept_x, kept_y = inside(x, y, 50.0)
    assert np.nanmin(np.append(kept_y, 0)) >= 0
    assert np.nanmax(np.append(kept_y, 0)) <= 50
    # Pieces are parted by NaN, which adds nothing.
    drawn = float(np.nansum(np.hypot(np.diff(kept_x), np.diff(kept_y))))
    expected = 0.0
    for (x0, y0), (x1, y1) in pairwise(points):
        # The part of each segment by its height; level ones are in or out as a whole.
        top, bottom = max(0, min(y0, y1)), min(50, max(y0, y1))
        part = float(0 <= y0 <= 50) if y0 == y1 else max(0.0, bottom - top) / abs(y1 - y0)
        expected += part * float(np.hypot(x1 - x0, y1 - y0))
    assert drawn == pytest.approx(expected)


def band(low: list[float], high: list[float]) -> np.ndarray[tuple[int, ...], np.dtype]:
    made = painted(Band(np.array([0.0, 10.0]), np.array(low), np.array(high), QColor("#c04020")))
    return made[:, :, 3] > 0


def test_a_band_fills_what_lies_between_its_curves_and_no_more() -> None:
    filled = band([0.2, 0.6], [0.4, 0.8])
    for column in (10, 100, 190):
        low, high = np.interp(column / 20, [0, 10], [0.2, 0.6]), np.interp(column / 20, [0, 10], [0.4, 0.8])
        rows = np.flatnonzero(filled[:, column])
        assert rows[[0, -1]] == pytest.approx([100 - 100 * high, 100 - 100 * low], abs=2)
        assert len(rows) == rows[-1] - rows[0] + 1


def test_a_band_without_any_height_is_still_seen() -> None:
    assert band([0.5, 0.5], [0.5, 0.5])[:, 100].sum() in (1, 2)


def test_values_far_outside_and_lines_without_points_do_no_harm() -> None:
    assert painted(line([0, 5, 10], [0.5, 1e12, 0.5]))[:, :, 3].any()
    assert not painted(line([], [])).any()


def test_the_first_row_of_a_picture_is_the_upper_one_in_its_own_colours() -> None:
    table = np.array([[200, 100, 50, 255], [0, 0, 0, 0], [10, 20, 30, 128]], np.uint8)
    picture = Picture(np.array([[0, 1], [2, 0]], np.uint8), 0.0, 10.0, 0.0, 1.0, table)
    pixels = painted(picture)
    assert pixels[20, 50].tolist() == [50, 100, 200, 255]
    assert pixels[20, 150].tolist() == [0, 0, 0, 0]
    assert pixels[80, 150].tolist() == [50, 100, 200, 255]
    assert pixels[80, 50].tolist() == pytest.approx([15, 10, 5, 128], abs=1)


@given(st.lists(st.floats(0, 100), min_size=1, max_size=8))
def test_letters_moved_apart_keep_order_and_distance_and_stay_within_the_plot(middles: list[float]) -> None:
    moved = apart(middles, 12.0, 100.0)
    assert all(5.999 <= place <= 94.001 for place in moved)
    order = sorted(range(len(middles)), key=lambda index: middles[index])
    places = [moved[index] for index in order]
    assert all(above + 11.999 <= below for above, below in pairwise(places))


@given(st.lists(st.integers(0, 6), min_size=1, max_size=6, unique=True))
def test_letters_that_do_not_overlap_stay_where_they_are(places: list[int]) -> None:
    middles = [6.0 + 14.0 * place for place in places]
    assert apart(middles, 12.0, 100.0) == pytest.approx(middles)


@pytest.mark.parametrize(("height", "shown"), [(100.0, 4), (26.0, 2)])
def test_letters_at_one_height_are_all_read_and_the_first_ones_where_room_is_short(
    qapp: object, height: float, shown: int
) -> None:
    font = QFont()
    font.setPixelSize(11)
    assert 2 <= 26 / (QFontMetricsF(font).capHeight() + 3) < 3, "as high as two letters"
    colors = [QColor("#ff0000"), QColor("#00ff00"), QColor("#0000ff"), QColor("#ffffff")]
    words = tuple(Words(letter, 2.0, 0.5, color, font) for letter, color in zip("ABCD", colors, strict=True))
    pixels = painted(Column(words), scale=Scale(0.0, 10.0, 0.0, 1.0, 200.0, height, False))
    solid = pixels[pixels[:, :, 3] > 200][:, :3]
    seen = {tuple(color > 150 for color in pixel) for pixel in solid.tolist()}
    assert len(seen - {(False, False, False)}) == shown
