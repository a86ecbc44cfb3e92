"""Games between players: the tasks of all matches of a plan, and their results."""

from __future__ import annotations

import bisect
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from nimdesk.agents.opening_rules import OpeningChoice, OpeningRule
from nimdesk.experiments.kind import Asked, Setup, Trial, Work
from nimdesk.experiments.parts import MAX_POSITIONS, Part, PlayerName, PositionText, Repeats
from nimdesk.experiments.results import Result, ShortText
from nimdesk.experiments.seeds import derived_seed
from nimdesk.experiments.statistics import Sprt
from nimdesk.experiments.truth import Verdict
from nimdesk.games import AnyPosition, Side
from nimdesk.games.base import MOST_PLIES
from nimdesk.play.schema import Count, Seconds
from nimdesk.search.options import MAX_TIME_S

_MORE_MOVES, _LEAST_SHARE_S = 20, 0.01


class Clock(Part, frozen=True, kw_only=True):
    """The time of each player for a whole game: so many seconds, and so many more after each of its moves."""

    time_s: Annotated[float, Meta(ge=0.1, le=MAX_TIME_S)]
    increment_s: Annotated[float, Meta(ge=0, le=MAX_TIME_S)] = 0.0

    def share_s(self, left_s: float) -> float:
        """How long to think about a move with so much left: an even share of many more moves, and the increment.

        A tenth of what is left is kept back, since no search ends to the moment.
        """
        return max(_LEAST_SHARE_S, min(left_s / _MORE_MOVES + self.increment_s, 0.9 * left_s))


MatchFormat = Literal["round-robin", "gauntlet"]


class MatchPart(Asked, frozen=True, kw_only=True):
    """Games between two or more players: each with each (``round-robin``), or the first with each other (``gauntlet``).

    From every position, ``games`` games in each order: with ``swap`` as many again with the roles exchanged. The first
    ``opening_plies`` moves are random, the same ones for both orders. ``sprt`` ends a pairing early; its Elo is that of
    the player named first. A player may be named twice, to play itself.

    With ``best`` it is a gauntlet in which only so many of the others play, those who did best against the first in all
    parts before that have it; counts and ``sprt`` are then for the others. So a sequence of such parts is successive
    halving: many games for the good ones, few for the bad.

    With an ``opening_rule`` the player whose turn it is opens the game by that rule (``agents.opening_rules``), by
    which the players may change sides. Players search to judge an opening as they do for a move, before any clock
    starts; for one whose search tells no value ``mcts`` does.

    With ``adjudicate`` a game in which the players have made so many moves ends as soon as the plan's ``truth_nodes``
    prove its outcome, as if both played on without a mistake. With a ``clock`` agents that can be given seconds think
    as long as it allows, and keep no tree from move to move; whoever oversteps it has lost.
    """

    repeats_field = "games"
    repeated_tasks = "games"

    players: Annotated[list[PlayerName], Meta(min_length=2, max_length=64)]
    format: MatchFormat = "round-robin"
    positions: Annotated[list[PositionText], Meta(min_length=1, max_length=MAX_POSITIONS)]
    games: Repeats
    swap: bool = True
    opening_plies: Annotated[int, Meta(ge=0, le=100)] = 0
    opening_rule: OpeningRule | UnsetType = UNSET
    sprt: Sprt | None = None
    best: Annotated[int, Meta(ge=1, le=64)] | UnsetType = UNSET
    adjudicate: Annotated[int, Meta(ge=1, le=MOST_PLIES)] | UnsetType = UNSET
    clock: Clock | UnsetType = UNSET

    @property
    def ways(self) -> int:
        """Pairs of players, in one order or both."""
        players = len(self.players)
        pairs = players - 1 if self.format == "gauntlet" else players * (players - 1) // 2
        return pairs * (1 + self.swap)

    @property
    def is_open(self) -> bool:
        """A test ends a pairing early, and who plays on is told by the games before."""
        return self.sprt is not None or bool(self.best)


