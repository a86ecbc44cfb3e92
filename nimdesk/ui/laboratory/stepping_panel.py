"""One simulation at a time: select, expand, play out, back up, step by step, with all numbers filled in."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt
from PySide6.QtGui import QHideEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QHBoxLayout,
    QSpinBox,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from nimdesk.play.laboratory import PREPARING, LabMoment, LabShown
from nimdesk.search import Snapshot
from nimdesk.ui.laboratory.model import Laboratory
from nimdesk.ui.laboratory.readers import Asker, NextChange, SteppingReader, Told
from nimdesk.ui.laboratory.run_bar import SnugButton
from nimdesk.ui.laboratory.stepping_stages import Phase, Stage, StageTable
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.look.widgets import announce, arrange, label, tip

_LAST = 10_000_000
_LOOK_AHEAD = 5_000_000
_CANNOT = "{} does not search by single simulations that could be told. Choose MCTS or MCTS, textbook, on one thread."


class SteppingPanel(QWidget):
    """Steps through the run in focus by its own repetition of the search; the run itself stays as it is.

    Keys: Space or Right one step, Left one back, Enter to the end of the simulation, or of the next.
    """

    def __init__(self, model: Laboratory) -> None:
        super().__init__()
        self._lab = model
        self._number = -1
        """The number of the search whose simulations are shown."""
        self._moment: float | None = None
        self._reader: SteppingReader | None = None
        self._stages: list[Stage] = []
        self._states: tuple[Snapshot, Snapshot] | None = None
        self.shown_number = 1
        """The number of the simulation shown."""
        self._at = 0
        self._wanted = (1, 0)
        self._acted = False
        """Whether the person has taken a step."""
        self._looking = False
        """Whether the next change of the leader is being sought."""
        self.asker = Asker(model.searches.bridge, self._on_answered, self._show_message)
        self._build()
        LOOK.changed.connect(self._take_look)
        self._take_look()

    def _build(self) -> None:
        self.back = self._button("◂ Bac&k", "One step back (Left)", self.step_back)
        self.forward = self._button("Ste&p ▸", "One step (Space or Right)", self.step)
        self.whole = self._button("&Whole", "To the end of this simulation, or of the next (Enter)", self.finish)
        self.change = self._button(
            "Ne&xt leader", "To the next simulation after which it would play another move", self.next_change
        )
        self.number = QSpinBox()
        self.number.setRange(1, _LAST)
        self.number.setGroupSeparatorShown(True)
        self.number.setKeyboardTracking(False)
        self.number.setButtonSymbols(QAbstractSpinBox.ButtonSymbols.NoButtons)
        self.number.setAccessibleName("Simulation")
        self.number.setMinimumWidth(70)
        self.number.setToolTip("Type a number to see that simulation")
        self.number.valueChanged.connect(self._on_number)
        caption = label("Simu&lation")
        caption.setBuddy(self.number)
        buttons = self.back, self.forward, self.whole, self.change
        bar = arrange(QHBoxLayout(), *buttons, caption, self.number, None, spacing=6)
        self.phases = {phase: label(f"{place} {phase.value}", role="phase") for place, phase in enumerate(Phase, 1)}
        for chip in self.phases.values():
            chip.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.path = label(role="muted")
        self.path.setIndent(8)
        chips = arrange(QHBoxLayout(), *self.phases.values(), self.path, wide=self.path, spacing=4)
        self.sentence = label(wrap=True)
        self.formula = label(role="muted")
        self.table = StageTable()
        self.table.installEventFilter(self)
        shown = QWidget()
        arrange(QVBoxLayout(shown), chips, self.sentence, self.formula, self.table, wide=self.table, spacing=3)
        self.message = label(role="muted", wrap=True)
        self.message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.stack = QStackedWidget()
        self.stack.addWidget(shown)
        self.stack.addWidget(self.message)
        arrange(QVBoxLayout(self), bar, self.stack, wide=self.stack, margins=(6, 4, 6, 2), spacing=4)

    def _button(self, text: str, about: str, act: object) -> SnugButton:
        button = SnugButton(text)
        button.setToolTip(tip(about))
        button.clicked.connect(act)
        # Space and Enter mean steps wherever the keyboard is in this panel.
        button.installEventFilter(self)
        return button

    def _take_look(self) -> None:
        theme = LOOK.theme
        self.setStyleSheet(
            f"QLabel#phase {{ color: {theme.muted}; border: 1px solid {theme.border}; border-radius: 3px;"
            f" padding: 1px 8px; }}"
            f"QLabel#phase[now='true'] {{ color: {theme.accent_text}; background: {theme.accent};"
            f" border-color: {theme.accent}; font-weight: 600; }}"
        )

    # What is shown

    @property
    def stage(self) -> Stage | None:
        """The step shown; None while there is none."""
        return self._stages[self._at] if self._stages else None

    def show_moment(self, now: LabShown) -> None:
        """If another search is in focus, show its first simulation; if another moment is, the simulation after it."""
        at, before = now.at, self._moment
        self._moment = at.moment
        if not self.isVisible():
            return
        if at.focused.number != self._number:
            self._number = at.focused.number
            self._begin(at)
        elif self._reader is not None and at.lit is None and at.moment not in (None, before):
            self._go(self._moment_number(at), 0)

    def _begin(self, at: LabMoment) -> None:
        self._leave_reader()
        self._lab.pointing.preview(())
        self._stages, self._acted = [], False
        over, agent = at.position.outcome is not None, at.focused.agent
        if over or not agent.can_step:
            self._reader = None
            self._enable()
            self._show_message("The game is over here." if over else _CANNOT.format(agent.info.title))
            return
        self._reader = SteppingReader(self._lab.searches.focused.key)
        self._go(self._moment_number(at), 0)

    def _stop_looking(self) -> None:
        """Stop looking for the next change of the leader, because another question has been asked."""
        if self._looking:
            self._looking = False
            self.asker.forget(None)
            self._lab.told.emit("")

    def _leave_reader(self) -> None:
        self._stop_looking()
        self.asker.forget(self._reader)

    @staticmethod
    def _moment_number(at: LabMoment) -> int:
        """The simulation after the moment shown; the first without one."""
        return 1 if at.moment is None or at.state is None else at.state.iterations + 1

    def _go(self, number: int, at: int) -> None:
        """Show this step (−1 for the last) of this simulation as soon as it is known."""
        if self._reader is None:
            return
        self._stop_looking()
        self._wanted = (max(1, number), at)
        if self._stages and self._wanted[0] == self.shown_number:
            self._show_stage(at)
            return
        if not self._stages:
            self._show_message(PREPARING)
        self.asker.ask(self._reader.simulation(self._wanted[0]))

    def _on_answered(self, answer: object) -> None:
        if isinstance(answer, NextChange):
            self._looking = False
            if answer.number is None:
                self._lab.told.emit(f"The leader does not change before simulation {answer.looked:,}.")
            else:
                self._lab.told.emit(f"The leader changes at simulation {answer.number:,}.")
                self._go(answer.number, -1)
            self._enable()
        elif isinstance(answer, Told) and not answer.stages:
            ended = answer.ended or 0
            count = "1 simulation" if ended == 1 else f"{ended:,} simulations"
            self._lab.told.emit(f"The search comes to its own end after {count}: the result is proven.")
            self._wanted = (self.shown_number, self._at)
            if not self._stages and ended:
                self._go(ended, 0)
            self._enable()
        elif isinstance(answer, Told) and answer.number == self._wanted[0]:
            self.shown_number, self._stages, self._states = answer.number, answer.stages, answer.states
            self._show_stage(self._wanted[1])

    def _show_stage(self, at: int) -> None:
        self._at = at % len(self._stages)
        stage = self._stages[self._at]
        self._wanted = (self.shown_number, self._at)
        self.stack.setCurrentIndex(0)
        with QSignalBlocker(self.number):
            self.number.setValue(self.shown_number)
        for phase, chip in self.phases.items():
            chip.setProperty("now", phase is stage.phase)
            chip.style().unpolish(chip)
            chip.style().polish(chip)
        self.sentence.setText(stage.sentence)
        self.formula.setText(stage.formula)
        self.formula.setVisible(bool(stage.formula))
        self.path.setText(self._path_words(stage))
        if self._acted:
            announce(self, f"Simulation {self.shown_number:,}, {stage.phase.value}: {stage.sentence}")
        self.table.show_stage(stage)
        self._enable()
        self._tell_stage(stage)

    def _path_words(self, stage: Stage) -> str:
        """The way down, with this step in brackets."""
        line = self._stages[-1].preview
        if not line:
            return "at the root"
        words = ["root", *(move.text for move in line)]
        place = stage.depth
        if stage.phase is Phase.BACKUP:
            return " ← ".join(words)
        words[place] = f"[{words[place]}]"
        return " → ".join(words[: place + 1]) + (" → …" if place < len(line) and stage.phase is Phase.SELECT else "")

    def _tell_stage(self, stage: Stage) -> None:
        """Light the line on the board and in the tree."""
        if not self.isVisible():
            return
        self._lab.pointing.preview(stage.preview)
        after = stage.phase is Phase.BACKUP
        if self._acted and self._states is not None:
            # Everything else shows the same moment, once the person has taken a step.
            lit = stage.preview if after else stage.preview[: stage.depth + 1]
            self._lab.clock.show_state(self._states[after], lit)

    def _show_message(self, words: str) -> None:
        self.message.setText(words)
        self.stack.setCurrentWidget(self.message)

    def _enable(self) -> None:
        there = bool(self._stages)
        self.back.setEnabled(there and (self.shown_number, self._at) != (1, 0))
        for widget in (self.forward, self.whole, self.change, self.number):
            widget.setEnabled(there)

    # The person's actions

    def step(self) -> None:
        """Go one step on; after the last step the next simulation begins."""
        self._acted = True
        if self._stages:
            last = self._at == len(self._stages) - 1
            self._go(self.shown_number + last, 0 if last else self._at + 1)

    def step_back(self) -> None:
        """Go one step back; before the first step comes the end of the previous simulation."""
        self._acted = True
        if self._at > 0:
            self._go(self.shown_number, self._at - 1)
        elif self._stages and self.shown_number > 1:
            self._go(self.shown_number - 1, -1)

    def finish(self) -> None:
        """Go to the end of this simulation; at its end, to the end of the next."""
        self._acted = True
        if self._stages:
            self._go(self.shown_number + (self._at == len(self._stages) - 1), -1)

    def next_change(self) -> None:
        """Go to the end of the next simulation that changes the leader."""
        self._acted = True
        if self._reader is not None and self._stages and not self._looking:
            # The button stays enabled, so that it keeps the keyboard.
            self._looking = True
            self.asker.ask(self._reader.next_change(self.shown_number, self.shown_number + _LOOK_AHEAD))
            self._lab.told.emit("Looking for the next change of the leader…")

    def _on_number(self, number: int) -> None:
        self._acted = True
        self._go(number, 0)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        return event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and self._act(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # Enter in the field has already gone to the simulation typed there.
        if not self.number.hasFocus() and not self._act(event):
            super().keyPressEvent(event)

    def _act(self, event: QKeyEvent) -> bool:
        if event.modifiers() not in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier):
            return False
        if event.key() in (Qt.Key.Key_Space, Qt.Key.Key_Right):
            self.step()
        elif event.key() == Qt.Key.Key_Left:
            self.step_back()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.finish()
        else:
            return False
        return True

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.show_moment(self._lab.shown)
        if self.stage is not None:
            self._tell_stage(self.stage)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._lab.pointing.preview(())
