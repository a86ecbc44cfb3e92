"""In a window, kernels are compiled in processes of their own; whatever becomes of those, they get compiled."""

import importlib
import os
import pickle
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from operator import truth
from pathlib import Path
from threading import Event

import pytest
from fresh_python import COMPILED, LOADED, PROBE, has_niceness, run, tell_and_stay

from nimdesk import compiler_process
from nimdesk.agents import make_agent
from nimdesk.compiler_process import CompilerProcesses
from nimdesk.errors import CompilationEndedError
from nimdesk.games import parse_position, solver_for
from nimdesk.games.mnk.certificate import certificate
from nimdesk.games.take.codes import HeapRule
from nimdesk.games.take.grundy import sequence
from nimdesk.kernels import jit
from nimdesk.kernels.cache import KernelCache

THERE = f"from nimdesk import compiler_process\ncompiler_process.begin()\n{PROBE}\ncompiler_process.end()"


def test_what_the_other_process_compiles_is_loaded_here(tmp_path: Path) -> None:
    folder, *searched = run(THERE, tmp_path)
    assert searched == LOADED
    assert run(PROBE, tmp_path) == [folder, *LOADED]


def test_a_cache_that_is_not_kept_is_no_use_to_another_process(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    assert run(THERE, tmp_path / "file" / "cache", TMPDIR=str(tmp_path))[1:] == COMPILED


@pytest.mark.parametrize("python", ["no such program", "/bin/false"])
@pytest.mark.skipif(sys.platform == "win32", reason="there is no program that only fails")
def test_where_no_process_does_it_kernels_are_compiled_here(tmp_path: Path, python: str) -> None:
    assert run(f"import sys\nsys.executable = {python!r}\n{THERE}", tmp_path)[1:] == COMPILED


def test_a_job_that_fails_is_said_and_the_next_one_is_done() -> None:
    processes = CompilerProcesses()
    assert not processes.run(partial(int, "no number"))
    assert processes.run(partial(int, "12"), idle=True)
    processes.end()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a thread's priority is its own")
@pytest.mark.parametrize(("idle", "niceness"), [(False, 0), (True, 19)])
def test_what_is_waited_for_is_compiled_at_the_priority_of_the_program(idle: bool, niceness: int) -> None:
    processes = CompilerProcesses()
    own, done = os.getpriority(os.PRIO_PROCESS, 0), list[bool]()

    def ask() -> None:
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), max(own, 8))
        done.append(processes.run(partial(has_niceness, max(own, niceness)), idle=idle))

    asking = threading.Thread(target=ask)
    asking.start()
    asking.join(60)
    processes.end()
    assert done == [True]


@pytest.fixture
def listening() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(60)
        yield server


def begun(listening: socket.socket) -> socket.socket:
    job, _ = listening.accept()
    job.settimeout(60)
    assert job.recv(5) == b"begun"
    return job


def last_word(job: socket.socket) -> bytes:
    """Let the job come to its end, and wait for what it says then."""
    job.sendall(b"!")
    return job.recv(8)


def has_ended(job: socket.socket) -> bool:
    """Wait for the end of the process, which closes what it had open."""
    with suppress(ConnectionResetError):
        return job.recv(1) == b""
    return True


def test_nobody_waits_for_a_job_when_nimdesk_is_closed_and_it_is_finished_all_the_same(
    listening: socket.socket,
) -> None:
    processes = CompilerProcesses()
    heard: list[str] = []
    job = partial(tell_and_stay, listening.getsockname()[1])

    def ask() -> None:
        with pytest.raises(CompilationEndedError, match="closed"):
            processes.run(job, job)
        heard.append("ended")

    asking = threading.Thread(target=ask)
    asking.start()
    with begun(listening) as first:
        processes.end()
        asking.join(60)
        assert heard == ["ended"]
        assert last_word(first) == b"finished"
        assert has_ended(first)
    for thread in threading.enumerate():
        if thread.name == "nimdesk-compiler-heard":
            thread.join(60)
    listening.settimeout(0)
    with pytest.raises(BlockingIOError):  # the second was not begun
        listening.accept()
    with pytest.raises(CompilationEndedError):
        processes.run(partial(truth, 1))


