"""What the window shows at one moment is one value: whatever speaks of a search, speaks of the same one."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace as with_fields
from synthetic import games, make_snapshot, new_game

from nimdesk.agents import Agent, make_agent
from nimdesk.games import NimPosition, Side, parse_position
from nimdesk.games.kit import threats_in
from nimdesk.games.nim.theory import solve_nim
from nimdesk.games.truth import MoveTruth, Truth, Value, with_threats
from nimdesk.play import GameInProgress, Human, begins_quiet
from nimdesk.play.ending import Ending
from nimdesk.play.moment import BoardLook, Known, Pointer, Search, Sitting, State, TruthLine, search_to_show, stepped
from nimdesk.play.shown import Shown, shown
from nimdesk.play.story import story
from nimdesk.search import Snapshot

HUMAN = Human()
MCTS = make_agent("uct", {"iterations": 300, "seed": 1})
RANDOM = make_agent("random", {"seed": 1})
IDLE, UNKNOWN, LOOK, AWAY = Search(), Known(), BoardLook(), Pointer()


def show(
    at: Sitting, search: Search = IDLE, known: Known = UNKNOWN, look: BoardLook = LOOK, pointer: Pointer = AWAY
) -> Shown:
    """What is shown while nothing is searched, known and pointed at, but for what is said."""
    return shown(at, search, known, story(at.game, known), look, pointer)


def sitting(text: str, first: object = HUMAN, second: object = HUMAN, moves: str = "") -> Sitting:
    """A game from this position, in which people then played these moves."""
    assert isinstance(first, Human | Agent)
    assert isinstance(second, Human | Agent)
    game = new_game(text, first, second)
    for move in moves.split():
        game.play(game.position.parse_move(move), by="Human")
    return Sitting(game)


def searched(at: Sitting, *, running: bool = True, **others: object) -> Search:
    """A search of the position on the board is under way, or has ended."""
    snapshot = make_snapshot(at.position, 5)
    snapshot = with_fields(snapshot, stopped=None) if running else snapshot
    return replace(Search(snapshot, "The search", busy=running), **others)  # type: ignore[arg-type]


TELLING = {"truth", "feedback", "freeze", "whole_plot"}
"""What there always is to do about what is shown of searches and proofs, but for a quiet game."""


def enabled(now: Shown) -> set[str]:
    return {name for name, would in now.actions if would and name not in TELLING}


@st.composite
def moments(draw: st.DrawFn) -> tuple[Sitting, Search, BoardLook, Pointer]:
    """A game looked at anywhere, with a search of that place or an earlier one; perhaps its plot is pointed at."""
    game = draw(games())
    game.jump(draw(st.integers(0, len(game.plies))))
    at = Sitting(game, paused=draw(st.booleans()))
    newest = None
    if game.position.outcome is None and draw(st.booleans()):
        newest = make_snapshot(game.position, draw(st.sampled_from([0, 1, 5])), draw(st.integers(0, 99)))
        at.suggestion = draw(st.sampled_from([None, newest.best_move]))
    snapshot, title = search_to_show(game, newest, hint=draw(st.booleans()))
    search = Search(snapshot, title, busy=draw(st.booleans()), slow_motion_s=draw(st.sampled_from([0.0, 1.0])))
    look = BoardLook(overlay=draw(st.booleans()), number=draw(st.sampled_from(["share", "none"])))
    if snapshot is None or not draw(st.booleans()):
        return at, search, look, Pointer()
    move = draw(st.none() | st.sampled_from([stats.move for stats in snapshot.moves]))
    return at, search, look, Pointer(searched=snapshot, plot=move)


# One moment


@given(moments())
def test_all_that_is_shown_of_a_search_is_of_the_same_one_and_of_the_position_on_the_board(
    moment: tuple[Sitting, Search, BoardLook, Pointer],
) -> None:
    at, search, look, pointer = moment
    now = show(at, search, look=look, pointer=pointer)
    assert now.plot.snapshot is search.snapshot
    assert now.plot.title == search.title
    if now.board.searched is not None:
        assert now.board.searched is search.snapshot
        assert now.board.searched.position == now.board.position
    if now.board.highlight is not None or now.board.line:
        assert pointer.searched is not None
        assert now.board.position == pointer.searched.position
        assert now.board.highlight == pointer.plot
    card = now.cards[at.position.turn]
    if now.state is State.THINKING and card.used is not None and search.snapshot is not None:
        here = search.snapshot.position == at.position
        assert (f"{search.snapshot.iterations:,} simulation" in card.state) == (here and search.snapshot.iterations > 0)


@given(moments())
def test_while_another_position_is_shown_nobody_moves_and_nothing_is_proposed(
    moment: tuple[Sitting, Search, BoardLook, Pointer],
) -> None:
    at, search, look, pointer = moment
    now = show(at, search, look=look, pointer=pointer)
    assert now.elsewhere == (now.board.position != at.position)
    if now.elsewhere:
        assert not now.board.interactive
        assert now.board.suggestion is None
        assert now.notice.startswith("The board shows the position of this search, before move ")
    else:
        assert now.board.interactive == (isinstance(at.game.player_to_move, Human))
        assert now.board.suggestion == (None if now.board.line else at.suggestion)


@given(moments())
def test_a_moment_is_a_value(moment: tuple[Sitting, Search, BoardLook, Pointer]) -> None:
    at, search, look, pointer = moment
    now, again = (show(at, search, look=look, pointer=pointer) for _ in range(2))
    assert now == again
    assert hash(now) == hash(again)


@given(moments())
def test_without_visits_on_the_board_nothing_of_the_search_is_on_it(
    moment: tuple[Sitting, Search, BoardLook, Pointer],
) -> None:
    at, search, look, pointer = moment
    board = show(at, search, look=replace(look, overlay=False), pointer=pointer).board
    assert board.searched is None
    assert board.pairs == ()


@given(games(), st.data())
def test_the_search_shown_is_the_last_one_made_before_the_move_looked_at(
    game: GameInProgress, data: st.DataObject
) -> None:
    game.jump(data.draw(st.integers(0, len(game.plies))))
    snapshot, title = search_to_show(game, None, hint=False)
    kept = [each.snapshot for each in game.plies[: game.cursor + 1] if each.snapshot is not None]
    assert snapshot is (kept[-1] if kept else None)
    assert bool(title) == bool(kept)


def test_the_newest_search_of_the_position_goes_before_the_one_that_was_kept() -> None:
    at = sitting("nim:3,4,5")
    at.game.play(at.position.legal_moves[0], by="MCTS", snapshot=make_snapshot(at.position, 3))
    newest = make_snapshot(at.position, 3, 1)
    assert search_to_show(at.game, newest, hint=False) == (newest, "Thinking about move 2, Second")
    assert search_to_show(at.game, newest, hint=True) == (newest, "Hint for move 2, Second")


# What is pointed at


def played_search() -> tuple[Sitting, Search, Snapshot]:
    """The computer has moved: the plot shows its search, of the position before."""
    at = sitting("mnk:3,3,3", HUMAN, MCTS, "b2")
    snapshot = make_snapshot(at.position, 5)
    at.game.play(at.position.legal_moves[0], by="MCTS", snapshot=snapshot)
    kept, title = search_to_show(at.game, None, hint=False)
    assert kept is not None
    return at, Search(kept, title), kept


def test_pointing_at_a_curve_shows_the_position_that_was_searched_and_how_it_would_go_on() -> None:
    at, search, snapshot = played_search()
    pointed = snapshot.moves[1]
    now = show(at, search, pointer=Pointer(searched=snapshot, plot=pointed.move))
    assert now.board.position == snapshot.position
    assert now.board.searched is snapshot
    assert now.board.highlight == pointed.move
    assert now.board.line == pointed.principal_variation
    assert now.notice == "The board shows the position of this search, before move 2."
    between = show(at, search, pointer=Pointer(searched=snapshot, plot=None)).board
    assert between.position == snapshot.position, "between two curves the board stays"
    assert (between.highlight, between.line) == (None, ())
    back = show(at, search)
    assert back.board.position == at.position
    assert back.board.searched is None, "its visits are of another position"
    assert back.notice.endswith(at.position.game.hint)


def test_a_search_of_another_kind_of_game_moves_no_board() -> None:
    at = sitting("nim:3,4,5")
    other = make_snapshot(parse_position("mnk:3,3,3"), 5)
    now = show(at, pointer=Pointer(searched=other, plot=other.moves[0].move))
    assert now.board.position == at.position
    assert now.board.highlight is None


def test_a_move_pointed_at_on_the_board_is_marked_in_the_plot_of_the_same_position_alone() -> None:
    at, search, snapshot = played_search()
    move = at.position.legal_moves[0]
    assert show(at, search, pointer=Pointer(board=move)).plot.highlight is None
    here = searched(at)
    assert show(at, here, pointer=Pointer(board=move)).plot.highlight == move
    assert show(at, here, pointer=Pointer(board=move, frozen=snapshot)).plot.highlight is None, "that is drawn"


def test_a_line_of_a_review_stays_and_one_that_is_pointed_at_goes_before_it() -> None:
    at = sitting("nim:3,4,5")
    first, second, *_ = at.position.legal_moves
    here, reviewed = searched(at), Pointer(reviewed=(first,))
    assert show(at, here, pointer=reviewed).board.line == (first,)
    assert show(at, here, pointer=replace(reviewed, line=(second,))).board.line == (second,)
    assert show(at, pointer=replace(reviewed, line=(second,))).board.line == (first,), "it began elsewhere"


def test_what_is_proven_is_that_of_the_position_on_the_board() -> None:
    at, search, snapshot = played_search()
    known = Known(truth=snapshot.truth, of_search=make_snapshot(at.position, 5).truth, line=TruthLine(True, "Truth."))
    now = show(at, search, known)
    assert now.truth == known.line
    assert (now.board.truth, now.plot.truth) == (known.truth, known.of_search)
    assert show(at, search, known, pointer=Pointer(searched=snapshot)).board.truth == known.of_search


# The words


@pytest.mark.parametrize(
    ("text", "moves", "players", "words"),
    [
        ("nim:3,4,5", "", (HUMAN, HUMAN), "First to move"),
        ("nim:3,4,5", "1-3 2-4 3-5", (HUMAN, HUMAN), "First wins: took the last stick"),
        ("nim:3,4,5", "", (HUMAN, RANDOM), "Your turn"),
        ("nim:3,4,5", "1-3", (HUMAN, RANDOM), "Random is thinking…"),
        ("nim:1,1", "1-1 2-1", (HUMAN, RANDOM), "You lost. Second wins: took the last stick"),
        ("mnk:3,3,3", "a1 a2 b1 b2 c1", (HUMAN, RANDOM), "You won: 3 in a row"),
        ("mnk:5,5,4", "", (MCTS, RANDOM), "MCTS, textbook (X) is thinking…"),
        ("nim:2,2 1-1 2-1 1-1 2-1", "", (HUMAN, RANDOM), "Second wins: took the last stick"),
    ],
)
def test_the_headline_tells_whoever_sits_there_whose_turn_it_is_or_who_won(
    text: str, moves: str, players: tuple[object, object], words: str
) -> None:
    assert show(sitting(text, *players, moves), Search(busy=True)).headline == words


def test_the_notice_says_what_is_most_urgent() -> None:
    at = sitting("mnk:3,3,3", HUMAN, MCTS, "b2")
    assert show(at, Search(busy=True)).notice == ""
    assert show(at).notice == "Paused. Continue lets the computer go on."
    assert show(at, Search(held=True)).notice == "Paused. Continue goes on with the same search."
    at.explained = "It is explained."
    assert show(at).notice == "It is explained."
    preparing = show(at, Search(busy=True, preparing=True))
    assert preparing.notice.startswith("Preparing the search.")
    assert preparing.headline == "MCTS, textbook is getting ready…"
    at.clear()
    at.game.jump(0)
    assert show(at).notice == "You are looking at move 0 of 1. A move made here begins a variation."
    at.taken_back = True
    assert show(at).notice.startswith("Taken back. The game goes on with your next move;")


def test_where_there_is_no_plot_yet_it_says_what_runs_or_that_there_will_be_none() -> None:
    alphabeta, person = make_agent("alphabeta"), sitting("mnk:3,3,3", HUMAN, MCTS)
    assert show(person).plot.waiting == ""
    at = sitting("mnk:3,3,3", MCTS)
    assert show(at, Search(busy=True, preparing=True)).plot.waiting.startswith("This kind of search is being compiled")
    assert show(at, Search(busy=True)).plot.waiting.startswith("The search has begun")
    none = "Alpha-beta plays no simulations, so it has no curves. A hint (F2) shows those of another search."
    for proving in (sitting("mnk:3,3,3", alphabeta), sitting("mnk:3,3,3", HUMAN, alphabeta)):
        assert show(proving, Search(busy=not proving.person_to_move)).plot.waiting == none
    assert show(sitting("nim:1", moves="1-1")).plot.waiting == "Nothing was searched in this game."


def test_the_hint_is_offered_in_place_of_the_rule() -> None:
    at = sitting("mnk:3,3,3", HUMAN, MCTS)
    assert show(at).notice.endswith(at.game.game.hint)
    at.offers_hint = True
    assert show(at).notice == "Not sure what to play? Hint (F2) shows how a strong search sees your move."
    at.clear()
    assert show(at).notice.endswith(at.game.game.hint)


def test_a_player_who_failed_is_named_where_the_game_ends_and_not_before() -> None:
    at = sitting("mnk:3,3,3", HUMAN, MCTS, "b2")
    at.game.lose(Side.SECOND, "MCTS is lost.")
    now = show(at)
    assert (now.state, now.headline, now.notice) == (State.OVER, "You won: MCTS, textbook failed", "MCTS is lost.")
    assert [card.state for card in now.cards] == ["Won", "Lost"]
    at.game.jump(0)
    assert show(at).state is State.HUMAN


def test_below_the_board_stands_how_the_game_ended_unless_there_is_something_else_to_say() -> None:
    at = sitting("nim:2,2", HUMAN, RANDOM, "1-1 2-1 1-1 2-1")
    proven = tuple(
        solve_nim(each) if isinstance(each, NimPosition) and each.outcome is None else None
        for each in at.game.positions
    )
    known = Known(proven=proven)
    why = "Second wins: took the last stick."
    assert show(at, known=known).result == "You lost"
    assert show(at, known=known).sentence.startswith(f"{why} You were lost from the start")
    assert show(at).sentence == why
    at.explained = "It was reviewed."
    assert (show(at, known=known).result, show(at, known=known).sentence) == ("You lost", "It was reviewed.")
    at.explained = ""
    at.game.jump(0)
    assert show(at).result == "", "its end is not on the board"


@pytest.mark.parametrize(
    ("text", "moves", "players", "result", "why"),
    [
        ("mnk:3,3,3", "a1 a2 b1 b2 c1", (HUMAN, RANDOM), "You won", "3 in a row."),
        ("mnk:3,3,3", "a1 a2 b1 b2 c1", (HUMAN, HUMAN), "X wins", "3 in a row."),
        ("mnk:3,3,3", "b2 a1 a3 c1 b1 b3 a2 c2 c3", (HUMAN, RANDOM), "Draw", "The board is full."),
        ("nim:2,2 1-1 2-1 1-1 2-1", "", (HUMAN, RANDOM), "Second wins", "Took the last stick."),
    ],
)
def test_the_end_is_said_in_two_words_and_below_them_why(
    text: str, moves: str, players: tuple[object, object], result: str, why: str
) -> None:
    now = show(sitting(text, *players, moves))
    assert (now.result, now.sentence) == (result, why)


# A quiet game


@given(moments(), st.booleans())
def test_a_quiet_game_looks_the_same_whatever_is_searched_and_known(
    moment: tuple[Sitting, Search, BoardLook, Pointer], wanted: bool
) -> None:
    at, search, look, pointer = moment
    at.quiet = True
    assume(at.game.standing[1] is None)
    known = (
        UNKNOWN
        if search.snapshot is None
        else Known(search.snapshot.truth, search.snapshot.truth, line=TruthLine(wanted))
    )
    now, nothing = show(at, search, known, look, pointer), show(at, replace(search, snapshot=None, title=""))
    assert now.quiet
    assert (now.plot, now.score, now.truth, now.cards) == (nothing.plot, nothing.score, nothing.truth, nothing.cards)
    assert now.board == replace(nothing.board, number=look.number)
    assert (now.headline, now.notice, now.sentence) == (nothing.headline, nothing.notice, nothing.sentence)
    assert not any("sim" in card.state for card in now.cards)
    assert not {name for name, would in now.actions if would} & (TELLING | {"listing", "film"})


@pytest.mark.parametrize("cursor", [0, 3, 4])
def test_a_quiet_game_that_is_over_shows_everything_of_every_move(cursor: int) -> None:
    at = sitting("nim:2,2", HUMAN, MCTS, "1-1 2-1 1-1 2-1")
    at.game.jump(cursor)
    snapshot = make_snapshot(at.game.position_at(min(cursor, 3)), 5)
    search, known = Search(snapshot, "The search"), Known(snapshot.truth, snapshot.truth, line=TruthLine(True, "So."))
    loud = show(at, search, known)
    assert loud.plot.snapshot is snapshot
    at.quiet = True
    assert show(at, search, known) == loud


def test_in_a_quiet_game_a_hint_that_is_asked_for_names_its_move_alone() -> None:
    at = sitting("mnk:3,3,3", HUMAN, MCTS)
    at.suggestion = at.position.legal_moves[4]
    at.proposal = f"Hint: {at.suggestion.words} (37% of the visits)."
    assert show(at).notice == at.proposal
    at.quiet = True
    now = show(at)
    assert (now.notice, now.board.suggestion) == (f"Hint: {at.suggestion.words}.", at.suggestion)
    at.explained = "Nothing was pasted."
    assert show(at).notice == "Nothing was pasted."


def test_a_quiet_game_does_not_say_what_the_computer_knew_of_its_move() -> None:
    at = sitting("mnk:3,3,3", MCTS, HUMAN)
    snapshot = make_snapshot(at.position, 5)
    move = next(stats.move for stats in snapshot.moves if stats.proven is snapshot.proven)
    at.game.play(move, by="MCTS", elapsed_s=0.1, snapshot=snapshot)
    assert "has proven" in show(at).notice
    at.quiet = True
    assert show(at).notice == at.game.game.hint


def test_a_first_lesson_begins_quiet_and_other_games_do_not() -> None:
    lesson, level = make_agent("level1"), make_agent("level2")
    assert begins_quiet((HUMAN, lesson))
    assert begins_quiet((lesson, HUMAN))
    assert not begins_quiet((HUMAN, level))
    assert not begins_quiet((lesson, level)), "nobody plays who could be told too much"


# The cards


def test_the_person_sits_below_and_where_there_is_none_or_two_whoever_began() -> None:
    assert show(sitting("nim:3,4,5", MCTS, HUMAN)).below is Side.SECOND
    assert show(sitting("nim:3,4,5", HUMAN, MCTS)).below is Side.FIRST
    assert show(sitting("nim:3,4,5", MCTS, RANDOM)).below is Side.FIRST
    people = show(sitting("mnk:7,6,4:gravity"))
    assert people.below is Side.FIRST
    assert [(card.name, card.about) for card in people.cards] == [("Red", "A person"), ("Yellow", "A person")]


def test_a_card_says_what_its_player_is_doing() -> None:
    at = sitting("nim:3,4,5", MCTS, HUMAN)

    def state(search: Search) -> str:
        return show(at, search).cards[Side.FIRST].state

    assert state(Search(busy=True, turn_s=2.0)) == "thinking · 2.0 s"
    assert state(Search(busy=True, preparing=True)) == "getting ready"
    assert state(searched(at)).endswith("/s")
    assert state(searched(at, slow_motion_s=1.0)).endswith(" simulations · slow motion")
    assert state(searched(at, running=False)).startswith("Paused · ")
    assert state(Search()) == "Waiting"
    assert show(at).cards[Side.SECOND].state == "", "it has not moved yet"


def test_a_card_tells_of_no_search_but_of_its_players_own() -> None:
    game = new_game("nim:3,4,5", HUMAN, MCTS)
    hint = make_snapshot(game.position)
    game.play(game.position.legal_moves[0], by="Human", snapshot=hint)
    assert show(Sitting(game)).cards[Side.FIRST].state == "", "the person played, whoever searched"
    game.play(game.position.legal_moves[0], by="MCTS, textbook", snapshot=make_snapshot(game.position))
    assert show(Sitting(game)).cards[Side.SECOND].state.startswith(f"{hint.iterations:,} simulations")
    game.set_player(Side.SECOND, make_agent("level6"))
    assert show(Sitting(game)).cards[Side.SECOND].state == "", "another player has not moved yet"
    paused = sitting("nim:3,4,5", make_agent("level6"), HUMAN)
    assert show(paused, searched(paused, running=False)).cards[Side.FIRST].state == "Waiting"
    paused = sitting("nim:3,4,5", MCTS, HUMAN)
    hint = searched(paused, running=False, asked=True)
    assert show(paused, hint).cards[Side.FIRST].state == "Waiting", "the same agent with other options gave a hint"


def test_of_the_budget_as_much_is_used_as_time_has_passed_slow_motion_included() -> None:
    at = sitting("nim:3,4,5", make_agent("uct", {"iterations": None, "time_s": 2.0}), HUMAN)
    quick = show(at, searched(at, elapsed_s=1.0)).cards[Side.FIRST]
    assert quick.used == 0.5
    slow = show(at, searched(at, elapsed_s=1.0, slow_motion_s=2.0)).cards[Side.FIRST]
    assert slow.used == 0.25
    assert "2 s a move + 2 s in slow motion" in slow.about


def test_two_players_who_differ_by_a_switch_are_told_apart() -> None:
    players = make_agent("mcts"), make_agent("mcts", {"prove": False})
    first, second = show(sitting("nim:3,4,5", *players)).cards
    assert second.about.replace("Second", "First") == f"{first.about} · Prove values off"


def test_a_persons_card_has_a_clock_once_a_turn_takes_long() -> None:
    at = sitting("nim:3,4,5", HUMAN, MCTS)
    assert show(at, Search(turn_s=9.0)).cards[Side.FIRST].state == "Your turn"
    assert show(at, Search(turn_s=12.0)).cards[Side.FIRST].state == "Your turn · 12 s"


# The evaluation


def test_the_score_is_of_the_side_below_and_a_proof_goes_before_an_estimate() -> None:
    at = sitting("nim:3,4,5", MCTS, HUMAN)
    assert show(at).score.score is None
    position = at.position
    assert isinstance(position, NimPosition)
    truth = solve_nim(position)
    score = show(at, searched(at), Known(proven=(truth,))).score
    assert (score.score, score.exact) == (0.0, True), "the first side wins, and the second one is below"
    estimate = with_fields(make_snapshot(position, 5), proven=None)
    moves = tuple(with_fields(stats, proven=None) for stats in estimate.moves)
    assert not show(at, Search(with_fields(estimate, moves=moves))).score.exact


# The actions


def test_actions_do_something_exactly_where_they_are_offered() -> None:
    at = sitting("mnk:3,3,3", HUMAN, MCTS)
    assert enabled(show(at)) == {"suggest", "swap"}
    assert enabled(show(at, Search(busy=True, suggesting=True))) == {"move_now", "stop", "swap"}
    at.game.play(at.position.legal_moves[0], by="Human")
    back = {"undo", "first", "previous", "prune", "restart", "swap"}
    assert enabled(show(at, Search(busy=True))) == back | {"move_now", "pause"}
    assert enabled(show(at, searched(at))) == back | {"move_now", "pause", "film"}
    at.paused = True
    assert enabled(show(at, Search(busy=True))) == back | {"move_now"}
    assert enabled(show(at)) == back | {"suggest", "continue", "step"}
    at.game.jump(0)
    assert enabled(show(at)) == {"suggest", "redo", "next", "last", "restart", "swap"}
    at.game.pruned.append(at.game.prune(at.game.root.children[0]))
    assert enabled(show(at)) == {"suggest", "restore", "swap"}


def test_where_the_game_is_over_one_may_go_back_and_try_again_where_that_is_known() -> None:
    at = sitting("nim:1", HUMAN, MCTS, "1-1")
    back = {"undo", "first", "previous", "prune", "restart", "swap"}
    assert enabled(show(at)) == back
    told = replace(story(at.game, UNKNOWN), ending=Ending("It was even until then.", 0))
    assert enabled(shown(at, IDLE, UNKNOWN, told, LOOK, AWAY)) == back | {"try_again"}
    at.game.jump(0)
    assert "try_again" not in enabled(shown(at, IDLE, UNKNOWN, told, LOOK, AWAY))


@given(moments())
def test_what_moves_now_or_pauses_is_a_search_that_runs(moment: tuple[Sitting, Search, BoardLook, Pointer]) -> None:
    at, search, look, pointer = moment
    assume(at.position.outcome is None)
    now = enabled(show(at, search, look=look, pointer=pointer))
    assert {"continue", "step"} <= now or not {"continue", "step"} & now
    assert ("move_now" in now) == (search.busy and not at.person_to_move)


def test_a_win_by_threats_is_gone_through_move_by_move_with_the_answers_to_each() -> None:
    position = parse_position("mnk:9,9,5 d5 d6 e5 a1 f5 c2")
    unknown = Truth(position, Value.UNKNOWN, None, tuple(MoveTruth(m, Value.UNKNOWN) for m in position.legal_moves))
    truth = with_threats(unknown, threats_in(position))
    line = TruthLine(wanted=True, sentence="Truth: it is so.")
    at, known = sitting(position.text), Known(truth, line=line)
    at.suggestion = position.parse_move("c5")
    assert show(at).actions != show(at, known=known).actions
    assert {"win_on", "win_back"} <= enabled(show(at, known=known))
    seen, pointer = [], AWAY
    for _ in range(4):
        now = show(at, known=known, pointer=pointer)
        seen.append(([move.text for move in now.board.line], now.truth.sentence))
        assert [move.text for move in now.board.answers] == (["b5"] if pointer.step == 1 else [])
        assert (now.board.suggestion is None) == bool(pointer.step), "its label would cover the moves of the line"
        pointer = stepped(known, pointer, 1)
    assert seen == [
        ([], "Truth: it is so."),
        (["c5"], "1 of 3: c5 threatens to complete a row, and no answer stops it."),
        (["c5", "b5"], "2 of 3: White answers with b5."),
        (["c5", "b5", "g5"], "3 of 3: g5 wins."),
    ]
    assert pointer == AWAY, "after the whole line comes the board as it is"
    assert stepped(known, AWAY, -1).step == 3, "and before that the whole line"
