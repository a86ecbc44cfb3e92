"""What is proven, on the boards: marks that are painted, words under a real mouse and a real keyboard."""

import time
from functools import cache

import pytest
from desk import WAIT_MS
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from nimdesk.games import AnyPosition, MnkMove, MnkPosition, Move, NimMove, NimPosition, parse_position
from nimdesk.games.nim.theory import solve_nim
from nimdesk.games.truth import MoveTruth, Truth, Value
from nimdesk.ui.boards import BoardView, OverlayItem, board_for
from nimdesk.ui.boards.mnk.board import MnkBoard
from nimdesk.ui.boards.nim.board import NimBoard
from nimdesk.ui.look.move_marks import full_words, short_words, winning_moves_words
from nimdesk.ui.look.theme import DARK, LIGHT, LOOK, Theme

K = Qt.Key
HUGE = f"nim:{','.join(['64'] * 11)},40"


@cache
def value_of(position: AnyPosition) -> tuple[Value, int]:
    outcome = position.outcome
    if outcome is not None:
        if outcome.winner is None:
            return Value.DRAW, 0
        return (Value.WIN if outcome.winner == position.turn else Value.LOSS), 0
    answers = [value_of(position.play(move)) for move in position.legal_moves]
    wins = [plies for value, plies in answers if value is Value.LOSS]
    if wins:
        return Value.WIN, 1 + min(wins)
    draws = [plies for value, plies in answers if value is Value.DRAW]
    return (Value.DRAW, 1 + max(draws)) if draws else (Value.LOSS, 1 + max(plies for _, plies in answers))


def truth_of(text: str) -> Truth:
    position = parse_position(text)
    if isinstance(position, NimPosition):
        return solve_nim(position)
    moves = []
    for move in position.legal_moves:
        value, plies = value_of(position.play(move))
        moves.append(MoveTruth(move, value.reverse, plies + 1))
    return Truth(position, *value_of(position), tuple(moves))


def unknown(text: str) -> Truth:
    """Nothing proven but that the first move loses."""
    position = parse_position(text)
    moves = [MoveTruth(move, Value.UNKNOWN) for move in position.legal_moves]
    moves[0] = MoveTruth(moves[0].move, Value.LOSS, 4)
    return Truth(position, Value.UNKNOWN, None, tuple(moves))


def shown(qtbot: QtBot, text: str, truth: Truth | None, size: tuple[int, int] = (640, 480)) -> BoardView:
    position = parse_position(text)
    board = board_for(position.game)
    qtbot.addWidget(board)
    board.resize(*size)
    board.set_position(position)
    board.set_interactive(True)
    board.set_truth(truth)
    with qtbot.waitActive(board, timeout=WAIT_MS):
        board.show()
        board.activateWindow()
    board.clearFocus()
    return board


def overlay_for(position: AnyPosition) -> dict[Move, OverlayItem]:
    moves = position.legal_moves
    return {
        move: OverlayItem(2 * (i + 1) / (len(moves) * (len(moves) + 1)), i * 37, 0.5, QColor("#0072b2"), i == 0)
        for i, move in enumerate(moves)
    }


def pixels(picture: QImage, where: QRect, color: QColor) -> int:
    """How many pixels there have (nearly) this colour."""
    where = where.intersected(picture.rect())
    found = 0
    for y in range(where.top(), where.bottom() + 1):
        for x in range(where.left(), where.right() + 1):
            here = picture.pixelColor(x, y)
            parts = (here.red() - color.red(), here.green() - color.green(), here.blue() - color.blue())
            found += max(abs(part) for part in parts) <= 6
    return found


