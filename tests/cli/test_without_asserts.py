"""Python's ``-O`` leaves out every ``assert``: what nimdesk does, and what it refuses, stays the same."""

import sqlite3
from pathlib import Path

import msgspec
import pytest
from calling import Nimdesk, run_python

from nimdesk.experiments.searches import SearchResult
from nimdesk.games import parse_position
from nimdesk.play import GameInProgress, Human
from nimdesk.play.record import save_game

CALLS = """
import sys
from nimdesk.__main__ import main

assert False, "asserts are not left out"
for arguments in {jobs!r}:
    sys.argv = ["nimdesk", *arguments]
    code = main()
    sys.stdout.flush()
    print("code", code, flush=True)
    print("code", code, file=sys.stderr, flush=True)
"""


@pytest.fixture
def jobs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The main ones, one after the other; the last ones are refused."""
    monkeypatch.chdir(tmp_path)
    game = GameInProgress(parse_position("nim:3,4,5"), (Human(), Human()))
    for move in ("2-4", "1-3", "3-5"):
        game.play(game.position.parse_move(move), by="Human")
    save_game(game, tmp_path / "game.nimdesk")
    (tmp_path / "broken.nimdesk").write_bytes((tmp_path / "game.nimdesk").read_bytes().replace(b"3-5", b"3-6"))
    lines = [
        "agents --json",
        "solve mnk:4,3,3 b2 --json",
        "solve nim:3,4,5 --time-s 0",
        "analyse nim:3,4,5 --agent uct --iterations 300 --seed 1 --json",
        "analyse mnk:7,6,4:gravity d1 --agent mcts --iterations 300 --seed 2 --json",
        "review game.nimdesk --json",
        "match uct:iterations=30 random --position nim:3,4,5 --games 3 --threads 2 --out match.db --json",
        "experiment export match.db --game 2 --out exported.nimdesk",
        "review exported.nimdesk --json",
        "study --position nim:3,4 --budgets 10,50 --seeds 3 --out study.db --json",
        "review broken.nimdesk",
        "experiment status broken.nimdesk",
        "solve nim:0",
    ]
    return [line.split() for line in lines]


def test_the_main_jobs_say_the_same_without_asserts(nimdesk: Nimdesk, jobs: list[list[str]], tmp_path: Path) -> None:
    here = [nimdesk(*arguments) for arguments in jobs]
    assert {result.code for result in here} == {0, 2}
    for file in ("match.db", "study.db", "exported.nimdesk"):
        (tmp_path / file).unlink()
    done = run_python("-O", "-c", CALLS.format(jobs=jobs), cwd=tmp_path)
    assert lasting(done.stdout) == lasting("".join(f"{result.out}code {result.code}\n" for result in here))
    assert lasting(done.stderr) == lasting("".join(f"{result.err}code {result.code}\n" for result in here))


def lasting(text: str) -> list[str]:
    """The lines that are the same each time: those without seconds or a date."""
    return [line for line in text.splitlines() if '_s":' not in line and " s" not in line and '"date":' not in line]


def test_results_that_are_not_those_of_the_plan_are_refused_without_asserts(nimdesk: Nimdesk, tmp_path: Path) -> None:
    path = tmp_path / "match.db"
    assert nimdesk("match", "random", "random", "--position", "nim:1,2", "--games", "1", "--out", str(path)).code == 0
    with sqlite3.connect(path) as connection:
        search = SearchResult(1, "1-1", "+", 1, 1, 0.1, True, ())
        connection.execute("UPDATE results SET result = ? WHERE number = 1", (msgspec.json.encode(search).decode(),))
    connection.close()
    done = run_python("-O", "-c", CALLS.format(jobs=[["experiment", "status", str(path)]]))
    assert done.stdout == "code 2\n"
    assert done.stderr.startswith(f"nimdesk: “{path}” is damaged: a result in it is of another kind than its task.\n")
