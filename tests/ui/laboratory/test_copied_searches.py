"""What the laboratory shows is what its copied command line and its copied Python come to, whoever searches."""

from __future__ import annotations

import io
import json
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from typing import Any

import pytest
from desk import WAIT_MS
from pytestqt.qtbot import QtBot

from nimdesk.__main__ import main
from nimdesk.agents import CATALOGUE, make_agent
from nimdesk.api import Search
from nimdesk.games import parse_position
from nimdesk.search import Snapshot
from nimdesk.search.timeline import Cost
from nimdesk.ui.laboratory.export_contents import calls, commands, unsure
from nimdesk.ui.laboratory.model import Laboratory
from nimdesk.ui.laboratory.searches import Axis
from nimdesk.ui.laboratory.studied import Studied

NIM, LINES = "nim:3,4,5", "mnk:3,3,3 b2"
SEED = 7
OTHERS: list[tuple[str, dict[str, object]]] = [
    ("uct", {"exploration": 0.3, "final": "secure"}),
    ("uct", {"threads": 3}),
    ("mcts", {"stop_at_proof": False}),
    ("mcts", {"prove": False, "merge": False}),
    ("flat", {"playouts": 10}),
]


@pytest.fixture
def lab(qtbot: QtBot) -> Iterator[Laboratory]:
    made = Laboratory(parse_position(NIM))
    yield made
    made.shutdown()


Run = Callable[..., Snapshot]


@pytest.fixture
def run(qtbot: QtBot, lab: Laboratory) -> Run:
    def search(name: str, options: dict[str, object], where: str, cost: Cost, limit: float) -> Snapshot:
        lab.place.go_to(parse_position(where))
        lab.agents.set_all((Studied(make_agent(name, options).unlimited(), SEED),))
        lab.searches.set_axis(Axis(cost))
        lab.searches.set_limit(limit)
        lab.searches.run()
        qtbot.waitUntil(lambda: not lab.searches.running, timeout=WAIT_MS)
        snapshot = lab.searches.focused.snapshot
        assert snapshot is not None, lab.searches.focused.problem
        return snapshot

    return search


def said(line: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the command line prints."""
    monkeypatch.setattr(sys, "argv", [*shlex.split(line), "--json"])
    printed = io.StringIO()
    with redirect_stdout(printed):
        assert main() == 0
    answer: dict[str, Any] = json.loads(printed.getvalue())
    return answer


def computed(script: str) -> Snapshot:
    """What the script finds."""
    names: dict[str, Any] = {}
    exec(script, names)
    search = names["a"]
    assert isinstance(search, Search)
    return search.snapshot


def agree(lab: Laboratory, shown: Snapshot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both roads come to what is shown, to the last visit and the last digit of each mean."""
    there, again = said(commands(lab.moment()), monkeypatch), computed(calls(lab.moment()))
    best = None if shown.best_move is None else shown.best_move.text
    assert (there["best_move"], there["iterations"]) == (best, shown.iterations)
    assert there["nodes"] == (shown.tree_nodes if shown.has_nodes else None)
    told = [(each["move"], each.get(shown.counted), each["mean_value"]) for each in there["moves"]]
    visits = [stats.visits if shown.counted else None for stats in shown.moves]
    assert told == [(m.move.text, count, m.mean_value) for m, count in zip(shown.moves, visits, strict=True)]
    assert (again.moves, again.best_move, again.tree_nodes) == (shown.moves, shown.best_move, shown.tree_nodes)


@pytest.mark.parametrize("limit", [97, 1_000])
@pytest.mark.parametrize("where", [NIM, LINES])
@pytest.mark.parametrize(("name", "options"), [*((name, {}) for name in CATALOGUE), *OTHERS])
def test_every_agent(
    lab: Laboratory,
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Any,
    name: str,
    options: dict[str, object],
    where: str,
    limit: int,
) -> None:
    """In the middle of a round of flat Monte Carlo, of a level's own budget, and of a search of alpha-beta."""
    monkeypatch.chdir(tmp_path)
    if not make_agent(name, options).plays(parse_position(where)):
        pytest.skip("it does not play this game")
    cost = Cost.ITERATIONS if CATALOGUE[name].traits.counts == "iterations" else Cost.NODES
    shown = run(name, options, where, cost, float(limit))
    assert not unsure(lab.moment())
    agree(lab, shown, monkeypatch)


SAMPLED = [("uct", {}), ("uct", {"threads": 3}), ("mcts", {}), ("variants", {}), ("flat", {}), ("level5", {})]


@pytest.mark.parametrize(("cost", "limit"), [(Cost.SECONDS, 0.05), (Cost.PLAYOUTS, 501), (Cost.NODES, 300)])
@pytest.mark.parametrize(("name", "options"), SAMPLED)
def test_whatever_it_ran_until(
    lab: Laboratory,
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Any,
    name: str,
    options: dict[str, object],
    cost: Cost,
    limit: float,
) -> None:
    monkeypatch.chdir(tmp_path)
    if cost is Cost.NODES and name == "flat":
        pytest.skip("it has no nodes, and would run on")
    shown = run(name, options, "mnk:5,5,4", cost, limit)
    assert not unsure(lab.moment())
    agree(lab, shown, monkeypatch)
