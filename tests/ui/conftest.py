"""Fixtures for tests of the whole window."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from desk import HUMAN, WAIT_MS, Desk, OpenDesk, stored
from PySide6.QtCore import QEvent
from PySide6.QtGui import QImage, QPalette
from PySide6.QtWidgets import QApplication, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from nimdesk.games import parse_position
from nimdesk.play import Player
from nimdesk.settings import SettingsStore
from nimdesk.ui.jobs import bridge
from nimdesk.ui.look.theme import LIGHT, LOOK
from nimdesk.ui.shell.session import Session


class PatientQtBot(QtBot):
    """Waits as long for what must come as a busy machine may need."""

    def waitSignal(self, signal: Any, *, timeout: int = WAIT_MS, **options: Any) -> Any:  # noqa: N802 - Qt's name
        return super().waitSignal(signal, timeout=timeout, **options)

    def waitUntil(self, callback: Callable[[], bool | None], *, timeout: int = WAIT_MS) -> None:  # noqa: N802
        super().waitUntil(callback, timeout=timeout)

    def waitActive(self, widget: QWidget, *, timeout: int = WAIT_MS) -> Any:  # noqa: N802
        return super().waitActive(widget, timeout=timeout)

    def waitExposed(self, widget: QWidget, *, timeout: int = WAIT_MS) -> Any:  # noqa: N802
        return super().waitExposed(widget, timeout=timeout)


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> QtBot:
    return PatientQtBot(request)


@pytest.fixture(autouse=True)
def _light() -> Iterator[None]:
    """Each test begins with the light look, whatever another one left."""
    LOOK.use(LIGHT)
    yield
    LOOK.use(LIGHT)


@pytest.fixture(autouse=True)
def _beside_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads do not let everything else go first, as they do on a person's machine: beside other tests they would
    hardly go on at all. ``test_bridge`` tests that they do.
    """
    monkeypatch.setattr(bridge, "step_back", lambda *_: None)


@pytest.fixture(autouse=True)
def _no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test here cuts the power; each window would wait four times until what it wrote had reached the disk."""
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.fixture
def open_desk(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[OpenDesk]:
    """Opens the program with a position, two players and settings; waits until it is painted and complete.

    ``store`` goes before ``changes`` to the quiet settings of the tests. Whatever is open at the end is closed.
    """
    desks: list[Desk] = []
    qapp.setStyle("Fusion")

    def open_(
        position: str | None = "nim:3,4,5",
        first: Player | None = HUMAN,
        second: Player | None = HUMAN,
        *,
        store: SettingsStore | None = None,
        **changes: object,
    ) -> Desk:
        store = store or stored(tmp_path / f"settings-{len(desks)}.json", **changes)
        start = None if position is None else parse_position(position)
        session = Session(qapp, store, start, (first, second))
        desks.append(desk := Desk(qtbot, session))
        if not session.preferences.now.window_geometry:
            # The screen of the offscreen platform is smaller than any there is.
            session.window.resize(1280, 860)
        with qtbot.waitActive(session.window, timeout=WAIT_MS):
            session.show()
            session.window.activateWindow()
        desk.wait(lambda: session.window.plots.panel is not None)
        desk.leave()
        return desk

    yield open_
    for desk in desks:
        desk.close()
        desk.window.deleteLater()
        # Else it would go on listening to the system's colours.
        desk.session.deleteLater()
    # Before the look is taken back, which would dress all widgets once more.
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    qapp.setStyleSheet("")
    qapp.setPalette(QPalette())
    qapp.processEvents()


@pytest.fixture
def desk(open_desk: OpenDesk) -> Desk:
    """Nim 3-4-5 between two people."""
    return open_desk()


@pytest.fixture
def session(desk: Desk) -> Session:
    """The session of ``desk``."""
    return desk.session


@pytest.fixture
def warnings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The sentences of message boxes, which are not opened."""
    said: list[str] = []
    monkeypatch.setattr(QMessageBox, "exec", lambda box: said.append(box.text()))
    return said


@pytest.fixture
def marker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The picture that the names ask for, in the folder that the program runs in; read for the last time in 1970."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NIMDESK_DATA_DIR", str(tmp_path / "data"))
    path = tmp_path / "marker.png"
    QImage(8, 8, QImage.Format.Format_RGB32).save(str(path))
    os.utime(path, (0, path.stat().st_mtime))
    return path
