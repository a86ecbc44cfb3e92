"""What the literature says of empty boards: facts with their sources; none is worked out here.

Without gravity a board and the same one turned have the same value, and the second side never wins.
"""

from __future__ import annotations

from nimdesk.games.mnk.rules import MnkGame
from nimdesk.games.truth import Published, Value

_PAIRS = "pairs of cells: Hales and Jewett, Regularity and positional games (1963)"
_INITIATIVE = "Uiterwijk and van den Herik, The advantage of the initiative (2000)"
_FOUR = "Uiterwijk, Solving strong and weak 4-in-a-row (2019)"
_NINE = "Charatsidis, Solving four-in-a-row on 9x4 and 10x4 boards (2017)"
_NARROW = "m,n,k-game in Wikipedia"
_SIX = "m,n,k-game in Wikipedia (pairs of cells of 7,7,6 and 9,6,6)"
_FIVE = "Hsu et al., On solving the 7,7,5-game and the 8,8,5-game (2020)"
_ZETTERS = "Zetters, Problem S.10: 8 in a row (1980)"
_GOMOKU = "Allis, Searching for solutions in games and artificial intelligence (1994)"
_TROMP = "Tromp, John's Connect Four Playground"
_STEININGER = "Steininger, github.com/ChristopheSteininger/c4"

_WIN, _LOSS, _DRAW = Value.WIN, Value.LOSS, Value.DRAW
# Connect Four: by rows, for 4 columns and more, who wins, and the number of the last move. Tromp has the outcomes of
# all boards with up to 15 columns and rows together and of 8 by 8; the others and all last moves are Steininger's.
_OUTCOMES = {
    4: "==-=-----",
    5: "====++++",
    6: "==-+--+",
    7: "==+=++",
    8: "==-+-",
    9: "==+=+",
    10: "==-+",
    11: "==+",
    12: "==-",
    13: "==",
}
_LAST_MOVES = {
    4: (16, 20, 24, 28, 32, 36, 40, 44, 48),
    5: (20, 25, 30, 35, 39, 41, 47, 51),
    6: (24, 30, 36, 41, 48, 52, 59),
    7: (28, 35, 41, 49, 53, 55),
    8: (32, 40, 48, 55, 62),
    9: (36, 45, 53, 63),
    10: (40, 50, 60, 69),
    11: (44, 55, 63),
    12: (48, 60, 72),
    13: (52, 65),
}
_VALUES = {"+": _WIN, "-": _LOSS, "=": _DRAW}


def published(game: MnkGame) -> Published | None:
    """The published value of the empty board, and the last move where a source tells it."""
    if game.exact and max(game.m, game.n) > game.k:
        return _exactly(game)
    if game.gravity:
        return _dropping(game) if game.k == 4 else None
    longer, shorter = max(game.m, game.n), min(game.m, game.n)
    return _lines(longer, shorter, game.k)


def _dropping(game: MnkGame) -> Published | None:
    at, outcomes, last = game.m - 4, _OUTCOMES.get(game.n, ""), _LAST_MOVES.get(game.n, ())
    if not 0 <= at < len(outcomes):
        return None
    source = _STEININGER
    if game.m + game.n <= 15 or (game.m, game.n) == (8, 8):
        source = f"{_TROMP}; the last move: {_STEININGER}"
    return Published(_VALUES[outcomes[at]], source, last[at] if at < len(last) else None)


def _lines(longer: int, shorter: int, k: int) -> Published | None:
    """The published value without gravity."""
    if k < 3:
        return None
    if shorter < k or (k >= 5 and longer == k):
        return Published(_DRAW, _PAIRS)
    if k >= 8:
        return Published(_DRAW, _ZETTERS)
    if k == 3:
        return Published(_DRAW if longer == 3 else _WIN, _INITIATIVE)
    if k == 4:
        return _four(longer, shorter)
    if k == 5 and longer <= 8:
        return Published(_DRAW, _INITIATIVE if longer <= 6 else _FIVE)
    if k == 5 and longer == shorter == 15:
        return Published(_WIN, _GOMOKU)
    if k == 6 and (longer <= 7 or (longer <= 9 and shorter == 6)):
        return Published(_DRAW, _SIX)
    return None


def _exactly(game: MnkGame) -> Published | None:
    """Where a line of more than k does not win: who can block all lines of k holds the draw here as well."""
    if (game.m, game.n, game.k, game.gravity) == (15, 15, 5, False):
        return Published(_WIN, _GOMOKU)
    plain = None if game.gravity else _lines(max(game.m, game.n), min(game.m, game.n), game.k)
    return plain if plain is not None and plain.source in (_PAIRS, _ZETTERS) else None


def _four(longer: int, shorter: int) -> Published | None:
    if shorter == 4:
        if longer <= 8:
            return Published(_DRAW, _NARROW if longer > 6 else _FOUR)
        # For more columns no source was found, below the 30 of Lustenberger (1967).
        return Published(_WIN, _NINE) if longer <= 10 else None
    return Published(_DRAW if longer == 5 else _WIN, _FOUR if longer <= 10 else _NARROW)
