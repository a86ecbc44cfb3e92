"""The history of one search's root moves, checkpoint by checkpoint; and how plots say it in words and numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nimdesk.agents import CATALOGUE
from nimdesk.cells import percent
from nimdesk.games import Move
from nimdesk.games.base import describe_outcome
from nimdesk.games.truth import MoveTruth, Truth, Value
from nimdesk.games.truth_words import result_words
from nimdesk.play.words import simulations
from nimdesk.search import measures
from nimdesk.search.bounds import Bound
from nimdesk.search.types import Snapshot, StopReason, Trace
from nimdesk.ui.look.move_marks import DIE, EARLY, SIGNS, TOP, MoveColors, full_words, proven_moves, short_words

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

EMPTY = (
    "While the computer thinks, this plot shows how its simulations spread over the possible moves: one curve a move, "
    "rising where the search comes back to it again and again."
)
_KEYS = {
    Value.WIN: "solid wins",
    Value.DRAW: "dash-dotted draws",
    Value.LOSS: "thin and dashed loses",
    Value.UNKNOWN: "dotted is not proven",
}
_NICE = (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 15.0)


def styles_of(moves: Sequence[Move], colors: MoveColors) -> Ints:
    """The style index of each move, -1 for none."""
    return np.array([colors.indices.get(move, -1) for move in moves], np.int64)


class MoveHistory(measures.MoveNumbers):
    """A snapshot with a trace of at least one row, and the style of each move at that moment.

    T checkpoints, L moves; columns are in the order of ``moves``. ``order`` lists the columns by final visits, most
    first, but ``order[0]`` is the leader, the move that the search prefers. ``styles`` holds the style index of each
    column, -1 for none. ``proven`` holds what is known of each column, and is empty where the truth is not shown,
    speaks of another position, or knows of no move. ``nodes`` (T,) are the tree's nodes at each checkpoint, where they
    are known.
    """

    def __init__(
        self,
        snapshot: Snapshot,
        trace: Trace,
        colors: MoveColors,
        truth: Truth | None = None,
        *,
        nodes: Floats | None = None,
        bound: Bound | None = None,
    ) -> None:
        super().__init__(trace, bound)
        self.snapshot, self.moves, self.iterations = snapshot, trace.moves, trace.iterations
        self.names = tuple(move.text for move in self.moves)
        self.columns = {move: column for column, move in enumerate(self.moves)}
        marked = colors.marked(snapshot, truth)
        self.styles = styles_of(self.moves, colors)
        self.nodes = nodes
        self.leaders: Ints = trace.choice
        """The column of the leader at each checkpoint, (T,): the move that the search preferred."""
        by_visits = trace.visits[-1].astype(np.int64)
        leader, best = (self.columns.get(each) if each else None for each in (snapshot.leader, snapshot.best_move))
        by_visits[self.leaders[-1] if leader is None else leader] = by_visits.max() + 1
        self.order: Ints = np.argsort(-by_visits, kind="stable")
        self.played = best if best != leader and snapshot.stopped is not None else None
        """The column of the move that was played in place of the leader: by dice, or because the choice came before."""
        self.played_mark = DIE if snapshot.diced else EARLY
        self.named = tuple(self.columns[move] for move in marked.named)
        """The columns of the moves with names and colours: the leader's, its rivals', and what else matters."""
        self.colored = tuple(self.columns[move] for move in marked.colored)
        """The columns of the moves with colours: those, and the moves that led at some time."""
        self.proofs = {
            column: MoveTruth(stats.move, stats.proven, stats.distance)
            for column, stats in enumerate(snapshot.moves)
            if stats.proven is not None
        }
        """What the search itself has proven, by column."""
        known = proven_moves(truth, snapshot.position)
        # A column of question marks and dots would say less than the shares that they take the place of.
        told = any(each.value is not Value.UNKNOWN for each in known.values())
        self.proven = tuple(known.get(move, MoveTruth(move, Value.UNKNOWN)) for move in self.moves) if told else ()

    def __len__(self) -> int:
        """The number of checkpoints, T."""
        return len(self.iterations)

    @property
    def leader(self) -> int:
        """The column of the move that the search prefers."""
        return int(self.order[0])

    @property
    def settled(self) -> int:
        """The first checkpoint at which every move may have been visited twice, or the last one.

        Before it the visits only say in which order moves were tried first (at iteration 1 one move has them all).
        """
        first = int(np.searchsorted(self.iterations, 2 * len(self.moves)))
        return min(first, len(self) - 1)

    def style(self, column: int) -> int:
        """The style of this column's curve, -1 in the grey bundle."""
        if column not in self.colored:
            return -1
        style = int(self.styles[column])
        # Dashes tell those apart that have the same colour; others would be noise.
        shared = any(int(self.styles[each]) % TOP == style % TOP for each in self.colored if each != column)
        return style if shared or style < 0 else style % TOP

    def value(self, column: int) -> Value | None:
        """What this column's move is proven to be worth; None while that is not shown."""
        return self.proven[column].value if self.proven else None

    def column(self, move: Move | None) -> int | None:
        """The column of this move, None if it is not among the root moves."""
        return None if move is None else self.columns.get(move)


