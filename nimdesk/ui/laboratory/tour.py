"""The guided look: eight steps in the real laboratory, in which Monte Carlo is wrong about Nim, and then right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from nimdesk.games import parse_position
from nimdesk.games.words import describe_move
from nimdesk.search.timeline import Cost
from nimdesk.ui.laboratory.agents import Studied, new_agent
from nimdesk.ui.laboratory.page import LaboratoryPage
from nimdesk.ui.laboratory.searches import Axis
from nimdesk.ui.laboratory.tour_callout import Callout
from nimdesk.ui.laboratory.words import change_rows
from nimdesk.ui.plots.frame import View

POSITION, SEED = "nim:3,4,5", 1
FEW, MANY = 500, 100_000
# Of the seeds 1 to 100; ``test_tour_story`` counts them again.
RIGHT_WITH_FEW, RIGHT_WITH_MANY = 6, 84
PROVEN_WITHIN = 80

_OFFER = "New here? In three minutes you see a search be wrong about Nim, and then right."
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


@dataclass(frozen=True)
class Step:
    """What to point at and to say (asked for again whenever something changed), and what is done on arriving."""

    target: Callable[[], QWidget]
    text: Callable[[], str]
    arrive: Callable[[], None] | None = None
    ready: Callable[[], bool] | None = None


class GuidedTour(QObject):
    """Shows one callout after the other on the page; ends by itself when the person goes to another position."""

    ended = Signal()
    """It is over, finished or skipped."""

    def __init__(self, page: LaboratoryPage) -> None:
        super().__init__(page)
        self._page, self._model = page, page.model
        self._before = page.remember()
        self._position_before = page.model.place.position
        self._position = parse_position(POSITION)
        self._at, self._over = -1, False
        self._steps = self._make_steps()
        self.callout = Callout(page)
        self.callout.next_wanted.connect(self.go_on)
        self.callout.back_wanted.connect(self.go_back)
        self.callout.skip_wanted.connect(self.skip)
        self._timer = QTimer(self, singleShot=True, interval=60)
        self._timer.timeout.connect(self._show)
        for signal in (
            self._model.searches.results_changed,
            self._model.searches.running_changed,
            self._model.proof.changed,
        ):
            signal.connect(self._soon)
        self._model.place.changed.connect(self._on_position)

    @property
    def at(self) -> int:
        """The number of the step shown, from 1; 0 while it is only offered."""
        return self._at + 1

    @property
    def steps(self) -> int:
        """How many there are."""
        return len(self._steps)

    # What a person does

    def offer(self) -> None:
        """Ask first."""
        self.callout.show_offer(self._page.run_bar.run_button, _OFFER)

    def begin(self) -> None:
        """The first step, with the laboratory as the story needs it."""
        model = self._model
        self._at = 0
        model.searches.stop()
        model.place.go_to(self._position)
        model.agents.set_all((Studied(new_agent("uct"), SEED),))
        model.searches.start_over()
        model.searches.set_axis(Axis(Cost.ITERATIONS, log=True))
        model.searches.set_limit(float(FEW))
        self._page.set_truth_shown(False)
        self._page.set_two_views(False)
        self._page.views.restore([View.SHARE.key, View.REGRET.key])
        self._page.tabs.setCurrentIndex(0)
        self._go_to(0)

    def go_on(self) -> None:
        """The next step; after the last one it is over, and everything stays as it is."""
        if self._at < 0:
            self.begin()
        elif self._at == len(self._steps) - 1:
            self._end()
        elif self._is_ready():
            self._go_to(self._at + 1)

    def go_back(self) -> None:
        """The step before, to be read again: what has been searched stays."""
        if self._at > 0:
            self._at -= 1
            self._show()

    def skip(self) -> None:
        """End it, with the laboratory as it was before."""
        if self._at >= 0:
            self._disconnect()
            self._model.searches.stop()
            self._model.place.go_to(self._position_before)
            self._page.restore(self._before)
        self._end()

    # The steps

    def _make_steps(self) -> tuple[Step, ...]:
        page = self._page
        first = page.views.panes[0]
        return (
            Step(lambda: page.board_panel.board, lambda: _GAME),
            Step(lambda: page.run_bar.run_button, lambda: _RUN),
            Step(lambda: first, self._wrong_words, self._run_few, lambda: self._reached(0, FEW)),
            Step(lambda: page.board_panel, lambda: _TRUTH, lambda: page.set_truth_shown(True)),
            Step(lambda: first, self._right_words, self._run_many, lambda: self._reached(0, MANY)),
            Step(lambda: page.scrubber, lambda: _SCRUB),
            Step(lambda: page.agents, lambda: _OTHER),
            Step(lambda: page.views.panes[1], self._certain_words, self._run_other, lambda: self._reached(1, MANY)),
        )

    def _run_few(self) -> None:
        self._run_to(0, FEW)

    def _run_many(self) -> None:
        self._model.searches.set_limit(float(MANY))
        self._run_to(0, MANY)

    def _run_other(self) -> None:
        self._model.clock.set_moment(None)
        if len(self._model.agents.studied) == 1:
            self._model.agents.add(new_agent("mcts"), SEED)
        self._page.set_two_views(True)
        self._run_to(1, MANY)

    def _run_to(self, index: int, iterations: int) -> None:
        if not self._reached(index, iterations):
            self._model.searches.run()

    def _reached(self, index: int, iterations: int) -> bool:
        if index >= len(self._model.searches.runs):
            return True  # the person took it away
        run = self._model.searches.runs[index]
        return run.ended or (not self._model.searches.running and (run.spent(Cost.ITERATIONS) or 0.0) >= iterations)

    def _wrong_words(self) -> str:
        if (waiting := self._waiting(0, FEW)) is not None:
            return waiting
        return (
            f"After {FEW} games it would {self._choice(0, FEW)}. Each line is one move's share of the games; "
            "the strip above them is the move that led."
        )

    def _right_words(self) -> str:
        if (waiting := self._waiting(0, MANY)) is not None:
            return waiting
        line = self._model.searches.runs[0].timeline
        changes = [] if line is None else change_rows(line)
        since = f", since game {int(line.iterations[changes[-1]]):,}" if line is not None and changes else ""
        return (
            f"With {MANY:,} games it would {self._choice(0, MANY)}{since}: it came round. "
            f"So it does with {RIGHT_WITH_MANY} of 100 seeds."
        )

    def _certain_words(self) -> str:
        if (waiting := self._waiting(1, MANY)) is not None:
            return waiting
        run = self._model.searches.runs[min(1, len(self._model.searches.runs) - 1)]
        games = 0 if run.snapshot is None else run.snapshot.iterations
        return (
            f"B is certain after {games} games: it has proven the move (within {PROVEN_WITHIN} with each of 100 "
            "seeds). You saw Monte Carlo be wrong about Nim, and then right."
        )

    def _waiting(self, index: int, iterations: int) -> str | None:
        run = self._model.searches.runs[min(index, len(self._model.searches.runs) - 1)]
        if run.problem:
            return f"The search could not run: {run.problem}"
        if self._reached(index, iterations):
            return None
        return (
            "Preparing the search; the first time this takes some seconds…"
            if self._model.searches.preparing
            else "Searching…"
        )

    def _choice(self, index: int, iterations: int) -> str:
        """What it would have played after so many iterations, however far it has gone on since."""
        snapshot = self._model.searches.runs[index].at(Cost.ITERATIONS, float(iterations))
        return "play nothing" if snapshot is None or snapshot.best_move is None else describe_move(snapshot.best_move)

    # Showing them

    def _go_to(self, number: int) -> None:
        self._at = number
        if (arrive := self._steps[number].arrive) is not None:
            arrive()
        self._show()

    def _is_ready(self) -> bool:
        ready = self._steps[self._at].ready
        return ready is None or ready()

    def _soon(self) -> None:
        if self._at >= 0 and not self._timer.isActive():
            self._timer.start()
        elif self._at < 0 and self._model.searches.running:
            self._end()  # who runs a search does not wait for an offer

    def _show(self) -> None:
        step, number, count = self._steps[self._at], self._at + 1, len(self._steps)
        self.callout.show_step(
            step.target(),
            step.text(),
            f"{number} of {count}",
            first=number == 1,
            last=number == count,
            ready=self._is_ready(),
        )

    def _on_position(self) -> None:
        # Who goes elsewhere has seen enough, and keeps what was done.
        if self._at < 0 or self._model.place.position != self._position:
            self._end()

    def _disconnect(self) -> None:
        self._over = True
        for signal in (
            self._model.searches.results_changed,
            self._model.searches.running_changed,
            self._model.proof.changed,
        ):
            signal.disconnect(self._soon)
        self._model.place.changed.disconnect(self._on_position)
        self._at = -1

    def _end(self) -> None:
        if not self._over:
            self._disconnect()
        self._timer.stop()
        self.callout.end()
        self.ended.emit()
        self.deleteLater()
