"""Opening rules: whose turn it is to do what, and how a program chooses."""

import random
from functools import reduce
from operator import xor

import pytest

from nimdesk.agents.opening_rules import Opening, OpeningRule, balanced, choice_of
from nimdesk.games import AnyPosition, parse_position
from nimdesk.games.nim.rules import NimPosition


def told(rule: OpeningRule, *choices: str) -> list[str]:
    """What an opening asks for, one step after the other, if these are the choices."""
    opening, plies, left, steps = Opening(rule), 0, list(choices), list[str]()
    while (step := opening.step(plies)) is not None:
        if step.choices:
            choice = left.pop(0)
            steps.append(f"{step.player} chooses {choice} of {' '.join(step.choices)}")
            assert choice in step.choices
            opening = opening.chosen(choice)  # type: ignore[arg-type]
        else:
            steps.append(f"{step.player} makes {step.moves}")
            plies += step.moves
    return [*steps, "swapped" if opening.swapped else "as begun"]


@pytest.mark.parametrize(
    ("rule", "choices", "steps"),
    [
        ("pie", ["stay"], ["0 makes 1", "1 chooses stay of stay swap", "as begun"]),
        ("pie", ["swap"], ["0 makes 1", "1 chooses swap of stay swap", "swapped"]),
        ("swap2", ["stay"], ["0 makes 3", "1 chooses stay of stay swap more", "as begun"]),
        ("swap2", ["swap"], ["0 makes 3", "1 chooses swap of stay swap more", "swapped"]),
        (
            "swap2",
            ["more", "swap"],
            ["0 makes 3", "1 chooses more of stay swap more", "1 makes 2", "0 chooses swap of stay swap", "swapped"],
        ),
    ],
)
def test_the_steps_of_an_opening(rule: OpeningRule, choices: list[str], steps: list[str]) -> None:
    assert told(rule, *choices) == steps


def test_who_chooses_takes_the_better_side_and_leaves_even_positions_to_the_other_where_it_may() -> None:
    three = ("stay", "swap", "more")
    assert [choice_of(score, ("stay", "swap")) for score in (0.49, 0.5, 0.51)] == ["swap", "stay", "stay"]
    assert [choice_of(score, three) for score in (0.2, 0.48, 0.52, 0.8)] == ["swap", "more", "more", "stay"]  # type: ignore[arg-type]


def nim_score(position: AnyPosition) -> float:
    """Bouton (1901): who is to move loses where the piles' exclusive or is 0."""
    assert isinstance(position, NimPosition)
    return float(reduce(xor, position.piles) != 0)


def test_moves_are_placed_for_balance_and_none_of_them_ends_the_game() -> None:
    start = parse_position("mnk:15,15,5")
    evens = {balanced(start, 1, lambda after: 0.5, random.Random(seed)).text for seed in range(20)}
    assert len(evens) > 10
    corner = balanced(
        parse_position("mnk:2,2,2"), 1, lambda after: 0.5 if "a1" in after.text else 1.0, random.Random(1)
    )
    assert corner.text == "mnk:2,2,2 a1"
    three = balanced(start, 3, lambda after: 0.5, random.Random(1))
    assert three.ply == 3
    assert {move.text[0] for move in three.moves} <= set("abcdefghijklmno"[1:14])
    assert balanced(parse_position("nim:1"), 1, nim_score, random.Random(1)).text == "nim:1"
    assert balanced(parse_position("nim:1,1"), 3, nim_score, random.Random(1)).ply == 1
