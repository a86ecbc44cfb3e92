"""Nim has three ways to play on: by tables, by bytes in one word, and pile by pile; all with the same results."""

import numpy as np
import pytest
from coding import encode_position
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from nimdesk.games import NimGame, parse_game
from nimdesk.games.nim import kernel as nim
from nimdesk.games.nim import kernel_small as nim_small
from nimdesk.kernels import flat, rules
from nimdesk.kernels import random as rng
from nimdesk.kernels.rules import ONGOING


@njit(cache=True, _nrt=False)
def play_on(r, random, tried, marks, seen):  # type: ignore[no-untyped-def]
    """Each move picked of those untried so far, by both ways to pick one, and one of them played, to the end."""
    at = np.int64(0)
    rules.reset(r)
    result = np.int64(ONGOING)
    while result == ONGOING and at + rules.legal_count(r) + 8 < seen.size:
        count, marked, tries = rules.legal_count(r), np.uint64(0), np.int64(0)
        seen[at] = count
        at += 1
        while tries < count - 1:
            random = rng.step(random)
            move = rules.pick_untried(r, tried, marks, tries, random)
            if rules.moves_fit(r):
                marked_move, marked = rules.pick_unmarked(r, marked, tries, random)
                move = move if move == marked_move else -2
            tried[tries] = move
            seen[at] = move
            at, tries = at + 1, tries + 1
        random = rng.step(random)
        result = rules.play(r, rules.pick_untried(r, tried, marks, tries, random))
        seen[at] = result
        at += 1
    return random, at


@njit(cache=True, _nrt=False)
def play_out(r, random, kind, playouts, seen):  # type: ignore[no-untyped-def]
    """The result of each playout: half of them begin at the root, half behind its first move if that ends no game."""
    for i in range(playouts):
        rules.reset(r)
        if i % 4 > 1 and rules.play(r, rules.next_move(r, -1)) != ONGOING:
            rules.reset(r)
        if kind < 0:
            random, seen[i] = rules.playout(r, random)
        elif kind == flat.OVERSHOOT:
            random, seen[i] = rules.overshoot_playout(r, random)
        else:
            random, seen[i] = rules.guided_playout(r, random, kind, i % 2 == 0)
    return random


@st.composite
def small_games(draw: st.DrawFn) -> NimGame:
    piles = draw(st.lists(st.integers(1, 9), min_size=1, max_size=5))
    max_take = draw(st.none() | st.integers(1, 9))
    return NimGame(tuple(piles), max_take, draw(st.booleans()))


def three_ways(game: NimGame, piles: tuple[int, ...]) -> list[nim.NimRules | nim_small.SmallNimRules]:
    packed = nim.make_rules(piles, piles, game.max_take, game.misere)
    assert packed.packed
    in_loops = nim.copy_rules(packed)._replace(packed=0, marked=0)
    return [nim_small.make_rules(game.piles, piles, game.max_take, game.misere), packed, in_loops]


def played(r: nim.NimRules | nim_small.SmallNimRules, piles: int, seed: int) -> tuple[object, ...]:
    """What comes of picking moves and of playing out, with the random state after each."""
    seen = np.full(4_000, -1, np.int64)
    state, used = play_on(r, np.uint64(seed), np.zeros(32, np.int16), np.zeros(32, np.int32), seen)
    kinds = [-1, rules.ZEROING, rules.PERFECT, *([flat.OVERSHOOT] if piles == 1 else [])]
    outcomes = np.zeros((len(kinds), 40), np.int64)
    states = [play_out(r, np.uint64(seed), kind, 40, outcomes[i]) for i, kind in enumerate(kinds)]
    return state, seen[:used].tolist(), states, outcomes.tolist()


@settings(max_examples=80)
@given(small_games(), st.data(), st.integers(0, 2**63 - 1))
def test_all_ways_play_the_same_games(game: NimGame, data: st.DataObject, seed: int) -> None:
    if not nim_small.fits(game.piles, game.max_take):
        return
    piles = tuple(data.draw(st.integers(0, pile)) for pile in game.piles)
    if not any(piles):
        return
    tables, packed, in_loops = (played(r, len(piles), seed) for r in three_ways(game, piles))
    assert tables == packed == in_loops
    assert -2 not in tables[1]  # type: ignore[operator]


@pytest.mark.parametrize("misere", [False, True])
@pytest.mark.parametrize(
    ("begun", "max_take", "piles"),
    [
        ((1,) * 12, None, (1,) * 12),
        ((1,) * 12, 64, (0, 1) * 6),
        ((1,) * 12, 1, (0,) * 11 + (1,)),
        ((32,), None, (32,)),
        ((32,), 64, (1,)),
        ((64,), 32, (64,)),
        ((64, 1), 31, (0, 1)),
        ((3, 4, 5), 64, (3, 4, 5)),
        ((1,), 1, (1,)),
    ],
)
def test_tables_hold_at_the_edges_of_what_fits(
    begun: tuple[int, ...], max_take: int | None, piles: tuple[int, ...], misere: bool
) -> None:
    assert nim_small.fits(begun, max_take)
    tables = nim_small.make_rules(begun, piles, max_take, misere)
    in_loops = nim.make_rules(piles, piles, max_take, misere)._replace(packed=0, marked=0)
    for seed in range(5):
        assert played(tables, len(piles), seed) == played(in_loops, len(piles), seed)


@pytest.mark.parametrize(
    ("piles", "max_take", "packed"),
    [((64, 63), None, 1), ((64, 64), None, 0), ((16,) * 7 + (15,), None, 1), ((16,) * 8, None, 0), ((1,) * 9, None, 0)],
)
def test_a_word_holds_piles_of_up_to_127_moves(piles: tuple[int, ...], max_take: int | None, packed: int) -> None:
    made = nim.make_rules(piles, piles, max_take, misere=False)
    assert (made.packed, made.marked) == (packed, packed)
    in_loops, one, other = (
        nim.copy_rules(made)._replace(packed=0, marked=0),
        np.zeros(40, np.int64),
        np.zeros(40, np.int64),
    )
    for seed in range(5):
        states = [play_out(r, np.uint64(seed), -1, 40, seen) for r, seen in ((made, one), (in_loops, other))]
        assert states[0] == states[1]
        assert one.tolist() == other.tolist()


@pytest.mark.parametrize(
    ("text", "small"),
    [
        ("nim:1,3,5,7", True),
        ("nim:21:max3", True),
        ("nim:16,16", True),
        ("nim:32", True),
        ("nim:33", False),
        ("nim:10,20,30:max4", False),
        ("nim:64,64,64,64,64,64,64,64,64,64,64,64", False),
        ("nim:1,1,1,1,1,1,1,1,1,1,1", True),
        ("nim:2,2,2,2,2,2,2,2,2,2,2,2", False),
    ],
)
def test_tables_are_for_games_with_few_positions_and_moves(text: str, small: bool) -> None:
    game = parse_game(text)
    assert isinstance(game, NimGame)
    assert isinstance(encode_position(game.start()), nim_small.SmallNimRules) is small
    # All positions of a game have the same kind of rules, so that one kernel serves the whole game.
    late = game.start()
    while len(late.legal_moves) > 1:
        late = late.play(late.legal_moves[-1])
    assert isinstance(encode_position(late), nim_small.SmallNimRules) is small
