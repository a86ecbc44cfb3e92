"""A plug-in played in the window, from the package that the tutorial shows; a faulty one loses, the window goes on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from bad_plugins import LOADED, install_bad
from desk import HUMAN, RANDOM, Desk, OpenDesk, label_of
from plugin_packages import Processes, install_faulty, install_from_tutorial, watched_processes
from PySide6.QtCore import QTimer

from nimdesk.agents import CATALOGUE, load_plugins, make_agent
from nimdesk.games import parse_position
from nimdesk.play import Human
from nimdesk.play.moment import State


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> Iterator[Processes]:
    with watched_processes(monkeypatch) as started:
        yield started


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, processes: Processes) -> Path:
    """Where packages are installed."""
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(str(site))
    return site


def said(desk: Desk) -> str:
    """All that stands above the board."""
    return f"{desk.headline} {desk.notice}"


def goes_on(desk: Desk) -> None:
    """Another game with other players is played to its end."""
    for side in range(2):
        desk.choose_player(side, "Random")
    desk.session.games.start(parse_position("nim:1,2"))
    desk.wait_for(State.OVER)
    assert "wins" in desk.headline


def test_it_is_chosen_at_the_card_and_plays(folder: Path, open_desk: OpenDesk) -> None:
    install_from_tutorial(folder)
    load_plugins()
    desk = open_desk("nim:2,2")
    desk.choose_player(1, "Sprinter")
    desk.type_into(desk.field(1, "attention"), "2")
    assert desk.problem(1) == "Attention is “2”; it must be a number from 0 to 1."
    desk.type_into(desk.field(1, "attention"), "1")
    assert desk.problem(1) == ""
    desk.click("1-2")
    desk.wait_for(State.OVER)
    assert desk.moves == ["1-2", "2-2"], "with all its attention it takes the win"
    assert desk.controller.game.plies[1].by == "Sprinter"


def test_it_is_remembered(folder: Path, open_desk: OpenDesk, tmp_path: Path) -> None:
    install_from_tutorial(folder)
    players = [{"player": "human"}, {"agent": "sprinter", "options": {"attention": 0.5}}]
    desk = open_desk("mnk:3,3,3", None, None, players=players)
    desk.wait(lambda: desk.choice(1).currentText() == "Sprinter")
    assert desk.controller.game.players[1] == make_agent("sprinter", {"attention": 0.5})
    desk.click("b2")
    desk.wait(lambda: len(desk.moves) == 2)
    assert desk.state is State.HUMAN


def test_the_window_waits_for_none_that_it_remembers(
    folder: Path, open_desk: OpenDesk, processes: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    install_from_tutorial(folder)
    install_bad(folder, [bad for bad in LOADED if bad.name in ("sleeps", "number")])
    players = [{"agent": "sprinter", "options": {"attention": 0.5}}, {"agent": "sleeps", "options": {}}]
    desk = open_desk("mnk:3,3,3", None, None, players=players)
    assert "sleeps" not in CATALOGUE, "it has not said what it is"
    assert desk.controller.game.players[1].title == "Human"
    desk.wait(lambda: len(desk.moves) == 1)
    assert desk.controller.game.plies[0].by == "Sprinter"
    offered = [desk.choice(1).itemText(index) for index in range(desk.choice(1).count())]
    assert {"Sprinter", "number"} <= set(offered)
    desk.close()
    assert processes.running == 1, "the one that played is kept"
    remembered = [player["agent"] for player in desk.session.preferences.now.players]
    assert remembered == ["sprinter", "sleeps"], "it is not forgotten"


def test_one_remembered_that_is_broken_by_now_gives_its_place_to_a_person(folder: Path, open_desk: OpenDesk) -> None:
    install_bad(folder, [bad for bad in LOADED if bad.name == "number"])
    players = [{"agent": "number", "options": {"depth": 3}}, {"player": "human"}]
    desk = open_desk("mnk:3,3,3", None, None, players=players)
    desk.wait(lambda: "a person plays instead" in said(desk))
    assert "There is no option “depth”" in said(desk)
    goes_on(desk)


def test_two_of_them_play_each_other(folder: Path, open_desk: OpenDesk) -> None:
    install_from_tutorial(folder)
    agent = make_agent("sprinter", {"seed": 3})
    desk = open_desk("mnk:3,3,3", agent, agent)
    desk.wait_for(State.OVER)
    assert 5 <= len(desk.moves) <= 9


@pytest.mark.parametrize(
    ("does", "says"),
    [
        (
            "raise ValueError('no idea')",
            "The agent “Clumsy” failed while it chose a move: no idea (ValueError in line",
        ),
        ("return NimMove(7, 7)", "The agent “Clumsy” made an illegal move, 8-7: the piles are 1 to 3."),
        ("os.abort()", "The agent “Clumsy” crashed: its process was ended by SIGABRT."),
        ("time.sleep(60)", "The agent “Clumsy” gave no move within 0.5 s."),
    ],
)
def test_a_faulty_one_is_told_of_and_the_window_goes_on(
    folder: Path, open_desk: OpenDesk, processes: Processes, does: str, says: str
) -> None:
    install_faulty(folder, does)
    desk = open_desk("nim:3,4,5", HUMAN, make_agent("clumsy", {"time_s": 0.5 if "0.5 s" in says else 20.0}))
    desk.click("1-1")
    desk.wait(lambda: says in said(desk))
    assert desk.headline == "You won: Clumsy failed"
    assert desk.state is State.OVER
    assert desk.moves == ["1-1"]
    assert not processes.running
    goes_on(desk)


def test_one_that_cannot_be_loaded_is_told_of(folder: Path, open_desk: OpenDesk) -> None:
    install_faulty(folder, "pass")
    (folder / "clumsy_module.py").write_text("import nowhere_to_be_found")
    desk = open_desk("nim:3,4,5", make_agent("clumsy"), HUMAN)
    assert "cannot be loaded: the module “nowhere_to_be_found”" in label_of(desk.box(0), "muted").text()
    desk.wait(lambda: "The agent “clumsy” cannot be loaded: the module" in said(desk))
    goes_on(desk)


def test_pause_ends_one_that_hangs_and_the_window_never_waits(
    folder: Path, open_desk: OpenDesk, processes: Processes
) -> None:
    install_faulty(folder, "while True: pass")
    desk = open_desk("nim:3,4,5", make_agent("clumsy"), RANDOM)
    desk.wait_for(State.THINKING)
    desk.wait(lambda: processes.running == 1)
    ticks: list[State] = []
    timer = QTimer(interval=5)
    timer.timeout.connect(lambda: ticks.append(desk.state))
    timer.start()
    desk.wait(lambda: len(ticks) >= 100)
    timer.stop()
    assert set(ticks) == {State.THINKING}, "it hangs, and the window does not"
    desk.button("pause")
    assert desk.state is State.PAUSED
    desk.wait(lambda: processes.running == 0)
    goes_on(desk)


def test_closing_the_window_ends_one_that_hangs(folder: Path, open_desk: OpenDesk, processes: Processes) -> None:
    install_faulty(folder, "time.sleep(60)")
    desk = open_desk("nim:3,4,5", make_agent("clumsy"), Human())
    desk.wait(lambda: processes.running == 1)
    desk.close()
    assert processes.running == 0
