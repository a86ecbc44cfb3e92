"""The laboratory for who does not see it: what the search has come to is read out when it rests, and at each moment."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from nimdesk.ui.laboratory.model import Laboratory
from nimdesk.ui.look.announcing import announce

REST_MS = 400


class Speaker:
    """Reads a sentence out, once: after the searches have rested, or the moment shown has stayed, for a little."""

    def __init__(self, model: Laboratory, widget: QWidget) -> None:
        """``widget`` speaks."""
        self._model, self._widget = model, widget
        self._spoken = ""
        self._timer = QTimer(widget, singleShot=True, interval=REST_MS)
        self._timer.timeout.connect(self._speak)
        for signal in (model.running_changed, model.moment_changed, model.agents_changed):
            signal.connect(self._timer.start)

    def _speak(self) -> None:
        # A search that runs changes its mind many times a second; a person asks for it by stopping.
        if self._model.running or self._model.focused.snapshot is None or not self._widget.isVisible():
            return
        words = self._model.sentence()
        if words != self._spoken:
            self._spoken = words
            announce(self._widget, words)
