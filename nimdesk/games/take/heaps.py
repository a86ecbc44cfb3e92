"""Kinds of heaps and the moves between them, numbered: what the compiled rules of a take-away game work on.

Kind 0 stands for every heap without a move, which nobody need count: it can be left out of any position. All other
kinds are numbered by part and by size; in Wythoff's game two heaps together are one kind more, with the moves that take
from both. Moves are numbered by kind, so that their order is that of ``legal_moves``.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property, lru_cache
from itertools import count

import msgspec

from nimdesk.games.take.codes import NONE_LEFT, ONE_LEFT, TWO_LEFT, HeapRule, heap_moves
from nimdesk.games.take.rules import Part, TakeGame, TakeMove, TakePosition

# What the compiled searches have room for (``kernel_kit.LIMITS``), here without loading them.
MOST_CODES, MOST_MOVES, MOST_PLIES = 1 << 10, 768, 32_000


class Change(msgspec.Struct, frozen=True):
    """A move by kinds: those that are gone after it, and those that came. A second one is 0 where there is none."""

    move: TakeMove
    gone: tuple[int, int]
    come: tuple[int, int]


class Heaps:
    """All kinds and moves of a game whose compiled rules fit (``fits``); a kind's moves have consecutive numbers.

    ``first[kind]`` is the number of its first move, ``counts[kind]`` how many it has; ``pair_row[kind] + other`` is the
    kind of two heaps of Wythoff's game, the smaller kind first, and 0 for all others; ``pairs[kind]`` numbers the pairs
    of such parts from 1 on.
    """

    def __init__(self, game: TakeGame) -> None:
        self.game = game
        self.moves: list[Change] = []
        self.first, self.counts, self.pair_row, self.pairs = [0], [0], [0], [0]
        self._kinds: list[dict[int, int]] = []
        numbers = count(1)
        for at, part in enumerate(game.parts):
            self._kinds.append({})
            self._add_part(at + 1 if len(game.parts) > 1 else 0, part, next(numbers) if part.rule.pairs else 0)

    def kind(self, part: int, heap: int) -> int:
        """The kind of a heap of this size in the part with this index."""
        return self._kinds[part].get(heap, 0)

    def all_kinds(self, position: TakePosition) -> list[int]:
        """The kinds of all heaps that have a move, each as often as there are heaps of it; without those of pairs."""
        kinds = (self.kind(part, heap) for part, heaps in enumerate(position.board) for heap in heaps)
        return [kind for kind in kinds if kind]

    def counted(self, position: TakePosition) -> Counter[int]:
        """How many heaps there are of each kind that has a move; two of Wythoff's game are one more together."""
        kinds = Counter(self.all_kinds(position))
        for at, (part, sizes) in enumerate(zip(position.game.parts, position.board, strict=True)):
            if part.rule.pairs and min(sizes):
                low, high = (self.kind(at, size) for size in sizes)
                kinds[self.pair_row[low] + high] = 1
        return kinds

    @cached_property
    def codes(self) -> dict[TakeMove, int]:
        """The number of each move."""
        return {each.move: code for code, each in enumerate(self.moves)}

    def _add_part(self, number: int, part: Part, pair: int) -> None:
        kinds = self._kinds[-1]
        for heap in range(1, max(part.heaps) + 1):
            moves = moves_alone(part.rule, heap)
            if not moves:
                continue
            kinds[heap] = kind = self._add_kind(pair)
            for take, left in moves:
                split = left if len(left) > 1 else ()
                come = [kinds.get(each, 0) for each in left] + [0, 0]
                self._add_move(TakeMove(number, (heap,), take, split), (kind, 0), (come[0], come[1]))
        # Of two heaps the smaller one only becomes smaller.
        for heap in range(1, min(part.heaps) + 1) if pair else ():
            self.pair_row[kinds[heap]] = len(self.first) - kinds[heap]
            for other in range(heap, max(kinds) + 1):
                self._add_kind(pair)
                for take in range(1, heap + 1):
                    come = [kinds.get(heap - take, 0), kinds.get(other - take, 0)]
                    self._add_move(
                        TakeMove(number, (heap, other), take), (kinds[heap], kinds[other]), (come[0], come[1])
                    )

    def _add_kind(self, pair: int) -> int:
        self.first.append(len(self.moves))
        self.counts.append(0)
        self.pair_row.append(0)
        self.pairs.append(pair)
        return len(self.first) - 1

    def _add_move(self, move: TakeMove, gone: tuple[int, int], come: tuple[int, int]) -> None:
        self.moves.append(Change(move, gone, come))
        self.counts[-1] += 1


@lru_cache(maxsize=16)
def heaps_of(game: TakeGame) -> Heaps:
    """The kinds and moves of a game that ``fits``."""
    return Heaps(game)


@lru_cache(maxsize=256)
def fits(game: TakeGame) -> bool:
    """Whether the compiled rules have room for this game; quick to tell for the largest."""
    return (
        sum(_codes(part) for part in game.parts) <= MOST_CODES
        and most_moves(game.start()) <= MOST_MOVES
        and most_plies(game.start()) <= MOST_PLIES
    )


def _codes(part: Part) -> int:
    """How many moves there are in heaps of all sizes up to the largest."""
    largest = max(part.heaps)
    if part.rule.pairs:
        both = sum(heap * (largest - heap + 1) for heap in range(1, min(part.heaps) + 1))
        return largest * (largest + 1) // 2 + both
    total = 0
    for take, digit in enumerate(part.rule.digits[: largest + 1]):
        rest = largest - take
        total += bool(digit & NONE_LEFT) + (rest if digit & ONE_LEFT else 0) + (rest**2 // 4 if digit & TWO_LEFT else 0)
    return total


def most_moves(position: TakePosition) -> int:
    """An upper bound on the legal moves of this position and of all that follow it."""
    return _in_all(position, 0)


def most_plies(position: TakePosition) -> int:
    """The length of the longest game from this position on, heap by heap."""
    return _in_all(position, 1)


def _in_all(position: TakePosition, which: int) -> int:
    total = 0
    for part, heaps in zip(position.game.parts, position.board, strict=True):
        if part.rule.pairs:
            total += sum(heaps) if which else sum(heaps) + min(heaps)
        else:
            total += sum(_most(part.rule, max(part.heaps))[heap][which] for heap in heaps)
    return total


@lru_cache(maxsize=64)
def _most(rule: HeapRule, largest: int) -> list[tuple[int, int]]:
    """Of a heap of each size and what becomes of it: the most legal moves, and the most plies."""
    most = [(0, 0)]
    for heap in range(1, largest + 1):
        moves = heap_moves(rule, heap)
        behind = [(sum(most[each][0] for each in left), sum(most[each][1] for each in left)) for _, left in moves]
        at_most = max((each for each, _ in behind), default=0)
        most.append((max(len(moves), at_most), 1 + max(each for _, each in behind) if moves else 0))
    return most


def moves_alone(rule: HeapRule, heap: int) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """Every move in a heap by itself, in Wythoff's game those that leave the other heap alone."""
    if not rule.pairs:
        return heap_moves(rule, heap)
    return tuple((take, (heap - take,) if heap > take else ()) for take in range(1, heap + 1))
