"""What a FlatSearcher promises, and that it is the player of documents 003 and 004, with their weaknesses."""

from collections.abc import Callable
from fractions import Fraction
from functools import cache, partial
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from msgspec import structs

from nimdesk.errors import OptionError
from nimdesk.games import AnyPosition, NimPosition, parse_position
from nimdesk.games.nim.theory import winning_moves
from nimdesk.play.snapshots import kept
from nimdesk.search import Limit, Snapshot, StopReason, Trace
from nimdesk.search.choice import precedence
from nimdesk.search.flat import FlatSearcher
from nimdesk.search.options import FlatOptions, FlatPerfectOptions, Ties
from nimdesk.search.traces import checkpoints

NIM, GAME_21, BOARD, DROP = "nim:1,3,5,7", "nim:21:max3", "mnk:4,4,3", "mnk:7,6,4:gravity d1"
SIGMAS = 5


def started(
    text: str,
    playouts: int,
    seed: int = 1,
    *,
    perfect_opponent: bool = False,
    overshoot: bool = False,
    ties: Ties = "random",
) -> FlatSearcher:
    if perfect_opponent:
        searcher = FlatSearcher(FlatPerfectOptions(playouts=playouts, ties=ties))
    else:
        searcher = FlatSearcher(FlatOptions(playouts=playouts, ties=ties, overshoot=overshoot))
    searcher.start(parse_position(text), seed)
    return searcher


def searched(text: str, playouts: int, seed: int = 1, **kind: Any) -> Snapshot:
    searcher = started(text, playouts, seed, **kind)
    assert searcher.advance(Limit()) is StopReason.ITERATIONS
    return searcher.snapshot()


def choice(text: str, playouts: int, seed: int = 1, **kind: Any) -> str:
    best = searched(text, playouts, seed, **kind).best_move
    assert best is not None
    return best.text


def trace_of(snapshot: Snapshot) -> Trace:
    assert snapshot.trace is not None
    return snapshot.trace


def essence(snapshot: Snapshot) -> object:
    """All of it but the clock."""
    trace = trace_of(snapshot)
    arrays = [array.tolist() for array in (trace.iterations, trace.visits, trace.value_sum)]
    return structs.replace(snapshot, elapsed_s=0.0, trace=None).moves, snapshot.best_move, arrays


# The exact expected fractions, as the oracle: recursion over all positions, in fractions.

Fractions = Callable[[AnyPosition], list[Fraction]]


@cache
def random_play(position: AnyPosition) -> Fraction:
    """The expected score of the side to move when both sides play uniformly random legal moves."""
    if position.outcome is not None:
        return Fraction(position.outcome.score(position.turn))
    return sum((1 - random_play(position.play(move)) for move in position.legal_moves), Fraction(0)) / len(
        position.legal_moves
    )


@cache
def overshooting_play(position: NimPosition) -> Fraction:
    """The same, when a random move is document 004's: ``randrange(1, MAX_REMOVE + 1)``, however few are left."""
    if position.outcome is not None:
        return Fraction(position.outcome.score(position.turn))
    largest = position.game.max_take
    assert largest is not None
    takes = [min(take, position.largest_take(0)) for take in range(1, largest + 1)]
    after = [position.play(position.legal_moves[take - 1]) for take in takes]
    return sum((1 - overshooting_play(position) for position in after), Fraction(0)) / largest


@cache
def against_perfect(position: NimPosition, ours: bool) -> Fraction:
    """Our expected score when the opponent plays the first winning move, if there is one, and all else is random."""
    if position.outcome is not None:
        score = Fraction(position.outcome.score(position.turn))
        return score if ours else 1 - score
    wins = () if ours else winning_moves(position)
    moves = wins[:1] or position.legal_moves
    return sum((against_perfect(position.play(move), not ours) for move in moves), Fraction(0)) / len(moves)


def fractions(position: AnyPosition) -> list[Fraction]:
    return [1 - random_play(position.play(move)) for move in position.legal_moves]


def overshooting_fractions(position: AnyPosition) -> list[Fraction]:
    assert isinstance(position, NimPosition)
    return [1 - overshooting_play(position.play(move)) for move in position.legal_moves]


def perfect_fractions(position: AnyPosition) -> list[Fraction]:
    assert isinstance(position, NimPosition)
    return [against_perfect(position.play(move), False) for move in position.legal_moves]


def assert_agrees(snapshot: Snapshot, exact: list[Fraction]) -> None:
    """Each mean lies within sampling error of its expectation, and is exact where there is no chance in it."""
    for stats, expected in zip(snapshot.moves, exact, strict=True):
        # The variance of a score in [0, 1] is p(1-p) at most (exactly that where there are no draws).
        error = SIGMAS * float(expected * (1 - expected) / stats.visits) ** 0.5
        assert stats.mean_value == pytest.approx(float(expected), abs=error + 1e-12), stats.move.text


