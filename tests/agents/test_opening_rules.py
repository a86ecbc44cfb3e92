"""Opening rules: whose turn it is to do what, and how a program chooses."""

import random

import pytest

from nimdesk.agents.opening_rules import Opening, OpeningRule, balanced, choice_of
from nimdesk.games import AnyPosition, parse_position
from nimdesk.search import MoveStats, Snapshot


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


def told_values(position: AnyPosition, values: dict[str, float]) -> Snapshot:
    """A search that has found these values for the mover, and 1 for all other moves."""
    moves = tuple(MoveStats(move, 98, values.get(move.text, 1.0)) for move in position.legal_moves)
    return Snapshot(position, "told", 0, 98 * len(moves), 1.0, moves, moves[0].move)


def test_the_last_move_is_chosen_for_balance() -> None:
    start = parse_position("mnk:15,15,5")
    for seed in range(5):
        position = balanced(start, 1, lambda at: told_values(at, {"a1": 0.52, "h8": 0.6}), random.Random(seed))
        assert position.text == "mnk:15,15,5 a1"
    even = {move.text: 0.5 for move in start.legal_moves}
    found = {balanced(start, 3, lambda at: told_values(at, even), random.Random(seed)).text for seed in range(20)}
    assert len(found) == 20
    assert all(parse_position(text).ply == 3 for text in found)


def test_moves_of_a_game_without_balance_are_made_all_the_same_and_none_ends_it() -> None:
    searched = list[str]()

    def search(position: AnyPosition) -> Snapshot:
        searched.append(position.text)
        return told_values(position, {})

    assert balanced(parse_position("nim:1"), 1, search, random.Random(1)).text == "nim:1"
    assert balanced(parse_position("nim:1,1"), 3, search, random.Random(1)).ply == 1
    assert balanced(parse_position("nim:2"), 1, search, random.Random(1)).text == "nim:2 1-1"
