"""The numbers that the first lesson tells, counted again over the same hundred seeds."""

from __future__ import annotations

import pytest

from nimdesk.agents import make_agent
from nimdesk.games import parse_position
from nimdesk.lessons import judge, shipped_lessons
from nimdesk.limit import Limit
from nimdesk.search import Snapshot

LESSON = shipped_lessons()[0]
TOLD = " ".join(f"{step.text} {step.found} {step.right}" for step in LESSON.steps)


def searched(name: str, iterations: int, seed: int) -> Snapshot:
    searcher = make_agent(name).unlimited().new_searcher()
    searcher.start(parse_position("nim:3,4,5"), seed)
    searcher.advance(Limit(iterations=iterations))
    return searcher.snapshot()


def chosen(name: str, iterations: int, seed: int) -> str:
    best = searched(name, iterations, seed).best_move
    assert best is not None
    return best.text


def test_few_simulations_are_wrong_and_many_are_mostly_right() -> None:
    assert "the search finds it with 6 of 100 seeds" in TOLD
    assert sum(chosen("uct", 500, seed) == "1-2" for seed in range(1, 101)) == 6
    assert "take 4 from pile 2" in TOLD
    assert chosen("uct", 500, 1) == "2-4"
    assert chosen("uct", 100_000, 1) == "1-2"
    asked = next(n for n, step in enumerate(LESSON.steps, 1) if "after **100,000** simulations" in step.found)
    verdict = judge(LESSON.at(asked), 84)
    assert verdict.right
    assert "It is 84" in verdict.said  # README tells it, too


def test_the_merging_search_proves_it_within_the_simulations_told() -> None:
    made = [searched("mcts", 100_000, seed) for seed in range(1, 101)]
    assert {snapshot.best_move.text for snapshot in made if snapshot.best_move} == {"1-2"}
    assert "within 80" in TOLD
    assert max(snapshot.iterations for snapshot in made) <= 80
    assert "after 74 simulations" in TOLD
    assert made[0].iterations == 74


@pytest.mark.parametrize("number", range(1, len(LESSON.steps) + 1))
def test_each_question_has_a_right_answer(number: int) -> None:
    shown = LESSON.at(number)
    right = {1: 12, 2: 400_000, 4: "1-2", 5: 80, 7: 70_000, 8: "B"}
    assert (shown.step.task is not None) is (number in right)
    if number in right and number != 5:  # judged above
        assert judge(shown, right[number]).right
