"""The exact answer beside the game: proofs off the UI thread, remembered, and what they say of a person's moves."""

from __future__ import annotations

import threading
import traceback
from collections import OrderedDict
from collections.abc import Iterator
from typing import NamedTuple

import msgspec
from PySide6.QtCore import QObject, Qt, QThread, Signal, Slot

from nimdesk.errors import NimdeskError
from nimdesk.games import AnyPosition, solver_for
from nimdesk.games.truth import Truth, Value
from nimdesk.games.truth_words import kept_value, truth_sentence
from nimdesk.limit import Limit
from nimdesk.play import GameInProgress, Human
from nimdesk.search import Snapshot
from nimdesk.ui.jobs.background import WorkerThread
from nimdesk.ui.play.controller import GameController

_SLICE_S = 0.015
_SLICES_A_MESSAGE = 8
_REMEMBERED = 400


class _Request(msgspec.Struct, frozen=True, eq=False):
    """One position to prove, within a time, and the way to give up from another thread."""

    position: AnyPosition
    time_s: float
    stop: threading.Event = msgspec.field(default_factory=threading.Event)


class TruthWorker(QObject):
    """Proves one position after the other, in the thread that it has been moved to."""

    truth_ready = Signal(object, object, float, bool)
    """The request, what is proven by now, the part that is done (0 to 1), and whether that was the last word."""
    proof_failed = Signal(object, str)
    """The request, and one sentence for the person at the screen."""

    @Slot(object)
    def run(self, request: _Request) -> None:
        """Work in slices until all is proven, the time is spent, or nobody wants to know any more."""
        try:
            self._prove(request)
        except NimdeskError as error:
            self.proof_failed.emit(request, str(error))
        except Exception as error:  # an exception in a slot of a worker would vanish without a trace
            traceback.print_exc()
            self.proof_failed.emit(request, f"The proof failed: {str(error) or type(error).__name__}.")

    def _prove(self, request: _Request) -> None:
        if request.stop.is_set():
            return
        solver = solver_for(request.position)
        solver.start(request.position)
        until_s, slices = 0.0, 0
        while not request.stop.is_set():
            until_s += _SLICE_S
            slices += 1
            done = solver.advance(Limit(time_s=until_s)) or until_s >= request.time_s
            if done or slices % _SLICES_A_MESSAGE == 0:
                self.truth_ready.emit(request, solver.truth(), solver.progress, done)
            if done:
                return


class Followed(QObject):
    """What a ``TruthFollower`` can follow beside a game: a position, and perhaps a search of another one."""

    position_changed = Signal(bool)
    """``position`` is another one; False: no move of a person led to it."""
    snapshot_changed = Signal()
    """``shown_snapshot`` is of another position."""

    @property
    def position(self) -> AnyPosition:
        """The position to prove."""
        raise NotImplementedError

    @property
    def shown_snapshot(self) -> Snapshot | None:
        """The search shown, if it may be of another position."""
        return None

    @property
    def game(self) -> GameInProgress | None:
        """The game in which moves of people are judged; None where there is none."""
        return None


class Judged(NamedTuple):
    """What a move that was played did to the value of its position, for the side that played it."""

    before: Value
    after: Value
    sentence: str


