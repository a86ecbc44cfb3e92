"""What games have found, in a sentence."""

from __future__ import annotations

from nimdesk.experiments.matches.rating import rating_list
from nimdesk.experiments.matches.sequential import bias_words, test_words
from nimdesk.experiments.matches.tally import MatchTally, PairingTally
from nimdesk.experiments.matches.tuning import tuning_of
from nimdesk.experiments.statistics import signed
from nimdesk.games import Side


def match_finding(tally: MatchTally) -> str:
    """The sentence; "" before the first game."""
    if (tuned := tuning_of(tally)) is not None:
        return tuned.sentence
    played = [each for each in tally.played if each.games]
    met = [each for each in played if each.pairing.players[0] != each.pairing.players[1]]
    if len(met) == 1:
        return _pairing(met[0])
    if met:
        return _ratings(tally) or f"{len(met)} pairs of players have met; they are not linked, so no one list has them."
    return _alone(played) if played else ""


def _pairing(met: PairingTally) -> str:
    one, other = met.pairing.players
    where = met.where
    wins, draws, losses = met.counts
    counted = f"{wins:,} won, {draws:,} drawn, {losses:,} lost by {one}"
    if met.pairing.settings[0].once:
        return f"{one} and {other} on {where}: {counted}; both are deterministic, so one game stands for all."
    elo, low, high = met.elo
    told = [f"{signed(elo)} Elo [{signed(low)}, {signed(high)}]", counted, test_words(met), bias_words(met)]
    measured = "; ".join(filter(None, told))
    if low > 0:
        return f"{one} is stronger than {other} on {where}: {measured}."
    if high < 0:
        return f"{one} is weaker than {other} on {where}: {measured}."
    return f"Which of {one} and {other} is stronger on {where} cannot be told: {measured}."


def _alone(met: list[PairingTally]) -> str:
    """Of players who have met only themselves, which tells of the roles and not of the players."""
    if len(met) > 1:
        games = sum(each.games for each in met)
        return f"In {len(met)} matches players have met only themselves, in {games:,} games; who won is told by role."
    settings = met[0].settings
    first, second = (sum(each.wins[side] for each in settings) for side in Side)
    return (
        f"{met[0].pairing.players[0]} against itself on {met[0].where}: {first:,} won by the first player, "
        f"{sum(each.draws for each in settings):,} drawn, {second:,} won by the second."
    )


def _ratings(tally: MatchTally) -> str:
    rated = rating_list(tally)
    if rated is None:
        return ""
    first, second = rated.ratings[:2]
    ahead = f"stronger than the next, {second.player}, with a probability of {first.above_words}"
    return (
        f"{first.player} is first of {len(rated.ratings)} players, {signed(first.elo)} Elo "
        f"[{signed(first.low)}, {signed(first.high)}] above {rated.zero_words}, and {ahead}"
        f"{f'; tests {rated.early}' if rated.early else ''}."
    )
