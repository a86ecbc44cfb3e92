"""One simulation at a time: what a search decided on the way down, how its playout went, and which numbers changed.

A search is determined by its seed, so that the state after any number of simulations is reached by doing them again,
millions a second; nothing needs to be kept, and going back is exact. Two repetitions stand one simulation apart: what
the one knows is *before*, what the other knows *after*.
"""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Protocol, cast

from nimdesk.games import AnyPosition, Move, kernel_of
from nimdesk.kernels import graph, mcts_state, uct
from nimdesk.limit import Limit
from nimdesk.search.mcts import MctsSearcher
from nimdesk.search.playout import Playout, replayed, stepped
from nimdesk.search.simulation import Change, Decision, Ending, Simulation
from nimdesk.search.tree_types import Branch, Family, Line, TreeView
from nimdesk.search.tree_view import MctsTree, UctTree
from nimdesk.search.types import Searcher
from nimdesk.search.uct import UctSearcher

_CHUNK = 2_000
_KEPT = 200


class Probe(Protocol):
    """What stepping needs to know of one kind of search."""

    @property
    def view(self) -> TreeView:
        """Its tree."""

    @property
    def iterations(self) -> int:
        """Simulations done."""

    def forget_depth(self) -> None:
        """Make ready to be asked how deep the next simulation went."""

    def line(self) -> Line:
        """The moves of the last simulation in the tree, after ``forget_depth``."""

    def result(self, before: Probe) -> tuple[Ending, float]:
        """How the last simulation ended, and its score for the side to move at the root; ``before`` is without it."""

    def playout(self, before: Probe) -> Playout | None:
        """The last simulation's playout, if it can be told."""


class UctProbe:
    """``Probe`` of plain UCT."""

    def __init__(self, searcher: UctSearcher) -> None:
        """Of a search that has started."""
        self._searcher = searcher
        self.view = UctTree(searcher)

    @property
    def iterations(self) -> int:
        """Simulations done."""
        return self._searcher.iterations

    def forget_depth(self) -> None:
        """Make ready to be asked how deep the next simulation went."""
        self._searcher.search_state.counts[uct.DEPTH] = 0

    def line(self) -> Line:
        """The moves of the last simulation in the tree, after ``forget_depth``."""
        state, nodes = self._searcher.search_state, self._searcher.search_tree.nodes
        decode = kernel_of(self.view.position).decode_table(self.view.position.game)
        added = int(state.counts[uct.ADDED])
        new = (decode[added],) if added != uct.NO_MOVE else ()
        path = state.path.levels["node"][1 : int(state.counts[uct.DEPTH]) + 1 - len(new)]
        return *(decode[code] for code in nodes["move"][path].tolist()), *new

    def result(self, before: Probe) -> tuple[Ending, float]:
        """How the last simulation ended, and its score for the side to move at the root; ``before`` is without it."""
        earlier = cast(UctProbe, before)._searcher.search_tree.nodes["score"][0]
        # The root's score is that of the side that moved into it.
        half_points = 2 - (int(self._searcher.search_tree.nodes["score"][0]) - int(earlier))
        over = _after(self.view.position, self.line()).outcome is not None
        return (Ending.GAME_OVER if over else Ending.PLAYOUT), half_points / 2

    def playout(self, before: Probe) -> Playout | None:
        """The last simulation's playout, if it can be told."""
        if self._searcher.options.playouts != "uniform":
            return None
        earlier = cast(UctProbe, before)._searcher
        line = self.line()
        # Choosing the move to expand has taken one number, if there was one to expand.
        new = before.view.family(line) is None
        begin = stepped(int(earlier.search_state.random[0]), int(new))
        return _checked(replayed(self.view.position, line, begin), int(self._searcher.search_state.random[0]))


