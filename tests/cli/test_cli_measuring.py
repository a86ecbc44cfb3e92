"""``nimdesk tune``, ``rate`` and ``compare``."""

import csv
import json
import re
from collections.abc import Callable
from inspect import signature
from pathlib import Path

import numpy as np
import pytest
from calling import Nimdesk
from click import Command

import nimdesk as nd
from nimdesk.cli.experiments import match
from nimdesk.cli.inspecting import solve
from nimdesk.cli.measuring import rate, tune
from nimdesk.cli.plans import study_of_flags
from nimdesk.disk.provenance import beside
from nimdesk.experiments.files import Found
from nimdesk.experiments.statistics import wilson

STUDY = ("study", "--position", "nim:3,4,5", "--budgets", "10,100", "--seeds", "60")


@pytest.fixture(autouse=True)
def _data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NIMDESK_DATA_DIR", str(tmp_path / "data"))


def test_a_tuning_says_what_was_found_and_goes_on_where_it_was(nimdesk: Nimdesk, tmp_path: Path) -> None:
    flags = ("--position", "nim:1,2,3", "--budget", "20", "--games", "3", "--confirm", "20", "--elo1", "100")
    command = ("tune", "uct", "exploration=0.01..4", "--values", "4", *flags)
    figure = tmp_path / "landscape.png"
    result = nimdesk(*command, "--figure", str(figure))
    assert result.code == 0, result.err
    for words in ("Landscape of exploration", "(best)", "than the default, 1.41421"):
        assert words in result.out
    with figure.with_name("landscape.figure.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["faint"] == "0"]
    document = json.loads(nimdesk(*command, "--json").out)
    tuned = document["tuning"]
    assert {each["values"][0]: each["score"] for each in tuned["candidates"]} == {
        float(row["x"]): float(row["y"]) for row in rows
    }
    assert tuned["verdict"] in ("better", "not shown to be better")
    assert (tuned["verdict"] == "better") == (tuned["test"]["decision"] == "H1")
    (made,) = document["made"]  # the second command played nothing
    assert made["results"] >= document["done"] == document["total"]


def test_a_rating_has_a_list_of_all_players(nimdesk: Nimdesk) -> None:
    command = ("rate", "uct:iterations=100", "flat:playouts=3", "random", "--position", "nim:3,4,5", "--games", "10")
    result = nimdesk(*command)
    assert result.code == 0, result.err
    assert "Rating list" in result.out
    assert "is first of 3 players" in result.out
    two = nimdesk("rate", "perfect", "random", "nim:3,4,5", "--games", "2")
    assert "Pairings" in two.out, "two players have no list, but a table"
    ratings = json.loads(nimdesk(*command, "--json").out)["ratings"]["ratings"]
    assert {each["player"] for each in ratings} == {"uct:iterations=100", "flat:playouts=3", "random"}
    assert sum(each["elo"] for each in ratings) == pytest.approx(0, abs=1e-6)


def test_ratings_and_tunings_begin_from_a_file_of_openings(nimdesk: Nimdesk, tmp_path: Path) -> None:
    lines, plan = tmp_path / "lines.txt", tmp_path / "plan.json"
    lines.write_text("1-1\n2-2\n")
    begin = ("--position", "nim:1,2", "--openings", str(lines), "--games", "1", "--save-plan", str(plan))
    for command in (
        ("rate", "random", "uct:iterations=5"),
        ("tune", "uct:iterations=5", "exploration=0.5,1", "--confirm", "1"),
    ):
        told = nimdesk(*command, *begin, "--out", str(tmp_path / f"{command[0]}.db"))
        assert told.code == 0, told.err
        assert json.loads(plan.read_text())["matches"][0]["positions"] == ["nim:1,2 1-1", "nim:1,2 2-2"]
        assert "--openings" in nimdesk(command[0], "--help").out


def test_two_studies_are_laid_side_by_side(nimdesk: Nimdesk, tmp_path: Path) -> None:
    one, other = str(tmp_path / "one.db"), str(tmp_path / "other.db")
    assert nimdesk(*STUDY, "--agent", "uct", "--out", one).code == 0
    assert nimdesk(*STUDY, "--agent", "uct:exploration=0.3", "--out", other).code == 0
    table = nimdesk("compare", one, other)
    assert table.code == 0, table.err
    assert "uct / uct:exploration=0.3" in table.out
    figure = tmp_path / "difference.svg"
    drawn = nimdesk("compare", one, other, "--json", "--figure", str(figure), "--figure-of", "difference")
    document = json.loads(drawn.out)
    rows = {(row["of"][2], row["quantity"]): row for row in document["differences"]}
    assert set(rows) == {(budget, what) for budget in ("10", "100") for what in ("optimal", "mean regret")}
    for row in rows.values():
        assert row["difference"] == pytest.approx(row["other"]["value"] - row["one"]["value"])
        assert row["low"] <= row["difference"] <= row["high"]
        assert row["excludes_0"] == (row["low"] > 0 or row["high"] < 0)
    with figure.with_name("difference.figure.csv").open(encoding="utf-8") as file:
        points = {float(row["x"]): float(row["y"]) for row in csv.DictReader(file)}
    assert points == pytest.approx(
        {10.0: rows["10", "optimal"]["difference"], 100.0: rows["100", "optimal"]["difference"]}
    )
    # With itself nothing differs, and the same seeds are said.
    same = json.loads(nimdesk("compare", one, one, "--json").out)
    assert {row["difference"] for row in same["differences"]} == {0.0}
    assert "seeds alike" in same["notes"][0]


def test_what_is_wrong_with_the_second_is_told_before_anything_is_proven_of_the_first(
    nimdesk: Nimdesk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = tmp_path / "one.db", tmp_path / "other.db"
    assert nimdesk(*STUDY, "--out", str(one)).code == 0
    other.write_bytes(b"no database")
    monkeypatch.setattr(Found, "prove", lambda *_: pytest.fail("it is proven"))
    told = nimdesk("compare", str(one), str(other))
    assert (told.code, told.out) == (2, "")
    assert told.err == f"nimdesk: The results “{other}” cannot be used: it is not a results file of nimdesk.\n"


def test_runs_of_games_are_compared_by_players_and_position(nimdesk: Nimdesk, tmp_path: Path) -> None:
    files = []
    for seed in ("1", "2"):
        files.append(str(tmp_path / f"{seed}.db"))
        match = ("match", "uct:iterations=50", "random", "--position", "nim:3,4,5", "--games", "10")
        assert nimdesk(*match, "--seed", seed, "--out", files[-1]).code == 0
    rows = json.loads(nimdesk("compare", *files, "--json").out)["differences"]
    assert [row["quantity"] for row in rows] == ["first wins", "draws", "second wins"] * 2
    told = nimdesk("compare", *files).out
    assert "of 6 differences exclude" in told
    # First and second wins of the first setting: there are no draws, and the second side won all games of the other.
    assert "about 0.1 would by chance alone" in told
    study = str(tmp_path / "study.db")
    assert nimdesk(*STUDY, "--out", study).code == 0
    refused = nimdesk("compare", files[0], study)
    assert refused.code == 2
    assert "measure different things" in refused.err
    assert len(refused.err.splitlines()) == 1


def test_the_same_search_with_many_seeds_is_drawn_as_medians_with_bands(nimdesk: Nimdesk, tmp_path: Path) -> None:
    figure = tmp_path / "seeds.svg"
    search = ("analyse", "nim:3,4,5", "--agent", "uct", "--iterations", "300", "--seed", "4")
    flags = ("--figure", str(figure), "--figure-look", "log_y=yes")
    result = nimdesk(*search, *flags, "--figure-seeds", "5")
    assert result.code == 0, result.err
    assert "5 searches with seeds 4 to 8" in result.err
    with figure.with_name("seeds.figure.csv").open(encoding="utf-8") as file:
        last = {row["curve"]: row for row in csv.DictReader(file) if row["x"] == "300.0"}
    traces = [nd.analyse("nim:3,4,5", "uct", iterations=300, seed=seed).trace for seed in range(4, 9)]
    shares = np.array([trace.shares()[-1] for trace in traces if trace is not None])
    moves = [move.text for move in nd.position("nim:3,4,5").legal_moves]
    assert set(last) == set(moves)
    for move, column in zip(moves, shares.T, strict=True):
        assert float(last[move]["y"]) == pytest.approx(float(np.median(column)))
        assert (last[move]["seeds"], last[move]["first_seed"], last[move]["last_seed"]) == ("5", "4", "8")
        if last[move]["faint"] == "0":
            ends = np.quantile(column, (0.05, 0.95)).tolist()
            assert [float(last[move]["low"]), float(last[move]["high"])] == pytest.approx(ends)
    about = json.loads(beside(figure.with_name("seeds.figure.csv")).read_text())
    assert (about["seeds"], about["first_seed"], about["last_seed"], about["iterations"]) == (5, 4, 8, 300)
    refused = nimdesk("analyse", "nim:3,4,5", "--agent", "minimax", *flags[:2], "--figure-seeds", "5")
    assert refused.code == 2
    assert "makes no use of a seed" in refused.err


@pytest.mark.parametrize(("measure", "agent"), [("regret", "uct"), ("regret", "random"), ("optimal", "random")])
def test_over_seeds_what_is_0_or_1_is_drawn_as_its_mean_with_wilsons_interval(
    nimdesk: Nimdesk, tmp_path: Path, measure: str, agent: str
) -> None:
    figure = tmp_path / "seeds.svg"
    search = ("analyse", "nim:3,4,5", "--agent", agent, "--seed", "1", "--figure-of", measure)
    limit = ("--iterations", "200") if agent == "uct" else ()
    result = nimdesk(*search, *limit, "--figure", str(figure), "--figure-seeds", "12")
    assert result.code == 0, result.err
    with figure.with_name("seeds.figure.csv").open(encoding="utf-8") as file:
        last = list(csv.DictReader(file))[-1]
    options = {"iterations": 200} if agent == "uct" else {}
    played = [nd.analyse("nim:3,4,5", agent, seed=seed, **options).best_move for seed in range(1, 13)]
    right = sum(move is not None and move.text == "1-2" for move in played)
    counted = right if measure == "optimal" else 12 - right
    assert float(last["y"]) == pytest.approx(counted / 12)
    assert (float(last["low"]), float(last["high"])) == pytest.approx(wilson(counted, 12))
    assert "Lines are means over the seeds, bands their 95% intervals" in " ".join(result.err.split())


@pytest.mark.parametrize(
    ("command", "function"), [(tune, nd.tune), (rate, nd.rate), (match, nd.match), (solve, nd.solve)]
)
def test_a_command_and_its_function_have_the_same_defaults(command: Command, function: Callable[..., object]) -> None:
    defaults = {name: parameter.default for name, parameter in signature(function).parameters.items()}
    flags = {flag.name: float(flag.default) for flag in command.params if re.fullmatch("[0-9.]+", str(flag.default))}
    there = [name for name in flags if defaults.get(name) is not None]
    assert {"games", "seed"} <= set(there) or there == ["time_s"]
    assert {name: flags[name] for name in there} == {name: defaults[name] for name in there}


def test_so_has_a_study() -> None:
    flags, ours = (signature(each).parameters for each in (study_of_flags, nd.study))
    for name in ("budgets", "seeds", "seed", "solver_nodes"):
        assert ours[name].default == flags[name].default
    assert (ours["agents"].default,) == flags["agent"].default
