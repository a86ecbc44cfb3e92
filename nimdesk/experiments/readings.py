"""Readings of a document: which mistakes of an implementation would have given the figures that it printed.

A reading plays a published table with ``variants`` in place of UCT, and with some of its switches set. Its likelihood
is the probability of the printed figures, in as many games as the document played, under the shares that we measured.
Those are themselves uncertain: a share has the Beta distribution that our games give it, or a setting's three outcomes
a Dirichlet distribution (Jeffreys' priors), and the printed number of games is drawn from it.

The search begins with the document as it stands and with all readings that depart from it in one or two switches. Then
the likeliest are changed in one switch more, as long as that makes any of them likelier. The likeliest of all are
played again, with more games.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, groupby

import msgspec

from nimdesk.agents import PUBLISHED
from nimdesk.errors import PlanError
from nimdesk.experiments.plan import MatchPart, Plan, PlayerPart, new_plan
from nimdesk.experiments.published import BuiltIn
from nimdesk.experiments.published.figures import Figure, setting
from nimdesk.experiments.tally import SettingTally, Tally

PRINTED_GAMES = 100
"""How many games a share is taken to come from where the document does not say."""
IMPOSSIBLE = 0.01
"""A reading does not fit if a figure is further off than chance takes it so often, over all figures together."""
_BEAM = 4
_VALUES: dict[str, tuple[str, ...]] = {
    "backup": ("turns", "root", "leaf", "inverted"),
    "rewards": ("one", "two"),
    "log_n": ("parent", "root"),
    "growth": ("one", "all"),
    "final": ("visits", "mean"),
    "kept_tree": ("no", "right", "wrong"),
    # A heuristic that may not have been on.
    "playouts": ("uniform",),
    "expansion": ("random", "first"),
}
_QUANTITIES = ("first wins", "draws", "second wins")

Reading = Mapping[str, str]
"""The switches in which a player departs from the document; none: as published."""


def words(reading: Reading) -> str:
    """Such as "final=mean, playouts=uniform"."""
    return ", ".join(f"{name}={value}" for name, value in sorted(reading.items())) or "as published"


@dataclass(frozen=True)
class Fit:
    """What a reading has given: each figure with our share and the chance of one as far off; and the likelihood."""

    reading: Reading
    games: int
    figures: tuple[tuple[Figure, float, float], ...]
    log_likelihood: float
    """To base 10."""

    @cached_property
    def impossible(self) -> tuple[Figure, ...]:
        """The figures that it cannot have given."""
        return tuple(figure for figure, _, p in self.figures if p < IMPOSSIBLE / len(self.figures))


class Readings:
    """The readings of one table, at these positions or at all; ``PlanError`` for a table without UCT."""

    def __init__(self, table: BuiltIn, positions: Sequence[str] = ()) -> None:
        self.table = table
        self._bases = dict(_uct_players(table.plan))
        if not self._bases:
            raise PlanError(f"Nobody searches with UCT in {table.name}, so there is nothing to read in another way.")
        known = dict.fromkeys(figure.where[-1] for figure in table.figures)
        for text in positions:
            if text not in known:
                raise PlanError(f"The table {table.name} has no position “{text}”; there are: {', '.join(known)}.")
        self.figures = tuple(
            figure
            for figure in table.figures
            if figure.quantity in _QUANTITIES
            and figure.low is not None
            and not figure.forced
            and self._bases.keys() & set(figure.where[:2])
            and (not positions or figure.where[-1] in positions)
        )

    @cached_property
    def departures(self) -> tuple[tuple[str, str], ...]:
        """Every single switch that the document does not have set so, and its value."""
        base = next(iter(self._bases.values()))
        now = {"log_n": "parent", "final": "visits", "playouts": "uniform", "expansion": "random"}
        now |= {"backup": "turns", "rewards": "one", "growth": "one", "kept_tree": "no"}
        now |= {name: str(base[name]) for name in now if name in base}
        return tuple((name, value) for name, values in _VALUES.items() for value in values if value != now[name])

    def first(self) -> list[Reading]:
        """As published, and all readings that depart in one or two switches."""
        singles = [dict([each]) for each in self.departures]
        pairs = [dict(pair) for pair in combinations(self.departures, 2) if pair[0][0] != pair[1][0]]
        return [{}, *singles, *pairs]

    def further(self, fits: Iterable[Fit]) -> list[Reading]:
        """The likeliest readings with one switch more, those not tried yet."""
        tried = {words(fit.reading) for fit in fits}
        best = sorted(fits, key=lambda fit: -fit.log_likelihood)[:_BEAM]
        new = {}
        for fit in best:
            for name, value in self.departures:
                reading = {**fit.reading, name: value}
                if name not in fit.reading and words(reading) not in tried:
                    new[words(reading)] = reading
        return list(new.values())

    def plan(self, reading: Reading, games: int) -> Plan:
        """The games behind the figures, with the players of this reading."""
        players = {
            name: PlayerPart(agent="variants", options={**self._bases[name], **reading})
            if name in self._bases
            else part
            for name, part in self.table.plan.players.items()
        }
        wheres = dict.fromkeys(figure.where for figure in self.figures)
        matches = [
            MatchPart(players=[first, second], positions=[position], games=games, swap=False)
            for first, second, position in wheres
        ]
        used = {name for first, second, _ in wheres for name in (first, second)}
        kept = {name: part for name, part in players.items() if name in used}
        return new_plan("readings", kept, truth_nodes=0, matches=matches, title=f"{self.table.name}: {words(reading)}")

    def fit(self, reading: Reading, tally: Tally) -> Fit:
        """How likely these games make what the document printed."""
        found, likelihood, games = list[tuple[Figure, float, float]](), 0.0, 0
        for where, group in groupby(self.figures, key=lambda figure: figure.where):
            figures, ours = list(group), setting(where, tally)
            assert ours is not None
            games = max(games, ours.games)
            counts = {"first wins": ours.wins[0], "draws": ours.draws, "second wins": ours.wins[1]}
            for figure in figures:
                won = counts[figure.quantity]
                found.append((figure, won / ours.games, _as_far_off(figure, won, ours)))
            likelihood += _likelihood(figures, [counts[each] for each in _QUANTITIES], ours)
        return Fit(reading, games, tuple(found), likelihood / math.log(10))


Play = Callable[[Sequence[Plan]], Sequence[Tally] | None]
"""Plays these plans and counts their results; None where that was stopped."""


def search(readings: Readings, play: Play, games: int, finalists: int, final_games: int) -> list[Fit] | None:
    """The fits, the finalists first, each part by likelihood; None where it was stopped."""
    fits: list[Fit] = []
    new = readings.first()
    while new:
        tallies = play([readings.plan(reading, games) for reading in new])
        if tallies is None:
            return None
        best = max((fit.log_likelihood for fit in fits), default=-math.inf)
        fits += [readings.fit(reading, tally) for reading, tally in zip(new, tallies, strict=True)]
        fits.sort(key=lambda fit: -fit.log_likelihood)
        new = readings.further(fits) if fits[0].log_likelihood > best else []
    # The document as it stands is always among them, since all others are measured against it.
    last = [fit.reading for fit in fits[:finalists]]
    last += [{}] if {} not in last else []
    tallies = play([readings.plan(reading, final_games) for reading in last])
    if tallies is None:
        return None
    finals = [readings.fit(reading, tally) for reading, tally in zip(last, tallies, strict=True)]
    finals.sort(key=lambda fit: -fit.log_likelihood)
    return [*finals, *(fit for fit in fits if fit.reading not in last)]


def verdict(readings: Readings, fits: Sequence[Fit]) -> str:
    """What has been found, in a few sentences; the first of ``fits`` is the likeliest."""
    best, published = fits[0], next(fit for fit in fits if not fit.reading)
    # With few games everything is possible.
    fitting = [fit for fit in fits if not fit.impossible and fit.games >= best.games]
    count = len(best.figures)
    if fitting:
        said = f"{'One reading fits' if len(fitting) == 1 else f'{len(fitting)} readings fit'} all {count} figures: "
        said += "; ".join(words(fit.reading) for fit in fitting[:5]) + ("; …" if len(fitting) > 5 else "") + "."
    else:
        wrong = ", ".join(f"{each.printed} for {' - '.join(each.where)}" for each in best.impossible[:6])
        wrong += ", …" if len(best.impossible) > 6 else ""
        said = (
            f"No reading fits. The likeliest ({words(best.reading)}) cannot have given {len(best.impossible)} of "
            f"{count} figures: {wrong}."
        )
    gap = best.log_likelihood - published.log_likelihood
    if best is not published:
        said += f" The likeliest makes the figures 10^{gap:.1f} times as likely as the document "
        said += f"as it stands, under which {len(published.impossible)} of them cannot have come out."
    if any(figure.games is None for figure in readings.figures):
        said += f" Where the document does not say how many games there were, {PRINTED_GAMES} are assumed."
    return said


def _uct_players(plan: Plan) -> Iterator[tuple[str, dict[str, int | float | bool | str | None]]]:
    for name, part in plan.players.items():
        published = PUBLISHED.get(part.agent)
        agent, options = (published.agent_name, published.options) if published else (part.agent, {})
        if agent == "uct":
            yield name, msgspec.convert({**options, **part.options}, dict[str, int | float | bool | str | None])


def _likelihood(figures: Sequence[Figure], ours: Sequence[int], found: SettingTally) -> float:
    """The logarithm of the probability of a setting's figures."""
    if len(figures) == 1:
        figure = figures[0]
        lowest, highest, n = _printed(figure)
        won = ours[_QUANTITIES.index(figure.quantity)]
        return _sum_of_logs(_beta_binomial(k, n, won, found.games) for k in range(lowest, highest + 1))
    printed = {figure.quantity: _printed(figure) for figure in figures}
    # What is not printed is the rest, if the others leave one.
    total = max(n for _, _, n in printed.values())
    shown = [printed[each][0] if each in printed else 0 for each in _QUANTITIES]
    if "draws" not in printed:
        shown[1] = max(0, total - sum(shown))
    return _dirichlet_multinomial(shown, ours)


