"""Take-away games as rows: every way to make a move has its place, and the row parts where it was pointed at."""

from __future__ import annotations

import random

import pytest
from desk import WAIT_MS
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from nimdesk.games import Move, parse_game, parse_position
from nimdesk.games.kit import known_at_once
from nimdesk.games.take.rules import TakeGame, TakePosition
from nimdesk.ui.boards import BoardPlace, board_for
from nimdesk.ui.boards.plain import PlainBoard
from nimdesk.ui.boards.take.board import TakeBoard
from nimdesk.ui.boards.take.rows import after, first_rows, parts_of_rows, rows_of, spots

K = Qt.Key
GAMES = [
    "take:0.77:5,7",
    "take:0.07:6,5",
    "take:4.07:7",
    "take:0.137:7,2",
    "take:0.6:8",
    "take:{1,3,4}:6,7",
    "take:wythoff:3,5",
    "take:0.77777:6",
    "take:{1,2}:3+wythoff:3,2+0.77:4",
]


@pytest.mark.parametrize("text", GAMES)
def test_every_legal_move_has_a_spot_and_every_spot_does_what_the_rules_say(text: str) -> None:
    game = parse_game(text)
    assert isinstance(game, TakeGame)
    for seed in range(12):
        chance, position, rows = random.Random(seed), game.start(), first_rows(game)
        while position.outcome is None:
            found = spots(game, rows)
            assert {spot.move for spot in found} == set(position.legal_moves)
            for spot in found:
                left: list[list[int]] = [[] for _ in game.parts]
                for part, pieces in zip(parts_of_rows(game), after(rows, spot), strict=True):
                    left[part] += [size for _, size in pieces]
                expected = [[heap for heap in heaps if heap] for heaps in position.play(spot.move).board]
                assert [sorted(each) for each in left] == expected
            chosen = chance.choice(found)
            position, rows = position.play(chosen.move), after(rows, chosen)


def test_moves_of_others_are_made_in_the_first_heap_of_their_size_at_its_right_end() -> None:
    position = parse_position("take:0.77:4,4 4-1 4-2=1+1")
    assert isinstance(position, TakePosition)
    assert rows_of(position, {}) == (((0, 3),), ((0, 1), (3, 1)))


class Played:
    """A board that goes on with the moves that a person chooses."""

    def __init__(self, qtbot: QtBot, text: str, size: tuple[int, int] = (680, 520)) -> None:
        board = board_for(parse_game(text))
        assert isinstance(board, TakeBoard)
        self.board, self.chosen = board, list[Move]()
        qtbot.addWidget(board)
        board.resize(*size)
        board.set_position(parse_position(text))
        board.set_interactive(True)
        board.move_chosen.connect(self._on_chosen)
        with qtbot.waitActive(board, timeout=WAIT_MS):
            board.show()
            board.activateWindow()
        board.clearFocus()

    def _on_chosen(self, move: Move) -> None:
        self.chosen.append(move)
        self.board.set_position(self.board.position.play(move))

    def at(self, row: int, slot: float) -> QPoint:
        """The middle of this thing, or between two."""
        places = self.board.places()
        place = places.thing(row, int(slot)).center() + QPointF((slot - int(slot)) * places.pitch, 0)
        return place.toPoint()

    def click(self, row: int, slot: float) -> None:
        QTest.mouseMove(self.board, self.at(row, slot))
        QTest.mouseClick(self.board, Qt.MouseButton.LeftButton, pos=self.at(row, slot))

    def drag(self, row: int, start: int, end: int) -> None:
        QTest.mousePress(self.board, Qt.MouseButton.LeftButton, pos=self.at(row, start))
        QTest.mouseMove(self.board, self.at(row, end))
        QTest.mouseRelease(self.board, Qt.MouseButton.LeftButton, pos=self.at(row, end))

    @property
    def texts(self) -> list[str]:
        return [move.text for move in self.chosen]


def test_a_click_takes_a_pin_or_two_and_the_row_parts_there(qtbot: QtBot) -> None:
    played = Played(qtbot, "take:0.77:5,9")
    played.click(1, 2)
    assert played.board.rows == (((0, 5),), ((0, 2), (3, 6)))
    played.click(1, 7.5)  # between two pins
    assert played.board.rows == (((0, 5),), ((0, 2), (3, 4)))
    played.click(0, 4)
    assert played.board.rows == (((0, 4),), ((0, 2), (3, 4)))
    assert played.texts == ["9-1=2+6", "6-2", "5-1"]


