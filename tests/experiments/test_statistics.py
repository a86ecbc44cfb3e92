"""Intervals and the sequential test against scipy, against enumeration of all outcomes, and against their laws."""

import math
import operator
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

from nimdesk.experiments.likelihood import Z_95, score_interval
from nimdesk.experiments.published.figures import MARGIN, Figure, Measured, verdict
from nimdesk.experiments.statistics import (
    Z_90,
    Sprt,
    difference,
    elo_difference,
    elo_of_score,
    expected_score,
    mean_and_error,
    mean_interval,
    wilson,
)

COUNTS = st.integers(0, 400)


@given(n=st.integers(1, 5_000), part=st.floats(0, 1), confidence=st.floats(0.5, 0.999))
def test_wilson_is_the_interval_of_scipy(n: int, part: float, confidence: float) -> None:
    successes = round(part * n)
    expected = stats.binomtest(successes, n).proportion_ci(confidence, method="wilson")
    low, high = wilson(successes, n, z=float(stats.norm.ppf((1 + confidence) / 2)))
    assert low == pytest.approx(expected.low, abs=1e-9)
    assert high == pytest.approx(expected.high, abs=1e-9)


@given(n=st.integers(1, 10**6), part=st.floats(0, 1))
def test_wilson_holds_the_share_and_stays_within_0_and_1(n: int, part: float) -> None:
    successes = round(part * n)
    low, high = wilson(successes, n)
    assert 0 <= low <= successes / n <= high <= 1


def test_without_a_trial_nothing_is_known() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    elo, low, high = elo_difference(0, 0, 0)
    assert math.isnan(elo)
    assert (low, high) == (-math.inf, math.inf)


@pytest.mark.parametrize(("successes", "n"), [(-1, 3), (4, 3)])
def test_impossible_counts_are_refused(successes: int, n: int) -> None:
    with pytest.raises(ValueError, match="impossible"):
        wilson(successes, n)


@given(st.lists(st.integers(0, 2), min_size=2, max_size=60))
def test_mean_and_error_are_those_of_numpy(numbers: list[int]) -> None:
    mean, error = mean_and_error(sum(numbers), sum(n * n for n in numbers), len(numbers))
    assert mean == pytest.approx(np.mean(numbers))
    assert error == pytest.approx(float(np.std(numbers, ddof=1)) / math.sqrt(len(numbers)), abs=1e-9)


def test_one_number_has_no_error_and_none_no_mean() -> None:
    assert mean_and_error(2, 4, 1)[0] == 2
    assert math.isnan(mean_and_error(2, 4, 1)[1])
    assert math.isnan(mean_and_error(0, 0, 0)[0])


@given(st.floats(-2_000, 2_000))
def test_elo_and_score_are_inverse(elo: float) -> None:
    assert elo_of_score(expected_score(elo)) == pytest.approx(elo, abs=1e-6)


def test_an_elo_difference_of_known_size() -> None:
    assert elo_difference(75, 0, 25)[0] == pytest.approx(190.85, abs=0.01)
    assert elo_difference(10, 80, 10)[0] == 0


@given(COUNTS, COUNTS, COUNTS)
def test_exchanging_the_players_changes_the_sign(wins: int, draws: int, losses: int) -> None:
    elo, low, high = elo_difference(wins, draws, losses)
    other = elo_difference(losses, draws, wins)
    if wins + draws + losses:
        assert other == pytest.approx((-elo, -high, -low), abs=1e-6)
        assert low <= elo <= high


@given(COUNTS, COUNTS, COUNTS)
def test_the_interval_is_that_of_the_mean_score(wins: int, draws: int, losses: int) -> None:
    low, high = score_interval(wins, draws, losses)
    # As scores: near 0 and 1 an Elo difference turns the last digit into hundreds, or into infinity.
    found = [expected_score(elo) for elo in elo_difference(wins, draws, losses)[1:]]
    assert found == pytest.approx([low, high], abs=1e-9)


def test_ten_wins_of_ten_leave_a_bound() -> None:
    elo, low, high = elo_difference(10, 0, 0)
    assert elo == high == math.inf
    assert 100 < low < 300


@given(st.integers(0, 50), st.integers(1, 50))
def test_the_mean_of_numbers_from_0_to_1_has_the_interval_of_a_share(ones: int, others: int) -> None:
    n = ones + others
    assert mean_interval(ones / n, n) == pytest.approx(wilson(ones, n), abs=1e-12)


