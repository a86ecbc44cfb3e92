"""Depth-first minimax as one resumable kernel, with or without alpha-beta pruning, compiled for each game.

The plain algorithm of document 002 (section 2.2; Knuth and Moore, 1975, give its theory): the side to move at the root
maximises, its opponent minimises, the window is full at the root, and a node is left as soon as its value is at least
beta (where the maximiser moves) or at most alpha (where the minimiser does). There is no table of positions. Instead of
recursion there is a stack, one entry a ply, so that a slice can stop between any two nodes and the next one go on.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nimdesk.kernels import rules
from nimdesk.kernels.jit import kernel, part
from nimdesk.kernels.rules import ONGOING

# Values are for the side to move at the root: 1 a win, 0 a draw, -1 a loss; INFINITE is beyond all of them.
INFINITE = 2
# In the log: the value has not come up yet.
NOT_YET = 127
# Slots of ``Search.counts``.
NODES, PLY, DONE, LIMITED, ROOT_DONE, NODES_BEFORE, LIMITED_BEFORE, BEST = 0, 1, 2, 3, 4, 5, 6, 7
# What a root value is: a bound from above, exact on leaves some of which were cut at the depth limit, or proven.
BOUND, ESTIMATE, PROVEN = 1, 2, 3
LINE_LENGTH = 12


# One entry of the stack: the node now open at that ply.
FRAME = np.dtype(
    [
        ("value", np.int8),  # best value so far
        ("alpha", np.int8),
        ("beta", np.int8),
        ("best", np.int16),  # the first move with that value
        ("made", np.int16),  # the move now being searched
        ("size", np.int16),  # number of moves (ordered search only)
        ("at", np.int16),  # how many of them are done; in an unordered search the code of the last one done
        ("distance", np.int16),  # plies to the end (without pruning only)
        ("number", np.int64),  # place of the node in the order of search, the root 0
    ]
)
# The result of one root move.
RESULT = np.dtype(
    [
        ("move", np.int16),
        ("value", np.int8),
        ("kind", np.int8),  # BOUND, ESTIMATE or PROVEN
        ("distance", np.int16),
        ("nodes", np.int64),  # searched from that move on
    ]
)
# One of the first nodes: what a listing shows of it.
ENTRY = np.dtype([("ply", np.int16), ("move", np.int16), ("best", np.int16), ("value", np.int16)])


class Search(NamedTuple):
    """One search; P is the depth of the stack in plies, M the most legal moves of a position, G the length of the log.

    ``depth``: a position so many plies below the root is not searched and counts as a draw; ``ordered``: moves by most
    occupied neighbours first, equals by code, else all by code; ``prune``: alpha-beta, else the full tree. ``counts``
    (int64) has the named slots above; ``levels`` (int64, P + 2) counts nodes by ply. ``stack`` (FRAME, P + 2) and
    ``lines`` (int16, P + 2 x LINE_LENGTH), the best line from each ply on, ended by -1; ``moves`` (int16, P + 2 x M)
    the ordered moves, and ``scratch`` (int16, 2 x M) and ``begins`` (int16, 10) to order them. ``results`` (RESULT, M)
    and ``result_lines`` (int16, M x LINE_LENGTH) in the order in which root moves are searched, the first
    ``counts[ROOT_DONE]`` valid;
    ``log`` (ENTRY, G) of the first G nodes, whose best move is -1 for a leaf.
    """

    depth: int
    ordered: bool
    prune: bool
    counts: NDArray[np.int64]
    levels: NDArray[np.int64]
    stack: NDArray[Any]
    lines: NDArray[np.int16]
    moves: NDArray[np.int16]
    scratch: NDArray[np.int16]
    begins: NDArray[np.int16]
    results: NDArray[Any]
    result_lines: NDArray[np.int16]
    log: NDArray[Any]


def make_search(plies: int, moves: int, *, depth: int, ordered: bool, prune: bool, log: int) -> Search:
    """A search before ``begin``; ``plies`` bounds the longest game, ``moves`` the legal moves of a position."""
    height = min(plies, depth) + 2
    return Search(
        depth=depth,
        ordered=ordered,
        prune=prune,
        counts=np.zeros(8, np.int64),
        levels=np.zeros(height, np.int64),
        stack=np.zeros(height, FRAME),
        lines=np.full((height, LINE_LENGTH), -1, np.int16),
        moves=np.zeros((height if ordered else 0, moves), np.int16),
        scratch=np.zeros((2, moves), np.int16),
        begins=np.zeros(10, np.int16),
        results=np.zeros(moves, RESULT),
        result_lines=np.full((moves, LINE_LENGTH), -1, np.int16),
        log=np.full(log, np.array((0, -1, -1, NOT_YET), ENTRY)),
    )


def begin(r: Any, s: Search) -> None:
    """Put the root, at which fresh rules stand, on the stack; it is the first node counted."""
    s.counts[NODES] = s.levels[0] = 1
    open_node(r, s, 0, 0)


@part
def _sort_moves(r: Any, s: Search, ply: int) -> None:
    """The legal moves into ``moves[ply]``: most occupied neighbours (0 to 8) first, equals by code."""
    count = 0
    # Where the moves with so many occupied neighbours begin, most first.
    begin = s.begins
    for i in range(10):
        begin[i] = 0
    move = rules.next_move(r, -1)
    while move >= 0:
        place = 8 - rules.neighbours(r, move)
        s.scratch[0, count], s.scratch[1, count] = move, place
        begin[place + 1] += 1
        count += 1
        move = rules.next_move(r, move)
    for i in range(1, 10):
        begin[i] += begin[i - 1]
    for i in range(count):
        place = s.scratch[1, i]
        s.moves[ply, begin[place]] = s.scratch[0, i]
        begin[place] += 1
    s.stack[ply].size = count


@kernel
def open_node(r: Any, s: Search, ply: int, number: int) -> None:
    """Begin with the node at ``ply``, which is the working position; ``number`` is its place in the order of search."""
    s.stack[ply].value = INFINITE if ply % 2 else -INFINITE
    if ply == 0:
        s.stack[ply].alpha, s.stack[ply].beta = -INFINITE, INFINITE
    else:
        s.stack[ply].alpha, s.stack[ply].beta = s.stack[ply - 1].alpha, s.stack[ply - 1].beta
    s.stack[ply].best = -1
    s.stack[ply].number = number
    s.stack[ply].at = -1
    if s.ordered:
        s.stack[ply].at = 0
        _sort_moves(r, s, ply)


@part
def _next(r: Any, s: Search, ply: int) -> int:
    """The next move of the node, or -1; it stays the next one until ``at`` moves on."""
    if s.ordered:
        return int(s.moves[ply, s.stack[ply].at]) if s.stack[ply].at < s.stack[ply].size else -1
    return int(rules.next_move(r, s.stack[ply].at))


@part
def _copy_line(lines: Any, ply: int, target: Any, at: int, move: int) -> None:
    """The move and the line below it into row ``at`` of ``target``."""
    target[at, 0] = move
    for i in range(1, LINE_LENGTH):
        target[at, i] = lines[ply + 1, i - 1]
        if target[at, i] < 0:
            break


@part
def _finish_root_move(s: Search, value: int, nodes: int) -> None:
    """Keep the result of a root move, and how far it can be trusted, before the root itself takes notice of it.

    A value above alpha is exact; any other is a bound from above, and a loss even so, since nothing is below. Wins and
    losses stand whatever was cut at the depth limit: a draw takes part in no proof of them.
    """
    i = s.counts[ROOT_DONE]
    exact = not s.prune or value > s.stack[0].alpha or value < 0
    limited = s.counts[LIMITED] > s.counts[LIMITED_BEFORE]
    s.results[i].move, s.results[i].value = s.stack[0].made, value
    s.results[i].kind = (ESTIMATE if limited and value == 0 else PROVEN) if exact else BOUND
    s.results[i].nodes = nodes - s.counts[NODES_BEFORE]
    s.results[i].distance = s.stack[1].distance + 1
    _copy_line(s.lines, 0, s.result_lines, i, s.stack[0].made)
    if value > s.stack[0].value:
        s.counts[BEST] = i
    s.counts[ROOT_DONE] = i + 1


@part
def _fold(s: Search, ply: int, value: int) -> bool:
    """Bring the value of the child just searched into the node at ``ply``; whether the node can be left at once."""
    maximise = ply % 2 == 0
    before = s.stack[ply].value
    far = s.stack[ply + 1].distance + 1
    if value > before if maximise else value < before:
        s.stack[ply].value, s.stack[ply].best, s.stack[ply].distance = value, s.stack[ply].made, far
        if ply < LINE_LENGTH:
            _copy_line(s.lines, ply, s.lines, ply, s.stack[ply].made)
    elif value == before and not s.prune:
        # The side that wins hurries; one that loses, or can only draw, holds out.
        hurry = value > 0 if maximise else value < 0
        if far < s.stack[ply].distance if hurry else far > s.stack[ply].distance:
            s.stack[ply].distance = far
    if not s.prune:
        return False
    if maximise:
        s.stack[ply].alpha = max(s.stack[ply].alpha, s.stack[ply].value)
        return bool(s.stack[ply].value >= s.stack[ply].beta)
    s.stack[ply].beta = min(s.stack[ply].beta, s.stack[ply].value)
    return bool(s.stack[ply].value <= s.stack[ply].alpha)


@part
def _log_result(s: Search, ply: int) -> None:
    """The node at ``ply`` is done: note what came up to it."""
    number = s.stack[ply].number
    if number < s.log.size:
        s.log[number].value, s.log[number].best = s.stack[ply].value, s.stack[ply].best


@kernel
def run(r: Any, s: Search, count: int) -> None:
    """Search ``count`` more nodes, or to the end, when ``counts[DONE]`` is set and ``value[0]`` the root's value.

    ``r`` is the working position between calls as well: nobody else may move it.
    """
    ply, nodes = s.counts[PLY], s.counts[NODES]
    last = nodes + count
    while s.counts[DONE] == 0:
        move = _next(r, s, ply)
        if move >= 0:
            if nodes >= last:
                break
            if ply == 0:
                s.counts[NODES_BEFORE], s.counts[LIMITED_BEFORE] = nodes, s.counts[LIMITED]
            s.stack[ply].at = s.stack[ply].at + 1 if s.ordered else move
            s.stack[ply].made = move
            result = rules.play(r, move)
            s.levels[ply + 1] += 1
            if nodes < s.log.size:
                s.log[nodes].ply, s.log[nodes].move = ply + 1, move
            nodes += 1
            if result == ONGOING and ply + 1 < s.depth:
                open_node(r, s, ply + 1, nodes - 1)
                ply += 1
                continue
            value = 0
            if result == ONGOING:
                s.counts[LIMITED] += 1
            else:
                # Half points of the side that moved; the maximiser moves at even plies.
                value = 1 - result if ply % 2 else result - 1
            s.stack[ply + 1].distance = 0
            s.lines[ply + 1, 0] = -1
            if nodes <= s.log.size:
                s.log[nodes - 1].value = value
        else:
            value = s.stack[ply].value
            _log_result(s, ply)
            if ply == 0:
                s.counts[DONE] = 1
                break
            ply -= 1
        rules.undo(r, s.stack[ply].made)
        if ply == 0:
            _finish_root_move(s, value, nodes)
        while _fold(s, ply, value):
            # The root's window is full, so that it is never left early.
            value = s.stack[ply].value
            _log_result(s, ply)
            ply -= 1
            rules.undo(r, s.stack[ply].made)
            if ply == 0:
                _finish_root_move(s, value, nodes)
    s.counts[PLY], s.counts[NODES] = ply, nodes
