"""The file of a study: what is in it comes back, and what is not ours is refused in one sentence."""

import sqlite3
from pathlib import Path

import pytest
from studies import finished, study

from nimdesk.errors import ResultsError
from nimdesk.experiments.study_search import CellResult
from nimdesk.experiments.study_store import StudyStore, stored_plan


def results_of_a_study() -> list[CellResult]:
    made = finished(study(), keep_visits=True)
    return list(made.results(0, 0))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "study.db"


@pytest.fixture
def filled(path: Path) -> Path:
    with StudyStore(path, study()) as store:
        store.add(results_of_a_study())
    return path


def test_what_is_stored_comes_back(filled: Path) -> None:
    with StudyStore(filled, study()) as store:
        assert list(store.results()) == results_of_a_study()
    assert stored_plan(filled) == study().plan


def test_a_search_stored_twice_is_there_once(filled: Path) -> None:
    with StudyStore(filled, study()) as store:
        store.add(results_of_a_study()[:2])
        assert len(list(store.results())) == 4


def test_two_studies_cannot_add_to_one_file_but_one_more_can_look(filled: Path) -> None:
    with StudyStore(filled, study()):
        assert "are being added to by another run" in refusal(filled)
        with StudyStore(filled, study(), to_add=False) as reader:
            assert list(reader.results()) == results_of_a_study()
    with StudyStore(filled, study()) as store:
        assert list(store.results()) == results_of_a_study()


def test_an_empty_file_is_begun(path: Path) -> None:
    path.touch()
    with StudyStore(path, study()) as store:
        assert list(store.results()) == []


def refusal(path: Path, **changes: object) -> str:
    with pytest.raises(ResultsError) as caught, StudyStore(path, study(**changes)) as store:
        list(store.results())
    text = str(caught.value)
    assert text.endswith(".")
    assert str(path) in text
    return text


def test_another_study_is_refused(filled: Path) -> None:
    assert "another study" in refusal(filled, seeds=5)


def test_a_text_is_refused(path: Path) -> None:
    path.write_text("agent,position\n" * 1_000)
    assert "not a file of nimdesk study results" in refusal(path)
    with pytest.raises(ResultsError, match="not a file"):
        stored_plan(path)


def test_another_programs_database_is_refused_and_left_alone(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE songs (name TEXT)")
    db.close()
    before = path.read_bytes()
    assert "is not a file of nimdesk study results" in refusal(path)
    assert path.read_bytes() == before


def test_a_newer_file_is_refused(filled: Path) -> None:
    with sqlite3.connect(filled) as db:
        db.execute("PRAGMA user_version = 9")
    db.close()
    assert "made by a newer nimdesk (its version is 9" in refusal(filled)


def test_a_file_of_another_version_of_the_program_is_refused(filled: Path) -> None:
    with sqlite3.connect(filled) as db:
        db.execute("UPDATE about SET value = '0.0.9' WHERE name = 'program'")
    db.close()
    assert "begun by nimdesk 0.0.9" in refusal(filled)


def test_a_truncated_file_is_refused(path: Path) -> None:
    made = study(seeds=200, budgets=(1, 2, 3))
    with StudyStore(path, made) as store:
        store.add(finished(made, keep_visits=True).results(0, 0))
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    assert "damaged" in refusal(path, seeds=200, budgets=(1, 2, 3))


@pytest.mark.parametrize("bad", [b"", b"\xc1", b"\x97\x00\x00\x09\x90\x90\x90\xc0"])
def test_a_search_that_cannot_be_one_is_refused(filled: Path, bad: bytes) -> None:
    with sqlite3.connect(filled) as db:
        db.execute("UPDATE searches SET result = ? WHERE number = 2", (bad,))
    db.close()
    assert "damaged" in refusal(filled)


def test_a_file_in_use_is_said_to_be_so(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda path, **options: connect(path, **(options | {"timeout": 0.0})))
    other = connect(filled, isolation_level=None)
    with StudyStore(filled, study()) as store:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(ResultsError, match="another program is using it"):
            store.add(results_of_a_study()[:1])
        other.execute("ROLLBACK")
        store.add(results_of_a_study()[:1])
    other.close()


def test_a_full_disk_loses_nothing(filled: Path) -> None:
    made = study(seeds=300, budgets=(1, 2, 3))
    path = filled.with_name("small.db")
    with StudyStore(path, made) as store:
        store.add(results_of_a_study()[:1])
        pages = store._db.execute("PRAGMA page_count").fetchone()[0]
        store._db.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(ResultsError, match="no space is left on the disk"):
            store.add(finished(made, keep_visits=True).results(0, 0))
        assert [result.number for result in store.results()] == [0]


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    assert "cannot be stored" in refusal(tmp_path / "none" / "study.db")


def test_a_plan_of_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match="There is no file"):
        stored_plan(tmp_path / "none.db")
    assert not (tmp_path / "none.db").exists()
