"""Players that know the values: perfect play, the exact solver, document 003's value table; and the random player.

They sample nothing. Snapshots carry proven values and distances (the random player's not even these), but no visits or
means.
"""

from __future__ import annotations

import math
import random
import threading
import time
from concurrent.futures import Future
from functools import partial
from pathlib import Path

from nimdesk.errors import OptionError
from nimdesk.games import AnyPosition, Move, kit_of, solver_for
from nimdesk.games.certificates import find_certificate, read_certificate
from nimdesk.games.kit import preferences
from nimdesk.games.plain_solver import PlainSolver
from nimdesk.games.truth import Advice, Answer, Certificate, Heard, ListedSolver, MoveTruth, Solver, Truth, Value
from nimdesk.games.truth_words import clause, resistance_sentence, told, truth_sentence
from nimdesk.limit import Limit
from nimdesk.search.choice import best_proven, precedence, resistance
from nimdesk.search.options import (
    CertificateOptions,
    PerfectOptions,
    RandomOptions,
    SolverOptions,
    Ties,
    ValueTableOptions,
)
from nimdesk.search.types import MoveStats, Snapshot, StopReason

# The most positions of a game without its own table: plain Python solves this many within a second.
MAX_TABLE_POSITIONS = 10_000
_WAIT_S = 0.015


class _ExactSearcher:
    """A search around a ``theory.Solver``, which works in slices within ``time_s``; then it chooses a move.

    It plays the quickest win, or the longest loss (``choice.best_proven``). If time runs out before everything is
    proven, the order is: a proven win, a proven draw, a move of which nothing is proven, a proven loss. The comment
    then says so.
    """

    def __init__(self, agent: str, time_s: float, ties: Ties = "random") -> None:
        self._agent, self._ties = agent, ties
        self._time_s = time_s

    def start(self, position: AnyPosition, seed: int) -> None:
        """Begin with a position that is not over; ``OptionError`` for a game that this player cannot solve."""
        if position.outcome is not None:
            raise ValueError(f"the game is over in {position.text}: there is nothing to search")
        self._position, self._seed = position, seed
        (self._precedence,) = precedence(position, (seed,), self._ties)
        self._solver = self._new_solver(position)
        self._solver.start(position)
        # Starting may compile; that time is not counted, whatever clock the solver has.
        self._solver_began_s = self._solver.truth().elapsed_s
        self._elapsed_s = 0.0
        self._began = False
        self._stopped: StopReason | None = None

    def advance(self, limit: Limit) -> StopReason | None:
        """Work until ``limit`` or the agent's time is met; ``COMPLETE`` when all is proven, ``TIME`` at the agent's
        time.

        Theory and the table answer at once. A limit on iterations is ignored.
        """
        if self._stopped is None:
            deadline = min(self._time_s, math.inf if limit.time_s is None else limit.time_s)
            begin = time.perf_counter()
            complete = self._solver.advance(Limit(time_s=deadline + self._solver_began_s, nodes=limit.nodes))
            self._elapsed_s += time.perf_counter() - begin
            self._began = True
            if complete:
                self._stopped = StopReason.COMPLETE
            elif self._elapsed_s >= self._time_s:
                self._stopped = StopReason.TIME
        return self._stopped

    def snapshot(self) -> Snapshot:
        """What is proven now; there is no best move before the first slice."""
        truth = self._solver.truth()
        best = self._choose(truth)
        return Snapshot(
            position=self._position,
            agent=self._agent,
            seed=self._seed,
            iterations=0,
            elapsed_s=self._elapsed_s,
            moves=tuple(_stats(move) for move in truth.moves),
            best_move=best.move if self._began else None,
            tree_nodes=truth.nodes,
            stopped=self._stopped,
            comment=self._comment(truth, best),
            listing=self._listing(),
            proven=None if truth.value is Value.UNKNOWN else truth.value,
            distance=truth.distance,
            resistance=resistance(truth.moves, exact=True),
        )

    def _choose(self, truth: Truth) -> MoveTruth:
        return best_proven(self._position, truth.moves, self._precedence)

    def _comment(self, truth: Truth, best: MoveTruth) -> str:
        if truth.value is not Value.UNKNOWN and best.value is truth.value:
            lasting = resistance(truth.moves, exact=True)
            more = resistance_sentence(best.move, lasting.longest, len(truth.moves), exact=True) if lasting else ""
            return (truth.explanation or truth_sentence(truth)) + more
        unknown = sum(move.value is Value.UNKNOWN for move in truth.moves)
        left = clause("open", count=unknown, all=len(truth.moves), are="is" if unknown == 1 else "are")
        if self._stopped is not StopReason.TIME:
            return told("not yet", open=left)
        if best.value is Value.UNKNOWN:
            return told("time was up with nothing", open=left, move=best.move.text)
        return told("time was up", open=left, move=best.move.text, value=best.value.value)

    def _listing(self) -> tuple[str, ...]:
        return ()

    def _new_solver(self, position: AnyPosition) -> Solver:
        return solver_for(position)


