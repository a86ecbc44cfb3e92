"""The truth switch: what is proven, beside the game, and what it says of a person's moves."""

from __future__ import annotations

from desk import CTRL, ENDLESS, HUMAN, Desk, K, OpenDesk, mcts, truth_label, truth_line
from PySide6.QtCore import Qt

from nimdesk.agents import make_agent
from nimdesk.games import parse_position
from nimdesk.games.truth import Value
from nimdesk.play.moment import State
from nimdesk.ui.jobs.truth import NodeTruths, TruthFollower


def test_the_switch_shows_who_can_win_and_how(desk: Desk) -> None:
    assert truth_line(desk) == ""
    desk.button("truth")
    desk.wait(lambda: truth_line(desk) == "Truth: First can win in 11 plies, with 1-2.")
    truth = desk.session.truth.truth
    assert truth is not None
    assert [move.text for move in truth.best_moves] == ["1-2"]
    assert "nim-sum" in truth_label(desk).toolTip()
    desk.button("truth")
    assert truth_line(desk) == ""
    assert desk.session.truth.truth is None


def test_the_truth_follows_the_position_and_ends_with_the_game(open_desk: OpenDesk) -> None:
    desk = open_desk("nim:1,2", show_truth=True)
    desk.wait(lambda: truth_line(desk) == "Truth: First can win in 3 plies, with 2-1.")
    desk.click("2-1")
    desk.wait(lambda: truth_line(desk) == "Truth: First can win in 2 plies, whatever Second plays.")
    desk.click("1-1", "2-1")
    assert desk.state is State.OVER
    desk.wait(lambda: truth_line(desk) == "")
    desk.press((K.Key_Home, CTRL))
    desk.wait(lambda: truth_line(desk) == "Truth: First can win in 3 plies, with 2-1.")


def test_a_solver_works_for_m_n_k_games_in_the_background(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:3,3,3 a1", show_truth=True)
    desk.wait(lambda: desk.session.truth.truth is not None and desk.session.truth.truth.complete)
    truth = desk.session.truth.truth
    assert truth is not None
    assert truth.value is Value.DRAW
    assert [move.text for move in truth.best_moves] == ["b2"], "only the centre holds the draw against a corner"
    assert truth_line(desk) == "Truth: A draw if both play well; O holds it with b2."


def test_a_position_that_cannot_be_proven_in_time_is_not_said_to_be_proven_for_ever(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:15,15,5")
    truth = TruthFollower(desk.controller, 0.05)
    try:
        truth.set_shown(True)
        desk.wait(lambda: not truth.proving)
        cannot = "Truth: this position cannot be proven in the time there is."
        assert truth.sentence == cannot
        desk.click("h8")
        assert truth.sentence == cannot, "the next one neither, which nobody has to wait for"
    finally:
        truth.end()


def test_feedback_says_if_a_move_kept_the_value(open_desk: OpenDesk) -> None:
    desk = open_desk("nim:3,4,5", feedback=True)
    desk.wait(lambda: not desk.session.truth.proving)
    assert truth_line(desk) == "", "feedback alone does not tell the truth beforehand"
    desk.click("2-1")
    desk.wait(lambda: truth_line(desk) == "2-1 turned a win into a loss; 1-2 kept it.")
    desk.press((K.Key_Z, CTRL))
    assert truth_line(desk) == ""
    desk.click("1-2")
    desk.wait(lambda: truth_line(desk) == "1-2 keeps the win.")


def test_the_verdict_stays_while_the_computer_answers(open_desk: OpenDesk) -> None:
    desk = open_desk("nim:3,4,5", HUMAN, mcts(), feedback=True, show_truth=True)
    desk.wait(lambda: not desk.session.truth.proving)
    desk.click("1-2")
    desk.wait(lambda: len(desk.moves) == 2 and desk.session.truth.truth is not None)
    assert truth_line(desk).startswith("1-2 keeps the win. Truth: First can win")


def test_each_move_played_is_marked_with_what_it_did_to_the_value(open_desk: OpenDesk) -> None:
    desk = open_desk("nim:3,4,5")
    desk.click("1-2", "3-1", "2-4")
    assert [row[4] for row in desk.listed] == ["", "", ""], "nothing is told before it is asked for"
    desk.button("truth")
    # Moves made before are judged, too: 1-2 is the one winning move, any answer loses, and 2-4 gives it away.
    desk.wait(lambda: [row[-1] for row in desk.listed] == ["✓", "–", "✓ → ✗"])
    model = desk.window.moves.model
    told = [str(model.data(model.index_of(each), Qt.ItemDataRole.AccessibleTextRole)) for each in model.places]
    assert told[0].endswith("1-2 keeps the win")
    assert told[1].endswith("3-1 loses, as every move here did"), "which is why it has no cross"
    assert "2-4 turned a win into a loss" in told[2]
    desk.press((K.Key_Z, CTRL))
    assert [row[-1] for row in desk.listed] == ["✓", "–", "✓ → ✗"], "a move taken back was what it was"
    desk.button("truth")
    assert [row[4] for row in desk.listed] == ["", "", ""]


def test_nothing_waits_for_a_proof_that_is_out_of_reach(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:19,19,5", HUMAN, ENDLESS, show_truth=True)
    desk.wait(lambda: truth_line(desk) == "Truth: working it out…")
    desk.click("j10")
    assert desk.state is State.THINKING
    desk.button("pause")
    assert desk.state is State.PAUSED


def test_the_listing_of_minimax_can_be_read(open_desk: OpenDesk) -> None:
    desk = open_desk("nim:5:max3:misere", make_agent("minimax"), HUMAN)
    desk.wait(lambda: len(desk.moves) == 1)
    snapshot = desk.controller.shown_snapshot
    assert snapshot is not None
    assert any("level" in line.lower() for line in snapshot.listing)


def test_what_is_wanted_again_and_by_several_lines_is_proven_once(desk: Desk) -> None:
    one, two = parse_position("nim:3,4,5 1-1"), parse_position("nim:3,4,5 1-1 2-1")
    truths, told = NodeTruths(2.0), list[int]()
    truths.changed.connect(lambda: told.append(len(truths.known)))
    try:
        for _ in range(2):
            truths.want([one, two, parse_position("nim:3,4,5 2-1 1-1")])
        desk.wait(lambda: not truths.busy)
        assert told == [1, 2]
    finally:
        truths.shutdown()
