"""The games of two experiments side by side."""

from __future__ import annotations

from collections.abc import Iterator

from nimdesk.experiments.matches.tally import MatchTally, SettingTally
from nimdesk.experiments.measured import Difference, Measured, compared
from nimdesk.experiments.statistics import wilson
from nimdesk.games import Side


def match_differences(one: MatchTally, other: MatchTally) -> Iterator[Difference]:
    """Who won, by role and position, in both."""
    theirs = {_where(each): each for each in other.played_settings}
    for mine in one.played_settings:
        there = theirs.get(_where(mine))
        if there is None or not (mine.games and there.games):
            continue
        for quantity in ("first wins", "draws", "second wins"):
            yield compared(_where(mine), quantity, _share(mine, quantity), _share(there, quantity))


def _where(tally: SettingTally) -> tuple[str, ...]:
    return (*tally.setting.players, tally.setting.position)


def _share(tally: SettingTally, quantity: str) -> Measured:
    counts = {"first wins": tally.wins[Side.FIRST], "draws": tally.draws, "second wins": tally.wins[Side.SECOND]}
    share = counts[quantity] / tally.games
    # One game of deterministic players stands for all.
    return (share, share, share) if tally.setting.once else (share, *wilson(counts[quantity], tally.games))
