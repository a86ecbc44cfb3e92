"""Positions of Nim as arrays for the kernels."""

import math

from nimdesk.games.kernel_kit import KernelKit, Sizes
from nimdesk.games.nim import identity, kernel, kernel_small
from nimdesk.games.nim.rules import MAX_PILE, NimGame, NimMove, NimPosition
from nimdesk.games.nim.twin import TAKES, NimTwin

Rules = kernel.NimRules | kernel_small.SmallNimRules


class NimKernel(NimTwin, KernelKit[NimGame, NimPosition, NimMove]):
    """The compiled rules of Nim; games with few positions have a kernel of their own."""

    guided_playouts = True

    def sizes(self, game: NimGame) -> Sizes:
        """Sizes for the starting piles; an identity's codes name the sizes of piles."""
        moves = sum(min(pile, game.max_take or pile) for pile in game.piles)
        return Sizes(len(game.piles) * TAKES, (MAX_PILE + 1) * TAKES, moves, sum(game.piles))

    def make_rules(self, position: NimPosition) -> Rules:
        """The rules at this position."""
        game = position.game
        make = kernel_small.make_rules if kernel_small.fits(game.piles, game.max_take) else kernel.make_rules
        return make(game.piles, position.piles, game.max_take, game.misere)

    def copy_rules(self, rules: Rules) -> Rules:
        """A copy of the rules with working arrays of its own."""
        return kernel.copy_rules(rules) if isinstance(rules, kernel.NimRules) else kernel_small.copy_rules(rules)

    def encode_identity(self, position: NimPosition) -> identity.NimIdentity:
        """Piles in any order are one position."""
        return identity.make_identity(position.piles, position.game.max_take, position.game.misere)

    def moves_by_code(self, game: NimGame) -> tuple[NimMove, ...]:
        """Every take from every pile, legal or not."""
        return tuple(NimMove(pile, take) for pile in range(len(game.piles)) for take in range(1, TAKES + 1))

    def most_moves(self, position: NimPosition) -> int:
        """With each move there are fewer, or as many."""
        return len(position.legal_moves)

    def most_positions(self, position: NimPosition) -> float:
        """The product of the sizes of each pile, 0 included."""
        return math.prod(pile + 1 for pile in position.piles)

    def can_overshoot(self, game: NimGame) -> bool:
        """With one pile and a largest take."""
        return len(game.piles) == 1 and game.max_take is not None
