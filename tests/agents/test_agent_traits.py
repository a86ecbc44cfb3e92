"""What everybody may ask of an agent without knowing its name or its options."""

import pytest

from nimdesk.agents import CATALOGUE, make_agent
from nimdesk.games import parse_position
from nimdesk.limit import Limit
from nimdesk.search.options import MAX_ITERATIONS, MAX_TIME_S

NIM, MNK = parse_position("nim:3,4,5"), parse_position("mnk:3,3,3")


@pytest.mark.parametrize(
    ("name", "options", "chance"),
    [
        ("random", {}, True),
        ("mcts", {}, True),
        ("uct", {}, True),
        ("uct", {"seed": 1}, False),
        ("flat", {}, True),
        ("perfect", {}, True),
        ("perfect", {"seed": 1}, False),
        ("perfect", {"when_lost": "first"}, False),
        ("perfect", {"when_lost": "longest"}, True),
        ("perfect", {"when_lost": "longest", "when_won": "first"}, False),
        ("solver", {}, False),
        ("solver", {"seed": None}, True),
        ("alphabeta", {}, False),
        ("value-table", {}, False),
    ],
)
def test_an_agent_uses_chance_if_its_options_draw_and_its_seed_is_not_fixed(name, options, chance):
    assert make_agent(name, options).uses_chance is chance


@pytest.mark.parametrize(
    ("name", "options", "in_nim", "in_mnk"),
    [
        ("uct", {}, False, False),
        ("uct", {"time_s": 1.0}, True, True),
        ("alphabeta", {}, False, False),
        ("alphabeta", {"time_s": 1.0}, True, True),
        ("perfect", {}, False, True),
        ("solver", {}, False, True),
        ("value-table", {}, False, False),
    ],
)
def test_an_agent_depends_on_speed_where_its_seconds_may_run_out(name, options, in_nim, in_mnk):
    agent = make_agent(name, options)
    assert (agent.depends_on_speed(NIM), agent.depends_on_speed(MNK)) == (in_nim, in_mnk)


def test_an_agent_goes_by_the_board_if_neither_chance_nor_the_clock_has_a_say():
    by_board = [name for name in CATALOGUE if make_agent(name).goes_by_board(MNK)]
    assert by_board == ["minimax", "alphabeta", "value-table", "certificate"]
    assert make_agent("perfect", {"when_lost": "first"}).goes_by_board(NIM)
    assert not make_agent("alphabeta", {"time_s": 1.0}).goes_by_board(MNK)
    assert not make_agent("uct", {"seed": 1}).goes_by_board(MNK), "its seed is part of the answer"


def test_a_budget_becomes_the_option_that_the_agent_counts_by():
    assert make_agent("uct").with_budget(500, NIM) == make_agent("uct", {"iterations": 500})
    assert make_agent("flat").with_budget(500, NIM) == make_agent("flat", {"playouts": 42}), "12 moves, rounded up"
    assert make_agent("deepening").with_budget(500, NIM) == make_agent("deepening", {"nodes": 500})
    assert make_agent("uct", {"time_s": 1.0}).with_budget(5, NIM) == make_agent("uct", {"iterations": 5})
    assert make_agent("solver").with_budget(5, MNK) == make_agent("solver", {"time_s": MAX_TIME_S})


def test_an_unlimited_agent_keeps_what_is_no_budget():
    assert make_agent("mcts", {"seed": 3, "time_s": 1.0}).unlimited() == make_agent(
        "mcts", {"iterations": MAX_ITERATIONS}
    )
    assert make_agent("deepening").unlimited() == make_agent("deepening", {"nodes": None, "seed": None})
    assert make_agent("solver", {"time_s": 3.0}).unlimited() == make_agent("solver", {"time_s": 3.0, "seed": None})


def test_the_limit_of_an_agent_is_said_in_its_own_measure():
    assert make_agent("uct", {"iterations": 50, "time_s": 2.0}).limit == Limit(iterations=50, time_s=2.0)
    assert make_agent("deepening", {"nodes": 70}).limit == Limit(nodes=70)
    assert make_agent("perfect").limit == Limit(time_s=10.0)
    assert make_agent("flat").limit == make_agent("random").limit == Limit()


def test_a_label_names_what_sets_an_agent_apart_whatever_its_limits_and_seed():
    agent = make_agent("uct", {"exploration": 0.5, "keep_tree": True, "iterations": 7, "time_s": 1.0, "seed": 4})
    assert agent.label == "uct:exploration=0.5,keep_tree=yes"
    assert agent.character == {"exploration": 0.5, "keep_tree": True}
    assert agent.changed_options == {
        "iterations": 7, "time_s": 1.0, "exploration": 0.5, "seed": 4, "keep_tree": True
    }  # fmt: skip
    assert make_agent("alphabeta", {"depth": None}).label == "alphabeta:depth="
    assert make_agent("random").label == "random"


def test_how_a_move_follows_from_visits_and_means_depends_on_the_options():
    rules = {name: make_agent(name).choice_rule for name in CATALOGUE}
    assert {name: rule for name, rule in rules.items() if rule is not None} == {
        "mcts": "visits", "uct": "visits", "variants": "visits", "flat": "mean", "flat-perfect": "mean"
    }  # fmt: skip
    assert make_agent("uct", {"final": "secure"}).choice_rule == "secure"


def test_simulations_are_told_one_by_one_where_one_tree_grows():
    assert [name for name in CATALOGUE if make_agent(name).can_step] == ["mcts", "uct"]
    assert not make_agent("uct", {"threads": 2}).can_step


def test_every_trait_names_an_option_that_is_there():
    for info in CATALOGUE.values():
        traits = info.traits
        named = {*traits.limits, traits.seed, traits.memory, traits.keep_tree} - {None}
        assert named <= {field.name for field in info.fields}, info.name
