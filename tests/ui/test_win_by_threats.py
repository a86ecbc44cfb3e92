"""A win by threats on the board of the window: one move after the other, by key and by button."""

from __future__ import annotations

from desk import ALT, Desk, K, OpenDesk
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QToolButton

from nimdesk.games import parse_position
from nimdesk.games.kit import threats_in
from nimdesk.games.truth import MoveTruth, Truth, Value, with_threats
from nimdesk.play.moment import Known, TruthLine

THREE = "mnk:9,9,5 d5 d6 e5 a1 f5 c2"
ON, BACK = (K.Key_PageDown, ALT), (K.Key_PageUp, ALT)


def learn(desk: Desk) -> None:
    """Have the window show what the threats alone prove, as when the solver has nothing to add."""
    position = parse_position(THREE)
    unknown = Truth(position, Value.UNKNOWN, None, tuple(MoveTruth(m, Value.UNKNOWN) for m in position.legal_moves))
    line = TruthLine(wanted=True, sentence="Truth: Black wins.")
    desk.window.display.show_known(Known(with_threats(unknown, threats_in(position)), line=line))


def line(desk: Desk) -> list[str]:
    return [move.text for move in desk.board.shown.line]


def buttons(desk: Desk) -> list[QToolButton]:
    wanted = [desk.window.actions_by_name[name] for name in ("win_back", "win_on")]
    return [each for each in desk.window.column.findChildren(QToolButton) if each.defaultAction() in wanted]


def test_a_win_is_gone_through_by_key_and_by_button(open_desk: OpenDesk) -> None:
    desk = open_desk(THREE)
    assert desk.enabled("win_on", "win_back") == [False, False]
    assert not any(button.isVisible() for button in buttons(desk))
    learn(desk)
    words = desk.window.column.findChild(QLabel, "truth")
    assert isinstance(words, QLabel)
    desk.press(ON)
    assert (line(desk), [move.text for move in desk.board.shown.answers]) == (["c5"], ["b5"])
    assert words.text() == "1 of 3: c5 threatens to complete a row, and no answer stops it."
    desk.press(ON, ON)
    assert line(desk) == ["c5", "b5", "g5"]
    desk.press(BACK)
    assert (line(desk), desk.board.shown.answers) == (["c5", "b5"], ())
    back, on = buttons(desk)
    assert (back.isVisible(), on.isVisible()) == (True, True)
    QTest.mouseClick(on, Qt.MouseButton.LeftButton)
    assert words.text() == "3 of 3: g5 wins."
    QTest.mouseClick(on, Qt.MouseButton.LeftButton)
    assert line(desk) == []
    assert words.text() == "Truth: Black wins."


def test_another_position_ends_it(open_desk: OpenDesk) -> None:
    desk = open_desk(THREE)
    learn(desk)
    desk.press(ON, ON)
    desk.controller.jump(2)
    assert line(desk) == []
