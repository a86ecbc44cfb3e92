"""A long day in one window: whether anything grows that should not, over hundreds of games, analyses, dialogs, studies.

    uv run python tests/benchmarks/bench_soak.py
    uv run python tests/benchmarks/bench_soak.py --only games dialogs --rounds 1000 --every 100
    uv run python tests/benchmarks/bench_soak.py --only pages --types

The same thing is done again and again with the real window; after every few rounds, and after all that was let go has
been collected and returned to the system, a line says what the process holds: resident memory, widgets, all of Qt's
objects that Python knows, items of plots, Python's objects, threads and open files. The last line of each part is the
growth of a round, as the slope of a line through the second half. ``--types`` also tells of which types there are more
at the end than in the middle. Runs offscreen unless QT_QPA_PLATFORM says otherwise. Not collected by pytest.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import os
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from itertools import cycle
from pathlib import Path
from typing import NamedTuple

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
import shiboken6
from PySide6.QtCore import QEvent, QEventLoop, QLoggingCategory, QObject, QTimer
from PySide6.QtWidgets import QApplication, QDialog, QGraphicsView, QMenu, QWidget

from nimdesk.agents import make_agent
from nimdesk.experiments.parts import PlayerPart
from nimdesk.experiments.plan import study_plan
from nimdesk.experiments.run import RunState
from nimdesk.games import parse_position
from nimdesk.play import GameInProgress
from nimdesk.play.moment import State
from nimdesk.settings import Settings, SettingsStore
from nimdesk.ui.experiments.study_panel import StudyPanel
from nimdesk.ui.laboratory.page import LaboratoryPage
from nimdesk.ui.look.actions import EXPERIMENTS, LABORATORY, PLAY
from nimdesk.ui.shell.session import Session

_GAMES = ("nim:3,4,5", "mnk:3,3,3", "nim:1,2,3", "mnk:5,4,4:gravity")
_STUDIED = ("nim:3,4,5", "mnk:5,5,4", "mnk:15,15,5")
_PAGES = (PLAY, LABORATORY, EXPERIMENTS)
_DIALOGS = {
    PLAY: (*("new_game", "library", "suggest_options", "open", "save_as", "listing", "help", "about", "palette"),),
    LABORATORY: (
        *("lab_edit", "take_picture", "take_data", "take_board", "take_full", "take_bundle", "take_open", "palette"),
    ),
    EXPERIMENTS: ("exp_open", "exp_save", "exp_csv", "exp_picture", "palette", "about"),
}
_WAIT_S = 120.0


def spin(milliseconds: int) -> None:
    """Run the event loop for so long."""
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


def wait(done: Callable[[], bool]) -> None:
    """Run the event loop until it is so; it looks every other millisecond."""
    loop, look, until = QEventLoop(), QTimer(interval=2), time.monotonic() + _WAIT_S
    look.timeout.connect(lambda: loop.quit() if done() or time.monotonic() > until else None)
    look.start()
    if not done():
        loop.exec()
    if not done():
        raise TimeoutError("the window did not do what it was asked")


def resident_kb() -> float:
    """The memory of this process that is not swapped out."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1024


class Held(NamedTuple):
    """What the process holds."""

    rss_kb: float
    before_kb: float
    """Resident before anything was collected or returned."""
    widgets: int
    qt: int
    items: int
    objects: int
    threads: int
    files: int

    @classmethod
    def now(cls) -> Held:
        """After everything that was let go is gone."""
        before = resident_kb()
        for _ in range(3):
            QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
            gc.collect()
            spin(20)
        with suppress(OSError, AttributeError):
            ctypes.CDLL("libc.so.6").malloc_trim(0)
        widgets = QApplication.allWidgets()
        views = {view for view in widgets if isinstance(view, QGraphicsView) and view.scene() is not None}
        return cls(
            resident_kb(),
            before,
            len(widgets),
            sum(isinstance(each, QObject) for each in shiboken6.getAllValidWrappers()),
            sum(len(view.scene().items()) for view in views),
            len(gc.get_objects()),
            threading.active_count(),
            len(os.listdir("/proc/self/fd")),
        )


