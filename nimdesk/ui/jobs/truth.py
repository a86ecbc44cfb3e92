"""The exact answer beside the game: proofs off the UI thread, remembered, and their verdicts on a person's moves."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from functools import partial

from PySide6.QtCore import QObject, QThread, Signal

from nimdesk.games import AnyPosition, Side, solved, solver_for
from nimdesk.games.truth import Truth, Value
from nimdesk.games.truth_words import kept_sentence, truth_sentence
from nimdesk.limit import Limit
from nimdesk.play import GameInProgress, Human
from nimdesk.play.evaluations import worth_now
from nimdesk.play.moment import Judged, Known, TruthLine
from nimdesk.search import Snapshot
from nimdesk.ui.jobs.bridge import Bridge, Job

_SLICE_S = 0.015
_SLICES_A_MESSAGE = 8
_REMEMBERED = 400
_MOST_NODES = 20_000
_TOLD = 0.01
"""Less of a proof than this is no progress that is worth telling."""
_ALIKE = 4
"""A position is about as hard to prove as those so many moves before it."""


class Followed(QObject):
    """What a ``TruthFollower`` can follow: a position, and perhaps a search of another one."""

    position_changed = Signal(bool)
    """``position`` changed; True if its last move was played just now."""
    snapshot_changed = Signal()
    """``shown_snapshot`` changed; up to 30 times a second."""

    @property
    def position(self) -> AnyPosition:
        """The position to prove."""
        raise NotImplementedError

    @property
    def shown_snapshot(self) -> Snapshot | None:
        """The search shown, which may be of another position."""
        return None

    @property
    def game(self) -> GameInProgress | None:
        """The game in which people's moves are judged, if any."""
        return None


class TruthFollower(QObject):
    """Proves the position on the board, while a person wants to see its truth or to hear about moves."""

    truth_changed = Signal()
    """``truth`` or ``sentence`` changed."""

    def __init__(self, controller: Followed, time_s: float) -> None:
        super().__init__()
        self._controller = controller
        self._time_s = time_s
        self._shown = self._feedback = False
        self._proof: Job | None = None
        self._proven: AnyPosition | None = None
        self._truth: Truth | None = None
        self._progress, self._done = 0.0, False
        self._problem = ""
        self._verdict = ""
        self._searched: AnyPosition | None = None
        self._known: OrderedDict[AnyPosition, Truth] = OrderedDict()
        self._spent: set[AnyPosition] = set()
        self._bridge = Bridge("nimdesk-truth", what="The proof", priority=QThread.Priority.LowestPriority, parent=self)
        controller.position_changed.connect(self._on_position)
        controller.snapshot_changed.connect(self._on_snapshot)

    @property
    def truth(self) -> Truth | None:
        """What is proven so far of the position on the board; None while it is hidden."""
        return self._truth if self._shown else None

    @property
    def judged(self) -> tuple[Judged | None, ...] | None:
        """The effect of each move of the game, None if not yet proven; None for all while the truth is hidden."""
        game = self._controller.game
        if game is None or not self._shown:
            return None
        return tuple(self._judged(game, ply) for ply in range(1, len(game.plies) + 1))

    @property
    def proven(self) -> tuple[Truth | None, ...]:
        """What is proven so far of each position of the game; empty while truth is not shown and the game goes on."""
        game = self._controller.game
        if game is None or not (self._shown or self._over):
            return ()
        return tuple(self._known.get(position) for position in game.positions)

    @property
    def sentence(self) -> str:
        """The truth, and the verdict on a person's last move, as far as wanted."""
        return " ".join(part for part in (self._verdict if self._feedback else "", self._truth_words()) if part)

    @property
    def known(self) -> Known:
        """All of it, as one value."""
        truth, searched = self.truth, self._controller.shown_snapshot
        of_search = self._known.get(searched.position) if self._shown and searched is not None else None
        line = TruthLine(self._asked, self.sentence, "" if truth is None else truth.explanation)
        return Known(truth, of_search, self.proven, self.judged, line=line)

    @property
    def proving(self) -> bool:
        """Whether more may become known soon."""
        return self._proof is not None

    @property
    def _asked(self) -> bool:
        return self._shown or self._feedback

    @property
    def _over(self) -> bool:
        """Whether the end of a game is on the board, where a person wants to know what decided it."""
        return self._controller.game is not None and self._controller.position.outcome is not None

    def set_shown(self, shown: bool) -> None:
        self._shown = shown
        self._follow()

    def set_feedback(self, feedback: bool) -> None:
        """Set whether a person is told, after each own move, if it kept the value of the position."""
        self._feedback = feedback
        self._follow()

    def end(self) -> None:
        self._give_up()
        self._bridge.shutdown()

    def _truth_words(self) -> str:
        if not self._shown or self._controller.position.outcome is not None:
            return ""
        if self._problem:
            return self._problem
        truth, proving = self._truth, not self._done and (self._truth is None or not self._truth.complete)
        known = () if truth is None else (truth.value, *(each.value for each in truth.moves))
        if truth is None or set(known) == {Value.UNKNOWN}:
            board = self._controller.position
            worth = worth_now(board, self._controller.shown_snapshot, None)
            if worth is not None and worth.exact:
                first, second = (board.game.side_name(side) for side in Side)
                value = {0.0: f"{second} can win", 0.5: "neither side can win", 1.0: f"{first} can win"}[worth.score]
                return f"Truth: {value}, as the search shown has proven."
            if proving and not self._hopeless:
                return f"Truth: working it out…{f' {self._progress:.0%}' if self._progress >= _TOLD else ''}"
            return "Truth: this position cannot be proven in the time there is."
        return f"Truth: {truth_sentence(truth)}{f' (proving, {self._progress:.0%})' if proving else ''}"

    @property
    def _hopeless(self) -> bool:
        """Whether nothing was found out of an earlier position of this game, and next to nothing of this one yet."""
        game, board = self._controller.game, self._controller.position
        if game is None or self._progress >= _TOLD:
            return False
        before = game.positions[max(0, game.cursor - _ALIKE) : game.cursor]
        spent = (self._known.get(each) for each in before if each in self._spent and each.game == board.game)
        return any(known is None or known.value is Value.UNKNOWN for known in spent)

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
        sentence = kept_sentence(before, played)
        return Judged(before.value, played.value, sentence) if sentence else None

    def _wanted(self) -> Iterator[AnyPosition]:
        """The positions to prove, the most urgent first: on the board, of the search shown, and of the game from its
        end back.

        A game is followed back to where proofs take too long, because earlier positions are no easier.
        """
        yield self._controller.position
        if self._searched is not None:
            yield self._searched
        game = self._controller.game if self._shown or self._over else None
        for ply in reversed(range(len(game.plies) if game is not None else 0)):
            assert game is not None
            position = game.position_at(ply)
            known = self._known.get(position)
            if position in self._spent and (known is None or not known.complete):
                return
            yield position

    def _follow(self) -> None:
        """Prove the next wanted position, unless that is under way or all is done."""
        self._problem = ""
        board = self._controller.position
        self._truth, self._done = self._known.get(board), board in self._spent
        open_ones = (each for each in self._wanted() if each.outcome is None and not self._settled(each))
        due = next(open_ones, None) if self._asked or self._over else None
        if due is None:
            self._give_up()
        elif self._proof is None or self._proven != due:
            self._give_up()
            self._proven = due
            self._proof = self._bridge.start(partial(self._prove, due), done=self._on_proven, failed=self._on_failed)
        self.truth_changed.emit()

    def _settled(self, position: AnyPosition) -> bool:
        known = self._known.get(position)
        return position in self._spent or (known is not None and known.complete)

    def _give_up(self) -> None:
        if self._proof is not None:
            self._proof.drop()
        self._proof, self._progress = None, 0.0

    def _prove(self, position: AnyPosition, job: Job) -> tuple[AnyPosition, Truth, float]:
        """Runs in the thread: work in slices until all is proven, the time is spent, or the job is dropped."""
        solver = solver_for(position)
        solver.start(position)
        for number, part in enumerate(Limit(time_s=self._time_s).slices(job.stopping, _SLICE_S), 1):
            if solver.advance(part):
                break
            if number % _SLICES_A_MESSAGE == 0:
                job.send(self._on_truth, position, solver.truth(), solver.progress)
        return position, solver.truth(), solver.progress

    def _learn(self, position: AnyPosition, truth: Truth, progress: float) -> None:
        self._progress = progress
        self._known[position] = truth
        self._known.move_to_end(position)
        while len(self._known) > _REMEMBERED:
            self._spent.discard(self._known.popitem(last=False)[0])

    def _on_truth(self, position: AnyPosition, truth: Truth, progress: float) -> None:
        self._learn(position, truth, progress)
        self._truth = self._known.get(self._controller.position)
        self.truth_changed.emit()

    def _on_proven(self, end: tuple[AnyPosition, Truth, float]) -> None:
        self._learn(*end)
        self._spent.add(end[0])
        self._proof = None
        self._follow()

    def _on_failed(self, problem: str) -> None:
        self._problem, self._proof = problem, None
        if self._proven is not None:
            self._spent.add(self._proven)
        self.truth_changed.emit()