def around(board: BoardView, move: Move) -> QRect:
    """Where the marks of a move are painted: its cell, or its stick with what stands out beside it."""
    where = board.move_point(move).toPoint()
    if isinstance(board.position, MnkPosition):
        return QRect(where - QPoint(25, 25), where + QPoint(25, 25))
    assert isinstance(board, NimBoard)
    assert isinstance(move, NimMove)
    slot = board.stick_of(move)
    return QRect(QPoint(where.x() - 3, int(slot.top())), where + QPoint(3, 0))


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
@pytest.mark.parametrize("text", ["nim:3,4,5", "nim:21:max3", "nim:1,2,4:misere", "mnk:3,3,3 a1 b1"])
def test_exactly_the_winning_moves_carry_the_winning_mark(qtbot: QtBot, text: str, theme: Theme) -> None:
    truth = truth_of(text)
    assert any(each.value is Value.WIN for each in truth.moves)
    size = (320, 300) if text.startswith("mnk") else (640, 480)
    LOOK.use(theme)
    board = shown(qtbot, text, truth, size)
    picture = board.grab().toImage()
    for each in truth.moves:
        found = pixels(picture, around(board, each.move), theme.color("win"))
        assert (found >= 8) == (each.value is Value.WIN), each


def test_every_value_has_a_mark_of_its_own(qtbot: QtBot) -> None:
    position = parse_position("mnk:3,3,3 a1")
    moves = position.legal_moves
    pictures = []
    for value in Value:
        distance = None if value in (Value.UNKNOWN, Value.DRAW) else 5
        truth = Truth(position, value, distance, tuple(MoveTruth(move, value, distance) for move in moves))
        for size in ((640, 480), (90, 90)):
            board = shown(qtbot, "mnk:3,3,3 a1", truth, size)
            grey = board.grab().toImage().convertToFormat(QImage.Format.Format_Grayscale8)
            pictures.append(grey)
    assert all(one != other for i, one in enumerate(pictures) for other in pictures[i + 1 :])


def test_winning_moves_are_found_in_the_largest_nim(qtbot: QtBot) -> None:
    truth = truth_of(HUGE)
    assert len(truth.best_moves) == 11
    board = shown(qtbot, HUGE, truth, (640, 420))
    board.set_overlay(overlay_for(board.position))
    picture = board.grab().toImage()
    for move in truth.best_moves:
        where = board.move_point(move).toPoint()
        badge = QRect(where - QPoint(8, 18), where + QPoint(8, 4))
        assert pixels(picture, badge, LIGHT.color("win")) >= 40


def test_the_truth_of_another_position_is_ignored(qtbot: QtBot) -> None:
    plain = shown(qtbot, "nim:3,4,5", None).grab().toImage()
    board = shown(qtbot, "nim:3,4,5", truth_of("nim:3,4,5 1-2"))
    assert board.grab().toImage() == plain
    assert "win" not in board.accessibleDescription().partition("last stick")[0]
    board.set_position(board.position.play(board.position.parse_move("1-2")))
    assert board.grab().toImage() != shown(qtbot, "nim:3,4,5 1-2", None).grab().toImage()
    assert "No move wins." in board.accessibleDescription()
    board.set_truth(None)
    assert "No move wins." not in board.accessibleDescription()
    board.set_truth(truth_of("mnk:3,3,3"))
    board.grab()


def test_the_mouse_on_a_move_tells_its_value_where_there_is_no_room_for_it(qtbot: QtBot) -> None:
    board = shown(qtbot, "mnk:3,3,3 a1 b1", truth_of("mnk:3,3,3 a1 b1"), (150, 150))
    assert board.hover_words() == ""
    QTest.mouseMove(board, board.move_point(board.position.parse_move("b2")).toPoint())
    assert board.hover_words() == "b2: win in 5"
    before = board.grab().toImage()
    QTest.mouseMove(board, board.move_point(board.position.parse_move("c3")).toPoint())
    assert board.hover_words() == "c3: draw"
    assert board.grab().toImage() != before
    board.set_overlay(overlay_for(board.position))
    assert board.hover_words() == "c3 25%: draw"
    board.set_overlay_style("none")
    assert board.hover_words() == "c3: draw"
    board.set_truth(unknown("mnk:3,3,3 a1 b1"))
    assert board.hover_words() == "c3", (
        "a label that says that nothing is proven would cover its neighbours for nothing"
    )


