"""The program as a process of its own, busy with these things: ``python busy_program.py WHAT...``; it says when it is.

One thing is begun as soon as the one before it is under way.

Two moves are played, and one setting is changed, that are to be there at the next start.
"""

from __future__ import annotations

import os
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QProgressDialog

from nimdesk import app
from nimdesk.agents import make_agent
from nimdesk.experiments.matches.work import MatchPart
from nimdesk.experiments.parts import PlayerPart
from nimdesk.experiments.plan import new_plan, study_plan
from nimdesk.experiments.run import RunState
from nimdesk.games import parse_position
from nimdesk.play import Human
from nimdesk.play.moment import State
from nimdesk.settings import Settings, SettingsStore
from nimdesk.ui.experiments.matches_panel import MatchesPanel
from nimdesk.ui.experiments.panel import RunPanel
from nimdesk.ui.experiments.study_panel import StudyPanel
from nimdesk.ui.jobs.bridge import Bridge, ignore
from nimdesk.ui.laboratory.studied import Studied
from nimdesk.ui.look.actions import EXPERIMENTS, LABORATORY
from nimdesk.ui.shell import session

Done = Callable[[], bool]
ENDLESS = make_agent("uct", {"iterations": None, "time_s": 600.0, "seed": 1})
MANY = PlayerPart(agent="uct", options={"iterations": 1_000})


class Busy(session.Session):
    """The program, which begins something as soon as it is complete."""

    def __init__(self, *arguments: object, **more: object) -> None:
        super().__init__(*arguments, **more)
        self.completed.connect(self._get_busy)
        self._poll = QTimer(interval=5)
        self._poll.timeout.connect(self._look)

    def _get_busy(self) -> None:
        for move in ("h8", "i9"):
            self.controller.human_move(self.controller.position.parse_move(move))
        self.preferences.change(text_percent=110)
        self._wanted = sys.argv[1:]
        self._busy = self.nothing()
        self._poll.start()

    def _look(self) -> None:
        try:
            self._go_on()
        except Exception:
            traceback.print_exc()
            os._exit(1)  # or whoever listens would wait for ever

    def _go_on(self) -> None:
        if not self._busy():
            return
        if self._wanted:
            self._busy = getattr(self, self._wanted.pop(0))()
        elif not self.keeper.behind:
            self._poll.stop()
            print("busy", flush=True)

    def nothing(self) -> Done:
        return lambda: True

    def thinking(self) -> Done:
        self.controller.set_player(self.controller.position.turn, ENDLESS)
        return lambda: self.controller.state is State.THINKING and self.controller.shown_snapshot is not None

    def proving(self) -> Done:
        self.window.actions_by_name["truth"].trigger()
        return lambda: self.truth.proving

    def dialog(self) -> Done:
        QTimer.singleShot(0, self.ask_suggester)
        return lambda: QApplication.activeModalWidget() is not None

    def menu(self) -> Done:
        QTimer.singleShot(0, lambda: self.window.menuBar().actions()[0].menu().exec())
        return lambda: QApplication.activePopupWidget() is not None

    def stuck(self) -> Done:
        """Something that nothing interrupts, as the loading of compiled code is."""
        Bridge("stuck", parent=self).start(lambda _job: time.sleep(1_000), done=ignore, failed=ignore)
        return lambda: True

    def quitting(self) -> Done:
        def quit_() -> bool:
            if not self.keeper.behind:
                self.window.actions_by_name["quit"].trigger()
            return False

        return quit_

    def screenless(self) -> Done:
        """What Qt does when the connection to the screen breaks, as at the end of a desktop's session."""
        return lambda: not self.keeper.behind and QApplication.exit(1)

    def racing(self) -> Done:
        self.window.modes.show_mode(LABORATORY)
        self.laboratory.study(parse_position("mnk:15,15,5"))
        model = self.laboratory.page.model
        model.agents.set_all(tuple(Studied(ENDLESS.unlimited(), seed) for seed in range(4)))
        model.searches.set_limit(None)
        model.searches.run()
        return lambda: model.searches.running and model.clock.shown() is not None

    def filming(self) -> Done:
        self.window.modes.show_mode(LABORATORY)
        self.laboratory.study(parse_position("mnk:9,9,5"))
        model = self.laboratory.page.model
        model.agents.set_all((Studied(ENDLESS.unlimited(), 1),))
        model.searches.set_limit(10_000.0)
        model.searches.run()
        state = ["searching"]

        def done() -> bool:
            if state[0] == "searching" and not model.searches.running:
                state[0] = "filming"
                self.laboratory.take_away.make_film(Path(os.environ["NIMDESK_DATA_DIR"]) / "film.gif")
            dialog = QApplication.activeModalWidget()
            return isinstance(dialog, QProgressDialog) and dialog.value() > 2

        return done

    def reviewing(self) -> Done:
        self.review.start()
        return lambda: self.review.busy and self.review.progress.value() >= 1

    def study(self) -> Done:
        self.window.modes.show_mode(EXPERIMENTS)
        panel = self.experiments.page.panel(StudyPanel)
        panel.take_plan(study_plan([PlayerPart(agent="uct")], ["nim:3,4,5"], [10, 1_000], 100_000))
        return self._running(panel)

    def match(self) -> Done:
        self.window.modes.show_mode(EXPERIMENTS)
        panel = self.experiments.page.panel(MatchesPanel)
        self.experiments.page.tabs.setCurrentWidget(panel)
        match = MatchPart(players=["a", "a"], positions=["mnk:5,5,4"], games=100_000)
        panel.show_plan(new_plan("long", {"a": MANY}, matches=[match]))
        return self._running(panel)

    def _running(self, panel: RunPanel) -> Done:
        QTimer.singleShot(0, panel.start)
        return lambda: panel.runner.state is RunState.RUNNING and panel.frame is not None and panel.frame.done > 1


if __name__ == "__main__":
    session.Session = Busy  # type: ignore[misc]
    SettingsStore().save(Settings(tour_seen=True, animations="off", position="mnk:15,15,5"))
    sys.exit(app.run_window(parse_position("mnk:15,15,5"), (Human(), Human())))
