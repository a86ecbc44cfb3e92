"""Games of other packages that fail in the window: it says in one sentence whose fault it is, and all else goes on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from bad_games import LOADED
from desk import HUMAN, RANDOM, Desk, OpenDesk, mcts
from example_packages import installed
from plugin_packages import install
from PySide6.QtWidgets import QDialog
from pytestqt.qtbot import QtBot

from nimdesk.games import parse_position
from nimdesk.play.moment import State
from nimdesk.plugins.games import load_game
from nimdesk.ui.boards import board_for
from nimdesk.ui.boards.plain import PlainBoard
from nimdesk.ui.look.actions import PLAY
from nimdesk.ui.play.new_game import NewGameSheet

_BOARD = """
from nimdesk.ui.boards import BoardKit
from nimdesk.ui.boards.plain import PlainArt, PlainBoard
class Art(PlainArt):
    def paint(self, painter): 1 / 0
class Painted(PlainBoard):
    art = property(Art)
class Kit(BoardKit):
    {}
BOARD = Kit()
"""
BOARDS = {
    "board_raises": _BOARD.format("def new_board(self, position, parent=None): 1 / 0"),
    "form_raises": _BOARD.format("def new_game_form(self): 1 / 0"),
    "board_import": "1 / 0",
    "painter": _BOARD.format("def new_board(self, position, parent=None): return Painted(position, parent)"),
}
PARTS = {
    "fails_late": "play = P.play\nP.play = lambda s, m: play(s, m) if s.game.n < 6 or len(s.moves) < 3 else 1 / 0\n",
    "solver_raises": "KIT = GameKit(KIT.name, G, presets=KIT.presets, new_solver=lambda **options: 1 / 0)\n",
}


@pytest.fixture(scope="module", autouse=True)
def _loaded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """All of them at once."""
    site = tmp_path_factory.mktemp("site")
    for name in (*BOARDS, *PARTS):
        parts = PARTS.get(name, f"KIT = GameKit(KIT.name, G, presets=KIT.presets, board='{name}_board:BOARD')\n")
        modules = {f"{name}_module": LOADED[0].code.replace("sound", name) + parts}
        modules |= {f"{name}_board": BOARDS[name]} if name in BOARDS else {}
        install(site, f"acme-{name}", {name: f"{name}_module:KIT"}, modules, "nimdesk.games")
    with installed(str(site)):
        for name in (*BOARDS, *PARTS):
            load_game(name, trusted=True)
        yield


def said_of(name: str) -> str:
    """How the sentence begins."""
    return f"The game “{name}” of the package acme-{name} failed: division by zero (ZeroDivisionError in line "


def goes_on(desk: Desk) -> None:
    """Another game is played to its end."""
    desk.session.games.start(parse_position("nim:1,2"), (RANDOM, RANDOM))
    desk.wait_for(State.OVER)
    assert "wins" in desk.headline


@pytest.mark.parametrize("name", [name for name in BOARDS if name != "painter"])
def test_a_board_that_fails_gives_its_place_to_the_plain_one(name: str, open_desk: OpenDesk, qtbot: QtBot) -> None:
    desk = open_desk()
    with qtbot.captureExceptions() as raised:
        desk.session.games.start(parse_position(f"{name}:5"), (HUMAN, RANDOM))
        desk.wait(lambda: bool(raised))
    assert isinstance(board_for(desk.controller.position.game), PlainBoard)
    assert desk.session.tell_of_fault(raised[0][1])  # type: ignore[arg-type]
    desk.wait(lambda: desk.notice.startswith(said_of(name)))
    goes_on(desk)


def test_a_board_that_cannot_be_painted_is_told_of(open_desk: OpenDesk, qtbot: QtBot) -> None:
    desk = open_desk()
    with qtbot.captureExceptions() as raised:
        desk.session.games.start(parse_position("painter:5"))
        desk.wait(lambda: bool(raised))
        assert all(desk.session.tell_of_fault(error) for _, error, _ in raised)  # type: ignore[arg-type]
        desk.wait(lambda: desk.notice.startswith(said_of("painter")))
        goes_on(desk)


def test_a_fault_of_nobody_known_is_left_to_the_log(open_desk: OpenDesk) -> None:
    assert not open_desk().session.tell_of_fault(ZeroDivisionError("division by zero"))


def test_a_new_game_can_be_begun_though_all_of_them_are_there(open_desk: OpenDesk, qtbot: QtBot) -> None:
    desk = open_desk()

    def begin(sheet: QDialog) -> None:
        assert isinstance(sheet, NewGameSheet)
        assert len(sheet.tiles) > len(BOARDS)
        sheet.fold.setChecked(True)
        for index in range(sheet.tabs.count()):
            sheet.tabs.setCurrentIndex(index)
        sheet.fold.setChecked(False)
        for tile in sheet.tiles:
            tile.setChecked(True)
        sheet.tiles[0].setChecked(True)
        sheet.start.click()

    with qtbot.captureExceptions():
        desk.in_dialog(desk.window.actions_by_name["new_game"].trigger, begin)
    assert desk.controller.position.text == "nim:1,3,5,7"


@pytest.mark.parametrize("name", PARTS)
def test_what_fails_in_a_thread_is_told_of_and_the_window_goes_on(name: str, open_desk: OpenDesk) -> None:
    desk = open_desk()
    desk.session.preferences.change(show_truth=True)
    desk.session.games.start(parse_position(f"{name}:9"), (HUMAN, mcts()))
    if name == "fails_late":
        desk.click("1")
    desk.wait(lambda: said_of(name) in f"{desk.notice} {desk.session.truth.sentence}")
    desk.analyse()
    desk.window.modes.show_mode(PLAY)
    goes_on(desk)
