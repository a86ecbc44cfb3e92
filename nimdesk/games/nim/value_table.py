"""Document 003's value table: the value of every position of a small Nim by backward induction, without theory."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from nimdesk.errors import OptionError
from nimdesk.games.base import AnyPosition
from nimdesk.games.nim.rules import NimGame, NimPosition
from nimdesk.games.truth import MoveTruth, Truth, Value
from nimdesk.limit import Limit

# Plain Python fills a table of this size in half a second.
MAX_STATES = 10_000
MAX_LISTED = 1_000


@dataclass(frozen=True, slots=True)
class TableEntry:
    """What backward induction found for one position: sorted piles, none empty.

    ``value`` is for the player to move, ``distance`` in plies as in ``Truth``. ``wins`` holds every winning move as
    (size of the pile, sticks taken), smallest pile and take first.
    """

    piles: tuple[int, ...]
    value: Value
    distance: int
    wins: tuple[tuple[int, int], ...]


def count_table_states(game: NimGame) -> int:
    """The number of positions that the game can reach, regardless of the order of the piles and the side to move."""
    sizes = sorted(game.piles)
    ways = [1] * (sizes[0] + 1)  # ways[n]: the sorted beginnings that end with a pile of n
    for size in sizes[1:]:
        ways += [0] * (size + 1 - len(ways))
        for pile in range(1, size + 1):
            ways[pile] += ways[pile - 1]
    return sum(ways)


@lru_cache(maxsize=2)
def value_table(game: NimGame) -> dict[tuple[int, ...], TableEntry]:
    """The value of every position, by its sorted piles, from no stick left upwards.

    A position is won exactly when some move leads to a lost one.
    """
    entries: dict[tuple[int, ...], TableEntry] = {}
    for piles in _positions_below(sorted(game.piles)):
        entries[piles] = _induced(game, piles, entries)
    return entries


def _induced(game: NimGame, piles: tuple[int, ...], entries: dict[tuple[int, ...], TableEntry]) -> TableEntry:
    if not piles:
        return TableEntry(piles, Value.WIN if game.misere else Value.LOSS, 0, ())
    wins, quickest, longest = [], 0, 0
    for index, size in enumerate(piles):
        if index and piles[index - 1] == size:
            continue
        others = piles[:index] + piles[index + 1 :]
        for take in range(1, min(size, game.max_take or size) + 1):
            after = entries[_sorted_piles((*others, size - take))]
            if after.value is Value.LOSS:
                wins.append((size, take))
                quickest = min(quickest or after.distance + 1, after.distance + 1)
            longest = max(longest, after.distance + 1)
    return TableEntry(piles, Value.WIN if wins else Value.LOSS, quickest or longest, tuple(wins))


def _sorted_piles(piles: Sequence[int]) -> tuple[int, ...]:
    return tuple(sorted(pile for pile in piles if pile))


def _positions_below(sizes: list[int], least: int = 0) -> Iterator[tuple[int, ...]]:
    """Sorted piles within ``sizes``, ordered so that every move leads back to an earlier entry."""
    if not sizes:
        yield ()
        return
    for pile in range(least, sizes[0] + 1):
        for rest in _positions_below(sizes[1:], pile):
            yield (pile, *rest) if pile else rest


class TableSolver:
    """A ``ListedSolver`` that looks the position up in the table of the game, building it if needed.

    Raises ``OptionError`` for a game with too many positions.
    """

    progress = 0.0

    def __init__(self, game: NimGame) -> None:
        states = count_table_states(game)
        if states > MAX_STATES:
            raise OptionError(
                f"{game.title} has {states:,} positions, too many for a value table of {MAX_STATES:,}; "
                "choose fewer or smaller piles, or Perfect instead."
            )
        self._game = game

    def start(self, position: AnyPosition) -> None:
        """Begin with a position of the game."""
        assert isinstance(position, NimPosition)
        self._position = position
        unknown = tuple(MoveTruth(move, Value.UNKNOWN) for move in position.legal_moves)
        self._truth = Truth(position, Value.UNKNOWN, None, unknown)

    def advance(self, limit: Limit) -> bool:
        """Build the table in one go."""
        begin = time.perf_counter()
        position, table = self._position, value_table(self._game)
        entry = table[_sorted_piles(position.piles)]
        afterwards = [(move, table[_sorted_piles(position.play(move).piles)]) for move in position.legal_moves]
        moves = tuple(MoveTruth(move, after.value.reverse, after.distance + 1) for move, after in afterwards)
        took = time.perf_counter() - begin
        self._truth = Truth(position, entry.value, entry.distance, moves, len(table), took)
        self.progress = 1.0
        return True

    def truth(self) -> Truth:
        """The table's entry, once it is built."""
        return self._truth

    def lines(self) -> tuple[str, ...]:
        """The table for a person, smallest positions first; a long one is cut."""
        return _table_lines(self._game)


@lru_cache(maxsize=2)
def _table_lines(game: NimGame) -> tuple[str, ...]:
    entries = sorted(value_table(game).values(), key=lambda entry: (sum(entry.piles), entry.piles))
    rows = [("-".join(map(str, entry.piles)) or "0", entry.value.value, _takes(game, entry)) for entry in entries]
    what = "sticks" if len(game.piles) == 1 else "piles"
    width = max(len(what), *(len(row[0]) for row in rows[:MAX_LISTED]))
    lines = [f"{piles:>{width}}  {value:<5}  {takes}" for piles, value, takes in rows[:MAX_LISTED]]
    if more := len(rows) - len(lines):
        lines.append(f"… and {more:,} larger position{'s' * (more != 1)}")
    return (f"{what:>{width}}  value  best take", *lines)


def _takes(game: NimGame, entry: TableEntry) -> str:
    if not entry.piles:
        return f"over: the opponent took the last stick, and {'loses' if game.misere else 'wins'}"
    if not entry.wins:
        return "none: every move loses"
    if len(game.piles) == 1:
        return _joined(str(take) for _, take in entry.wins)
    return _joined(f"{take} from {size}" for size, take in entry.wins)


def _joined(items: Iterable[str]) -> str:
    return " or ".join(items)
