"""What the laboratory shows at one moment is one value: whatever speaks of a search, speaks of the same one."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace as with_fields
from synthetic import STARTS, make_snapshot

from nimdesk.agents import make_agent
from nimdesk.games import NimPosition, parse_position
from nimdesk.games.base import describe_move
from nimdesk.games.kit import threats_in
from nimdesk.games.nim.theory import solve_nim
from nimdesk.games.truth import MoveTruth, Truth, Value, with_threats
from nimdesk.play.laboratory import MAX_AGENTS, AgentSearch, LabMoment, LabShown, lab_shown
from nimdesk.play.moment import BoardLook, Known, Pointer, stepped
from nimdesk.search import MoveStats, Snapshot
from nimdesk.search.timeline import Cost, Recorder, cost_of

UCT = make_agent("uct").unlimited()
LOOK, AWAY = BoardLook(), Pointer()


def show(at: LabMoment, look: BoardLook = LOOK, pointer: Pointer = AWAY) -> LabShown:
    return lab_shown(at, look, pointer)


def searched(snapshot: Snapshot, *, number: int = 0) -> AgentSearch:
    recorder = Recorder()
    recorder.add(snapshot)
    return AgentSearch(UCT, snapshot.seed, number, snapshot, recorder.timeline(snapshot))


def moment_of(snapshot: Snapshot) -> LabMoment:
    """The newest moment of this search alone."""
    return LabMoment(snapshot.position, (searched(snapshot),), state=snapshot)


def enabled(now: LabShown) -> set[str]:
    return {name.removeprefix("lab_") for name, would in now.actions if would}


@st.composite
def moments(draw: st.DrawFn) -> tuple[LabMoment, BoardLook, Pointer]:
    """One to four searches of a position, one of them in focus, now or earlier; perhaps a move is pointed at."""
    position = parse_position(draw(st.sampled_from(STARTS)))
    count = draw(st.integers(1, MAX_AGENTS))
    searches = tuple(
        searched(make_snapshot(position, 5, draw(st.integers(0, 99))), number=each) for each in range(count)
    )
    focus = draw(st.integers(0, count - 1))
    newest = searches[focus].newest
    assert newest is not None
    cost = draw(st.sampled_from(Cost))
    back = draw(st.booleans())
    state = with_fields(newest, iterations=newest.iterations // 2, elapsed_s=newest.elapsed_s / 2) if back else newest
    at = LabMoment(
        position, searches, focus, state, cost_of(state, cost) if back else None, cost=cost, running=draw(st.booleans())
    )
    moves = st.none() | st.sampled_from(position.legal_moves)
    line = draw(st.sampled_from(newest.moves)).principal_variation
    return at, BoardLook(overlay=draw(st.booleans())), Pointer(draw(moves), plot=draw(moves), line=line)


@given(moments())
def test_all_that_is_shown_of_a_search_is_of_the_one_in_focus_at_the_moment_shown(
    moment: tuple[LabMoment, BoardLook, Pointer],
) -> None:
    at, look, pointer = moment
    now = show(at, look, pointer)
    state, board = at.state, now.board
    assert state is not None
    assert state.best_move is not None
    assert at.focused.newest is not None
    assert board.searched is (state if look.overlay else None)
    assert (board.position, now.at.focused.seed) == (state.position, state.seed)
    assert f" {describe_move(state.best_move)}" in now.sentence
    assert at.spent == (None if at.moment is None else cost_of(state, at.cost))


@given(moments())
def test_a_moment_is_a_value(moment: tuple[LabMoment, BoardLook, Pointer]) -> None:
    at, look, pointer = moment
    now, again = show(at, look, pointer), show(replace(at), look, pointer)
    assert now == again
    assert hash(now) == hash(again)
    assert show(replace(at, running=not at.running), look, pointer) != now


@given(moments())
def test_the_move_pointed_at_is_one_and_the_board_marks_it_unless_the_mouse_is_there(
    moment: tuple[LabMoment, BoardLook, Pointer],
) -> None:
    at, look, pointer = moment
    now = show(at, look, pointer)
    assert now.pointed == (pointer.plot if pointer.board is None else pointer.board)
    assert (now.board.highlight, now.board.line) == (pointer.plot, pointer.line)


# The sentence


@pytest.mark.parametrize(
    ("at", "words"),
    [
        ({}, "MCTS, textbook has not begun. Press F5."),
        (
            {"running": True, "preparing": True},
            "Preparing the search; the first time for a game this takes some seconds…",
        ),
        ({"running": True}, "The search has begun; its first results appear here in a moment."),
    ],
)
def test_before_the_first_result_the_sentence_says_what_is_waited_for(at: dict[str, bool], words: str) -> None:
    position = parse_position("nim:3,4,5")
    assert show(LabMoment(position, (AgentSearch(UCT, 1),), **at)).sentence == words  # type: ignore[arg-type]


def test_a_search_that_failed_says_why_and_one_that_is_looked_at_before_its_first_simulation_has_no_choice() -> None:
    position = parse_position("nim:3,4,5")
    failed = AgentSearch(UCT, 1, problem="It ran out of memory.")
    assert show(LabMoment(position, (failed,))).sentence == "MCTS, textbook: It ran out of memory."
    before = with_fields(make_snapshot(position), best_move=None)
    at = replace(moment_of(before), moment=1.0)
    assert show(at).sentence == "Before its first simulation MCTS, textbook prefers no move."


def undecided(text: str, choice: int) -> LabMoment:
    """A search without proofs that would play this move, and the truth of its position."""
    position = parse_position(text)
    assert isinstance(position, NimPosition)
    moves = tuple(MoveStats(move, 10, 0.5) for move in position.legal_moves)
    snapshot = with_fields(make_snapshot(position), moves=moves, best_move=moves[choice].move)
    return replace(moment_of(snapshot), known=Known(truth=solve_nim(position)))


def test_the_sentence_judges_the_leader_by_what_is_proven_of_this_position() -> None:
    position = parse_position("nim:2,3")
    assert isinstance(position, NimPosition)
    best = solve_nim(position).best_moves
    for choice, move in enumerate(position.legal_moves):
        sentence = show(undecided("nim:2,3", choice)).sentence
        assert sentence.endswith("The leader is optimal.") == (move in best)
        assert ("That is a mistake (loss in" in sentence) == (move not in best)
    assert "mistake" not in show(undecided("nim:2,2", 0)).sentence, "every move of a lost position loses"
    at = undecided("nim:2,3", 0)
    other = parse_position("nim:3,3")
    assert isinstance(other, NimPosition)
    elsewhere = replace(at, known=Known(truth=solve_nim(other)))
    assert show(elsewhere).sentence == show(replace(at, known=Known())).sentence


def test_the_sentence_counts_the_changes_of_the_leader_up_to_the_moment_shown() -> None:
    snapshot = make_snapshot(parse_position("nim:1,3,5,7"), 40, 3)
    at = moment_of(snapshot)
    line = at.focused.timeline
    assert line is not None
    assert line.changes
    for row in range(len(line)):
        then = with_fields(snapshot, iterations=int(line.iterations[row]))
        before = [change for change in line.changes if change <= row]
        sentence = show(replace(at, state=then, moment=1.0)).sentence
        times = {0: "", 1: "the leader changed once"}.get(len(before), f"the leader changed {len(before)} times")
        assert times in sentence
        assert ("the leader changed" in sentence) == bool(before)
        assert not before or f"last at iteration {int(line.iterations[before[-1]]):,}" in sentence


# The actions


def test_only_what_would_do_something_can_be_done() -> None:
    position = parse_position("nim:3,4,5")
    fresh = LabMoment(position, (AgentSearch(UCT, 1),))
    assert enabled(show(fresh)) == {"run", "add"}
    at = moment_of(make_snapshot(position))
    looking = {"first", "earlier", "play", "later", "newest", "change_before", "change_after"}
    assert enabled(show(at)) == {"run", "over", "add", "many"} | looking
    assert enabled(show(replace(at, running=True))) == {"stop", "over", "add", "many"} | looking
    assert "many" not in enabled(show(replace(at, repeats=(1, 29))))
    seedless = replace(at.focused, agent=make_agent("alphabeta").unlimited())
    assert "many" not in enabled(show(replace(at, searches=(seedless,))))
    assert "run" not in enabled(show(replace(at, searches=(replace(at.focused, finished=True),))))
    four = replace(at, searches=tuple(replace(at.focused, number=each) for each in range(MAX_AGENTS)))
    assert {"side", "add"} & enabled(show(four)) == {"side"}
    moved = replace(fresh, position=position.play(position.legal_moves[0]), can_back=True)
    assert {"back", "forward", "parent"} & enabled(show(moved)) == {"back", "parent"}
    over = replace(fresh, position=parse_position("nim:1 1-1"))
    assert "run" not in enabled(show(over))
    assert show(over).sentence == ""


def test_the_laboratory_goes_through_a_win_by_threats_too() -> None:
    position = parse_position("mnk:9,9,5 d5 d6 e5 a1 f5 c2")
    unknown = Truth(position, Value.UNKNOWN, None, tuple(MoveTruth(m, Value.UNKNOWN) for m in position.legal_moves))
    known = Known(with_threats(unknown, threats_in(position)))
    at = LabMoment(position, (AgentSearch(UCT, 1),), known=known)
    now = show(at, pointer=stepped(known, AWAY, 1))
    assert [move.text for move in now.board.line] == ["c5"]
    assert now.truth.sentence == "1 of 3: c5 threatens to complete a row, and no answer stops it."
    assert {"win_on", "win_back"} <= enabled(now)
    assert not {"win_on", "win_back"} & enabled(show(replace(at, known=Known())))
