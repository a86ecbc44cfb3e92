"""The guided look: by keys and clicks, in under ten steps, to Monte Carlo wrong about Nim and then right."""

from __future__ import annotations

import pytest
from desk import LEFT, Desk, K, OpenDesk
from PySide6.QtCore import QEvent, QObject
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from nimdesk.games import parse_position
from nimdesk.search.timeline import Cost
from nimdesk.ui.laboratory.tour import FEW, MANY, PROVEN_WITHIN, Callout, GuidedTour
from nimdesk.ui.look.actions import LABORATORY


def tour_of(desk: Desk) -> GuidedTour | None:
    return desk.session.laboratory.tour


def begun(desk: Desk) -> tuple[GuidedTour, Callout]:
    desk.window.actions_by_name["tour"].trigger()
    desk.wait(lambda: tour_of(desk) is not None)
    tour = tour_of(desk)
    assert tour is not None
    return tour, tour.callout


def test_the_story_is_told_in_under_ten_clicks(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:3,3,3")
    tour, callout = begun(desk)
    page = desk.laboratory
    # Accepting the offer of the first start.
    texts, clicks = [], 1
    while tour_of(desk) is not None:
        desk.wait(callout.next.isEnabled)
        texts.append(callout.text.text())
        assert page.rect().contains(callout.geometry()), "the callout is inside the window"
        assert all(len(text) < 260 for text in texts)
        QTest.mouseClick(callout.next, LEFT)
        clicks += 1
    assert len(set(texts)) == len(tour.steps) == 8
    # With the last one a person says that all has been seen.
    assert clicks - 1 < 10
    uct, mcts = page.model.searches.runs
    early = uct.at(Cost.ITERATIONS, float(FEW))
    assert early is not None
    assert early.best_move is not None
    assert early.best_move.text != "1-2", "the search is wrong with few"
    assert uct.snapshot is not None
    assert uct.snapshot.iterations == MANY
    assert uct.snapshot.best_move is not None
    assert uct.snapshot.best_move.text == "1-2", "and right with many"
    assert mcts.snapshot is not None
    assert mcts.snapshot.best_move == uct.snapshot.best_move
    assert mcts.snapshot.iterations <= PROVEN_WITHIN
    assert f"certain after {mcts.snapshot.iterations} games" in texts[-1]
    assert page.truth_shown


def test_escape_ends_it_at_any_step_and_puts_everything_back(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:3,3,3")
    desk.window.modes.show_mode(LABORATORY)
    page = desk.laboratory
    before = page.model.place.position, page.remember()
    tour, callout = begun(desk)
    desk.press(K.Key_Right, K.Key_Right)
    assert tour.at == 3
    assert page.model.place.position == parse_position("nim:3,4,5")
    desk.press(K.Key_Escape)
    assert tour_of(desk) is None
    assert not callout.isVisible()
    assert (page.model.place.position, page.remember()) == before


def test_escape_ends_it_though_the_keyboard_went_elsewhere(open_desk: OpenDesk) -> None:
    desk = open_desk()
    _, callout = begun(desk)
    while callout.isAncestorOf(QApplication.focusWidget() or callout):
        desk.press(K.Key_Tab)
    desk.press(K.Key_Tab, K.Key_Escape)
    assert tour_of(desk) is None


def test_one_can_go_back_and_nothing_is_searched_twice(open_desk: OpenDesk) -> None:
    desk = open_desk()
    tour, callout = begun(desk)
    desk.press(K.Key_Right, K.Key_Right)
    desk.wait(callout.next.isEnabled)
    desk.press(K.Key_Left, K.Key_Left)
    assert tour.at == 1
    assert not callout.back.isVisible()
    desk.press(K.Key_Right, K.Key_Right)
    desk.wait(callout.next.isEnabled)
    page = desk.laboratory
    assert page.model.searches.runs[0].spent(Cost.ITERATIONS) == FEW


def test_who_goes_to_another_position_has_left_the_look(open_desk: OpenDesk) -> None:
    desk = open_desk()
    begun(desk)
    page = desk.laboratory
    page.model.place.go_to(parse_position("nim:21:max3"))
    assert tour_of(desk) is None
    assert page.model.place.position == parse_position("nim:21:max3")


@pytest.mark.parametrize("yes", [True, False])
def test_it_is_offered_at_the_first_start_and_never_again(open_desk: OpenDesk, *, yes: bool) -> None:
    desk = open_desk(tour_seen=False)
    offer = desk.window.plots.offer
    assert offer is not None
    assert offer.isVisible()
    desk.click("1-1")
    assert offer.isVisible(), "it stands in nobody's way"
    QTest.mouseClick(offer.yes if yes else offer.no, LEFT)
    assert desk.window.plots.offer is None
    desk.wait(lambda: (tour_of(desk) is not None) == yes)
    desk.close()
    again = open_desk(store=desk.session.preferences.store)
    assert again.window.plots.offer is None


def test_the_callout_is_as_high_as_its_words(qtbot: QtBot) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    page.resize(900, 700)
    page.show()
    callout = Callout(page)
    heights = []
    for words in (20, 50, 20):
        callout.say(page, "word " * words, "1 of 8", back=True)
        heights.append(callout.height())
    assert heights[0] == heights[2] < heights[1]


class _Layouts(QObject):
    """Counts how often a widget is asked to lay itself out."""

    count = 0

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802
        self.count += event.type() == QEvent.Type.LayoutRequest
        return False


def test_while_it_waits_for_a_person_the_window_rests(open_desk: OpenDesk) -> None:
    desk = open_desk()
    _tour, callout = begun(desk)
    for _ in range(10):
        QApplication.processEvents()
    layouts = _Layouts()
    callout.installEventFilter(layouts)
    for _ in range(50):
        QApplication.processEvents()
    assert layouts.count <= 2
