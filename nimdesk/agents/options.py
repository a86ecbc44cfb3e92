"""The options of each agent, declared once as data: type, bounds, default, title, explanation.

The players dock, the command line, the JSON form and the documentation are all derived from these declarations.
"""

import math
from typing import Annotated

import msgspec
from msgspec import Meta

MAX_ITERATIONS = 1_000_000_000
MAX_TIME_S = 86_400.0
MAX_SEED = 2**63 - 1

SeedOption = Annotated[
    Annotated[int, Meta(ge=0, le=MAX_SEED)] | None,
    Meta(
        title="Seed",
        description="The same seed, position and options give the same search. Empty: a new seed for each move.",
        extra={"empty": "new each move"},
    ),
]


class AgentOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base of the options of all agents."""


class RandomOptions(AgentOptions, frozen=True, kw_only=True):
    """Options of the agent that plays any legal move with equal probability."""

    seed: SeedOption = None


class UctOptions(AgentOptions, frozen=True, kw_only=True):
    """Options of MCTS with the UCT rule."""

    iterations: Annotated[
        Annotated[int, Meta(ge=1, le=MAX_ITERATIONS)] | None,
        Meta(
            title="Iterations",
            description="Simulations for each move: select, expand, playout, back up. Empty: no such limit.",
            extra={"empty": "no limit"},
        ),
    ] = 10_000
    time_s: Annotated[
        Annotated[float, Meta(ge=0.01, le=MAX_TIME_S)] | None,
        Meta(
            title="Seconds",
            description="Thinking time for each move. Empty: no such limit. With both, the first limit met counts.",
            extra={"empty": "no limit", "unit": "s"},
        ),
    ] = None
    exploration: Annotated[
        float,
        Meta(
            ge=0.0,
            le=100.0,
            title="Exploration c",
            description="The constant c in mean + c · √(ln N / n), on rewards from 0 (loss) to 1 (win). "
            "√2 ≈ 1.414 is the textbook value; larger tries more moves, 0 is pure greed.",
        ),
    ] = math.sqrt(2.0)
    seed: SeedOption = None
    memory_mb: Annotated[
        int,
        Meta(
            ge=8,
            le=16_384,
            title="Memory",
            description="The search tree may take this many megabytes; a full tree stops growing, the search goes on.",
            extra={"unit": "MB"},
        ),
    ] = 512

    def __post_init__(self) -> None:
        """What bounds on single fields cannot say."""
        if self.iterations is None and self.time_s is None:
            raise ValueError("give a number of iterations, or seconds, or both")
        if not math.isfinite(self.exploration):
            raise ValueError("the exploration constant must be a number from 0 to 100")
        if self.time_s is not None and not math.isfinite(self.time_s):
            raise ValueError("the seconds must be a number")
