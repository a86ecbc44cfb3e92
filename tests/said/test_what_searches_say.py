"""Every agent in random positions of every game: what it says of them, and what it plays, is what the oracle knows."""

import random

import pytest
from judge import Judge
from positions import KINDS, random_position
from searches import judge_agents

SEEDS = range(4)


@pytest.mark.usefixtures("_kayles")
@pytest.mark.parametrize("kind", KINDS)
def test_searches_say_and_play_nothing_false(kind: str) -> None:
    judge = Judge()
    for seed in SEEDS:
        chance = random.Random(f"searches {kind} {seed}")
        judge_agents(random_position(chance, kind), chance, judge)
    assert not judge.faults
    assert judge.counts["search: move: value"] > 100
