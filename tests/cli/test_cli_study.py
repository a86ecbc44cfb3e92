"""``nimdesk study`` as a person types it."""

import csv
import json
import signal
import subprocess
import sys
import threading
from dataclasses import fields
from pathlib import Path

import pytest
from calling import Nimdesk

from nimdesk.cli.plans import study_of_flags
from nimdesk.errors import OptionError
from nimdesk.experiments.budgets import Milliseconds, parse_budgets
from nimdesk.experiments.results import Progress, progress_text
from nimdesk.experiments.studies.tally import StudyRow

SMALL = ("study", "--position", "nim:3,4,5", "--budgets", "10,50", "--seeds", "6")


def test_it_prints_how_often_the_choice_was_optimal(nimdesk: Nimdesk) -> None:
    result = nimdesk(*SMALL, "--agent", "uct", "--agent", "perfect")
    assert result.code == 0
    assert "nim:3,4,5: 1 of 12 moves is optimal (by chance 8%)" in result.out
    assert "uct (×6)" in result.out
    assert "of 6 settled on an optimal move" in result.out
    assert "100.0%" in result.out


def test_a_position_where_nothing_can_go_wrong_is_said_to_be_one(nimdesk: Nimdesk) -> None:
    result = nimdesk("study", "--position", "nim:1,1", "--budgets", "5", "--seeds", "2")
    assert "nim:1,1: every move is optimal here" in result.out


def test_the_csv_is_the_same_whatever_the_threads(nimdesk: Nimdesk, tmp_path: Path) -> None:
    files = [tmp_path / f"{threads}.csv" for threads in (1, 2, 5)]
    for file in files:
        assert nimdesk(*SMALL, "--threads", file.stem, "--csv", str(file), "--vary", "exploration=0.5,2").code == 0
    assert len({file.read_bytes() for file in files}) == 1
    rows = list(csv.DictReader(files[0].read_text().splitlines()))
    assert [(row["agent"], row["budget"]) for row in rows] == [
        (f"uct:exploration={c}", budget) for c in ("0.5", "2.0") for budget in ("10", "50")
    ]


def test_a_varied_option_becomes_a_table_of_its_own(nimdesk: Nimdesk) -> None:
    out = nimdesk(*SMALL, "--vary", "exploration=2,0.5").out.splitlines()
    head = next(number for number, line in enumerate(out) if line.startswith("exploration "))
    assert out[head].split() == ["exploration", "10", "50"]
    assert [line.split()[0] for line in out[head + 1 : head + 3]] == ["0.5", "2"]


def test_json_has_a_row_for_each_point(nimdesk: Nimdesk) -> None:
    data = json.loads(nimdesk(*SMALL, "--seeds", "1", "--json").out)
    assert data["complete"] is True
    assert [row["budget"] for row in data["rows"]] == [10, 50]
    assert data["rows"][0]["regret_error"] is None


def test_a_plan_is_written_and_run(nimdesk: Nimdesk, tmp_path: Path) -> None:
    plan, first, second = (str(tmp_path / name) for name in ("plan.json", "1.csv", "2.csv"))
    assert nimdesk(*SMALL, "--agent", "uct:final=mean", "--save-plan", plan, "--csv", first).code == 0
    assert nimdesk("study", "--plan", plan, "--csv", second).code == 0
    assert Path(first).read_bytes() == Path(second).read_bytes()
    assert b"final=mean" in Path(first).read_bytes()


