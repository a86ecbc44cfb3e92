"""The likelihood of a mean score against scipy, which finds the likeliest distributions itself; and what it covers."""

import itertools
import math
import operator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

from nimdesk.experiments.likelihood import (
    SCORES,
    UNSEEN,
    as_columns,
    certainty,
    log_likelihood,
    mean_score,
    of_differences,
    score_interval,
    superiority,
)

COUNTS = st.one_of(
    st.lists(st.integers(0, 300), min_size=3, max_size=3), st.lists(st.integers(0, 300), min_size=5, max_size=5)
).filter(any)
MIXED = [
    (30, 20, 10),
    (5, 90, 7),
    (66, 34, 0),
    (12, 3, 1, 0, 0),
    (30, 20, 10, 8, 2),
    (0, 0, 11, 8, 1),
    (9, 0, 22, 0, 8),
]
ALIKE = [(10, 0, 0), (0, 7, 0), (0, 0, 400), (0, 0, 100, 0, 0), (0, 25, 0, 0, 0), (0, 0, 0, 0, 200)]


def likeliest(counts: tuple[int, ...], score: float) -> float:
    """The log-likelihood of the likeliest distribution of all outcomes with this mean, found by scipy."""
    scores, n, size = SCORES[len(counts)], sum(counts), len(counts)
    found = optimize.minimize(
        lambda p: -sum(count / n * math.log(each) for count, each in zip(counts, p, strict=True) if count),
        np.full(size, 1 / size),
        bounds=[(1e-9, 1)] * size,
        constraints=[
            {"type": "eq", "fun": lambda p: sum(p) - 1},
            {"type": "eq", "fun": lambda p: sum(map(operator.mul, p, scores)) - score},
        ],
        options={"ftol": 1e-14, "maxiter": 2_000},
    )
    return -float(found.fun) * n


@pytest.mark.parametrize("counts", [*MIXED, *ALIKE])
def test_an_interval_ends_where_the_likelihood_has_fallen_by_1_92(counts: tuple[int, ...]) -> None:
    top = sum(count * math.log(count / sum(counts)) for count in counts if count)
    low, high = score_interval(*counts)
    assert low <= mean_score(*counts) <= high
    # An unseen outcome counts as a little of a game, of which scipy does not know.
    for end in (low, high):
        if 0 < end < 1:
            assert top - likeliest(counts, end) == pytest.approx(1.96**2 / 2, abs=0.01)
            assert log_likelihood(end, *counts) == pytest.approx(-(1.96**2) / 2, abs=1e-6)


@pytest.mark.parametrize("counts", [(9, 0, 0), (9, 0, 0, 0, 0)])
def test_who_has_won_everything_may_be_infinitely_stronger_and_who_has_lost_it_weaker(counts: tuple[int, ...]) -> None:
    low, high = score_interval(*counts)
    assert high == 1
    # By hand: all nine are won with the probability low^9, which is to be exp(-1.92).
    assert low == pytest.approx(math.exp(-1.9208 / 9), abs=0.002)
    assert score_interval(*counts[::-1]) == pytest.approx((0, 1 - low))


def test_without_a_game_nothing_is_known() -> None:
    assert score_interval(0, 0, 0) == (0, 1)
    assert superiority(0, 0, 0, 0, 0) == 0.5
    assert math.isnan(mean_score(0, 0, 0))


@given(COUNTS)
def test_exchanging_the_players_turns_everything_round(counts: list[int]) -> None:
    low, high = score_interval(*counts)
    other_low, other_high = score_interval(*counts[::-1])
    assert (low, high) == pytest.approx((1 - other_high, 1 - other_low), abs=1e-9)
    assert superiority(*counts) == pytest.approx(1 - superiority(*counts[::-1]), abs=1e-4)


@given(COUNTS)
def test_who_is_surely_stronger_has_an_interval_above_one_half(counts: list[int]) -> None:
    low, high = score_interval(*counts)
    sure = superiority(*counts)
    if abs(low - 0.5) > 1e-6 and abs(high - 0.5) > 1e-6:
        assert (low > 0.5) == (sure > stats.norm.cdf(1.96))
        assert (high < 0.5) == (sure < stats.norm.cdf(-1.96))


def test_the_likelihood_of_superiority_is_about_that_of_the_normal_distribution() -> None:
    for wins, losses in ((520, 480), (600, 500), (230, 260)):
        assert superiority(wins, 300, losses) == pytest.approx(
            stats.norm.cdf((wins - losses) / math.sqrt(wins + losses)), abs=0.003
        )
    assert certainty(0.0) == 0.5


def test_pairs_in_which_the_role_decides_narrow_the_interval_and_so_do_draws() -> None:
    def width(*counts: int) -> float:
        low, high = score_interval(*counts)
        return high - low

    assert width(10, 80, 10) < 0.6 * width(50, 0, 50)
    assert width(0, 5, 90, 5, 0) < 0.4 * width(100, 0, 100)


@pytest.mark.parametrize("counts", [*MIXED, *ALIKE])
def test_as_arrays_it_has_the_same_value_and_its_derivatives(counts: tuple[int, ...]) -> None:
    seen, scores = as_columns([counts], UNSEEN)
    at = np.array([[-9.0], [-2.0], [-0.3], [0.004], [0.7], [3.0], [11.0]])
    value, slope, curve = of_differences(seen, scores, at)
    expected = [log_likelihood(1 / (1 + math.exp(-float(x))), *counts) for x in at[:, 0]]
    assert value[:, 0] == pytest.approx(expected, rel=1e-6, abs=1e-6)
    step = 1e-6
    (ahead, steeper, _), (behind, flatter, _) = (of_differences(seen, scores, at + each) for each in (step, -step))
    assert slope == pytest.approx((ahead - behind) / (2 * step), abs=1e-4)
    assert curve == pytest.approx((steeper - flatter) / (2 * step), rel=1e-2, abs=1e-3)
    assert (curve <= 0).all(), "it is concave"


@pytest.mark.parametrize(
    ("chances", "n"),
    [((0.5, 0.2, 0.3), 40), ((0.3, 0.5, 0.2), 40), ((0.45, 0, 0.55), 60), ((0.1, 0.15, 0.6, 0.1, 0.05), 12)],
)
def test_an_interval_holds_the_truth_about_as_often_as_it_says(chances: tuple[float, ...], n: int) -> None:
    """Over all outcomes of so many games or pairs, each weighted with its probability."""
    truth = sum(map(operator.mul, chances, SCORES[len(chances)]))
    covered = 0.0
    for ends in itertools.combinations(range(n + len(chances) - 1), len(chances) - 1):
        counts = np.diff((-1, *ends, n + len(chances) - 1)) - 1
        probability = float(stats.multinomial.pmf(counts, n, chances))
        if probability > 1e-7:
            low, high = score_interval(*counts.tolist())
            covered += probability * (low <= truth <= high)
    assert 0.92 <= covered <= 0.97
