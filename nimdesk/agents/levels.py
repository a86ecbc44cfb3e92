"""Six opponents of graded strength, for people: the same names in every game, made of MCTS and honest dice.

A level searches with ``mcts``, whose curves it shows, and then plays the move it found, or by its dice

* another one that the search found nearly as good (``lively``), or
* any other one (``slips``): what a person does who overlooks something.

A level that ``sees_wins`` never refuses a win in one move, one that ``sees_threats`` never overlooks the opponent's.
The last level first asks for the exact answer: theory, or a solver that visits a limited number of positions and looks
for a win by threats. Where neither answers, it searches for long. All chance comes from the seed, and budgets are
counted in iterations and positions, so the same seed gives the same move on every machine, unless the longest time that
the last level may take is met. How strong each level is, game by game, stands in ``resources/levels.md``.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol, cast

import msgspec
from msgspec.structs import replace

from nimdesk.agents.agent import Agent, AgentInfo, Traits
from nimdesk.games import AnyPosition, Game, Move, kit_of, solver_for
from nimdesk.games.truth import ForcedWin, MoveTruth, Solver, Truth, Value
from nimdesk.games.truth_words import clause, resistance_sentence, told, truth_sentence
from nimdesk.limit import Limit
from nimdesk.search import MoveStats, Searcher, Snapshot, StopReason, Trace
from nimdesk.search.options import AgentOptions, MctsOptions, SeedOption

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

GROUP = "Levels"
# The textbook form of the search, for games without compiled rules, takes this many times as long.
_SLOWER = 50
_FEWEST_ITERATIONS = 10
# Games of at most this many moves are tiny, or short.
TINY_PLIES, SHORT_PLIES = 16, 30
# A move may be a near-equal if it has this share of the leader's visits.
_NEARLY = 0.5
PICTURE = 2_000
"""After so many simulations the curves of a search tell something: a level that chooses sooner can search on."""
# For the last level: the time that the solver may take at its usual pace; the simulations that are made where it does
# not answer (divided by the square root of the longest game, 1 to 3 s on a quick desktop); and the most time that all
# of it may take.
_SOLVER_S, _LONG_SEARCH, _LONGEST_S = 1, 4_000_000, 20.0
_LONG_SEARCH_IN_PYTHON = 600
# How long a level searches in Python at most while compiled code is loaded: nobody waits longer for an answer.
_STAND_IN_S = 1.0
# How many moves are tried to find one that does not let the opponent win at once, beside those that may stop the win.
_TRIES = 12


class Habits(msgspec.Struct, frozen=True, kw_only=True):
    """How a level plays; ``slips`` and ``lively`` are probabilities at each move."""

    iterations: int
    slips: float = 0.0
    lively: float = 0.0
    sees_wins: bool = True
    sees_threats: bool = True
    thorough: bool = False
    """Whether it asks for the exact answer, and searches for long if there is none; ``iterations`` are made first."""


class Level(msgspec.Struct, frozen=True, kw_only=True):
    """One level: its number from 1 on, its name for people, and its habits by how long a game may last.

    In a game of few moves a little searching is perfect play, so that levels differ by their slips alone.
    """

    number: int
    title: str
    about: str
    in_short: str
    """What a card has room for."""
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
        in_short="Lets you win",
        tiny=Habits(iterations=200, slips=1.0, lively=1.0, sees_wins=False, sees_threats=False),
        short=Habits(iterations=200, slips=1.0, lively=1.0, sees_wins=False, sees_threats=False),
        long=Habits(iterations=20, slips=0.66, lively=1.0, sees_wins=False, sees_threats=False),
    ),
    Level(
        number=2,
        title="Beginner",
        about="Looks a little, and overlooks a lot.",
        in_short="Overlooks a lot",
        tiny=Habits(iterations=200, slips=1.0, lively=1.0, sees_wins=False, sees_threats=False),
        short=Habits(iterations=200, slips=0.87, lively=1.0, sees_wins=False, sees_threats=False),
        long=Habits(iterations=50, slips=0.31, lively=1.0, sees_wins=False, sees_threats=False),
    ),
    Level(
        number=3,
        title="Casual",
        about="Never misses a win in one move; overlooks yours now and then.",
        in_short="Never misses a win in one",
        tiny=Habits(iterations=200, slips=0.97, lively=0.5, sees_threats=False),
        short=Habits(iterations=200, slips=0.93, lively=0.5, sees_threats=False),
        long=Habits(iterations=190, slips=0.1, lively=0.5, sees_threats=False),
    ),
    Level(
        number=4,
        title="Club",
        about="Sees short combinations, and slips at times.",
        in_short="Sees short combinations",
        tiny=Habits(iterations=200, slips=0.5, lively=0.5, sees_threats=False),
        short=Habits(iterations=200, slips=0.55, lively=0.5, sees_threats=False),
        long=Habits(iterations=700, slips=0.048, lively=0.5),
    ),
    Level(
        number=5,
        title="Strong",
        about="Searches well, and slips seldom.",
        in_short="Slips seldom",
        tiny=Habits(iterations=1_000, slips=0.2, lively=0.25, sees_threats=False),
        short=Habits(iterations=1_000, slips=0.215, lively=0.25, sees_threats=False),
        long=Habits(iterations=3_200, slips=0.022, lively=0.25),
    ),
    Level(
        number=6,
        title="Best",
        about="The best that nimdesk has: exact where that is known in time, otherwise a long search. It never slips.",
        in_short="Strongest, never slips",
        tiny=Habits(iterations=12_000, thorough=True),
        short=Habits(iterations=12_000, thorough=True),
        long=Habits(iterations=12_000, thorough=True),
    ),
)
"""From the weakest to the best."""
DEFAULT_LEVEL = LEVELS[1]
"""Whom a newcomer meets first.

