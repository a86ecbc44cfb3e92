"""``nimdesk analyse``, ``solve`` and ``replay``: what a search thinks of every move, what is proven, and both again."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import TimeElapsedColumn

from nimdesk.agents import Agent
from nimdesk.cells import csv_text
from nimdesk.cli.figures import TREES, Wanted
from nimdesk.cli.file_types import check_unnamed
from nimdesk.cli.interrupting import UnfinishedError, interruptibly
from nimdesk.cli.options import (
    check_csv,
    check_folder,
    console,
    print_json,
    progress_bar,
    say,
    table,
    write_bytes,
    write_only_table,
)
from nimdesk.disk.paths import data_dir, file_name
from nimdesk.disk.provenance import Provenance, made_here
from nimdesk.errors import GameParameterError, NimdeskError, NotationError, OptionError
from nimdesk.figures.measure import MEASURES
from nimdesk.games import AnyPosition, Move, kit_of, solver_for
from nimdesk.games.base import describe_outcome, describe_turn
from nimdesk.games.certificates import certificate_bytes
from nimdesk.games.truth import ForcedWin, Threats, Truth, Value
from nimdesk.games.truth_words import step_sentence, threats_words, truth_sentence, value_words
from nimdesk.limit import Limit
from nimdesk.play.words import answer_words
from nimdesk.search import MoveStats, Searcher, Snapshot, StopReason, drive
from nimdesk.search.options import MAX_SEED
from nimdesk.search.tree_types import TreeView

if TYPE_CHECKING:
    from nimdesk.play.bundle import SavedRun

_MOST_ROWS = 30
_MOST_ALIKE = 30
"""More moves with one value and distance are one row, between which the few that matter would not be seen."""
_PROOF_S = 30.0


def analyse(
    position: AnyPosition,
    agent: Agent,
    *,
    as_json: bool,
    csv: Path | None,
    listing: bool = False,
    figure: Wanted | None = None,
    seeds: int | None = None,
    nodes: int | None = None,
    limit: int | None = None,
) -> Snapshot:
    """Search, print, and return the search at its end, or after ``limit`` iterations or nodes.

    ``csv`` gets the checkpoints (or depths), ``listing`` prints the explanation. With ``seeds`` the
    figure shows that many searches, which differ only in their seeds. A tree has ``nodes`` moves.

    ``NotationError`` if the game is over, ``OptionError`` if the file cannot be written.
    """
    if position.outcome is not None:
        raise NotationError(f"There is nothing to analyse in {position.text}: {describe_outcome(position)}.")
    check_csv(csv, "The trace")
    end = Limit() if limit is None else agent.counted(limit)
    searcher, snapshot = _searched(position, agent, end)
    seed = snapshot.seed if agent.draws else None
    made = made_here(wall_s=round(snapshot.elapsed_s, 6))
    problem: NimdeskError | None = None
    if csv is not None:
        # Written first, because a reader that stops reading (a pipe into head) ends the program.
        try:
            _write_trace(snapshot, csv, about_search(snapshot, agent), made)
        except NimdeskError as error:
            problem = error
    if as_json:
        print_json(snapshot_json(snapshot, agent), [made], answer_words(agent, snapshot))
    else:
        _print_snapshot(snapshot, seed)
        if listing:
            print("\n".join(snapshot.listing or ("This agent keeps no listing of its search.",)))
    if problem is not None:
        raise problem
    if figure is not None and figure.path.suffix.lower() in TREES:
        _draw_tree(searcher, snapshot, agent, figure, nodes)
    elif figure is not None:
        _draw(snapshot, agent, end, figure, seeds)
    return snapshot


def _draw_tree(searcher: Searcher, snapshot: Snapshot, agent: Agent, figure: Wanted, nodes: int | None) -> None:
    from nimdesk.figures.content import in_full  # lazy: it loads numpy, which most commands do without

    if agent.traits.tree == "recorded":
        searcher = recording = agent.new_recording()

        def record(stop: threading.Event) -> None:
            recording.start(snapshot.position, snapshot.seed)
            drive(recording, Limit(nodes=snapshot.tree_nodes), stop=stop)
            if stop.is_set():
                raise KeyboardInterrupt  # half of the tree would look like all of it

        interruptibly(record)
    if not isinstance(searcher, TreeView):
        raise OptionError(f"The agent {agent.name} keeps no tree that could be drawn; MCTS and alpha-beta do.")
    spent = f"{snapshot.iterations:,} iterations" if snapshot.iterations else f"{snapshot.tree_nodes:,} nodes"
    words = f"{in_full(agent, snapshot.seed, snapshot.position.game)}."
    figure.draw_tree(snapshot.position, searcher.family, nodes, f"after {spent}", words)


def _draw(snapshot: Snapshot, agent: Agent, end: Limit, figure: Wanted, seeds: int | None) -> None:
    # Lazy: it loads numpy, which most commands do without.
    from nimdesk.figures.content import Searched, of_searches, usual_measure
    from nimdesk.figures.files import SEED_COLUMNS, about_seeds
    from nimdesk.figures.seeds import of_seeds
    from nimdesk.search.timeline import Recorder

    def searched(ended: Snapshot) -> Searched:
        recorder = Recorder()
        recorder.add(ended)
        return Searched(agent, ended.position.game, ended.seed, recorder.timeline(ended))

    measure = figure.measure or usual_measure(agent)
    position, about = snapshot.position, about_search(snapshot, agent)
    truth = prove(position, _PROOF_S) if MEASURES[measure].needs_truth else None
    if seeds is None:
        figure.draw(of_searches(position, [searched(snapshot)], measure, truth=truth, heat=figure.heat), about)
        return
    if not agent.draws:
        raise OptionError(f"The agent {agent.name} makes no use of a seed, so all of its searches are the same.")
    more = (agent.with_seed((snapshot.seed + number) & MAX_SEED) for number in range(1, seeds))
    others = [_searched(position, each, end)[1] for each in more]
    all_of_them = [searched(each) for each in (snapshot, *others)]
    which = dict(zip(SEED_COLUMNS, about_seeds([each.seed for each in all_of_them]), strict=True))
    figure.draw(of_seeds(position, [all_of_them], measure, truth=truth), about | which)


def _searched(position: AnyPosition, agent: Agent, end: Limit) -> tuple[Searcher, Snapshot]:
    """The search at this limit or the agent's own, or at Ctrl-C, with a progress bar on a terminal."""
    searcher = agent.new_searcher(position)
    with progress_bar("loading the search…", TimeElapsedColumn(), auto_refresh=False) as (bar, task):

        def show(now: Snapshot) -> None:
            text = f"{now.iterations:,} iterations" if now.iterations else f"{now.tree_nodes:,} nodes"
            bar.update(
                task, description=text, completed=_fraction_done(now, (end, agent.limit)), total=1.0, refresh=True
            )

        def search(stop: threading.Event) -> StopReason | None:
            searcher.start(position, agent.new_seed())
            if stop.is_set():
                raise KeyboardInterrupt  # there is nothing to be printed yet
            bar.reset(task)  # loading and compiling are not part of the search's time
            return drive(searcher, end, stop, on_snapshot=None if bar.disable else show)

        ended = interruptibly(search)
    snapshot = searcher.snapshot()
    return searcher, snapshot.ended(StopReason.STOPPED if ended is None else ended)


