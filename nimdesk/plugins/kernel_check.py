"""Compiled rules compared with the rules in Python, along random games: a search has nothing else to go by.

What is compared: the legal moves, as each function tells them; what a move leads to, and that it can be taken back;
random playouts; and of the identity its keys, the moves that differ, and what it claims to see at once. Compiled rules
of another package are tried so in a process of their own (``trial``), where an index out of bounds is an error.
"""

from __future__ import annotations

import time
from math import inf
from random import Random

import numpy as np

from nimdesk.faults import one_line
from nimdesk.games.base import AnyPosition, Move, Side
from nimdesk.games.kernel_kit import AnyKernel
from nimdesk.kernels import asking
from nimdesk.kernels import random as rng
from nimdesk.kernels.identity import BY_FOURS, FORCED, LOSES, WINS
from nimdesk.kernels.jit import first_use
from nimdesk.kernels.memory.held import hold
from nimdesk.kernels.rules import LOSS, ONGOING, WIN
from nimdesk.plugins.check import demand

_MOST_MOVES = 8
"""So many moves of a position are looked at closely, where their replies or keys count."""


def check_kernel(kernel: AnyKernel, start: AnyPosition, *, seconds: float, games: int) -> None:
    """Compare along so many random games, as time allows, each from ``start`` and again from its middle on.

    ``BrokenPromiseError`` says what does not agree.
    """
    until = time.process_time() + seconds
    for seed in range(games):
        if time.process_time() > until:
            return
        chance = Random(seed)
        end = Comparison(kernel, start).follow(chance, until)
        middle = start
        for move in end.moves[len(start.moves) : (len(start.moves) + len(end.moves)) // 2]:
            middle = middle.play(move)
        Comparison(kernel, middle).follow(chance, until)


class Comparison:
    """The compiled rules beside the rules in Python, from a position on that is the root of both."""

    def __init__(self, kernel: AnyKernel, root: AnyPosition) -> None:
        """Compiles what asks the kernel, which takes seconds."""
        self._kernel, self._root = kernel, root
        self._room = kernel.sizes(root.game).moves
        self._check_sizes()
        self._rules, self._identity = hold(kernel.encode_position(root)), hold(kernel.encode_identity(root))
        self._until = inf
        first_use("asking", (self._rules, self._identity), self._load, self._load)

    def _check_sizes(self) -> None:
        """The searches make their arrays as large as this says."""
        game, legal = self._root.game, self._root.legal_moves
        sizes, table = self._kernel.sizes(game), self._kernel.decode_table(game)
        demand(all(size >= 1 for size in sizes), f"sizes returned {tuple(sizes)}, and each is 1 at least")
        most = sizes.codes
        demand(len(table) <= most, f"moves_by_code returned {len(table):,} moves, and sizes says {most:,}")
        demand(len(legal) <= sizes.moves, f"sizes says {sizes.moves:,} legal moves, and there are {len(legal):,}")
        codes = [self._code(move) for move in legal]
        back = all(0 <= code < len(table) and table[code] == move for code, move in zip(codes, legal, strict=True))
        demand(back, "moves_by_code does not lead from the code of a move back to the move")
        longest = self._kernel.longest_game(self._root)
        demand(1 <= longest <= sizes.plies, f"longest_game returned {longest:,}, and sizes says {sizes.plies:,} plies")

    def _load(self) -> None:
        asking.ask_rules(self._rules, hold(asking.rules_say([], 0)), np.uint64(0))
        asking.ask_identity(self._identity, hold(asking.identity_says([], 0)), np.uint64(0))

    def follow(self, chance: Random, until: float = inf) -> AnyPosition:
        """Play at random, and compare at every ply until this process time; the last position."""
        position: AnyPosition = self._root
        self._until = until
        while position.outcome is None and not self._over:
            line = [self._code(move) for move in position.moves[len(self._root.moves) :]]
            where, random = f"in {one_line(position.text, longest=60)}", np.uint64(chance.getrandbits(64))
            self._compare_rules(position, line, where, random)
            self._compare_identity(position, line, where, random)
            position = position.play(chance.choice(position.legal_moves))
        return position

    @property
    def _over(self) -> bool:
        """Whether time is up. The rules in Python may be slow: one playout of theirs is looked at, at least."""
        return time.process_time() > self._until

    def _code(self, move: Move) -> int:
        return self._kernel.encode_move(self._root.game, move)

    def _compare_rules(self, position: AnyPosition, line: list[int], where: str, random: np.uint64) -> None:
        said = asking.rules_say(line, self._room)
        asking.ask_rules(self._rules, hold(said), random)
        legal = {self._code(move): move for move in position.legal_moves}
        codes, count = sorted(legal), len(legal)
        demand(all(said.results == ONGOING), f"play ends the game before its end {where}")
        demand(said.legal[0] == count, f"legal_count is {said.legal[0]:,} {where}, and {count:,} moves are legal")
        demand(said.listed[: count + 1].tolist() == [*codes, -1], f"next_move names other moves than are legal {where}")
        demand(sorted(said.picked[:count].tolist()) == codes, f"pick_untried names other moves than are legal {where}")
        fit = said.picked_unmarked[0] >= 0
        told = not fit or sorted(said.picked_unmarked[:count].tolist()) == codes
        demand(told, f"pick_unmarked names other moves than are legal {where}")
        demand(said.there.tolist() == said.back.tolist(), f"undo does not lead back {where}")
        for code, end, neighbours in zip(codes, said.ends, said.neighbours, strict=False):
            if self._over:
                return
            after, move = position.play(legal[code]), legal[code].text
            expected = _half_points(after, position.turn)
            demand(end == expected, f"play says {end} of {move} {where}, and the rules say {expected}")
            expected = self._kernel.neighbours(position, legal[code])
            demand(neighbours == expected, f"neighbours says {neighbours} of {move} {where}, and the kit {expected}")
        begins = (*[position] * asking.PLAYOUTS, self._root)
        for begin, result, state in zip(begins, said.playouts, said.states, strict=True):
            end, moves = begin, begin.moves[len(self._root.moves) :]
            for move in self._kernel.play_out(self._root, moves, _Numbers(state).next).moves:
                end = end.play(move)
            expected = _half_points(end, begin.turn)
            whose = "a playout" if begin is position else "undo does not lead back to the root: a playout there"
            demand(result == expected, f"{whose} ends with {result} {where}, and replayed with {expected}")
            if self._over:
                return

    def _compare_identity(self, position: AnyPosition, line: list[int], where: str, random: np.uint64) -> None:
        said = self._identity_says(line, random)
        low, high = said.outlook.tolist()
        demand(LOSS <= low <= high <= WIN, f"outlook promises {low} to {high} half points {where}")
        demand(len(set(said.keys.tolist())) == len(said.keys), f"key is the same for two positions of one game {where}")
        legal = {self._code(move): move for move in position.legal_moves}
        count = int(said.found[0])
        demand(0 < count <= self._room, f"candidates finds {count:,} moves {where}")
        named = said.moves[:count].tolist()
        demand(legal.keys() >= set(named), f"candidates names a move that is not legal {where}")
        seen, code = said.seen.tolist()
        some = {*sorted(legal)[:_MOST_MOVES], *({code} & legal.keys())}
        behind = {each: self._key_behind(line, position, legal[each]) for each in some}
        if line:
            keys = dict(zip(named, said.afters[:count].tolist(), strict=True))
            for each, key in behind.items():
                if key is not None:
                    there = f"the position behind {legal[each].text} {where}"
                    known = key in keys.values() or self._wins([*line, each])
                    demand(known, f"candidates leaves out, or key_after does not know, {there}")
                    demand(keys.get(each, key) == key, f"key_after tells another key than key of {there}")
        else:
            demand(sorted(named) == sorted(legal), f"candidates names other moves than are legal {where}")
        self._compare_seen(position, seen, code, legal, behind, where)
        if len(legal) <= _MOST_MOVES and (value := _value(position)) is not None:
            sound = low <= value <= high
            demand(sound, f"outlook promises {low} to {high} half points {where}, where {value} can be forced")

    def _compare_seen(
        self,
        position: AnyPosition,
        seen: int,
        code: int,
        legal: dict[int, Move],
        behind: dict[int, int | None],
        where: str,
    ) -> None:
        if seen in (WINS, FORCED) or seen > BY_FOURS:
            demand(code in legal, f"assess names a move that is not legal {where}")
        if seen == WINS:
            wins = _half_points(position.play(legal[code]), position.turn) == WIN
            demand(wins, f"assess takes {legal[code].text} for a win {where}")
        if seen == BY_FOURS + 3 and len(legal) <= _MOST_MOVES:
            after = position.play(legal[code])
            wins = all(_loses(after, reply) for reply in after.legal_moves)
            demand(wins, f"assess takes {legal[code].text} for a win by threats {where}")
        if seen in (LOSES, FORCED):
            others = [each for each in behind if each != code or seen == LOSES]
            for each in others:
                lost = _loses(position, legal[each]) or (seen == FORCED and behind[each] == behind[code])
                demand(lost, f"assess overlooks {legal[each].text} {where}")

    def _identity_says(self, line: list[int], random: np.uint64) -> asking.IdentitySays:
        said = asking.identity_says(line, self._room)
        asking.ask_identity(self._identity, hold(said), random)
        return said

    def _wins(self, line: list[int]) -> bool:
        """Whether ``assess`` sees a win of the side to move after these moves."""
        seen = int(self._identity_says(line, np.uint64(0)).seen[0])
        return seen == WINS or seen > BY_FOURS

    def _key_behind(self, line: list[int], position: AnyPosition, move: Move) -> int | None:
        """The key after a move; None if that ends the game."""
        if position.play(move).outcome is not None:
            return None
        return int(self._identity_says([*line, self._code(move)], np.uint64(0)).keys[-1])


class _Numbers:
    """The numbers that a kernel draws from a state on."""

    def __init__(self, state: np.uint64) -> None:
        self._state = state

    def next(self) -> int:
        """The next 64 random bits."""
        with np.errstate(over="ignore"):
            self._state = rng.step(self._state)
            return int(rng.bits(self._state))


def _half_points(position: AnyPosition, side: Side) -> int:
    """Of a side, or ``ONGOING``."""
    return ONGOING if position.outcome is None else round(2 * position.outcome.score(side))


def _ends(position: AnyPosition) -> list[int]:
    """What each move leads to, as ``play`` says it."""
    return [_half_points(position.play(move), position.turn) for move in position.legal_moves]


def _loses(position: AnyPosition, move: Move) -> bool:
    """Whether the move loses, at once or to the next."""
    after = position.play(move)
    return _half_points(after, position.turn) == LOSS or WIN in _ends(after)


def _value(position: AnyPosition) -> int | None:
    """The half points that the side to move can force, as far as two moves show it."""
    ends = _ends(position)
    if WIN in ends or ONGOING not in ends:
        return max(ends)
    return LOSS if all(_loses(position, move) for move in position.legal_moves) else None
