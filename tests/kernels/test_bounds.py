"""With ``NIMDESK_BOUNDS_CHECK=1`` every index into an array is checked; all searches stay within their arrays."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from nimdesk.errors import GameParameterError
from nimdesk.games import MnkGame, NimGame, kernel_of
from nimdesk.games.kernel_kit import LIMITS, Sizes, check_sizes
from nimdesk.kernels import alphabeta, graph, places

POSITIONS = [
    "nim:3,4,5",
    "nim:30,40,50:misere",
    "nim:21:max3 1-2",
    "mnk:3,3,3 b2",
    "mnk:7,6,4:gravity d1 d2",
    "mnk:9,9,5",
    "mnk:10,9,4:gravity",
    "take:{1,2}:9,9,9",  # later positions have more moves than the first
    "take:0.77:40,3+wythoff:2,3",
]
# Each game by its larger rules: their own indices are checked with all positions by mcts.
OF_EACH_GAME = ["nim:30,40,50:misere", "mnk:9,9,5", "mnk:10,9,4:gravity"]
SEARCH = """
import sys
from nimdesk.agents import make_agent
from nimdesk.games import parse_position
from nimdesk.kernels import BOUNDS_CHECKED
from nimdesk.limit import Limit
assert BOUNDS_CHECKED
for name, options, positions in eval(sys.argv[1]):
    for text in positions:
        searcher = make_agent(name, options).new_searcher()
        searcher.start(parse_position(text), 1)
        searcher.advance(Limit(iterations=1_100_000 if text == "nim:2" else 3_000, nodes=20_000))
        print(name, text, searcher.snapshot().best_move is not None)
        if name == "variants" or (name, options, text) == ("uct", {}, "mnk:9,9,5"):
            choices = searcher.repeated((100, 3_000))((1, 2))
            assert choices.shape == (2, 2)
            assert (choices >= 0).all()
"""


def checked(*arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "NIMDESK_BOUNDS_CHECK": "1", **environment},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


SEARCHES: dict[str, list[tuple[str, dict[str, object], list[str]]]] = {
    "uct": [
        ("uct", {}, OF_EACH_GAME),
        ("uct", {"iterations": 1_100_000}, ["nim:2"]),  # more visits than there are roots in a table
        ("uct", {"expansion": "neighbours", "log_n": "root"}, POSITIONS[5:7]),
        ("uct", {"playouts": "perfect_opponent", "expansion": "first"}, POSITIONS[:3]),
    ],
    "variants, flat": [
        ("variants", {"growth": "all", "expansion": "neighbours", "memory_mb": 8}, OF_EACH_GAME),
        ("flat", {}, OF_EACH_GAME),
        ("flat-perfect", {}, POSITIONS[:3]),
    ],
    "mcts, solver": [
        ("mcts", {}, POSITIONS),
        ("mcts", {"merge": False, "order": False}, OF_EACH_GAME),
        ("solver", {}, [*POSITIONS[3:5], "mnk:6,5,4:gravity", "mnk:8,7,4:gravity", "mnk:9,9,3", "mnk:9,9,7"]),
    ],
    "alphabeta, threats": [
        ("alphabeta", {"depth": 4}, OF_EACH_GAME),
        ("threats", {}, ["mnk:9,9,5 e5 e6 d5 d6 c5 b5"]),
    ],
}


@pytest.mark.parametrize("names", SEARCHES)
def test_searches_stay_within_their_arrays(names: str) -> None:
    # Compiled in two thirds of the time; the kernels of the last group could not be cached so.
    faster = {} if names == "alphabeta, threats" else {"NUMBA_OPT": "0"}
    done = checked("-c", SEARCH, repr(SEARCHES[names]), **faster)
    assert done.stderr == ""
    expected = [f"{agent} {text} True" for agent, _, positions in SEARCHES[names] for text in positions]
    assert done.stdout.splitlines() == expected


def test_the_values_of_heaps_are_worked_out_within_their_arrays() -> None:
    take = "from nimdesk.games.take import codes, grundy"
    done = checked(
        "-c", f"{take}; print(grundy.sequence(codes.HeapRule.parse('0.156'), 2_000).computed)", NUMBA_OPT="0"
    )
    assert (done.stdout, done.stderr) == ("2001\n", "")


BEYOND = """
from typing import Any, NamedTuple
import numpy as np
from nimdesk.kernels.jit import kernel
from nimdesk.kernels.memory.held import hold
class Rows(NamedTuple):
    row: Any
    table: Any
@kernel
def write(x, row, column):
    x.row[row] = 1
    x.table[row, column] = 1
@kernel
def write_plainly(row, at):
    row[at] = 1
x = Rows(np.zeros(4), np.zeros((4, 3)))
def outcome(call, *arguments):
    try:
        call(*arguments)
    except IndexError:
        return "beyond"
    return "within"
print(outcome(write, hold(x), 3, 2), outcome(write, hold(x), 4, 0), outcome(write, hold(x), 0, 3), end=" ")
print(outcome(write, hold(x), -1, 0), outcome(write_plainly, x.row, 3), outcome(write_plainly, x.row, 4))
"""


def test_a_write_beyond_the_end_is_reported(tmp_path: Path) -> None:
    program = tmp_path / "beyond.py"  # numba caches functions of files
    program.write_text(BEYOND)
    done = checked(str(program))
    assert done.stdout.split() == ["within", "beyond", "beyond", "beyond", "within", "beyond"], done.stderr


def test_a_game_says_how_large_it_is_and_one_that_is_too_large_is_refused() -> None:
    for game in (NimGame((64,) * 12), NimGame((21,), max_take=3), MnkGame(19, 19, 5), MnkGame(7, 6, 4, gravity=True)):
        check_sizes(game, kernel_of(game.start()).sizes(game))
    with pytest.raises(GameParameterError, match="needs 1,025 codes of moves; the searches have room for 1,024"):
        check_sizes(MnkGame(3, 3, 3), Sizes(codes=1_025, view_codes=9, moves=9, plies=9))


def test_the_limits_are_those_of_the_arrays() -> None:
    assert LIMITS.codes - 1 == places.CODE
    assert LIMITS.moves == places.LARGEST_BLOCK == places.class_size(places.CLASSES - 1)
    assert LIMITS.moves <= graph.MOVES_MASK
    assert LIMITS.view_codes - 1 == np.iinfo(graph.EDGE["code"]).max
    assert LIMITS.plies <= np.iinfo(alphabeta.FRAME["distance"]).max
