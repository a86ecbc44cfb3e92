"""The scrubber: any moment of the search by hand, row by row, from change to change, or played back at any speed."""

from __future__ import annotations

import time

import numpy as np
from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QSizePolicy, QSlider, QStyle, QToolButton, QWidget

from nimdesk.ui.laboratory.model import Clock
from nimdesk.ui.laboratory.runs import change_rows
from nimdesk.ui.laboratory.searches import Searches
from nimdesk.ui.laboratory.studied import Place
from nimdesk.ui.look.actions import ActionSet
from nimdesk.ui.look.widgets import name_choice
from nimdesk.ui.plots.history import Floats
from nimdesk.ui.plots.words import cost_words

_STEPS = 2000
_SWEEP_S = 12.0
"""How long playing back takes at normal speed, whatever the number of iterations."""
_FRAME_MS = 33
SPEEDS = ("⅛×", "¼×", "½×", "1×", "2×", "4×", "8×")
_BUTTONS = ("lab_first", "lab_earlier", "lab_play", "lab_later", "lab_newest")


class _Slider(QSlider):
    """A slider that goes where it is pressed; its arrow keys are for the rows of the trace."""

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.setRange(0, _STEPS)
        self.setAccessibleName("Moment of the search")
        self.setMinimumWidth(90)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            x = int(event.position().x())
            self.setValue(QStyle.sliderValueFromPosition(0, _STEPS, x - 6, self.width() - 12))
        super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        event.ignore()


