"""What Kayles can do without: a well-known set-up, and who wins, by the values of Sprague and Grundy."""

from functools import cache, reduce
from operator import xor

from kayles import GAP, KaylesGame, KaylesPosition

from nimdesk.games import GameKit, Preset
from nimdesk.games.truth import FormulaSolver, MoveTruth, Truth, Value


@cache
def grundy(pins: int) -> int:
    """The value of so many pins side by side: the smallest number that no move leads to."""
    after = {grundy(left) ^ grundy(pins - left - count) for count in (1, 2) for left in range(pins - count + 1)}
    return next(value for value in range(len(after) + 1) if value not in after)


def value(position: KaylesPosition) -> int:
    """The values of all groups of pins, added as in Nim; whoever is to move loses at 0."""
    return reduce(xor, (grundy(len(group)) for row in position.board for group in row.split(GAP)), 0)


def truth(position: KaylesPosition) -> Truth:
    """The value of the position and of each move."""
    moves = tuple(
        MoveTruth(move, Value.LOSS if value(position.play(move)) else Value.WIN) for move in position.legal_moves
    )
    total = value(position)
    why = f"The groups of pins have the nim-sum {total}; a move that leaves 0 wins."
    return Truth(position, Value.WIN if total else Value.LOSS, None, moves, explanation=why)


KIT = GameKit(
    name="kayles",
    game_type=KaylesGame,
    notation="kayles:3,4,5 (rows of pins)",
    presets=(Preset("Kayles", KaylesGame((3, 4, 5)), "Take one pin, or two side by side, and be the last to do so."),),
    new_solver=lambda *, distances=True: FormulaSolver(truth),
    by_formula=lambda position: True,
)