def test_the_mouse_on_a_move_repeats_nothing_that_stands_in_its_cell(qtbot: QtBot) -> None:
    board = shown(qtbot, "mnk:3,3,3 a1 b1", truth_of("mnk:3,3,3 a1 b1"))
    QTest.mouseMove(board, board.move_point(board.position.parse_move("c3")).toPoint())
    assert board.hover_words() == ""
    board.set_overlay(overlay_for(board.position))
    assert board.hover_words() == "c3 25%"


def test_the_mouse_on_a_stick_tells_its_value_in_words(qtbot: QtBot) -> None:
    board = shown(qtbot, "nim:3,4,5", truth_of("nim:3,4,5"), (800, 500))
    QTest.mouseMove(board, board.move_point(board.position.parse_move("1-2")).toPoint())
    assert board.hover_words() == "take 2 from pile 1: win in 11"
    QTest.mouseMove(board, board.move_point(board.position.parse_move("3-5")).toPoint())
    assert board.hover_words() == "take 5 from pile 3: loss in 8"


def test_where_there_is_no_room_for_numbers_the_mouse_tells_them_too(qtbot: QtBot) -> None:
    huge = shown(qtbot, HUGE, truth_of(HUGE), (640, 420))
    huge.set_overlay(overlay_for(huge.position))
    best = truth_of(HUGE).best_moves[0]
    QTest.mouseMove(huge, huge.move_point(best).toPoint())
    assert huge.hover_words() == f"take 24 from pile 1: <1% · win in {truth_of(HUGE).distance}"
    huge.grab()


def test_the_keyboard_cursor_tells_the_value(qtbot: QtBot) -> None:
    board = shown(qtbot, "mnk:3,3,3 a1 b1", truth_of("mnk:3,3,3 a1 b1"))
    board.setFocus(Qt.FocusReason.TabFocusReason)
    for key in (K.Key_B, K.Key_2):
        QTest.keyClick(board, key)
    assert "Cursor: b2, empty, win in 5." in board.accessibleDescription()
    nim = shown(qtbot, "nim:3,4,5", truth_of("nim:3,4,5"))
    nim.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(nim, K.Key_2)
    assert "Cursor: take 2 from pile 1, leaving 1, win in 11." in nim.accessibleDescription()


def test_the_description_says_which_moves_win(qtbot: QtBot) -> None:
    board = shown(qtbot, "nim:3,4,5", truth_of("nim:3,4,5"))
    assert "Winning move: take 2 from pile 1 (win in 11)." in board.accessibleDescription()
    drawn = shown(qtbot, "mnk:3,3,3", truth_of("mnk:3,3,3"))
    assert "No move wins. Every move draws." in drawn.accessibleDescription()
    answered = shown(qtbot, "mnk:3,3,3 a1", truth_of("mnk:3,3,3 a1"))
    assert "No move wins. Drawing move: b2." in answered.accessibleDescription()
    hopeless = shown(qtbot, "nim:1,3,5,7", truth_of("nim:1,3,5,7"))
    assert "No move wins." in hopeless.accessibleDescription()
    open_ = shown(qtbot, "mnk:5,5,4", unknown("mnk:5,5,4"))
    assert "No move is proven to win." in open_.accessibleDescription()
    many = winning_moves_words(MoveTruth(move, Value.WIN) for move in parse_position("mnk:5,5,1").legal_moves)
    assert many.startswith("Winning moves: a1, b1")
    assert many.endswith(" and 13 more.")


@pytest.mark.parametrize(
    ("value", "distance", "short", "full"),
    [
        (Value.WIN, 5, "win 5", "win in 5"),
        (Value.WIN, None, "win", "win"),
        (Value.DRAW, 9, "draw", "draw"),
        (Value.LOSS, 8, "loss 8", "loss in 8"),
        (Value.UNKNOWN, None, "?", "not proven"),
    ],
)
def test_words_of_a_value(value: Value, distance: int | None, short: str, full: str) -> None:
    truth = MoveTruth(parse_position("mnk:3,3,3").legal_moves[0], value, distance)
    assert (short_words(truth), full_words(truth)) == (short, full)


