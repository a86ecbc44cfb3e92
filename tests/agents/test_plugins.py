"""Plug-ins: found, described and played from a process of their own; whatever one does, it loses only its own game."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from bad_games import LOADED
from example_packages import installed
from plugin_packages import Processes, install, install_faulty, install_from_tutorial, watched_processes

from nimdesk.agents import (
    CATALOGUE,
    Agent,
    PluginOptions,
    agent_from_json,
    agent_info,
    load_plugins,
    make_agent,
    plugin_loader,
)
from nimdesk.agents.fields import option_fields
from nimdesk.agents.plugin_options import OptionPart, option_part, options_class
from nimdesk.agents.plugins import find_plugins
from nimdesk.errors import AgentError, OptionError
from nimdesk.games import AnyPosition, parse_position
from nimdesk.play.snapshots import kept
from nimdesk.plugins import process as plugin_process
from nimdesk.plugins.process import HostError, HostPool, HostProcess, host_command
from nimdesk.search import Limit, Searcher, Snapshot, StopReason, drive, external
from nimdesk.search.options import MAX_SEED, AgentOptions, AlphaBetaOptions, UctOptions

NIM = parse_position("nim:3,4,5")
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who the children of the children are")
ELSEWHERE = """
import os, sys
sys.path.insert(0, sys.argv[1])
from nimdesk.agents import make_agent
from nimdesk.games import parse_position
from nimdesk.limit import Limit
from nimdesk.plugins.process import HostPool
take, taken = HostPool.take, []

def noted(pool):
    taken.append(take(pool))
    return taken[-1]

HostPool.take = noted
searcher = make_agent("clumsy").new_searcher()
searcher.start(parse_position("nim:3,4,5"), 1)
while not os.path.exists(sys.argv[2]):
    searcher.advance(Limit(time_s=1e9))
