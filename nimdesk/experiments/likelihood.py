"""The likelihood of a mean score: the one rule behind every interval of games, the rating list and the SPRT.

What is counted is games, which are won, drawn or lost, or pairs of games with 2, 1½, 1, ½ or 0 points. Nothing is
assumed of how often each happens: a mean score is as likely as the most likely distribution that has it. So draws
narrow an interval, and pairs in which the role decides narrow it more. An interval holds every mean score of which
twice the logarithm of the likelihood is within 3.84 of its maximum; where all is won or all is lost, it reaches 1 or 0,
which is an infinite difference in Elo. Sources: A. B. Owen, "Empirical likelihood ratio confidence intervals for a
single functional", Biometrika 75 (1988); M. Van den Bergh's notes on the generalised SPRT, which fishtest and fastchess
follow.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

SCORES: dict[int, tuple[float, ...]] = {3: (1.0, 0.5, 0.0), 5: (1.0, 0.75, 0.5, 0.25, 0.0)}
"""The mean scores that are counted: of a win, draw and loss; of a pair of games with 2, 1½, 1, ½ and 0 points."""
Z_95 = 1.96
"""The two-sided 95% point of the normal distribution, as it is usually rounded."""
UNSEEN = 1e-4
"""How many games or pairs an unseen outcome counts as: so the likelihood has no kinks, and tangents lead up it."""
_BISECTIONS = 60
_NEWTON_STEPS = 60
_SMALL = 1e-11
_FURTHEST = 30.0
"""A difference beyond so many logits is as good as an infinite one: 1 of 10^13 games is lost."""
Floats = NDArray[np.float64]


def counted(counts: Sequence[float]) -> tuple[float, tuple[float, ...]]:
    """How many games or pairs these are, and the score of each outcome; ``ValueError`` for impossible counts."""
    if len(counts) not in SCORES or min(counts) < 0:
        raise ValueError(f"counts of {', '.join(map(str, counts))} are impossible")
    return sum(counts), SCORES[len(counts)]


def mean_score(*counts: float) -> float:
    """The mean score, 0 to 1; nan without any game."""
    n, scores = counted(counts)
    return sum(count * score for count, score in zip(counts, scores, strict=True)) / n if n else math.nan


def score_interval(*counts: float, z: float = Z_95) -> tuple[float, float]:
    """The interval of the mean score after these games or pairs; (0, 1) without any."""
    n, _scores = counted(counts)
    low = 0.0 if counts[-1] == n else _lower_end(counts, z * z / 2)
    high = 1.0 if counts[0] == n else 1.0 - _lower_end(counts[::-1], z * z / 2)
    return low, high


def log_likelihood(score: float, *counts: float) -> float:
    """How likely this mean score, above 0 and below 1, is after these games or pairs, less the most likely one's."""
    (n, scores), seen = counted(counts), _seen(counts)
    if not n:
        return 0.0
    if score > _tilted(seen, scores, 0.5)[0]:
        score, seen = 1.0 - score, seen[::-1]
    low, high = 0.0, 0.5
    for _ in range(_BISECTIONS):
        tilt = (low + high) / 2
        low, high = (tilt, high) if _tilted(seen, scores, tilt)[0] < score else (low, tilt)
    return _tilted(seen, scores, high)[1]


def superiority(*counts: float) -> float:
    """How sure it is that the mean score is above one half (LOS, likelihood of superiority); 0.5 without any game.

    It is above 97.5% just where the interval of 95% lies above one half.
    """
    fallen = -2.0 * log_likelihood(0.5, *counts)
    return certainty(fallen if mean_score(*counts) > 0.5 else -fallen)


def certainty(ratio: float) -> float:
    """How sure it is who is ahead, by twice a log-likelihood ratio with the sign of the difference."""
    return 0.5 * (1.0 + math.erf(math.copysign(math.sqrt(abs(ratio) / 2.0), ratio)))


