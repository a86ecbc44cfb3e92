"""Random numbers, and games played out with them."""

from __future__ import annotations

from nimdesk.games import AnyPosition, Move, Side, kit_of

_STEP = 0x9E3779B97F4A7C15
_MASK = (1 << 64) - 1


class SplitMix64:
    """Steele, Lea and Flood's generator: its state after so many numbers is known without drawing them."""

    def __init__(self, state: int) -> None:
        """``state`` is the seed at first."""
        self.state = state

    def number(self) -> int:
        """The next 64 random bits."""
        self.skip()
        z = self.state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & _MASK
        z = (z ^ z >> 27) * 0x94D049BB133111EB & _MASK
        return z ^ z >> 31

    def below(self, bound: int) -> int:
        """A number from 0 to ``bound`` - 1, by the upper half of the next one."""
        return (self.number() >> 32) * bound >> 32

    def skip(self, numbers: int = 1) -> None:
        """Go on as if so many numbers had been drawn."""
        self.state = (self.state + numbers * _STEP) & _MASK


def play_out(root: AnyPosition, line: tuple[Move, ...], random: SplitMix64) -> tuple[Move, ...]:
    """Random moves from the position behind ``line`` to the end of the game, all legal ones equally likely.

    What the number of a choice stands for is the kernel's affair in a game that has one.
    """
    kernel = kit_of(root).kernel
    if kernel is not None:
        moves: tuple[Move, ...] = kernel.replay(root, line, random.number)
        return moves
    position, played = after(root, line), []
    while position.outcome is None:
        legal = position.legal_moves
        played.append(legal[random.below(len(legal))])
        position = position.play(played[-1])
    return tuple(played)


def after(position: AnyPosition, line: tuple[Move, ...]) -> AnyPosition:
    """The position behind these moves."""
    for move in line:
        position = position.play(move)
    return position


def half_points(end: AnyPosition, side: Side) -> int:
    """2 for a win of this side, 1 for a draw, 0 for a loss, in a finished game."""
    assert end.outcome is not None
    return round(2 * end.outcome.score(side))
