"""One rating list for all players who have met: Elo by maximum likelihood, with intervals by profile likelihood.

A difference of ratings stands for a mean score, ``expected_score``, in which a draw is half a win (R. A. Bradley and
M. E. Terry, "Rank analysis of incomplete block designs", Biometrika 39, 1952). How likely a mean score of two players
is, their games say, by pairs where there are pairs (``likelihood``); the ratings are those under which all of it
together is likeliest. So a list of two players says just what their pairing says.

An Elo is told from a zero, the mean of some of the players. The interval of a rating holds each distance from that zero
at which, with all other ratings as likely as they can then be, twice the logarithm of the likelihood is at most 3.84
below its maximum. The zero is the mean of all, unless somebody has won or lost every point against others, which no
finite difference makes likeliest (L. R. Ford, "Solution of a ranking problem from binary comparisons", American
Mathematical Monthly 64, 1957). Then it is the mean of the largest group of players who have all taken points off each
other, directly or along a chain: one hopeless player must not make all others infinitely strong. Where there is no such
group, it is the mean of all again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from nimdesk.experiments.likelihood import UNSEEN, Z_95, Floats, as_columns, certainty, mean_score, of_differences
from nimdesk.experiments.matches.sequential import early_words
from nimdesk.experiments.matches.tally import MatchTally, PairingTally

_ELO = 400.0 / math.log(10.0)
_MOST = Z_95 * Z_95
_STEPS = 200
_PATH = (0.03, 0.002, UNSEEN)
"""What an unseen outcome counts as, one after the other. Where all games of two players were alike the likelihood has a
kink, which tangents find only from nearby, where it is still round; the last one is that of all other intervals."""
_SMALL = 1e-10
_CLOSE = 1e-6
"""How exactly an end is found, in the unit of twice the log-likelihood."""
_LONGEST = 8.0
"""The longest step towards an end, in logits: where the likelihood is all but level, a tangent leads too far."""
_FEW = 2
_TOGETHER = 2_000
"""How many differences are worked out at a time: so many fit into the processor's own memory."""
_Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Rating:
    """One player: its Elo above the zero of the list, with the ends of the 95% interval, and what it is from.

    An Elo is infinite where no finite one is the most likely, and nan where nothing is known of it. ``above_next`` is
    the probability that it is stronger than the next in the list, None for the last.
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
    """The players from the strongest to the weakest; ``zero`` are those whose mean is Elo 0.

    ``early`` says what sequential tests that ended some of the games do to the Elo (``early_words``); "" without any.
    """

    ratings: tuple[Rating, ...]
    zero: tuple[str, ...]
    early: str

    @property
    def zero_words(self) -> str:
        """What the ratings are above."""
        if len(self.zero) == len(self.ratings):
            return "the mean of all players"
        if len(self.zero) > _FEW:
            return f"the mean of the {len(self.zero)} players who have points off each other"
        return f"the mean of {' and '.join(self.zero)}"


def rating_list(tally: MatchTally) -> RatingList | None:
    """The list; None without games, or if some players are linked to the others by no chain of games."""
    met = [each for each in tally.pairings if each.games and len(set(each.pairing.players)) == 2]
    found = _listed(tuple((*each.pairing.players, each.counted) for each in met))
    if found is None:
        return None
    rows, zero = found
    ratings = [Rating(name, *ends, *_points(met, name), above) for name, ends, above in rows]
    return RatingList(tuple(ratings), zero, early_words(met))


def _points(met: list[PairingTally], name: str) -> tuple[int, float, float]:
    """The games of a player, its mean score, and the share of draws."""
    own = [each for each in met if name in each.pairing.players]
    counts = [each.counts if each.pairing.players[0] == name else each.counts[::-1] for each in own]
    wins, draws, losses = (sum(column) for column in zip(*counts, strict=True))
    games = wins + draws + losses
    return games, (wins + draws / 2) / games, draws / games


_Row = tuple[str, tuple[float, float, float], float | None]


@lru_cache(maxsize=8)
def _listed(met: tuple[tuple[str, str, tuple[float, ...]], ...]) -> tuple[list[_Row], tuple[str, ...]] | None:
    """Name, Elo with its ends, and probability of being above the next, in order; and those whose mean is 0."""
    names = list(dict.fromkeys(name for one, other, _counts in met for name in (one, other)))
    if not names:
        return None
    games = _Games([(names.index(one), names.index(other), counts) for one, other, counts in met], len(names))
    if not _reached(games.met).all():
        return None
    held = _reached(games.scored)
    """Who has points off whom, along a chain: nobody can be infinitely far above those who have."""
    zero = _zero(held, games.played)
    above = np.eye(len(names)) - zero / zero.sum()
    order = np.argsort(-games.ratings, kind="stable").tolist()
    closed: tuple[_Bools, _Bools] = (np.all(held[zero], axis=0), np.all(held[:, zero], axis=1))
    elo = above @ games.ratings
    high, low = (games.ends(above, elo, side, ends) for side, ends in zip((1, -1), closed, strict=True))
    elo = np.where(closed[0], np.where(closed[1], elo, -np.inf), np.where(closed[1], np.inf, np.nan))
    one = np.eye(len(names))[order]
    ahead = [*games.ahead(one[:-1] - one[1:]), None]
    rows = [
        (names[i], (_ELO * float(elo[i]), _ELO * float(low[i]), _ELO * float(high[i])), chance)
        for i, chance in zip(order, ahead, strict=True)
    ]
    return rows, tuple(names[i] for i in order if zero[i])


def _reached(edges: _Bools) -> _Bools:
    """Whom each reaches along these edges; itself at least."""
    reached = edges | np.eye(len(edges), dtype=bool)
    while (more := reached @ reached).sum() > reached.sum():
        reached = more
    return reached


def _zero(held: _Bools, played: Floats) -> _Bools:
    """Whose mean is 0: the largest group of players between whom all differences are finite, of two or more; else all.

    Of equally large groups that with most games.
    """
    groups = held & held.T
    size = groups.sum(axis=1)
    if size.max() == 1:
        return np.ones(len(held), dtype=bool)
    chosen: _Bools = groups[np.lexsort((groups @ played, size))[-1]]
    return chosen


class _Games:
    """The likelihood of the ratings of so many players, in logits, and its maximum."""

    def __init__(self, met: list[tuple[int, int, tuple[float, ...]]], size: int) -> None:
        columns = [as_columns([counts for _one, _other, counts in met], unseen) for unseen in _PATH]
        self._scores, self._seen = columns[0][1], [seen for seen, _scores in columns]
        self._pairs = [each[0] for each in met], [each[1] for each in met]
        self._apart = np.zeros((len(met), size))
        """Turns ratings into the differences of those who have met."""
        self.met, self.scored = np.zeros((size, size), dtype=bool), np.zeros((size, size), dtype=bool)
        self.played = np.zeros(size)
        for row, (one, other, counts) in enumerate(met):
            self._apart[row, one], self._apart[row, other] = 1.0, -1.0
            self.met[one, other] = self.met[other, one] = True
            score = mean_score(*counts)
            self.scored[one, other] |= score > 0
            self.scored[other, one] |= score < 1
            self.played[[one, other]] += sum(counts)
        ratings, self._best, self._ratings = np.zeros((1, size)), list[float](), list[Floats]()
        for stage in range(len(_PATH)):
            ratings, best, _pull = self._likeliest(stage, ratings, np.zeros((1, 0, size)), np.zeros((1, 0)))
            self._best.append(float(best[0]))
            self._ratings.append(ratings[0])
        self.ratings = self._ratings[-1]

    def ends(self, above: Floats, known: Floats, side: int, closed: _Bools) -> Floats:
        """The end of the interval of each of these distances, (N, N) · ratings, on one side; infinite unless closed.

        Along a distance twice the log-likelihood falls ever faster, so that tangents find where it has fallen by 3.84.
        """
        found = np.where(closed, known, side * math.inf)
        for part in self._parts(np.flatnonzero(closed)):
            ratings = np.tile(self._ratings[0], (len(part), 1))
            fixed, away = above[part][:, None], np.full((len(part), 1), float(side))
            for stage, likeliest in enumerate(self._ratings):
                # The likeliest distance moves from stage to stage, by more than an interval where all points were lost.
                middle = (above[part] @ likeliest)[:, None]
                at, ratings = self._end(stage, fixed, middle + away, ratings)
                away = at - middle
            found[part] = at[:, 0]
        return found

    def _end(self, stage: int, fixed: Floats, at: Floats, ratings: Floats) -> tuple[Floats, Floats]:
        for _ in range(_STEPS):
            ratings, likely, pull = self._likeliest(stage, ratings, fixed, at)
            beyond = 2 * (self._best[stage] - likely) - _MOST
            if (np.abs(beyond) < _CLOSE).all():
                break
            at = at + np.clip(beyond[:, None] / (2 * pull), -_LONGEST, _LONGEST)
        return at, ratings

    def ahead(self, differences: Floats) -> list[float]:
        """How sure it is that each of these differences of ratings, which are found to be positive, is above 0."""
        found = list[float]()
        for part in self._parts(np.arange(len(differences))):
            ratings, level = np.tile(self.ratings, (len(part), 1)), np.zeros((len(part), 1))
            for stage in range(len(_PATH)):
                ratings, likely, _pull = self._likeliest(stage, ratings, differences[part][:, None], level)
            found += [certainty(max(0.0, 2 * ratio)) for ratio in (self._best[-1] - likely).tolist()]
        return found

    def _parts(self, problems: NDArray[np.intp]) -> list[NDArray[np.intp]]:
        """So many of these at a time that they fit into the processor's memory."""
        pieces = -(-len(problems) * len(self._apart) // _TOGETHER)
        return np.array_split(problems, pieces) if pieces else []

    def _likeliest(self, stage: int, start: Floats, fixed: Floats, at: Floats) -> tuple[Floats, Floats, Floats]:
        """Of many problems (B): the ratings of mean 0 (B, N) that make the games likeliest, while ``fixed`` (B, K, N)
        times the ratings is ``at`` (B, K); how likely that is, and by how much more it becomes with ``at``.

        Newton's method with Lagrange multipliers; a step that leads beyond is halved. Those infinitely far from others
        go on until it makes no difference.
        """
        number, size = start.shape
        rows = np.concatenate([np.full((number, 1, size), 1.0 / size), fixed], axis=1)
        wanted = np.concatenate([np.zeros((number, 1)), at], axis=1)[..., None]
        there = start + (np.linalg.pinv(rows) @ (wanted - rows @ start[..., None]))[..., 0]
        ratings, likely, length = there.copy(), np.full(number, -np.inf), np.ones((number, 1))
        # The second derivatives bordered by the conditions, and what Newton's step with them cancels.
        system, uphill = np.zeros((number, *[size + rows.shape[1]] * 2)), np.zeros((number, size + rows.shape[1]))
        system[:, :size, size:], system[:, size:, :size] = rows.transpose(0, 2, 1), rows
        step, hoped = np.zeros_like(start), np.zeros(number)
        for _ in range(_STEPS):
            value, slope, curve = of_differences(self._seen[stage], self._scores, there @ self._apart.T)
            rise = ((slope @ self._apart) * step).sum(axis=1)
            better = (value.sum(axis=1) >= likely - _SMALL) & (rise >= -0.5 * hoped)
            ratings[better], likely[better] = there[better], value.sum(axis=1)[better]
            length = np.where(better[:, None], 1.0, length / 2)
            uphill[better, :size] = (slope @ self._apart)[better]
            system[better, :size, :size] = self._second(curve[better])
            solved = np.linalg.solve(system, -uphill[..., None])[..., 0]
            step = solved[:, :size]
            hoped = (uphill[:, :size] * step).sum(axis=1)
            if (hoped < _SMALL).all():
                break
            there = ratings + length * step
        return ratings, likely, -solved[:, size + 1 :]

    def _second(self, curve: Floats) -> Floats:
        """The second derivatives by the ratings, from those by the differences; not quite level anywhere."""
        size = self._apart.shape[1]
        second = np.zeros((len(curve), size, size))
        # Two players may meet in several parts of a plan.
        np.add.at(second.transpose(1, 2, 0), self._pairs, -curve.T)
        second += second.transpose(0, 2, 1)
        second[:, range(size), range(size)] = -second.sum(axis=2) - _SMALL
        return second
