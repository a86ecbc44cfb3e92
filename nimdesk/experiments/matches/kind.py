"""Matches, as a kind of experiment."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from msgspec import UNSET

from nimdesk.agents import Agent
from nimdesk.errors import PlanError
from nimdesk.experiments.brakes import Brakes
from nimdesk.experiments.kind import Kind, Setup
from nimdesk.experiments.matches.finding import match_finding
from nimdesk.experiments.matches.playing import run_game
from nimdesk.experiments.matches.rating import rating_list
from nimdesk.experiments.matches.sections import match_sections
from nimdesk.experiments.matches.tables import GAMES, OPENINGS, PAIRINGS, PAIRS, SETTINGS, match_times
from nimdesk.experiments.matches.tally import MatchTally, SettingTally
from nimdesk.experiments.matches.tuning import tuning_values
from nimdesk.experiments.matches.work import GameResult, GameTask, Matches, MatchPart, Pairing, Setting
from nimdesk.experiments.measured import Difference, Measured, compared
from nimdesk.experiments.statistics import wilson
from nimdesk.games import Side


def _work(parts: Sequence[MatchPart], setup: Setup, first: int) -> Matches:
    for i, match in enumerate(parts):
        _check_best(parts[:i], match, f"matches[{i}]")
        if match.sprt is not None and match.sprt.unit == "pairs" and not match.swap:
            raise PlanError(
                f"The plan cannot be used: in “matches[{i}]”: a test of pairs of games needs “swap”, so that each pair "
                "has both roles."
            )
    for i, match in enumerate(parts):
        setup.look_up(f"matches[{i}]", match.players, match.positions)
    pairings = list(_pairings(parts, setup.agents, first))
    notes = [
        f"{pairing.players[0]} and {pairing.players[1]} are deterministic: all their games from one position are the "
        "same game, which is played once. Random opening moves would vary them."
        for pairing in pairings
        if pairing.settings[0].once
    ]
    return Matches(parts, pairings, setup, notes, first)


def _check_best(before: Sequence[MatchPart], match: MatchPart, field: str) -> None:
    if match.best is UNSET:
        return
    if match.format != "gauntlet":
        raise PlanError(f"The plan cannot be used: in “{field}”: “best” needs the format “gauntlet”.")
    if len(set(match.players)) != len(match.players):
        raise PlanError(f"The plan cannot be used: in “{field}”: with “best” each player is named once.")
    earlier = [part for part in before if part.best]
    if any(part.players != match.players for part in earlier):
        raise PlanError(f"The plan cannot be used: in “{field}”: all parts with “best” need the same “players”.")
    if not earlier and match.best < len(match.players) - 1:
        raise PlanError(
            f"The plan cannot be used: in “{field}”: in the first part with “best” all {len(match.players) - 1} of the "
            "others must play; nothing is known of them before."
        )


def _pairs(match: MatchPart) -> Iterator[tuple[str, str]]:
    if match.best:
        return ((other, match.players[0]) for other in match.players[1:])
    if match.format == "gauntlet":
        return ((match.players[0], other) for other in match.players[1:])
    return itertools.combinations(match.players, 2)


def _pairings(parts: Sequence[MatchPart], agents: dict[str, Agent], first: int) -> Iterator[Pairing]:
    index, pairing = itertools.count(), itertools.count()
    for number, match in enumerate(parts):
        for pair in _pairs(match):
            here = next(pairing)
            # With random openings the games of two deterministic players differ.
            varied = bool(match.opening_plies or match.opening_rule)
            once = not varied and not any(agents[name].uses_chance for name in pair)
            settings = tuple(
                Setting(
                    next(index),
                    here,
                    (pair[1], pair[0]) if swapped else pair,
                    position,
                    swapped,
                    1 if once else match.games,
                    once,
                    match.opening_plies,
                )
                for position in dict.fromkeys(match.positions)
                for swapped in ((False, True) if match.swap else (False,))
            )
            made = Pairing(here, number, pair, settings, match.sprt, first, match.best or None)
            first += made.tasks
            yield made


def _run(matches: Matches, task: GameTask, _known: None, brakes: Brakes | None) -> GameResult:
    return run_game(matches, task, brakes)


def _notes(tally: MatchTally) -> Iterator[str]:
    if failed := sum(each.forfeits for each in tally.settings):
        yield f"{failed:,} {'game was' if failed == 1 else 'games were'} lost by a player that failed."
    if proven := sum(each.adjudicated for each in tally.settings):
        games = "game was" if proven == 1 else "games were"
        yield f"{proven:,} {games} ended where the outcome was proven, and counted as if played out without a mistake."
    if opened := sum(each.opened for each in tally.settings):
        first, swaps = (sum(getattr(each, name) for each in tally.settings) for name in ("first_won", "swaps"))
        yield (
            f"Under the opening rule the sides were changed in {swaps:,} of {opened:,} games, and First won "
            f"{first / opened:.1%} of them. “First” and “second” in the tables are the players as the opening began."
        )
    if stood_in := sum(each.stood_in for each in tally.settings):
        yield (
            f"In {stood_in:,} openings a search of nimdesk's (mcts) chose for a player whose own tells no value of a "
            "position: these choices are not the player's."
        )


def _differences(one: MatchTally, other: MatchTally) -> Iterator[Difference]:
    """Who won, by role and position, in both."""
    theirs = {_where(each): each for each in other.played_settings}
    for mine in one.played_settings:
        there = theirs.get(_where(mine))
        if there is None or not (mine.games and there.games):
            continue
        for quantity in ("first wins", "draws", "second wins"):
            shares, counted = (_share(mine, quantity), _share(there, quantity)), (mine.games, there.games)
            yield compared(_where(mine), quantity, *shares, counted)


def _where(tally: SettingTally) -> tuple[str, ...]:
    return (*tally.setting.players, tally.setting.position)


def _share(tally: SettingTally, quantity: str) -> Measured:
    counts = {"first wins": tally.wins[Side.FIRST], "draws": tally.draws, "second wins": tally.wins[Side.SECOND]}
    share = counts[quantity] / tally.games
    # One game of deterministic players stands for all.
    return (share, share, share) if tally.setting.once else (share, *wilson(counts[quantity], tally.games))


MATCHES = Kind(
    name="matches",
    words="a match",
    work=_work,
    run=_run,
    result=GameResult,
    tally=lambda matches, _in_full: MatchTally(matches),
    finding=match_finding,
    sections=match_sections,
    notes=_notes,
    times=match_times,
    differences=_differences,
    tables=(GAMES, SETTINGS, PAIRINGS, PAIRS, OPENINGS),
    data={
        "table": SETTINGS.records,
        "pairings": PAIRINGS.records,
        "pairs": PAIRS.records,
        "ratings": lambda tally: None if (rated := rating_list(tally)) is None else asdict(rated),
        "tuning": tuning_values,
    },
)
