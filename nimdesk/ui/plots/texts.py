"""What the convergence panel says in words."""

from __future__ import annotations

from nimdesk.agents import CATALOGUE
from nimdesk.games.words import describe_outcome
from nimdesk.search.types import Snapshot
from nimdesk.ui.look.proven import full_words
from nimdesk.ui.plots.data import PlotData, percent
from nimdesk.ui.plots.looks import KEYS

EMPTY = (
    "While the computer thinks, this plot shows how its simulations spread over the possible moves: one curve a move, "
    "rising where the search comes back to it again and again."
)


def why_empty(snapshot: Snapshot | None) -> str | None:
    """The sentence to show in place of a plot, or None if there is something to plot."""
    if snapshot is None:
        return EMPTY
    if snapshot.position.outcome is not None or not snapshot.moves:
        over = describe_outcome(snapshot.position) if snapshot.position.outcome is not None else "no move is left"
        return f"The game is over ({over}), so there is nothing to search."
    if snapshot.trace is None:
        title = CATALOGUE[snapshot.agent].title if snapshot.agent in CATALOGUE else snapshot.agent
        comment = f" {snapshot.comment}" if snapshot.comment else ""
        return f"{title} plays no simulations, so there are no visits to plot.{comment}"
    if not len(snapshot.trace):
        return "The search has begun; its first simulations appear here in a moment."
    return None


def title_line(title: str, snapshot: Snapshot | None) -> str:
    """The heading: the title, how far the search is, and why it stopped."""
    if snapshot is None:
        return title
    word = "iteration" if snapshot.iterations == 1 else "iterations"
    state = "searching…" if snapshot.stopped is None else f"stopped: {snapshot.stopped.value}"
    parts = [f"{title} — " if title else "", f"{snapshot.iterations:,} {word}, {state}"]
    if snapshot.tree_full:
        parts.append(" · tree full: the memory cap was met; the tree no longer grows")
    return "".join(parts)


def summary(title: str, data: PlotData) -> str:
    """The plot in words, for those who cannot see it."""
    total = max(1, data.snapshot.total_visits)
    listed = [f"{data.names[c]} {percent(int(data.visits[-1, c]) / total)}" for c in data.order[:4].tolist()]
    others = f" Then {', '.join(listed[1:])}." if len(listed) > 1 else ""
    proven = f", proven: {full_words(data.proven[data.leader])}" if data.proven else ""
    return f"{title}. Leader: {listed[0]} of the visits{proven}.{others}"


def truth_key(data: PlotData, *, lines: bool) -> str:
    """What the curves' dashes (``lines``) or the heat map's words mean; "" while nothing proven is shown."""
    if not data.proven:
        return ""
    if not lines:
        return "Proven, before each move: “win 5” is a forced win, 5 plies to the end; “?” is not proven."
    values = {each.value for each in data.proven}
    return f"Proven: {', '.join(words for value, words in KEYS.items() if value in values)}."