class PlyResult(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One move: its text, simulations (0 if the agent does not count any), nodes, seconds, and the verdict."""

    move: ShortText
    iterations: Count
    nodes: Count
    time_s: Seconds
    verdict: Verdict


class GameResult(Result, frozen=True, tag="game", gc=False):
    """One game. ``start`` is the position in which the players took over, ``plies`` the moves after it.

    ``winner`` is 0 for the side that began the game, 1 for the other, None for a draw; the setting says which player
    that is. ``forfeit`` is the sentence about a player that failed and so lost, or "". ``adjudicated`` says that the
    outcome was proven, and not played out. ``choices`` were made under an opening rule, by which ``start`` came about;
    ``stood_in`` says that ``mcts`` made them for a player, or looked for its moves there.
    """

    start: ShortText
    winner: Literal[0, 1] | None
    plies: tuple[PlyResult, ...]
    forfeit: ShortText = ""
    adjudicated: Literal[True] | UnsetType = UNSET
    choices: tuple[OpeningChoice, ...] | UnsetType = UNSET
    stood_in: Literal[True] | UnsetType = UNSET

    @property
    def swapped(self) -> bool:
        """Whether the players have changed sides in the opening."""
        return self.choices is not UNSET and self.choices[-1:] == ("swap",)

    def seated(self, players: tuple[str, str]) -> tuple[str, str]:
        """Who played First and who Second, of the players of the setting."""
        return (players[1], players[0]) if self.swapped else players

    @property
    def turn(self) -> int:
        """The side to move in ``start``, by the number of moves played in its notation."""
        return (len(self.start.split()) - 1) % 2


@dataclass(frozen=True, slots=True)
class Setting:
    """Games that differ only in their seeds: who moves first, who second, from which position.

    Under an opening rule these are the sides with which the opening begins.

    ``pairing`` numbers the pair of players; ``swapped`` says that its second name moves first. ``games`` is the number
    of games: one if ``once``, because both players are deterministic and all games would be the same.
    """

    index: int
    pairing: int
    players: tuple[str, str]
    position: str
    swapped: bool
    games: int
    once: bool
    opening_plies: int


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two players of a plan who meet; counts and ``sprt`` are for ``players[0]``. ``first`` is the first task.

    With ``best`` it is only played if ``players[0]`` is among so many who have done best (``MatchPart``).
    """

    index: int
    match: int
    players: tuple[str, str]
    settings: tuple[Setting, ...]
    sprt: Sprt | None
    first: int
    best: int | None = None

    @property
    def tasks(self) -> int:
        """The number of games."""
        return sum(setting.games for setting in self.settings)

    @property
    def paired(self) -> bool:
        """Whether the games come in pairs that differ only in who moves first."""
        return any(setting.swapped for setting in self.settings)


# Tasks are made by the million, structs in a sixth of the time of data classes.
class GameTask(msgspec.Struct, frozen=True):
    """One game: number ``game`` of its setting."""

    number: int
    setting: Setting
    game: int


class Matches(Work):
    """The games of all matches. Those of a pairing come in rounds, each from every position and in both orders, so that
    any beginning is balanced.
    """

    def __init__(
        self, parts: Sequence[MatchPart], pairings: Sequence[Pairing], setup: Setup, notes: Sequence[str], first: int
    ) -> None:
        self.parts, self.pairings, self.notes, self.first = tuple(parts), tuple(pairings), notes, first
        self.agents = setup.agents
        self.plan = setup.plan
        self._setup = setup

    @cached_property
    def tasks(self) -> int:  # asked for with every result
        """The number of games."""
        return sum(pairing.tasks for pairing in self.pairings)

    def task(self, number: int) -> GameTask:
        """The game of this number."""
        pairing = self.pairings[bisect.bisect_right(self.pairings, number, key=_first) - 1]
        game, place = divmod(number - pairing.first, len(pairing.settings))
        return GameTask(number, pairing.settings[place], game)

    def trials(self) -> Iterator[Trial]:
        """Both players of every setting."""
        for pairing in self.pairings:
            for setting in pairing.settings:
                for name in setting.players:
                    text = setting.position
                    yield name, text, self.agents[name], self._setup.positions[text]

    def part(self, task: GameTask) -> MatchPart:
        """What the plan asks of this game."""
        return self.parts[self.pairings[task.setting.pairing].match]

    def seed(self, task: GameTask, side: Side, ply: int) -> int:
        """The seed of a move: it depends on plan, pairing, position, game, role and ply."""
        setting = task.setting
        return derived_seed(
            self._setup.digest, "move", setting.pairing, setting.position, setting.swapped, task.game, int(side), ply
        )

    def opening_seed(self, task: GameTask, side: Side) -> int:
        """The seed of a player's moves and choices under an opening rule."""
        setting = task.setting
        return derived_seed(
            self._setup.digest, "rule", setting.pairing, setting.position, setting.swapped, task.game, int(side)
        )

    def opening(self, task: GameTask) -> AnyPosition:
        """The position in which the players take over: the start, or one after random moves, the same in both orders.

        Random moves never end the game; if every move would, the opening stops before it.
        """
        setting, position = task.setting, self._setup.positions[task.setting.position]
        if not setting.opening_plies:
            return position
        chance = random.Random(
            derived_seed(self._setup.digest, "opening", setting.pairing, setting.position, task.game)
        )
        for _ in range(setting.opening_plies):
            going_on = [move for move in position.legal_moves if position.play(move).outcome is None]
            if not going_on:
                break
            position = position.play(chance.choice(going_on))
        return position


def _first(pairing: Pairing) -> int:
    return pairing.first
