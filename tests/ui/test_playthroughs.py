"""Whole games in the window, from the first move to the last: with the mouse alone, and with the keyboard alone."""

import re
from collections.abc import Callable

import pytest
from desk import CTRL, HUMAN, Desk, K, OpenDesk, mcts
from PySide6.QtWidgets import QDialog

from nimdesk.games import MnkMove, Move, NimMove
from nimdesk.games.base import describe_outcome
from nimdesk.play import Player
from nimdesk.play.moment import State

GAMES = ("nim:1,3,5,7", "nim:21:max3:misere", "mnk:3,3,3", "mnk:7,6,4:gravity")
OPPONENTS = [HUMAN, mcts(300, seed=11)]


def cursor(desk: Desk) -> Move | None:
    """Where the keyboard is on the board, as a screen reader would say it."""
    text = desk.board.accessibleDescription()
    if found := re.search(r"Cursor: take (\d+) from pile (\d+)", text):
        return NimMove(int(found[2]) - 1, int(found[1]))
    if found := re.search(r"Cursor: ([a-s])(\d+)", text):
        return MnkMove(ord(found[1]) - ord("a"), int(found[2]) - 1)
    return None


def step_towards(at: Move, wanted: Move, gravity: bool) -> K:
    if isinstance(at, NimMove) and isinstance(wanted, NimMove):
        if at.pile != wanted.pile:
            return K.Key_Down if at.pile < wanted.pile else K.Key_Up
        return K.Key_Left if at.take < wanted.take else K.Key_Right
    assert isinstance(at, MnkMove)
    assert isinstance(wanted, MnkMove)
    if at.column != wanted.column:
        return K.Key_Right if at.column < wanted.column else K.Key_Left
    assert not gravity
    return K.Key_Up if at.row < wanted.row else K.Key_Down


def play_by_keys(desk: Desk, wanted: Move) -> None:
    """Move the cursor there with the arrows, and press Enter."""
    gravity = "gravity" in desk.controller.game.game.text
    for _ in range(80):
        at = cursor(desk)
        assert at is not None
        if at == wanted:
            desk.press(K.Key_Return)
            return
        desk.press(step_towards(at, wanted, gravity))
    raise AssertionError(f"the arrows do not lead to {wanted.text}")


def play_by_mouse(desk: Desk, wanted: Move) -> None:
    desk.click(wanted.text)


def play_to_the_end(desk: Desk, play: Callable[[Desk, Move], None]) -> None:
    while True:
        desk.wait(lambda: desk.state in (State.HUMAN, State.OVER))
        if desk.state is State.OVER:
            return
        before = desk.controller.game.cursor
        moves = desk.controller.position.legal_moves
        play(desk, moves[(7 * before + 3) % len(moves)])
        assert desk.controller.game.cursor == before + 1


def check_the_end(desk: Desk, second: Player) -> None:
    """Who won and why, all the moves, and the last search are there to be seen."""
    game = desk.controller.game
    end = describe_outcome(game.last_position)
    assert desk.headline.partition(": ")[2] == end.partition(": ")[2], "why it is over"
    if second == HUMAN:
        assert re.fullmatch(r"(First|Second|X|O|Red|Yellow) wins: .+|Draw: the board is full", desk.headline)
    else:
        assert re.fullmatch(r"(You won|You lost\. .+ wins): .+|Draw: the board is full", desk.headline)
    assert desk.board.accessibleName().endswith(end)
    sides = [game.game.side_name(game.position_at(ply).turn) for ply in range(2)]
    assert [row[:3] for row in desk.listed] == [
        (str(number - (number - 1) % 2), sides[(number - 1) % 2], ply.move.text)
        for number, ply in enumerate(game.plies, 1)
    ]
    if second == HUMAN:
        assert desk.controller.shown_snapshot is None
        assert desk.panel.pane.empty.isVisible()
        return
    number = len(game.plies) - len(game.plies) % 2
    last = game.plies[number - 1]
    assert desk.controller.shown_snapshot is last.snapshot is not None
    side = game.game.side_name(game.position_at(number - 1).turn)
    title = f"How MCTS, textbook chose move {number}, {side}: {last.move.text}"
    assert desk.panel.title.text().startswith(f"{title} — ")
    leader = desk.panel.legend.model().move_of_row(0)
    assert leader == last.move, "the most visited move was played"


@pytest.mark.parametrize("second", OPPONENTS, ids=["two people", "against MCTS"])
@pytest.mark.parametrize("position", GAMES)
def test_a_game_with_the_mouse_alone(open_desk: OpenDesk, position: str, second: Player) -> None:
    desk = open_desk(position, HUMAN, second)
    play_to_the_end(desk, play_by_mouse)
    check_the_end(desk, second)


@pytest.mark.parametrize("second", OPPONENTS, ids=["two people", "against MCTS"])
@pytest.mark.parametrize("position", GAMES)
def test_a_game_with_the_keyboard_alone(open_desk: OpenDesk, position: str, second: Player) -> None:
    desk = open_desk(position, HUMAN, second)
    desk.press((K.Key_L, CTRL))
    assert cursor(desk) is not None, "Ctrl+L shows the cursor, also where the board has the keyboard already"
    play_to_the_end(desk, play_by_keys)
    check_the_end(desk, second)


def test_the_same_seeds_play_the_same_game(open_desk: OpenDesk) -> None:
    games = []
    for _ in range(2):
        desk = open_desk("nim:1,3,5", mcts(100, seed=1), mcts(100, seed=2))
        desk.wait_for(State.OVER)
        games.append(desk.moves)
    assert games[0] == games[1]
    assert len(games[0]) > 3


def test_a_game_begun_with_the_keyboard_from_the_new_game_dialog(open_desk: OpenDesk) -> None:
    desk = open_desk("nim:1,3,5,7")

    def choose(dialog: QDialog) -> None:
        # The tile of the game that is played has the keyboard; arrows go from tile to tile, and Enter starts.
        assert desk.window.focusWidget() is not dialog.focusWidget()
        desk.press(K.Key_Right, K.Key_Right, K.Key_Right)
        desk.press(K.Key_Return)

    desk.in_dialog(lambda: desk.press((K.Key_N, CTRL)), choose)
    assert desk.controller.game.game.text == "mnk:3,3,3"
    desk.wait(desk.board.hasFocus)
    desk.press((K.Key_L, CTRL))
    play_to_the_end(desk, play_by_keys)
    check_the_end(desk, HUMAN)
