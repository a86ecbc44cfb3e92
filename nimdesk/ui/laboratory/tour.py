"""The guided look: eight steps in the real laboratory, in which Monte Carlo is wrong about Nim, and then right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QLayout,
    QMenuBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from nimdesk.games import parse_position
from nimdesk.games.base import describe_move
from nimdesk.play.laboratory import PREPARING
from nimdesk.search.timeline import Cost
from nimdesk.ui.laboratory.page import LaboratoryPage
from nimdesk.ui.laboratory.studied import Studied, new_agent
from nimdesk.ui.look.rings import Ring
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.look.widgets import arrange, label, tip
from nimdesk.ui.plots.frame import Axis, View

POSITION, SEED = "nim:3,4,5", 1
FEW, MANY = 500, 100_000
# Counted over the seeds 1 to 100; ``test_tour_story`` counts them again.
RIGHT_WITH_FEW, RIGHT_WITH_MANY = 6, 84
PROVEN_WITHIN = 80

_GAME = (
    "Nim 3-4-5: take any number of sticks from one pile; whoever takes the last stick wins. "
    "Only one of these 12 first moves wins."
)
_RUN = (
    "Monte Carlo tree search knows nothing but the rules: it plays random games and returns to what went well. "
    f"Next gives it {FEW} of them."
)
_TRUTH = (
    "Now the truth: only “take 2 from pile 1” wins (✓). Of 100 seeds the search finds it with "
    f"{RIGHT_WITH_FEW}; pure guessing would with 8. Does it help to think longer? Next gives the same search "
    f"{MANY:,} games."
)
_SCRUB = "Drag this slider: board, curves and table show the search as it was at that moment."
_OTHER = (
    "Searching more cleverly helps more: the agent “MCTS” merges equal positions and passes on what is certain. "
    "Next lets it search beside the first."
)

_WIDTH = 310
_RING, _AROUND = 3, 5
_KEYS = (Qt.Key.Key_Escape, Qt.Key.Key_Left, Qt.Key.Key_Right)


class _Button(QPushButton):
    """A button that leaves the keys to the callout; the arrows would otherwise go to its neighbour."""

    def __init__(self, keys: str) -> None:
        super().__init__()
        self.setToolTip(tip(keys))
        self.setAutoDefault(True)  # Enter presses the button that has the keyboard

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _KEYS:
            event.ignore()
        else:
            super().keyPressEvent(event)


class Callout(QFrame):
    """One or two sentences with a place in the order, and buttons, beside the widget that they describe.

    It is a part of the window, never a dialog, and follows its widget when the page changes. Enter and → go on, ← goes
    back; Escape ends it, also while the keyboard is elsewhere and Escape means nothing there.
    """

    def __init__(self, page: QWidget) -> None:
        super().__init__(page)
        self.setObjectName("callout")
        self._page = page
        # The menu bar would take an Escape away from the buttons in its corner.
        self._around = [page.window(), *page.window().findChildren(QMenuBar)]
        self._target: QWidget | None = None
        self._ring = Ring(page, _RING, _AROUND)
        self._told: tuple[str, bool] | None = None
        self.text = label(wrap=True)
        self.text.setFixedWidth(_WIDTH)
        self.place = label(role="muted")
        # The buttons have no access keys: buttons of the page below would answer to them, too.
        self.skip, self.back, self.next = _Button("Escape"), _Button("Left"), _Button("Enter or Right")
        self.back.setText("Back")
        buttons = arrange(QHBoxLayout(), self.place, self.skip, self.back, self.next, wide=self.place)
        layout = arrange(QVBoxLayout(self), self.text, buttons, margins=(14, 12, 14, 10), spacing=10)
        layout.setSizeConstraint(QLayout.SizeConstraint.SetFixedSize)
        for each in (page, *self._around):
            each.installEventFilter(self)
        LOOK.changed.connect(self._take_look)
        self._take_look()
        self.hide()

    def _take_look(self) -> None:
        theme = LOOK.theme
        self._ring.color = theme.color("accent")
        self.setStyleSheet(
            f"QFrame#callout {{ background: {theme.base}; border: 2px solid {theme.accent}; border-radius: 8px; }}"
        )

    def say(
        self,
        target: QWidget,
        text: str,
        place: str = "",
        *,
        skip: str = "Skip",
        forward: str = "Next",
        back: bool = False,
        ready: bool = True,
    ) -> None:
        """Point at this widget with this text; ``ready`` allows going on. An empty ``skip`` hides that button."""
        self._target = target
        self.text.setText(text)
        # The layout learns late that the number of lines has changed, and never of fewer lines while there is a
        # minimum.
        self.text.setMinimumHeight(0)
        self.text.setFixedHeight(self.text.heightForWidth(_WIDTH))
        self.place.setText(place)
        self.back.setVisible(back)
        self.skip.setVisible(bool(skip))
        self.skip.setText(skip)
        self.next.setText(forward)
        self.next.setEnabled(ready)
        self.setAccessibleName(f"Guided look, {place}")
        self.next.setAccessibleDescription(text)
        self.show()
        self._put()
        # It takes the keyboard once, when there is something new to read or to press.
        if (place, ready) != self._told:
            self._told = (place, ready)
            (self.next if ready else self.skip).setFocus(Qt.FocusReason.OtherFocusReason)

    def end(self) -> None:
        self._target = None
        for each in (self._page, *self._around):
            each.removeEventFilter(self)
        for part in (self._ring, self):
            part.hide()
            part.deleteLater()

    def _put(self) -> None:
        """Stand beside the target if there is room, otherwise inside it, at its lower edge."""
        target, layout = self._target, self.layout()
        if target is None or layout is None:
            return
        # Not invalidated here: that would ask for a layout, which calls this again, without end.
        layout.activate()
        rect = QRect(target.mapTo(self._page, QPoint()), target.size()) & self._page.rect()
        self._ring.surround(rect)
        room, size, middle = self._page.rect().adjusted(2, 2, -2, -2), self.size(), rect.center()
        x = min(max(middle.x() - size.width() // 2, room.left()), room.right() - size.width())
        y = min(max(middle.y() - size.height() // 2, room.top()), room.bottom() - size.height())
        away = _AROUND + _RING
        places = (
            QPoint(x, rect.bottom() + away),
            QPoint(rect.right() + away, y),
            QPoint(rect.left() - size.width() - away, y),
            QPoint(x, rect.top() - size.height() - away),
        )
        inside = QPoint(x, min(rect.bottom(), room.bottom()) - size.height() - away)
        self.move(next((place for place in places if room.contains(QRect(place, size))), inside))
        self.raise_()

    # Keyboard

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._page:
            if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
                self._put()
        elif event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            # The window and its menu bar receive what nothing else used.
            unused = self.isVisible() and watched is not QApplication.focusWidget()
            if unused and event.key() == Qt.Key.Key_Escape:
                self.skip.click()
                return True
        return False

    def event(self, event: QEvent) -> bool:
        # Escape and the arrows are for the callout while it has the keyboard, not for the window's actions.
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and event.key() in _KEYS:
            event.accept()
            return True
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self._put()
        return done

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.skip.click()
        elif event.key() == Qt.Key.Key_Right:
            self.next.click()
        elif event.key() == Qt.Key.Key_Left and self.back.isVisible():
            self.back.click()
        elif event.key() not in _KEYS:
            super().keyPressEvent(event)


@dataclass(frozen=True)
class Step:
    """The target, the text, and what is done on arriving.

    With ``games``, an agent's search must have that many before one may go on; the text is asked for at every change.
    """

    target: Callable[[], QWidget]
    text: str | Callable[[], str]
    arrive: Callable[[], None] = lambda: None
    agent: int = 0
    games: int = 0


class GuidedTour(QObject):
    """Shows one callout after the other on the page; ends by itself when the person goes to another position."""

    ended = Signal()

    def __init__(self, page: LaboratoryPage) -> None:
        super().__init__(page)
        self._page, self._model, self._searches = page, page.model, page.model.searches
        self._before, self._position_before = page.remember(), page.model.place.position
        self._position = parse_position(POSITION)
        self.at = 0
        """The number of the step shown, from 1; 0 before it has begun."""
        self._over = False
        self.steps = self._make_steps()
        self.callout = Callout(page)
        self.callout.next.clicked.connect(self.go_on)
        self.callout.back.clicked.connect(self.go_back)
        self.callout.skip.clicked.connect(self.skip)
        self._timer = QTimer(self, singleShot=True, interval=60)
        self._timer.timeout.connect(self._show)
        searches = self._searches
        for signal in (searches.results_changed, searches.running_changed, searches.runs_changed):
            signal.connect(self._soon)
        self._model.proof.truth_changed.connect(self._soon)
        self._model.place.changed.connect(self._on_position)

    # The person's actions

    def begin(self) -> None:
        """Show the first step, with the laboratory prepared for the story."""
        self.at = 1
        self._searches.stop()
        self._model.place.go_to(self._position)
        self._model.agents.set_all((Studied(new_agent("uct"), SEED),))
        self._searches.start_over()
        self._searches.set_axis(Axis(Cost.ITERATIONS, log=True))
        self._searches.set_limit(float(FEW))
        self._page.set_truth_shown(False)
        self._page.set_two_views(False)
        self._page.views.restore([View.SHARE.key, View.REGRET.key])
        self._page.tabs.setCurrentIndex(0)
        self._show()

    def go_on(self) -> None:
        """Go to the next step; after the last one end, and leave everything as it is."""
        if self.at == len(self.steps):
            self._end()
        elif self._is_ready(self.steps[self.at - 1]):
            self.at += 1
            self.steps[self.at - 1].arrive()
            self._show()

    def go_back(self) -> None:
        """Go to the previous step, to read it again; finished searches stay."""
        if self.at > 1:
            self.at -= 1
            self._show()

    def skip(self) -> None:
        """End the tour, and put the laboratory back as it was before."""
        self._over = True
        if self.at:
            self._searches.stop()
            self._model.place.go_to(self._position_before)
            self._page.restore(self._before)
        self._end()

    # The steps

    def _make_steps(self) -> tuple[Step, ...]:
        page = self._page
        first, second = page.views.panes
        # The board is a new object after a change of the game.
        return (
            Step(lambda: page.board_panel.board, _GAME),
            Step(lambda: page.run_bar.run_button, _RUN),
            Step(lambda: first, self._wrong_words, partial(self._run, 0, FEW), 0, FEW),
            Step(lambda: page.board_panel, _TRUTH, partial(page.set_truth_shown, True)),
            Step(lambda: first, self._right_words, partial(self._run, 0, MANY), 0, MANY),
            Step(lambda: page.scrubber, _SCRUB),
            Step(lambda: page.agents, _OTHER),
            Step(lambda: second, self._certain_words, self._run_other, 1, MANY),
        )

    def _run(self, agent: int, games: int) -> None:
        if not self._reached(agent, games):
            self._searches.set_limit(float(games))
            self._searches.run()

    def _run_other(self) -> None:
        self._model.clock.set_moment(None)
        if len(self._model.agents.studied) == 1:
            self._model.agents.add(new_agent("mcts"), SEED)
        self._page.set_two_views(True)
        self._run(1, MANY)

    def _reached(self, agent: int, games: int) -> bool:
        if agent >= len(self._searches.runs):
            return True  # the person removed it
        run = self._searches.runs[agent]
        return run.ended or (not self._searches.running and (run.spent(Cost.ITERATIONS) or 0.0) >= games)

    def _wrong_words(self) -> str:
        return (
            f"After {FEW} games it would {self._choice(FEW)}. Each line is one move's share of the games; "
            "the strip above them is the move that led."
        )

    def _right_words(self) -> str:
        line = self._searches.runs[0].timeline
        changes = [] if line is None else line.changes
        since = f", since game {int(line.iterations[changes[-1]]):,}" if line is not None and changes else ""
        return (
            f"With {MANY:,} games it would {self._choice(MANY)}{since}: it came round. "
            f"So it does with {RIGHT_WITH_MANY} of 100 seeds."
        )

    def _certain_words(self) -> str:
        snapshot = self._searches.runs[min(1, len(self._searches.runs) - 1)].snapshot
        games = 0 if snapshot is None else snapshot.iterations
        return (
            f"B is certain after {games} games: it has proven the move (within {PROVEN_WITHIN} with each of 100 "
            "seeds). You saw Monte Carlo be wrong about Nim, and then right."
        )

    def _choice(self, games: int) -> str:
        """What the first agent would have played after ``games`` games, however far it has gone on since."""
        snapshot = self._searches.runs[0].at(Cost.ITERATIONS, float(games))
        return "play nothing" if snapshot is None or snapshot.best_move is None else describe_move(snapshot.best_move)

    # Showing the steps

    def _text(self, step: Step) -> str:
        if isinstance(step.text, str):
            return step.text
        run = self._searches.runs[min(step.agent, len(self._searches.runs) - 1)]
        if run.problem:
            return f"The search could not run: {run.problem}"
        if self._is_ready(step):
            return step.text()
        return PREPARING if self._searches.preparing else "Searching…"

    def _is_ready(self, step: Step) -> bool:
        return not step.games or self._reached(step.agent, step.games)

    def _soon(self) -> None:
        if self.at and not self._over and not self._timer.isActive():
            self._timer.start()

    def _show(self) -> None:
        step, last = self.steps[self.at - 1], self.at == len(self.steps)
        self.callout.say(
            step.target(),
            self._text(step),
            f"{self.at} of {len(self.steps)}",
            skip="" if last else "Skip",
            forward="Done" if last else "Next",
            back=self.at > 1,
            ready=self._is_ready(step),
        )

    def _on_position(self) -> None:
        # A person who goes elsewhere has seen enough, and keeps what was done.
        if not self._over and self._model.place.position != self._position:
            self._end()

    def _end(self) -> None:
        self._over = True
        self._timer.stop()
        self.callout.end()
        self.ended.emit()
        self.deleteLater()
