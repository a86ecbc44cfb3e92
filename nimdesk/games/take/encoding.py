"""Positions of take-away games as arrays for the kernels; moves have the numbers of ``heaps``."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from nimdesk.games.kernel_kit import KernelKit, Sizes
from nimdesk.games.take.heaps import Heaps, heaps_of, most_moves, most_plies
from nimdesk.games.take.identity import TakeIdentity
from nimdesk.games.take.kernel import TakeRules, copy_rules
from nimdesk.games.take.rules import TakeGame, TakeMove, TakePosition
from nimdesk.games.take.twin import TakeTwin
from nimdesk.games.twin import random_words


class TakeKernel(TakeTwin, KernelKit[TakeGame, TakePosition, TakeMove]):
    """The compiled rules of take-away games that ``heaps.fits``."""

    def sizes(self, game: TakeGame) -> Sizes:
        """Codes for the moves of heaps of every size up to the largest."""
        codes = len(heaps_of(game).moves)
        return Sizes(codes, codes, self.most_moves(game.start()), most_plies(game.start()))

    def make_rules(self, position: TakePosition) -> TakeRules:
        """The rules at this position."""
        heaps = heaps_of(position.game)
        counts, present, sums = _working(heaps, position)
        moves = np.array(heaps.counts, np.int64)
        choices = int(moves[counts > 0].sum())
        return TakeRules(
            int(not position.game.misere),
            choices,
            np.array(heaps.first, np.int64),
            moves,
            np.array(heaps.pair_row, np.int64),
            np.array([(*each.gone, *each.come, heaps.pairs[each.gone[0]]) for each in heaps.moves], np.int32),
            counts,
            present,
            sums,
            counts.copy(),
            present.copy(),
            sums.copy(),
            np.array([choices], np.int64),
            np.zeros(-(-len(heaps.moves) // 64), np.uint64),
        )

    def copy_rules(self, rules: TakeRules) -> TakeRules:
        """A copy of the rules with working arrays of its own."""
        return copy_rules(rules)

    def encode_identity(self, position: TakePosition) -> TakeIdentity:
        """Heaps have no order."""
        heaps = heaps_of(position.game)
        words = random_words(len(heaps.first))
        words[0] = 0
        moved = np.array([(*each.gone, *each.come) for each in heaps.moves])
        with np.errstate(over="ignore"):
            changes = words[moved[:, 2]] + words[moved[:, 3]] - words[moved[:, 0]] - words[moved[:, 1]]
            key = words[heaps.all_kinds(position)].sum()
        ends = np.full(len(heaps.first), -1, np.int64)
        for kind, (first, count) in enumerate(zip(heaps.first, heaps.counts, strict=True)):
            leave_none = [code for code in range(first, first + count) if heaps.moves[code].come == (0, 0)]
            ends[kind] = leave_none[0] if leave_none else -1
        return TakeIdentity(self.encode_position(position), changes, np.full(2, key, np.uint64), ends)

    def moves_by_code(self, game: TakeGame) -> tuple[TakeMove, ...]:
        """Every move of every heap up to the largest, legal or not."""
        return tuple(each.move for each in heaps_of(game).moves)

    def most_moves(self, position: TakePosition) -> int:
        """Different heaps may come of equal ones, and have more moves."""
        return min(len(heaps_of(position.game).moves), most_moves(position))

    def most_positions(self, position: TakePosition) -> float:
        """The product of the sizes of each heap, 0 included, where no move splits one."""
        if any(part.rule.splits for part in position.game.parts):
            return math.inf
        return math.prod(heap + 1 for heaps in position.board for heap in heaps)


def _working(heaps: Heaps, position: TakePosition) -> tuple[NDArray[np.int16], NDArray[np.uint64], NDArray[np.int64]]:
    """How many heaps there are of each kind, a bit for each kind that is there, and the sums of pairs."""
    counts = np.zeros(len(heaps.first), np.int16)
    sums = np.zeros(max(heaps.pairs) + 1, np.int64)
    for kind, number in heaps.counted(position).items():
        counts[kind] = number
    for kind in heaps.all_kinds(position):
        sums[heaps.pairs[kind]] += kind
    present = np.zeros(-(-len(counts) // 64), np.uint64)
    for there in np.flatnonzero(counts).tolist():
        present[there >> 6] |= np.uint64(1 << (there & 63))
    return counts, present, sums
