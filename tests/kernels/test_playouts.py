"""Compiled playouts are uniformly random games: their mean is the exact expectation, found by recursion."""

from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest
from coding import Rules, encode_position
from numba import njit

from nimdesk.games import AnyPosition, MnkGame, Side, parse_position
from nimdesk.games.mnk import kernel as mnk
from nimdesk.games.nim import kernel as nim
from nimdesk.kernels import rules
from nimdesk.kernels.rules import DRAW, LOSS, WIN

PLAYOUTS = 100_000


@cache
def expectation(position: AnyPosition) -> tuple[Fraction, Fraction]:
    """Mean and mean square of the first player's score when both sides play uniformly random moves."""
    if position.outcome is not None:
        score = Fraction(position.outcome.score(Side.FIRST))
        return score, score * score
    results = [expectation(position.play(move)) for move in position.legal_moves]
    return sum(r[0] for r in results) / len(results), sum(r[1] for r in results) / len(results)


@njit(cache=True, _nrt=False)
def count_results(r, random, playouts, seen):  # type: ignore[no-untyped-def]
    for _ in range(playouts):
        rules.reset(r)
        random, result = rules.playout(r, random)
        seen[result] += 1


@njit(cache=True, _nrt=False)
def zeroed(r):  # type: ignore[no-untyped-def]
    """The result of a playout in which both sides make the nim-sum zero where they can."""
    rules.reset(r)
    return rules.guided_playout(r, np.uint64(1), rules.ZEROING, True)[1]


def as_if_large(position: AnyPosition) -> Rules:
    """The rules of games with many positions or cells, which any game can have."""
    game = position.game
    if isinstance(game, MnkGame):
        marks = [(move.column, move.row, ply % 2) for ply, move in enumerate(position.moves)]  # type: ignore[union-attr]
        return mnk.make_rules(game.m, game.n, game.k, game.gravity, marks, int(position.turn))
    return nim.make_rules(game.piles, position.piles, game.max_take, game.misere)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "text",
    [
        "nim:1",
        "nim:1:misere",
        "nim:3,4,5",
        "nim:3,4,5:misere",
        "nim:3,4,5 2-1",
        "nim:21:max3",
        "nim:21:max3:misere 1-2",
        "nim:6,6:max2",
        "mnk:3,3,3",
        "mnk:3,3,3 b2",
        "mnk:3,3,3 a1 b2 c3",
        "mnk:3,2,2",
        "mnk:2,4,3",
        "mnk:3,3,1",
        "mnk:3,3,3:gravity",
        "mnk:3,4,3:gravity",
        "mnk:4,3,3:gravity b1 b2",
        "mnk:1,6,2:gravity",
    ],
)
def test_the_mean_of_playouts_is_the_exact_expectation(text: str) -> None:
    position = parse_position(text)
    mean, mean_square = expectation(position)
    sigma = float(mean_square - mean * mean) ** 0.5 / PLAYOUTS**0.5
    for r in (encode_position(position), as_if_large(position)):
        seen = np.zeros(3, np.int64)
        count_results(r, np.uint64(7), PLAYOUTS, seen)
        assert seen.sum() == PLAYOUTS
        measured = (seen[WIN] + 0.5 * seen[DRAW]) / PLAYOUTS
        if position.turn == Side.SECOND:
            measured = (seen[LOSS] + 0.5 * seen[DRAW]) / PLAYOUTS
        assert abs(measured - float(mean)) <= 5 * sigma


def test_tic_tac_toe_at_random_is_won_585_drawn_127_lost_288_times_in_1000() -> None:
    """The published figures for random tic-tac-toe: 0.5849 wins for X, 0.2881 for O, 0.1270 draws."""
    seen = np.zeros(3, np.int64)
    count_results(encode_position(parse_position("mnk:3,3,3")), np.uint64(1), 1_000_000, seen)
    assert seen[WIN] / 1e6 == pytest.approx(0.5849, abs=0.0025)
    assert seen[LOSS] / 1e6 == pytest.approx(0.2881, abs=0.0025)
    assert seen[DRAW] / 1e6 == pytest.approx(0.1270, abs=0.0025)


def test_who_makes_the_nim_sum_zero_wins_where_it_was_not() -> None:
    """Bouton's theorem: the side to move wins all positions but those whose nim-sum is zero."""
    for piles in product(range(1, 8), range(8), range(6)):
        text = ",".join(str(size) for size in piles if size)
        position = parse_position(f"nim:{text}")
        for r in (encode_position(position), as_if_large(position)):
            assert zeroed(r) == (WIN if piles[0] ^ piles[1] ^ piles[2] else LOSS), text
