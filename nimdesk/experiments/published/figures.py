"""Figures that a document printed, and the same figures as we measured them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from nimdesk.experiments.files import Found
from nimdesk.experiments.likelihood import Z_95
from nimdesk.experiments.matches.tally import MatchTally, SettingTally
from nimdesk.experiments.plan import Plan
from nimdesk.experiments.searches import SearchesTally, SearchTally, right_rate
from nimdesk.experiments.statistics import Z_90, difference, wilson
from nimdesk.version import HOME

Quantity = Literal[
    "first wins", "draws", "second wins", "nodes", "part of the nodes", "right choices", "chosen", "mean value"
]
Verdict = Literal["agrees", "differs", "cannot tell", "both 0 %", "both 100 %", ""]
MARGIN = 0.05
"""Two shares are called equal where they are shown to be within so much of each other."""
_Z_MANY = 4.0
"""Exact chances are compared by the dozen: at 95% a few would differ by chance."""
READINGS = f"{HOME}/blob/main/resources/readings.md"
"""What the search for mistakes that would explain the figures has found; the window shows its own copy."""
_SHARES = ("first wins", "draws", "second wins", "right choices", "chosen", "mean value")


@dataclass(frozen=True, slots=True)
class Figure:
    """One published number.

    ``where`` names its subject: the two players and the position, or the player and the position. ``low`` to ``high``
    is the document's claim, as a share from 0 to 1 or a number of nodes, None if it prints no number. ``printed`` is
    how it prints that. ``games`` is the number of games or searches behind its share, if given. ``move`` is the move
    that "chosen" and "mean value" are about, ``against`` the player whose nodes are the whole of "part of the nodes".
    ``forced`` says that the rules leave no other result. ``note`` is what a reader should know about the figure.
    """

    where: tuple[str, ...]
    quantity: Quantity
    printed: str
    low: float | None = None
    high: float | None = None
    games: int | None = None
    move: str = ""
    against: str = ""
    forced: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class Measured:
    """Our value of a figure, from ``of`` games or searches; ``exact`` where more of them would change nothing."""

    value: float | None = None
    of: int = 0
    exact: bool = False

    def interval(self, z: float = Z_95) -> tuple[float, float] | None:
        """Wilson's interval for a share that was measured; None for an exact one, or without any."""
        return None if self.value is None or self.exact else wilson(self.value * self.of, self.of, z)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A figure beside ours, and what can be told of the two; see ``verdict``."""

    figure: Figure
    ours: Measured
    verdict: Verdict


Finding = str | Callable[[Found], str]
"""What running a table has shown: in words that hold for any run, or made from the results; "" for nothing."""


@dataclass(frozen=True)
class BuiltIn:
    """A published table that can be run: what it is, its source, the plan, and the figures to compare with.

    ``about`` is a sentence or two, ``source`` the citation, ``choices`` what the document leaves open and what we
    chose. ``minutes`` is its time on two cores of a common machine. ``exact`` are values that the document does not
    print, but that follow from what it describes. ``times`` are its seconds a move of both players, by setting;
    ``game_times`` is what it says of the time of a game. ``groups`` are its figures that group games: the title, the
    first player, and the values of the game's parameter. ``pies`` is the title of its figure that draws each result as
    a pie. ``readings`` is the heading in ``resources/readings.md`` of what would explain its figures.
    """

    name: str
    title: str
    about: str
    source: str
    minutes: float
    make_plan: Callable[[], Plan]
    figures: tuple[Figure, ...]
    choices: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    exact: tuple[Figure, ...] = ()
    times: Mapping[tuple[str, ...], tuple[float, float]] = field(default_factory=dict)
    game_times: str = ""
    groups: tuple[tuple[str, str, tuple[int, ...]], ...] = ()
    pies: str = ""
    readings: str = ""

    @cached_property
    def plan(self) -> Plan:
        """The plan as published."""
        return self.make_plan()

    @property
    def readings_url(self) -> str:
        """Where one reads which mistakes would explain its figures; "" where nobody has looked."""
        anchor = re.sub(r"[^a-z0-9 -]", "", self.readings.lower()).replace(" ", "-")
        return f"{READINGS}#{anchor}" if anchor else ""

    def compare(self, run: Found) -> list[Comparison]:
        """Every figure beside ours, in the order of the document."""
        both = ((figure, measured(figure, run)) for figure in self.figures)
        return [Comparison(figure, ours, verdict(figure, ours)) for figure, ours in both]

    def found(self, run: Found) -> list[str]:
        """What this run has shown."""
        told = (finding if isinstance(finding, str) else finding(run) for finding in self.findings)
        return [words for words in told if words]


def verdict(figure: Figure, ours: Measured) -> Verdict:
    """What can be told of our value and the published one; "" if one of the two is missing.

    * "agrees": two one-sided tests at 5% show that they are within ``MARGIN`` of each other. Counts are equal.
    * "differs": the 95% interval of their difference excludes 0.
    * "cannot tell": neither; more games would tell.
    * "both 0 %", "both 100 %": both are, and the tests agree, or the rules leave no other result. It is told apart,
      because what never happens is seldom what a table is about.

    A published share has its own sampling error if the document gives the number of games; else it is taken as it is.
    """
    value, low, high = ours.value, figure.low, figure.high
    if value is None or low is None or high is None:
        return ""
    if figure.quantity not in _SHARES:
        return "agrees" if low <= value <= high else "differs"
    extreme: Verdict = "both 0 %" if value == high == 0.0 else "both 100 %" if value == low == 1.0 else ""
    if extreme and figure.forced:
        return extreme
    over_low, over_high = (_difference(figure, ours, edge, Z_90) for edge in (low, high))
    if over_low[0] > -MARGIN and over_high[1] < MARGIN:
        return extreme or "agrees"
    over_low, over_high = (_difference(figure, ours, edge, Z_95) for edge in (low, high))
    return "differs" if over_low[1] < 0.0 or over_high[0] > 0.0 else "cannot tell"


def _difference(figure: Figure, ours: Measured, edge: float, z: float) -> tuple[float, float]:
    """The interval of our value less this end of the published range."""
    assert ours.value is not None
    value = ours.value
    low, high = ours.interval(z) or (value, value)
    printed = (edge, edge) if figure.games is None else wilson(edge * figure.games, figure.games, z)
    return difference((value, low, high), (edge, *printed))


def verdict_words(comparisons: Iterable[Comparison]) -> str:
    """How many figures can be told, in a sentence; "" where none was compared."""
    counts = Counter(each.verdict for each in comparisons)
    extreme = counts["both 0 %"] + counts["both 100 %"]
    told, whole = counts["agrees"] + counts["differs"], sum(counts.values()) - counts[""]
    if not whole:
        return ""
    parts = [f"{counts['agrees']} {'agrees' if counts['agrees'] == 1 else 'agree'}, {counts['differs']} "]
    parts[0] += "differs" if counts["differs"] == 1 else "differ"
    if counts["cannot tell"]:
        parts.append(f"{counts['cannot tell']} cannot be told from so few games")
    if extreme:
        parts.append(
            f"{extreme} {'is' if extreme == 1 else 'are'} 0 % or 100 % on both sides, and not counted as equal"
        )
    return f"{told} of {whole} figures can be told: {'; '.join(parts)}."


def within_error(figure: Figure, ours: Measured) -> bool:
    """Whether our mean, over ``figure.games`` random games in each search, is near enough to the exact value."""
    if ours.value is None or figure.low is None or figure.games is None:
        return False
    games = figure.games * ours.of
    low, high = wilson(figure.low * games, games, _Z_MANY)
    return low <= ours.value <= high


def measured(figure: Figure, run: Found) -> Measured:
    """Our value of this figure."""
    if figure.quantity in ("first wins", "draws", "second wins"):
        found = setting(figure.where, run)
        if found is None or not found.games:
            return Measured()
        count = {"first wins": found.wins[0], "draws": found.draws, "second wins": found.wins[1]}[figure.quantity]
        # One game says all about two deterministic players.
        return Measured(count / found.games, found.games, found.setting.once)
    search = _search(figure.where, run)
    if search is None or not search.searches:
        return Measured()
    of = search.searches
    if figure.quantity == "nodes":
        return Measured(_nodes(search), of, exact=True)
    if figure.quantity == "part of the nodes":
        whole, part = _nodes(_search((figure.against, figure.where[1]), run)), _nodes(search)
        return Measured() if not whole or part is None else Measured(round(part / whole, 4), of, exact=True)
    if figure.quantity == "mean value":
        return Measured(search.mean_value(figure.move), of, exact=True)
    if figure.quantity == "right choices":
        decided = search.verdicts["+"] + search.verdicts["-"]
        return Measured(right_rate(search)[0], decided)
    return Measured(search.choices[figure.move] / of, of, search.setting.once)


def _nodes(search: SearchTally | None) -> float | None:
    # A stopped search does not tell how many nodes it would have needed.
    return search.mean_nodes if search is not None and search.complete else None


def setting(where: tuple[str, ...], run: Found) -> SettingTally | None:
    """The games of these two players from this position."""
    return next((t for t in run[MatchTally].settings if (*t.setting.players, t.setting.position) == where), None)


def _search(where: tuple[str, ...], run: Found) -> SearchTally | None:
    return next((t for t in run[SearchesTally].settings if (t.setting.player, t.setting.position) == where), None)
