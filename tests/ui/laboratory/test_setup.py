"""Positions set up by hand: what a game can reach is found, and what it cannot is said in a sentence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytestqt.qtbot import QtBot

from nimdesk.errors import GameParameterError
from nimdesk.games import MnkGame, MnkMove, MnkPosition, Side, parse_position
from nimdesk.ui.boards.mnk.setup import marks_of, mnk_position
from nimdesk.ui.boards.nim.setup import CountedPiles

X, O = Side.FIRST, Side.SECOND  # noqa: E741
TICTACTOE = MnkGame(3, 3, 3)


def cell(text: str) -> MnkMove:
    return MnkMove("abcdefghij".index(text[0]), int(text[1:]) - 1)


@st.composite
def reachable(draw: st.DrawFn) -> MnkPosition:
    games = [
        TICTACTOE,
        MnkGame(4, 4, 4),
        MnkGame(5, 4, 3),
        MnkGame(4, 4, 3, gravity=True),
        MnkGame(7, 6, 4, gravity=True),
        MnkGame(5, 5, 2, exact=True),
        MnkGame(6, 4, 3, exact=True),
        MnkGame(6, 4, 3, gravity=True, exact=True),
    ]
    position = draw(st.sampled_from(games)).start()
    for _ in range(draw(st.integers(0, 30))):
        if position.outcome is not None:
            break
        # Long lines come about only where those that win are put off.
        quiet = [move for move in position.legal_moves if move not in position.winning_moves]
        position = position.play(draw(st.sampled_from(quiet or position.legal_moves)))
    return position


@given(reachable())
def test_every_position_of_a_game_can_be_set_up_from_its_marks(position: MnkPosition) -> None:
    made = mnk_position(position.game, marks_of(position))
    assert made == position
    assert made.turn == position.turn
    assert made.outcome == position.outcome
    assert parse_position(made.text) == position


@pytest.mark.parametrize(
    ("game", "x", "o", "words"),
    [
        (TICTACTOE, "a1 b1 c2", "", "3 X and 0 O"),
        (TICTACTOE, "a1", "b1 c1", "1 X and 2 O"),
        (TICTACTOE, "a1 b1 c1", "a2 b2 c2", "X has 3 in a row already"),
        (TICTACTOE, "a1 b2 b3 c1", "a3 b1 c3", None),
        (MnkGame(7, 2, 3), "a1 b1 c1 e1 f1 g1", "a2 b2 d2 e2 g2", "more lines than one move"),
        (MnkGame(3, 3, 3, gravity=True), "a2", "", "a2 hangs in the air"),
        (MnkGame(3, 3, 3, gravity=True), "a2 b1", "a1 b2", None),
        (MnkGame(1, 4, 4, gravity=True), "a1 a2", "a3 a4", "No order of moves"),
        (MnkGame(6, 3, 3, exact=True), "a1 b1 c1 d1", "a3 c3 e3", None),
        (MnkGame(6, 3, 3, exact=True), "a1 b1 c1", "a3 c3 e3", "X has exactly 3 in a row already"),
        (MnkGame(3, 3, 2, exact=True), "a1 b1 c1", "a3 c3", None),
    ],
)
def test_what_cannot_be_is_said(game: MnkGame, x: str, o: str, words: str | None) -> None:
    board = {cell(text): X for text in x.split()} | {cell(text): O for text in o.split()}
    if words is None:
        assert marks_of(mnk_position(game, board)) == board
        return
    with pytest.raises(GameParameterError, match=words):
        mnk_position(game, board)


def test_a_line_of_five_is_completed_last_in_its_middle() -> None:
    board = {cell(text): X for text in ("a1", "b1", "c1", "d1", "e1")} | {cell(t): O for t in ("a2", "b2", "d2", "e2")}
    made = mnk_position(MnkGame(5, 2, 3), board)
    assert made.moves[-1] == cell("c1")
    assert made.winner == X


def test_piles(qtbot: QtBot) -> None:
    form = CountedPiles()
    qtbot.addWidget(form)
    with pytest.raises(GameParameterError, match="no stick"):
        form.position()
    form.piles[0].setValue(3)
    form.piles[2].setValue(4)
    assert form.position().text == "nim:3,4"
    form.piles[0].setValue(0)
    form.piles[2].setValue(128)
    form.max_take.setValue(3)
    form.misere.setChecked(True)
    assert form.position().text == "nim:127:max3:misere"
