"""One rating list for all players who have met: Elo by maximum likelihood, in which a draw is half a win.

The model is that of Bradley and Terry on the logistic scale of Elo: the expected score of one player against another is
``expected_score`` of the difference of their ratings. Of two players it gives the same difference as their score alone.
Intervals come from how much games really vary (the "sandwich" of the information and the observed variance), so that
draws narrow them; where games come in pairs, one in each role, the pairs are what varies. Sources: R. A. Bradley and
M. E. Terry, "Rank analysis of incomplete block designs", Biometrika 39 (1952); L. R. Ford, "Solution of a ranking
problem from binary comparisons", American Mathematical Monthly 64 (1957).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nimdesk.experiments.statistics import Z_95
from nimdesk.experiments.tally import PairingTally, Tally

_ELO = 400.0 / math.log(10.0)
_STEPS = 200
_SMALL = 1e-10
_Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Rating:
    """One player: its Elo above the mean of all, with the ends of the 95% interval, and what it is from.

    ``above_next`` is the probability that it is stronger than the next in the list, None for the last.
    """

    player: str
    elo: float
    low: float
    high: float
    games: int
    score: float
    draws: float
    above_next: float | None

    @property
    def above_words(self) -> str:
        """The probability that it is stronger than the next; that never is certain."""
        if self.above_next is None:
            return ""
        return "over 99.9%" if self.above_next > 0.999 else f"{self.above_next:.1%}"


@dataclass(frozen=True, slots=True)
class RatingList:
    """The players from the strongest to the weakest.

    ``virtual`` says that somebody has only won or only lost against some of the others, so that no finite ratings are
    the most likely ones: then each two who met were given one drawn game more.
    """

    ratings: tuple[Rating, ...]
    virtual: bool


def rating_list(tally: Tally) -> RatingList | None:
    """The list; None without games, or if some players are linked to the others by no chain of games."""
    met = [each for each in tally.pairings if each.games and len(set(each.pairing.players)) == 2]
    names = list(dict.fromkeys(name for each in met for name in each.pairing.players))
    if not names:
        return None
    place = {name: i for i, name in enumerate(names)}
    size = len(names)
    points, games = np.zeros((size, size)), np.zeros((size, size))
    for each in met:
        one, other = (place[name] for name in each.pairing.players)
        wins, draws, losses = each.counts
        points[one, other] += wins + draws / 2
        points[other, one] += losses + draws / 2
        games[one, other] += each.games
        games[other, one] += each.games
    if not _reaches_all(games > 0):
        return None
    played = (games.sum(axis=1), points.sum(axis=1))
    virtual = not (_reaches_all(points > 0) and _reaches_all(points.T > 0))
    if virtual:
        points, games = points + (games > 0) / 2, games + (games > 0)
    theta = _most_likely(points, games)
    covariance = _covariance(met, place, theta, games)
    errors = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    drawn = np.zeros(size)
    for each in met:
        for name in each.pairing.players:
            drawn[place[name]] += each.counts[1]
    order = np.argsort(-theta, kind="stable").tolist()
    ratings = []
    for rank, i in enumerate(order):
        above = None
        if rank + 1 < size:
            j = order[rank + 1]
            error = math.sqrt(max(covariance[i, i] + covariance[j, j] - 2 * covariance[i, j], 0.0))
            above = 0.5 * (1 + math.erf((theta[i] - theta[j]) / error / math.sqrt(2))) if error else 0.5
        elo, half = _ELO * float(theta[i]), _ELO * Z_95 * float(errors[i])
        n = int(played[0][i])
        ratings.append(Rating(names[i], elo, elo - half, elo + half, n, played[1][i] / n, drawn[i] / n, above))
    return RatingList(tuple(ratings), virtual)


def _reaches_all(edges: NDArray[np.bool_]) -> bool:
    """Whether every player can be reached from the first."""
    reached = np.zeros(len(edges), dtype=bool)
    reached[0] = True
    while True:
        more = reached | edges[reached].any(axis=0)
        if (more == reached).all():
            return bool(reached.all())
        reached = more


def _expected(theta: _Matrix) -> _Matrix:
    return np.asarray(1.0 / (1.0 + np.exp(theta[None, :] - theta[:, None])))


def _likelihood(points: _Matrix, theta: _Matrix) -> float:
    return float(-(points * np.logaddexp(0.0, theta[None, :] - theta[:, None])).sum())


def _information(weights: _Matrix) -> _Matrix:
    """The matrix of these weights between players, of which each row adds up to 0."""
    return np.diag(weights.sum(axis=1)) - weights


def _most_likely(points: _Matrix, games: _Matrix) -> _Matrix:
    """The ratings with mean 0 under which each player's expected points are those it has; Newton's method."""
    theta = np.zeros(len(points))
    for _ in range(_STEPS):
        expected = _expected(theta)
        gradient = (points - games * expected).sum(axis=1)
        step = np.linalg.pinv(_information(games * expected * (1 - expected))) @ gradient
        now, length = _likelihood(points, theta), 1.0
        while _likelihood(points, theta + length * step) < now and length > _SMALL:
            length /= 2
        theta = theta + length * step
        theta -= theta.mean()
        if np.abs(step).max() * length < _SMALL:
            break
    return theta


def _covariance(met: Sequence[PairingTally], place: dict[str, int], theta: _Matrix, games: _Matrix) -> _Matrix:
    expected, varied = _expected(theta), np.zeros_like(games)
    for each in met:
        one, other = (place[name] for name in each.pairing.players)
        varied[one, other] += _variance(each, float(expected[one, other]))
    inverse = np.linalg.pinv(_information(games * expected * (1 - expected)))
    return np.asarray(inverse @ _information(varied + varied.T) @ inverse)


def _variance(met: PairingTally, expected: float) -> float:
    """How much the points of these games vary about what was expected, in all.

    A game counts besides that varies as the model says: a few that ended alike do not make a result certain.
    """
    if met.pairing.paired and sum(met.pairs) * 2 == met.games:
        n, squares = (
            sum(met.pairs),
            sum(
                count * (points - 2 * expected) ** 2
                for count, points in zip(met.pairs, (2, 1.5, 1, 0.5, 0), strict=True)
            ),
        )
        return float(n * (squares + 2 * expected * (1 - expected)) / (n + 1))
    n = met.games
    squares = sum(count * (points - expected) ** 2 for count, points in zip(met.counts, (1, 0.5, 0), strict=True))
    return float(n * (squares + expected * (1 - expected)) / (n + 1))
