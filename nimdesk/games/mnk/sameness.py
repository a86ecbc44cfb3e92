"""Which m,n,k positions are the same, what one look at them shows, and which moves come first, as in the kernel."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from nimdesk.games.mnk import lines
from nimdesk.games.mnk.evaluation import weights
from nimdesk.games.mnk.geometry import all_windows, line_words, views
from nimdesk.games.mnk.patterns import SOMETHING
from nimdesk.games.mnk.rules import MnkMove, MnkPosition, all_cells
from nimdesk.games.twin import FORCED, LOSES, NOTHING, WINS, Identity, random_words

# A mark more in a window is worth four times as much, up to this many.
_MOST_MARKS = 8


class TurnedBoard(Identity[MnkPosition, MnkMove]):
    """Boards that are turned or mirrored are one position; a code is a cell in the view of the smallest key."""

    def __init__(self, root: MnkPosition) -> None:
        game = self._game = root.game
        self._cells = all_cells(game.m, game.n)
        self._words, self._view_of, self._cell_of = _views(game.m, game.n, game.gravity)
        self._turn = int(root.turn)
        zero = [0] * len(self._view_of)
        for side in (0, 1):
            for cell in range(game.m * game.n):
                if root.board[side] >> cell & 1:
                    zero = [key ^ word for key, word in zip(zero, self._words[side][cell], strict=True)]
        self._root_keys = zero
        self.begin()

    def begin(self) -> None:
        """Go back to the root."""
        self._side, self._keys, self._view = self._turn, self._root_keys, 0

    def moved(self, move: MnkMove) -> None:
        """Follow a legal move."""
        self._keys = self._with(move.row * self._game.m + move.column)
        self._side = 1 - self._side

    def _with(self, cell: int) -> list[int]:
        return [key ^ word for key, word in zip(self._keys, self._words[self._side][cell], strict=True)]

    def key(self) -> int:
        """The smallest of the keys of all views."""
        best = min(self._keys)
        self._view = self._keys.index(best)
        return best

    def to_move(self, code: int) -> MnkMove:
        """The move of the position with this code."""
        return self._cells[self._cell_of[self._view][code]]

    def key_after(self, code: int) -> int:
        """The key of the position that the move with this code leads to."""
        return min(self._with(self._cell_of[self._view][code]))


class MnkSameness(TurnedBoard):
    """What one look shows, and which moves come first, by the windows of k cells."""

    def __init__(self, root: MnkPosition) -> None:
        game = root.game
        words = line_words(game.m, game.n, game.k, game.exact)
        self._windows = tuple(
            (cells, window, around & ~window)
            for cells, (window, around) in zip(all_windows(game.m, game.n, game.k), words, strict=True)
        )
        self._marks = root.board
        super().__init__(root)

    def begin(self) -> None:
        """Go back to the root."""
        super().begin()
        self._both = list(self._marks)

    def moved(self, move: MnkMove) -> None:
        """Follow a legal move."""
        self._both[self._side] |= 1 << (move.row * self._game.m + move.column)
        super().moved(move)

    def _playable(self) -> Iterator[int]:
        game, taken = self._game, self._both[0] | self._both[1]
        for cell in range(game.m * game.n):
            supported = not game.gravity or cell < game.m or taken >> (cell - game.m) & 1
            if supported and not taken >> cell & 1:
                yield cell

    def _gaps(self, side: int) -> list[int]:
        """The cells with which the side completes a line at once, ascending."""
        own, other, gaps = self._both[side], self._both[1 - side], 0
        for _, window, beside in self._windows:
            rest = window & ~own
            if not rest & other and not rest & (rest - 1) and not beside & own:
                gaps |= rest
        return [cell for cell in self._playable() if gaps >> cell & 1] if gaps else []

    def assess(self) -> tuple[int, int | None]:
        """A win at once; otherwise how many gaps the opponent has, of which one can be closed."""
        codes = self._view_of[self._view]
        if ours := self._gaps(self._side):
            return WINS, codes[ours[0]]
        theirs = self._gaps(1 - self._side)
        if len(theirs) > 1:
            return LOSES, None
        return (FORCED, codes[theirs[0]]) if theirs else (NOTHING, None)

    def outlook(self) -> tuple[int, int]:
        """A side without a window that is free of the other's marks, and of its own beside it, can no longer win."""
        can_win = [any(self._open(side, window, beside) for _, window, beside in self._windows) for side in (0, 1)]
        return 1 - can_win[1 - self._side], 1 + can_win[self._side]

    def _open(self, side: int, window: int, beside: int) -> bool:
        """Whether the side may yet win with this window."""
        return not window & self._both[1 - side] and not beside & self._both[side]

    def candidates(self, at_root: bool, order: bool) -> Iterable[tuple[MnkMove | int, int]]:
        """The free cells in order; each is worth what the windows through it are worth."""
        worth = self._worth() if order else [0] * len(self._cells)
        codes = self._view_of[self._view]
        return ((self._cells[cell] if at_root else codes[cell], worth[cell]) for cell in self._playable())

    def _worth(self) -> list[int]:
        """Four times as much for each mark more in a window that one side alone has marks in, one's own a bit more."""
        side, worth = self._side, [0] * len(self._cells)
        for cells, window, beside in self._windows:
            ours, theirs = ((window & self._both[each]).bit_count() for each in (side, 1 - side))
            if self._open(side, window, beside):
                each = 5 * 4 ** min(ours, _MOST_MARKS)
            elif self._open(1 - side, window, beside):
                each = 4 * 4 ** min(theirs, _MOST_MARKS)
            else:
                continue
            for cell in cells:
                worth[cell] += each
        return worth


