"""The parts of a kit of another package: sound ones serve unchanged, and what breaks its promise is a sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from nimdesk.errors import GameParameterError, RulesError
from nimdesk.games import parse_position
from nimdesk.games.kit import KITS, GameKit
from nimdesk.games.parts import held
from nimdesk.games.plain_solver import PlainSolver
from nimdesk.games.truth import Published, Truth, Value
from nimdesk.limit import Limit

POSITION = parse_position("nim:1,2")
GAME = POSITION.game
IDENTITY = (GAME, lambda move: move)
NIM = KITS["nim"]


def kit(**parts: Any) -> GameKit:
    """What another package might bring."""
    return held(GameKit("acme", type(GAME), **parts))


@pytest.mark.parametrize(
    ("part", "sound", "broken", "words"),
    [
        ("load_kernel", NIM.load_kernel and NIM.load_kernel(), None, "no KernelKit"),
        ("new_certificate", b"proof", "proof", "no bytes"),
        ("published", Published(Value.WIN, "A book"), "won", "neither Published nor None"),
        ("published", None, 1, "neither Published nor None"),
        ("fewest_nodes", 7, None, "no number"),
        ("preferences", (0.5, 1), (0.5, "far"), "no tuple of numbers"),
        ("by_formula", True, 1, "neither True nor False"),
        ("child_number", None, 0.5, "neither a whole number nor None"),
        ("child_number", 3, "3", "neither a whole number nor None"),
        ("group", ("piles", 3), 3, "no name with a whole number"),
        ("group", ("piles", 3), ("piles", "3"), "no name with a whole number"),
        ("views", (IDENTITY,), (), "no tuple of games and functions"),
        ("views", (IDENTITY, IDENTITY), [IDENTITY], "no tuple of games and functions"),
        ("views", (IDENTITY,), ((GAME, 7),), "no tuple of games and functions"),
        ("new_solver", PlainSolver(), int, "no solver"),
        ("new_table", PlainSolver(), object(), "no solver with lines"),
    ],
)
def test_a_part_returns_what_it_promises_or_fails_in_a_sentence(
    part: str, sound: Any, broken: object, words: str
) -> None:
    returned = getattr(kit(**{part: lambda *_: sound}), part)(GAME, None)
    assert returned == sound or part in ("load_kernel", "new_solver", "new_table", "views"), "these are held on"
    with pytest.raises(RulesError, match=rf"^The part {part} of “acme” failed: it returned .*, which is {words}\.$"):
        getattr(kit(**{part: lambda *_: broken}), part)(GAME, None)


def test_a_view_turns_moves_or_fails_in_a_sentence() -> None:
    one = POSITION.legal_moves[0]
    views = kit(views=lambda game: (IDENTITY, (game, lambda move: None), (game, lambda move: 1 / 0))).views
    assert views is not None
    (_, same), (_, nothing), (_, failing) = views(GAME)
    assert same(one) == one
    with pytest.raises(RulesError, match=r"^The part views of “acme” failed: a view turned 1-1 into no move\.$"):
        nothing(one)
    with pytest.raises(RulesError, match=r"^The part views of “acme” failed: division by zero"):
        failing(one)


def test_a_part_that_is_missing_stays_so() -> None:
    assert kit().new_solver is None
    assert kit().kernel is None


def test_what_a_part_says_on_purpose_is_left_as_it_is() -> None:
    def refuse(*_: object) -> bytes:
        raise GameParameterError("This game has no certificates.")

    make = kit(new_certificate=refuse).new_certificate
    with pytest.raises(GameParameterError, match=r"^This game has no certificates\.$"):
        make(POSITION, None)  # type: ignore[misc, arg-type]


def test_a_part_that_is_told_to_stop_is_not_at_fault() -> None:
    def stop(*_: object) -> bytes:
        raise KeyboardInterrupt

    make = kit(new_certificate=stop).new_certificate
    with pytest.raises(KeyboardInterrupt):
        make(POSITION, None)  # type: ignore[misc, arg-type]


def told(new_solver: type[PlainSolver]) -> Truth:
    """The truth of a solver of another package."""
    make = kit(new_solver=new_solver).new_solver
    assert make is not None
    solver = make(distances=True)
    solver.start(POSITION)
    assert solver.advance(Limit())
    assert solver.progress == 1.0
    return solver.truth()


@pytest.mark.parametrize(
    "change",
    [
        lambda truth: None,
        lambda truth: replaced(truth, position=parse_position("nim:3")),
        lambda truth: replaced(truth, value="win"),
        lambda truth: replaced(truth, distance="3"),
        lambda truth: replaced(truth, moves=()),
        lambda truth: replaced(truth, moves=tuple(reversed(truth.moves))),
        lambda truth: replaced(truth, moves=POSITION.legal_moves),
        lambda truth: replaced(truth, moves=(replaced(truth.moves[0], value=1), *truth.moves[1:])),
        lambda truth: replaced(truth, nodes=None),
        lambda truth: replaced(truth, elapsed_s="1"),
        lambda truth: replaced(truth, explanation=None),
    ],
)
def test_a_solver_tells_the_truth_of_its_position_or_fails_in_a_sentence(change: Callable[[Truth], object]) -> None:
    class Changed(PlainSolver):
        def truth(self) -> Truth:
            return change(super().truth())  # type: ignore[return-value]

    assert told(PlainSolver).complete
    with pytest.raises(RulesError, match=r"^The part new_solver of “acme” failed: its truth is no Truth of the pos"):
        told(Changed)


def replaced(thing: Any, **fields: object) -> Any:

    return msgspec.structs.replace(thing, **fields)