def test_of_equal_moves_the_one_that_is_pointed_at_is_made(qtbot: QtBot) -> None:
    for slot, rows in ((1, ((0, 1), (2, 5))), (5, ((0, 5), (6, 1)))):
        played = Played(qtbot, "take:0.77:7")
        played.click(0, slot)
        assert played.texts == ["7-1=1+5"]
        assert played.board.rows == (rows,)


def test_a_place_from_before_a_takeback_is_not_used_where_its_pins_are_gone(qtbot: QtBot) -> None:
    played = Played(qtbot, "take:0.77:5")
    board, start = played.board, played.board.position
    played.click(0, 0)
    played.click(0, 4)
    again = played.chosen[1]
    board.set_position(start)
    played.click(0, 4)
    board.set_position(board.position.play(again))
    board.grab()
    assert board.rows == (((0, 3),),)
    assert board.last_spot is not None
    assert board.last_spot.spans == ((0, 3, 1),)


def test_a_twin_for_pictures_has_its_pins_where_the_board_has_them(qtbot: QtBot) -> None:
    played = Played(qtbot, "take:0.77:7")
    played.click(0, 1)
    twin = played.board.twin()
    qtbot.addWidget(twin)
    assert isinstance(twin, TakeBoard)
    assert twin.rows == played.board.rows == (((0, 1), (2, 5)),)
    with twin.art.exactly():
        assert not twin.grab().isNull()


def test_a_drag_takes_all_from_the_first_pin_to_the_last(qtbot: QtBot) -> None:
    played = Played(qtbot, "take:0.777:9")
    played.drag(0, 6, 4)
    played.drag(0, 0, 1)
    assert played.texts == ["9-3=2+4", "4-2"]
    assert played.board.rows == (((2, 2), (7, 2)),)


def test_a_drag_over_more_than_may_be_taken_takes_nothing(qtbot: QtBot) -> None:
    played = Played(qtbot, "take:0.77:9")
    before = played.board.grab().toImage()
    QTest.mousePress(played.board, Qt.MouseButton.LeftButton, pos=played.at(0, 2))
    QTest.mouseMove(played.board, played.at(0, 4))
    assert played.board.hovered_move is None
    assert played.board.grab().toImage() != before, "why nothing happens is said"
    QTest.mouseRelease(played.board, Qt.MouseButton.LeftButton, pos=played.at(0, 4))
    assert played.texts == []


def test_a_drag_from_one_token_to_another_takes_nothing(qtbot: QtBot) -> None:
    played = Played(qtbot, "take:{1,2,3}:9")
    played.drag(0, 6, 8)
    assert played.texts == []


def test_a_drag_goes_on_while_the_window_tells_the_same_again(qtbot: QtBot) -> None:
    played = Played(qtbot, "take:0.77:9")
    QTest.mousePress(played.board, Qt.MouseButton.LeftButton, pos=played.at(0, 2))
    played.board.set_position(played.board.position)
    QTest.mouseMove(played.board, played.at(0, 3))
    QTest.mouseRelease(played.board, Qt.MouseButton.LeftButton, pos=played.at(0, 3))
    assert played.texts == ["9-2=2+5"]


def test_without_pins_a_token_and_all_to_its_right_are_taken_if_the_rule_allows_it(qtbot: QtBot) -> None:
    played = Played(qtbot, "take:{1,3,4}:6,7")
    played.click(1, 5)  # two at once
    assert played.texts == []
    played.click(1, 3)
    assert played.texts == ["7-4"]
    assert played.board.rows == (((0, 6),), ((0, 3),))


def test_between_the_two_rows_of_wythoff_as_many_are_taken_from_both(qtbot: QtBot) -> None:
    played = Played(qtbot, "take:wythoff:5,8")
    both = next(spot for spot in played.board.spots() if spot.move.text == "5,8-2")
    place = played.board.places().cell(both).center()
    assert played.board.places().thing(0, 3).bottom() < place.y() < played.board.places().thing(1, 3).top()
    QTest.mouseMove(played.board, place.toPoint())
    assert played.board.pointed == both
    QTest.mouseClick(played.board, Qt.MouseButton.LeftButton, pos=place.toPoint())
    played.click(1, 0)
    assert played.texts == ["5,8-2", "6-6"]
    assert played.board.rows == (((0, 3),), ())


