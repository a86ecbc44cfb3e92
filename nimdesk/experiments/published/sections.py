"""A published table beside our own results, as sections of text cells and as CSV."""

from __future__ import annotations

from collections.abc import Iterator

from nimdesk.cells import csv_text
from nimdesk.experiments.files import Found
from nimdesk.experiments.matches.tally import MatchTally
from nimdesk.experiments.published import BuiltIn, Comparison
from nimdesk.experiments.published.figures import MARGIN, measured, verdict_words, within_error
from nimdesk.experiments.sections import NONE, Section, number_words, range_words, rate_words
from nimdesk.experiments.tables import Cell, cell_text
from nimdesk.games import kit_of, parse_position


def published_sections(built_in: BuiltIn, run: Found) -> Iterator[Section]:
    """All that there is to say of a published table."""
    yield comparison(built_in, run)
    yield from _by_group(built_in, run)
    if built_in.times:
        yield _times(built_in, run)
    if built_in.game_times:
        yield _game_times(built_in, run)
    if built_in.exact:
        yield _exact(built_in, run)


def comparison(built_in: BuiltIn, run: Found) -> Section:
    """The published figures beside ours, and what can be told of them."""
    headers = ("Of", "What", "Published", "Ours", "95% interval", "Verdict")
    compared = built_in.compare(run)
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
        value = number_words(ours.value)
    elif figure.quantity == "mean value":
        value = NONE if ours.value is None else f"{ours.value:.4f}"
    else:
        value = rate_words(ours.value)
    bounds = ours.interval()
    return (
        where_words(figure.where),
        what,
        figure.printed,
        value,
        NONE if bounds is None else range_words(bounds),
        each.verdict,
    )


def comparison_csv(built_in: BuiltIn, run: Found) -> str:
    """The comparison as CSV: players, position, quantity, published range and text, ours, its interval, the verdict."""
    names = ("of", "position", "quantity", "move", "printed", "published_low", "published_high", "ours", "low", "high")
    rows = (map(cell_text, _comparison_cells(each)) for each in built_in.compare(run))
    return csv_text((*names, "games", "verdict", "note"), rows)


def _comparison_cells(each: Comparison) -> tuple[Cell, ...]:
    figure, ours = each.figure, each.ours
    what = (" - ".join(figure.where[:-1]), figure.where[-1], figure.quantity, figure.move, figure.printed)
    bounds = ours.interval() or (None, None)
    return *what, figure.low, figure.high, ours.value, *bounds, ours.of, each.verdict, figure.note


def _exact(built_in: BuiltIn, run: Found) -> Section:
    """What follows from the document without being printed there, beside what was measured."""
    headers = ("Of", "What", "Exact", "Measured", "")
    rows = []
    for figure in built_in.exact:
        ours = measured(figure, run)
        value = NONE if ours.value is None else f"{ours.value:.4f}"
        verdict = "" if ours.value is None else "within its error" if within_error(figure, ours) else "beyond its error"
        rows.append((where_words(figure.where), f"{figure.quantity} {figure.move}", figure.printed, value, verdict))
    note = (
        "The document prints none of these. The exact chances are worked out here, and the measured ones check the "
        "program, not the document: “within” is within four standard errors."
    )
    return Section("Exact and measured", headers, rows, 2, note)


def _by_group(built_in: BuiltIn, run: Found) -> Iterator[Section]:
    """The document's figures that group games by a parameter of the game, each as a table."""
    headers = ("", "Position", "Games", "First wins", "Draws", "Second wins")
    printed: dict[tuple[tuple[str, ...], str], str] = {
        (each.where, each.quantity): each.printed for each in built_in.figures
    }
    for title, first, values in built_in.groups:
        rows = []
        for each in run[MatchTally].settings:
            players, text = each.setting.players, each.setting.position
            name, value = _group(text)
            if players[0] != first or value not in values or not each.games:
                continue
            shares = (each.wins[0], each.draws, each.wins[1])
            cells = (
                f"{printed.get(((*players, text), quantity), NONE)} : {rate_words(count / each.games)}"
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


def _times(built_in: BuiltIn, run: Found) -> Section:
    """The seconds a move of both players, published and measured."""
    headers = ("First", "Second", "Position", "Published", "Ours", "Times as fast")
    rows = []
    for each in run[MatchTally].settings:
        where = (*each.setting.players, each.setting.position)
        ours = [side.mean_time_s for side in each.sides]
        if (theirs := built_in.times.get(where)) is None or None in ours:
            continue
        faster = " : ".join(f"{old / new:,.0f}" if new else NONE for old, new in zip(theirs, ours, strict=True))
        rows.append((*where, *(" : ".join(f"{each:.4f}" for each in pair) for pair in (theirs, ours)), faster))
    note = f"First player : second player. {_MEASURED}"
    return Section("Seconds a move: published and ours", headers, rows, 3, note)


_MEASURED = "Times are measurements, of the machine that ran this as it was then, and not reproducible."


def _game_times(built_in: BuiltIn, run: Found) -> Section:
    """The seconds a game: the searches of both players."""
    headers = ("First", "Second", "Position", "Games", "Published", "Ours")
    rows = []
    for each in run[MatchTally].settings:
        if each.mean_game_s is not None:
            where = (*each.setting.players, each.setting.position)
            rows.append((*where, f"{each.games:,}", NONE, f"{each.mean_game_s:.3g}"))
    note = f"{built_in.game_times} Ours is the time in which both players chose their moves. {_MEASURED}"
    return Section("Seconds a game: published and ours", headers, rows, 3, note)


def where_words(where: tuple[str, ...]) -> str:
    """Players and position that a figure speaks of."""
    return f"{' – '.join(where[:-1])}, {where[-1]}"