class Day:
    """One window, and what is done in it again and again."""

    def __init__(self, session: Session) -> None:
        self.session, self.window = session, session.window
        self._positions, self._studied = (cycle(map(parse_position, texts)) for texts in (_GAMES, _STUDIED))

    def show(self, name: str) -> None:
        """Show this page."""
        self.window.modes.show_mode(name)

    @property
    def laboratory(self) -> LaboratoryPage:
        """Its page, which has been shown."""
        page = self.session.laboratory.page
        assert page is not None
        return page

    # What is done

    def game(self, number: int) -> None:
        """Two computers play to the end: another game, or a rematch, or one with changed sides."""
        self.show(PLAY)
        controller, games = self.session.controller, self.session.games
        if number % 3 == 0:
            games.start(next(self._positions), (_player(1), _player(2)))
        else:
            self.window.actions_by_name["restart" if number % 3 == 1 else "swap"].trigger()
        wait(lambda: controller.state is State.OVER)

    def long_game(self, number: int) -> None:
        """Two computers play gomoku, with hundreds of moves in each search."""
        self.show(PLAY)
        controller = self.session.controller
        controller.new_game(GameInProgress(parse_position("mnk:15,15,5"), (_player(number), _player(number + 1))))
        wait(lambda: controller.state is State.OVER)

    def analysis(self, number: int) -> None:
        """Another position, or other seeds, searched to the limit."""
        self.show(LABORATORY)
        model = self.laboratory.model
        if number % 3 == 0:
            model.place.go_to(next(self._studied))
        elif number % 3 == 1:
            model.place.play(model.place.position.legal_moves[number // 3 % 3])
        else:
            model.agents.new_seeds()
        model.searches.run()
        wait(lambda: not model.searches.running)

    def page(self, number: int) -> None:
        """Another page."""
        self.show(_PAGES[number % 3])
        spin(15)

    def dialog(self, number: int) -> None:
        """Every dialog of a page, and its menus, opened and closed."""
        page = _PAGES[number % 3]
        self.show(page)
        for name in _DIALOGS[page]:
            self.opened_and_closed(self.window.actions_by_name[name].trigger)
        if page == LABORATORY:
            self.opened_and_closed(self.laboratory.agents.rows[0].options.click)
        elif page == PLAY:
            place = self.window.column.place
            self.opened_and_closed(lambda: place.customContextMenuRequested.emit(place.rect().center()))

    def study(self, number: int) -> None:
        """Another study, to its end."""
        self.show(EXPERIMENTS)
        page = self.session.experiments.page
        assert page is not None
        panel = page.panel(StudyPanel)
        page.tabs.setCurrentWidget(panel)
        agents = [PlayerPart(agent="uct", options={"exploration": 0.5 + 0.001 * number}), PlayerPart(agent="flat")]
        panel.take_plan(study_plan(agents, ["nim:1,2,3"], (10, 30), 5))
        panel.start()
        wait(lambda: panel.runner.state is RunState.FINISHED and panel.frame is not None and panel.frame.complete)

    def look(self, number: int) -> None:
        """Another theme, another size of text, another size of the window."""
        self.session.preferences.change(theme=("dark", "light")[number % 2])
        self.window.actions_by_name["larger_text" if number % 4 < 2 else "smaller_text"].trigger()
        self.window.resize(1000 + 40 * (number % 7), 760 + 20 * (number % 5))
        self.show(_PAGES[number // 2 % 3])
        spin(15)

    def opened_and_closed(self, open_: Callable[[], object]) -> None:
        """Do this, and close whatever it opens."""
        closer = QTimer(interval=3)
        closer.timeout.connect(_close_one)
        closer.start()
        open_()
        spin(15)
        wait(lambda: _open_one() is None)


def _open_one() -> QWidget | None:
    return QApplication.activePopupWidget() or QApplication.activeModalWidget()


def _close_one() -> None:
    shown = _open_one()
    if isinstance(shown, QDialog):
        shown.reject()
    elif isinstance(shown, QMenu):
        shown.close()


def _player(seed: int) -> object:
    return make_agent("mcts", {"iterations": 300, "seed": seed})


def types() -> Counter[str]:
    """How many objects of each type there are."""
    return Counter(f"{type(each).__module__}.{type(each).__qualname__}" for each in gc.get_objects())


def soak(name: str, act: Callable[[int], None], rounds: int, every: int, *, tell_types: bool) -> str:
    """Do it so often; print what is held on the way, and return a line on the growth."""
    print(
        f"\n{name:12}{'MB':>8}{'before':>8}{'widgets':>9}{'Qt':>8}{'items':>7}{'objects':>10}{'threads':>9}{'files':>7}{'s':>8}"
    )
    begin, held, counted = time.monotonic(), list[Held](), Counter[str]()
    for number in range(rounds + 1):
        if number % every == 0:
            held.append(now := Held.now())
            told = f"{now.rss_kb / 1024:8.1f}{now.before_kb / 1024:8.1f}{now.widgets:9}{now.qt:8}{now.items:7}"
            told += f"{now.objects:10}{now.threads:9}{now.files:7}{time.monotonic() - begin:8.0f}"
            print(f"{number:12}{told}", flush=True)
        if number == rounds // 2 // every * every and tell_types:
            counted = types()
        act(number)
    if tell_types:
        for kind, more in (types() - counted).most_common(25):
            print(f"    {more:+7} {kind}")
    late = held[len(held) // 2 :]
    places = every * np.arange(len(late))
    slopes = [float(np.polyfit(places, [each[column] for each in late], 1)[0]) for column in range(len(late[0]))]
    return f"{name:12}{slopes[0]:10.1f}{slopes[1]:10.1f}" + "".join(f"{slope:10.2f}" for slope in slopes[2:6])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = ("games", "analyses", "pages", "dialogs", "studies", "looks", "gomoku")
    parser.add_argument("--only", nargs="+", choices=parts, default=parts[:-1])
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--every", type=int, default=25)
    parser.add_argument("--types", action="store_true")
    args = parser.parse_args()
    QLoggingCategory.setFilterRules("default.warning=false\nqt.qpa.*=false")
    app = QApplication([*sys.argv[:1], "-style", "Fusion"])
    with tempfile.TemporaryDirectory() as folder:
        os.environ["NIMDESK_DATA_DIR"] = os.environ["NIMDESK_CONFIG_DIR"] = folder
        store = SettingsStore(Path(folder) / "settings.json")
        store.save(Settings(tour_seen=True, slow_motion_s=0.0, move_delay_ms=0, animations="off"))
        session = Session(app, store, parse_position("nim:3,4,5"), (_player(1), _player(2)))
        session.completed.connect(session.controller.pause)
        session.show()
        session.window.resize(1280, 860)
        wait(lambda: session.window.plots.panel is not None)
        day = Day(session)
        acts = dict(
            zip(
                parts,
                (day.game, day.analysis, day.page, day.dialog, day.study, day.look, day.long_game),
                strict=True,
            )
        )
        for page in _PAGES:
            day.show(page)
            spin(8000 if page == LABORATORY else 1000)  # its plots are made ahead
        lines = [soak(name, acts[name], args.rounds, args.every, tell_types=args.types) for name in args.only]
        print(f"\n{'a round':12}{'kB':>10}{'before':>10}{'widgets':>10}{'Qt':>10}{'items':>10}{'objects':>10}")
        print("\n".join(lines))
        session.close()


if __name__ == "__main__":
    main()