class MctsProbe:
    """``Probe`` of the graph search."""

    def __init__(self, searcher: MctsSearcher) -> None:
        """Of a search that has started."""
        self._searcher = searcher
        self.view = MctsTree(searcher)

    @property
    def iterations(self) -> int:
        """Simulations done."""
        return self._searcher.iterations

    def forget_depth(self) -> None:
        """Make ready to be asked how deep the next simulation went."""
        self._searcher.search_state.counts[mcts_state.DEPTH] = 0

    def line(self) -> Line:
        """The moves of the last simulation in the tree, after ``forget_depth``."""
        decode = kernel_of(self.view.position).decode_table(self.view.position.game)
        line: Line = ()
        for edge in self._taken():
            _, edges, codes = self._searcher.walk(line)
            line = (*line, decode[int(codes[edges.tolist().index(edge)])])
        return line

    def _taken(self) -> list[int]:
        state = self._searcher.search_state
        taken: list[int] = state.taken[: int(state.counts[mcts_state.DEPTH])].tolist()
        return taken

    def _leaf(self) -> int:
        taken = self._taken()
        return int(self._searcher.search_graph[1]["child"][taken[-1]]) if taken else graph.ROOT

    def _playout_score(self, node: int) -> int:
        """Half points of the playouts that began in the node; none where there is no such node yet."""
        known = node < int(self._searcher.search_state.counts[mcts_state.NODES])
        return int(self._searcher.search_graph[0][node]["playout_score"]) if known else 0

    def result(self, before: Probe) -> tuple[Ending, float]:
        """How the last simulation ended, and its score for the side to move at the root; ``before`` is without it."""
        leaf, depth = self._leaf(), len(self._taken())
        place = self._searcher.search_graph[0][leaf]
        # A simulation plays out where it can neither go on nor is anything proven; a playout proves nothing.
        if place["low"] != place["high"]:
            half_points = self._playout_score(leaf) - cast(MctsProbe, before)._playout_score(leaf)
            ending, score = Ending.PLAYOUT, half_points / 2
        else:
            ending = Ending.PROVEN if leaf >= graph.FIRST_FREE or leaf == graph.ROOT else Ending.GAME_OVER
            score = int(place["low"]) / 2
        return ending, score if depth % 2 == 0 else 1 - score

    def playout(self, before: Probe) -> Playout | None:
        """The last simulation's playout, if it can be told."""
        earlier = cast(MctsProbe, before)._searcher
        state, nodes = self._searcher.search_state, self._searcher.search_graph[0]
        path: list[int] = state.path[: int(state.counts[mcts_state.DEPTH])].tolist()
        if any(_doubles(self._searcher, node) != _doubles(earlier, node) for node in path):
            # The move was seen to be the same as an earlier one, by symmetry; the line is told with that one.
            return None
        numbers = 0
        for node in [*path, self._leaf()]:
            known = node < int(earlier.search_state.counts[mcts_state.NODES])
            had_edges = known and int(earlier.search_graph[0][node]["first"]) != graph.NO_EDGES
            has_edges = int(nodes[node]["first"]) != graph.NO_EDGES
            # One number to make the edges (a new node that has one comes with it), one to choose among them.
            numbers += int(has_edges) + int(known and has_edges and not had_edges)
        begin = stepped(int(earlier.search_state.random[0]), numbers)
        return _checked(replayed(self.view.position, self.line(), begin), int(state.random[0]))


def _doubles(searcher: MctsSearcher, node: int) -> int:
    """How many edges of a node are the same as an earlier one."""
    if node >= int(searcher.search_state.counts[mcts_state.NODES]):
        return 0
    nodes, edges = searcher.search_graph
    place = nodes[node]
    first = int(place["first"])
    return int((edges["child"][first : first + int(place["opened"])] == graph.DOUBLE).sum())


def _checked(playout: Playout, random: int) -> Playout | None:
    """The playout, if it used the very numbers that the kernel used."""
    return playout if playout.random == random else None


def _after(position: AnyPosition, line: Line) -> AnyPosition:
    for move in line:
        position = position.play(move)
    return position


def probe_of(searcher: Searcher) -> Probe | None:
    """The probe for this kind of search; None where there is none."""
    if isinstance(searcher, UctSearcher):
        return UctProbe(searcher)
    if isinstance(searcher, MctsSearcher):
        return MctsProbe(searcher)
    return None


class Replay:
    """A search done again up to any number of simulations, a little at a time."""

    def __init__(self, new_searcher: Callable[[], Searcher], position: AnyPosition, seed: int) -> None:
        """``new_searcher`` makes a fresh one each time the replay must begin anew."""
        self._new_searcher, self._position, self._seed = new_searcher, position, seed
        self.searcher: Searcher | None = None
        self.iterations = 0
        self.ended = False
        """Whether the search came to its own end before what was asked for."""

    def go_to(self, iterations: int, deadline_s: float = math.inf) -> bool:
        """Stand after so many simulations; False if ``time.perf_counter`` came to the deadline before."""
        if self.searcher is None or self.iterations > iterations:
            self.searcher, self.iterations, self.ended = self._new_searcher(), 0, False
            self.searcher.start(self._position, self._seed)
        while self.iterations < iterations and not self.ended:
            target = min(self.iterations + _CHUNK, iterations)
            reason = self.searcher.advance(Limit(iterations=target))
            probe = probe_of(self.searcher)
            done = target if probe is None else probe.iterations
            # A search may say at once that it is at its end, or only when it is asked to go on.
            self.ended = (reason is not None and done < iterations) or done == self.iterations
            self.iterations = done
            if time.perf_counter() >= deadline_s and self.iterations < iterations and not self.ended:
                return False
        return True