class PerfectSearcher(_ExactSearcher):
    """Perfect play: by theory in Nim, at once; by the exact solver in m,n,k games, within ``time_s``.

    It plays the quickest win or the first one (documents 000 and 003: the smallest take). Where every move loses, it
    plays the one that holds out longest, a random move by the seed (documents 003 and 004), or the first one (document
    000).
    """

    def __init__(self, options: PerfectOptions | None = None) -> None:
        self.options = PerfectOptions() if options is None else options
        first = "first" in (self.options.when_won, self.options.when_lost)
        super().__init__("perfect", self.options.time_s, "first" if first else "random")

    def _choose(self, truth: Truth) -> MoveTruth:
        best = super()._choose(truth)
        alike = [each for each in truth.moves if each.value is best.value]
        if best.value is Value.WIN and self.options.when_won == "first":
            return alike[0]
        if best.value is Value.LOSS and self.options.when_lost == "random":
            # The position's text is part of the seed; otherwise a fixed seed would pick the same index in every
            # position.
            return random.Random(f"{self._seed} {self._position.text}").choice(alike)
        return alike[0] if best.value is Value.LOSS and self.options.when_lost == "first" else best


class SolverSearcher(_ExactSearcher):
    """The exact solver (theory for Nim) as a player."""

    def __init__(self, options: SolverOptions | None = None) -> None:
        super().__init__("solver", (SolverOptions() if options is None else options).time_s)


class ValueTableSearcher(_ExactSearcher):
    """Document 003's value agent: backward induction over all positions of a small Nim, without theory.

    It plays the first move with the best value, so the first move of all in a lost position. The snapshot's listing is
    the table.
    """

    def __init__(self, options: ValueTableOptions | None = None) -> None:
        super().__init__("value-table", math.inf, "first")

    def _new_solver(self, position: AnyPosition) -> Solver:
        kit = kit_of(position)
        if kit.new_table is None and kit.load_kernel is not None:
            raise OptionError(f"The value table plays Nim only, not {position.game.title}; choose Solver instead.")
        self._table: ListedSolver = (
            PlainSolver(most_positions=MAX_TABLE_POSITIONS) if kit.new_table is None else kit.new_table(position.game)
        )
        return self._table

    def _choose(self, truth: Truth) -> MoveTruth:
        best = super()._choose(truth).value
        return next(each for each in truth.moves if each.value is best)

    def _comment(self, truth: Truth, best: MoveTruth) -> str:
        return truth_sentence(truth) if truth.complete else ""

    def _listing(self) -> tuple[str, ...]:
        return self._table.lines() if self._stopped else ()


def _stats(truth: MoveTruth) -> MoveStats:
    known = truth.value is not Value.UNKNOWN
    return MoveStats(truth.move, 0, None, proven=truth.value if known else None, distance=truth.distance)


