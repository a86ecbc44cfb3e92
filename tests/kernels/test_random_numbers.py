"""The generator of the kernels: published values, and fair numbers below a bound."""

import numpy as np
import pytest
from numba import njit
from numpy.typing import NDArray

from nimdesk.kernels import random as rng

MASK = (1 << 64) - 1

# The first outputs of splitmix64 as published with the reference implementation (seed 0: Vigna's xoshiro pages and
# the JDK's SplittableRandom; seed 1234567: Rosetta Code "Pseudo-random numbers/Splitmix64").
PUBLISHED = {
    0: [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F, 0xF88BB8A8724C81EC, 0x1B39896A51A8749B],
    1234567: [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ],
}


@njit(cache=True)
def generate(state, out):  # type: ignore[no-untyped-def]
    """Write the next numbers; the state then."""
    for i in range(out.size):
        state = rng.step(state)
        out[i] = rng.bits(state)
    return state


def outputs(seed: int, count: int) -> list[int]:
    made = np.zeros(count, np.uint64)
    generate(np.uint64(seed), made)
    return made.tolist()  # type: ignore[no-any-return]


@njit(cache=True, _nrt=False)
def draw(state, bound, out):  # type: ignore[no-untyped-def]
    for i in range(out.size):
        state = rng.step(state)
        out[i] = rng.below(state, bound)


def numbers_below(seed: np.uint64, bound: int, count: int) -> NDArray[np.int64]:
    made = np.zeros(count, np.int64)
    draw(seed, bound, made)
    return made


@pytest.mark.parametrize("seed", PUBLISHED)
def test_splitmix64_gives_the_published_numbers(seed: int) -> None:
    assert outputs(seed, 5) == PUBLISHED[seed]


def test_the_state_wraps_around_at_64_bits() -> None:
    state = generate(np.uint64(MASK), np.zeros(1, np.uint64))
    assert int(state) == 0x9E3779B97F4A7C15 - 1


@pytest.mark.parametrize("bound", [1, 2, 3, 7, 10, 361, 768])
def test_numbers_below_a_bound_are_fair(bound: int) -> None:
    count = 400_000
    numbers = numbers_below(np.uint64(99), bound, count)
    assert numbers.min() == 0
    assert numbers.max() == bound - 1
    seen = np.bincount(numbers, minlength=bound)
    expected = count / bound
    chi_squared = float(((seen - expected) ** 2 / expected).sum())
    # Mean bound - 1, variance 2 (bound - 1); five sigma.
    assert abs(chi_squared - (bound - 1)) <= 5 * np.sqrt(2 * (bound - 1))


def test_neighbouring_numbers_and_neighbouring_seeds_are_not_correlated() -> None:
    numbers = numbers_below(np.uint64(5), 1 << 20, 100_000).astype(np.float64)
    assert abs(np.corrcoef(numbers[:-1], numbers[1:])[0, 1]) < 5 / np.sqrt(len(numbers))
    firsts = np.array([numbers_below(np.uint64(seed), 1 << 20, 2) for seed in range(5_000)], np.float64)
    for column in (0, 1):
        assert abs(np.corrcoef(firsts[:-1, column], firsts[1:, column])[0, 1]) < 5 / np.sqrt(len(firsts))


def test_below_takes_the_upper_half_of_the_bits() -> None:
    """What the reference search in ``tests/search`` relies on: ``(bits >> 32) * bound >> 32``."""
    for bound in (1, 5, 768, 2**31):
        numbers = numbers_below(np.uint64(1234567), bound, 5)
        assert numbers.tolist() == [(value >> 32) * bound >> 32 for value in PUBLISHED[1234567]]
