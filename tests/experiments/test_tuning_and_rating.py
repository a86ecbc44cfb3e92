"""One rating list for many players; a tuned option, whose best value is called better only after a test of its own."""

import math
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from runs import counted, csv_of, finished
from scipy import optimize, stats

from nimdesk.agents import make_agent
from nimdesk.errors import OptionError, PlanError
from nimdesk.experiments.files import Found, read
from nimdesk.experiments.findings import finding
from nimdesk.experiments.plan import MatchPart, Plan, PlayerPart, new_plan
from nimdesk.experiments.planned import schedule_of
from nimdesk.experiments.rating import RatingList, rating_list
from nimdesk.experiments.results import GameResult, Result
from nimdesk.experiments.schedule import GameTask
from nimdesk.experiments.statistics import elo_of_score, expected_score
from nimdesk.experiments.tuning import parse_settings, tuning_of, tuning_plan, with_budget

Points = Callable[[str, str], float]
"""The expected score of a player against another."""


def round_robin(*players: str, games: int) -> Plan:
    part = MatchPart(players=list(players), positions=["nim:1,2"], games=games)
    return new_plan("rated", {name: PlayerPart(agent="random") for name in players}, matches=[part])


def results(plan: Plan, points: Points, seed: int = 0, drawn: float = 0.3) -> list[Result]:
    """Made-up games in which each player has these points on average."""
    made, chance = schedule_of(plan), random.Random(seed)
    found: list[Result] = []
    for number in range(made.total):
        task = made.task(number)
        assert isinstance(task, GameTask)
        expected = points(*task.setting.players)
        draws = drawn * 2 * min(expected, 1 - expected)
        roll = chance.random()
        winner: Literal[0, 1] | None = 0 if roll < expected - draws / 2 else None if roll < expected + draws / 2 else 1
        found.append(GameResult(number, task.setting.position, winner, ()))
    return found


def rated(plan: Plan, points: Points, seed: int = 0) -> tuple[Found, RatingList]:
    found = counted(schedule_of(plan), results(plan, points, seed))
    listed = rating_list(found.tally)
    assert listed is not None
    return found, listed


STRENGTH = {"a": 200.0, "b": 60.0, "c": 0.0, "d": -260.0}


def by_strength(one: str, other: str) -> float:
    return expected_score(STRENGTH[one] - STRENGTH[other])


def test_the_ratings_are_those_of_the_greatest_likelihood() -> None:
    """Found by scipy, over the ratings as they are, from wins, draws and losses."""
    found, listed = rated(round_robin(*STRENGTH, games=40), by_strength)

    def negative(elo: np.ndarray) -> float:
        at = dict(zip(STRENGTH, elo, strict=True))
        total = 0.0
        for each in found.tally.pairings:
            one, other = each.pairing.players
            wins, draws, losses = each.counts
            expected = expected_score(float(at[one] - at[other]))
            total -= (wins + draws / 2) * math.log(expected) + (losses + draws / 2) * math.log(1 - expected)
        return total

    oracle = optimize.minimize(negative, np.zeros(4), tol=1e-12).x
    oracle -= oracle.mean()
    assert {each.player: each.elo for each in listed.ratings} == pytest.approx(
        dict(zip(STRENGTH, oracle.tolist(), strict=True)), abs=0.05
    )
    assert [each.elo for each in listed.ratings] == sorted((each.elo for each in listed.ratings), reverse=True)
    assert "is first of 4 players" in finding(found)
    for each in listed.ratings:
        own = [one for one in found.tally.pairings if each.player in one.pairing.players]
        won = sum(one.counts[0 if one.pairing.players[0] == each.player else 2] for one in own)
        drawn = sum(one.counts[1] for one in own)
        assert drawn > 0
        assert (each.games, each.draws) == (3 * 40 * 2, pytest.approx(drawn / each.games))
        assert each.score == pytest.approx((won + drawn / 2) / each.games)


