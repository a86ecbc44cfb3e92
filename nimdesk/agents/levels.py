"""Six opponents of graded strength, for people: the same names in every game, made of MCTS and honest dice.

A level searches with ``mcts``, which shows its curves, and then plays the move it found, or by its dice

* another one that the search found nearly as good (``lively``), or
* any other one (``slips``): what a person does who overlooks something.

A level that ``sees_wins`` never refuses a win in one move, one that ``sees_threats`` never overlooks the opponent's.
Where theory knows the answer at once, the last level plays by theory. All chance comes from the seed, and budgets are
counted in iterations, so the same seed gives the same move on every machine. How strong each level is, game by game,
stands in ``resources/levels.md``.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import msgspec
from msgspec.structs import replace

from nimdesk.agents.agent import Agent, AgentInfo, Traits
from nimdesk.games import AnyPosition, Game, Move, kit_of, solver_for
from nimdesk.games.truth import Value
from nimdesk.limit import Limit
from nimdesk.search import MoveStats, Searcher, Snapshot, StopReason, Trace
from nimdesk.search.options import AgentOptions, MctsOptions, SeedOption

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

GROUP = "Levels"
# The textbook form of the search, for games without compiled rules, takes so many times as long.
_SLOWER = 50
_FEWEST_ITERATIONS = 10
# A game of at most so many moves is a tiny one, or a short one.
TINY_PLIES, SHORT_PLIES = 16, 30
# A move may be a near-equal if it has this share of the leader's visits.
_NEARLY = 0.5
# So many moves are tried for one that does not let the opponent win at once, beside those that may stop it.
_TRIES = 12


class Habits(msgspec.Struct, frozen=True, kw_only=True):
    """How a level plays; ``slips`` and ``lively`` are probabilities at each move."""

    iterations: int
    slips: float = 0.0
    lively: float = 0.0
    sees_wins: bool = True
    sees_threats: bool = True
    by_theory: bool = False


class Level(msgspec.Struct, frozen=True, kw_only=True):
    """One level: its number from 1 on, its name for people, and its habits by how long a game may last.

    In a game of few moves a little searching is perfect play, so that levels differ by their slips alone.
    """

    number: int
    title: str
    about: str
    tiny: Habits
    short: Habits
    long: Habits

    @property
    def name(self) -> str:
        """The agent's name in the catalogue, such as ``level3``."""
        return f"level{self.number}"

    def habits(self, game: Game) -> Habits:
        """How it plays this game."""
        plies = _most_plies(game)
        return self.tiny if plies <= TINY_PLIES else self.short if plies <= SHORT_PLIES else self.long


LEVELS = (
    Level(
        number=1,
        title="First lesson",
        about="Hardly looks, and lets you win: for a first game.",
        tiny=Habits(iterations=200, slips=1.0, lively=1.0, sees_wins=False, sees_threats=False),
        short=Habits(iterations=200, slips=1.0, lively=1.0, sees_wins=False, sees_threats=False),
        long=Habits(iterations=20, slips=0.66, lively=1.0, sees_wins=False, sees_threats=False),
    ),
    Level(
        number=2,
        title="Beginner",
        about="Looks a little, and overlooks a lot.",
        tiny=Habits(iterations=200, slips=1.0, lively=1.0, sees_wins=False, sees_threats=False),
        short=Habits(iterations=200, slips=0.87, lively=1.0, sees_wins=False, sees_threats=False),
        long=Habits(iterations=50, slips=0.31, lively=1.0, sees_wins=False, sees_threats=False),
    ),
    Level(
        number=3,
        title="Casual",
        about="Never misses a win in one move; overlooks yours now and then.",
        tiny=Habits(iterations=200, slips=0.97, lively=0.5, sees_threats=False),
        short=Habits(iterations=200, slips=0.93, lively=0.5, sees_threats=False),
        long=Habits(iterations=190, slips=0.1, lively=0.5, sees_threats=False),
    ),
    Level(
        number=4,
        title="Club",
        about="Sees short combinations, and slips at times.",
        tiny=Habits(iterations=200, slips=0.5, lively=0.5, sees_threats=False),
        short=Habits(iterations=200, slips=0.55, lively=0.5, sees_threats=False),
        long=Habits(iterations=700, slips=0.055, lively=0.5),
    ),
    Level(
        number=5,
        title="Strong",
        about="Searches well, and slips seldom.",
        tiny=Habits(iterations=1_000, slips=0.2, lively=0.25, sees_threats=False),
        short=Habits(iterations=1_000, slips=0.215, lively=0.25, sees_threats=False),
        long=Habits(iterations=3_200, slips=0.022, lively=0.25),
    ),
    Level(
        number=6,
        title="Best",
        about="The best that nimdesk has: by theory where there is one, else a long search. It never slips.",
        tiny=Habits(iterations=20_000, by_theory=True),
        short=Habits(iterations=20_000, by_theory=True),
        long=Habits(iterations=12_000, by_theory=True),
    ),
)
"""From the weakest to the best."""
DEFAULT_LEVEL = LEVELS[1]
"""Whom a newcomer meets first.

Someone who completes lines, stops lines, and else moves at random wins half of the games against it, as the first
player of Connect Four: four of five against the level below, one of eight against the level above.
"""