def test_a_cut_that_takes_nothing_leaves_a_gap(qtbot: QtBot) -> None:
    played = Played(qtbot, "take:4.07:6")
    before = played.board.places()
    played.click(0, 1.5)  # between two pins both are taken, or the row is split: the fewer first
    assert played.texts == ["6=2+4"]
    places = played.board.places()
    assert places.thing(0, 2).left() - places.thing(0, 1).right() > before.pitch * 0.4


def test_the_keys_go_along_a_lane_to_the_next_and_to_a_number(qtbot: QtBot) -> None:
    played = Played(qtbot, "take:0.77:5,7")
    board = played.board
    board.setFocus()

    def press(*keys: Qt.Key) -> str:
        for key in keys:
            QTest.keyClick(board, key)
        move = board.hovered_move
        assert move is not None
        return move.text

    assert press(K.Key_Home) == "5-1"
    assert press(K.Key_Right, K.Key_Right) == "5-1=2+2"
    assert press(K.Key_2) == "5-2=1+2"
    assert press(K.Key_Minus) == "5-1=1+3"
    assert press(K.Key_Plus, K.Key_End) == "5-2"
    assert press(K.Key_Down, K.Key_Down) == "7-2=1+4"
    press(K.Key_Return)
    assert played.texts == ["7-2=1+4"]
    assert board.rows[1] == ((0, 4), (6, 1))


def test_what_the_mouse_points_at_the_keys_go_on_from(qtbot: QtBot) -> None:
    played = Played(qtbot, "take:0.77:7")
    played.board.setFocus()
    QTest.mouseMove(played.board, played.at(0, 5))
    QTest.keyClick(played.board, K.Key_Left)
    assert played.board.pointed is not None
    assert played.board.pointed.spans == ((0, 4, 1),)


def test_heaps_too_large_to_be_drawn_are_a_list_and_the_next_game_is_drawn_again(qtbot: QtBot) -> None:
    place = BoardPlace(parse_game("take:0.77:5,7"))
    qtbot.addWidget(place)
    for text, kind in (
        ("take:{1,2}:65", PlainBoard),
        ("take:{1,2}:64", TakeBoard),
        ("take:0.77777:3,3,3,3,3", PlainBoard),
        ("take:wythoff:5,8", TakeBoard),
    ):
        place.show_game(parse_game(text))
        place.board.set_position(parse_game(text).start())
        assert isinstance(place.board, kind)
        assert place.board.position.game.text == text


def test_what_would_be_taken_and_how_the_row_would_part_is_seen(qtbot: QtBot) -> None:
    played = Played(qtbot, "take:0.77:5,7")
    board = played.board
    still = board.grab().toImage()
    QTest.mouseMove(board, played.at(1, 2))
    pointed = board.grab().toImage()
    assert board.hover_words() == "take 1 from the heap of 7, leaving 2 and 4"
    moved = {column for column in range(still.width()) if differs(still, pointed, column)}
    row = [board.places().thing(1, slot) for slot in range(7)]
    for slot in range(7):
        assert any(row[slot].left() <= column <= row[slot].right() for column in moved), (
            f"pin {slot} stays where it was"
        )


def differs(one: QImage, other: QImage, column: int) -> bool:
    return any(one.pixel(column, y) != other.pixel(column, y) for y in range(one.height() // 2, one.height(), 2))


@pytest.mark.parametrize("text", [*GAMES, f"take:0.77:{','.join(['9'] * 11)},64"])
@pytest.mark.parametrize("size", [(260, 200), (900, 640)])
def test_it_is_painted_with_all_that_is_known_at_any_size(qtbot: QtBot, text: str, size: tuple[int, int]) -> None:
    played = Played(qtbot, text, size)
    board, position = played.board, parse_position(text)
    board.set_truth(known_at_once(position))
    board.set_suggestion(position.legal_moves[0])
    board.set_line((position.legal_moves[-1],))
    for move in position.legal_moves:
        where = board.move_point(move)
        assert board.rect().contains(where.toPoint())
        QTest.mouseMove(board, where.toPoint())
        assert board.hovered_move == move
    board.grab()
