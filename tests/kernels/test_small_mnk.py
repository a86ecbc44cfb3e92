"""Small m,n,k boards are words: which cell is the n-th that may be taken, on any processor, and which games fit."""

import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from coding import encode_position
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from nimdesk.games import MnkGame, parse_game
from nimdesk.games.mnk import kernel as mnk
from nimdesk.games.mnk import kernel_small as mnk_small
from nimdesk.games.mnk.geometry import fits_one_word
from nimdesk.kernels.memory import bits


@njit(_nrt=False)
def nth_both_ways(word, n):  # type: ignore[no-untyped-def]
    return bits.nth_bit(word, n), bits.nth_set(word, n)


@settings(max_examples=300)
@given(st.integers(1, 2**64 - 1), st.data())
def test_the_nth_bit_of_a_word(word: int, data: st.DataObject) -> None:
    places = [i for i in range(64) if word >> i & 1]
    n = data.draw(st.integers(0, len(places) - 1))
    bit, place = nth_both_ways(np.uint64(word), np.uint64(n))
    assert (int(bit), int(place)) == (1 << places[n], places[n])


@njit(_nrt=False)
def lines_of(words, others, span, first, second, third, found):  # type: ignore[no-untyped-def]
    for i in range(words.size):
        found[i, 0] = bits.has_line(words[i], span, first, second, third)
        found[i, 1] = bits.either_has_line(words[i], others[i], span, first, second, third)


def has_line(word: int, m: int, n: int, k: int) -> bool:
    """Cell by cell."""
    span = m + 1
    return any(
        0 <= column + right * (k - 1) < m
        and row + up * (k - 1) < n
        and all(word >> (row + up * i) * span + column + right * i & 1 for i in range(k))
        for row in range(n)
        for column in range(m)
        for right, up in ((1, 0), (0, 1), (1, 1), (-1, 1))
    )


@pytest.mark.parametrize("k", [2, 3, 5, 6, 7, 8])
def test_lines_are_found_on_boards_of_every_shape(k: int) -> None:
    chance = random.Random(k)
    for m, n in ((m, n) for m in range(1, 21) for n in range(1, 21) if fits_one_word(m, n, k)):
        r = mnk_small.make_rules(m, n, k, False, [], 0)
        words = [chance.getrandbits(64) & int(r.cells) for _ in range(6)]
        words += [word | chance.getrandbits(64) & int(r.cells) for word in words] + [int(r.cells)]
        here = [has_line(word, m, n, k) for word in words]
        found = np.zeros((len(words), 2), bool)
        marks = np.array(words, np.uint64)
        lines_of(marks, marks[::-1].copy(), r.span, *r.steps, found)
        assert found[:, 0].tolist() == here
        assert found[:, 1].tolist() == [one or other for one, other in zip(here, here[::-1], strict=True)]


NTH_BITS = """
import sys
import numpy as np
from numba import njit
from nimdesk.kernels.memory import bits
@njit(_nrt=False)
def nth_both_ways(word, n):
    return bits.nth_bit(word, n), bits.nth_set(word, n)
for word in map(int, sys.argv[1:]):
    for n in range(word.bit_count()):
        print(*nth_both_ways(np.uint64(word), np.uint64(n)))
(code,) = nth_both_ways.inspect_asm().values()
assert "pdep" not in code
"""


def test_a_processor_that_cannot_deposit_bits_finds_the_same_ones(tmp_path: Path) -> None:
    """Nothing else that is compiled asks what the processor can do, so that all searches are the same there."""
    chance = random.Random(4)
    words = [1, 1 << 63, 2**64 - 1, *(chance.getrandbits(64) for _ in range(40))]
    words += [word & chance.getrandbits(64) & chance.getrandbits(64) for word in words]
    generic = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
    done = subprocess.run(
        [sys.executable, "-c", NTH_BITS, *map(str, words)],
        env={**os.environ, **generic, "NIMDESK_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    found = [tuple(map(int, line.split())) for line in done.stdout.splitlines()]
    assert found == [(1 << place, place) for word in words for place in range(64) if word >> place & 1]


@pytest.mark.parametrize(
    ("text", "small"),
    [
        ("mnk:3,3,3", True),
        ("mnk:7,7,5", True),
        ("mnk:7,6,4:gravity", True),
        ("mnk:12,5,4", True),
        ("mnk:8,7,8", True),
        ("mnk:13,4,8", True),
        ("mnk:14,4,8", False),
        ("mnk:8,8,5", False),
        ("mnk:9,7,9", False),
        ("mnk:15,15,5", False),
    ],
)
def test_boards_of_one_word_are_small(text: str, small: bool) -> None:
    game = parse_game(text)
    assert isinstance(game, MnkGame)
    kind = mnk_small.SmallMnkRules if small else mnk.MnkRules
    assert type(encode_position(game.start())) is kind
