"""Ctrl-C while a command computes: it prints what there is, and ends soon even where nothing can be interrupted."""

import json
import signal
import sys
from pathlib import Path

import pytest
from calling import Nimdesk, run_python
from many_games import filled, plan_of_many

from nimdesk.games import parse_position
from nimdesk.play import GameInProgress, Human
from nimdesk.play.record import save_game
from nimdesk.search import Limit, StopReason
from nimdesk.search.mcts import MctsSearcher

# Nothing that a search could prove in the time of a test.
OPEN = "mnk:9,9,5"


def _press_in_second_slice(monkeypatch: pytest.MonkeyPatch) -> None:
    advance, calls = MctsSearcher.advance, [0]

    def with_ctrl_c(self: MctsSearcher, limit: Limit) -> StopReason | None:
        calls[0] += 1
        if calls[0] == 2:
            signal.raise_signal(signal.SIGINT)
        return advance(self, limit)

    monkeypatch.setattr(MctsSearcher, "advance", with_ctrl_c)


@pytest.mark.usefixtures("signals_are_heard")
def test_ctrl_c_prints_what_there_is(nimdesk: Nimdesk, monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.getsignal(signal.SIGINT)
    _press_in_second_slice(monkeypatch)
    result = nimdesk("analyse", OPEN, "--time-s", "60", "--json")
    data = json.loads(result.out)
    assert (result.code, result.err, data["stopped"]) == (0, "", "stopped")
    assert sum(move["visits"] for move in data["moves"]) == data["iterations"] > 0
    _press_in_second_slice(monkeypatch)
    assert "stopped: interrupted by you" in nimdesk("analyse", OPEN, "--time-s", "60").out
    assert signal.getsignal(signal.SIGINT) is before


WHILE_IT_READS = """
import signal, sys, threading
from nimdesk.__main__ import main
from nimdesk.experiments.run import Run
from nimdesk.experiments.store import Store

results, cancel, cancelled = Store.results, Run.cancel, threading.Event()

def with_ctrl_c(store):
    signal.raise_signal(signal.SIGINT)
    cancelled.wait()
    yield from results(store)

def told(run):
    cancel(run)
    cancelled.set()

Store.results, Run.cancel = with_ctrl_c, told
sys.argv = ["nimdesk", "experiment", "run", "x.db"]
sys.exit(main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no Ctrl-C for a child alone")
@pytest.mark.usefixtures("signals_are_heard")
def test_ctrl_c_before_a_run_has_read_what_is_stored_says_no_number_that_is_not_true(tmp_path: Path) -> None:
    filled(tmp_path / "x.db", plan_of_many())
    done = run_python("-c", WHILE_IT_READS, cwd=tmp_path)
    said = "Stopped before all stored results were read; they are kept. To go on: nimdesk experiment run x.db\n"
    assert (done.returncode, done.stdout, done.stderr) == (130, "", said)


DEEP_IN_THE_COMPILER = """
import signal, sys, time
import {module} as module
from nimdesk.__main__ import main

def deep(*_, **__):
    try:
        signal.raise_signal(signal.SIGINT)
    finally:
        time.sleep(1_000)

module.{name} = deep
sys.argv = ["nimdesk", *{command!r}.split()]
sys.exit(main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no Ctrl-C for a child alone")
@pytest.mark.usefixtures("signals_are_heard")
@pytest.mark.parametrize(
    ("command", "module", "name"),
    [
        ("analyse mnk:3,3,3", "nimdesk.search.mcts", "MctsSearcher.start"),
        ("solve mnk:3,3,3", "nimdesk.experiments.solved", "KeptWork.advance"),
        ("grundy 0.77", "nimdesk.games.take.grundy", "sequence"),
        ("review game.nimdesk", "nimdesk.play.review", "Reviewer.moves"),
        ("bench", "nimdesk.cli.bench", "measure"),
        ("match uct flat --position nim:1,2", "nimdesk.experiments.store", "Store.made"),
    ],
)
def test_ctrl_c_does_not_wait_for_the_compiler(command: str, module: str, name: str, tmp_path: Path) -> None:
    save_game(GameInProgress(parse_position("nim:1,2 1-1"), (Human(), Human())), tmp_path / "game.nimdesk")
    program = DEEP_IN_THE_COMPILER.format(command=command, module=module, name=name)
    done = run_python("-c", program, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (130, "")
    assert "Traceback" not in done.stderr
