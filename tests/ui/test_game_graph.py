"""The graph of the game, and what is said of where it was decided."""

from __future__ import annotations

from desk import HUMAN, LEFT, RANDOM, Desk, K, OpenDesk, mcts
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from nimdesk.games import parse_position
from nimdesk.play import GameInProgress
from nimdesk.play.moment import State
from nimdesk.ui.play.graph import GameGraph

LOST = "mnk:3,3,3 a1 b2 c1 b1 a3 b3"
"""X answers in the wrong corner with its third move, and loses."""


def graph_of(desk: Desk) -> GameGraph:
    return desk.window.game_tab.graph


def press(desk: Desk, cursor: int) -> None:
    graph = graph_of(desk)
    QTest.mouseClick(graph, LEFT, pos=graph.point(cursor).toPoint())


def wheel(desk: Desk, steps: int) -> None:
    graph = graph_of(desk)
    middle = graph.rect().center()
    turned = QWheelEvent(
        middle, graph.mapToGlobal(middle), QPoint(), QPoint(0, 120 * steps), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(graph, turned)


def test_a_press_on_the_graph_leads_to_that_position(open_desk: OpenDesk) -> None:
    desk = open_desk(LOST)
    for cursor in (2, 0, 5):
        press(desk, cursor)
        assert desk.controller.game.cursor == cursor


def test_wheel_and_arrow_keys_step_through_the_moves(open_desk: OpenDesk) -> None:
    desk = open_desk(LOST)
    graph_of(desk).setFocus()
    desk.press(K.Key_Left, K.Key_Left, K.Key_Right)
    assert desk.controller.game.cursor == 5
    desk.press(K.Key_Home)
    assert desk.controller.game.cursor == 0
    wheel(desk, -1)
    wheel(desk, -1)
    assert desk.controller.game.cursor == 2
    wheel(desk, 1)
    assert desk.controller.game.cursor == 1
    desk.press(K.Key_End)
    assert desk.controller.game.cursor == 6


def test_searches_give_estimates_for_the_person(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:3,3,3", mcts(400), HUMAN)
    desk.wait_for(State.HUMAN)
    snapshot = desk.controller.game.plies[0].snapshot
    assert snapshot is not None
    best = next(stats for stats in snapshot.moves if stats.move == snapshot.best_move)
    assert best.mean_value is not None
    score, exact = graph_of(desk).curve.score(1)
    assert score is not None
    assert abs(score - (1 - best.mean_value)) < 0.02, "the person plays O: what is good for X is bad"
    assert not exact
    assert "estimated" in graph_of(desk).accessibleDescription()


def test_truth_marks_what_is_proven(open_desk: OpenDesk) -> None:
    desk = open_desk("nim:1,2,3 1-1")
    desk.window.actions_by_name["truth"].trigger()
    desk.wait(lambda: graph_of(desk).curve.score(0)[1])
    assert graph_of(desk).curve.score(0) == (0.0, True)
    assert graph_of(desk).curve.score(1) == (0.0, True)


def test_the_end_says_where_it_was_decided_and_one_may_try_again(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:3,3,3 a1 b2 c1 b1 a3", HUMAN, mcts(300))
    desk.wait_for(State.OVER)
    desk.wait(lambda: "move 5" in desk.window.column.said)
    assert "It was even until move 5 (a3 instead of b3)." in desk.window.column.said
    assert graph_of(desk).curve.score(4) == (0.5, True)
    desk.button("try_again")
    assert desk.controller.game.cursor == 4
    assert desk.state is State.HUMAN
    assert desk.board.hasFocus()
    assert not desk.window.column.row.button("try_again").isVisible()


def test_a_win_says_what_the_other_side_did_wrong(open_desk: OpenDesk) -> None:
    desk = open_desk("nim:2,1 1-1 2-1 1-1", HUMAN, RANDOM)
    assert desk.state is State.OVER
    desk.wait(lambda: desk.controller.position.winner is not None)
    assert desk.enabled("try_again") == [False]


def test_rematch_and_swapped_sides(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:3,3,3", HUMAN, RANDOM)
    assert desk.window.column.below.words.name == "You"
    desk.click("b2")
    desk.wait_for(State.HUMAN)
    desk.button("restart")
    assert not desk.moves
    desk.button("swap")
    assert desk.controller.game.players == (RANDOM, HUMAN)
    desk.wait(lambda: len(desk.moves) == 1)
    assert desk.window.column.below.words.name == "You"
    assert "O" in desk.window.column.below.words.about


def test_the_game_of_two_people_names_the_sides(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:3,3,3")
    game = GameInProgress(parse_position("mnk:3,3,3"), (HUMAN, HUMAN))
    for move in parse_position(LOST).moves:
        game.play(move, by="Human")
    desk.controller.new_game(game)
    assert desk.window.column.card(0).words.name == "X"  # type: ignore[arg-type]
    desk.wait(lambda: "move 5" in desk.window.column.said)
    assert "by X" in desk.window.column.said
