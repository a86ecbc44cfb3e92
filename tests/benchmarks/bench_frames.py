"""How long one frame of the whole laboratory takes, and how evenly its event loop runs beside a search.

    uv run python tests/benchmarks/bench_frames.py
    uv run python tests/benchmarks/bench_frames.py --seconds 10

A frame is everything that follows from one new result where nothing is cut into turns (as at the end of a search, or
under the scrubber): board, two views, table and scrubber, drawn and painted, at 1400 x 1000. The first is 30 moves with
1,000 rows each, the second 361 moves. Beside a running search, lateness is how much later than asked a 5 ms timer
fires, and its own work is the processor time that the UI thread spent between two such ticks: on a busy machine the
second is what nimdesk can answer for. Runs offscreen unless QT_QPA_PLATFORM says otherwise. Not collected by pytest.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from PySide6.QtCore import QEventLoop, QLoggingCategory, Qt, QTimer
from PySide6.QtWidgets import QApplication

from nimdesk.games import AnyPosition, parse_position
from nimdesk.play import Human
from nimdesk.search import MoveStats, Snapshot
from nimdesk.search.types import Trace
from nimdesk.settings import Settings, SettingsStore
from nimdesk.ui.laboratory.page import LaboratoryPage
from nimdesk.ui.plots.frame import View
from nimdesk.ui.session import Session

_VIEWS = (
    ("nim:15,15", (View.SHARE, View.OPTIMAL)),
    ("nim:15,15", (View.MEAN, View.STACK)),
    ("nim:15,15", (View.BOUND, View.REGRET)),
    ("mnk:19,19,5", (View.HEAT, View.ENTROPY)),
    ("mnk:19,19,5", (View.MEAN_HEAT, View.SHARE)),
)


def made_up(position: AnyPosition, rows: int, iterations: int, seed: int) -> Snapshot:
    """A search of so many rows in which moves overtake each other; every move has a mean value of its own."""
    rng, moves = np.random.default_rng(7), position.legal_moves
    at = np.unique(np.geomspace(1, iterations, 3 * rows).astype(np.int64))
    at = at[np.linspace(0, len(at) - 1, rows).astype(int)]
    weights = np.exp(np.cumsum(rng.normal(size=(len(at), len(moves))) * 0.08, axis=0))
    visits = np.floor(weights / weights.sum(axis=1, keepdims=True) * at[:, np.newaxis]).astype(np.uint32)
    visits = np.maximum.accumulate(visits, axis=0)
    values = visits * (0.5 + 0.02 * np.arange(len(moves)) / len(moves) + rng.normal(size=visits.shape) * 0.005)
    trace = Trace(moves, at, at / 1e6, visits, values)
    last = visits[-1].tolist()
    stats = tuple(
        MoveStats(move, n, float(value / max(n, 1)), (move,))
        for move, n, value in zip(moves, last, values[-1].tolist(), strict=True)
    )
    best = moves[int(np.argmax(last))]
    return Snapshot(position, "uct", seed, int(at[-1]), float(at[-1]) / 1e6, stats, best, trace=trace)


def spin(milliseconds: int) -> None:
    """Run the event loop for so long."""
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


def opened(session: Session, text: str, views: tuple[View, View]) -> LaboratoryPage:
    """The laboratory with this position and these two views."""
    session.laboratory.study(parse_position(text))
    page = session.laboratory.page
    assert page is not None
    page.set_two_views(True)
    page.views.restore([view.key for view in views])
    spin(300)
    return page


def frame_ms(app: QApplication, page: LaboratoryPage, rounds: int) -> list[float]:
    """The times of frames that differ, sorted."""
    model = page.model
    times = []
    for number in range(rounds + 1):
        model.focused.update(made_up(model.position, 1000, 300_000 + 20_000 * number, model.focused.key.seed))
        app.processEvents()
        begin = time.perf_counter()
        model.results_changed.emit()
        app.processEvents()
        times.append(1000 * (time.perf_counter() - begin))
    return sorted(times[1:])


def ticks(seconds: float) -> tuple[list[float], list[float]]:
    """How late a 5 ms timer fires, and the UI thread's own work between two ticks; sorted milliseconds."""
    late: list[float] = []
    own: list[float] = []
    timer = QTimer(interval=5, timerType=Qt.TimerType.PreciseTimer)
    last, spent = time.perf_counter(), time.thread_time()

    def tick() -> None:
        nonlocal last, spent
        now, work = time.perf_counter(), time.thread_time()
        late.append(1000 * (now - last) - 5)
        own.append(1000 * (work - spent))
        last, spent = now, work

    timer.timeout.connect(tick)
    timer.start()
    spin(round(1000 * seconds))
    timer.stop()
    return sorted(late[1:]), sorted(own[1:])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--seconds", type=float, default=3.0, help="beside each running search")
    args = parser.parse_args()
    QLoggingCategory.setFilterRules("default.warning=false\nqt.qpa.*=false")
    app = QApplication(sys.argv[:1])
    app.setStyle("Fusion")
    with tempfile.TemporaryDirectory() as folder:
        store = SettingsStore(Path(folder) / "settings.json")
        store.save(Settings(tour_seen=True))
        session = Session(app, store, parse_position("nim:15,15"), (Human(), Human()))
        session.show()
        session.window.resize(1400, 1000)
        spin(3000)  # kernels are loaded in the background
        print(f"{'a frame of the laboratory (ms)':44}{'median':>9}{'max':>9}")
        for text, views in _VIEWS:
            page = opened(session, text, views)
            times = frame_ms(app, page, args.rounds)
            name = f"{text}, {views[0].key} and {views[1].key}"
            print(f"{name:44}{times[len(times) // 2]:9.1f}{times[-1]:9.1f}")
            page.model.start_over()
        print(
            f"\n{'beside a running search (ms)':30}{'late: p50':>10}{'p99':>7}{'max':>7}{'own work: p99':>16}{'max':>7}"
        )
        for text in ("nim:3,4,5", "mnk:15,15,5", "mnk:19,19,5"):
            page = opened(session, text, (View.SHARE, View.OPTIMAL) if text == "nim:3,4,5" else _VIEWS[3][1])
            page.model.set_limit(None)
            page.model.run()
            while page.model.focused.snapshot is None or page.model.focused.snapshot.iterations < 1000:
                spin(50)  # kernels are compiled the first time
            spin(1500)
            late, own = ticks(args.seconds)
            p99 = len(late) * 99 // 100
            middle = late[len(late) // 2]
            print(f"{text:30}{middle:10.2f}{late[p99]:7.2f}{late[-1]:7.2f}{own[p99]:16.2f}{own[-1]:7.2f}")
            page.model.stop()
            spin(100)
        session.close()


if __name__ == "__main__":
    main()