class LineSameness(TurnedBoard):
    """What one look shows, also wins by fours alone, and which moves come first, by the patterns of ``lines``."""

    def __init__(self, root: MnkPosition) -> None:
        self._lines = lines.as_lists(lines.make_lines(root))
        super().__init__(root)

    def begin(self) -> None:
        """Go back to the root."""
        super().begin()
        lines.begin(self._lines)

    def moved(self, move: MnkMove) -> None:
        """Follow a legal move."""
        lines.put(self._lines, self._side, move.row * self._game.m + move.column)
        super().moved(move)

    def assess(self) -> tuple[int, int | None]:
        """A win at once, what completes a row of the opponent, or a win by fours."""
        seen, cell = lines.assess(self._lines, self._side, lines.MOST_FOURS)
        return seen, (self._view_of[self._view][cell] if cell >= 0 else None)

    def outlook(self) -> tuple[int, int]:
        """A side without a pattern in any line can no longer win."""
        can_win = [lines.number_of(self._lines, side, SOMETHING) > 0 for side in (0, 1)]
        return 1 - can_win[1 - self._side], 1 + can_win[self._side]

    def evaluate(self) -> float:
        """The probability that the side to move wins."""
        return lines.evaluate(self._lines, self._side, weights(self._game))

    def candidates(self, at_root: bool, order: bool) -> Iterable[tuple[MnkMove | int, int]]:
        """The free cells in order, below the root those alone that can matter, each with what its lines are worth."""
        codes, pressed = self._view_of[self._view], not at_root and lines.is_pressed(self._lines, self._side)
        for cell in range(self._lines.cells):
            if lines.matters(self._lines, cell, pressed):
                worth = lines.worth_of(self._lines, self._side, cell) if order else 0
                yield (self._cells[cell] if at_root else codes[cell]), worth


Table = tuple[tuple[int, ...], ...]


@lru_cache(maxsize=16)
def _views(m: int, n: int, gravity: bool) -> tuple[tuple[Table, Table], Table, Table]:
    """By side and cell the word of a mark in each view; where each view has a cell, and which cell it has there."""
    view_of = views(m, n, gravity)
    plain = random_words(2 * m * n).tolist()
    first, second = (
        tuple(tuple(plain[side * m * n + view[cell]] for view in view_of) for cell in range(m * n)) for side in (0, 1)
    )
    cell_of = tuple(tuple(sorted(range(m * n), key=view.__getitem__)) for view in view_of)
    return (first, second), view_of, cell_of
