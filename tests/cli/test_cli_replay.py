"""``nimdesk replay``, and the line of “copy as command”: both come to the same numbers as the search they repeat."""

from __future__ import annotations

import csv
import io
import json
import shlex
from pathlib import Path

import pytest
from calling import Nimdesk, replace_module

from nimdesk.agents import make_agent
from nimdesk.games import AnyPosition, parse_position
from nimdesk.limit import Limit
from nimdesk.play.bundle import Bundle, SavedRun, analyse_command, save_bundle
from nimdesk.search import StopReason


def searched(name: str, iterations: int, options: dict[str, object], position: str) -> SavedRun:
    agent = make_agent(name, options)
    searcher = agent.new_searcher()
    searcher.start(parse_position(position), 5)
    stopped = searcher.advance(Limit(iterations=iterations))
    snapshot = searcher.snapshot()
    return SavedRun(agent, 5, snapshot if stopped is not None else snapshot.ended(StopReason.ITERATIONS))


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    runs = (searched("uct", 300, {}, "nim:3,4,5"), searched("mcts", 300, {}, "nim:3,4,5"))
    save_bundle(Bundle(parse_position("nim:3,4,5"), runs), tmp_path / "b.json")
    return tmp_path / "b.json"


def test_two_replays_write_the_same_csv_byte_for_byte(nimdesk: Nimdesk, saved: Path, tmp_path: Path) -> None:
    files = [tmp_path / "1.csv", tmp_path / "2.csv"]
    for file in files:
        result = nimdesk("replay", str(saved), "--csv", str(file))
        assert result.code == 0
        assert result.out.count("the same numbers") == 2
    assert files[0].read_bytes() == files[1].read_bytes()
    assert files[0].read_text().startswith("run,agent,seed,iteration,elapsed_s,playouts,nodes,plays,visits:1-1,")


def test_a_bundle_with_other_numbers_is_found_out(nimdesk: Nimdesk, saved: Path) -> None:
    document = json.loads(saved.read_text())
    for run in document["runs"][:1]:
        run["seed"] = run["search"]["seed"] = 6
    saved.write_text(json.dumps(document))
    result = nimdesk("replay", str(saved))
    assert result.code == 1
    assert "OTHER NUMBERS: they differ from iteration" in result.out
    assert "in another way" not in result.out
    # Of another version's searches that is no wonder.
    saved.write_text(json.dumps(document | {"program": "0.1.0"}))
    result = nimdesk("replay", str(saved))
    assert result.code == 1
    assert "it was saved by nimdesk 0.1.0, and this is " in result.out
    assert result.out.count("in another way") == 1


def test_a_foreign_file_is_one_sentence(nimdesk: Nimdesk, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("{}")
    result = nimdesk("replay", str(tmp_path / "x.json"))
    assert result.code == 2
    assert result.err.count("\n") == 1
    assert "is not a bundle of nimdesk" in result.err


@pytest.mark.parametrize(
    ("name", "iterations", "options", "position"),
    [
        ("uct", 500, {}, "nim:3,4,5"),
        (
            "uct",
            321,
            {"exploration": 0.3, "log_n": "root", "playouts": "zeroing", "memory_mb": 64},
            "nim:3,4,5 1-1 2-3",
        ),
        ("mcts", 200, {"prove": False, "merge": False, "exploration": 1 / 3}, "mnk:3,3,3 b2"),
        ("flat", 240, {"playouts": 1_000_000}, "nim:3,4,5"),
        ("flat", 250, {"playouts": 1_000_000}, "nim:3,4,5"),
        ("level6", 250, {}, "mnk:3,3,3"),
    ],
)
def test_the_copied_command_gives_the_numbers_of_the_search(
    nimdesk: Nimdesk, tmp_path: Path, name: str, iterations: int, options: dict[str, object], position: str
) -> None:
    run = searched(name, iterations, options, position)
    file = tmp_path / "a trace.csv"
    line = analyse_command(run, str(file))
    program, *arguments = shlex.split(line)
    assert program == "nimdesk"
    assert nimdesk(*arguments).code == 0
    trace = run.snapshot.trace
    assert trace is not None
    rows = list(csv.DictReader(io.StringIO(file.read_text())))
    assert [int(row["iteration"]) for row in rows] == trace.iterations.tolist()
    for column, move in enumerate(trace.moves):
        assert [int(row[f"visits:{move.text}"]) for row in rows] == trace.visits[:, column].tolist()
        assert [float(row[f"value_sum:{move.text}"]) for row in rows] == trace.value_sum[:, column].tolist()


def test_lab_opens_a_bundle(nimdesk: Nimdesk, monkeypatch: pytest.MonkeyPatch, saved: Path, tmp_path: Path) -> None:
    calls: list[tuple[object, object]] = []

    def run_window(position: AnyPosition | None, players: object, *, laboratory: bool, file: Path, **_: object) -> int:
        calls.append((position, file))
        return 0

    replace_module(monkeypatch, "nimdesk.app", run_window=run_window)
    assert nimdesk("lab", str(saved)).code == 0
    assert calls == [(None, saved)]
    assert nimdesk("lab", str(tmp_path / "none.json")).code == 2
    result = nimdesk("lab", "nim:3,4,5", str(saved))
    assert result.code == 2
    assert "either a position or a bundle" in result.err
    assert len(calls) == 1
