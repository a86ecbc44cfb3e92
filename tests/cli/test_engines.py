"""Searches of one's own on the command line: written, added, checked against the textbook's, studied and matched."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from calling import Nimdesk
from engine_programs import ENGINES, HONEST, NODE, odd_engine
from plugin_packages import Processes, install, watched_processes

FEW = ("--position", "nim:1,4", "--seeds", "20", "--budgets", "20,100,200")
"""The tutorial tries the positions and budgets that are usual."""


@pytest.fixture(autouse=True)
def processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Processes]:
    monkeypatch.chdir(tmp_path)
    with watched_processes(monkeypatch) as started:
        yield started


def test_a_written_package_works_and_is_the_textbooks_uct(
    nimdesk: Nimdesk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = nimdesk("new-agent", "my-uct")
    assert (written.code, written.out) == (0, "pip install -e ./my-uct\nnimdesk check-agent my-uct\n")
    code = (tmp_path / "my-uct" / "my_uct.py").read_text(encoding="utf-8")
    install(tmp_path / "site", "nimdesk-my-uct", {"my-uct": "my_uct:Search"}, {"my_uct": code})
    assert '"my_uct:Search"' in (tmp_path / "my-uct" / "pyproject.toml").read_text(encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    checked = nimdesk("check-agent", "my-uct", *FEW)
    assert (checked.code, checked.err) == (0, "")
    for found in ("Legal", "Deterministic", "Keeps its time", "Counts honestly", "My uct agrees with MCTS, textbook"):
        assert f"sound   {found}" in checked.out


def test_a_deliberate_fault_is_found_and_drawn(
    nimdesk: Nimdesk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = (ENGINES / "search.py").read_text(encoding="utf-8").replace("TITLE", "Student")
    right = "node.value += end.outcome.score(node.position.turn.other)"
    assert right in code
    wrong = code.replace(right, "node.value += end.outcome.score(root.position.turn.other)")
    install(tmp_path / "site", "nimdesk-student", {"student": "student:Search"}, {"student": wrong})
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    checked = nimdesk("check-agent", "student", *FEW, "--figure", "parting.svg", "--json")
    assert checked.code == 2
    told = json.loads(checked.out)
    assert {each["verdict"] for each in told["findings"]} == {"sound"}
    tests = told["agreement"]["tests"]
    assert len(tests) == 3 * (5 + 1)
    assert any(test["differs"] and test["p_holm"] < 0.01 for test in tests)
    assert 1 < told["agreement"]["part_at"] < 100
    assert f"they part at {told['agreement']['part_at']} iterations" in checked.err
    assert (tmp_path / "parting.svg").stat().st_size > 1_000


@pytest.mark.parametrize(
    ("body", "greeting", "finding"),
    [
        (
            "import random as r; a = [r.random() * v for v in share]; "
            'say("checkpoint", iterations=n, visits=share, value_sums=a); say("best")',
            "{}",
            "wrong   Deterministic: Seed 0 gave two different searches of nim:2.",
        ),
        (
            "few = [n // 2 + 1] + [0] * (len(legal) - 1); "
            'say("checkpoint", iterations=n, visits=few, value_sums=[0] * len(legal)); say("best")',
            "{}",
            "wrong   Counts honestly: After 5 iterations the visits of its moves add up to 3.",
        ),
        (
            'time.sleep(message["time_ms"] / 1000 + 0.4); say("best", move=legal[0])',
            "{'counts': None}",
            "wrong   Keeps its time: at most ",
        ),
    ],
)
def test_what_is_wrong_with_an_engine_is_said(
    body: str, greeting: str, finding: str, nimdesk: Nimdesk, tmp_path: Path
) -> None:
    odd_engine(tmp_path / "odd", body, greeting)
    checked = nimdesk("check-agent", "odd", "--position", "nim:2", "--against", "none")
    assert checked.code == 2
    assert finding in checked.out


def test_an_engine_that_was_late_once_is_tried_again(nimdesk: Nimdesk, tmp_path: Path) -> None:
    """A busy machine is late now and then; an engine that does not keep its time is late each time."""
    body = 'time.sleep(message["time_ms"] / 1000 + 0.4 * (message["seed"] == 2)); say("best", move=legal[0])'
    odd_engine(tmp_path / "odd", body, "{'counts': None}")
    checked = nimdesk("check-agent", "odd", "--position", "nim:2", "--against", "none")
    assert "sound   Keeps its time: at most 0." in checked.out


@pytest.mark.skipif(NODE is None, reason="no JavaScript here")
def test_one_in_javascript_is_added_by_its_command_and_listed(nimdesk: Nimdesk) -> None:
    written = nimdesk("new-agent", "quick", "--language", "javascript")
    steps = written.out.splitlines()
    assert steps == ["nimdesk add-engine quick node quick/uct.js", "nimdesk check-agent quick"]
    added = nimdesk(*steps[0].split()[1:])
    assert (added.code, added.err) == (0, "")
    assert nimdesk("add-engine", "quick", "--", "node", "quick/uct.js").out == added.out
    assert "quick: Quick; it counts iterations. Games: nim, mnk. Options: exploration.\n" in added.out
    found = nimdesk("analyse", "nim:2,3", "--agent", "quick", "--iterations", "200", "--seed", "1")
    assert "200 iterations in" in found.out
    assert nimdesk("remove-engine", "quick").code == 0
    assert nimdesk("analyse", "nim:2,3", "--agent", "nobody").code == 2


def test_studies_read_it_at_the_budgets_that_it_had(nimdesk: Nimdesk, tmp_path: Path) -> None:
    odd_engine(tmp_path / "odd", HONEST)
    asked = ("--position", "nim:2,3", "--budgets", "10,100", "--seeds", "2", "--json")
    document = json.loads(nimdesk("study", "--agent", "odd", "--agent", "uct", *asked).out)
    assert [(row["agent"], row["budget"]) for row in document["rows"]] == [
        ("odd", 10), ("odd", 100), ("uct", 10), ("uct", 100)
    ]  # fmt: skip


def test_one_that_is_told_its_time_alone_is_studied_once(nimdesk: Nimdesk, tmp_path: Path) -> None:
    odd_engine(tmp_path / "odd", 'say("best", move=legal[0])', "{'counts': None}")
    asked = ("--position", "nim:2,3", "--budgets", "10,100", "--seeds", "2")
    document = json.loads(nimdesk("study", "--agent", "odd", "--agent", "uct", *asked, "--json").out)
    assert next((row["agent"], row["budget"]) for row in document["rows"]) == ("odd", None)
    assert "odd has a budget of its own" in " ".join(nimdesk("study", "--agent", "odd", *asked).out.split())


@pytest.mark.parametrize(("body", "points"), [(HONEST, 0), ("os._exit(1)", 1)])
def test_a_match_goes_on_to_its_end_whatever_it_does(body: str, points: int, nimdesk: Nimdesk, tmp_path: Path) -> None:
    odd_engine(tmp_path / "odd", body)
    asked = ("--position", "nim:2,3", "--games", "2", "--json")
    document = json.loads(nimdesk("match", "odd:iterations=20", "random", *asked).out)
    assert document["done"] == document["total"] == 4
    assert sum(row["forfeits"] for row in document["table"]) == 4 * points


def test_names_and_folders_that_are_taken_are_refused(nimdesk: Nimdesk, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    assert nimdesk("new-agent", "there").err == "nimdesk: There is a “there” already; choose another name.\n"
    for name in ("uct", "uct-002", "human"):
        assert f"There is an agent “{name}” already" in nimdesk("add-engine", name, sys.executable).err
    assert "“My Engine” is no name for an engine" in nimdesk("add-engine", "My Engine", sys.executable).err
