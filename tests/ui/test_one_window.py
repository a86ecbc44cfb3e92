"""A second start that uses the window that is open, as processes of their own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from desk import WAIT_MS, OpenDesk
from PySide6.QtCore import QProcess
from PySide6.QtWidgets import QDialog, QWidget
from pytestqt.qtbot import QtBot

from nimdesk.disk.paths import path_text
from nimdesk.play.record import save_game
from nimdesk.ui.shell.one_window import OpenWindow, hand_over

HAND_OVER = (
    "import sys; from nimdesk.disk.paths import path_of; from nimdesk.ui.shell.one_window import hand_over as h; "
)
HAND_OVER += "sys.exit(not h(path_of(sys.argv[1]) if sys.argv[1:] else None))"


@pytest.fixture(autouse=True)
def _own_runtime_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("run", numbered=True)))


def start(qtbot: QtBot, *arguments: str) -> int:
    process = QProcess()
    with qtbot.waitSignal(process.finished, timeout=WAIT_MS):
        process.start(sys.executable, ["-c", HAND_OVER, *arguments])
    return process.exitCode()


NOT_UNICODE = pytest.param("b\udcff.nimdesk", marks=pytest.mark.skipif(sys.platform != "linux", reason="no such names"))


@pytest.mark.parametrize("name", ["a game, ä.nimdesk", NOT_UNICODE])
def test_a_file_is_opened_in_the_window_that_is_there(
    qtbot: QtBot, open_desk: OpenDesk, tmp_path: Path, name: str
) -> None:
    desk = open_desk("nim:3,4,5")
    desk.click("1-2")
    game = tmp_path / name
    save_game(desk.controller.game, game)
    desk.session.games.start(desk.controller.game.game.start())
    assert desk.moves == []
    window = OpenWindow(desk.window)
    window.asked.connect(desk.session.files.open)
    window.listen()
    assert start(qtbot, path_text(game)) == 0, "Qt passes no such name as an argument"
    desk.wait(lambda: desk.moves == ["1-2"])
    second = OpenWindow(desk.window)  # of a person with two windows: the first goes on being found
    second.listen()
    with qtbot.assertNotEmitted(window.asked):
        assert start(qtbot) == 0
    second.close()
    window.close()
    assert start(qtbot) == 1


def test_a_link_is_opened_in_the_window_that_is_there(qtbot: QtBot, open_desk: OpenDesk) -> None:
    desk = open_desk("nim:3,4,5")
    window = OpenWindow(desk.window)
    window.asked.connect(desk.session.files.open)
    window.listen()
    words = HAND_OVER.replace("path_of(sys.argv[1])", "sys.argv[1]")
    process = QProcess()
    with qtbot.waitSignal(process.finished, timeout=WAIT_MS):
        process.start(sys.executable, ["-c", words, "nimdesk://show?position=mnk:3,3,3+b2"])
    assert process.exitCode() == 0
    desk.wait(lambda: desk.moves == ["b2"])
    window.close()


def test_a_file_waits_until_the_dialog_that_is_open_is_answered(
    qtbot: QtBot, open_desk: OpenDesk, tmp_path: Path
) -> None:
    desk = open_desk("nim:3,4,5")
    desk.click("1-2")
    game = tmp_path / "a.nimdesk"
    save_game(desk.controller.game, game)
    desk.session.games.start(desk.controller.game.game.start())
    window = OpenWindow(desk.window)
    window.asked.connect(desk.session.files.open)
    window.listen()

    def act(_dialog: QDialog) -> None:
        with qtbot.assertNotEmitted(window.asked, wait=250):
            assert start(qtbot, str(game)) == 0
        assert desk.moves == []

    desk.in_dialog(desk.window.actions_by_name["suggest_options"].trigger, act)
    desk.wait(lambda: desk.moves == ["1-2"])
    window.close()


def test_what_a_killed_window_left_is_in_nobodys_way(qtbot: QtBot, tmp_path: Path) -> None:
    code = "import os; from PySide6.QtWidgets import QApplication, QWidget; a = QApplication([]); w = QWidget(); "
    code += "from nimdesk.ui.shell.one_window import OpenWindow; OpenWindow(w).listen(); os._exit(0)"
    subprocess.run([sys.executable, "-c", code], check=True)
    left = list(Path(os.environ["XDG_RUNTIME_DIR"]).iterdir())
    assert len(left) == 1
    assert not hand_over(None)
    widget = QWidget()
    qtbot.addWidget(widget)
    window = OpenWindow(widget)
    window.listen()
    assert start(qtbot) == 0
    window.close()