def _printed(figure: Figure) -> tuple[int, int, int]:
    """The fewest and the most games that the figure may stand for, of how many."""
    assert figure.low is not None
    assert figure.high is not None
    n = figure.games or PRINTED_GAMES
    return math.ceil(figure.low * n - 1e-9), math.floor(figure.high * n + 1e-9), n


def _as_far_off(figure: Figure, won: int, found: SettingTally) -> float:
    """The chance, in both directions, of a printed figure as far from our share."""
    lowest, highest, n = _printed(figure)
    logs = [_beta_binomial(k, n, won, found.games) for k in range(n + 1)]
    below = math.exp(_sum_of_logs(logs[: highest + 1]))
    above = math.exp(_sum_of_logs(logs[lowest:]))
    return min(1.0, 2 * min(below, above))


def _beta_binomial(k: int, n: int, won: int, of: int) -> float:
    """The logarithm of the probability of k in n, after ``won`` in ``of``."""
    a, b = won + 0.5, of - won + 0.5
    ways = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
    return ways + _log_beta(k + a, n - k + b) - _log_beta(a, b)


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def _dirichlet_multinomial(shown: Sequence[int], ours: Sequence[int]) -> float:
    """The logarithm of the probability of these counts, after ours of the same outcomes."""
    n, prior = sum(shown), [each + 0.5 for each in ours]
    logs = math.lgamma(n + 1) + math.lgamma(sum(prior)) - math.lgamma(n + sum(prior))
    return logs + sum(
        math.lgamma(k + a) - math.lgamma(a) - math.lgamma(k + 1) for k, a in zip(shown, prior, strict=True)
    )


def _sum_of_logs(logs: Iterable[float]) -> float:
    """The logarithm of the sum of what these are the logarithms of."""
    known = list(logs)
    most = max(known)
    return most + math.log(sum(math.exp(each - most) for each in known))
