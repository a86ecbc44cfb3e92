"""What a screen reader says of a game and of the laboratory, and what it is told on request."""

from dataclasses import replace

import pytest
from desk import CTRL, HUMAN, Desk, K, OpenDesk, mcts
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QAccessibleEvent
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from nimdesk.play.moment import State
from nimdesk.ui.lessons.panel import LessonPanel, PanelShown
from nimdesk.ui.look.actions import EXPERIMENTS, LABORATORY


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """All that is announced, as it goes to the screen reader."""
    said: list[str] = []

    def hear(event: QAccessibleEvent) -> None:
        if isinstance(event, QAccessibleAnnouncementEvent):
            said.append(event.message())

    monkeypatch.setattr(QAccessible, "isActive", lambda: True)
    monkeypatch.setattr(QAccessible, "updateAccessibility", hear)
    return said


def described(widget: QWidget) -> str:
    """What a screen reader reads of a widget beside its name."""
    interface = QAccessible.queryAccessibleInterface(widget)
    assert interface is not None
    return interface.text(QAccessible.Text.Description)


def test_the_moves_of_both_are_said_and_the_cells_under_the_keys(open_desk: OpenDesk, told: list[str]) -> None:
    desk = open_desk("mnk:3,3,3", HUMAN, mcts(50))
    desk.board.setFocus()
    desk.press(K.Key_Left, K.Key_Return)
    desk.wait(lambda: len(desk.moves) == 2)
    desk.wait_for(State.HUMAN)
    answer = desk.moves[1]
    assert told[0] == "a2, empty"
    assert told[1] == "X: a2. O to move."
    assert f"O: {answer}. X to move." in told
    where = set()
    for row in "123":
        for column in "abc":
            desk.press(getattr(K, f"Key_{column.upper()}"), getattr(K, f"Key_{row}"))
            where.add(told[-1])
    assert {"a2, X", f"{answer}, O, last move"} <= where
    assert len([each for each in where if each.endswith("empty")]) == 7
    assert f"X on a2. O on {answer}." in described(desk.board)


def test_in_connect_four_a_column_says_what_lies_in_it(open_desk: OpenDesk, told: list[str]) -> None:
    desk = open_desk("mnk:7,6,4:gravity d1 d2")
    desk.board.setFocus()
    desk.press(K.Key_D)
    assert told[-1] == "d3, empty, over Yellow, Red"


def test_the_truth_is_said_when_it_is_asked_for_and_the_hint_when_it_comes(
    open_desk: OpenDesk, told: list[str]
) -> None:
    desk = open_desk("nim:3,4,5", HUMAN, HUMAN, suggest=mcts(100).to_json())
    assert not told
    desk.press((K.Key_T, CTRL))
    desk.wait(lambda: "Truth: First can win in 11 plies, with 1-2." in told)
    desk.press(K.Key_F2)
    desk.wait(lambda: any(each.startswith("Hint: ") for each in told))


def test_f12_says_all_that_is_known_and_no_more(open_desk: OpenDesk, told: list[str]) -> None:
    desk = open_desk("nim:3,4,5", mcts(300), HUMAN)
    desk.wait_for(State.HUMAN)
    desk.wait(lambda: desk.window.display.shown.plot.snapshot is not None)
    desk.press(K.Key_F12)
    assert told[-1].startswith("Your turn. How MCTS")
    assert "Leader: " in told[-1]
    assert "Truth: " not in told[-1], "nobody asked for it"
    page = desk.analyse()
    page.model.searches.set_limit(100.0)
    page.model.searches.run()
    desk.wait(lambda: not page.model.searches.running)
    desk.wait(page.board_panel.truth_line.isVisible)
    desk.press(K.Key_F12)
    assert " would play " in told[-1]
    assert "Truth: " in told[-1]
    assert desk.window.status.currentMessage() == told[-1]


def test_labels_are_read_as_they_are_and_nothing_with_tags(desk: Desk) -> None:
    desk.analyse()
    for mode in (LABORATORY, EXPERIMENTS):
        desk.window.modes.show_mode(mode)
        QApplication.processEvents()
        for widget in desk.window.findChildren(QWidget):
            if widget.isVisible():
                assert "<p>" not in described(widget), widget
            if isinstance(widget, QLabel) and widget.accessibleName():
                assert widget.accessibleName() == widget.text(), "the name would be read in place of the text"


def test_a_step_of_a_lesson_is_said_and_then_what_is_found(qtbot: QtBot, told: list[str]) -> None:
    panel = LessonPanel()
    qtbot.addWidget(panel)
    panel.show()
    qtbot.waitExposed(panel)
    now = PanelShown("Trees", "Step 1 of 2", 1, 2, "A search begins.")
    panel.show_moment(now)
    panel.show_moment(replace(now, text="A search begins.\n\nIt **ended**."))
    panel.show_moment(replace(now, text="A search begins.\n\nIt **ended**.", verdict="✓ Right."))
    assert told == ["A search begins.", "It ended.", "✓ Right."]
