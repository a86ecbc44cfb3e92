"""What scripts pass to the library: positions, agents and numbers in whatever form, or a sentence that refuses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from msgspec import UNSET

from nimdesk.agents import Agent, agent_with
from nimdesk.agents.fields import is_bool, real_field, whole_field
from nimdesk.agents.naming import agent_from_text, agent_named
from nimdesk.errors import OptionError, quoted, suggestion
from nimdesk.experiments.atlas.games import atlas_set, is_atlas_game
from nimdesk.experiments.atlas.work import AtlasSet
from nimdesk.experiments.budgets import parse_budgets
from nimdesk.experiments.openings import after, check_begin
from nimdesk.experiments.openings import openings as read_openings
from nimdesk.experiments.parts import MAX_BUDGET, MAX_REPEATS
from nimdesk.experiments.statistics import Sprt
from nimdesk.experiments.strength import MOST
from nimdesk.experiments.tuning import MOST_SETTINGS
from nimdesk.games import AnyPosition, parse_position
from nimdesk.games.take.codes import MOST_HEAP
from nimdesk.limit import MAX_COUNT
from nimdesk.search.options import MAX_SEED, MAX_TIME_S

Where = str | AnyPosition
"""A position, or its notation."""
Who = str | Agent
"""An agent, or its name in the catalogue or among the published ones."""

_WHOLE = {
    "budget": (1, MAX_COUNT),
    "budgets": (1, MAX_BUDGET),
    "columns_from": (0, 1),
    "confirm": (1, MAX_REPEATS),
    "counts": (0, MOST),
    "games": (1, MAX_REPEATS),
    "limit": (1, MAX_COUNT),
    "heaps": (0, MOST_HEAP),
    "opening_plies": (0, 100),
    "plies": (0, 100),
    "seed": (0, MAX_SEED),
    "seeds": (1, MAX_REPEATS),
    "settings": (2, MOST_SETTINGS),
    "solver_nodes": (1, 1_000_000_000),
    "threads": (1, 256),
    "to": (1, MOST_HEAP),
    "values": (2, MOST_SETTINGS),
}
_REAL = {
    "alpha": (0.0, 0.5),
    "elo1": (-4_000.0, 4_000.0),
    "exact_s": (0.0, MAX_TIME_S),
    "sprt": (-4_000.0, 4_000.0),
    "time_s": (0.01, MAX_TIME_S),
}
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


def yes_or_no(name: str, value: object) -> bool:
    """The truth value of this argument, be it of Python or of NumPy; ``OptionError``."""
    if not is_bool(value):
        raise OptionError(f"The argument {name} is {quoted(str(value))}; it must be True or False.")
    return bool(value)


def choice(name: str, value: object, allowed: Sequence[str]) -> str:
    """One of a few words; ``OptionError`` lists them."""
    if not isinstance(value, str) or value not in allowed:
        hint = suggestion(str(value), allowed, f"it must be one of: {', '.join(allowed)}.")
        raise OptionError(f"The argument {name} is {quoted(str(value))}; {hint}")
    return value


def words_of(name: str, value: object) -> str:
    """The text of this argument; ``OptionError``."""
    if not isinstance(value, str):
        raise OptionError(f"The argument {name} is {quoted(str(value))}; it must be a text.")
    return value


def sprt_of(sprt: object, alpha: object, pairs: object) -> Sprt | None:
    """The test of two Elo differences, such as (0, 50); None for none. ``OptionError``."""
    errors, by_pairs = real("alpha", alpha), yes_or_no("pairs", pairs)
    if sprt is None:
        if by_pairs:
            raise OptionError("The argument pairs says what sprt counts; it goes with sprt=(ELO0, ELO1).")
        return None
    ends = list(several(sprt))
    if len(ends) != 2:
        raise OptionError(f"The argument sprt is {quoted(str(sprt))}; it must be two Elo differences, such as (0, 50).")
    elo0, elo1 = (real("sprt", end) for end in ends)
    try:
        return Sprt(elo0=elo0, elo1=elo1, alpha=errors, beta=errors, unit="pairs" if by_pairs else UNSET)
    except ValueError as error:
        raise OptionError(f"The argument sprt is {quoted(str(sprt))}; {error}.") from None


def opened(positions: object, openings: object) -> list[str]:
    """The positions from which games start: those given, or what each of the ``openings`` makes of them.

    An opening is moves in notation, played from each position, or a position that begins from one of them. A ``Path``
    is a file of openings, which needs no positions where it has some. ``OptionError`` for what is neither;
    ``NotationError`` for moves that cannot be played.
    """
    needed = positions is not None or not isinstance(openings, Path)
    starts = [each.text for each in positions_of(positions)] if needed else []
    if openings is None:
        return starts
    if isinstance(openings, Path):
        return read_openings(openings, starts)[0]
    given = [each.text if hasattr(each, "legal_moves") else words_of("openings", each) for each in several(openings)]
    if not given:
        raise OptionError("The argument openings is empty; it must have one at least.")
    found = [position for opening in given for position in after(opening, starts)]
    check_begin(found, starts)
    return [position.text for position in found]


def budget_of(budget: object) -> str:
    """The budget of a move as commands have it: a number, or a time such as ``20ms``; ``OptionError``."""
    return budget if isinstance(budget, str) else str(whole("budget", budget))


def budgets_of(given: object) -> tuple[int, ...]:
    """Budgets as numbers, one or several, or as the command line has them; in increasing order, each once."""
    if isinstance(given, str):
        return parse_budgets(given)
    found = tuple(sorted({whole("budgets", each) for each in several(given)}))
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
    found = [position_of(where)] if hasattr(where, "legal_moves") else [position_of(each) for each in several(where)]
    if not found:
        raise OptionError("No position is given; there must be one at least, such as “nim:3,4,5”.")
    return found


def atlas_sets_of(games: object, plies: int | None) -> list[AtlasSet]:
    """The sets of positions of these names or positions; ``OptionError`` or ``NotationError``."""
    found = []
    for each in [games] if hasattr(games, "legal_moves") else several(games):
        name = each if isinstance(each, str) and is_atlas_game(each) else position_of(each).text
        found.append(atlas_set(name, plies))
    if not found:
        raise OptionError("The argument games is empty; it must have one at least, such as “3,3,3”.")
    return found


def agent_of(who: object, options: Mapping[str, object] | None = None) -> Agent:
    """The agent of this name, as ``uct`` or ``uct:exploration=0.5``, or the agent itself; ``OptionError``."""
    if isinstance(who, str):
        if ":" not in who:
            return agent_with(agent_named(who), options or {})
        if options:
            raise OptionError(f"The options of {quoted(who)} stand after its colon; give all of them there.")
        return agent_from_text(who)
    if not isinstance(who, Agent):
        raise OptionError(f"An agent is given by its name, or made by nd.agent; {quoted(str(who))} is neither.")
    if options:
        raise OptionError("Options go with the name of an agent; this one has its own already.")
    return who


def agents_of(who: object) -> list[Agent]:
    """One agent or several."""
    found = [agent_of(who)] if isinstance(who, Agent) else [agent_of(each) for each in several(who)]
    if not found:
        raise OptionError("No agent is given; there must be one at least, such as “uct”.")
    return found


def texts_of(ranges: object) -> list[str]:
    """One range of an option's values or several, as texts; ``OptionError``."""
    found = list(several(ranges))
    if not found or not all(isinstance(each, str) for each in found):
        raise OptionError(f"A range is written as in exploration=0.1..3; {quoted(str(ranges))} is none.")
    return found


def file_of(file: object) -> Path | None:
    """The file of this name, or None; ``OptionError``."""
    return None if file is None else path_of(file)


def path_of(file: object) -> Path:
    """The file of this name; ``OptionError``."""
    try:
        path = Path(file)  # type: ignore[arg-type]
    except TypeError:
        raise OptionError(
            f"A file is given by its name, as a text or a path; {quoted(str(file))} is neither."
        ) from None
    if not path.name or "\0" in str(path):
        raise OptionError(f"{quoted(str(file))} is no name of a file.")
    return path


def several(given: object) -> Iterable[Any]:
    """The values to go through: an iterable as it is, a text or anything else as the only value."""
    if isinstance(given, str | bytes) or not isinstance(given, Iterable) or not getattr(given, "ndim", 1):
        return [given]
    return given
