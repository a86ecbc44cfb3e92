"""What is written and drawn stands out from its ground, in both looks: WCAG 2.2, 1.4.3 and 1.4.11."""

import msgspec
import numpy as np
import pytest
from desk import HUMAN, Desk, OpenDesk, contrast, mcts
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLabel, QLineEdit, QWidget

from nimdesk.play.moment import State
from nimdesk.ui.look.theme import DARK, LIGHT, READ_ON, SEEN_ON, Theme
from nimdesk.ui.plots.ink import Marks

WITHOUT_MEANING = {"border", "grid", "wood_tip"}
"""Part panels and fields of a plot; the words and the lines between them tell as much."""


def pairs(theme: Theme, uses: dict[str, str]) -> list[tuple[float, str, str]]:
    """The contrast of each colour with each of its grounds, the lowest first."""
    found = []
    for role, grounds in uses.items():
        colors = theme.curves if role == "curves" else (getattr(theme, role),)
        found += [(contrast(QColor(c), theme.color(g)), f"{role} {c}", g) for c in colors for g in grounds.split()]
    return sorted(found)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_each_colour_stands_out_from_the_grounds_that_it_is_used_on(theme: Theme) -> None:
    assert pairs(theme, READ_ON)[0][0] >= 4.5, pairs(theme, READ_ON)[:5]
    assert pairs(theme, SEEN_ON)[0][0] >= 3, pairs(theme, SEEN_ON)[:5]
    # What is drawn with an edge is seen by that or by itself.
    for inside, edge, ground in (("wood", "wood_edge", "board"), ("stone_second", "stone_edge", "ground")):
        assert max(contrast(theme.color(each), theme.color(ground)) for each in (inside, edge)) >= 3


def test_every_colour_of_a_look_says_what_it_is_for() -> None:
    grounds = {ground for uses in (READ_ON, SEEN_ON) for each in uses.values() for ground in each.split()}
    edged = {"wood", "wood_edge", "stone_edge"}
    no_colours = {"name", "line"}
    declared = {*READ_ON, *SEEN_ON, *grounds, *edged, *WITHOUT_MEANING, *no_colours}
    assert declared == {field.name for field in msgspec.structs.fields(Theme)}


def poorly_read(window: QWidget) -> list[str]:
    """The words of labels, buttons and fields with a contrast below 4.5, measured on a picture of the window.

    The ground is the colour that is there most, the ink the one that is farthest from it.
    """
    image = window.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), image.width())
    found = []
    for kind in (QLabel, QAbstractButton, QLineEdit, QComboBox):
        for widget in window.findChildren(kind):
            text = widget.currentText() if isinstance(widget, QComboBox) else widget.text()
            if not widget.isVisible() or not widget.isEnabled() or not text.strip():
                continue
            place = QRect(widget.mapTo(window, QPoint()), widget.size()) & window.rect()
            # Its edge is not its writing.
            part = pixels[place.top() + 3 : place.bottom() - 2, place.left() + 3 : place.right() - 2]
            colors, counts = np.unique(part, return_counts=True)
            if len(colors) > 1:
                ground = QColor(int(colors[counts.argmax()]))
                if max(contrast(QColor(int(color)), ground) for color in colors) < 4.5:
                    found.append(f"{type(widget).__name__} {text}")
    return found


@pytest.mark.parametrize("look", ["light", "dark"])
def test_words_are_read_on_every_page(open_desk: OpenDesk, look: str) -> None:
    desk: Desk = open_desk("mnk:3,3,3 b2 a1", HUMAN, HUMAN, theme=look, show_truth=True)
    assert poorly_read(desk.window) == []
    page = desk.analyse()
    page.model.agents.add()
    for index in range(page.tabs.count()):
        page.model.agents.set_focus(index % 2)
        page.tabs.setCurrentIndex(index)
        QApplication.processEvents()
        assert poorly_read(desk.window) == []
    for tab in desk.each_experiment():
        assert poorly_read(desk.window) == [], tab


def test_curves_are_told_from_each_other_without_colours(open_desk: OpenDesk) -> None:
    """The list beside the plot shows a mark for each of the first moves, and so do the ends of their curves."""
    desk = open_desk("mnk:3,3,3 b2 a1", mcts(300), HUMAN)
    desk.wait_for(State.HUMAN)
    legend, plot = desk.panel.legend, desk.panel.plot
    desk.wait(lambda: legend.isVisible() and legend.model().rowCount() == 7)
    shapes = set()
    for row in range(5):
        icon = legend.model().index(row, 0).data(Qt.ItemDataRole.DecorationRole)
        image = icon.pixmap(18, 12).toImage()
        shapes.add(tuple(image.pixelColor(x, y).alpha() > 128 for x in range(18) for y in range(12)))
    assert len(shapes) == 5
    ends = [shape.symbol for shape in plot.ink.shapes if isinstance(shape, Marks) and len(shape.x)]
    assert len(ends) == len(set(ends)) == 5, "one is the leader's triangle"
