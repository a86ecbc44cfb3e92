"""All that nimdesk says, plays and prints of the worth of random positions and moves is what the oracle knows.

The same by the hour, with other positions: ``tests/benchmarks/bench_said.py``.
"""

import pytest
from channels import CHANNELS, judged
from judge import Judge
from positions import COMPILED, KINDS
from PySide6.QtWidgets import QApplication

NUMBERS = {"searches": 6, "truths": 5, "games": 6, "window": 3, "shown": 2}
"""So many positions of each kind of game."""
IN_PYTHON = 4
"""At most so many of a game without compiled rules, whose searches take their time."""
LEAST = {
    "searches": ("search: move: value", "search: line of a proven move", "search: stopped as proven", "play: level6"),
    "truths": ("truth: move: value", "printed: move: value", "said: thrown"),
    "games": ("review: before and after", "exercise: the answers that are right", "moves: proven of the move"),
    "window": ("board: mark: value", "table: proven: value", "lines: line of a proven move", "said: prefers"),
    "shown": ("moves: truth", "score: proven"),
}
"""Comparisons that every kind of game has, so that no test passes because nothing was said."""


@pytest.mark.usefixtures("_kayles")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("channel", CHANNELS)
def test_nothing_that_is_said_is_false(channel: str, kind: str, qapp: QApplication) -> None:
    judge = Judge()
    positions = NUMBERS[channel] if kind in COMPILED else min(NUMBERS[channel], IN_PYTHON)
    for number in range(positions):
        judged(channel, kind, number, judge)
    assert not judge.faults
    assert all(judge.counts[claim] >= 2 for claim in LEAST[channel])
