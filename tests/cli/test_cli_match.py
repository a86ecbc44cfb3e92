"""``nimdesk match`` and ``nimdesk experiment``: what they print, write, refuse, and how they go on."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from calling import Nimdesk, run_process, run_python

from nimdesk.cli.options import console
from nimdesk.cli.printing import print_section
from nimdesk.disk.paths import resources_dir
from nimdesk.errors import shown
from nimdesk.experiments.hypotheses import OF_SCORE
from nimdesk.experiments.matches.work import Clock, GameResult, MatchPart
from nimdesk.experiments.parts import PlayerPart
from nimdesk.experiments.plan import load_plan, new_plan
from nimdesk.experiments.sections import Section
from nimdesk.experiments.statistics import Sprt, elo_of_score, expected_score
from nimdesk.experiments.store import Store
from nimdesk.play.record import load_game

MATCH = ("match", "uct:iterations=40", "random", "--position", "nim:3,4,5", "--games", "5")


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NIMDESK_DATA_DIR", str(tmp_path / "data"))
    return tmp_path / "data" / "experiments"


def test_a_match_prints_its_tables(nimdesk: Nimdesk) -> None:
    result = nimdesk(*MATCH)
    assert result.code == 0
    for words in ("Pairings", "uct:iterations=40", "By role and position", "Blunders", "Simulations a move"):
        assert words in result.out
    assert "match-" in result.err  # where the results are


def test_games_start_from_openings_in_a_file(nimdesk: Nimdesk, tmp_path: Path) -> None:
    (tmp_path / "lines.txt").write_text("1-1\n2-2 1-1\n", encoding="utf-8")
    file, plan = tmp_path / "lines.txt", tmp_path / "plan.json"
    how = ("--openings", str(file), "--games", "1", "--adjudicate", "3", "--clock", "5+0.5")
    result = nimdesk("match", "random", "random", "--position", "nim:3,4,5", *how, "--save-plan", str(plan))
    assert result.code == 0
    (part,) = load_plan(plan).matches
    assert part.positions == ["nim:3,4,5 1-1", "nim:3,4,5 2-2 1-1"]
    assert (part.adjudicate, part.clock) == (3, Clock(time_s=5.0, increment_s=0.5))
    assert "4 games were ended where the outcome was proven" in result.out
    refused = nimdesk("rate", "random", "uct", "--openings", str(file))
    assert (refused.code, refused.out) == (2, "")
    assert "say from which position" in refused.err
    refused = nimdesk("match", "random", "random", "--position", "mnk:9,9,5", "--openings", "gomoku-15")
    assert (refused.code, refused.out) == (2, "")
    assert " does not begin from mnk:9,9,5; " in refused.err
    for clock in ("5+", "0", "x+1", "5+1+1"):
        assert nimdesk("match", "random", "uct", "--position", "nim:3", "--clock", clock).code == 2


def test_a_narrow_column_breaks_no_number_of_a_player(nimdesk: Nimdesk) -> None:
    players = ("uct:iterations=100,exploration=0.5", "uct:iterations=200,exploration=0.25")
    shown = nimdesk("match", *players, "--position", "nim:3,4,5", "--games", "1").out
    pairings = shown.partition("By role")[0].split()
    assert "uct:iterations=100," in pairings, "the columns are narrow"
    assert {"exploration=0.5", "exploration=0.25"} <= set(pairings)


def test_a_match_in_json_has_the_columns_of_the_csv(nimdesk: Nimdesk, tmp_path: Path) -> None:
    document = json.loads(nimdesk(*MATCH, "--json", "--csv", str(tmp_path / "out")).out)
    assert (document["done"], document["total"]) == (10, 10)
    (pairing,) = document["pairings"]
    assert pairing["wins"] + pairing["draws"] + pairing["losses"] == 10
    with (tmp_path / "out" / "pairings.csv").open(encoding="utf-8") as file:
        (row,) = csv.DictReader(file)
    assert list(row) == list(pairing)
    assert int(row["wins"]) == pairing["wins"]
    written = {path.name for path in (tmp_path / "out").iterdir()}
    tables = {"games.csv", "table.csv", "pairings.csv", "pairs.csv", "times.csv"}
    assert written == tables | {"report.md", "plan.json", "made.json"}


def test_the_same_command_plays_nothing_twice(nimdesk: Nimdesk, data: Path) -> None:
    first = json.loads(nimdesk(*MATCH, "--json", "--threads", "1").out)
    again = json.loads(nimdesk(*MATCH, "--json", "--threads", "3").out)
    assert first == again
    (made,) = first["made"]
    assert (made["results"], made["by"]) == (10, "1 thread")
    assert made["wall_s"] > 0
    assert len(list(data.glob("*.db"))) == 1
    nimdesk(*MATCH, "--seed", "1")
    assert len(list(data.glob("*.db"))) == 2


def test_players_may_be_published_and_more_than_two(nimdesk: Nimdesk, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    arguments = ("perfect-003", "random", "flat:playouts=3", "--position", "nim:5:max3:misere", "--games", "2")
    result = nimdesk("match", *arguments, "--format", "gauntlet", "--save-plan", str(plan))
    assert "Crosstable" in result.out
    saved = load_plan(plan)
    assert saved.matches[0].format == "gauntlet"
    assert saved.players["flat:playouts=3"].options == {"playouts": 3}
    assert nimdesk("experiment", "run", str(plan), "--json").code == 0


def test_players_may_have_names_and_games_an_opening_rule(nimdesk: Nimdesk, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    named = ("three=flat:playouts=3", "usual=flat", "random", "nim:5", "--opening-rule", "pie")
    result = nimdesk("match", *named, "--games", "1", "--budget", "7", "--save-plan", str(plan))
    assert "Under the opening rule the sides were changed in" in result.out
    saved = load_plan(plan)
    assert list(saved.players) == ["three", "usual", "random"]
    assert saved.players["three"].options == {"playouts": 3}
    assert saved.players["usual"].options["playouts"] != 3
    assert saved.matches[0].opening_rule == "pie"


def test_a_sequential_test_is_reported(nimdesk: Nimdesk) -> None:
    arguments = ("uct:iterations=300", "random", "--position", "nim:3,4,5", "--games", "300", "--sprt", "0,200")
    document = json.loads(nimdesk("match", *arguments, "--json").out)
    (pairing,) = document["pairings"]
    assert (pairing["sprt"], pairing["elo_biased"]) == ("H1", "upwards")
    assert document["total"] < 600
    test = Sprt(elo0=0, elo1=200)
    assert pairing["llr"] == pytest.approx(test.llr(pairing["wins"], pairing["draws"], pairing["losses"]))
    assert (pairing["llr_lower"], pairing["llr_upper"]) == pytest.approx((test.lower, test.upper))
    printed = nimdesk("match", *arguments).out
    assert f"LLR +{pairing['llr']:.2f} (−2.94, +2.94)" in " ".join(printed.split())
    assert "biases the Elo upwards, away from zero" in " ".join(printed.split())


@pytest.mark.parametrize("command", ["match", "tune"])
def test_what_an_elo_means_where_draws_are_many_is_said_where_it_is_asked_for(nimdesk: Nimdesk, command: str) -> None:
    assert OF_SCORE in " ".join(nimdesk(command, "--help").out.split())
    # A player who wins the decided games like 60 Elo, at 60% draws.
    assert elo_of_score(0.6 / 2 + 0.4 * expected_score(60)) == pytest.approx(24, abs=0.5)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("match", "uct", "--position", "nim:1"), "A match needs two players or more"),
        (("match", "uct", "random"), "Say where the games start, such as nim:3,4,5"),
        (("match", "utc", "random", "--position", "nim:1"), "There is no agent “utc”; did you mean uct?"),
        (("match", "uct:iterations", "random", "--position", "nim:1"), "write option=value"),
        (("match", "uct:iterations=0", "random", "--position", "nim:1"), "Iterations is “0”; it must be"),
        (("match", "uct:iteration=9", "random", "--position", "nim:1"), "The agent uct has no option --iteration"),
        (("match", "uct", "random", "--position", "nim:0"), "in “matches[0].positions[0]”: pile 1 has 0 sticks"),
        (("match", "uct", "random", "--position", "nim:1", "--games", "0"), "Games is “0”"),
        (("match", "uct", "random", "--position", "nim:1", "--format", "cup"), "must be round-robin or gauntlet"),
        (("match", "uct", "random", "nim:1", "--opening-rule", "cake"), "it must be pie or swap2"),
        (("match", "a=uct", "a=random", "nim:1"), "Two players are called “a”"),
        (("match", "uct", "random", "--position", "nim:1", "--sprt", "5"), "write two numbers like 0,50"),
        (("match", "uct", "random", "--position", "nim:1", "--sprt", "9,1"), "elo0 must be a number smaller than elo1"),
        (("match", "uct-000", "random", "--position", "mnk:3,3,3"), "“uct-000” cannot play “mnk:3,3,3”"),
        (("experiment", "run", "000-pile"), "There is no published table “000-pile”; did you mean 000-piles?"),
        (("experiment", "run", "nowhere.json"), "The plan “nowhere.json” cannot be opened: there is no such file"),
        (("experiment", "status", "nowhere.db"), "The results “nowhere.db” cannot be opened: there is no such file"),
        (("experiment", "status", "002-table-1"), "“nimdesk experiment run 002-table-1” does."),
        (("experiment", "export", "002-table-1"), "Say where to with --out"),
        (("experiment", "exprt"), "There is no command “exprt”; did you mean export?"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(nimdesk: Nimdesk, arguments: tuple[str, ...], complaint: str) -> None:
    result = nimdesk(*arguments)
    assert result.code == 2
    assert complaint in result.err
    assert result.err.count("\n") == 1
    assert not result.out


def test_the_published_tables_are_listed_with_their_sources(nimdesk: Nimdesk) -> None:
    tables = json.loads(nimdesk("experiment", "list", "--json").out)["tables"]
    assert {"000-piles", "002-table-1", "002-table-3", "003-tournaments", "004-reliability"} <= {
        table["name"] for table in tables
    }
    text = nimdesk("experiment", "list").out
    for table in tables:
        assert table["name"] in text
        assert table["source"].startswith(f"Document {table['name'][:3]}")
        assert f"{table['tasks']:,} games or searches" in text


def test_readings_say_that_they_are_a_notebook_now(nimdesk: Nimdesk) -> None:
    result = nimdesk("experiment", "readings", "000-piles", "--only", "nim:1,2", "--games", "5")
    assert (result.code, result.out) == (2, "")
    (sentence,) = result.err.splitlines()
    assert "are a notebook now" in sentence
    notebook = resources_dir() / "notebooks" / "7_readings.py"
    assert notebook.exists()
    assert sentence.endswith(f"{shown(notebook)}.")
    assert "readings" not in nimdesk("experiment", "--help").out


def test_a_published_table_is_run_looked_at_and_exported(nimdesk: Nimdesk, tmp_path: Path) -> None:
    small = ("--games", "2")
    result = nimdesk("experiment", "run", "003-tournaments", *small)
    assert result.code == 0
    assert "Published and ours" in result.out
    assert "Perfect – Value, nim:21:max3:misere" in result.out
    status = nimdesk("experiment", "status", "003-tournaments", *small).out
    assert "52 of 52 are done" in status
    nimdesk("experiment", "export", "003-tournaments", *small, "--out", str(tmp_path / "out"))
    with (tmp_path / "out" / "published.csv").open(encoding="utf-8") as file:
        published = list(csv.DictReader(file))
    assert len(published) == 26
    assert published[3]["printed"] == "0 of 100"
    assert "Source: Document 003" in (tmp_path / "out" / "report.md").read_text(encoding="utf-8")


def test_a_game_is_exported_with_its_searches(nimdesk: Nimdesk, data: Path, tmp_path: Path) -> None:
    nimdesk(*MATCH)
    (results,) = data.glob("*.db")
    target = tmp_path / "game.nimdesk"
    result = nimdesk("experiment", "export", str(results), "--game", "3", "--searches", "--out", str(target))
    assert (result.code, result.out) == (0, f"{target}\n")
    game = load_game(target)
    assert game.last_position.outcome is not None
    assert any(ply.snapshot is not None and ply.snapshot.trace is not None for ply in game.plies)
    log = tmp_path / "game.txt"
    nimdesk("experiment", "export", str(results), "--game", "3", "--searches", "--out", str(log))
    told = log.read_text(encoding="utf-8")
    assert told.startswith("Nim 3-4-5 (nim:3,4,5)\nFirst: random\nSecond: uct:iterations=40\n\n1. First: ")
    ply = game.plies[1]
    assert f"\n2. Second: {ply.move.words} ({ply.move.text}); " in told
    assert ply.snapshot is not None
    stats = ply.snapshot.stats_of(ply.move)
    assert stats is not None
    line = f"{ply.move.text} {stats.visits} visits mean {stats.mean_value:.4f}"
    assert line in [" ".join(line.split()) for line in told.splitlines()]
    assert told.endswith("wins: took the last stick\n")
    missing = nimdesk("experiment", "export", str(results), "--game", "99", "--out", str(target))
    assert "There is no finished game number 99" in missing.err


def test_a_run_goes_on_by_the_file_of_its_results(nimdesk: Nimdesk, data: Path) -> None:
    nimdesk(*MATCH)
    (results,) = data.glob("*.db")
    again = json.loads(nimdesk("experiment", "run", str(results), "--json").out)
    assert (again["done"], again["total"], again["results"]) == (10, 10, str(results))
    assert list(data.glob("*.db")) == [results]


def test_the_columns_are_explained(nimdesk: Nimdesk) -> None:
    text = nimdesk("experiment", "export", "--columns").out
    assert "**games.csv**" in text
    assert "`first_mistakes`" in text


LOADED = "import sys, nimdesk.__main__ as m; sys.argv = ['nimdesk', {}]; m.main(); print(*sys.modules, file=sys.stderr)"


@pytest.mark.parametrize(
    "arguments", ["'match', '--help'", "'experiment', 'list'", "'match', 'uct', 'random', '--position', 'nim:0'"]
)
def test_neither_a_window_nor_numba_is_loaded_before_it_is_needed(arguments: str) -> None:
    loaded = set(run_python("-c", LOADED.format(arguments)).stderr.split())
    assert "nimdesk.cli.experiments" in loaded
    assert not loaded & {"numba", "PySide6", "pyqtgraph", "nimdesk.ui", "nimdesk.app", "distributed"}


def test_no_run_loads_qt() -> None:
    arguments = "'match', 'uct:iterations=5', 'random', '--position', 'nim:1,2', '--games', '2'"
    loaded = set(run_python("-c", LOADED.format(arguments)).stderr.split())
    assert "numba" in loaded
    assert not loaded & {"PySide6", "pyqtgraph", "nimdesk.ui", "nimdesk.app"}


LONG = ("match", "uct:iterations=20000", "random", "--position", "nim:3,4,5", "--games", "100000", "--threads", "2")


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is a signal")
@pytest.mark.usefixtures("signals_are_heard")
def test_ctrl_c_stops_and_prints_how_to_go_on(tmp_path: Path, data: Path) -> None:
    out = tmp_path / "x.db"
    command = [sys.executable, "-m", "nimdesk", *LONG, "--out", str(out)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
    until = time.monotonic() + 60
    while stored(out) < 3 and time.monotonic() < until:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    said = err.splitlines()[-1]  # on a busy machine after lines of progress
    assert said.startswith("Stopped: ")
    assert f"To go on: nimdesk {' '.join(LONG)} --out {out}" in said
    assert stored(out) >= 3


def stored(path: Path) -> int:
    try:
        with Store.open_to_read(path) as store:
            return store.count()
    except Exception:  # not made yet
        return 0


def shown_on_terminal(command: list[str]) -> str:
    """What a command writes on standard error, where that is a terminal."""
    import pty

    try:
        terminal, screen = pty.openpty()
    except OSError as error:  # a bare container may have none
        pytest.skip(f"no terminal can be made here: {error}")
    result = run_process(command, stdout=subprocess.PIPE, stderr=screen, env={**os.environ, "TERM": "xterm"})
    os.write(screen, b"$")  # where nothing was written, there would be nothing to read
    os.close(screen)
    shown = os.read(terminal, 1_000_000).decode(errors="replace").removesuffix("$")
    os.close(terminal)
    assert result.returncode == 0
    return shown


@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")
def test_progress_is_a_bar_on_a_terminal_and_nothing_in_a_short_log(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "nimdesk", "match", "uct:iterations=5000", "random", "--position", "nim:3,4,5"]
    command += ["--games", "60", "--out", str(tmp_path / "x.db")]
    assert "120, " in shown_on_terminal(command)  # such as "37 of 120, 80 a second, 1 s left"
    piped = run_process(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert piped.stderr == f"\nResults: {tmp_path / 'x.db'}\n"


@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")
def test_a_terminal_is_told_how_far_a_large_file_is_read_and_nothing_of_a_small_one(tmp_path: Path) -> None:
    path, size = tmp_path / "x.db", 25_000
    match = MatchPart(players=["a", "a"], positions=["nim:1,2"], games=size)
    with Store.open_for(path, new_plan("large", {"a": PlayerPart(agent="random")}, matches=[match])) as store:
        command = [sys.executable, "-m", "nimdesk", "experiment", "status", str(path)]
        store.add(GameResult(0, "nim:1,2", 0, ()))
        assert shown_on_terminal(command) == ""
        store.add(*(GameResult(number, "nim:1,2", 0, ()) for number in range(1, size)))
        assert f"/{size}" in shown_on_terminal(command)


def test_a_long_run_says_how_far_it_is_in_a_log(monkeypatch: pytest.MonkeyPatch, nimdesk: Nimdesk) -> None:
    monkeypatch.setattr("nimdesk.cli.running._LOG_EVERY_S", 0.0)
    arguments = ("uct:iterations=20000", "random", "--position", "nim:3,4,5", "--games", "40")
    lines = nimdesk("match", *arguments).err.splitlines()
    progress = [line for line in lines if " of 80, " in line]
    assert progress
    assert all(line.endswith("left") or " a second" in line for line in progress)


def test_a_terminal_is_told_nothing_by_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    print_section(Section("a\x1b]0;x\x07", ("b",), [("c\x9b31m d",), ("e\u202ef",)], 1, "g\x1b[2J"), console())
    said = capsys.readouterr().out
    assert said.split() == ["a�]0;x�", "b", "c�31m", "d", "e�f", "g�[2J"]


@pytest.mark.skipif(sys.platform == "win32", reason="no file has such a name there")
def test_no_name_of_a_file_steers_the_terminal(nimdesk: Nimdesk, tmp_path: Path) -> None:
    results = str(tmp_path / "a\x1b]0;x\x07\u202eb.db")
    said = [nimdesk("match", "random", "random", "--position", "nim:1,2", "--games", "1", "--out", results)]
    said += [
        nimdesk("experiment", "status", results),
        nimdesk("experiment", "export", results, "--out", f"{results}.d"),
    ]
    for each in said:
        assert each.code == 0
        assert "a�]0;x��b.db" in each.out + each.err
        assert not set("\x1b\x07\u202e") & set(each.out + each.err)
