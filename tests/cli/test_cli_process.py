"""The command as a process of its own: what it loads, pipes, terminals."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from calling import NIM, run_process, run_python

from nimdesk.disk.paths import resources_dir
from nimdesk.experiments.files import read


def test_bad_input_of_the_installed_command() -> None:
    result = run_python("-m", "nimdesk", "analyse", NIM, "--exploration", "-1")
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr == "nimdesk: Exploration c is “-1”; it must be a number from 0 to 100.\n"


LOADED = "import sys, nimdesk.__main__ as m; sys.argv = ['nimdesk', {}]; m.main(); print(*sys.modules, file=sys.stderr)"


@pytest.mark.parametrize("arguments", ["'games'", "'agents'", "'--help'", "'analyse', '--help'", "'analyse', 'nim:0'"])
def test_the_command_line_loads_no_numbers_and_no_window(arguments: str) -> None:
    loaded = set(run_python("-c", LOADED.format(arguments)).stderr.split())
    assert "nimdesk.cli" in loaded
    assert not loaded & {"numba", "numpy", "PySide6", "pyqtgraph", "nimdesk.ui", "nimdesk.app"}


def test_the_way_to_the_window_loads_no_click() -> None:
    app = "import types; app = types.ModuleType('nimdesk.app'); app.run_window = lambda *_, **__: 0"
    code = f"import sys; {app}; sys.modules['nimdesk.app'] = app; {LOADED.format('')}"
    loaded = set(run_python("-c", code).stderr.split())
    assert "nimdesk.__main__" in loaded
    assert not loaded & {"click", "rich", "nimdesk.cli", "numba", "numpy", "PySide6"}


@pytest.mark.parametrize("words", [["demo"], ["analyse", NIM, "--iterations", "9", "--board", "no.pdf"]])
def test_what_draws_says_in_a_sentence_that_there_is_no_qt(words: list[str]) -> None:
    code = "import sys; sys.modules['PySide6'] = None; from nimdesk.__main__ import main; sys.exit(main())"
    result = run_python("-c", code, *words)
    assert result.returncode == 2
    assert result.stderr.startswith("nimdesk: The window and its pictures need PySide6 (Qt), which cannot be loaded")
    assert result.stderr.count("\n") == 1


@pytest.mark.skipif(os.name == "nt", reason="pipes break differently there")
def test_a_broken_pipe_is_quiet() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    result = run_process([sys.executable, "-m", "nimdesk", "agents"], stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    assert (result.returncode, result.stderr) == (1, "")


@pytest.mark.skipif(os.name == "nt", reason="pipes break differently there")
def test_a_certificate_is_not_blamed_for_a_broken_pipe(tmp_path: Path) -> None:
    proof = str(tmp_path / "draw.cert")
    assert run_python("-m", "nimdesk", "solve", "mnk:3,3,3", "--certificate", proof).returncode == 0
    reader, writer = os.pipe()
    os.close(reader)
    # Without a buffer the line itself meets the pipe.
    result = run_process(
        [sys.executable, "-u", "-m", "nimdesk", "verify", proof], stdout=writer, stderr=subprocess.PIPE
    )
    os.close(writer)
    assert (result.returncode, result.stderr) == (1, "")


@pytest.mark.skipif(os.name == "nt", reason="there are no such terminals there")
def test_while_a_certificate_is_checked_a_terminal_says_so() -> None:
    proof = str(resources_dir() / "certificates" / "mnk-4,3,3.cert")
    terminal, screen = os.openpty()
    command = [sys.executable, "-m", "nimdesk", "verify", proof]
    result = run_process(command, stdout=subprocess.PIPE, stderr=screen)
    os.close(screen)
    seen = os.read(terminal, 1 << 16).decode()
    os.close(terminal)
    assert "checking mnk-4,3,3.cert" in seen
    assert result.stdout.startswith("Proven: mnk:4,3,3 is won by the first side")


CLOSED = {"output": ">&-", "errors": "2>&-", "all": "<&- >&- 2>&-"}


@pytest.mark.skipif(os.name == "nt", reason="needs a shell")
@pytest.mark.parametrize("closed", CLOSED)
def test_work_is_done_where_streams_are_closed(closed: str, tmp_path: Path) -> None:
    results = tmp_path / "run.db"
    match = f"match random random:seed=1 --position nim:1,2 --games 3 --out {results}"
    words = f'"{sys.executable}" -m nimdesk {match} --json {CLOSED[closed]}'
    result = run_process(["sh", "-c", words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert (result.returncode, result.stderr) == (0, "")
    assert read(results).complete


@pytest.mark.skipif(os.name == "nt", reason="needs a shell")
@pytest.mark.parametrize("closed", CLOSED)
def test_no_file_of_a_program_that_is_started_takes_the_place_of_a_closed_stream(closed: str, tmp_path: Path) -> None:
    child = "import os; os.write(int(os.environ['SAID']), str(min(os.open(os.devnull, 0), 3)).encode())"
    parent = (
        "import os, subprocess, sys; from nimdesk import __main__; sys.argv[1:] = ['--version']; __main__.main(); "
        "said, end = os.pipe(); os.set_inheritable(end, True); "
        f"subprocess.run([sys.executable, '-c', {child!r}], env={{**os.environ, 'SAID': str(end)}}, close_fds=False); "
        f"open({str(tmp_path / 'number')!r}, 'wb').write(os.read(said, 9))"
    )
    run_process(["sh", "-c", f'"{sys.executable}" -c "$0" {CLOSED[closed]}', parent])
    assert (tmp_path / "number").read_text() == "3"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("command", ["games", "agents"])
def test_a_full_disk_is_one_sentence(command: str) -> None:
    with open("/dev/full", "w") as full:
        result = run_process([sys.executable, "-m", "nimdesk", command], stdout=full, stderr=subprocess.PIPE)
    expected = "nimdesk: Reading or writing the output failed: no space is left on the disk.\n"
    assert (result.returncode, result.stderr) == (2, expected)


def test_json_is_the_same_in_an_output_without_our_letters() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    data = run_python("-m", "nimdesk", "games", "--json", env=environment)
    assert json.loads(data.stdout)["games"][2]["name"] == "Nim 21, take 1–3"


def test_no_sign_is_lost_in_an_output_without_our_letters(tmp_path: Path) -> None:
    tune = ["tune", "uct", "exploration=0.5,1", "--position", "nim:1,2", "--games", "2", "--confirm", "2"]
    tune += ["--budget", "10", "--out", str(tmp_path / "tuned.db")]
    commands = (tune, ["agents"], ["experiment", "list"], ["analyse", "--help"], ["no-such-command"])
    code = "import sys; from nimdesk.__main__ import main\n"
    code += f"for words in {commands}: sys.argv = ['nimdesk', *words]; main()"
    ours, theirs = (
        subprocess.run(
            [sys.executable, "-c", code],
            check=False,
            capture_output=True,
            env={**os.environ, "PYTHONIOENCODING": each, "PYTHONUTF8": "0"},
        )
        for each in ("utf-8", "ascii")
    )
    assert "[−" in ours.stdout.decode()
    assert b"no-such-command" in ours.stderr, "all commands were called"
    assert b"[-" in theirs.stdout
    for one, other in ((ours.stdout, theirs.stdout), (ours.stderr, theirs.stderr)):
        assert other.count(b"?") == one.count(b"?")


@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")
def test_progress_shows_on_a_terminal_alone() -> None:
    import pty

    try:
        terminal, screen = pty.openpty()
    except OSError as error:  # a bare container may have none
        pytest.skip(f"no terminal can be made here: {error}")
    command = [sys.executable, "-m", "nimdesk", "analyse", "mnk:9,9,5", "--time-s", "0.2", "--json"]
    environment = {**os.environ, "TERM": "xterm", "FORCE_COLOR": "1"}
    result = run_process(command, stdout=subprocess.PIPE, stderr=screen, env=environment)
    os.close(screen)
    shown = os.read(terminal, 100_000).decode()
    os.close(terminal)
    assert result.returncode == 0
    assert json.loads(result.stdout)["stopped"] == "time"
    assert "loading the search" in shown
    assert "iterations" in shown
    piped = run_python("-m", "nimdesk", "analyse", NIM, "--agent", "random", env=environment)
    assert piped.stderr == ""