class TruthFollower(QObject):
    """Follows the position on the board with its truth, while a person wants to see it or to hear about moves."""

    truth_changed = Signal()
    """``truth`` or ``sentence`` changed."""

    _run_requested = Signal(object)

    def __init__(self, controller: GameController | Followed, time_s: float) -> None:
        super().__init__()
        self._controller = controller
        self._time_s = time_s
        self._shown = self._feedback = False
        self._request: _Request | None = None
        self._truth: Truth | None = None
        self._progress, self._done = 0.0, False
        self._problem = ""
        self._verdict = ""
        self._searched: AnyPosition | None = None
        self._known: OrderedDict[AnyPosition, Truth] = OrderedDict()
        self._spent: set[AnyPosition] = set()
        self._worker = TruthWorker()
        self._thread = WorkerThread(self._worker, "nimdesk-truth", QThread.Priority.LowestPriority)
        # Bound methods of this object, never lambdas: a lambda would run in the worker's thread.
        queued = Qt.ConnectionType.QueuedConnection
        self._run_requested.connect(self._worker.run, queued)
        self._worker.truth_ready.connect(self._on_truth, queued)
        self._worker.proof_failed.connect(self._on_failed, queued)
        controller.position_changed.connect(self._on_position)
        controller.snapshot_changed.connect(self._on_snapshot)

    @property
    def truth(self) -> Truth | None:
        """What is proven of the position on the board, by now; None while it is not to be shown."""
        return self._truth if self._shown else None

    @property
    def search_truth(self) -> Truth | None:
        """What is proven of the position whose search is shown (that before the last move, say); None as above."""
        snapshot = self._controller.shown_snapshot
        return self._known.get(snapshot.position) if self._shown and snapshot is not None else None

    @property
    def judged(self) -> tuple[Judged | None, ...] | None:
        """Of each move of the game what it did, None where that is not proven by now; None while truth is not shown."""
        game = self._controller.game
        if game is None or not self._shown:
            return None
        return tuple(self._judged(game, ply) for ply in range(1, len(game.plies) + 1))

    @property
    def sentence(self) -> str:
        """The truth, and the verdict on a person's last move, as far as either is wanted."""
        return " ".join(part for part in (self._verdict if self._feedback else "", self._truth_words()) if part)

    @property
    def explanation(self) -> str:
        """Why the truth is what it is, in a few sentences; empty if it is not shown or not known."""
        return self._truth.explanation if self._shown and self._truth is not None else ""

    @property
    def proving(self) -> bool:
        """Whether more may become known soon."""
        return self._request is not None

    @property
    def wanted(self) -> bool:
        """Whether anything is shown."""
        return self._shown or self._feedback

    def set_shown(self, shown: bool) -> None:
        """Whether the truth is to be shown."""
        self._shown = shown
        self._follow()

    def set_feedback(self, feedback: bool) -> None:
        """Whether a person is told, after each own move, if it kept the value of the position."""
        self._feedback = feedback
        self._follow()

    def end(self) -> None:
        """Give up and end the thread."""
        self._give_up()
        self._thread.end()

    def _truth_words(self) -> str:
        if not self._shown or self._controller.position.outcome is not None:
            return ""
        if self._problem:
            return self._problem
        if self._truth is None:
            return "Truth: working it out…"
        doing = "" if self._done or self._truth.complete else f" (proving, {self._progress:.0%})"
        return f"Truth: {truth_sentence(self._truth)}{doing}"

    def _on_position(self, just_played: bool) -> None:
        game = self._controller.game
        if game is not None and just_played and game.plies[game.cursor - 1].by == Human().title:
            judged = self._judged(game, game.cursor)
            self._verdict = "" if judged is None else judged.sentence
        elif not just_played:
            self._verdict = ""
        self._follow()

    def _on_snapshot(self) -> None:
        snapshot = self._controller.shown_snapshot
        position = None if snapshot is None else snapshot.position
        if position != self._searched:
            self._searched = position
            self._follow()

    def _judged(self, game: GameInProgress, ply: int) -> Judged | None:
        before = self._known.get(game.position_at(ply - 1))
        if before is None:
            return None
        played = before.of(game.plies[ply - 1].move)
        sentence = kept_value(before, played)
        return Judged(before.value, played.value, sentence) if sentence else None

    def _wanted(self) -> Iterator[AnyPosition]:
        """What to prove, the most urgent first: the board, the search shown, and the game back from its end.

        A game is followed back to where proofs take too long: earlier positions are no easier.
        """
        yield self._controller.position
        if self._searched is not None:
            yield self._searched
        game = self._controller.game if self._shown else None
        for ply in reversed(range(len(game.plies) if game is not None else 0)):
            assert game is not None
            position = game.position_at(ply)
            known = self._known.get(position)
            if position in self._spent and (known is None or not known.complete):
                return
            yield position

    def _follow(self) -> None:
        """Prove the next position that is wanted, unless that is under way or all is done."""
        self._problem = ""
        board = self._controller.position
        self._truth, self._done = self._known.get(board), board in self._spent
        open_ones = (each for each in self._wanted() if each.outcome is None and not self._settled(each))
        due = next(open_ones, None) if self.wanted else None
        if due is None:
            self._give_up()
        elif self._request is None or self._request.position != due:
            self._give_up()
            self._request = _Request(due, self._time_s)
            self._thread.ensure_running()
            self._run_requested.emit(self._request)
        self.truth_changed.emit()

    def _settled(self, position: AnyPosition) -> bool:
        known = self._known.get(position)
        return position in self._spent or (known is not None and known.complete)

    def _give_up(self) -> None:
        if self._request is not None:
            self._request.stop.set()
        self._request, self._progress = None, 0.0

    @Slot(object, object, float, bool)
    def _on_truth(self, request: _Request, truth: Truth, progress: float, done: bool) -> None:
        if request is not self._request:
            return
        self._progress = progress
        self._known[request.position] = truth
        self._known.move_to_end(request.position)
        while len(self._known) > _REMEMBERED:
            self._spent.discard(self._known.popitem(last=False)[0])
        if done:
            self._spent.add(request.position)
            self._request = None
            self._follow()
        else:
            self._truth = self._known.get(self._controller.position)
            self.truth_changed.emit()

    @Slot(object, str)
    def _on_failed(self, request: _Request, problem: str) -> None:
        if request is self._request:
            self._problem, self._request = problem, None
            self._spent.add(request.position)
            self.truth_changed.emit()
