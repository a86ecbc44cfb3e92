"""A game that brings rules alone gets the plain board: seen, pointed at, played and set up like any other."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise

import pytest
from desk import HUMAN, RANDOM, WAIT_MS, Desk, K, OpenDesk
from example_packages import example_site, installed
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QScrollBar
from pytestqt.qtbot import QtBot

from nimdesk.games import Game, GameKit, Move, Outcome, Position, Side, parse_game, parse_position, register
from nimdesk.games.kit import KITS
from nimdesk.games.truth import MoveTruth, Truth, Value
from nimdesk.play.moment import State
from nimdesk.ui.boards import BoardKit, BoardView, OverlayItem, board_for, board_kit
from nimdesk.ui.boards.plain import PlainBoard
from nimdesk.ui.dialogs import PositionEditor
from nimdesk.ui.laboratory.export_pictures import inked_part
from nimdesk.ui.laboratory.moves_table import MovesTable
from nimdesk.ui.look.actions import LABORATORY
from nimdesk.ui.look.painting import side_color
from nimdesk.ui.look.theme import DARK, LIGHT, LOOK, Theme
from nimdesk.ui.play.new_game import NewGameSheet


class Step(Move, frozen=True):
    """So many steps forward."""

    steps: int

    @property
    def text(self) -> str:
        return f"+{self.steps}"

    @property
    def words(self) -> str:
        return f"go {self.steps}"


class RaceGame(Game, frozen=True):
    """``race:10,3``: from 0 to 10 in steps of 1 to 3; whoever arrives wins."""

    goal: int
    longest: int

    @property
    def text(self) -> str:
        return f"race:{self.goal},{self.longest}"

    @classmethod
    def parse(cls, parameters: str) -> RaceGame:
        goal, _, longest = parameters.partition(",")
        return cls(int(goal), int(longest))

    def start(self) -> RacePosition:
        return RacePosition(self, 0)


class RacePosition(Position[Step]):
    """``board`` is how far they have come."""

    game: RaceGame
    board: int

    @cached_property
    def legal_moves(self) -> tuple[Step, ...]:
        return tuple(Step(steps) for steps in range(1, min(self.game.longest, self.game.goal - self.board) + 1))

    @property
    def outcome(self) -> Outcome | None:
        return None if self.legal_moves else Outcome(self.turn.other, "arrived")

    def play(self, move: Move) -> RacePosition:
        self.check(move)
        assert isinstance(move, Step)
        return RacePosition(self.game, self.board + move.steps, (*self.moves, move))

    @property
    def summary(self) -> str:
        return f"{self.board} of {self.game.goal}"


@pytest.fixture(autouse=True)
def race() -> Iterator[GameKit]:
    kit = GameKit("race", RaceGame)
    register(kit)
    yield kit
    del KITS["race"]


def shown(qtbot: QtBot, text: str, size: tuple[int, int] = (640, 480)) -> tuple[BoardView, list[Move]]:
    """A board that goes on with the moves chosen on it, and those moves."""
    position = parse_position(text)
    board, chosen = board_for(position.game), []

    def play(move: Move) -> None:
        chosen.append(move)
        board.set_position(board.position.play(move))

    qtbot.addWidget(board)
    board.resize(*size)
    board.set_position(position)
    board.set_interactive(True)
    board.move_chosen.connect(play)
    with qtbot.waitActive(board, timeout=WAIT_MS):
        board.show()
        board.activateWindow()
    board.clearFocus()
    return board, chosen


def click(board: BoardView, where: QPoint) -> None:
    QTest.mouseMove(board, where)
    QTest.mouseClick(board, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, where)


def overlay_for(board: BoardView) -> dict[Move, OverlayItem]:
    moves = board.position.legal_moves
    return {
        move: OverlayItem((at + 1) / len(moves) ** 2, 10 * at, 0.5, LIGHT.curve(at), at == len(moves) - 1)
        for at, move in enumerate(moves)
    }


def truth_for(board: BoardView) -> Truth:
    moves = board.position.legal_moves
    values = [MoveTruth(move, Value.WIN if at == 1 else Value.LOSS, 3) for at, move in enumerate(moves)]
    return Truth(board.position, Value.WIN, 3, tuple(values))


def test_a_game_without_a_board_gets_the_plain_one() -> None:
    assert type(board_kit(parse_game("race:10,3"))) is BoardKit


@pytest.mark.parametrize("size", [(230, 180), (640, 480), (900, 220), (1400, 1000)])
@pytest.mark.parametrize("most", [1, 3, 300])
def test_each_move_has_a_cell_of_its_own_that_a_click_chooses(qtbot: QtBot, most: int, size: tuple[int, int]) -> None:
    board, chosen = shown(qtbot, f"race:600,{most}", size)
    moves = board.position.legal_moves
    for move in moves[:: max(1, most // 7)]:
        board.set_position(parse_position(f"race:600,{most}"))
        where = board.move_point(move).toPoint()
        assert board.rect().contains(where)
        click(board, where)
        assert chosen[-1] == move


def test_the_wheel_scrolls_and_the_mouse_points_at_what_is_below_it(qtbot: QtBot) -> None:
    board, _ = shown(qtbot, "race:600,300")
    where = board.move_point(Step(1)).toPoint()
    QTest.mouseMove(board, where)
    assert board.hovered_move == Step(1)
    board.move_point(Step(300))  # is brought into view
    QTest.mouseMove(board, where + QPoint(1, 0))
    assert board.hovered_move not in (None, Step(1))


def test_a_game_by_keyboard_alone_reaches_its_end(qtbot: QtBot) -> None:
    board, chosen = shown(qtbot, "race:40,12")
    board.setFocus(Qt.FocusReason.TabFocusReason)
    assert board.hovered_move == Step(1)
    for keys, wanted in (
        ((K.Key_Right, K.Key_Right), Step(3)),
        ((K.Key_End,), Step(12)),
        ((K.Key_Left,), Step(11)),
        ((K.Key_Home, K.Key_Left), Step(1)),
    ):
        for key in keys:
            QTest.keyClick(board, key)
        assert board.hovered_move == wanted
    QTest.keyClick(board, K.Key_Down)
    assert board.hovered_move != Step(1), "a line further down"
    QTest.keyClicks(board, "+12")
    assert board.hovered_move == Step(12), "by its notation"
    assert "Cursor: go 12" in board.accessibleDescription()
    while board.position.outcome is None:
        QTest.keyClick(board, K.Key_Return)
    assert tuple(chosen) == board.position.moves == (Step(12), Step(12), Step(12), Step(4))


def test_words_for_screen_readers_say_what_lies_there_and_what_can_be_played(qtbot: QtBot) -> None:
    board, _ = shown(qtbot, "race:30,25 +4")
    assert board.accessibleName() == "race:30,25: Second to move"
    described = board.accessibleDescription()
    assert described.startswith("Last move: First: go 4. 4 of 30. 25 moves: +1, +2, ")
    assert described.endswith(" and 5 more.")
    board.set_truth(truth_for(board))
    assert "Winning move: go 2 (win in 3)." in board.accessibleDescription()
    QTest.mouseMove(board, board.move_point(Step(2)).toPoint())
    assert board.hover_words() == "go 2: win in 3"
    ended, _ = shown(qtbot, "race:4,3 +3 +1")
    assert ended.accessibleName() == "race:4,3: Second wins: arrived"


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_it_shows_all_that_other_boards_show(qtbot: QtBot, theme: Theme) -> None:
    LOOK.use(theme)
    board, _ = shown(qtbot, "race:30,5 +4")
    QTest.mouseMove(board, QPoint(1, 1))
    pictures = [board.grab().toImage()]
    for show in (
        lambda: board.set_overlay(overlay_for(board)),
        lambda: board.set_overlay_style("visits"),
        lambda: board.set_truth(truth_for(board)),
        lambda: board.set_highlight(Step(3)),
        lambda: board.set_suggestion(Step(5)),
        lambda: board.set_line((Step(1), Step(2))),
        lambda: QTest.mouseMove(board, board.move_point(Step(4)).toPoint()),
        lambda: board.set_position(board.position.play(Step(1))),
        lambda: LOOK.use(LIGHT if theme is DARK else DARK),
    ):
        show()
        pictures.append(board.grab().toImage())
    assert all(one != other for one, other in pairwise(pictures))


def test_a_line_of_play_is_told_in_the_colours_of_the_sides(qtbot: QtBot) -> None:
    board, _ = shown(qtbot, "race:30,5")

    def seconds(picture: QImage) -> int:
        color = side_color(LIGHT, Side.SECOND).rgb()
        return sum(picture.pixel(x, y) == color for x in range(picture.width()) for y in range(picture.height()))

    board.set_line((Step(1),))
    assert seconds(board.grab().toImage()) == 0
    board.set_line((Step(1), Step(2)))
    assert seconds(board.grab().toImage()) > 10


def test_the_twin_for_pictures_is_as_high_as_all_of_its_moves_need(qtbot: QtBot) -> None:
    board, _ = shown(qtbot, "race:600,90", (400, 200))
    twin = board.twin()
    qtbot.addWidget(twin)
    cells = [twin.move_point(move) for move in twin.position.legal_moves]
    assert cells[-1].y() - cells[0].y() > board.height()
    assert all(twin.rect().contains(cell.toPoint()) for cell in cells)


def test_a_small_picture_has_what_lies_there_and_nothing_to_press(qtbot: QtBot) -> None:
    board = PlainBoard(parse_position("take:0.77:5,7"))
    qtbot.addWidget(board)
    board.resize(304, 176)
    whole = inked_part(board)
    assert any(bar.isVisibleTo(board) for bar in board.findChildren(QScrollBar)), "there is no room for all moves"
    small = PlainBoard(parse_position("take:0.77:5,7"))
    qtbot.addWidget(small)
    small.be_pictured()
    small.resize(304, 176)
    alone = inked_part(small, 0)
    assert not any(bar.isVisibleTo(small) for bar in small.findChildren(QScrollBar))
    assert alone.height() < whole.height() * 2 / 3
    assert small.rect().adjusted(20, 20, -20, -20).contains(alone)


def test_a_game_may_name_a_board_of_its_own(race: GameKit, qtbot: QtBot) -> None:
    class Own(BoardKit):
        pass

    sys.modules[__name__].OWN = Own()  # type: ignore[attr-defined]
    register(GameKit("race", RaceGame, board=f"{__name__}:OWN"))
    assert type(board_kit(parse_game("race:10,3"))) is Own
    register(GameKit("race", RaceGame, board=f"{__name__}:RaceGame"))
    with qtbot.captureExceptions() as raised:
        assert type(board_kit(parse_game("race:10,3"))) is BoardKit, "what serves every game"
        qtbot.waitUntil(lambda: bool(raised))
    assert str(raised[0][1]) == f"The board “{__name__}:RaceGame” of the game “race” is not a BoardKit."


# In the window


def test_a_person_plays_it_against_the_computer_by_mouse_and_by_keyboard(open_desk: OpenDesk) -> None:
    desk = open_desk("race:30,4", HUMAN, RANDOM)
    assert isinstance(desk.board, PlainBoard)
    desk.click("+3")
    desk.wait(lambda: desk.controller.position.ply == 2)
    desk.board.setFocus(Qt.FocusReason.TabFocusReason)
    while desk.controller.position.outcome is None:
        desk.wait(lambda: desk.state is not State.THINKING)
        desk.press(K.Key_Return)
    assert desk.board.position == desk.controller.position
    assert re.fullmatch(r"(You won|You lost. .+ wins): arrived", desk.headline)


def test_new_game_offers_its_notation(desk: Desk) -> None:
    def act(dialog: NewGameSheet) -> None:
        QTest.mouseClick(dialog.fold, Qt.MouseButton.LeftButton)
        titles = [dialog.tabs.tabText(at) for at in range(dialog.tabs.count())]
        assert titles == ["&Nim", "&m,n,k", "Ta&ke-away", "Race", "Position &text"]
        dialog.tabs.setCurrentIndex(3)
        field = dialog.tabs.form.first_field
        assert isinstance(field, QLineEdit)
        assert field.text() == "race:"
        desk.type_into(field, "race:12,2", enter=False)
        QTest.mouseClick(dialog.start, Qt.MouseButton.LeftButton)

    desk.in_dialog(desk.window.actions_by_name["new_game"].trigger, act)  # type: ignore[arg-type]
    assert desk.controller.position.text == "race:12,2"
    assert isinstance(desk.board, PlainBoard)


def test_the_laboratory_edits_it_as_text_and_shows_it(open_desk: OpenDesk) -> None:
    desk = open_desk("race:30,4 +1")
    desk.window.modes.show_mode(LABORATORY)
    page = desk.session.laboratory.page
    assert page is not None

    def edit(dialog: PositionEditor) -> None:
        field = dialog.tabs.form.first_field
        assert isinstance(field, QLineEdit)
        assert field.text() == "race:30,4"
        desk.type_into(field, "race:30,4 +4 +2", enter=False)
        QTest.mouseClick(dialog.ok, Qt.MouseButton.LeftButton)

    page.model.place.go_to(parse_position("race:30,4"))
    desk.in_dialog(desk.window.actions_by_name["lab_edit"].trigger, edit)  # type: ignore[arg-type]
    assert page.model.place.position.text == "race:30,4 +4 +2"
    assert isinstance(page.board_panel.board, PlainBoard)
    assert page.board_panel.board.position == page.model.place.position


def test_the_table_of_moves_has_room_for_a_long_move_that_leads(open_desk: OpenDesk) -> None:
    with installed(example_site("kayles")):
        desk = open_desk("kayles:3,4,5", HUMAN, HUMAN)
        desk.window.modes.show_mode(LABORATORY)
        page = desk.session.laboratory.page
        assert page is not None
        page.model.searches.set_limit(100.0)
        page.model.searches.run()
        desk.wait(lambda: not page.model.searches.running)
        table = page.panel(MovesTable)
        desk.wait(lambda: table.rows.rowCount() == 21)
        needed = [table.sizeHintForIndex(table.rows.index(row, 0)).width() for row in range(21)]
        assert max(needed) <= table.columnWidth(0)
