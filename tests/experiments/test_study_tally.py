"""What follows from the searches, against the searches themselves counted by hand."""

import csv
import io
import random
import statistics as plain
from dataclasses import fields

import pytest
from msgspec.structs import replace
from studies import ONE_GOOD_MOVE, begun, finished, schedule, study

from nimdesk.experiments.files import Found
from nimdesk.experiments.parts import PlayerPart, varied
from nimdesk.experiments.statistics import wilson
from nimdesk.experiments.studies.tables import STUDY_SEARCH_COLUMNS, convergence, study_csv, study_searches_csv
from nimdesk.experiments.studies.tally import StudyRow, StudyTally, variations
from nimdesk.experiments.studies.work import StudyResult

UCT = PlayerPart(agent="uct")
MADE = schedule("uct", "random", positions=("nim:3,4,5", ONE_GOOD_MOVE), budgets=(5, 50, 300), repeats=30)


@pytest.fixture(scope="module")
def results() -> StudyTally:
    return finished(MADE, keep_visits=True)


def test_rows_are_what_counting_the_searches_gives(results: StudyTally) -> None:
    for agent in range(2):
        for position in range(2):
            found, regrets = results.results(agent, position), results.regrets[position]
            for index in range(3):
                row = results.row(agent, position, index)
                assert row is not None
                given = [regrets[each.choices[index]] / 2 for each in found]
                assert row.searches == len(given) == 30
                assert row.optimal == given.count(0)
                assert (row.low, row.high) == wilson(row.optimal, 30)
                assert row.regret == pytest.approx(plain.mean(given))
                assert row.regret_error == pytest.approx(plain.stdev(given) / 30**0.5)
                on_optimal = sum(
                    each.visits[index][column] for each in found for column, r in enumerate(regrets) if not r
                )
                total = sum(sum(each.visits[index]) for each in found)
                assert row.visit_share == (on_optimal / total if total else None)


def test_the_visits_of_each_search_take_no_memory_unless_they_are_wanted(results: StudyTally) -> None:
    found = Found(MADE)
    found.prove()
    found[StudyTally].add(results.results(0, 0)[0])
    assert [each.visits for each in found[StudyTally].results(0, 0)] == [()]


def test_agents_without_visits_have_no_share_of_them(results: StudyTally) -> None:
    shares = {row.agent: row.visit_share is None for row in results.rows()}
    assert shares == {"uct": False, "random": True}


def test_more_simulations_find_the_answer_to_a_corner(results: StudyTally) -> None:
    few, many = results.row(0, 1, 0), results.row(0, 1, 2)
    assert few is not None
    assert many is not None
    assert many.low > few.optimal_share
    assert many.chance == 1 / 8


def test_chance_is_the_share_of_optimal_moves(results: StudyTally) -> None:
    assert results.chance(0) == 1 / 12


def test_rows_come_in_the_order_of_the_plan(results: StudyTally) -> None:
    rows = [(row.agent, row.position, row.budget) for row in results.rows()]
    places = ("nim:3,4,5", ONE_GOOD_MOVE)
    assert rows[:6] == [("uct", place, budget) for place in places for budget in (5, 50, 300)]
    assert rows[6:] == [("random", place, None) for place in places], "it has no budget"


def test_the_searches_behind_a_point(results: StudyTally) -> None:
    row = results.row(0, 1, 1)
    right, wrong = results.find(0, 1, 1, optimal=True), results.find(0, 1, 1, optimal=False)
    assert row is not None
    assert len(right) == row.optimal
    assert sorted(task.repeat for task in (*right, *wrong)) == list(range(30))


def _result(number: int, settled: int | None) -> StudyResult:
    column = 0 if settled is None else 1
    return StudyResult(number, (column,) * 3, (5, 50, 300), ((0,) * 12,) * 3, settled)


@pytest.mark.parametrize(
    ("settled", "median"),
    [
        ([7], 7),
        ([None], None),
        ([1, 9], 1),
        ([1, None], 1),
        ([1, None, None], None),
        ([30, 10, 20], 20),
        ([10, None, 20, None], 20),
        ([10, None, 20, None, None], None),
    ],
)
def test_the_median_counts_those_that_never_settled(settled: list[int | None], median: int | None) -> None:
    made = begun(schedule(budgets=(5, 50, 300), repeats=20))
    for number, each in enumerate(settled):
        made.add(_result(number, each))
    row = made.row(0, 0, 0)
    assert row is not None
    assert row.settled_median == median
    assert row.settled == sum(each is not None for each in settled)


