"""Searches of others: programs in any language and generators of packages, with curves like nimdesk's own; one that is
silent, lies, crashes, is slow or chats is named in one sentence, and the next search begins anew."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from engine_programs import ENGINES, HONEST, example_command, odd_agent, odd_engine
from plugin_packages import Processes, install, watched_processes

from nimdesk.agents import CATALOGUE, Agent, load_plugins, make_agent
from nimdesk.agents.engines import add_engine, added_engines, remove_engine
from nimdesk.disk.paths import engine_logs_dir, engines_file
from nimdesk.errors import AgentError, OptionError
from nimdesk.games import AnyPosition, parse_position
from nimdesk.games.truth import Value
from nimdesk.search import Limit, Snapshot, StopReason, drive, foreign
from nimdesk.search.tree_types import TreeView

NIM = parse_position("nim:3,4,5")
SMALL = parse_position("nim:2,3")
FOUR = parse_position("mnk:7,6,4:gravity d1 d2 d3")
BAD_VALUES = 'say("checkpoint", iterations=n, visits=share, value_sums=[2.0 * v for v in share]); say("best")'
TWICE = 'say("checkpoint", iterations=n, visits=[2 * v for v in share], value_sums=share); say("best")'
BACK = 'n = 10 if n > 20 else n; say("checkpoint", iterations=n, visits=[n] + [0] * 11, value_sums=[0] * 12)'
SHORT = 'n = max(n // 2, 1); say("checkpoint", iterations=n, visits=[n] + [0] * 11, value_sums=[0] * 12); say("best")'


@pytest.fixture(autouse=True)
def processes(monkeypatch: pytest.MonkeyPatch) -> Iterator[Processes]:
    with watched_processes(monkeypatch) as started:
        yield started


def searched(agent: Agent, position: AnyPosition = NIM, seed: int = 1, **limit: int) -> Snapshot:
    searcher = agent.new_searcher(position)
    searcher.start(position, seed)
    drive(searcher, Limit(**limit))
    return searcher.snapshot()


@pytest.mark.parametrize("language", ["python", "javascript", "c"])
def test_an_example_searches_with_curves_and_comes_to_the_truth(language: str, tmp_path: Path) -> None:
    command = example_command(language, tmp_path)
    if command is None:
        pytest.skip(f"no {language} here")
    add_engine("own", command, tmp_path)
    load_plugins(only="own")
    agent = make_agent("own", {"iterations": 2_000, "exploration": 1})
    now = searched(agent, SMALL)
    assert (now.iterations, now.total_visits, now.stopped) == (2_000, 2_000, StopReason.ITERATIONS)
    trace = now.trace
    assert trace is not None
    assert trace.iterations[:8].tolist() == [1, 2, 3, 4, 5, 6, 7, 8]
    assert trace.iterations[-1] == 2_000
    assert (trace.visits.sum(axis=1) == trace.iterations).all()
    assert (trace.value_sum <= trace.visits).all()
    assert now.best_move is not None
    assert now.best_move.text == "2-1", "the only move that keeps the win: it leaves 2 and 2"
    again = searched(agent, SMALL)
    assert [stats.visits for stats in again.moves] == [stats.visits for stats in now.moves]
    won = searched(agent, parse_position("mnk:7,6,4:gravity d1 a1 e1 a2 f1 b1"))
    assert won.best_move is not None
    assert won.best_move.text in ("c1", "g1")


@pytest.mark.skipif(os.name == "nt", reason="there no process of nimdesk comes between")
def test_a_program_frozen_with_its_own_python_starts_engines_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = (sys.executable, str(ENGINES / "uct.py"))
    frozen = tmp_path / "nimdesk"
    begins = f"sys.path[:] = {sys.path!r}; from nimdesk.__main__ import main; sys.exit(main())"
    frozen.write_text(f"#!{sys.executable}\nimport sys; {begins}\n")
    frozen.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(frozen))
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    add_engine("own", command, tmp_path)
    load_plugins(only="own")
    assert searched(make_agent("own", {"iterations": 50})).iterations == 50


def test_stopping_on_the_way_changes_nothing(tmp_path: Path) -> None:
    agent = example_agent(tmp_path)
    whole = searched(agent, iterations=500)
    searcher = agent.new_searcher(NIM)
    searcher.start(NIM, 1)
    for count in (1, 7, 100, 101, 499, 500):
        searcher.advance(Limit(count))
        assert searcher.snapshot().iterations == count
    assert [stats.visits for stats in searcher.snapshot().moves] == [stats.visits for stats in whole.moves]


def example_agent(folder: Path) -> Agent:
    add_engine("own", (sys.executable, str(ENGINES / "uct.py")), folder)
    load_plugins(only="own")
    return make_agent("own")


def test_a_generator_of_a_package_is_a_search_with_a_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = tmp_path / "site"
    code = (ENGINES / "search.py").read_text(encoding="utf-8").replace("TITLE", "Student")
    install(site, "nimdesk-student", {"student": "student:Search"}, {"student": code})
    monkeypatch.syspath_prepend(str(site))
    load_plugins(only="student")
    info = CATALOGUE["student"]
    assert (info.title, info.traits.budget, info.traits.tree) == ("Student", "iterations", "kept")
    assert [field.name for field in info.fields] == ["memory_mb", "seed", "iterations", "time_s", "exploration"]
    agent = make_agent("student", {"iterations": 400})
    searcher = agent.new_searcher(SMALL)
    searcher.start(SMALL, 3)
    assert drive(searcher) is StopReason.ITERATIONS
    now = searcher.snapshot()
    assert now.total_visits == 400
    assert isinstance(searcher, TreeView)
    root = searcher.family(())
    assert root is not None
    by_move = {branch.move: branch for branch in root.branches}
    most = max(now.moves, key=lambda stats: stats.visits)
    assert by_move[most.move].visits == most.visits
    assert by_move[most.move].mean_value == pytest.approx(most.mean_value)
    below = searcher.family((most.move,))
    assert below is not None
    assert 0 < sum(branch.visits for branch in below.branches) < most.visits
    del searcher


def test_a_generator_that_ends_has_found_all_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = """
from nimdesk.agents import Checkpoint

