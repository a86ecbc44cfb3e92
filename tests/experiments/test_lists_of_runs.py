"""The lists of what was run: which files are in them, what they are called, how far they are, and what they tell."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from runs import finished
from studies import plan as study_of

from nimdesk.errors import ResultsError
from nimdesk.experiments.files import Found, default_path, earlier_studies, latest_study, list_runs, read, stored
from nimdesk.experiments.matches.tally import MatchTally
from nimdesk.experiments.matches.work import MatchPart
from nimdesk.experiments.parts import PlayerPart
from nimdesk.experiments.plan import Plan, new_plan
from nimdesk.experiments.schedule import schedule_of
from nimdesk.experiments.searches import SearchPart
from nimdesk.experiments.statistics import Sprt
from nimdesk.experiments.store import MAX_NAME, MAX_NOTE, Store, annotate, delete_results
from nimdesk.experiments.studies.kind import studies_dir
from nimdesk.experiments.studies.work import StudyResult


def small(name: str = "small") -> Plan:
    """Four games and a search."""
    players = {"a": PlayerPart(agent="random"), "b": PlayerPart(agent="flat", options={"playouts": 5})}
    match = MatchPart(players=["a", "b"], positions=["nim:1,2", "nim:3"], games=1)
    return new_plan(
        name, players, matches=[match], searches=[SearchPart(players=["b"], positions=["nim:3"], repeats=1)]
    )


def changed_at(path: Path, second: int) -> Path:
    os.utime(path, (second, second))
    return path


def begun(plan: Plan) -> Path:
    """The plan's file without a result."""
    path = default_path(plan)
    Store.open_for(path, plan).close()
    return path


def test_runs_are_listed_newest_first_without_studies_and_say_what_they_are() -> None:
    done = default_path(small())
    finished(small(), done)
    changed_at(done, 1_000_000_000)
    empty = changed_at(begun(small("later")), 1_000_000_060)
    study = done.with_name("study.db")
    Store.open_for(study, study_of()).close()
    broken = done.with_name("broken.db")
    broken.write_text("no results")
    changed_at(broken, 0)
    later, first, third = list_runs()
    assert [later.path, first.path, third.path] == [empty, done, broken]
    assert (later.title, later.done, later.total, later.date) == ("later", 0, 5, "2001-09-09 01:47")
    assert (first.title, first.done, first.total, first.decided) == ("small", 5, 5, "")
    assert first.date == read(done).made[-1].date[:16].replace("T", " ")
    assert first.positions == ["nim:1,2", "nim:3"]
    assert first.players == ["a", "b (playouts = 5)"]
    assert (third.title, third.plan, third.positions, third.players) == ("broken", None, [], [])
    assert "is not a results file of nimdesk" in third.problem


def test_a_run_is_found_by_its_name_and_note_and_by_what_it_played() -> None:
    path = begun(small())
    annotate(path, "For the seminar", "too few games")
    (entry,) = list_runs()
    assert (entry.title, entry.note) == ("For the seminar", "too few games")
    assert entry.matches("SEMINAR few nim:1,2 playouts")
    assert not entry.matches("seminar many")
    annotate(path, "n" * MAX_NAME, "n" * MAX_NOTE)
    (entry,) = list_runs()
    assert (len(entry.title), len(entry.note)) == (MAX_NAME, MAX_NOTE)
    for name, note in (("n" * (MAX_NAME + 1), ""), ("", "n" * (MAX_NOTE + 1))):
        with pytest.raises(ResultsError, match=r"^The (name|note) has [0-9,]+ letters; [0-9,]+ are allowed\.$"):
            annotate(path, name, note)


def test_deleted_results_leave_no_file_behind() -> None:
    path = begun(small())
    for ending in ("-wal", "-shm"):
        path.with_name(path.name + ending).touch()
    delete_results(path)
    assert list(path.parent.iterdir()) == []
    assert list_runs() == []


def test_results_to_which_a_run_adds_are_not_deleted() -> None:
    path = begun(small())
    with Store.open_for(path, small()), pytest.raises(ResultsError, match="are being added to by another run"):
        delete_results(path)
    assert [entry.path for entry in list_runs()] == [path]
    delete_results(path)
    assert list(path.parent.iterdir()) == []


