"""``nimdesk bench`` measures what it says and prints one row for each measurement."""

import json

import pytest

from nimdesk.cli import bench
from nimdesk.cli.bench import Measurement, measure
from nimdesk.search import Searcher
from nimdesk.search.options import UctOptions


def test_a_measurement_is_a_rate_of_real_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    done = []
    new_searcher = bench.uct_searcher

    def counted(options: UctOptions) -> Searcher:
        done.append((options.iterations, options.threads))
        return new_searcher(options)

    monkeypatch.setattr(bench, "uct_searcher", counted)
    found = measure("nim:1,3,5,7", 2, 3_000)
    assert (found.position, found.threads, found.iterations) == ("nim:1,3,5,7", 2, 3_000)
    assert done[0] == (64, 2), "a first search loads or compiles"
    assert set(done[1:]) == {(3_000, 2)}
    assert found.simulations_per_s > 10_000
    assert 5 < found.bytes_per_node < 100


def rows_of(monkeypatch: pytest.MonkeyPatch) -> list[Measurement]:
    made = []

    def fake(text: str, threads: int, iterations: int) -> Measurement:
        made.append(Measurement(text, threads, iterations, 1_234_567.8, 32.125))
        return made[-1]

    monkeypatch.setattr(bench, "measure", fake)
    return made


def test_json_has_a_list_with_the_five_fields_and_the_machine(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = rows_of(monkeypatch)
    bench.bench(as_json=True)
    document = json.loads(capsys.readouterr().out)
    assert {"processor", "cores", "numba", "date"} <= set(document["made"][0])
    printed = document["measured"]
    assert [set(row) for row in printed] == [
        {"position", "threads", "iterations", "simulations_per_s", "bytes_per_node"}
    ] * len(made)
    cases = [(row["position"], row["threads"], row["iterations"]) for row in printed]
    assert len(set(cases)) == len(cases) == 26
    assert {case for case in cases if case[2] == 1_000_000} == {
        ("mnk:5,5,4", 1, 1_000_000),
        ("mnk:5,5,4", 2, 1_000_000),
    }
    assert {case[:2] for case in cases} == {(text, threads) for text in bench.POSITIONS for threads in (1, 2)}


def test_the_table_has_a_line_for_each(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    made = rows_of(monkeypatch)
    bench.bench(as_json=False)
    head, *lines = capsys.readouterr().out.splitlines()
    assert head.split()[:2] == ["Position", "Threads"]
    assert len(lines) == len(made)
    assert lines[0].split() == ["nim:1,3,5,7", "1", "10,000", "1,234,568", "32.1"]
