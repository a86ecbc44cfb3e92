"""Document 004: win fractions of random games after each first move of the game of 21, and where they mislead."""

from __future__ import annotations

from functools import cache

from nimdesk.experiments.plan import Plan, PlayerPart, SearchPart, new_plan
from nimdesk.experiments.published.figures import BuiltIn, Figure

_PLAYER = "Flat Monte Carlo"
_LARGEST_TAKE = 3
_REPEATS = 500
_SIZES = range(1, 22)


def _position(sticks: int) -> str:
    return f"nim:{sticks}:max{_LARGEST_TAKE}"


@cache
def win_fraction(left: int) -> float:
    """The chance that who moves next loses, with so many sticks left, when both take 1 to 3 at random.

    As in the document's program a number above what is left takes all of it. This is the exact value of the fraction
    that the program estimates for a move that leaves ``left``.
    """
    if left <= 0:
        return 1.0
    return sum(1.0 - win_fraction(left - take) for take in range(1, _LARGEST_TAKE + 1)) / _LARGEST_TAKE


def _plan() -> Plan:
    return new_plan(
        "004-reliability",
        {_PLAYER: PlayerPart(agent="flat-004")},
        title="Document 004: win fractions and reliability",
        searches=[SearchPart(players=[_PLAYER], positions=[_position(size) for size in _SIZES], repeats=_REPEATS)],
    )


def _fractions() -> tuple[Figure, ...]:
    figures = []
    for size in _SIZES:
        for take in range(1, min(size, _LARGEST_TAKE) + 1):
            exact = win_fraction(size - take)
            all_of_it = take == size
            figures.append(
                Figure(
                    (_PLAYER, _position(size)),
                    "mean value",
                    "100 %" if all_of_it else f"exact: {exact:.4f}",
                    exact,
                    exact,
                    # Of this many random games is the mean; what is left of chance widens the exact value.
                    games=_REPEATS * 10_000,
                    move=f"1-{take}",
                    note="" if all_of_it else "Not printed; the exact chance of the random game.",
                )
            )
    return tuple(figures)


def _chosen(size: int, take: int, printed: str, note: str) -> Figure:
    return Figure((_PLAYER, _position(size)), "chosen", printed, 1.0, 1.0, move=f"1-{take}", note=note)


def _reliable(size: int, printed: str, low: float | None = None, high: float | None = None) -> Figure:
    return Figure((_PLAYER, _position(size)), "right choices", printed, low, high)


RELIABILITY = BuiltIn(
    name="004-reliability",
    title="The game of 21: how far can random games be trusted?",
    about="For 1 to 21 sticks, 500 times 10,000 random games after each first move: the share of games won, which "
    "move has the best one, and how often that is the right one.",
    source="Document 004, “Nim (Monte Carlo)”, sections Implementation and Observations from the Monte Carlo "
    "algorithm.",
    minutes=0.15,
    make_plan=_plan,
    figures=(
        _chosen(4, 1, "chooses to remove 1", "By theory every move loses from 4."),
        _chosen(5, 1, "removes 1", "The only move that wins."),
        *(_reliable(size, "reliably optimal below 10") for size in (6, 7, 9)),
        _reliable(10, "reliably optimal", 0.99, 1.0),
        *(_reliable(size, "optimal “more frequently” from here on down") for size in (13, 14, 15)),
        *(_reliable(size, "“a poor job”") for size in (17, 18, 19, 21)),
        *_fractions(),
    ),
    choices=(
        "A random move draws 1 to 3 whatever is left, as in the document's program; the move that is evaluated is a "
        "legal one here, where the program also tries to take more than there is.",
        "A multiple of four is lost whatever is played, so that nothing can be right or wrong there.",
    ),
)