def test_a_run_with_sequential_tests_says_how_many_have_decided() -> None:
    players = {"best": PlayerPart(agent="flat", options={"playouts": 40}), "r": PlayerPart(agent="random")}

    def tested(name: str, *games: int, untested: int = 0) -> Plan:
        test = Sprt(elo0=0, elo1=400)
        pair, starts = ["best", "r"], ["nim:1,2,4", "nim:3,4,5"]
        parts = [MatchPart(players=pair, positions=starts[:1], games=count, sprt=test) for count in games]
        plain = [MatchPart(players=pair, positions=starts[1:], games=1)] * untested
        return new_plan(name, players, matches=[*parts, *plain])

    one, two, none = tested("one", 60, untested=1), tested("two", 60, 1), tested("none", 1)
    for plan in (one, two, none):
        finished(plan, default_path(plan))
    words = {entry.title: entry for entry in list_runs()}
    tally = read(default_path(one))[MatchTally]
    first = tally.pairings[0]
    assert first.decision in ("H0", "H1")
    assert words["one"].decided == f"decided: {first.decision} after {first.games} games"
    assert words["one"].done == words["one"].total == tally.done
    assert words["two"].decided == "1 of 2 pairings decided"
    assert words["none"].decided == ""


def test_studies_are_listed_whether_they_have_results_or_not() -> None:
    with_results, without, other = study_of("random", "flat", budgets=[1]), study_of("random", repeats=2), small()
    finished(with_results, default_path(with_results))
    for second, plan in enumerate((with_results, without, other)):
        file = studies_dir() / f"{second}.json"
        file.write_bytes(plan.to_json())
        changed_at(file, second)
    newest, oldest = earlier_studies(3)
    assert (newest.title, newest.date) == ("random on nim:3,4,5, 2 seeds from 0", "")
    assert oldest.title == "random, flat on nim:3,4,5, 4 seeds from 0"
    assert oldest.date == read(oldest.path).made[-1].date[:16].replace("T", " ")
    assert oldest.positions == ["nim:3,4,5"]
    assert [entry.title for entry in earlier_studies(1)] == [newest.title]
    assert latest_study() == without
    default_path(with_results).write_text("no results")
    again = earlier_studies(3)[1]
    assert (again.title, again.date) == (oldest.title, "")


def test_for_a_list_no_file_is_looked_through_however_large_it_is() -> None:
    plan = study_of("random", repeats=2_000)
    path = default_path(plan)
    path.with_suffix(".json").parent.mkdir(parents=True)
    path.with_suffix(".json").write_bytes(plan.to_json())
    with Store.open_for(path, plan) as store:
        store.add(*(StudyResult(number, (0,) * 3, (10, 50, 200), ((10,) * 12,) * 3, None) for number in range(2_000)))
    data = bytearray(path.read_bytes())
    data[-4096:] = b"\xaa" * 4096
    path.write_bytes(bytes(data))
    (entry,) = earlier_studies(12)
    assert entry.date
    with pytest.raises(ResultsError, match="the file is damaged"):
        read(path)


def test_what_is_no_result_of_a_study_is_refused_and_each_counts_once() -> None:
    plan = study_of("random", budgets=[1], repeats=1)
    found = finished(plan, default_path(plan)).found
    again = stored(Found(schedule_of(plan), found.path))
    assert (again.done, again.total, again.complete, again.numbers) == (1, 1, True, {0})
    game = finished(small(), None).found[MatchTally].results.numbered(0)
    with Store.open_to_read(default_path(plan)) as store:
        (search,) = store.results()
    assert isinstance(search, StudyResult)
    again.add(search)
    assert again.done == 1
    empty = stored(Found(schedule_of(plan)))
    assert (empty.done, empty.is_proven, empty.complete) == (0, True, False)
    for wrong in (game, StudyResult(0, (99,), search.spent, search.visits, None)):
        with pytest.raises(ResultsError, match="a search in it cannot be read"):
            empty.add(wrong)
    with pytest.raises(ResultsError, match="those of another plan"):
        stored(Found(schedule_of(study_of("random", budgets=[2])), found.path))
