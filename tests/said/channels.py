"""Where nimdesk says what positions and moves are worth; each is judged position by position, by kind and number."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import NamedTuple

from games import judge_game
from judge import Judge
from positions import random_position, random_start
from searches import judge_agents
from truths import judge_truths
from window import judge_game_shown, judge_window


class Channel(NamedTuple):
    """What makes a random position, and what compares all that is said of it."""

    draw: Callable[[random.Random, str, int], str]
    judge: Callable[[str, random.Random, Judge], None]


CHANNELS = {
    "searches": Channel(random_position, judge_agents),
    "truths": Channel(random_position, judge_truths),
    "games": Channel(random_start, judge_game),
    "window": Channel(random_position, judge_window),
    "shown": Channel(random_start, judge_game_shown),
}


def judged(channel: str, kind: str, number: int, judge: Judge) -> None:
    """Look at one random position of this kind of game; the same number gives the same again."""
    chance = random.Random(f"{channel} {kind} {number}")
    draw, compare = CHANNELS[channel]
    compare(draw(chance, kind, number), chance, judge)
