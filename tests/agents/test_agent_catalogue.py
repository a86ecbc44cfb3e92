"""The catalogue: every agent is described, is written to JSON and read back, and a wrong name gets a suggestion."""

import json
import math

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nimdesk.agents import CATALOGUE, Agent, RandomOptions, UctOptions, agent_from_json, agent_info, make_agent
from nimdesk.errors import OptionError
from nimdesk.search.mcts import MctsSearcher
from nimdesk.search.options import MAX_ITERATIONS, MAX_SEED, MctsOptions

UCT_OPTIONS = st.builds(
    UctOptions,
    iterations=st.integers(1, MAX_ITERATIONS),
    time_s=st.none() | st.floats(0.01, 86_400.0),
    exploration=st.floats(0.0, 100.0),
    seed=st.none() | st.integers(0, MAX_SEED),
    memory_mb=st.integers(8, 16_384),
)


@pytest.mark.parametrize("name", CATALOGUE)
def test_each_agent_is_described_and_configured(name: str) -> None:
    info = agent_info(name)
    assert info.name == name == name.lower()
    assert info.title
    assert info.about.endswith(".")
    assert isinstance(make_agent(name).options, info.options_type)
    assert make_agent(name) == Agent(name, info.options_type())
    assert make_agent(name).info is info
    assert [field.name for field in info.fields] == list(info.options_type.__struct_fields__)


def test_titles_and_names_are_unique() -> None:
    words = [word.lower() for info in CATALOGUE.values() for word in {info.name, info.title.lower()}]
    assert len(set(words)) == len(words)


@given(UCT_OPTIONS)
def test_an_agent_round_trips_through_json(options: UctOptions) -> None:
    agent = Agent("uct", options)
    assert agent_from_json(agent.to_json()) == agent
    assert agent_from_json(json.loads(json.dumps(agent.to_json()))) == agent
    assert agent_from_json(msgspec.json.decode(msgspec.json.encode(agent.to_json()))) == agent


@pytest.mark.parametrize(
    "agent",
    [
        Agent("random", RandomOptions()),
        Agent("random", RandomOptions(seed=0)),
        Agent("uct", UctOptions(iterations=None, time_s=0.01)),
        Agent("mcts", MctsOptions()),
        Agent("mcts", MctsOptions(exploration=0.1, seed=4, merge=False, prove=False, order=False, memory_mb=8)),
    ],
)
def test_other_agents_round_trip_too(agent: Agent) -> None:
    assert agent_from_json(json.loads(json.dumps(agent.to_json()))) == agent
    assert agent.to_json()["agent"] == agent.name


def test_the_options_of_mcts_reach_its_search() -> None:
    given = {"iterations": 77, "time_s": 2.0, "exploration": 0.3, "merge": False, "prove": False, "order": False}
    searcher = make_agent("mcts", {**given, "memory_mb": 9}).new_searcher()
    assert isinstance(searcher, MctsSearcher)
    assert searcher.options == MctsOptions(memory_mb=9, **given)  # type: ignore[arg-type]
    plain = make_agent("mcts").new_searcher()
    assert isinstance(plain, MctsSearcher)
    assert plain.options == MctsOptions()


def test_options_left_out_have_their_defaults() -> None:
    assert agent_from_json({"agent": "uct"}) == make_agent("uct")
    assert agent_from_json({"agent": "uct", "options": {"seed": 7}}) == Agent("uct", UctOptions(seed=7))


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("utc", "did you mean uct?"),
        ("UCT", "did you mean uct?"),
        ("MCTS", "did you mean mcts?"),
        ("mtcs", "did you mean mcts?"),
        ("MCTS, textbook", "did you mean uct?"),
        ("Random", "did you mean random?"),
        ("randon", "did you mean random?"),
        ("stockfish", f"there are: {', '.join(CATALOGUE)}."),
        ("", f"there are: {', '.join(CATALOGUE)}."),
    ],
)
def test_an_unknown_agent_gets_a_suggestion(name: str, hint: str) -> None:
    for attempt in (agent_info, make_agent, lambda name: agent_from_json({"agent": name})):
        with pytest.raises(OptionError) as caught:
            attempt(name)
        assert str(caught.value) == f"There is no agent “{name}”; {hint}"


def test_a_long_name_is_not_repeated_in_full() -> None:
    with pytest.raises(OptionError) as caught:
        make_agent("x\n" * 5000)
    assert len(str(caught.value)) < 280
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    "data", [None, 5, "uct", [], {}, {"options": {}}, {"agent": None}, {"agent": 5}, {"agent": []}]
)
def test_json_that_is_no_agent_is_refused(data: object) -> None:
    with pytest.raises(OptionError, match=r"^An agent is written as an object with “agent” and “options”\.$"):
        agent_from_json(data)


@pytest.mark.parametrize("options", [None, 5, [], "seed"])
def test_json_options_must_be_an_object(options: object) -> None:
    with pytest.raises(OptionError, match=r"^The “options” of an agent must be an object\.$"):
        agent_from_json({"agent": "uct", "options": options})


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"iterations": 10**12}, "Iterations is “1000000000000”; it must be a whole number from 1 to 1,000,000,000"),
        ({"exploration": -1}, "Exploration c is “-1”; it must be a number from 0 to 100."),
        ({"exploration": math.nan}, "Exploration c is “nan”; it must be a number from 0 to 100."),
        ({"seed": "seven"}, "Seed is “seven”; it must be a whole number from 0 to"),
        ({"iterations": None}, "Give a number of iterations, or seconds, or both."),
        ({"exploraton": 1}, "There is no option “exploraton”; did you mean exploration?"),
    ],
)
def test_json_options_are_checked(options: dict[str, object], says: str) -> None:
    with pytest.raises(OptionError) as caught:
        agent_from_json({"agent": "uct", "options": options})
    assert str(caught.value).startswith(says)


def test_a_fixed_seed_is_used_and_an_empty_one_is_new_each_time() -> None:
    with_seed = [info.name for info in CATALOGUE.values() if any(field.name == "seed" for field in info.fields)]
    assert {"random", "uct", "flat", "perfect"} <= set(with_seed)
    for name in with_seed:
        assert make_agent(name, {"seed": 42}).new_seed() == 42
        assert make_agent(name, {"seed": 0}).new_seed() == 0
        seeds = {make_agent(name, {"seed": None}).new_seed() for _ in range(20)}
        assert len(seeds) == 20
        assert all(0 <= seed <= MAX_SEED for seed in seeds)
