"""What scripts pass to the library: positions, agents and numbers in whatever form, or a sentence that refuses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, cast

from nimdesk.agents import CATALOGUE, PUBLISHED, Agent, agent_with, load_plugins
from nimdesk.agents.fields import real_field, whole_field
from nimdesk.errors import OptionError, quoted
from nimdesk.experiments.budgets import parse_budgets
from nimdesk.experiments.parts import MAX_BUDGET, MAX_REPEATS
from nimdesk.experiments.tuning import MOST_SETTINGS
from nimdesk.games import AnyPosition, parse_position
from nimdesk.limit import MAX_COUNT
from nimdesk.search.options import MAX_SEED, MAX_TIME_S

Where = str | AnyPosition
"""A position, or its notation."""
Who = str | Agent
"""An agent, or its name in the catalogue or among the published ones."""

_WHOLE = {
    "budgets": (1, MAX_BUDGET),
    "confirm": (1, MAX_REPEATS),
    "games": (1, MAX_REPEATS),
    "limit": (1, MAX_COUNT),
    "opening_plies": (0, 100),
    "seed": (0, MAX_SEED),
    "seeds": (1, MAX_REPEATS),
    "settings": (2, MOST_SETTINGS),
    "solver_nodes": (1, 1_000_000_000),
    "threads": (1, 256),
    "values": (2, MOST_SETTINGS),
}
_REAL = {"alpha": (0.0, 0.5), "elo1": (-4_000.0, 4_000.0), "time_s": (0.01, MAX_TIME_S)}
"""The arguments that are numbers, with their bounds."""


def whole(name: str, value: object) -> int:
    """The whole number of this argument, be it of Python, of NumPy or 1e5; ``OptionError``."""
    least, most = _WHOLE[name]
    number = whole_field(name, f"The argument {name}", "", least, least, most).check(value)
    assert isinstance(number, int)
    return number


def real(name: str, value: object) -> float:
    """The real number of this argument; ``OptionError``."""
    least, most = _REAL[name]
    number = real_field(f"The argument {name}", least, least, most).check(value)
    assert isinstance(number, float)
    return number


def budgets_of(given: object) -> tuple[int, ...]:
    """Budgets as numbers, one or several, or as the command line has them; in increasing order, each once."""
    if isinstance(given, str):
        return parse_budgets(given)
    found = tuple(sorted({whole("budgets", each) for each in _several(given)}))
    if not found:
        raise OptionError("The argument budgets is empty; it must have a number at least.")
    return found


def position_of(where: object) -> AnyPosition:
    """The position; ``NotationError`` for a text that names none, ``OptionError`` for what is neither."""
    if isinstance(where, str):
        return parse_position(where)
    if not hasattr(where, "legal_moves"):
        raise OptionError(
            f"A position is written as in nim:3,4,5, or made by nd.position; {quoted(str(where))} is neither."
        )
    return cast(AnyPosition, where)


def positions_of(where: object) -> list[AnyPosition]:
    """One position or several."""
    return [position_of(where)] if hasattr(where, "legal_moves") else [position_of(each) for each in _several(where)]


def agent_of(who: object, options: Mapping[str, object] | None = None) -> Agent:
    """The agent of this name with these options, or the agent itself, which has its own; ``OptionError``."""
    if isinstance(who, str):
        if who not in PUBLISHED and who not in CATALOGUE:
            load_plugins()
        return agent_with(who, options or {})
    if not isinstance(who, Agent):
        raise OptionError(f"An agent is given by its name, or made by nd.agent; {quoted(str(who))} is neither.")
    if options:
        raise OptionError("Options go with the name of an agent; this one has its own already.")
    return who


def agents_of(who: object) -> list[Agent]:
    """One agent or several."""
    return [agent_of(who)] if isinstance(who, Agent) else [agent_of(each) for each in _several(who)]


def texts_of(ranges: object) -> list[str]:
    """One range of an option's values or several, as texts; ``OptionError``."""
    found = list(_several(ranges))
    if not found or not all(isinstance(each, str) for each in found):
        raise OptionError(f"A range is written as in exploration=0.1..3; {quoted(str(ranges))} is none.")
    return found


def path_of(file: object) -> Path:
    """The file of this name; ``OptionError``."""
    try:
        return Path(file)  # type: ignore[arg-type]
    except TypeError:
        raise OptionError(
            f"A file is given by its name, as a text or a path; {quoted(str(file))} is neither."
        ) from None


def _several(given: object) -> Iterable[Any]:
    """The values to go through: an iterable as it is, a text or anything else as the only value."""
    if isinstance(given, str) or not isinstance(given, Iterable) or not getattr(given, "ndim", 1):
        return [given]
    return given
