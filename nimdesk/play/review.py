"""A finished game gone through: what each move was worth, exactly where a solver can tell, else as an estimate.

Every position of the line is given to the solver of its game, within a time; from where that is too long, to a search
with one budget for all. How a move is judged by what they say, ``move_review`` knows.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from msgspec.structs import replace

from nimdesk.agents import Agent, make_agent
from nimdesk.games import AnyPosition, Move, Side, solved
from nimdesk.games.kit import threats_in, win_in
from nimdesk.games.truth import Truth, Value, with_threats, with_wins_at_once
from nimdesk.games.truth_words import told
from nimdesk.play.evaluations import Turn, turning_point
from nimdesk.play.move_review import (
    LONGEST_LINE,
    Mark,
    MoveReview,
    estimated,
    exactly,
    line_of,
    with_missed_parry,
    with_missed_win,
)
from nimdesk.search import Snapshot, drive
from nimdesk.search.options import MAX_SEED
from nimdesk.search.worth import Worth, expected_score

BUDGETS = (2_000, 10_000, 50_000)
"""Simulations a move that the window offers."""
EXACT_S = 2.0
"""Seconds that the solver may take for one position."""
_SCORES = {1.0: "win", 0.5: "draw", 0.0: "loss"}


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
        solvable, given = self.exact_s > 0, _given([by for _, by in played])
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
                line = () if kept else self._best_line(truth, stop) if snapshot is None else line_of(snapshot)
                found = exactly(ply, by, truth, truth.of(move), line, snapshot)
            else:
                # The solver of another's game may call complete what is not.
                snapshot = self._searched(position, ply - 1, stop) if snapshot is None else snapshot
                if left is not None:
                    after = 1.0
                else:
                    after = expected_score(later) if later is not None else self._value(positions[ply], ply, stop)
                found = estimated(ply, by, move, snapshot, 1.0 - after)
            if found.after < 1.0 or not found.exact:
                found = with_missed_win(found, position, win_at(position))
            if left is not None and not found.exact:
                found = with_missed_parry(found, left)
            if stop is not None and stop.is_set():
                return
            yield found if ply > given else replace(found, given=True, mark=Mark.NONE)
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
        while known is not None and known.moves and len(line) < LONGEST_LINE:
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
    if any(each.given and each.ply == turn.ply for each in moves):
        return told("opening decided" if turn.exact else "opening decided about", number=turn.ply, move=played)
    return told("decided" if turn.exact else "decided about", number=turn.ply, move=played)


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
    """How a side played, in one sentence; moves that were given are not its own."""
    own = [each for each in moves if each.side == side and not each.given]
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


def _given(by: Sequence[str]) -> int:
    """How many moves came with the start: the first, if nobody made them and somebody made each of the others.

    Files of other programs may name nobody, or one side alone.
    """
    first = next((number for number, each in enumerate(by) if each), 0)
    return first if all(by[first:]) else 0


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _proven_by(snapshot: Snapshot) -> Truth | None:
    """What the search has proven of its position, or its threats; None where the value of the position is not known.

    A search ends with the first win that it finds.
    """
    truth = with_wins_at_once(with_threats(snapshot.truth, snapshot.threats))
    return None if truth.value is Value.UNKNOWN else truth


def _most_stubborn(truth: Truth) -> Move:
    """A move that keeps the value: the quickest of wins, the slowest of losses."""
    return (truth.quickest_moves or truth.best_moves)[0]
