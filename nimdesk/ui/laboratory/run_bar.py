"""Running the searches: buttons, the limit, and the axis that views and races share."""

from __future__ import annotations

from msgspec.structs import replace
from PySide6.QtCore import QEvent, QSize, Qt, QTimer
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from nimdesk.agents import NumberField
from nimdesk.play.laboratory import LabShown
from nimdesk.search.options import MAX_ITERATIONS, MAX_TIME_S
from nimdesk.search.timeline import Cost
from nimdesk.ui.laboratory.model import Laboratory
from nimdesk.ui.look.actions import ActionSet
from nimdesk.ui.look.forms import OptionEdit
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.look.widgets import arrange, label, tip
from nimdesk.ui.plots.frame import Axis
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
        actions, at = self._actions, now.at
        actions["lab_run"].setText("&Continue" if at.begun else "&Run")
        # Disabling the button with the keyboard gives it to the other one, not to the next field.
        run, stop = self.run_button, self.stop_button
        other = stop if run.hasFocus() else run if stop.hasFocus() else None
        for name, would in now.actions:
            actions[name].setEnabled(would)
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
