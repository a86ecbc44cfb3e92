"""A plan is read strictly, says what is wrong with it, and determines every seed."""

import json
from typing import Any

import msgspec
import pytest
from runs import tasks

from nimdesk.disk.paths import resources_dir
from nimdesk.errors import PlanError
from nimdesk.experiments.matches.work import GameTask, Matches, MatchPart
from nimdesk.experiments.parts import PlayerPart
from nimdesk.experiments.plan import Plan, json_schema, new_plan, plan_from_json
from nimdesk.experiments.schedule import schedule_of
from nimdesk.experiments.searches import SearchPart
from nimdesk.games import Side

GOOD: dict[str, Any] = {
    "format": "nimdesk-plan",
    "version": 1,
    "name": "small",
    "players": {"a": {"agent": "uct", "options": {"iterations": 10}}, "b": {"agent": "random"}},
    "matches": [{"players": ["a", "b"], "positions": ["nim:1,2"], "games": 3}],
}


def read(document: dict[str, Any]) -> Plan:
    return plan_from_json(json.dumps(document).encode())


def changed(**fields: Any) -> dict[str, Any]:
    return {**json.loads(json.dumps(GOOD)), **fields}


def in_match(**fields: Any) -> dict[str, Any]:
    document = changed()
    document["matches"][0].update(fields)
    return document


def test_a_plan_survives_its_file() -> None:
    plan = read(GOOD)
    assert plan_from_json(plan.to_json()) == plan


def test_the_published_schema_is_that_of_the_code() -> None:
    published = json.loads((resources_dir() / "plan.schema.json").read_text(encoding="utf-8"))
    assert published == json.loads(json.dumps(json_schema()))


@pytest.mark.parametrize(
    ("document", "complaint"),
    [
        (changed(nme=1), "there is no field “nme”; did you mean name?"),
        (in_match(game=3), "there is no field “game” in “matches[0]”; did you mean games?"),
        (in_match(games=0), "in “matches[0].games”: expected whole number >= 1."),
        (in_match(games="3"), "in “matches[0].games”: expected whole number, got text."),
        (
            in_match(format="cup"),
            "in “matches[0].format”: invalid enum value 'cup'; allowed are round-robin, gauntlet.",
        ),
        (in_match(players=["a"]), "in “matches[0].players”: expected list of length >= 2."),
        (
            in_match(sprt={"elo0": 0, "elo1": 5, "alfa": 0.1}),
            "there is no field “alfa” in “matches[0].sprt”; did you mean alpha?",
        ),
        (in_match(sprt={"elo0": 5, "elo1": 1}), "in “matches[0].sprt”: elo0 must be a number smaller than elo1."),
        (changed(players={"a": {"agent": 3}}), "in “players[a].agent”: expected text, got whole number."),
        (
            changed(players={"": {"agent": "uct"}}),
            "a name in “players” is empty, too long, or has a space in front or a control character.",
        ),
        *(
            (
                changed(players={name: {"agent": "uct"}}),
                "a name in “players” is empty, too long, or has a space in front or a control character.",
            )
            for name in ("a\rb", "a\u001b[31mred", "\u009b31m", "a\tb", "a\u2028b")
        ),
        (
            changed(players={"a\n": {"agent": "uct"}}),
            "a name in “players” is empty, too long, or has a space in front or a control character.",
        ),
        (
            changed(name="two words"),
            "in “name”: expected a name of letters a to z and digits with single hyphens, such as tic-tac-toe.",
        ),
        (
            changed(name="a\n"),
            "in “name”: expected a name of letters a to z and digits with single hyphens, such as tic-tac-toe.",
        ),
        (changed(version=2), "it was made by a newer nimdesk (its version is 2, this program reads up to 1)."),
        (changed(format="other"), "it is not a plan of nimdesk, whose “format” is “nimdesk-plan”."),
    ],
)
def test_a_bad_field_is_named(document: dict[str, Any], complaint: str) -> None:
    with pytest.raises(PlanError) as error:
        read(document)
    assert str(error.value) == f"The plan cannot be used: {complaint}"