class TestTheFractions:
    """Document 004: "agrees with the exact expected fractions of random play within sampling error"."""

    @pytest.mark.parametrize("rules", ["", ":misere"])
    @pytest.mark.parametrize("sticks", range(1, 22))
    def test_are_those_of_random_play_in_the_21_game(self, sticks: int, rules: str) -> None:
        text = f"nim:{sticks}:max3{rules}"
        assert_agrees(searched(text, 10_000), fractions(parse_position(text)))
        assert_agrees(searched(text, 10_000, overshoot=True), overshooting_fractions(parse_position(text)))

    @pytest.mark.parametrize(
        "text",
        [
            "nim:3,4,5",
            "nim:1,3,5,7:misere",
            "nim:6,5:max2",
            "nim:9",
            "nim:7:max1",
            "mnk:3,3,3 b2 a1 c3",
            "mnk:3,3,3 a1 b2 c3 b1",
            "mnk:4,2,2",
            "mnk:3,4,3:gravity a1 b1 c1 b2",
        ],
    )
    def test_are_those_of_random_play_in_any_game(self, text: str) -> None:
        assert_agrees(searched(text, 20_000), fractions(parse_position(text)))

    @pytest.mark.parametrize("text", ["nim:21:max3", "nim:18:max3:misere", "nim:3,4,5", "nim:2,3,4:max2:misere"])
    def test_against_a_perfect_opponent_are_those_of_a_random_player(self, text: str) -> None:
        assert_agrees(searched(text, 20_000, perfect_opponent=True), perfect_fractions(parse_position(text)))

    def test_of_moves_that_end_the_game_are_exact_at_every_checkpoint(self) -> None:
        for text, column, value in (("nim:3:max3", 2, 1.0), ("nim:3:max3:misere", 2, 0.0), ("nim:1:misere", 0, 0.0)):
            trace = trace_of(searched(text, 50))
            assert trace.value_sum[:, column].tolist() == (value * trace.visits[:, column]).tolist()
        drawn = searched("mnk:3,3,3 a1 b1 c1 a2 b2 c2 b3 a3", 7)
        assert [stats.mean_value for stats in drawn.moves] in ([0.5], [1.0])

    def test_two_documents_differ_near_the_end_of_the_game(self) -> None:
        """With 4 left, 004 says that taking 1 wins most random games: so it does with its own random moves alone."""
        four = parse_position("nim:4:max3")
        assert fractions(four) == [Fraction(1, 2), Fraction(1, 2), 0]
        assert overshooting_fractions(four) == [Fraction(5, 9), Fraction(1, 3), 0]
        assert {choice("nim:4:max3", 10_000, seed, overshoot=True) for seed in range(20)} == {"1-1"}
        assert {choice("nim:4:max3", 10_000, seed) for seed in range(20)} == {"1-1", "1-2"}


def wrong_with_infinite_playouts(rules: str, exact: Fractions) -> list[int]:
    """The won positions of 4 to 21 sticks in which the move with the best expected fraction does not win."""
    wrong = []
    for sticks in range(4, 22):
        position = parse_position(f"nim:{sticks}:max3{rules}")
        assert isinstance(position, NimPosition)
        values = exact(position)
        wins = winning_moves(position)
        if wins and position.legal_moves[values.index(max(values))] not in wins:
            wrong.append(sticks)
    return wrong


