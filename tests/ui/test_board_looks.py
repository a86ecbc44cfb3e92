"""Boards look as people know them: a frame with discs, stones on crossings, marks in cells, a pyramid of sticks."""

from __future__ import annotations

from itertools import pairwise

import pytest
from desk import WAIT_MS, contrast
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from nimdesk.games import MnkMove, Side, parse_position
from nimdesk.ui.boards import BoardView, board_for
from nimdesk.ui.boards.base import OverlayItem
from nimdesk.ui.boards.mnk.board import MnkBoard
from nimdesk.ui.boards.mnk.looks import star_points
from nimdesk.ui.boards.nim.board import NimBoard
from nimdesk.ui.look import painting
from nimdesk.ui.look.theme import DARK, LIGHT, LOOK, Theme

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
FOUR = "mnk:7,6,4:gravity"
WON = "mnk:7,6,4:gravity d1 a1 c1 a2 b1 a3 e1"


def shown(qtbot: QtBot, text: str, size: tuple[int, int] = (600, 540), theme: Theme = LIGHT) -> BoardView:
    LOOK.use(theme)
    position = parse_position(text)
    board = board_for(position.game)
    qtbot.addWidget(board)
    board.resize(*size)
    board.set_position(position)
    board.show()
    qtbot.waitExposed(board, timeout=WAIT_MS)
    return board


def grid(qtbot: QtBot, text: str, size: tuple[int, int] = (600, 540), theme: Theme = LIGHT) -> MnkBoard:
    board = shown(qtbot, text, size, theme)
    assert isinstance(board, MnkBoard)
    return board


def cell(text: str) -> MnkMove:
    return MnkMove("abcdefghijklmnopqrs".index(text[0]), int(text[1:]) - 1)


def middle(board: MnkBoard, text: str) -> QPointF:
    return board.cell_rect(cell(text)).center()


def near(picture: QImage, place: QPointF, color: QColor, reach: int = 3) -> bool:
    """Whether a pixel about there has nearly this colour."""
    around = range(-reach, reach + 1)
    seen = (picture.pixelColor(place.toPoint() + QPoint(dx, dy)) for dx in around for dy in around)
    return any(
        max(abs(each.red() - color.red()), abs(each.green() - color.green()), abs(each.blue() - color.blue())) < 12
        for each in seen
    )


def count(picture: QImage, place: QRectF, color: QColor) -> int:
    rect = place.toAlignedRect()
    return sum(
        picture.pixelColor(x, y).rgb() == color.rgb()
        for x in range(rect.left(), rect.right())
        for y in range(rect.top(), rect.bottom())
    )


@THEMES
def test_the_lines_of_boards_can_be_seen(theme: Theme) -> None:
    assert contrast(theme.color("board_line"), theme.color("board")) >= 3
    assert contrast(theme.color("ground_line"), theme.color("ground")) >= 3
    assert contrast(theme.color("frame"), theme.color("board")) >= 3


@THEMES
@pytest.mark.parametrize("size", [(600, 540), (150, 140)])
def test_connect_four_is_a_frame_with_discs(qtbot: QtBot, theme: Theme, size: tuple[int, int]) -> None:
    board = grid(qtbot, f"{FOUR} d1 c1 d2", size, theme)
    picture = board.grab().toImage()
    assert near(picture, board.cell_rect(cell("a6")).bottomRight(), theme.color("frame"))
    assert near(picture, middle(board, "a6"), theme.color("board"))
    edge = QPointF(board.places().cell * 0.33, 0)
    assert near(picture, middle(board, "d1") + edge, theme.color("disc_first"))
    assert near(picture, middle(board, "c1") + edge, theme.color("disc_second"))


@pytest.mark.parametrize("size", [(300, 700), (1330, 1190), (1000, 2000), (2400, 1200), (4000, 3000)])
def test_the_frame_has_room_on_all_sides(qtbot: QtBot, size: tuple[int, int]) -> None:
    picture = grid(qtbot, "mnk:7,6,4:gravity", size).grab().toImage()
    ground = LIGHT.color("window").rgb()
    right, bottom = picture.width() - 1, picture.height() - 1
    for x in range(0, picture.width(), 7):
        assert picture.pixelColor(x, 0).rgb() == picture.pixelColor(x, bottom).rgb() == ground
    for y in range(0, picture.height(), 7):
        assert picture.pixelColor(0, y).rgb() == picture.pixelColor(right, y).rgb() == ground