def test_two_players_are_as_far_apart_as_their_score_says() -> None:
    found, listed = rated(round_robin("a", "c", games=60), by_strength)
    one, other = listed.ratings
    elo = found.tally.pairings[0].elo[0]
    assert abs(one.elo - other.elo) == pytest.approx(abs(elo), abs=1e-6)


def test_the_intervals_hold_the_truth_as_often_as_they_say() -> None:
    mean = sum(STRENGTH.values()) / 4
    held = all_of_them = 0
    for seed in range(60):
        _found, listed = rated(round_robin(*STRENGTH, games=25), by_strength, seed)
        for each in listed.ratings:
            held += each.low <= STRENGTH[each.player] - mean <= each.high
            all_of_them += 1
    assert 0.9 <= held / all_of_them <= 0.995


def test_where_roles_decide_every_game_the_ratings_are_known_to_be_equal() -> None:
    plan = round_robin("a", "b", games=100)
    found = counted(schedule_of(plan), [GameResult(n, "nim:1,2", 0, ()) for n in range(200)])
    listed = rating_list(found.tally)
    assert listed is not None
    for each in listed.ratings:
        assert each.elo == pytest.approx(0, abs=1e-6)
        assert each.high < 10  # single games would say 24
    assert listed.ratings[0].above_next == pytest.approx(0.5)


def test_who_has_won_everything_is_rated_with_a_drawn_game_more_and_it_is_said() -> None:
    _found, listed = rated(round_robin("a", "b", games=10), lambda one, _other: float(one == "a"))
    assert listed.virtual
    assert listed.ratings[0].player == "a"
    assert 100 < listed.ratings[0].elo < 1_000


ELO = 400 / math.log(10)


@pytest.mark.parametrize("second", [0, 1])
def test_single_games_are_rated_with_a_drawn_game_more_and_vary_by_themselves(second: Literal[0, 1]) -> None:
    """By hand: 1½ points of 2 in each link of a chain; the other games of the pairs are still to be played."""
    plan = round_robin("a", "b", "c", games=1)
    made, won = schedule_of(plan), list[Result]()
    for number in range(made.total):
        task = made.task(number)
        assert isinstance(task, GameTask)
        if task.setting.players in (("a", "b"), ("b", "c")):
            won.append(GameResult(number, "nim:1,2", 0 if task.setting.players == ("a", "b") else second, ()))
    listed = rating_list(counted(made, won).tally)
    assert listed is not None
    assert listed.virtual
    apart = elo_of_score(0.75)
    elos = {each.player: each.elo for each in listed.ratings}
    assert elos["a"] - elos["b"] == pytest.approx(apart)
    assert elos["b"] - elos["c"] == pytest.approx(-apart if second else apart)
    # The variance of one game, with one more as the model has it, over the information of both; b is between two.
    link = math.sqrt((0.25**2 + 0.75 * 0.25) / 2) / (2 * 0.75 * 0.25) * ELO
    (middle,) = (each for each in listed.ratings if each.player == "b")
    assert middle.high - middle.elo == pytest.approx(1.96 * link * math.sqrt(2) / 3)
    assert listed.ratings[-1].above_next is None
    assert replace(listed.ratings[0], above_next=0.99999).above_words == "over 99.9%"
    if not second:
        for better in listed.ratings[:2]:
            assert better.above_next == pytest.approx(stats.norm.cdf(apart / link))