class TestTheWeakness:
    """Which positions flat Monte Carlo gets wrong, and why: 004's "decay", 003's "wrong game outcome"."""

    def test_from_14_sticks_on_it_chooses_wrong_even_with_infinitely_many_playouts(self) -> None:
        # 4, 8, 12, 16 and 20 are lost, so there is nothing to get wrong: of the won ones from 14 on, none is right.
        assert wrong_with_infinite_playouts("", fractions) == [14, 15, 17, 18, 19, 21]
        assert wrong_with_infinite_playouts("", overshooting_fractions) == [14, 15, 17, 18, 19, 21]

    def test_in_misere_play_it_begins_at_10_sticks(self) -> None:
        assert wrong_with_infinite_playouts(":misere", fractions) == [10, 11, 12, 14, 15, 16, 18, 19, 20]

    def test_the_reason_is_that_random_games_forget_who_is_winning(self) -> None:
        """From 14 sticks, theory leaves 12 (lost) and not 13 (won); but at random both are about even, 13 the worse."""
        won, lost = random_play(parse_position("nim:13:max3")), random_play(parse_position("nim:12:max3"))
        assert won < lost < Fraction(1, 2)
        assert fractions(parse_position("nim:14:max3")) == [
            Fraction(29842, 59049),  # leaves 13
            Fraction(9926, 19683),  # leaves 12: the winning move
            Fraction(6389, 13122),  # leaves 11
        ]
        farthest = [
            max(abs(random_play(parse_position(f"nim:{size}:max3")) - Fraction(1, 2)) for size in range(low, low + 4))
            for low in (1, 5, 9, 13, 17, 21)
        ]
        assert all(3 * after < 2 * before for before, after in pairwise(farthest))

    @pytest.mark.parametrize("sticks", [5, 6, 7, 9, 10, 11])
    def test_up_to_11_sticks_10_000_playouts_are_reliably_right(self, sticks: int) -> None:
        """004: "By the time the number of items reaches 10, the algorithm reliably returned the optimal move."."""
        for seed in range(30):
            for overshoot in (False, True):
                assert choice(f"nim:{sticks}:max3", 10_000, seed, overshoot=overshoot) == f"1-{sticks % 4}"

    @pytest.mark.parametrize(("sticks", "wrong"), [(14, "1-1"), (15, "1-2"), (17, "1-3"), (18, "1-1")])
    def test_more_playouts_make_it_surer_of_the_wrong_move(self, sticks: int, wrong: str) -> None:
        best, second = sorted(overshooting_fractions(parse_position(f"nim:{sticks}:max3")))[:-3:-1]
        playouts = 1_000_000
        assert float(best - second) > SIGMAS * (0.5 / playouts) ** 0.5
        assert choice(f"nim:{sticks}:max3", playouts, overshoot=True) == wrong

    def test_from_21_sticks_10_000_playouts_are_no_better_than_chance(self) -> None:
        right = sum(choice("nim:21:max3", 10_000, seed) == "1-1" for seed in range(150))
        assert right < 150 * 0.45

    @pytest.mark.parametrize("sticks", [1, 2, 3])
    def test_at_the_end_it_takes_all(self, sticks: int) -> None:
        """004: for 1 to 3 items left, the move of n has a win rate of 100 %."""
        snapshot = searched(f"nim:{sticks}:max3", 1_000)
        assert snapshot.moves[-1].mean_value == 1.0
        assert snapshot.best_move == snapshot.moves[-1].move


class TestPerfectOpponent:
    """Document 003's second player: only a winning move ever wins a playout."""

    def test_plays_the_game_that_the_document_prints(self) -> None:
        """MonteCarloPerfectOppAgent against MCTSAgent, 21 sticks, misère: its six moves, as printed."""
        printed = {21: 1, 17: 1, 14: 1, 11: 2, 7: 2, 4: 3}
        for seed in range(5):
            for sticks, take in printed.items():
                text = f"nim:{sticks}:max3:misere"
                assert choice(text, 1_000, seed, perfect_opponent=True, ties="first") == f"1-{take}"

    @pytest.mark.parametrize("rules", ["", ":misere"])
    def test_is_perfect_up_to_21_sticks(self, rules: str) -> None:
        for sticks in range(1, 22):
            position = parse_position(f"nim:{sticks}:max3{rules}")
            assert isinstance(position, NimPosition)
            wins = winning_moves(position)
            snapshot = searched(position.text, 1_000, perfect_opponent=True)
            assert snapshot.best_move in (wins or position.legal_moves)
            for stats in snapshot.moves:
                assert (stats.mean_value == 0.0) == (stats.move not in wins)

    def test_sees_nothing_in_a_long_game(self) -> None:
        """A random player keeps a win with one of three moves each time: from 63 sticks, never seen in 1,000."""
        snapshot = searched("nim:63:max3:misere", 1_000, perfect_opponent=True)
        assert [stats.mean_value for stats in snapshot.moves] == [0.0, 0.0, 0.0]
        assert max(perfect_fractions(snapshot.position)) < Fraction(1, 1_000_000)

    def test_other_games_are_refused_in_one_sentence(self) -> None:
        with pytest.raises(OptionError, match=r"^Flat Monte Carlo with a perfect opponent plays Nim only, not Tic-tac"):
            started("mnk:3,3,3", 10, perfect_opponent=True)

    @pytest.mark.parametrize("text", ["mnk:3,3,3", "nim:3,4:max2", "nim:9"])
    def test_taking_more_than_is_left_is_refused_elsewhere(self, text: str) -> None:
        with pytest.raises(OptionError, match="one pile and a largest take"):
            started(text, 10, overshoot=True)


