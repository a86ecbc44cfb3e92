"""Figures of games: the score and the sequential test game by game, the list of ratings, and one difference."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Literal

from nimdesk.errors import OptionError
from nimdesk.experiments.files import Found
from nimdesk.experiments.likelihood import log_likelihood, mean_score, score_interval
from nimdesk.experiments.matches.rating import RatingList, rating_list
from nimdesk.experiments.matches.tally import MatchTally, PairingTally, SettingTally
from nimdesk.experiments.report import finding
from nimdesk.experiments.statistics import Sprt, expected_score
from nimdesk.experiments.strength import Strength
from nimdesk.figures.content import Content, caption, panel

if TYPE_CHECKING:
    from nimdesk.figures.drawing import Curve, Plot

MatchMeasure = Literal["score", "ratings", "llr"]
_POINTS = 100
_MOST_NAMED = 8
_LEAST_RANGE = 400.0
_STEPS = 100
_Point = tuple[float, float, float, float]


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
    curves = [
        _curve(each, list(_course(tally, each, lambda so_far: (mean_score(*so_far), *score_interval(*so_far)))), number)
        for number, each in enumerate(met)
    ]
    curves.append(_level([each for curve in curves for each in curve["x"]], 0.5))
    label = "mean score of the first named"
    notes = [finding(found), "Bands are 95% intervals of the mean score, by pairs of games where games come in pairs."]
    return Content(_plot("games", label, (0.0, 1.0), curves, log_x=True), "Score over the games", caption(notes))


def _of_tests(found: Found, met: list[PairingTally]) -> Content:
    if not met:
        raise OptionError("There is no sequential test to draw: the match has no SPRT.")
    curves: list[Curve] = []
    tally, ends = found[MatchTally], set[float]()
    for number, each in enumerate(met):
        sprt = each.pairing.sprt
        assert isinstance(sprt, Sprt)
        points = list(_course(tally, each, lambda tested, sprt=sprt: (sprt.llr(*tested), 0.0, 0.0), tested=True))
        curves.append({**_curve(each, points, number), "low": [], "high": []})
        ends |= {sprt.lower, sprt.upper}
    games = [each for curve in curves for each in curve["x"]]
    curves += [_level(games, end, f"{'H0' if end < 0 else 'H1'} at {end:.3f}") for end in sorted(ends)]
    notes = [finding(found), "The lines across are where H0 and H1 are accepted."]
    plot = _plot("games", "log-likelihood ratio of H1 to H0", None, curves)
    return Content(plot, "Sequential test over the games", caption(notes))


def _course(
    tally: MatchTally,
    met: PairingTally,
    read: Callable[..., tuple[float, float, float]],
    *,
    tested: bool = False,
) -> Iterator[_Point]:
    """The number of games and what is read of the counts at some moments, up to the end."""
    pairing, again = met.pairing, PairingTally(met.pairing, tuple(map(SettingTally, met.pairing.settings)))
    wanted = {round(met.games ** (step / _POINTS)) for step in range(_POINTS + 1)}
    for result in tally.results.by_number():
        if not (pairing.first <= result.number < pairing.first + pairing.tasks and tally.counts(result.number)):
            continue
        again.add(tally.matches.task(result.number), result)
        if again.games in wanted and not (tested and pairing.paired and not again.is_between_pairs):
            yield (float(again.games), *read(again.tested if tested else again.counted))


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


def _plot(x: str, y: str, y_range: tuple[float, float] | None, curves: list[Curve], *, log_x: bool = False) -> Plot:
    return {
        "x": x,
        "y": y,
        "log_x": log_x,
        "log_y": False,
        "y_range": y_range,
        "steps": False,
        "panels": [panel("", curves)],
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
    plot = _plot(label, "", (-edge, edge), [bars])
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
    plot = _plot("Elo difference", "log-likelihood", None, [curve, _level(x, -(1.96**2) / 2)])
    return Content(plot, "Likelihood of the Elo difference", caption(notes))
