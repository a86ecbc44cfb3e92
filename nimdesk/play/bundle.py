"""An experiment of the laboratory as one JSON file: position, agents with options, seeds, and how each search went.

A document is ``{"format": "nimdesk-bundle", "version": 4, "program", "position", "shown", "runs", "made"}``. It opens
to the identical curves, and ``repeat`` runs a search of it again, to be compared number by number. ``analyse_command``
is what repeats one on the command line. Version 2 lacked the nodes at each moment of a search, and ``made``; version 3
what a search has proven of its position.
"""

from __future__ import annotations

import shlex
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from msgspec import Meta
from msgspec.structs import replace
from numpy.typing import NDArray

from nimdesk.agents import Agent, OptionValue, agent_from_json
from nimdesk.disk.documents import DocumentFaultError, check_header, check_size, clause, parsed
from nimdesk.disk.provenance import Provenance, made_here
from nimdesk.errors import BundleError, NimdeskError, OptionError
from nimdesk.games import AnyPosition, parse_position
from nimdesk.games.truth import Value
from nimdesk.limit import Limit
from nimdesk.play.record import (
    MoveReader,
    proven_by_moves,
    read_document,
    search_part,
    snapshot_from,
    write_document,
)
from nimdesk.play.schema import MAX_CHECKPOINTS, MAX_TRACE_BYTES, Count, Name, SearchPart, Seconds, trace_bytes
from nimdesk.play.snapshots import kept
from nimdesk.search import Snapshot, StopReason, Trace, drive
from nimdesk.search.options import MAX_SEED
from nimdesk.search.timeline import Recorder, Timeline, timelines_csv
from nimdesk.version import __version__

FORMAT: Literal["nimdesk-bundle"] = "nimdesk-bundle"
VERSION: Literal[4] = 4
SUFFIX = ".nimbundle.json"
MAX_RUNS = 4

Row = tuple[int, float, float, int]
"""A moment at which a search was looked at: iterations, seconds, nodes, and the column it would have played or −1."""


@dataclass(frozen=True, slots=True, eq=False)
class SavedRun:
    """One search as far as it went, and the moments at which its nodes and its choice were seen."""

    agent: Agent
    seed: int
    snapshot: Snapshot
    rows: tuple[Row, ...] = ()

    @property
    def timeline(self) -> Timeline:
        """The whole search over its costs."""
        recorder = Recorder()
        recorder.restore(self.rows, self.snapshot)
        return recorder.timeline(self.snapshot)

    @property
    def why_not_repeatable(self) -> str:
        """Why a search cannot be run again to the same numbers, as a clause; "" if it can."""
        if not self.agent.traits.known:
            return "nobody knows if this plug-in draws the same numbers again"
        if self.snapshot.trace is None and not (self.snapshot.finished or self.snapshot.stopped is StopReason.NODES):
            return "the clock or a person stopped it, at a moment that no number names"
        return ""


@dataclass(frozen=True, slots=True, eq=False)
class Bundle:
    """One position and one to four searches of it. ``shown`` is how they were looked at (axis, views), or empty."""

    position: AnyPosition
    runs: tuple[SavedRun, ...]
    shown: dict[str, Any] = field(default_factory=dict)
    program: str = __version__
    made: Provenance | None = None
    """What saved it; None for bundles of before, and until it is saved."""

    @property
    def lettered(self) -> list[tuple[str, SavedRun]]:
        """The runs, each with what it is called: A, B, C or D."""
        return list(zip("ABCD", self.runs, strict=False))

    @property
    def why_unlike(self) -> str:
        """Why even searches that can be run again may have other numbers here, as a clause; "" if they may not."""
        if self.program == __version__:
            return ""
        return f"it was saved by nimdesk {self.program}, and this is {__version__}, which may search in another way"


class _Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of all parts: a field that this version does not know is an error, not a silent loss."""


class ProofPart(_Part, frozen=True, kw_only=True):
    """Version 1's way to say what is proven of the root move with the same place in ``search.moves``."""

    value: Literal["win", "draw", "loss"] | None
    distance: Count | None


class RunPart(_Part, frozen=True, kw_only=True, omit_defaults=True):
    """One ``SavedRun``."""

    agent: dict[str, Any]
    seed: Annotated[int, Meta(ge=0, le=MAX_SEED)]
    search: SearchPart
    proofs: list[ProofPart] | None = None
    rows: Annotated[
        list[tuple[Count, Seconds, Annotated[float, Meta(ge=0)], Annotated[int, Meta(ge=-1)]]],
        Meta(max_length=MAX_CHECKPOINTS),
    ]


class BundlePart(_Part, frozen=True, kw_only=True, omit_defaults=True):
    """The whole document."""

    format: Literal["nimdesk-bundle"]
    version: Literal[1, 2, 3, 4]
    program: Name
    position: Annotated[str, Meta(max_length=4000)]
    shown: Annotated[dict[str, Any], Meta(max_length=50)]
    runs: Annotated[list[RunPart], Meta(min_length=1, max_length=MAX_RUNS)]
    made: Provenance | None = None


