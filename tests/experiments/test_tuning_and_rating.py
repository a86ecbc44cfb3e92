"""One rating list for many players; a tuned option, whose best value is called better only after a test of its own."""

import math
import random
from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from runs import counted, csv_of, finished
from scipy import linalg, optimize, special, stats

from nimdesk.agents import make_agent
from nimdesk.errors import OptionError, PlanError
from nimdesk.experiments.files import Found, read
from nimdesk.experiments.likelihood import SCORES
from nimdesk.experiments.matches.rating import RatingList, rating_list
from nimdesk.experiments.matches.tally import MatchTally
from nimdesk.experiments.matches.tuning import tuning_of
from nimdesk.experiments.matches.work import GameResult, GameTask, Matches, MatchPart
from nimdesk.experiments.parts import PlayerPart
from nimdesk.experiments.plan import Plan, new_plan
from nimdesk.experiments.report import finding, sections
from nimdesk.experiments.results import Result
from nimdesk.experiments.schedule import schedule_of
from nimdesk.experiments.statistics import elo_of_score, expected_score, signed
from nimdesk.experiments.tuning import parse_settings, tuning_plan, with_budget

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
    listed = rating_list(found[MatchTally])
    assert listed is not None
    return found, listed


STRENGTH = {"a": 200.0, "b": 60.0, "c": 0.0, "d": -260.0}


def by_strength(one: str, other: str) -> float:
    return expected_score(STRENGTH[one] - STRENGTH[other])


def fallen(counts: tuple[int, ...], score: float) -> float:
    """By how much the log-likelihood of a mean score is below its maximum, by scipy: a maximum over one multiplier."""
    scores = SCORES[len(counts)]
    found = optimize.minimize_scalar(
        lambda t: -sum(n * math.log(1 + t * (s - score)) for n, s in zip(counts, scores, strict=True) if n),
        bounds=(-1 / (1 - score) + 1e-12, 1 / score - 1e-12),
        method="bounded",
        options={"xatol": 1e-12},
    )
    return -float(found.fun)


Met = Sequence[tuple[int, int, tuple[int, ...]]]


def profile(met: Met, size: int, weights: np.ndarray, at: float) -> float:
    """How far the likelihood is below its maximum at best where these weights times the Elo are so much, by scipy."""
    basis = linalg.null_space(np.vstack([weights, np.ones(size)]))
    fixed = weights * at / (weights @ weights)

    def lost(free: np.ndarray) -> float:
        elo = fixed + basis @ free
        return sum(fallen(counts, float(special.expit(math.log(10) / 400 * (elo[i] - elo[j])))) for i, j, counts in met)

    if not basis.size:
        return lost(np.zeros(0))
    return float(optimize.minimize(lost, np.zeros(basis.shape[1]), method="Nelder-Mead", options={"xatol": 1e-4}).fun)


def games_of(plan: Plan, points: dict[tuple[str, str], Sequence[tuple[float, float]]]) -> Found:
    """Made-up pairs of games: what the first of two players got when it moved first, and when it moved second."""
    made, found = schedule_of(plan), list[Result]()
    for number in range(made.total):
        task = made.task(number)
        assert isinstance(task, GameTask)
        pairing, swapped = made[Matches].pairings[task.setting.pairing], task.setting.swapped
        pairs = points[pairing.players[0], pairing.players[1]]
        if task.game < len(pairs):
            won = pairs[task.game][swapped]
            winner: Literal[0, 1] | None = None if won == 0.5 else 0 if (won == 1) != swapped else 1
            found.append(GameResult(number, task.setting.position, winner, ()))
    return counted(made, found)


BOTH, EVEN, NEITHER, DRAWN, HALF = (1.0, 1.0), (1.0, 0.0), (0.0, 0.0), (0.5, 0.5), (0.5, 0.0)
THREE = {
    ("a", "b"): [BOTH] * 9 + [EVEN] * 7 + [HALF] * 2 + [NEITHER] * 2,
    ("a", "c"): [BOTH] * 15 + [EVEN] * 4 + [DRAWN],
    ("b", "c"): [BOTH] * 4 + [EVEN] * 11 + [NEITHER] * 5,
}


