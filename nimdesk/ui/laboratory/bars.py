"""The bars of the laboratory: running searches up to a limit, and moving through them afterwards."""

from __future__ import annotations

import time

import numpy as np
from msgspec.structs import replace
from PySide6.QtCore import QEvent, QSignalBlocker, QSize, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QMouseEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QSlider,
    QStyle,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from nimdesk.agents import NumberField
from nimdesk.play.laboratory import LabMoment, LabShown
from nimdesk.search.options import MAX_ITERATIONS, MAX_TIME_S
from nimdesk.search.timeline import Cost, cost_words
from nimdesk.ui.laboratory.model import Laboratory
from nimdesk.ui.look.actions import ActionSet
from nimdesk.ui.look.forms import OptionEdit
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.look.widgets import ElidedLabel, arrange, label, name_choice, tip
from nimdesk.ui.plots.frame import Axis
from nimdesk.ui.plots.history import Floats
from nimdesk.ui.plots.toolbar import Choice, Segments, buttons_style

_LEVEL = "Searches run level on them"
_COSTS: tuple[Choice, ...] = (
    ("iterations", "&Iterations", f"Simulations: select, expand, play out, back up. {_LEVEL}"),
    ("seconds", "Secon&ds", f"Seconds of searching. {_LEVEL}"),
    ("playouts", "Pl&ayouts", f"Random games played to the end; what is over or proven needs none. {_LEVEL}"),
    ("nodes", "&Nodes", f"Nodes of the tree, or visited by alpha-beta. {_LEVEL}"),
)
_SCALES: tuple[Choice, ...] = (
    ("linear", "Lin&ear", "Every unit counts alike"),
    ("log", "L&og", "Shows the early part, where minds change"),
)
_STEPS = ((6, 6, True, 1), (3, 4, True, 1), (2, 2, False, 1), (3, 4, True, 2), (2, 2, False, 2))
"""Steps of the bar's compression: pixels beside texts and between buttons, whether all have texts, number of lines."""
_AXIS_PLACE = 4
"""Where the axis stands in the only line of the bar; of two lines it has the second."""


def button_for(actions: ActionSet, name: str) -> QToolButton:
    """A button with the text and icon of this action."""
    button = QToolButton()
    button.setDefaultAction(actions[name])
    style = Qt.ToolButtonStyle
    bare = actions[name].icon().isNull()
    button.setToolButtonStyle(style.ToolButtonTextOnly if bare else style.ToolButtonTextBesideIcon)
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return button


def icon_button_for(actions: ActionSet, name: str) -> QToolButton:
    """A flat button with the icon of this action."""
    button = button_for(actions, name)
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
    button.setAutoRaise(True)
    return button