class Scrubber(QWidget):
    """Follows and moves the moment shown; what it does is in actions, so that keys, menu and buttons are one."""

    told = Signal(str)
    """One sentence for the person at the screen."""

    def __init__(self, searches: Searches, clock: Clock, place: Place, actions: ActionSet) -> None:
        super().__init__()
        self._searches, self._clock, self._actions = searches, clock, actions
        self.slider = _Slider()
        self.words = QLabel()
        self.words.setObjectName("muted")
        self.words.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        self.words.setFixedWidth(self.fontMetrics().horizontalAdvance("iteration 888,888,888 of 888.8M") + 4)
        self.speed = QComboBox()
        self.speed.addItems(SPEEDS)
        self.speed.setCurrentText("1×")
        self.speed.setToolTip(f"How fast ▷ plays the search back; at 1× it takes {_SWEEP_S:.0f} seconds")
        self._timer = QTimer(self, interval=_FRAME_MS)
        self._timer.timeout.connect(self._advance)
        self._last_frame = 0.0
        self._place = 0.0
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        for name in _BUTTONS:
            button = QToolButton(autoRaise=True)
            button.setDefaultAction(actions[name])
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            row.addWidget(button)
        row.addWidget(self.slider, 1)
        row.addWidget(self.words)
        row.addWidget(self.speed)
        name_choice(self.speed, "Speed of playing back")
        self._connect(place)
        self._follow()

    def _connect(self, place: Place) -> None:
        searches, clock, actions = self._searches, self._clock, self._actions
        self.slider.valueChanged.connect(self._on_slider)
        for name, slot in (
            ("lab_first", self.go_first),
            ("lab_earlier", lambda: self.step(-1)),
            ("lab_later", lambda: self.step(1)),
            ("lab_newest", self.go_newest),
            ("lab_change_before", lambda: self.to_change(-1)),
            ("lab_change_after", lambda: self.to_change(1)),
        ):
            actions.connect(name, slot)
        actions["lab_play"].toggled.connect(self._on_play)
        for signal in (searches.results_changed, searches.axis_changed, searches.runs_changed):
            signal.connect(self._follow)
        clock.moment_changed.connect(self._follow)
        place.changed.connect(self._follow)

    # Where we are

    def _spent(self) -> Floats | None:
        line = self._searches.focused.timeline
        return None if line is None else line.costs(self._searches.axis.cost)

    def _row(self, spent: Floats) -> int:
        moment = self._clock.moment
        if moment is None:
            return len(spent) - 1
        return max(0, int(np.searchsorted(spent, moment * (1 + 1e-12), side="right")) - 1)

    def _follow(self) -> None:
        spent, moment = self._spent(), self._clock.moment
        there = spent is not None and len(spent) > 1
        for name in (*_BUTTONS, "lab_change_before", "lab_change_after"):
            self._actions[name].setEnabled(there)
        self.slider.setEnabled(there)
        if spent is None or not there:
            self._actions["lab_play"].setChecked(False)
            self.words.setText("")
            with QSignalBlocker(self.slider):
                self.slider.setValue(0)
            return
        cost, last = self._searches.axis.cost, float(spent[-1])
        with QSignalBlocker(self.slider):
            self.slider.setValue(_STEPS if moment is None else round(self._part(spent, moment) * _STEPS))
        if moment is None:
            text = f"{cost_words(cost, last)} (newest)"
        else:
            here, end = cost_words(cost, float(spent[self._row(spent)])), cost_words(cost, last)
            text = f"{here} of {end.removeprefix('iteration ').removeprefix('after ')}"
        if text != self.words.text():
            self.words.setText(text)
            self.slider.setAccessibleDescription(text)

    def _part(self, spent: Floats, moment: float) -> float:
        axis = self._searches.axis
        left, right = axis.range(float(spent[0]), float(spent[-1]))
        return float(np.clip((axis.places(np.array([moment]))[0] - left) / (right - left), 0.0, 1.0))

    def _set_part(self, part: float) -> None:
        spent = self._spent()
        if spent is None:
            return
        if part >= 1.0:
            self._clock.set_moment(None)
            return
        axis = self._searches.axis
        left, right = axis.range(float(spent[0]), float(spent[-1]))
        self._clock.set_moment(axis.cost_at(left + part * (right - left)))

    # What a person does

    def _on_slider(self, value: int) -> None:
        self._set_part(value / _STEPS)

    def go_first(self) -> None:
        """The first row."""
        if (spent := self._spent()) is not None:
            self._clock.set_moment(float(spent[0]))

    def go_newest(self) -> None:
        """The newest state, and follow it."""
        self._clock.set_moment(None)

    def step(self, rows: int) -> None:
        """So many rows of the trace later, or earlier."""
        if (spent := self._spent()) is not None:
            self._to_row(spent, self._row(spent) + rows)

    def to_change(self, way: int) -> None:
        """The next change of the leader after this moment (``way`` 1), or before it (−1)."""
        line, spent = self._searches.focused.timeline, self._spent()
        if line is None or spent is None:
            return
        here = self._row(spent)
        rows = change_rows(line)
        found = [row for row in rows if row > here] if way > 0 else [row for row in reversed(rows) if row < here]
        if found:
            self._to_row(spent, found[0])
        else:
            where = "after" if way > 0 else "before"
            self.told.emit(f"The leader does not change {where} this moment.")

    def _to_row(self, spent: Floats, row: int) -> None:
        if row >= len(spent) - 1:
            self._clock.set_moment(None)
        else:
            self._clock.set_moment(float(spent[max(0, row)]))

    # Playing back

    def _on_play(self, playing: bool) -> None:
        if not playing:
            self._timer.stop()
            return
        spent, moment = self._spent(), self._clock.moment
        # From the newest moment it begins at the first.
        self._place = 0.0 if spent is None or moment is None else self._part(spent, moment)
        self._last_frame = time.monotonic()
        self._timer.start()

    def _advance(self) -> None:
        spent, moment = self._spent(), self._clock.moment
        if spent is None:
            return
        if moment is not None and abs(self._part(spent, moment) - self._place) > 0.02:
            # A person took hold of it.
            self._place = self._part(spent, moment)
        now = time.monotonic()
        speed = 2.0 ** (self.speed.currentIndex() - SPEEDS.index("1×"))
        self._place += (now - self._last_frame) * speed / _SWEEP_S
        self._last_frame = now
        self._set_part(self._place)
        if self._place >= 1.0:
            self._actions["lab_play"].setChecked(False)
