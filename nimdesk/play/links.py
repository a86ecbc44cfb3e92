"""A position, or searches of it, as one line of text that opens again: ``nimdesk://show?position=mnk:3,3,3+b2``.

With searches it has ``search=uct:exploration=0.5,seed=7`` for each, and how far they went, as ``iterations=10000``. A
link names and shows; it runs nothing by itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import NamedTuple
from urllib.parse import parse_qsl, quote_plus, urlencode, urlsplit

from nimdesk.agents import Agent
from nimdesk.agents.naming import agent_from_label
from nimdesk.errors import NotationError, OptionError, quoted
from nimdesk.games import AnyPosition, parse_position
from nimdesk.play.laboratory import MAX_AGENTS

SCHEME = "nimdesk"
_SHOW = "show"
_MOST_LETTERS = 8_000
COSTS = ("iterations", "nodes", "playouts", "seconds")
"""What a limit may be counted in."""


class SharedSearch(NamedTuple):
    """An agent without limits of its own, and the seed of its search."""

    agent: Agent
    seed: int

    @property
    def label(self) -> str:
        """Both in a word, such as ``uct:exploration=0.5,seed=7``."""
        label, option = self.agent.label, self.agent.traits.seed
        return label if option is None else f"{label}{',' if ':' in label else ':'}{option}={self.seed}"


class Link(NamedTuple):
    """What a link shows; ``limit`` is how far the searches went, with what it is counted in."""

    position: AnyPosition
    searches: tuple[SharedSearch, ...] = ()
    limit: tuple[str, float] | None = None

    @property
    def text(self) -> str:
        """The link itself."""
        given = [("position", self.position.text)]
        given += [("search", each.label) for each in self.searches]
        if self.searches and self.limit is not None:
            given.append((self.limit[0], f"{self.limit[1]:.15g}"))
        return f"{SCHEME}://{_SHOW}?{urlencode(given, safe=':,=', quote_via=quote_plus)}"


def is_link(text: str) -> bool:
    """Whether this is meant to be a link of nimdesk."""
    return text.strip().casefold().startswith(f"{SCHEME}:")


def read_link(text: str) -> Link:
    """What the link shows; ``NimdeskError``, one sentence, for one that shows nothing."""
    text = text.strip()
    if len(text) > _MOST_LETTERS:
        raise NotationError(f"The link {quoted(text)} is longer than {_MOST_LETTERS:,} letters.")
    try:
        split = urlsplit(text)
        given = parse_qsl(split.query, keep_blank_values=True, max_num_fields=2 * MAX_AGENTS + len(COSTS))
    except ValueError:
        raise _wrong(text) from None
    known = {"position", "search", *COSTS}
    if split.scheme != SCHEME or split.netloc != _SHOW or any(name not in known for name, _ in given):
        raise _wrong(text)
    positions = [value for name, value in given if name == "position"]
    searches = tuple(_search(value) for name, value in given if name == "search")
    if len(positions) != 1 or len(searches) > MAX_AGENTS:
        raise _wrong(text)
    return Link(parse_position(positions[0]), searches, _limit(given))


def _wrong(text: str) -> NotationError:
    how = f"{SCHEME}://{_SHOW}?position=mnk:3,3,3+b2"
    return NotationError(f"The link {quoted(text)} is not understood; one is written as {how}.")


def _limit(given: Sequence[tuple[str, str]]) -> tuple[str, float] | None:
    for name, value in given:
        if name in COSTS:
            try:
                number = float(value)
            except ValueError:
                number = 0.0
            if not (isfinite(number) and number > 0):
                raise OptionError(f"The {name} of a link are a number above 0, not {quoted(value)}.")
            return name, number
    return None


def _search(label: str) -> SharedSearch:
    """The agent of a label such as ``uct:exploration=0.5,seed=7``; ``OptionError``."""
    agent = agent_from_label(label)
    seed = 0 if agent.traits.seed is None else getattr(agent.options, agent.traits.seed) or 0
    return SharedSearch(agent.unlimited(), int(seed))
