"""Threads of searches stand back behind the UI thread, and so do those that they start."""

from __future__ import annotations

import os
import sys
import threading

import pytest
from PySide6.QtCore import QObject, QThread, Signal, Slot
from pytestqt.qtbot import QtBot

from nimdesk.ui.jobs.background import WorkerThread, step_back

linux = pytest.mark.skipif(sys.platform != "linux", reason="niceness of single threads is Linux' own")


def niceness() -> int:
    return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())


class Asked(QObject):
    """A worker that notes the niceness of its thread."""

    wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.found: list[int] = []
        self.wanted.connect(self.note)

    @Slot()
    def note(self) -> None:
        """Note it."""
        self.found.append(niceness())


@linux
def test_a_workers_thread_stands_back_and_the_ui_thread_does_not(qtbot: QtBot) -> None:
    before, asked = niceness(), Asked()
    thread = WorkerThread(asked, "asked", QThread.Priority.LowPriority)
    try:
        thread.ensure_running()
        asked.wanted.emit()
        qtbot.waitUntil(lambda: bool(asked.found))
    finally:
        thread.end()
    assert asked.found == [max(8, before)]
    assert niceness() == before


@linux
def test_threads_started_later_stand_back_too() -> None:
    found: list[int] = []

    def outer() -> None:
        step_back()
        inner = threading.Thread(target=lambda: found.append(niceness()))
        inner.start()
        inner.join()

    thread = threading.Thread(target=outer)
    thread.start()
    thread.join()
    assert found == [max(8, niceness())]
