"""What compiled rules and an identity say of one position, all of it, for ``plugins.kernel_check`` to compare."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nimdesk.kernels import identity, rules
from nimdesk.kernels import random as rng
from nimdesk.kernels.jit import int64, kernel, part

PLAYOUTS = 4
_ANYTHING = -0x5A5A5A5B
# The bits of an entry above the code of its move.
_OTHER_BITS = 0x5400


class RulesSay(NamedTuple):
    """``line`` leads to the position, without ending the game; all else is written, -1 where nothing is said.

    ``results`` are what ``play`` says along the line; ``legal`` is the number of legal moves. They are ``listed``,
    ``picked`` untried, and ``picked_unmarked`` where they fit; ``ends`` and ``neighbours`` belong to those listed.
    ``there`` sums up the legal moves of the root and after each move of the line; ``back`` does so again, after the
    legal moves were played and taken back, and then the line itself. ``playouts`` are results, each from its
    ``states``: of the position, and the last one of the root that taking back has led to.
    """

    line: NDArray[np.int64]
    results: NDArray[np.int64]
    legal: NDArray[np.int64]
    listed: NDArray[np.int64]
    picked: NDArray[np.int64]
    picked_unmarked: NDArray[np.int64]
    ends: NDArray[np.int64]
    neighbours: NDArray[np.int64]
    there: NDArray[np.int64]
    back: NDArray[np.int64]
    playouts: NDArray[np.int64]
    states: NDArray[np.uint64]
    tried: NDArray[np.uint16]
    marks: NDArray[np.int32]


def rules_say(line: list[int], moves: int) -> RulesSay:
    """Nothing yet, with room for so many legal moves, and one more to be told of."""
    return RulesSay(
        line=np.array(line, np.int64),
        results=_nothing(len(line)),
        legal=_nothing(1),
        listed=_nothing(moves + 1),
        picked=_nothing(moves),
        picked_unmarked=_nothing(moves),
        ends=_nothing(moves),
        neighbours=_nothing(moves),
        there=_nothing(len(line) + 1),
        back=_nothing(len(line) + 1),
        playouts=_nothing(PLAYOUTS + 1),
        states=np.zeros(PLAYOUTS + 1, np.uint64),
        tried=np.zeros(moves, np.uint16),
        marks=np.zeros(moves + 4, np.int32),
    )


def _nothing(size: int) -> NDArray[np.int64]:
    return np.full(size, -1, np.int64)


@kernel
def ask_rules(r: Any, s: RulesSay, random: np.uint64) -> None:
    """Ask held rules about the position, or without room nothing; ``random`` is a state that chance goes on from."""
    most = s.tried.size
    if most == 0:
        return
    rules.reset(r)
    for i in range(s.line.size):
        s.there[i] = _summed_up(r, most)
        s.results[i] = rules.play(r, s.line[i])
    s.there[s.line.size] = _summed_up(r, most)
    count = int64(rules.legal_count(r))
    s.legal[0] = count
    move, length = int64(-1), 0
    while length <= most:
        move = int64(rules.next_move(r, move))
        if move < 0:
            break
        s.listed[length] = move
        length += 1
    if count != length or count > most:
        return
    for i in range(count):
        if i % 4 == 0:
            s.marks[i // 2] = s.marks[i // 2 + 1] = _ANYTHING
        random = rng.step(random)
        s.picked[i] = rules.pick_untried(r, s.tried, s.marks, i, random)
        s.tried[i] = s.picked[i] | _OTHER_BITS
    if rules.moves_fit(r):
        marked = np.uint64(0)
        for i in range(count):
            random = rng.step(random)
            s.picked_unmarked[i], marked = rules.pick_unmarked(r, marked, i, random)
    for i in range(count):
        s.neighbours[i] = rules.neighbours(r, s.listed[i])
        s.ends[i] = rules.play(r, s.listed[i])
        rules.undo(r, s.listed[i])
    s.back[s.line.size] = _summed_up(r, most)
    for i in range(PLAYOUTS + 1):
        rules.reset(r)
        for j in range(s.line.size):
            rules.play(r, s.line[j])
        if i == PLAYOUTS:
            for j in range(s.line.size - 1, -1, -1):
                rules.undo(r, s.line[j])
                s.back[j] = _summed_up(r, most)
        s.states[i] = random
        random, s.playouts[i] = rules.playout(r, random)


@part
def _summed_up(r: Any, most: int) -> int:
    """A number that tells one list of legal moves from another."""
    total, move = int64(rules.legal_count(r)), int64(-1)
    for _ in range(most):
        move = int64(rules.next_move(r, move))
        if move < 0:
            break
        total = 31 * total + move
    return total


class IdentitySays(NamedTuple):
    """``line`` leads to the position, without ending the game; all else is written.

    ``keys`` are those of the root and after each move of the line; ``outlook`` is that of the position, ``seen`` what
    is assessed and the move of it (-1 without one), ``found`` how many candidates there are: their ``moves``, and the
    keys ``afters`` behind them.
    """

    line: NDArray[np.int64]
    keys: NDArray[np.uint64]
    outlook: NDArray[np.int64]
    seen: NDArray[np.int64]
    found: NDArray[np.int64]
    moves: NDArray[np.int64]
    afters: NDArray[np.uint64]
    codes: NDArray[np.int16]
    scores: NDArray[np.int64]


def identity_says(line: list[int], moves: int) -> IdentitySays:
    """Nothing yet, with room for so many legal moves."""
    return IdentitySays(
        line=np.array(line, np.int64),
        keys=np.zeros(len(line) + 1, np.uint64),
        outlook=_nothing(2),
        seen=_nothing(2),
        found=_nothing(1),
        moves=_nothing(moves),
        afters=np.zeros(moves, np.uint64),
        codes=np.zeros(moves, np.int16),
        scores=np.zeros(moves, np.int64),
    )


@kernel
def ask_identity(g: Any, s: IdentitySays, random: np.uint64) -> None:
    """Ask a held identity about the position, or without room nothing."""
    if s.codes.size == 0:
        return
    identity.begin(g)
    s.keys[0] = identity.key(g)
    for i in range(s.line.size):
        identity.moved(g, s.line[i])
        s.keys[i + 1] = identity.key(g)
    s.outlook[0], s.outlook[1] = identity.outlook(g)
    at_root = s.line.size == 0
    seen, code = identity.assess(g)
    s.seen[0] = seen
    if code >= 0:
        s.seen[1] = identity.to_move(g, code)
    count = int64(identity.candidates(g, at_root, random & np.uint64(1) == 0, rng.step(random), s.codes, s.scores))
    s.found[0] = count
    for i in range(min(count, s.codes.size)):
        s.moves[i] = s.codes[i] if at_root else identity.to_move(g, s.codes[i])
        s.afters[i] = np.uint64(0) if at_root else identity.key_after(g, s.codes[i])