@pytest.mark.parametrize(
    ("points", "score", "error"),
    [
        # Each pair of games has another result: five pairs and one more, over the information of ten games.
        ([(1, 1), (1, 0.5), (0.5, 0.5), (0.5, 0), (0, 0)], 1 / 2, math.sqrt(5 * (2.5 + 0.5) / 6) / 2.5),
        # Three pairs with 1½, ½ and 2 points where 4/3 are expected: 1/36 + 25/36 + 16/36.
        ([(1, 0.5), (0.5, 0), (1, 1)], 2 / 3, math.sqrt(3 * (7 / 6 + 4 / 9) / 4) / (6 * 2 / 9)),
        # Half a pair each: three games and one more.
        ([(1,), (0.5,), (0,)], 1 / 2, math.sqrt(3 * (0.5 + 0.25) / 4) / 0.75),
        ([(1,), (0.5,), (0.5,)], 2 / 3, math.sqrt(3 * (1 / 6 + 2 / 9) / 4) / (3 * 2 / 9)),
    ],
)
def test_players_are_rated_with_the_error_of_pairs_or_of_games(
    points: list[tuple[float, ...]], score: float, error: float
) -> None:
    made, found = schedule_of(round_robin("a", "b", games=len(points))), list[Result]()
    for number in range(made.total):
        task = made.task(number)
        assert isinstance(task, GameTask)
        swapped = task.setting.swapped
        if swapped < len(points[task.game]):
            won = points[task.game][swapped]
            winner: Literal[0, 1] | None = None if won == 0.5 else 0 if (won == 1) != swapped else 1
            found.append(GameResult(number, "nim:1,2", winner, ()))
    listed = rating_list(counted(made, found).tally)
    assert listed is not None
    assert not listed.virtual
    for each, share in zip(listed.ratings, (score, 1 - score), strict=True):
        assert each.score == pytest.approx(share)
        assert each.elo == pytest.approx(elo_of_score(share) / 2, abs=1e-6)
        assert each.high - each.elo == pytest.approx(1.96 * error / 2 * ELO)


def test_players_without_a_chain_of_games_have_no_common_list() -> None:
    parts = [MatchPart(players=pair, positions=["nim:1,2"], games=2) for pair in (["a", "b"], ["c", "d"])]
    plan = new_plan("apart", {name: PlayerPart(agent="random") for name in STRENGTH}, matches=parts)
    found = counted(schedule_of(plan), results(plan, by_strength))
    assert rating_list(found.tally) is None
    assert "not linked" in finding(found)


def test_of_a_player_against_itself_it_is_found_how_often_either_role_won() -> None:
    plan = round_robin("a", "a", games=10)
    found = results(plan, lambda *_: 1.0)  # whoever moves first wins
    assert finding(counted(schedule_of(plan), found)) == (
        "a against itself on nim:1,2: 20 won by the first player, 0 drawn, 0 won by the second."
    )
    begun = finding(counted(schedule_of(plan), found[:3]))
    assert begun == "So far: a against itself on nim:1,2: 3 won by the first player, 0 drawn, 0 won by the second."
    parts = [MatchPart(players=[name, name], positions=["nim:1,2"], games=2) for name in ("a", "b")]
    both = new_plan("alone", {name: PlayerPart(agent="random") for name in ("a", "b")}, matches=parts)
    said = finding(counted(schedule_of(both), results(both, by_strength)))
    assert said == "In 2 matches players have met only themselves, in 8 games; who won is told by role."


# Tuning

AGENT = make_agent("uct", {"iterations": 20})


def tuned_plan(**changes: object) -> Plan:
    settings = parse_settings(AGENT, ["exploration=0.1..3"])
    return tuning_plan(AGENT, settings, ["nim:1,2,3"], games=10, confirm=200, **changes)  # type: ignore[arg-type]


def best_is(value: float, better: float) -> Points:
    """A game in which values near this one are better than the default, the others worse."""

    def points(one: str, other: str) -> float:
        if one == "default":
            return 1 - points(other, one)
        return expected_score(better - 150 * abs(math.log(float(one.partition("=")[2]) / value)))

    return points


