"""Kernels are compiled in a process of their own where that is asked for; whatever becomes of it, they get compiled."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from fresh_python import CALL, COMPILED, KERNEL, LOADED, run

from nimdesk import compiler_process
from nimdesk.compiler_process import CompilerProcess
from nimdesk.errors import CompilationEndedError

THERE = f"from nimdesk import compiler_process\ncompiler_process.begin()\n{CALL}\ncompiler_process.end()"


def test_what_the_other_process_compiles_is_loaded_here(tmp_path: Path) -> None:
    folder, *called = run(THERE, tmp_path)
    assert called == LOADED
    assert run(CALL, tmp_path) == [folder, *LOADED]


def test_a_cache_that_is_not_kept_is_no_use_to_another_process(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    assert run(THERE, tmp_path / "file" / "cache", TMPDIR=str(tmp_path))[1:] == COMPILED


@pytest.mark.parametrize("command", ["['no such program']", "['{python}', '-c', 'input()']"])
def test_without_an_answer_kernels_are_compiled_here(tmp_path: Path, command: str) -> None:
    instead = f"compiler_process._command = lambda: {command.format(python=sys.executable)}\ncompiler_process.begin()"
    assert run(THERE.replace("compiler_process.begin()", instead), tmp_path)[1:] == COMPILED


@pytest.fixture
def process() -> CompilerProcess:
    return CompilerProcess()


def test_what_cannot_be_compiled_is_said_and_the_next_request_is_answered(process: CompilerProcess) -> None:
    assert not process.compile("nimdesk.kernels.tree", "no_such_kernel", b"")
    running = process._process
    assert not process.compile("nimdesk.no_such_module", "run", b"")
    assert running is not None
    assert process._process is running
    process.end()
    assert running.returncode is not None


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_process_that_is_gone_is_started_again(process: CompilerProcess) -> None:
    assert not process.compile(*KERNEL, b"")
    first = process._process
    assert first is not None
    os.kill(first.pid, signal.SIGKILL)
    first.wait()
    assert not process.compile(*KERNEL, b"")
    assert process._process is not first
    process.end()


def test_a_request_that_meets_the_end_of_an_idle_process_is_made_again(
    process: CompilerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    once = "input(); print('done', flush=True); input()"
    monkeypatch.setattr("nimdesk.compiler_process._command", lambda: [sys.executable, "-c", once])
    assert process.compile(*KERNEL, b"")
    first = process._process
    assert process.compile(*KERNEL, b"")
    assert process._process is not first
    process.end()


def test_nobody_waits_for_a_compilation_when_nimdesk_is_closed(
    process: CompilerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    endless = [sys.executable, "-c", "import sys, time; sys.stdin.readline(); time.sleep(600)"]
    monkeypatch.setattr("nimdesk.compiler_process._command", lambda: endless)
    heard: list[str] = []

    def ask() -> None:
        with pytest.raises(CompilationEndedError, match="closed"):
            process.compile(*KERNEL, b"")
        heard.append("ended")

    asking = threading.Thread(target=ask)
    asking.start()
    deadline = time.monotonic() + 60
    while process._process is None and time.monotonic() < deadline:
        time.sleep(0.01)
    process.end()
    asking.join(60)
    assert heard == ["ended"]
    with pytest.raises(CompilationEndedError):
        process.compile(*KERNEL, b"")


def _served(ending: str) -> subprocess.Popen[bytes]:
    code = f"import os, time; from nimdesk.kernels import compile_requests as c; {ending}"
    return subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def test_a_compilation_ends_with_the_program_that_wants_it() -> None:
    with _served("c._compile = lambda _: os.write(1, b'begun') and time.sleep(600); c.serve(600)") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"some request\n")
        process.stdin.flush()
        assert process.stdout.read(5) == b"begun"
        process.stdin.close()  # which a program does however it ends, killed or not
        assert process.wait(60) == 0


def test_it_ends_when_nothing_is_asked_of_it() -> None:
    with _served("c.serve(0.01)") as process:
        assert process.wait(60) == 0


def test_a_program_that_is_being_closed_begins_no_compilation() -> None:
    compiler_process.begin()
    compiler_process.refuse()
    refusing = compiler_process.current()
    assert refusing is not None
    with pytest.raises(CompilationEndedError):
        refusing.compile(*KERNEL, b"")
    compiler_process.end()
    assert compiler_process.current() is None
