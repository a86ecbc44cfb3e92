"""What a simulation of plain UCT is made of: nanoseconds for each of its parts alone, on one thread.

    uv run python tests/benchmarks/bench_limits.py
    uv run python tests/benchmarks/bench_limits.py --json

Each figure is the least of many runs of a loop that does nothing else, with everything in the nearest cache, and with
each step waiting for the one before as it does in a playout (but for the win test, whose answer is foreseen): a lower
limit for a kernel that does these steps one after another. The last lines set the playouts of each position beside its
whole search. Not collected by pytest.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np
from coding import encode_position

from nimdesk.games import parse_game
from nimdesk.kernels import random as rng
from nimdesk.kernels import rules, tree
from nimdesk.kernels.jit import kernel
from nimdesk.kernels.memory import bits
from nimdesk.kernels.places import FULL
from nimdesk.limit import Limit
from nimdesk.search.options import UctOptions
from nimdesk.search.uct import UctSearcher

POSITIONS = ["nim:1,3,5,7", "mnk:3,3,3", "mnk:5,5,4", "mnk:7,7,5", "mnk:15,15,5"]
COUNT = 200_000
SIMULATIONS = 10_000


@kernel
def random_numbers(count: int, out: Any) -> None:
    """A chain of random numbers below 16, each of which decides how far the state goes on."""
    state = np.uint64(1)
    for _ in range(count):
        state = rng.step(state) + np.uint64(rng.below(state, 16))
    out[0] = state


@kernel
def removals(count: int, choices: Any, out: Any) -> None:
    """Take the entry at the last one's place out of a list of 25, the last taking its place, and put it back."""
    at = np.uint64(3)
    for _ in range(count):
        taken = choices[at]
        choices[at] = choices[24]
        choices[24] = taken
        at = np.uint64(taken)
    out[0] = at


@kernel
def cells(count: int, out: Any) -> None:
    """Take a cell out of a word with 25 open ones, by its number, and put the one before back."""
    word, before = np.uint64((1 << 25) - 1), np.uint64(0)
    for _ in range(count):
        bit = bits.nth_bit(word, word & np.uint64(15))
        word, before = word ^ bit ^ before, bit
    out[0] = word


@kernel
def line_tests(count: int, span: np.uint64, first: np.uint64, second: np.uint64, third: np.uint64, out: Any) -> None:
    """Whether a mark makes a line on a board of one word; the board of the next test depends on the answer."""
    word = np.uint64(0b10110)
    for _ in range(count):
        word ^= np.uint64(1) << (word & np.uint64(31))
        if bits.has_line(word, span, first, second, third):
            word = np.uint64(0b10110)
    out[0] = word


@kernel
def selections(count: int, bounds: Any, children: np.uint64, out: Any) -> None:
    """The largest upper bound among so many children; the next factor depends on it."""
    place = np.uint64(0)
    for _ in range(count):
        place = bits.place_of(bits.first_largest(bounds, np.uint64(0), children, np.float32(place), -1))
    out[0] = place


@kernel
def playouts(r: Any, count: int, out: Any) -> None:
    """Playouts from the root position."""
    state, wins = np.uint64(7), 0
    for _ in range(count):
        rules.reset(r)
        state, score = rules.playout(r, state)
        wins += score
    out[0] = wins


@kernel
def walks(r: Any, count: int, tried: Any, marks: Any, out: Any) -> None:
    """Playouts move by move, to count their plies."""
    state, plies = np.uint64(7), 0
    for _ in range(count):
        rules.reset(r)
        result = rules.ONGOING
        while result == rules.ONGOING:
            state = rng.step(state)
            result = rules.play(r, rules.pick_untried(r, tried, marks, 0, state))
            plies += 1
    out[0] = plies


def least(run: Callable[[], object], count: int, rounds: int = 25) -> float:
    """Nanoseconds for one of ``count``."""
    run()
    best = float("inf")
    for _ in range(rounds):
        begin = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - begin)
    return best / count * 1e9


def parts() -> dict[str, float]:
    out, choices = np.zeros(1, np.uint64), np.random.default_rng(1).permutation(25).astype(np.uint8)
    found = {
        "random number": least(lambda: random_numbers(COUNT, out), COUNT),
        "removal from the list": least(lambda: removals(COUNT, choices, out), COUNT),
        "cell out of a word": least(lambda: cells(COUNT, out), COUNT),
        "win test of 5,5,4": least(
            lambda: line_tests(COUNT, np.uint64(6), np.uint64(1), np.uint64(2), np.uint64(0), out), COUNT
        ),
    }
    bounds = np.random.default_rng(2).random(1_000, np.float32)
    for children in (8, 16, 25, 49, 225):
        wide = np.uint64(children)
        found[f"selection among {children}"] = least(lambda n=wide: selections(20_000, bounds, n, out), 20_000)
    return found


def sums() -> list[dict[str, float | str]]:
    rows: list[dict[str, float | str]] = []
    out = np.zeros(1, np.uint64)
    for text in POSITIONS:
        start = parse_game(text).start()
        encoded = encode_position(start)
        playout = least(lambda r=encoded: playouts(r, 2_000, out), 2_000)
        walks(encoded, 20_000, np.empty(0, np.int16), np.empty(0, np.int32), out)
        plies = int(out[0]) / 20_000

        searcher = UctSearcher(UctOptions(iterations=SIMULATIONS))

        def search(searcher: UctSearcher = searcher, start: Any = start) -> None:
            searcher.start(start, 1)
            searcher.advance(Limit())

        whole = least(search, SIMULATIONS)
        depth, full = shape(searcher)
        rows.append(
            {
                "position": text,
                "plies of a playout": plies,
                "ns a playout": playout,
                "ns a ply": playout / plies,
                "depth": depth,
                "selections": full,
                "ns a simulation": whole,
                "ns a level": (whole - playout) / (depth + 1),
            }
        )
    return rows


def shape(searcher: UctSearcher) -> tuple[float, float]:
    """Levels that a simulation went down on average, and at how many it selected among all children."""
    whole, nodes = searcher.search_tree, [0]
    levels = selected = 0
    while nodes:
        node = nodes.pop()
        levels += int(tree.children(whole, node)["visits"].sum())
        first, count = int(whole.nodes["first"][node]), int(whole.nodes["children"][node]) - FULL
        if count > 0:
            selected += int(whole.nodes["visits"][node])
            nodes.extend(range(first, first + count))
    return levels / searcher.iterations, selected / searcher.iterations


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="as JSON")
    args = parser.parse_args()
    alone, rows = parts(), sums()
    if args.json:
        print(msgspec.json.format(msgspec.json.encode({"parts_ns": alone, "positions": rows})).decode())
        return
    for name, ns in alone.items():
        print(f"{name:24} {ns:6.1f} ns")
    print()
    for row in rows:
        print(", ".join(f"{k} {v:.1f}" if isinstance(v, float) else str(v) for k, v in row.items()))


if __name__ == "__main__":
    main()
