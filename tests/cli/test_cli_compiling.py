"""Whoever waits for the compiler on the command line sees what it does, and how far it is."""

import io
import os
import sys
import threading
from pathlib import Path

import pytest
from calling import run_python

from nimdesk.cli import options
from nimdesk.cli.options import CompilerProgress, progress_bar
from nimdesk.compiling import Compiling


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [0.0]
    monkeypatch.setattr(options, "monotonic", lambda: now[0])
    return now


def said_at(times: list[float], clock: list[float]) -> None:
    show = CompilerProgress()
    for done, time_s in enumerate(times):
        clock[0] = time_s
        show(Compiling("uct", done))
    show(None)


def test_in_a_pipe_it_is_a_sentence_after_a_second_and_every_ten(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    said_at([0.0, 0.9, 1.1, 5.0, 11.0, 11.2], clock)
    lines = [f"nimdesk: compiling the textbook's MCTS, once; functions so far: {done}" for done in (2, 5)]
    assert capsys.readouterr().err.splitlines() == lines


def test_of_what_is_compiled_within_a_second_nothing_is_said(
    clock: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    said_at([0.0, 0.5, 0.9], clock)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("inside", [False, True])
def test_on_a_terminal_it_is_a_bar_or_a_line_of_the_one_that_is_shown(
    inside: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    show = CompilerProgress()
    if inside:
        with progress_bar("loading the search…", auto_refresh=False) as (bar, _):
            show(Compiling("mcts", 12))
            show(None)
            assert [task.description for task in bar.tasks] == ["loading the search…"]
        assert "loading the search…" in shown.getvalue()
    else:
        before = set(threading.enumerate())
        show(Compiling("mcts", 12))
        show(None)
        for thread in set(threading.enumerate()) - before:
            thread.join(30)  # rich, which draws in it, has told it to end and does not wait for that
    assert "compiling MCTS, once; functions so far: 12" in shown.getvalue()


def test_a_command_hears_of_it(tmp_path: Path) -> None:
    program = """
import sys
from nimdesk.cli import options
options.SAY_AFTER_S = 0.0
options.say = lambda words: print(words[:60])
from nimdesk.__main__ import main
sys.argv = ["nimdesk", "analyse", "mnk:3,3,3", "--agent", "flat", "--playouts", "9"]
main()
"""
    done = run_python("-c", program, env={**os.environ, "NIMDESK_CACHE_DIR": str(tmp_path)})
    assert done.stdout.startswith("nimdesk: compiling flat Monte Carlo, once"), done
