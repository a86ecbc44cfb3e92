"""The position and the agents under study."""

from nimdesk.agents import make_agent
from nimdesk.games import parse_position
from nimdesk.ui.laboratory.studied import MAX_AGENTS, AgentList, Place, Studied, new_agent


def agents(count: int = 1) -> AgentList:
    """UCT with seed 7, and others added to it."""
    made = AgentList()
    made.set_all((Studied(new_agent("uct"), 7),))
    for _ in range(count - 1):
        made.add()
    return made


def names(made: AgentList) -> list[str]:
    return [each.agent.name for each in made.studied]


def test_an_agent_that_is_added_is_another_one_with_the_same_seed_and_in_focus() -> None:
    two = agents(2)
    assert names(two)[0] == "uct" != names(two)[1]
    assert two.studied[1].seed == 7
    assert two.focused == two.studied[1]


def test_the_same_agent_twice_has_another_seed() -> None:
    two = agents()
    two.add(new_agent("uct"))
    assert names(two) == ["uct", "uct"]
    assert [each.seed for each in two.studied] == [7, 8]


def test_there_are_one_to_four_agents() -> None:
    made = agents(7)
    assert len(made.studied) == MAX_AGENTS
    for _ in range(6):
        made.remove(0)
    assert len(made.studied) == 1


def test_the_focus_stays_with_its_agent_when_another_one_goes() -> None:
    three = agents(3)
    shown = three.focused
    three.remove(0)
    assert three.focused == shown
    three = agents(3)
    three.remove(2)
    assert three.focus == 1
    three = agents(3)
    three.set_focus(1)
    three.set_focus(9)
    shown = three.focused
    three.remove(2)
    assert three.focused == shown


def test_a_seed_for_one_or_for_all() -> None:
    two = agents(2)
    two.set_seed(1, 3)
    assert [each.seed for each in two.studied] == [7, 3]
    two.set_agent(0, make_agent("flat"))
    assert (names(two)[0], two.studied[0].seed) == ("flat", 7)
    two.new_seeds()
    assert len({each.seed for each in two.studied}) == 1


def test_what_changes_nothing_is_not_told() -> None:
    two, told = agents(2), []
    two.changed.connect(lambda: told.append(two.focused))
    two.set_focus(1)
    two.set_seed(0, 7)
    two.set_all(two.studied)
    two.set_focus(0)
    assert len(told) == 1, "set_all has the first in focus"


def test_the_trail_goes_back_forward_and_up() -> None:
    nim = parse_position("nim:3,4,5")
    after, other = nim.play(nim.parse_move("2-1")), parse_position("mnk:3,3,3 b2 a1")
    place, told = Place(nim), []
    place.changed.connect(lambda: told.append(place.position.text))
    place.go_to(nim)
    assert told == []
    place.go_to(after)
    place.go_to(other)
    place.back()
    assert place.position is after
    place.forward()
    place.forward()
    assert place.position is other
    for _ in range(3):
        place.back()
    assert not place.can_back
    place.to_parent()
    place.go_to(other)
    assert not place.can_forward
    first, second, third = "nim:3,4,5", "nim:3,4,5 2-1", "mnk:3,3,3 b2 a1"
    assert told == [second, third, second, third, second, first, third]
    place.to_parent()
    assert place.position.text == "mnk:3,3,3 b2"
