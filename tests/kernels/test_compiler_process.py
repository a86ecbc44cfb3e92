"""Kernels are compiled in a process of their own where that is asked for; whatever becomes of it, they get compiled."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from nimdesk.compiler_process import CompilerProcess
from nimdesk.errors import CompilationEndedError

KERNEL = "nimdesk.kernels.tree", "principal_variations"


def run(code: str, cache_dir: Path, **environment: str) -> list[str]:
    """What a fresh Python prints, word by word; nothing may go to stderr."""
    env = {**os.environ, "NIMDESK_CACHE_DIR": str(cache_dir), **environment}
    env = {name: value for name, value in env.items() if not name.startswith("NUMBA_")}
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, check=False, capture_output=True, text=True, timeout=300
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()


COMPILE = """
import sys, numpy
from nimdesk import compiler_process
compiler_process.begin()
from nimdesk.kernels import tree
line, nodes = numpy.zeros((1, 3), numpy.int16), tree.make_tree(2).nodes
nodes[:] = [(1, 1, 1, 0, -1, 1), (1, 1, -1, 0, 7, 0)]  # a root with one child, by move 7
tree.principal_variations(nodes, line)
compiler_process.end()
# Our own compiler has not been loaded if the kernel came from the disk.
print(sum(tree.principal_variations.stats.cache_hits.values()), "numba.np.arraymath" in sys.modules, *line[0])
"""


def test_what_the_other_process_compiles_is_loaded_here(tmp_path: Path) -> None:
    hits, compiler, *line = run(COMPILE, tmp_path)
    assert (hits, compiler, line) == ("1", "False", ["7", "-1", "0"])
    assert run(COMPILE.replace("compiler_process.begin()", ""), tmp_path) == [hits, compiler, *line]


def test_a_cache_that_is_not_kept_is_no_use_to_another_process(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    hits, compiler, *line = run(COMPILE, tmp_path / "file" / "cache", TMPDIR=str(tmp_path))
    assert (hits, compiler, line) == ("0", "True", ["7", "-1", "0"])


def test_without_another_process_kernels_are_compiled_here(tmp_path: Path) -> None:
    broken = COMPILE.replace(
        "compiler_process.begin()", "compiler_process._command = lambda: ['no such program']\ncompiler_process.begin()"
    )
    hits, compiler, *line = run(broken, tmp_path)
    assert (hits, compiler, line) == ("0", "True", ["7", "-1", "0"])


def test_a_process_that_dies_while_it_is_asked_is_no_loss(tmp_path: Path) -> None:
    dying = "compiler_process._command = lambda: [sys.executable, '-c', 'input()']\ncompiler_process.begin()"
    hits, compiler, *line = run(COMPILE.replace("compiler_process.begin()", dying), tmp_path)
    assert (hits, compiler, line) == ("0", "True", ["7", "-1", "0"])


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
    while process._process is None:
        time.sleep(0.01)
    process.end()
    asking.join(60)
    assert heard == ["ended"]
    with pytest.raises(CompilationEndedError):
        process.compile(*KERNEL, b"")
