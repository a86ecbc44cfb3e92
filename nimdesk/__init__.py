"""nimdesk: a desktop laboratory for game-tree search, and a library of its searches (``nimdesk.api``).

In a script or a notebook: ``import nimdesk as nd``, then ``nd.analyse`` searches a position, ``nd.play_game`` plays
one game and ``nd.match`` many, ``nd.solve`` proves, ``nd.study`` repeats with many seeds, ``nd.open`` reads results.
They are not called ``search`` and ``play``, because packages are.
"""

from typing import TYPE_CHECKING

from nimdesk.version import __version__

if TYPE_CHECKING:
    from nimdesk.api import (
        Comparison,
        Elo,
        Grundy,
        PlayedGame,
        Proof,
        Results,
        Review,
        SavedSearches,
        Search,
        Solution,
        agent,
        analyse,
        atlas,
        compare,
        convert,
        elo,
        grundy,
        match,
        open,
        play_game,
        position,
        rate,
        review,
        solve,
        study,
        tune,
        verify,
    )

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
    "__version__",
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


def __getattr__(name: str) -> object:
    """The library, loaded when it is first used: the window and most commands do without."""
    if name not in __all__:
        raise AttributeError(f"module 'nimdesk' has no attribute '{name}'")
    from nimdesk import api  # lazy, as said

    return getattr(api, name)


def __dir__() -> list[str]:
    """The library alone, which is what the Tab key offers; packages such as ``nimdesk.games`` are imported by name."""
    return list(__all__)