def test_ratings_and_intervals_are_those_of_the_greatest_likelihood_and_of_its_profile() -> None:
    found = games_of(round_robin("a", "b", "c", games=20), THREE)
    listed = rating_list(found[MatchTally])
    assert listed is not None
    names = [each.player for each in listed.ratings]
    assert names == ["a", "b", "c"]
    assert sorted(listed.zero) == names
    met = [(0, 1, (9, 0, 7, 2, 2)), (0, 2, (15, 0, 5, 0, 0)), (1, 2, (4, 0, 11, 0, 5))]
    assert [each.counted for each in found[MatchTally].pairings] == [counts for _one, _other, counts in met]
    elo = np.array([each.elo for each in listed.ratings])
    assert elo.sum() == pytest.approx(0, abs=1e-6)
    for place, each in enumerate(listed.ratings):
        weights = np.eye(3)[place] - 1 / 3
        best = profile(met, 3, weights, each.elo)
        for nearby in (-5, 5):
            assert profile(met, 3, weights, each.elo + nearby) > best
        assert each.low < each.elo < each.high
        for end in (each.low, each.high):
            assert 2 * (profile(met, 3, weights, end) - best) == pytest.approx(3.84, abs=0.03)
    ahead = 2 * (profile(met, 3, np.array([1.0, -1.0, 0.0]), 0.0) - best)
    assert listed.ratings[0].above_next == pytest.approx(stats.norm.cdf(math.sqrt(ahead)), abs=1e-3)
    assert listed.ratings[-1].above_next is None
    assert "is first of 3 players" in finding(found)


@pytest.mark.parametrize("drawn", [0.0, 0.3])
def test_two_players_are_as_far_apart_as_their_pairing_says_and_as_sure(drawn: float) -> None:
    plan = round_robin("a", "c", games=30)
    found = counted(schedule_of(plan), results(plan, by_strength, drawn=drawn))
    listed = rating_list(found[MatchTally])
    assert listed is not None
    one, other = listed.ratings
    (pairing,) = found[MatchTally].pairings
    elo, low, high = pairing.elo
    assert one.elo - other.elo == pytest.approx(abs(elo), abs=0.03)
    assert (2 * one.low, 2 * one.high) == pytest.approx((low, high), abs=0.03)
    assert (-2 * other.high, -2 * other.low) == pytest.approx((low, high), abs=0.03)
    assert one.above_next == pytest.approx(pairing.los, abs=1e-5)


def test_games_points_and_draws_of_a_player_are_counted() -> None:
    found, listed = rated(round_robin(*STRENGTH, games=40), by_strength)
    assert [each.elo for each in listed.ratings] == sorted((each.elo for each in listed.ratings), reverse=True)
    for each in listed.ratings:
        own = [one for one in found[MatchTally].pairings if each.player in one.pairing.players]
        won = sum(one.counts[0 if one.pairing.players[0] == each.player else 2] for one in own)
        drawn = sum(one.counts[1] for one in own)
        assert drawn > 0
        assert (each.games, each.draws) == (3 * 40 * 2, pytest.approx(drawn / each.games))
        assert each.score == pytest.approx((won + drawn / 2) / each.games)


def test_the_intervals_hold_the_truth_as_often_as_they_say() -> None:
    mean = sum(STRENGTH.values()) / 4
    held = all_of_them = 0
    for seed in range(60):
        _found, listed = rated(round_robin(*STRENGTH, games=25), by_strength, seed)
        for each in listed.ratings:
            held += each.low <= STRENGTH[each.player] - mean <= each.high
            all_of_them += 1
    assert 0.92 <= held / all_of_them <= 0.98


def test_where_roles_decide_every_game_the_ratings_are_known_to_be_equal() -> None:
    found = games_of(round_robin("a", "b", games=100), {("a", "b"): [EVEN] * 100})
    listed = rating_list(found[MatchTally])
    assert listed is not None
    for each in listed.ratings:
        assert each.elo == pytest.approx(0, abs=0.03)
        assert 3 < each.high < 4  # single games would say 24
    assert listed.ratings[0].above_next == pytest.approx(0.5, abs=0.03)


def test_of_two_players_who_has_won_everything_is_infinitely_stronger_and_at_least_so_much() -> None:
    found = games_of(round_robin("a", "b", games=200), {("a", "b"): [NEITHER] * 200})
    listed = rating_list(found[MatchTally])
    assert listed is not None
    better, worse = listed.ratings
    assert (better.player, better.elo, better.high) == ("b", math.inf, math.inf)
    assert (worse.elo, worse.low) == (-math.inf, -math.inf)
    elo, low, high = found[MatchTally].pairings[0].elo
    assert (elo, low) == (-math.inf, -math.inf)
    # By hand: 200 pairs are all lost with the probability (1 - p)^200, which is to be exp(-1.92).
    assert high == pytest.approx(elo_of_score(1 - math.exp(-1.9208 / 200)), abs=3)
    assert (2 * worse.high, -2 * better.low) == pytest.approx((high, high), abs=0.03)
    assert better.above_next == pytest.approx(1, abs=1e-9)
    assert better.above_words == "over 99.9%"


