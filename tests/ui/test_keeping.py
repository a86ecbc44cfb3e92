"""Nothing is lost: the next start shows what the last one left, however it ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from desk import CTRL, ENDLESS, HUMAN, RANDOM, Desk, K, OpenDesk, mcts
from PySide6.QtWidgets import QFileDialog, QMenu, QMessageBox

from nimdesk.disk import paths
from nimdesk.games import Side, parse_position
from nimdesk.play import GameInProgress
from nimdesk.play.kept import Change
from nimdesk.play.library import Library
from nimdesk.play.moment import State
from nimdesk.play.record import load_game, save_game
from nimdesk.settings import SettingsStore
from nimdesk.ui.look.actions import EXPERIMENTS, PLAY
from nimdesk.ui.play import keeping


def kept(desk: Desk) -> bool:
    """Whether everything is on the disk."""
    return desk.session.keeper.kept.change() is None


def test_the_next_start_shows_the_same_board_moves_variations_and_curves(open_desk: OpenDesk) -> None:
    first = open_desk("mnk:3,3,3", HUMAN, mcts(200))
    first.click("b2")
    first.wait_for(State.HUMAN)
    first.click(first.board.position.legal_moves[0].text)
    first.wait_for(State.HUMAN)
    first.controller.jump(2)
    other = first.board.position.legal_moves[-1].text
    first.click(other)
    first.wait_for(State.HUMAN)
    first.controller.jump(2)
    before, worth = first.moves, [row[3] for row in first.listed]
    snapshot = first.controller.shown_snapshot
    first.close()
    second = open_desk(None, None, None)
    assert second.moves == before
    assert second.controller.game.cursor == 2
    assert second.controller.game.players == (HUMAN, mcts(200))
    assert len(second.controller.game.node.children) == 2
    second.wait(lambda: second.controller.shown_snapshot is not None)
    again = second.controller.shown_snapshot
    assert again is not None
    assert snapshot is not None
    assert again.trace is not None
    assert snapshot.trace is not None
    assert (again.trace.visits == snapshot.trace.visits).all()
    second.wait(lambda: [row[3] for row in second.listed] == worth)


def test_a_paused_computer_waits_after_the_next_start_and_one_that_thought_thinks(open_desk: OpenDesk) -> None:
    first = open_desk("mnk:5,5,4", ENDLESS, HUMAN)
    first.wait_for(State.THINKING)
    first.close()
    second = open_desk(None, None, None)
    second.wait_for(State.THINKING)
    second.controller.pause()
    second.close()
    third = open_desk(None, None, None)
    assert third.state is State.PAUSED
    assert third.controller.game.game.text == "mnk:5,5,4"


def test_a_game_asked_for_goes_before_the_last_one_which_stays_in_the_library(open_desk: OpenDesk) -> None:
    first = open_desk("nim:3,4,5")
    first.click("1-1")
    first.close()
    second = open_desk("mnk:3,3,3")
    second.click("b2")
    second.close()
    with Library.open(paths.library_file()) as library:
        assert [entry.head.last for entry in library.entries()] == ["mnk:3,3,3 b2", "nim:3,4,5 1-1"]


def test_two_windows_at_once_keep_their_own_games(open_desk: OpenDesk) -> None:
    one, other = open_desk("nim:3,4,5"), open_desk("mnk:3,3,3")
    one.controller.human_move(one.board.position.parse_move("1-1"))
    other.controller.human_move(other.board.position.parse_move("b2"))
    one.close()
    other.close()
    again, beside = open_desk(None, None, None), open_desk(None, None, None)
    assert again.controller.position.text == "nim:3,4,5 1-1"
    assert beside.controller.position.text == "mnk:3,3,3 b2"


@pytest.mark.parametrize("content", [b"nonsense" * 1000, b""])
def test_a_broken_library_costs_no_start_and_is_set_aside(open_desk: OpenDesk, content: bytes) -> None:
    path = paths.library_file()
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    first = open_desk("nim:3,4,5")
    # The sentence stays until the next one, which may follow at once.
    said = [first.notice]
    first.controller.state_changed.connect(lambda: said.append(first.notice))
    first.click("1-1")
    first.wait(lambda: kept(first))
    assert any("set aside" in each or "the file is now called" in each for each in said) == bool(content)
    first.close()
    assert path.with_name("games.broken-1.db").exists() == bool(content)
    second = open_desk(None, None, None)
    assert second.controller.position.text == "nim:3,4,5 1-1"


def test_a_library_that_cannot_be_written_is_one_sentence_and_the_game_goes_on(
    open_desk: OpenDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "_AGAIN_MS", 300)
    folder = paths.library_file().parent
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.write_text("a file where the folder should be")
    desk = open_desk("nim:3,4,5")
    desk.wait(lambda: "is kept again as soon as that works" in desk.notice)
    desk.click("1-1", "2-1")
    assert desk.moves == ["1-1", "2-1"]
    assert "cannot be kept" in desk.window.status.currentMessage()
    folder.unlink()
    desk.wait(lambda: desk.notice == "The game is kept again.")
    assert kept(desk)
    with Library.open(paths.library_file()) as library:
        assert [entry.head.last for entry in library.entries()] == ["nim:3,4,5 1-1 2-1"]


@pytest.mark.skipif(sys.platform != "linux", reason="such names are there alone")
def test_a_game_in_a_file_whose_name_is_no_unicode_is_kept_with_it(
    open_desk: OpenDesk, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "f\udcfe").mkdir()
    file, store = tmp_path / "f\udcfe" / "b\udcff.nimdesk", SettingsStore(tmp_path / "settings.json")
    save_game(GameInProgress(parse_position("nim:3,4,5"), (HUMAN, HUMAN)), file)
    first = open_desk("nim:1,2", store=store, tour_seen=True)
    first.session.files.open(file)
    first.click("1-1")
    first.wait(lambda: kept(first))
    assert first.window.windowTitle().startswith("b\ufffd.nimdesk[*]")
    first.session.games.start(parse_position("mnk:3,3,3"))
    first.click("b2", "a1")
    first.wait(lambda: kept(first))
    first.close()
    second = open_desk(None, None, None, store=store)
    assert second.controller.position.text == "mnk:3,3,3 b2 a1"
    second.window.actions_by_name["game_before"].trigger()
    recent = second.session.preferences.now.recent_games
    assert recent == [f"file://{tmp_path}/f%FE/b%FF.nimdesk"]
    menu = QMenu()
    second.session.files.fill_recent(menu)
    (action,) = menu.actions()[0].menu().actions()
    assert action.text() == "&1 b\ufffd.nimdesk"
    action.trigger()
    assert second.controller.position.text == "nim:3,4,5"
    second.click("3-1")
    second.press((K.Key_S, CTRL))
    assert load_game(file).last_position.text == "nim:3,4,5 3-1"
    assert [each.name for each in file.parent.iterdir()] == [file.name]
    with Library.open(paths.library_file()) as library:
        assert {entry.head.file for entry in library.entries()} == {recent[0], ""}
    assert "Traceback" not in capfd.readouterr().err


def test_no_game_waits_for_one_that_cannot_be_kept(
    open_desk: OpenDesk, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    desk, said = open_desk("nim:3,4,5"), []
    desk.session.keeper.told.connect(said.append)
    desk.click("1-1")
    desk.session.keeper.mark_saved("a name that is no Unicode: \udcff")
    desk.click("2-1")
    desk.wait(lambda: desk.session.keeper.failing)
    assert "a text in it is no Unicode. The game goes on" in desk.notice
    desk.session.games.start(parse_position("mnk:3,3,3"))
    desk.click("b2", "a1")
    desk.wait(lambda: kept(desk))
    assert desk.session.keeper.failing
    assert "a text in it is no Unicode" in desk.session.keeper.unkept
    assert len(said) == 1, "the one that cannot be kept is told of once"
    desk.session.games.start(parse_position("mnk:4,4,4"))
    desk.controller.human_move(desk.board.position.parse_move("b2"))
    monkeypatch.setattr(QMessageBox, "exec", lambda _: QMessageBox.StandardButton.Yes)
    desk.close()
    with Library.open(paths.library_file()) as library:
        assert {entry.head.last for entry in library.entries()} >= {"mnk:3,3,3 b2 a1", "mnk:4,4,4 b2"}
    err = capfd.readouterr().err
    assert "Traceback" not in err
    assert err.count("a text in it is no Unicode") == 1, "said in the terminal when the program ends"


@pytest.fixture
def unkept(open_desk: OpenDesk) -> Desk:
    """A window with a move that cannot be kept."""
    folder = paths.library_file().parent
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.write_text("a file where the folder should be")
    desk = open_desk("nim:3,4,5")
    desk.click("1-1")
    desk.wait(lambda: desk.session.keeper.failing)
    return desk


def test_who_leaves_while_moves_cannot_be_kept_is_asked(
    unkept: Desk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[str] = []

    def refuse(box: QMessageBox) -> QMessageBox.StandardButton:
        asked.append(box.text())
        return QMessageBox.StandardButton.No

    monkeypatch.setattr(QMessageBox, "exec", refuse)
    unkept.press((K.Key_Q, CTRL))
    assert unkept.window.isVisible()
    (question,) = asked
    assert question.startswith(f"Games cannot be kept in “{paths.library_file()}”: ")
    assert "What was played since is lost if nimdesk ends now" in question

    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "other.nimdesk"), ""))
    unkept.press((K.Key_S, CTRL))
    unkept.wait(lambda: not unkept.session.keeper.unkept)
    assert load_game(tmp_path / "other.nimdesk").position.text == "nim:3,4,5 1-1"
    unkept.press((K.Key_Q, CTRL))
    assert not unkept.window.isVisible()
    assert asked == [question]


def test_who_wants_to_lose_the_moves_leaves(unkept: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QMessageBox, "exec", lambda _: QMessageBox.StandardButton.Yes)
    unkept.window.close()
    assert not unkept.window.isVisible()


def test_the_system_is_not_asked_whether_moves_may_be_lost(unkept: Desk, warnings: list[str]) -> None:
    unkept.session.leave()
    assert not unkept.window.isVisible()
    assert warnings == []


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL there")
def test_a_killed_program_goes_on_where_it_was(open_desk: OpenDesk, tmp_path: Path) -> None:
    program = """
