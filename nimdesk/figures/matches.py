"""Figures of games: the score and the sequential test game by game, the list of ratings, and one difference."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Literal

from nimdesk.errors import OptionError
from nimdesk.experiments.files import Found
from nimdesk.experiments.likelihood import Z_95, log_likelihood, mean_score, score_interval
from nimdesk.experiments.matches.rating import RatingList, rating_list
from nimdesk.experiments.matches.tables import Game, games_of
from nimdesk.experiments.matches.tally import MatchTally, PairingTally, SettingTally
from nimdesk.experiments.report import finding
from nimdesk.experiments.statistics import Sprt, expected_score
from nimdesk.experiments.strength import Strength
from nimdesk.figures.content import Content, caption, plot_of

if TYPE_CHECKING:
    from nimdesk.figures.drawing import Curve

MatchMeasure = Literal["score", "ratings", "llr"]
_POINTS = 100
_MOST_NAMED = 8
_LEAST_RANGE = 400.0
_STEPS = 100
_Point = tuple[float, float, float, float]
_Read = Callable[[PairingTally], tuple[float, float, float] | None]


def of_match(found: Found, measure: MatchMeasure = "score") -> Content:
    """The score of the first of each two players over the games, or the sequential test, or the rating list.

    ``OptionError`` where there is nothing to draw.
    """
    tally = found[MatchTally]
    met = [each for each in tally.played if each.games and len(set(each.pairing.players)) == 2]
    if not met:
        raise OptionError("There is nothing to draw: no two players have met yet.")
    if measure == "ratings":
        rated = rating_list(tally)
        if rated is None:
            raise OptionError("There is no list of ratings to draw: no games link all players.")
        return _of_ratings(found, rated)
    if measure == "llr":
        return _of_tests(found, [each for each in met if each.pairing.sprt is not None])
    curves = list(_curves(tally, met, _scored))
    curves.append(_level([each for curve in curves for each in curve["x"]], 0.5))
    label = "mean score of the first named"
    notes = [finding(found), "Bands are 95% intervals of the mean score, by pairs of games where games come in pairs."]
    return Content(plot_of("games", label, curves, (0.0, 1.0), log_x=True), "Score over the games", caption(notes))


def _of_tests(found: Found, met: list[PairingTally]) -> Content:
    if not met:
        raise OptionError("There is no sequential test to draw: the match has no SPRT.")
    curves: list[Curve] = [{**curve, "low": [], "high": []} for curve in _curves(found[MatchTally], met, _tested)]
    tests = [each.pairing.sprt for each in met if each.pairing.sprt is not None]
    ends = {end for test in tests for end in (test.lower, test.upper)}
    games = [each for curve in curves for each in curve["x"]]
    curves += [_level(games, end, f"{'H0' if end < 0 else 'H1'} at {end:.3f}") for end in sorted(ends)]
    notes = [finding(found), "The lines across are where H0 and H1 are accepted."]
    plot = plot_of("games", "log-likelihood ratio of H1 to H0", curves)
    return Content(plot, "Sequential test over the games", caption(notes))


def _scored(so_far: PairingTally) -> tuple[float, float, float]:
    """The mean score and its interval."""
    return mean_score(*so_far.counted), *score_interval(*so_far.counted)


def _tested(so_far: PairingTally) -> tuple[float, float, float] | None:
    """The log-likelihood ratio, without an interval; None between the games of a pair."""
    sprt = so_far.pairing.sprt
    assert isinstance(sprt, Sprt)
    return (sprt.llr(*so_far.tested), 0.0, 0.0) if so_far.is_between_pairs else None


def _curves(tally: MatchTally, met: Sequence[PairingTally], read: _Read) -> Iterator[Curve]:
    """A curve for each two players over their games."""
    numbers = {each.pairing.index: number for number, each in enumerate(met)}
    for index, games in groupby(games_of(tally), lambda game: game[0].setting.pairing):
        if (number := numbers.get(index)) is not None:
            yield _curve(met[number], list(_course(met[number], games, read)), number)


def _course(met: PairingTally, games: Iterable[Game], read: _Read) -> Iterator[_Point]:
    """The number of games and what is read of the counts at some moments, up to the end."""
    again = PairingTally(met.pairing, tuple(map(SettingTally, met.pairing.settings)))
    wanted = {round(met.games ** (step / _POINTS)) for step in range(_POINTS + 1)}
    for number, game in enumerate(games, 1):
        again.add(*game)
        if number in wanted and (point := read(again)) is not None:
            yield (float(number), *point)


def _curve(met: PairingTally, points: list[_Point], number: int) -> Curve:
    columns: list[list[float]] = [list(column) for column in zip(*points, strict=True)] or [[], [], [], []]
    label, faint = " – ".join(met.pairing.players), number >= _MOST_NAMED
    label += f" (match {met.pairing.match + 1})" if met.pairing.match else ""
    return {"label": label, "x": columns[0], "y": columns[1], "low": columns[2], "high": columns[3], "faint": faint}


def _level(x: list[float], y: float, label: str = "even") -> Curve:
    """A grey line across; no two curves have the same label, by which their points are told apart."""
    return {
        "label": label,
        "x": [min(x), max(x)] if x else [],
        "y": [y, y] if x else [],
        "low": [],
        "high": [],
        "faint": True,
    }


def _of_ratings(found: Found, rated: RatingList) -> Content:
    """A bar for each player with its interval; one who is infinitely far away has the interval alone."""
    ends = [abs(end) for each in rated.ratings for end in (each.elo, each.low, each.high) if math.isfinite(end)]
    edge = 1.1 * max([_LEAST_RANGE, *ends])
    bars: Curve = {
        "label": "Elo",
        "x": list(map(float, range(len(rated.ratings)))),
        "y": [each.elo if math.isfinite(each.elo) else 0.0 for each in rated.ratings],
        "low": [max(-edge, each.low) for each in rated.ratings],
        "high": [min(edge, each.high) for each in rated.ratings],
        "faint": False,
    }
    label = f"Elo above {rated.zero_words}"
    plot = plot_of(label, "", [bars], (-edge, edge))
    plot["rows"] = [each.player for each in rated.ratings]
    return Content(plot, "Ratings", caption([finding(found), "Lines are 95% intervals; at the edge they go on."]))


def of_strength(strength: Strength) -> Content:
    """How likely each Elo difference is after these counts, less the most likely one's."""
    elo, low, high = strength.elo
    known = [end for end in (low, elo, high) if math.isfinite(end)] or [0.0]
    span = max(10.0, max(known) - min(known))
    first, last = min(known) - span / 2, max(known) + span / 2
    x = [first + (last - first) * step / _STEPS for step in range(_STEPS + 1)]
    y = [log_likelihood(expected_score(each), *strength.counts) for each in x]
    curve: Curve = {"label": "log-likelihood", "x": x, "y": y, "low": [], "high": [], "faint": False}
    notes = [strength.finding, "The line across is where the 95% interval ends."]
    level = _level(x, -(Z_95**2) / 2, "end of the interval")
    plot = plot_of("Elo difference", "log-likelihood", [curve, level])
    return Content(plot, "Likelihood of the Elo difference", caption(notes))