def save_bundle(bundle: Bundle, path: Path) -> None:
    """Write it, whole or not at all; ``BundleError`` when it cannot be written, and an old file is then as it was."""
    part = BundlePart(
        format=FORMAT,
        version=VERSION,
        program=bundle.program[:200],
        position=bundle.position.text,
        shown=bundle.shown,
        runs=[_run_part(run) for run in bundle.runs],
        made=bundle.made or made_here(),
    )
    data = msgspec.json.encode(part)
    try:
        check_size(data, FORMAT, "bundle")
    except DocumentFaultError as fault:
        raise BundleError(f"The bundle cannot be saved to “{path}”: {fault}.") from None
    write_document(path, data, "bundle", BundleError)


def load_bundle(path: Path) -> Bundle:
    """The bundle that ``save_bundle`` wrote.

    ``BundleError``, one sentence with the file, the place in it and what is wrong, for a file that cannot be read, is
    no bundle, is of a newer version, or breaks a rule anywhere.
    """
    return read_document(path, _decoded, FORMAT, "bundle", BundleError)


def repeat(run: SavedRun, stop: threading.Event | None = None) -> SavedRun:
    """Run the search again as far as it went: by its iterations, its nodes, or to its own end.

    Its curve keeps the seconds that were saved: those of another day are another measurement, and nothing to compare.
    Takes as long as the search did and loads kernels: not on the UI thread. ``stop`` ends it early, to be thrown away.
    """
    saved, rows = run.snapshot, []
    searcher = run.agent.new_searcher(saved.position)
    searcher.start(saved.position, run.seed)
    if saved.trace is None:
        for _, elapsed_s, nodes, _ in run.rows[:-1]:
            if nodes >= 1:
                drive(searcher, Limit(nodes=int(nodes)), stop)
            rows.append(_row(searcher.snapshot(), elapsed_s))
    iterations = saved.iterations if saved.trace is not None else None
    limit = saved.tree_nodes if saved.trace is None and saved.stopped is StopReason.NODES else None
    drive(searcher, Limit(iterations, nodes=limit), stop)
    again = searcher.snapshot()
    rows.append(_row(again, saved.elapsed_s))
    if again.trace is not None and saved.trace is not None:
        again = replace(again, trace=replace(again.trace, elapsed_s=_times(again.trace, saved.trace)))
    return SavedRun(run.agent, run.seed, again, tuple(rows))


def _row(snapshot: Snapshot, elapsed_s: float) -> Row:
    columns = [stats.move for stats in snapshot.moves]
    best = -1 if snapshot.best_move is None else columns.index(snapshot.best_move)
    return snapshot.iterations, elapsed_s, float(snapshot.tree_nodes), best


def _times(trace: Trace, saved: Trace) -> NDArray[np.float64]:
    """The seconds of the saved trace at the checkpoints of this one; NaN where it has none."""
    of = dict(zip(saved.iterations.tolist(), saved.elapsed_s.tolist(), strict=True))
    return np.array([of.get(at, np.nan) for at in trace.iterations.tolist()])


def difference(saved: Snapshot, again: Snapshot) -> str:
    """Where two searches are not the same, as a clause; "" where all numbers but the seconds are."""
    one, two = saved.trace, again.trace
    if (one is None) is not (two is None) or saved.position != again.position:
        return "they are of different kinds"
    if one is not None and two is not None:
        common = min(len(one), len(two))
        for row in range(common):
            same = one.iterations[row] == two.iterations[row] and (one.visits[row] == two.visits[row]).all()
            if not same or not (one.value_sum[row] == two.value_sum[row]).all():
                return f"they differ from iteration {int(one.iterations[row]):,} on"
        if len(one) != len(two):
            return f"one ended after {saved.iterations:,} iterations, the other after {again.iterations:,}"
    if [stats.visits for stats in saved.moves] != [stats.visits for stats in again.moves]:
        return "they counted different numbers of visits"
    return "" if saved.best_move == again.best_move else "they would play different moves"


def runs_csv(runs: Sequence[tuple[str, SavedRun]]) -> str:
    """Every row of these runs (a name and a run each), which are of one position, one line a row.

    Columns: ``run``, ``agent``, ``seed``, and those of ``timelines_csv``.
    """
    parts = [((name, run.agent.name, run.seed), run.timeline) for name, run in runs]
    return timelines_csv(("run", "agent", "seed"), parts)


def _run_part(run: SavedRun) -> RunPart:
    return RunPart(
        agent=run.agent.to_json(),
        seed=run.seed,
        search=search_part(run.snapshot),
        rows=list(run.rows),
    )


