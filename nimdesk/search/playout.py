"""The moves of one random playout, played again in Python with the random numbers that the kernel had.

The kernels keep of a playout its result alone. ``replayed`` does what the kernels of the games do:

* Random numbers are splitmix64; a choice among b things is ``r * b >> 32`` with r the upper half of a new number.
* What they choose among is the game's: see ``KernelKit.replay``.
"""

from __future__ import annotations

from dataclasses import dataclass

from nimdesk.games import AnyPosition, Move, kernel_of

GAMMA = 0x9E3779B97F4A7C15
_MASK = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class Playout:
    """Its moves, the position it ended in, and the generator's state afterwards."""

    moves: tuple[Move, ...]
    end: AnyPosition
    random: int


def stepped(state: int, steps: int = 1) -> int:
    """The generator's state after so many numbers."""
    return (state + steps * GAMMA) & _MASK


def replayed(root: AnyPosition, line: tuple[Move, ...], random: int) -> Playout:
    """The playout of a simulation that went down this line from the root of the search, beginning at this state."""
    state = random

    def number() -> int:
        nonlocal state
        state = stepped(state)
        return _number(state)

    moves = kernel_of(root).replay(root, line, number)
    end = root
    for move in (*line, *moves):
        end = end.play(move)
    return Playout(moves, end, state)


def _number(state: int) -> int:
    """64 random bits from a state."""
    z = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & _MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & _MASK
    return z ^ z >> 31
