"""The sheet at a player's card: chosen there, gone with Escape, and never in the way of the game."""

from __future__ import annotations

from functools import partial

from desk import CTRL, ENDLESS, HUMAN, LEFT, NONE, RANDOM, Desk, K, OpenDesk
from PySide6.QtCore import QPoint
from PySide6.QtGui import QCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog

from nimdesk.agents import make_agent
from nimdesk.games import Side
from nimdesk.play import opponent
from nimdesk.play.moment import State
from nimdesk.ui.play.sheet import PlayerSheet

FORCED = "nim:1,1"
"""The first player makes the first move, and the second the last one."""


def open_sheet(desk: Desk, side: Side = Side.SECOND) -> PlayerSheet:
    QTest.mouseClick(desk.window.column.card(side), LEFT)
    sheet = desk.sheet(side)
    assert sheet.isVisible()
    return sheet


def chosen(sheet: PlayerSheet) -> list[str]:
    return [row.key for row in sheet.rows if row.isChecked()]


def test_a_card_opens_a_sheet_at_it_with_the_six_levels_and_a_click_chooses(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:3,3,3", HUMAN, opponent("level2"))
    board = desk.board.size()
    card, sheet = desk.window.column.card(Side.SECOND), open_sheet(desk)
    assert desk.board.size() == board, "nothing moves aside"
    keyboard = QApplication.focusWidget()
    assert keyboard is not None
    assert sheet.isAncestorOf(keyboard)
    assert [row.key for row in sheet.rows] == ["human", *(f"level{number}" for number in range(1, 7))]
    assert chosen(sheet) == ["level2"]
    assert not sheet.box.isVisible(), "a seed is no choice between levels"
    assert 0 <= sheet.y() - card.mapTo(desk.window.page, card.rect().bottomLeft()).y() < 12
    QTest.mouseClick(sheet.rows[4], LEFT)
    assert not sheet.isVisible()
    assert desk.controller.game.players[1] == opponent("level4")
    assert card.words.name == "Level 4, Club"
    assert card.words.about == "O · Sees short combinations"


def test_the_keyboard_alone_chooses_and_escape_leaves(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:3,3,3", HUMAN, opponent("level2"))
    card = desk.window.column.card(Side.SECOND)
    card.setFocus()
    desk.press(K.Key_Return, K.Key_Down, K.Key_Return)
    assert desk.controller.game.players[1] == opponent("level3")
    assert card.hasFocus()
    desk.press((K.Key_E, CTRL))
    assert desk.sheet(1).isVisible()
    desk.press(K.Key_Up, K.Key_Escape)
    assert not desk.sheet(1).isVisible()
    assert card.hasFocus()
    assert desk.controller.game.players[1] == opponent("level3"), "nothing was chosen"


def test_tab_stays_in_the_sheet(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:3,3,3", HUMAN, opponent("level2"))
    sheet = open_sheet(desk)
    met = set()
    for _ in range(12):
        desk.press(K.Key_Tab)
        met.add(QApplication.focusWidget())
    assert {*sheet.rows, sheet.adapt, sheet.more} == met
    assert sheet.isVisible()


def test_a_press_beside_the_sheet_and_one_on_its_card_close_it(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:3,3,3", HUMAN, RANDOM)
    sheet = open_sheet(desk)
    assert sheet.box.isVisible(), "who plays is none of the levels"
    QTest.mouseClick(desk.window.column.card(Side.SECOND), LEFT)
    assert not sheet.isVisible()
    open_sheet(desk)
    QTest.mouseClick(desk.window.column.card(Side.FIRST), LEFT)
    assert not sheet.isVisible()
    assert desk.sheet(Side.FIRST).isVisible(), "a press on another card opens its sheet"


def test_a_click_on_the_board_that_closes_the_sheet_plays_nothing(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:3,3,3", HUMAN, HUMAN)
    sheet = open_sheet(desk)
    QTest.mouseClick(desk.board, LEFT, NONE, desk.point("b2"))
    assert not sheet.isVisible()
    assert desk.moves == []
    assert desk.board.hasFocus()
    desk.click("b2")
    assert desk.moves == ["b2"]


def test_a_double_click_that_closes_the_sheet_or_a_dialog_plays_nothing(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:3,3,3", HUMAN, HUMAN)
    sheet = open_sheet(desk)
    QTest.mouseClick(desk.board, LEFT, NONE, desk.point("b2"))
    QTest.mouseDClick(desk.board, LEFT, NONE, desk.point("b2"))
    QTest.mouseRelease(desk.board, LEFT, NONE, desk.point("b2"))
    assert not sheet.isVisible()
    assert desk.moves == []
    QCursor.setPos(desk.board.mapToGlobal(desk.point("b2")))
    with desk.qtbot.waitActive(desk.window):
        desk.in_dialog(desk.window.actions_by_name["new_game"].trigger, QDialog.reject)
    QTest.mouseClick(desk.board, LEFT, NONE, desk.point("b2"))
    assert desk.moves == []
    desk.click("a1")
    assert desk.moves == ["a1"]


def test_escape_closes_the_sheet_and_leaves_a_search_alone(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:15,15,5", ENDLESS, HUMAN)
    desk.wait_for(State.THINKING)
    sheet = open_sheet(desk, Side.FIRST)
    desk.press(K.Key_Escape)
    assert not sheet.isVisible()
    assert desk.state is State.THINKING
    desk.press(K.Key_Escape)
    assert desk.state is State.THINKING


def test_everybody_else_and_all_options_are_behind_more(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:3,3,3", HUMAN, opponent("level2"))
    sheet = open_sheet(desk)
    QTest.mouseClick(sheet.more, LEFT)
    assert sheet.box.isVisible()
    assert not sheet.rows[1].isVisible()
    desk.choose_player(1, "MCTS")
    last = desk.field(1, "seed")
    desk.wait(lambda: last.visibleRegion().boundingRect().size() == last.size())
    desk.choose_player(1, "Level 2, Beginner")
    desk.type_into(desk.field(1, "seed"), "7")
    assert desk.controller.game.players[1] == make_agent("level2", {"seed": 7})
    desk.choose_player(1, "MCTS")
    assert desk.window.column.card(Side.SECOND).words.name == "MCTS"
    assert sheet.isVisible(), "its options may be next"
    QTest.mouseClick(sheet.more, LEFT)
    assert chosen(sheet) == []


def play_out(desk: Desk) -> None:
    """The first player of this game has no choice, nor has the second."""
    desk.click("1-1")
    desk.wait_for(State.OVER)


def test_own_results_stand_on_the_card_and_in_the_sheet(open_desk: OpenDesk) -> None:
    desk = open_desk(FORCED, HUMAN, opponent("level2"))
    card = desk.window.column.card(Side.SECOND)
    assert card.words.about == "Second · Overlooks a lot"
    play_out(desk)
    desk.wait(lambda: card.words.about == "Second · you won 0 of 1")
    assert [row.results for row in desk.sheet(1).rows if row.results] == ["won 0 of 1"]
    desk.button("swap")
    desk.wait_for(State.HUMAN)
    desk.click(desk.board.position.legal_moves[0].text)
    desk.wait(lambda: desk.window.column.card(Side.FIRST).words.about == "First · you won 1 of 2")


def test_after_three_losses_the_next_game_is_against_the_level_below_and_says_so(open_desk: OpenDesk) -> None:
    desk = open_desk(FORCED, HUMAN, opponent("level2"))
    adapt = open_sheet(desk).adapt
    QTest.mouseClick(adapt, LEFT, NONE, QPoint(10, adapt.height() // 2))
    assert desk.session.preferences.now.adapt
    card = desk.window.column.card(Side.SECOND)

    def told(lost: int) -> bool:
        return card.words.about.endswith(f"0 of {lost}")

    for lost in range(1, 4):
        play_out(desk)
        desk.wait(partial(told, lost))
        desk.button("restart")
    assert desk.controller.game.players[1] == opponent("level1")
    assert desk.notice == "You lost three games in a row: now against Level 1, First lesson."
    play_out(desk)
    desk.button("restart")
    assert desk.controller.game.players[1] == opponent("level1"), "a new level begins with none"
