"""Searches of other packages: a function that yields checkpoints, or an object with such a method."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from nimdesk.agents.plugin_options import BUDGETS, SearchOptions, declared
from nimdesk.errors import OptionError
from nimdesk.games import AnyPosition
from nimdesk.plugins.protocol import Greeting

_LONGEST = 1000


@dataclass(frozen=True, slots=True)
class Search:
    """A loaded search: its generator function, its options, and how it greets."""

    generate: Callable[[AnyPosition, Any, int], Iterator[object]]
    options_type: type[SearchOptions]
    greeting: Greeting


def as_search(found: object) -> Search | None:
    """The search that this object is; None for an agent that only chooses. ``OptionError``: what is wrong with it."""
    generate: Any = found if inspect.isgeneratorfunction(found) else getattr(found, "search", None)
    if not callable(generate):
        return None
    own: Any = found
    title = getattr(own, "title", None) or getattr(own, "__name__", None) or type(own).__name__
    about = getattr(own, "about", None) or (inspect.getdoc(generate) or "").partition("\n")[0]
    counts: Any = getattr(own, "counts", "iterations")
    if counts not in BUDGETS:
        raise OptionError("has counts that are neither “iterations” nor “nodes” nor None")
    if not isinstance(title, str) or not isinstance(about, str):
        raise OptionError("has a title or an about that is no text")
    options_type = getattr(own, "options_type", SearchOptions)
    chooses: Literal["visits", "mean"] | None = getattr(own, "chooses", "visits" if counts == "iterations" else None)
    greeting = Greeting(
        protocol="nimdesk-search",
        version=1,
        name=title[:60],
        about=about[:_LONGEST],
        counts=counts,
        samples=bool(getattr(own, "samples", True)),
        games=tuple(getattr(own, "games", ())),
        options=declared(options_type, SearchOptions, BUDGETS[counts]),
        tree=bool(getattr(own, "tree", False)),
        chooses=chooses,
    )
    return Search(generate, options_type, greeting)
