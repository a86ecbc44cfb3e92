"""Exact answers for Nim: formulas for the value, the winning moves and the distance of every position, no search.

**Which positions are lost** (for the player to move). Let K be the largest take; no limit is a K as large as the
largest pile. The *value* of a pile of n sticks is g = n mod (K+1), and every move changes it, to any g' < g, and to
any g' > g (up to K) where n > K. A value is *big* if it is at least 2.

- Normal play: lost exactly when the nim-sum (exclusive or) of the values is 0.
- Misère play: while some value is big, lost exactly when the nim-sum is 0, as in normal play. When none is big, lost
  exactly when the nim-sum is 1, that is, when an odd number of piles has the value 1.

The rule is Bouton's for K without limit, "n = 1 mod K+1" for one pile, and the parity of the sticks for K = 1. Proof
for misère play (normal play is Sprague and Grundy's theorem); a lost position must have no move to a lost one, and any
other a move to one, except that with no stick left the player to move has won, as the rule says:

- None big, nim-sum 1: a move leaves nim-sum 0 and none big, or exactly one big value and so a nim-sum of 2 or more.
- None big, nim-sum 0: take 1 from a pile of value 1; or, if all are 0, take K from a pile of at least K+1.
- Some big, nim-sum 0: at least two are big, so a move leaves one big and a nim-sum other than 0.
- One big, say g: take g or g-1 from it, whichever leaves an odd number of ones.
- Two or more big, nim-sum not 0: Bouton's move makes the nim-sum 0, and leaves one big.

**How long it takes** when the winner hurries and the loser resists. Write n = q(K+1) + g, and let W, the *weight*, be
the sum of 2q + g over the piles. A lost position ends after exactly W plies; in misère play, if some value is big,
after exactly W - 1. (Without a limit W is the number of sticks.) Proof, by induction over a move and its answer:

- The winner needs no more: a take of t from a pile with q > 0 is answered there with K+1-t, which lowers W by 2 and
  keeps all values; any other move lowers a value, and so does Bouton's answer, so W falls by 2 or more. In misère
  play, the answer that leaves the first position with none big leads from an even W to an odd one, so by 3 or more; and
  with none big, if no 1 is left to be taken, taking K from a pile of at least K+1 lowers W by 1.
- The loser can hold out as long: take 1 from a pile whose value has the lowest bit, 2^b, that is set in any value. The
  answer must change a value by exclusive or with 2^(b+1) - 1: it lowers it by exactly 1, or raises it, by 1 or more, at
  the cost of one q; either way W falls by at most 1. (If all values are 0, take K; the same holds.) Only in misère
  play, from two values of 2 among zeros, is there another answer, which leaves a single 1: W falls by 3 in all.

Both statements are compared with brute force over all small positions of every variant in ``test_nim_theory.py``.

Sources: C. L. Bouton, "Nim, a game with a complete mathematical theory", Annals of Mathematics 3 (1901); R. Sprague
(1935) and P. M. Grundy (1939) for the values; Berlekamp, Conway and Guy, "Winning Ways", chapters 3 and 4 (values of
subtraction games), 9 (remoteness) and 13 (misère play). The proofs above are nimdesk's own.

Plain Python and no numba: the window asks on its own thread, and any position takes a few milliseconds at most.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import xor
from time import perf_counter

from nimdesk.games.nim.rules import NimMove, NimPosition
from nimdesk.games.nim.theory_words import NimColumns, explain
from nimdesk.games.truth import MoveTruth, Truth, Value


def nim_sum(piles: Sequence[int]) -> int:
    """The exclusive or of the numbers, 0 for none (Bouton 1901)."""
    return reduce(xor, piles, 0)


def grundy(pile: int, max_take: int | None) -> int:
    """The Grundy value of a pile: its size, or with a largest take the size mod ``max_take`` + 1."""
    return pile if max_take is None else pile % (max_take + 1)


def winning_moves(position: NimPosition) -> tuple[NimMove, ...]:
    """Every winning move, in the order of ``legal_moves``; empty exactly when the position is lost or over."""
    state = _State(position.piles, position.game.max_take, position.game.misere)
    takes = ((pile, state.winning_take(pile)) for pile in range(len(position.piles)))
    return tuple(NimMove(pile, take) for pile, take in takes if take)


def solve_nim(position: NimPosition, *, distances: bool = True) -> Truth:
    """The whole truth of a position by formula: every value and, with ``distances``, every distance and an explanation.

    Complete for every position of every variant, within a few milliseconds even for the largest, with 768 moves.
    """
    started = perf_counter()
    state = _State(position.piles, position.game.max_take, position.game.misere)
    moves = []
    known: dict[tuple[int, int], tuple[Value, int | None]] = {}  # piles of equal size share their answers
    for move in position.legal_moves:
        key = (position.piles[move.pile], move.take)
        if key not in known:
            after = state.after(move.pile, move.take)
            known[key] = Value.WIN if after.lost else Value.LOSS, 1 + after.distance() if distances else None
        value, distance = known[key]
        moves.append(MoveTruth(move, value, distance))
    return Truth(
        position,
        Value.LOSS if state.lost else Value.WIN,
        state.distance() if distances else None,
        tuple(moves),
        explanation=explain(nim_columns(position), winning_moves(position)) if distances else "",
        elapsed_s=perf_counter() - started,
    )


def nim_columns(position: NimPosition) -> NimColumns:
    """The piles as the theory sees them, for an explanation or a drawing."""
    game, piles = position.game, position.piles
    values = tuple(grundy(pile, game.max_take) for pile in piles)
    width = max(1, max(values).bit_length())
    digits = tuple(tuple(value >> place & 1 for place in reversed(range(width))) for value in values)
    strip = range(game.piles[0] + 1) if len(piles) == 1 and game.max_take is not None else range(0)
    return NimColumns(
        piles=piles,
        max_take=game.max_take,
        misere=game.misere,
        values=values,
        places=tuple(1 << place for place in reversed(range(width))),
        digits=digits,
        parities=tuple(sum(column) % 2 for column in zip(*digits, strict=True)),
        nim_sum=nim_sum(values),
        remainders=tuple(grundy(size, game.max_take) for size in strip),
        lost_sizes=tuple(size for size in strip if _State((size,), game.max_take, game.misere).lost),
    )


class _State:
    """A position in the terms of the proof above: values, nim-sum, number of big values, weight."""

    def __init__(self, piles: Sequence[int], max_take: int | None, misere: bool) -> None:
        self.piles, self.max_take, self.misere = piles, max_take, misere
        self.modulus = max(piles, default=0) + 1 if max_take is None else max_take + 1
        self.values = [pile % self.modulus for pile in piles]
        self.nim_sum = nim_sum(self.values)
        self.big = sum(value >= 2 for value in self.values)
        self.weight = sum(2 * (pile // self.modulus) for pile in piles) + sum(self.values)

    @property
    def lost(self) -> bool:
        """Whether the player to move loses."""
        return self.nim_sum == (1 if self.misere and not self.big else 0)

    def target(self, pile: int) -> int:
        """The one value of this pile that makes the position lost, with the other piles unchanged."""
        others = self.nim_sum ^ self.values[pile]
        return others ^ 1 if self.misere and self.big == (self.values[pile] >= 2) else others

    def winning_take(self, pile: int) -> int:
        """The one take from this pile that leaves a lost position, or 0 if there is none."""
        value, target = self.values[pile], self.target(pile)
        if target <= value:
            return value - target
        return value - target + self.modulus if target < self.modulus <= self.piles[pile] else 0

    def after(self, pile: int, take: int) -> _State:
        """The position after a move."""
        return _State(
            (*self.piles[:pile], self.piles[pile] - take, *self.piles[pile + 1 :]), self.max_take, self.misere
        )

    def distance(self) -> int:
        """Plies to the end; a won position takes its quickest winning move."""
        if self.lost:
            return self.weight - 1 if self.misere and self.big else self.weight
        quickest = []
        for pile, value in enumerate(self.values):
            if self.winning_take(pile):
                target = self.target(pile)
                big = self.big - (value >= 2) + (target >= 2)
                weight = self.weight - value + target - (2 if target > value else 0)
                quickest.append(weight if self.misere and big else weight + 1)
        return min(quickest, default=0)  # no winning move at all: misère play, with no stick left
