"""Rules of opening: who places the first moves, and who then takes which side, so that nobody begins ahead.

The rules of the game stay as they are: an opening ends in an ordinary position, and in who plays which side.

* ``pie``: the first player makes one move; the second one answers it, or takes the first side ("swaps").
* ``swap2``: the first player makes three moves, for both sides. The second one stays, or swaps, or makes two more moves
  and leaves it to the first player to choose a side. (Gomocup has it as SWAP2BOARD: M. Kubečka et al., "Piskvork
  protocol", https://plastovicka.github.io/protocl2en.htm; the Renju International Federation plays gomoku by it.)

A program draws all its moves but the last, chooses that so that its own search finds the sides nearly equal, and
chooses the side that its own search prefers.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Literal, get_args

import msgspec

from nimdesk.agents.agent import Agent
from nimdesk.agents.catalogue import make_agent
from nimdesk.games import AnyPosition, Move, Side
from nimdesk.games.mnk.rules import MnkMove
from nimdesk.search import Snapshot
from nimdesk.search.types import Swap2Searcher
from nimdesk.search.worth import expected_score, worth_of_move, worth_of_search

OpeningRule = Literal["pie", "swap2"]
OpeningChoice = Literal["stay", "swap", "more"]
"""To play one's own side on; to change sides; or to make two more moves and leave the choice to the other player."""
RULES: dict[OpeningRule, str] = {
    "pie": "Pie rule: one move, then the other player may change sides",
    "swap2": "Swap2: three moves, then the other player chooses a side, or makes two more",
}
"""What people read for each rule."""
CHOICES: tuple[OpeningChoice, ...] = get_args(OpeningChoice)
Search = Callable[[AnyPosition], Snapshot]
"""Somebody's search of a position."""
# Stones of an opening are so near to the middle, or to the stones that are there.
_NEAR = 3
# So near to 1/2 sides are nearly equal. Who may make two more moves does so then: the other player is to choose.
_EVEN = 0.05
_LAST = 5
"""The stones on the board when the second choice of swap2 is made."""
_STAND_IN = 2_000
"""The simulations of ``mcts`` where it searches for a player whose own search tells no value."""


class Step(msgspec.Struct, frozen=True):
    """What is next in an opening: a player makes so many ``moves``, or makes one of the ``choices``.

    Player 0 is who opens, whose turn it is at its start; player 1 is the other one.
    """

    player: Literal[0, 1]
    moves: int = 0
    choices: tuple[OpeningChoice, ...] = ()


class Opening(msgspec.Struct, frozen=True):
    """A rule, and what was chosen under it so far."""

    rule: OpeningRule
    choices: tuple[OpeningChoice, ...] = ()

    @property
    def swapped(self) -> bool:
        """Whether the player who opens now has the second side."""
        return self.choices[-1:] == ("swap",)

    def step(self, plies: int) -> Step | None:
        """What is next after so many moves of the opening; None once everybody has a side."""
        alone = 1 if self.rule == "pie" else 3
        if not self.choices:
            choices = CHOICES[: 2 if self.rule == "pie" else 3]
            return Step(0, alone - plies) if plies < alone else Step(1, choices=choices)
        if self.choices != ("more",):
            return None
        return Step(1, alone + 2 - plies) if plies < alone + 2 else Step(0, choices=CHOICES[:2])

    def chosen(self, choice: OpeningChoice) -> Opening:
        """The opening after this choice."""
        return Opening(self.rule, (*self.choices, choice))


