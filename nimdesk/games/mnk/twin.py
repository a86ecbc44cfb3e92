"""The kernel of m,n,k games in Python, without numba: codes of moves, and its playouts; see also ``sameness``."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable

from nimdesk.games.mnk.evaluation import weights
from nimdesk.games.mnk.geometry import fits_one_word, lines_through
from nimdesk.games.mnk.patterns import suit
from nimdesk.games.mnk.rules import MnkGame, MnkMove, MnkPosition, all_cells
from nimdesk.games.mnk.sameness import LineSameness, MnkSameness, TurnedBoard
from nimdesk.games.twin import KernelTwin, Playout, half_points


class MnkTwin(KernelTwin[MnkGame, MnkPosition, MnkMove]):
    """A move's code is its cell, ``row * m + column``."""

    orders_moves = True

    def identity(self, root: MnkPosition) -> TurnedBoard:
        """Turned or mirrored boards are one position."""
        return (LineSameness if suit(root.game) else MnkSameness)(root)

    def evaluates(self, game: MnkGame) -> bool:
        """Where weights were fitted."""
        return weights(game) is not None

    def encode_move(self, game: MnkGame, move: MnkMove) -> int:
        """Row by row from the bottom left."""
        return move.row * game.m + move.column

    def longest_game(self, position: MnkPosition) -> int:
        """The number of empty cells."""
        return position.game.m * position.game.n - position.ply

    def neighbours(self, position: MnkPosition, move: MnkMove) -> int:
        """The number of occupied cells among the up to eight around."""
        game = position.game
        columns = range(max(move.column - 1, 0), min(move.column + 2, game.m))
        rows = range(max(move.row - 1, 0), min(move.row + 2, game.n))
        around = ((column, row) for column in columns for row in rows if (column, row) != (move.column, move.row))
        return sum(position.mark(column, row) is not None for column, row in around)

    def play_out(self, root: MnkPosition, line: tuple[MnkMove, ...], number: Callable[[], int]) -> Playout:
        """One number serves two plies, its upper half first."""
        game, position = root.game, root
        choices = (_Ascending if fits_one_word(game.m, game.n, game.k, game.exact) else _Swapped)(root)
        for move in line:
            position = position.play(move)
            choices.use(self.encode_move(game, move))
        if position.outcome is not None:
            return Playout((), half_points(position, root))
        cells, through = all_cells(game.m, game.n), lines_through(game.m, game.n, game.k, game.exact)
        marks, side, moves = list(position.board), int(position.turn), list[MnkMove]()
        while True:
            both = number()
            for half in (both >> 32, both & 0xFFFFFFFF):
                cell = choices.pick(half)
                moves.append(cells[cell])
                marks[side] |= 1 << cell
                mine = marks[side]
                if any(mine & around == window for window, around in through[cell]):
                    return Playout(tuple(moves), 2 if side == root.turn else 0)
                if not choices.left:
                    return Playout(tuple(moves), 1)
                side = 1 - side


class _Ascending:
    """Where a mark can go on a small board: the cells, in ascending order."""

    def __init__(self, root: MnkPosition) -> None:
        game = root.game
        self._above, self._cells = game.m if game.gravity else game.m * game.n, game.m * game.n
        self.left = sorted(move.row * game.m + move.column for move in root.legal_moves)

    def pick(self, half: int) -> int:
        """The cell for these 32 random bits, which is used."""
        cell = self.left[half * len(self.left) >> 32]
        self.use(cell)
        return cell

    def use(self, cell: int) -> None:
        """A mark is put there; with gravity the next one of the column goes above."""
        self.left.remove(cell)
        if cell + self._above < self._cells:
            insort(self.left, cell + self._above)


class _Swapped:
    """Where a mark can go on a larger board: free cells, or with gravity columns, ascending at the root.

    One that is used up gives its place to the last.
    """

    def __init__(self, root: MnkPosition) -> None:
        game = root.game
        self._columns, self._cells = game.m if game.gravity else 0, game.m * game.n
        cells = sorted(move.row * game.m + move.column for move in root.legal_moves)
        self._lowest = {cell % game.m: cell for cell in cells}
        self.left = sorted(self._lowest) if game.gravity else cells

    def pick(self, half: int) -> int:
        """The cell for these 32 random bits, which is used."""
        choice = self.left[half * len(self.left) >> 32]
        cell = self._lowest[choice] if self._columns else choice
        self.use(cell)
        return cell

    def use(self, cell: int) -> None:
        """A mark is put there."""
        choice = cell
        if self._columns:
            choice = cell % self._columns
            self._lowest[choice] = cell + self._columns
            if cell + self._columns < self._cells:
                return
        at, last = self.left.index(choice), self.left.pop()
        if at < len(self.left):
            self.left[at] = last
