"""The two rows on top of the laboratory: which position, and what to do with it."""

from __future__ import annotations

from typing import cast

from msgspec.structs import replace
from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QToolButton, QVBoxLayout, QWidget

from nimdesk.agents import NumberField
from nimdesk.errors import NimdeskError
from nimdesk.games import parse_position
from nimdesk.search.options import MAX_ITERATIONS, MAX_TIME_S
from nimdesk.search.timeline import Cost
from nimdesk.ui.laboratory.searches import Searches
from nimdesk.ui.laboratory.studied import Place
from nimdesk.ui.look.actions import ActionSet
from nimdesk.ui.look.forms import OptionEdit
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.look.widgets import label
from nimdesk.ui.plots.frame import Axis
from nimdesk.ui.plots.toolbar import Choice, Segments, buttons_style

_COSTS: tuple[Choice, ...] = (
    ("iterations", "&Iterations", "Simulations: select, expand, play out, back up. Searches run level on them"),
    ("seconds", "Secon&ds", "Seconds of searching. Searches run level on them"),
    (
        "playouts",
        "Pl&ayouts",
        "Random games played to the end; what is over or proven needs none. Searches run level on them",
    ),
    ("nodes", "&Nodes", "Nodes of the tree, or visited by alpha-beta. Searches run level on them"),
)
_SCALES: tuple[Choice, ...] = (
    ("linear", "Lin&ear", "Every unit counts alike"),
    ("log", "L&og", "Shows the early part, where minds change"),
)

_STEPS = ((6, 6, True), (3, 4, True), (2, 2, False))
"""How the bar of buttons draws together: pixels beside texts and between buttons, and whether all have texts."""


def button_for(actions: ActionSet, name: str, *, text: bool = True) -> QToolButton:
    """A button that does what the action of this name does."""
    button = QToolButton()
    button.setDefaultAction(actions[name])
    style = Qt.ToolButtonStyle
    icon = not actions[name].icon().isNull()
    kind = style.ToolButtonTextBesideIcon if icon and text else style.ToolButtonIconOnly if icon else None
    button.setToolButtonStyle(kind or style.ToolButtonTextOnly)
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return button


class PositionBar(QWidget):
    """Back, forward, parent; the position as text to read, copy and type; editing it."""

    def __init__(self, place: Place, actions: ActionSet, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._place, self._actions = place, actions
        self.text = QLineEdit()
        self.text.setAccessibleName("Position as text")
        self.text.setToolTip("The position: a game and the moves played. Type another and press Enter")
        self.text.returnPressed.connect(self._go)
        self.text.installEventFilter(self)
        self.problem = label(role="problem", wrap=True)
        self.problem.hide()
        row = QHBoxLayout()
        row.setSpacing(4)
        for name in ("lab_back", "lab_forward", "lab_parent"):
            button = button_for(actions, name, text=False)
            button.setAutoRaise(True)
            row.addWidget(button)
        row.addWidget(self.text, 1)
        for name in ("lab_edit", "lab_play_from"):
            row.addWidget(button_for(actions, name))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addLayout(row)
        layout.addWidget(self.problem)
        for name, slot in (
            ("lab_back", place.back),
            ("lab_forward", place.forward),
            ("lab_parent", place.to_parent),
        ):
            actions.connect(name, slot)
        place.changed.connect(self._follow)
        self._follow()

    def _follow(self) -> None:
        self.text.setText(self._place.position.text)
        self.text.setCursorPosition(0)
        self._say("")
        for name, there in (
            ("lab_back", self._place.can_back),
            ("lab_forward", self._place.can_forward),
            ("lab_parent", bool(self._place.position.moves)),
        ):
            self._actions[name].setEnabled(there)

    def _go(self) -> None:
        try:
            position = parse_position(self.text.text())
        except NimdeskError as error:
            self._say(str(error))
            return
        self._say("")
        self._place.go_to(position)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # Left without Enter, or given up: what is not studied must not stand there. A person who opens the field's
        # menu, or looks something up in another window, comes back.
        back = (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.ActiveWindowFocusReason)
        if event.type() == QEvent.Type.FocusOut and cast(QFocusEvent, event).reason() not in back:
            self._follow()
        elif event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            self._follow()
            self.text.selectAll()
            return True
        return super().eventFilter(watched, event)

    def _say(self, problem: str) -> None:
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))


