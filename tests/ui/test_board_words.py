"""Words and signs on boards: where they are free, large enough to be read, and where people look for them."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRectF, QSizeF
from PySide6.QtGui import QFont
from pytestqt.qtbot import QtBot

from nimdesk.games import MnkPosition, NimPosition, parse_position
from nimdesk.games.truth import MoveTruth, Truth, Value
from nimdesk.ui.boards.mnk.art import free_side
from nimdesk.ui.boards.mnk.board import MnkBoard
from nimdesk.ui.boards.nim.board import NimBoard
from nimdesk.ui.boards.nim.sticks import lay_out_sticks

BOARD = QRectF(0, 0, 400, 400)
CELL = QRectF(180, 180, 40, 40)
LABEL = QSizeF(70, 16)


def beside(right: int, up: int) -> QRectF:
    return CELL.translated(40 * right, -40 * up)


def mnk_board(qtbot: QtBot, text: str, size: int) -> MnkBoard:
    position = parse_position(text)
    assert isinstance(position, MnkPosition)
    board = MnkBoard(position)
    qtbot.addWidget(board)
    board.resize(size, size)
    return board


@pytest.mark.parametrize(
    ("pieces", "covered"),
    [
        ([], 0),
        ([beside(0, 1)], 0),
        ([beside(0, 1), beside(0, -1)], 0),
        ([beside(0, 1), beside(0, -1), beside(1, 0)], 0),
        ([beside(0, 1), beside(0, -1), beside(1, 0), beside(-1, 0), beside(1, 1)], 1),
    ],
)
def test_a_label_stands_at_the_side_where_it_covers_fewest_pieces(pieces: list[QRectF], covered: int) -> None:
    place = free_side(CELL, LABEL, BOARD, pieces)
    assert sum(place.intersects(piece) for piece in pieces) == covered
    assert not place.intersects(CELL)
    assert BOARD.contains(place)


def test_a_label_of_a_cell_in_the_corner_stays_on_the_board() -> None:
    corner = QRectF(0, 0, 40, 40)
    assert BOARD.contains(free_side(corner, LABEL, BOARD, []))


def test_the_label_of_a_proposal_covers_no_numbered_stone_of_a_line(qtbot: QtBot) -> None:
    board = mnk_board(qtbot, "mnk:15,15,5 f8 f9 g8 f7 h8 g9", 480)
    first, answer = (board.position.parse_move(text) for text in ("e8", "d8"))
    board.set_line((first, answer))
    number = QRectF(0, 0, 10, 10)
    number.moveCenter(board.cell_rect(answer).center())
    before = board.grab(number.toRect()).toImage()
    board.set_suggestion(first)
    assert board.grab(number.toRect()).toImage() == before


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("width", [520, 700, 1200])
def test_the_pyramid_stands_in_the_middle_where_there_is_room_for_its_words(width: int) -> None:
    area = QRectF(0, 0, width, 300)
    layout = lay_out_sticks((1, 3, 5, 7), area, QFont(), 13)
    middle = (layout.slots[3][0].left() + layout.slots[3][-1].right()) / 2
    assert layout.labels[3].left() >= 0
    assert layout.slots[3][-1].right() <= area.right()
    assert middle == pytest.approx(area.center().x(), abs=1)


def test_a_small_picture_has_no_letters_and_a_larger_board(qtbot: QtBot) -> None:
    mnk, nim = parse_position("mnk:3,3,3"), parse_position("nim:3,4,5")
    assert isinstance(mnk, MnkPosition)
    assert isinstance(nim, NimPosition)
    for board in (MnkBoard(mnk), NimBoard(nim)):
        qtbot.addWidget(board)
        board.resize(304, 176)
        before = board.places()
        board.be_pictured()
        board.resize(305, 176)
        after = board.places()
        if isinstance(board, MnkBoard):
            assert after.cell > before.cell
        else:
            assert after.labels[0].width() <= 0


def test_on_stones_the_sign_lies_on_the_crossing(qtbot: QtBot) -> None:
    board = mnk_board(qtbot, "mnk:15,15,5", 600)
    move = board.position.parse_move("c3")
    cell = board.cell_rect(move).toRect()
    before = board.grab(cell).toImage()
    known = tuple(
        MoveTruth(each, Value.WIN if each == move else Value.UNKNOWN, 5 if each == move else None)
        for each in board.position.legal_moves
    )
    board.set_truth(Truth(board.position, Value.WIN, 5, known))
    after = board.grab(cell).toImage()
    ratio = after.width() / cell.width()
    changed = [
        (x / ratio, y / ratio)
        for x in range(after.width())
        for y in range(after.height())
        if after.pixelColor(x, y) != before.pixelColor(x, y)
    ]
    assert changed
    for axis, size in ((0, cell.width()), (1, cell.height())):
        ends = min(each[axis] for each in changed), max(each[axis] for each in changed)
        assert sum(ends) / 2 == pytest.approx(size / 2, abs=2)
