"""Games of other packages whose parts and boards misbehave, in the window: it says a sentence, and all else goes on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from bad_games import BadGame
from bad_kernels import ASKED
from bad_parts import BOARDS, PAINTER, PAINTER_BOARD, QUIET, SOLVERS
from desk import HUMAN, RANDOM, Desk, OpenDesk, mcts
from example_packages import installed
from plugin_packages import install
from PySide6.QtWidgets import QDialog
from pytestqt.qtbot import QtBot

import nimdesk as nd
from nimdesk.agents import CATALOGUE, Agent
from nimdesk.games import parse_position, solver_for
from nimdesk.games.installed import load_game
from nimdesk.limit import Limit
from nimdesk.play.exercises import Exercise, question
from nimdesk.ui.boards import BOARD_PROBLEMS, board_kit
from nimdesk.ui.boards.plain import PlainBoard
from nimdesk.ui.experiments.charts import charts
from nimdesk.ui.look.actions import PLAY
from nimdesk.ui.play.controller import State
from nimdesk.ui.play.new_game import NewGameSheet

KERNELS = [bad for bad in ASKED if bad.name in ("sizes_none", "make_rules_raises")]
GAMES = [*QUIET, *SOLVERS, *KERNELS, *(bad for bad, _ in BOARDS), PAINTER]


@pytest.fixture(scope="module", autouse=True)
def _loaded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """All of them at once."""
    site = tmp_path_factory.mktemp("site")
    boards = {bad.name: code for bad, code in [*BOARDS, (PAINTER, PAINTER_BOARD)]}
    for bad in GAMES:
        modules = {bad.module: bad.code}
        if code := boards.get(bad.name):
            modules[f"{bad.module}_b"] = code
        install(site, f"acme-{bad.name}", {bad.name: f"{bad.module}:KIT"}, modules, "nimdesk.games")
    with installed(str(site)):
        for bad in GAMES:
            load_game(bad.name, tried=True)
        yield


@pytest.mark.parametrize("bad", QUIET, ids=lambda bad: bad.name)
def test_what_helps_in_passing_is_done_without(bad: BadGame) -> None:
    position = parse_position(f"{bad.name}:5")
    agents = [Agent(info.name, info.options_type()) for info in CATALOGUE.values()]
    assert "random" in [agent.name for agent in agents if agent.plays(position)]
    exercise = Exercise(position=f"{bad.name}:5 1", best=["1"], asked=1)
    assert [move.text for move in question(exercise).best] == ["1"]
    played = nd.match(["random", nd.agent("random", seed=1)], [position.text, f"{bad.name}:4"], games=2)
    assert [chart.title for chart in charts(played.found)][:2] == ["Wins by players", "Wins by position"]


@pytest.mark.parametrize(("bad", "code"), BOARDS, ids=[bad.name for bad, _ in BOARDS])
def test_a_board_that_fails_gives_its_place_to_the_plain_one(bad: BadGame, code: str, qtbot: QtBot) -> None:
    said: list[str] = []
    BOARD_PROBLEMS.found.connect(said.append)
    position = parse_position(f"{bad.name}:5")
    solver = solver_for(position)
    solver.start(position)
    solver.advance(Limit())
    kit = board_kit(position.game)
    board = kit.new_board(position)
    qtbot.addWidget(board)
    assert isinstance(board, PlainBoard)
    assert board.position == position
    for form in (kit.new_game_form(), kit.position_form()):
        if form is not None:
            qtbot.addWidget(form)
    assert "First can win in 3 plies" in kit.theory_html(position, solver.truth(), "")
    assert kit.other_rule(position) is None
    assert kit.reason(position, position.legal_moves[0], solver.truth()) == "after 1 Second can win in 4 plies"
    BOARD_PROBLEMS.found.disconnect(said.append)
    assert len(said) == bool(bad.says)
    for sentence in said:
        assert sentence.startswith(f"The board of “{bad.name}” failed: ")
        assert bad.says in sentence
        assert len(sentence) <= 300


def test_a_new_game_can_be_begun_though_all_of_them_are_there(open_desk: OpenDesk, qtbot: QtBot) -> None:
    desk = open_desk()

    def begin(sheet: QDialog) -> None:
        assert isinstance(sheet, NewGameSheet)
        assert len(sheet.tiles) > len(GAMES)
        sheet.fold.setChecked(True)
        for index in range(sheet.tabs.count()):
            sheet.tabs.setCurrentIndex(index)
            if sheet.tabs.tabText(index) == "Board_form_leaves":
                assert sheet.problem.text().startswith("The form of “board_form_leaves” failed: it ended itself by")
                assert not sheet.start.isEnabled()
        sheet.fold.setChecked(False)
        for tile in sheet.tiles:
            tile.setChecked(True)
        sheet.tiles[0].setChecked(True)
        sheet.start.click()

    with qtbot.captureExceptions() as raised:
        desk.in_dialog(desk.window.actions_by_name["new_game"].trigger, begin)
    assert len(raised) == 1, "one board cannot be painted"
    assert desk.controller.position.text == "nim:1,3,5,7"


def goes_on(desk: Desk) -> None:
    """Another game is played to its end."""
    desk.session.games.start(parse_position("nim:1,2"), (RANDOM, RANDOM))
    desk.wait_for(State.OVER)
    assert "wins" in desk.headline


@pytest.mark.parametrize("name", ["preferences_raises", "board_raises", "board_exit", "truth_none", "sizes_none"])
def test_the_window_says_what_is_wrong_and_goes_on(name: str, open_desk: OpenDesk) -> None:
    (bad,) = (bad for bad in GAMES if bad.name == name)
    desk = open_desk()
    desk.session.preferences.change(show_truth=True)
    desk.session.games.start(parse_position(f"{name}:5"), (HUMAN, mcts()))
    if bad in KERNELS:
        desk.click("1")
    if bad.says:
        desk.wait(lambda: bad.says in f"{desk.notice} {desk.session.truth.sentence}")
    desk.analyse()
    desk.window.modes.show_mode(PLAY)
    goes_on(desk)


def test_what_is_raised_within_qt_is_said_where_it_is_a_games_fault(open_desk: OpenDesk, qtbot: QtBot) -> None:
    desk = open_desk()
    with qtbot.captureExceptions() as raised:
        desk.session.games.start(parse_position(f"{PAINTER.name}:5"))
        desk.wait(lambda: bool(raised))
        assert all(desk.session.tell_of_fault(error) for _, error, _ in raised)  # type: ignore[arg-type]
        said = f"The board of “{PAINTER.name}” failed: division by zero (ZeroDivisionError in line "
        desk.wait(lambda: desk.notice.startswith(said))
        assert not desk.session.tell_of_fault(ZeroDivisionError("division by zero")), "nobody knows whose fault that is"
        goes_on(desk)