@pytest.mark.parametrize(
    ("document", "complaint"),
    [
        (changed(players={"a": {"agent": "utc"}, "b": {"agent": "random"}}), "did you mean uct?"),
        (
            changed(players={"a": {"agent": "uct", "options": {"iteration": 5}}, "b": {"agent": "random"}}),
            "in “players[a]”: there is no option “iteration”; did you mean iterations?",
        ),
        (in_match(players=["a", "B"]), "in “matches[0].players[1]”: there is no player “B”; did you mean “b”?"),
        (in_match(positions=["nim:1,2", "nim:0"]), "in “matches[0].positions[1]”: pile 1 has 0 sticks"),
        (in_match(positions=["mnk:3,3,21"]), "in “matches[0].positions[0]”: the number of marks in a row (k) is 21"),
        (in_match(positions=["nim:1 1-1"]), "the game is over in “nim:1 1-1”."),
        (changed(matches=[]), "no “matches”, “searches”"),
    ],
)
def test_what_there_is_not_is_named(document: dict[str, Any], complaint: str) -> None:
    plan = read(document)
    with pytest.raises(PlanError) as error:
        schedule_of(plan)
    assert complaint in str(error.value)


@pytest.mark.parametrize("data", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b"[1]", b'"nimdesk-plan"'])
def test_no_document_at_all_is_one_sentence(data: bytes) -> None:
    with pytest.raises(PlanError, match=r"^The plan cannot be used: .*\.$"):
        plan_from_json(data)


def test_the_digest_is_of_what_determines_the_results() -> None:
    plan = read(GOOD)
    renamed = msgspec.structs.replace(plan, name="other", title="Title", about="About")
    assert renamed.digest == plan.digest
    for document in (changed(seed=1), in_match(games=4), in_match(swap=False), changed(truth_nodes=7)):
        assert read(document).digest != plan.digest


PLAYERS = {"a": PlayerPart(agent="uct"), "b": PlayerPart(agent="random"), "c": PlayerPart(agent="flat")}


def test_a_round_robin_is_every_pair_and_a_gauntlet_the_first_against_each() -> None:
    both = [
        MatchPart(players=["a", "b", "c"], format=form, positions=["nim:1,2"], games=1)  # type: ignore[arg-type]
        for form in ("round-robin", "gauntlet")
    ]
    pairings = schedule_of(new_plan("x", PLAYERS, matches=both))[Matches].pairings
    assert [pairing.players for pairing in pairings if pairing.match == 0] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert [pairing.players for pairing in pairings if pairing.match == 1] == [("a", "b"), ("a", "c")]


def test_every_beginning_of_a_pairing_is_balanced() -> None:
    match = MatchPart(players=["a", "b"], positions=["nim:1,2", "nim:3,4,5"], games=5)
    games = tasks(schedule_of(new_plan("x", PLAYERS, matches=[match])))
    assert [task.number for task in games] == list(range(20))
    for begin in range(0, 20, 4):
        block = [task for task in games[begin : begin + 4] if isinstance(task, GameTask)]
        assert {(task.setting.position, task.setting.swapped) for task in block} == {
            ("nim:1,2", False),
            ("nim:1,2", True),
            ("nim:3,4,5", False),
            ("nim:3,4,5", True),
        }
        assert len({task.game for task in block}) == 1


def test_no_two_moves_share_a_seed() -> None:
    match = MatchPart(players=["a", "b", "a"], positions=["nim:1,2", "nim:3,4,5"], games=20)
    schedule = schedule_of(new_plan("x", PLAYERS, matches=[match]))
    games = [task for task in tasks(schedule) if isinstance(task, GameTask)]
    seeds = [schedule[Matches].seed(task, side, ply) for task in games for side in Side for ply in range(6)]
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= seed < 2**63 for seed in seeds)


