"""The command line that repeats a search: what ``nimdesk analyse`` has to be told for the same numbers."""

from __future__ import annotations

import shlex

from nimdesk.agents import Agent, OptionValue
from nimdesk.games import AnyPosition


def rounds_of(position: AnyPosition, agent: Agent, iterations: int) -> int:
    """The playouts of each move that ``analyse_command`` asks for; 0 where the agent does not count whole rounds."""
    return max(1, -(-iterations // len(position.legal_moves))) if agent.traits.per_move else 0


def analyse_command(
    position: AnyPosition, agent: Agent, seed: int, iterations: int, trace: str = "", *, nodes: int = 1
) -> str:
    """Searches ``position`` for as many iterations with this agent and seed; ``trace`` names a file for the curve.

    Limits of the agent itself are replaced by ``iterations``, or by ``nodes`` where it counts those. For flat Monte
    Carlo, which plays whole rounds, the curve may go on for less than a round more.
    """
    traits, given = agent.traits, dict[str | None, int]()
    if traits.budget is not None:
        spent = iterations if traits.counts == "iterations" else nodes
        given[traits.budget] = rounds_of(position, agent, iterations) or max(1, spent)
    given[traits.seed] = seed
    words = ["nimdesk", "analyse", *position.text.split(), "--agent", agent.name]
    changed = agent.changed_options
    for field in agent.info.fields:
        flag = f"--{field.name.replace('_', '-')}"
        if field.name in given:
            words += [flag, str(given[field.name])]
        elif field.name in changed:
            words += [flag, _typed(changed[field.name])]
    return shlex.join([*words, "--trace", trace] if trace else words)


def _typed(value: OptionValue) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else value if isinstance(value, str) else repr(value)
