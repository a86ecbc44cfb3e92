"""Games that end before they are played out, by proof or by the clock; and games from openings in a file."""

from __future__ import annotations

import re
from functools import cache
from itertools import combinations
from pathlib import Path

import pytest
from runs import finished

import nimdesk as nd
from nimdesk.errors import OptionError
from nimdesk.experiments.files import Found, read
from nimdesk.experiments.matches.playing import game_of
from nimdesk.experiments.matches.tally import MatchTally
from nimdesk.experiments.matches.work import Clock, GameResult, Matches, MatchPart
from nimdesk.experiments.openings import openings
from nimdesk.experiments.parts import PlayerPart
from nimdesk.experiments.plan import Plan, new_plan, plan_from_json
from nimdesk.experiments.report import notes
from nimdesk.games import AnyPosition, Side, kit_of, parse_position
from nimdesk.play.record import load_game, save_game


def plan_of(part: MatchPart, truth_nodes: int = 4_000, **agents: PlayerPart) -> Plan:
    return new_plan("ends", agents, matches=[part], truth_nodes=truth_nodes)


def played(plan: Plan, path: Path) -> Found:
    finished(plan, path)
    return read(path)


def last(result: GameResult) -> AnyPosition:
    return parse_position(" ".join([result.start, *(ply.move for ply in result.plies)]))


@cache
def score(position: AnyPosition) -> float:
    """For the side to move, by looking at everything."""
    if position.outcome is not None:
        return position.outcome.score(position.turn)
    return max(1 - score(position.play(move)) for move in position.legal_moves)


POSITIONS = ["mnk:3,3,3", "nim:2,3,4", "nim:1,2,3:misere"]
RANDOM = PlayerPart(agent="random")


def test_a_game_ends_where_its_outcome_is_proven_and_has_that_outcome(tmp_path: Path) -> None:
    part = MatchPart(players=["a", "b"], positions=POSITIONS, games=10, adjudicate=4)
    found = played(plan_of(part, a=RANDOM, b=RANDOM), tmp_path / "x.db")
    results = list(found[MatchTally].results)
    proven = [result for result in results if result.adjudicated]
    assert len(proven) > len(results) / 2
    for result in proven:
        end = last(result)
        assert len(result.plies) == 4, "all of these positions are proven at once"
        assert end.outcome is None
        worth = {None: 0.5, int(end.turn): 1.0, int(end.turn.other): 0.0}[result.winner]
        assert worth == score(end)
        save_game(game_of(found.schedule[Matches], result, searches=True), tmp_path / "game.nimdesk")
        assert load_game(tmp_path / "game.nimdesk").last_position == end
    for result in results:
        if not result.adjudicated:
            assert last(result).outcome is not None
            assert len(result.plies) <= 4
    assert any(note.startswith(f"{len(proven)} games were ended where") for note in notes(found))


def test_without_a_proof_games_are_played_out_as_without_the_wish(tmp_path: Path) -> None:
    part = MatchPart(players=["a", "b"], positions=["mnk:3,3,3"], games=3, adjudicate=1)
    found = played(plan_of(part, 0, a=RANDOM, b=RANDOM), tmp_path / "x.db")
    assert all(last(result).outcome is not None for result in found[MatchTally].results)


def test_whoever_oversteps_the_clock_has_lost(tmp_path: Path) -> None:
    part = MatchPart(players=["slow", "quick"], positions=["mnk:9,9,5"], games=1, clock=Clock(time_s=0.1))
    slow = PlayerPart(agent="flat", options={"playouts": 1_000})
    (first, second) = played(plan_of(part, slow=slow, quick=RANDOM), tmp_path / "x.db")[MatchTally].results
    assert {first.winner, second.winner} == {0, 1}
    for result in (first, second):
        assert result.forfeit.startswith("slow overstepped its time by ")


def test_who_can_be_given_seconds_keeps_within_the_clock_and_uses_it(tmp_path: Path) -> None:
    clock = Clock(time_s=1.0, increment_s=0.02)
    part = MatchPart(players=["uct", "mcts"], positions=["mnk:5,5,4"], games=1, clock=clock)
    agents = {name: PlayerPart(agent=name, options={"iterations": 10}) for name in ("uct", "mcts")}
    for result in played(plan_of(part, **agents), tmp_path / "x.db")[MatchTally].results:
        for side in Side:
            own = result.plies[(side + result.turn) % 2 :: 2]
            assert sum(ply.time_s for ply in own) <= clock.time_s + len(own) * clock.increment_s or result.forfeit
            assert own[0].iterations > 10, "the clock decides, not the count"


def test_a_clock_is_never_used_up_by_shares() -> None:
    for clock in (Clock(time_s=10.0), Clock(time_s=0.5, increment_s=5.0), Clock(time_s=60.0, increment_s=1.0)):
        left = clock.time_s
        for _ in range(500):
            share = clock.share_s(left)
            assert 0 < share < max(left, 0.011)
            left += clock.increment_s - share


