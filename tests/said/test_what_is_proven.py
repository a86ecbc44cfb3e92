"""Truths of random positions of every game, as they are told, printed, and explained."""

import random

import pytest
from judge import Judge
from positions import KINDS, random_position
from truths import judge_truths

SEEDS = range(6)


@pytest.mark.usefixtures("_kayles")
@pytest.mark.parametrize("kind", KINDS)
def test_what_solvers_say_is_what_the_oracle_knows(kind: str) -> None:
    judge = Judge()
    for seed in SEEDS:
        chance = random.Random(f"truths {kind} {seed}")
        judge_truths(random_position(chance, kind), chance, judge)
    assert not judge.faults
    assert judge.counts["truth: move: value"] > 30