def about_search(snapshot: Snapshot, agent: Agent) -> dict[str, object]:
    """What was searched and by whom, with all options, the seed (None for an agent that makes no use of it), and how
    much was searched.

    ``nodes`` is None where a search samples and keeps no tree.
    """
    seed = snapshot.seed if agent.draws else None
    spent = {"iterations": snapshot.iterations, "nodes": snapshot.nodes}
    return {"position": snapshot.position.text, **agent.about(snapshot.position.game), "seed": seed, **spent}


def snapshot_json(snapshot: Snapshot, agent: Agent) -> dict[str, object]:
    """The snapshot as ``--json`` prints it.

    ``nodes`` is null where a search samples and keeps no tree. Each move has ``visits`` or ``nodes``, if the search
    counts them. ``proven`` is null unless this search has proven the value of the position, or of the move;
    ``distance`` is then in plies, null where it is not known.
    """
    return {
        **about_search(snapshot, agent),
        "best_move": _move_text(snapshot.best_move),
        "elapsed_s": snapshot.elapsed_s,
        "stopped": None if snapshot.stopped is None else snapshot.stopped.name.lower(),
        "proven": None if snapshot.proven is None else snapshot.proven.value,
        "distance": snapshot.distance,
        "comment": snapshot.comment,
        "moves": [
            {
                "move": stats.move.text,
                **({snapshot.counted: stats.visits} if snapshot.counted else {}),
                "mean_value": stats.mean_value,
                "proven": None if stats.proven is None else stats.proven.value,
                "distance": stats.distance,
                **(
                    {"principal_variation": [each.text for each in line]} if (line := stats.principal_variation) else {}
                ),
            }
            for stats in snapshot.moves
        ],
    }


