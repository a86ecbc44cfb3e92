"""The command line that repeats a search: what ``nimdesk analyse`` has to be told for the same numbers."""

from __future__ import annotations

import shlex

from nimdesk.agents import Agent, NumberField, SwitchField, make_agent
from nimdesk.games import AnyPosition


def rounds_of(position: AnyPosition, agent: Agent, iterations: int) -> int:
    """The playouts of each move that ``analyse_command`` asks for; 0 where the agent does not count whole rounds."""
    whole = any(field.name == "playouts" and isinstance(field, NumberField) for field in agent.info.fields)
    return max(1, -(-iterations // len(position.legal_moves))) if whole else 0


def analyse_command(
    position: AnyPosition, agent: Agent, seed: int, iterations: int, trace: str = "", *, nodes: int = 1
) -> str:
    """Searches ``position`` for as many iterations with this agent and seed; ``trace`` names a file for the curve.

    Limits of the agent itself are replaced by ``iterations``, or by ``nodes`` where it counts those. For flat Monte
    Carlo, which plays whole rounds, the curve may go on for less than a round more.
    """
    words = ["nimdesk", "analyse", *position.text.split(), "--agent", agent.name]
    usual = make_agent(agent.name).options
    for field in agent.info.fields:
        value = getattr(agent.options, field.name)
        flag = f"--{field.name.replace('_', '-')}"
        number = isinstance(field, NumberField)
        if field.name == "seed":
            words += [flag, str(seed)]
        elif field.name == "iterations":
            words += [flag, str(max(1, iterations))]
        elif field.name == "nodes":
            words += [flag, str(max(1, nodes))]
        elif field.name == "playouts" and number:
            words += [flag, str(rounds_of(position, agent, iterations))]
        elif value == getattr(usual, field.name):
            continue
        elif isinstance(field, SwitchField):
            words += [flag, "yes" if value else "no"]
        else:
            words += [flag, "" if value is None else repr(value) if number else str(value)]
    return shlex.join([*words, "--trace", trace] if trace else words)
