"""Positions of m,n,k games as arrays for the kernels."""

from nimdesk.games.kernel_kit import KernelKit, Sizes
from nimdesk.games.mnk import identity, kernel, kernel_lines_identity, kernel_small
from nimdesk.games.mnk.geometry import fits_one_word
from nimdesk.games.mnk.patterns import suit
from nimdesk.games.mnk.rules import MnkGame, MnkMove, MnkPosition, all_cells
from nimdesk.games.mnk.twin import MnkTwin

Rules = kernel.MnkRules | kernel_small.SmallMnkRules


class MnkKernel(MnkTwin, KernelKit[MnkGame, MnkPosition, MnkMove]):
    """The compiled rules of m,n,k games; small boards have a kernel of their own."""

    def sizes(self, game: MnkGame) -> Sizes:
        """One code, one move and one ply for each cell."""
        cells = game.m * game.n
        return Sizes(cells, cells, game.m if game.gravity else cells, cells)

    def make_rules(self, position: MnkPosition) -> Rules:
        """The rules at this position."""
        game = position.game
        size, marks, turn = (game.m, game.n, game.k), _marks(position), int(position.turn)
        if fits_one_word(*size, game.exact):
            return kernel_small.make_rules(*size, game.gravity, marks, turn)
        return kernel.make_rules(*size, game.gravity, marks, turn, exact=game.exact)

    def copy_rules(self, rules: Rules) -> Rules:
        """A copy of the rules with working arrays of its own."""
        return kernel.copy_rules(rules) if isinstance(rules, kernel.MnkRules) else kernel_small.copy_rules(rules)

    def encode_identity(self, position: MnkPosition) -> identity.MnkIdentity | kernel_lines_identity.LinesIdentity:
        """Turned or mirrored boards are one position."""
        game = position.game
        if suit(game):
            return kernel_lines_identity.make_identity(position)
        marks, turn = _marks(position), int(position.turn)
        return identity.make_identity(game.m, game.n, game.k, game.gravity, game.exact, marks, turn)

    def moves_by_code(self, game: MnkGame) -> tuple[MnkMove, ...]:
        """Every cell."""
        return all_cells(game.m, game.n)

    def most_moves(self, position: MnkPosition) -> int:
        """With each move there are fewer, or as many."""
        return len(position.legal_moves)


def _marks(position: MnkPosition) -> list[tuple[int, int, int]]:
    return [(move.column, move.row, ply % 2) for ply, move in enumerate(position.moves)]