def _decoded(data: bytes) -> Bundle:
    check_header(data, FORMAT, VERSION, "bundle")
    part = parsed(data, BundlePart)
    try:
        position = parse_position(part.position)
    except NimdeskError as error:
        raise DocumentFaultError(f"in the position: {clause(error)}") from None
    runs, budget = [], MAX_TRACE_BYTES
    for number, each in enumerate(part.runs, 1):
        if each.search.trace is not None:
            budget -= trace_bytes(len(each.search.trace.iterations), len(position.legal_moves))
        try:
            if budget < 0:
                raise ValueError(f"the curves up to here take more than {MAX_TRACE_BYTES >> 20:,} MB")
            runs.append(_run_from(each, position))
        except (NimdeskError, ValueError) as error:
            raise DocumentFaultError(f"in search {number}: {clause(error)}") from None
    return Bundle(position, tuple(runs), part.shown, part.program, part.made)


def _run_from(part: RunPart, position: AnyPosition) -> SavedRun:
    snapshot = kept(snapshot_from(part.search, position, MoveReader()), position)
    if not snapshot.moves:
        raise ValueError("its search must list the legal moves")
    if part.proofs is not None:
        snapshot = _with_proofs(snapshot, part.proofs)
    if snapshot.seed != part.seed:
        raise ValueError(f"its seed is {part.seed}, but that of its search {snapshot.seed}")
    if any(row[3] >= len(snapshot.moves) for row in part.rows):
        raise ValueError(f"a row's choice must be −1 to {len(snapshot.moves) - 1}")
    return SavedRun(agent_from_json(part.agent), part.seed, snapshot, tuple(part.rows))


def _with_proofs(snapshot: Snapshot, proofs: list[ProofPart]) -> Snapshot:
    if len(proofs) != len(snapshot.moves):
        raise ValueError(f"there must be one entry in “proofs” for each move; there are {len(proofs)}")
    proven = tuple(
        replace(stats, proven=None if proof.value is None else Value(proof.value), distance=proof.distance)
        for stats, proof in zip(snapshot.moves, proofs, strict=True)
    )
    return replace(snapshot, moves=proven, proven=proven_by_moves(proven))


def as_run(agent: Agent, ended: Snapshot) -> dict[str, object]:
    """The agent with its options as JSON, limited to what it has searched; the seed, and the iterations and nodes made.

    For flat Monte Carlo, which counts whole rounds, the option may be less than a round above the iterations.
    """
    made = {"seed": ended.seed, "iterations": ended.iterations, "nodes": ended.nodes}
    return {**limited_to(agent, ended).about(ended.position.game), **made}


def limited_to(agent: Agent, ended: Snapshot) -> Agent:
    """The agent, limited to what it has searched; the agent itself where its options have no room for so much."""
    budget = agent.traits.budget
    if budget is None:
        return agent
    try:
        return agent.with_options({budget: _budget(agent, ended)})
    except OptionError:
        return agent


def _budget(agent: Agent, ended: Snapshot) -> int:
    """What was searched, as the agent's budget counts it."""
    spent = _spent(agent, ended)
    return -(-spent // len(ended.moves)) if agent.traits.per_move else spent


def _spent(agent: Agent, ended: Snapshot) -> int:
    return max(1, ended.iterations if agent.traits.counts == "iterations" else ended.tree_nodes)


def analyse_command(run: SavedRun, trace: str = "") -> str:
    """The command line that searches as far as this run went; ``trace`` names a file for the curve."""
    words = ["nimdesk", "analyse", *run.snapshot.position.text.split(), "--agent", run.agent.name]
    for name, value in _asked(run).items():
        words += [f"--{name.replace('_', '-')}", _typed(value)]
    return shlex.join([*words, "--csv", trace] if trace else words)


def analyse_call(run: SavedRun) -> str:
    """The same as a call of the library."""
    options = "".join(f", {name}={value!r}" for name, value in _asked(run).items())
    return f"nd.analyse({run.snapshot.position.text!r}, {run.agent.name!r}{options})"


def _asked(run: SavedRun) -> dict[str, OptionValue]:
    """The options that make this agent search so far, in their order, and the limit that is to end the search."""
    agent, snapshot = run.agent, run.snapshot
    traits, changed = agent.traits, agent.changed_options
    if traits.budget is not None:
        changed[traits.budget] = _budget(agent, snapshot)
    if traits.seed is not None:
        changed[traits.seed] = run.seed
    asked = {option.name: changed[option.name] for option in agent.info.fields if option.name in changed}
    # The budget says it all where it is one of the whole search, and a search at its own end needs no limit.
    if (traits.budget is None or traits.per_move) and not snapshot.finished:
        asked["limit"] = _spent(agent, snapshot)
    return asked


def _typed(value: OptionValue) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else value if isinstance(value, str) else repr(value)