class TestTheSearch:
    @pytest.mark.parametrize(
        ("text", "kind"),
        [(NIM, {}), (BOARD, {}), (DROP, {}), ("nim:3,4,5", {"perfect_opponent": True}), (GAME_21, {"overshoot": True})],
    )
    def test_is_the_same_however_it_is_sliced_and_for_the_same_seed_only(
        self, text: str, kind: dict[str, bool]
    ) -> None:
        whole = searched(text, 500, **kind)
        sliced = started(text, 500, **kind)
        while sliced.advance(Limit(iterations=sliced.iterations + 37)) is None:
            pass
        assert essence(sliced.snapshot()) == essence(whole)
        assert essence(searched(text, 500, seed=2, **kind)) != essence(whole)
        # The searcher can be used again.
        sliced.start(parse_position(text), 1)
        sliced.advance(Limit())
        assert essence(sliced.snapshot()) == essence(whole)

    @pytest.mark.parametrize("text", [NIM, BOARD, DROP])
    def test_goes_round_the_moves_in_sweeps(self, text: str) -> None:
        snapshot = searched(text, 300)
        moves = len(snapshot.moves)
        assert snapshot.iterations == snapshot.total_visits == 300 * moves
        assert {stats.visits for stats in snapshot.moves} == {300}
        assert snapshot.tree_nodes == moves + 1
        trace = trace_of(snapshot)
        assert trace.moves == snapshot.position.legal_moves
        last_checkpoints = [at for at in checkpoints(300 * moves) if at < 300 * moves]
        assert trace.iterations.tolist() == [*last_checkpoints, 300 * moves]
        (preferred,) = precedence(snapshot.position, (snapshot.seed,))
        for at, visits in zip(trace.iterations, trace.visits, strict=True):
            # What is preferred among equals comes first in each sweep.
            assert visits.tolist() == [at // moves + (moves - 1 - rank < at % moves) for rank in preferred]
        assert trace.visits[-1].tolist() == [stats.visits for stats in snapshot.moves]
        assert (trace.value_sum[-1] / 300).tolist() == [stats.mean_value for stats in snapshot.moves]
        assert (np.diff(trace.elapsed_s) >= 0).all()
        assert 0 <= trace.elapsed_s[0] <= trace.elapsed_s[-1] <= snapshot.elapsed_s
        assert not trace.value_sum.flags.writeable
        kept(snapshot, snapshot.position)

    def test_can_be_looked_at_between_slices(self) -> None:
        searcher = started(BOARD, 1_000)
        before = searcher.snapshot()
        assert (before.iterations, before.best_move, before.stopped, len(trace_of(before))) == (0, None, None, 0)
        assert all(stats.mean_value is None and stats.principal_variation == () for stats in before.moves)
        assert searcher.advance(Limit(iterations=5)) is None
        early = searcher.snapshot()
        frozen = essence(early)
        assert sorted(stats.visits for stats in early.moves) == [0] * 11 + [1] * 5
        assert early.best_move in [stats.move for stats in early.moves if stats.visits]
        assert trace_of(early).iterations.tolist() == [1, 2, 3, 4, 5]
        searcher.advance(Limit())
        assert essence(early) == frozen
        assert searcher.advance(Limit()) is StopReason.ITERATIONS
        kept(early, early.position)

    def test_the_first_among_equals_is_played_where_a_document_has_it_so(self) -> None:
        first = partial(choice, ties="first")
        assert first("nim:21:max3:misere", 50, perfect_opponent=True) == "1-1"  # lost: all means are 0
        assert first("mnk:3,3,1", 50) == "a1"  # every move wins
        assert first("nim:5,5:misere 1-5 2-4", 10) == "2-1"
        assert {choice("nim:21:max3:misere", 50, seed, perfect_opponent=True) for seed in range(20)} == {
            "1-1",
            "1-2",
            "1-3",
        }

    def test_limits_on_time_and_nodes_are_met(self) -> None:
        searcher = started("mnk:15,15,5", 100_000)
        assert searcher.advance(Limit(nodes=10)) is None
        assert searcher.snapshot().tree_nodes == 10
        assert searcher.advance(Limit(time_s=0.05)) is None
        assert 0.05 <= searcher.snapshot().elapsed_s < 0.5
        done = searcher.iterations
        assert searcher.advance(Limit(time_s=0.04)) is None
        assert searcher.iterations == done

    def test_the_largest_game_is_searched(self) -> None:
        text = "nim:" + ",".join(["64"] * 12)
        for kind in ({}, {"perfect_opponent": True}):
            snapshot = searched(text, 1, **kind)
            assert snapshot.iterations == 768

    def test_a_finished_game_is_refused_in_words(self) -> None:
        with pytest.raises(ValueError, match="the game is over"):
            started("nim:1 1-1", 10)

    def test_snapshots_carry_the_agents_name(self) -> None:
        searcher = FlatSearcher(FlatPerfectOptions(playouts=1))
        searcher.start(parse_position("nim:3"), 9)
        assert (searcher.snapshot().agent, searcher.snapshot().seed) == ("flat-perfect", 9)
