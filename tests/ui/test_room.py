"""The window fits a screen of 1024 x 700 with its frame, whatever page, panel or state is shown."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from desk import CTRL, Desk, K, OpenDesk
from layout_items import held_items
from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QApplication, QScrollArea, QTabWidget, QToolButton, QWidget

from nimdesk.ui.laboratory.page import LaboratoryPage
from nimdesk.ui.look.actions import EXPERIMENTS, LABORATORY, PLAY

WIDEST, HIGHEST = 1000, 640


def tabs_shown(desk: Desk) -> Iterator[str]:
    """Goes through all that the tabs of the page show."""
    for tabs in desk.window.findChildren(QTabWidget):
        for index in range(tabs.count()) if tabs.isVisible() else ():
            tabs.setCurrentIndex(index)
            QApplication.processEvents()
            yield tabs.tabText(index)


def assert_fits(desk: Desk, state: str) -> None:
    QApplication.processEvents()
    least = desk.window.minimumSizeHint()
    assert least.width() <= WIDEST, f"{state}: {least.width()} wide"
    assert least.height() <= HIGHEST, f"{state}: {least.height()} high"


@pytest.fixture
def page(desk: Desk) -> LaboratoryPage:
    desk.window.modes.show_mode(LABORATORY)
    page = desk.session.laboratory.page
    assert page is not None
    return page


@pytest.mark.parametrize("mode", [PLAY, LABORATORY, EXPERIMENTS])
def test_every_page_fits(desk: Desk, mode: str) -> None:
    desk.window.modes.show_mode(mode)
    assert_fits(desk, mode)
    for tab in tabs_shown(desk):
        assert_fits(desk, f"{mode}, {tab}")


def test_the_laboratory_fits_into_800_pixels_in_large_words_and_in_usual_ones_again(open_desk: OpenDesk) -> None:
    desk = open_desk(text_percent=175)
    desk.window.modes.show_mode(LABORATORY)
    QApplication.processEvents()
    assert desk.window.minimumSizeHint().width() <= 800
    large = desk.laboratory.fontInfo().pointSizeF()
    desk.window.actions_by_name["normal_text"].trigger()
    desk.wait(lambda: desk.laboratory.fontInfo().pointSizeF() < large and desk.window.updatesEnabled())
    desk.window.resize(800, 600)
    for tab in tabs_shown(desk):
        shown = desk.laboratory.tabs.currentWidget()
        assert shown.minimumSizeHint().width() <= shown.width(), tab


def test_the_laboratory_fits_with_results_races_and_long_words(desk: Desk, page: LaboratoryPage) -> None:
    model, actions = page.model, desk.window.actions_by_name
    page.set_two_views(True)
    for _ in range(3):
        model.agents.add()
    model.searches.set_limit(500.0)
    actions["lab_run"].trigger()
    desk.wait(lambda: not model.searches.running)
    model.clock.set_moment(7.0)
    model.agents.set_seed(0, 2**32 - 1)
    assert actions["lab_run"].text() == "&Continue"
    for tab in tabs_shown(desk):
        assert_fits(desk, tab)
    desk.type_into(page.position_bar.text, "nim:1,2,3 9-9 " * 20)
    assert page.position_bar.problem.text()
    assert_fits(desk, "a problem")


@pytest.mark.parametrize("points", [0, 2])
def test_the_bar_of_the_laboratory_draws_together_and_cuts_no_text(
    desk: Desk, page: LaboratoryPage, points: int
) -> None:
    bar, app = page.run_bar, QApplication.instance()
    assert isinstance(app, QApplication)
    before = app.font()
    larger = app.font()
    larger.setPointSizeF(larger.pointSizeF() + points)
    try:
        app.setFont(larger)
        for width in (1400, 1000, 900):
            desk.window.resize(width, 680)
            QApplication.processEvents()
            desk.qtbot.wait(50)
            assert page.width() == width
            for button in bar.findChildren(QToolButton):
                assert button.width() >= button.sizeHint().width(), button.text()
                assert bar.rect().contains(QRect(button.mapTo(bar, QPoint()), button.size())), button.text()
    finally:
        app.setFont(before)


@pytest.mark.parametrize("larger", [0, 3])
def test_in_a_small_window_the_bar_and_the_agents_of_the_laboratory_wrap(
    desk: Desk, page: LaboratoryPage, larger: int
) -> None:
    page.model.agents.add()
    before = page.fontMetrics().height()
    desk.press(*[(K.Key_Plus, CTRL)] * larger)
    desk.wait(lambda: (page.agents.number.fontMetrics().height() > before) == (larger > 0))
    desk.window.resize(800, 600)
    row, area = page.agents.rows[0], page.agents.findChild(QScrollArea)
    assert isinstance(area, QScrollArea)
    buttons = [button for button in page.run_bar.findChildren(QToolButton) if button.isVisible()]
    agents = [row.options, row.remove, row.seed, *page.agents.below]

    def whole(part: QWidget, place: QWidget) -> bool:
        right = part.mapTo(place, QPoint(part.width(), 0)).x()
        return part.width() >= part.minimumSizeHint().width() and right <= place.width()

    desk.wait(lambda: desk.window.width() == 800 and all(whole(each, page.run_bar) for each in buttons), 20_000)
    desk.wait(lambda: all(whole(each, area.viewport()) for each in agents), 20_000)


@pytest.mark.parametrize("size", [(1024, 700), (800, 600)])
def test_beside_a_lesson_the_slider_is_long_and_what_stands_around_it_whole(
    desk: Desk, page: LaboratoryPage, size: tuple[int, int]
) -> None:
    desk.session.lessons.begin_first()
    desk.window.resize(*size)
    scrubber, head = page.scrubber, page.views.panes[0].findChildren(QToolButton)
    desk.wait(lambda: desk.window.width() == size[0] and scrubber.slider.width() >= 110)
    moment = scrubber.words
    assert moment.width() >= moment.fontMetrics().horizontalAdvance("iteration 71,954 of 100,000")
    for button in (each for each in head if each.isVisible()):
        assert button.width() >= button.sizeHint().width(), button.text()


def test_of_what_moves_to_another_line_of_the_bar_nothing_is_held(desk: Desk, page: LaboratoryPage) -> None:
    bar = page.run_bar

    def lines() -> int:
        return 1 + (bar.cost.y() >= bar.limit.y() + bar.limit.height())

    for width, wanted in ((600, 2), (1400, 1)):
        desk.window.resize(width, 680)
        desk.wait(lambda wanted=wanted: lines() == wanted)  # type: ignore[misc]
    assert not [address for address, owner in held_items() if owner is bar]


def test_nothing_in_the_bar_moves_when_a_search_has_begun(desk: Desk, page: LaboratoryPage) -> None:
    model, bar = page.model, page.run_bar
    before = bar.limit.pos()
    model.searches.set_limit(100.0)
    bar.run_button.click()
    desk.wait(lambda: not model.searches.running)
    QApplication.processEvents()
    assert bar.run_button.text() == "Continue"
    assert bar.limit.pos() == before
