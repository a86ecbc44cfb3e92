"""The statistics of experiments: intervals for a proportion, for a difference, for Elo, and a sequential test.

Sources: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", Journal of the American
Statistical Association 22 (1927); R. G. Newcombe, "Interval estimation for the difference between independent
proportions", Statistics in Medicine 17 (1998), method 10; A. Wald, "Sequential tests of statistical hypotheses", Annals
of Mathematical Statistics 16 (1945). What games are worth is in ``likelihood``.
"""

from __future__ import annotations

import math
from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from nimdesk.experiments.likelihood import Z_95, log_likelihood, mean_score, score_interval

# The one-sided 95% point: two one-sided tests at 5% are the same as a two-sided interval of 90%.
Z_90 = 1.645


def wilson(successes: float, n: int, z: float = Z_95) -> tuple[float, float]:
    """Wilson's score interval for a probability after ``successes`` in ``n`` independent trials; (0, 1) for none."""
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes in {n} trials are impossible")
    if not n:
        return 0.0, 1.0
    share, shrink = successes / n, 1.0 + z * z / n
    middle = (share + z * z / (2 * n)) / shrink
    half = z / shrink * math.sqrt(share * (1.0 - share) / n + z * z / (4 * n * n))
    # Exact where rounding would leave 1e-17, or 0.9999999.
    low = 0.0 if share == 0.0 else max(0.0, middle - half)
    return low, 1.0 if share == 1.0 else min(1.0, middle + half)


def mean_interval(mean: float, n: int) -> tuple[float, float]:
    """The 95% interval of the mean of ``n`` numbers from 0 to 1: Wilson's of a share, which is at most too wide.

    Numbers from 0 to 1 vary no more than those that are 0 or 1 with the same mean. By their standard error a few that
    happen to be alike would have an interval without any width.
    """
    return wilson(min(mean, 1.0) * n, n)


def difference(one: tuple[float, float, float], other: tuple[float, float, float]) -> tuple[float, float]:
    """Newcombe's interval for the difference of two independent probabilities.

    Each is given as its share and the ends of its score interval, which are the share itself where it is known exactly.
    """
    (p, p_low, p_high), (q, q_low, q_high) = one, other
    return p - q - math.hypot(p - p_low, q_high - q), p - q + math.hypot(p_high - p, q - q_low)


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


def signed(number: float, digits: int = 0) -> str:
    """An Elo difference or another signed number for a person, such as "+226", "−∞", or "–" for an unknown one."""
    if math.isnan(number):
        return "–"
    return ("−∞" if number < 0 else "+∞") if math.isinf(number) else f"{number:+.{digits}f}".replace("-", "−")


def elo_difference(*counts: float) -> tuple[float, float, float]:
    """The Elo difference after these games, and its 95% interval: (elo, low, high).

    ``counts`` are wins, draws and losses; or, of pairs of games, those with 2, 1½, 1, ½ and 0 points. The interval is
    that of the mean score (``likelihood.score_interval``), and infinite to one side where all was won or lost. Without
    any game the answer is (nan, -inf, inf).
    """
    low, high = score_interval(*counts)
    return elo_of_score(mean_score(*counts)), elo_of_score(low), elo_of_score(high)


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
        likely0, likely1 = (log_likelihood(expected_score(elo), *counts) for elo in (self.elo0, self.elo1))
        return likely1 - likely0

    def decision(self, *counts: int) -> Literal["H0", "H1"] | None:
        """The hypothesis accepted after these games, or None: play on."""
        return self.accepted(self.llr(*counts))

    def accepted(self, llr: float) -> Literal["H0", "H1"] | None:
        """The hypothesis accepted at this log-likelihood ratio, or None."""
        if llr >= self.upper:
            return "H1"
        return "H0" if llr <= self.lower else None
