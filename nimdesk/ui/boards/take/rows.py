"""Take-away games as rows of things, left to right: where each move can be made, and what becomes of a row.

The rules know sizes of heaps alone; here each heap of the start is a row of *slots*, in which parts of it go on lying
where they lay. One move may be made in many *spots*: from either end, or in any of several equal heaps.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TypeAlias, cast

import msgspec

from nimdesk.games import AnyPosition, Move
from nimdesk.games.take.codes import NONE_LEFT, ONE_LEFT, TWO_LEFT, HeapRule
from nimdesk.games.take.heaps import moves_alone
from nimdesk.games.take.rules import TakeGame, TakeMove, TakePosition

Rows: TypeAlias = tuple[tuple[tuple[int, int], ...], ...]
"""For each row its pieces, from left to right: the first slot and the number of things."""


class Spot(msgspec.Struct, frozen=True):
    """One way to make a move: ``spans`` are the row, the first slot and the number of things that it takes there.

    A span of no things is a cut before its slot. ``lane`` is the row whose lane has the spot, and which lane of it.
    ``to_end`` says that it is named by the first thing that it takes, since all to the right of that are taken.
    """

    move: TakeMove
    spans: tuple[tuple[int, int, int], ...]
    lane: tuple[int, int]
    to_end: bool = False

    @property
    def center(self) -> float:
        """Where it stands in its lane, in slots."""
        _, first, count = self.spans[0]
        return first + (0.5 if self.to_end else count / 2)


@lru_cache(maxsize=32)
def parts_of_rows(game: TakeGame) -> tuple[int, ...]:
    """For each row the index of its part."""
    return tuple(at for at, part in enumerate(game.parts) for _ in part.heaps)


def rule_of(game: TakeGame, row: int) -> HeapRule:
    """The rule of a row."""
    return game.parts[parts_of_rows(game)[row]].rule


def lanes_of(game: TakeGame, row: int) -> tuple[str, ...]:
    """What the lanes under a row are for, in a word or two; the last one of a pair's first row takes from both."""
    rule, rows = rule_of(game, row), parts_of_rows(game)
    if rule.pairs:
        return ("", "both") if rows.index(rows[row]) == row else ("",)
    if not rule.splits:
        return ("",)
    return tuple(f"take {take}" if take else "split" for take in _takes(rule))


def _takes(rule: HeapRule) -> list[int]:
    return [take for take, digit in enumerate(rule.digits) if digit]


def first_rows(game: TakeGame) -> Rows:
    """All heaps as given."""
    return tuple(((0, heap),) for part in game.parts for heap in part.heaps)


def rows_of(position: TakePosition, where: Mapping[object, Spot]) -> Rows:
    """The rows after the moves played; ``where`` has the spots that are known, by the position's moves up to each."""
    rows = first_rows(position.game)
    for ply, move in enumerate(position.moves, 1):
        rows = after(rows, _spot_for(position.game, rows, move, where.get(position.moves[:ply])))
    return rows


def last_spot(position: TakePosition, where: Mapping[object, Spot]) -> Spot | None:
    """Where the last move was made; None at the start. ``where`` is as for ``rows_of``."""
    game, moves = position.game, position.moves
    if not moves:
        return None
    before = rows_of(TakePosition(game, (), moves[:-1]), where)
    return _spot_for(game, before, moves[-1], where.get(moves))


def _spot_for(game: TakeGame, rows: Rows, move: TakeMove, known: Spot | None) -> Spot:
    """The known spot of a legal move, unless an earlier move has been made elsewhere since; else its first."""
    there = [spot for spot in spots(game, rows) if spot.move == move]
    return known if known is not None and known in there else there[0]


def after(rows: Rows, spot: Spot) -> Rows:
    """The rows once what the spot takes is gone."""
    changed = list(rows)
    for row, first, count in spot.spans:
        pieces = []
        for start, size in changed[row]:
            if start <= first and first + count <= start + size:
                both = (start, first - start), (first + count, start + size - first - count)
                pieces += [piece for piece in both if piece[1]]
            else:
                pieces.append((start, size))
        changed[row] = tuple(pieces)
    return tuple(changed)


@lru_cache(maxsize=256)
def spots(game: TakeGame, rows: Rows) -> tuple[Spot, ...]:
    """Every spot, row by row, those at the right end of a piece first."""
    found: list[Spot] = []
    several, parts = len(game.parts) > 1, parts_of_rows(game)
    for row, pieces in enumerate(rows):
        number, rule = parts[row] + 1 if several else 0, rule_of(game, row)
        for start, size in pieces:
            if rule.pairs or not rule.splits:
                found += _at_the_end(rule, number, row, size)
            else:
                found += _anywhere(rule, number, row, start, size)
        if rule.pairs and row + 1 < len(rows) and parts[row + 1] == parts[row]:
            found += _from_both(rows, number, row)
    return tuple(found)


def _at_the_end(rule: HeapRule, number: int, row: int, size: int) -> list[Spot]:
    takes = sorted(take for take, left in moves_alone(rule, size) if len(left) < 2)
    return [Spot(TakeMove(number, (size,), take), ((row, size - take, take),), (row, 0), True) for take in takes]


def _anywhere(rule: HeapRule, number: int, row: int, start: int, size: int) -> list[Spot]:
    found = []
    for lane, take in enumerate(_takes(rule)):
        digit = rule.digits[take]
        for first in range(size - take, -1, -1):
            left = tuple(sorted(each for each in (first, size - take - first) if each))
            wanted = (NONE_LEFT, ONE_LEFT, TWO_LEFT)[len(left)]
            if digit & wanted and (take or len(left) > 1):
                move = TakeMove(number, (size,), take, left if len(left) > 1 else ())
                found.append(Spot(move, ((row, start + first, take),), (row, lane)))
    return found


def _from_both(rows: Rows, number: int, row: int) -> list[Spot]:
    sizes = [sum(size for _, size in rows[each]) for each in (row, row + 1)]
    # Over the shorter row, where the other one has as many.
    order = (row, row + 1) if sizes[0] <= sizes[1] else (row + 1, row)
    size_of = dict(zip((row, row + 1), sizes, strict=True))
    return [
        Spot(
            TakeMove(number, (min(sizes), max(sizes)), take),
            tuple((each, size_of[each] - take, take) for each in order),
            (row, 1),
            True,
        )
        for take in range(1, min(sizes) + 1)
    ]


def as_take(position: AnyPosition) -> TakePosition:
    """The position of a take-away game that this is."""
    return cast(TakePosition, position)


def as_move(move: Move | None) -> TakeMove | None:
    """The move of a take-away game that this is; None for none and for those of other games."""
    return move if isinstance(move, TakeMove) else None
