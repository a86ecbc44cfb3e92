"""The agents under study as a value."""

from nimdesk.agents import make_agent
from nimdesk.ui.laboratory.agents import MAX_AGENTS, Studied, new_agent
from nimdesk.ui.laboratory.selection import Selection

ONE = Selection((Studied(new_agent("uct"), 7),))


def names(selection: Selection) -> list[str]:
    return [each.agent.name for each in selection.studied]


def test_an_agent_that_is_added_is_another_one_with_the_same_seed_and_in_focus() -> None:
    two = ONE.with_added()
    assert names(two)[0] == "uct" != names(two)[1]
    assert two.studied[1].seed == 7
    assert two.focus == 1


def test_the_same_agent_twice_has_another_seed() -> None:
    two = ONE.with_added(new_agent("uct"))
    assert names(two) == ["uct", "uct"]
    assert [each.seed for each in two.studied] == [7, 8]


def test_there_are_one_to_four_agents() -> None:
    selection = ONE
    for _ in range(6):
        selection = selection.with_added()
    assert len(selection.studied) == MAX_AGENTS
    for _ in range(6):
        selection = selection.without(0)
    assert len(selection.studied) == 1


def test_the_focus_stays_with_its_agent_when_another_one_goes() -> None:
    three = ONE.with_added().with_added()
    assert three.without(0).studied[three.without(0).focus] == three.studied[2]
    assert three.without(2).focus == 1
    assert three.focused_on(1).without(2).studied[1] == three.studied[1]
    assert three.focused_on(9) == three


def test_a_seed_for_one_or_for_all() -> None:
    two = ONE.with_added()
    assert [each.seed for each in two.with_seed(1, 3).studied] == [7, 3]
    assert [each.seed for each in two.with_seeds(4).studied] == [4, 4]
    assert two.with_agent(0, make_agent("flat")).studied[0].seed == 7
