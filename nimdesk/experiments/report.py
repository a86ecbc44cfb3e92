"""Results as sections of text cells, for a terminal, for Markdown, for a window."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from nimdesk.atomic import os_error_words, write_atomically
from nimdesk.cells import csv_text
from nimdesk.errors import ResultsError
from nimdesk.experiments.atlas_tally import AtlasRow, AtlasTally, Order, features, misled
from nimdesk.experiments.differences import Differences, number
from nimdesk.experiments.files import Found
from nimdesk.experiments.findings import finding
from nimdesk.experiments.published import BuiltIn, Comparison, published_as
from nimdesk.experiments.published.figures import MARGIN, measured, verdict_words, within_error
from nimdesk.experiments.rating import RatingList, rating_list
from nimdesk.experiments.schedule import Study
from nimdesk.experiments.statistics import signed
from nimdesk.experiments.study_tally import StudyRow, StudyTally
from nimdesk.experiments.tables import Cell, cell_text, csv_files, right_rate
from nimdesk.experiments.tally import Interval, PairingTally, SearchTally, SettingTally, SideTally, Tally
from nimdesk.experiments.tuning import Tuning, tuning_of
from nimdesk.games import Side, kit_of, parse_position
from nimdesk.provenance import document

_MOST_ROWS = 200
_NONE = "–"


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


def sections(found: Found) -> Iterator[Section]:
    """All sections of these results, with a crosstable if three or more players have met."""
    tally = found.tally
    if found.study is not None:
        yield convergence(found.study)
    if (tuned := tuning_of(found)) is not None:
        yield landscape(tuned)
    if found.atlas is not None:
        yield atlas_section(found.atlas, "traps")
        yield atlas_section(found.atlas, "worse")
    if tally.pairings:
        yield _pairings(tally)
        if tuned is None and len({name for each in tally.played for name in each.pairing.players}) > 2:
            yield crosstable(tally)
            if (rated := rating_list(tally)) is not None:
                yield ratings(rated)
        yield _settings(tally)
        yield _moves(tally)
    if tally.searches:
        yield _searches(tally)
    built_in = published_as(found.schedule.plan)
    if built_in is not None:
        yield comparison(built_in, tally)
        yield from _by_group(built_in, tally)
        if built_in.times:
            yield _times(built_in, tally)
        if built_in.exact:
            yield _exact(built_in, tally)


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
    note = f"{len(rows) - most:,} more rows are in the CSV file." if len(rows) > most else ""
    return Section(_ATLAS_TITLES[order], ATLAS_HEADERS, [atlas_cells(row) for row in rows[:most]], 3, note)


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
        _NONE if row.settled_median is None else f"{row.settled_median:,}",
        f"−{row.fall:.1%}, {row.worse_from:,} → {row.worse_to:,}" if row.fall else _NONE,
        f"{row.wrong}{lasts}" if row.wrong else _NONE,
    )


def markdown(found: Found) -> str:
    """A report: the title, how much is done, all sections, notes, and what made the results."""
    plan = found.schedule.plan
    built_in = published_as(plan)
    lines = [f"# {found.name or plan.title or plan.name}", "", *([found.note, ""] if found.note else [])]
    if built_in is not None:
        lines += [built_in.about, "", f"Source: {built_in.source}", ""]
    elif plan.about:
        lines += [plan.about, ""]
    digest = found.schedule.digest[:16]
    lines += [f"{found.done:,} of {found.total:,} games and searches; plan `{digest}`.", "", finding(found), ""]
    for section in sections(found):
        lines += [f"## {section.title}", "", *markdown_table(section), ""]
        lines += [section.note, ""] if section.note else []
    if listed := notes(found):
        lines += ["## Notes", "", *(f"- {note}" for note in listed), ""]
    if found.made:
        lines += ["## Made", "", *(f"- {made.words}." for made in found.made), ""]
    # Names come from outside: in Markdown, a tag would be one of the page.
    return "\n".join(lines).replace("<", "\\<")


def write_files(found: Found, folder: Path) -> list[Path]:
    """Write all CSV files, the report in Markdown, the plan, and what made all that into a folder, made if missing."""
    plan, files = found.schedule.plan, csv_files(found)
    made = document({"plan": plan.name, "digest": found.schedule.digest}, found.made).decode()
    files |= {"report.md": markdown(found), "plan.json": plan.to_json().decode(), "made.json": made}
    built_in = published_as(plan)
    if built_in is not None:
        files["published.csv"] = comparison_csv(built_in, found.tally)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            write_atomically(folder / name, text.encode(), follow=False)
    except (OSError, ValueError) as error:
        raise ResultsError(f"The results cannot be written to “{folder}”: {os_error_words(error)}.") from error
    return [folder / name for name in files]


def markdown_table(section: Section) -> list[str]:
    """The lines of a table in Markdown."""
    marks = [":--" if i < section.left else "--:" for i in range(len(section.headers))]
    rows = [section.headers, tuple(marks), *section.rows]
    return [f"| {' | '.join(cell.replace('|', '/') for cell in row)} |" for row in rows]


def notes(found: Found) -> list[str]:
    """What a reader should know of the plan, of games lost by a failure, and of a published table."""
    tally, listed = found.tally, list(found.schedule.notes)
    failed = sum(each.forfeits for each in tally.settings)
    if failed:
        listed.append(f"{failed:,} {'game was' if failed == 1 else 'games were'} lost by a player that failed.")
    if found.atlas is not None:
        rows = found.atlas.rows()
        if found.atlas.without_choice:
            listed.append(
                f"In {found.atlas.without_choice:,} positions all moves are worth the same; they are not searched."
            )
        listed += [*misled(rows), *features(rows)]
    built_in = published_as(found.schedule.plan)
    if built_in is not None:
        listed += [*built_in.choices, *built_in.found(tally)]
        listed += dict.fromkeys(
            f"{_where(each.figure.where)}, {each.figure.quantity}: {each.figure.note}"
            for each in built_in.compare(tally)
            if each.figure.note
        )
    return listed


def convergence(study: StudyTally) -> Section:
    """How often the searches of a study chose an optimal move, by budget."""
    headers = ("Agent", "Position", "Budget", "Searches", "Optimal", "95% interval", "Mean regret", "Visits on optimal")
    return Section(
        "Convergence", headers, [(row.agent, row.position, *study_cells(row, study.study)) for row in study.rows()], 2
    )


def study_cells(row: StudyRow, study: Study) -> tuple[str, ...]:
    """Budget, searches, share of optimal choices and its interval, mean regret, visits on optimal moves."""
    error = "" if math.isnan(row.regret_error) else f" ± {row.regret_error:.3f}"
    return (
        study.part.words(row.budget),
        f"{row.searches:,}",
        f"{row.optimal_share:.1%}",
        _range((row.low, row.high)),
        f"{row.regret:.3f}{error}",
        _rate(row.visit_share),
    )


def _pairings(tally: Tally) -> Section:
    tested = any(each.pairing.sprt for each in tally.played)
    headers = ("Player", "Opponent", "From", "Games", "Wins", "Draws", "Losses", "Score", "Elo difference", "Blunders")
    rows = [_pairing_row(each, tested) for each in tally.played]
    return Section("Pairings", (*headers, *(("SPRT",) if tested else ())), rows, 3)


def _pairing_row(tally: PairingTally, tested: bool) -> tuple[str, ...]:
    score = _NONE if tally.score is None else f"{tally.score:.1%}"
    blunders = " : ".join(_blunders(tally.side(player)) for player in (0, 1))
    test = () if not tested else (tally.decision or "open",)
    positions = list(dict.fromkeys(setting.position for setting in tally.pairing.settings))
    return (
        *tally.pairing.players,
        positions[0] if len(positions) == 1 else f"{len(positions)} positions",
        f"{tally.games:,}",
        *(f"{count:,}" for count in tally.counts),
        score,
        _elo(tally),
        blunders,
        *test,
    )


def _elo(tally: PairingTally) -> str:
    elo, low, high = tally.elo
    return (
        _NONE if math.isnan(elo) or tally.pairing.settings[0].once else f"{signed(elo)} [{signed(low)}, {signed(high)}]"
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
            _NONE if each.above_next is None else f"{each.above_next:.1%}",
        )
        for each in rated.ratings
    ]
    headers = ("Player", "Elo", "95% interval", "Games", "Score", "Draws", "Stronger than the next")
    note = "Elo by maximum likelihood above the mean of all players; a draw is half a win."
    if rated.virtual:
        note += " Somebody lost, or won, every game against others, so each two who met were given one drawn game more."
    return Section("Rating list", headers, rows, 1, note)


def landscape(tuned: Tuning) -> Section:
    """Every value that was tried, against the default."""
    rows = [
        (
            f"{each.name}{' (best)' if each == tuned.best else ''}",
            f"{each.rounds}",
            f"{each.games:,}",
            *((f"{each.score:.1%}", _range((each.low, each.high))) if each.games else (_NONE, _NONE)),
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
    return f"{points / games:.1%}" if games else _NONE


def _settings(tally: Tally) -> Section:
    headers = ("First", "Second", "Position", "Games", "First wins [95%]", "Draws", "Second wins [95%]")
    rows = [
        (
            *each.setting.players,
            each.setting.position,
            f"{each.games:,}{' (all alike)' if each.setting.once else ''}",
            _wins(each, Side.FIRST),
            _rate(each.draws / each.games if each.games else None),
            _wins(each, Side.SECOND),
        )
        for each in tally.played_settings[:_MOST_ROWS]
    ]
    return Section("By role and position", headers, rows, 3)


def _moves(tally: Tally) -> Section:
    """The cost of the moves and the number of mistakes, as first player : second player."""
    headers = ("First", "Second", "Position", "Plies", "Blunders", "Simulations a move", "Milliseconds a move")
    rows = []
    for each in tally.played_settings[:_MOST_ROWS]:
        first, second = each.sides
        rows.append(
            (
                *each.setting.players,
                each.setting.position,
                _number(each.plies / each.games if each.games else None),
                f"{_blunders(first)} : {_blunders(second)}",
                f"{_number(first.mean_iterations)} : {_number(second.mean_iterations)}",
                f"{_milliseconds(first)} : {_milliseconds(second)}",
            )
        )
    return Section("Moves: first player : second player", headers, rows, 3)


def _wins(tally: SettingTally, side: Side) -> str:
    """The share and its interval; one game that stands for all has no interval."""
    share = _rate(tally.win_rate(side))
    if tally.setting.once or not tally.games:
        return share
    low, high = tally.win_interval(side)
    return f"{share} [{100 * low:.1f}, {100 * high:.1f}]"


def _searches(tally: Tally) -> Section:
    headers = ("Player", "Position", "Searches", "Right", "95% interval", "Nodes", "Seconds", "Choices")
    return Section("Searches", headers, [_search_row(each) for each in tally.searches[:_MOST_ROWS]], 2)


def _search_row(tally: SearchTally) -> tuple[str, ...]:
    right, low, high = right_rate(tally)
    more = "> " if tally.complete < tally.searches else ""
    chosen = tally.choices.most_common(4)
    return (
        tally.setting.player,
        tally.setting.position,
        f"{tally.searches:,}",
        "nothing to choose" if right is None and tally.verdicts("=") else _rate(right),
        _NONE if low is None or high is None or tally.setting.once else _range((low, high)),
        f"{more}{_number(tally.mean_nodes)}",
        _NONE if tally.mean_time_s is None else f"{tally.mean_time_s:.3g}",
        ", ".join(
            f"{move} {count / tally.searches:.0%}" for move, count in sorted(chosen, key=lambda c: (-c[1], c[0]))
        ),
    )


def comparison(built_in: BuiltIn, tally: Tally) -> Section:
    """The published figures beside ours, and what can be told of them."""
    headers = ("Of", "What", "Published", "Ours", "95% interval", "Verdict")
    compared = built_in.compare(tally)
    rows = [_comparison_row(each) for each in compared]
    words = verdict_words(compared)
    return Section("Published and ours", headers, rows, 2, f"{words} {VERDICTS}" if words else "")


VERDICTS = (
    f"“Agrees” says that both are shown to be within {100 * MARGIN:.0f} percentage points of each other (two one-sided "
    "tests at 5%; numbers of nodes: that they are equal), “differs” that the 95% interval of their difference "
    "excludes 0, “cannot tell” that neither is shown. A published share counts with its own sampling error where the "
    "document gives the number of games; else it is taken as it is."
)


def _comparison_row(each: Comparison) -> tuple[str, ...]:
    figure, ours = each.figure, each.ours
    what = f"{figure.quantity} {figure.move}".strip()
    if figure.quantity == "nodes":
        value = _number(ours.value)
    elif figure.quantity == "mean value":
        value = _NONE if ours.value is None else f"{ours.value:.4f}"
    else:
        value = _rate(ours.value)
    bounds = ours.interval()
    return _where(figure.where), what, figure.printed, value, _NONE if bounds is None else _range(bounds), each.verdict


def comparison_csv(built_in: BuiltIn, tally: Tally) -> str:
    """The comparison as CSV: players, position, quantity, published range and text, ours, its interval, the verdict."""
    names = ("of", "position", "quantity", "move", "printed", "published_low", "published_high", "ours", "low", "high")
    rows = (map(cell_text, _comparison_cells(each)) for each in built_in.compare(tally))
    return csv_text((*names, "games", "verdict", "note"), rows)


def _comparison_cells(each: Comparison) -> tuple[Cell, ...]:
    figure, ours = each.figure, each.ours
    what = (" - ".join(figure.where[:-1]), figure.where[-1], figure.quantity, figure.move, figure.printed)
    bounds = ours.interval() or (None, None)
    return *what, figure.low, figure.high, ours.value, *bounds, ours.of, each.verdict, figure.note


def _exact(built_in: BuiltIn, tally: Tally) -> Section:
    """What follows from the document without being printed there, beside what was measured."""
    headers = ("Of", "What", "Exact", "Measured", "")
    rows = []
    for figure in built_in.exact:
        ours = measured(figure, tally)
        value = _NONE if ours.value is None else f"{ours.value:.4f}"
        verdict = "" if ours.value is None else "within its error" if within_error(figure, ours) else "beyond its error"
        rows.append((_where(figure.where), f"{figure.quantity} {figure.move}", figure.printed, value, verdict))
    note = (
        "The document prints none of these. The exact chances are worked out here, and the measured ones check the "
        "program, not the document: “within” is within four standard errors."
    )
    return Section("Exact and measured", headers, rows, 2, note)


def _by_group(built_in: BuiltIn, tally: Tally) -> Iterator[Section]:
    """The document's figures that group games by a parameter of the game, each as a table."""
    headers = ("", "Position", "Games", "First wins", "Draws", "Second wins")
    printed: dict[tuple[tuple[str, ...], str], str] = {
        (each.where, each.quantity): each.printed for each in built_in.figures
    }
    for title, first, values in built_in.groups:
        rows = []
        for each in tally.settings:
            players, text = each.setting.players, each.setting.position
            name, value = _group(text)
            if players[0] != first or value not in values or not each.games:
                continue
            shares = (each.wins[0], each.draws, each.wins[1])
            cells = (
                f"{printed.get(((*players, text), quantity), _NONE)} : {_rate(count / each.games)}"
                for quantity, count in zip(("first wins", "draws", "second wins"), shares, strict=True)
            )
            rows.append((f"{name} = {value}", text, f"{each.games:,}", *cells))
        if rows:
            rows.sort(key=lambda row: row[0])
            yield Section(f"{title}: {first} first, published : ours", headers, rows, 2)