class LevelOptions(AgentOptions, frozen=True, kw_only=True):
    """A level leaves nothing to choose but its seed."""

    seed: SeedOption = None


_VALUES = (Value.LOSS, Value.DRAW, Value.WIN)


@runtime_checkable
class _ProvingSearcher(Searcher, Protocol):
    def proven_rows(self) -> NDArray[np.int8]:
        """What was proven of each move at the checkpoints passed, (T, L): half points, −1 where nothing was."""


class LevelSearcher:
    """A Searcher: the curves are those of ``mcts``; ``best_move`` is what the level plays, ``comment`` says why.

    The trace's ``choice`` is the level's own, at each checkpoint.
    """

    def __init__(self, level: Level) -> None:
        """The search begins with ``start``."""
        self._level = level

    def start(self, position: AnyPosition, seed: int) -> None:
        """Begin a new search of a position that is not over; the dice are thrown now."""
        self._habits = habits = self._level.habits(position.game)
        self._position, iterations = position, habits.iterations
        self._compiled = kit_of(position).load_kernel is not None
        if not self._compiled:
            iterations = max(_FEWEST_ITERATIONS, iterations // _SLOWER)
        search = Agent("mcts", MctsOptions(iterations=iterations)).new_searcher(position)
        assert isinstance(search, _ProvingSearcher)
        self._search = search
        self._search.start(position, seed)
        self._row_choices: list[int] = []
        # The text is part of the seed: a fixed seed must not throw the same dice in every position of a game.
        dice = random.Random(f"{seed} {position.text}")
        self._slips, self._lively = dice.random() < habits.slips, dice.random() < habits.lively
        self._ranks = dict(zip(position.legal_moves, _shuffled(len(position.legal_moves), dice), strict=True))
        self._replies: dict[Move, Move | None] = {}
        self._wins = [move for move in position.legal_moves if habits.sees_wins and _wins(position, move)]
        self._theory = _theory(position) if habits.by_theory else None

    def advance(self, limit: Limit) -> StopReason | None:
        """Search on until ``limit`` or the level's own budget is met."""
        return self._search.advance(limit)

    def snapshot(self) -> Snapshot:
        """The search below, with the level's own choice."""
        snapshot = self._decided()
        if snapshot.trace is None or snapshot.best_move is None:
            return snapshot
        return replace(snapshot, trace=self._own_trace(snapshot.trace, snapshot.best_move))

    def brief(self) -> Snapshot:
        """The same without moves and trace, in a fraction of the time."""
        return replace(self._decided(), moves=(), trace=None)

    def _decided(self) -> Snapshot:
        snapshot = replace(self._search.snapshot(), agent=self._level.name)
        if snapshot.best_move is None:
            return snapshot
        move, why = self._choose(snapshot.best_move, snapshot.moves)
        return replace(snapshot, best_move=move, comment=why or snapshot.comment)

    def _own_trace(self, trace: Trace, newest: Move) -> Trace:
        """The trace with the level's own choices; those at earlier checkpoints are made once."""
        import numpy as np  # lazy: numpy comes with the search, after the first paint

        assert trace.choice is not None
        proven, first = self._search.proven_rows(), len(self._row_choices)
        columns = {move: column for column, move in enumerate(trace.moves)}
        for best, visits, values in zip(trace.choice[first:], trace.visits[first:], proven[first:], strict=False):
            known = [None if value < 0 else _VALUES[value] for value in values.tolist()]
            both = zip(trace.moves, visits.tolist(), known, strict=True)
            stats = tuple(MoveStats(move, count, None, proven=value) for move, count, value in both)
            self._row_choices.append(columns[self._choose(trace.moves[best], stats)[0]])
        choice = np.array([*self._row_choices, columns[newest]][: len(trace)], np.int64)
        choice[-1] = columns[newest]
        choice.flags.writeable = False
        return replace(trace, choice=choice)

    def _choose(self, best: Move, known: Sequence[MoveStats]) -> tuple[Move, str]:
        """The move, and why it is another one than ``best``, which the search would play, or ""."""
        if self._theory is not None:
            return self._theory
        if self._wins:
            return (best, "") if best in self._wins else (self._wins[0], "It wins at once.")
        stats = {each.move: each for each in known}
        share = stats[best].visits / max(1, sum(each.visits for each in known))
        wanted, why = self._wanted(best, stats, f"{best.text} ({share:.0%} of the visits)")
        move = wanted[0]
        if self._habits.sees_threats and (reply := self._reply(stats[move])) is not None:
            # What the opponent would win with is often the place to be taken oneself.
            others = [each for each in (*wanted[1:_TRIES], best, reply) if each in stats]
            move = next((each for each in others if self._reply(stats[each]) is None), best)
            if move not in wanted:
                why = f"It stops {reply.text}, which would win at once."
        return move, "" if move == best else why

    def _wanted(self, best: Move, stats: Mapping[Move, MoveStats], first: str) -> tuple[list[Move], str]:
        """The moves that the dice allow, in the order of the dice, and why; ``first`` is the search's first choice."""
        if self._slips:
            others = [each for each in stats.values() if each.move != best]
            tried = [each.move for each in others if each.visits] or [each.move for each in others] or [best]
            return self._by_dice(tried), f"On purpose not the search's first choice, {first}: this level may slip."
        if not self._lively:
            return [best], ""
        fewest, proven = _NEARLY * stats[best].visits, stats[best].proven
        near = [each.move for each in stats.values() if each.visits >= fewest and each.proven == proven]
        return self._by_dice(near), f"Chosen at random among {len(near)} near-equals; the search's first was {first}."

    def _by_dice(self, moves: list[Move]) -> list[Move]:
        return sorted(moves, key=self._ranks.__getitem__)

    def _reply(self, stats: MoveStats) -> Move | None:
        """With what the opponent would win at once after this move, if with anything."""
        move = stats.move
        if self._compiled and stats.visits and stats.proven is not Value.LOSS:
            return None  # the compiled search looks one move ahead
        if move not in self._replies:
            after = self._position.play(move)
            self._replies[move] = next((each for each in after.legal_moves if _wins(after, each)), None)
        return self._replies[move]


@lru_cache(maxsize=16)
def _most_plies(game: Game) -> int:
    """The longest game; of one without compiled rules nobody knows, and the first moves are a measure."""
    kernel = kit_of(game).kernel
    return len(game.start().legal_moves) if kernel is None else kernel.sizes(game).plies


def _wins(position: AnyPosition, move: Move) -> bool:
    return position.play(move).winner == position.turn


def _shuffled(count: int, dice: random.Random) -> list[int]:
    ranks = list(range(count))
    dice.shuffle(ranks)
    return ranks


def _theory(position: AnyPosition) -> tuple[Move, str] | None:
    """The move that theory knows to be best (the longest resistance where all lose), where it answers at once."""
    if not kit_of(position).by_formula:
        return None
    solver = solver_for(position)
    solver.start(position)
    solver.advance(Limit())
    truth = solver.truth()
    if truth.value is Value.UNKNOWN:
        return None
    distance = {each.move: each.distance or 0 for each in truth.moves}
    best = truth.best_moves or position.legal_moves
    pick = max if truth.value is Value.LOSS else min
    return pick(best, key=distance.__getitem__), truth.explanation


def level_infos() -> tuple[AgentInfo, ...]:
    """The entries of the catalogue."""
    return tuple(_info(level) for level in LEVELS)


def _info(level: Level) -> AgentInfo:
    def make(_options: LevelOptions) -> Searcher:
        return LevelSearcher(level)

    title = f"Level {level.number}, {level.title}"
    return AgentInfo(level.name, title, level.about, LevelOptions, make, _TRAITS, group=GROUP)


_TRAITS = Traits(counts="iterations", seed="seed")
