"""A finished game gone through: what each move was worth, exactly where a solver can tell, else as an estimate.

Every position of the line is given to the solver of its game, within a time; from where that is too long, to a search
with one budget for all. A move is judged by the value of its position and the value of what it led to, both for the
side that moved. An exact answer and an estimate are never mixed in one judgement.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

import msgspec
from msgspec.structs import replace

from nimdesk.agents import Agent, make_agent
from nimdesk.games import AnyPosition, Move, Side, solved
from nimdesk.games.kit import keeps_win, threats_in, win_in
from nimdesk.games.truth import ForcedWin, MoveTruth, Truth, Value, with_threats, with_wins_at_once
from nimdesk.games.truth_words import (
    kept_sentence,
    plies_words,
    threats_words,
    thrown_sentence,
    told,
    unparried_sentence,
)
from nimdesk.play.evaluations import Turn, turning_point
from nimdesk.search import Snapshot, drive
from nimdesk.search.options import MAX_SEED
from nimdesk.search.types import MoveStats
from nimdesk.search.worth import Worth, expected_score

BUDGETS = (2_000, 10_000, 50_000)
"""Simulations a move that the window offers."""
EXACT_S = 2.0
"""Seconds that the solver may take for one position."""
SLIP, MISTAKE = 0.12, 0.25
"""From which loss of expected score on an estimate is told as a slip, and as a mistake."""
MARGIN = 0.05
"""So much less than the best a move may be worth, by an estimate, to count as right as well."""
_LONGEST_LINE = 12
_SCORES = {1.0: "win", 0.5: "draw", 0.0: "loss"}


class Mark(Enum):
    """How bad a move was, as players of board games write it."""

    NONE = ""
    SLIP = "?!"
    MISTAKE = "?"
    BLUNDER = "??"


class MoveReview(msgspec.Struct, frozen=True):
    """One move of the game and what is known of it.

    ``ply`` counts from 1. ``before`` and ``after`` are the values of the position and of the move played, from 0 to 1
    for ``side``, which played it: proven where ``exact``, else expected scores of a search. ``best`` are the moves that
    would have kept the value, the quickest or the best first: all of them where ``complete``, which is proven of every
    other move; else those that are proven to, or the search's choice, and whatever it estimates at no more than
    ``MARGIN`` below that, without a move played that turned out to be worse. ``line`` goes on from the position before
    the move with the first of them; it is empty where the move played was one of them. ``sentence`` says all of it to a
    person. ``searched`` is the search of the position that was asked; None where a solver knew. ``missed`` is a win by
    threats that was there, where after the move none is proven any more; then ``best`` are the moves that keep it.
    ``unparried`` is one that the move left to the other side, where other moves parry; then ``best`` are all that do,
    and every other move is proven to lose.
    """

    ply: int
    side: Side
    by: str
    move: Move
    exact: bool
    before: float
    after: float
    best: tuple[Move, ...]
    line: tuple[Move, ...]
    mark: Mark
    sentence: str
    complete: bool
    searched: Snapshot | None = None
    missed: ForcedWin | None = None
    unparried: ForcedWin | None = None

    @property
    def lost(self) -> float:
        """How much of a point the move gave away, 0 to 1."""
        return max(0.0, self.before - self.after)

    @property
    def plain(self) -> dict[str, object]:
        """All of it as plain values, but for the search."""
        return {
            "ply": self.ply,
            "side": self.side.name.lower(),
            "by": self.by,
            "move": self.move.text,
            "exact": self.exact,
            "complete": self.complete,
            "before": self.before,
            "after": self.after,
            "lost": self.lost,
            "mark": self.mark.value,
            "best": [each.text for each in self.best],
            "line": [each.text for each in self.line],
            "sentence": self.sentence,
            "missed": None if self.missed is None else threats_words(self.missed),
            "unparried": None if self.unparried is None else threats_words(self.unparried),
        }


@dataclass(frozen=True, slots=True)
class Reviewer:
    """With what to go through games: the search, its seed, and how long the solver may take for a position."""

    agent: Agent
    seed: int = 1
    exact_s: float = EXACT_S

    def moves(
        self, positions: Sequence[AnyPosition], played: Sequence[tuple[Move, str]], stop: threading.Event | None = None
    ) -> Iterator[MoveReview]:
        """Each move of the line, judged, from the last one back to the first.

        ``positions`` are those before each move and the last one; ``played`` the moves with who made them. It goes
        backwards because the solver does: from where a position is too hard for it, earlier ones are not tried.
        Work is cut short, and nothing more given, once ``stop`` is set. Loads kernels: not on the UI thread.
        """
        solvable = self.exact_s > 0
        later: Snapshot | None = None
        # A position is that after a move, and then that before the next.
        win_at = lru_cache(maxsize=2)(win_in)
        for ply in range(len(played), 0, -1):
            position, (move, by) = positions[ply - 1], played[ply - 1]
            truth = self._proven(position, stop) if solvable else None
            solvable = truth is not None
            # What is solved needs no search, unless the move before it has to be estimated.
            snapshot = None if solvable else self._searched(position, ply - 1, stop)
            left = None if snapshot is None else win_at(positions[ply])
            if snapshot is not None:
                # To find what parries takes long, so it is asked only where something was to be parried.
                snapshot = snapshot if left is None else replace(snapshot, threats=threats_in(position))
                truth = _proven_by(snapshot)
            if truth is not None and truth.of(move).value is not Value.UNKNOWN:
                kept = truth.of(move).value is truth.value
                line = () if kept else self._best_line(truth, stop) if snapshot is None else _line(snapshot)
                found = exactly(ply, by, truth, truth.of(move), line, snapshot)
            else:
                # The solver of another's game may call complete what is not.
                snapshot = self._searched(position, ply - 1, stop) if snapshot is None else snapshot
                if left is not None:
                    after = 1.0
                else:
                    after = expected_score(later) if later is not None else self._value(positions[ply], ply, stop)
                found = _estimated(ply, by, move, snapshot, 1.0 - after)
            if found.after < 1.0 or not found.exact:
                found = _with_missed_win(found, position, win_at(position))
            if left is not None and not found.exact:
                found = _with_missed_parry(found, left)
            if stop is not None and stop.is_set():
                return
            yield found
            # Threats may have proven what the search did not.
            later = snapshot if snapshot is None or truth is None else replace(snapshot, proven=truth.value)

    def _value(self, position: AnyPosition, ply: int, stop: threading.Event | None) -> float:
        """What the position is worth to the side to move (or that would be), 0 to 1."""
        if position.outcome is not None:
            return position.outcome.score(position.turn)
        return expected_score(self._searched(position, ply, stop))

    def _searched(self, position: AnyPosition, ply: int, stop: threading.Event | None) -> Snapshot:
        searcher = self.agent.new_searcher(position)
        searcher.start(position, (self.seed + ply) % (MAX_SEED + 1))
        drive(searcher, stop=stop)
        return searcher.snapshot()

    def _proven(self, position: AnyPosition, stop: threading.Event | None) -> Truth | None:
        """The truth, where it is complete within the time."""
        truth, done = solved(position, self.exact_s, stop)
        return truth if done else None

    def _best_line(self, truth: Truth, stop: threading.Event | None) -> tuple[Move, ...]:
        """How perfect play goes on: the side that wins hurries, the side that loses resists."""
        line: list[Move] = []
        known: Truth | None = truth
        while known is not None and known.moves and len(line) < _LONGEST_LINE:
            best = _most_stubborn(known)
            line.append(best)
            after = known.position.play(best)
            known = None if after.outcome is not None else self._proven(after, stop)
        return tuple(line)


def reviewer(iterations: int, *, seed: int = 1, exact_s: float = EXACT_S) -> Reviewer:
    """A reviewer that searches with ``mcts``, so many simulations a position; ``OptionError`` out of bounds."""
    return Reviewer(make_agent("mcts", {"iterations": iterations}), seed, exact_s)


def worths_of(last: AnyPosition, moves: Iterable[MoveReview]) -> tuple[Worth | None, ...]:
    """What the positions from the start to ``last`` are worth, as far as the moves of this line were judged."""
    known = {each.ply - 1: (each.before, each.side, each.exact) for each in moves}
    # What is proven of a move is proven of the position after it.
    known |= {each.ply: (each.after, each.side, True) for each in moves if each.exact}
    if last.outcome is not None:
        known[last.ply] = (last.outcome.score(Side.FIRST), Side.FIRST, True)
    found = (known.get(cursor) for cursor in range(last.ply + 1))
    return tuple(None if each is None else Worth.for_side(*each) for each in found)


def decided(last: AnyPosition, moves: Sequence[MoveReview]) -> Turn | None:
    """The turning point for the side that lost in the ``last`` position; None where nobody did, or none is known."""
    outcome = last.outcome
    if outcome is None or outcome.winner is None:
        return None
    return turning_point(worths_of(last, moves), outcome.winner.other)


def decided_words(last: AnyPosition, moves: Sequence[MoveReview]) -> str:
    """Where the game was decided, as one sentence; "" where nobody lost, or that is not known."""
    turn = decided(last, moves)
    if turn is None:
        return ""
    played = last.moves[turn.ply - 1].text
    if turn.exact:
        return told("decided", number=turn.ply, move=played)
    return told("decided about", number=turn.ply, move=played)


def findings(last: AnyPosition, moves: Sequence[MoveReview]) -> tuple[str, ...]:
    """The game in a few sentences: what each side gave away, and which move decided it."""
    sides = [f"{last.game.side_name(side)}: {summary(moves, side)}" for side in Side]
    return tuple(filter(None, [*sides, decided_words(last, moves)]))


def worth_words(move: MoveReview) -> str:
    """Such as "win → loss" where it is proven, and "0.62 → 0.31" where it is estimated."""
    if move.exact:
        return f"{_SCORES[move.before]} → {_SCORES[move.after]}" if move.lost else _SCORES[move.before]
    return f"{move.before:.2f} → {move.after:.2f}"


def summary(moves: Sequence[MoveReview], side: Side) -> str:
    """How a side played, in one sentence."""
    own = [each for each in moves if each.side == side]
    bad = [each for each in own if each.mark is not Mark.NONE]
    if not own:
        return told("nothing played")
    if not bad:
        name = "nothing given" if all(each.exact for each in own) else "little given"
        return told(name, count=_counted(len(own), "move"))
    threw = sum(each.exact for each in bad)
    exactly = f"{threw} proven" if threw else ""
    guessed = f"{len(bad) - threw} by estimate" if len(bad) > threw else ""
    how = " and ".join(part for part in (exactly, guessed) if part)
    return told("given", count=_counted(len(own), "move"), bad=len(bad), how=how)


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _proven_by(snapshot: Snapshot) -> Truth | None:
    """What the search has proven of its position, or its threats; None where the value of the position is not known.

    A search ends with the first win that it finds.
    """
    truth = with_wins_at_once(with_threats(snapshot.truth, snapshot.threats))
    return None if truth.value is Value.UNKNOWN else truth


def _line(snapshot: Snapshot, move: Move | None = None) -> tuple[Move, ...]:
    """How the search would go on, with its own choice or with this move."""
    stats = snapshot.stats_of(move or snapshot.best_move)
    return () if stats is None else stats.principal_variation[:_LONGEST_LINE] or (stats.move,)


def exactly(
    ply: int, by: str, before: Truth, played: MoveTruth, line: tuple[Move, ...], snapshot: Snapshot | None
) -> MoveReview:
    """A move by what is proven of the position before it and of the move itself, which are both known.

    ``line`` is how best play goes on, ``snapshot`` the search that proved it, if one did.
    """
    mark = _exact_mark(before.value, played.value)
    best = dict.fromkeys((*line[:1], *before.quickest_moves, *before.best_moves))
    if not before.complete and snapshot is not None:
        best |= dict.fromkeys(_perhaps_best(snapshot, before))
    sentence = kept_sentence(before, played) if played.value is before.value else thrown_sentence(before, played)
    return MoveReview(
        ply=ply,
        side=before.position.turn,
        by=by,
        move=played.move,
        exact=True,
        before=before.value.score or 0.0,
        after=played.value.score or 0.0,
        best=tuple(best),
        line=line,
        mark=mark,
        sentence=sentence,
        complete=before.complete,
        searched=snapshot,
    )


def _perhaps_best(snapshot: Snapshot, known: Truth) -> list[Move]:
    """The moves that may keep the proven value as well, as far as the search estimates them."""
    least = (known.value.score or 0.0) - MARGIN
    open_moves = {each.move for each in known.moves if each.value is Value.UNKNOWN}
    return [stats.move for stats in snapshot.moves if stats.move in open_moves and _estimate(stats) >= least]


def _estimated(ply: int, by: str, move: Move, snapshot: Snapshot, after: float) -> MoveReview:
    """By the search of the position, and that of the position it led to (``after``, for the side that moved)."""
    position, best = snapshot.position, snapshot.best_move
    before = expected_score(snapshot)
    if best is None or move == best:
        # What two searches of unlike positions differ by is their noise, not the move's fault.
        after = max(before, after) if best is None else before
    lost = max(0.0, before - after)
    mark = _estimated_mark(lost)
    line = () if mark is Mark.NONE else _line(snapshot)
    if move == best:
        sentence = told("as searched", move=move.text)
    elif mark is Mark.NONE or best is None:
        sentence = told("as good", move=move.text)
    else:
        scores = {"lost": f"{lost:.2f}", "score": f"{before:.2f}", "left": f"{after:.2f}"}
        side = position.game.side_name(position.turn)
        sentence = told("cost", move=move.text, side=side, best=best.text, **scores)
    kept = tuple(each for each in _about_best(snapshot) if each != move or mark is Mark.NONE)
    return MoveReview(ply, position.turn, by, move, False, before, after, kept, line, mark, sentence, False, snapshot)


def _about_best(snapshot: Snapshot) -> tuple[Move, ...]:
    """The search's choice, and the moves that it estimates at no more than ``MARGIN`` less, the best first.

    What was tried less than a tenth as often is too little known to count, unless it is proven or wins at once.
    """
    choice = snapshot.stats_of(snapshot.best_move)
    if choice is None:
        return ()
    least, visits = _estimate(choice) - MARGIN, choice.visits / 10
    at_once = snapshot.position.winning_moves
    near = [
        stats
        for stats in snapshot.moves
        if stats.move in at_once or ((stats.visits >= visits or stats.proven) and _estimate(stats) >= least)
    ]
    return tuple(stats.move for stats in sorted(near, key=lambda stats: (stats is not choice, -_estimate(stats))))


def _estimate(stats: MoveStats) -> float:
    """What the search says that the move is worth; less than anything where it says nothing."""
    score = stats.mean_value if stats.proven is None else stats.proven.score
    return -1.0 if score is None else score


def _with_missed_win(found: MoveReview, position: AnyPosition, win: ForcedWin | None) -> MoveReview:
    """The same, where a ``win`` by threats was there, and none is found any more after the move played."""
    if win is None or keeps_win(position, found.move):
        return found
    first = win.start.move
    missed = told(
        "missed", move=found.move.text, threats=threats_words(win), plies=plies_words(win.plies), first=first.text
    )
    return replace(
        found,
        best=found.best if found.complete else (first,),
        line=win.line(),
        mark=Mark.SLIP if found.mark is Mark.NONE else found.mark,
        sentence=f"{found.sentence} {missed}" if found.exact else missed,
        missed=win,
    )


def _with_missed_parry(found: MoveReview, left: ForcedWin) -> MoveReview:
    """The same, where the move ``left`` the other side a win by threats, and others parry, as far as anybody knows."""
    snapshot = found.searched
    parries = () if snapshot is None else snapshot.parries
    if snapshot is None or not parries or found.move in parries:
        return found
    mark = _estimated_mark(found.before)
    return replace(
        found,
        after=0.0,
        best=parries,
        line=_line(snapshot, parries[0]),
        mark=Mark.SLIP if mark is Mark.NONE else mark,
        sentence=unparried_sentence(snapshot.position, found.move, left, parries),
        unparried=left,
    )


def _estimated_mark(lost: float) -> Mark:
    return Mark.MISTAKE if lost >= MISTAKE else Mark.SLIP if lost >= SLIP else Mark.NONE


def _exact_mark(before: Value, after: Value) -> Mark:
    if before is after:
        return Mark.NONE
    return Mark.BLUNDER if (before, after) == (Value.WIN, Value.LOSS) else Mark.MISTAKE


def _most_stubborn(truth: Truth) -> Move:
    """A move that keeps the value: the quickest of wins, the slowest of losses."""
    return (truth.quickest_moves or truth.best_moves)[0]
