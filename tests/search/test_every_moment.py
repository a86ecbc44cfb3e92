"""Each row of a search's curve is what a fresh search, stopped at that very count, says: for every agent."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from example_packages import example_site, installed

from nimdesk.agents import CATALOGUE, Agent, make_agent
from nimdesk.games import AnyPosition, parse_position
from nimdesk.search import Limit, Searcher, Snapshot
from nimdesk.search.timeline import Cost, Recorder, Timeline, cost_of

pytestmark = pytest.mark.slow

BUDGET = 200
NIM, LINES, LOST, WITHOUT_KERNEL = "nim:2,3,4", "mnk:3,3,3 b2", "nim:1,2,3", "kayles:4,3"
AGENTS = [
    *((name, {}) for name in CATALOGUE),
    ("uct", {"final": "mean"}),
    ("uct", {"final": "secure"}),
    ("uct", {"threads": 3}),
    ("mcts", {"stop_at_proof": False}),
    ("mcts", {"prove": False}),
]
"""Every agent of the catalogue, and the options that change how a search chooses, grows or ends."""


@pytest.fixture(scope="module")
def _kayles() -> Iterator[None]:
    with installed(example_site("kayles")):
        yield


def unlimited(name: str, options: dict[str, object]) -> Agent:
    return make_agent(name, options).unlimited()


def started(agent: Agent, position: AnyPosition) -> Searcher:
    searcher = agent.new_searcher(position)
    searcher.start(position, 5)
    return searcher


def watched(agent: Agent, position: AnyPosition) -> tuple[Timeline, Snapshot]:
    """The search in a few uneven slices."""
    searcher, recorder = started(agent, position), Recorder()
    for part in (7, 23, 24, 120, BUDGET):
        ended = searcher.advance(Limit(iterations=part, nodes=None if by_iterations(agent) else part)) is not None
        snapshot = searcher.snapshot()
        recorder.add(snapshot)
        if ended:
            break
    return recorder.timeline(snapshot), snapshot


def by_iterations(agent: Agent) -> bool:
    return agent.traits.counts == "iterations"


@pytest.mark.usefixtures("_kayles")
@pytest.mark.parametrize("text", [NIM, LINES, LOST, WITHOUT_KERNEL])
@pytest.mark.parametrize(("name", "options"), AGENTS, ids=lambda each: str(each).strip("{}") or "-")
def test_each_row_is_what_a_fresh_search_stopped_there_says(name: str, options: dict[str, object], text: str) -> None:
    agent, position = unlimited(name, options), parse_position(text)
    if not agent.plays(position) or (text == WITHOUT_KERNEL and name in ("solver", "perfect")):
        return
    line, newest = watched(agent, position)
    assert len(line)
    for row in {0, *range(2, len(line), 31), *range(max(0, len(line) - 2), len(line))}:
        searcher = started(agent, position)
        nodes = None if by_iterations(agent) or line.nodes is None else int(line.nodes[row])
        searcher.advance(Limit(iterations=int(line.iterations[row]) or None, nodes=nodes or None))
        fresh = searcher.snapshot()
        for cost in (Cost.ITERATIONS, Cost.PLAYOUTS, Cost.NODES):
            spent = line.costs(cost)
            assert (None if spent is None else spent[row]) == cost_of(fresh, cost), (row, cost)
        chosen = line.choice[row]
        assert (line.moves[chosen] if chosen >= 0 else None) == fresh.best_move, row
        if line.trace is not None:
            assert line.trace.visits[row].tolist() == [stats.visits for stats in fresh.moves]
            means = [stats.mean_value for stats in fresh.moves]
            sums = line.trace.value_sum[row].tolist()
            for n, total, mean in zip(line.trace.visits[row].tolist(), sums, means, strict=True):
                assert (None if mean is None else n * mean) == (pytest.approx(total, rel=1e-6) if n else None)
    assert line.choice[-1] == (-1 if newest.best_move is None else line.moves.index(newest.best_move))
