"""What the window does and leaves alone while people and computers play: clicks in, words and states out."""

import threading
import time
from collections.abc import Callable

import pytest
from desk import AT_ONCE_S, ENDLESS, HUMAN, RANDOM, WAIT_MS, Desk, K, OpenDesk, mcts
from msgspec.structs import replace
from PySide6.QtCore import Qt

from nimdesk.agents import CATALOGUE, make_agent
from nimdesk.errors import AgentError, GameParameterError
from nimdesk.games import AnyPosition, Side, parse_position
from nimdesk.limit import Limit
from nimdesk.play import GameInProgress
from nimdesk.play.moment import State
from nimdesk.search import Snapshot, StopReason
from nimdesk.search.options import UctOptions
from nimdesk.search.uct import UctSearcher

PLAY_ACTIONS = ("undo", "redo", "suggest", "move_now", "stop", "pause", "continue", "step")


def idle(desk: Desk) -> bool:
    """Whether nothing is under way that could change the game."""
    return not desk.controller.thinking.busy


def enabled(desk: Desk) -> set[str]:
    return {name for name in PLAY_ACTIONS if desk.window.actions_by_name[name].isEnabled()}


def thinking(open_desk: OpenDesk, position: str = "mnk:15,15,5", **settings: object) -> Desk:
    """The computer searches for a minute, for the first move, and its curves are to be seen."""
    desk = open_desk(position, ENDLESS, HUMAN, **settings)
    desk.wait(lambda: desk.controller.shown_snapshot is not None)
    return desk


# Who moves


def test_two_people_take_turns_and_nothing_searches(desk: Desk) -> None:
    assert desk.headline == "First to move"
    assert desk.notice.startswith("Click a stick")
    desk.click("1-3")
    assert desk.headline == "Second to move"
    desk.click("2-4", "3-5")
    assert desk.headline == "First wins: took the last stick"
    assert desk.state is State.OVER
    assert [row[:3] for row in desk.listed] == [("1", "First", "1-3"), ("1", "Second", "2-4"), ("3", "First", "3-5")]
    assert idle(desk)
    assert desk.controller.shown_snapshot is None