def _lower_end(counts: Sequence[float], most: float) -> float:
    """The smallest mean score whose log-likelihood is at most so far below the maximum."""
    seen, (_n, scores) = _seen(counts), counted(counts)
    low, high = 0.0, 0.5
    for _ in range(_BISECTIONS):
        tilt = (low + high) / 2
        low, high = (tilt, high) if _tilted(seen, scores, tilt)[1] < -most else (low, tilt)
    return _tilted(seen, scores, high)[0]


def _seen(counts: Sequence[float], unseen: float = UNSEEN) -> tuple[float, ...]:
    return tuple(max(float(count), unseen) for count in counts)


def _tilted(seen: Sequence[float], scores: Sequence[float], tilt: float) -> tuple[float, float]:
    """A mean score below that of the counts, and its log-likelihood; with a tilt of a half their own, with 0 none.

    By a Lagrange multiplier, the most likely distribution that has a mean is in proportion to count / (a + b · score).
    """
    weights = [tilt + (1.0 - 2.0 * tilt) * score for score in scores]
    parts = [count / weight for count, weight in zip(seen, weights, strict=True)]
    total, n = sum(parts), sum(seen)
    mean = sum(part * score for part, score in zip(parts, scores, strict=True)) / total
    return mean, -sum(c * math.log(weight * total / n) for c, weight in zip(seen, weights, strict=True))


def as_columns(counts: Sequence[Sequence[float]], unseen: float) -> tuple[Floats, Floats]:
    """Counts and scores of many pairings as arrays (5, P), for ``of_differences``; games fill three of the rows."""
    seen, scores = np.zeros((5, len(counts))), np.full((5, len(counts)), 0.5)
    for column, each in enumerate(counts):
        seen[: len(each), column], scores[: len(each), column] = _seen(each, unseen), SCORES[len(each)]
    return seen, scores


def of_differences(seen: Floats, scores: Floats, apart: Floats) -> tuple[Floats, Floats, Floats]:
    """The log-likelihood of differences in logits (B, P), less its maximum, and its first and second derivatives.

    It is concave: the most likely differences that fit together are found by Newton's method.
    """
    n, apart = seen.sum(0), np.clip(apart, -_FURTHEST, _FURTHEST)
    share, scores = (seen / n)[:, np.newaxis], scores[:, np.newaxis]
    likeliest = (share * scores).sum(0)
    # Worked out for means below the likeliest; for those above it with all scores the other way round.
    side = np.where(apart > np.log(likeliest / (1.0 - likeliest)), -1.0, 1.0)
    mean = 1.0 / (1.0 + np.exp(-side * apart))
    away = np.where(side < 0, 1.0 - scores, scores) - mean
    t = _multipliers(share, away, mean)
    ratio = 1.0 + t * away
    # By the envelope theorem the slope over the mean is n · t; that of t follows from its condition.
    squared, varies = share / ratio**2, mean * (1.0 - mean)
    slope = n * t * varies
    curve = slope * (1.0 - 2.0 * mean) - n * varies**2 * squared.sum(0) / (squared * away**2).sum(0)
    return -n * (share * np.log(ratio)).sum(0), side * slope, curve


def _multipliers(share: Floats, away: Floats, mean: Floats) -> Floats:
    """The Lagrange multipliers t ≥ 0 under which the likeliest distribution, share / (1 + t · away), has these means.

    Newton's method on the harmonic mean of 1 / t + away, which is concave in 1 / t: its steps never lead beyond.
    """
    largest = (1.0 - (share * (away == -mean)).sum(0)) / mean
    excess = (share * away).sum(0)
    t = np.maximum(excess, _SMALL) / ((share * away**2).sum(0) - excess**2)
    for _ in range(_NEWTON_STEPS):
        t = np.minimum(t, largest)
        inverse = 1.0 / (1.0 + t * away)
        excess = (share * away * inverse).sum(0)
        varies = (share * (away * inverse) ** 2).sum(0) - excess**2
        left = 1.0 - excess * (share * inverse).sum(0) / (t * varies)
        better = np.where(left > 0, t / np.where(left > 0, left, 1.0), largest)
        done = bool((np.abs(better - t) <= _SMALL * (1.0 + t)).all())
        t = better
        if done:
            break
    found: Floats = np.minimum(t, largest)
    return found