@pytest.mark.parametrize("counts", [(30, 20, 10), (5, 90, 7), (200, 100, 260), (12, 3, 1)])
@pytest.mark.parametrize("elos", [(0, 10), (-50, 50), (100, 120)])
def test_the_likelihood_ratio_is_that_of_the_most_likely_distributions(
    counts: tuple[int, int, int], elos: tuple[float, float]
) -> None:
    """The maximum under each hypothesis, found by scipy over the only free number left, the share of draws."""

    def log_likelihood(elo: float) -> float:
        score = expected_score(elo)

        def negative(draws: float) -> float:
            chances = (score - draws / 2, draws, 1 - score - draws / 2)
            return -sum(n * math.log(p) for n, p in zip(counts, chances, strict=True))

        most = 2 * min(score, 1 - score)
        found = optimize.minimize_scalar(
            negative, bounds=(1e-12, most - 1e-12), method="bounded", options={"xatol": 1e-12}
        )
        return -float(found.fun)

    expected = log_likelihood(elos[1]) - log_likelihood(elos[0])
    assert Sprt(elo0=elos[0], elo1=elos[1]).llr(*counts) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("counts", [(30, 20, 10, 8, 2), (3, 5, 90, 7, 4), (10, 100, 300, 160, 60)])
def test_the_likelihood_ratio_of_pairs_is_that_of_the_most_likely_distributions(counts: tuple[int, ...]) -> None:
    """The maximum under each hypothesis, found by scipy over all distributions with the right mean."""
    scores = (1, 0.75, 0.5, 0.25, 0)

    def log_likelihood(elo: float) -> float:
        conditions = [
            {"type": "eq", "fun": lambda p: sum(p) - 1},
            {"type": "eq", "fun": lambda p: sum(map(operator.mul, p, scores)) - expected_score(elo)},
        ]
        found = optimize.minimize(
            lambda p: -sum(n * math.log(each) for n, each in zip(counts, p, strict=True)) / sum(counts),
            [0.2] * 5, bounds=[(1e-6, 1)] * 5, constraints=conditions, options={"ftol": 1e-14, "maxiter": 1000},
        )  # fmt: skip
        return -float(found.fun) * sum(counts)

    expected = log_likelihood(60) - log_likelihood(0)
    assert Sprt(elo0=0, elo1=60, unit="pairs").llr(*counts) == pytest.approx(expected, abs=1e-3)


def test_where_the_role_decides_pairs_need_fewer_games() -> None:
    """Both always win as first player but for one game in ten, which the better one saves."""
    games, pairs = Sprt(elo0=0, elo1=30), Sprt(elo0=0, elo1=30, unit="pairs")
    won, even = 20, 180
    assert pairs.decision(0, won, even, 0, 0) == "H1"
    assert games.decision(even + won, won, even) is None
    assert elo_difference(0, won, even, 0, 0)[1] > 0 > elo_difference(even + won, won, even)[1] - 10


def test_the_bounds_are_walds() -> None:
    sprt = Sprt(elo0=0, elo1=5)
    assert (sprt.lower, sprt.upper) == pytest.approx((-2.944, 2.944), abs=1e-3)
    assert Sprt(elo0=0, elo1=5, alpha=0.01).upper == pytest.approx(math.log(95))
    uneven = Sprt(elo0=0, elo1=5, alpha=0.01, beta=0.2)
    assert (uneven.lower, uneven.upper) == pytest.approx((math.log(0.2 / 0.99), math.log(0.8 / 0.01)))


def test_before_the_first_game_nothing_is_decided() -> None:
    sprt = Sprt(elo0=0, elo1=5)
    assert sprt.llr(0, 0, 0) == 0
    assert sprt.decision(0, 0, 0) is None


def test_an_outcome_not_yet_seen_does_no_harm() -> None:
    sprt = Sprt(elo0=0, elo1=50)
    assert sprt.decision(200, 0, 0) == "H1"
    assert sprt.decision(0, 0, 200) == "H0"
    assert math.isfinite(sprt.llr(0, 1, 0))


@pytest.mark.parametrize(("elo", "wrong"), [(0, "H1"), (150, "H0")])
def test_the_test_errs_about_as_rarely_as_it_says(elo: float, wrong: str) -> None:
    sprt, chance = Sprt(elo0=0, elo1=150, alpha=0.1, beta=0.1), random.Random(1)
    errors, runs, drawn = 0, 150, 0.2
    for _ in range(runs):
        counts, decision = [0, 0, 0], None
        while decision is None:
            for _ in range(5):
                win = expected_score(elo) - drawn / 2
                roll = chance.random()
                counts[0 if roll < win else 1 if roll < win + drawn else 2] += 1
            decision = sprt.decision(*counts)
        errors += decision == wrong
    low, _high = wilson(errors, runs, z=3)
    assert low <= 0.1, f"{errors} of {runs} tests were wrong"
    assert errors < runs / 4


@pytest.mark.parametrize(
    "bad",
    [
        {"elo0": 5, "elo1": 5},
        {"elo0": 0, "elo1": math.inf},
        {"elo0": 0, "elo1": 5_000},
        {"elo0": 0, "elo1": 5, "alpha": 0.5},
        {"elo0": 0, "elo1": 5, "beta": 0},
    ],
)
def test_a_test_that_cannot_decide_is_refused(bad: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="must be"):
        Sprt(**bad)


# The three verdicts on a published figure.