class SnugButton(QPushButton):
    """A button that is no wider than its words where there is little room."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def minimumSizeHint(self) -> QSize:
        return QSize(self.fontMetrics().horizontalAdvance(self.text()) + 16, super().minimumSizeHint().height())


class RunBar(QWidget):
    """Run, stop, the limit, and the axis that views and races share; it compresses, then wraps, in a narrow window."""

    def __init__(self, model: Laboratory, actions: ActionSet) -> None:
        super().__init__()
        self._lab, self._actions = model, actions
        self._step = 0
        self._widths: tuple[int, ...] = ()
        self.limit = OptionEdit(_limit_field(Cost.ITERATIONS))
        self.limit.value_committed.connect(self._on_limit)
        self.limit.problem_changed.connect(self._on_problem)
        self.cost = Segments("Axis", _COSTS)
        self.scale = Segments("Scale", _SCALES)
        self.cost.chosen.connect(self._on_axis)
        self.scale.chosen.connect(self._on_axis)
        until = label("until")
        until.setBuddy(self.limit)
        self.run_button, self.stop_button = button_for(actions, "lab_run"), button_for(actions, "lab_stop")
        first = self.run_button, self.stop_button, until, self.limit, self.cost, self.scale
        last = button_for(actions, "lab_two"), button_for(actions, "lab_over")
        self._row, self._second = QHBoxLayout(), QHBoxLayout()
        # The lines are put into the layout before they are filled: PySide remembers the items of a layout that is added
        # to another one. Once Qt has deleted such an item, because it moved to the other line, PySide would hand out
        # the old object for whatever Qt puts at that address.
        self._lines = arrange(QVBoxLayout(self), self._row, self._second, spacing=4)
        arrange(self._row, *first, None, *last)
        arrange(self._second, None)
        searches = model.searches
        for name, slot in (("lab_run", searches.run), ("lab_stop", searches.stop), ("lab_over", searches.start_over)):
            actions.connect(name, slot)
        LOOK.changed.connect(self._take_look)
        self._take_look()

    def _take_look(self) -> None:
        self._draw_together(self._step)

    def _draw_together(self, step: int) -> None:
        """Compress to this step of ``_STEPS``."""
        self._step = step
        side, spacing, texts, lines = _STEPS[step]
        self.setStyleSheet(buttons_style(side))
        for line in (self._row, self._second):
            line.setSpacing(spacing)
        line, place = (self._row, _AXIS_PLACE) if lines == 1 else (self._second, 0)
        if line.indexOf(self.cost) < 0:
            line.insertWidget(place, self.cost)
            line.insertWidget(place + 1, self.scale)
        self.limit.setFixedWidth(self._advance("1,000,000,000") + 12)
        style = Qt.ToolButtonStyle.ToolButtonTextBesideIcon if texts else Qt.ToolButtonStyle.ToolButtonIconOnly
        for button in (self.run_button, self.stop_button):
            button.setToolButtonStyle(style)
        # Room for both of its texts, so that nothing moves when a search begins.
        self.run_button.setMinimumWidth(0)
        texts_differ = self._advance("Continue") - self._advance(self.run_button.text().replace("&", ""))
        self.run_button.setMinimumWidth(self.run_button.sizeHint().width() + (max(0, texts_differ) if texts else 0))

    def _advance(self, text: str) -> int:
        return self.run_button.fontMetrics().horizontalAdvance(text)

    def _measure(self) -> None:
        """Find out how wide each step is in this font, and take the first that fits."""
        widths = []
        for step in range(len(_STEPS)):
            self._draw_together(step)
            self._lines.activate()
            widths.append(self._lines.sizeHint().width())
        self._widths = tuple(widths)
        self.updateGeometry()
        self._fit()
        # Place the parts for the chosen step now: until the next turn they would stand as in the last one tried.
        self._lines.activate()

    def _fit(self) -> None:
        fitting = (step for step, width in enumerate(self._widths) if width <= self.width())
        step = next(fitting, len(_STEPS) - 1)
        if step != self._step:
            self._draw_together(step)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._widths:
            self._measure()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and self._widths:
            # Measured once the buttons have the new font, too.
            QTimer.singleShot(0, self, self._measure)

    def minimumSizeHint(self) -> QSize:
        return QSize(self._widths[-1] if self._widths else 0, super().minimumSizeHint().height())

    def show_moment(self, now: LabShown) -> None:
        """Show what can be done, the axis and its limit."""
        actions, at, would = self._actions, now.at, dict(now.actions)
        actions["lab_run"].setText("&Continue" if at.begun else "&Run")
        # Disabling the button with the keyboard gives it to the other one, not to the next field.
        run, stop = self.run_button, self.stop_button
        other = stop if run.hasFocus() else run if stop.hasFocus() else None
        for name in ("lab_run", "lab_stop"):
            actions[name].setEnabled(would[name])
        if other is not None and other.isEnabled() and not (run.hasFocus() or stop.hasFocus()):
            other.setFocus()
        self.cost.set_value(at.cost.value)
        self.scale.set_value("log" if at.log else "linear")
        field, value = _limit_field(at.cost), at.limit
        if field.name != self.limit.field.name or (not self.limit.hasFocus() and self.limit.value != value):
            self.limit.field = field
            self.limit.setToolTip(tip(f"{field.title}: {field.description}"))
            self.limit.set_value(int(value) if value is not None and field.kind is int else value)
            self.limit.setAccessibleName(field.title)

    def _on_limit(self) -> None:
        value = self.limit.value
        self._lab.searches.set_limit(None if value is None else float(value))

    def _on_problem(self) -> None:
        if self.limit.problem:
            self._lab.told.emit(self.limit.problem)

    def _on_axis(self) -> None:
        self._lab.searches.set_axis(Axis(Cost(self.cost.value), self.scale.value == "log"))


def _limit_field(cost: Cost) -> NumberField:
    """The field of this cost's limit; empty means no end."""
    what = cost.value
    field = NumberField(
        name=what,
        title=f"Limit, in {what}",
        description=f"Each search stops after this many {what}; Continue goes on for as many again. Empty: no limit.",
        default=None,
        advanced=False,
        note="",
        kind=int,
        minimum=1,
        maximum=MAX_ITERATIONS,
        optional=True,
        empty="no end",
        unit="",
    )
    return field if cost is not Cost.SECONDS else replace(field, kind=float, minimum=0.01, maximum=MAX_TIME_S)


_PLACES = 2000
_SWEEP_S = 12.0
"""How long playback takes at normal speed, whatever the number of iterations."""
_FRAME_MS = 33
_SPEEDS = ("⅛×", "¼×", "½×", "1×", "2×", "4×", "8×")
_BUTTONS = ("lab_first", "lab_earlier", "lab_play", "lab_later", "lab_newest")


class _Slider(QSlider):
    """A slider that jumps to where it is pressed; its arrow keys step through the rows of the trace."""

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.setRange(0, _PLACES)
        self.setAccessibleName("Moment of the search")
        self.setMinimumWidth(90)

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
        return QSize(self._advance("iteration 888"), super().minimumSizeHint().height())

    def _advance(self, text: str) -> int:
        return self.fontMetrics().horizontalAdvance(text) + 4


class Scrubber(QWidget):
    """Shows any moment of the search: by hand, row by row, from change to change, or played back at any speed.

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
        buttons = [icon_button_for(actions, name) for name in _BUTTONS]
        arrange(QHBoxLayout(self), *buttons, self.slider, self.words, self.speed, wide=self.slider, spacing=2)
        name_choice(self.speed, "Speed of playing back")
        self._connect()

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
