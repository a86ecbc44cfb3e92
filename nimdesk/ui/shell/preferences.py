"""What a person has set: the settings of this run of the program, who hears of a change, and when they are saved."""

from __future__ import annotations

import sys

import msgspec
from PySide6.QtCore import QObject, QTimer, Signal

from nimdesk.errors import SettingsError
from nimdesk.settings import Settings, SettingsStore

_SAVE_AFTER_MS = 1000


class Preferences(QObject):
    """Loaded at once; saved soon after each change, and a last time when the window closes."""

    changed = Signal(str)
    """The name of a field of ``Settings`` that has another value."""
    saving_failed = Signal(str)
    """The first time that they cannot be saved: one sentence for the person at the screen."""

    def __init__(self, store: SettingsStore, parent: QObject) -> None:
        super().__init__(parent)
        self.store = store
        self.now: Settings = store.load()
        """The settings as they are; change them by ``change``."""
        self._failure_told = False
        self._timer = QTimer(self, singleShot=True, interval=_SAVE_AFTER_MS)
        self._timer.timeout.connect(self._save)

    @property
    def problem(self) -> str | None:
        """Why they could not be loaded, in one sentence; None where they were."""
        return self.store.problem

    @property
    def animated(self) -> bool:
        """Whether moves are animated."""
        if self.now.animations != "system":
            return self.now.animations == "on"
        from nimdesk.ui.look.desktop import reduced_motion  # lazy: not before the first paint

        return not reduced_motion()

    def change(self, **values: object) -> None:
        """Set these fields of ``Settings``."""
        new = [name for name, value in values.items() if getattr(self.now, name) != value]
        self.now = msgspec.structs.replace(self.now, **values)
        # Soon, not at once: several changes come together, and a crash must not lose them all.
        self._timer.start()
        for name in new:
            self.changed.emit(name)

    def save_last(self) -> None:
        """Save at once: the window is closing."""
        try:
            self.store.save(self.now)
        except SettingsError as error:
            # The terminal is where a sentence can still be read.
            print(f"nimdesk: {error}", file=sys.stderr)

    def stop(self) -> None:
        """Save nothing more."""
        self._timer.stop()

    def _save(self) -> None:
        try:
            self.store.save(self.now)
        except SettingsError as error:
            if not self._failure_told:
                self._failure_told = True
                self.saving_failed.emit(str(error))