def test_the_computer_answers_a_person_and_its_search_stays_with_the_move(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:3,3,3", HUMAN, mcts(400))
    assert desk.headline == "Your turn"
    desk.click("b2")
    assert desk.state is State.THINKING
    assert desk.headline == "MCTS, textbook is thinking…"
    desk.wait_for(State.HUMAN)
    ply = desk.controller.game.plies[1]
    assert ply.by == "MCTS, textbook"
    assert ply.snapshot is not None
    assert ply.snapshot.iterations == 400
    assert desk.controller.shown_snapshot is ply.snapshot
    said = f"How MCTS, textbook chose move 2, O: {ply.move.text} — 400 simulations"
    desk.wait(lambda: desk.panel.title.text() == said)


def test_moves_are_seen_to_be_made_and_not_those_that_are_looked_up(open_desk: OpenDesk) -> None:
    desk, animated = open_desk("mnk:3,3,3", HUMAN, mcts()), list[bool]()
    desk.controller.position_changed.connect(animated.append)
    desk.click("b2")
    desk.wait_for(State.HUMAN)
    assert animated == [True, True]
    desk.controller.jump(0)
    assert animated == [True, True, False]


def test_the_computer_begins_when_it_has_the_first_move(open_desk: OpenDesk) -> None:
    desk = open_desk("nim:3,4,5", mcts(), HUMAN)
    desk.wait_for(State.HUMAN)
    assert len(desk.moves) == 1
    assert desk.headline == "Your turn"
    assert desk.enabled("undo") == [False], "one ply back the computer would only move again"


def test_a_click_while_the_computer_thinks_plays_nothing(open_desk: OpenDesk) -> None:
    desk = thinking(open_desk)
    desk.click("h8")
    desk.board.setFocus(Qt.FocusReason.TabFocusReason)
    desk.press(K.Key_Return, K.Key_Return)
    desk.controller.suggest()
    assert desk.state is State.THINKING
    assert not desk.moves


def test_against_a_person_the_computer_answers_without_the_delay_for_watching(open_desk: OpenDesk) -> None:
    desk = open_desk("nim:3,4,5", HUMAN, mcts(), move_delay_ms=3_600_000)
    desk.click("1-3")
    desk.wait_for(State.HUMAN)
    assert len(desk.moves) == 2


def test_two_computers_pause_step_and_continue(open_desk: OpenDesk) -> None:
    desk = open_desk("nim:3,4,5", mcts(), mcts(seed=2), move_delay_ms=300)
    desk.wait(lambda: len(desk.moves) > 0)
    assert desk.state is State.THINKING
    desk.button("pause")
    played = len(desk.moves)
    assert desk.state is State.PAUSED
    assert desk.notice.startswith("Paused. Continue")
    assert idle(desk)
    assert len(desk.moves) == played
    for count in (played + 1, played + 2):
        desk.button("step")
        assert desk.state is State.THINKING
        desk.wait_for(State.PAUSED)
        assert len(desk.moves) == count
        assert idle(desk)
    desk.session.preferences.change(move_delay_ms=0)
    desk.button("continue")
    desk.wait_for(State.OVER)
    assert {ply.by for ply in desk.controller.game.plies} == {"MCTS, textbook"}


def test_one_step_for_a_person_changes_nothing(open_desk: OpenDesk) -> None:
    desk = open_desk("nim:3,4,5", HUMAN, mcts())
    desk.controller.step()
    assert not desk.controller.sitting.paused
    assert desk.state is State.HUMAN


def test_between_the_moves_of_two_computers_as_much_time_passes_as_is_set(open_desk: OpenDesk) -> None:
    begin = time.perf_counter()
    desk = open_desk("nim:1,1", RANDOM, RANDOM, move_delay_ms=50)
    desk.wait_for(State.OVER)
    assert 0.05 <= time.perf_counter() - begin < 10


def test_a_pause_between_two_computers_can_be_cut_short(open_desk: OpenDesk) -> None:
    desk = open_desk("nim:3,4,5", mcts(), HUMAN)
    desk.wait(lambda: len(desk.moves) == 1)
    desk.controller.move_delay_ms = 3_600_000
    desk.controller.set_player(Side.SECOND, mcts())
    desk.wait(lambda: not desk.service.searching)
    assert len(desk.moves) == 1
    desk.button("move_now")
    desk.wait(lambda: len(desk.moves) == 2)  # at once, or when the move before is on the disk


def test_pausing_between_two_moves_keeps_the_move_that_was_found(open_desk: OpenDesk) -> None:
    desk = open_desk("nim:3,4,5", mcts(), mcts(), move_delay_ms=5000)
    desk.wait(lambda: len(desk.moves) == 1 and not desk.service.searching)
    desk.button("pause")
    assert desk.state is State.PAUSED
    assert idle(desk)
    shown = desk.controller.shown_snapshot
    assert shown is not None
    assert shown.stopped is StopReason.ITERATIONS, "it was done, and only waited to be played"
    assert shown.position == desk.controller.position
    desk.session.preferences.change(move_delay_ms=0)
    desk.button("continue")
    desk.wait(lambda: len(desk.moves) >= 2)
    assert desk.controller.game.plies[1].elapsed_s == shown.elapsed_s, "nothing is searched again"


# Which actions there are, and when


def test_actions_are_enabled_exactly_when_they_would_do_something(open_desk: OpenDesk) -> None:
    desk = open_desk("nim:3,4,5", HUMAN, ENDLESS)
    assert enabled(desk) == {"suggest"}
    desk.click("1-3")
    assert enabled(desk) == {"undo", "move_now", "pause"}
    desk.button("pause")
    assert desk.state is State.PAUSED
    assert enabled(desk) == {"undo", "suggest", "continue", "step"}
    desk.button("undo")
    assert enabled(desk) == {"redo", "suggest"}
    desk.controller.suggester = ENDLESS
    desk.button("suggest")
    assert enabled(desk) == {"redo", "move_now", "stop"}
    desk.button("stop")
    assert enabled(desk) == {"redo", "suggest"}


# Pause, Stop, Move now


def test_pause_keeps_the_search_and_continue_goes_on_with_it(open_desk: OpenDesk) -> None:
    desk = thinking(open_desk, "mnk:5,5,4")
    desk.button("pause")
    assert desk.state is State.PAUSED
    assert desk.headline == "MCTS, textbook is to move"
    assert desk.notice == "Paused. Continue goes on with the same search."
    shown = desk.controller.shown_snapshot
    assert shown is not None
    assert shown.stopped is StopReason.STOPPED
    # Buttons and headline answer first; the last frame comes in the next turn.
    desk.wait(lambda: desk.panel.title.text().endswith("simulations, interrupted by you"))
    assert desk.panel.legend.model().rowCount() == 25
    assert not desk.moves
    colors = desk.window.colors.indices
    desk.button("continue")
    assert desk.state is State.THINKING
    assert desk.controller.shown_snapshot is not None, "the curves stay"
    desk.wait_for_snapshot()
    later = desk.controller.shown_snapshot
    assert later.seed == shown.seed
    assert later.iterations > shown.iterations
    assert {**desk.window.colors.indices, **colors} == desk.window.colors.indices, "curves keep their colours"
    assert later.trace is not None
    assert shown.trace is not None
    rows = len(shown.trace) - 1
    assert (later.trace.visits[:rows] == shown.trace.visits[:rows]).all()


def test_a_search_that_is_held_waits_for_whoever_looks_back_or_asks_for_a_suggestion(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:5,5,4", HUMAN, ENDLESS)
    desk.click("c3")
    desk.wait_for_snapshot()
    desk.button("pause")
    held = desk.controller.shown_snapshot
    assert held is not None
    desk.controller.suggester = mcts(200)
    desk.button("suggest")
    desk.wait(lambda: desk.controller.suggestion is not None)
    desk.window.actions_by_name["previous"].trigger()
    assert desk.controller.shown_snapshot is None
    desk.window.actions_by_name["next"].trigger()
    assert desk.controller.shown_snapshot is not None
    assert desk.controller.shown_snapshot.seed == held.seed
    desk.button("continue")
    assert desk.controller.shown_snapshot is not None, "the curves stay"
    desk.wait_for_snapshot()
    later = desk.controller.shown_snapshot
    assert (later.seed, later.iterations > held.iterations) == (held.seed, True)


def test_a_search_paused_at_once_is_not_said_to_go_on(open_desk: OpenDesk) -> None:
    desk = open_desk("nim:3,4,5", HUMAN, ENDLESS)
    desk.click("1-3")
    desk.button("pause")
    assert desk.state is State.PAUSED
    # Whether a first frame came before the pause is the worker's affair.
    desk.wait(lambda: "searching" not in desk.panel.title.text())


def test_move_now_plays_the_best_move_so_far(open_desk: OpenDesk) -> None:
    desk = thinking(open_desk)
    desk.button("move_now")
    desk.wait_for(State.HUMAN)
    ply = desk.controller.game.plies[0]
    assert ply.snapshot is not None
    assert ply.snapshot.stopped is StopReason.MOVE_NOW
    assert ply.move == ply.snapshot.best_move
    desk.wait(lambda: "told to move now" in desk.panel.title.text())


def test_escape_never_pauses_the_computer_and_f4_does(open_desk: OpenDesk) -> None:
    desk = thinking(open_desk)
    desk.board.setFocus()
    desk.press(K.Key_Escape)
    assert desk.state is State.THINKING
    desk.press(K.Key_F4)
    assert desk.state is State.PAUSED
    assert "Paused." in desk.window.column.said
    desk.controller.explain("Something is told.")
    assert desk.window.column.said.startswith("Something is told. Paused.")


# Undo, redo, jump


def test_undo_goes_back_to_ones_own_last_turn_and_redo_forward_again(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:3,3,3", HUMAN, mcts())
    desk.click("b2")
    desk.wait_for(State.HUMAN)
    played = desk.moves
    desk.button("undo")
    assert desk.controller.game.cursor == 0
    assert desk.state is State.HUMAN
    assert desk.moves == played, "what was undone can be played again"
    back = "Taken back. The game goes on with your next move; what followed here stays as a variation."
    assert (desk.notice, desk.window.column.said) == (back, back)
    desk.window.actions_by_name["next"].trigger()
    desk.window.actions_by_name["previous"].trigger()
    assert desk.notice == "You are looking at move 0 of 2. A move made here begins a variation."
    desk.button("redo")
    assert desk.controller.game.cursor == 2
    assert idle(desk)
    assert desk.moves == played


def test_undo_while_the_computer_thinks_gives_the_turn_back(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:3,3,3", HUMAN, ENDLESS)
    desk.click("b2")
    desk.wait_for_snapshot()
    desk.button("undo")
    assert desk.state is State.HUMAN
    assert idle(desk)
    assert desk.controller.shown_snapshot is None
    desk.button("redo")
    assert desk.state is State.THINKING, "its answer is not known yet"


def test_another_move_after_undo_begins_a_line_of_its_own(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:3,3,3")
    desk.click("a1", "b1", "c1")
    desk.button("undo")
    desk.button("undo")
    desk.click("b2")
    assert desk.moves == ["a1", "b2"]
    assert desk.enabled("redo") == [False]


@pytest.mark.parametrize("way", ["mouse", "keys", "buttons"])
def test_an_earlier_move_shows_its_own_search_and_the_computer_stays_still(open_desk: OpenDesk, way: str) -> None:
    desk = open_desk("mnk:3,3,3", HUMAN, mcts(200))
    for _ in range(2):
        desk.click(desk.board.position.legal_moves[0].text)
        desk.wait_for(State.HUMAN)
    plies = desk.controller.game.plies
    if way == "mouse":
        desk.click_move(2)
    elif way == "keys":
        desk.board.setFocus()
        desk.press((K.Key_Left, Qt.KeyboardModifier.ControlModifier), (K.Key_Left, Qt.KeyboardModifier.ControlModifier))
    else:
        desk.window.actions_by_name["previous"].trigger()
        desk.window.actions_by_name["previous"].trigger()
    assert desk.controller.game.cursor == 2
    assert desk.controller.shown_snapshot is plies[1].snapshot
    assert desk.panel.title.text().startswith(f"How MCTS, textbook chose move 2, O: {plies[1].move.text}")
    assert not desk.board.shown.overlay, "it is of the position before"
    assert desk.notice.startswith("You are looking at move 2 of 4.")
    desk.window.actions_by_name["previous"].trigger()
    assert desk.controller.shown_snapshot is plies[1].snapshot, "the search of this very position"
    assert desk.panel.title.text().startswith(f"Before move 2, O: {plies[1].move.text} by MCTS, textbook")
    assert desk.board.shown.overlay
    assert desk.state is State.PAUSED, "it is the computer's turn there, and it waits"
    assert idle(desk)
    assert len(desk.moves) == 4
    desk.window.actions_by_name["last"].trigger()
    assert desk.controller.shown_snapshot is plies[3].snapshot


def test_continue_at_an_earlier_move_plays_on_from_there(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:3,3,3", mcts(100), mcts(100))
    desk.wait_for(State.OVER)
    before = desk.moves
    desk.click_move(3)
    assert desk.state is State.PAUSED
    assert desk.notice == f"You are looking at move 3 of {len(before)}. Continue plays on from here."
    assert idle(desk)
    desk.choose_player(1, "Random")
    assert idle(desk)
    desk.button("step")
    desk.wait_for(State.PAUSED)
    assert len(desk.moves) == 4
    assert desk.moves[:3] == before[:3]
    assert desk.controller.game.plies[3].by == "Random"
    desk.button("continue")
    desk.wait_for(State.OVER)


def test_continue_at_an_earlier_move_of_two_computers_goes_on_to_the_end(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:3,3,3", mcts(100), mcts(100))
    desk.wait_for(State.OVER)
    desk.click_move(3)
    desk.button("continue")
    desk.wait_for(State.OVER)


def test_looking_back_while_the_computer_thinks_ends_the_search(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:3,3,3 a1 b1", ENDLESS, HUMAN)
    desk.wait_for_snapshot()
    desk.click_move(1)
    assert not desk.service.searching
    assert desk.controller.game.cursor == 1
    assert desk.state is State.HUMAN


# Changing players


def test_a_player_changed_between_moves_counts_from_the_next_move(open_desk: OpenDesk) -> None:
    desk = open_desk("nim:3,4,5", HUMAN, HUMAN)
    desk.choose_player(1, "Random")
    assert desk.headline == "Your turn"
    desk.click("1-1")
    desk.wait_for(State.HUMAN)
    assert [ply.by for ply in desk.controller.game.plies] == ["Human", "Random"]


def test_taking_over_from_a_computer_that_thinks(open_desk: OpenDesk) -> None:
    desk = thinking(open_desk)
    desk.wait(lambda: "searching" in desk.panel.title.text())
    desk.choose_player(0, "You")
    assert desk.state is State.HUMAN
    assert idle(desk)
    desk.wait(lambda: not desk.panel.title.text())
    assert not desk.board.shown.overlay, "nobody's search is shown any more"
    desk.click("h8")
    assert desk.moves == ["h8"]


def test_another_agent_takes_over_at_once(open_desk: OpenDesk) -> None:
    desk = thinking(open_desk)
    desk.choose_player(0, "Random")
    desk.wait_for(State.HUMAN)
    assert desk.controller.game.plies[0].by == "Random"


def test_options_typed_while_the_computer_thinks_count_from_its_next_move(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:3,3,3", ENDLESS, HUMAN)
    desk.wait_for_snapshot()
    desk.type_into(desk.field(0, "time_s"), "0.02")
    assert desk.service.searching, "the search under way goes on"
    desk.button("move_now")
    desk.wait_for(State.HUMAN)
    desk.click(desk.board.position.legal_moves[0].text)
    desk.wait_for(State.HUMAN)
    snapshot = desk.controller.game.plies[2].snapshot
    assert snapshot is not None
    assert snapshot.stopped is StopReason.TIME


def test_giving_the_turn_to_a_computer_lets_it_think(open_desk: OpenDesk) -> None:
    desk = open_desk("nim:3,4,5")
    desk.choose_player(0, "Random")
    desk.wait_for(State.HUMAN)
    assert desk.controller.game.plies[0].by == "Random"


# Suggest


def test_suggest_proposes_and_plays_nothing(open_desk: OpenDesk) -> None:
    desk = open_desk("nim:3,4,5")
    desk.controller.suggester = mcts(500)
    desk.button("suggest")
    assert desk.state is State.SUGGESTING
    desk.wait_for(State.HUMAN)
    proposed = desk.controller.suggestion
    assert proposed is not None
    assert not desk.moves
    assert desk.board.shown.suggestion == proposed
    assert desk.notice.startswith(f"Hint: take {proposed.take} from pile {proposed.pile + 1} (")  # type: ignore[attr-defined]
    desk.wait(lambda: desk.panel.title.text().startswith("Hint for move 1, First — 500 simulations"))


def test_the_search_of_a_suggestion_stays_with_the_move_played(open_desk: OpenDesk) -> None:
    desk = open_desk("nim:3,4,5")
    desk.controller.suggester = mcts(500)
    desk.button("suggest")
    desk.wait_for(State.HUMAN)
    proposed, searched = desk.controller.suggestion, desk.controller.shown_snapshot
    assert proposed is not None
    assert searched is not None
    desk.click(proposed.text)
    ply = desk.controller.game.plies[0]
    assert (ply.move, ply.by) == (proposed, "Human")
    assert ply.snapshot is not None
    assert [s.visits for s in ply.snapshot.moves] == [s.visits for s in searched.moves]
    assert desk.controller.suggestion is None
    assert desk.board.shown.suggestion is None
    assert not desk.notice.startswith("Hint")
    model = desk.window.moves.model
    said = str(model.data(model.index(0, 1), Qt.ItemDataRole.AccessibleTextRole))
    assert "of its simulations" not in said, "it does not rate the person's move"


def test_a_person_may_move_while_a_suggestion_is_searched(open_desk: OpenDesk) -> None:
    desk = open_desk("nim:3,4,5")
    desk.controller.suggester = ENDLESS
    desk.button("suggest")
    desk.wait_for_snapshot()
    desk.click("1-1")
    assert desk.moves == ["1-1"]
    assert idle(desk)
    assert desk.controller.game.plies[0].snapshot is None


def test_a_suggestion_for_a_computer_lets_nobody_move_in_its_place(open_desk: OpenDesk) -> None:
    desk = thinking(open_desk, "nim:3,4,5")
    desk.button("pause")
    desk.controller.suggester = ENDLESS
    desk.button("suggest")
    desk.wait_for_snapshot()
    desk.click("1-1")
    assert not desk.moves
    assert desk.state is State.SUGGESTING
    desk.button("move_now")
    desk.wait_for(State.PAUSED)
    assert desk.controller.suggestion is not None
    desk.click("1-1")
    assert not desk.moves


def test_a_computer_that_gets_the_turn_during_a_suggestion_begins_to_think(open_desk: OpenDesk) -> None:
    desk = open_desk("nim:3,4,5")
    desk.controller.suggester = ENDLESS
    desk.button("suggest")
    desk.choose_player(0, "Random")
    desk.wait_for(State.HUMAN)
    assert desk.controller.game.plies[0].by == "Random"


def test_a_stopped_suggestion_proposes_nothing_and_pauses_nobody(open_desk: OpenDesk) -> None:
    desk = open_desk("nim:3,4,5", HUMAN, mcts())
    desk.controller.suggester = ENDLESS
    desk.button("suggest")
    desk.wait_for_snapshot()
    desk.button("stop")
    assert desk.state is State.HUMAN
    assert desk.controller.suggestion is None
    desk.wait(lambda: desk.panel.title.text().endswith("simulations, interrupted by you"))
    desk.click("1-1")
    desk.wait_for(State.HUMAN)
    assert len(desk.moves) == 2


def test_a_suggestion_is_forgotten_on_another_position(open_desk: OpenDesk) -> None:
    desk = open_desk("nim:3,4,5 1-1")
    desk.controller.suggester = mcts(50)
    desk.button("suggest")
    desk.wait(lambda: desk.controller.suggestion is not None)
    desk.button("undo")
    assert desk.controller.suggestion is None
    assert desk.board.shown.suggestion is None
    assert "Hint" not in desk.notice


# The end of a game


ENDS = [
    ("nim:1,2 2-2", "1-1", "Second wins: took the last stick"),
    ("nim:1,2:misere 2-2", "1-1", "First wins: Second had to take the last stick"),
    ("nim:3:max2 1-2", "1-1", "Second wins: took the last stick"),
    ("mnk:3,3,3 a1 a2 b1 b2", "c1", "X wins: 3 in a row"),
    ("mnk:3,3,3 a1 a2 b1 b2 a3", "c2", "O wins: 3 in a row"),
    ("mnk:3,3,3 a1 b1 c1 b2 a2 c2 b3 a3", "c3", "Draw: the board is full"),
    ("mnk:7,6,4:gravity d1 c1 d2 c2 d3 c3", "d4", "Red wins: 4 in a row"),
]


def test_the_end_is_said_in_words(desk: Desk) -> None:
    for position, last, words in ENDS:
        desk.session.games.start(parse_position(position))
        desk.click(last)
        assert desk.state is State.OVER
        assert desk.headline == words
        assert desk.notice == ""
        assert desk.board.accessibleName().endswith(words)
        desk.button("undo")
        assert desk.state is State.HUMAN


# New games


def test_a_new_game_of_another_kind_while_the_computer_thinks(open_desk: OpenDesk) -> None:
    desk = thinking(open_desk)
    desk.session.games.start(parse_position("nim:3,4,5"))
    assert desk.controller.game.game.text == "nim:3,4,5"
    assert desk.window.windowTitle() == "Nim 3-4-5 – nimdesk"
    assert desk.state is State.THINKING, "the same players play on"
    desk.wait_for_snapshot()
    snapshot = desk.controller.shown_snapshot
    assert snapshot is not None
    assert snapshot.position == parse_position("nim:3,4,5")
    assert desk.board.hasFocus()


def test_restart_keeps_game_and_players(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:3,3,3", HUMAN, RANDOM)
    desk.click("b2")
    desk.wait_for(State.HUMAN)
    desk.press((K.Key_R, Qt.KeyboardModifier.ControlModifier))
    assert desk.moves == []
    assert desk.controller.game.players == (HUMAN, RANDOM)
    assert desk.state is State.HUMAN
    assert desk.controller.shown_snapshot is None
    desk.controller.suggester = mcts(50)
    desk.button("suggest")
    desk.wait(lambda: desk.controller.suggestion is not None)
    desk.controller.new_game(GameInProgress(desk.controller.position, (HUMAN, HUMAN)))
    assert desk.controller.shown_snapshot is None, "the search of the same position was for the game before"


def test_a_new_game_forgets_that_the_last_one_was_paused(open_desk: OpenDesk) -> None:
    desk = thinking(open_desk)
    desk.button("pause")
    desk.controller.new_game(GameInProgress(parse_position("nim:3"), (mcts(), HUMAN)))
    desk.wait(lambda: len(desk.moves) == 1)


# Nothing waits


def measured(desk: Desk, do: Callable[[], object]) -> float:
    begin = time.perf_counter()
    do()
    return time.perf_counter() - begin


@pytest.mark.parametrize("position", ["mnk:15,15,5", "nim:64,64,64,64,64,64,64,64,64,64,64,64"])
def test_every_way_out_of_a_long_search_answers_at_once(open_desk: OpenDesk, position: str) -> None:
    desk = thinking(open_desk, position)
    assert measured(desk, lambda: desk.button("pause")) < AT_ONCE_S
    assert desk.state is State.PAUSED
    desk.button("continue")
    desk.wait_for_snapshot()
    begin = time.perf_counter()
    desk.button("move_now")
    desk.wait_for(State.HUMAN)
    assert time.perf_counter() - begin < AT_ONCE_S
    desk.click(desk.board.position.legal_moves[0].text)
    desk.wait_for_snapshot()
    assert measured(desk, lambda: desk.button("undo")) < AT_ONCE_S
    assert desk.state is State.HUMAN
    desk.button("redo")
    desk.wait_for_snapshot()
    assert measured(desk, lambda: desk.session.games.start(parse_position("mnk:5,5,4"))) < AT_ONCE_S
    assert desk.controller.game.game.text == "mnk:5,5,4"
    desk.wait_for_snapshot()
    assert measured(desk, desk.window.actions_by_name["quit"].trigger) < AT_ONCE_S
    assert not desk.window.isVisible()
    assert measured(desk, desk.close) < AT_ONCE_S


class _Waiting(UctSearcher):
    """As slow to start as a first compilation."""

    gate = threading.Event()

    def start(self, position: object, seed: int) -> None:
        assert self.gate.wait(WAIT_MS / 1000)
        super().start(position, seed)  # type: ignore[arg-type]


def test_while_kernels_compile_the_window_says_so_and_lives(
    open_desk: OpenDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = open_desk("nim:3,4,5", HUMAN, ENDLESS)
    gate = threading.Event()
    monkeypatch.setattr(_Waiting, "gate", gate)
    monkeypatch.setitem(CATALOGUE, "uct", replace(CATALOGUE["uct"], make_searcher=_Waiting, make_textbook=None))
    try:
        desk.click("1-1")
        desk.wait(lambda: desk.notice.startswith("Preparing the search"))
        game, card = desk.controller.game, desk.window.column.card(Side.SECOND)
        assert (card.words.state, desk.headline) == ("getting ready", "MCTS, textbook is getting ready…")
        assert (game.clock.runs, game.clock.used_s(game.node)) == (False, 0.0), "that is no thinking"
        desk.button("pause")
        assert desk.state is State.PAUSED
        assert desk.notice == "Paused. Continue lets the computer go on."
        desk.button("undo")
        desk.click("1-2")
        desk.wait(lambda: desk.notice.startswith("Preparing the search"))
    finally:
        gate.set()
    desk.wait(lambda: not desk.notice.startswith("Preparing"))
    assert desk.state is State.THINKING
    assert game.clock.runs
    assert desk.headline == "MCTS, textbook is thinking…"
    desk.button("move_now")
    desk.wait_for(State.HUMAN)
    assert desk.notice == desk.controller.position.game.hint
    assert desk.moves[0] == "1-2"


class _Broken(UctSearcher):
    """Fails after its curves have been shown."""

    def advance(self, limit: object) -> StopReason | None:
        if self._pace.elapsed_s > 0.1:
            raise GameParameterError("The tree is broken.")
        return super().advance(limit)  # type: ignore[arg-type]


def test_a_failing_search_is_one_sentence_and_the_game_goes_on(
    open_desk: OpenDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = open_desk("nim:3,4,5", HUMAN, ENDLESS)
    with monkeypatch.context() as broken:
        broken.setitem(
            CATALOGUE,
            "uct",
            replace(CATALOGUE["uct"], make_searcher=lambda _: _Broken(UctOptions(iterations=None, time_s=60.0))),
        )
        desk.click("1-1")
        desk.wait_for_snapshot()
        desk.wait_for(State.PAUSED)
    assert desk.notice == "The tree is broken. Paused. Continue lets the computer go on."
    assert desk.controller.sitting.paused, "it does not fail again at once"
    desk.wait(lambda: "searching" not in desk.panel.title.text())
    assert enabled(desk) == {"undo", "suggest", "continue", "step"}
    desk.button("continue")
    assert desk.notice != "The tree is broken."
    desk.wait_for_snapshot()
    desk.button("move_now")
    desk.wait_for(State.HUMAN)
    assert len(desk.moves) == 2


class _Cheating(UctSearcher):
    """Chooses a move that its position does not allow."""

    def snapshot(self) -> Snapshot:
        return replace(super().snapshot(), best_move=parse_position("nim:9").parse_move("1-9"))


def test_an_agent_whose_move_is_illegal_loses_its_game_with_one_sentence(
    open_desk: OpenDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = replace(CATALOGUE["uct"], make_searcher=lambda _: _Cheating(UctOptions(iterations=2)))
    monkeypatch.setitem(CATALOGUE, "uct", made)
    desk = open_desk("nim:3,4,5", HUMAN, mcts(2))
    desk.click("1-1")
    desk.wait_for(State.OVER)
    assert desk.moves == ["1-1"]
    assert desk.notice.startswith("MCTS, textbook failed: its move or its search cannot be used. ")
    assert desk.headline == "You won: MCTS, textbook failed"


class _Lost(_Waiting):
    """Fails at its start, which takes its time."""

    def start(self, position: object, seed: int) -> None:
        super().start(position, seed)
        raise AgentError("MCTS, textbook is lost.")


def test_an_agent_that_fails_is_no_longer_prepared(open_desk: OpenDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = threading.Event()
    monkeypatch.setattr(_Waiting, "gate", gate)
    monkeypatch.setitem(CATALOGUE, "uct", replace(CATALOGUE["uct"], make_searcher=_Lost, make_textbook=None))
    desk = open_desk("nim:3,4,5", HUMAN, mcts(2))
    try:
        desk.click("1-1")
        desk.wait(lambda: desk.notice.startswith("Preparing the search"))
    finally:
        gate.set()
    desk.wait_for(State.OVER)
    assert desk.notice == "MCTS, textbook is lost."


# Searches that are brought back, and who made them


def searched(position: AnyPosition) -> Snapshot:
    searcher = mcts(2).new_searcher()
    searcher.start(position, 1)
    searcher.advance(Limit(iterations=2))
    return searcher.snapshot()


def test_a_hint_that_is_brought_back_leaves_a_search_that_runs_alone(open_desk: OpenDesk) -> None:
    desk = thinking(open_desk)
    desk.controller.bring_back(searched(desk.controller.position), hint=True)
    assert desk.state is State.THINKING
    assert desk.controller.suggestion is None


def test_while_a_second_hint_is_prepared_the_first_is_not_shown(
    open_desk: OpenDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, gate = open_desk("nim:3,4,5", HUMAN, HUMAN), threading.Event()
    desk.button("suggest")
    desk.wait(lambda: idle(desk) and desk.controller.suggestion is not None)
    assert desk.controller.shown_snapshot is not None
    monkeypatch.setattr(_Waiting, "gate", gate)
    monkeypatch.setitem(CATALOGUE, "uct", replace(CATALOGUE["uct"], make_searcher=_Waiting, make_textbook=None))
    desk.controller.suggester = mcts(2)
    try:
        desk.button("suggest")
        assert desk.controller.shown_snapshot is None
        assert desk.controller.suggestion is None
    finally:
        gate.set()
    desk.wait(lambda: idle(desk) and desk.controller.suggestion is not None)


def test_a_hint_is_gone_for_whoever_looked_at_another_move_meanwhile(open_desk: OpenDesk) -> None:
    desk = open_desk("nim:3,4,5", HUMAN, HUMAN)
    desk.click("1-1")
    desk.button("suggest")
    desk.wait(lambda: idle(desk) and desk.controller.suggestion is not None)
    assert desk.window.display.shown.board.searched is not None
    desk.window.actions_by_name["previous"].trigger()
    desk.window.actions_by_name["next"].trigger()
    assert desk.controller.suggestion is None
    assert desk.controller.shown_snapshot is None


def test_a_hint_is_brought_back_to_its_position_alone(desk: Desk) -> None:
    desk.controller.bring_back(searched(parse_position("nim:3,4,4")), hint=True)
    assert desk.controller.suggestion is None
    hint, shown = searched(desk.controller.position), list[Snapshot | None]()
    desk.controller.snapshot_changed.connect(lambda: shown.append(desk.controller.shown_snapshot))
    desk.controller.bring_back(hint, hint=True)
    assert desk.controller.suggestion == hint.best_move
    assert shown[-1:] == [hint], "the window is told"
    shown.clear()
    desk.controller.bring_back(hint, hint=False)
    assert shown, "of a search that rests as well"


def test_a_search_goes_on_when_its_agents_options_or_the_other_player_change(open_desk: OpenDesk) -> None:
    desk = thinking(open_desk)
    desk.controller.set_player(Side.FIRST, mcts(50))
    assert desk.controller.shown_snapshot is not None
    desk.controller.set_player(Side.SECOND, RANDOM)
    assert desk.controller.shown_snapshot is not None
    assert desk.state is State.THINKING
    desk.controller.set_player(Side.FIRST, RANDOM)
    assert desk.controller.shown_snapshot is None, "another kind of player makes a search of its own"


def test_who_made_a_search_of_before_the_start_is_known_where_the_name_says_it_all(desk: Desk) -> None:
    snapshot = searched(desk.controller.position)
    known = [name for name in CATALOGUE if make_agent(name).known_by_name]
    assert known
    for name in known:
        assert desk.controller.thinking.agent_of(replace(snapshot, agent=name)) == make_agent(name)
    assert desk.controller.thinking.agent_of(snapshot) is None, "MCTS has options"
    assert desk.controller.thinking.agent_of(replace(snapshot, agent="of-another-program")) is None


def test_a_move_that_is_played_at_once_is_drawn_once(open_desk: OpenDesk) -> None:
    desk, events = open_desk("nim:3,4,5", HUMAN, RANDOM), list[str]()
    desk.controller.snapshot_changed.connect(lambda: events.append("search"))
    desk.controller.position_changed.connect(lambda _animate: events.append("position"))
    desk.click("1-1")
    desk.wait(lambda: len(desk.moves) == 2)
    assert events == ["position", "search"] * 2


def test_a_new_game_begins_without_the_hint_of_the_last(desk: Desk) -> None:
    desk.controller.bring_back(searched(desk.controller.position), hint=True)
    assert desk.controller.suggestion is not None
    said = desk.notice
    assert desk.board.shown.suggestion is not None
    desk.controller.new_game(GameInProgress(parse_position("nim:3,4,5"), (HUMAN, HUMAN)))
    assert desk.controller.suggestion is None
    assert desk.board.shown.suggestion is None
    assert desk.notice != said


def test_deleting_a_move_that_was_played_after_undo_takes_nothing_back(desk: Desk) -> None:
    desk.click("1-1", "2-1")
    desk.button("undo")
    desk.click("3-1")
    desk.controller.prune()
    assert desk.notice.startswith("You are looking at move 1 of 2.")


def test_halting_ends_the_search_for_good(open_desk: OpenDesk) -> None:
    desk = thinking(open_desk)
    desk.controller.halt()
    assert idle(desk)
    assert desk.moves == []


def test_a_search_that_rests_is_shown_as_it_rests_and_ends_with_its_game(open_desk: OpenDesk) -> None:
    desk, held = thinking(open_desk), list[Snapshot]()
    desk.service.search_held.connect(held.append)
    with desk.qtbot.waitSignal(desk.service.search_held, timeout=WAIT_MS):
        desk.button("pause")
    assert [desk.controller.shown_snapshot] == held
    position = desk.controller.position
    assert desk.service.holds(position, ENDLESS)
    desk.controller.new_game(GameInProgress(position, (HUMAN, HUMAN)))
    assert not desk.service.holds(position, ENDLESS)


def test_nothing_rests_once_a_search_that_rested_has_gone_on_to_its_move(open_desk: OpenDesk) -> None:
    desk = thinking(open_desk)
    with desk.qtbot.waitSignal(desk.service.search_held, timeout=WAIT_MS):
        desk.button("pause")
    assert desk.controller.thinking.resting is not None
    desk.button("continue")
    desk.wait_for_snapshot()
    desk.button("move_now")
    desk.wait_for(State.HUMAN)
    assert desk.controller.thinking.resting is None
