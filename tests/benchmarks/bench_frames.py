"""How long one frame of the whole laboratory takes, and how evenly its event loop runs beside a search.

    uv run python tests/benchmarks/bench_frames.py
    uv run python tests/benchmarks/bench_frames.py --seconds 10

A frame is everything that follows from one new result without a rest (as at the end of a search): board, two views,
table and scrubber, drawn and painted, at 1400 x 1000. There are 30 moves or 361, with 1,000 rows each; a result is one
row more. Work is the processor time of the UI thread from the result until it has nothing more to do, turn the longest
time in which no key would have been heard. The first turn of two views, of which nothing is known yet, stands apart.
Beside a running search, lateness is how much later than asked a 5 ms timer fires, and its own work is the processor
time that the UI thread spent between two such ticks: on a busy machine the second is what nimdesk can answer for. Runs
offscreen unless QT_QPA_PLATFORM says otherwise. Not collected by pytest.
"""

from __future__ import annotations

import argparse
import os
import statistics
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
from nimdesk.ui.look.actions import LABORATORY
from nimdesk.ui.plots.frame import View
from nimdesk.ui.shell.session import Session

_VIEWS = (
    ("nim:15,15", (View.SHARE, View.OPTIMAL)),
    ("nim:15,15", (View.MEAN, View.STACK)),
    ("nim:15,15", (View.BOUND, View.REGRET)),
    ("mnk:19,19,5", (View.HEAT, View.ENTROPY)),
    ("mnk:19,19,5", (View.MEAN_HEAT, View.SHARE)),
)


def made_up(position: AnyPosition, rows: int, iterations: int) -> Trace:
    """A search of so many rows in which moves overtake each other; every move has a mean value of its own."""
    rng, moves = np.random.default_rng(7), position.legal_moves
    at = np.unique(np.geomspace(1, iterations, 3 * rows).astype(np.int64))
    at = at[np.linspace(0, len(at) - 1, rows).astype(int)]
    weights = np.exp(np.cumsum(rng.normal(size=(len(at), len(moves))) * 0.08, axis=0))
    visits = np.floor(weights / weights.sum(axis=1, keepdims=True) * at[:, np.newaxis]).astype(np.uint32)
    visits = np.maximum.accumulate(visits, axis=0)
    values = visits * (0.5 + 0.02 * np.arange(len(moves)) / len(moves) + rng.normal(size=visits.shape) * 0.005)
    return Trace(moves, at, at / 1e6, visits, values, visits.argmax(axis=1))


def result(position: AnyPosition, trace: Trace, rows: int, seed: int) -> Snapshot:
    """What the search knew after so many rows."""
    spent, seconds = trace.iterations[:rows].copy(), trace.elapsed_s[:rows].copy()
    arrays = (each[:rows].copy() for each in (trace.visits, trace.value_sum, trace.choice))
    known = Trace(trace.moves, spent, seconds, *arrays)
    last = known.visits[-1].tolist()
    stats = tuple(
        MoveStats(move, n, float(value / max(n, 1)), (move,))
        for move, n, value in zip(known.moves, last, known.value_sum[-1].tolist(), strict=True)
    )
    best = known.moves[int(np.argmax(last))]
    return Snapshot(position, "uct", seed, int(spent[-1]), float(seconds[-1]), stats, best, trace=known)


def spin(milliseconds: int) -> None:
    """Run the event loop for so long."""
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


def opened(session: Session, text: str, views: tuple[View, View]) -> LaboratoryPage:
    """The laboratory with this position and these two views."""
    session.window.modes.show_mode(LABORATORY)
    session.laboratory.study(parse_position(text))
    page = session.laboratory.page
    assert page is not None
    page.set_two_views(True)
    page.views.restore([view.key for view in views])
    spin(300)
    return page


class Watch:
    """The longest time between two ticks of a clock of 2 ms, since ``restart``: so long no key would be heard."""

    def __init__(self) -> None:
        self._timer = QTimer(interval=2, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._on_tick)
        self._timer.start()
        self.restart()

    def restart(self) -> None:
        self.longest_ms, self._last = 0.0, time.perf_counter()

    def _on_tick(self) -> None:
        now = time.perf_counter()
        self.longest_ms, self._last = max(self.longest_ms, 1000 * (now - self._last)), now


def frame_ms(page: LaboratoryPage, rounds: int) -> tuple[list[float], list[float]]:
    """The work and the longest turn of frames that differ, in milliseconds; the first frame first."""
    model, watch = page.model, Watch()
    trace = made_up(model.place.position, 1000 + rounds, 300_000)
    work, longest = [], []
    for number in range(rounds + 1):
        model.searches.focused.update(
            result(model.place.position, trace, 1000 + number, model.searches.focused.key.seed)
        )
        spin(30)
        QTimer.singleShot(0, model.searches.results_changed.emit)
        watch.restart()
        begin = time.thread_time()
        spin(60)
        work.append(1000 * (time.thread_time() - begin))
        longest.append(watch.longest_ms)
    return work, longest


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
        store, library = SettingsStore(Path(folder) / "settings.json"), Path(folder) / "games.db"
        store.save(Settings(tour_seen=True))
        session = Session(app, store, parse_position("nim:15,15"), (Human(), Human()), library=library)
        session.show()
        session.window.resize(1400, 1000)
        spin(3000)  # kernels are loaded in the background
        opened(session, *_VIEWS[0])
        spin(7000)  # plots are made ahead
        print(
            f"{'a frame of the laboratory (ms)':34}{'work: p50':>10}{'max':>7}{'turn: p50':>12}{'max':>7}{'first':>8}"
        )
        for text, views in _VIEWS:
            page = opened(session, text, views)
            work, longest = frame_ms(page, args.rounds)
            columns = "".join(f"{statistics.median(each[1:]):10.1f}{max(each[1:]):7.1f}  " for each in (work, longest))
            print(f"{f'{text}, {views[0].key} and {views[1].key}':34}{columns}{longest[0]:7.1f}")
            page.model.searches.start_over()
        print(
            f"\n{'beside a running search (ms)':30}{'late: p50':>10}{'p99':>7}{'max':>7}{'own work: p99':>16}{'max':>7}"
        )
        for text in ("nim:3,4,5", "mnk:15,15,5", "mnk:19,19,5"):
            page = opened(session, text, (View.SHARE, View.OPTIMAL) if text == "nim:3,4,5" else _VIEWS[3][1])
            page.model.searches.set_limit(None)
            page.model.searches.run()
            while (
                page.model.searches.focused.snapshot is None or page.model.searches.focused.snapshot.iterations < 1000
            ):
                spin(50)  # kernels are compiled the first time
            spin(1500)
            late, own = ticks(args.seconds)
            p99 = len(late) * 99 // 100
            middle = late[len(late) // 2]
            print(f"{text:30}{middle:10.2f}{late[p99]:7.2f}{late[-1]:7.2f}{own[p99]:16.2f}{own[-1]:7.2f}")
            page.model.searches.stop()
            spin(100)
        session.close()


if __name__ == "__main__":
    main()