def test_the_order_of_the_searches_changes_no_digit(results: StudyTally) -> None:
    found = [each for agent in range(2) for position in range(2) for each in results.results(agent, position)]
    random.Random(3).shuffle(found)
    other = begun(MADE, keep_visits=True)
    for result in found:
        other.add(result)
    assert study_csv(other) == study_csv(results)
    assert study_searches_csv(other) == study_searches_csv(results)


def test_visits_take_no_memory_where_nobody_asks_for_them(results: StudyTally) -> None:
    search, found = results.results(0, 0)[0], Found(MADE)
    assert any(map(any, search.visits))
    found.prove()
    found.add(search)
    assert found[StudyTally].results(0, 0) == (replace(search, visits=()),)


def test_a_search_counts_once(results: StudyTally) -> None:
    other = begun(MADE)
    for _ in range(2):
        other.add(results.results(0, 0)[0])
    assert other.done == 1
    assert other.done != other.total


def test_blind_choices_give_away_what_the_average_move_does() -> None:
    made = begun(schedule("uct", positions=("nim:3,4,5", "mnk:3,3,3 a1")))
    assert (made.chance(0), made.chance_regret(0)) == pytest.approx((1 / 12, 11 / 12))
    # Only the centre holds the draw; the other seven lose, which costs half a point.
    assert (made.chance(1), made.chance_regret(1)) == pytest.approx((1 / 8, 7 / 16))


def test_before_the_first_search_there_is_no_row() -> None:
    made = begun(schedule())
    assert made.row(0, 0, 0) is None
    assert list(made.rows()) == []


def test_one_search_has_no_error_and_a_sure_agent_no_doubt() -> None:
    made = finished(schedule("alphabeta", "uct", repeats=1))
    sure, single = made.row(0, 0, 0), made.row(1, 0, 0)
    assert sure is not None
    assert single is not None
    assert sure.low == sure.high == sure.optimal_share
    assert sure.regret_error == 0
    assert single.high - single.low > 0.7
    assert single.regret_error != single.regret_error
    assert sure.regret_interval == (sure.regret, sure.regret)
    low, high = single.regret_interval
    assert high - low > 0.7
    assert low <= single.regret <= high


def test_the_csv_says_what_the_rows_say(results: StudyTally) -> None:
    table = list(csv.DictReader(io.StringIO(study_csv(results))))
    assert list(table[0]) == [each.name for each in fields(StudyRow)]
    for line, row in zip(table, results.rows(), strict=True):
        assert int(line["optimal"]) == row.optimal
        assert float(line["regret"]) == pytest.approx(row.regret)
        assert line["settled_median"] == ("" if row.settled_median is None else str(row.settled_median))
        assert line["visit_share"] == "" or float(line["visit_share"]) == pytest.approx(row.visit_share)


def test_of_many_rows_the_first_are_shown_and_the_csv_file_has_all() -> None:
    tally = finished(schedule("alphabeta", positions=("nim:1,2", "nim:2,3"), budgets=range(1, 111), repeats=1))
    shown = convergence(tally)
    assert [row[1] for row in shown.rows] == ["nim:1,2"] * 110 + ["nim:2,3"] * 90
    assert shown.note == "20 more rows are in the CSV file."
    assert len(study_csv(tally).splitlines()) == 1 + 220


def test_the_csv_of_searches_has_each_at_each_budget(results: StudyTally) -> None:
    table = list(csv.DictReader(io.StringIO(study_searches_csv(results))))
    assert tuple(table[0]) == STUDY_SEARCH_COLUMNS
    assert len(table) == results.done * 2, "three for each search of uct, one for each of random"
    for line in table:
        visits = [int(word.partition("=")[2]) for word in line["visits"].split()]
        assert (line["budget"] == "") is (line["agent"] == "random")
        assert sum(visits) == int(line["budget"] or 0)
    right = sum(line["regret"] == "0" and line["budget"] == "300" and line["agent"] == "uct" for line in table)
    rows = [results.row(0, position, 2) for position in range(2)]
    assert right == sum(row.optimal for row in rows if row is not None)


def test_agents_that_differ_in_one_number_make_a_heat_map() -> None:
    agents = [
        *varied(UCT, "exploration", (2.0, 0.5)),
        PlayerPart(agent="uct", options={"exploration": 0.1, "final": "mean"}),
    ]
    (found,) = variations(study("flat", *agents))
    assert (found.option, found.agents, found.values) == ("exploration", (2, 1), (0.5, 2.0))
    assert variations(study("uct", "flat")) == ()


def test_the_default_is_a_value_like_the_others() -> None:
    (found,) = variations(study("uct", *varied(UCT, "exploration", (0.5,))))
    assert found.agents == (1, 0)
    assert found.values == pytest.approx((0.5, 2**0.5))
