"""Results of older versions are read, and a run continues them if all its agents still search by the same rules.

``before`` holds half-finished results as nimdesk stored them then, and the tables that it made of them in the end.
"""

import shutil
import sqlite3
from pathlib import Path

import pytest
from runs import csv_of, finished

from nimdesk.errors import ResultsError
from nimdesk.experiments.files import read
from nimdesk.experiments.matches.work import MatchPart
from nimdesk.experiments.parts import PlayerPart
from nimdesk.experiments.plan import Plan, load_plan, new_plan
from nimdesk.experiments.store import Store, annotate
from nimdesk.experiments.studies.tables import study_csv
from nimdesk.experiments.studies.tally import StudyTally

BEFORE = Path(__file__).with_name("before")


def stored_plan(path: Path) -> Plan:
    with Store.open_to_read(path) as store:
        return store.plan


@pytest.fixture
def study(tmp_path: Path) -> Path:
    return Path(shutil.copy(BEFORE / "study.db", tmp_path))


@pytest.mark.parametrize(("name", "done"), [("match", 12), ("sprt", 13), ("searches", 4)])
def test_what_a_run_found_is_read_and_it_is_not_gone_on_with_by_other_rules(
    name: str, done: int, tmp_path: Path
) -> None:
    path = Path(shutil.copy(BEFORE / f"{name}.db", tmp_path))
    plan = stored_plan(path)
    assert plan == load_plan(BEFORE / name / "plan.json")
    assert plan.to_json() == (BEFORE / name / "plan.json").read_bytes()
    assert read(path).done == done
    one_by_one = "searches.csv" if name == "searches" else "games.csv"
    lines, expected = csv_of(path)[one_by_one].splitlines(), (BEFORE / name / one_by_one).read_text().splitlines()
    assert len(lines) == 1 + done
    assert set(lines) <= set(expected)
    with pytest.raises(ResultsError) as refused:
        Store.open_for(path, plan)
    assert "begun by nimdesk 0.2.0" in str(refused.value)
    assert "other rules for the search of" in str(refused.value)
    assert "uct" in str(refused.value)
    assert csv_of(path)[one_by_one].splitlines() == lines


def test_a_run_by_rules_that_are_the_same_goes_on_whatever_version_began_it(tmp_path: Path) -> None:
    plan = new_plan(
        "same-rules",
        {"table": PlayerPart(agent="value-table"), "random": PlayerPart(agent="random")},
        matches=[MatchPart(players=["table", "random"], positions=["nim:3,4,5"], games=6)],
    )
    whole, path = tmp_path / "whole.db", tmp_path / "results.db"
    finished(plan, whole)
    run = finished(plan, path)
    # As 0.2.0 left it: half of the games, and not a word of editions.
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM results WHERE number >= ?", (run.schedule.total // 2,))
        connection.execute("DELETE FROM meta WHERE key = 'editions'")
        connection.execute("UPDATE meta SET value = '0.2.0' WHERE key = 'program'")
    connection.close()
    finished(plan, path)
    assert csv_of(path) == csv_of(whole)
    with sqlite3.connect(path) as connection:
        connection.execute("INSERT INTO meta VALUES ('editions', '{\"value-table\": 7')")
    connection.close()
    with pytest.raises(ResultsError, match="the editions of its agents are damaged"):
        Store.open_for(path, plan)


def test_an_old_study_is_read_and_not_gone_on_with(study: Path) -> None:
    plan = load_plan(BEFORE / "study.json")
    assert stored_plan(study).digest == plan.digest
    with Store.open_to_read(study) as store:
        assert len(list(store.results())) == store.count() == 14
    found = read(study)[StudyTally]
    assert found is not None
    made, expected = study_csv(found).splitlines(), (BEFORE / "study.csv").read_text().splitlines()
    done = [line for line in expected if line in made]
    assert len(done) == 5, "the columns, and the lines of the searches of which all were made"
    with pytest.raises(ResultsError, match="can be read, but not gone on with"):
        Store.open_for(study, plan)
    with pytest.raises(ResultsError, match="can be read, but not given a name or note"):
        annotate(study, "Mine", "")


def test_an_old_study_with_a_plan_that_is_none_is_refused(study: Path) -> None:
    with sqlite3.connect(study) as connection:
        plan = (BEFORE / "match" / "plan.json").read_text()
        connection.execute("UPDATE about SET value = ? WHERE name = 'plan'", (plan,))
    connection.close()
    with pytest.raises(ResultsError, match=r"damaged \(its plan is not that of a study\)"):
        read(study)


@pytest.mark.parametrize(
    "bad", [b"", b"\xc1", b"\x97\x00\x00\x09\x90\x90\x90\xc0", b"\x97\x09\x00\x00\x90\x90\x90\xc0"]
)
def test_a_search_that_cannot_be_one_is_refused_and_the_file_left_alone(study: Path, bad: bytes) -> None:
    with sqlite3.connect(study) as connection:
        connection.execute("UPDATE searches SET result = ? WHERE agent = 0 AND position = 0 AND number = 1", (bad,))
    connection.close()
    with pytest.raises(ResultsError, match="damaged"), Store.open_to_read(study) as store:
        list(store.results())
    with Store.open_to_read(study) as store:
        assert store.count() == 14
