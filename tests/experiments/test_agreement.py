"""Whether two searches are the same: a correct UCT agrees with the textbook's, and one with a fault does not."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.stats import permutation_test

from nimdesk.agents import make_agent
from nimdesk.errors import OptionError
from nimdesk.experiments.agreement import Agreement, Sampled, holm, sampled
from nimdesk.games import parse_position

NIM = parse_position("nim:1,4")
BUDGETS = (20, 100, 500)


def agreement(name: str, **options: object) -> Agreement:
    """An agent beside textbook UCT, with other seeds."""
    return Agreement(sampled(make_agent(name, options), NIM, range(200), BUDGETS), textbook(), deals=3_000)


@cache
def textbook() -> Sampled:
    """What the others are compared with."""
    return sampled(make_agent("uct"), NIM, range(1_000, 1_200), BUDGETS)


def test_the_same_search_with_other_seeds_agrees() -> None:
    found = agreement("uct")
    assert not any(test.differs for test in found.tests(BUDGETS))
    assert found.parting is None


@pytest.mark.parametrize(
    "fault",
    [{"exploration": 2 * 2**0.5}, {"backup": "root"}, {"backup": "leaf"}, {"backup": "inverted"}, {"growth": "all"}],
)
def test_a_fault_is_found(fault: dict[str, object]) -> None:
    found = agreement("variants", **fault)
    assert any(test.differs for test in found.tests(BUDGETS)), min(test.holm for test in found.tests(BUDGETS))
    assert found.parting is not None
    assert 1 < found.parting[0] < 100


def test_the_p_value_of_a_move_is_that_of_scipy() -> None:
    found = agreement("variants", growth="all")
    at = found.own.budgets.index(100)
    for column in (0, 2, 4):
        own, other = found.own.visits[:, at, column], found.other.visits[:, at, column]
        expected = permutation_test(
            (own, other),
            lambda a, b, axis: a.mean(axis=axis) - b.mean(axis=axis),
            n_resamples=5_000,
            vectorized=True,
            rng=np.random.default_rng(3),
        )
        (mine,) = (test.p for test in found.tests((100,)) if test.move == found.own.moves[column])
        assert mine == pytest.approx(expected.pvalue, abs=0.03)


def test_p_values_are_corrected_as_holm_has_it() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]


def test_a_table_of_equal_agents_hardly_ever_says_that_they_differ() -> None:
    chance, wrong = np.random.default_rng(5), 0
    agent, moves = make_agent("uct"), NIM.legal_moves[:4]
    for _ in range(60):
        halves = [
            Sampled(agent, moves, (9,), chance.integers(0, 9, (40, 1, 4)), chance.integers(0, 4, (40, 1)))
            for _ in range(2)
        ]
        found = Agreement(halves[0], halves[1], deals=1_000)
        wrong += any(test.differs for test in found.tests((9,)))
        wrong += found.parting is not None
    assert wrong <= 6, "two ways to be wrong, each in 1 of 100 tables"


def test_an_agent_that_counts_no_iterations_cannot_be_compared() -> None:
    with pytest.raises(OptionError, match=r"^The agent “minimax” takes no number of iterations"):
        sampled(make_agent("minimax"), NIM, range(3), BUDGETS)
