"""How soon the window answers while it searches, how soon it paints, and how evenly its event loop runs.

    uv run python tests/benchmarks/bench_responsiveness.py
    uv run python tests/benchmarks/bench_responsiveness.py --rounds 21 --position mnk:19,19,5

An answer is counted from the call of the action to the end of the repaint that shows the controller's new state, and
beside it to the end of the repaint of the search's last frame, which comes after it; for Quit to the hidden window. The
first paint is counted from the start of a new Python process (with warm caches) to the flushed paint of the board, with
a settings file and without one; a bare window of Qt's own is the floor. Jitter is how much later than asked a 5 ms
timer fires. Runs offscreen unless QT_QPA_PLATFORM says otherwise. Not collected by pytest.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEvent, QEventLoop, QLoggingCategory, QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from nimdesk.agents import make_agent
from nimdesk.games import parse_position
from nimdesk.play import GameInProgress, Human
from nimdesk.play.kept import KeptGame
from nimdesk.play.library import Library
from nimdesk.play.moment import State
from nimdesk.search import Limit, drive
from nimdesk.settings import Settings, SettingsStore
from nimdesk.ui.shell.session import Session

# A process like the program's own, which says the time of its first paint and ends.
_STARTER = """
import gc, sys, time
gc.disable()  # as the program itself does first
from nimdesk import app
store = app.SettingsStore
def store_and_clock():  # called once everything is imported
    from nimdesk.ui.shell.session import Session
    after = Session._after_first_paint
    def first_paint(self):
        print(time.time_ns(), flush=True)
        after(self)
        self.window.close()  # which ends the program as a person would
    Session._after_first_paint = first_paint
    return store()
app.SettingsStore = store_and_clock
sys.exit(app.run_window())
"""

# What Python and Qt alone take; nothing built on them can be sooner.
_EMPTY_WINDOW = """
import time
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMainWindow
class Window(QMainWindow):
    def paintEvent(self, event):
        QTimer.singleShot(0, self.painted)
    def painted(self):
        print(time.time_ns(), flush=True)
        self.close()
app = QApplication([])
window = Window()
window.resize(1280, 860)
window.show()
app.exec()
"""


def spin(done: Callable[[], bool], limit_s: float = 60.0) -> None:
    """Run the event loop, as the program does, until ``done``; it looks every millisecond."""
    loop, look = QEventLoop(), QTimer(interval=1, timerType=Qt.TimerType.PreciseTimer)
    until = time.monotonic() + limit_s
    look.timeout.connect(lambda: loop.quit() if done() or time.monotonic() > until else None)
    look.start()
    if not done():
        loop.exec()
    if not done():
        raise TimeoutError("the window did not do what it was asked")


class Repaint(QObject):
    """Notes the end of the window's first repaint after ``done``."""

    def __init__(self, window: QWidget, done: Callable[[], bool]) -> None:
        super().__init__()
        self.at: float | None = None
        self._done = done
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if event.type() != QEvent.Type.UpdateRequest or self.at is not None or not self._done():
            return False
        watched.event(event)
        self.at = time.perf_counter()
        return True