(host,) = taken
print(host.pid, flush=True)
os.kill(os.getpid(), 9)
"""


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> Iterator[Processes]:
    with watched_processes(monkeypatch) as started:
        yield started


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, processes: Processes) -> Path:
    """Where packages are installed."""
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(str(site))
    return site


def chosen(agent: Agent, position: AnyPosition = NIM, seed: int = 1) -> Snapshot:
    """The search of this position to its end."""
    return searched(agent.new_searcher(), position, seed)


def searched(searcher: Searcher, position: AnyPosition = NIM, seed: int = 1) -> Snapshot:
    """The same, in slices as the window has them."""
    searcher.start(position, seed)
    spent_s = 0.0
    while True:
        begin = time.monotonic()
        reason = searcher.advance(Limit(time_s=spent_s + 0.015))
        spent_s += time.monotonic() - begin
        if reason is not None:
            return searcher.snapshot()
        assert searcher.snapshot().best_move is None
        assert searcher.snapshot().stopped is None


# What it is


def test_the_package_in_the_tutorial_is_complete_in_30_lines(folder: Path, processes: Processes) -> None:
    assert install_from_tutorial(folder) < 30
    load_plugins()
    info = CATALOGUE["sprinter"]
    assert (info.title, info.about) == ("Sprinter", "Wins at once where it can, if it looks; else plays any move.")
    assert [field.name for field in info.fields] == ["time_s", "memory_mb", "seed", "attention"]
    assert [field.default for field in info.fields] == [30.0, 4096, None, 0.9]
    assert info.fields[3].bounds_text == "a number from 0 to 1"
    assert "sprinter" not in sys.modules
    assert "clumsy_module" not in sys.modules
    assert len(processes) == 1
    assert not processes.running


def test_its_options_are_checked_like_all_others(folder: Path) -> None:
    install_from_tutorial(folder)
    agent = make_agent("sprinter", {"attention": 0.25, "seed": 7})
    stored = agent.to_json()
    assert agent_from_json(stored) == agent
    with pytest.raises(OptionError, match="did you mean attention"):
        agent_from_json({"agent": "sprinter", "options": {"attention": 0.25, "attentoin": 1}})
    assert agent.new_seed() == 7
    with pytest.raises(OptionError, match=r"^Attention is “2”; it must be a number from 0 to 1\.$"):
        make_agent("sprinter", {"attention": 2})
    with pytest.raises(OptionError, match="did you mean attention"):
        make_agent("sprinter", {"attentoin": 1})


@pytest.mark.parametrize("start", ["nim:1,3,5,7", "nim:21:max3:misere", "mnk:4,4,3", "mnk:7,6,4:gravity"])
def test_it_plays_whole_games(folder: Path, processes: Processes, start: str) -> None:
    install_from_tutorial(folder)
    agent, position = make_agent("sprinter", {"attention": 1}), parse_position(start)
    chance = random.Random(5)
    while position.outcome is None:
        move = chance.choice(position.legal_moves)
        if position.turn == 0:
            snapshot = kept(chosen(agent, position), position)
            assert snapshot.stopped is StopReason.NO_SEARCH
            assert snapshot.best_move is not None
            wins = [move for move in position.legal_moves if position.play(move).winner == position.turn]
            assert not wins or snapshot.best_move in wins
            move = snapshot.best_move
        position = position.play(move)
    assert len(processes) == 2, "one that described it, one that played the game"


def test_the_same_seed_gives_the_same_move(folder: Path) -> None:
    install_faulty(folder, "import random; return random.choice(position.legal_moves)")
    agent = make_agent("clumsy")
    moves = [chosen(agent, seed=seed).best_move for seed in (*range(8), *range(8))]
    assert moves[:8] == moves[8:]
    assert len(set(moves)) > 3


def test_it_may_print_and_read_what_it_likes(
    folder: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    install_faulty(
        folder,
        "print('{}'); sys.stdout.flush(); os.write(1, b'noise\\n'); sys.__stdout__.write('more')",
        "print('told at once')",
        "os.system('echo and more')",
        "assert sys.stdin.read() == ''",
        "return position.legal_moves[-1]",
    )
    assert chosen(make_agent("clumsy")).best_move == NIM.legal_moves[-1]
    out, err = capfd.readouterr()
    assert out == ""
    assert "noise" in err
    assert "told at once" in err


@pytest.mark.parametrize("options_type", [PluginOptions, UctOptions, AlphaBetaOptions])
def test_all_kinds_of_declarations_survive_the_journey(options_type: type[AgentOptions]) -> None:
    common = {field.name for field in option_fields(PluginOptions)} if options_type is not PluginOptions else set()
    declared = [field for field in option_fields(options_type) if field.name not in common]
    sent = msgspec.json.encode([option_part(field) for field in declared])
    parts = msgspec.json.decode(sent, type=tuple[OptionPart, ...])
    made = {field.name: field for field in option_fields(options_class(parts))}
    assert [made[field.name] for field in declared] == declared


def test_options_are_given_by_name_and_nothing_changes_them() -> None:
    class Options(PluginOptions):
        depth: int

    with pytest.raises(TypeError, match="positional"):
        PluginOptions(1.0)  # type: ignore[call-arg, misc]
    with pytest.raises(AttributeError, match="immutable"):
        Options(depth=3).depth = 4  # type: ignore[misc]


WORD = "x" * 60
CHOICES = tuple((str(number), WORD) for number in range(51))


@pytest.mark.parametrize(
    ("most", "more"),
    [
        ({"name": "x" * 40}, {"name": "x" * 41}),
        ({"title": WORD}, {"title": WORD + "x"}),
        ({"description": "x" * 500}, {"description": "x" * 501}),
        ({"note": "x" * 200}, {"note": "x" * 201}),
        ({"unit": "x" * 20}, {"unit": "x" * 21}),
        ({"optional": True, "empty": WORD}, {"optional": True, "empty": WORD + "x"}),
        ({"maximum": 1}, {"minimum": 2}),
        ({"maximum": MAX_SEED}, {"maximum": MAX_SEED + 1}),
        ({"minimum": -MAX_SEED}, {"minimum": -MAX_SEED - 1}),
        ({"kind": "choice", "default": "1", "choices": CHOICES[:50]}, {"choices": CHOICES}),
        ({"kind": "choice", "default": "1", "choices": CHOICES[1:2]}, {"choices": ()}),
        ({"kind": "choice", "default": "1", "choices": CHOICES[1:3]}, {"choices": (CHOICES[1], CHOICES[1])}),
        ({"kind": "choice", "default": "1", "choices": CHOICES[1:3]}, {"choices": (CHOICES[1], ("2", WORD + "x"))}),
        ({"kind": "choice", "default": "1", "choices": CHOICES[1:3]}, {"choices": (CHOICES[1], ("2", ""))}),
    ],
)
def test_an_option_may_reach_its_bounds_and_not_leave_them(most: dict[str, Any], more: dict[str, Any]) -> None:
    plain = OptionPart(
        name="a", title="A", description="", default=1, advanced=False, note="", kind="int", minimum=1, maximum=1
    )
    part = msgspec.structs.replace(plain, **most)
    (made,) = [option_part(each) for each in option_fields(options_class([part])) if each.name == part.name]
    assert {name: getattr(made, name) for name in most} == most
    with pytest.raises(OptionError, match="has an option “"):
        options_class([msgspec.structs.replace(part, **more)])


def test_an_object_a_function_and_a_module_are_agents_too(folder: Path) -> None:
    code = "title = 'Thing'\ndef choose(position, options, seed):\n    return position.legal_moves[-1]\n"
    thing = f"class Thing:\n    {code.replace('def choose(', 'def choose(self, ').replace(chr(10), chr(10) + '    ')}"
    entry_points = {"the-module": "things", "the-object": "things:it", "the-function": "things:make [extra]"}
    install(folder, "things", entry_points, {"things": f"{code}\n{thing}\nit = Thing()\ndef make():\n    return it\n"})
    load_plugins()
    for name in entry_points:
        assert chosen(make_agent(name)).best_move == NIM.legal_moves[-1]


def test_names_and_titles_stay_unambiguous(folder: Path) -> None:
    code = "class A:\n    title = 'MCTS'\n    def choose(self, position, options, seed): ...\n"
    install(folder, "acme", {"UCT": "acme:A", "Big Brain": "acme:A", "human": "acme:A"}, {"acme": code})
    install(folder, "other", {"big brain": "acme:A"}, {})
    load_plugins()
    added = {name: info.title for name, info in CATALOGUE.items() if "MCTS (" in info.title}
    first, second = sorted(name for name in added if "brain" in name)
    assert first == "big-brain"
    assert second in ("big-brain-other", "big-brain-acme")
    assert {name for name in added if "brain" not in name} == {"uct-acme", "human-acme"}
    assert all(title == f"MCTS ({name})" or name == first for name, title in added.items())
    assert CATALOGUE["mcts"].title == "MCTS"


def test_they_are_listed_by_their_names_whoever_answers_first(folder: Path) -> None:
    code = "def choose(position, options, seed): return position.legal_moves[0]"
    install(folder, "acme", {"a-slow": "slow", "b-quick": "quick"}, {"slow": f"import time; time.sleep(1)\n{code}"})
    (folder / "quick.py").write_text(code)
    load_plugins()
    assert list(CATALOGUE)[-2:] == ["a-slow", "b-quick"]


def test_a_name_is_a_word_that_can_be_typed(folder: Path) -> None:
    install(folder, "acme", {"Deep_Thought v1.5!": "acme:A"}, {})
    assert [each.name for each in find_plugins({})] == ["deep_thought-v1.5"]


def test_it_plays_the_game_of_another_package_which_need_not_be_tried_again(folder: Path, tmp_path: Path) -> None:
    noted = tmp_path / "loaded"
    sound = next(game for game in LOADED if game.name == "sound")
    code = f"{sound.code}\nwith open({str(noted)!r}, 'a') as file:\n    file.write('once ')\n"
    install(folder, "acme-sound", {"sound": f"{sound.module}:KIT"}, {sound.module: code}, "nimdesk.games")
    install_faulty(folder, "return position.legal_moves[-1]")
    with installed(str(folder)):
        position = parse_position("sound:5 2")
        before = noted.read_text()
        assert chosen(make_agent("clumsy"), position).best_move == position.legal_moves[-1]
    assert noted.read_text() == before + "once "


def test_an_illegal_move_in_the_game_of_another_package_is_told_like_any_other(folder: Path) -> None:
    sound = next(game for game in LOADED if game.name == "sound")
    install(folder, "acme-sound", {"sound": f"{sound.module}:KIT"}, {sound.module: sound.code}, "nimdesk.games")
    install_faulty(
        folder, "from nimdesk.games import parse_position", "return parse_position('sound:2').legal_moves[-1]"
    )
    with (
        installed(str(folder)),
        pytest.raises(AgentError, match=r"^The agent “Clumsy” made an illegal move, "),
    ):
        chosen(make_agent("clumsy"), parse_position("sound:1"))


def test_a_broken_package_hides_no_other(folder: Path) -> None:
    install_from_tutorial(folder)
    (folder / "broken-1.0.dist-info").mkdir()
    (folder / "broken-1.0.dist-info" / "entry_points.txt").write_bytes(b"[nimdesk.agents]\n\xff\xfe = = [\n")
    (folder / "halved-1.0.dist-info").mkdir()
    (folder / "halved-1.0.dist-info" / "entry_points.txt").write_text("[nimdesk.agents]\nno equals sign")
    load_plugins()
    assert "sprinter" in CATALOGUE


def test_a_frozen_program_finds_none(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install_from_tutorial(folder)
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    with pytest.raises(OptionError, match="There is no agent “sprinter”"):
        agent_info("sprinter")


def test_the_loader_never_waits(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plugin_process, "INTRODUCTION_S", 3.0)
    install_from_tutorial(folder)
    install(folder, "sleepy", {"sleepy": "sleepy:A"}, {"sleepy": "import time; time.sleep(60)"})
    loader, polls, begin = plugin_loader(), 0, time.monotonic()
    longest_s, asked = 0.0, begin
    while not loader.poll():
        longest_s = max(longest_s, time.monotonic() - asked) if polls else 0.0  # the first starts the processes
        polls += 1
        time.sleep(0.005)
        asked = time.monotonic()
    assert longest_s < 0.9
    assert polls > 30, "in three seconds and more"
    assert time.monotonic() - begin < 25, "a busy machine is given longer, and this one slept"
    assert list(CATALOGUE)[-2:] == ["sprinter", "sleepy"], "the good one was there at once"
    assert CATALOGUE["sleepy"].about == "This plug-in of sleepy did not say within 3 s what it is."
    plugin_loader().close()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells how long a process was kept waiting")
def test_the_time_in_which_others_have_the_processor_is_not_its_own(folder: Path) -> None:
    install(folder, "busy", {"busy": "busy:A"}, {"busy": "while True: pass"})
    command = host_command("nimdesk.agents.plugin_host", "busy:A")
    processors = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(processors)})  # they inherit it, and share one
    try:
        hosts = [HostProcess(command, quiet=True) for _ in range(2)]
    finally:
        os.sched_setaffinity(0, processors)
    while not all(host.begun for host in hosts):
        for host in hosts:
            host.receive(0.01)
    while not all(host.age_s - host.own_age_s > 0.2 for host in hosts):
        time.sleep(0.01)
    # Its two parts are read one after the other, and we may be kept waiting in between: so not always above 0.
    assert all(-60 < host.own_age_s < host.age_s for host in hosts)
    for host in hosts:
        host.kill()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells how long a process was kept waiting")
def test_the_time_it_was_kept_waiting_before_it_began_is_not_taken_off(monkeypatch: pytest.MonkeyPatch) -> None:
    waited_s = 5
    monkeypatch.setattr(Path, "read_text", lambda path: "1" if path.name == "children" else f"0 {waited_s}000000000 0")
    host = HostProcess([sys.executable, "-c", """print('{"is": "begun"}', flush=True); input()"""], quiet=True)
    while not host.begun:
        assert host.receive(10) is None
    assert host.age_s - host.own_age_s == pytest.approx(0, abs=0.5)
    waited_s = 7
    assert host.age_s - host.own_age_s == pytest.approx(2, abs=0.5)
    host.kill()


# What can go wrong


def test_the_loader_is_over_once_no_process_is_left_and_stays_so(folder: Path, processes: Processes) -> None:
    install_from_tutorial(folder)
    loader = plugin_loader()
    while not loader.poll(0.05):
        pass
    assert processes.running == 0
    assert loader.poll()


def test_one_that_cannot_be_loaded_is_listed_and_loses_its_game(folder: Path, processes: Processes) -> None:
    install(folder, "acme", {"broken": "broken:Agent"}, {"broken": ""})
    load_plugins()
    why = "cannot be loaded: module 'broken' has no attribute 'Agent' (AttributeError)."
    assert CATALOGUE["broken"].about == f"This plug-in of acme {why}"
    with pytest.raises(AgentError) as caught:
        chosen(make_agent("broken"))
    assert str(caught.value) == f"The agent “broken” {why}"
    assert not processes.running


def test_the_time_to_load_is_none_of_its_move(folder: Path) -> None:
    code = "import time; time.sleep(0.4)\ndef choose(position, options, seed): return position.legal_moves[0]"
    install(folder, "slow", {"slow": "slow"}, {"slow": code})
    assert chosen(make_agent("slow", {"time_s": 0.2})).elapsed_s < 0.2


def test_one_that_does_not_load_again_loses_its_game_soon(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    again = tmp_path / "again"
    code = f"import os, time\nif os.path.exists({str(again)!r}): time.sleep(600)\n"
    code += "def choose(position, options, seed): return position.legal_moves[0]"
    install(folder, "moody", {"moody": "moody"}, {"moody": code})
    agent = make_agent("moody")
    again.touch()
    monkeypatch.setattr(plugin_process, "INTRODUCTION_S", 0.3)
    with pytest.raises(AgentError, match=r"^The agent “moody” was not loaded within [0-9.]+ s\.$"):
        chosen(agent)


def test_one_that_never_loads_is_waited_for_once(
    folder: Path, processes: Processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plugin_process, "INTRODUCTION_S", 0.3)
    install(folder, "busy", {"busy": "busy"}, {"busy": "while True: pass"})
    agent = make_agent("busy")
    for _ in range(3):
        with pytest.raises(AgentError, match=r"^The agent “busy” did not say within 0\.3 s what it is\.$"):
            chosen(agent)
    assert len(processes) == 1


def test_a_process_that_is_not_begun_is_late_only_on_a_machine_that_cannot_start_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    host = HostProcess([sys.executable, "-c", "input()"], quiet=True)
    monkeypatch.setattr(plugin_process, "INTRODUCTION_S", 0.0)
    assert not host.late
    monkeypatch.setattr(plugin_process, "_START_S", 0.0)
    assert host.late
    host.kill()


# Processes


def test_no_slice_takes_longer_than_it_may(folder: Path) -> None:
    install_faulty(folder, "time.sleep(60)")
    searcher = make_agent("clumsy").new_searcher()
    searcher.start(NIM, 1)
    begin = time.perf_counter()
    for count in range(1, 11):
        assert searcher.advance(Limit(time_s=count * 0.01)) is None
    while not searcher.snapshot().elapsed_s:
        searcher.advance(Limit(time_s=0.01))
    for _ in range(1000):
        assert searcher.advance(Limit(time_s=0.0)) is None, "it does not wait at all"
    assert 0.05 < time.perf_counter() - begin < 10


def test_stop_can_be_looked_for_again_and_again_however_much_time_there_is(folder: Path) -> None:
    install_faulty(folder, "time.sleep(60)")
    searcher = make_agent("clumsy", {"time_s": 0.4}).new_searcher()
    searcher.start(NIM, 1)
    looks: list[Snapshot] = []
    with pytest.raises(AgentError, match=r"gave no move within 0\.4 s"):
        drive(searcher, on_snapshot=looks.append, slice_s=1e9)
    assert sum(look.elapsed_s > 0 for look in looks) >= 5, "one every 15 ms where nothing else runs"


def test_nobody_looks_all_the_time_while_it_thinks(folder: Path) -> None:
    install_faulty(folder, "time.sleep(0.3); return position.legal_moves[0]")
    searcher, looks = make_agent("clumsy").new_searcher(), 0
    searcher.start(NIM, 1)
    while searcher.advance(Limit(time_s=searcher.snapshot().elapsed_s + 0.008)) is None:
        looks += 1
    assert looks < 1000, "for some milliseconds each, also after it took its time to load"


def test_without_a_limit_it_waits_for_the_move(folder: Path) -> None:
    install_faulty(folder, "time.sleep(0.1); return position.legal_moves[0]")
    searcher = make_agent("clumsy").new_searcher()
    searcher.start(NIM, 1)
    assert searcher.advance(Limit()) is StopReason.NO_SEARCH
    # It may begin to think some milliseconds before this process, which then looks at its clock, has its turn again.
    assert searcher.snapshot().elapsed_s > 0
    assert searcher.advance(Limit()) is StopReason.NO_SEARCH


@pytest.mark.parametrize("how", ["dropped", "closed", "restarted"])
def test_a_search_given_up_ends_its_process(folder: Path, processes: Processes, how: str) -> None:
    install_faulty(folder, "time.sleep(60)")
    searcher = make_agent("clumsy").new_searcher()
    searcher.start(NIM, 1)
    searcher.advance(Limit(time_s=0.01))
    assert processes.running == 1
    if how == "restarted":
        searcher.start(NIM, 2)
        assert processes.running == 1
    if how == "closed":
        searcher.close()  # type: ignore[attr-defined]
    else:
        del searcher
    assert processes.running == 0


def test_a_search_that_failed_has_ended_its_process_and_can_be_started_again(
    folder: Path, processes: Processes
) -> None:
    install_faulty(folder, "if seed == 1: time.sleep(60)", "return position.legal_moves[0]")
    searcher = make_agent("clumsy", {"time_s": 0.1}).new_searcher()
    with pytest.raises(AgentError, match=r"gave no move within 0\.1 s"):
        searched(searcher)
    assert processes.running == 0
    with pytest.raises(ValueError, match="start the search before it can advance"):
        searcher.advance(Limit())
    searcher.start(NIM, 2)
    assert processes.running == 1


def test_one_process_finds_move_after_move(folder: Path, processes: Processes) -> None:
    install_from_tutorial(folder)
    searcher = make_agent("sprinter").new_searcher()
    searched(searcher)
    before = len(processes)
    searched(searcher)
    assert len(processes) == before
    assert processes.running == 1


def test_its_author_finds_the_traceback_on_standard_error(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    install_faulty(folder, "raise ValueError('out of tune')")
    with pytest.raises(AgentError, match="out of tune"):
        chosen(make_agent("clumsy"))
    assert capfd.readouterr().err.startswith("Traceback (most recent call last):")


def test_its_author_finds_where_it_crashed_on_standard_error(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    install_faulty(folder, "os.abort()")
    with pytest.raises(AgentError, match="SIGABRT"):
        chosen(make_agent("clumsy"))
    said = capfd.readouterr().err
    assert "Fatal Python error: Aborted" in said
    assert "in choose" in said


def test_a_process_that_died_between_two_moves_is_replaced(folder: Path, processes: Processes) -> None:
    install_faulty(folder, "import threading", "threading.Timer(0.2, os._exit, (1,)).start()", "return NimMove(0, 1)")
    agent = make_agent("clumsy")
    assert chosen(agent).best_move is not None
    processes[-1].wait(10)
    assert chosen(agent).best_move is not None
    assert len(processes) == 3


def test_two_searches_at_once_have_a_process_each(folder: Path, processes: Processes) -> None:
    install_faulty(folder, "time.sleep(0.1); return position.legal_moves[seed]")
    searchers = [make_agent("clumsy").new_searcher() for _ in range(2)]
    for seed, searcher in enumerate(searchers):
        searcher.start(NIM, seed)
    for seed, searcher in enumerate(searchers):
        searcher.advance(Limit())
        assert searcher.snapshot().best_move == NIM.legal_moves[seed]
    assert len(processes) == 3


@LINUX
def test_a_process_that_does_not_listen_is_let_go_or_ended_and_leaves_no_zombie() -> None:
    host = HostProcess((sys.executable, "-c", "import time; time.sleep(600)"))
    assert not host.leave(), "it has time"
    host.kill()
    with pytest.raises(ProcessLookupError):
        os.kill(host.pid, 0)
    assert host.leave()


@LINUX
def test_nothing_stays_open_of_a_process_that_ended_by_itself() -> None:
    before = os.listdir("/proc/self/fd")
    host = HostProcess((sys.executable, "-c", ""))
    os.waitid(os.P_PID, host.pid, os.WEXITED | os.WNOWAIT)
    assert host.leave()
    assert os.listdir("/proc/self/fd") == before


def test_a_plugin_may_dump_no_memory(folder: Path) -> None:
    install_faulty(folder, "import resource", "raise ValueError(resource.getrlimit(resource.RLIMIT_CORE))")
    with pytest.raises(AgentError, match=r"\(0, 0\)"):
        chosen(make_agent("clumsy"))


def test_a_process_that_cannot_be_started_is_told_at_the_start_of_the_search() -> None:
    searcher = external.ExternalSearcher("lost", "Lost", HostPool(["/no/such/program"]), {}, 1.0)
    with pytest.raises(AgentError, match=r"^The agent “Lost” could not be started \(No such file or directory\)\.$"):
        searcher.start(NIM, 1)


def test_it_cannot_begin_twice_and_so_have_its_time_anew() -> None:
    begun = r"""print('{"is": "begun"}\n{"is": "begun"}', flush=True); input()"""
    host = HostProcess([sys.executable, "-c", begun], quiet=True)
    while not host.begun:
        assert host.receive(10) is None
    with pytest.raises(HostError, match=r"^answered what it was not asked$"):
        host.receive(60)
    host.kill()


def test_one_that_no_longer_listens_is_told_when_it_is_asked() -> None:
    host = HostProcess([sys.executable, "-c", "import os, time; os.close(0); print(flush=True); time.sleep(600)"])
    with pytest.raises(HostError, match=r"^answered with something that is no answer$"):
        host.receive(60)
    with pytest.raises(HostError, match=r"^closed the connection to nimdesk$"):
        host.ask({})
    host.kill()


@pytest.mark.parametrize(
    ("letters", "end", "told"),
    [(2**20 - 1, "\n", "something that is no answer"), (2**20 + 1, "", "more than a megabyte")],
)
def test_a_line_may_have_a_megabyte_and_no_more(letters: int, end: str, told: str) -> None:
    code = f"import time; print('x' * {letters}, end={end!r}, flush=True); time.sleep(600)"
    host = HostProcess([sys.executable, "-c", code])
    with pytest.raises(HostError, match=rf"^answered with {told}$"):
        host.receive(60)
    host.kill()


def test_a_question_that_is_too_long_is_not_asked() -> None:
    host = HostProcess((sys.executable, "-c", "import time; time.sleep(600)"))
    with pytest.raises(HostError, match="more than 50,000 letters"):
        host.ask({"position": "x" * 50_000})
    host.kill()


CORE = Path("/proc/sys/kernel/core_pattern")


@pytest.mark.skipif(not CORE.exists() or CORE.read_text() != "core\n", reason="dumps of memory go elsewhere here")
def test_a_crash_leaves_no_dump_of_its_memory(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import resource

    install_faulty(folder, "os.abort()")
    agent, here = make_agent("clumsy"), tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    before = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (before[1], before[1]))
    try:
        with pytest.raises(AgentError, match="SIGABRT"):
            chosen(agent)
    finally:
        resource.setrlimit(resource.RLIMIT_CORE, before)
    assert not list(here.iterdir())


CHILDREN = (
    "import subprocess, threading",
    "sleeper = [sys.executable, '-c', 'import time; time.sleep(600)']",
    "alone = subprocess.Popen(sleeper)",
    "apart = subprocess.Popen(sleeper, start_new_session=True)",
    "below = subprocess.Popen(['sh', '-c', 'sleep 600 & echo $!; sleep 600'], stdout=-1, start_new_session=True)",
    "pids = [os.getpid(), alone.pid, apart.pid, below.pid, int(below.stdout.readline())]",
    "open({0!r}, 'w').write(' '.join(map(str, pids))); os.rename({0!r}, {1!r})",
)


def with_children(noted: Path) -> list[str]:
    """Start children and grandchildren, in the plug-in's own session and out of it, and note their numbers."""
    return [line.format(str(noted) + ".part", str(noted)) for line in CHILDREN]


