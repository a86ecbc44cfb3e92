"""The agents under study: what is left of their options when the laboratory sets the limits and the seeds."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
from msgspec.structs import replace

from nimdesk.agents import Agent, NumberField, make_agent, make_options
from nimdesk.agents.fields import OptionValue
from nimdesk.search import Choice

MAX_AGENTS = 4
LETTERS = "ABCD"
_RULES: dict[str, Choice] = {"visits": "visits", "mean": "mean", "secure": "secure"}
_MEMORY_MB = 256
"""Of each tree, unless a person says otherwise: four of them run side by side."""


@dataclass(frozen=True, slots=True)
class Studied:
    """One agent under study, without limits of its own, and the seed of its search."""

    agent: Agent
    seed: int

    @property
    def title(self) -> str:
        """Its name, with the options that are not as usual, such as "MCTS, Exploration c 0.5"."""
        return title_of(self.agent)

    @property
    def rule(self) -> Choice:
        """How it chooses from its root statistics."""
        if self.agent.name.startswith("flat"):
            return "mean"
        return _RULES.get(getattr(self.agent.options, "final", "visits"), "visits")

    @property
    def exploration(self) -> float | None:
        """The constant c of UCT's bound; None for agents that do not search by it."""
        value = getattr(self.agent.options, "exploration", None)
        return float(value) if isinstance(value, int | float) else None


def hidden_options(agent: Agent) -> frozenset[str]:
    """The options that the laboratory sets: the seed, and limits that can be lifted."""
    return frozenset({"seed", *_lifted(agent)})


def unlimited(agent: Agent) -> Agent:
    """The same agent, with its limits lifted as far as they go and no seed of its own."""
    values = msgspec.structs.asdict(agent.options) | _lifted(agent)
    if "seed" in values:
        values["seed"] = None
    return replace(agent, options=make_options(agent.info.options_type, values))


def new_agent(name: str) -> Agent:
    """An agent of the catalogue with its usual options, without limits."""
    agent = make_agent(name)
    if any(field.name == "memory_mb" for field in agent.info.fields):
        agent = make_agent(name, {"memory_mb": _MEMORY_MB})
    return unlimited(agent)


def title_of(agent: Agent) -> str:
    """The agent's name, with the options that differ from a new one's."""
    usual, parts = new_agent(agent.name), [agent.info.title]
    for field in agent.info.fields:
        value: OptionValue = getattr(agent.options, field.name)
        if value == getattr(usual.options, field.name) or field.name == "memory_mb":
            continue
        if isinstance(value, bool):
            parts.append(field.title if value else f"not {field.title}")
        elif isinstance(value, str):
            parts.append(f"{field.title}: {dict(getattr(field, 'choices', ())).get(value, value)}")
        else:
            parts.append(f"{field.title} {'none' if value is None else f'{value:g}'}")
    return ", ".join(parts)


def _lifted(agent: Agent) -> dict[str, OptionValue]:
    lifted: dict[str, OptionValue] = {}
    for field in agent.info.fields:
        if not isinstance(field, NumberField):
            continue
        if field.name in ("iterations", "playouts"):
            lifted[field.name] = field.maximum
        elif field.name in ("time_s", "nodes") and field.optional:
            lifted[field.name] = None
    return lifted
