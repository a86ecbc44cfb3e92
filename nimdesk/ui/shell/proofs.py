"""Certificates in the window: opened from a file or written on the spot, kept, and then played against."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeAlias

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QProgressBar

from nimdesk.agents import make_agent
from nimdesk.games import AnyPosition, Side
from nimdesk.games.certificates import (
    certificate_name,
    find_certificate,
    keep_certificate,
    make_certificate,
    read_certificate,
)
from nimdesk.games.truth import Certificate, Heard
from nimdesk.play import Human
from nimdesk.play.moment import State
from nimdesk.search import Snapshot, drive
from nimdesk.ui.jobs.bridge import Bridge, Frames, Job
from nimdesk.ui.look.actions import PLAY
from nimdesk.ui.play.controller import GameController
from nimdesk.ui.shell.games import Games
from nimdesk.ui.shell.window import MainWindow

_PARTS = 100


class _Ready(NamedTuple):
    """A certificate that agents can find: its position, what it proves, and what it says of the first move."""

    position: AnyPosition
    claim: str
    first: Snapshot
    side: Side
    """The side that the certificate plays."""


_Act: TypeAlias = Callable[[Job, Heard], _Ready]


class Proofs(QObject):
    """Leads to a game against a certificate, in which the person has the side that it answers."""

    def __init__(self, window: MainWindow, games: Games, controller: GameController) -> None:
        super().__init__(window)
        self._window, self._games, self._controller = window, games, controller
        self._bridge = Bridge("nimdesk-certificates", what="The certificate", parent=self)
        self._end: Callable[[], None] | None = None

    def open(self, path: Path) -> None:
        """Check the certificate in this file, store it where agents find it, and play against it."""
        self._begin(f"Checking {path.name}…", partial(_opened, path))

    @Slot(object)
    def play(self, position: AnyPosition) -> None:
        """Play against the certificate of this position; if there is none yet, write it first."""
        self._begin(f"Writing and checking the certificate of {position.text}…", partial(_made, position))

    def shutdown(self) -> None:
        """End the thread; call it after the window is hidden."""
        self._bridge.shutdown()

    def _begin(self, words: str, act: _Act) -> None:
        if self._end is not None:
            self._end()
        from nimdesk.ui.look.desktop import progress_box  # lazy: not before the first paint

        progress = progress_box(self._window, f"{words}\nA large one takes minutes.")
        progress.setValue(0)
        bar = QProgressBar()
        bar.setMaximum(0)  # busy
        progress.setBar(bar)
        progress.addAction(self._window.actions_by_name["quit"])  # its key is heard in the dialog too

        def show(part: float) -> None:
            # Not by the dialog: it would process events within this call.
            bar.setMaximum(_PARTS)
            bar.setValue(int(_PARTS * part))

        controller, played = self._controller, None
        if controller.state is State.THINKING and not controller.sitting.paused:
            played = controller.game
            controller.pause()  # nobody could see through the dialog how that game goes on
        job = self._bridge.start(partial(_with_parts, act, show), done=self._on_ready, failed=self._on_failed)

        def end() -> None:
            self._end = None
            job.drop()
            progress.blockSignals(True)
            progress.reset()  # closed before it was shown, the dialog would come up over a message
            progress.deleteLater()
            if controller.game is played:
                controller.resume()

        progress.canceled.connect(end)
        self._end = end

    def _on_ready(self, ready: _Ready | None) -> None:
        if self._end is not None:
            self._end()
        if ready is None:
            return
        agent = make_agent("certificate")
        self._window.modes.show_mode(PLAY)
        self._games.start(ready.position, (agent, Human()) if ready.side is Side.FIRST else (Human(), agent))
        self._controller.bring_back(ready.first, hint=False)
        told = "It has an answer to each of your moves; Search listing (Ctrl+I) lists them."
        self._controller.explain(f"Proven: {ready.claim}. {told}")

    def _on_failed(self, sentence: str) -> None:
        from nimdesk.ui.look.desktop import warn  # lazy: not before the first paint

        if self._end is not None:
            self._end()
        warn(self._window, sentence)


def _with_parts(act: _Act, show: Heard, job: Job) -> _Ready | None:
    """Do it, and show how much of a certificate was looked at; None once the job is to stop."""
    frames = Frames()
    try:
        return act(job, lambda part: frames.offer(lambda: job.send(show, part)))
    except KeyboardInterrupt:
        return None


def _opened(path: Path, job: Job, heard: Heard) -> _Ready:
    return _ready(keep_certificate(read_certificate(path, job.stopping, heard)[1], job.stopping))


def _made(position: AnyPosition, job: Job, heard: Heard) -> _Ready:
    found, certificate = find_certificate(position), None
    if found is not None and found.name == certificate_name(position.text):
        certificate = read_certificate(found, job.stopping, heard)[0]
    if certificate is None or certificate.start.moves != position.moves:
        certificate = keep_certificate(make_certificate(position, job.stopping), job.stopping, heard)
    return _ready(certificate)


def _ready(certificate: Certificate) -> _Ready:
    position: AnyPosition = certificate.start
    searcher = make_agent("certificate").new_searcher(position)
    searcher.start(position, 0)
    drive(searcher)
    claim = certificate.claim.partition(" (")[0]
    side = position.turn.other if certificate.advise(position).answers else position.turn
    return _Ready(position, claim, searcher.snapshot(), side)
