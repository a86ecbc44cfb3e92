"""Many searches of one position in one call of a kernel, each with a seed of its own: what all kernels need for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nimdesk.games import AnyPosition
from nimdesk.kernels.memory.held import hold
from nimdesk.search.choice import precedence
from nimdesk.search.memory import on_own_lines
from nimdesk.search.options import AgentOptions, Ties

Choices = Callable[[Sequence[int]], NDArray[np.int16]]
"""Makes searches with these seeds; the columns of the moves that they would play at each budget, (seeds, budgets)."""

_NEVER = np.array([np.iinfo(np.int64).max], np.int64)


def without_checkpoints(search: Any) -> Any:
    """The same search on memory of its own, with a record of which no checkpoint is reached."""
    own = on_own_lines(search)
    return hold(own._replace(record=own.record._replace(at=_NEVER)))


def choices_of(run: Callable[..., None], position: AnyPosition, ties: Ties, budgets: Sequence[int]) -> Choices:
    """``run`` is a kernel that is given seeds, budgets, what decides among equals, and room for the choices."""
    points = np.array(budgets, np.int64)

    def choices(seeds: Sequence[int]) -> NDArray[np.int16]:
        made = np.empty((len(seeds), len(budgets)), np.int16)
        run(np.array(seeds, np.uint64), points, precedence(position, seeds, ties), made)
        return made

    return choices


def start_repeated(make_searcher: Callable[[Any], Any], options: AgentOptions, position: AnyPosition) -> None:
    """Have the kernels compiled, as another process does."""
    searcher = make_searcher(options)
    searcher.start(position, 0)
    searcher.repeated((1,))
