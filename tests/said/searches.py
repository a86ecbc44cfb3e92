"""What searches say and play: values, distances, lines, choices, reasons and sentences of their snapshots."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from contextlib import suppress
from math import log, sqrt

from judge import Judge
from oracle import DRAW, LOSS, WIN, Known, known
from positions import random_agents
from sentences import About, found, judge_text, same_worth

from nimdesk.agents import LEVELS, Agent
from nimdesk.api.answers import Search
from nimdesk.cli.analyse import snapshot_json
from nimdesk.errors import GameParameterError, OptionError
from nimdesk.games import AnyPosition, Move, kit_of, parse_position
from nimdesk.games.truth import Value
from nimdesk.limit import Limit
from nimdesk.search import Searcher, Snapshot, StopReason, drive
from nimdesk.search.tree_types import TreeView

SEES_WINS = {level.name: level for level in LEVELS}
EXACT = ("perfect", "solver", "level6")
MOST_NODES = 6_000
"""A search without compiled rules makes some thousand nodes a second."""


def moments(searcher: Searcher, position: AnyPosition, seed: int, chance: random.Random) -> Iterator[Snapshot]:
    """The search at some moments of its way, and at its end."""
    searcher.start(position, seed)
    for spent in sorted(int(10 ** chance.uniform(0, 3)) for _ in range(2)):
        reason = searcher.advance(Limit(iterations=spent, nodes=10 * spent))
        if reason is not None:
            break
        yield searcher.snapshot()
    reason = drive(searcher, Limit(nodes=MOST_NODES))
    assert reason is not None
    yield searcher.snapshot().ended(reason)


def judge_agents(text: str, chance: random.Random, judge: Judge) -> None:
    """Let every agent search this position, and compare what it says and plays."""
    position, at = parse_position(text), known(text)
    for agent in random_agents(chance, position, kernel=kit_of(position).load_kernel is not None):
        searcher, snapshots = agent.new_searcher(position), []
        with suppress(OptionError, GameParameterError):  # it may refuse, as of a tree that is too large
            snapshots = list(moments(searcher, position, agent.new_seed(), chance))
        for snapshot in snapshots:
            judge.where = f"{agent.name} {agent.changed_options}, {snapshot.iterations or snapshot.tree_nodes} done"
            judge_snapshot(judge, at, agent, snapshot)
        if snapshots:
            judge_choice(judge, at, agent, snapshots[-1])
            judge_tree(judge, at, agent, searcher, chance)


def judge_snapshot(judge: Judge, at: Known, agent: Agent, snapshot: Snapshot) -> None:
    """What a snapshot says, by the JSON that is printed of it."""
    told = json.loads(json.dumps(snapshot_json(snapshot, agent)))
    judge.check("search: legal moves", {each["move"] for each in told["moves"]} == set(at.moves), "", at)
    judge.value("search: position", at, told["proven"], told["distance"])
    for each in told["moves"]:
        judge.value("search: move", at, each["proven"], each["distance"], of=each["move"])
        line = each.get("principal_variation", [])
        if line:
            judge.check("search: line begins with its move", line[0] == each["move"], line, at)
            judge.line("search: line of a proven move" if each["proven"] else "search: line", at, line,
                       free=1 if each["proven"] else len(line))  # fmt: skip
    judge_reason(judge, at, snapshot)
    judge_listing(judge, at, agent, snapshot)
    chosen = "" if told["best_move"] is None else told["best_move"]
    complete = all(each.proven is not None for each in snapshot.moves)
    if agent.name != "certificate":  # its reasons are what the proof plays, and not what that is worth
        judge_text(judge, at, told["comment"], About(chosen, complete))
    if snapshot.resistance is not None:
        longest = {move.text for move in snapshot.resistance.longest}
        right = longest <= at.quickest if snapshot.resistance.exact else at.worth.value == LOSS
        judge.check("search: holds out longest", right, longest, at)
    trace = snapshot.trace
    if trace is not None and len(trace) and snapshot.best_move is not None:
        chosen = trace.moves[int(trace.choice[-1])]
        judge.check("search: choice of the trace", chosen == snapshot.best_move, chosen, at)


def judge_listing(judge: Judge, at: Known, agent: Agent, snapshot: Snapshot) -> None:
    """What a search explains line by line, and what the library says of it."""
    for step in snapshot.steps:
        if step.value in (Value.WIN, Value.LOSS):
            judge.value("listing: depth", at, step.value.value, step.depth)
        judge.played("listing: best of a depth", at, step.best_move.text, at.moves)
    for line in snapshot.listing:
        if found_at := re.fullmatch(r" +(\d+)  (\S+) +[\d,]+ +[\d.]+  (.+)", line):
            judge.check("listing: depth said", found(found_at[3], at, so_far=False), line, at)
        elif child := re.fullmatch(r"  (\S+): ([+-]1|0), (?:A wins|a draw|B wins) at level (\d+)", line):
            sign = 1 if len(at.text.split()) % 2 else -1
            value = {sign: WIN, 0: DRAW, -sign: LOSS}[int(child[2])]
            judge.value("listing: child", at, value, int(child[3]) - 1, of=child[1])
        elif row := re.fullmatch(r" *([1-9][\d-]*)  (win|loss) +(.+)", line):
            judge_table_row(judge, at, *row.groups())
    about = repr(Search(agent, snapshot))
    if told := re.search(r"\(proven: (.+)\)>$", about):
        judge.check("library: proven", same_worth(told[1], at.worth), about, at)


def judge_table_row(judge: Judge, at: Known, piles: str, value: str, takes: str) -> None:
    """A row of the value table, such as 1-3 win "2 from 3", or "2" where there is one pile."""
    rest = at.text.partition(" ")[0].partition(":")[2].partition(":")[2]
    sizes = [size for size in piles.split("-") if size != "0"]
    there = known(f"nim:{','.join(sizes)}{f':{rest}' * bool(rest)}")
    judge.value("listing: table", there, value, None)
    best = {(take, sizes[int(pile) - 1]) for pile, take in (move.split("-") for move in there.best)}
    told = set() if takes == "none: every move loses" else {
        (take, size or sizes[0]) for take, _, size in (each.partition(" from ") for each in takes.split(" or "))
    }  # fmt: skip
    judge.check("listing: best takes", told == (best if value == WIN else set()), f"{piles} {takes}", there)


def judge_reason(judge: Judge, at: Known, snapshot: Snapshot) -> None:
    """Why the search stopped: what is worked out or proven is told."""
    stopped, proven = snapshot.stopped, snapshot.proven is not None
    if stopped in (StopReason.COMPLETE, StopReason.PROVEN):
        judge.check("search: stopped as proven", proven, stopped, at)
    elif stopped is StopReason.DEPTH:
        judge.check("search: stopped with nothing proven", not proven, stopped, at)


def judge_tree(judge: Judge, at: Known, agent: Agent, searcher: Searcher, chance: random.Random) -> None:
    """A way down the tree: what is proven of its branches, and the bounds by which one of them is followed.

    A bound is the mean and c √(ln N / n), on rewards from 0 to 1: where they are twice as large, c is worth half.
    """
    line: tuple[Move, ...] = ()
    options = agent.options
    while isinstance(searcher, TreeView) and (family := searcher.family(line)) is not None and len(line) < 4:
        for branch in family.branches:
            if branch.proven is not None:
                judge.value("tree: branch", at, branch.proven.value, None, of=branch.move.text)
            if branch.bound is not None and branch.mean_value is not None and branch.visits:
                c = options.exploration / (2 if getattr(options, "rewards", "one") == "two" else 1)  # type: ignore[attr-defined]
                bound = branch.mean_value + c * sqrt(log(family.visits) / branch.visits)
                right = abs(branch.bound - bound) < 1e-4
                judge.check("tree: bound", right, f"{branch.move.text} {branch.bound}, not {bound}", at)
        below = [branch.move for branch in family.branches if branch.children]
        if not below:
            return
        line = (*line, chance.choice(below))
        at = at.after(line[-1].text)


def judge_choice(judge: Judge, at: Known, agent: Agent, snapshot: Snapshot) -> None:
    """The move that is played at the end."""
    assert snapshot.best_move is not None
    move, name = snapshot.best_move.text, agent.name
    judge.played(f"play: {name}", at, move, allowed(at, agent, snapshot))


def allowed(at: Known, agent: Agent, snapshot: Snapshot) -> set[str]:
    """The moves that the player may choose by what its document or its help says."""
    name, options, listed = agent.name, agent.options, [each.move.text for each in snapshot.moves]
    first_best = next(move for move in listed if move in at.best)
    proven = snapshot.proven is not None
    has_distances = not at.text.startswith(("take", "kayles")) or ":misere" in at.text.partition(" ")[0]
    # Positions are small enough for level 6 to get an answer; the others may have no time.
    if name in EXACT and (name == "level6" or snapshot.stopped is StopReason.COMPLETE):
        if at.worth.value == WIN and getattr(options, "when_won", "quickest") == "first":
            return {first_best}
        if at.worth.value == LOSS and (lost := getattr(options, "when_lost", "longest")) != "longest":
            return {listed[0]} if lost == "first" else set(listed)
        return set(at.quickest if has_distances else at.at_once or at.best)
    if name == "minimax" and proven:
        # It takes the cells of a board row by row, also with gravity, where the list is by columns.
        return {next(move for move in (at.steps if at.text.startswith("mnk") else listed) if move in at.best)}
    if name == "value-table":
        return {first_best}
    if name == "mcts" and getattr(options, "prove", False):
        if not proven:
            return set(at.at_once or at.moves)
        longest = at.quickest if at.text.startswith("nim") and at.worth.value == LOSS else at.best
        return set(at.at_once or longest)
    if name == "deepening" and proven:
        return set(at.quickest)
    if name == "alphabeta" and proven:
        return set(at.best)
    if name == "certificate":
        return set(at.best) if "proves nothing" not in snapshot.comment else set(at.moves)
    sees = name in SEES_WINS and SEES_WINS[name].habits(snapshot.position.game).sees_wins
    return set(at.at_once) if sees and at.at_once else set(at.moves)