Someone who completes lines, stops lines, and otherwise moves at random wins half of the games against it as the first
player of Connect Four: four of five against the level below, one of eight against the level above.
"""


class LevelOptions(AgentOptions, frozen=True, kw_only=True):
    """A level leaves nothing to choose but its seed."""

    seed: SeedOption = None


_VALUES = (Value.LOSS, Value.DRAW, Value.WIN)


class _ProvingSearcher(Searcher, Protocol):
    @property
    def iterations(self) -> int:
        """Simulations done since the start."""

    @property
    def elapsed_s(self) -> float:
        """Seconds of searching since the start."""

    def proven_rows(self) -> NDArray[np.int8]:
        """What was proven of each move at the checkpoints passed, (T, L): half points, −1 where nothing was."""


class LevelSearcher:
    """A Searcher: the curves are those of ``mcts``; ``best_move`` is what the level plays, ``comment`` says why.

    The trace's ``choice`` is the level's own at each checkpoint; after ``show_search`` it is that of ``mcts``.
    """

    def __init__(self, level: Level, *, compiled: bool = True) -> None:
        """The search begins with ``start``. Where it is not ``compiled``, it is in Python."""
        self._level, self._compiled, self._shows_search = level, compiled, False

    def start(self, position: AnyPosition, seed: int) -> None:
        """Begin a new search of a position that is not over; the dice are thrown now."""
        self._habits = habits = self._level.habits(position.game)
        self._position, kit = position, kit_of(position)
        has_kernel = kit.load_kernel is not None
        stands_in = has_kernel and not self._compiled
        self._first = habits.iterations if has_kernel else max(_FEWEST_ITERATIONS, habits.iterations // _SLOWER)
        likes: tuple[int, ...] = ()
        longest = MctsOptions(iterations=max(self._first, PICTURE), time_s=_STAND_IN_S if stands_in else None)
        if habits.thorough:
            full = max(self._first, _long_search(position.game)) if has_kernel else _LONG_SEARCH_IN_PYTHON
            if kit.preferences is not None and not position.moves:
                # Of an empty board a search can say no more than that most moves are equally good.
                full = self._first
                likes = kit.preferences(position)
            longest = replace(longest, iterations=full, time_s=_STAND_IN_S if stands_in else _LONGEST_S)
        agent = Agent("mcts", longest)
        search = agent.new_searcher(position) if self._compiled else agent.new_recording()
        self._search = cast(_ProvingSearcher, search)
        self._search.start(position, seed)
        # A solver has to be compiled first, a formula has not.
        answers = habits.thorough and (not stands_in or kit.by_formula(position))
        self._exact = _ExactSource(position, seed) if answers else None
        self._ended: StopReason | None = None
        self._chosen: Snapshot | None = None
        self._row_choices: list[int] = []
        # The text is part of the seed: a fixed seed must not throw the same dice in every position of a game.
        dice = random.Random(f"{seed} {position.text}")
        self._slips, self._lively = dice.random() < habits.slips, dice.random() < habits.lively
        self._ranks = dict(zip(position.legal_moves, _shuffled(len(position.legal_moves), dice), strict=True))
        most = max(likes, default=0)
        natural = [move for move, like in zip(position.legal_moves, likes, strict=False) if like == most]
        self._natural = self._by_dice(natural)
        self._replies: dict[Move, Move | None] = {}
        self._wins = self._by_dice(list(position.winning_moves)) if habits.sees_wins else []

    def advance(self, limit: Limit) -> StopReason | None:
        """Search on until ``limit`` or the level's own budget is met.

        A level that asks for the exact answer begins with some simulations, so that there is something to see.
        """
        exact = self._exact
        if self._ended is None and (exact is None or not exact.began):
            most = self._first if limit.iterations is None else min(limit.iterations, self._first)
            reason = self._search.advance(Limit(most, limit.time_s, limit.nodes))
            if reason is None and self._search.iterations < self._first:
                return None
            if exact is None:
                self._ended = reason or StopReason.ITERATIONS
        if exact is None:
            return self._ended
        searched_s = self._search.elapsed_s
        left_s = None if limit.time_s is None else limit.time_s - searched_s
        if not exact.advance(left_s):
            return None
        if exact.truth is not None:
            return StopReason.COMPLETE
        until_s = None if limit.time_s is None else limit.time_s - exact.elapsed_s
        return self._search.advance(Limit(limit.iterations, until_s, limit.nodes))

    def show_search(self) -> None:
        """From now on the trace is that of the search alone, for whoever watches it."""
        self._shows_search = True

    def illustrate(self, limit: Limit) -> bool:
        """Search on to ``PICTURE`` simulations, as far as ``limit`` allows; the level has chosen, and keeps to that."""
        self.show_search()
        if self._ended is not StopReason.ITERATIONS or self._first >= PICTURE:
            return True
        if self._chosen is None:
            self._chosen = self.snapshot()
        return self._search.advance(limit) is not None

    def snapshot(self) -> Snapshot:
        """The search below, with the level's own choice, now and, unless only the search is shown, in the trace."""
        snapshot = self._decided()
        if self._shows_search or snapshot.trace is None or snapshot.best_move is None:
            return snapshot
        return replace(snapshot, trace=self._own_trace(snapshot.trace, snapshot.best_move))

    def brief(self) -> Snapshot:
        """The current state without moves and trace, in a fraction of the time."""
        return replace(self._decided(), moves=(), trace=None)

    def _decided(self) -> Snapshot:
        snapshot = replace(self._search.snapshot(), agent=self._level.name)
        exact, chosen = self._exact, self._chosen
        if self._ended is not None:
            snapshot = snapshot.ended(self._ended)
        if chosen is not None:
            best, after = chosen.best_move, chosen.iterations
            return replace(snapshot, best_move=best, comment=chosen.comment, chosen_after=after)
        if exact is not None and exact.elapsed_s:
            snapshot = replace(snapshot, elapsed_s=snapshot.elapsed_s + exact.elapsed_s)
        if snapshot.best_move is None:
            return snapshot
        if exact is not None and exact.truth is not None:
            return exact.answered(snapshot)
        move, why = self._choose(snapshot.best_move, snapshot.moves)
        return replace(snapshot, best_move=move, comment=why or snapshot.comment)

    def _own_trace(self, trace: Trace, newest: Move) -> Trace:
        """The trace with the level's own choices; those at earlier checkpoints are made once."""
        import numpy as np  # lazy: numpy comes with the search, after the first paint

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
        """The move to play, and why it differs from ``best``, which the search would play; "" if it does not."""
        if self._wins:
            return (best, "") if best in self._wins else (self._wins[0], told("at once"))
        stats = {each.move: each for each in known}
        wanted, why = self._wanted(best, stats, self._first_words(stats[best], known))
        move = wanted[0]
        if self._habits.sees_threats and (reply := self._reply(stats[move])) is not None:
            # The move with which the opponent would win is often the one to play oneself.
            others = [each for each in (*wanted[1:_TRIES], best, reply) if each in stats]
            move = next((each for each in others if self._reply(stats[each]) is None), best)
            if move not in wanted:
                why = told("stops", move=reply.text)
        return move, "" if move == best else why

    @staticmethod
    def _first_words(best: MoveStats, known: Sequence[MoveStats]) -> str:
        """The search's first choice and why it is that."""
        if best.proven is not None:
            return clause("first proven", move=best.move.text, result=best.proof)
        count = sum(each.visits for each in known)
        share = best.visits / max(1, count)
        return clause("first", move=best.move.text, percent=f"{share:.0%}", count=f"{count:,}")

    def _wanted(self, best: Move, stats: Mapping[Move, MoveStats], first: str) -> tuple[list[Move], str]:
        """The moves that the dice allow, in the order of the dice, and why; ``first`` is the search's first choice."""
        if self._slips:
            others = [each for each in stats.values() if each.move != best]
            tried = [each.move for each in others if each.visits] or [each.move for each in others] or [best]
            return self._by_dice(tried), told("slips", first=first)
        natural = [each for each in self._natural if stats[each].proven is stats[best].proven is None]
        if natural:
            return natural, told("natural", first=first)
        if not self._lively:
            return [best], ""
        fewest, proof = _NEARLY * stats[best].visits, (stats[best].proven, stats[best].distance)
        near = [each.move for each in stats.values() if each.visits >= fewest and (each.proven, each.distance) == proof]
        return self._by_dice(near), told("lively", count=len(near), first=first)

    def _by_dice(self, moves: list[Move]) -> list[Move]:
        return sorted(moves, key=self._ranks.__getitem__)

    def _reply(self, stats: MoveStats) -> Move | None:
        """The reply with which the opponent would win at once after this move; None if there is none."""
        move = stats.move
        if self._compiled and stats.visits and stats.proven is not Value.LOSS:
            return None  # the compiled search looks one move ahead
        if move not in self._replies:
            self._replies[move] = next(iter(self._position.play(move).winning_moves), None)
        return self._replies[move]


