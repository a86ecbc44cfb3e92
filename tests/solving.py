"""Exact answers for tests: those of the program, and of m,n,k games by brute force, which shares nothing with it."""

from __future__ import annotations

from nimdesk.games import AnyPosition, MnkGame, MnkPosition, solver_for
from nimdesk.games.truth import Truth, Value
from nimdesk.limit import Limit

Result = tuple[int, int]
"""For the side to move: 1, 0 or -1 for a win, draw or loss, and after how many plies with best play."""
_WIN = 1000
_VALUES = {1: Value.WIN, 0: Value.DRAW, -1: Value.LOSS}


def solve(position: AnyPosition, time_s: float) -> Truth:
    """What can be proven of the position within this time."""
    solver = solver_for(position)
    solver.start(position)
    solver.advance(Limit(time_s=time_s))
    return solver.truth()


class BruteForce:
    """Textbook alpha-beta over all that can follow, with two bit sets for a position and a memory of bounds.

    Scores order what can happen: a win in p plies is ``_WIN - p``, a draw 0, a loss in p plies ``p - _WIN``.
    Unless ``plain`` it does without what cannot matter: where a side can complete a line it does, where it must block
    one it does that, and where every line has marks of both sides nobody wins.
    """

    def __init__(self, game: MnkGame, *, plain: bool = False) -> None:
        self.game, self._plain = game, plain
        lines = _line_masks(game)
        self._lines = [mask for mask, _ in lines]
        self._through = [tuple(line for line in lines if line[0] >> cell & 1) for cell in range(game.m * game.n)]
        self._full = (1 << game.m * game.n) - 1
        self._bounds: dict[tuple[int, int], tuple[int, int]] = {}

    def of(self, position: MnkPosition) -> tuple[Result, list[Result]]:
        """What the position is worth, and each move in the order of ``legal_moves``; for the side to move both."""
        game, marks = self.game, {position.turn: 0, position.turn.other: 0}
        for row in range(game.n):
            for column in range(game.m):
                if (side := position.mark(column, row)) is not None:
                    marks[side] |= 1 << row * game.m + column
        own, foe = marks[position.turn], marks[position.turn.other]
        left = (self._full ^ (own | foe)).bit_count()
        moves = [self._after(own, foe, move.row * game.m + move.column, -_WIN, _WIN) for move in position.legal_moves]
        return _result(max(moves), left), [_result(score, left) for score in moves]

    def _cells(self, taken: int) -> list[int]:
        m = self.game.m
        empty = [cell for cell in range(m * self.game.n) if not taken >> cell & 1]
        return [c for c in empty if c < m or taken >> (c - m) & 1] if self.game.gravity else empty

    def _completes(self, marks: int, cell: int) -> bool:
        marks |= 1 << cell
        return any(marks & mask == mask and not marks & beside for mask, beside in self._through[cell])

    def _after(self, own: int, foe: int, cell: int, alpha: int, beta: int) -> int:
        """What the move is worth to the side that owns ``own`` and makes it, or a bound beyond alpha or beta."""
        if self._completes(own, cell):
            return _WIN - 1
        # What is behind the move is a ply further away.
        behind = self._score(foe, own | 1 << cell, -beta - 1, -alpha + 1)
        return -behind + (behind > 0) - (behind < 0)

    def _score(self, own: int, foe: int, alpha: int, beta: int) -> int:
        if own | foe == self._full:
            return 0
        low, high = self._bounds.get((own, foe), (-_WIN, _WIN))
        if low >= beta or low == high:
            return low
        if high <= alpha:
            return high
        score = self._best(own, foe, max(alpha, low), min(beta, high))
        self._bounds[own, foe] = (
            (low if score < beta and score <= alpha else max(low, score)),
            (high if score >= beta else min(high, score)),
        )
        return score

    def _best(self, own: int, foe: int, alpha: int, beta: int) -> int:
        cells = self._cells(own | foe)
        if not self._plain:
            if any(self._completes(own, cell) for cell in cells):
                return _WIN - 1
            if blocks := [cell for cell in cells if self._completes(foe, cell)]:
                if len(blocks) > 1:
                    return 2 - _WIN
                cells = blocks
            elif all(mask & own and mask & foe for mask in self._lines):
                return 0
        best = -_WIN
        for cell in cells:
            best = max(best, self._after(own, foe, cell, max(alpha, best), beta))
            if best >= beta:
                break
        return best


def agrees(brute: BruteForce, truth: Truth) -> None:
    """Assert that the truth of a position is complete, and the one of brute force."""
    position = truth.position
    assert isinstance(position, MnkPosition)
    (value, plies), moves = brute.of(position)
    assert tuple(each.move for each in truth.moves) == position.legal_moves
    assert [(each.value, each.distance) for each in truth.moves] == [(_VALUES[v], p) for v, p in moves], position.text
    assert (truth.value, truth.distance) == (_VALUES[value], plies), position.text
    assert truth.complete


def _result(score: int, left: int) -> Result:
    """A score as value and plies; a draw fills the board."""
    return ((score > 0) - (score < 0), _WIN - abs(score) if score else left)


def _line_masks(game: MnkGame) -> list[tuple[int, int]]:
    """Every line; and where a longer one does not win, the cells that its owner must not have as well."""
    masks = []
    for x in range(game.m):
        for y in range(game.n):
            for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
                cells = [(x + i * dx, y + i * dy) for i in range(game.k)]
                if all(0 <= cx < game.m and 0 <= cy < game.n for cx, cy in cells):
                    ends = [(x - dx, y - dy), (x + game.k * dx, y + game.k * dy)] if game.exact else []
                    beside = [(cx, cy) for cx, cy in ends if 0 <= cx < game.m and 0 <= cy < game.n]
                    masks.append(tuple(sum(1 << (cy * game.m + cx) for cx, cy in each) for each in (cells, beside)))
    return masks