def test_a_plan_that_wants_neither_is_the_plan_that_it_was() -> None:
    plan = plan_of(MatchPart(players=["a", "b"], positions=["nim:1,2"], games=1), a=RANDOM, b=RANDOM)
    assert b"adjudicate" not in plan.to_json()
    assert b"clock" not in plan.to_json()
    part = MatchPart(players=["a", "b"], positions=["nim:1,2"], games=1, adjudicate=2, clock=Clock(time_s=2.0))
    wanting = plan_of(part, a=RANDOM, b=RANDOM)
    assert plan_from_json(wanting.to_json()) == wanting
    assert wanting.digest != plan.digest


def test_openings_are_positions_or_moves_from_each_start(tmp_path: Path) -> None:
    file = tmp_path / "openings.txt"
    file.write_text("# lines\n\n1-1 2-2\nmnk:3,3,3 b2  \n  3-1\n1-1 2-2\n", encoding="utf-8")
    assert openings(file, ["nim:3,4,5", "nim:2,3,4"], instead=True)[0] == [
        "nim:3,4,5 1-1 2-2",
        "nim:2,3,4 1-1 2-2",
        "mnk:3,3,3 b2",
        "nim:3,4,5 3-1",
        "nim:2,3,4 3-1",
    ]


@pytest.mark.parametrize(
    ("starts", "refused"),
    [
        ((), ""),
        (("mnk:15,15,5",), ""),
        (("mnk:9,9,5", "mnk:15,15,5"), ""),
        (("mnk:15,15,5 h8",), ""),
        (("mnk:9,9,5",), "does not begin from mnk:9,9,5; name a position from which it does, such as mnk:15,15,5."),
        (("mnk:15,15,5 i9",), "“mnk:15,15,5 h8 i9” does not begin from mnk:15,15,5 i9; name a position"),
        (("mnk:9,9,5", "nim:1,2"), "does not begin from any of the 2 positions named"),
    ],
)
def test_an_opening_from_another_position_than_those_named_is_refused(
    tmp_path: Path, starts: tuple[str, ...], refused: str
) -> None:
    file = tmp_path / "openings.txt"
    file.write_text("mnk:15,15,5 h8 i9\n", encoding="utf-8")
    if not refused:
        assert openings(file, starts)[0] == ["mnk:15,15,5 h8 i9"]
        return
    with pytest.raises(OptionError, match=re.escape(refused)):
        openings(file, starts)
    with pytest.raises(OptionError, match=re.escape(refused)):
        nd.match(["random", "random"], starts, games=1, openings=["mnk:15,15,5 h8 i9"])
    assert openings(file, starts, instead=True)[0] == ["mnk:15,15,5 h8 i9"]


def test_a_byte_order_mark_before_openings_is_no_part_of_them(tmp_path: Path) -> None:
    lines, game = tmp_path / "openings.txt", tmp_path / "game.psq"
    lines.write_text("1-1\n", encoding="utf-8-sig")
    game.write_text("Piskvorky 15x15, 11:11, 0\n8,8,456\n", encoding="utf-8-sig")
    assert openings(lines, ["nim:3,4,5"])[0] == ["nim:3,4,5 1-1"]
    assert openings(game, [])[0] == ["mnk:15,15,5 h8"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "No game can start from"),
        ("1-1", "“1-1” has moves; say from which position."),
        ("nim:1,2\nnim:0", "Line 2 of the openings"),
        ("nim:1 1", "No game can start from"),
        ("\n".join(f"nim:{n},{m}" for n in range(1, 41) for m in range(1, 41)), "more than the 1,000"),
    ],
)
def test_openings_that_cannot_be_used_are_refused_with_their_line(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "openings.txt"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(OptionError, match=r"^.+\.$") as error:
        openings(file, [])
    assert said in str(error.value)


def test_openings_come_with_nimdesk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found, _ = openings(Path("gomoku-15"), ())
    positions = [parse_position(text) for text in found]
    views = [
        {frozenset((turn(m), i % 2) for i, m in enumerate(p.moves)) for _, turn in kit_of(p).views(p.game)}
        for p in positions
    ]
    assert len(positions) == 100
    assert {position.game.text for position in positions} == {"mnk:15,15,5"}
    assert {position.ply for position in positions} == {4, 5, 6}
    assert all(a.isdisjoint(b) for a, b in combinations(views, 2)), "no two are the same, turned or mirrored"
    Path("gomoku-15").write_text("mnk:3,3,3 b2\n")
    assert openings(Path("gomoku-15"), ())[0] == ["mnk:3,3,3 b2"], "a file comes before a name"