class NodeTruths(QObject):
    """Proves positions that are drawn beside each other, each for a short time at most, and remembers them."""

    changed = Signal()
    """More of ``known`` is proven."""

    def __init__(self, time_s: float, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._time_s = time_s
        self.known: dict[AnyPosition, Truth] = {}
        """What is proven; of a position that takes too long, perhaps of some moves alone."""
        self._job: Job | None = None
        self._wanted: list[AnyPosition] = []
        self._bridge = Bridge("nimdesk-tree", what="The proof", priority=QThread.Priority.LowestPriority, parent=self)

    @property
    def busy(self) -> bool:
        """Whether more may become known soon."""
        return self._job is not None

    def want(self, positions: Iterable[AnyPosition]) -> None:
        """Prove these, and no longer what was wanted before."""
        self._wanted = [each for each in positions if each.outcome is None]
        self._go_on()

    def shutdown(self) -> None:
        """End the thread; call it after the window is hidden."""
        self._wanted = []
        self._bridge.shutdown()

    def _go_on(self) -> None:
        # Several lines lead to one position, and what is being proven is wanted until it is known.
        self._wanted = [each for each in self._wanted if each not in self.known]
        if self._job is None and self._wanted:
            if len(self.known) > _MOST_NODES:
                self.known.clear()
            due, time_s = self._wanted.pop(0), self._time_s
            self._job = self._bridge.start(
                lambda job: solved(due, time_s, job.stopping, _SLICE_S)[0], done=self._learn, failed=self._on_failed
            )

    def _learn(self, truth: Truth) -> None:
        self._job = None
        self.known[truth.position] = truth
        self._go_on()
        self.changed.emit()

    def _on_failed(self, _sentence: str) -> None:
        # It is told where the position itself is studied; the drawing has a question mark.
        self._job = None
        self._go_on()
