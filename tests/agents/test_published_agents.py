"""The published players are what their documents say, and can be asked for by name."""

import math

import pytest

from nimdesk.agents import CATALOGUE, PUBLISHED, make_agent, published_as
from nimdesk.agents.naming import agent_from_flags
from nimdesk.cli.options import player_named


def test_every_document_has_its_players() -> None:
    assert {published.document for published in PUBLISHED.values()} == {"000", "001", "002", "003", "004"}


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_player_is_a_valid_agent_and_is_recognised(name: str) -> None:
    agent = PUBLISHED[name].agent
    assert agent.name in CATALOGUE
    again = published_as(agent)
    assert again is not None
    assert again.agent == agent
    assert player_named(name) == agent
    assert agent_from_flags(name, {}) == agent


def test_document_003_has_its_constant_on_our_scale() -> None:
    options = PUBLISHED["uct-003"].agent.options
    assert (options.iterations, options.exploration, options.log_n, options.expansion) == (500, 0.5, "root", "first")  # type: ignore[attr-defined]


def test_documents_000_and_002_differ_in_expansion_and_playouts() -> None:
    first, second = PUBLISHED["uct-000"].agent.options, PUBLISHED["uct-002"].agent.options
    assert (first.playouts, first.expansion) == ("zeroing", "random")  # type: ignore[attr-defined]
    assert (second.playouts, second.expansion) == ("uniform", "neighbours")  # type: ignore[attr-defined]
    assert first.exploration == second.exploration == math.sqrt(2)  # type: ignore[attr-defined]


def test_flags_go_over_what_is_published() -> None:
    agent = agent_from_flags("flat-004", {"playouts": "50"})
    assert agent.name == "flat"
    assert agent.options.playouts == 50  # type: ignore[attr-defined]


def test_the_seed_does_not_make_another_player() -> None:
    agent = make_agent("flat", {"playouts": 10_000, "overshoot": True, "ties": "first", "seed": 3})
    published = published_as(agent)
    assert published is not None
    assert published.name == "flat-004"
