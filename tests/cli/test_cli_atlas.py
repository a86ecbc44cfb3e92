"""``nimdesk atlas``: run, go on, show, sort, export."""

import csv
import json
import os
import sys
from pathlib import Path

import pytest
from calling import Nimdesk, run_python

import nimdesk as nd
from nimdesk.figures.atlases import of_atlas
from nimdesk.figures.drawing import read_panels

SMALL = ("nim-2x3", "--position", "mnk:3,3,3 a1 b2 c3", "--agent", "uct", "--budgets", "10,50", "--seeds", "8")


def test_an_atlas_is_made_shown_and_exported(nimdesk: Nimdesk, tmp_path: Path) -> None:
    path, table = str(tmp_path / "atlas.db"), tmp_path / "atlas.csv"
    made = nimdesk("atlas", "convergence", *SMALL, "--out", path, "--json", "--top", "3")
    assert made.code == 0
    data = json.loads(made.out)
    assert (data["done"], data["total"], data["budgets"]) == (10, 10, [10, 50])
    assert len(data["rows"]) == 3
    assert data["rows"][0]["trap"] >= data["rows"][1]["trap"]
    figure = ("--figure", str(tmp_path / "atlas.svg"))
    shown = nimdesk("atlas", "convergence", "--show", path, "--sort", "worse", "--csv", str(table), *figure)
    assert shown.code == 0
    assert "positions all moves are worth the same" in " ".join(shown.out.split())
    with table.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert {"optimal_share_10", "optimal_share_50", "regret_50", "settled_share_10", "wrong"} <= rows[0].keys()
    assert "The worst traps" in nimdesk("experiment", "status", path).out
    results = nd.open(path)
    assert isinstance(results, nd.Results)
    assert results.to_pandas().position.tolist() == [row["position"] for row in rows]
    assert "uct: MCTS, textbook (exploration = 1.414" in shown.err
    nim = [row for row in results.to_pandas().itertuples() if row.position.startswith("nim:")]
    drawn = read_panels(tmp_path / "atlas.figure.csv")
    assert [panel["title"] for panel in drawn] == ["nim:1 … nim:3,3", "mnk:3,3,3 a1 b2 c3"]
    (curve,) = drawn[0]["curves"]
    assert (curve["label"], curve["x"]) == ("uct", [10, 50])
    means = [sum(row.optimal_share[budget] for row in nim) / len(nim) for budget in (0, 1)]
    assert curve["y"] == pytest.approx(means)
    assert all(low <= mean <= high for low, mean, high in zip(curve["low"], means, curve["high"], strict=True))
    worst, misled = (of_atlas(results.found, measure).plot["panels"] for measure in ("worst", "misled"))
    first = next(each for each in worst[0]["curves"] if each["label"] == f"{data['rows'][0]['position']}, uct")
    assert first["y"] == data["rows"][0]["optimal_share"]
    assert misled[0]["curves"][0]["y"] == [
        sum(row.optimal_share[budget] < 0.5 for row in nim) / len(nim) for budget in (0, 1)
    ]
    again = nimdesk("atlas", "convergence", *SMALL, "--out", path)
    assert again.code == 0
    assert "nim:1,2" in again.out
    assert "nim:6,6,6,7" in nimdesk("atlas", "convergence", "--show", "reference").out


def test_what_is_wrong_with_the_flags_is_said(nimdesk: Nimdesk, tmp_path: Path) -> None:
    for arguments, told in (
        (("--show", "nowhere.db"), "cannot be opened"),
        (("--show", "nowhere.db", "--seeds", "5"), "--show searches nothing"),
        (("--show", "reference", "--save-plan", "plan.json"), "--show searches nothing; --save-plan says what"),
        (("--position", "chess", "--out", str(tmp_path / "a.db")), "does not name a game"),
        (("--agent", "uct:iterations=5", "--out", str(tmp_path / "a.db")), "cannot have iterations"),
    ):
        refused = nimdesk("atlas", "convergence", *arguments)
        assert refused.code == 2
        assert told in refused.err
        assert refused.err.count("\n") == 1


def test_boards_are_solved_shown_and_exported(nimdesk: Nimdesk, tmp_path: Path) -> None:
    path, table, folder = tmp_path / "boards.json", tmp_path / "boards.csv", tmp_path / "proofs"
    arguments = ("mnk:4,3,3", "mnk:3,3,3", "--out", str(path), "--certificates", str(folder))
    made = nimdesk("atlas", "solved", *arguments, "--json")
    assert made.code == 0
    rows = json.loads(made.out)["rows"]
    assert [(row["game"], row["value"]) for row in rows[:2]] == [("mnk:4,3,3", "win"), ("mnk:3,3,3", "draw")]
    assert rows[0]["agrees"] is True
    assert [nimdesk("verify", str(file)).code for file in folder.iterdir()] == [0, 0]
    shown = nimdesk("atlas", "solved", "--show", str(path), "--csv", str(table))
    assert shown.code == 0
    assert "2 boards, 0 of them unknown; 2 have a published value, too, all of which agree with it." in shown.out
    with table.open(encoding="utf-8") as file:
        assert [row["plies"] for row in csv.DictReader(file)] == ["7", "9", ""]
    assert "mnk:7,7,5" in nimdesk("atlas", "solved", "--show", "reference").out


def test_what_is_wrong_with_the_boards_is_said(nimdesk: Nimdesk, tmp_path: Path) -> None:
    for arguments, told in (
        (("--show", "nowhere.json"), "cannot be opened"),
        (("mnk:3,3,3", "--show", "reference"), "--show solves nothing"),
        (("mnk:3,3,3 a1", "--out", str(tmp_path / "a.json")), "is no start of a game"),
        (("chess", "--out", str(tmp_path / "a.json")), "does not name a game"),
        (("mnk:3,3,3", "--out", str(tmp_path / "none" / "a.json")), "is not a folder"),
        (("--time-s", "soon"), "must be a number"),
    ):
        refused = nimdesk("atlas", "solved", *arguments)
        assert refused.code == 2
        assert told in refused.err
        assert refused.err.count("\n") == 1


DEEP_IN_THE_COMPILER = """
import signal, sys, threading, time
import nimdesk.cli.solved as solved
from nimdesk.__main__ import main

def work(*_, **__):
    {first}
    time.sleep(1_000)
    yield

solved.work = work
sys.argv = ["nimdesk", "atlas", "solved", "mnk:3,3,3", "--out", "x.json"]
sys.exit(main())
"""
INTERRUPTED = "signal.raise_signal(signal.SIGINT)"
KEEPING = f"with solved.KEEPING: {INTERRUPTED}; time.sleep(2); open('kept', 'w').write('all of it')"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no Ctrl-C for a child alone")
@pytest.mark.usefixtures("signals_are_heard")
@pytest.mark.parametrize(("first", "left"), [(INTERRUPTED, []), (KEEPING, ["kept"])], ids=["compiling", "keeping"])
def test_ctrl_c_waits_for_what_is_being_kept_and_not_for_the_compiler(
    first: str, left: list[str], tmp_path: Path
) -> None:
    done = run_python("-c", DEEP_IN_THE_COMPILER.format(first=first), cwd=tmp_path)
    assert done.returncode == 130
    assert "Stopped. To go on: nimdesk atlas solved mnk:3,3,3 --out x.json" in done.stderr
    assert "Traceback" not in done.stderr
    assert sorted(os.listdir(tmp_path)) == left
    assert all((tmp_path / name).read_text() == "all of it" for name in left)
