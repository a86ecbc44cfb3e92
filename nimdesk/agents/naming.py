"""Agents as people write them, in a word with options, checked by the same fields as the window's forms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from nimdesk.agents.agent import CATALOGUE, Agent
from nimdesk.agents.catalogue import agent_info, load_plugins
from nimdesk.agents.published import PUBLISHED, agent_with
from nimdesk.errors import OptionError, quoted, suggestion

HUMAN = "human"
"""A person, where players are named."""


def flag(name: str) -> str:
    """The flag of an option: ``--time-s`` for ``time_s``."""
    return f"--{name.replace('_', '-')}"


def agent_from_flags(agent_text: str, given: Mapping[str, str]) -> Agent:
    """The agent with the options as typed, also after its name, as the window's forms check them.

    ``OptionError`` for an unknown agent, an option that this agent does not have, or a value out of bounds.
    """
    name, _, options = agent_text.partition(":")
    return _agent(agent_named(name), {**_options(options, agent_text), **given})


def agent_from_label(label: str) -> Agent:
    """The agent that has this label, by its very name: of the plug-ins, one of that name alone is loaded."""
    name, _, options = label.partition(":")
    return _agent(name, _options(options, label))


def _agent(name: str, given: Mapping[str, str]) -> Agent:
    own = PUBLISHED[name].agent_name if name in PUBLISHED else name
    fields = {field.name: field for field in agent_info(own).fields}
    for option in given:
        if option not in fields:
            has = ", ".join(map(flag, fields)) or "none"
            raise OptionError(f"The agent {own} has no option {flag(option)}; it has: {has}.")
    return agent_with(name, {option: fields[option].parse(text) for option, text in given.items()})


def agent_from_text(text: str) -> Agent:
    """An agent as one word: ``uct``, ``uct-002`` or ``uct:iterations=500,exploration=1.0``."""
    return agent_from_flags(text, {})


def _options(options: str, text: str) -> dict[str, str]:
    given: dict[str, str] = {}
    for word in filter(None, options.split(",")):
        option, equals, value = word.partition("=")
        if not equals:
            raise OptionError(
                f"“{word}” in “{text}” is not understood; write option=value, such as uct:iterations=500."
            )
        given[option.strip().replace("-", "_")] = value
    return given


def check_free(name: str) -> None:
    """``OptionError`` if a person, or an agent that is known by now, is called so."""
    if name in (HUMAN, *PUBLISHED, *CATALOGUE):
        raise OptionError(f"There is an agent {quoted(name)} already; choose another name.")


def agent_named(text: str, also: Sequence[str] = ()) -> str:
    """The agent that a person means, by its name or by the title that the window shows.

    Plug-ins are loaded only for an unknown name: first the one of that name, then all, for their titles.
    """
    wanted = text.strip().lower()
    for load in (None, partial(load_plugins, only=wanted), load_plugins):
        if load is not None:
            load()
        names = {info.title.lower(): info.name for info in CATALOGUE.values()}
        names |= {name: name for name in (*also, *PUBLISHED, *CATALOGUE)}
        if wanted in names:
            return names[wanted]
    hint = suggestion(
        wanted,
        names,
        f"there are: {', '.join((*also, *CATALOGUE))}; “nimdesk agents” lists the published too.",
        meaning=names,
    )
    raise OptionError(f"There is no agent “{text}”; {hint}")