class Bench:
    """A window with a search of a minute under way."""

    def __init__(self, app: QApplication, folder: Path, position: str) -> None:
        self.app, self.position = app, parse_position(position)
        store = SettingsStore(folder / "settings.json")
        store.save(Settings(slow_motion_s=0.0, move_delay_ms=0))
        self.endless = make_agent("uct", {"iterations": None, "time_s": 600.0, "seed": 1})
        self.session = Session(app, store, self.position, (Human(), self.endless), library=folder / "games.db")
        self.controller, self.window = self.session.controller, self.session.window
        self.session.show()
        spin(lambda: self.window.plots.panel is not None)

    def search(self) -> None:
        """Let the computer think about its answer to the first move, until its curves are seen."""
        self.session.games.start(self.position)
        self.controller.human_move(self.position.legal_moves[len(self.position.legal_moves) // 2])
        frames: list[object] = []
        count = self.session.service.snapshot_ready.connect(frames.append)
        spin(lambda: len(frames) > 5)
        self.session.service.snapshot_ready.disconnect(count)

    def answer_ms(self, action: str, done: Callable[[], bool]) -> tuple[float, float]:
        """From triggering the action to the end of the repaint that shows what came of it, and of all that follow."""
        self.search()
        watch = Repaint(self.window, done)
        begin = time.perf_counter()
        if action == "new_game":
            self.session.games.start(parse_position("mnk:5,5,4"))
        else:
            self.window.actions_by_name[action].trigger()
        spin(lambda: watch.at is not None)
        self.app.processEvents()  # whatever has to be painted anew is painted now
        assert watch.at is not None
        self.window.removeEventFilter(watch)
        return 1000 * (watch.at - begin), 1000 * (time.perf_counter() - begin)

    def quit_ms(self) -> tuple[float, float]:
        """From Quit, which saves the settings first, to the hidden window."""
        self.search()
        begin = time.perf_counter()
        self.window.actions_by_name["quit"].trigger()
        assert not self.window.isVisible()
        took = 1000 * (time.perf_counter() - begin)
        self.controller.stop()
        self.window.show()
        spin(self.window.isVisible)
        return took, took

    def jitter_ms(self, seconds: float) -> list[float]:
        late: list[float] = []
        timer = QTimer(interval=5, timerType=Qt.TimerType.PreciseTimer)
        last = time.perf_counter()

        def tick() -> None:
            nonlocal last
            now = time.perf_counter()
            late.append(1000 * (now - last) - 5)
            last = now

        timer.timeout.connect(tick)
        timer.start()
        loop = QEventLoop()
        QTimer.singleShot(round(1000 * seconds), loop.quit)
        loop.exec()
        timer.stop()
        return sorted(late[1:])


def answers(bench: Bench, rounds: int) -> None:
    state = lambda wanted: lambda: bench.controller.state is wanted  # noqa: E731
    asked = {
        "Pause": lambda: bench.answer_ms("pause", state(State.PAUSED)),
        "Move now": lambda: bench.answer_ms("move_now", state(State.HUMAN)),
        "Undo": lambda: bench.answer_ms("undo", state(State.HUMAN)),
        "New game": lambda: bench.answer_ms("new_game", lambda: bench.controller.game.game.text == "mnk:5,5,4"),
        "Quit": bench.quit_ms,
    }
    print(f"\n{'answer during a search (ms)':34}{'median':>8}{'max':>8}{'last frame':>12}{'max':>8}")
    for name, measure in asked.items():
        times, frames = zip(*(measure() for _ in range(rounds)), strict=True)
        print(f"{name:34}{median(times):8.1f}{max(times):8.1f}{median(frames):12.1f}{max(frames):8.1f}")


def jitter(bench: Bench, seconds: float) -> None:
    print(f"\n{'lateness of a 5 ms timer (ms)':34}{'p50':>8}{'p99':>8}{'max':>8}")
    bench.session.games.start(bench.position)
    spin(lambda: not bench.session.service.searching)
    bench.jitter_ms(0.3)
    idle = bench.jitter_ms(seconds)
    bench.search()
    for name, late in (("idle", idle), ("beside a search, curves drawn", bench.jitter_ms(seconds))):
        print(f"{name:34}{late[len(late) // 2]:8.2f}{late[len(late) * 99 // 100]:8.2f}{late[-1]:8.2f}")


def keep_a_game(path: Path) -> None:
    """A game of gomoku whose moves all have a search, as the last window left it."""
    game = GameInProgress(parse_position("mnk:15,15,5"), (Human(), make_agent("uct")))
    while len(game.plies) < 60 and game.position.outcome is None:
        searcher = make_agent("uct", {"iterations": 2_000, "seed": len(game.plies)}).new_searcher(game.position)
        searcher.start(game.position, len(game.plies))
        drive(searcher, Limit(2_000))
        snapshot = searcher.snapshot()
        assert snapshot.best_move is not None
        game.play(snapshot.best_move, by="MCTS", snapshot=snapshot)
    change = KeptGame(game).change()
    assert change is not None
    with Library.open(path) as library:
        library.write(change, 1)


def first_paint(rounds: int, folder: Path) -> None:
    print(f"\n{'process start to first paint (ms)':34}{'median':>8}{'min':>8}{'max':>8}")
    keep_a_game(folder / "played" / "games.db")
    for name, config, program in (
        ("with settings", folder / "kept", _STARTER),
        ("… and a game of 60 moves", folder / "played", _STARTER),
        ("the very first start", folder / "fresh", _STARTER),
        ("an empty window without nimdesk", folder / "none", _EMPTY_WINDOW),
    ):
        times = []
        for number in range(rounds + 1):
            place = config if config.name in ("kept", "played") else config / str(number)
            # With compiled modules, as an installed program has them, also where Python is told to write none.
            environment = {**os.environ, "NIMDESK_CONFIG_DIR": str(place), "PYTHONPYCACHEPREFIX": str(folder / "code")}
            environment["NIMDESK_DATA_DIR"] = str(place)
            environment.pop("PYTHONDONTWRITEBYTECODE", None)
            begin = time.time_ns()
            process = subprocess.run(
                [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
            )
            times.append((int(process.stdout.split()[0]) - begin) / 1e6)
        # The first run is only there to warm everything up.
        print(f"{name:34}{median(times[1:]):8.0f}{min(times[1:]):8.0f}{max(times[1:]):8.0f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--position", default="mnk:15,15,5")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=5.0, help="for each measurement of jitter")
    args = parser.parse_args()
    QLoggingCategory.setFilterRules("default.warning=false\nqt.qpa.*=false")
    app = QApplication(sys.argv[:1])
    app.setStyle("Fusion")
    with tempfile.TemporaryDirectory() as folder:
        first_paint(args.rounds, Path(folder))
        bench = Bench(app, Path(folder), args.position)
        answers(bench, args.rounds)
        jitter(bench, args.seconds)
        bench.session.close()


if __name__ == "__main__":
    main()
