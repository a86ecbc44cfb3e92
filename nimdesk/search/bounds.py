"""What a search maximises on its way down: the mean of a move and a bonus, with its formula in words and signs.

The options of a search name its bound, and the search selects by it. Tables, plots, figures and explanations ask the
bound for their numbers and their formula.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Bound(Protocol):
    """The upper bound of a move: its mean value, and a bonus that falls with the move's visits n of all N.

    ``total`` is N, ``visits`` n, and ``moves`` how many moves there are to choose from.
    """

    @property
    def bonus_formula(self) -> str:
        """What is added to the mean, in signs, such as "c · √(ln N / n)"."""

    @property
    def formula(self) -> str:
        """The whole bound in signs."""

    @property
    def words(self) -> str:
        """What the letters of the formula stand for, as a clause."""

    @property
    def short(self) -> str:
        """Its constants for a narrow place, such as "c 1.41"."""

    @property
    def scaled(self) -> str:
        """Where another constant counts than was set, both, such as "c = 0.3 where 0.7 is set"; otherwise ""."""

    def given(self, total: int, moves: int) -> str:
        """The constants and what follows from the position alone, such as "c = 1.414, N = 299, ln N = 5.700"."""

    def filled(self, mean: float, total: int, visits: int, moves: int) -> str:
        """The formula with the numbers of a move, such as "0.618 + 1.414 · √(5.700 / 12)"."""

    def bonus(self, total: int, visits: int, moves: int) -> float:
        """What is added to the mean of a move with n visits, at least one, of all N."""

    def bonuses(self, totals: NDArray[Any], visits: NDArray[Any]) -> NDArray[np.float64]:
        """The bonus of all L moves of a position at once, (T, L), by N (T,) and n (T, L); NaN before a first visit."""


class Ucb1(msgspec.Struct, frozen=True):
    """The bound of UCT (Kocsis and Szepesvári, 2006), for rewards from 0 to 1: mean + c · √(ln N / n).

    ``exploration`` is c as the search uses it. N are the visits of the position, or with ``of_root`` those of the root.
    ``chosen`` is c as a person set it, where only a part of it counts, or None.
    """

    exploration: float
    of_root: bool = False
    chosen: float | None = None

    @property
    def bonus_formula(self) -> str:
        """The bonus in signs."""
        return "c · √(ln N / n)"

    @property
    def formula(self) -> str:
        """The whole bound in signs."""
        return f"mean + {self.bonus_formula}"

    @property
    def words(self) -> str:
        """What N and n are."""
        return f"N visits of the {'root' if self.of_root else 'position'}, n of the move"

    @property
    def short(self) -> str:
        """The constant c."""
        return f"c {self.exploration:.3g}" + (f" of {self.chosen:.3g}" if self.scaled else "")

    @property
    def scaled(self) -> str:
        """Such as "c = 0.3 where 0.7 is set"; "" where all of c counts."""
        if self.chosen in (None, self.exploration):
            return ""
        return f"c = {self.exploration:.4g} where {self.chosen:.4g} is set"

    def given(self, total: int, moves: int) -> str:
        """c, N and ln N."""
        return f"{self.scaled or f'c = {self.exploration:.4g}'}, N = {total:,}, ln N = {_log(total):.3f}"

    def filled(self, mean: float, total: int, visits: int, moves: int) -> str:
        """The formula with these numbers."""
        return f"{mean:.3f} + {self.exploration:.4g} · √({_log(total):.3f} / {visits:,})"

    def bonus(self, total: int, visits: int, moves: int) -> float:
        """c · √(ln N / n)."""
        return self.exploration * math.sqrt(_log(total) / visits)

    def bonuses(self, totals: NDArray[Any], visits: NDArray[Any]) -> NDArray[np.float64]:
        """The bonus of many moves at once, (T, L); NaN before a move's first visit."""
        import numpy as np  # lazy: options are declared before the first paint

        n = np.where(visits > 0, visits, np.nan)
        log_n = np.log(np.maximum(totals, 1.0))[:, np.newaxis]
        return np.asarray(self.exploration * np.sqrt(log_n / n))


def _log(total: int) -> float:
    return math.log(max(total, 1))
