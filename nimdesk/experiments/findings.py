"""What an experiment found, in one sentence."""

from __future__ import annotations

from nimdesk.experiments.atlas_tally import misled
from nimdesk.experiments.files import Found
from nimdesk.experiments.plan import OWN_BUDGET
from nimdesk.experiments.published import published_as
from nimdesk.experiments.published.figures import verdict_words
from nimdesk.experiments.rating import rating_list
from nimdesk.experiments.sequential import bias_words, test_words
from nimdesk.experiments.statistics import signed
from nimdesk.experiments.study_tally import StudyRow, StudyTally
from nimdesk.experiments.tables import right_rate
from nimdesk.experiments.tally import PairingTally, SearchTally, Tally
from nimdesk.experiments.tuning import tuning_of
from nimdesk.games import Side

_MOST = 3
_NOTHING = "Nothing is known yet."


def finding(found: Found) -> str:
    """The sentence; it begins with "So far" while something is left to do."""
    words = _found(found) if found.done else ""
    if not words:
        return _NOTHING
    return words if found.complete else f"So far: {words}"


def _found(found: Found) -> str:
    if found.study is not None:
        return _study(found.study)
    if found.atlas is not None:
        return " ".join(misled(found.atlas.rows()))
    if (tuned := tuning_of(found)) is not None:
        return tuned.sentence
    tally, built_in = found.tally, published_as(found.schedule.plan)
    if built_in is not None:
        return verdict_words(built_in.compare(tally))
    played = [each for each in tally.played if each.games]
    met = [each for each in played if each.pairing.players[0] != each.pairing.players[1]]
    if len(met) == 1:
        return _pairing(met[0])
    if met:
        return _ratings(tally) or f"{len(met)} pairs of players have met; they are not linked, so no one list has them."
    if played:
        return _alone(played)
    return _searches(tally.searches) if tally.searches else ""


def _study(study: StudyTally) -> str:
    made = study.study
    budget = f"{made.part.words(made.budgets[-1])}{'' if made.part.unit else f' {made.unit}'}"
    if len(made.positions) == 1:
        rows = [row for agent in range(len(made.agents)) for row in study.rows_of(agent, 0)[-1:]]
        rows.sort(key=lambda row: -row.optimal_share)
        more = f"; {len(rows) - _MOST} more agents less often" if len(rows) > _MOST else ""
        chosen = ", ".join(map(_chosen, rows[:_MOST]))
        return (
            f"With {budget}, an optimal move of {made.positions[0].text} is chosen by {chosen}{more}." if rows else ""
        )
    parts = []
    for agent, label in enumerate(made.labels):
        rows = [row for place in range(len(made.positions)) for row in study.rows_of(agent, place)[-1:]]
        if rows:
            worst = min(rows, key=lambda row: row.optimal_share)
            mean = sum(row.optimal_share for row in rows) / len(rows)
            own = f" with its {OWN_BUDGET}" * all(row.budget is None for row in rows)
            at_worst = f"at worst {worst.optimal_share:.1%}, on {worst.position}"
            parts.append((mean, f"{label}{own} in {mean:.1%} ({at_worst})"))
    parts.sort(key=lambda each: -each[0])
    chosen = ", ".join(words for _mean, words in parts[:_MOST])
    return f"With {budget}, an optimal move is chosen, on average over {len(made.positions)} positions, by {chosen}."


def _chosen(row: StudyRow) -> str:
    own = f" with its {OWN_BUDGET}" * (row.budget is None)
    share = f"{row.agent}{own} in {row.optimal_share:.1%}"
    return share if row.searches == 1 else f"{share} [{row.low:.1%}, {row.high:.1%}] of {row.searches:,} searches"


def _pairing(met: PairingTally) -> str:
    one, other = met.pairing.players
    where = _where(met)
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
        f"{met[0].pairing.players[0]} against itself on {_where(met[0])}: {first:,} won by the first player, "
        f"{sum(each.draws for each in settings):,} drawn, {second:,} won by the second."
    )


def _where(met: PairingTally) -> str:
    positions = list(dict.fromkeys(setting.position for setting in met.pairing.settings))
    return positions[0] if len(positions) == 1 else f"{len(positions)} positions"


def _ratings(tally: Tally) -> str:
    rated = rating_list(tally)
    if rated is None:
        return ""
    first, second = rated.ratings[:2]
    ahead = f"stronger than the next, {second.player}, with a probability of {first.above_words}"
    return (
        f"{first.player} is first of {len(rated.ratings)} players, {signed(first.elo)} Elo "
        f"[{signed(first.low)}, {signed(first.high)}] above {rated.zero_words}, and {ahead}"
        f"{'; tests stopped early, which biases the Elo away from zero' * rated.stopped_early}."
    )


def _searches(searches: list[SearchTally]) -> str:
    rates = [(right_rate(each), each) for each in searches]
    known = [(rate, low, high, each) for (rate, low, high), each in rates if rate is not None]
    if not known:
        return f"{sum(each.searches for each in searches):,} searches are done; of none is it known what is right."
    rate, low, high, best = max(known, key=lambda each: each[0])
    sure = "" if best.setting.once else f" [{low:.1%}, {high:.1%}]"
    return (
        f"Of {len(known)} players and positions, {best.setting.player} on {best.setting.position} is right most often: "
        f"{rate:.1%}{sure}."
    )