def _fraction_done(snapshot: Snapshot, limits: Sequence[Limit]) -> float:
    spent = [0.0]
    for limit in limits:
        spent += [snapshot.iterations / limit.iterations] if limit.iterations else []
        spent += [snapshot.tree_nodes / limit.nodes] if limit.nodes else []
        spent += [snapshot.elapsed_s / limit.time_s] if limit.time_s else []
    return min(1.0, max(spent))


def _print_snapshot(snapshot: Snapshot, seed: int | None) -> None:
    out = console()
    out.print(f"{snapshot.position.text}: {describe_turn(snapshot.position)}")
    if snapshot.counted or any(stats.proven for stats in snapshot.moves):
        _print_moves(snapshot, out)
    elif line := next((stats.principal_variation for stats in snapshot.moves if stats.principal_variation), ()):
        out.print(f"line: {' '.join(move.text for move in line)}")
    if snapshot.comment:
        out.print(snapshot.comment)
    reason = snapshot.stopped.value if snapshot.stopped is not None else "–"
    if snapshot.stopped is StopReason.NO_SEARCH:
        out.print(reason)
    elif not snapshot.iterations:
        nodes = f"{snapshot.tree_nodes:,} nodes in {snapshot.elapsed_s:.3g} s · " if snapshot.tree_nodes else ""
        out.print(f"{nodes}stopped: {reason}")
    else:
        full = " (no room for more)" if snapshot.tree_full else ""
        node = "tree node" if snapshot.tree_nodes == 1 else "tree nodes"
        grown = f"{snapshot.tree_nodes:,} {node}{full} · " if snapshot.has_nodes else ""
        out.print(
            f"{snapshot.iterations:,} {'iteration' if snapshot.iterations == 1 else 'iterations'} "
            f"in {snapshot.elapsed_s:.3g} s · "
            f"{snapshot.simulations_per_s:,.0f} simulations/s · {grown}stopped: {reason}"
        )
    best = _move_text(snapshot.best_move) or "none yet"
    out.print(f"best move: {best} · agent: {snapshot.agent}{'' if seed is None else f' · seed: {seed}'}")


def _print_moves(snapshot: Snapshot, out: Console) -> None:
    side, counted = snapshot.position.game.side_name(snapshot.position.turn), snapshot.counted
    ranked = sorted(snapshot.moves, key=lambda stats: (stats.move != snapshot.best_move, -stats.visits))
    columns: list[tuple[str, Callable[[MoveStats], str]]] = []
    if counted:
        columns += [(counted.capitalize(), lambda s: f"{s.visits:,}"), ("Share", lambda s: f"{snapshot.share(s):.1%}")]
    if counted == "visits":
        columns.append((f"Mean value for {side}", lambda s: "–" if s.mean_value is None else f"{s.mean_value:.4f}"))
    rows = table("Move")
    for title, _ in columns:
        rows.add_column(title, justify="right")
    if any(stats.proven for stats in ranked):
        rows.add_column("Proven")
        columns.append(("Proven", lambda s: value_words(s.proven, s.distance) if s.proven else ""))
    if any(stats.principal_variation for stats in ranked):
        rows.add_column("Principal variation", no_wrap=True)
        columns.append(("Line", lambda s: " ".join(move.text for move in s.principal_variation)))
    for stats in ranked[:_MOST_ROWS]:
        rows.add_row(stats.move.text, *(text(stats) for _, text in columns))
    out.print(rows)
    if rest := ranked[_MOST_ROWS:]:
        how_many = f" with {sum(stats.visits for stats in rest):,} {counted}" if counted else ""
        out.print(f"and {len(rest)} more moves{how_many} (--json has them)")