def test_a_disc_falls_behind_the_frame_and_nobody_sees_the_next_one_meanwhile(qtbot: QtBot) -> None:
    board = grid(qtbot, FOUR)
    board.set_interactive(True)
    board.set_position(parse_position(f"{FOUR} d1"), animate=True)
    assert board.animating
    QTest.mouseMove(board, middle(board, "f4").toPoint())
    picture = board.grab().toImage()
    assert near(picture, board.cell_rect(cell("d3")).topRight(), LIGHT.color("frame"))
    assert near(picture, middle(board, "f1"), LIGHT.color("board")), "no disc of the next player yet"
    qtbot.waitUntil(lambda: not board.animating)
    assert not near(board.grab().toImage(), middle(board, "f1"), LIGHT.color("board"))
    board.set_interactive(False)
    assert near(board.grab().toImage(), middle(board, "f1"), LIGHT.color("board")), "it is not a person's turn"


def test_sticks_that_are_pointed_at_rise_in_a_persons_turn_alone(qtbot: QtBot) -> None:
    board = shown(qtbot, "nim:1,3,5,7")
    assert isinstance(board, NimBoard)
    move = board.position.parse_move("3-1")
    slot = board.stick_of(move)
    above = QPointF(slot.center().x(), slot.top() + board.places().lift * 0.7).toPoint()
    QTest.mouseMove(board, board.move_point(move).toPoint())
    assert board.hovered_move == move
    assert board.grab().toImage().pixelColor(above) == LIGHT.color("board"), "it is not a person's turn"
    board.set_interactive(True)
    assert board.grab().toImage().pixelColor(above) != LIGHT.color("board")


@THEMES
@pytest.mark.parametrize("size", [(600, 540), (290, 280)])
def test_gomoku_is_stones_on_crossings_from_nine_by_nine_on(qtbot: QtBot, theme: Theme, size: tuple[int, int]) -> None:
    board = grid(qtbot, "mnk:15,15,5 g7 i9", size, theme)
    picture = board.grab().toImage()
    assert near(picture, middle(board, "h8"), theme.color("ground_line")), "a star point, and lines that cross"
    assert near(picture, board.cell_rect(cell("h8")).bottomRight(), theme.color("ground"), reach=1)
    off = QPointF(board.places().cell * 0.25, board.places().cell * 0.2)
    assert near(picture, middle(board, "g7") + off, theme.color("stone_first"), reach=1)
    assert near(picture, middle(board, "i9") + off, theme.color("stone_second"), reach=1)
    assert near(picture, middle(board, "i9"), theme.color("last")), "the last stone has a dot"
    assert not near(picture, middle(board, "g7"), theme.color("last"))


def test_small_boards_keep_their_cells(qtbot: QtBot) -> None:
    board = grid(qtbot, "mnk:8,8,5 c3")
    picture = board.grab().toImage()
    assert near(picture, board.cell_rect(cell("e5")).bottomRight(), LIGHT.color("board_line"))
    assert near(picture, middle(board, "c3"), LIGHT.color("first")), "an X crosses its middle"


