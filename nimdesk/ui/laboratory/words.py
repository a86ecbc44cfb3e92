"""What the laboratory says in sentences: on the screen and for screen readers alike."""

from __future__ import annotations

from nimdesk.games.base import describe_move
from nimdesk.games.truth import Truth, Value
from nimdesk.search import Snapshot
from nimdesk.search.timeline import Cost, Timeline
from nimdesk.ui.laboratory.runs import Run
from nimdesk.ui.look.proven import full_words, proven_moves
from nimdesk.ui.plots.words import cost_words, percent

PREPARING = "Preparing the search; the first time for a game this takes some seconds…"
SEARCHING = "The search has begun; its first results appear here in a moment."
BEGIN = "Press Run (F5): each search then draws here, move by move, how it makes up its mind."


def run_sentence(
    name: str,
    run: Run,
    snapshot: Snapshot | None,
    truth: Truth | None,
    axis: Cost,
    *,
    running: bool = False,
    preparing: bool = False,
) -> str:
    """What the search has come to at this moment, when its leader last changed, and whether that is optimal.

    Before its first result: whether searches are ``running``, and still ``preparing``.
    """
    if run.problem:
        return f"{name}: {run.problem}"
    if snapshot is None or snapshot.best_move is None:
        return PREPARING if preparing else SEARCHING if running else f"{name} has not begun. Press F5."
    line = run.timeline
    stats = next(each for each in snapshot.moves if each.move == snapshot.best_move)
    share = f" with {percent(snapshot.share(stats))} of the visits" if snapshot.trace is not None else ""
    changes = "" if line is None else _changes(line, snapshot, axis)
    return f"{name} would play {describe_move(snapshot.best_move)}{share}{changes}.{verdict(snapshot, truth)}"


def _changes(line: Timeline, snapshot: Snapshot, axis: Cost) -> str:
    """How often the choice has changed before this moment, and when it last did."""
    row = line.row_at(Cost.SECONDS, snapshot.elapsed_s)
    changed = [at for at in change_rows(line) if at <= row]
    if not changed:
        return ""
    spent = line.costs(axis)
    times = "once" if len(changed) == 1 else f"{len(changed)} times"
    if spent is None:
        return f"; the leader changed {times}"
    when = cost_words(axis, float(spent[changed[-1]]))  # of seconds it is "after 2.5 s"
    return f"; the leader changed {times}, last {'' if axis is Cost.SECONDS else 'at '}{when}"


def change_rows(line: Timeline) -> list[int]:
    """The rows at which the choice is another than in the row before.

    In a trace they count from when every move may have been tried twice: before, the leader says nothing.
    """
    first = 0 if line.trace is None else int((line.iterations < 2 * len(line.moves)).sum())
    choice = line.choice[first:]
    return [first + 1 + int(at) for at in (choice[1:] != choice[:-1]).nonzero()[0]]


def verdict(snapshot: Snapshot, truth: Truth | None) -> str:
    """Whether the move it would play is optimal, as a sentence that follows another; "" where that is not known."""
    known = proven_moves(truth, snapshot.position)
    chosen = known.get(snapshot.best_move) if snapshot.best_move is not None else None
    if truth is None or chosen is None or Value.UNKNOWN in (truth.value, chosen.value):
        return ""
    if truth.value is Value.LOSS:
        return " Every move loses here, so none is wrong."
    if chosen.value is truth.value:
        return " The leader is optimal."
    best = truth.best_moves
    named = describe_move(best[0]) if len(best) == 1 else f"one of {len(best)} moves"
    kept = "wins" if truth.value is Value.WIN else "holds the draw"
    return f" That is a mistake ({full_words(chosen)}): {named} {kept}."