@lru_cache(maxsize=16)
def _most_plies(game: Game) -> int:
    """The plies of the longest game; where nobody knows them, the number of first moves."""
    start = game.start()
    return kit_of(game).twin.longest_game(start) or len(start.legal_moves)


def _long_search(game: Game) -> int:
    """The simulations of a long search, to two digits."""
    count = _LONG_SEARCH / math.sqrt(_most_plies(game))
    return int(float(f"{count:.2g}"))


def _shuffled(count: int, dice: random.Random) -> list[int]:
    ranks = list(range(count))
    dice.shuffle(ranks)
    return ranks


class _ExactSource:
    """The exact answer at a position: from its theory, or from its solver within a number of positions."""

    def __init__(self, position: AnyPosition, seed: int) -> None:
        """Nothing is asked yet."""
        self._position, self._seed = position, seed
        self._nodes = _SOLVER_S * kit_of(position).solver_pace(position.game)
        self._solver: Solver | None = None
        self.began = False
        self._began_s = self.elapsed_s = 0.0
        self._over = False
        self.truth: Truth | None = None
        """The answer, once there is one."""

    def advance(self, time_s: float | None) -> bool:
        """Go on for at most ``time_s``; True once there is an answer, or none will come."""
        if self._solver is None:
            self.began = True
            self._solver = solver_for(self._position)
            self._solver.start(self._position)
            self._began_s = self._solver.truth().elapsed_s  # starting may compile
        while not self._over:
            begin = time.perf_counter()
            until_s = None if time_s is None else self._began_s + time_s
            complete = self._solver.advance(Limit(None, until_s, self._nodes))
            self.elapsed_s += time.perf_counter() - begin
            truth = self._solver.truth()
            self._over = complete or truth.nodes >= self._nodes
            # How long a loss by threats can be put off they do not say; the search finds out.
            unclear = truth.value is Value.LOSS and truth.threats is not None and truth.distance is None
            if self._over and truth.value is not Value.UNKNOWN and not unclear:
                self.truth = truth
            if time_s is not None and self.elapsed_s >= time_s:
                break
        return self._over

    def answered(self, snapshot: Snapshot) -> Snapshot:
        """The snapshot with the exact answer added: what is proven of each move, and which is best by that."""
        import numpy as np  # lazy: it comes with the search

        from nimdesk.search.choice import best_proven, precedence, resistance

        truth = self.truth
        assert truth is not None
        # Of equally good moves, the one that the search likes best asks most of the opponent.
        visits = np.array([each.visits for each in snapshot.moves])
        best = best_proven(self._position, truth.moves, visits, precedence(self._position, (self._seed,))[0])
        both = zip(snapshot.moves, truth.moves, strict=True)
        moves = tuple(_known(each, known, truth.forced) for each, known in both)
        trace = snapshot.trace
        if trace is not None and len(trace):
            choice = trace.choice.copy()
            choice[-1] = trace.moves.index(best.move)
            choice.flags.writeable = False
            trace = replace(trace, choice=choice)
        lasting = resistance(truth.moves, exact=True)
        more = resistance_sentence(best.move, lasting.longest, len(moves), exact=True) if lasting else ""
        return replace(
            snapshot,
            moves=moves,
            best_move=best.move,
            trace=trace,
            proven=truth.value,
            distance=truth.distance,
            resistance=lasting,
            stopped=StopReason.COMPLETE,
            comment=(truth.explanation or truth_sentence(truth)) + more,
        )


