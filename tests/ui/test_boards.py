"""The boards under a real mouse and a real keyboard."""

import math
import random
import time
from itertools import pairwise

import pytest
from desk import WAIT_MS
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible, QColor, QFont, QFontMetricsF, QImage
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from nimdesk.games import AnyPosition, MnkMove, Move, NimMove, Side, parse_game, parse_position
from nimdesk.ui.boards import BoardView, OverlayItem, board_for
from nimdesk.ui.boards.base import number_text, short_count
from nimdesk.ui.boards.mnk.art import winning_ends
from nimdesk.ui.boards.mnk.board import MnkBoard
from nimdesk.ui.boards.pictures import StillPicture
from nimdesk.ui.look import painting
from nimdesk.ui.look.theme import DARK, LIGHT, LOOK, Theme

K = Qt.Key
GAMES = (
    *("nim:1,3,5,7", "nim:21:max3", "mnk:3,3,3", "mnk:7,6,4:gravity"),
    *("take:0.77:5,7", "take:wythoff:5,8", "take:{1,3,4}:6,7"),
)


class Listener:
    """What a board told, and a game that goes on with the moves a person chooses."""

    def __init__(self, board: BoardView, follow: bool) -> None:
        self.board, self.follow = board, follow
        self.chosen: list[Move] = []
        self.hovered: list[Move | None] = []
        board.move_chosen.connect(self._on_chosen)
        board.move_hovered.connect(self.hovered.append)

    def _on_chosen(self, move: Move) -> None:
        self.chosen.append(move)
        if self.follow:
            self.board.set_position(self.board.position.play(move), animate=True)


def shown(
    qtbot: QtBot, text: str, *, interactive: bool = True, follow: bool = False, size: tuple[int, int] = (640, 480)
) -> tuple[BoardView, Listener]:
    position = parse_position(text)
    board = board_for(position.game)
    qtbot.addWidget(board)
    board.resize(*size)
    board.set_position(position)
    board.set_interactive(interactive)
    with qtbot.waitActive(board, timeout=WAIT_MS):
        board.show()
        board.activateWindow()
    board.clearFocus()
    return board, Listener(board, follow)


def point(board: BoardView, text: str) -> QPoint:
    """Where a person clicks to play the move."""
    return board.move_point(board.position.parse_move(text)).toPoint()


def click(board: BoardView, where: QPoint) -> None:
    QTest.mouseMove(board, where)
    QTest.mouseClick(board, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, where)


def press(board: BoardView, *keys: Qt.Key) -> None:
    for key in keys:
        QTest.keyClick(board, key)


def overlay_for(position: AnyPosition) -> dict[Move, OverlayItem]:
    moves = position.legal_moves
    return {
        move: OverlayItem(2 * (i + 1) / (len(moves) * (len(moves) + 1)), i * 37, 0.5, QColor("#0072b2"), i == 0)
        for i, move in enumerate(moves)
    }


@pytest.mark.parametrize("text", GAMES)
def test_a_click_on_each_move_chooses_it(qtbot: QtBot, text: str) -> None:
    board, heard = shown(qtbot, text)
    for move in board.position.legal_moves:
        click(board, point(board, move.text))
    assert heard.chosen == list(board.position.legal_moves)