class RunBar(QWidget):
    """Run, stop, the limit, and the axis that views and races share; in a narrow window it draws together."""

    told = Signal(str)
    """One sentence for the person at the screen."""

    def __init__(self, searches: Searches, place: Place, actions: ActionSet, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._searches, self._actions = searches, actions
        self._step = 0
        self._begun = False
        self._widths: tuple[int, ...] = ()
        self.limit = OptionEdit(_limit_field(Cost.ITERATIONS))
        self.limit.value_committed.connect(self._on_limit)
        self.limit.problem_changed.connect(self._on_problem)
        self.cost = Segments("Axis", _COSTS)
        self.scale = Segments("Scale", _SCALES)
        self.cost.chosen.connect(self._on_axis)
        self.scale.chosen.connect(self._on_axis)
        until = QLabel("until")
        until.setBuddy(self.limit)
        self._row = row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        self.run_button, self.stop_button = button_for(actions, "lab_run"), button_for(actions, "lab_stop")
        for widget in (self.run_button, self.stop_button, until, self.limit, self.cost, self.scale):
            row.addWidget(widget)
        row.addStretch(1)
        for name in ("lab_two", "lab_over"):
            row.addWidget(button_for(actions, name))
        for name, slot in (("lab_run", searches.run), ("lab_stop", searches.stop), ("lab_over", searches.start_over)):
            actions.connect(name, slot)
        for signal in (searches.running_changed, place.changed, searches.runs_changed, searches.axis_changed):
            signal.connect(self._follow)
        searches.results_changed.connect(self._on_results)
        LOOK.changed.connect(self._take_look)
        self._take_look()
        self._follow()

    def _take_look(self) -> None:
        self._draw_together(self._step)

    def _draw_together(self, step: int) -> None:
        """Take as little room as this of the ``_STEPS`` allows."""
        self._step = step
        side, spacing, texts = _STEPS[step]
        self.setStyleSheet(buttons_style(side))
        self._row.setSpacing(spacing)
        self.limit.setFixedWidth(self._advance("1,000,000,000") + 12)
        style = Qt.ToolButtonStyle.ToolButtonTextBesideIcon if texts else Qt.ToolButtonStyle.ToolButtonIconOnly
        for button in (self.run_button, self.stop_button):
            button.setToolButtonStyle(style)
        # Room for both of its texts: everything beside it stays where it is when a search has begun.
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
            widths.append(self._row.sizeHint().width())
        self._widths = tuple(widths)
        self.updateGeometry()
        self._fit()

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
            # When the buttons have heard of it, too.
            QTimer.singleShot(0, self, self._measure)

    def minimumSizeHint(self) -> QSize:
        return QSize(self._widths[-1] if self._widths else 0, super().minimumSizeHint().height())

    def _follow(self) -> None:
        searches, actions = self._searches, self._actions
        self._begun = begun = any(run.snapshot is not None for run in searches.runs)
        actions["lab_run"].setText("&Continue" if begun else "&Run")
        # Disabling the button that has the keyboard hands it to the other one, not to the next field.
        run, stop = self.run_button, self.stop_button
        other = stop if run.hasFocus() else run if stop.hasFocus() else None
        actions["lab_run"].setEnabled(searches.can_run and not searches.running)
        actions["lab_stop"].setEnabled(searches.running)
        if other is not None and other.isEnabled() and not (run.hasFocus() or stop.hasFocus()):
            other.setFocus()
        actions["lab_over"].setEnabled(begun or any(run.problem for run in searches.runs))
        self.cost.set_value(searches.axis.cost.value)
        self.scale.set_value("log" if searches.axis.log else "linear")
        field = _limit_field(searches.axis.cost)
        if field.name != self.limit.field.name or (not self.limit.hasFocus() and self.limit.value != searches.limit):
            self.limit.field = field
            self.limit.setToolTip(f"<p><b>{field.title}</b>: {field.description}</p>")
            value = searches.limit
            self.limit.set_value(int(value) if value is not None and field.kind is int else value)
            self.limit.setAccessibleName(field.title)

    def _on_results(self) -> None:
        # From the first result on there is something to forget, though the search still runs.
        if not self._begun:
            self._follow()

    def _on_limit(self) -> None:
        value = self.limit.value
        self._searches.set_limit(None if value is None else float(value))

    def _on_problem(self) -> None:
        if self.limit.problem:
            self.told.emit(self.limit.problem)

    def _on_axis(self) -> None:
        self._searches.set_axis(Axis(Cost(self.cost.value), self.scale.value == "log"))


def _limit_field(cost: Cost) -> NumberField:
    """What may be typed as a limit of this cost; an empty field has no end."""
    what = cost.value
    field = NumberField(
        name=cost.value,
        title=f"Limit, in {what}",
        description=f"Each search rests after so many {what}; Continue goes on for as many again. Empty: without end.",
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
