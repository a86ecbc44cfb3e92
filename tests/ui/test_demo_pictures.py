"""``nimdesk demo``: pictures of the real window with something on them, and traces that add up."""

import csv
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from desk import ENDLESS, OpenDesk
from PySide6.QtCore import QEvent, QLoggingCategory, QTimer
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QApplication, QLabel

from nimdesk.ui.look.theme import DARK, LIGHT
from nimdesk.ui.plots.legend import VISITS
from nimdesk.ui.shell import demo
from nimdesk.ui.shell.window import MainWindow


@pytest.fixture(scope="module")
def told() -> list[str]:
    """What the demo said of its progress."""
    return []


@pytest.fixture(scope="module")
def files(
    qapp_cls: type[QApplication], tmp_path_factory: pytest.TempPathFactory, told: list[str]
) -> Iterator[list[Path]]:
    """What the demo wrote, run once for all tests here."""
    app = QApplication.instance() or qapp_cls([])
    assert isinstance(app, QApplication)
    platform = os.environ.get("QT_QPA_PLATFORM")
    written = demo.run_demo(tmp_path_factory.mktemp("demo") / "new" / "folder", told.append)
    app.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    left = [widget for widget in app.topLevelWidgets() if isinstance(widget, MainWindow)]
    assert not left, "else they would be dressed with every window that comes after them"
    yield written
    QLoggingCategory.setFilterRules("")
    app.setStyleSheet("")
    if platform is None:
        os.environ.pop("QT_QPA_PLATFORM", None)
    else:
        os.environ["QT_QPA_PLATFORM"] = platform


def test_every_file_is_there(files: list[Path]) -> None:
    names = [path.name for path in files]
    assert [name for name in names if name.endswith(".png")] == [
        "nim-thinking.png",
        "nim-end.png",
        "mnk-thinking.png",
        "mnk-end.png",
    ]
    assert sum(name.startswith("nim-move-") for name in names) >= 3
    assert sum(name.startswith("mnk-move-") for name in names) >= 7
    assert all(path.stat().st_size for path in files)


def test_it_says_how_far_it_is(files: list[Path], told: list[str]) -> None:
    assert told[:2] == ["game 1 of 2, nim:3,4,5: loading the search", "game 1 of 2, nim:3,4,5: opening the window"]
    for path in (path for path in files if path.suffix == ".png"):
        assert any(words.endswith(f": {path.name} is drawn") for words in told)
    moves = sum(path.name.startswith("mnk-move-") for path in files)
    assert f"game 2 of 2, mnk:5,5,4: move {moves} is played" in told


def test_ctrl_c_ends_it(files: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "_STOP_S", 1_000)  # for the tests go on in this process
    before = signal.getsignal(signal.SIGINT)
    # From a slot, where a KeyboardInterrupt would only be printed.
    QTimer.singleShot(200, lambda: signal.raise_signal(signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        demo.run_demo(tmp_path, lambda _: None)
    assert signal.getsignal(signal.SIGINT) is before
    assert len(list(tmp_path.iterdir())) < len(files)


DEEP_IN_THE_COMPILER = """
import signal, sys, tempfile, time
from PySide6.QtCore import QTimer
from nimdesk.__main__ import main
from nimdesk.ui.shell.session import Session

def close(self):
    time.sleep(1_000)

def show(self):
    QTimer.singleShot(0, lambda: signal.raise_signal(signal.SIGINT))

Session.close, Session.show = close, show
tempfile.tempdir = "temporary"
sys.argv = ["nimdesk", "demo", "--out", "pictures"]
sys.exit(main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no Ctrl-C for a child alone")
@pytest.mark.usefixtures("signals_are_heard")
def test_ctrl_c_does_not_wait_for_the_compiler_and_leaves_no_settings_behind(tmp_path: Path) -> None:
    (tmp_path / "temporary").mkdir()
    command = [sys.executable, "-c", DEEP_IN_THE_COMPILER]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 130, done.stderr
    assert "Traceback" not in done.stderr
    assert not list((tmp_path / "temporary").iterdir())


def test_the_pictures_show_a_whole_window(files: list[Path]) -> None:
    for path in (path for path in files if path.suffix == ".png"):
        image = QImage(str(path))
        assert (image.width(), image.height()) >= (1280, 860)
        theme = LIGHT if path.name.startswith("nim") else DARK
        seen = {
            QColor(image.pixel(x, y)).name() for x in range(0, image.width(), 4) for y in range(0, image.height(), 4)
        }
        assert len(seen) > 60, f"{path.name} is nearly blank"
        assert theme.window in seen
        assert theme.plot in seen


def test_thinking_and_end_differ(files: list[Path]) -> None:
    pictures = {path.name: QImage(str(path)) for path in files if path.suffix == ".png"}
    assert pictures["nim-thinking.png"] != pictures["nim-end.png"]
    assert pictures["mnk-thinking.png"] != pictures["mnk-end.png"]


def test_each_trace_begins_at_one_and_adds_up(files: list[Path]) -> None:
    for path in (path for path in files if path.suffix == ".csv"):
        with path.open(newline="") as file:
            rows = list(csv.DictReader(file))
        assert int(rows[0]["iteration"]) == 1
        for row in (rows[0], rows[len(rows) // 2], rows[-1]):
            visits = sum(int(value) for name, value in row.items() if name.startswith("visits:"))
            assert visits == int(row["iteration"]), path.name
        only_move = sum(name.startswith("visits:") for name in rows[0]) == 1  # then the search may end at any moment
        assert only_move or int(rows[-1]["iteration"]) == 20_000, path.name


def test_a_picture_of_a_running_search_is_of_one_moment(open_desk: OpenDesk) -> None:
    desk = open_desk(first=ENDLESS)
    for _ in range(3):
        desk.wait_for_snapshot()
    desk.window.display.draw_now()
    snapshot, rows = desk.controller.shown_snapshot, desk.panel.legend.model()
    assert snapshot is not None
    listed = [str(rows.index(row, VISITS).data()) for row in range(rows.rowCount())]
    assert sum(int(text.replace(",", "")) for text in listed) == snapshot.total_visits
    assert desk.panel.searched is snapshot
    shown = [label.text() for label in desk.window.status.findChildren(QLabel)]
    assert f"{snapshot.iterations:,} simulations" in shown
