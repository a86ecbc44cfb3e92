"""nimdesk as a library, for scripts and notebooks: ``import nimdesk as nd``.

The functions have the names of the commands, and come to the same numbers:

    import nimdesk as nd

    search = nd.analyse("nim:3,4,5", "uct", iterations=100_000, seed=1)
    search.best_move, search.to_pandas()
    search.plot(truth=nd.solve("nim:3,4,5"))

What they return has a sentence (``finding``), a form for notebooks, ``to_pandas`` and ``plot``. Nothing here loads Qt.
Tables need pandas and curves matplotlib: ``pip install nimdesk[notebook]``.
"""

from __future__ import annotations

from nimdesk.agents import DEFAULT_AGENT, Agent, OptionValue
from nimdesk.api.answers import Comparison, Results, Search
from nimdesk.api.arguments import Where, Who, agent_of, position_of, whole
from nimdesk.api.exact import Elo, Grundy, Proof, Solution, elo, grundy, solve, verify
from nimdesk.api.experiments import atlas, compare, match, rate, study, tune
from nimdesk.api.games import PlayedGame, Review, SavedSearches, convert, open, play_game, review
from nimdesk.errors import OptionError
from nimdesk.formats import read_position
from nimdesk.games import AnyPosition
from nimdesk.plugins import games as games_of_packages
from nimdesk.search import drive

__all__ = [
    "Comparison",
    "Elo",
    "Grundy",
    "PlayedGame",
    "Proof",
    "Results",
    "Review",
    "SavedSearches",
    "Search",
    "Solution",
    "agent",
    "analyse",
    "atlas",
    "compare",
    "convert",
    "elo",
    "grundy",
    "match",
    "open",
    "play_game",
    "position",
    "rate",
    "review",
    "solve",
    "study",
    "tune",
    "verify",
]

games_of_packages.begin()


def position(text: str) -> AnyPosition:
    """The position in this notation, such as ``nim:1,3,5,7 2-3`` or ``mnk:3,3,3 b2``; ``NotationError``.

    It may be written as other programs do: ``4453`` are columns of Connect Four, ``mnk:15,15,5 h8i9`` cells, and
    ``mnk:15,15,5 8,8 9,7`` columns and rows from the top.
    """
    return read_position(text)[0] if isinstance(text, str) else position_of(text)


def agent(name: str, **options: OptionValue) -> Agent:
    """An agent of the catalogue or a published one, with options; ``OptionError``. ``nimdesk agents`` lists them.

    ``nd.agent("uct", exploration=0.5)`` and ``nd.agent("uct:exploration=0.5")`` are the same.
    """
    return agent_of(name, options)


def analyse(where: Where, who: Who = DEFAULT_AGENT, *, limit: int | None = None, **options: OptionValue) -> Search:
    """Search a position to the agent's own end; ``options`` are the agent's, such as ``iterations`` and ``seed``.

    A ``limit`` ends it after that many iterations in all, or nodes for an agent that does not sample, if that is
    sooner. The same position, options and seed give the same visits on every machine; without a seed each search has
    its own.
    """
    start, searching = position_of(where), agent_of(who, options)
    if start.outcome is not None:
        raise OptionError(f"There is nothing to search in {start.text}: the game is over.")
    end = None if limit is None else searching.counted(whole("limit", limit))
    searcher = searching.new_searcher(start)
    searcher.start(start, searching.new_seed())
    reason, snapshot = drive(searcher, end), searcher.snapshot()
    return Search(searching, snapshot if reason is None else snapshot.ended(reason))
