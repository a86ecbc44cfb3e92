"""An atlas of convergence so far: how often the choice is optimal, position by position, and where it goes wrong."""

from __future__ import annotations

import bisect
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from nimdesk.experiments.atlas.work import Atlas, AtlasResult
from nimdesk.experiments.kind import Tally
from nimdesk.experiments.statistics import difference, wilson

Order = Literal["traps", "worse"]
_Z = 4.0
"""Thousands of positions are compared: at 95 % some hundred would seem to get worse by chance."""
_LEAST_A_MOVE = 10
"""With fewer simulations for each legal move there are ties, and which move comes first decides."""


@dataclass(frozen=True, slots=True)
class AtlasRow:
    """One position searched by one agent; tuples have one entry per budget. ``number`` is that of the task.

    ``value`` is for the side to move. ``optimal_share`` is the share of the ``searches`` that chose one of the ``best``
    optimal ones of the ``moves``; ``regret`` the mean regret; ``settled_share`` the share that chose optimally at this
    and all later budgets. ``settled_median`` is the budget by which half of all searches had settled, None if fewer
    ever did. ``trap`` is the mean of the regret over the budgets. ``worse_from`` and ``worse_to`` are two budgets
    between which the share of optimal choices falls by ``fall``, the largest fall that chance does not explain, from 10
    simulations for each legal move on; without one they are None and 0. ``wrong`` is the wrong move that was chosen
    most, after which the game lasts ``plies``.
    """

    number: int
    position: str
    agent: str
    value: str
    moves: int
    best: int
    searches: int
    optimal_share: tuple[float, ...]
    regret: tuple[float, ...]
    settled_share: tuple[float, ...]
    settled_median: int | None
    trap: float
    worse_from: int | None
    worse_to: int | None
    fall: float
    wrong: str
    plies: int | None


class AtlasTally(Tally):
    """The results of an atlas; threads may add and read at the same time."""

    def __init__(self, atlas: Atlas) -> None:
        self.atlas = atlas
        self._lock = threading.Lock()
        # By the number of the task; None for a position with nothing to choose. They are made where results are read,
        # since the window asks for all of them again and again.
        self._rows: dict[int, AtlasRow | None] = {}

    def fits(self, result: AtlasResult) -> bool:
        """Whether the result can belong to this atlas."""
        budgets = len(self.atlas.budgets) if result.searches else 0
        sums = result.optimal, result.settled
        return (
            all(len(each) == budgets for each in (*sums, result.regret))
            and result.best <= result.moves
            and all(number <= result.searches for each in sums for number in each)
            and all(number <= 2 * result.searches for number in result.regret)
        )

    def add(self, result: AtlasResult) -> None:
        """Count it; a result counted before changes nothing."""
        row = _row(self.atlas, result) if result.searches else None
        with self._lock:
            self._rows.setdefault(result.number, row)

    @property
    def done(self) -> int:
        """How many tasks are done."""
        return len(self._rows)

    @property
    def total(self) -> int:
        """How many there are to do."""
        return self.atlas.tasks

    def rows(self, order: Order | None = None) -> list[AtlasRow]:
        """All positions with something to choose, in the order of the plan; or the worst traps, or falls, first."""
        with self._lock:
            numbered = sorted(self._rows.items())
        rows = [row for _, row in numbered if row is not None]
        if order == "traps":
            rows.sort(key=lambda row: -row.trap)
        elif order == "worse":
            rows.sort(key=lambda row: (-row.fall, -row.trap))
        return rows

    @property
    def without_choice(self) -> int:
        """How many of the positions looked at have nothing to choose: all their moves are worth the same."""
        with self._lock:
            agents = len(self.atlas.agents)
            return len({number // agents for number, row in self._rows.items() if row is None})


def _row(atlas: Atlas, result: AtlasResult) -> AtlasRow:
    task, n = atlas.task(result.number), result.searches
    half = (n + 1) // 2
    settled = (budget for budget, count in zip(atlas.budgets, result.settled, strict=True) if count >= half)
    regret = tuple(total / 2 / n for total in result.regret)
    fall = _largest_fall(result.optimal, n, bisect.bisect_left(atlas.budgets, _LEAST_A_MOVE * result.moves))
    return AtlasRow(
        number=result.number,
        position=atlas.positions[task.position].text,
        agent=atlas.labels[task.agent],
        value=result.value,
        moves=result.moves,
        best=result.best,
        searches=n,
        optimal_share=tuple(count / n for count in result.optimal),
        regret=regret,
        settled_share=tuple(count / n for count in result.settled),
        settled_median=next(settled, None),
        trap=sum(regret) / len(regret),
        worse_from=None if fall is None else atlas.budgets[fall[0]],
        worse_to=None if fall is None else atlas.budgets[fall[1]],
        fall=0.0 if fall is None else (result.optimal[fall[0]] - result.optimal[fall[1]]) / n,
        wrong=result.wrong,
        plies=result.plies,
    )


def _largest_fall(optimal: Sequence[int], n: int, first: int) -> tuple[int, int] | None:
    """The budgets, from the index ``first`` on, between which the share falls most, if chance does not explain it."""
    pairs = [(i, j) for i in range(first, len(optimal)) for j in range(i + 1, len(optimal))]
    found = max(pairs, key=lambda pair: optimal[pair[0]] - optimal[pair[1]], default=None)
    if found is None:
        return None
    one, other = ((optimal[i] / n, *wilson(optimal[i], n, _Z)) for i in found)
    return found if difference(one, other)[0] > 0.0 else None


def misled(rows: Sequence[AtlasRow]) -> list[str]:
    """How many positions mislead each agent, in a sentence for each."""
    said = []
    for agent, own in _by_agent(rows):
        wrong = sum(row.optimal_share[-1] < 0.5 for row in own)
        falls = [row.fall for row in own if row.fall]
        words = (
            f"{agent}: of {len(own):,} positions with a choice, {wrong:,} are answered wrongly by most searches with "
        )
        words += f"the largest budget; in {len(falls):,} more simulations make it worse at some budget"
        said.append(f"{words}, by up to {max(falls):.0%} of the searches." if falls else f"{words}.")
    return said


def features(rows: Sequence[AtlasRow]) -> list[str]:
    """What the positions that mislead have in common, in sentences; agent by agent."""
    return [f"{agent}: {each}" for agent, own in _by_agent(rows) for each in _compared(own)]


def _by_agent(rows: Sequence[AtlasRow]) -> list[tuple[str, list[AtlasRow]]]:
    agents = dict.fromkeys(row.agent for row in rows)
    return [(agent, [row for row in rows if row.agent == agent]) for agent in agents]


def _compared(rows: Sequence[AtlasRow]) -> list[str]:
    """The mean regret over all budgets of positions that have a feature, beside that of all others."""
    by: dict[str, Callable[[AtlasRow], bool]] = {
        "only one move is optimal": lambda row: row.best == 1,
        "at most a fifth of the moves are optimal": lambda row: 5 * row.best <= row.moves,
        "the position is won": lambda row: row.value == "win",
        "the usual wrong move is answered within three more plies": lambda row: (
            row.plies is not None and row.plies <= 4
        ),
    }
    said = []
    for feature, has in by.items():
        with_it, others = [row.trap for row in rows if has(row)], [row.trap for row in rows if not has(row)]
        if with_it and others:
            one, other = sum(with_it) / len(with_it), sum(others) / len(others)
            said.append(f"where {feature} ({len(with_it):,}), mean regret {one:.3f}; elsewhere {other:.3f}.")
    return said