def search(position, options, seed):
    "Tries each move once."
    for n in range(1, len(position.legal_moves) + 1):
        yield Checkpoint(n, {move: 1 for move in position.legal_moves[:n]}, {})
"""
    install(tmp_path / "site", "nimdesk-once", {"once": "once:search"}, {"once": code})
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    load_plugins(only="once")
    assert CATALOGUE["once"].about == "Tries each move once."
    now = searched(make_agent("once"))
    assert (now.iterations, now.stopped) == (12, StopReason.COMPLETE)


def test_a_generator_that_was_changed_is_begun_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = """
from nimdesk.agents import Checkpoint

def search(position, options, seed):
    for n in range(1, 1_000):
        yield Checkpoint(n, {position.legal_moves[0]: n}, {})
"""
    install(tmp_path / "site", "nimdesk-first", {"first": "first:search"}, {"first": code})
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    load_plugins(only="first")
    agent = make_agent("first", {"iterations": 20})
    assert searched(agent).best_move == NIM.legal_moves[0]
    (tmp_path / "site" / "first.py").write_text(code.replace("moves[0]", "moves[-1]"), encoding="utf-8")
    assert searched(agent).best_move == NIM.legal_moves[-1]


@pytest.mark.parametrize("said", ["1/0", "yield 7", "yield Checkpoint(1, [1], [0])", "return"])
def test_what_is_wrong_with_a_generator_is_said_in_a_sentence(
    said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = f"from nimdesk.agents import Checkpoint\n\ndef search(position, options, seed):\n    {said}\n    yield\n"
    install(tmp_path / "site", "nimdesk-bad", {"bad": "bad_search:search"}, {"bad_search": code})
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    load_plugins(only="bad")
    with pytest.raises(AgentError) as failed:
        searched(make_agent("bad"))
    says = {
        "1/0": "failed while it searched: division by zero (ZeroDivisionError in line 4 of bad_search.py)",
        "yield 7": "yielded 7 instead of a Checkpoint",
        "yield Checkpoint(1, [1], [0])": "told 1 visits for 12 legal moves",
        "return": "ended without a checkpoint",
    }
    assert str(failed.value) == f"The agent “search” {says[said]}."


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("time.sleep(60)", "said nothing for 1 s"),
        ("sys.exit(3)", "ended its process, with exit code 3"),
        ("os.kill(os.getpid(), 11)", "crashed: its process was ended by SIGSEGV"),
        ('say("error", why="knows no such pile")', "knows no such pile"),
        ('print("{nonsense", flush=True)', "said something that is no line of the protocol, {nonsense"),
        ('say("checkpoint", iterations="many")', "said something that is no line of the protocol"),
        ('say("best")', "ended a search without a word on how far it is"),
        (HONEST.replace('"best"', '"best", move="9-9"'), "plays “9-9”, which is not legal in nim:3,4,5"),
        (BAD_VALUES, "told a value sum of 2 for 1 visits of 1-1; each counts from 0 to 1"),
        (TWICE, "told 2 visits in 1 iterations"),
        (f'{BACK}; say("best")', "counts backwards"),
        (SHORT, "ended its search after 1 of 2 iterations"),
        (
            'say("checkpoint", iterations=n, visits=[n], value_sums=[0]); say("best")',
            "told 1 visits for 12 legal moves",
        ),
        (f'say("best"); {HONEST.strip().replace(chr(10), "; ")}', "ended a search without a word on how far it is"),
    ],
)
def test_what_is_wrong_is_one_sentence_and_the_next_search_begins_anew(
    body: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, processes: Processes
) -> None:
    monkeypatch.setattr(foreign, "SILENCE_S", 1.0)
    agent = odd_agent(tmp_path / "odd", body)
    for _ in range(2):
        with pytest.raises(AgentError) as failed:
            searched(agent)
        assert str(failed.value).startswith(f"The agent “Odd” {says}"), failed.value
        assert str(failed.value).endswith(".")
    assert len(processes) == 3, "one that greeted, and one for each search"
    assert not processes.running


def test_one_that_chats_searches_and_its_words_are_in_its_log(tmp_path: Path) -> None:
    chat = 'print("thinking about", n, flush=True); print("warning!", file=sys.stderr, flush=True)\n'
    agent = odd_agent(tmp_path / "odd", chat + HONEST, iterations=50)
    assert searched(agent).iterations == 50
    words = (engine_logs_dir() / "odd.log").read_text(encoding="utf-8")
    assert "thinking about 50\n" in words
    assert "warning!\n" in words


def test_a_slow_one_keeps_nobody_waiting(tmp_path: Path) -> None:
    agent = odd_agent(tmp_path / "odd", "time.sleep(2)\n" + HONEST)
    searcher = agent.new_searcher(NIM)
    searcher.start(NIM, 1)
    while searcher.snapshot().best_move is None:
        begin = time.monotonic()
        searcher.advance(Limit(time_s=searcher.snapshot().elapsed_s + 0.015))
        assert time.monotonic() - begin < 1
    searcher.start(NIM, 2)
    assert searcher.snapshot().iterations == 0


def test_changed_code_is_taken_at_the_next_search(tmp_path: Path) -> None:
    agent = odd_agent(tmp_path / "odd", HONEST, iterations=12)
    assert searched(agent).moves[0].mean_value == 0.5
    path = tmp_path / "odd" / "odd.py"
    text = path.read_text(encoding="utf-8").replace("v / 2", "v * 1.0")
    path.write_text(text, encoding="utf-8")
    os.utime(path, (time.time() + 5, time.time() + 5))
    assert searched(agent).moves[0].mean_value == 1.0


def test_one_process_serves_one_search_after_the_other(tmp_path: Path, processes: Processes) -> None:
    agent = odd_agent(tmp_path / "odd", HONEST, iterations=12)
    for seed in range(5):
        searched(agent, seed=seed)
    assert len(processes) == 2, "one that greeted, one that searched"


def test_one_that_is_told_its_time_alone_has_a_budget_of_its_own(tmp_path: Path) -> None:
    body = 'time.sleep(message["time_ms"] / 1000)\n'
    body += 'say("checkpoint", depth=3, nodes=77, value=0.75, best=legal[1], words="fine.")\n'
    agent = odd_agent(tmp_path / "odd", body + 'say("best", move=legal[1])', "{'counts': None}", time_s=0.1)
    assert not agent.takes_budget(NIM)
    assert agent.with_budget(10, NIM) == agent == agent.unlimited()
    now = searched(agent)
    assert now.best_move == NIM.legal_moves[1]
    assert (now.tree_nodes, now.trace, now.proven) == (77, None, None)
    assert [(step.depth, step.nodes, step.value) for step in now.steps] == [(3, 77, Value.UNKNOWN)]
    assert (
        now.comment == "It looks 3 moves ahead. It takes the position for worth 0.750 (win 1, loss 0). It says: fine."
    )


def test_one_that_counts_nodes_stops_at_its_nodes(tmp_path: Path) -> None:
    body = 'say("checkpoint", nodes=n, visits=share, best=legal[0]); say("best", move=legal[0])'
    agent = odd_agent(tmp_path / "odd", body, "{'counts': 'nodes'}", nodes=5_000)
    now = searched(agent)
    assert (now.tree_nodes, now.trace, now.stopped) == (5_000, None, StopReason.NODES)
    assert searched(agent, nodes=100).tree_nodes == 100


def test_it_plays_only_the_games_that_it_names(tmp_path: Path) -> None:
    agent = odd_agent(tmp_path / "odd", HONEST, "{'games': ['nim']}")
    assert agent.plays(NIM)
    assert not agent.plays(FOUR)


def test_engines_are_added_replaced_and_removed(tmp_path: Path) -> None:
    odd_engine(tmp_path / "odd", HONEST, "{'name': 'First'}")
    odd_engine(tmp_path / "odd", HONEST, "{'name': 'Second'}")
    assert [(each.name, each.greeting.name) for each in added_engines()] == [("odd", "Second")]
    remove_engine("odd")
    assert added_engines() == ()
    with pytest.raises(OptionError, match=r"^No engine “odd” was added; there are: none\.$"):
        remove_engine("odd")


def test_one_in_the_list_with_options_that_nobody_can_use_is_there_with_that_and_hides_no_other(tmp_path: Path) -> None:
    odd_engine(tmp_path / "odd", HONEST, "{'options': [{'name': 'depth', 'kind': 'switch', 'default': True}]}")
    odd_engine(tmp_path / "other", HONEST, name="other")
    text = engines_file().read_text(encoding="utf-8")
    engines_file().write_text(text.replace('"depth"', '"agent"'), encoding="utf-8")
    load_plugins()
    assert searched(make_agent("other", {"iterations": 12})).iterations == 12
    assert CATALOGUE["odd"].about.startswith("This engine cannot be used: it has an option “agent”")
    with pytest.raises(AgentError, match=r"^The agent “Odd” cannot be used: it has an option “agent”[^.]*\.$"):
        searched(make_agent("odd"))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux bounds the memory")
def test_it_gets_the_memory_of_its_options_whatever_others_of_its_kind_get(
    tmp_path: Path, processes: Processes
) -> None:
    words = "str(resource.getrlimit(resource.RLIMIT_DATA)[0] >> 20)"
    said = f'say("checkpoint", iterations=n, visits=share, value_sums=half, words={words})'
    agent = odd_agent(tmp_path / "odd", f'import resource; {said}; say("best")', iterations=12)
    for _ in range(2):
        for memory_mb in (512, 8_192):
            assert searched(agent.with_options({"memory_mb": memory_mb})).comment == f"It says: {memory_mb}."
    assert len(processes) == 3, "one that greeted, and one for each memory"


@pytest.mark.parametrize(
    ("greeting", "says"),
    [
        ("{'version': 2}", "said something that is no line of the protocol"),
        ("{'options': [{'name': 'C', 'kind': 'int', 'default': 1}]}", "has an option “C” whose name is not made of"),
    ],
)
def test_one_that_greets_wrongly_is_not_added(greeting: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=f"^The engine “odd” {says}"):
        odd_engine(tmp_path / "odd", HONEST, greeting)
    assert added_engines() == ()


def test_a_command_that_is_not_there_is_not_added(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"^The engine “odd” ended its process, with exit code 127"):
        add_engine("odd", ("./nothing-of-this-name",), tmp_path)
    assert added_engines() == ()


def test_a_search_that_is_under_way_when_nimdesk_ends_leaves_no_word(tmp_path: Path) -> None:
    odd_engine(tmp_path, "time.sleep(60)", "dict(tree=False)")
    lines = (
        "from nimdesk.agents import load_plugins, make_agent",
        "from nimdesk.games import parse_position",
        "from nimdesk.limit import Limit",
        "load_plugins(only='odd')",
        "searcher = make_agent('odd', {}).new_searcher()",
        "searcher.start(parse_position('nim:3,4,5'), 1)",
        "while not searcher._held.engine.going:",
        "    searcher.advance(Limit(time_s=0.1))",
    )
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
