"""The one order by which searches choose: each key decides where those before it do not, and chance is fair."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from nimdesk.games import parse_position, solver_for
from nimdesk.games.kit import known_at_once, preferences
from nimdesk.games.truth import MoveTruth, Value
from nimdesk.limit import Limit
from nimdesk.search.choice import best_proven, by_counts, by_order, haste, precedence, resistance, standing

LOSS, DRAW, WIN = 0, 1, 2
UNTRIED = 0


def between(least: int, most: int) -> int:
    """The bounds of a move, as the search notes them."""
    return 1 + 3 * least + most


OPEN, LOST, DRAWN, WON = between(LOSS, WIN), between(LOSS, LOSS), between(DRAW, DRAW), between(WIN, WIN)
AT_LEAST_DRAWN, AT_MOST_DRAWN = between(DRAW, WIN), between(LOSS, DRAW)


@pytest.mark.parametrize(
    ("visits", "score", "bounds", "chosen"),
    [
        ((5, 9, 9), (0, 0, 0), (OPEN, OPEN, OPEN), 2),
        ((5, 9, 9), (0, 3, 0), (OPEN, OPEN, OPEN), 1),
        ((5, 9, 3), (0, 0, 0), (OPEN, LOST, OPEN), 0),
        ((5, 9, 0), (0, 0, 0), (LOST, LOST, UNTRIED), 2),
        ((5, 0, 0), (0, 0, 0), (OPEN, UNTRIED, UNTRIED), 0),
        ((5, 9, 3), (0, 0, 0), (LOST, LOST, LOST), 1),
        ((5, 9, 3), (5, 9, 3), (OPEN, OPEN, WON), 2),
        ((5, 9, 3), (0, 10, 0), (OPEN, OPEN, DRAWN), 1),
        ((5, 9, 3), (0, 8, 0), (OPEN, OPEN, DRAWN), 2),
        ((5, 9, 3), (0, 9, 0), (OPEN, OPEN, DRAWN), 2),
        ((5, 9, 3), (0, 8, 0), (AT_LEAST_DRAWN, AT_MOST_DRAWN, LOST), 0),
        ((5, 9, 3), (0, 10, 0), (AT_LEAST_DRAWN, AT_MOST_DRAWN, LOST), 1),
        ((5, 9, 3), (0, 10, 0), (DRAWN, AT_MOST_DRAWN, LOST), 0),
        ((5, 9, 0), (0, 10, 0), (DRAWN, AT_MOST_DRAWN, UNTRIED), 1),
        ((0, 9, 0), (0, 9, 0), (UNTRIED, OPEN, WON), 2),
    ],
)
def test_what_is_proven_goes_before_visits_means_and_chance(
    visits: tuple[int, ...], score: tuple[float, ...], bounds: tuple[int, ...], chosen: int
) -> None:
    # Beside a row in which the first move wins: each row is judged by itself. Chance prefers the last move.
    rows = [np.array([row, row[::-1]]) for row in (visits, score, bounds)]
    counts, scores, both = rows[0].astype(np.uint32), rows[1].astype(np.float64), rows[2].astype(np.uint8)
    both[1] = (WON, OPEN, OPEN)
    keys = standing(counts, scores, both), *by_counts("visits", counts, scores / 2), np.arange(3)
    assert by_order(keys).tolist() == [chosen, 0]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=9))
def test_the_order_is_that_of_tuples(keys: list[tuple[int, int, int]]) -> None:
    columns = [np.array(key) for key in zip(*keys, strict=True)]
    assert keys[by_order(columns)] == max(keys)


def test_each_rule_looks_at_its_own_count_first() -> None:
    visits, sums = np.array([[2, 4, 2], [4, 4, 1]]), np.array([[1, 3, 2], [3, 2, 0.5]])
    chosen = {rule: by_order(by_counts(rule, visits, sums)).tolist() for rule in ("visits", "mean", "secure")}
    # mean − 1/√n in the first row: 0.5 − 0.71, 0.75 − 0.5, 1 − 0.71.
    assert chosen == {"visits": [1, 0], "mean": [2, 0], "secure": [2, 0]}


@pytest.mark.parametrize("text", ["nim:3,4,5", "mnk:3,3,3", "mnk:7,6,4:gravity d1", "mnk:9,9,5 e5", "take:0.77:5,7"])
def test_chance_is_fair_among_moves_that_the_game_likes_alike(text: str) -> None:
    position = parse_position(text)
    ranks = precedence(position, range(20_000))
    assert (np.sort(ranks, axis=1) == np.arange(len(position.legal_moves))).all(), "all differ"
    liked = np.array(preferences(position))
    assert (liked[ranks.argmax(axis=1)] == liked.max()).all(), "what the game prefers goes first"
    for level in set(liked.tolist()):
        alike = np.flatnonzero(liked == level)
        if len(alike) > 1:
            won = np.bincount(ranks[:, alike].argmax(axis=1), minlength=len(alike))
            assert stats.chisquare(won).pvalue > 1e-5, "each of them is first equally often"


def test_chance_comes_from_the_seed_alone() -> None:
    position = parse_position("nim:3,4,5")
    assert (precedence(position, (1, 2, 3))[1] == precedence(position, (2,))[0]).all()
    firsts = precedence(position, range(2_000)).argmax(axis=1)
    # Neighbouring seeds have nothing to do with each other.
    pairs = np.zeros((12, 12))
    np.add.at(pairs, (firsts[:-1], firsts[1:]), 1)
    assert stats.chi2_contingency(pairs).pvalue > 1e-5


def test_a_document_may_play_the_first_of_the_list() -> None:
    assert (precedence(parse_position("mnk:3,3,3"), range(50), "first").argmax(axis=1) == 0).all()


MOVES = parse_position("nim:4").legal_moves


def truths(*values: tuple[Value, int | None]) -> list[MoveTruth]:
    return [MoveTruth(move, *value) for move, value in zip(MOVES, values, strict=True)]


W, D, L, U = Value.WIN, Value.DRAW, Value.LOSS, Value.UNKNOWN


@pytest.mark.parametrize(
    ("values", "chosen"),
    [
        (((W, 5), (W, 3), (L, 2), (D, 9)), {1}),
        (((W, None), (W, 7), (U, None), (D, 9)), {1}),
        (((W, None), (W, None), (L, 2), (L, 2)), {0, 1}),
        (((L, 2), (L, 6), (L, 4), (L, 6)), {1, 3}),
        (((L, None), (L, 6), (L, 4), (L, 2)), {1}),
        (((L, 8), (D, 6), (D, 4), (L, 2)), {1, 2}),
        (((U, None), (L, 9), (U, None), (L, 9)), {0, 2}),
        (((U, None), (D, 9), (U, None), (L, 9)), {1}),
    ],
)
def test_the_shortest_win_and_the_longest_loss(values: tuple[tuple[Value, int | None], ...], chosen: set[int]) -> None:
    position = parse_position("nim:4")
    orders = (np.array(order) for order in itertools.permutations(range(4)))
    assert {MOVES.index(best_proven(position, truths(*values), order).move) for order in orders} == chosen


def test_where_every_move_loses_at_once_it_leaves_the_fewest_ways_to_do_so() -> None:
    # Black threatens to complete four stones to five at either end; a move elsewhere leaves both.
    position = parse_position("mnk:15,15,5 h8 h9 i8 g7 j8 c3 k8")
    solver = solver_for(position)
    solver.start(position)
    assert solver.advance(Limit(nodes=10_000))
    moves = solver.truth().moves
    assert {each.distance for each in moves} == {2}
    chosen = {best_proven(position, moves, row).move.text for row in precedence(position, range(20))}
    assert chosen == {"g8"}, "of the two ends that which is nearer to the middle"
    assert len(set(haste(position, moves)[1].tolist())) == 2


def test_which_moves_hold_out_longest_is_only_said_where_all_are_known() -> None:
    told = resistance(truths((L, 2), (L, 6), (L, 4), (L, 6)), exact=True)
    assert told is not None
    assert [move.text for move in told.longest] == ["1-2", "1-4"]
    assert resistance(truths((L, 2), (L, 6), (L, None), (L, 6)), exact=True) is None
    assert resistance(truths((L, 2), (L, 6), (D, 4), (L, 6)), exact=True) is None


def test_what_is_known_at_once_is_the_formulas_answer() -> None:
    truth = known_at_once(parse_position("nim:1,3,5,7"))
    assert truth is not None
    assert (truth.value, truth.complete) == (Value.LOSS, True)
    assert known_at_once(parse_position("take:0.77:3,4")) is not None
    assert known_at_once(parse_position("take:0.77:3,4:misere")) is None
    assert known_at_once(parse_position("mnk:3,3,3")) is None
