"""Openings by the pie rule and by swap2 in the window: who is asked what, and the game that comes of it."""

from pathlib import Path

import pytest
from desk import Desk
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QPushButton
from pytestqt.qtbot import QtBot

from nimdesk.agents import make_agent
from nimdesk.agents.opening_rules import OpeningRule
from nimdesk.games import parse_position
from nimdesk.play import Human, Player
from nimdesk.play.record import load_game, save_game
from nimdesk.ui.play.new_game import NewGameSheet
from nimdesk.ui.play.opening import OpeningSheet

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
TABLE = make_agent("value-table")


def sheet_of(qtbot: QtBot, rule: OpeningRule, text: str, first: Player, second: Player) -> OpeningSheet:
    sheet = OpeningSheet(rule, parse_position(text), (first, second))
    qtbot.addWidget(sheet)
    sheet.show()
    return sheet


def play(sheet: OpeningSheet, move: str) -> None:
    board = sheet.board
    QTest.mouseClick(board, LEFT, NONE, board.move_point(board.position.parse_move(move)).toPoint())


def offered(sheet: OpeningSheet) -> list[str]:
    return [button.text().replace("&", "") for button in sheet.choices.values() if button.isVisible()]


def press(sheet: QDialog, text: str) -> None:
    (button,) = (each for each in sheet.findChildren(QPushButton) if each.text().replace("&", "") == text)
    QTest.mouseClick(button, LEFT)


@pytest.mark.parametrize(("move", "told"), [("1-2", "chose to play First"), ("1-1", "chose to play Second")])
def test_a_program_that_knows_nim_takes_the_better_side(qtbot: QtBot, move: str, told: str) -> None:
    # 3 xor 4 xor 5 is 2: after 1-2 the one to move, Second, has lost.
    sheet = sheet_of(qtbot, "pie", "nim:3,4,5", Human(), TABLE)
    assert "Make one move" in sheet.words.text()
    assert not offered(sheet)
    with qtbot.waitSignal(sheet.accepted):
        play(sheet, move)
    assert sheet.told == f"Pie rule: You made one move; Value table {told}."
    assert sheet.position.text == f"nim:3,4,5 {move}"
    assert isinstance(sheet.players[0], Human) == (move == "1-1")


def test_a_person_chooses_a_side_and_can_take_back(qtbot: QtBot) -> None:
    sheet = sheet_of(qtbot, "swap2", "nim:7,8,9", TABLE, Human())
    qtbot.waitUntil(lambda: bool(offered(sheet)))
    assert offered(sheet) == ["Play Second", "Play First", "Make two more moves"]
    assert "Second is to move" in sheet.words.text()
    three = sheet.position
    assert three.ply == 3
    press(sheet, "Make two more moves")
    play(sheet, next(move.text for move in sheet.position.legal_moves))
    assert sheet.position.ply == 4
    for _ in range(2):
        press(sheet, "Take back")
    assert sheet.position == three
    assert len(offered(sheet)) == 3
    with qtbot.waitSignal(sheet.accepted):
        press(sheet, "Play First")
    assert isinstance(sheet.players[0], Human)
    assert sheet.told == "Swap2: Value table made three moves; you chose to play First."


def test_a_rule_is_chosen_with_the_game_and_cancelling_leaves_the_game_that_was(desk: Desk) -> None:
    before, opened = desk.controller.game, list[str]()
    poll = QTimer(desk.window, interval=5)

    def look() -> None:
        dialog = QApplication.activeModalWidget()
        if isinstance(dialog, OpeningSheet):
            poll.stop()
            opened.append(dialog.words.text())
            press(dialog, "Cancel")

    def ask(sheet: QDialog) -> None:
        assert isinstance(sheet, NewGameSheet)
        QTest.keyClick(sheet.rules, Qt.Key.Key_Down)
        poll.timeout.connect(look)
        poll.start()
        QTest.mouseClick(sheet.start, LEFT)

    desk.in_dialog(desk.window.actions_by_name["new_game"].trigger, ask)
    (words,) = opened
    assert "Make one move" in words
    assert desk.controller.game is before


def test_a_game_opened_from_the_sheet_is_kept_with_how_it_began(desk: Desk, tmp_path: Path) -> None:
    opened = list[str]()

    def open_(sheet: QDialog) -> None:
        assert isinstance(sheet, OpeningSheet)
        opened.append(sheet.words.text())
        play(sheet, "a1")
        opened.append(sheet.words.text())
        press(sheet, "Play X")

    people, start = (Human(), Human()), parse_position("mnk:3,3,3")
    desk.in_dialog(lambda: desk.session.games.open_by("pie", start, people, quiet=False), open_)
    assert [words.partition(":")[0] for words in opened] == ["X", "O"]
    game = desk.controller.game
    assert game.position.text == "mnk:3,3,3 a1"
    assert game.plies[0].comment == "Pie rule: X made one move; O chose to play X."
    assert desk.notice == game.plies[0].comment
    desk.click("b2")
    save_game(game, tmp_path / "opened.nimdesk")
    assert load_game(tmp_path / "opened.nimdesk").plies[0].comment == game.plies[0].comment
    desk.controller.undo()
    desk.controller.undo()
    assert game.position.ply == 0