def _move_text(move: Move | None) -> str | None:
    return None if move is None else move.text


def _write_trace(snapshot: Snapshot, path: Path, about: dict[str, object], made: Provenance) -> None:
    from nimdesk.search.timeline import search_csv  # lazy: it loads numpy, which most commands do without

    if not (text := search_csv(snapshot)):
        raise OptionError(f"The agent {snapshot.agent} keeps no trace of its search that could go to “{path}”.")
    write_only_table(path, "trace", text, about, [made])


def save_search(snapshot: Snapshot, agent: Agent, path: Path) -> None:
    """Write the search as a bundle of the laboratory."""
    from nimdesk.play.bundle import Bundle, SavedRun, save_bundle  # lazy: no other command here wants bundles

    save_bundle(Bundle(snapshot.position, (SavedRun(agent, snapshot.seed, snapshot),)), path)
    say(str(path))


def solve(
    position: AnyPosition,
    time_s: float,
    *,
    as_json: bool,
    certificate: Path | None = None,
    guide: Path | None = None,
    csv: Path | None = None,
    figure: Wanted | None = None,
    keep_s: float = 60.0,
) -> None:
    """Work for at most ``time_s`` and print what is proven; ``NotationError`` if the game is over.

    Every ``keep_s`` seconds the work is kept, and the next call goes on from there. Then write the ``certificate``,
    without a limit on the time, along the ``guide`` if there is one; ``GameParameterError`` if it cannot be written.
    """
    if position.outcome is not None:
        raise NotationError(f"There is nothing to solve in {position.text}: {describe_outcome(position)}.")
    if certificate is not None:
        check_folder(certificate, "The certificate")
        if kit_of(position).new_certificate is None:
            raise GameParameterError(f"There are no certificates for {position.game.text}; only for m,n,k games.")
    check_csv(csv, "The CSV")
    followed = None if guide is None else certificate_bytes(guide)
    truth = _solved(position, time_s, keep_s)
    about: dict[str, object] = {"position": position.text, "value": truth.value.value, "distance": truth.distance}
    if csv is not None:
        rows = ((each.move.text, each.value.value, each.distance) for each in truth.moves)
        write_only_table(csv, "moves", csv_text(("move", "value", "distance"), rows), about, [made_here()])
    finding = truth_sentence(truth)
    if not as_json:
        _print_truth(truth)
    told = truth_json(truth)
    try:
        if certificate is not None:
            winner, proves = _write_certificate(position, certificate, followed)
            if truth.value is Value.UNKNOWN:
                finding = f"The certificate proves that {proves}."
                proven = Value.DRAW if winner is None else Value.WIN if winner == position.turn else Value.LOSS
                told["value"] = proven.value
                if not as_json:
                    print(finding)
    finally:
        if as_json:
            print_json(told, [made_here(wall_s=round(truth.elapsed_s, 6))], finding)
    if figure is not None:
        from nimdesk.figures.solved import of_truth  # lazy: few draw figures

        figure.draw(of_truth(truth), about)