@pytest.mark.parametrize("text", ["nim:1,3,5,7 4-2", HUGE, "mnk:3,3,3 a1 b1", "mnk:19,19,5 j10", "mnk:7,6,4:gravity"])
@pytest.mark.parametrize("size", [(260, 200), (500, 350), (1400, 900)])
def test_truth_goes_with_all_else_that_is_shown(qtbot: QtBot, text: str, size: tuple[int, int]) -> None:
    truth = unknown(text) if "19" in text or "7,6" in text else truth_of(text)
    board = shown(qtbot, text, truth, size)
    moves = board.position.legal_moves
    pictures = [board.grab().toImage()]
    board.set_overlay(overlay_for(board.position))
    pictures.append(board.grab().toImage())
    board.set_highlight(moves[0])
    board.set_suggestion(moves[-1])
    pictures.append(board.grab().toImage())
    QTest.mouseMove(board, board.move_point(moves[-1]).toPoint())
    pictures.append(board.grab().toImage())
    LOOK.use(DARK)
    pictures.append(board.grab().toImage())
    board.set_truth(None)
    pictures.append(board.grab().toImage())
    assert all(one != other for i, one in enumerate(pictures) for other in pictures[i + 1 :])


def test_unknown_fills_in_as_the_proof_goes_on(qtbot: QtBot) -> None:
    text = "mnk:3,3,3 a1 b1"
    board = shown(qtbot, text, unknown(text))
    first = board.grab().toImage()
    board.set_truth(truth_of(text))
    assert board.grab().toImage() != first
    assert "Winning moves: " in board.accessibleDescription()


@pytest.mark.parametrize("text", ["nim:3,4,5 1-3 2-4 3-5", "nim:64,64,64,64,64,64,64,64,64,64,64,64", "nim:21:max3"])
def test_the_line_under_the_piles_covers_nothing(qtbot: QtBot, text: str) -> None:
    board = shown(qtbot, text, None)
    assert isinstance(board, NimBoard)
    layout = board.places()
    sticks = max(slot.bottom() for pile in layout.slots for slot in pile)
    assert sticks <= board.height() - 2.1 * layout.label_px + 1


def test_marks_on_the_largest_board_are_painted_in_time(qtbot: QtBot) -> None:
    board = shown(qtbot, "mnk:19,19,5", unknown("mnk:19,19,5"), (1000, 900))
    board.set_overlay(overlay_for(board.position))
    picture = board.grab()
    times = []
    for _ in range(10):
        began = time.thread_time()
        board.render(picture)
        times.append(time.thread_time() - began)
    # Some 7 ms on the machine this was written on; the time of the processor, whoever else uses it.
    assert min(times) < 0.05


