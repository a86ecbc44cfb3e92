"""Values and distances that the m,n,k solver proves, against brute force, on positions that its rules are tried by.

Of thousands of random positions with up to 14 empty cells these are some in which a small fault in the solver shows. To
each belong the positions visited, with the order of questions for small boards and with that for large ones: another
order of moves, or another cut, shows there though every value stays right. Change them only on purpose.
"""

from __future__ import annotations

import random

import pytest
from solving import BruteForce, agrees

from nimdesk.games import MnkGame, MnkPosition, parse_position
from nimdesk.games.mnk import plan as mnk_plan
from nimdesk.games.mnk.theory import MnkSolver
from nimdesk.limit import Limit

VISITED = """
 262  286  mnk:4,4,3 a4 c4 d1
 139  155  mnk:4,4,3 b3 a4
  21   25  mnk:4,4,3 d4 a3 a2 c4 c1 d1 d2
  82   82  mnk:4,4,4 b4 d2 c4 a2 c1 b3
  17   17  mnk:4,4,4 c4 c1 c2 a3 d2 b4 c3 d1 b2
 200  200  mnk:4,4,4:gravity b1 c1 d1 a1 d2 c2 c3 d3
  91   91  mnk:4,4,4:gravity b1 d1 a1 b2 a2 b3 b4 d2
  99   99  mnk:4,4,4:gravity c1 a1 b1 b2 c2 b3 b4
  51   51  mnk:4,4,4:gravity d1 c1 b1 b2 b3 d2 b4 a1 a2
 311  343  mnk:5,3,3 b3 d3
  63   74  mnk:5,3,3 c2
 169  193  mnk:5,3,3 c3 a1
 253  286  mnk:5,3,3 e2 e3 a1
 256  305  mnk:5,3,3 e3
  41   53  mnk:5,4,4 b1 d4 b2 b3 d1 c1 d3 b4 a3 e1 e3
  86  106  mnk:5,4,4 b2 a4 d3 e2 c2 b1 e3 b4 e4 c1
 509  730  mnk:5,4,4 b2 e1 c4 e3 d2 a1 a3 e2 e4
 303  187  mnk:5,4,4 d1 e2 a4 b1 c3 a3 d4 a2
 242  266  mnk:5,4,4 d4 a3 d2 a4 b1 c4 c3 a1
 618  730  mnk:5,4,4 d4 a3 d2 a4 b1 c4 c3 c1
 287  266  mnk:5,4,4 d4 a3 d2 a4 b1 c4 c3 e3
 467  549  mnk:5,4,4 d4 a3 d2 a4 b1 c4 e2 e3
  88  135  mnk:5,4,4 e1 d4 e3 c2 a2 d3 d1 a4 a1 b3 a3 d2
  59   59  mnk:5,4,4:gravity b1 a1 e1 a2 c1 e2 c2 c3 c4
  39   39  mnk:5,4,4:gravity b1 c1 c2 b2 b3 d1 d2 a1 b4 a2 a3 a4
 120  120  mnk:5,4,4:gravity e1 a1 a2 b1 c1 b2 b3 b4 a3 a4 c2
 381  638  mnk:5,5,4 a5 b5 d4 d2 b4 a3 d1 e4 c3 a1 e3 e5 e1
 103  108  mnk:5,5,4 b1 b2 c5 a3 d2 c4 d1 c3 b5 a4 e3
 226  210  mnk:5,5,4 b2 e4 d3 a1 e1 a2 c4 d1 a4 d4 d5 b4 e3 a3
 185  163  mnk:5,5,4 c4 e2 e3 c3 c1 e1 d4 a4 d3 c5 b5 a5 a2 a1
  23   23  mnk:5,5,4 d2 a2 e1 a5 d1 c2 d3 e4 b3 b4 c4 e3 a1 b2 d5
 129  129  mnk:5,5,4 d3 b1 a3 b4 d1 e3 e1 c2 c4 b2 e4 b5 c1
 107  119  mnk:6,4,4 a2 e4 b4 c3 d2 b3 e3 f2 d3 c2 f1 a3 a1
 111  146  mnk:6,4,4 e3 b2 d1 b1 a1 e2 f3 b4 e4 f2 d2 a3 c2
 186  247  mnk:6,5,4 c5 a4 f2 e5 a1 f5 b2 c1 a2 d2 f3 a5 d5 d3 f1 a3
  39   39  mnk:6,5,4 d3 f1 a5 b4 f3 a2 f2 e3 c1 c3 c4 d1 e1 a3 b3 e5 b2 f4 f5 d5
 248  386  mnk:6,5,4 e2 f4 a5 e5 c5 a3 b3 f2 a1 c1 b1 a2 f3 e4 d1 d5 a4 f1
  52   52  mnk:6,5,4:gravity c1 d1 b1 d2 e1 f1 e2 f2 a1 e3 f3 a2 e4 e5 c2 a3 a4 a5
  29   29  mnk:6,5,4:gravity d1 a1 a2 c1 c2 f1 a3 f2 f3 e1 c3 f4 d2 e2 e3 f5 e4
  70   70  mnk:6,5,4:gravity d1 d2 b1 a1 c1 c2 d3 f1 b2 b3 b4 e1 b5 f2 d4 f3 e2 c3
 129  129  mnk:6,5,4:gravity d1 d2 f1 e1 b1 b2 d3 c1 d4 a1 f2 b3 d5 b4 e2 f3 a2
 106  106  mnk:6,5,4:gravity e1 b1 b2 a1 e2 c1 b3 b4 c2 e3 e4 b5 d1 f1 a2 d2 d3 e5
  28   28  mnk:6,6,5 a6 e4 d2 b3 a1 d6 c5 d4 f1 e2 a3 e3 f2 a2 b2 f6 f5 f4 a5 c4 c3 d3 e6 c1 b5
  31   31  mnk:6,6,5 c4 e1 a4 d5 e4 f1 f4 a2 d1 c5 d3 e6 a3 b1 f3 e5 c3 b2 a1 d2 b5 e2 c1 b6 f2 a5 f6
  21   21  mnk:7,5,5 f3 b1 b5 c1 d3 d4 g5 f5 e3 b3 f4 b4 d2 c5 a1 c3 c2 d1 a4 g3 d5 g1 a2 a5 c4 e5
 139  139  mnk:7,6,4:gravity f1 e1 b1 c1 d1 a1 b2 a2 g1 f2 e2 b3 a3 a4 e3 d2 f3 c2 b4 f4 e4 d3 f5 g2 a5 a6 d4 b5 b6
  27   27  mnk:7,6,4:gravity g1 e1 d1 b1 g2 g3 b2 d2 b3 g4 e2 g5 g6 e3 d3 d4 e4 b4 a1 b5 e5 b6 d5 c1 d6 e6 f1 a2 f2
 189  189  mnk:4,4,3:gravity c1 b1 d1
 288  288  mnk:4,4,3:gravity a1 a2 a3
 434  434  mnk:4,4,3:gravity a1 a2 d1
 589  589  mnk:5,3,3:gravity a1 e1 d1
 136  136  mnk:5,3,3:gravity a1 b1 a2
 546  546  mnk:6,5,5:gravity e1 c1 e2 e3 c2 b1 f1 e4 e5 a1 d1 f2 d2 d3 d4 d5
 302  302  mnk:6,6,5:gravity c1 d1 a1 a2 d2 d3 d4 d5 c2 a3 b1 a4 f1 c3 f2 c4 d6 b2 f3 a5 b3 f4
2060 2060  mnk:6,6,5:gravity a1 b1 e1 d1 f1 b2 e2 e3 d2 f2 c1 b3 e4 e5 b4 a2 a3 f3 f4 a4 e6 b5
 270  270  mnk:7,5,5:gravity d1 g1 b1 g2 g3 b2 a1 c1 b3 c2 e1 b4 g4 e2 c3 c4 e3 d2 g5 b5 a2
 370  370  mnk:7,5,5:gravity d1 a1 b1 f1 c1 g1 a2 g2 b2 f2 f3 f4 c2 b3 c3 b4 d2 b5 g3 a3 e1
""".strip()
ROWS = [line.split(maxsplit=2) for line in VISITED.splitlines()]


@pytest.mark.parametrize(("small", "large", "text"), ROWS, ids=[text for _, _, text in ROWS])
def test_values_and_distances_are_those_of_brute_force(
    small: str, large: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    position = parse_position(text)
    assert isinstance(position, MnkPosition)
    brute = BruteForce(position.game)
    for visited, empty in ((small, 40), (large, 3)):
        monkeypatch.setattr(mnk_plan, "_LARGE_BOARD", empty)
        solver = MnkSolver()
        solver.start(position)
        assert solver.advance(Limit(nodes=100 * int(visited)))
        agrees(brute, solver.truth())
        assert solver.truth().nodes == int(visited)


@pytest.mark.parametrize("game", [MnkGame(3, 3, 3), MnkGame(4, 3, 3), MnkGame(4, 3, 3, True), MnkGame(5, 2, 2)])
def test_brute_force_leaves_out_nothing_that_matters(game: MnkGame) -> None:
    chance, quick, plain = random.Random(1), BruteForce(game), BruteForce(game, plain=True)
    for plies in range(3, game.m * game.n):
        position = game.start()
        while position.outcome is None and position.ply < plies:
            position = position.play(chance.choice(position.legal_moves))
        if position.outcome is None:
            assert quick.of(position) == plain.of(position)
