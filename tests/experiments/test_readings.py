"""The search for the reading of a document that gives its figures, on games whose results are made up."""

import math
from collections.abc import Callable, Sequence

import pytest

from nimdesk.errors import PlanError
from nimdesk.experiments.plan import Plan
from nimdesk.experiments.planned import schedule_of
from nimdesk.experiments.published import built_in
from nimdesk.experiments.readings import Readings, search, verdict, words
from nimdesk.experiments.results import GameResult
from nimdesk.experiments.schedule import GameTask
from nimdesk.experiments.tally import Tally

PILES = built_in("000-piles")


def played(plan: Plan, share: Callable[[str, str, str], float]) -> Tally:
    """Games of which the first player wins this share."""
    schedule = schedule_of(plan)
    tally = Tally(schedule)
    for number in range(schedule.total):
        task = schedule.task(number)
        assert isinstance(task, GameTask)
        wins = task.game < round(share(*task.setting.players, task.setting.position) * task.setting.games)
        tally.add(GameResult(number, task.setting.position, 0 if wins else 1, ()))
    return tally


def test_a_likelihood_is_the_probability_of_the_printed_figures_under_our_games() -> None:
    readings = Readings(PILES, ["nim:2,2,2,2"])
    readings.figures = tuple(each for each in readings.figures if each.printed == "0 %")
    fit = readings.fit({}, played(readings.plan({}, 4), lambda *_: 0.25))
    # After 1 win in 4 games the chance of a win is Beta(3/2, 7/2); of 1,000 games, none is to be won.
    expected = math.prod((3.5 + i) / (5.0 + i) for i in range(1_000))
    assert fit.log_likelihood == pytest.approx(math.log10(expected))
    assert fit.figures[0][1] == 0.25


def test_a_figure_out_of_reach_makes_a_reading_impossible_once_there_are_games_enough() -> None:
    readings = Readings(PILES, ["nim:3,4,5"])
    near = readings.fit({}, played(readings.plan({}, 100), lambda *_: 0.8))
    far = readings.fit({}, played(readings.plan({}, 100), lambda *_: 0.3))
    few = readings.fit({}, played(readings.plan({}, 3), lambda *_: 1 / 3))
    assert near.impossible == ()
    assert len(far.impossible) == len(far.figures)
    assert few.impossible == ()
    assert near.log_likelihood > few.log_likelihood > far.log_likelihood


def test_outcomes_of_one_row_are_judged_together_with_their_ties() -> None:
    readings = Readings(built_in("002-table-2"), ["mnk:3,3,3"])
    plan = readings.plan({}, 200)
    decided = readings.fit({}, played(plan, lambda first, second, _: 0.6 if first == second else 0.5))
    assert decided.games == 200
    assert decided.log_likelihood < 0
    assert {figure.quantity for figure, _, _ in decided.figures} == {"first wins", "second wins"}


TRUE = {"final": "mean", "playouts": "uniform", "backup": "root"}


def made_up(plans: Sequence[Plan]) -> list[Tally]:
    """Each switch that is set as in ``TRUE`` brings the shares nearer to what is printed."""

    def tally(plan: Plan) -> Tally:
        options = plan.players["MCTS 500"].options
        right = sum(options.get(name) == value for name, value in TRUE.items())
        extra = sum(name in options for name in ("growth", "kept_tree", "rewards"))
        return played(plan, lambda *_: 0.2 + 0.2 * right - 0.1 * extra)

    return [tally(plan) for plan in plans]


def test_the_search_goes_on_to_more_switches_as_long_as_that_helps() -> None:
    readings = Readings(PILES, ["nim:3,4,5", "nim:5,5,5"])
    fits = search(readings, made_up, 20, 3, 200)
    assert fits is not None
    assert words(fits[0].reading) == "backup=root, final=mean, playouts=uniform"
    assert [fit.games for fit in fits[:4]] == [200, 200, 200, 200], "the finalists, and the document as it stands"
    assert any(fit.reading == {} for fit in fits[:4])
    said = verdict(readings, fits)
    assert said.startswith("3 readings fit all 6 figures: backup=root, final=mean, playouts=uniform; ")


def test_it_says_plainly_that_no_reading_fits() -> None:
    readings = Readings(PILES, ["nim:3,4,5"])
    fits = search(readings, lambda plans: [played(plan, lambda *_: 0.1) for plan in plans], 20, 2, 400)
    assert fits is not None
    assert verdict(readings, fits).startswith("No reading fits. The likeliest (")
    assert search(readings, lambda plans: None, 20, 2, 400) is None


@pytest.mark.parametrize(
    ("table", "positions", "told"),
    [("004-reliability", [], "Nobody searches with UCT"), ("000-piles", ["nim:9"], "has no position “nim:9”")],
)
def test_what_cannot_be_read_in_another_way_is_refused(table: str, positions: list[str], told: str) -> None:
    with pytest.raises(PlanError, match=told):
        Readings(built_in(table), positions)