def test_results_that_are_kept_need_no_second_search(nimdesk: Nimdesk, tmp_path: Path) -> None:
    out, first, second = (str(tmp_path / name) for name in ("study.db", "1.csv", "2.csv"))
    assert nimdesk(*SMALL, "--out", out, "--searches", first).code == 0
    assert nimdesk("study", "--out", out, "--searches", second).code == 0
    assert Path(first).read_bytes() == Path(second).read_bytes()
    other = nimdesk("study", "--position", "nim:3,4,5", "--seeds", "7", "--out", out)
    assert other.code == 2
    assert "another plan" in other.err


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no Ctrl-C for a child alone")
@pytest.mark.usefixtures("signals_are_heard")
def test_ctrl_c_prints_what_there_is_and_how_to_go_on(tmp_path: Path) -> None:
    out = str(tmp_path / "study.db")
    command = [sys.executable, "-m", "nimdesk", "study", "--position", "nim:3,4,5", "--seeds", "200000"]
    command += ["--budgets", "10,1000", "--out", out, "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        _wait_for_results(Path(out))
        process.send_signal(signal.SIGINT)
        printed, said = process.communicate(timeout=60)
    data = json.loads(printed)
    assert process.returncode == 130
    assert data["complete"] is False
    assert data["searches"] > 0
    assert f"Stopped after {data['searches']:,} of 200,000 searches. To go on: nimdesk study" in said
    assert f"--out {out}" in said


def _wait_for_results(path: Path) -> None:
    """Until the first results are in the write-ahead log."""
    log, pause = path.with_name(f"{path.name}-wal"), threading.Event()
    for _ in range(600):
        if log.exists() and log.stat().st_size > 100_000:
            return
        pause.wait(0.1)
    raise AssertionError("no results within a minute")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("study",), "Say what to search"),
        ((*SMALL, "--agent", "utc"), "did you mean uct?"),
        ((*SMALL, "--agent", "uct:explore=1"), "has no option --explore"),
        ((*SMALL, "--agent", "uct:exploration"), "write option=value"),
        ((*SMALL, "--agent", "uct:exploration=-1"), "from 0 to 100"),
        ((*SMALL, "--agent", "uct:iterations=5"), "cannot have iterations in a study"),
        ((*SMALL, "--agent", "uct:time_s=5"), "cannot have iterations, time_s in a study"),
        ((*SMALL, "--agent", "flat:playouts=7"), "cannot have playouts in a study"),
        ((*SMALL, "--agent", "uct", "--agent", "uct"), "there twice"),
        ((*SMALL, "--seeds", "0"), "Seeds is “0”; it must be a whole number from 1"),
        ((*SMALL, "--threads", "0"), "Threads is “0”"),
        ((*SMALL, "--budgets", "ten"), "Budget is “ten”"),
        ((*SMALL, "--budgets", "1,000-10,000"), "write 1000 without one"),
        ((*SMALL, "--budgets", "100-10"), "end before they begin"),
        ((*SMALL, "--vary", "colour=1"), "no option “colour” to vary"),
        ((*SMALL, "--vary", "exploration="), "--vary names no value"),
        (("study", "--position", "nim:1 1-1"), "the game is over"),
        (("study", "--position", "go:9"), "does not name a game"),
        (("study", "--position", "mnk:8,8,5", "--solver-nodes", "1e3"), "The truth about mnk:8,8,5 is not known"),
        ((*SMALL, "--plan", "x.json"), "give one of them"),
        (("study", "--plan", "none.json"), "cannot be opened"),
        ((*SMALL, "--csv", "none/x.csv"), "is not a folder"),
    ],
)
def test_what_cannot_be_run_is_refused_in_one_sentence(
    nimdesk: Nimdesk, arguments: tuple[str, ...], words: str
) -> None:
    result = nimdesk(*arguments)
    assert result.code == 2
    assert words in result.err
    assert len(result.err.splitlines()) == 1
    assert result.out == ""


def test_a_folder_in_place_of_a_table_is_refused_before_the_work(nimdesk: Nimdesk, tmp_path: Path) -> None:
    results = tmp_path / "study.db"
    result = nimdesk(*SMALL, "--out", str(results), "--searches", str(tmp_path))
    assert result.code == 2
    assert result.err == f"nimdesk: “{tmp_path}” cannot be written: that is a folder, not a file.\n"
    assert not results.exists()


def test_a_study_is_printed_where_its_table_cannot_be_written(nimdesk: Nimdesk, tmp_path: Path) -> None:
    (tmp_path / "t.csv.made.json").mkdir()
    result = nimdesk(*SMALL, "--csv", str(tmp_path / "t.csv"))
    assert result.code == 2
    assert "t.csv.made.json” cannot be written: that is a folder" in result.err
    assert "an optimal move of nim:" in result.out


def test_budgets_as_they_are_typed() -> None:
    assert parse_budgets("2000,100,1e3") == (100, 1_000, 2_000)
    assert parse_budgets("10-100,70") == (10, 20, 50, 70, 100)
    with pytest.raises(OptionError):
        parse_budgets("")
    assert parse_budgets("10ms,0.5s,2s") == Milliseconds((10, 500, 2_000))
    assert isinstance(parse_budgets("1ms-1s"), Milliseconds)
    assert parse_budgets("1ms-0.02s") == (1, 2, 5, 10, 20)
    long = "9" * 30_000
    for text in ("10ms,500", "0.5ms", "1s-2", f"{long}ms", f"1s-{long}s", long):
        with pytest.raises(OptionError):
            parse_budgets(text)


def test_progress_in_words() -> None:
    words = progress_text(Progress(done=1_200, total=8_000, fresh=1_200, elapsed_s=10, rate=120.0), "searches")
    assert words == "1,200 of 8,000 searches, 120 a second, 57 s left"
    assert progress_text(Progress(done=1, total=2, fresh=0, elapsed_s=0, rate=0.0)) == "1 of 2, 0 a second"


def test_published_agents_bring_their_options_but_not_their_limit() -> None:
    (part,) = study_of_flags(("nim:3,4,5",), ("uct-003",), "10", 1).players.values()
    assert part.agent == "uct"
    assert part.options == {"exploration": 0.5, "log_n": "root", "expansion": "first", "ties": "first"}


def test_the_help_documents_every_column(nimdesk: Nimdesk) -> None:
    result = nimdesk("study", "--help")
    assert result.code == 0
    assert max(map(len, result.out.splitlines())) <= 100
    for column in fields(StudyRow):
        assert column.name in result.out


def test_it_loads_no_qt() -> None:
    code = "import sys, nimdesk.cli.running, nimdesk.cli.plans; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "nimdesk.experiments.run" in loaded
    assert not [name for name in loaded if name.startswith(("PySide6", "pyqtgraph", "nimdesk.ui"))]


def test_the_help_says_how_many_searches_run_at_a_time(nimdesk: Nimdesk) -> None:
    assert "one if the budgets are times" in " ".join(nimdesk("study", "--help").out.split())
    assert "or a published one, such as minimax-001" in " ".join(nimdesk("analyse", "--help").out.split())
