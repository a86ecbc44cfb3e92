"""Moving through the searches: any moment by hand, row by row, from change to change, or played back."""

from __future__ import annotations

import time

import numpy as np
from PySide6.QtCore import QSignalBlocker, QSize, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QComboBox,
    QHBoxLayout,
    QSizePolicy,
    QSlider,
    QStyle,
    QWidget,
)

from nimdesk.play.laboratory import LabMoment, LabShown
from nimdesk.search.timeline import cost_words
from nimdesk.ui.laboratory.model import Laboratory
from nimdesk.ui.laboratory.run_bar import icon_button_for
from nimdesk.ui.look.actions import ActionSet
from nimdesk.ui.look.theme import TOUCHED
from nimdesk.ui.look.widgets import ElidedLabel, arrange, name_choice, tip
from nimdesk.ui.plots.frame import Axis
from nimdesk.ui.plots.history import Floats

_PLACES = 2000
_SWEEP_S = 12.0
"""How long playback takes at normal speed, whatever the number of iterations."""
_FRAME_MS = 33
_SPEEDS = ("⅛×", "¼×", "½×", "1×", "2×", "4×", "8×")
_LEAST = 110
"""The width of the slider below which a pixel is too large a part of the search."""
_BUTTONS = ("lab_first", "lab_earlier", "lab_play", "lab_later", "lab_newest")


class _Slider(QSlider):
    """A slider that jumps to where it is pressed; its arrow keys step through the rows of the trace."""

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.setRange(0, _PLACES)
        self.setAccessibleName("Moment of the search")
        self.setMinimumSize(_LEAST, TOUCHED)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            x = int(event.position().x())
            self.setValue(QStyle.sliderValueFromPosition(0, _PLACES, x - 6, self.width() - 12))
        super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        event.ignore()


