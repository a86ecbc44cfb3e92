"""Files with many results: they need little memory, whoever reads them may stop, and says how far it is."""

from __future__ import annotations

import random
import tracemalloc
from pathlib import Path

import pytest
from msgspec.structs import replace
from runs import TIMEOUT_S, counted, finished

from nimdesk.errors import StoppedError
from nimdesk.experiments.files import Found, list_runs, read, stored
from nimdesk.experiments.plan import MatchPart, Plan, PlayerPart, SearchPart, new_plan
from nimdesk.experiments.planned import schedule_of
from nimdesk.experiments.results import GameResult, SearchResult, decode_result, encode_result
from nimdesk.experiments.run import Run, RunState
from nimdesk.experiments.statistics import Sprt
from nimdesk.experiments.store import Store
from nimdesk.paths import results_dir

MANY = 25_000


def quick(games: int, sprt: Sprt | None = None) -> Plan:
    match = MatchPart(players=["r", "r"], positions=["mnk:3,3,3"], games=games, swap=False, sprt=sprt)
    return new_plan("quick", {"r": PlayerPart(agent="random")}, matches=[match])


@pytest.fixture(scope="module")
def games() -> list[GameResult]:
    """Some real games."""
    return list(finished(quick(20), None).found.games)


def filled(path: Path, games: list[GameResult], plan: Plan) -> Path:
    """Results of the whole plan, as a long run leaves them."""
    with Store.open_for(path, plan) as store:
        store.add(*(replace(games[number % len(games)], number=number) for number in range(MANY)))
    return path


def test_who_reads_is_told_how_far_it_is(games: list[GameResult], tmp_path: Path) -> None:
    path, told = filled(tmp_path / "x.db", games, quick(MANY)), list[tuple[int, int]]()
    found = read(path, lambda read, stored: told.append((read, stored)))
    assert told == [(10_000, MANY), (20_000, MANY)]
    assert (found.done, len(found.games), found.is_whole) == (MANY, MANY, True)


def test_reading_can_be_given_up_and_gone_on_with(games: list[GameResult], tmp_path: Path) -> None:
    path, found = filled(tmp_path / "x.db", games, quick(MANY)), Found(schedule_of(quick(MANY)), tmp_path / "x.db")

    def stop() -> None:
        raise StoppedError

    with pytest.raises(StoppedError):
        stored(found, stop)
    assert (found.done, found.is_whole) == (10_000, False)
    stored(found)
    assert (found.done, found.is_whole) == (MANY, True)
    assert list(found.games) == list(read(path).games)


def test_a_run_that_is_cancelled_while_it_reads_ends_there(games: list[GameResult], tmp_path: Path) -> None:
    path = filled(tmp_path / "x.db", games, quick(MANY))
    run = Run(schedule_of(quick(MANY)), path)
    run.cancel()
    run.start()
    assert run.wait(TIMEOUT_S)
    assert (run.state, run.error) == (RunState.CANCELLED, None)
    assert (run.found.done, run.found.is_whole) == (10_000, False)
    assert read(path).done == MANY


def test_the_list_of_runs_can_be_given_up_in_the_middle_of_a_file(games: list[GameResult]) -> None:
    # Only the results say how many games a sequential test needs.
    path = filled(results_dir() / "x.db", games, quick(MANY, Sprt(elo0=-400, elo1=400)))
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


def test_a_game_that_is_kept_takes_little_memory(games: list[GameResult]) -> None:
    schedule = schedule_of(quick(MANY))
    found = Found(schedule)
    tracemalloc.start()
    for number in range(MANY):
        # Not one that shares its moves with another.
        found.add(decode_result(encode_result(replace(games[number % len(games)], number=number))))
    now, _peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert now / MANY < 600, "some 400 bytes for a game of 8 moves; as objects it takes 1,500"


def test_games_and_searches_are_kept_as_they_came() -> None:
    players = {"r": PlayerPart(agent="random"), "flat": PlayerPart(agent="flat", options={"playouts": 3})}
    match = MatchPart(players=["r", "flat"], positions=["nim:2,3"], games=4)
    plan = new_plan(
        "both", players, matches=[match], searches=[SearchPart(players=["flat"], positions=["nim:2,3"], repeats=3)]
    )
    whole = finished(plan, None).found
    results: list[GameResult | SearchResult] = [*whole.games, *whole.searches]
    random.Random(1).shuffle(results)
    found = counted(whole.schedule, list(results))
    assert list(found.games) == [each for each in results if isinstance(each, GameResult)]
    assert list(found.searches) == [each for each in results if isinstance(each, SearchResult)]
    by_number = sorted(found.games, key=lambda game: game.number)
    assert list(found.games.by_number()) == by_number
    assert [found.games[place] for place in range(len(found.games))] == list(found.games)
    assert [found.games.numbered(number) for number in range(8)] == by_number
    assert found.games.numbered(8) is None, "that is a search"
    assert [each.number for each in found.searches.by_number()] == [8, 9, 10]
