"""What all simulating searches that prove values share: how a proof decides the move, and the words for it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nimdesk.games.kit import known_at_once
from nimdesk.games.truth import MoveTruth, Value
from nimdesk.games.truth_words import proof_sentence, resistance_sentence
from nimdesk.search.choice import by_counts, by_order, haste, resistance, standing
from nimdesk.search.sampled import RootT, SampledSearcher
from nimdesk.search.tree_types import VALUES
from nimdesk.search.types import Resistance

_SURE = 1 << 21


def rounded(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round to the digits that single precision surely has: three times a third is 1, not 0.99999994."""
    part, exponent = np.frexp(x)
    result: NDArray[np.float64] = np.ldexp(np.round(part * _SURE), exponent) / _SURE
    return result


class ProvingSearcher(SampledSearcher[RootT]):
    """A sampling search whose root has bounds. A position that is proven ends it, or is only confirmed from there on.

    Bounds are those of ``mcts_state.Search.trace_bounds``. Where the position is proven, the move played is the
    quickest of the proven wins, or the longest of the losses: by the formula of the game where there is one, otherwise
    as far as this search has proven it.
    """

    @property
    def by_visits(self) -> bool:
        """What is proven goes first."""
        return False

    @property
    @abstractmethod
    def proven_after(self) -> int | None:
        """The simulation that proved the position, or None while it is open. Later ones confirm the move."""

    @abstractmethod
    def _worth(self) -> int:
        """Half points of the side to move; the position must be proven."""

    @abstractmethod
    def _bounds(self, root: RootT) -> NDArray[np.uint8]:
        """What is proven of each move now, (L,)."""

    @abstractmethod
    def _row_bounds(self, rows: slice) -> NDArray[np.uint8]:
        """What was proven of each move at these checkpoints, (T, L)."""

    @abstractmethod
    def _plies_to_end(self, root: RootT, columns: Sequence[int]) -> list[int] | None:
        """The plies to the end after each of these moves, which all win or all lose; None if that takes too long."""

    def _prepare_choices(self) -> None:
        super()._prepare_choices()
        self._haste: tuple[NDArray[np.float64], NDArray[np.int64]] | None = None
        self._resistance: Resistance | None = None

    def _choice(self, root: RootT) -> int | None:
        visits, score, bounds = root[0], root[1], self._bounds(root)
        if not bounds.any():
            return None
        return int(by_order(self._keys(visits, score, bounds, np.array(self.proven_after is not None))))

    def _choices(self, rows: slice, visits: NDArray[Any], score: NDArray[Any]) -> NDArray[np.int64]:
        after = self.proven_after
        settled = np.zeros(len(visits), np.bool_) if after is None else self._at[rows] >= after
        return by_order(self._keys(visits, score, self._row_bounds(rows), settled))

    def _keys(
        self, visits: NDArray[Any], score: NDArray[Any], bounds: NDArray[np.uint8], settled: NDArray[np.bool_]
    ) -> Iterator[NDArray[Any]]:
        """The keys of ``by_order``, each (..., L); ``settled`` (...) says where the position is proven."""
        yield standing(visits, score, bounds)
        if settled.any():
            if self._haste is None:
                self._haste = self._hasten()
            # From the proof on the graph stays as it is, so that one look serves all later moments.
            yield from (np.where(settled[..., np.newaxis], key, 0) for key in self._haste)
        yield from by_counts(self.rule, visits, 0.5 * score)
        yield self._precedence

    def _hasten(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """The keys of the moves of the proven position by their distance to the end."""
        root, worth = self._root(), VALUES[self._worth()]
        low, high = np.divmod(self._bounds(root).astype(np.int64) - 1, 3)
        alike = np.flatnonzero((low == high) & (low == self._worth())).tolist()
        plies: dict[int, int | None] = dict.fromkeys(alike)
        exact = False
        if len(alike) > 1 and worth is not Value.DRAW:
            known = known_at_once(self._position)
            exact = known is not None and all(known.moves[column].distance is not None for column in alike)
            if exact and known is not None:
                plies = {column: known.moves[column].distance for column in alike}
            elif (proven := self._plies_to_end(root, alike)) is not None:
                plies = {column: 1 + left for column, left in zip(alike, proven, strict=True)}
        moves = [
            MoveTruth(move, worth if column in plies else Value.UNKNOWN, plies.get(column))
            for column, move in enumerate(self._moves)
        ]
        self._resistance = resistance(moves, exact=exact)
        return haste(self._position, moves)

    def proven_rows(self) -> NDArray[np.int8]:
        """What was proven of each move at the checkpoints passed, (T, L): half points, −1 where nothing was."""
        bounds = self._row_bounds(slice(len(self._rows().visits)))
        low, high = np.divmod(bounds.astype(np.int8) - 1, 3)
        return np.where((bounds > 0) & (low == high), low, -1).astype(np.int8)

    def _proof(self, root: RootT, choice: int | None) -> dict[str, Any]:
        """The fields of a snapshot about the proof; ``choice`` is the column that the search would play."""
        if (after := self.proven_after) is None:
            return {}
        value = VALUES[self._worth()]
        comment = proof_sentence(value, after, self.iterations - int(root[0].sum()))
        if choice is not None and self._resistance is not None:
            told = self._resistance
            comment += resistance_sentence(self._moves[choice], told.longest, len(self._moves), exact=told.exact)
        at_once = value is Value.WIN and bool(self._position.winning_moves)
        return {
            "proven": value,
            "distance": 1 if at_once else None,
            "resistance": self._resistance,
            "comment": comment,
        }