# Words and numbers


def why_empty(snapshot: Snapshot | None) -> str:
    """The sentence to show in place of a plot; "" if there is something to plot."""
    if snapshot is None:
        return EMPTY
    if snapshot.position.outcome is not None or not snapshot.moves:
        over = describe_outcome(snapshot.position) if snapshot.position.outcome is not None else "no move is left"
        return f"The game is over ({over}), so there is nothing to search."
    if snapshot.trace is None:
        title = CATALOGUE[snapshot.agent].title if snapshot.agent in CATALOGUE else snapshot.agent
        comment = f" {snapshot.comment}" if snapshot.comment else ""
        return f"{title} plays no simulations, so there are no visits to plot.{comment}"
    return "" if len(snapshot.trace) else "The search has begun; its first simulations appear here in a moment."


def title_line(title: str, snapshot: Snapshot | None) -> str:
    """The heading: the title, how far the search is, and why it stopped."""
    if snapshot is None:
        return title
    if snapshot.stopped is None:
        # While it runs, the number stands in one place alone, in the status line: here nobody could read it.
        state = "searching…"
    else:
        reason = snapshot.proof or ("" if snapshot.stopped is StopReason.ITERATIONS else snapshot.stopped.value)
        spent = simulations(snapshot.iterations) if snapshot.iterations else ""
        if snapshot.chosen_after is not None:
            spent = f"{simulations(snapshot.chosen_after)}, shown to {snapshot.iterations:,}"
        elif nodes := 0 if spent else snapshot.tree_nodes:
            spent = "1 node" if nodes == 1 else f"{nodes:,} nodes"
        state = ", ".join(filter(None, (spent, reason)))
    parts = [f"{title} — " if title else "", state]
    if snapshot.tree_full:
        parts.append(" · tree full: the memory cap was met; the tree no longer grows")
    return "".join(parts)


def proof_words(proof: MoveTruth) -> str:
    """Such as "proven: wins in 9"; a distance is in plies."""
    return f"proven: {result_words(proof.value, proof.distance)}"


def share_words(history: MoveHistory, column: int) -> str:
    """The share of a move in the visits; of one that is proven by the search, that, since its visits say little."""
    if (proof := history.proofs.get(column)) is not None:
        return f"{SIGNS[proof.value]} {short_words(proof)}"
    return percent(int(history.visits[-1, column]) / max(1, history.snapshot.total_visits))


def summary(title: str, history: MoveHistory) -> str:
    """The plot in words, for those who cannot see it."""
    listed = [f"{history.names[c]} {share_words(history, c)}" for c in history.order[:4].tolist()]
    others = f" Then {', '.join(listed[1:])}." if len(listed) > 1 else ""
    if (proof := history.proofs.get(history.leader)) is not None:
        return f"{title}. Leader: {history.names[history.leader]}, {proof_words(proof)}.{others}"
    proven = f", proven: {full_words(history.proven[history.leader])}" if history.proven else ""
    return f"{title}. Leader: {listed[0]} of the simulations{proven}.{others}"


def line_keys(history: MoveHistory | None) -> str:
    """What the dashes of the curves mean, such as "solid wins, thin and dashed loses"; "" where nothing is proven."""
    values = {each.value for each in history.proven} if history is not None else set()
    return ", ".join(words for value, words in _KEYS.items() if value in values)


def round_up(value: float) -> float:
    """The smallest round number (1, 1.5, 2, 3, ... times a power of ten) that is not below ``value``."""
    if value <= 0:
        return 1.0
    power = 10.0 ** np.floor(np.log10(value))
    return float(next(nice * power for nice in _NICE if nice * power >= value * (1 - 1e-9)))


def short_count(value: float) -> str:
    """A count for an axis: 1, 10, 100, 1k, 2.5k, 10k, 1M."""
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.4g}{unit}"
    return f"{value:.4g}"