@LINUX
@pytest.mark.parametrize("then", ["raise ValueError", "os._exit(3)", "os.abort()", "time.sleep(60)"])
def test_what_it_started_ends_with_it(folder: Path, tmp_path: Path, then: str) -> None:
    noted = tmp_path / "pids"
    install_faulty(folder, *with_children(noted), then)
    with pytest.raises(AgentError):
        chosen(make_agent("clumsy", {"time_s": 5.0 if "sleep" in then else 30.0}))
    assert all(gone(int(pid)) for pid in noted.read_text().split())


@LINUX
@pytest.mark.parametrize("hang", ["time.sleep(60)", "while True: pass", "sum(range(10**13))"])
def test_it_ends_when_nimdesk_is_killed_and_all_that_it_started(folder: Path, tmp_path: Path, hang: str) -> None:
    noted = tmp_path / "pids"
    install_faulty(folder, *with_children(noted), hang)
    arguments = [sys.executable, "-c", ELSEWHERE, str(folder), str(noted)]
    killed = subprocess.run(arguments, capture_output=True, text=True, timeout=60, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert all(gone(int(pid)) for pid in (killed.stdout, *noted.read_text().split()))


def gone(pid: int) -> bool:
    """Whether this process ends within five seconds; a zombie, which nobody here can bury, has ended."""
    until = time.monotonic() + 5
    while time.monotonic() < until:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        status = Path(f"/proc/{pid}/stat")
        if status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z":
            return True
        time.sleep(0.02)
    return False


def test_a_name_that_is_taken_twice_stays_with_who_had_it_first(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "def choose(position, options, seed): return position.legal_moves[0]"
    install(folder, "acme", {"quick-other": "one"}, {"one": code})
    later = tmp_path / "later"
    later.mkdir()
    install(later, "other", {"quick": "two"}, {"two": code})
    monkeypatch.setattr(sys, "path", [*sys.path, str(later)])
    assert [(each.name, each.package) for each in find_plugins({"quick"})] == [("quick-other", "acme")]


def test_what_is_no_move_is_told_with_its_type(folder: Path) -> None:
    install_faulty(folder, "return 7")
    with pytest.raises(AgentError, match=r"^The agent “Clumsy” returned 7, of type int, instead of a move\.$"):
        chosen(make_agent("clumsy"))


def test_the_last_words_of_a_plugin_are_heard_though_their_line_does_not_end(tmp_path: Path) -> None:
    (tmp_path / "last_words.py").write_text("import sys\ndef main(): sys.stderr.write('farewell')\n")
    command = [sys.executable, "-c", "from nimdesk.plugins.side import serve; serve('last_words')"]
    paths = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path]), "PYTHONUNBUFFERED": ""}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=paths) as process:
        assert process.stderr is not None
        assert process.stderr.read() == b"farewell"


@LINUX
def test_its_keeper_stays_whatever_signal_a_plugin_sends_it(folder: Path, processes: Processes) -> None:
    send = "for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP): os.kill(os.getppid(), each)"
    install_faulty(folder, "import os, signal", send, "time.sleep(0.1)", "return position.legal_moves[0]")
    assert chosen(make_agent("clumsy")).best_move == NIM.legal_moves[0]
    assert processes.running == 1


def test_in_a_game_that_is_over_nothing_is_asked(folder: Path) -> None:
    install_faulty(folder, "return None")
    with pytest.raises(ValueError, match=r"^the game is over in nim:1 1-1: there is nothing to choose$"):
        make_agent("clumsy").new_searcher().start(parse_position("nim:1 1-1"), 1)