class _Moment(ElidedLabel):
    """The moment in words: as wide as the longest text, so that the slider keeps its place; narrower if need be."""

    def __init__(self) -> None:
        super().__init__("muted")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)

    def sizeHint(self) -> QSize:
        return QSize(self._advance("iteration 888,888,888 of 888.8M"), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(self._advance("88,888"), super().minimumSizeHint().height())

    def _advance(self, text: str) -> int:
        return self.fontMetrics().horizontalAdvance(text) + 4


class Scrubber(QWidget):
    """Shows any moment of the search: by hand, row by row, from change to change, or played back at any speed.

    Where there is little room, the moment in words is below the slider.

    Everything it does is an action, shared by keys, menu and buttons.
    """

    def __init__(self, model: Laboratory, actions: ActionSet) -> None:
        super().__init__()
        self._lab, self._clock, self._actions = model, model.clock, actions
        self.slider = _Slider()
        self.words = _Moment()
        self.speed = QComboBox()
        self.speed.addItems(_SPEEDS)
        self.speed.setCurrentText("1×")
        self.speed.setToolTip(tip(f"How fast ▷ plays the search back; at 1× it takes {_SWEEP_S:.0f} seconds"))
        self._timer = QTimer(self, interval=_FRAME_MS)
        self._timer.timeout.connect(self._advance)
        self._last_frame = 0.0
        self._place = 0.0
        self._buttons = [icon_button_for(actions, name) for name in _BUTTONS]
        first = arrange(QHBoxLayout(), *self._buttons, self.slider, wide=self.slider, spacing=2)
        second = arrange(QHBoxLayout(), self.words, self.speed, wide=self.words, spacing=2)
        self._line = arrange(QBoxLayout(QBoxLayout.Direction.LeftToRight), first, second, wide=first, spacing=2)
        self.setLayout(self._line)
        name_choice(self.speed, "Speed of playing back")
        self._connect()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        needed = sum(each.sizeHint().width() for each in (*self._buttons, self.words, self.speed)) + _LEAST
        way = QBoxLayout.Direction.LeftToRight if self.width() >= needed else QBoxLayout.Direction.TopToBottom
        self._line.setDirection(way)

    def minimumSizeHint(self) -> QSize:
        low = super().minimumSizeHint()
        return QSize(sum(each.sizeHint().width() for each in self._buttons) + _LEAST, low.height())

    def _connect(self) -> None:
        actions = self._actions
        self.slider.valueChanged.connect(self._on_slider)
        for name, slot in (
            ("lab_first", lambda: self._to_row(0)),
            ("lab_earlier", lambda: self._to_row(max(0, self._row() - 1))),
            ("lab_later", lambda: self._to_row(self._row() + 1)),
            ("lab_newest", self._clock.show_newest),
            ("lab_change_before", lambda: self._to_change(-1)),
            ("lab_change_after", lambda: self._to_change(1)),
        ):
            actions.connect(name, slot)
        actions["lab_play"].toggled.connect(self._on_play)

    # The moment shown

    def show_moment(self, now: LabShown) -> None:
        """Show where on the axis this moment is."""
        at, spent = now.at, self._spent
        there = len(spent) > 1
        self.slider.setEnabled(there)
        place, text = 0.0, ""
        if not there:
            self._actions["lab_play"].setChecked(False)
        else:
            place, end = self._part, cost_words(at.cost, float(spent[-1]))
            text = f"{end} (newest)"
            if at.spent is not None:
                of = "beyond" if at.spent > float(spent[-1]) else "of"
                text = f"{cost_words(at.cost, at.spent)} {of} {end.removeprefix('iteration ').removeprefix('after ')}"
        with QSignalBlocker(self.slider):
            self.slider.setValue(round(place * _PLACES))
        if text != self.words.text():
            self.words.setText(text)
            self.slider.setAccessibleDescription(text)

    @property
    def _at(self) -> LabMoment:
        return self._lab.shown.at

    @property
    def _spent(self) -> Floats:
        """What the search in focus had spent at each row; empty where there is none, or it has no such cost."""
        line = self._at.focused.timeline
        spent = None if line is None else line.costs(self._at.cost)
        return np.zeros(0) if spent is None else spent

    @property
    def _axis(self) -> Axis:
        return Axis(self._at.cost, self._at.log)

    @property
    def _ends(self) -> tuple[float, float]:
        return self._axis.range(float(self._spent[0]), float(self._spent[-1]))

    @property
    def _part(self) -> float:
        """The place of the moment shown on the axis, from 0 to 1."""
        if (moment := self._at.moment) is None or not len(self._spent):
            return 1.0
        left, right = self._ends
        return float(np.clip((self._axis.places(np.array([moment]))[0] - left) / (right - left), 0.0, 1.0))

    def _show_part(self, part: float) -> None:
        if not len(self._spent) or part >= 1.0:
            self._clock.show_newest()
        else:
            left, right = self._ends
            self._clock.set_moment(self._axis.cost_at(left + part * (right - left)))

    # The person's actions

    def _on_slider(self, value: int) -> None:
        self._show_part(value / _PLACES)

    def _to_row(self, row: int) -> None:
        spent = self._spent
        self._clock.set_moment(float(spent[row]) if 0 <= row < len(spent) - 1 else None)

    def _row(self) -> int:
        """The row of the moment shown; the newest where that is followed."""
        line, moment = self._at.focused.timeline, self._at.moment
        if line is None or moment is None:
            return len(self._spent) - 1
        return line.row_at(self._axis.cost, moment)

    def _to_change(self, way: int) -> None:
        """Show the next change of the leader after this moment (``way`` 1), or before it (−1)."""
        line = self._at.focused.timeline
        if line is None:
            return
        here = self._row()
        found = next((row for row in line.changes[::way] if (row - here) * way > 0), None)
        if found is not None:
            self._to_row(found)
        else:
            where = "after" if way > 0 else "before"
            self._lab.told.emit(f"The leader does not change {where} this moment.")

    # Playback

    def _on_play(self, playing: bool) -> None:
        if not playing:
            self._timer.stop()
            return
        # At the newest moment, playback begins at the first.
        self._place = 0.0 if self._at.moment is None else self._part
        self._last_frame = time.monotonic()
        self._timer.start()

    def _advance(self) -> None:
        if self._at.moment is not None and abs(self._part - self._place) > 0.02:
            # The person took hold of the slider.
            self._place = self._part
        now = time.monotonic()
        speed = 2.0 ** (self.speed.currentIndex() - _SPEEDS.index("1×"))
        self._place += (now - self._last_frame) * speed / _SWEEP_S
        self._last_frame = now
        self._show_part(self._place)
        if self._place >= 1.0:
            self._actions["lab_play"].setChecked(False)