def _write_certificate(position: AnyPosition, path: Path, guide: bytes | None) -> tuple[int | None, str]:
    """Write it; the winner that it proves, and the same as a clause."""
    from nimdesk.games.mnk.verify import read, worth  # lazy: few want certificates

    make = kit_of(position).new_certificate
    assert make is not None
    if guide is not None:
        make = partial(make, guide=guide)
    with progress_bar("writing the certificate", TimeElapsedColumn()):
        data = interruptibly(partial(make, position))
    write_bytes(path, data, "The certificate")
    winner: int | None = read(data)["winner"]
    proves = f"{position.text} is {worth(winner)}"
    say(f"{path}: proves that {proves}.")
    return winner, proves


def _solved(position: AnyPosition, time_s: float, keep_s: float) -> Truth:
    """What can be proven within the time, or until Ctrl-C, by a solver whose work is kept."""
    from nimdesk.experiments.solved import KEEPING, KeptWork  # lazy: no other command here wants it

    part = data_dir() / "solve" / f"{file_name(position.text)}.part"
    check_unnamed(part)
    with progress_bar("loading the solver…", TimeElapsedColumn(), auto_refresh=False) as (bar, task):

        def tell(words: str) -> None:
            bar.update(task, description=words, refresh=True)
            if bar.disable:
                say(words)

        def solve(stop: threading.Event) -> tuple[KeptWork, bool]:
            work, done = KeptWork(position, part, keep_s, tell), False
            limit_s = work.truth.elapsed_s + time_s
            bar.reset(task, description="solving", total=1.0)  # as in a search
            while not (done or stop.is_set() or work.truth.elapsed_s >= limit_s):
                done = work.advance(limit_s)
                bar.update(task, completed=work.progress, refresh=True)
            return work, done

        kept_words = f"The work is kept in “{part}”; the same command goes on from there."
        try:
            work, done = interruptibly(solve)
        except UnfinishedError:
            with KEEPING:  # wait until the work that is being kept now is whole
                if part.is_file():
                    say(kept_words)
            raise
        kept = work.end(done)
    if kept:
        say(kept_words)
    return work.truth


def prove(position: AnyPosition, time_s: float) -> Truth:
    """What can be proven within the time, or until Ctrl-C, with a progress bar on a terminal."""
    solver = solver_for(position)
    with progress_bar("loading the solver…", TimeElapsedColumn(), auto_refresh=False) as (bar, task):

        def solve(stop: threading.Event) -> None:
            solver.start(position)
            bar.reset(task)
            for part in Limit(time_s=time_s).slices(stop):
                if solver.advance(part):
                    break
                bar.update(task, description="solving", completed=solver.progress, total=1.0, refresh=True)

        interruptibly(solve)
    return solver.truth()


def truth_json(truth: Truth) -> dict[str, object]:
    """The truth as ``--json`` prints it: its value is for the side to move, a move's for the side that plays it."""
    return {
        "position": truth.position.text,
        "value": truth.value.value,
        "distance": truth.distance,
        "nodes": truth.nodes,
        "elapsed_s": truth.elapsed_s,
        "moves": [
            {"move": each.move.text, "value": each.value.value, "distance": each.distance} for each in truth.moves
        ],
        "threats": None if truth.threats is None else _threats_json(truth.threats),
    }


def _threats_json(threats: Threats) -> dict[str, object]:
    """What is found of wins by threats; the threats of a line come with all their answers."""

    def won(win: ForcedWin | None) -> dict[str, object] | None:
        if win is None:
            return None
        steps = win.steps()
        own = [threat for threat, move in steps if move == threat.move]
        return {
            "by": threats_words(win),
            "plies": win.plies,
            "line": [move.text for _, move in steps],
            "threats": [
                {"move": each.move.text, "answers": [answer.text for answer, _ in each.answers]} for each in own
            ],
        }

    parries = None if threats.danger is None else [move.text for move in threats.parries]
    return {"win": won(threats.win), "danger": won(threats.danger), "parries": parries}