class CertificateSearcher:
    """Plays by a certificate, where there is one, and says how it would answer each move.

    For the side for which the certificate proves nothing, it plays near the marks or the middle, to see the answers.
    The certificate is checked first, which takes minutes for the largest, in a thread that ends when the searcher is
    closed or dropped.
    """

    def __init__(self, options: CertificateOptions | None = None) -> None:
        """There are no options."""
        self._stop = threading.Event()

    def start(self, position: AnyPosition, seed: int) -> None:
        """Look for a certificate, without waiting; ``OptionError`` if none is found."""
        if position.outcome is not None:
            raise ValueError(f"the game is over in {position.text}: there is nothing to look up")
        path = find_certificate(position)
        if path is None:
            raise OptionError(
                f"There is no certificate of {position.game.text} here; the theory page of the laboratory writes one "
                "for m,n,k games, and Open in the menu Game opens one from a file."
            )
        self.close()
        self._position, self._seed = position, seed
        self._best: Move | None = None
        self._elapsed_s = 0.0
        self._stop, self._checked, self._part = threading.Event(), Future[Certificate](), [0.0]
        # The thread does not know the searcher, or that would never be dropped.
        given = path, self._stop, self._checked, partial(self._part.__setitem__, 0)
        threading.Thread(target=_check, args=given, name="nimdesk-certificate", daemon=True).start()

    def advance(self, limit: Limit) -> StopReason | None:
        """Wait until it is checked: at most 15 ms if ``limit`` has a time, and not at all once that has passed.

        ``NimdeskError`` if it is not valid, or if the game has left it.
        """
        if self._best is None:
            begin = time.perf_counter()
            try:
                wait_s = None if limit.time_s is None else max(0.0, min(_WAIT_S, limit.time_s - self._elapsed_s))
                self._look_up(self._checked.result(wait_s))
            except TimeoutError:
                return None
            finally:
                self._elapsed_s += time.perf_counter() - begin
        return StopReason.NO_SEARCH

    def _look_up(self, certificate: Certificate) -> None:
        position = self._position
        self._claim, self._advice = certificate.claim, certificate.advise(position)
        if self._advice.answer is None:
            wanted = preferences(position)
            self._best = position.legal_moves[wanted.index(max(wanted))]
            self._after = self._advice
        else:
            self._best = self._advice.answer.move
            after = position.play(self._best)
            self._after = certificate.advise(after) if after.outcome is None else Advice(None)

    def close(self) -> None:
        """End the check; the searcher can be started again."""
        self._stop.set()

    def __del__(self) -> None:
        """See ``close``."""
        self.close()

    def snapshot(self) -> Snapshot:
        """The certificate's move, and as lines of play its answer to each move; nothing before it is checked."""
        position, legal = self._position, self._position.legal_moves
        if self._best is None:
            moves = tuple(MoveStats(move, 0, None) for move in legal)
            comment = f"The certificate is being checked ({self._part[0]:.0%})."
            return Snapshot(position, "certificate", self._seed, 0, self._elapsed_s, moves, None, comment=comment)
        advice = self._advice
        answers = dict(zip(legal, advice.answers, strict=True)) if advice.answers else {}
        value = None if advice.value is Value.UNKNOWN else advice.value
        # What is proven of the position is so of the proof's own move, and in a lost one of all.
        proven = legal if value is Value.LOSS else () if advice.answer is None else (self._best,)
        moves = tuple(
            MoveStats(move, 0, None, _line(move, answers.get(move)), proven=value if move in proven else None)
            for move in legal
        )
        if advice.answer is None:
            side = position.game.side_name(position.turn.other)
            comment = f"The proof is that of {side}; it has an answer to each of these moves."
        else:
            comment = advice.answer.why
        reached = position if advice.answer is None else position.play(self._best)
        return Snapshot(
            position, "certificate", self._seed, 0, self._elapsed_s, moves, self._best,
            stopped=StopReason.NO_SEARCH, comment=comment, listing=self._listing(reached, comment),
            pairs=self._after.pairs, proven=value,
        )  # fmt: skip

    def _listing(self, position: AnyPosition, comment: str) -> tuple[str, ...]:
        """What is proven, the reason of the move that led here, and what answers each move of the other side."""
        lines = [f"Certificate: {self._claim}.", "", comment]
        if self._after.pairs:
            lines += ["", "Pairs: " + ", ".join(f"{one.text}–{other.text}" for one, other in self._after.pairs)]
        if self._after.answers:
            side = position.game.side_name(position.turn)
            lines += ["", f"What answers each move of {side}:"]
            for move, answer in zip(position.legal_moves, self._after.answers, strict=True):
                told = "the game is over" if answer is None else f"{answer.move.text:<4} {answer.why}"
                lines.append(f"  {move.text:<4} {told}")
        return tuple(lines)


def _check(path: Path, stop: threading.Event, checked: Future[Certificate], heard: Heard) -> None:
    """Give ``checked`` the certificate in the file, or the error that says what is wrong with it."""
    try:
        checked.set_result(read_certificate(path, stop, heard)[0])
    except BaseException as error:
        checked.set_exception(error)


def _line(move: Move, answer: Answer | None) -> tuple[Move, ...]:
    return (move,) if answer is None else (move, answer.move)


class RandomSearcher:
    """A search that has chosen as soon as it starts; the same position and seed give the same move."""

    def __init__(self, options: RandomOptions | None = None) -> None:
        """There are no options to use; ``start`` takes the seed."""

    def start(self, position: AnyPosition, seed: int) -> None:
        """Choose among the legal moves of a position that is not over."""
        if position.outcome is not None:
            raise ValueError(f"the game is over in {position.text}: there is nothing to choose")
        self._position, self._seed = position, seed
        # The position's text is part of the seed; otherwise a fixed seed would pick the same index in every position.
        self._choice = random.Random(f"{seed} {position.text}").choice(position.legal_moves)

    def advance(self, limit: Limit) -> StopReason | None:
        """There is nothing left to do."""
        return StopReason.NO_SEARCH

    def snapshot(self) -> Snapshot:
        """The choice, without visits."""
        moves = tuple(MoveStats(move, 0, None) for move in self._position.legal_moves)
        return Snapshot(self._position, "random", self._seed, 0, 0.0, moves, self._choice, stopped=StopReason.NO_SEARCH)
