"""The moves of one random playout, played again in Python with the random numbers that the kernel had.

The kernels keep of a playout its result alone. ``replayed`` does what the kernels of the games do:

* Random numbers are splitmix64; a choice among b things is ``r * b >> 32`` with r the upper half of a new number. In
  m,n,k games one number serves two plies, its upper half first.
* Nim takes the chosen one of the legal moves. A small m,n,k game takes the chosen one of the cells that may be taken,
  row by row from the lowest. A larger one has a list of choices (free cells; with gravity, columns), ascending at the
  root; one that is used up, in the tree too, gives its place to the last of the list.
"""

from __future__ import annotations

from dataclasses import dataclass

from nimdesk.games import AnyPosition, MnkMove, MnkPosition, Move
from nimdesk.games.mnk import kernel_small as mnk_small

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
    if isinstance(root, MnkPosition) and not mnk_small.fits(root.game.m, root.game.n, root.game.k):
        return _replayed_with_list(root, line, random)
    position = root
    for move in line:
        position = position.play(move)
    if isinstance(position, MnkPosition):
        return _replayed_by_cells(position, random)
    moves: list[Move] = []
    while position.outcome is None:
        random = stepped(random)
        legal = position.legal_moves
        moves.append(legal[(_number(random) >> 32) * len(legal) >> 32])
        position = position.play(moves[-1])
    return Playout(tuple(moves), position, random)


def _replayed_by_cells(position: MnkPosition, random: int) -> Playout:
    moves: list[Move] = []
    while position.outcome is None:
        random = stepped(random)
        number = _number(random)
        for half in (number >> 32, number & 0xFFFFFFFF):
            if position.outcome is None:
                cells = sorted(position.legal_moves, key=lambda move: (move.row, move.column))
                moves.append(cells[half * len(cells) >> 32])
                position = position.play(moves[-1])
    return Playout(tuple(moves), position, random)


def _replayed_with_list(root: MnkPosition, line: tuple[Move, ...], random: int) -> Playout:
    game, position = root.game, root
    choices = [move.column if game.gravity else move.row * game.m + move.column for move in root.legal_moves]

    def play(at: int) -> MnkMove:
        nonlocal position
        choice = choices[at]
        move = MnkMove(choice, position.drop_row(choice) or 0) if game.gravity else _cell(choice, game.m)
        position = position.play(move)
        if not game.gravity or move.row == game.n - 1:
            last = choices.pop()
            if at < len(choices):
                choices[at] = last
        return move

    for move in line:
        assert isinstance(move, MnkMove)
        play(choices.index(move.column if game.gravity else move.row * game.m + move.column))
    moves: list[Move] = []
    while position.outcome is None:
        random = stepped(random)
        number = _number(random)
        for half in (number >> 32, number & 0xFFFFFFFF):
            if position.outcome is None:
                moves.append(play(half * len(choices) >> 32))
    return Playout(tuple(moves), position, random)


def _cell(code: int, columns: int) -> MnkMove:
    return MnkMove(code % columns, code // columns)


def _number(state: int) -> int:
    """64 random bits from a state."""
    z = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & _MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & _MASK
    return z ^ z >> 31
