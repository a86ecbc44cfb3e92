"""The statistics of experiments: intervals for a proportion, for a difference, for Elo, and a sequential test.

Plain Python: a few counts need no arrays. Sources: E. B. Wilson, "Probable inference, the law of succession, and
statistical inference", Journal of the American Statistical Association 22 (1927); R. G. Newcombe, "Interval estimation
for the difference between independent proportions", Statistics in Medicine 17 (1998), method 10; A. Wald, "Sequential
tests of statistical hypotheses", Annals of Mathematical Statistics 16 (1945); M. Van den Bergh's notes on the
generalised SPRT, which fishtest and fastchess follow.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

# The two-sided 95% point of the normal distribution, as it is usually rounded.
Z_95 = 1.96
# The one-sided 95% point: two one-sided tests at 5% are the same as a two-sided interval of 90%.
Z_90 = 1.645
# How many games an unseen outcome counts as in the likelihoods, which would be 0 otherwise.
_UNSEEN = 1e-3
_SCORES = {3: (1.0, 0.5, 0.0), 5: (1.0, 0.75, 0.5, 0.25, 0.0)}
"""The mean scores that are counted: of a win, draw and loss; of a pair of games with 2, 1½, 1, ½ and 0 points."""
_BISECTIONS = 100


def wilson(successes: float, n: int, z: float = Z_95) -> tuple[float, float]:
    """Wilson's score interval for a probability after ``successes`` in ``n`` independent trials; (0, 1) for none."""
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes in {n} trials are impossible")
    return _score_interval(successes / n, n, z) if n else (0.0, 1.0)


def difference(one: tuple[float, float, float], other: tuple[float, float, float]) -> tuple[float, float]:
    """Newcombe's interval for the difference of two independent probabilities.

    Each is given as its share and the ends of its score interval, which are the share itself where it is known exactly.
    """
    (p, p_low, p_high), (q, q_low, q_high) = one, other
    return p - q - math.hypot(p - p_low, q_high - q), p - q + math.hypot(p_high - p, q - q_low)


def _score_interval(share: float, n: int, z: float) -> tuple[float, float]:
    shrink = 1.0 + z * z / n
    middle = (share + z * z / (2 * n)) / shrink
    half = z / shrink * math.sqrt(share * (1.0 - share) / n + z * z / (4 * n * n))
    # Exact where rounding would leave 1e-17, or 0.9999999.
    low = 0.0 if share == 0.0 else max(0.0, middle - half)
    return low, 1.0 if share == 1.0 else min(1.0, middle + half)


def mean_and_error(total: float, total_of_squares: float, n: int) -> tuple[float, float]:
    """The mean of n numbers and its standard error, from their sum and the sum of their squares.

    The error is the sample's standard deviation over √n. It is nan for fewer than two numbers, the mean for none.
    """
    if n == 0:
        return math.nan, math.nan
    mean = total / n
    if n == 1:
        return mean, math.nan
    # The difference of two nearly equal numbers may come out below 0.
    return mean, math.sqrt(max(0.0, total_of_squares - n * mean * mean) / (n - 1) / n)


def expected_score(elo: float) -> float:
    """The expected score, 0 to 1, of a player stronger by ``elo`` on the logistic scale."""
    return 1.0 / (1.0 + math.pow(10.0, -elo / 400.0))


def elo_of_score(score: float) -> float:
    """The Elo difference that explains a mean score; minus or plus infinity at (or beyond) 0 and 1."""
    if score <= 0.0:
        return -math.inf
    if score >= 1.0:
        return math.inf
    return 400.0 * math.log10(score / (1.0 - score))


def signed(elo: float) -> str:
    """An Elo difference for a person, such as "+226" or "−∞"."""
    return ("−∞" if elo < 0 else "+∞") if math.isinf(elo) else f"{elo:+.0f}".replace("-", "−")


