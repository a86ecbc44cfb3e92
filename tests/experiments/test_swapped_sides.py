"""Matches under an opening rule: who plays which side, and that results are the players'."""

from collections.abc import Sequence
from functools import reduce
from operator import xor
from pathlib import Path

import pytest
from runs import counted, csv_of, finished

import nimdesk as nd
from nimdesk.agents.opening_rules import OpeningRule
from nimdesk.errors import OptionError
from nimdesk.experiments.files import read
from nimdesk.experiments.matches.playing import game_of
from nimdesk.experiments.matches.tally import MatchTally
from nimdesk.experiments.matches.work import GameResult, Matches, MatchPart, PlyResult
from nimdesk.experiments.parts import PlayerPart
from nimdesk.experiments.plan import Plan, new_plan, plan_from_json
from nimdesk.experiments.report import notes
from nimdesk.experiments.schedule import schedule_of
from nimdesk.games import parse_position
from nimdesk.games.nim.rules import NimPosition


def plan_of(rule: OpeningRule, players: Sequence[str], *positions: str, games: int = 4) -> Plan:
    parts = {name: PlayerPart(agent=name) for name in players}
    part = MatchPart(players=list(parts), positions=list(positions), games=games, opening_rule=rule)
    return new_plan("opened", parts, matches=[part])


def games(path: Path) -> list[GameResult]:
    return list(read(path)[MatchTally].results.by_number())


@pytest.mark.parametrize("rule", ["pie", "swap2"])
def test_who_chooses_in_nim_has_the_side_that_theory_prefers(rule: OpeningRule, tmp_path: Path) -> None:
    plan = plan_of(rule, ["value-table", "random"], "nim:3,4,5")
    finished(plan, tmp_path / "r.db")
    (tally,) = read(tmp_path / "r.db")[MatchTally].pairings
    chosen = 0
    for game in games(tmp_path / "r.db"):
        assert game.choices
        start = parse_position(game.start)
        assert isinstance(start, NimPosition)
        winner = start.turn if reduce(xor, start.piles) else start.turn.other
        # Whoever chooses at the end has the winning side: the second player, unless that made two more moves.
        chooser = 0 if game.choices[0] == "more" else 1
        if (chooser ^ game.number) % 2 == 0:  # the table's choice, and not that of mcts for the other
            chosen += 1
            assert (winner ^ game.swapped) == chooser
    assert chosen
    assert tally.counts[0] >= chosen


def test_a_win_counts_for_the_player_and_not_for_the_side_that_it_began_with() -> None:
    plan = (
        plan_of("pie", ["a", "b"], "nim:2,2", games=1)
        if False
        else new_plan(
            "hand",
            {"a": PlayerPart(agent="random"), "b": PlayerPart(agent="uct")},
            matches=[MatchPart(players=["a", "b"], positions=["nim:2,2"], games=1, opening_rule="pie")],
        )
    )
    mistake, good = PlyResult("1-1", 7, 7, 0.5, "-"), PlyResult("2-2", 3, 3, 0.25, "+")
    results = [
        GameResult(0, "nim:2,2 1-1", 0, (mistake, good), choices=("swap",)),  # a opens, b takes First and wins
        GameResult(1, "nim:2,2 1-1", 0, (mistake, good), choices=("stay",)),  # b opens and stays First: b wins
    ]
    found = counted(schedule_of(plan), list(results))
    tally = found[MatchTally]
    assert tally.pairings[0].counts == (0, 0, 2)
    assert tally.pairings[0].pairs == [0, 0, 0, 0, 1]
    assert [each.wins for each in tally.settings] == [[0, 1], [1, 0]]
    # The first move from the start is Second's: of a in both games, once as who opened, once as who did not.
    assert [tally.pairings[0].side(player).mistakes for player in (0, 1)] == [1 + 1, 0]
    assert any("changed in 1 of 2 games, and First won 100.0%" in note for note in notes(found))


def test_openings_come_from_the_seed_are_kept_with_each_game_and_lead_to_its_players(tmp_path: Path) -> None:
    plan = plan_of("swap2", ["value-table", "random"], "nim:3,4,5", games=6)
    assert plan_from_json(plan.to_json()) == plan
    for name in ("one.db", "two.db"):
        finished(plan, tmp_path / name, workers=1 if name == "one.db" else 2)
    one, two = (csv_of(tmp_path / name) for name in ("one.db", "two.db"))
    assert one["openings.csv"] == two["openings.csv"]
    assert one["games.csv"] == two["games.csv"]
    assert len(set(one["openings.csv"].splitlines())) == 13
    matches = schedule_of(plan)[Matches]
    for game in games(tmp_path / "one.db"):
        opener = matches.task(game.number).setting.players[0]
        seats = [each.name for each in game_of(matches, game).players]  # type: ignore[union-attr]
        assert seats.index(opener) == (1 if game.choices and game.choices[-1] == "swap" else 0)


def test_a_search_without_a_value_says_that_another_chose_for_it() -> None:
    found = nd.match(["random", "value-table"], "nim:2,3", games=1, opening_rule="pie").found
    assert any("mcts) chose for a player whose own tells no value" in note for note in notes(found))


def test_an_unknown_rule_is_told() -> None:
    with pytest.raises(OptionError, match="pie"):
        nd.match(["uct", "random"], "nim:2,3", opening_rule="pies")  # type: ignore[arg-type]
