"""Files of before the engines were one still open, go on, and come to the same bytes.

``before`` holds half-finished results as nimdesk stored them then, and the tables that it made of them in the end.
"""

import shutil
import sqlite3
from pathlib import Path

import pytest
from runs import csv_of, finished

from nimdesk.errors import ResultsError
from nimdesk.experiments.files import read
from nimdesk.experiments.plan import Plan, load_plan
from nimdesk.experiments.store import Store
from nimdesk.experiments.tables import study_csv, study_searches_csv

BEFORE = Path(__file__).with_name("before")


def stored_plan(path: Path) -> Plan:
    with Store.open_to_read(path) as store:
        return store.plan


@pytest.fixture
def study(tmp_path: Path) -> Path:
    return Path(shutil.copy(BEFORE / "study.db", tmp_path))


@pytest.mark.parametrize("name", ["match", "sprt", "searches"])
def test_a_run_goes_on_and_ends_with_the_same_tables(name: str, tmp_path: Path) -> None:
    path = Path(shutil.copy(BEFORE / f"{name}.db", tmp_path))
    plan = stored_plan(path)
    assert plan == load_plan(BEFORE / name / "plan.json")
    assert plan.to_json() == (BEFORE / name / "plan.json").read_bytes()
    finished(plan, path)
    expected = {file.name: file.read_text() for file in (BEFORE / name).glob("*.csv")}
    assert csv_of(path) == expected


def test_a_study_goes_on_and_ends_with_the_same_tables(study: Path) -> None:
    plan = load_plan(BEFORE / "study.json")
    assert stored_plan(study).digest == plan.digest
    with Store.open_to_read(study) as store:
        before = store.count()
        assert len(list(store.results())) == before == 14
    run = finished(plan, study, keep_visits=True)
    found = run.found.study
    assert found is not None
    assert study_csv(found) == (BEFORE / "study.csv").read_text()
    assert study_searches_csv(found) == (BEFORE / "study-searches.csv").read_text()
    again = read(study).study
    assert again is not None
    assert study_csv(again) == study_csv(found)
    with Store.open_to_read(study) as store:
        assert store.count() == run.schedule.total


def test_what_an_old_study_found_is_there_as_soon_as_it_is_opened_to_go_on(study: Path) -> None:
    with Store.open_to_read(study) as store:
        before = {result.number: result for result in store.results()}
    with Store.open_for(study, stored_plan(study)) as store:
        assert {result.number: result for result in store.results()} == before


def test_a_study_begun_by_another_version_is_looked_at_but_not_gone_on_with(study: Path) -> None:
    with sqlite3.connect(study) as connection:
        connection.execute("UPDATE about SET value = '0.0.9' WHERE name = 'program'")
    connection.close()
    assert read(study).done == 14
    with pytest.raises(ResultsError, match=r"begun by nimdesk 0\.0\.9"):
        Store.open_for(study, stored_plan(study))


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
    for open_it in (Store.open_to_read, lambda path: Store.open_for(path, load_plan(BEFORE / "study.json"))):
        with pytest.raises(ResultsError, match="damaged"), open_it(study) as store:
            list(store.results())
    with Store.open_to_read(study) as store:
        assert store.count() == 14
