"""``nimdesk demo``: the real window without a screen plays two games, and leaves pictures and traces behind."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QApplication

from nimdesk.agents import make_agent
from nimdesk.agents.warm_up import warm_up
from nimdesk.disk.atomic import write_file
from nimdesk.errors import INTERRUPTED
from nimdesk.games import kit_of, parse_position
from nimdesk.play import GameInProgress
from nimdesk.search.timeline import trace_csv
from nimdesk.settings import SettingsStore
from nimdesk.ui.laboratory.export_pictures import png_of, signed
from nimdesk.ui.shell.offscreen import offscreen_application
from nimdesk.ui.shell.session import Session

_GAMES = (("nim", "nim:3,4,5", "light", 20_000), ("mnk", "mnk:5,5,4", "dark", 20_000))
_SIZE = (1280, 860)
_TIMEOUT_MS = 120_000
_STOP_S = 0.7


def run_demo(out: Path, tell: Callable[[str], object]) -> list[Path]:
    """Play both games into the folder ``out``, which is made if need be; return the files written, in order.

    ``tell`` is called with how far it is: at each step, move and picture. Each game gives a picture in the middle of
    its first search, one of its end, and the trace of every search as CSV.
    ``OSError`` or ``NimdeskError`` where ``out`` cannot be written, ``KeyboardInterrupt`` on Ctrl-C. Call
    ``check_offscreen_libraries`` before importing this module.
    """
    out.mkdir(parents=True, exist_ok=True)
    app = offscreen_application()
    written: list[Path] = []
    with tempfile.TemporaryDirectory() as settings, _noting_interruption(settings) as interrupted:
        for number, (name, text, theme, iterations) in enumerate(_GAMES, 1):

            def tell_of_game(words: str, about: str = f"game {number} of {len(_GAMES)}, {text}") -> None:
                tell(f"{about}: {words}")

            player = _DemoGame(app, Path(settings) / f"{name}.json", text, theme, iterations, interrupted, tell_of_game)
            written += player.play(out, name)
    return written


@contextmanager
def _noting_interruption(settings: str) -> Iterator[threading.Event]:
    """Give an event that Ctrl-C sets: the exception that Python would raise gets lost wherever Qt has called Python.

    The window may wait for a thread that is deep in the compiler. Then the program ends without that thread, and
    deletes the folder ``settings``.
    """
    interrupted = threading.Event()

    def leave() -> None:
        shutil.rmtree(settings, ignore_errors=True)
        os._exit(INTERRUPTED)

    hurry = threading.Timer(_STOP_S, leave)
    hurry.daemon = True

    def on_interrupt(*_: object) -> None:
        if not interrupted.is_set():
            interrupted.set()
            hurry.start()

    before = signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield interrupted
    finally:
        hurry.cancel()
        if interrupted.is_set():  # the thread was started, and ends now
            hurry.join()
        signal.signal(signal.SIGINT, before)


class _DemoGame:
    """One game of MCTS against itself in a window of its own."""

    def __init__(
        self,
        app: QApplication,
        store: Path,
        text: str,
        theme: str,
        iterations: int,
        interrupted: threading.Event,
        tell: Callable[[str], None],
    ) -> None:
        self._interrupted, self._tell = interrupted, tell
        agents = tuple(make_agent("uct", {"iterations": iterations, "seed": seed}) for seed in (3, 5))
        self._session = Session(app, SettingsStore(store), library=store.with_suffix(".db"))
        self._session.preferences.change(theme=theme)
        self._position = parse_position(text)
        self._players = (agents[0], agents[1])
        # Here, where nobody waits for a window, so that the compiler can be heard (``nimdesk.compiling``).
        tell("loading the search")
        warm_up(self._position, [agents[0].to_json()])
        tell("opening the window")
        self._loop = QEventLoop()
        self._complete, self._played = False, 0
        self._session.completed.connect(self._on_completed)

    def _on_completed(self) -> None:
        self._complete = True

    def play(self, out: Path, name: str) -> list[Path]:
        """Play to the end; return the files written."""
        session, controller = self._session, self._session.controller
        window = session.window
        controller.slow_motion_s, controller.move_delay_ms = 1.0, 0
        controller.pause()
        window.resize(*_SIZE)
        session.show()
        window.plots.load()
        try:
            self._wait_until(lambda: self._complete)
            # A formula answers at once; a first proof would take longer than the game's search.
            window.actions_by_name["truth"].setChecked(kit_of(self._position).by_formula(self._position))
            controller.new_game(GameInProgress(self._position, self._players))
            self._wait_until(lambda: self._progress() > 0.5)
            files = [self._picture(out / f"{name}-thinking.png")]
            controller.slow_motion_s = 0.0
            controller.state_changed.connect(self._tell_of_moves)
            self._wait_until(lambda: controller.game.last_position.outcome is not None)
            controller.jump(len(controller.game.plies))
            window.display.set_look(replace(window.display.look, animated=False))
            files.append(self._picture(out / f"{name}-end.png"))
        finally:
            session.close()
            # Else both would be dressed anew with whatever window comes after them.
            window.deleteLater()
            session.deleteLater()
        for number, ply in enumerate(controller.game.plies, 1):
            if ply.snapshot is not None and ply.snapshot.trace is not None:
                path = out / f"{name}-move-{number:02}-{ply.move.text}.csv"
                write_file(path, trace_csv(ply.snapshot).encode(), follow=False)
                files.append(path)
        return files

    def _tell_of_moves(self) -> None:
        if (played := len(self._session.controller.game.plies)) != self._played:
            self._played = played
            self._tell(f"move {played} is played")

    def _progress(self) -> float:
        snapshot = self._session.controller.shown_snapshot
        wanted = self._players[0].limit.iterations
        return 0.0 if snapshot is None or wanted is None else snapshot.iterations / wanted

    def _wait_until(self, done: Callable[[], bool]) -> None:
        poll, limit = QTimer(interval=10), QTimer(singleShot=True, interval=_TIMEOUT_MS)
        poll.timeout.connect(lambda: self._loop.quit() if self._interrupted.is_set() or done() else None)
        limit.timeout.connect(self._loop.quit)
        poll.start()
        limit.start()
        self._loop.exec()
        if self._interrupted.is_set():
            raise KeyboardInterrupt

    def _picture(self, path: Path) -> Path:
        self._session.window.display.draw_now()
        image = signed(self._session.window.grab().toImage(), f"nimdesk: {self._position.text}")
        write_file(path, png_of(image), follow=False)
        self._tell(f"{path.name} is drawn")
        return path