@pytest.mark.parametrize("text", [*GAMES, f"nim:{','.join(['64'] * 12)}", "mnk:20,20,5", "mnk:20,1,5", "mnk:1,20,5"])
@pytest.mark.parametrize("size", [(500, 350), (1000, 700)])
def test_every_move_has_a_place_of_its_own_inside_the_board(qtbot: QtBot, text: str, size: tuple[int, int]) -> None:
    board, heard = shown(qtbot, text, size=size)
    moves = board.position.legal_moves
    for move in moves[:: max(1, len(moves) // 40)]:
        where = point(board, move.text)
        assert board.rect().contains(where)
        QTest.mouseMove(board, where)
        assert board.hovered_move == move
    assert not heard.chosen


@pytest.mark.parametrize("text", [f"nim:{','.join(['64'] * 12)}", "nim:64", "nim:1", "mnk:1,1,1", "mnk:19,2,3"])
@pytest.mark.parametrize("size", [(260, 200), (1600, 1000)])
def test_no_move_lies_outside_the_smallest_and_a_large_board(qtbot: QtBot, text: str, size: tuple[int, int]) -> None:
    board, _ = shown(qtbot, text, size=size)
    places = [point(board, move.text) for move in board.position.legal_moves]
    assert all(board.rect().contains(place) for place in places)
    assert len({(place.x(), place.y()) for place in places}) == len(places)


@pytest.mark.parametrize("text", GAMES)
def test_a_game_by_mouse_alone_reaches_its_end(qtbot: QtBot, text: str) -> None:
    board, heard = shown(qtbot, text, follow=True)
    while board.position.outcome is None:
        click(board, point(board, board.position.legal_moves[0].text))
    assert tuple(heard.chosen) == board.position.moves
    assert board.hovered_move is None


@pytest.mark.parametrize("text", GAMES)
def test_a_game_by_keyboard_alone_reaches_its_end(qtbot: QtBot, text: str) -> None:
    board, heard = shown(qtbot, text, follow=True)
    board.setFocus(Qt.FocusReason.TabFocusReason)
    wander = random.Random(1)
    for _ in range(2000):
        if board.position.outcome is not None:
            break
        press(board, wander.choice((K.Key_Left, K.Key_Right, K.Key_Up, K.Key_Down)), K.Key_Return)
    assert board.position.outcome is not None
    assert tuple(heard.chosen) == board.position.moves


def test_nim_takes_from_the_clicked_stick_to_the_free_end(qtbot: QtBot) -> None:
    board, heard = shown(qtbot, "nim:1,3,5,7 4-2")
    click(board, point(board, "4-5"))
    click(board, point(board, "3-1"))
    assert heard.chosen == [NimMove(3, 5), NimMove(2, 1)]


def test_nim_sticks_out_of_reach_and_taken_ones_do_nothing(qtbot: QtBot) -> None:
    board, heard = shown(qtbot, "nim:21:max3 2")
    reach = point(board, "3")
    slot = point(board, "1") + QPoint(point(board, "1").x() - point(board, "2").x(), 0)
    out = reach - (point(board, "2") - reach) * 2
    for where in (out, slot):
        click(board, where)
        assert board.hovered_move is None
        assert board.cursor().shape() == Qt.CursorShape.ArrowCursor
    assert not heard.chosen
    assert "Take 1 to 3" in board.accessibleDescription()


def test_nim_keys_choose_pile_and_number(qtbot: QtBot) -> None:
    board, heard = shown(qtbot, "nim:1,3,15,7 2-3")
    board.setFocus(Qt.FocusReason.TabFocusReason)
    assert board.hovered_move == NimMove(0, 1)
    press(board, K.Key_Down)
    assert board.hovered_move == NimMove(2, 1), "the empty pile 2 is skipped"
    press(board, K.Key_Left, K.Key_Plus)
    assert board.hovered_move == NimMove(2, 3)
    press(board, K.Key_Right, K.Key_Minus, K.Key_Minus)
    assert board.hovered_move == NimMove(2, 1)
    press(board, K.Key_1, K.Key_2)
    assert board.hovered_move == NimMove(2, 12)
    press(board, K.Key_Down, K.Key_9)
    assert board.hovered_move == NimMove(3, 7), "9 is more than pile 4 has, and changes nothing"
    press(board, K.Key_4, K.Key_Space)
    assert heard.chosen == [NimMove(3, 4)]


def test_gravity_takes_the_whole_column(qtbot: QtBot) -> None:
    board, heard = shown(qtbot, "mnk:7,6,4:gravity d1 d2")
    landing = point(board, "d3")
    for y in (3, landing.y() - 100, board.height() - 4):
        click(board, QPoint(landing.x(), y))
    assert heard.chosen == [MnkMove(3, 2)] * 3
    press(board, K.Key_Right, K.Key_Return)
    assert heard.chosen[-1] == MnkMove(4, 0)


def test_a_letter_and_a_number_move_the_cell_cursor(qtbot: QtBot) -> None:
    board, heard = shown(qtbot, "mnk:15,15,5")
    board.setFocus(Qt.FocusReason.TabFocusReason)
    press(board, K.Key_C, K.Key_1, K.Key_2, K.Key_Return)
    press(board, K.Key_O, K.Key_2, K.Key_Enter)
    assert [move.text for move in heard.chosen] == ["c12", "o2"]


def test_taken_cells_cannot_be_chosen(qtbot: QtBot) -> None:
    board, heard = shown(qtbot, "mnk:3,3,3 b2")
    assert isinstance(board, MnkBoard)
    click(board, board.cell_rect(MnkMove(1, 1)).center().toPoint())
    board.setFocus(Qt.FocusReason.TabFocusReason)
    press(board, K.Key_B, K.Key_2, K.Key_Return)
    assert not heard.chosen
    assert "b2, X" in board.accessibleDescription()


def test_enter_never_plays_a_move_that_was_not_visible(qtbot: QtBot) -> None:
    board, heard = shown(qtbot, "mnk:3,3,3")
    board.setFocus(Qt.FocusReason.OtherFocusReason)
    assert board.hovered_move is None
    press(board, K.Key_Return)
    assert not heard.chosen
    assert board.hovered_move == MnkMove(1, 1)
    press(board, K.Key_Return)
    assert heard.chosen == [MnkMove(1, 1)]


def test_hover_is_told_also_while_the_computer_thinks(qtbot: QtBot) -> None:
    board, heard = shown(qtbot, "mnk:3,3,3", interactive=False)
    QTest.mouseMove(board, point(board, "a1"))
    QTest.mouseMove(board, point(board, "a1") + QPoint(3, 3))
    QTest.mouseMove(board, point(board, "c3"))
    assert heard.hovered == [MnkMove(0, 0), MnkMove(2, 2)]
    assert board.cursor().shape() == Qt.CursorShape.ArrowCursor
    click(board, point(board, "c3"))
    board.setFocus(Qt.FocusReason.TabFocusReason)
    press(board, K.Key_Return)
    assert not heard.chosen
    board.set_interactive(True)
    QTest.mouseMove(board, point(board, "a3"))
    assert board.cursor().shape() == Qt.CursorShape.PointingHandCursor


def test_hover_ends_when_the_mouse_leaves(qtbot: QtBot) -> None:
    board, heard = shown(qtbot, "nim:1,3,5,7")
    QTest.mouseMove(board, point(board, "3-2"))
    QTest.mouseMove(board, QPoint(1, 1))
    assert heard.hovered == [NimMove(2, 2), None]


def test_a_mouse_that_rests_while_the_position_changes_points_at_nothing_until_it_moves(qtbot: QtBot) -> None:
    board, heard = shown(qtbot, "mnk:3,3,3")
    QTest.mouseMove(board, point(board, "b2"))
    with qtbot.waitSignal(board.move_hovered) as told:
        board.set_position(board.position.play(MnkMove(0, 0)))
        assert heard.hovered == [MnkMove(1, 1)], "no set_ method emits"
    assert told.args == [None]
    assert board.hovered_move is None
    QTest.mouseMove(board, point(board, "b2") + QPoint(2, 0))
    assert heard.hovered == [MnkMove(1, 1), None, MnkMove(1, 1)]


def test_a_drag_from_one_move_to_another_chooses_nothing(qtbot: QtBot) -> None:
    board, heard = shown(qtbot, "mnk:3,3,3")
    QTest.mousePress(board, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, point(board, "a1"))
    QTest.mouseRelease(board, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, point(board, "c3"))
    QTest.mouseClick(board, Qt.MouseButton.RightButton, Qt.KeyboardModifier.NoModifier, point(board, "a1"))
    assert not heard.chosen


@pytest.mark.parametrize("text", GAMES)
def test_a_click_during_the_animation_acts_on_the_new_position(qtbot: QtBot, text: str) -> None:
    board, heard = shown(qtbot, text, follow=True)
    click(board, point(board, board.position.legal_moves[-1].text))
    assert board.animating
    click(board, point(board, board.position.legal_moves[-1].text))
    assert len(heard.chosen) == 2
    assert board.position.ply == 2
    qtbot.waitUntil(lambda: not board.animating)


def test_animation_can_be_switched_off(qtbot: QtBot) -> None:
    board, _ = shown(qtbot, "mnk:7,6,4:gravity", follow=True)
    board.set_animation_enabled(False)
    click(board, point(board, "d1"))
    assert not board.animating
    board.set_animation_enabled(True)
    click(board, point(board, "d2"))
    assert board.animating
    board.set_animation_enabled(False)
    assert not board.animating


def test_words_for_screen_readers_follow_the_game(qtbot: QtBot) -> None:
    board, _ = shown(qtbot, "nim:1,3,5,7")
    board.set_position(parse_position("nim:1,3,5,7 4-2"))
    interface = QAccessible.queryAccessibleInterface(board)
    assert interface is not None
    assert interface.text(QAccessible.Text.Name) == "Nim 1-3-5-7: Second to move"
    assert "Last move: First: take 2 from pile 4" in interface.text(QAccessible.Text.Description)
    assert "pile 4: 5 sticks" in board.accessibleDescription()
    board.setFocus(Qt.FocusReason.TabFocusReason)
    press(board, K.Key_Down, K.Key_2)
    assert "Cursor: take 2 from pile 2, leaving 1" in board.accessibleDescription()
    ended, _ = shown(qtbot, "mnk:3,3,3 a1 a2 b1 b2 c1")
    assert ended.accessibleName() == "Tic-tac-toe: X wins: 3 in a row"
    assert "winning line a1, b1, c1" in ended.accessibleDescription()


@pytest.mark.parametrize("text", [*GAMES, "mnk:19,19,5 j10 k10", "nim:64,1,12 1-40", "mnk:3,3,3 a1 a2 b1 b2 c1"])
@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_all_that_can_be_shown_can_be_painted_in_any_order(qtbot: QtBot, text: str, theme: Theme) -> None:
    LOOK.use(theme)
    board, _ = shown(qtbot, text)
    plain = board.grab().toImage()
    moves = board.position.legal_moves
    if not moves:
        return
    board.set_overlay(overlay_for(board.position))
    pictures = [plain, board.grab().toImage()]
    board.set_highlight(moves[0])
    pictures.append(board.grab().toImage())
    board.set_suggestion(moves[-1])
    pictures.append(board.grab().toImage())
    assert all(one != other for one, other in pairwise(pictures))
    for style in ("visits", "value", "none", "share"):
        board.set_overlay_style(style)
        board.grab()
    # Marks that belong to an earlier position are simply not drawn.
    board.set_position(board.position.play(moves[0]))
    board.grab()
    board.set_overlay(None)
    board.set_highlight(None)
    board.set_suggestion(None)
    board.set_position(parse_game(board.position.game.text).start())
    board.resize(260, 200)
    assert isinstance(board.grab().toImage(), QImage)


def test_the_longest_lines_and_the_double_line_are_found() -> None:
    double = parse_position("mnk:3,3,2 a1 c3 c1 a3 b1")
    assert double.outcome is not None
    ends = winning_ends(parse_position("mnk:5,5,3 a1 a5 b1 b5 d1 d5 e1 e4 c1"))  # type: ignore[arg-type]
    assert ends == [(MnkMove(0, 0), MnkMove(4, 0))]
    crossed = "mnk:5,5,3 a1 e1 b2 e3 a3 e4 b3 d5 c3"
    assert winning_ends(parse_position(crossed)) == [  # type: ignore[arg-type]
        (MnkMove(0, 2), MnkMove(2, 2)),
        (MnkMove(0, 0), MnkMove(2, 2)),
    ]


def test_a_fault_while_painting_is_told_and_the_next_picture_is_whole(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    board, _ = shown(qtbot, "nim:3,4,5")
    whole = board.grab().toImage()
    with monkeypatch.context() as broken:
        broken.setattr(board.art, "_paint_still", lambda painter: painter.no_such_brush())
        board.art.still = StillPicture()
        with qtbot.captureExceptions() as raised:
            board.repaint()  # Qt would say that a painter is still active
            board.grab()  # what is raised in here would end the process
        assert [kind for kind, _, _ in raised] == [AttributeError] * 2
    assert board.grab().toImage() == whole


def test_an_unknown_overlay_style_or_a_foreign_position_is_an_error(qtbot: QtBot) -> None:
    board, _ = shown(qtbot, "mnk:3,3,3")
    with pytest.raises(ValueError, match="share, visits, value, none"):
        board.set_overlay_style("colour")
    with pytest.raises(TypeError, match="cannot show"):
        board.set_position(parse_position("nim:3"))


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0"), (999, "999"), (1000, "1.0k"), (9949, "9.9k"), (9950, "10k"), (999_499, "999k"), (999_600, "1.0M")],
)
def test_counts_stay_short(count: int, text: str) -> None:
    assert short_count(count) == text


@pytest.mark.parametrize("size", [(300, 300), (520, 520), (900, 800)])
@pytest.mark.parametrize("style", ["share", "visits", "value"])
def test_a_number_is_inside_its_disc_or_below_it(qtbot: QtBot, size: tuple[int, int], style: str) -> None:
    board, _ = shown(qtbot, "mnk:3,3,3", interactive=False, size=size)
    assert isinstance(board, MnkBoard)
    board.set_overlay_style(style)
    layout, seen = board.places(), set()
    for percent in range(1, 100, 2):
        share = percent / 100
        overlay = {
            move: OverlayItem(share if i else 1.0, percent * 997, 0.5, QColor("#0072b2"), i == 0)
            for i, move in enumerate(board.position.legal_moves)
        }
        board.set_overlay(overlay)
        look = board.art.looks()[1]
        font = QFont(board.font())
        font.setPixelSize(round(min(layout.cell * 0.23, 26.0)))
        shape = QFontMetricsF(font).tightBoundingRect(look.text)
        assert look.text
        seen.add(look.below)
        if not look.below:
            assert math.hypot(shape.width() / 2, shape.height() / 2) <= look.radius
    assert seen == {True, False}


def test_numbers_of_the_overlay() -> None:
    item = OverlayItem(0.257, 2570, 0.625, QColor("#000000"), False)
    assert [number_text(item, style) for style in ("share", "visits", "value", "none")] == ["26%", "2.6k", "0.62", ""]
    assert number_text(OverlayItem(0.001, 3, None, QColor("#000000"), False), "share") == "<1%"


def test_the_full_overlay_is_painted_in_time(qtbot: QtBot) -> None:
    board, _ = shown(qtbot, "mnk:20,20,5", size=(1000, 900))
    board.set_overlay(overlay_for(board.position))
    picture = board.grab()
    times = []
    for _ in range(10):
        began = time.thread_time()
        board.render(picture)
        times.append(time.thread_time() - began)
    # Some 5 ms on the machine this was written on; the time of the processor, whoever else uses it.
    assert min(times) < 0.05
    assert board.position.turn == Side.FIRST


@pytest.mark.parametrize(
    ("text", "moves"), [("mnk:9,8,5 a1", ["b2", "i8", "c3", "d4"]), ("nim:3,5,9", ["1-1", "2-2", "3-9", "1-2"])]
)
def test_a_line_of_play_is_painted_ply_by_ply_in_the_colours_of_the_sides(
    qtbot: QtBot, text: str, moves: list[str]
) -> None:
    board, _ = shown(qtbot, text)
    before = board.grab().toImage()
    position, line = board.position, []
    for word in moves:
        line.append(position.parse_move(word))
        position = position.play(line[-1])
    for length in range(len(line), -1, -1):
        board.set_line(tuple(line[:length]))
        picture = board.grab().toImage()
        colors = [painting.side_color(LIGHT, side).rgb() for side in Side]
        fresh = [0, 0]
        for x in range(picture.width()):
            for y in range(picture.height()):
                if picture.pixel(x, y) != before.pixel(x, y) and picture.pixel(x, y) in colors:
                    fresh[colors.index(picture.pixel(x, y))] += 1
        mine = board.position.turn
        assert (fresh[mine] > 20) == (length >= 1)
        assert (fresh[mine.other] > 20) == (length >= 2)
    assert picture == before
