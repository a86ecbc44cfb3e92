"""Files with many results: they need little memory, whoever reads them may stop, and says how far it is."""

from __future__ import annotations

import random
import tracemalloc
from pathlib import Path

import pytest
from many_games import MANY, filled, game, plan_of_many
from runs import TIMEOUT_S, counted, finished, mixed_plan

from nimdesk.disk.paths import results_dir
from nimdesk.errors import StoppedError
from nimdesk.experiments.files import Found, list_runs, read, stored
from nimdesk.experiments.matches.tally import MatchTally
from nimdesk.experiments.matches.work import GameResult, MatchPart
from nimdesk.experiments.parts import PlayerPart
from nimdesk.experiments.plan import new_plan
from nimdesk.experiments.run import Event, ResultsRead, Run, RunState
from nimdesk.experiments.schedule import schedule_of
from nimdesk.experiments.searches import SearchesTally, SearchPart, SearchResult
from nimdesk.experiments.statistics import Sprt


def test_who_reads_is_told_how_far_it_is(tmp_path: Path) -> None:
    path, told = filled(tmp_path / "x.db", plan_of_many()), list[tuple[int, int]]()
    found = read(path, lambda read, stored: told.append((read, stored)))
    assert told == [(10_000, MANY), (20_000, MANY)]
    assert (found.done, len(found[MatchTally].results), found.is_whole) == (MANY, MANY, True)


def test_reading_can_be_given_up_and_gone_on_with(tmp_path: Path) -> None:
    path, found = filled(tmp_path / "x.db", plan_of_many()), Found(schedule_of(plan_of_many()), tmp_path / "x.db")

    def stop(*how_far: int) -> None:
        assert how_far == (10_000, MANY)
        raise StoppedError

    with pytest.raises(StoppedError):
        stored(found, stop)
    assert (found.done, found.is_whole) == (10_000, False)
    stored(found)
    assert (found.done, found.is_whole) == (MANY, True)
    assert list(found[MatchTally].results) == list(read(path)[MatchTally].results)


def test_a_run_that_is_cancelled_while_it_reads_ends_there(tmp_path: Path) -> None:
    path = filled(tmp_path / "x.db", plan_of_many())
    run = Run(schedule_of(plan_of_many()), path)
    run.cancel()
    run.start()
    assert run.wait(TIMEOUT_S)
    assert (run.state, run.error) == (RunState.CANCELLED, None)
    assert (run.found.done, run.found.is_whole) == (10_000, False)
    assert read(path).done == MANY


def test_a_run_says_how_far_it_reads_what_is_there(tmp_path: Path) -> None:
    path, told = filled(tmp_path / "x.db", plan_of_many()), list[Event]()
    run = Run(schedule_of(plan_of_many()), path, listener=told.append)
    assert run.reading is None
    run.start()
    assert run.wait(TIMEOUT_S)
    assert told[:2] == [ResultsRead(10_000, MANY), ResultsRead(20_000, MANY)]
    assert run.reading == told[1]


def test_the_list_of_runs_can_be_given_up_in_the_middle_of_a_file() -> None:
    # Only the results say how many games a sequential test needs.
    path = filled(results_dir() / "x.db", plan_of_many(Sprt(elo0=-400, elo1=400)))
    (entry,) = list_runs()
    assert (entry.path, entry.problem) == (path, "")
    asked = 0

    def stop() -> None:
        nonlocal asked
        asked += 1
        if asked == 2:
            raise StoppedError

    with pytest.raises(StoppedError):
        list_runs(stop)


def test_the_list_of_runs_can_be_given_up_between_two_files() -> None:
    finished(mixed_plan(1), results_dir() / "x.db")

    def stop() -> None:
        raise StoppedError

    with pytest.raises(StoppedError):
        list_runs(stop)


def test_results_are_whole_once_all_of_them_are_counted_however_that_came(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    run = finished(mixed_plan(1), path)
    found = Found(run.schedule, path)
    assert not found.is_whole, "nothing is read yet"
    for each in (*run.found[MatchTally].results, *run.found[SearchesTally].results):
        found.add(each)
    assert stored(found).is_whole


def test_a_game_that_is_kept_takes_little_memory() -> None:
    schedule = schedule_of(plan_of_many())
    found = Found(schedule)
    tracemalloc.start()
    for number in range(MANY):
        found.add(game(number))
    now, _peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert now / MANY < 400, "some 300 bytes for a game of 5 moves; as objects it takes 600"


def test_games_and_searches_are_kept_as_they_came() -> None:
    players = {"r": PlayerPart(agent="random"), "flat": PlayerPart(agent="flat", options={"playouts": 3})}
    match = MatchPart(players=["r", "flat"], positions=["nim:2,3"], games=4)
    plan = new_plan(
        "both", players, matches=[match], searches=[SearchPart(players=["flat"], positions=["nim:2,3"], repeats=3)]
    )
    whole = finished(plan, None).found
    results: list[GameResult | SearchResult] = [*whole[MatchTally].results, *whole[SearchesTally].results]
    random.Random(1).shuffle(results)
    found = counted(whole.schedule, list(results))
    assert list(found[MatchTally].results) == [each for each in results if isinstance(each, GameResult)]
    assert list(found[SearchesTally].results) == [each for each in results if isinstance(each, SearchResult)]
    games = found[MatchTally].results
    by_number = sorted(games, key=lambda game: game.number)
    assert list(games.by_number()) == by_number
    assert [games[place] for place in range(len(games))] == list(games)
    assert [games.numbered(number) for number in range(8)] == by_number
    assert games.numbered(8) is None, "that is a search"
    assert [each.number for each in found[SearchesTally].results.by_number()] == [8, 9, 10]
