"""A link names a position, or searches of it, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nimdesk.agents import CATALOGUE, make_agent
from nimdesk.errors import NimdeskError
from nimdesk.games import parse_position
from nimdesk.play.links import Link, SharedSearch, is_link, read_link


@pytest.mark.parametrize("position", ["nim:3,4,5 1-2", "mnk:7,6,4:gravity d1 d2", "take:0.77:9 9-1=3+5", "nim:21:max3"])
def test_a_position_comes_back_from_its_link(position: str) -> None:
    link = Link(parse_position(position))
    assert is_link(link.text)
    assert " " not in link.text
    assert read_link(link.text).position.text == position


@pytest.mark.parametrize("name", sorted(CATALOGUE))
def test_every_agent_comes_back_with_its_seed(name: str) -> None:
    agent = make_agent(name).unlimited()
    seed = 0 if agent.traits.seed is None else 123
    link = Link(parse_position("nim:3,4,5"), (SharedSearch(agent, seed),), ("iterations", 1000.0))
    assert read_link(link.text) == link


@pytest.mark.parametrize(
    "text",
    [
        "nimdesk://",
        "nimdesk://show",
        "nimdesk://run?position=nim:3",
        "nimdesk://show?position=nim:99999",
        "nimdesk://show?position=nim:3&position=nim:4",
        "nimdesk://show?position=nim:3&open=/etc/passwd",
        "nimdesk://show?position=nim:3&search=nobody",
        "nimdesk://show?position=nim:3&search=uct:color=red",
        "nimdesk://show?position=nim:3&search=uct&iterations=-5",
        "nimdesk://show?position=nim:3&search=uct&iterations=inf",
        "nimdesk://show?position=" + "nim:3" * 3000,
        "https://example.org/?position=nim:3",
    ],
)
def test_any_other_link_is_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(NimdeskError):
        read_link(text)


@given(st.text(max_size=60))
def test_whatever_is_behind_the_scheme_is_a_link_or_one_sentence(text: str) -> None:
    try:
        read_link(f"nimdesk://show?position={text}")
    except NimdeskError as error:
        sentence = str(error)
        assert len(sentence) <= 300