def test_a_line_of_play_leaves_what_is_proven_to_be_read(qtbot: QtBot) -> None:
    truth = truth_of("mnk:3,3,3 a1 b1 a2 b2")
    board = shown(qtbot, "mnk:3,3,3 a1 b1 a2 b2", truth, (420, 420))
    move = board.position.parse_move("a3")
    cell = board.cell_rect(move).toRect()  # type: ignore[attr-defined]
    tag = QRect(cell.left(), cell.bottom() - cell.height() // 5, cell.width(), cell.height() // 5)
    before = board.grab(tag).toImage()
    board.set_line((move,))
    assert board.grab(cell).toImage() != before
    assert board.grab(tag).toImage() == before


def test_on_a_crossing_a_proven_loss_looks_the_same_whether_it_was_searched_or_not(qtbot: QtBot) -> None:
    board = shown(qtbot, "mnk:15,15,5 h8", unknown("mnk:15,15,5 h8"), (900, 900))
    first, *_, last = board.position.legal_moves
    cell, color = board.places().cell_rect(0, 0).toRect(), QColor("#0072b2")
    distance = QRect(cell.center() + QPoint(5, -cell.height() // 4), cell.bottomRight())  # the dot is in the middle
    alone = board.grab(distance).toImage()
    for share, alike in ((0.001, True), (0.2, False)):
        others = OverlayItem(1 - share, 9_000, 0.5, color, True)
        board.set_overlay({first: OverlayItem(share, 100, 0.1, color, False), last: others})
        assert (board.grab(distance).toImage() == alone) is alike


def test_numbers_and_signs_do_not_touch(qtbot: QtBot) -> None:
    truth = truth_of("mnk:3,3,3 b2 a1 c3")
    board = shown(qtbot, truth.position.text, truth, (190, 190))
    leader, *others = truth.position.legal_moves
    items = {leader: OverlayItem(0.9, 543_210, 0.5, QColor("black"), True)}
    items |= {move: OverlayItem(0.02, 12_345, 0.5, QColor("black"), False) for move in others}
    board.set_overlay(items)
    pictures = {}
    for style in ("none", "visits"):
        board.set_overlay_style(style)
        pictures[style] = board.grab().toImage()
    assert pictures["none"] != pictures["visits"]
    for move in others:
        cell = board.cell_rect(move).toRect()  # type: ignore[attr-defined]
        sign = QRect(cell.right() - 16, cell.bottom() - 16, 16, 16)
        assert pictures["none"].copy(sign) == pictures["visits"].copy(sign), move.text


def test_in_a_hole_too_small_for_words_the_number_stands_clear_of_the_sign(qtbot: QtBot) -> None:
    text = "mnk:7,6,4:gravity d1 b1"
    position = parse_position(text)
    values = (Value.LOSS, Value.WIN, Value.LOSS, Value.DRAW, Value.DRAW, Value.WIN, Value.LOSS)
    moves = [MoveTruth(move, value, 37) for move, value in zip(position.legal_moves, values, strict=True)]
    board = shown(qtbot, text, Truth(position, Value.WIN, 37, tuple(moves)), (480, 420))
    assert isinstance(board, MnkBoard)
    board.set_interactive(False)
    shares = (0.69, 3.3, 0.29, 93.2, 0.87, 1.1, 0.57)
    colors = QColor("#0072b2")
    board.set_overlay(
        {
            move: OverlayItem(share / 100, int(1000 * share), 0.5, colors, share > 90)
            for move, share in zip(position.legal_moves, shares, strict=True)
        }
    )
    pictures = {}
    for number in ("share", "none"):
        board.set_overlay_style(number)
        pictures[number] = board.grab().toImage()
    assert pictures["share"] != pictures["none"]
    layout = board.places()
    for move in position.legal_moves:
        assert isinstance(move, MnkMove)
        middle = layout.cell_rect(move.column, move.row).center()
        x, y = round(middle.x()), round(middle.y() + 0.27 * layout.cell)
        sign = QRect(x - 6, y - 6, 13, 13)
        assert pictures["share"].copy(sign) == pictures["none"].copy(sign), f"the number of {move} lies on its sign"


@pytest.mark.parametrize("side", [300, 340, 380, 420])
def test_a_disc_over_its_number_stays_in_its_cell_and_is_wiped_with_it(qtbot: QtBot, side: int) -> None:
    text = "mnk:3,3,3 b2"
    position = parse_position(text)
    truth = Truth(position, Value.DRAW, 8, tuple(MoveTruth(move, Value.DRAW, 8) for move in position.legal_moves))

    def overlay(*shares: float) -> dict[Move, OverlayItem]:
        listed = zip(position.legal_moves, shares, strict=False)
        return {move: OverlayItem(share, 9, 0.5, QColor("#0072b2"), share == max(shares)) for move, share in listed}

    boards = [shown(qtbot, text, truth, (side, side)) for _ in range(2)]
    for board in boards:
        board.set_interactive(False)
    shares = [0.17, 0.06, 0.21, 0.06, 0.07, 0.16, 0.07, 0.19]
    for turned in range(8):  # each is the leader, with a ring about it, once
        boards[0].set_overlay(overlay(*shares[turned:], *shares[:turned]))
        boards[0].grab()
    pictures = []
    for board in boards:
        board.set_overlay(overlay(0.99))
        pictures.append(board.grab().toImage())
    assert pictures[0] == pictures[1]
