"""Shared fixtures: no screen, nothing of the person who runs the tests, no thread or warning left behind."""

import gc
import logging
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# Else a plot of the library is a window of its own once a test of the same process has loaded Qt.
os.environ["MPLBACKEND"] = "Agg"

# Compiled kernels, kept from one run to the next: the first of all takes minutes longer. Set before they are imported.
os.environ["NIMDESK_CACHE_DIR"] = str(Path(__file__).parent.parent / ".test_cache")

# No law is about time, so that a busy machine breaks none; and nothing is kept from one run for the next. All tests
# together have a quarter of an hour on two processors.
settings.register_profile(
    "laws", max_examples=60, deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("laws")


def pytest_addoption(parser: pytest.Parser) -> None:
    words = "compile all kernels before the first test, on all processors, instead of each where it is needed first"
    parser.addoption("--warm-up", action="store_true", help=words)


def pytest_sessionstart(session: pytest.Session) -> None:
    if session.config.getoption("--warm-up") and not hasattr(session.config, "workerinput"):
        subprocess.run([sys.executable, "-m", "nimdesk", "warm-up"], check=True)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """All tests and what they import stay to the end; looking through them for garbage takes a fifth of a second."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One worker more than processors: a tenth of their time tests wait for windows, threads and other programs."""
    return (os.cpu_count() or 1) + 1


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NIMDESK_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("NIMDESK_DATA_DIR", str(tmp_path / "data"))


@pytest.fixture
def limit_files(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int], None]]:
    """Let no file of this process grow beyond so many bytes, as a full disk does; undone by -1, and at the end."""
    if sys.platform == "win32":
        pytest.skip("Windows has no limit on the size of files")
    import resource  # lazy: not on Windows

    # Python would leave what it compiles cut off beside the module, and not be able to load it again.
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    yield lambda size: resource.setrlimit(resource.RLIMIT_FSIZE, (soft if size < 0 else size, hard))
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.fixture
def signals_are_heard() -> Iterator[None]:
    """Children hear Ctrl-C and the end of a terminal; they would inherit that these are ignored, as under ``nohup``."""
    wanted = {signal.SIGINT: signal.default_int_handler}
    if hasattr(signal, "SIGHUP"):
        wanted[signal.SIGHUP] = signal.SIG_DFL
    before = {number: signal.signal(number, handler) for number, handler in wanted.items()}
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, wanted)
    yield
    for number, handler in before.items():
        signal.signal(number, handler if handler is not None else signal.SIG_DFL)


# They finish what is being compiled, though nobody waits for it any more; those of AnyIO end a moment after its loop.
_FINISHING = ("nimdesk-loading", "nimdesk-compiler-heard", "AnyIO worker thread")


@pytest.fixture(autouse=True)
def _nothing_left_behind() -> Iterator[None]:
    """Fail a test that leaves a thread running or logs a warning."""
    before = set(threading.enumerate())
    records: list[logging.LogRecord] = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = records.append  # type: ignore[method-assign]
    logging.getLogger().addHandler(handler)
    yield
    logging.getLogger().removeHandler(handler)
    after = set(threading.enumerate()) - before
    for thread in after:
        if thread.name in _FINISHING:
            thread.join(120)
    left = [thread.name for thread in after if thread.is_alive()]
    assert not left, f"threads left running: {left}"
    assert not records, f"warnings logged: {[record.getMessage() for record in records]}"