def _group(text: str) -> tuple[str, int]:
    position = parse_position(text)
    group = kit_of(position).group
    return ("", 0) if group is None else group(position.game)


def _times(built_in: BuiltIn, tally: Tally) -> Section:
    """The seconds a move of both players, published and measured."""
    headers = ("First", "Second", "Position", "Published", "Ours", "Times as fast")
    rows = []
    for each in tally.settings:
        where = (*each.setting.players, each.setting.position)
        ours = [side.mean_time_s for side in each.sides]
        if (theirs := built_in.times.get(where)) is None or None in ours:
            continue
        faster = " : ".join(f"{old / new:,.0f}" if new else _NONE for old, new in zip(theirs, ours, strict=True))
        rows.append((*where, *(" : ".join(f"{each:.4f}" for each in pair) for pair in (theirs, ours)), faster))
    note = "First player : second player. Times are measurements, of this machine as it was then, and not reproducible."
    return Section("Seconds a move: published and ours", headers, rows, 3, note)


def _where(where: tuple[str, ...]) -> str:
    return f"{' – '.join(where[:-1])}, {where[-1]}"


def _rate(value: float | None) -> str:
    return _NONE if value is None else f"{value:.1%}"


def _range(interval: Interval | Sequence[float]) -> str:
    return f"{interval[0]:.1%} – {interval[1]:.1%}"


def _number(value: float | None) -> str:
    if not value:
        return _NONE
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.3g}"


def _blunders(side: SideTally) -> str:
    return _NONE if side.blunder_rate is None else f"{side.blunder_rate:.1%}"


def _milliseconds(side: SideTally) -> str:
    return _NONE if side.mean_time_s is None else f"{1000 * side.mean_time_s:.3g}"
