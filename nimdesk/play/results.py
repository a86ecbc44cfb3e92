"""A person's results against the levels, as the library has them, and which level suits the person."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from nimdesk.agents.levels import LEVELS, Level

STREAK = 3
"""So many wins or losses in a row lead to another level."""
_BY_NAME = {level.name: level for level in LEVELS}


class Finished(NamedTuple):
    """A game that a person played to its end: its rules in notation, the agent's name, and the person's score."""

    game: str
    agent: str
    score: float


class Results(NamedTuple):
    """How many games a person won, drew and played."""

    won: int = 0
    drew: int = 0
    games: int = 0

    @property
    def words(self) -> str:
        """Such as "won 4 of 7" or "won 1 of 3, drew 2"; "" where none was played."""
        drew = f", drew {self.drew:,}" if self.drew else ""
        return f"won {self.won:,} of {self.games:,}{drew}" if self.games else ""


def results_in(game: str, finished: Iterable[Finished]) -> dict[str, Results]:
    """The results in this game against each level that was played, by the name of the level."""
    found: dict[str, Results] = {}
    for each in finished:
        if each.game == game and each.agent in _BY_NAME:
            won, drew, games = found.get(each.agent, Results())
            found[each.agent] = Results(won + (each.score == 1), drew + (each.score == 0.5), games + 1)
    return found


def suited(name: str, game: str, finished: Sequence[Finished]) -> tuple[Level, str] | None:
    """The level that suits the person better than the one of this name, and why, as a sentence; None where none does.

    The newest games of this game, the last in ``finished``, decide: three wins in a row lead one level up, three losses
    one down. A new level begins with none.
    """
    if name not in _BY_NAME:
        return None
    newest = [each for each in finished if each.game == game][-STREAK:]
    scores = {each.score for each in newest}
    if len(newest) < STREAK or len(scores) > 1 or any(each.agent != name for each in newest):
        return None
    step = {1.0: 1, 0.0: -1}.get(scores.pop(), 0)
    place = LEVELS.index(_BY_NAME[name]) + step
    if not step or not 0 <= place < len(LEVELS):
        return None
    level = LEVELS[place]
    what = "won" if step > 0 else "lost"
    return level, f"You {what} three games in a row: now against Level {level.number}, {level.title}."
