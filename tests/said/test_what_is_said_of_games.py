"""Games of every kind, and what is said while they are played, in a review, in its exercises, and at their end."""

import random

import pytest
from games import judge_game
from judge import Judge
from positions import KINDS, random_start

SEEDS = range(6)


@pytest.mark.usefixtures("_kayles")
@pytest.mark.parametrize("kind", KINDS)
def test_games_are_judged_as_the_oracle_does(kind: str) -> None:
    judge = Judge()
    for seed in SEEDS:
        chance = random.Random(f"games {kind} {seed}")
        judge_game(random_start(chance, kind), chance, judge)
    assert not judge.faults
    assert judge.counts["review: before and after"] > 20
