"""Whether two searches are the same algorithm, as far as chance lets one tell: visits and choices over many seeds.

Both search one position with the same numbers of seeds, which need not draw the same numbers. If they are the same
algorithm, it makes no difference which of them made which search; so the searches are dealt out anew thousands of
times, and a difference is taken for one where hardly any deal has a larger one (permutation tests). The p-values are
corrected by Holm's method (1979) where each is looked at, and by the largest of all differences in a deal (Westfall and
Young, 1993) where the first budget is sought at which the two part.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nimdesk.agents import Agent
from nimdesk.errors import AgentError, OptionError, quoted
from nimdesk.games import AnyPosition, Move
from nimdesk.limit import Limit
from nimdesk.search import Searcher, Snapshot
from nimdesk.search.traces import checkpoints

DEALS = 20_000
"""How often the searches are dealt out anew; the smallest p-value is one in so many."""
LEVEL = 0.01
"""Two agents that are the same are said to differ once in so many tables."""
_SLICE_S = 0.1
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Sampled:
    """The searches of one agent: for S seeds at the T ``budgets``, visits (S, T, L) and chosen columns (S, T)."""

    agent: Agent
    moves: tuple[Move, ...]
    budgets: tuple[int, ...]
    visits: NDArray[np.int64]
    choices: NDArray[np.int64]


def sampled(
    agent: Agent,
    position: AnyPosition,
    seeds: Sequence[int],
    budgets: Sequence[int],
    check: Callable[[], object] = lambda: None,
) -> Sampled:
    """Search with every seed, read at increasing budgets of iterations, and at checkpoints between them.

    ``check`` is called often, and may raise. ``OptionError`` for an agent that does not count iterations.
    """
    if agent.traits.counts != "iterations" or agent.traits.budget is None:
        raise OptionError(f"The agent {quoted(agent.name)} takes no number of iterations, so it cannot be compared.")
    limited = agent.with_budget(budgets[-1], position)
    columns = {move: column for column, move in enumerate(position.legal_moves)}
    at = np.array(sorted({*_grid(budgets[-1]), *budgets}))
    visits = np.zeros((len(seeds), len(at), len(columns)), np.int64)
    choices = np.zeros((len(seeds), len(at)), np.int64)
    for row, seed in enumerate(seeds):
        searcher = limited.new_searcher(position)
        searcher.start(position, seed)
        seen = [_at(searcher, budget, check) for budget in budgets]
        trace = seen[-1].trace
        if trace is None or seen[-1].best_move is None:
            raise AgentError(f"The agent {quoted(agent.info.title)} tells no visits in {position.text}.")
        rows = np.maximum(trace.iterations.searchsorted(at, side="right") - 1, 0)
        visits[row], choices[row] = trace.visits[rows], trace.choice[rows]
        for budget, now in zip(budgets, seen, strict=True):
            place = int(at.searchsorted(budget))
            visits[row, place] = [stats.visits for stats in now.moves]
            choices[row, place] = -1 if now.best_move is None else columns[now.best_move]
    return Sampled(agent, position.legal_moves, tuple(at.tolist()), visits, choices)


def _at(searcher: Searcher, budget: int, check: Callable[[], object]) -> Snapshot:
    """The search after so many iterations."""
    now = searcher.snapshot()
    while True:
        check()
        ended = searcher.advance(Limit(budget, now.elapsed_s + _SLICE_S)) is not None
        now = searcher.snapshot()
        if ended or now.iterations >= budget:
            return now


def _grid(last: int) -> list[int]:
    """Where curves are compared: at some ten moments in each tenfold."""
    steps = [at for at in checkpoints(last).tolist() if at <= last]
    return [*steps[:6], *steps[6::5]]


@dataclass(frozen=True, slots=True)
class Compared:
    """One test: the visits of a move, or the choice (None), at a budget.

    ``own`` and ``other`` are mean visits, or how often the two chose the other's most frequent choice. ``p`` is that of
    the permutation test, ``holm`` the same corrected for all tests of the table.
    """

    budget: int
    move: Move | None
    own: float
    other: float
    p: float
    holm: float

    @property
    def differs(self) -> bool:
        """Whether that is more than chance."""
        return self.holm < LEVEL


@dataclass(frozen=True)
class Agreement:
    """Two agents' searches of one position, of the same budgets and equally many seeds."""

    own: Sampled
    other: Sampled
    deals: int = DEALS

    @cached_property
    def _masks(self) -> NDArray[np.float32]:
        """Which searches fall to the first in each deal, (D + 1, 2S); the first deal is the true one."""
        half = len(self.own.choices)
        chance = np.random.default_rng(1)
        order = chance.random((self.deals + 1, 2 * half), dtype=np.float32)
        order[0] = np.arange(2 * half)
        ranks = order.argsort(axis=1).argsort(axis=1)
        return (ranks < half).astype(np.float32)

    def _differences(self, values: Floats) -> Floats:
        """By how much the means of (2S, K) values differ in each deal, (D + 1, K)."""
        half = len(self.own.choices)
        # The sum of the one half tells that of the other.
        made: Floats = np.abs(2.0 * (self._masks @ values.astype(np.float32)) - values.sum(axis=0)) / half
        return made

    def tests(self, budgets: Sequence[int]) -> tuple[Compared, ...]:
        """Each root move's visits, and the choice, at each of these budgets."""
        found: list[tuple[int, Move | None, float, float, float]] = []
        for budget in budgets:
            at = self.own.budgets.index(budget)
            visits = np.concatenate((self.own.visits[:, at], self.other.visits[:, at])).astype(np.float64)
            p = _p_values(self._differences(visits))
            own, other = self.own.visits[:, at].mean(axis=0), self.other.visits[:, at].mean(axis=0)
            for column, move in enumerate(self.own.moves):
                found.append((budget, move, float(own[column]), float(other[column]), float(p[column])))
            found.append((budget, None, *self._choice(at)))
        adjusted = holm([p for *_rest, p in found])
        return tuple(Compared(*each, corrected) for each, corrected in zip(found, adjusted, strict=True))

    def _choice(self, at: int) -> tuple[float, float, float]:
        """How often each chose what the other chooses most, and the p-value of all choices together."""
        chosen = np.concatenate((self.own.choices[:, at], self.other.choices[:, at]))
        each = (chosen[:, np.newaxis] == np.arange(len(self.own.moves))).astype(np.float64)
        # The distance of the two distributions: half the sum of the differences.
        distance = self._differences(each).sum(axis=1, keepdims=True) / 2
        usual = np.bincount(self.other.choices[:, at]).argmax()
        shares = [float((side.choices[:, at] == usual).mean()) for side in (self.own, self.other)]
        return shares[0], shares[1], float(_p_values(distance)[0])

    @cached_property
    def parting(self) -> tuple[int, Move] | None:
        """The first budget at which a move's visits differ beyond chance, all budgets and moves taken together, and
        that move; None if none do.
        """
        shape = self.own.visits.shape[1:]
        both = np.concatenate((self.own.visits, self.other.visits)).reshape(2 * len(self.own.choices), -1)
        spread = both.std(axis=0)
        varying = spread > 0
        if not varying.any():
            return None
        differences = self._differences(both[:, varying] / spread[varying])
        bound = np.quantile(differences[1:].max(axis=1), 1 - LEVEL)
        beyond = np.zeros(both.shape[1])
        beyond[varying] = differences[0] - bound
        by_budget = beyond.reshape(shape)
        first = next((row for row, excess in enumerate(by_budget) if (excess > 0).any()), None)
        return None if first is None else (self.own.budgets[first], self.own.moves[int(by_budget[first].argmax())])


def _p_values(differences: Floats) -> Floats:
    """How many deals differ at least as much as the true one, which is the first and counts as one, (K,)."""
    found: Floats = (differences >= differences[0] * (1 - 1e-6) - 1e-9).mean(axis=0)
    return found


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values corrected for all of them: one below a level is a false alarm no more often than that."""
    order = np.argsort(p_values, kind="stable")
    corrected, largest = [0.0] * len(p_values), 0.0
    for rank, index in enumerate(order.tolist()):
        largest = max(largest, min(1.0, p_values[index] * (len(p_values) - rank)))
        corrected[index] = largest
    return corrected