def test_a_player_who_lost_everything_has_no_lower_end_and_does_not_blur_the_list_of_the_others() -> None:
    """The counts of ``nimdesk rate uct mcts flat --position nim:3,4,5``, whose flat has 0 of 400."""
    pairs = {
        ("uct", "mcts"): [EVEN] * 5 + [NEITHER] * 95,
        ("uct", "flat"): [BOTH] * 100,
        ("mcts", "flat"): [BOTH] * 100,
    }
    found = games_of(round_robin("uct", "mcts", "flat", games=100), pairs)
    listed = rating_list(found[MatchTally])
    assert listed is not None
    mcts, uct, flat = listed.ratings
    assert listed.zero == ("mcts", "uct")
    elo, low, high = found[MatchTally].pairings[0].elo
    assert (uct.elo, uct.low, uct.high) == pytest.approx((elo / 2, low / 2, high / 2), abs=0.03)
    assert (mcts.elo, mcts.low, mcts.high) == pytest.approx((-elo / 2, -high / 2, -low / 2), abs=0.03)
    assert (flat.elo, flat.low) == (-math.inf, -math.inf)
    met = [(0, 1, (0, 0, 5, 0, 95)), (0, 2, (100, 0, 0, 0, 0)), (1, 2, (100, 0, 0, 0, 0))]
    assert 2 * profile(met, 3, np.array([-0.5, -0.5, 1.0]), flat.high) == pytest.approx(3.84, abs=0.03)
    (section,) = [each for each in sections(found) if each.title == "Rating list"]
    assert section.rows[2][1:3] == ("−∞", f"[−∞, {signed(flat.high)}]")
    assert "above the mean of mcts and uct, intervals" in section.note
    assert "no finite difference is the likeliest" in section.note


def test_of_many_who_are_finite_against_each_other_it_is_said_how_many_they_are() -> None:
    ring = {("a", "b"): [EVEN], ("a", "c"): [EVEN], ("b", "c"): [EVEN]}
    points = ring | {(each, "d"): [BOTH] for each in "abc"}
    listed = rating_list(games_of(round_robin("a", "b", "c", "d", games=1), points)[MatchTally])
    assert listed is not None
    assert listed.zero_words == "the mean of the 3 players who have points off each other"
    assert listed.ratings[-1].elo == -math.inf


def test_of_a_chain_of_lost_games_nothing_is_known_of_the_middle() -> None:
    points = {("a", "b"): [BOTH] * 3, ("b", "c"): [BOTH] * 3, ("a", "c"): []}
    listed = rating_list(games_of(round_robin("a", "b", "c", games=3), points)[MatchTally])
    assert listed is not None
    assert sorted(listed.zero) == ["a", "b", "c"]
    a, b, c = listed.ratings
    assert (a.elo, a.high, c.elo, c.low) == (math.inf, math.inf, -math.inf, -math.inf)
    assert math.isnan(b.elo)
    assert (b.low, b.high) == (-math.inf, math.inf)
    assert a.low == pytest.approx(-c.high, abs=0.03)


def test_a_game_whose_pair_is_not_complete_counts_half_so_that_the_score_is_that_of_all_games() -> None:
    found = counted(schedule_of(round_robin("a", "b", games=3)), [])
    (pairing,) = found[MatchTally].pairings
    wanted = [(0.5, 0, 0, 0, 0), (0, 0, 1, 0, 0), (0.5, 0, 1, 0, 0)]
    for number, counts in enumerate(wanted):
        found.add(GameResult(number, "nim:1,2", 0, ()))
        assert pairing.counted == counts
        assert pairing.score is not None
        assert pairing.elo[0] == pytest.approx(elo_of_score(pairing.score))


