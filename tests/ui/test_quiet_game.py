"""A quiet game: the board, the players and nothing that tells who is winning, until it is over or someone asks."""

from __future__ import annotations

from pathlib import Path

from desk import CTRL, HUMAN, Desk, K, OpenDesk, mcts, stored
from PySide6.QtWidgets import QDialog

from nimdesk.agents import make_agent
from nimdesk.play.moment import State
from nimdesk.settings import SettingsStore
from nimdesk.ui.play.new_game import NewGameSheet

LESSON = make_agent("level1", {"seed": 1})


def telling(desk: Desk) -> list[bool]:
    """Whether evaluation, plot, lists and the line of the truth are seen, and figures of a search below."""
    window = desk.window
    parts = (window.column.evaluation, window.plots, window.page.tabs, window.column.truth_line)
    return [*(each.isVisible() for each in parts), any(figure.text() for figure in window.status._labels.values())]


def test_a_key_hides_all_that_tells_of_the_search_and_brings_it_back(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:7,6,4:gravity", HUMAN, mcts(300), show_truth=True)
    desk.click("d1")
    desk.wait_for(State.HUMAN)
    desk.wait(lambda: telling(desk) == [True] * 5)
    narrow = desk.board.frame.width()
    desk.press((K.Key_H, CTRL))
    desk.wait(lambda: telling(desk) == [False] * 5)
    assert not desk.board.shown.overlay
    assert not desk.board.shown.proven
    desk.wait(lambda: desk.board.frame.width() > narrow)
    desk.button("quiet")
    desk.wait(lambda: telling(desk) == [True] * 5)


def test_a_first_lesson_is_quiet_until_it_is_over_and_keeps_its_searches(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:3,3,3", HUMAN, LESSON)
    assert desk.window.actions_by_name["quiet"].isChecked()
    while desk.controller.game.result is None:
        assert not any(telling(desk))
        desk.click(desk.controller.position.legal_moves[0].text)
        desk.wait(lambda: desk.state in (State.HUMAN, State.OVER))
    desk.wait(lambda: all(telling(desk)[:3]))
    assert any(ply.snapshot is not None for ply in desk.controller.game.plies)
    desk.press((K.Key_R, CTRL))
    assert not any(telling(desk)), "the rematch is as quiet"


def test_a_hint_in_a_quiet_game_marks_its_move_and_says_no_more(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:3,3,3", HUMAN, LESSON, suggest=mcts(200).to_json())
    desk.press(K.Key_F2)
    desk.wait(lambda: desk.controller.suggestion is not None)
    move = desk.controller.suggestion
    assert move is not None
    assert desk.board.shown.suggestion == move
    assert desk.window.column.said == f"Hint: {move.words}."
    assert not any(telling(desk))


def test_who_chooses_the_first_lesson_before_a_game_plays_it_quietly(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:3,3,3", HUMAN, mcts(50))
    desk.controller.set_player(1, LESSON)  # type: ignore[arg-type]
    assert desk.window.display.shown.quiet
    desk.controller.set_player(1, mcts(50))  # type: ignore[arg-type]
    assert not desk.window.display.shown.quiet


def test_a_review_that_is_asked_for_ends_the_quiet(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:3,3,3", HUMAN, mcts(50))
    desk.wait(lambda: desk.session.review is not None)
    desk.press((K.Key_H, CTRL))
    desk.click("b2")
    desk.wait_for(State.HUMAN)
    desk.press(K.Key_F7)
    review = desk.session.review
    assert review is not None
    desk.wait(review.isVisible)


def test_the_sheet_for_a_new_game_offers_a_quiet_one(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:3,3,3", HUMAN, mcts(50))

    def choose(sheet: QDialog) -> None:
        assert isinstance(sheet, NewGameSheet)
        assert not sheet.quiet.isChecked()
        sheet.quiet.click()
        sheet.start.click()

    desk.in_dialog(lambda: desk.press((K.Key_N, CTRL)), choose)
    desk.wait(lambda: desk.window.display.shown.quiet)


def test_a_quiet_game_is_quiet_after_the_next_start(open_desk: OpenDesk, tmp_path: Path) -> None:
    path = tmp_path / "kept.json"
    first = open_desk("mnk:3,3,3", HUMAN, mcts(50), store=stored(path))
    first.press((K.Key_H, CTRL))
    first.click("b2")
    first.wait_for(State.HUMAN)
    first.close()
    again = open_desk(None, None, None, store=SettingsStore(path))
    assert len(again.moves) == 2
    assert not any(telling(again))
