"""What made a file: the machine and all versions, in places that leave tables the same to the byte."""

import json
import os
import platform
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import nimdesk
from nimdesk.disk.provenance import beside, cores, made_here, write_beside
from nimdesk.experiments.files import read
from nimdesk.experiments.matches.work import MatchPart
from nimdesk.experiments.parts import PlayerPart
from nimdesk.experiments.plan import new_plan
from nimdesk.experiments.report import markdown, write_files
from nimdesk.experiments.run import Run
from nimdesk.experiments.schedule import schedule_of

PLAN = new_plan(
    "random",
    {"random": PlayerPart(agent="random")},
    matches=[MatchPart(players=["random", "random"], positions=["nim:2,2"], games=6)],
)


def test_it_names_the_versions_and_the_machine() -> None:
    made = made_here(by="2 threads", results=1_000, wall_s=2.5)
    assert (made.python, made.numpy) == (platform.python_version(), version("numpy"))
    assert made.cores == cores() >= 1
    assert made.processor
    assert f", 1,000 results in 2.5 s by 2 threads: nimdesk {nimdesk.__version__}" in made.words
    assert beside(Path("a/study.csv")) == Path("a/study.csv.made.json")


def test_a_checkout_names_its_commit() -> None:
    root = Path(nimdesk.__file__).parent.parent
    if not (root / ".git").exists() or shutil.which("git") is None:
        pytest.skip("not a checkout, or no git")
    head = subprocess.run(["git", "-C", root, "rev-parse", "HEAD"], capture_output=True, text=True, check=False)
    assert head.stdout.startswith(made_here().commit.removesuffix("-dirty"))


@pytest.mark.skipif(shutil.which("git") is None or sys.platform == "win32", reason="needs git and links")
def test_a_checkout_is_only_read(tmp_path: Path) -> None:
    def call(*command: str) -> str:
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout.strip()

    def commit() -> str:
        return call(sys.executable, "-c", "from nimdesk.disk.provenance import made_here; print(made_here().commit)")

    file, index = tmp_path / "file", tmp_path / ".git" / "index"
    (tmp_path / "nimdesk").symlink_to(Path(nimdesk.__file__).parent)
    file.write_text("one")
    call("git", "init", "-q")
    assert commit() == "", "there is none yet"
    call("git", "add", "file")
    call("git", "-c", "user.name=x", "-c", "user.email=x", "commit", "-qm", "x")
    os.utime(file, (1e9, 1e9))  # git would now note that the file is the same nevertheless
    before = index.read_bytes()
    head = call("git", "rev-parse", "--short=12", "HEAD")
    assert commit() == head
    assert index.read_bytes() == before
    file.write_text("two")
    assert commit() == f"{head}-dirty"


def test_each_run_of_a_plan_is_told_and_the_tables_stay_the_same(tmp_path: Path) -> None:
    for path, threads in ((tmp_path / "one.db", 1), (tmp_path / "two.db", 2)):
        run = Run(schedule_of(PLAN), path, workers=threads)
        run.start()
        run.wait()
        assert run.error is None
        assert run.found.made == read(path).made
    one, two = read(tmp_path / "one.db"), read(tmp_path / "two.db")
    assert [made.by for made in (*one.made, *two.made)] == ["1 thread", "2 threads"]
    assert sum(made.results or 0 for made in one.made) == one.total == 12
    assert one.made[0].words in markdown(one)
    for found, folder in ((one, tmp_path / "a"), (two, tmp_path / "b")):
        write_files(found, folder)
    names = {path.name for path in (tmp_path / "a").glob("*.csv")} - {"times.csv"}
    assert names == {"games.csv", "table.csv", "pairings.csv", "pairs.csv"}
    for name in names:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_a_plan_that_was_stopped_and_goes_on_has_two_makers(tmp_path: Path) -> None:
    path = tmp_path / "one.db"
    first: Run = Run(
        schedule_of(PLAN), path, workers=1, listener=lambda _: first.cancel() if first.found.done else None
    )
    for run in (first, Run(schedule_of(PLAN), path, workers=1)):
        run.start()
        run.wait()
    made = read(path).made
    assert len(made) == 2
    assert sum(each.results or 0 for each in made) == read(path).done


@pytest.mark.skipif(sys.platform != "linux", reason="such names are there alone")
def test_a_table_whose_name_is_no_unicode_has_its_file_beside_it(tmp_path: Path) -> None:
    table = tmp_path / "b\udcff.csv"
    write_beside(table, {"plan": "random"}, [made_here()])
    told = json.loads(beside(table).read_text())
    assert (told["file"], told["plan"]) == ("b?.csv", "random")
