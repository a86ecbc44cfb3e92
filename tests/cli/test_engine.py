"""``nimdesk engine`` as a process that a manager starts."""

import subprocess
import sys
import tomllib
from pathlib import Path

from calling import run_python

import nimdesk

SCRIPT = "import sys; from nimdesk.__main__ import engine; sys.argv = ['pbrain-nimdesk']; sys.exit(engine())"


def test_the_command_that_managers_look_for_is_installed() -> None:
    project = tomllib.loads((Path(nimdesk.__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["scripts"]["pbrain-nimdesk"] == "nimdesk.__main__:engine"
    done = run_python("-c", SCRIPT, input="ABOUT\r\nEND\r\n")
    assert (done.returncode, done.stdout.split(",")[0]) == (0, 'name="nimdesk"')


def test_lines_in_a_pipe_are_answered_in_turn_until_the_end(tmp_path: Path) -> None:
    log = tmp_path / "talk.log"
    lines = "START 9\r\nINFO timeout_turn 1000\r\nBEGIN\r\nHÉ\r\nEND\r\nABOUT\r\n"
    done = run_python("-m", "nimdesk", "engine", "--log", str(log), input=lines)
    answers = [line for line in done.stdout.splitlines() if not line.startswith("MESSAGE ")]
    assert (answers[0], answers[2:]) == ("OK", ['UNKNOWN command "HE"'])  # in letters that every manager can read
    assert [line.split()[1] for line in log.read_text(encoding="utf-8").splitlines()].count("<-") == 4


def test_it_answers_at_once_and_says_nothing_else() -> None:
    command = [sys.executable, "-m", "nimdesk", "engine", "--agent", "random"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for line, answer in (("START 9", "OK"), ("PLAY 3,3", "3,3"), ("TAKEBACK 3,3", "OK")):
            process.stdin.write(f"{line}\n")
            assert process.stdout.readline() == f"{answer}\n"  # nothing is kept back
        process.stdin.close()  # a manager that has gone
        assert process.wait(20) == 0
