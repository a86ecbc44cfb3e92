"""Positions of m,n,k games as arrays for the kernels, and moves as codes: ``row * m + column``."""

from collections.abc import Callable

from nimdesk.games.kernel_kit import KernelKit, Sizes
from nimdesk.games.mnk import identity, kernel, kernel_small
from nimdesk.games.mnk.rules import MnkGame, MnkMove, MnkPosition, all_cells

Rules = kernel.MnkRules | kernel_small.SmallMnkRules


class MnkKernel(KernelKit[MnkGame, MnkPosition, MnkMove]):
    """The compiled rules of m,n,k games; small boards have a kernel of their own."""

    orders_moves = True

    def sizes(self, game: MnkGame) -> Sizes:
        """One code, one move and one ply for each cell."""
        cells = game.m * game.n
        return Sizes(cells, cells, game.m if game.gravity else cells, cells)

    def make_rules(self, position: MnkPosition) -> Rules:
        """The rules at this position."""
        game = position.game
        make = kernel_small.make_rules if kernel_small.fits(game.m, game.n, game.k) else kernel.make_rules
        return make(game.m, game.n, game.k, game.gravity, _marks(position), int(position.turn))

    def copy_rules(self, rules: Rules) -> Rules:
        """A copy of the rules with working arrays of its own."""
        return kernel.copy_rules(rules) if isinstance(rules, kernel.MnkRules) else kernel_small.copy_rules(rules)

    def encode_identity(self, position: MnkPosition) -> identity.MnkIdentity:
        """Turned or mirrored boards are one position."""
        game = position.game
        return identity.make_identity(game.m, game.n, game.k, game.gravity, _marks(position), int(position.turn))

    def encode_move(self, game: MnkGame, move: MnkMove) -> int:
        """Row by row from the bottom left."""
        return move.row * game.m + move.column

    def moves_by_code(self, game: MnkGame) -> tuple[MnkMove, ...]:
        """Every cell."""
        return all_cells(game.m, game.n)

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

    def replay(self, root: MnkPosition, line: tuple[MnkMove, ...], number: Callable[[], int]) -> tuple[MnkMove, ...]:
        """One number serves two plies, its upper half first.

        A small board numbers the available cells row by row from the lowest. A larger one has a list of choices (free
        cells; with gravity, columns), ascending at the root; a choice that is used up, in the tree too, gives its place
        to the last of the list.
        """
        game, position = root.game, root
        small = kernel_small.fits(game.m, game.n, game.k)
        choices = [_choice(game, move) for move in root.legal_moves]

        def play(move: MnkMove) -> None:
            nonlocal position
            position = position.play(move)
            if not game.gravity or move.row == game.n - 1:
                at, last = choices.index(_choice(game, move)), choices.pop()
                if at < len(choices):
                    choices[at] = last

        def chosen(half: int) -> MnkMove:
            legal = sorted(position.legal_moves, key=lambda move: (move.row, move.column))
            if small:
                return legal[half * len(legal) >> 32]
            choice = choices[half * len(choices) >> 32]
            return next(move for move in legal if _choice(game, move) == choice)

        for move in line:
            play(move)
        while position.outcome is None:
            both = number()
            for half in (both >> 32, both & 0xFFFFFFFF):
                if position.outcome is None:
                    play(chosen(half))
        return position.moves[root.ply + len(line) :]


def _choice(game: MnkGame, move: MnkMove) -> int:
    """A move's entry in the list of choices: with gravity its column, otherwise its code."""
    return move.column if game.gravity else move.row * game.m + move.column


def _marks(position: MnkPosition) -> list[tuple[int, int, int]]:
    return [(move.column, move.row, ply % 2) for ply, move in enumerate(position.moves)]