def _print_truth(truth: Truth) -> None:
    out = console()
    out.print(f"{truth.position.text}: {describe_turn(truth.position)}")
    out.print(truth_sentence(truth))
    rows = table("Move", "Value", "Plies to the end")
    known: dict[tuple[Value, int | None], list[str]] = {}
    for each in truth.moves:
        known.setdefault((each.value, each.distance), []).append(each.move.text)
    for (value, distance), moves in sorted(known.items(), key=lambda item: -item[0][0].rank):
        for text in moves if len(moves) <= _MOST_ALIKE else [f"{len(moves)} moves"]:
            rows.add_row(text, value.value, "–" if distance is None else str(distance))
    out.print(rows)
    if truth.explanation:
        out.print(truth.explanation)
    if truth.forced is not None:
        for step in range(1, len(truth.forced.line()) + 1):
            out.print(step_sentence(truth.position, truth.forced, step))
    words = value_words(truth.value, truth.distance)
    out.print(f"value: {words} · positions searched: {truth.nodes:,} · {truth.elapsed_s:.3g} s")


DIFFERS = 1


def replay(path: Path, csv: Path | None, *, as_json: bool, figure: Wanted | None) -> int:
    """Repeat each search and print a line for it, or all as JSON; write the CSV and draw the figure if asked to.

    Returns ``DIFFERS`` if a search now gives other numbers, otherwise 0. ``BundleError`` for a file that is not a
    bundle, ``OptionError`` if the CSV cannot be written.
    """
    # Lazy: no other command wants bundles.
    from nimdesk.play.bundle import as_run, difference, load_bundle, repeat, runs_csv

    bundle = load_bundle(path)
    check_csv(csv, "The CSV")
    told, tell = list[dict[str, object]](), print if not as_json else _tell_nobody
    tell(f"{bundle.position.text}, saved by nimdesk {bundle.program}")
    again, differs = [], False

    def repeat_all(stop: threading.Event) -> None:
        nonlocal differs
        for name, run in bundle.lettered:
            repeated = repeat(run, stop)
            if stop.is_set():
                raise KeyboardInterrupt
            snapshot = repeated.snapshot
            verdict, same = _verdict(run, difference(run.snapshot, snapshot), bundle.why_unlike)
            differs |= not same
            spent = (
                f"{snapshot.iterations:,} iterations"
                if snapshot.trace is not None
                else f"{snapshot.tree_nodes:,} nodes"
            )
            seed = f", seed {run.seed}" if run.agent.draws else ""
            tell(f"{name} {run.agent.name}{seed}, {spent}: {verdict}")
            told.append({"run": name, **about_search(snapshot, run.agent), "same": same, "verdict": verdict})
            again.append((name, repeated))

    interruptibly(repeat_all)
    if csv is not None:
        about = {"bundle": path.name, "position": bundle.position.text}
        agents = [{"run": name, **as_run(run.agent, run.snapshot)} for name, run in again]
        write_only_table(csv, "replay", runs_csv(again), {**about, "agents": agents}, [made_here()])
    if as_json:
        found = "A search now gives other numbers." if differs else "No search gives other numbers than it may."
        print_json({"position": bundle.position.text, "program": bundle.program, "runs": told}, [made_here()], found)
    if figure is not None:
        _draw_again(bundle.position, again, figure)
    return DIFFERS if differs else 0


def _tell_nobody(_words: str) -> None:
    """Print nothing: the JSON has it all."""


def _draw_again(position: AnyPosition, again: list[tuple[str, SavedRun]], figure: Wanted) -> None:
    from nimdesk.figures.content import of_searches, searches_in, usual_measure  # lazy: few draw figures

    searched = searches_in(again)
    measure = figure.measure or usual_measure(searched[0].agent)
    truth = prove(position, _PROOF_S) if MEASURES[measure].needs_truth else None
    figure.draw(of_searches(position, searched, measure, truth=truth), {"position": position.text})


def _verdict(run: SavedRun, problem: str, why_unlike: str) -> tuple[str, bool]:
    """What to print, and whether the result is as expected."""
    if not problem:
        return "the same numbers", True
    if run.why_not_repeatable:
        return f"other numbers, which may happen: {run.why_not_repeatable}", True
    return f"OTHER NUMBERS: {problem}{f' ({why_unlike})' if why_unlike else ''}", False