class Stepper:
    """Tells the simulations of one search, each when it is asked for."""

    def __init__(self, new_searcher: Callable[[], Searcher], position: AnyPosition, seed: int) -> None:
        """``new_searcher`` must make searches that ``probe_of`` knows."""
        self._before, self._after = (Replay(new_searcher, position, seed) for _ in range(2))
        self._kept: OrderedDict[int, Simulation] = OrderedDict()
        self._seeking: int | None = None

    def simulation(self, number: int, deadline_s: float = math.inf) -> Simulation | None:
        """The simulation with this number (from 1 on); None where the time was up, or the search ends before it."""
        if number in self._kept:
            return self._kept[number]
        self._seeking = None
        if not self._before.go_to(number - 1, deadline_s) or not self._after.go_to(number - 1, deadline_s):
            return None
        before, after = self._probes()
        after.forget_depth()
        self._after.go_to(number)
        if self._after.iterations != number:
            return None
        told = _told(number, before, after)
        self._kept[number] = told
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return told

    @property
    def ended(self) -> int | None:
        """After how many simulations the search came to its own end, as far as that was seen."""
        return self._after.iterations if self._after.ended else None

    def next_change(self, number: int, last: int, deadline_s: float = math.inf) -> int | None:
        """The first simulation after this one, up to ``last``, that made another move the most visited.

        ``last`` + 1 if there is none; None where the time was up: asking again goes on.
        """
        replay = self._after
        if replay.iterations < number or replay.searcher is None or self._seeking != number:
            if not replay.go_to(number, deadline_s):
                return None
            self._seeking = number
        while replay.iterations < last:
            visits = _root_visits(replay)
            leader = _leader(visits)
            # Each simulation adds one visit, so that nobody overtakes the leader in fewer than it is ahead.
            second = max((count for move, count in visits.items() if move != leader), default=0)
            ahead = visits[leader] - second if leader is not None else 1
            begun = replay.iterations
            replay.go_to(min(begun + max(ahead, 1), last))
            if leader is not None and _leader(_root_visits(replay)) != leader:
                self._seeking = None
                return replay.iterations
            if replay.iterations == begun or replay.ended:
                break
            if time.perf_counter() >= deadline_s:
                return None
        self._seeking = None
        return last + 1

    def _probes(self) -> tuple[Probe, Probe]:
        assert self._before.searcher is not None
        assert self._after.searcher is not None
        before, after = probe_of(self._before.searcher), probe_of(self._after.searcher)
        assert before is not None
        assert after is not None
        return before, after


def _root_visits(replay: Replay) -> dict[Move, int]:
    probe = None if replay.searcher is None else probe_of(replay.searcher)
    family = None if probe is None else probe.view.family(())
    return {} if family is None else {branch.move: branch.visits for branch in family.branches}


def _leader(visits: dict[Move, int]) -> Move | None:
    """The first of the most visited moves, in the order in which they came into the tree."""
    return max(visits, key=visits.__getitem__, default=None)


def _told(number: int, before: Probe, after: Probe) -> Simulation:
    line, position = after.line(), after.view.position
    decisions: list[Decision] = []
    changes: list[Change] = []
    families: list[Family] = []
    for depth, move in enumerate(line):
        old, new = before.view.family(line[:depth]), after.view.family(line[:depth])
        assert new is not None
        if old is None:
            old = Family(line[:depth], 0, (), new.exploration)
        known, now = _branch(old, move), _branch(new, move)
        assert now is not None
        decisions.append(Decision(old, position, move, known is None))
        changes.append(Change(line[: depth + 1], known, now))
        families.append(new)
        position = position.play(move)
    ending, score = after.result(before)
    playout = after.playout(before) if ending is Ending.PLAYOUT else None
    leaders = tuple(
        None if family is None else _leader({branch.move: branch.visits for branch in family.branches})
        for family in (before.view.family(()), after.view.family(()))
    )
    return Simulation(
        number,
        after.view.position,
        tuple(decisions),
        ending,
        score,
        None if playout is None else playout.moves,
        tuple(changes),
        tuple(families),
        (leaders[0], leaders[1]),
    )


def _branch(family: Family, move: Move) -> Branch | None:
    return next((branch for branch in family.branches if branch.move == move), None)
