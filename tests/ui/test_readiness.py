"""The status line says what is compiled, and a click stops what nobody asked for."""

import threading
from collections.abc import Callable, Iterator

import pytest
from desk import OpenDesk
from pytestqt.qtbot import QtBot

from nimdesk import compiling
from nimdesk.agents import make_agent
from nimdesk.games import parse_position
from nimdesk.play import GameInProgress, Human
from nimdesk.ui.look.widgets import SearchStatus
from nimdesk.ui.play.controller import GameController
from nimdesk.ui.play.searching import SearchService
from nimdesk.ui.shell.readiness import Readiness


class Idle:
    """In the place of what loads and compiles: remembers what it was asked for."""

    def __init__(self, heard: Callable[[int, int], object]) -> None:
        self.heard, self.stopped = heard, False
        self.wanted: list[str] = []

    def want(self, position: object, agents: object) -> None:
        self.wanted.append(str(getattr(position, "text", "")))

    def stop_idling(self) -> None:
        self.stopped = True

    def end(self) -> None:
        pass


@pytest.fixture
def idle(monkeypatch: pytest.MonkeyPatch) -> list[Idle]:
    made: list[Idle] = []

    def make(heard: Callable[[int, int], object]) -> Idle:
        made.append(Idle(heard))
        return made[-1]

    monkeypatch.setattr("nimdesk.ui.shell.readiness.WarmUp", make)
    return made


@pytest.fixture
def readiness(qtbot: QtBot, idle: list[Idle]) -> Iterator[Readiness]:
    status = SearchStatus()
    qtbot.addWidget(status)
    service = SearchService()
    controller = GameController(
        GameInProgress(parse_position("nim:3,4,5"), (Human(), Human())), service, make_agent("mcts")
    )
    status.show()
    made = Readiness(controller, status, status)
    made.begin()
    yield made
    made.refuse()
    made.end()
    service.shutdown()


def in_a_thread(act: Callable[[], object]) -> None:
    thread = threading.Thread(target=act)
    thread.start()
    thread.join()


def test_what_is_compiled_is_told_while_it_is(qtbot: QtBot, readiness: Readiness) -> None:
    assert not readiness.button.isVisible()
    in_a_thread(lambda: compiling.tell("mcts", 12))
    qtbot.waitUntil(readiness.button.isVisible)
    assert readiness.button.text() == f"C{compiling.Compiling('mcts', 12).words[1:]}"
    in_a_thread(compiling.tell_end)
    qtbot.waitUntil(lambda: not readiness.button.isVisible())


@pytest.mark.parametrize("text_percent", [100, 200])
def test_the_board_stands_still_while_that_comes_and_goes(open_desk: OpenDesk, text_percent: int) -> None:
    desk = open_desk(text_percent=text_percent)
    button, status, before = desk.session.readiness.button, desk.window.status, desk.board.size()
    in_a_thread(lambda: compiling.tell("mcts", 12))
    desk.wait(button.isVisible)
    assert status.sizeHint().height() == status.height(), "nor would it when the window is laid out anew"
    assert desk.board.size() == before
    in_a_thread(compiling.tell_end)
    desk.wait(lambda: not button.isVisible())
    assert status.sizeHint().height() == status.height()
    assert desk.board.size() == before


def test_a_click_stops_what_nobody_asked_for(qtbot: QtBot, readiness: Readiness, idle: list[Idle]) -> None:
    in_a_thread(lambda: idle[0].heard(3, 9))
    qtbot.waitUntil(readiness.button.isVisible)
    assert readiness.button.text() == "Getting searches ready: 3 of 9  ✕"
    readiness.button.click()
    assert idle[0].stopped
    assert not readiness.button.isVisible()


def test_the_game_on_the_board_comes_first_and_each_new_one(readiness: Readiness, idle: list[Idle]) -> None:
    controller = readiness.controller
    controller.new_game(GameInProgress(parse_position("mnk:3,3,3"), controller.game.players))
    assert idle[0].wanted == ["nim:3,4,5", "mnk:3,3,3"]
