"""Games as sections in words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace

from nimdesk.experiments.matches.rating import RatingList, rating_list
from nimdesk.experiments.matches.sequential import early_words
from nimdesk.experiments.matches.tally import MatchTally, PairingTally, SettingTally, SideTally
from nimdesk.experiments.matches.tuning import Tuning, tuning_of
from nimdesk.experiments.sections import NONE, Section, first_rows, number_words, range_words, rate_words
from nimdesk.experiments.statistics import signed
from nimdesk.games import Side

_EARLY = " *"
_NAMED = 6
"""With more players than these the columns of a crosstable are numbered."""


def match_sections(tally: MatchTally) -> Iterator[Section]:
    """All that there is to say of games: with a crosstable and ratings if three or more players have met, or with the
    landscape of a tuning.
    """
    tuned = tuning_of(tally)
    if tuned is not None:
        yield landscape(tuned)
    if not tally.pairings:
        return
    yield _pairings(tally)
    yield from _counted(tally)
    if tuned is None and len({name for each in tally.played for name in each.pairing.players}) > 2:
        yield crosstable(tally)
        if (listed := rating_list(tally)) is not None:
            yield ratings(listed)
    yield _settings(tally)
    yield _moves(tally)


def _pairings(tally: MatchTally) -> Section:
    headers = ("Player", "Opponent", "From", "Games", "Wins", "Draws", "Losses", "Score", "Elo difference", "Blunders")
    section = first_rows("Pairings", headers, tally.played, _pairing_row, 3)
    early = early_words(tally.played)
    notes = [section.note, f"* The test {early}." if early else ""]
    return replace(section, note=" ".join(filter(None, notes)))


def _pairing_row(tally: PairingTally) -> tuple[str, ...]:
    score = NONE if tally.score is None else f"{tally.score:.1%}"
    blunders = blunder_words([tally.side(player) for player in (0, 1)])
    return (
        *tally.pairing.players,
        tally.where,
        f"{tally.games:,}",
        *(f"{count:,}" for count in tally.counts),
        score,
        _elo(tally),
        blunders,
    )


def _elo(tally: PairingTally) -> str:
    if not tally.games or tally.pairing.settings[0].once:
        return NONE
    elo, low, high = tally.elo
    return f"{signed(elo)} [{signed(low)}, {signed(high)}]{_EARLY * bool(tally.bias)}"


def _counted(tally: MatchTally) -> Iterator[Section]:
    """What the differences are from, where that is pairs of games; and how far the sequential tests are."""
    paired = [each for each in tally.played if each.pairing.paired and each.games]
    if paired:
        headers = ("Player", "Opponent", "Pairs", "2 points", "1½", "1", "½", "0")
        yield first_rows("Pairs of games", headers, paired, _pairs_row, 2)
    tested = [each for each in tally.played if each.pairing.sprt is not None]
    if tested:
        headers = ("Player", "Opponent", "H0", "H1", "Counted", "LLR", "Accepts H0, H1 at", "Accepted")
        yield first_rows("Sequential test", headers, tested, _test_row, 2)


def _pairs_row(tally: PairingTally) -> tuple[str, ...]:
    return (*tally.pairing.players, f"{sum(tally.pairs):,}", *(f"{count:,}" for count in tally.pairs))


def _test_row(tally: PairingTally) -> tuple[str, ...]:
    sprt = tally.pairing.sprt
    assert sprt is not None
    return (
        *tally.pairing.players,
        *(f"{elo:g} Elo".replace("-", "−") for elo in (sprt.elo0, sprt.elo1)),
        f"{sum(tally.tested):,} {'pairs' if len(tally.tested) == 5 else 'games'}",
        signed(tally.llr, 2),
        f"{signed(sprt.lower, 2)}, {signed(sprt.upper, 2)}",
        f"{tally.decision} after {tally.games:,} games" if tally.decision else ("open", "none")[tally.complete],
    )


def crosstable(tally: MatchTally) -> Section:
    """The score of the row's player against the column's, in percent, and over all games.

    The columns of many players have their numbers, since all the names would not fit side by side.
    """
    names = list(dict.fromkeys(name for each in tally.played for name in each.pairing.players))
    points: dict[tuple[str, str], float] = {}
    games: dict[tuple[str, str], int] = {}
    for each in tally.played:
        (first, second), (wins, draws, losses) = each.pairing.players, each.counts
        if first == second:
            continue  # a player against itself scores one half
        for pair, won in {(first, second): wins, (second, first): losses}.items():
            points[pair] = points.get(pair, 0.0) + won + draws / 2
            games[pair] = games.get(pair, 0) + each.games
    numbered = len(names) > _NAMED
    rows = []
    for number, name in enumerate(names, 1):
        cells = [_percent(points.get((name, other), 0.0), games.get((name, other), 0)) for other in names]
        against = [other for other in names if other != name]
        total = sum(points.get((name, other), 0.0) for other in against)
        rows.append(
            (
                f"{number} {name}" if numbered else name,
                *cells,
                _percent(total, sum(games.get((name, other), 0) for other in against)),
            )
        )
    columns = [str(number) for number in range(1, len(names) + 1)] if numbered else names
    return Section("Crosstable: score of the row against the column", ("Player", *columns, "All others"), rows, 1)


def ratings(rated: RatingList) -> Section:
    """All players in one list."""
    rows = [
        (
            each.player,
            signed(each.elo),
            f"[{signed(each.low)}, {signed(each.high)}]",
            f"{each.games:,}",
            f"{each.score:.1%}",
            f"{each.draws:.1%}",
            each.above_words or NONE,
        )
        for each in rated.ratings
    ]
    headers = ("Player", "Elo", "95% interval", "Games", "Score", "Draws", "Stronger than the next")
    notes = [
        f"Elo by maximum likelihood above {rated.zero_words}, intervals by profile likelihood; a draw is half a win."
    ]
    if any(math.isinf(end) for each in rated.ratings for end in (each.low, each.high)):
        notes.append("Where all points were won, or all lost, no finite difference is the likeliest one.")
    if rated.early:
        notes.append(f"Tests {rated.early}.")
    return Section("Rating list", headers, rows, 1, " ".join(notes))


def landscape(tuned: Tuning) -> Section:
    """Every value that was tried, against the default."""
    rows = [
        (
            f"{each.name}{' (best)' if each == tuned.best else ''}",
            f"{each.rounds}",
            f"{each.games:,}",
            *((f"{each.score:.1%}", range_words((each.low, each.high))) if each.games else (NONE, NONE)),
        )
        for each in tuned.candidates
    ]
    headers = ("Value", "Rounds", "Games", "Score against the default", "95% interval")
    note = (
        "The score of the best flatters it, because it was chosen by it; only the test's new games tell whether it is "
        "better than the default."
    )
    return Section(f"Landscape of {', '.join(tuned.options)}", headers, rows, 1, note)


def _percent(points: float, games: int) -> str:
    return f"{points / games:.1%}" if games else NONE


def _settings(tally: MatchTally) -> Section:
    headers = ("First", "Second", "Position", "Games", "First wins [95%]", "Draws", "Second wins [95%]")
    return first_rows("By role and position", headers, tally.played_settings, _setting_row, 3)


def _setting_row(tally: SettingTally) -> tuple[str, ...]:
    return (
        *tally.setting.players,
        tally.setting.position,
        f"{tally.games:,}{' (all alike)' if tally.setting.once else ''}",
        _wins(tally, Side.FIRST),
        rate_words(tally.draws / tally.games if tally.games else None),
        _wins(tally, Side.SECOND),
    )


def _moves(tally: MatchTally) -> Section:
    """The cost of the moves and the number of mistakes, as first player : second player."""
    headers = ("First", "Second", "Position", "Plies", "Blunders", "Simulations a move", "Milliseconds a move")
    return first_rows("Moves: first player : second player", headers, tally.played_settings, _move_row, 3)


def _move_row(tally: SettingTally) -> tuple[str, ...]:
    first, second = tally.sides
    return (
        *tally.setting.players,
        tally.setting.position,
        number_words(tally.plies / tally.games if tally.games else None),
        blunder_words(tally.sides),
        f"{number_words(first.mean_iterations)} : {number_words(second.mean_iterations)}",
        f"{_milliseconds(first)} : {_milliseconds(second)}",
    )


def _wins(tally: SettingTally, side: Side) -> str:
    """The share and its interval; one game that stands for all has no interval."""
    share = rate_words(tally.win_rate(side))
    if tally.setting.once or not tally.games:
        return share
    low, high = tally.win_interval(side)
    return f"{share} [{100 * low:.1f}, {100 * high:.1f}]"


def blunder_words(sides: Iterable[SideTally], *, shares: bool = True) -> str:
    """What of the decisions of each side gave value away: their share, or their number; – where it had none to judge.

    Where not all of its moves could be, it says of how many decisions that is.
    """
    return " : ".join(_blunders(side, shares=shares) for side in sides)


def _blunders(side: SideTally, *, shares: bool) -> str:
    if side.blunder_rate is None:
        return NONE
    words = f"{side.blunder_rate:.1%}" if shares else f"{side.mistakes:,}"
    return words if side.known == side.moves else f"{words} of {side.decisions:,}"


def _milliseconds(side: SideTally) -> str:
    return NONE if side.mean_time_s is None else f"{1000 * side.mean_time_s:.3g}"
