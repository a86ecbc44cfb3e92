"""What has been found out: one run for each position, agent and seed, their store, and what is said of them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection
from dataclasses import dataclass

from msgspec.structs import replace

from nimdesk.agents import Agent
from nimdesk.games import AnyPosition
from nimdesk.games.base import describe_move
from nimdesk.games.truth import Truth, Value
from nimdesk.search import MoveStats, Searcher, Snapshot, StopReason
from nimdesk.search.timeline import Cost, Recorder, Timeline, cost_of
from nimdesk.ui.laboratory.studied import Studied
from nimdesk.ui.look.move_marks import full_words, proven_moves
from nimdesk.ui.plots.words import cost_words, percent

TREES_BYTES = 1_000_000_000
"""Trees of searches that are not shown are dropped, the oldest first, when all trees take more than this."""
MAX_RUNS = 500
Rows = tuple[tuple[int, float, float, int], ...]
"""The moments of a search at which its nodes and its choice were seen."""


@dataclass(frozen=True, slots=True)
class RunKey:
    """What determines a search, however long it ran."""

    position: AnyPosition
    agent: Agent
    seed: int


class Run:
    """One search as far as it went. ``searcher`` is the thread's while the run is running, and then off limits."""

    def __init__(self, key: RunKey) -> None:
        self.key = key
        self.searcher: Searcher | None = None
        self.problem = ""
        """Why it failed, in one sentence."""
        self.replaying = False
        """Whether its tree was dropped and it catches up with what is shown of it."""
        self.finished = False
        """Whether the search came to its own end, so that nothing can go on."""
        self._rule = Studied(key.agent, key.seed).rule
        self._recorder = Recorder(self._rule)
        self._snapshot: Snapshot | None = None
        self._timeline: Timeline | None = None
        self._looked_at: tuple[int, Snapshot] | None = None

    @property
    def snapshot(self) -> Snapshot | None:
        """The newest state; None before the first."""
        return self._snapshot

    @property
    def ended(self) -> bool:
        """Whether the search itself came to its end, or failed, so that nothing can go on."""
        return bool(self.problem) or self.finished

    @property
    def tree_dropped(self) -> bool:
        """Whether results are kept without the search behind them; it can be repeated exactly."""
        return self.searcher is None and self._snapshot is not None

    def update(self, snapshot: Snapshot) -> None:
        """Take over a newer state; what is older (a search that is repeated) changes nothing."""
        old = self._snapshot
        if old is not None and _progress(snapshot) < _progress(old):
            self.replaying = True
            return
        self.replaying = False
        self._snapshot, self._timeline, self._looked_at = snapshot, None, None
        self._recorder.add(snapshot)

    @property
    def rows(self) -> Rows:
        """The moments at which nodes and choice were seen, for ``restore``."""
        return self._recorder.rows

    def restore(self, snapshot: Snapshot, rows: Rows) -> None:
        """Be a search that was saved; there is no tree behind it until it is carried on."""
        self._snapshot, self._timeline = snapshot, None
        self._recorder.restore(rows, snapshot)
        self.finished = snapshot.stopped in (StopReason.PROVEN, StopReason.COMPLETE, StopReason.NO_SEARCH)

    def spent(self, cost: Cost) -> float | None:
        """How much of this cost was spent by now; None where there is none, or no such cost."""
        return None if self._snapshot is None else cost_of(self._snapshot, cost)

    @property
    def timeline(self) -> Timeline | None:
        """The whole search over its costs; None before the first row."""
        if self._timeline is None and self._snapshot is not None:
            self._timeline = self._recorder.timeline(self._snapshot)
        return self._timeline if self._timeline is not None and len(self._timeline) else None

    def at(self, cost: Cost, value: float | None) -> Snapshot | None:
        """The state when so much was spent, None for the newest; lines of play are known of the newest alone."""
        line, snapshot = self.timeline, self._snapshot
        if value is None or line is None or snapshot is None:
            return snapshot
        row = line.row_at(cost, value)
        if row == len(line) - 1:
            return snapshot
        # Several panels ask for the same moment.
        if self._looked_at is None or self._looked_at[0] != row:
            self._looked_at = row, self._state(line, snapshot, row)
        return self._looked_at[1]

    def recall(self, state: Snapshot) -> bool:
        """Take over a state of the same search in full; False if no row is of that moment."""
        line, newest = self.timeline, self._snapshot
        if line is None or newest is None:
            return False
        row = line.row_at(Cost.ITERATIONS, state.iterations)
        if int(line.iterations[row]) != state.iterations:
            return False
        self._looked_at = (
            row,
            replace(state, stopped=None, trace=newest.trace, elapsed_s=float(line.elapsed_s[row])),
        )
        return True

    @staticmethod
    def _state(line: Timeline, snapshot: Snapshot, row: int) -> Snapshot:
        choice = int(line.choice[row])
        trace = line.trace
        if trace is None:
            moves = tuple(MoveStats(move, 0, None) for move in line.moves)
        else:
            visits, sums = trace.visits[row].tolist(), trace.value_sum[row].tolist()
            moves = tuple(
                MoveStats(move, n, total / n if n else None)
                for move, n, total in zip(line.moves, visits, sums, strict=True)
            )
        return replace(
            snapshot,
            iterations=int(line.iterations[row]),
            elapsed_s=float(line.elapsed_s[row]),
            tree_nodes=round(float(line.nodes[row])),
            moves=moves,
            best_move=line.moves[choice] if choice >= 0 else None,
            stopped=None,
            comment="",
            listing=(),
            steps=tuple(step for step in snapshot.steps if step.nodes <= line.nodes[row]),
        )


class RunStore:
    """All runs, the least recently used first; trees are dropped beyond a cap, and results beyond a large number."""

    def __init__(self, trees_bytes: int = TREES_BYTES) -> None:
        self._trees_bytes = trees_bytes
        self._runs: OrderedDict[RunKey, Run] = OrderedDict()

    def __len__(self) -> int:
        """The number of runs."""
        return len(self._runs)

    def get(self, key: RunKey) -> Run:
        """The run of this key, made if it is new."""
        run = self._runs.get(key)
        if run is None:
            run = self._runs[key] = Run(key)
        self._runs.move_to_end(key)
        return run

    def forget(self, key: RunKey) -> Searcher | None:
        """Drop the run of this key; what is left of it."""
        run = self._runs.pop(key, None)
        if run is None:
            return None
        searcher, run.searcher = run.searcher, None
        return searcher

    def trim(self, shown: Collection[Run]) -> list[Searcher]:
        """Keep within bounds, sparing the runs shown; the searchers that were dropped."""
        dropped: list[Searcher] = []
        keep = {run.key for run in shown}
        total = sum(_tree_bytes(run) for run in self._runs.values())
        for run in self._runs.values():
            if total <= self._trees_bytes:
                break
            if run.searcher is not None and run.key not in keep:
                total -= _tree_bytes(run)
                dropped.append(run.searcher)
                run.searcher = None
        for key in [key for key in self._runs if key not in keep][: max(0, len(self._runs) - MAX_RUNS)]:
            if (searcher := self.forget(key)) is not None:
                dropped.append(searcher)
        return dropped


def _progress(snapshot: Snapshot) -> tuple[int, int]:
    return snapshot.iterations, snapshot.tree_nodes


def _tree_bytes(run: Run) -> int:
    return run.snapshot.tree_bytes if run.searcher is not None and run.snapshot is not None else 0


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