def _known(stats: MoveStats, known: MoveTruth, win: ForcedWin | None) -> MoveStats:
    """The search's statistics of a move, with what is proven of it added.

    Unless the search has proven as much itself, the line ends with the move: the rest may give the value away. That of
    a ``win`` by threats does not.
    """
    if known.value is Value.UNKNOWN:
        return stats
    line = stats.principal_variation if stats.proven is known.value else stats.principal_variation[:1]
    if win is not None and win.start.move == stats.move:
        line = win.line()
    return replace(stats, proven=known.value, distance=known.distance, principal_variation=line)


def search_below(snapshot: Snapshot) -> tuple[Agent, Snapshot]:
    """The search of a level that went on after the choice, as its own agent makes it: for who studies it further."""
    agent = Agent("mcts", MctsOptions(iterations=snapshot.iterations))
    own = replace(snapshot, agent=agent.name, best_move=snapshot.leader, comment="", chosen_after=None)
    return agent, own


def level_infos() -> tuple[AgentInfo, ...]:
    """The entries of the catalogue."""
    return tuple(_info(level) for level in LEVELS)


def _info(level: Level) -> AgentInfo:
    def make(_options: LevelOptions) -> Searcher:
        return LevelSearcher(level)

    def make_textbook(_options: LevelOptions) -> Searcher:
        return LevelSearcher(level, compiled=False)

    title = f"Level {level.number}, {level.title}"
    return AgentInfo(
        level.name,
        title,
        level.about,
        LevelOptions,
        make,
        _TRAITS,
        make_textbook,
        GROUP,
        in_short=level.in_short,
        edition=4,
    )


_TRAITS = Traits(counts="iterations", seed="seed")
