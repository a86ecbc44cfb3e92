"""The system asks the program to leave: it closes in order, whatever it is doing, and the next start finds all."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from nimdesk.experiments.store import Store
from nimdesk.play.library import Library
from nimdesk.settings import SettingsStore
from nimdesk.ui.shell.session import Session
from nimdesk.ui.shell.system_signals import SystemSignals

BUSY = Path(__file__).parent / "busy_program.py"
OF_OFFSCREEN = ("This plugin does not support", "propagateSizeHints")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals between processes")
@pytest.mark.usefixtures("signals_are_heard")
@pytest.mark.parametrize(
    ("name", "code", "busy"),
    [
        ("SIGTERM", 0, ("thinking", "proving", "menu")),
        ("SIGINT", 130, ("study", "match", "dialog")),
        ("SIGHUP", 0, ("filming", "reviewing")),
    ],
)
def test_a_signal_closes_the_window_in_order_and_everything_is_kept(
    name: str, code: int, busy: tuple[str, ...], tmp_path: Path
) -> None:
    with _busy_program(*busy) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "busy\n", program.communicate()[1]
        program.send_signal(signal.Signals[name])
        _, said = program.communicate(timeout=60)
    assert program.returncode == code
    _check_that_all_is_kept(tmp_path, said)


def test_closing_the_window_ends_the_program_whatever_its_threads_do(tmp_path: Path) -> None:
    with _busy_program("stuck", "thinking", "study", "quitting") as program:
        _, said = program.communicate(timeout=60)
    assert program.returncode == 0
    _check_that_all_is_kept(tmp_path, said)
    (log,) = (tmp_path / "data" / "logs").iterdir()
    assert log.read_text().endswith("ended in order\n")


def test_all_is_kept_when_the_screen_is_gone(tmp_path: Path) -> None:
    with _busy_program("thinking", "screenless") as program:
        _, said = program.communicate(timeout=60)
    assert program.returncode == 1
    _check_that_all_is_kept(tmp_path, said)
    settings = SettingsStore(tmp_path / "config" / "settings.json").load()
    assert [player.get("agent") for player in settings.players] == ["uct", None], "who plays the next game, too"


@contextmanager
def _busy_program(*busy: str) -> Iterator[subprocess.Popen[str]]:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, str(BUSY), *busy]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=environment, stdout=pipe, stderr=pipe, text=True) as program:
        try:
            yield program
        finally:
            program.kill()


def _check_that_all_is_kept(tmp_path: Path, said: str) -> None:
    assert [line for line in said.splitlines() if not line.startswith(OF_OFFSCREEN)] == []
    assert SettingsStore(tmp_path / "config" / "settings.json").load().text_percent == 110
    with Library.open(tmp_path / "data" / "games.db") as library:
        assert [entry.head.last for entry in library.entries()] == ["mnk:15,15,5 h8 i9"]
    assert not list((tmp_path / "data").glob("window-*.lock"))
    for path in (tmp_path / "data").glob("*/*.db"):
        with Store.open_to_read(path) as store:
            assert store.count() >= 2


PRESSED = """
import signal, sys

class Press:
    def find_spec(self, name, path=None, target=None):
        if name == {!r}:
            signal.raise_signal(signal.SIGINT)

sys.meta_path.insert(0, Press())
sys.argv[1:] = []
from nimdesk.__main__ import main
sys.exit(main())
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows tells no signal by the exit code")
@pytest.mark.usefixtures("signals_are_heard")
@pytest.mark.parametrize("module", ["PySide6.QtWidgets", "pyqtgraph"])
def test_ctrl_c_while_the_window_is_made_ends_the_program_at_once_and_without_a_word(module: str) -> None:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-c", PRESSED.format(module)]
    pressed = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert pressed.returncode == (-signal.SIGINT if module == "PySide6.QtWidgets" else 130)
    assert [line for line in pressed.stderr.splitlines() if not line.startswith(OF_OFFSCREEN)] == []


def test_what_is_set_is_saved_as_soon_as_the_session_of_the_desktop_may_end(session: Session) -> None:
    store = session.preferences.store
    session.preferences.change(text_percent=120)
    assert store.load().text_percent != 120, "later, when nothing else is to do"
    session.keep()
    assert store.load().text_percent == 120
    assert session.window.isVisible(), "the person may think better of it"


@pytest.fixture
def heard() -> Iterator[SystemSignals]:
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signals = SystemSignals()
    yield signals
    signals.end()
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_IGN
    signal.signal(signal.SIGTERM, before)


@pytest.mark.usefixtures("signals_are_heard")
def test_ctrl_c_reaches_the_event_loop_and_the_second_one_ends_the_program(qtbot: QtBot, heard: SystemSignals) -> None:
    with qtbot.waitSignal(heard.asked) as asked:
        signal.raise_signal(signal.SIGINT)
    assert asked.args == [signal.SIGINT]
    assert signal.getsignal(signal.SIGINT) == signal.SIG_DFL


def test_a_signal_that_was_to_be_ignored_is_ignored(qtbot: QtBot, heard: SystemSignals) -> None:
    with qtbot.assertNotEmitted(heard.asked, wait=50):
        signal.raise_signal(signal.SIGTERM)
