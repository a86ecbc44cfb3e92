"""Results as sections of text cells, for a terminal, for Markdown, for a window: all but the published tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from nimdesk.experiments.atlas_tally import AtlasRow, AtlasTally, Order
from nimdesk.experiments.differences import Differences, number
from nimdesk.experiments.rating import RatingList, rating_list
from nimdesk.experiments.schedule import Study
from nimdesk.experiments.statistics import signed
from nimdesk.experiments.study_tally import StudyRow, StudyTally
from nimdesk.experiments.tables import right_rate
from nimdesk.experiments.tally import Interval, PairingTally, SearchTally, SettingTally, SideTally, Tally
from nimdesk.experiments.tuning import Tuning
from nimdesk.games import Side

_Row = TypeVar("_Row")
_MOST_ROWS = 200
NONE = "–"
"""Where there is no number."""
_EARLY = " *"
_EARLY_NOTE = "* The test stopped early, which biases the Elo away from zero."


@dataclass(frozen=True, slots=True)
class Section:
    """A table in words: its title, its headers and rows. ``left`` columns hold text, the others numbers.

    ``note`` is a sentence below it.
    """

    title: str
    headers: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    left: int
    note: str = ""


_ATLAS_TITLES = {"traps": "The worst traps", "worse": "Where more simulations make it worse"}
_ATLAS_ROWS = 20
ATLAS_HEADERS = (
    "Position", "Agent", "Value", "Best moves", "Optimal", "Regret", "Settled", "Gets worse", "Mistake",
)  # fmt: skip


def atlas_section(atlas: AtlasTally, order: Order, most: int = _ATLAS_ROWS) -> Section:
    """The positions that mislead most, in one of the two senses."""
    rows = atlas.rows(order)
    if order == "worse":
        rows = [row for row in rows if row.fall]
    return _first_rows(_ATLAS_TITLES[order], ATLAS_HEADERS, rows, atlas_cells, 3, most)


def _first_rows(
    title: str,
    headers: tuple[str, ...],
    rows: Sequence[_Row],
    cells: Callable[[_Row], tuple[str, ...]],
    left: int,
    most: int = _MOST_ROWS,
) -> Section:
    """A section of what a person may want to read of these rows; its note says how many more there are."""
    note = f"{len(rows) - most:,} more rows are in the CSV file." if len(rows) > most else ""
    return Section(title, headers, [cells(row) for row in rows[:most]], left, note)


def atlas_cells(row: AtlasRow) -> tuple[str, ...]:
    """A row as the tables show it; the share of optimal choices goes from the smallest budget to the largest."""
    first, last = (f"{share:.1%}" for share in (row.optimal_share[0], row.optimal_share[-1]))
    lasts = "" if row.plies is None else f" ({row.plies})"
    return (
        row.position,
        row.agent,
        row.value,
        f"{row.best} of {row.moves}",
        f"{first} → {last}",
        f"{row.trap:.3f}",
        NONE if row.settled_median is None else f"{row.settled_median:,}",
        f"−{row.fall:.1%}, {row.worse_from:,} → {row.worse_to:,}" if row.fall else NONE,
        f"{row.wrong}{lasts}" if row.wrong else NONE,
    )


def convergence(study: StudyTally) -> Section:
    """How often the searches of a study chose an optimal move, by budget."""
    headers = (
        "Agent",
        "Position",
        "Budget",
        "Searches",
        "Optimal",
        "95% interval",
        "Mean regret [95%]",
        "Visits on optimal",
    )

    def cells(row: StudyRow) -> tuple[str, ...]:
        return row.agent, row.position, *study_cells(row, study.study)

    return _first_rows("Convergence", headers, list(study.rows()), cells, 2)


def regret_words(row: StudyRow) -> str:
    """The mean regret and its interval."""
    low, high = row.regret_interval
    return f"{row.regret:.3f} [{low:.2f}, {high:.2f}]"


def study_cells(row: StudyRow, study: Study) -> tuple[str, ...]:
    """Budget, searches, share of optimal choices and its interval, mean regret, visits on optimal moves."""
    return (
        study.part.words(row.budget),
        f"{row.searches:,}",
        f"{row.optimal_share:.1%}",
        range_words((row.low, row.high)),
        regret_words(row),
        rate_words(row.visit_share),
    )


def matches(tally: Tally, *, rated: bool) -> Iterator[Section]:
    """All that there is to say of games; ``rated``: with crosstable and ratings if three or more players have met."""
    yield _pairings(tally)
    yield from _counted(tally)
    if rated and len({name for each in tally.played for name in each.pairing.players}) > 2:
        yield crosstable(tally)
        if (listed := rating_list(tally)) is not None:
            yield ratings(listed)
    yield _settings(tally)
    yield _moves(tally)


def _pairings(tally: Tally) -> Section:
    headers = ("Player", "Opponent", "From", "Games", "Wins", "Draws", "Losses", "Score", "Elo difference", "Blunders")
    section = _first_rows("Pairings", headers, tally.played, _pairing_row, 3)
    notes = [section.note, _EARLY_NOTE * any(each.bias for each in tally.played)]
    return replace(section, note=" ".join(filter(None, notes)))


def _pairing_row(tally: PairingTally) -> tuple[str, ...]:
    score = NONE if tally.score is None else f"{tally.score:.1%}"
    blunders = " : ".join(_blunders(tally.side(player)) for player in (0, 1))
    positions = list(dict.fromkeys(setting.position for setting in tally.pairing.settings))
    return (
        *tally.pairing.players,
        positions[0] if len(positions) == 1 else f"{len(positions)} positions",
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


def _counted(tally: Tally) -> Iterator[Section]:
    """What the differences are from, where that is pairs of games; and how far the sequential tests are."""
    paired = [each for each in tally.played if each.pairing.paired and each.games]
    if paired:
        headers = ("Player", "Opponent", "Pairs", "2 points", "1½", "1", "½", "0")
        yield _first_rows("Pairs of games", headers, paired, _pairs_row, 2)
    tested = [each for each in tally.played if each.pairing.sprt is not None]
    if tested:
        headers = ("Player", "Opponent", "H0", "H1", "Counted", "LLR", "Accepts H0, H1 at", "Accepted")
        yield _first_rows("Sequential test", headers, tested, _test_row, 2)


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


def crosstable(tally: Tally) -> Section:
    """The score of the row's player against the column's, in percent, and over all games."""
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
    rows = []
    for name in names:
        cells = [_percent(points.get((name, other), 0.0), games.get((name, other), 0)) for other in names]
        against = [other for other in names if other != name]
        total = sum(points.get((name, other), 0.0) for other in against)
        rows.append((name, *cells, _percent(total, sum(games.get((name, other), 0) for other in against))))
    return Section("Crosstable: score of the row against the column", ("Player", *names, "All others"), rows, 1)


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
    if rated.stopped_early:
        notes.append("Tests stopped early, which biases the Elo away from zero.")
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


def side_by_side(found: Differences) -> Section:
    """Two experiments, quantity by quantity."""
    width = max(len(row.of) for row in found.rows)
    rows = [
        (
            *row.of,
            *[""] * (width - len(row.of)),
            row.quantity,
            number(row, row.one[0]),
            number(row, row.other[0]),
            number(row, row.value, signed=True),
            f"[{number(row, row.low, signed=True)}, {number(row, row.high, signed=True)}]{' *' * row.is_told}",
        )
        for row in found.rows
    ]
    headers = (*["Of", *[""] * (width - 1)], "What", "One", "Other", "Difference", "95% interval")
    return Section("Differences: other minus one", headers, rows, width + 1, "* The interval excludes 0.")


def _percent(points: float, games: int) -> str:
    return f"{points / games:.1%}" if games else NONE


def _settings(tally: Tally) -> Section:
    headers = ("First", "Second", "Position", "Games", "First wins [95%]", "Draws", "Second wins [95%]")
    return _first_rows("By role and position", headers, tally.played_settings, _setting_row, 3)


def _setting_row(tally: SettingTally) -> tuple[str, ...]:
    return (
        *tally.setting.players,
        tally.setting.position,
        f"{tally.games:,}{' (all alike)' if tally.setting.once else ''}",
        _wins(tally, Side.FIRST),
        rate_words(tally.draws / tally.games if tally.games else None),
        _wins(tally, Side.SECOND),
    )


def _moves(tally: Tally) -> Section:
    """The cost of the moves and the number of mistakes, as first player : second player."""
    headers = ("First", "Second", "Position", "Plies", "Blunders", "Simulations a move", "Milliseconds a move")
    return _first_rows("Moves: first player : second player", headers, tally.played_settings, _move_row, 3)


def _move_row(tally: SettingTally) -> tuple[str, ...]:
    first, second = tally.sides
    return (
        *tally.setting.players,
        tally.setting.position,
        number_words(tally.plies / tally.games if tally.games else None),
        f"{_blunders(first)} : {_blunders(second)}",
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


def searches(tally: Tally) -> Section:
    """How often single searches were right, and what they took."""
    headers = ("Player", "Position", "Searches", "Right", "95% interval", "Nodes", "Seconds", "Choices")
    return _first_rows("Searches", headers, tally.searches, _search_row, 2)


def _search_row(tally: SearchTally) -> tuple[str, ...]:
    right, low, high = right_rate(tally)
    more = "> " if tally.complete < tally.searches else ""
    chosen = tally.choices.most_common(4)
    return (
        tally.setting.player,
        tally.setting.position,
        f"{tally.searches:,}",
        "nothing to choose" if right is None and tally.verdicts["="] else rate_words(right),
        NONE if low is None or high is None or tally.setting.once else range_words((low, high)),
        f"{more}{number_words(tally.mean_nodes)}",
        NONE if tally.mean_time_s is None else f"{tally.mean_time_s:.3g}",
        ", ".join(
            f"{move} {count / tally.searches:.0%}" for move, count in sorted(chosen, key=lambda c: (-c[1], c[0]))
        ),
    )


def rate_words(value: float | None) -> str:
    """A share in percent."""
    return NONE if value is None else f"{value:.1%}"


def range_words(interval: Interval | Sequence[float]) -> str:
    """An interval of shares in percent."""
    return f"{interval[0]:.1%} – {interval[1]:.1%}"


def number_words(value: float | None) -> str:
    """A number with three digits, or all of those before the point."""
    if not value:
        return NONE
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.3g}"


def _blunders(side: SideTally) -> str:
    return NONE if side.blunder_rate is None else f"{side.blunder_rate:.1%}"


def _milliseconds(side: SideTally) -> str:
    return NONE if side.mean_time_s is None else f"{1000 * side.mean_time_s:.3g}"
