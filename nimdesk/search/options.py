"""The options of each agent, declared once as data: type, bounds, default, title, explanation.

The forms of the window, the command line, the JSON form and the documentation are all derived from them.
"""

import math
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from nimdesk.games import Game, kit_of
from nimdesk.games.truth import MOST_TRIED
from nimdesk.search.bounds import Ucb1

MAX_ITERATIONS = 1_000_000_000
MAX_TIME_S = 86_400.0
MAX_SEED = 2**63 - 1
MAX_THREADS = 16
# How much of c counts where positions are evaluated: 0.3 of 0.7.
_EVALUATED = 3 / 7
CONFIRMED = 99
"""A search that goes on after its proof ends when the proven move has this many times the visits of all others."""

Ties = Literal["random", "first"]
"""Which of equal moves is played: one drawn by the seed, or the first in the list, as some documents have it."""

Seconds = Annotated[float, Meta(ge=0.01, le=MAX_TIME_S)]
Depth = Annotated[int, Meta(ge=1, le=768)]

SeedOption = Annotated[
    Annotated[int, Meta(ge=0, le=MAX_SEED)] | None,
    Meta(
        title="Seed",
        description="The same seed, position and options give the same search. Empty: a new seed for each move.",
        extra={"empty": "new each move"},
    ),
]
IterationsOption = Annotated[
    Annotated[int, Meta(ge=1, le=MAX_ITERATIONS)] | None,
    Meta(
        title="Iterations",
        description="Simulations for each move: select, expand, playout, back up. Empty: no such limit.",
        extra={"empty": "no limit"},
    ),
]
TimeOption = Annotated[
    Seconds | None,
    Meta(
        title="Seconds",
        description="Thinking time for each move. Empty: no such limit. With both, the first limit met counts.",
        extra={"empty": "no limit", "unit": "s"},
    ),
]
TiesOption = Annotated[
    Ties,
    Meta(
        title="Among equals",
        description="Which move is played where the search cannot tell several apart: one drawn by the seed, or the "
        "first in the list (documents 003 and 004), which favours some moves of games that are equal otherwise.",
        extra={"advanced": True, "labels": {"random": "By the seed", "first": "The first"}},
    ),
]
MemoryOption = Annotated[
    int,
    Meta(
        ge=8,
        le=16_384,
        title="Memory",
        description="The search tree may take this many megabytes; a full tree stops growing, the search goes on.",
        extra={"advanced": True, "unit": "MB"},
    ),
]


def _exploration(size: str, more: str = "") -> Meta:
    """The constant of UCT's bound; ``size`` says which values suit the search, ``more`` what else a form should."""
    note = "A larger c tries little-visited moves more often. It is for rewards from 0 (loss) to 1 (win)."
    return Meta(
        ge=0.0,
        le=100.0,
        title="Exploration c",
        description=f"The constant c in {Ucb1(1.0).formula}, on rewards from 0 (loss) to 1 (win). {size}",
        extra={"note": note + more},
    )


class AgentOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of the options of all agents."""


class RandomOptions(AgentOptions, frozen=True, kw_only=True):
    """Options of the agent that plays any legal move with equal probability."""

    seed: SeedOption = None


class SamplingOptions(AgentOptions, frozen=True, kw_only=True):
    """Base of the options of MCTS in all its forms: what ends a search, and c."""

    def __post_init__(self) -> None:
        """Check what the bounds of single fields cannot say."""
        iterations, time_s, exploration = (getattr(self, name) for name in ("iterations", "time_s", "exploration"))
        if iterations is None and time_s is None:
            raise ValueError("give a number of iterations, or seconds, or both")
        if not math.isfinite(exploration):
            raise ValueError("the exploration constant must be a number from 0 to 100")
        if time_s is not None and not math.isfinite(time_s):
            raise ValueError("the seconds must be a number")


class MctsOptions(SamplingOptions, frozen=True, kw_only=True):
    """Options of MCTS on a graph of positions, with proven values and ordered moves."""

    iterations: IterationsOption = 10_000
    time_s: TimeOption = None
    exploration: Annotated[
        float,
        _exploration(
            "Larger tries more moves, 0 is pure greed; the textbook's √2 ≈ 1.414 is more than this search needs. Where "
            "positions are evaluated, 3/7 of it counts: such values vary less than the results of playouts.",
            " Where positions are evaluated, 3/7 of it counts.",
        ),
    ] = 0.7
    seed: SeedOption = None
    merge: Annotated[
        bool,
        Meta(
            title="Merge equal positions",
            description="Positions that are the same, by another order of moves, of piles, or by turning the board, "
            "share what is known of them.",
            extra={"advanced": True},
        ),
    ] = True
    prove: Annotated[
        bool,
        Meta(
            title="Prove values",
            description="Finished games, immediate threats and, for 4 to 6 in a row without gravity, wins by one "
            "threat after the other are exact and are passed on as in minimax; what is settled gets no more visits, "
            "and the search ends when the position is proven.",
            extra={"advanced": True},
        ),
    ] = True
    stop_at_proof: Annotated[
        bool,
        Meta(
            title="Stop at the proof",
            description="A search that has proven the position ends. Without it, it goes on to visit the proven move, "
            "until that has 99 of 100 visits, so that the whole way of the curves can be seen.",
            extra={"advanced": True},
        ),
    ] = True
    order: Annotated[
        bool,
        Meta(
            title="Order moves",
            description="In m,n,k games the cells with the most promising lines come first, and a position opens few "
            "moves at a time. Without it all moves come in random order.",
            extra={"advanced": True},
        ),
    ] = True
    evaluate: Annotated[
        bool,
        Meta(
            title="Evaluate positions",
            description="For five in a row on 13 × 13 and more, what threatens in each cell tells how likely the side "
            "to move wins, and that stands in for a playout; how often it proves right is measured. Without it, and in "
            "all other games, there are playouts.",
            extra={"advanced": True},
        ),
    ] = True
    memory_mb: MemoryOption = 512

    def evaluates(self, game: Game) -> bool:
        """Whether positions of this game are evaluated, and not played out."""
        return self.evaluate and kit_of(game).twin.evaluates(game)

    def bound_in(self, game: Game) -> Ucb1:
        """What the search maximises in this game."""
        return Ucb1(self.exploration * (_EVALUATED if self.evaluates(game) else 1.0), chosen=self.exploration)


class TreeOptions(SamplingOptions, frozen=True, kw_only=True):
    """What UCT and its variants share."""

    iterations: IterationsOption = 10_000
    time_s: TimeOption = None
    exploration: Annotated[
        float,
        _exploration("√2 ≈ 1.414 is the textbook value; larger tries more moves, 0 is pure greed."),
    ] = math.sqrt(2.0)
    seed: SeedOption = None
    log_n: Annotated[
        Literal["parent", "root"],
        Meta(
            title="N in ln N",
            description="Whose visits the exploration term counts: those of the node's parent, as usual, or those of "
            "the root (document 003).",
            extra={"advanced": True, "labels": {"parent": "Parent", "root": "Root"}},
        ),
    ] = "parent"
    expansion: Annotated[
        Literal["random", "first", "neighbours"],
        Meta(
            title="Expansion",
            description="Which untried move joins the tree: a random one, the first one (document 003), or the cell "
            "with most occupied neighbours, ties random (document 002).",
            extra={
                "advanced": True,
                "labels": {"random": "Random", "first": "First", "neighbours": "Neighbours"},
            },
        ),
    ] = "random"
    playouts: Annotated[
        Literal["uniform", "zeroing", "perfect_opponent"],
        Meta(
            title="Playouts",
            description="How a simulation plays on to the end: all moves equally likely; or, in Nim, each side makes "
            "the nim-sum zero where it can and otherwise plays its first move (document 000); or, in Nim, the opponent "
            "plays perfectly (document 003).",
            extra={
                "advanced": True,
                "labels": {
                    "uniform": "Uniform",
                    "zeroing": "Zeroing",
                    "perfect_opponent": "Perfect foe",
                },
            },
        ),
    ] = "uniform"
    final: Annotated[
        Literal["visits", "mean", "secure"],
        Meta(
            title="Final choice",
            description="Which move is played in the end: most visits, best mean value, or the secure child: the "
            "largest mean - 1/√n.",
            extra={
                "advanced": True,
                "labels": {"visits": "Most visits", "mean": "Best mean", "secure": "Secure"},
            },
        ),
    ] = "visits"
    ties: TiesOption = "random"

    @property
    def bound(self) -> Ucb1:
        """What the search maximises."""
        return Ucb1(self.exploration, self.log_n == "root")

    @property
    def is_variant(self) -> bool:
        """Whether ln N, expansion or playouts are those of a document, and not those of the textbook."""
        return (self.log_n, self.expansion, self.playouts) != ("parent", "random", "uniform")


class UctOptions(TreeOptions, frozen=True, kw_only=True):
    """Options of MCTS with the UCT rule."""

    keep_tree: Annotated[
        bool,
        Meta(
            title="Keep the tree",
            description="Go on with the part of the last search's tree that belongs to the moves played since.",
            extra={"advanced": True},
        ),
    ] = False
    threads: Annotated[
        int,
        Meta(
            ge=1,
            le=MAX_THREADS,
            title="Threads",
            description="Trees that grow side by side, each on a thread of its own with its share of the iterations "
            "and the memory; the visits of their roots are added up.",
            extra={"advanced": True},
        ),
    ] = 1
    memory_mb: MemoryOption = 512


class VariantsOptions(TreeOptions, frozen=True, kw_only=True):
    """Options of UCT in all variants, the mistakes of implementations among them; with the defaults it is UCT."""

    backup: Annotated[
        Literal["turns", "root", "leaf", "inverted"],
        Meta(
            title="Back-up",
            description="For whom a node counts a result: for the side that moved into it, as is right; all nodes for "
            "the side to move at the root, or all for the side that moved last, both without a change of sign; or each "
            "for the wrong side.",
            extra={
                "labels": {"turns": "Right", "root": "For the root", "leaf": "For the leaf", "inverted": "Wrong side"},
            },
        ),
    ] = "turns"
    rewards: Annotated[
        Literal["one", "two"],
        Meta(
            title="Rewards",
            description="A win counts 1 and a loss 0, as c expects; or their difference is 2, as with 1 and -1 or 2 "
            "and 0, so that the same c explores half as much.",
            extra={"labels": {"one": "0 to 1", "two": "Twice that"}},
        ),
    ] = "one"
    growth: Annotated[
        Literal["one", "all"],
        Meta(
            title="Growth",
            description="A simulation adds one untried move to the tree; or, where it ends, all moves at once, one of "
            "which is played out, and moves without a visit are selected first, in the order of the list.",
            extra={"labels": {"one": "One move", "all": "All moves"}},
        ),
    ] = "one"
    kept_tree: Annotated[
        Literal["no", "right", "wrong"],
        Meta(
            title="Keep the tree",
            description="Begin each search anew; or go on with the part of the last search's tree that belongs to the "
            "moves played since; or do so, but take its wins for losses.",
            extra={"advanced": True, "labels": {"no": "No", "right": "Yes", "wrong": "For the wrong side"}},
        ),
    ] = "no"
    memory_mb: MemoryOption = 512

    @property
    def bound(self) -> Ucb1:
        """What the search maximises, on rewards from 0 to 1: with rewards twice as large, c is worth half."""
        c = self.exploration / 2 if self.rewards == "two" else self.exploration
        return Ucb1(c, self.log_n == "root", self.exploration)


class PerfectOptions(AgentOptions, frozen=True, kw_only=True):
    """Options of the agent that plays by theory (Nim) or by the exact solver (m,n,k)."""

    when_won: Annotated[
        Literal["quickest", "first"],
        Meta(
            title="When won",
            description="Which winning move to play: the one that wins soonest, or the first one (documents 000 and "
            "003), which on a board may be slow to finish.",
            extra={"labels": {"quickest": "Quickest", "first": "First move"}},
        ),
    ] = "quickest"
    when_lost: Annotated[
        Literal["longest", "random", "first"],
        Meta(
            title="When lost",
            description="What to play where every move loses: what delays the end longest, a random move (documents "
            "003 and 004), or the first move (document 000).",
            extra={"labels": {"longest": "Resist", "random": "Random", "first": "First move"}},
        ),
    ] = "longest"
    time_s: Annotated[
        Seconds,
        Meta(
            title="Solver seconds",
            description="How long the exact solver may work on a move of an m,n,k game; Nim needs no time.",
            extra={"unit": "s"},
        ),
    ] = 10.0
    seed: SeedOption = None


class ValueTableOptions(AgentOptions, frozen=True, kw_only=True):
    """The value table has no options: backward induction leaves nothing to choose."""


class CertificateOptions(AgentOptions, frozen=True, kw_only=True):
    """The player by certificate has no options: all answers stand in the certificate."""


class ThreatsOptions(AgentOptions, frozen=True, kw_only=True):
    """Options of the player that sees threats."""

    positions: Annotated[
        int,
        Meta(
            ge=1,
            le=1_000_000,
            title="Positions",
            description="Each search for a win by threats gives up after so many positions.",
        ),
    ] = MOST_TRIED
    seed: SeedOption = None


class FlatPerfectOptions(AgentOptions, frozen=True, kw_only=True):
    """Options of flat Monte Carlo against a perfect opponent."""

    playouts: Annotated[
        int,
        Meta(
            ge=1,
            le=100_000_000,
            title="Playouts a move",
            description="How many games are played out after each legal move; the move with the best mean is played. "
            "Published: 1,000 (document 003) and 10,000 (document 004).",
        ),
    ] = 1_000
    seed: SeedOption = None
    ties: TiesOption = "random"


class FlatOptions(FlatPerfectOptions, frozen=True, kw_only=True):
    """Options of flat Monte Carlo."""

    overshoot: Annotated[
        bool,
        Meta(
            title="Overshooting",
            description="A random move draws 1 to the largest take even where fewer sticks are left, and so ends the "
            "game more often than a random legal move would (document 004). One pile with a largest take only.",
            extra={"advanced": True},
        ),
    ] = False


class MinimaxOptions(AgentOptions, frozen=True, kw_only=True):
    """Options of minimax."""

    max_nodes: Annotated[
        int,
        Meta(
            ge=1,
            le=1_000_000_000,
            title="Node limit",
            description="The full tree is searched without pruning; a tree with more nodes than this is refused.",
        ),
    ] = 20_000_000


class AlphaBetaOptions(AgentOptions, frozen=True, kw_only=True):
    """Options of minimax with alpha-beta pruning."""

    depth: Annotated[
        Depth | None,
        Meta(
            title="Depth",
            description="How many moves ahead it looks; a position at the limit counts as a draw. Empty: to the end. "
            "Published (document 002): 6, and 4 where marked.",
            extra={"empty": "to the end"},
        ),
    ] = 6
    ordering: Annotated[
        Literal["neighbours", "none"],
        Meta(
            title="Move ordering",
            description="Cells with most occupied neighbours first (document 002), or row by row.",
            extra={"labels": {"neighbours": "Neighbours", "none": "Row by row"}},
        ),
    ] = "neighbours"
    time_s: Annotated[
        Seconds | None,
        Meta(
            title="Seconds",
            description="The longest thinking time for a move; then the best move so far is played. Empty: no limit.",
            extra={"empty": "no limit", "unit": "s"},
        ),
    ] = None


class DeepeningOptions(AgentOptions, frozen=True, kw_only=True):
    """Options of alpha-beta with iterative deepening."""

    nodes: Annotated[
        Annotated[int, Meta(ge=1, le=MAX_ITERATIONS)] | None,
        Meta(
            title="Nodes",
            description="How many nodes it searches for a move, all depths together. Empty: no such limit.",
            extra={"empty": "no limit"},
        ),
    ] = 1_000_000
    time_s: TimeOption = None
    seed: SeedOption = 0
    depth: Annotated[
        Depth | None,
        Meta(
            title="Largest depth",
            description="It looks 1 move ahead, then 2, and so on up to this. Empty: on to the end of the game.",
            extra={"empty": "to the end"},
        ),
    ] = None


class SolverOptions(AgentOptions, frozen=True, kw_only=True):
    """Options of the exact solver as a player."""

    time_s: Annotated[
        Seconds,
        Meta(
            title="Seconds",
            description="How long it may work on a move; what is not proven by then is unknown to it.",
            extra={"unit": "s"},
        ),
    ] = 10.0
    seed: SeedOption = 0