@pytest.mark.parametrize(("better", "verdict"), [(150, "better"), (-200, "not shown to be better")])
def test_halving_finds_the_best_value_and_a_test_of_its_own_tells_if_it_is_better(better: float, verdict: str) -> None:
    plan = tuned_plan()
    made = schedule_of(plan)
    all_games = results(plan, best_is(0.7, better))
    found = counted(made, all_games)
    tuned = tuning_of(found)
    assert tuned is not None
    assert (tuned.options, tuned.default) == (("exploration",), (AGENT.options.exploration,))
    rounds = sorted((each.rounds for each in tuned.candidates), reverse=True)
    assert rounds == [3, 3, 2, 2, 1, 1, 1, 1]
    assert tuned.best is not None
    assert 0.4 < float(str(tuned.best.values[0])) < 1.2
    assert tuned.verdict == verdict
    assert finding(found) == tuned.sentence
    assert f"is {verdict} than the default" in tuned.sentence
    # The games by which it was chosen are not those of its test, and nobody else's count.
    assert tuned.test is not None
    assert tuned.best.games + tuned.test.games == sum(
        each.games for each in found.tally.played if each.pairing.players[0] == tuned.best.name
    )
    assert found.complete
    shuffled = list(all_games)
    random.Random(5).shuffle(shuffled)
    again = counted(made, shuffled)
    assert tuning_of(again) is not None
    assert [each.counts for each in again.tally.pairings] == [each.counts for each in found.tally.pairings]
    assert (again.done, again.total) == (found.done, found.total), "games of those who are out do not wait"


def test_a_tuning_stopped_half_way_goes_on_to_the_same_end(tmp_path: Path) -> None:
    plan = tuned_plan(elo1=200)
    finished(plan, tmp_path / "one.db", workers=1)
    finished(plan, tmp_path / "four.db", workers=4)
    assert csv_of(tmp_path / "one.db") == csv_of(tmp_path / "four.db")
    whole = read(tmp_path / "one.db")
    half = counted(whole.schedule, list(whole.games)[: len(whole.games) // 3])
    assert not half.complete
    tuned = tuning_of(half)
    assert tuned is not None
    assert tuned.verdict is None
    assert finding(half).startswith("So far: ")
    for result in whole.games:
        half.add(result)
    assert finding(half) == finding(whole)


def test_several_options_are_tuned_together() -> None:
    texts = ["exploration=0.5,1", "final=mean,secure"]
    every = parse_settings(AGENT, texts)
    usual = {"exploration": AGENT.options.exploration, "final": "visits"}
    assert len(every) == 3 * 3 - 1
    assert len({tuple(each.values()) for each in every}) == len(every)
    assert usual not in every
    some = parse_settings(AGENT, texts, settings=4, seed=1)
    assert len(some) == 4
    assert all(each in every for each in some)
    assert some == parse_settings(AGENT, texts, settings=4, seed=1)

    def points(one: str, other: str) -> float:
        if one == "default":
            return 1 - points(other, one)
        return expected_score(100 * ("exploration=1," in one) + 100 * ("final=mean" in one) - 50)

    plan = tuning_plan(AGENT, every, ["nim:1,2,3"], games=40, confirm=400)
    found = counted(schedule_of(plan), results(plan, points))
    tuned = tuning_of(found)
    assert tuned is not None
    assert tuned.best is not None
    assert dict(zip(tuned.options, tuned.best.values, strict=True)) == {"exploration": 1.0, "final": "mean"}
    assert tuned.sentence.startswith("uct:")
    assert "exploration = 1, final = mean is better than the default" in tuned.sentence


def test_what_cannot_be_tuned_is_refused() -> None:
    for text, words in (
        ("exploration", "names no option"),
        ("iterations=1,2", "names no option"),
        ("final=a..b", "no number"),
        ("exploration=3..1", "smaller number first"),
        ("exploration=1", "between 2 and 63"),
    ):
        with pytest.raises(OptionError, match=words):
            parse_settings(AGENT, [text])
    with pytest.raises(OptionError, match="named once"):
        parse_settings(AGENT, ["exploration=1,2", "exploration=3,4"])
    assert with_budget(AGENT, "300").options.iterations == 300  # type: ignore[attr-defined]
    assert with_budget(AGENT, "20ms").limit.time_s == 0.02
    with pytest.raises(OptionError, match="no budget in seconds"):
        with_budget(make_agent("random"), "20ms")
    part = MatchPart(players=["a", "b", "c"], format="gauntlet", positions=["nim:1,2"], games=1, best=1)
    with pytest.raises(PlanError, match="nothing is known of them before"):
        schedule_of(new_plan("x", {name: PlayerPart(agent="random") for name in "abc"}, matches=[part]))