@pytest.mark.parametrize(
    ("size", "points"),
    [(9, 5), (13, 5), (15, 5), (19, 9)],
)
def test_star_points_are_where_players_know_them(size: int, points: int) -> None:
    found = star_points(size, size)
    assert len(found) == points
    assert (size // 2, size // 2) in found
    assert {(size - 1 - column, row) for column, row in found} == set(found)


@pytest.mark.parametrize(("text", "role"), [(WON, "disc_first"), ("mnk:3,3,3 a1 a2 b1 b2 c1", "first")])
def test_the_winning_line_has_the_colour_of_the_winner_and_leaves_the_last_move_marked(
    qtbot: QtBot, text: str, role: str
) -> None:
    board = grid(qtbot, text)
    picture = board.grab().toImage()
    ends = [middle(board, each.text) for each in parse_position(text).winning_line]
    between = (ends[0] + ends[1]) / 2
    assert near(picture, between, LIGHT.color(role))
    last = board.position.moves[-1]
    assert isinstance(last, MnkMove)
    before = grid(qtbot, text.rsplit(" ", 1)[0])
    before.set_position(before.position.play(last))
    assert before.grab().toImage() == picture


def test_the_marks_of_the_loser_step_back_when_the_game_is_won(qtbot: QtBot) -> None:
    board = grid(qtbot, WON)
    edge = QPointF(board.places().cell * 0.33, 0)
    picture = board.grab().toImage()
    assert not near(picture, middle(board, "a2") + edge, LIGHT.color("disc_second"))
    assert near(picture, middle(board, "c1") + QPointF(0, edge.x()), LIGHT.color("disc_first"))


def test_the_winning_line_is_drawn_in_a_moment_or_at_once_without_animations(qtbot: QtBot) -> None:
    text, last = WON.rsplit(" ", 1)
    board = grid(qtbot, text)
    board.set_position(board.position.play(board.position.parse_move(last)), animate=True)
    drawn: list[float] = []
    qtbot.waitUntil(lambda: not board.animating and (drawn.append(board.line_drawn) or drawn[-1] < 1.0))
    qtbot.waitUntil(lambda: board.line_drawn == 1.0)
    board.set_position(parse_position(text))
    board.set_animation_enabled(False)
    board.set_position(board.position.play(board.position.parse_move(last)), animate=True)
    assert not board.animating
    assert board.line_drawn == 1.0


@pytest.mark.parametrize("text", ["mnk:19,19,5", FOUR, "mnk:3,3,3"])
@pytest.mark.parametrize("size", [(340, 340), (900, 700)])
def test_coordinates_can_be_read(qtbot: QtBot, text: str, size: tuple[int, int]) -> None:
    assert grid(qtbot, text, size).places().text_px >= 11


@pytest.mark.parametrize("text", ["nim:1,3,5,7", "nim:3,4,5", "nim:15,15", "nim:21:max3", "nim:64,1,12"])
@pytest.mark.parametrize("size", [(420, 320), (680, 560), (1300, 800)])
def test_nim_is_a_pyramid_of_rows(qtbot: QtBot, text: str, size: tuple[int, int]) -> None:
    board = shown(qtbot, text, size)
    assert isinstance(board, NimBoard)
    layout = board.places()
    rows = layout.slots
    assert all(len({slot.top() for slot in row}) == 1 for row in rows), "one row a pile"
    assert all(below[0].top() > above[0].top() for above, below in pairwise(rows))
    middles = [(row[0].left() + row[-1].right()) / 2 for row in rows]
    assert max(middles) - min(middles) < 1
    for row, label in zip(rows, layout.labels, strict=True):
        assert 0 < row[0].left() - label.right() <= 12, "the label stands at its sticks"
        assert label.left() >= 0
        assert row[-1].right() <= board.width()


def test_sticks_use_the_room_there_is(qtbot: QtBot) -> None:
    board = shown(qtbot, "nim:1,3,5,7", (1100, 700))
    assert isinstance(board, NimBoard)
    assert 85 <= board.places().stick.height() <= 120


@pytest.mark.parametrize("text", ["nim:1,3,5,7", "mnk:3,3,3 b2", "mnk:15,15,5 h8", f"{FOUR} d1", "mnk:4,4,4"])
def test_a_line_of_play_is_seen_and_gone_again(qtbot: QtBot, text: str) -> None:
    board = shown(qtbot, text)
    plain = board.grab().toImage()
    position, line = board.position, []
    for _ in range(3):
        line.append(position.legal_moves[-1])
        position = position.play(line[-1])
    board.set_line(tuple(line))
    assert board.grab().toImage() != plain
    board.set_line(())
    assert board.grab().toImage() == plain


@THEMES
@pytest.mark.parametrize("text", [f"{FOUR} d1", "mnk:15,15,5 h8", "mnk:3,3,3 b2"])
def test_the_cursor_of_the_keyboard_is_seen_on_every_ground(qtbot: QtBot, text: str, theme: Theme) -> None:
    board = grid(qtbot, text, theme=theme)
    with qtbot.waitActive(board, timeout=WAIT_MS):
        board.activateWindow()
    board.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(board, Qt.Key.Key_Left)
    assert board.cursor_shown
    picture = board.grab().toImage()
    around = board.cell_rect(board.cell).adjusted(-3, -3, 3, 3)
    assert count(picture, around, theme.color("accent")) > 40
    assert count(picture, around, theme.color("board")) > 40, "and a light edge around it"


def test_sides_keep_their_colours(qtbot: QtBot) -> None:
    look = grid(qtbot, "mnk:9,9,5").art.look
    assert look.color(Side.FIRST) == LIGHT.color("stone_first")
    assert contrast(look.ink(Side.FIRST), look.color(Side.FIRST)) > 7
    assert contrast(look.ink(Side.SECOND), look.color(Side.SECOND)) > 7


@THEMES
def test_on_wood_a_disc_has_the_colour_of_its_curve_and_its_number_can_be_read(qtbot: QtBot, theme: Theme) -> None:
    board = grid(qtbot, "mnk:15,15,5", (700, 720), theme)
    moves = [cell(text) for text in ("c3", "f3", "i3", "l3", "c6", "f6", "i6", "l6", "c9", "f9", "i9", "l9")]
    colors = [theme.curve(index) for index in range(12)]
    board.set_overlay(
        {
            move: OverlayItem(0.08, 8, 0.5, color, leader=move == moves[0])
            for move, color in zip(moves, colors, strict=True)
        }
    )
    picture = board.grab().toImage()
    for move, color in zip(moves, colors, strict=True):
        rect = board.cell_rect(move)
        beside = rect.center() + QPointF(0, 0.3 * rect.height())
        assert near(picture, beside, color, reach=1), color.name()
        assert contrast(color, painting.ink_on(color)) >= 4.5