def scipys(successes: int, n: int, confidence: float) -> tuple[float, float, float]:
    interval = stats.binomtest(successes, n).proportion_ci(confidence, method="wilson")
    return successes / n, float(interval.low), float(interval.high)


@given(n=st.integers(1, 3_000), m=st.integers(1, 3_000), one=st.floats(0, 1), other=st.floats(0, 1))
def test_the_interval_of_a_difference_is_newcombes_of_scipys_intervals(
    n: int, m: int, one: float, other: float
) -> None:
    for confidence, z in ((0.95, Z_95), (0.9, Z_90)):
        (p, p_low, p_high), (q, q_low, q_high) = (
            scipys(round(one * n), n, confidence),
            scipys(round(other * m), m, confidence),
        )
        low, high = difference((p, *wilson(round(one * n), n, z)), (q, *wilson(round(other * m), m, z)))
        assert low == pytest.approx(p - q - math.sqrt((p - p_low) ** 2 + (q_high - q) ** 2), abs=2e-4)
        assert high == pytest.approx(p - q + math.sqrt((p_high - p) ** 2 + (q - q_low) ** 2), abs=2e-4)
        assert low <= p - q <= high


def chances(share: float, n: int, figure: Figure) -> dict[str, float]:
    """How probable each verdict is, over all outcomes of so many games, each won with this probability."""
    found: dict[str, float] = {}
    for successes, probability in enumerate(stats.binom.pmf(range(n + 1), n, share)):
        words = verdict(figure, Measured(successes / n, n))
        found[words] = found.get(words, 0.0) + float(probability)
    return found


@pytest.mark.parametrize("n", [20, 100, 400, 1_000])
@pytest.mark.parametrize("printed", [0.1, 0.3, 0.5, 0.82])
def test_each_verdict_is_seldom_wrong(printed: float, n: int) -> None:
    figure = Figure(("a", "b", "p"), "first wins", "", printed, printed)
    # Equal in truth: called different in about 5% of all runs. Apart by the margin: called equal in at most about 5%.
    # Counts are whole numbers, so that with few games it is somewhat more or less.
    assert chances(printed, n, figure).get("differs", 0.0) < 0.08
    for apart in (-MARGIN, MARGIN):
        assert chances(printed + apart, n, figure).get("agrees", 0.0) < 0.07


def test_few_games_cannot_tell_and_many_can() -> None:
    figure = Figure(("a", "b", "p"), "first wins", "50 %", 0.5, 0.5)
    assert chances(0.5, 10, figure)["cannot tell"] > 0.9
    assert chances(0.5, 2_000, figure)["agrees"] > 0.9
    assert chances(0.6, 2_000, figure)["differs"] > 0.99


@pytest.mark.parametrize(
    ("figure", "ours", "words"),
    [
        (Figure(("a", "b", "p"), "draws", "0 %", 0.0, 0.0), Measured(0.0, 100), "both 0 %"),
        (Figure(("a", "b", "p"), "draws", "0 %", 0.0, 0.0), Measured(0.0, 5), "cannot tell"),
        (Figure(("a", "b", "p"), "draws", "0 %", 0.0, 0.0), Measured(0.04, 1_000), "differs"),
        (Figure(("a", "b", "p"), "first wins", "100 %", 1.0, 1.0), Measured(1.0, 1), "cannot tell"),
        (Figure(("a", "b", "p"), "first wins", "0 of 10", 0.0, 0.0, 10), Measured(0.0, 500), "cannot tell"),
        (Figure(("a", "b", "p"), "first wins", "0 of 10", 0.0, 0.0, 10, forced=True), Measured(0.0, 5), "both 0 %"),
        (Figure(("a", "b", "p"), "first wins", "0 of 10", 0.0, 0.0, 10, forced=True), Measured(0.5, 500), "differs"),
        (Figure(("a", "b", "p"), "first wins", "60–90 %", 0.6, 0.9), Measured(0.75, 1_000), "agrees"),
        (Figure(("a", "b", "p"), "first wins", "60–90 %", 0.6, 0.9), Measured(0.75, 3), "cannot tell"),
        (Figure(("a", "b", "p"), "first wins", "60–90 %", 0.6, 0.9), Measured(0.996, 1_000), "differs"),
        (Figure(("a", "b", "p"), "draws", "100 of 100", 1.0, 1.0, 100), Measured(1.0, 1, exact=True), "both 100 %"),
        (Figure(("a", "p"), "nodes", "165", 165, 165), Measured(165.0, 1, exact=True), "agrees"),
        (Figure(("a", "p"), "nodes", "165", 165, 165), Measured(166.0, 1, exact=True), "differs"),
        (Figure(("a", "p"), "nodes", "165", 165, 165), Measured(), ""),
        (Figure(("a", "b", "p"), "draws", "many"), Measured(0.5, 100), ""),
    ],
)  # fmt: skip
def test_what_can_be_told_of_a_figure(figure: Figure, ours: Measured, words: str) -> None:
    assert verdict(figure, ours) == words
