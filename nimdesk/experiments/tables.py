"""Results as tables of plain values. Each column is declared once with its meaning, for CSV, documentation and windows.

Rows are in the order of the plan. Every table but ``TIMES`` holds only reproducible values, so the CSV of a plan has
the same bytes on every machine, with any number of threads.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import Any, Generic, TypeVar

from msgspec.structs import asdict

from nimdesk.cells import csv_text
from nimdesk.experiments.atlas_tally import AtlasRow, AtlasTally
from nimdesk.experiments.files import Found
from nimdesk.experiments.plan import set_by_study
from nimdesk.experiments.results import GameResult, SearchResult
from nimdesk.experiments.schedule import GameTask, SearchTask
from nimdesk.experiments.statistics import wilson
from nimdesk.experiments.study_tally import StudyRow, StudyTally
from nimdesk.experiments.tally import PairingTally, SearchTally, SettingTally, SideTally
from nimdesk.games import Side

RowT = TypeVar("RowT")
Cell = str | int | float | None
_POINTS = (
    ("both_won", "2 points", 0),
    ("won_and_drawn", "1½", 1),
    ("even", "1: both drawn, or one won and one lost", 2),
    ("drawn_and_lost", "½", 3),
    ("both_lost", "none", 4),
)
_WINNER = {0: "first", 1: "second", None: "draw"}


@dataclass(frozen=True, slots=True)
class Column(Generic[RowT]):
    """A column: its name, its meaning, and its value in a row. None becomes an empty cell."""

    name: str
    about: str
    value: Callable[[RowT], Cell]


@dataclass(frozen=True, slots=True)
class Table(Generic[RowT]):
    """A table: its name (and that of its file), its meaning, its columns, and its rows, made from what was found."""

    name: str
    about: str
    columns: tuple[Column[RowT], ...]
    rows: Callable[[Found], Iterable[RowT]]

    def csv(self, found: Found) -> str:
        """The table as CSV: a row of names, then the rows."""
        names = [column.name for column in self.columns]
        return csv_text(names, ([cell_text(column.value(row)) for column in self.columns] for row in self.rows(found)))


def cell_text(value: Cell) -> str:
    """The value as in CSV: numbers with at most six decimals, nothing for None."""
    if value is None:
        return ""
    if isinstance(value, float):
        text = f"{value:.6f}".rstrip("0").rstrip(".") if math.isfinite(value) else str(value)
        return "0" if text == "-0" else text
    return str(value)


def _sum(result: GameResult, side: int, name: str) -> int:
    odd = (side + result.turn) % 2
    return sum(getattr(ply, name) for ply in result.plies[odd::2])


_Game = tuple[GameTask, GameResult]
_Search = tuple[SearchTask, SearchResult]


def _games(found: Found) -> Iterator[_Game]:
    """Every counted game, by number."""
    for result in found.games.by_number():
        task = found.schedule.task(result.number)
        if isinstance(task, GameTask) and found.counts(result.number):
            yield task, result


def _searches(found: Found) -> Iterator[_Search]:
    """Every search, by number."""
    for result in found.searches.by_number():
        task = found.schedule.task(result.number)
        if isinstance(task, SearchTask):
            yield task, result


_GAME_COLUMNS: tuple[Column[_Game], ...] = (
    Column("number", "the game's number in the plan, from 0", lambda g: g[1].number),
    Column("first", "the player who moves first", lambda g: g[0].setting.players[0]),
    Column("second", "the player who moves second", lambda g: g[0].setting.players[1]),
    Column("position", "the start position", lambda g: g[0].setting.position),
    Column("game", "which game of these players in these roles from this position, from 0", lambda g: g[0].game),
    Column("start", "the position after random opening moves", lambda g: g[1].start),
    Column("moves", "the moves played from there", lambda g: " ".join(ply.move for ply in g[1].plies)),
    Column("winner", "first, second or draw", lambda g: _WINNER[g[1].winner]),
    Column(
        "verdicts",
        "one letter a move: + kept the value, - gave it away, = could not, ? not known",
        lambda g: "".join(ply.verdict for ply in g[1].plies),
    ),
    Column("first_simulations", "simulations of the first player in the game", lambda g: _sum(g[1], 0, "iterations")),
    Column("second_simulations", "simulations of the second player", lambda g: _sum(g[1], 1, "iterations")),
    Column("first_nodes", "nodes that the first player searched", lambda g: _sum(g[1], 0, "nodes")),
    Column("second_nodes", "nodes that the second player searched", lambda g: _sum(g[1], 1, "nodes")),
    Column("forfeit", "why a player lost without a losing move", lambda g: g[1].forfeit),
)

_SEARCH_COLUMNS: tuple[Column[_Search], ...] = (
    Column("number", "the search's number in the plan", lambda s: s[1].number),
    Column("player", "who searches", lambda s: s[0].setting.player),
    Column("position", "what is searched", lambda s: s[0].setting.position),
    Column("repeat", "which search of this player and position, from 0", lambda s: s[0].repeat),
    Column("choice", "the move chosen", lambda s: s[1].choice),
    Column("verdict", "+ kept the value, - gave it away, = could not, ? not known", lambda s: s[1].verdict),
    Column("simulations", "simulations", lambda s: s[1].iterations),
    Column("nodes", "nodes of the tree", lambda s: s[1].nodes),
    Column("complete", "1, or 0 where the plan's node limit ended it", lambda s: int(s[1].complete)),
    Column("failure", "why the player failed", lambda s: s[1].failure),
)


def _setting_columns() -> Iterator[Column[SettingTally]]:
    yield Column("first", "the player who moves first", lambda t: t.setting.players[0])
    yield Column("second", "the player who moves second", lambda t: t.setting.players[1])
    yield Column("position", "the start position", lambda t: t.setting.position)
    yield Column("games", "games counted", lambda t: t.games)
    yield Column("first_wins", "games the first player won", lambda t: t.wins[0])
    yield Column("draws", "games drawn", lambda t: t.draws)
    yield Column("second_wins", "games the second player won", lambda t: t.wins[1])
    for side in Side:
        yield from _rate_columns(side)
    yield Column("mean_plies", "moves in a game, without the opening", lambda t: t.plies / t.games if t.games else None)
    yield Column("forfeits", "games lost by a player that failed", lambda t: t.forfeits)
    yield Column("once", "1 where both are deterministic, so that one game is all", lambda t: int(t.setting.once))
    yield from _side_columns("first", lambda t: t.sides[0])
    yield from _side_columns("second", lambda t: t.sides[1])


def _rate_columns(side: Side) -> Iterator[Column[SettingTally]]:
    name = side.name.lower()
    yield Column(f"{name}_win_rate", f"{name}_wins / games", lambda t: t.win_rate(side))
    yield Column(f"{name}_low", "lower end of its Wilson 95% interval", lambda t: t.win_interval(side)[0])
    yield Column(f"{name}_high", "upper end of it", lambda t: t.win_interval(side)[1])


def _side_columns(name: str, side: Callable[[Any], SideTally]) -> Iterator[Column[Any]]:
    yield Column(f"{name}_moves", f"moves of the {name} player", lambda t: side(t).moves)
    yield Column(f"{name}_simulations", "its simulations a move", lambda t: side(t).mean_iterations)
    yield Column(f"{name}_known", "its moves of which the truth is known", lambda t: side(t).known)
    yield Column(f"{name}_decisions", "those of them where some move gives value away", lambda t: side(t).decisions)
    yield Column(f"{name}_mistakes", "those of them that did", lambda t: side(t).mistakes)


def _pairing_columns() -> Iterator[Column[PairingTally]]:
    yield Column("player", "the player named first in the plan", lambda t: t.pairing.players[0])
    yield Column("opponent", "the other", lambda t: t.pairing.players[1])
    yield Column("games", "games counted, in both roles, from all positions", lambda t: t.games)
    yield Column("wins", "games the player won", lambda t: t.counts[0])
    yield Column("draws", "games drawn", lambda t: t.counts[1])
    yield Column("losses", "games the opponent won", lambda t: t.counts[2])
    yield Column("score", "(wins + draws / 2) / games", lambda t: t.score)
    yield Column("elo", "the Elo difference that this score means", lambda t: t.elo[0] if t.games else None)
    yield Column("elo_low", "lower end of its 95% interval, by pairs where there are pairs", lambda t: t.elo[1])
    yield Column("elo_high", "upper end of it", lambda t: t.elo[2])
    yield Column("elo_biased", "where an early stop biases these: upwards or downwards", lambda t: t.bias or None)
    yield Column("los", "likelihood that the player is the stronger one", lambda t: t.los if t.games else None)
    yield Column("sprt", "the hypothesis that the sequential test accepted", lambda t: t.decision)
    yield Column("llr", "its log-likelihood ratio", lambda t: t.llr if t.pairing.sprt else None)
    yield Column("llr_lower", "where it accepts H0", lambda t: t.pairing.sprt.lower if t.pairing.sprt else None)
    yield Column("llr_upper", "where it accepts H1", lambda t: t.pairing.sprt.upper if t.pairing.sprt else None)
    yield from _side_columns("player", lambda t: t.side(0))
    yield from _side_columns("opponent", lambda t: t.side(1))


def _pair_columns() -> Iterator[Column[PairingTally]]:
    yield Column("player", "the player named first in the plan", lambda t: t.pairing.players[0])
    yield Column("opponent", "the other", lambda t: t.pairing.players[1])
    for name, words, place in _POINTS:
        yield Column(name, f"pairs in which the player had {words}", partial(_pairs_with, place=place))


def _pairs_with(tally: PairingTally, place: int) -> int:
    return tally.pairs[place]


def _choice_columns() -> Iterator[Column[SearchTally]]:
    yield Column("player", "who searches", lambda t: t.setting.player)
    yield Column("position", "what is searched", lambda t: t.setting.position)
    yield Column("searches", "searches counted", lambda t: t.searches)
    yield Column("complete", "those that the plan's node limit did not end", lambda t: t.complete)
    yield Column("right", "choices that kept the value where a move could give it away", lambda t: t.verdicts["+"])
    yield Column("wrong", "choices that gave it away", lambda t: t.verdicts["-"])
    yield Column("indifferent", "choices where no move gives anything away", lambda t: t.verdicts["="])
    yield Column("right_rate", "right / (right + wrong)", lambda t: right_rate(t)[0])
    yield Column("right_low", "lower end of its Wilson 95% interval", lambda t: right_rate(t)[1])
    yield Column("right_high", "upper end of it", lambda t: right_rate(t)[2])
    yield Column("mean_nodes", "nodes a search", lambda t: t.mean_nodes)
    yield Column("choices", "the moves chosen, each with how often", _choices_text)


def right_rate(tally: SearchTally) -> tuple[float | None, float | None, float | None]:
    """How often a choice that mattered was right, with its Wilson interval; None if none mattered."""
    right, wrong = tally.verdicts["+"], tally.verdicts["-"]
    if not right + wrong:
        return None, None, None
    return right / (right + wrong), *wilson(right, right + wrong)


def _choices_text(tally: SearchTally) -> str:
    return " ".join(f"{move}:{tally.choices[move]}" for move in tally.moves if tally.choices[move])


_Move = tuple[SearchTally, str]
_Time = tuple[str, str, str, SideTally | None, SearchTally | None]

GAMES: Table[_Game] = Table("games", "One row a game.", _GAME_COLUMNS, _games)
SEARCHES: Table[_Search] = Table("searches", "One row a search.", _SEARCH_COLUMNS, _searches)
SETTINGS: Table[SettingTally] = Table(
    "table",
    "Games by who moves first and from where.",
    tuple(_setting_columns()),
    lambda found: found.tally.played_settings,
)
PAIRINGS: Table[PairingTally] = Table(
    "pairings",
    "Games by pair of players.",
    tuple(_pairing_columns()),
    lambda found: found.tally.played,
)
PAIRS: Table[PairingTally] = Table(
    "pairs",
    "What Elo and its interval are from: two games from one position or opening, one in each role.",
    tuple(_pair_columns()),
    lambda found: (each for each in found.tally.played if any(each.pairs)),
)
CHOICES: Table[SearchTally] = Table(
    "choices",
    "Searches by player and position.",
    tuple(_choice_columns()),
    lambda found: found.tally.searches,
)
MOVES: Table[_Move] = Table(
    "moves",
    "What the searches thought of each legal move.",
    (
        Column("player", "who searches", lambda m: m[0].setting.player),
        Column("position", "what is searched", lambda m: m[0].setting.position),
        Column("move", "a legal move", lambda m: m[1]),
        Column("chosen", "how many searches chose it", lambda m: m[0].choices[m[1]]),
        Column("mean_value", "its mean value, from 0 to 1, over all searches", lambda m: m[0].mean_value(m[1])),
    ),
    lambda found: ((search, move) for search in found.tally.searches for move in search.moves),
)


def _times(found: Found) -> Iterator[_Time]:
    for each in found.tally.played_settings:
        for side, role in ((0, "first"), (1, "second")):
            yield each.setting.players[side], role, each.setting.position, each.sides[side], None
    for search in found.tally.searches:
        yield search.setting.player, "search", search.setting.position, None, search


TIMES: Table[_Time] = Table(
    "times",
    "Seconds a move or a search: measurements, different each time. All other tables are reproducible.",
    (
        Column("player", "whose", lambda t: t[0]),
        Column("role", "first, second, or search", lambda t: t[1]),
        Column("position", "the start position, or what is searched", lambda t: t[2]),
        Column("moves", "moves or searches measured", lambda t: t[3].moves if t[3] else t[4].searches if t[4] else 0),
        Column(
            "mean_s",
            "seconds for each",
            lambda t: t[3].mean_time_s if t[3] else t[4].mean_time_s if t[4] else None,
        ),
    ),
    _times,
)
TABLES: tuple[Table[Any], ...] = (GAMES, SEARCHES, SETTINGS, PAIRINGS, PAIRS, CHOICES, MOVES, TIMES)


def csv_files(found: Found) -> dict[str, str]:
    """All CSV files by name, except those without rows."""
    files = {f"{table.name}.csv": table.csv(found) for table in TABLES}
    if found.study is not None:
        files["study.csv"] = study_csv(found.study)
    if found.atlas is not None:
        files["atlas.csv"] = atlas_csv(found.atlas)
    return {name: text for name, text in files.items() if text.count("\n") > 1}


def columns_text() -> str:
    """What every column of every file means, in Markdown."""
    lines = []
    for table in TABLES:
        columns = [f"- `{column.name}`: {column.about}" for column in table.columns]
        lines += [f"**{table.name}.csv**: {table.about}", "", *columns, ""]
    return "\n".join(lines)


def study_csv(study: StudyTally) -> str:
    """All rows of a study, with the columns of ``StudyRow``; shares and errors to nine digits, empty if unknown."""
    names = [each.name for each in fields(StudyRow)]
    return csv_text(names, ([_nine_digits(getattr(row, name)) for name in names] for row in study.rows()))


def atlas_csv(atlas: AtlasTally) -> str:
    """All rows of an atlas, with the columns of ``AtlasRow``; those with one entry per budget once for each budget."""
    names: list[str] = []
    for each in fields(AtlasRow):
        many = each.name in ("optimal_share", "regret", "settled_share")
        names += [f"{each.name}_{budget}" for budget in atlas.atlas.budgets] if many else [each.name]
    return csv_text(names, (_atlas_cells(row) for row in atlas.rows()))


def _atlas_cells(row: AtlasRow) -> Iterator[Cell]:
    for each in fields(row):
        value = getattr(row, each.name)
        yield from map(_nine_digits, value if isinstance(value, tuple) else (value,))


STUDY_SEARCH_COLUMNS = (
    "agent", "position", "number", "seed", "budget", "spent", "choice", "regret", "settled", "visits",
)  # fmt: skip


def study_searches_csv(tally: StudyTally) -> str:
    """Each search of a study at each budget; ``visits`` of all legal moves as move=visits, in their order.

    The tally must keep visits.
    """
    return csv_text(STUDY_SEARCH_COLUMNS, (map(_nine_digits, row) for row in _study_searches(tally)))


def _study_searches(tally: StudyTally) -> Iterator[list[Cell]]:
    study = tally.study
    for agent, position in tally.pairs:
        moves = [move.text for move in study.positions[position].legal_moves]
        for result in tally.results(agent, position):
            task = study.task(result.number)
            head = (study.labels[agent], study.positions[position].text, task.repeat, study.seed(task))
            own = study.has_own_budget(agent, position)
            budgets: Sequence[int | None] = [None] if own else study.budgets
            # Of one with a budget of its own all readings are alike.
            for budget, spent, choice, visits in zip(
                budgets, result.spent, result.choices, result.visits, strict=not own
            ):
                shown = " ".join(f"{move}={n}" for move, n in zip(moves, visits, strict=True))
                regret = tally.regrets[position][choice] / 2
                yield [*head, budget, spent, moves[choice], regret, result.settled, shown]


def about_study(study: StudyTally, digest: str) -> dict[str, object]:
    """What the CSV files of a study are of: the digest of its plan, its agents with all options, and its budgets."""
    made = study.study
    # Without those that the study sets itself: the agents' own were not searched with.
    agents = [
        {"agent": agent.name, "options": {name: value for name, value in options.items() if name not in given}}
        for agent, options, given in ((each, asdict(each.options), set_by_study(each)) for each in made.agents)
    ]
    unit = {"budget_unit": "ms"} if made.part.unit else {}
    return {"digest": digest, "agents": agents, "budgets": list(made.budgets), **unit, "seeds": made.part.repeats}


def _nine_digits(value: Cell) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return f"{value:.9g}" if isinstance(value, float) else str(value)
