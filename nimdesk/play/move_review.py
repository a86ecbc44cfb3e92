"""What one move of a game was worth: judged by what is proven of it, or by what a search estimates.

A move is judged by the value of its position and the value of what it led to, both for the side that moved. An exact
answer and an estimate are never mixed in one judgement.
"""

from __future__ import annotations

from enum import Enum

import msgspec
from msgspec.structs import replace

from nimdesk.games import AnyPosition, Move, Side
from nimdesk.games.kit import keeps_win
from nimdesk.games.truth import ForcedWin, MoveTruth, Truth, Value
from nimdesk.games.truth_words import (
    kept_sentence,
    plies_words,
    threats_words,
    thrown_sentence,
    told,
    unparried_sentence,
)
from nimdesk.search import Snapshot
from nimdesk.search.types import MoveStats
from nimdesk.search.worth import expected_score

SLIP, MISTAKE = 0.12, 0.25
"""From which loss of expected score on an estimate is told as a slip, and as a mistake."""
MARGIN = 0.05
"""So much less than the best a move may be worth, by an estimate, to count as right as well."""
LONGEST_LINE = 12
"""So many moves are told of how best play goes on."""


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
    and every other move is proven to lose. A ``given`` move came with the start: what it was worth is told, but it is
    nobody's mistake, and has no mark.
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
    given: bool = False

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
            "given": self.given,
        }


def line_of(snapshot: Snapshot, move: Move | None = None) -> tuple[Move, ...]:
    """How the search would go on, with its own choice or with this move."""
    stats = snapshot.stats_of(move or snapshot.best_move)
    return () if stats is None else stats.principal_variation[:LONGEST_LINE] or (stats.move,)


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


def estimated(ply: int, by: str, move: Move, snapshot: Snapshot, after: float) -> MoveReview:
    """A move by the search of the position before it, and what it led to (``after``, for the side that moved)."""
    position, best = snapshot.position, snapshot.best_move
    before = expected_score(snapshot)
    if best is None or move == best:
        # What two searches of unlike positions differ by is their noise, not the move's fault.
        after = max(before, after) if best is None else before
    lost = max(0.0, before - after)
    mark = _estimated_mark(lost)
    line = () if mark is Mark.NONE else line_of(snapshot)
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


def with_missed_win(found: MoveReview, position: AnyPosition, win: ForcedWin | None) -> MoveReview:
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


def with_missed_parry(found: MoveReview, left: ForcedWin) -> MoveReview:
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
        line=line_of(snapshot, parries[0]),
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