def elo_difference(*counts: int, z: float = Z_95) -> tuple[float, float, float]:
    """The Elo difference after these games, and its interval: (elo, low, high).

    ``counts`` are wins, draws and losses; or, of pairs of games, those with 2, 1½, 1, ½ and 0 points. The interval is
    that of the mean score, with the observed variance of what is counted, so that draws narrow it; a bound may be
    infinite. If all ended alike, that variance is 0 and the bounds are Wilson's. Without any game the answer is
    (nan, -inf, inf).
    """
    n, scores = _counted(counts)
    if n == 0:
        return math.nan, -math.inf, math.inf
    score = sum(count * each for count, each in zip(counts, scores, strict=True)) / n
    if n in counts:
        low, high = _score_interval(score, n, z)
    else:
        variance = sum(count * (each - score) ** 2 for count, each in zip(counts, scores, strict=True)) / n
        half = z * math.sqrt(variance / n)
        low, high = score - half, score + half
    return elo_of_score(score), elo_of_score(low), elo_of_score(high)


class Sprt(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Wald's sequential test of "stronger by ``elo0``" (H0) against "by ``elo1``" (H1).

    ``alpha`` is the probability of accepting H1 where H0 holds, ``beta`` that of accepting H0 where H1 holds. How often
    games are drawn is not known, so each hypothesis is given its most likely distribution with the expected score it
    claims (the generalised test); Elo is logistic.

    The test counts wins, draws and losses (trinomial), or with ``unit`` "pairs" the points of each two games that
    differ only in who moves first (pentanomial). Where the role or the opening decides many games, the two are far from
    independent, and pairs need fewer games for the same certainty.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    unit: Literal["pairs"] | UnsetType = UNSET

    def __post_init__(self) -> None:
        """``ValueError`` for hypotheses or error rates that make no test."""
        if not (math.isfinite(self.elo0) and math.isfinite(self.elo1) and self.elo0 < self.elo1):
            raise ValueError("elo0 must be a number smaller than elo1")
        if max(abs(self.elo0), abs(self.elo1)) > 4_000:
            raise ValueError("elo0 and elo1 must be between -4,000 and 4,000")
        if not (0.0 < self.alpha < 0.5 and 0.0 < self.beta < 0.5):
            raise ValueError("alpha and beta must be between 0 and 0.5")

    @property
    def lower(self) -> float:
        """H0 is accepted when the log-likelihood ratio falls to this."""
        return math.log(self.beta / (1.0 - self.alpha))

    @property
    def upper(self) -> float:
        """H1 is accepted when the log-likelihood ratio rises to this."""
        return math.log((1.0 - self.beta) / self.alpha)

    def llr(self, *counts: int) -> float:
        """The log-likelihood ratio of H1 to H0 after these games; 0 before the first.

        ``counts`` are wins, draws and losses; or, of pairs of games, those with 2, 1½, 1, ½ and 0 points.
        """
        n, scores = _counted(counts)
        if n == 0:
            return 0.0
        seen = tuple(max(count, _UNSEEN) for count in counts)
        likely0, likely1 = (_most_likely(seen, scores, expected_score(elo)) for elo in (self.elo0, self.elo1))
        return sum(n * math.log(p1 / p0) for n, p0, p1 in zip(seen, likely0, likely1, strict=True))

    def decision(self, *counts: int) -> Literal["H0", "H1"] | None:
        """The hypothesis accepted after these games, or None: play on."""
        llr = self.llr(*counts)
        if llr >= self.upper:
            return "H1"
        return "H0" if llr <= self.lower else None


def _counted(counts: Sequence[int]) -> tuple[int, tuple[float, ...]]:
    if len(counts) not in _SCORES or min(counts) < 0:
        raise ValueError(f"counts of {', '.join(map(str, counts))} are impossible")
    return sum(counts), _SCORES[len(counts)]


def _most_likely(counts: tuple[float, ...], scores: tuple[float, ...], score: float) -> tuple[float, ...]:
    """The distribution over these scores with this mean under which ``counts`` are most likely.

    With a Lagrange multiplier t it is p = (count / n) / (1 + t (value - score)), where t makes the mean right. The
    mean's excess falls with t over the whole interval in which every p is positive.
    """
    n = sum(counts)
    low, high = -1.0 / (scores[0] - score), -1.0 / (scores[-1] - score)
    for _ in range(_BISECTIONS):
        t = (low + high) / 2
        excess = sum(c * (v - score) / (1.0 + t * (v - score)) for c, v in zip(counts, scores, strict=True))
        low, high = (t, high) if excess > 0 else (low, t)
    t = (low + high) / 2
    return tuple(c / n / (1.0 + t * (v - score)) for c, v in zip(counts, scores, strict=True))