class OpeningPlayer:
    """A program in an opening: it goes by its own searches, or by those of ``mcts`` where they tell no value.

    One that knows swap2 itself, as programs of Gomocup may, is asked what it does.
    """

    def __init__(
        self, agent: Agent, rule: OpeningRule, run: Callable[[Agent, AnyPosition], Snapshot], dice: random.Random
    ) -> None:
        """``run`` makes a search of an agent's."""
        self._agent, self._run, self._dice = agent, run, dice
        self._asks = rule == "swap2"
        self._two: tuple[Move, ...] = ()
        """The moves that it makes next, which a program of Gomocup tells with its choice."""
        self.stood_in = False

    def answer(self, position: AnyPosition, step: Step, side: Side) -> AnyPosition | OpeningChoice:
        """What it does in this step: the position after its moves, or its choice; ``side`` is the one it has now.

        Where every move would end the game it makes fewer than it is asked for. ``AgentError`` if it fails.
        """
        told = self._told(position, step)
        if told is not None:
            return told
        if step.moves:
            return balanced(position, step.moves, self._search, self._dice)
        score = expected_score(self._search(position))
        return choice_of(score if position.turn == side else 1.0 - score, step.choices)

    def _told(self, position: AnyPosition, step: Step) -> AnyPosition | OpeningChoice | None:
        """What a program does that knows swap2 itself; it counts all stones on the board."""
        moves, self._two = self._two or self._ask(position), ()
        if moves is None:
            return None
        if step.moves:
            for move in moves:
                position = position.play(move)
            return position
        if position.ply == _LAST:
            return "swap" if moves else "stay"  # the side to move is then the other player's
        if len(moves) > 1:
            self._two = moves
            return "more"
        return "stay" if moves else "swap"

    def _ask(self, position: AnyPosition) -> tuple[Move, ...] | None:
        if not self._asks or position.ply not in (0, 3, _LAST):
            return None
        searcher = self._agent.new_searcher(position)
        moves = searcher.swap2(position) if isinstance(searcher, Swap2Searcher) else None
        self._asks = moves is not None
        return moves

    def _search(self, position: AnyPosition) -> Snapshot:
        snapshot = self._run(self._agent, position)
        if worth_of_search(snapshot) is not None or self.stood_in:
            return snapshot
        self._agent, self.stood_in = make_agent("mcts", {"iterations": _STAND_IN}), True
        return self._run(self._agent, position)


def choice_of(score: float, choices: Sequence[OpeningChoice]) -> OpeningChoice:
    """The choice among these of a player who expects this score for the side that it has now."""
    if "more" in choices and abs(score - 0.5) < _EVEN:
        return "more"
    return "swap" if score < 0.5 else "stay"


def balanced(position: AnyPosition, moves: int, search: Search, dice: random.Random) -> AnyPosition:
    """The position after so many moves, of which ``search`` chooses the last so that the sides are nearly equal.

    Those before it are drawn. No move ends the game; where only such moves are left there are fewer.
    """
    for left in reversed(range(moves)):
        move = even_move(search(position), dice) if left == 0 else drawn_move(position, dice)
        if move is None:
            break
        position = position.play(move)
    return position


def even_move(snapshot: Snapshot, dice: random.Random) -> Move | None:
    """A move after which this search finds the sides nearly equal, or else most nearly; one that ends no game.

    Moves with less than half of their share of the visits are left out, as long as there are others.
    """
    position, turn = snapshot.position, snapshot.position.turn
    going_on = set(_going_on(position, position.legal_moves))
    worths = {each.move: (worth_of_move(each, turn), each.visits) for each in snapshot.moves if each.move in going_on}
    known = {move: (abs(worth.score - 0.5), visits) for move, (worth, visits) in worths.items() if worth is not None}
    seen = {move: far for move, (far, visits) in known.items() if 2 * visits * len(worths) >= snapshot.total_visits}
    found = seen or {move: far for move, (far, _visits) in known.items()}
    if not found:
        return drawn_move(position, dice)
    most = max(_EVEN, min(found.values()))
    return dice.choice([move for move, far in found.items() if far <= most])


def drawn_move(position: AnyPosition, dice: random.Random) -> Move | None:
    """A move near the others, or near the middle, that does not end the game; None if there is none."""
    going_on = _going_on(position, _nearby(position))
    return dice.choice(going_on) if going_on else None


def _going_on(position: AnyPosition, moves: Sequence[Move]) -> list[Move]:
    return [move for move in moves if position.play(move).outcome is None]


def _nearby(position: AnyPosition) -> Sequence[Move]:
    """The cells near the stones, or near the middle of an empty board; in games without cells all moves."""
    cells = [move for move in position.legal_moves if isinstance(move, MnkMove)]
    stones = [move for move in position.moves if isinstance(move, MnkMove)]
    if not stones:
        columns, rows = ([getattr(cell, way) for cell in cells] for way in ("column", "row"))
        stones = [MnkMove((max(columns) + 1) // 2, (max(rows) + 1) // 2)] if cells else []
    near = [
        cell
        for cell in cells
        if any(max(abs(cell.column - at.column), abs(cell.row - at.row)) <= _NEAR for at in stones)
    ]
    return near or position.legal_moves
