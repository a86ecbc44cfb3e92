"""Figures that a document printed, and the same figures as we measured them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from nimdesk.experiments.plan import Plan
from nimdesk.experiments.statistics import Z_95, wilson
from nimdesk.experiments.tables import right_rate
from nimdesk.experiments.tally import SearchTally, SettingTally, Tally

Quantity = Literal["first wins", "draws", "second wins", "nodes", "right choices", "chosen", "mean value"]
_Z_MANY = 4.0
Verdict = Literal["agrees", "differs", ""]


@dataclass(frozen=True, slots=True)
class Figure:
    """One published number.

    ``where`` names its subject: the two players and the position, or the player and the position. ``low`` to ``high``
    is the document's claim, as a share from 0 to 1 or a number of nodes, None if it prints no number. ``printed`` is
    how it prints that. ``games`` is the number of games or searches behind its share, if given. ``move`` is the move
    that "chosen" and "mean value" are about. ``note`` is what a reader should know about the figure.
    """

    where: tuple[str, ...]
    quantity: Quantity
    printed: str
    low: float | None = None
    high: float | None = None
    games: int | None = None
    move: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A figure beside ours, with our 95% interval, if any, and whether both can be right.

    "agrees": our interval meets the published range, which is widened by its own sampling error if the document gives
    the number of games. "" if one of the two is missing.
    """

    figure: Figure
    ours: float | None
    low: float | None
    high: float | None
    of: int
    verdict: Verdict


@dataclass(frozen=True)
class BuiltIn:
    """A published table that can be run: what it is, its source, the plan, and the figures to compare with.

    ``about`` is a sentence or two, ``source`` the citation, ``choices`` what the document leaves open and what we
    chose, ``findings`` what running it has shown. ``minutes`` is its time on two cores of a common machine.
    """

    name: str
    title: str
    about: str
    source: str
    minutes: float
    make_plan: Callable[[], Plan]
    figures: tuple[Figure, ...]
    choices: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()

    @cached_property
    def plan(self) -> Plan:
        """The plan as published."""
        return self.make_plan()

    def compare(self, tally: Tally) -> list[Comparison]:
        """Every figure beside ours, in the order of the document."""
        measured = [(figure, *_measured(figure, tally)) for figure in self.figures]
        return [
            Comparison(figure, ours, low, high, of, verdict(figure, ours, low, high))
            for figure, ours, low, high, of in measured
        ]


def verdict(figure: Figure, ours: float | None, low: float | None, high: float | None) -> Verdict:
    """Whether our value, with its 95% interval, and the published figure can both be right; "" if one is missing."""
    if ours is None or figure.low is None or figure.high is None:
        return ""
    least, most = figure.low, figure.high
    if figure.games is not None:
        # Exact chances are compared by the dozen: at 95% a few would differ by chance.
        z = _Z_MANY if figure.quantity == "mean value" else Z_95
        least = wilson(round(least * figure.games), figure.games, z)[0]
        most = wilson(round(most * figure.games), figure.games, z)[1]
    bottom, top = (ours if low is None else low), (ours if high is None else high)
    return "agrees" if bottom <= most and least <= top else "differs"


def _measured(figure: Figure, tally: Tally) -> tuple[float | None, float | None, float | None, int]:
    """Our value, the ends of its interval, and the number of games or searches."""
    if figure.quantity in ("first wins", "draws", "second wins"):
        found = _setting(figure, tally)
        if found is None or not found.games:
            return None, None, None, 0
        count = {"first wins": found.wins[0], "draws": found.draws, "second wins": found.wins[1]}[figure.quantity]
        return _share(count, found.games, exact=found.setting.once)
    search = _search(figure, tally)
    if search is None or not search.searches:
        return None, None, None, 0
    if figure.quantity == "nodes":
        # A stopped search does not tell how many nodes it would have needed.
        return (search.mean_nodes if search.complete else None), None, None, search.searches
    if figure.quantity == "right choices":
        return *right_rate(search), search.searches
    if figure.quantity == "mean value":
        return search.mean_value(figure.move), None, None, search.searches
    return _share(search.choices[figure.move], search.searches, exact=search.setting.once)


def _share(count: int, of: int, *, exact: bool) -> tuple[float, float | None, float | None, int]:
    # One game says all about two deterministic players: no interval.
    return count / of, *((None, None) if exact else wilson(count, of)), of


def _setting(figure: Figure, tally: Tally) -> SettingTally | None:
    wanted = figure.where
    return next((t for t in tally.settings if (*t.setting.players, t.setting.position) == wanted), None)


def _search(figure: Figure, tally: Tally) -> SearchTally | None:
    return next((t for t in tally.searches if (t.setting.player, t.setting.position) == figure.where), None)