def test_players_of_equal_strength_in_many_parts_of_a_plan_are_in_one_list() -> None:
    parts = [MatchPart(players=["a", "b"], positions=[text], games=20) for text in ("nim:1,2", "nim:2,3")]
    plan = new_plan("twice", {name: PlayerPart(agent="random") for name in "ab"}, matches=parts)
    found = counted(schedule_of(plan), results(plan, by_strength))
    listed = rating_list(found[MatchTally])
    assert listed is not None
    first, second = (each.counted for each in found[MatchTally].pairings)
    met = [(0, 1, first), (0, 1, second)]
    best = profile(met, 2, np.array([1.0, -1.0]), listed.ratings[0].elo - listed.ratings[1].elo)
    assert listed.ratings[0].player == "a"
    for end in (listed.ratings[0].low, listed.ratings[0].high):
        assert 2 * (profile(met, 2, np.array([1.0, -1.0]), 2 * end) - best) == pytest.approx(3.84, abs=0.03)


def test_the_interval_of_a_player_who_lost_nearly_everything_in_each_part_of_a_plan_holds_its_elo() -> None:
    names = [*"abcdefgh", "mid", "weak"]
    parts = [MatchPart(players=names, positions=[f"nim:1,{size}"], games=4) for size in (2, 3, 4)]
    plan = new_plan("parts", {name: PlayerPart(agent="random") for name in names}, matches=parts)
    points = {pair: [BOTH, EVEN, EVEN, NEITHER] for pair in combinations(names[:8], 2)}
    points |= {(strong, other): [BOTH] * 4 for strong in names[:8] for other in names[8:]}
    points |= {pair: [BOTH, BOTH, BOTH, EVEN] for pair in (("h", "mid"), ("mid", "weak"))}
    listed = rating_list(games_of(plan, points)[MatchTally])
    assert listed is not None
    assert [each.player for each in listed.ratings[-2:]] == ["mid", "weak"]
    assert all(each.low < each.elo < each.high for each in listed.ratings)


def test_players_without_a_chain_of_games_have_no_common_list() -> None:
    parts = [MatchPart(players=pair, positions=["nim:1,2"], games=2) for pair in (["a", "b"], ["c", "d"])]
    plan = new_plan("apart", {name: PlayerPart(agent="random") for name in STRENGTH}, matches=parts)
    found = counted(schedule_of(plan), results(plan, by_strength))
    assert rating_list(found[MatchTally]) is None
    assert "not linked" in finding(found)
    assert rating_list(counted(schedule_of(plan), [])[MatchTally]) is None


def test_what_was_found_is_of_the_positions_that_were_played() -> None:
    part = MatchPart(players=["a", "b"], positions=["nim:1,2", "nim:1,3", "nim:1,4"], games=1)
    plan = new_plan("openings", {name: PlayerPart(agent="random") for name in ("a", "b")}, matches=[part])
    games = results(plan, by_strength)
    for played, where in ((1, "nim:1,2"), (2, "nim:1,2"), (3, "2 positions"), (5, "3 positions")):
        found = counted(schedule_of(plan), games[:played])
        assert f" on {where}" in finding(found)
        assert next(each.rows[0][2] for each in sections(found) if each.title == "Pairings") == where


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


def test_a_test_of_the_best_is_none_before_it_is_known_who_that_is() -> None:
    assert Found(schedule_of(tuned_plan())).progress == ""


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
    tuned = tuning_of(found[MatchTally])
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
        each.games for each in found[MatchTally].played if each.pairing.players[0] == tuned.best.name
    )
    assert found.complete
    shuffled = list(all_games)
    random.Random(5).shuffle(shuffled)
    again = counted(made, shuffled)
    assert tuning_of(again[MatchTally]) is not None
    assert [each.counts for each in again[MatchTally].pairings] == [each.counts for each in found[MatchTally].pairings]
    assert (again.done, again.total) == (found.done, found.total), "games of those who are out do not wait"


def test_a_tuning_stopped_half_way_goes_on_to_the_same_end(tmp_path: Path) -> None:
    plan = tuned_plan(elo1=200)
    finished(plan, tmp_path / "one.db", workers=1)
    finished(plan, tmp_path / "four.db", workers=4)
    assert csv_of(tmp_path / "one.db") == csv_of(tmp_path / "four.db")
    whole = read(tmp_path / "one.db")
    games = list(whole[MatchTally].results)
    half = counted(whole.schedule, games[: len(games) // 3])
    assert not half.complete
    tuned = tuning_of(half[MatchTally])
    assert tuned is not None
    assert tuned.verdict is None
    assert finding(half).startswith("So far: ")
    for result in whole[MatchTally].results:
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
    tuned = tuning_of(found[MatchTally])
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
