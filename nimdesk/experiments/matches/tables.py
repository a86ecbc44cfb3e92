"""Games as tables of plain values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from msgspec import UNSET

from nimdesk.experiments.matches.tally import MatchTally, PairingTally, SettingTally, SideTally
from nimdesk.experiments.matches.work import GameResult, GameTask
from nimdesk.experiments.tables import Column, Table, TimeRow
from nimdesk.games import Side

_POINTS = (
    ("both_won", "2 points", 0),
    ("won_and_drawn", "1½", 1),
    ("even", "1: both drawn, or one won and one lost", 2),
    ("drawn_and_lost", "½", 3),
    ("both_lost", "none", 4),
)
_WINNER = {0: "first", 1: "second", None: "draw"}


def _sum(result: GameResult, side: int, name: str) -> int:
    odd = (side + result.turn) % 2
    return sum(getattr(ply, name) for ply in result.plies[odd::2])


Game = tuple[GameTask, GameResult]


def games_of(tally: MatchTally) -> Iterator[Game]:
    """Every counted game, by number."""
    for result in tally.results.by_number():
        if tally.counts(result.number):
            yield tally.matches.task(result.number), result


_GAME_COLUMNS: tuple[Column[Game], ...] = (
    Column("number", "the game's number in the plan, from 0", lambda g: g[1].number),
    Column("first", "the player who moves first", lambda g: g[1].seated(g[0].setting.players)[0]),
    Column("second", "the player who moves second", lambda g: g[1].seated(g[0].setting.players)[1]),
    Column("position", "the start position", lambda g: g[0].setting.position),
    Column("game", "which game of these players in these roles from this position, from 0", lambda g: g[0].game),
    Column("start", "the position after random opening moves, or those of an opening rule", lambda g: g[1].start),
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
_OPENING_COLUMNS: tuple[Column[Game], ...] = (
    Column("number", "the game's number in the plan, from 0", lambda g: g[1].number),
    Column("opener", "the player who has the first side as the opening begins", lambda g: g[0].setting.players[0]),
    Column("other", "the other player", lambda g: g[0].setting.players[1]),
    Column("choices", "what was chosen: stay, swap, or more moves first", lambda g: " ".join(g[1].choices or ())),
    Column("first", "who then plays the first side", lambda g: g[1].seated(g[0].setting.players)[0]),
    Column("start", "the position after the opening", lambda g: g[1].start),
    Column("stood_in", "1 where mcts chose for a player that tells no value", lambda g: int(bool(g[1].stood_in))),
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


GAMES: Table[Game] = Table("games", "One row a game.", _GAME_COLUMNS, games_of)
SETTINGS: Table[SettingTally] = Table(
    "table",
    "Games by who moves first and from where.",
    tuple(_setting_columns()),
    lambda tally: tally.played_settings,
)
PAIRINGS: Table[PairingTally] = Table(
    "pairings",
    "Games by pair of players.",
    tuple(_pairing_columns()),
    lambda tally: tally.played,
)
PAIRS: Table[PairingTally] = Table(
    "pairs",
    "What Elo and its interval are from: two games from one position or opening, one in each role.",
    tuple(_pair_columns()),
    lambda tally: (each for each in tally.played if any(each.pairs)),
)
OPENINGS: Table[Game] = Table(
    "openings",
    "One row a game that began by an opening rule.",
    _OPENING_COLUMNS,
    lambda tally: (game for game in games_of(tally) if game[1].choices is not UNSET),
)


def match_times(tally: MatchTally) -> Iterator[TimeRow]:
    """Seconds a move, by setting and side."""
    for each in tally.played_settings:
        for side, role in ((0, "first"), (1, "second")):
            moves = each.sides[side]
            yield TimeRow(each.setting.players[side], role, each.setting.position, moves.moves, moves.mean_time_s)