def test_a_job_is_finished_and_its_process_ends_even_if_the_program_is_killed(listening: socket.socket) -> None:
    code = f"""
import sys
sys.path[:] = {sys.path!r}
from functools import partial
from fresh_python import tell_and_stay
from nimdesk.compiler_process import CompilerProcesses
CompilerProcesses().run(partial(tell_and_stay, {listening.getsockname()[1]}))
"""
    with subprocess.Popen([sys.executable, "-c", code]) as program, begun(listening) as job:
        program.kill()
        assert last_word(job) == b"finished"
        assert has_ended(job)


def test_it_is_told_how_many_jobs_are_done_and_the_rest_can_be_given_up() -> None:
    processes = CompilerProcesses()
    told: list[int] = []
    jobs = [partial(int, "1"), partial(int, "2"), partial(int, "3")]
    assert processes.run(*jobs, done=lambda count: told.append(count) is None)
    assert told == [1, 2, 3]
    told.clear()
    assert not processes.run(*jobs, done=lambda count: told.append(count) is None and count < 2)
    assert told == [1, 2]
    processes.end()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_nobody_waits_for_ever_where_what_hears_of_a_job_fails() -> None:
    processes = CompilerProcesses()
    jobs = [partial(int, "1"), partial(int, "2")]
    assert not processes.run(*jobs, done=lambda count: bool(1 // (1 - count)))
    processes.end()


def test_nobody_waits_for_a_job_of_a_module_that_ends_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = "import sys\ndef job():\n    pass\nif 'pytest' not in sys.modules:\n    sys.exit()\n"
    (tmp_path / "ends_python.py").write_text(module)
    monkeypatch.syspath_prepend(tmp_path)
    processes = CompilerProcesses()
    assert not processes.run(importlib.import_module("ends_python").job)
    processes.end()


def test_two_processes_that_want_one_kernel_compile_it_once(tmp_path: Path) -> None:
    both: list[list[str]] = []
    threads = [threading.Thread(target=lambda: both.append(run(PROBE, tmp_path))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(words[1:] for words in both) == [COMPILED, LOADED]


def test_a_program_that_is_being_closed_begins_no_compilation() -> None:
    compiler_process.begin()
    compiler_process.refuse()
    refusing = compiler_process.current()
    assert refusing is not None
    with pytest.raises(CompilationEndedError):
        refusing.run(partial(truth, 1))
    compiler_process.end()
    assert compiler_process.current() is None


class Asked:
    """In the place of the other processes: does nothing, and notes the jobs."""

    def __init__(self) -> None:
        self.jobs: list[Callable[[], object]] = []

    def run(self, job: Callable[[], object]) -> None:
        self.jobs.append(job)


def solved(text: str) -> None:
    position = parse_position(text)
    solver_for(position).start(position)


def searched(agent: str, text: str) -> None:
    make_agent(agent).new_searcher(parse_position(text)).start(parse_position(text), 0)


@pytest.mark.parametrize(
    ("begin", "jobs"),
    [
        (partial(solved, "mnk:3,3,3"), 2),  # lines and a defence
        (partial(solved, "mnk:3,3,3:gravity"), 1),
        (partial(solved, "mnk:4,4,4:gravity"), 1),
        (partial(certificate, parse_position("mnk:3,3,3"), Event()), 2),
        (partial(sequence, HeapRule.parse("0.3"), 9), 1),
        *((partial(searched, agent, "mnk:3,3,3"), 1) for agent in ("uct", "mcts", "alphabeta", "flat")),
    ],
)
def test_what_calls_kernels_has_them_compiled_in_another_process_first(
    begin: Callable[[], object], jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = Asked()
    monkeypatch.setattr(jit, "_loaded", set())  # as in a new process
    monkeypatch.setattr(KernelCache, "has", lambda _cache, _name: False)
    with monkeypatch.context() as other:
        other.setattr(compiler_process, "current", lambda: asked)
        begin()
    assert len(asked.jobs) == jobs
    for job in asked.jobs:
        pickle.loads(pickle.dumps(job))()
