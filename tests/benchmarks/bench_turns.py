"""How long everyday actions hold the event loop: the longest turn that follows from each, and all of its work.

    uv run python tests/benchmarks/bench_turns.py
    uv run python tests/benchmarks/bench_turns.py --rounds 9

A turn is the processor time of the UI thread between two ticks of a timer of 1 ms: so long no key would be heard. The
study has 24 agents and 8 budgets, the boards have 361 cells. Table lag is how long the moves table stands behind the
moment while a search is played back at 8x. Runs offscreen unless QT_QPA_PLATFORM says otherwise. Not collected by
pytest.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop, QLoggingCategory, Qt, QTimer
from PySide6.QtWidgets import QApplication

from nimdesk.experiments.parts import PlayerPart
from nimdesk.experiments.plan import study_plan
from nimdesk.experiments.run import RunState
from nimdesk.games import parse_position
from nimdesk.play import Human
from nimdesk.settings import Settings, SettingsStore
from nimdesk.ui.dialogs import PositionEditor
from nimdesk.ui.experiments.study_panel import StudyPanel
from nimdesk.ui.laboratory.moves_table import MovesTable
from nimdesk.ui.laboratory.page import LaboratoryPage
from nimdesk.ui.laboratory.stepping_panel import SteppingPanel
from nimdesk.ui.look.actions import EXPERIMENTS, LABORATORY, PLAY
from nimdesk.ui.shell.session import Session

_BOARD = "mnk:19,19,5"
_PLAN = study_plan(
    [PlayerPart(agent="uct", options={"exploration": round(0.1 + 0.05 * i, 2)}) for i in range(24)],
    ["nim:3,4,5"],
    (10, 30, 100, 300, 1000, 3000, 10_000, 30_000),
    5,
)


def spin(milliseconds: int) -> None:
    """Run the event loop for so long."""
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


def wait(done: Callable[[], bool]) -> None:
    """Run the event loop until it is so."""
    while not done():
        spin(50)


class Watch:
    """Processor time of the UI thread since ``restart``: the most between two ticks, and all of it; milliseconds."""

    def __init__(self) -> None:
        self._timer = QTimer(interval=1, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._on_tick)
        self._timer.start()
        self.restart()

    def restart(self) -> None:
        self.longest_ms = 0.0
        self._begin = self._last = time.thread_time()

    @property
    def work_ms(self) -> float:
        return 1000 * (time.thread_time() - self._begin)

    def _on_tick(self) -> None:
        now = time.thread_time()
        self.longest_ms, self._last = max(self.longest_ms, 1000 * (now - self._last)), now


def measure(name: str, act: Callable[[int], object], rounds: int, rest_ms: int = 400) -> None:
    """Do it so often, with a rest after each, and print what it costs. ``act`` is told how often it was done before."""
    watch, turns, works = Watch(), [], []
    for number in range(rounds):
        watch.restart()
        QTimer.singleShot(0, lambda number=number: act(number))
        spin(rest_ms)
        turns.append(watch.longest_ms)
        works.append(watch.work_ms)
    print(f"{name:34}{median(turns):10.1f}{max(turns):7.1f}{median(works):12.1f}", flush=True)


def studied(session: Session, rounds: int) -> None:
    """A finished study of many agents."""
    session.window.modes.show_mode(EXPERIMENTS)
    page = session.experiments.page
    assert page is not None
    panel = page.panel(StudyPanel)
    spin(1000)
    panel.take_plan(_PLAN)
    panel.start()
    wait(lambda: panel.runner.state is RunState.FINISHED)
    for view in ("both", "map"):
        panel.view.segments.button(view).click()
        spin(500)
        measure(f"a frame of 24 agents, {view}", lambda _: panel.view.show_frame(panel.frame), rounds)


def edited(session: Session, page: LaboratoryPage, rounds: int) -> None:
    """The position editor."""

    def edit(_number: int) -> None:
        dialog = PositionEditor(page.model.place.position, session.window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()
        QTimer.singleShot(300, dialog.close)

    measure("the position editor opens", edit, rounds)


def stepped(page: LaboratoryPage, rounds: int) -> None:
    """One simulation at a time."""
    page.tabs.setCurrentWidget(page.panel(SteppingPanel))
    wait(lambda: page.panel(SteppingPanel).stage is not None)
    spin(500)
    measure("a step of a simulation", lambda _: page.panel(SteppingPanel).step(), 3 * rounds)
    measure("a whole simulation", lambda _: page.panel(SteppingPanel).finish(), 2 * rounds)
    page.tabs.setCurrentWidget(page.panel(MovesTable))


def played_back(session: Session, page: LaboratoryPage) -> None:
    """The search once more, eight times as fast."""
    lags: list[float] = []
    moved: list[float] = []
    page.model.clock.moment_changed.connect(lambda: moved.append(time.perf_counter()))

    def told() -> None:
        if moved:
            lags.append(1000 * (time.perf_counter() - moved[0]))
            moved.clear()

    page.panel(MovesTable).rows.dataChanged.connect(told)
    page.scrubber.speed.setCurrentText("8×")
    page.model.clock.set_moment(1.0)
    spin(500)
    lags.clear()
    measure("played back at 8x", lambda _: session.window.actions_by_name["lab_play"].setChecked(True), 1, 1400)
    print(f"{'  table lag':34}{median(lags):10.1f}{max(lags):7.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    QLoggingCategory.setFilterRules("default.warning=false\nqt.qpa.*=false")
    app = QApplication(sys.argv[:1])
    app.setStyle("Fusion")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["NIMDESK_DATA_DIR"] = folder  # the study is kept there
        store, library = SettingsStore(Path(folder) / "settings.json"), Path(folder) / "games.db"
        store.save(Settings(tour_seen=True))
        session = Session(app, store, parse_position("nim:3,4,5"), (Human(), Human()), library=library)
        session.show()
        session.window.resize(1400, 1000)
        spin(3000)  # kernels are loaded in the background
        print(f"{'(ms)':34}{'turn: p50':>10}{'max':>7}{'work: p50':>12}")
        for name in (LABORATORY, EXPERIMENTS):
            measure(f"{name}, first opened", lambda _, name=name: session.window.modes.open(name), 1, 5000)
        studied(session, rounds)
        session.laboratory.study(parse_position(_BOARD))
        page = session.laboratory.page
        assert page is not None
        page.model.searches.set_limit(4000)
        page.model.searches.run()
        spin(300)
        wait(lambda: not page.model.searches.running)
        spin(7000)  # plots are made ahead
        edited(session, page, rounds)
        stepped(page, rounds)
        played_back(session, page)
        modes, window = session.window.modes, session.window
        pages = (PLAY, LABORATORY, EXPERIMENTS)
        measure("another page", lambda number: modes.show_mode(pages[number % 3]), 3 * rounds)
        modes.show_mode(LABORATORY)
        spin(500)
        measure("another size", lambda number: window.resize(1385 - 15 * number, 993 - 7 * number), rounds)
        measure(
            "another look", lambda number: session.preferences.change(theme=("dark", "light")[number % 2]), rounds, 600
        )
        session.close()


if __name__ == "__main__":
    main()