def test_seeds_come_from_the_plan_alone() -> None:
    plan = new_plan("x", PLAYERS, matches=[MatchPart(players=["a", "b"], positions=["nim:1,2"], games=2)])
    schedule = schedule_of(plan)
    task = schedule.task(1)
    assert isinstance(task, GameTask)
    # Fixed: if they changed, runs that were begun could not go on, and published results could not be had again.
    assert schedule.digest.startswith("c6ad03a09dfe2dcc")
    assert schedule[Matches].seed(task, Side.FIRST, 0) == 5424106201958422526


def test_random_openings_are_the_same_in_both_orders_and_never_end_the_game() -> None:
    match = MatchPart(players=["a", "b"], positions=["nim:1,2", "mnk:3,3,3"], games=10, opening_plies=4)
    schedule = schedule_of(new_plan("x", PLAYERS, matches=[match]))
    openings: dict[tuple[str, int], set[str]] = {}
    for task in tasks(schedule):
        assert isinstance(task, GameTask)
        position = schedule[Matches].opening(task)
        assert position.outcome is None
        openings.setdefault((task.setting.position, task.game), set()).add(position.text)
    assert all(len(texts) == 1 for texts in openings.values())
    boards = {text for (start, _), texts in openings.items() if start == "mnk:3,3,3" for text in texts}
    assert len(boards) > 5


def test_two_deterministic_players_play_one_game_and_it_is_said() -> None:
    players = {"ab": PlayerPart(agent="alphabeta"), "mm": PlayerPart(agent="minimax"), "r": PlayerPart(agent="random")}
    match = MatchPart(players=["ab", "mm", "r"], positions=["mnk:3,3,3"], games=50)
    schedule = schedule_of(new_plan("x", players, matches=[match]))
    assert [[setting.games for setting in pairing.settings] for pairing in schedule[Matches].pairings] == [
        [1, 1],
        [50, 50],
        [50, 50],
    ]
    assert any("ab and mm are deterministic" in note for note in schedule.notes)


@pytest.mark.parametrize(
    ("agent", "options", "games"),
    [
        ("uct", {"iterations": 10}, 7),
        ("uct", {"iterations": 10, "seed": 5}, 1),
        ("random", {}, 7),
        ("perfect", {"when_lost": "first"}, 1),
        ("perfect", {"when_lost": "random"}, 7),
        ("value-table", {}, 1),
        ("flat", {"playouts": 3}, 7),
    ],
)
def test_which_players_leave_something_to_chance(agent: str, options: dict[str, Any], games: int) -> None:
    players = {"a": PlayerPart(agent=agent, options=options)}
    plan = new_plan("x", players, matches=[MatchPart(players=["a", "a"], positions=["nim:1,2"], games=7, swap=False)])
    assert schedule_of(plan).total == games


def test_openings_make_games_of_deterministic_players_differ() -> None:
    players = {"ab": PlayerPart(agent="alphabeta")}
    match = MatchPart(players=["ab", "ab"], positions=["mnk:3,3,3"], games=9, opening_plies=2)
    assert schedule_of(new_plan("x", players, matches=[match])).total == 18


def test_a_budget_of_seconds_is_flagged() -> None:
    timed = {"t": PlayerPart(agent="uct", options={"iterations": None, "time_s": 0.1}), "s": PlayerPart(agent="solver")}
    on_nim = schedule_of(new_plan("x", timed, searches=[SearchPart(players=["t"], positions=["nim:1,2"], repeats=1)]))
    assert any(note.startswith("Not reproducible") and note.endswith(": t.") for note in on_nim.notes)
    on_board = SearchPart(players=["t", "s"], positions=["mnk:3,3,3"], repeats=1)
    assert any("t, s" in note for note in schedule_of(new_plan("x", timed, searches=[on_board])).notes)
