"""A bundle opens to what was saved and runs again to the same numbers; a broken one says what is wrong."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from nimdesk.agents import make_agent
from nimdesk.disk.provenance import made_here
from nimdesk.errors import BundleError
from nimdesk.games import parse_position
from nimdesk.limit import Limit
from nimdesk.play.bundle import (
    Bundle,
    SavedRun,
    analyse_command,
    as_run,
    difference,
    load_bundle,
    repeat,
    runs_csv,
    save_bundle,
)
from nimdesk.search import Snapshot, StopReason
from nimdesk.search.timeline import Cost

POSITION = "nim:3,4,5 2-1"


def searched(name: str, iterations: int | None, seed: int = 3, position: str = POSITION, **options: object) -> SavedRun:
    agent = make_agent(name, options)
    searcher = agent.new_searcher()
    searcher.start(parse_position(position), seed)
    stopped = searcher.advance(Limit(iterations=iterations, time_s=None if iterations is None else 60.0))
    snapshot: Snapshot = searcher.snapshot()
    snapshot = snapshot if stopped is not None else snapshot.ended(StopReason.ITERATIONS)
    chosen = [stats.move for stats in snapshot.moves].index(snapshot.best_move)  # type: ignore[arg-type]
    row = (snapshot.iterations, snapshot.elapsed_s, float(snapshot.tree_nodes), chosen)
    return SavedRun(agent, seed, snapshot, (row,))


@pytest.fixture(scope="module")
def bundle() -> Bundle:
    runs = (searched("uct", 777), searched("mcts", 500), searched("alphabeta", None), searched("deepening", None))
    return Bundle(parse_position(POSITION), runs, {"axis": "iterations", "log": True})


@pytest.fixture
def saved(bundle: Bundle, tmp_path: Path) -> Path:
    path = tmp_path / "story.nimbundle.json"
    save_bundle(bundle, path)
    return path


def test_what_is_opened_is_what_was_saved_to_the_last_number(bundle: Bundle, saved: Path) -> None:
    opened = load_bundle(saved)
    assert (opened.position, opened.position.moves) == (bundle.position, bundle.position.moves)
    assert opened.shown == bundle.shown
    assert opened.made is not None
    assert opened.made.programs == made_here().programs
    for before, after in zip(bundle.runs, opened.runs, strict=True):
        assert (after.agent, after.seed, after.rows) == (before.agent, before.seed, before.rows)
        one, two = before.snapshot, after.snapshot
        # comment and listing are words made anew by a search; all else is kept
        assert two.moves == one.moves
        assert (two.best_move, two.iterations, two.elapsed_s, two.stopped) == (
            one.best_move,
            one.iterations,
            one.elapsed_s,
            one.stopped,
        )
        assert (one.trace is None) == (two.trace is None)
        if one.trace is not None and two.trace is not None:
            for name in ("iterations", "elapsed_s", "visits", "value_sum", "playouts", "nodes"):
                assert np.array_equal(getattr(one.trace, name), getattr(two.trace, name)), name


def test_what_the_search_has_proven_survives(saved: Path) -> None:
    proven = [stats for stats in load_bundle(saved).runs[1].snapshot.moves if stats.proven is not None]
    assert proven, "merged search proves something in so small a position"


def test_two_runs_of_one_bundle_give_identical_csv(bundle: Bundle, saved: Path) -> None:
    made = []
    for _ in range(2):
        runs = load_bundle(saved).runs
        again = [(f"{place}", repeat(run)) for place, run in enumerate(runs)]
        for run, (_, other) in zip(runs, again, strict=True):
            assert difference(run.snapshot, other.snapshot) == ""
        made.append(runs_csv(again))
    assert made[0] == made[1]
    assert made[0] == runs_csv([(f"{place}", run) for place, run in enumerate(bundle.runs)])


def test_the_csv_has_a_line_for_each_checkpoint_and_the_sums_of_visits_are_the_iterations(bundle: Bundle) -> None:
    lines = list(csv.DictReader(io.StringIO(runs_csv([("A", bundle.runs[0])]))))
    trace = bundle.runs[0].snapshot.trace
    assert trace is not None
    assert len(lines) == len(trace)
    for line in lines:
        assert sum(int(line[name]) for name in line if name.startswith("visits:")) == int(line["iteration"])
    assert trace.playouts is not None
    assert trace.nodes is not None
    assert [int(line["playouts"]) for line in lines] == trace.playouts.tolist()
    assert [int(line["nodes"]) for line in lines] == trace.nodes.tolist()
    assert [float(line["elapsed_s"]) for line in lines] == trace.elapsed_s.tolist()
    assert [line["plays"] for line in lines] == [trace.moves[column].text for column in trace.choice]


def test_a_different_search_is_told_from_the_same(bundle: Bundle) -> None:
    first = bundle.runs[0]
    other = repeat(replace(first, seed=first.seed + 1)).snapshot
    assert "differ from iteration" in difference(first.snapshot, other)
    shorter = searched("uct", 500).snapshot
    assert difference(first.snapshot, shorter)


def test_a_search_that_the_clock_ended_is_flagged_unless_its_iterations_say_where(bundle: Bundle) -> None:
    by_clock = searched("alphabeta", None)
    stopped = replace(by_clock, snapshot=by_clock.snapshot.ended(StopReason.TIME))
    assert "clock" in stopped.why_not_repeatable
    sampled = replace(bundle.runs[0], snapshot=bundle.runs[0].snapshot.ended(StopReason.TIME))
    assert sampled.why_not_repeatable == ""
    assert difference(sampled.snapshot, repeat(sampled).snapshot) == ""


def test_a_bundle_of_the_first_version_opens_with_its_proofs(bundle: Bundle, saved: Path) -> None:
    document = json.loads(saved.read_text())
    document["version"] = 1
    del document["made"]
    for run in document["runs"]:
        search = run["search"]
        run["proofs"] = [{"value": m.pop("proven", None), "distance": m.pop("distance", None)} for m in search["moves"]]
        for name in ("comment", "playouts", "reused", "steps"):
            search.pop(name, None)
        for name in ("playouts", "nodes"):
            (search["trace"] or {}).pop(name, None)
    saved.write_text(json.dumps(document))
    for before, after in zip(bundle.runs, load_bundle(saved).runs, strict=True):
        assert after.snapshot.moves == before.snapshot.moves
        assert after.snapshot.steps == ()
        if before.snapshot.trace is not None:
            assert after.timeline.costs(Cost.NODES) is None, "what nobody counted is not made up"
        # Run again, it has all of them.
        assert runs_csv([("A", repeat(after))]) == runs_csv([("A", before)])


def _set(*keys: str | int, to: object) -> Callable[[dict[str, Any]], None]:
    def change(document: dict[str, Any]) -> None:
        at: Any = document
        for key in keys[:-1]:
            at = at[key]
        at[keys[-1]] = to

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_set("format", to="nimdesk-game"), "is not a bundle of nimdesk"),
        (_set("version", to=5), "newer nimdesk"),
        (_set("position", to="nim:3,4,500"), "in the position"),
        (_set("position", to="nim:3,4,5"), "in search 1"),
        (_set("runs", to=[]), "length"),
        (_set("runs", 0, "agent", "agent", to="stockfish"), "in search 1: there is no agent “stockfish”"),
        (_set("runs", 0, "agent", "options", "exploration", to=-1), "exploration c is “-1”"),
        (_set("runs", 0, "seed", to=4), "its seed is 4"),
        (_set("runs", 0, "search", "trace", "visits", to="AAAA"), "the trace's visits"),
        (_set("runs", 0, "rows", to=[[1, 0.0, 1.0, 40]]), "a row's choice"),
        (_set("runs", 0, "proofs", to=[]), "one entry in “proofs” for each"),
        (_set("runs", 0, "extra", to=1), "extra"),
    ],
)
def test_a_broken_bundle_is_one_clear_sentence(
    saved: Path, change: Callable[[dict[str, Any]], None], words: str
) -> None:
    document = json.loads(saved.read_text())
    change(document)
    saved.write_text(json.dumps(document))
    with pytest.raises(BundleError) as raised:
        load_bundle(saved)
    text = str(raised.value)
    assert saved.name in text
    assert words in text
    assert text.endswith(".")


@pytest.mark.parametrize("data", [b"", b"\xff\xfe", b"{", b"[" * 100_000, b"[]"])
def test_what_is_no_document_at_all_is_a_sentence_too(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(data)
    with pytest.raises(BundleError, match="cannot be opened"):
        load_bundle(path)


def test_a_file_that_cannot_be_written_leaves_the_old_one(bundle: Bundle, saved: Path, tmp_path: Path) -> None:
    before = saved.read_bytes()
    with pytest.raises(BundleError, match="cannot be saved"):
        save_bundle(bundle, tmp_path / "missing" / "x.json")
    assert saved.read_bytes() == before
    with pytest.raises(BundleError, match="there is no such file"):
        load_bundle(tmp_path / "missing.json")


@pytest.mark.parametrize(
    ("name", "position", "option"), [("uct", POSITION, "iterations"), ("flat", "nim:1,2", "playouts")]
)
def test_a_search_beyond_what_an_option_holds_is_told_as_it_was(name: str, position: str, option: str) -> None:
    """A search of the laboratory without a limit comes to a thousand million iterations in minutes."""
    run = searched(name, 500, position=position)
    long = msgspec.structs.replace(run.snapshot, iterations=4_000_000_000)
    assert as_run(run.agent.unlimited(), long)["iterations"] == 4_000_000_000
    wanted = -(-4_000_000_000 // len(long.moves)) if option == "playouts" else 4_000_000_000
    assert f"--{option} {wanted}" in analyse_command(replace(run, snapshot=long))
