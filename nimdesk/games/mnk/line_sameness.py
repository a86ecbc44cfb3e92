"""Boards whose lines are read as patterns, as in the kernel: what threatens, what has to be met, what comes first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from nimdesk.games.mnk.evaluation import probability, weights
from nimdesk.games.mnk.patterns import (
    CATEGORIES,
    CLASS_BITS,
    CLASSES,
    COMPLETES,
    FREE,
    MAKES_FOUR,
    MORE,
    MOST_FOURS,
    MOST_NEARNESS,
    NO_LINE,
    OTHER,
    OWN,
    WINS_SOON,
    nearness,
    patterns,
    powers,
    rays,
)
from nimdesk.games.mnk.rules import MnkMove, MnkPosition
from nimdesk.games.mnk.sameness import TurnedBoard
from nimdesk.games.twin import BY_FOURS, FORCED, LOSES, NOTHING, WINS


class LineBoard:
    """For each side the number of each line, and the shape and the category of each cell; marks come and go."""

    def __init__(self, position: MnkPosition) -> None:
        game = position.game
        span, classes, self._worth, categories = _tables(game.k, game.exact)
        self._classes, self._categories, self._bits = classes, categories, (1 << CLASS_BITS) - 1
        self._rays, self._powers = rays(game.m, game.n, span), powers(span)
        self._nearness = nearness(game.m, game.n)
        self.marks = [FREE] * (game.m * game.n)
        # On the empty board both sides have the same lines; what is off the board is the opponent's for both.
        lines = [
            [self._walls(each[2 * direction : 2 * direction + 2]) for direction in range(4)] for each in self._rays
        ]
        shapes = [sum(classes[number] << CLASS_BITS * at for at, number in enumerate(each)) for each in lines]
        self._around, self.shapes = [[each.copy() for each in lines] for _ in (0, 1)], [shapes.copy() for _ in (0, 1)]
        self.found = [[categories[shape] for shape in shapes] for shapes in self.shapes]
        self.counts = [[found.count(category) for category in range(CATEGORIES)] for found in self.found]
        for side in (0, 1):
            for cell in range(game.m * game.n):
                if position.board[side] >> cell & 1:
                    self.put(side, cell)

    def _walls(self, both: tuple[tuple[int, ...], ...]) -> int:
        """What the places off the board are in the number of a line; seen from them, the cell is on the other side."""
        pairs = (zip(ray, adds, strict=True) for ray, adds in zip(both, reversed(self._powers), strict=True))
        return sum(2 * power for pair in pairs for cell, power in pair if cell < 0)

    def copy(self) -> LineBoard:
        """Another board with the same marks."""
        other = object.__new__(LineBoard)
        other.__dict__.update(self.__dict__)
        other.marks = self.marks.copy()
        other._around = [[around.copy() for around in each] for each in self._around]
        other.shapes, other.found = [each.copy() for each in self.shapes], [each.copy() for each in self.found]
        other.counts = [each.copy() for each in self.counts]
        return other

    def put(self, side: int, cell: int) -> None:
        """A mark of the side comes to a free cell."""
        self.marks[cell] = side
        for each in (0, 1):
            self.counts[each][self.found[each][cell]] -= 1
        self._change(side, cell, 1)

    def lift(self, side: int, cell: int) -> None:
        """The mark that came last goes."""
        self._change(side, cell, -1)
        self.marks[cell] = FREE
        for each in (0, 1):
            self.counts[each][self.found[each][cell]] += 1

    def _change(self, side: int, cell: int, sign: int) -> None:
        """A mark comes or goes: free cells see it, each side up to the first mark of the other.

        What is beyond does not matter before that mark goes, and that is not before this one does.
        """
        for ray, cells in enumerate(self._rays[cell]):
            sees = [True, True]
            for power, seen in zip(self._powers[ray & 1], cells, strict=True):
                if seen < 0:
                    break
                if self.marks[seen] != FREE:
                    sees[1 - self.marks[seen]] = False
                    continue
                for each in (0, 1):
                    if sees[each]:
                        self._see(each, seen, ray >> 1, sign * power * (1 if each == side else 2))

    def _see(self, side: int, cell: int, direction: int, step: int) -> None:
        """The number of a line of a free cell changes."""
        around, bits = self._around[side][cell], CLASS_BITS * direction
        around[direction] += step
        before = self.shapes[side][cell]
        shape = before & ~(self._bits << bits) | self._classes[around[direction]] << bits
        if shape != before:
            self.shapes[side][cell] = shape
            self.counts[side][self.found[side][cell]] -= 1
            self.found[side][cell] = self._categories[shape]
            self.counts[side][self.found[side][cell]] += 1

    def worth(self, side: int, cell: int) -> int:
        """What a move of the side is worth, by the lines through its cell, then by how near the middle it is."""
        own, other = (
            sum(self._worth[line] for line in self._around[each][cell]) + MORE[self.found[each][cell]]
            for each in (side, 1 - side)
        )
        return MOST_NEARNESS * (OWN * own + OTHER * other) + self._nearness[cell]

    def lines(self, side: int) -> list[int]:
        """How many lines through free cells there are of each class."""
        counts = [0] * CLASSES
        for mark, shape in zip(self.marks, self.shapes[side], strict=True):
            for direction in range(4):
                counts[shape >> CLASS_BITS * direction & self._bits] += mark == FREE
        return counts

    def cells(self, side: int, least: int) -> Iterator[int]:
        """The free cells of at least this category for the side, ascending."""
        if any(self.counts[side][least:]):
            for cell, category in enumerate(self.found[side]):
                if category >= least and self.marks[cell] == FREE:
                    yield cell

    def win_by_fours(self, side: int, most: int) -> tuple[int, int]:
        """The plies in which the side, to move, wins by fours, and its first move; (0, -1) if none was found.

        At most ``most`` fours are tried. Neither side completes a row with the next move.
        """
        self._left = most
        return self._fours(side, 0)

    def _fours(self, side: int, depth: int) -> tuple[int, int]:
        other = 1 - side
        forced = list(self.cells(other, COMPLETES))
        cells = [cell for cell in forced[:1] if self.found[side][cell] >= MAKES_FOUR] if forced else None
        for cell in list(self.cells(side, MAKES_FOUR)) if cells is None else cells:
            if not self._left:
                break
            self._left -= 1
            self.put(side, cell)
            plies = 0
            if not self.counts[other][COMPLETES]:
                answers = list(self.cells(side, COMPLETES))
                if len(answers) > 1:
                    plies = 2 * depth + 3
                else:
                    self.put(other, answers[0])
                    plies, _ = self._fours(side, depth + 1)
                    self.lift(other, answers[0])
            self.lift(side, cell)
            if plies:
                return plies, cell
        return 0, -1


@lru_cache(maxsize=8)
def _tables(k: int, exact: bool) -> tuple[int, bytes, list[int], bytes]:
    """``patterns`` as what Python reads quickly."""
    made = patterns(k, exact)
    return made.span, made.classes.tobytes(), made.worth.tolist(), made.categories.tobytes()


class LineSameness(TurnedBoard):
    """What one look shows, also wins by fours alone, and which moves come first, by the patterns of lines."""

    def __init__(self, root: MnkPosition) -> None:
        self._root_lines = LineBoard(root)
        super().__init__(root)

    def begin(self) -> None:
        """Go back to the root."""
        super().begin()
        self._lines = self._root_lines.copy()

    def moved(self, move: MnkMove) -> None:
        """Follow a legal move."""
        self._lines.put(self._side, move.row * self._game.m + move.column)
        super().moved(move)

    def assess(self) -> tuple[int, int | None]:
        """A win at once, what completes a row of the opponent, or a win by fours."""
        lines, side, codes = self._lines, self._side, self._view_of[self._view]
        theirs = list(lines.cells(1 - side, COMPLETES))
        for cell in lines.cells(side, COMPLETES):
            return WINS, codes[cell]
        if theirs:
            return (FORCED, codes[theirs[0]]) if len(theirs) == 1 else (LOSES, None)
        for cell in lines.cells(side, WINS_SOON):
            return BY_FOURS + 3, codes[cell]
        plies, cell = lines.win_by_fours(side, MOST_FOURS)
        return (BY_FOURS + plies, codes[cell]) if plies else (NOTHING, None)

    def outlook(self) -> tuple[int, int]:
        """A side without a pattern in any line can no longer win."""
        can_win = [any(self._lines.counts[side][NO_LINE + 1 :]) for side in (0, 1)]
        return 1 - can_win[1 - self._side], 1 + can_win[self._side]

    def evaluate(self) -> float:
        """By the classes and the categories of all free cells of both sides."""
        sides, fitted = (self._side, 1 - self._side), weights(self._game)
        assert fitted is not None
        lines = [count for side in sides for count in self._lines.lines(side)]
        return probability(fitted, [*lines, *(count for side in sides for count in self._lines.counts[side])])

    def candidates(self, at_root: bool, order: bool) -> Iterable[tuple[MnkMove | int, int]]:
        """The free cells in order, each with what its lines are worth to both sides.

        Where the opponent is about to make two places to complete a row, below the root those alone that can matter:
        fours, and what the opponent's own fours need.
        """
        lines, own, other = self._lines, self._side, 1 - self._side
        counts, codes = lines.counts, self._view_of[self._view]
        pressed = not at_root and counts[other][WINS_SOON] and not counts[own][WINS_SOON] + counts[own][COMPLETES]
        for cell, mark in enumerate(lines.marks):
            if mark == FREE and not (pressed and max(lines.found[0][cell], lines.found[1][cell]) < MAKES_FOUR):
                worth = lines.worth(own, cell) if order else 0
                yield (self._cells[cell] if at_root else codes[cell]), worth
