"""The solver that serves every game says what theory and the solvers of the games say."""

import pytest

from nimdesk.errors import OptionError
from nimdesk.games import parse_position, solver_for
from nimdesk.games import plain_solver as plain
from nimdesk.games.plain_solver import PlainSolver
from nimdesk.games.truth import Truth, Value
from nimdesk.limit import Limit

POSITIONS = [
    "nim:3,4,5",
    "nim:3,2:misere",
    "nim:9:max3 2",
    "nim:1,1 1-1 2-1",
    "mnk:3,3,3 b2",
    "mnk:3,3,3 a1 b2 c3 a3",
    "mnk:4,3,3 b2 b1",
    "mnk:3,3,3:gravity b",
    "mnk:1,1,1 a1",
    "mnk:3,1,3",
]


def proven(text: str, *, distances: bool = True) -> Truth:
    """What the plain solver proves in the end."""
    solver = PlainSolver(distances=distances)
    solver.start(parse_position(text))
    assert solver.advance(Limit())
    assert solver.progress == 1.0
    return solver.truth()


@pytest.mark.parametrize("text", POSITIONS)
def test_values_and_distances_are_those_of_the_games_own_solver(text: str) -> None:
    position = parse_position(text)
    solver = solver_for(position)
    solver.start(position)
    assert solver.advance(Limit())
    theirs, ours = solver.truth(), proven(text)
    assert (ours.value, ours.distance, ours.moves) == (theirs.value, theirs.distance, theirs.moves)
    without = proven(text, distances=False)
    assert (without.value, without.distance) == (theirs.value, None)
    assert [each.value for each in without.moves] == [each.value for each in theirs.moves]


def test_it_works_in_slices_and_says_what_is_proven_by_then() -> None:
    final = proven("mnk:3,3,3 b2 a1")
    solver = PlainSolver()
    solver.start(parse_position("mnk:3,3,3 b2 a1"))
    nodes, seen = 0, set()
    while not solver.advance(Limit(nodes=nodes)):
        truth = solver.truth()
        assert truth.nodes == nodes
        assert truth.value in (Value.UNKNOWN, final.value)
        for ours, theirs in zip(truth.moves, final.moves, strict=True):
            assert ours.value is Value.UNKNOWN or ours == theirs
        seen.add(sum(each.value is Value.UNKNOWN for each in truth.moves))
        nodes += 25
    assert len(seen) > 3
    assert solver.truth().moves == final.moves


def test_what_is_not_kept_is_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = proven("nim:2,3,2")
    monkeypatch.setattr(plain, "MOST_KEPT", 10)
    short = proven("nim:2,3,2")
    assert short.nodes > whole.nodes
    assert (short.value, short.distance, short.moves) == (whole.value, whole.distance, whole.moves)


def test_it_can_be_listed_and_refuses_what_is_too_large_for_that() -> None:
    solver = PlainSolver(most_positions=10)
    solver.start(parse_position("nim:2,1"))
    assert solver.advance(Limit())
    assert solver.lines()[:2] == ("position  value  best moves", "nim:2,1 1-1 1-1 2-1  loss  over")
    assert solver.lines()[-1] == "nim:2,1  win  1-1"
    solver.start(parse_position("nim:9,9"))
    with pytest.raises(OptionError, match="Nim 9-9 has more than 10 positions, too many for a value table"):
        solver.advance(Limit())