import os, signal, sys
from PySide6.QtWidgets import QApplication
from nimdesk.games import Side, parse_position
from nimdesk.play import Human
from nimdesk.settings import SettingsStore
from nimdesk.ui.look.actions import EXPERIMENTS, PLAY
from nimdesk.ui.shell.session import Session
app = QApplication(["nimdesk", "-style", "Fusion"])
session = Session(app, SettingsStore(), parse_position("mnk:3,3,3"), (Human(), Human()))
def play():
    for text in ("a1", "b2", "c3"):
        session.controller.human_move(session.controller.position.parse_move(text))
    session.controller.undo()
    session.keeper.caught_up.connect(lambda: os.kill(os.getpid(), signal.SIGKILL))
session.completed.connect(play)
session.show()
app.exec()
"""
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    ended = subprocess.run([sys.executable, "-c", program], env=environment, timeout=120, check=False)
    assert ended.returncode == -signal.SIGKILL
    desk = open_desk(None, None, None)
    assert (desk.moves, desk.controller.game.cursor) == (["a1", "b2", "c3"], 2)


def test_a_search_that_was_held_is_shown_again_with_the_clock_and_begun_anew(open_desk: OpenDesk) -> None:
    first = open_desk("mnk:5,5,4", mcts(None, time_s=60.0), HUMAN)
    first.wait_for_snapshot()
    first.controller.pause()
    first.wait(lambda: first.controller.thinking.resting is not None and kept(first))
    held = first.controller.shown_snapshot
    assert held is not None
    first.controller.game.clock.set(first.controller.game.node, 83.0)
    first.close()
    second = open_desk(None, None, None)
    second.wait(lambda: second.controller.shown_snapshot is not None)
    again = second.controller.shown_snapshot
    assert again is not None
    assert again.trace is not None
    assert held.trace is not None
    assert (again.trace.visits == held.trace.visits).all()
    assert second.state is State.PAUSED
    assert second.window.column.card(Side.FIRST).words.state.startswith(f"Paused · {held.iterations:,} simulations")
    assert second.notice == "Paused. Continue lets the computer go on."
    assert second.controller.game.clock.used_s(second.controller.game.node) == 83.0
    second.button("continue")
    second.wait_for_snapshot()
    assert second.controller.game.clock.used_s(second.controller.game.node) > 83.0
    second.controller.pause()
    second.close()


def test_a_hint_and_the_clock_of_a_person_come_back(open_desk: OpenDesk) -> None:
    first = open_desk("nim:3,4,5", suggest=mcts(300).to_json())
    first.button("suggest")
    first.wait(lambda: first.controller.suggestion is not None)
    proposed, said = first.controller.suggestion, first.notice
    first.controller.game.clock.set(first.controller.game.node, 125.0)
    first.close()
    second = open_desk(None, None, None)
    second.wait(lambda: second.controller.suggestion is not None)
    assert (second.controller.suggestion, second.notice) == (proposed, said)
    card = second.window.column.card(Side.FIRST)
    second.wait(lambda: card.words.state >= "To move · 2:05")  # it goes on while nobody looks
    second.click("1-1")
    assert second.controller.game.plies[0].snapshot is not None, "the hint is kept with the move"
    assert second.window.column.card(Side.SECOND).words.state == "To move"


def test_a_game_lost_by_a_player_that_failed_stays_lost(open_desk: OpenDesk) -> None:
    first = open_desk("mnk:3,3,3", HUMAN, mcts(None, time_s=60.0))
    first.click("b2")
    first.wait_for_snapshot()
    first.service.agent_failed.emit("MCTS ended without an answer.")
    assert first.state is State.OVER
    assert first.controller.shown_snapshot is None, "a search that failed is not shown as if it went on"
    first.close()
    second = open_desk(None, None, None)
    assert second.state is State.OVER
    assert second.notice == "MCTS ended without an answer."
    assert [second.window.column.card(side).words.state for side in Side] == ["Won", "Lost"]
    with Library.open(paths.library_file()) as library:
        assert [entry.head.result for entry in library.entries()] == ["first"]


def test_the_clock_stands_while_nobody_plays_the_turn(open_desk: OpenDesk) -> None:
    desk = open_desk("nim:3,4,5", HUMAN, mcts(None, time_s=60.0))
    clock, game = desk.controller.game.clock, desk.controller.game
    assert clock.runs
    desk.click("1-1")
    desk.wait_for_snapshot()
    clock.set(game.node, 30.0)
    desk.controller.pause()
    assert not clock.runs
    used_s = clock.used_s(game.node)
    desk.controller.jump(0)
    assert not clock.runs
    desk.controller.jump(1)
    assert clock.used_s(game.node) == used_s
    desk.controller.resume()
    desk.wait(lambda: clock.runs)


def test_the_clock_of_a_person_stands_while_another_page_is_shown_and_a_computer_thinks_on(open_desk: OpenDesk) -> None:
    desk = open_desk("nim:3,4,5", HUMAN, mcts(None, time_s=60.0))
    clock, modes = desk.controller.game.clock, desk.window.modes
    modes.show_mode(EXPERIMENTS)
    assert not clock.runs
    modes.show_mode(PLAY)
    assert clock.runs
    desk.click("1-1")
    desk.wait_for_snapshot()
    modes.show_mode(EXPERIMENTS)
    assert clock.runs


def test_leaving_a_game_for_another_brings_it_back_in_one_step(open_desk: OpenDesk) -> None:
    desk = open_desk("nim:3,4,5")
    desk.click("1-1", "2-1")
    for leave in (
        lambda: desk.press((K.Key_R, CTRL)),
        lambda: desk.session.games.start(parse_position("mnk:3,3,3")),
    ):
        leave()
        assert desk.controller.game.cursor == 0
        desk.window.actions_by_name["game_before"].trigger()
        assert desk.moves == ["1-1", "2-1"]


def test_a_computer_plays_no_move_before_the_last_one_is_on_the_disk(
    open_desk: OpenDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, on_disk = Library.write, []

    def noted(library: Library, change: Change, window: int = 0) -> None:
        write(library, change, window)
        on_disk.append(change.head.length)

    monkeypatch.setattr(Library, "write", noted)
    desk = open_desk("nim:9,9", HUMAN, RANDOM)
    lengths: list[tuple[int, int]] = []
    desk.controller.position_changed.connect(
        lambda: lengths.append((len(desk.controller.game.plies), max(on_disk, default=0)))
    )
    desk.controller.set_player(Side.FIRST, RANDOM)
    desk.wait_for(State.OVER)
    assert lengths
    assert all(kept >= played - 1 for played, kept in lengths)


def test_the_laboratory_and_back_keeps_the_searches_of_the_game(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:3,3,3", HUMAN, mcts(100))
    desk.click("b2")
    desk.wait_for(State.HUMAN)
    listed, game = desk.listed, desk.controller.game
    desk.analyse()
    desk.window.actions_by_name["lab_play_from"].trigger()
    assert desk.window.modes.mode == "play"
    assert desk.controller.game is game
    assert desk.listed == listed


# Variations in the list of moves


def test_a_variation_stands_in_brackets_below_its_move_and_a_click_goes_there(desk: Desk) -> None:
    controller, texts = desk.controller, lambda: [row[2].strip() for row in desk.listed]
    desk.click("1-1", "2-1", "3-1")
    controller.jump(1)
    desk.click("2-2", "3-2")
    assert texts() == ["1-1", "2-1", "(2-2", "3-2)", "3-1"]
    controller.look_at(controller.game.root.onward[-1])
    assert texts() == ["1-1", "2-1", "(2 2-2  3 3-2)", "3-1"]
    desk.click_move(3)
    assert (desk.moves, controller.game.cursor) == (["1-1", "2-2", "3-2"], 2)
    actions = desk.window.actions_by_name
    actions["promote"].trigger()
    assert texts() == ["1-1", "2-2", "(2 2-1  3 3-1)", "3-2"]
    actions["prune"].trigger()
    assert texts() == ["1-1", "2-1", "3-1"]
    assert controller.game.cursor == 1
    actions["restore"].trigger()
    assert texts() == ["1-1", "2-2", "(2 2-1  3 3-1)", "3-2"]
    assert desk.enabled("promote", "restore") == [False, False]


def test_a_move_after_taking_back_is_the_game_and_what_was_taken_back_a_variation(desk: Desk) -> None:
    desk.click("1-1", "2-1")
    desk.button("undo")
    desk.click("2-2")
    assert [row[2].strip() for row in desk.listed] == ["1-1", "2-2", "(2 2-1)"]
    assert desk.controller.game.node.on_main_line


def test_the_next_move_goes_on_where_a_move_was_played_again(desk: Desk) -> None:
    desk.click("1-1", "2-1", "3-1")
    desk.controller.jump(1)
    desk.click("2-1")
    assert desk.moves == ["1-1", "2-1"]
    desk.window.actions_by_name["next"].trigger()
    assert (desk.moves, desk.controller.game.cursor) == (["1-1", "2-1", "3-1"], 3)
