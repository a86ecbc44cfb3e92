"""Runs and their store: the state at any moment, trees dropped beyond a cap, agents without their own limits."""

import gc
import weakref

import numpy as np
import pytest

from nimdesk.agents import CATALOGUE, Agent, make_agent
from nimdesk.games import parse_position
from nimdesk.search import Limit, StopReason
from nimdesk.search.timeline import Cost
from nimdesk.ui.laboratory.agents_panel import run_words
from nimdesk.ui.laboratory.races import Run, RunKey
from nimdesk.ui.laboratory.searches import RunStore
from nimdesk.ui.laboratory.studied import Place, Studied, new_agent, title_of

NIM = parse_position("nim:3,4,5")


def searched(agent: Agent, iterations: int = 2000, seed: int = 1, store: RunStore | None = None) -> Run:
    run = (RunStore() if store is None else store).get(RunKey(NIM, agent.unlimited(), seed))
    run.searcher = run.key.agent.new_searcher()
    run.searcher.start(NIM, seed)
    for step in (10, 100, iterations):
        run.searcher.advance(Limit(iterations=step))
        run.update(run.searcher.snapshot())
    return run


def test_a_moment_is_what_the_search_was_then() -> None:
    run = searched(make_agent("uct"))
    line = run.timeline
    assert line is not None
    for iterations in line.iterations.tolist()[::20]:
        then = run.at(Cost.ITERATIONS, float(iterations))
        fresh = make_agent("uct", {"iterations": iterations}).new_searcher()
        fresh.start(NIM, 1)
        fresh.advance(Limit())
        exact = fresh.snapshot()
        assert then is not None
        assert then.iterations == exact.iterations == iterations
        assert [(m.visits, m.mean_value) for m in then.moves] == [(m.visits, m.mean_value) for m in exact.moves]
        assert then.best_move == exact.best_move
    assert run.at(Cost.ITERATIONS, None) is run.snapshot
    assert run.at(Cost.ITERATIONS, 1e9) is run.snapshot


def test_a_search_that_is_repeated_does_not_go_back() -> None:
    run = searched(make_agent("uct"))
    newest = run.snapshot
    early = run.key.agent.new_searcher()
    early.start(NIM, 1)
    early.advance(Limit(iterations=500))
    run.update(early.snapshot())
    assert run.snapshot is newest
    assert run.replaying
    early.advance(Limit(iterations=3000))
    run.update(early.snapshot())
    assert not run.replaying
    assert run.snapshot is not newest


def test_trees_are_dropped_and_results_stay() -> None:
    store = RunStore(trees_bytes=1)
    runs = [searched(make_agent("uct"), 3000, seed, store) for seed in range(1, 5)]
    dropped = store.trim([runs[0]])
    assert runs[0].searcher is not None, "what is shown keeps its tree"
    assert [run.tree_dropped for run in runs] == [False, True, True, True]
    assert len(dropped) == 3
    assert all(run.timeline is not None for run in runs)
    assert store.get(runs[2].key) is runs[2]


def test_the_oldest_results_are_dropped_and_their_search_says_so() -> None:
    kept = searched(make_agent("uct"), 300)
    store = RunStore(results_bytes=int(3.4 * kept.result_bytes))
    runs = [searched(make_agent("uct"), 300, seed, store) for seed in range(1, 7)]
    store.get(runs[1].key)  # looked at again
    store.trim([runs[0]])
    assert store.get(runs[0].key) is runs[0], "what is shown keeps its results"
    assert [store.get(run.key) is run for run in runs[1:]] == [True, False, False, True, True]
    again = store.get(runs[2].key)
    assert run_words(again.as_search(), running=False)[0] == "results dropped"
    assert runs[2].snapshot is not None
    again.update(runs[2].snapshot)
    assert not again.dropped
    assert (
        run_words(store.get(RunKey(NIM, make_agent("uct").unlimited(), 99)).as_search(), running=False)[0]
        == "no results yet"
    )


def test_a_dropped_run_is_held_by_nobody() -> None:
    store = RunStore(results_bytes=1)
    gone = weakref.ref(searched(make_agent("uct"), 300, 1, store))
    store.trim([])
    gc.collect()
    assert gone() is None


def test_a_thousand_positions_lead_back() -> None:
    place = Place(NIM)
    for _ in range(600):
        place.go_to(parse_position("nim:1"))
        place.go_to(parse_position("nim:2"))
    steps = 0
    while place.can_back:
        place.back()
        steps += 1
    assert steps == 999


def test_a_search_says_how_far_it_is_and_why_it_rests() -> None:
    run = searched(make_agent("uct"), 100)
    assert run.snapshot is not None
    assert run_words(run.as_search(), running=True)[0] == "100 iterations · running"
    run.update(run.snapshot.ended(StopReason.STOPPED))
    assert run_words(run.as_search(), running=False)[0] == "100 iterations · stopped by you"
    # It goes on when the kernels of all the others are compiled.
    assert run_words(run.as_search(), running=True)[0] == "100 iterations · waiting for the others"
    run.update(run.snapshot.ended(StopReason.ITERATIONS))
    assert run_words(run.as_search(), running=True)[0] == "100 iterations · at the limit, waiting for the others"


def test_a_search_stopped_before_it_began_has_no_results() -> None:
    run = RunStore().get(RunKey(NIM, make_agent("uct").unlimited(), 1))
    searcher = run.key.agent.new_searcher()
    searcher.start(NIM, 1)
    run.update(searcher.snapshot().ended(StopReason.STOPPED))
    assert run_words(run.as_search(), running=False)[0] == "no results yet"
    assert run_words(run.as_search(), running=True)[0] == "preparing…"


@pytest.mark.parametrize("name", sorted(CATALOGUE))
def test_every_agent_can_be_studied(name: str) -> None:
    agent = new_agent(name)
    assert agent.unlimited() == agent
    assert hash(Studied(agent, 1)) == hash(Studied(agent, 1))
    assert title_of(agent) == agent.info.title
    for hidden in agent.liftable & {"iterations", "time_s"}:
        assert getattr(agent.options, hidden) in (None, 1_000_000_000)


def test_the_title_names_what_is_not_as_usual() -> None:
    agent = make_agent("uct", {"exploration": 0.5, "iterations": 7, "final": "secure", "seed": 4}).unlimited()
    assert title_of(agent) == f"{agent.info.title}, Exploration c 0.5, Final choice: Secure"


@pytest.mark.parametrize(
    ("name", "options", "title"),
    [
        ("mcts", {"evaluate": False}, "MCTS, Evaluate positions off"),
        ("mcts", {"stop_at_proof": False, "order": False}, "MCTS, Stop at the proof off, Order moves off"),
        ("uct", {"keep_tree": True}, "MCTS, textbook, Keep the tree"),
    ],
)
def test_a_title_says_what_is_off(name: str, options: dict[str, object], title: str) -> None:
    assert title_of(make_agent(name, options).unlimited()) == title


def test_a_sampling_agents_choice_follows_its_rule() -> None:
    run = searched(make_agent("uct", {"final": "mean"}))
    assert run.timeline is not None
    assert run.snapshot is not None
    assert run.timeline.moves[run.timeline.choice[-1]] == run.snapshot.best_move
    assert (np.asarray(run.timeline.choice) >= 0).all()
