"""What boards, pages, tables, plots and lists show of random positions and games is what the oracle knows."""

import random

import pytest
from judge import Judge
from positions import KINDS, random_position, random_start
from PySide6.QtWidgets import QApplication
from window import judge_game_shown, judge_window

SEEDS = range(3)


@pytest.mark.usefixtures("_kayles")
@pytest.mark.parametrize("kind", KINDS)
def test_positions_and_searches_are_shown_as_the_oracle_knows_them(kind: str, qapp: QApplication) -> None:
    judge = Judge()
    for seed in SEEDS:
        chance = random.Random(f"window {kind} {seed}")
        judge_window(random_position(chance, kind), chance, judge)
    assert not judge.faults
    assert judge.counts["table: proven: value"] > 50


@pytest.mark.usefixtures("_kayles")
@pytest.mark.parametrize("kind", KINDS)
def test_games_are_shown_as_the_oracle_knows_them(kind: str, qapp: QApplication) -> None:
    judge = Judge()
    for seed in SEEDS:
        chance = random.Random(f"shown {kind} {seed}")
        judge_game_shown(random_start(chance, kind), chance, judge)
    assert not judge.faults
    assert judge.counts["score: proven"] > 20
