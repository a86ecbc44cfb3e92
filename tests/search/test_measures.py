"""What a trace says about convergence: hand-made numbers, and laws that hold for every trace."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from nimdesk.agents import make_agent
from nimdesk.games import parse_position
from nimdesk.games.nim.theory import solve_nim
from nimdesk.games.truth import MoveTruth, Truth, Value
from nimdesk.search import Limit, Trace, measures
from nimdesk.search.bounds import Ucb1

POSITION = parse_position("nim:3")
NAN = math.nan


def trace_of(visits: list[list[int]], sums: list[list[float]], text: str = "nim:3") -> Trace:
    counts = np.array(visits, np.uint32)
    return Trace(
        parse_position(text).legal_moves,
        counts.sum(axis=1).astype(np.int64),
        counts.sum(axis=1) * 1e-3,
        counts,
        np.array(sums, np.float64),
        counts.argmax(axis=1),
    )


def truth_of(values: list[Value], value: Value) -> Truth:
    moves = tuple(MoveTruth(move, each) for move, each in zip(POSITION.legal_moves, values, strict=True))
    return Truth(POSITION, value, None, moves)


def simple_regrets(trace: Trace, truth: Truth | None) -> measures.Floats | None:
    """What the choice gives away at each checkpoint."""
    regrets = measures.move_regrets(trace.moves, truth)
    return None if regrets is None else regrets[trace.choice]


HAND = trace_of([[1, 0, 0], [2, 1, 1], [2, 4, 2], [2, 4, 10]], [[1, 0, 0], [1, 0, 1], [1, 3, 2], [1, 3, 8]])
WIN_LAST = truth_of([Value.LOSS, Value.LOSS, Value.WIN], Value.WIN)


def test_means_and_their_errors_by_hand() -> None:
    assert_allclose(measures.means(HAND), [[1, NAN, NAN], [0.5, 0, 1], [0.5, 0.75, 1], [0.5, 0.75, 0.8]])
    expected = [
        [0, NAN, NAN],
        [0.5 / 2**0.5, 0, 0],
        [0.5 / 2**0.5, (0.1875 / 4) ** 0.5, 0],
        [0.5 / 2**0.5, (0.1875 / 4) ** 0.5, (0.16 / 10) ** 0.5],
    ]
    assert_allclose(measures.standard_errors(HAND), expected)


def test_the_bonus_of_a_bound_by_hand() -> None:
    terms = measures.bonuses(HAND, Ucb1(1.5))
    assert terms[3, 1] == pytest.approx(1.5 * math.sqrt(math.log(16) / 4))
    assert terms[0, 0] == 0.0
    assert np.isnan(terms[0, 1])


def test_entropy_by_hand() -> None:
    assert_allclose(measures.entropy_bits(HAND)[:2], [0.0, 1.5])
    assert math.copysign(1, measures.entropy_bits(HAND)[0]) == 1


def test_against_the_truth_by_hand() -> None:
    assert measures.optimal_columns(HAND, WIN_LAST) is not None
    assert_allclose(measures.optimal_shares(HAND, WIN_LAST), [0, 0.25, 0.25, 0.625])
    assert_allclose(simple_regrets(HAND, WIN_LAST), [1, 1, 1, 0])
    drawn = truth_of([Value.DRAW, Value.LOSS, Value.DRAW], Value.DRAW)
    assert_allclose(simple_regrets(HAND, drawn), [0, 0, 0.5, 0])
    assert_allclose(measures.optimal_shares(HAND, drawn), [1, 0.75, 0.5, 0.75])


def test_where_every_move_loses_nothing_is_given_away() -> None:
    lost = truth_of([Value.LOSS] * 3, Value.LOSS)
    assert_allclose(simple_regrets(HAND, lost), [0, 0, 0, 0])
    assert_allclose(measures.optimal_shares(HAND, lost), [1, 1, 1, 1])


def test_what_is_not_proven_is_not_guessed() -> None:
    unknown = truth_of([Value.UNKNOWN] * 3, Value.UNKNOWN)
    for truth in (None, unknown):
        assert measures.optimal_columns(HAND, truth) is None
        assert measures.optimal_shares(HAND, truth) is None
        assert simple_regrets(HAND, truth) is None
    partly = truth_of([Value.UNKNOWN, Value.LOSS, Value.WIN], Value.WIN)
    assert_allclose(simple_regrets(HAND, partly), [NAN, NAN, 1, 0])


def test_a_real_search_agrees_with_theory_in_the_end() -> None:
    position = parse_position("nim:2,3")
    searcher = make_agent("uct", {"iterations": 20_000}).new_searcher()
    searcher.start(position, 1)
    searcher.advance(Limit())
    trace = searcher.snapshot().trace
    assert trace is not None
    truth = solve_nim(position)
    regrets, shares = simple_regrets(trace, truth), measures.optimal_shares(trace, truth)
    assert regrets is not None
    assert shares is not None
    assert regrets[-1] == 0.0
    assert shares[-1] > 0.5
    assert set(regrets.tolist()) == {0.0, 1.0}, "no draws in Nim: a choice is right or wrong"
    final = searcher.snapshot()
    assert_allclose(measures.means(trace)[-1], [stats.mean_value for stats in final.moves])
    assert trace.moves[trace.choice[-1]] == final.best_move


@st.composite
def traces(draw: st.DrawFn) -> Trace:
    rows, columns = draw(st.integers(1, 12)), draw(st.integers(1, 7))
    steps = draw(
        st.lists(st.lists(st.integers(0, 50), min_size=columns, max_size=columns), min_size=rows, max_size=rows)
    )
    visits = np.cumsum(np.array(steps), axis=0)
    visits[:, 0] += 1
    parts = draw(st.lists(st.floats(0, 1), min_size=columns, max_size=columns))
    sums = np.floor(2 * visits * np.array(parts)) / 2
    return trace_of(visits.tolist(), sums.tolist(), f"nim:{columns}")


@given(traces())
def test_laws_of_every_trace(trace: Trace) -> None:
    columns = len(trace.moves)
    visited = trace.visits > 0
    mean, error = measures.means(trace), measures.standard_errors(trace)
    assert (np.isnan(mean) == ~visited).all()
    assert ((mean[visited] >= 0) & (mean[visited] <= 1)).all()
    # No sample in [0, 1] has a larger spread than a coin.
    assert (error[visited] <= 0.5 / np.sqrt(trace.visits[visited]) + 1e-12).all()
    entropy = measures.entropy_bits(trace)
    assert ((entropy >= 0) & (entropy <= math.log2(columns) + 1e-9)).all()
    assert (measures.bonuses(trace, Ucb1(1.0))[visited] >= 0).all()


@given(traces(), st.data())
def test_shares_on_optimal_and_other_moves_make_one(trace: Trace, data: st.DataObject) -> None:
    best = data.draw(st.sampled_from([Value.WIN, Value.DRAW, Value.LOSS]))
    worse = {Value.WIN: [Value.DRAW, Value.LOSS], Value.DRAW: [Value.LOSS], Value.LOSS: [Value.LOSS]}[best]
    values = [best, *(data.draw(st.sampled_from([best, *worse])) for _ in trace.moves[1:])]
    moves = tuple(MoveTruth(move, value) for move, value in zip(trace.moves, values, strict=True))
    truth = Truth(parse_position(f"nim:{len(moves)}"), best, None, moves)
    shares, regrets = measures.optimal_shares(trace, truth), simple_regrets(trace, truth)
    optimal = measures.optimal_columns(trace, truth)
    assert shares is not None
    assert regrets is not None
    assert optimal is not None
    assert_allclose(shares + trace.shares()[:, ~optimal].sum(axis=1), 1.0)
    assert ((regrets == 0) == optimal[trace.choice]).all()
    assert ((regrets >= 0) & (regrets <= 1)).all()
