"""F8 brings the search that Play shows of the position into the laboratory: same curves, same agent, same seed."""

from __future__ import annotations

from desk import CTRL, ENDLESS, HUMAN, Desk, K, OpenDesk, mcts
from msgspec.structs import replace as with_fields

from nimdesk.agents import make_agent
from nimdesk.play.moment import State
from nimdesk.search import Snapshot
from nimdesk.ui.laboratory.model import Laboratory
from nimdesk.ui.laboratory.studied import AgentList, Studied, new_agent
from nimdesk.ui.look.actions import LABORATORY, PLAY


def visits(snapshot: Snapshot | None) -> list[int]:
    return [] if snapshot is None else [stats.visits for stats in snapshot.moves]


def studied_there(desk: Desk) -> Laboratory:
    return desk.analyse().model


def test_a_hint_is_there_with_its_curves_and_is_found_again_by_a_search_from_the_start(open_desk: OpenDesk) -> None:
    suggester = mcts(400, seed=None, exploration=0.7)
    desk = open_desk("mnk:3,3,3 b2", suggest=suggester.to_json())
    desk.controller.suggest()
    desk.wait(lambda: desk.controller.suggestion is not None)
    hint = desk.controller.shown_snapshot
    model = studied_there(desk)
    assert not model.searches.running
    assert model.agents.focused.agent.label == suggester.label
    assert visits(model.clock.shown()) == visits(hint)
    assert sum(visits(hint)) == 400
    timeline = model.searches.focused.timeline
    assert timeline is not None
    assert timeline.iterations[-1] == 400, "with all of its curves"
    model.searches.start_over()
    model.searches.set_limit(400)
    model.searches.run()
    desk.wait(lambda: not model.searches.running)
    assert visits(model.clock.shown()) == visits(hint)


def test_of_a_level_the_search_below_is_studied_with_all_its_curves(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:7,6,4:gravity", HUMAN, make_agent("level2", {"seed": 5}))
    desk.click("d1")
    desk.wait(lambda: len(desk.moves) == 2)
    desk.window.actions_by_name["previous"].trigger()
    desk.controller.pause()
    shown = desk.controller.shown_snapshot
    assert shown is not None
    assert (shown.agent, shown.chosen_after, shown.iterations) == ("level2", 50, 2000)
    model = studied_there(desk)
    assert model.agents.focused.agent.name == "mcts"
    assert visits(model.clock.shown()) == visits(shown)
    model.searches.start_over()
    model.searches.set_limit(2000)
    model.searches.run()
    desk.wait(lambda: not model.searches.running)
    assert visits(model.clock.shown()) == visits(shown), "from its seed alone"


def test_a_search_whose_options_are_gone_says_why_there_is_no_film(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:3,3,3 b2")
    desk.controller.suggester = mcts(300)
    desk.controller.suggest()
    desk.wait(lambda: desk.controller.suggestion is not None)
    hint = desk.controller.shown_snapshot
    assert hint is not None
    desk.controller.thinking.forget()
    desk.controller.bring_back(with_fields(hint, seed=hint.seed + 1), hint=True)
    desk.session.laboratory.film()
    said = desk.window.status.currentMessage()
    assert said.startswith("The laboratory makes the film, and cannot open this search: its options were not kept")
    assert desk.window.modes.mode == PLAY


def test_running_goes_on_after_the_last_simulation_that_was_brought(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:3,3,3")
    desk.controller.suggester = mcts(300)
    desk.controller.suggest()
    desk.wait(lambda: desk.controller.suggestion is not None)
    hint = desk.controller.shown_snapshot
    model = studied_there(desk)
    model.searches.set_limit(1000)
    model.searches.run()
    desk.wait(lambda: not model.searches.running)
    whole = model.clock.shown()
    assert whole is not None
    assert whole.iterations == 1000
    assert whole.trace is not None
    assert hint is not None
    assert hint.trace is not None
    at = whole.trace.iterations.tolist().index(hint.trace.iterations[-2])
    assert whole.trace.visits[at].tolist() == hint.trace.visits[-2].tolist()
    desk.press(K.Key_F8)
    desk.wait(lambda: desk.window.modes.mode == PLAY)
    studied_there(desk)
    assert model.clock.shown() is whole, "what went further in the laboratory stays"


def test_a_search_that_f8_interrupts_is_the_same_on_both_pages(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:7,6,4:gravity", ENDLESS, HUMAN)
    desk.wait_for_snapshot()
    model = studied_there(desk)
    desk.wait(lambda: desk.controller.state is State.PAUSED)
    desk.wait(lambda: visits(model.clock.shown()) == visits(desk.controller.shown_snapshot) != [])
    assert model.agents.focused.agent.label == ENDLESS.label


def test_an_earlier_search_comes_with_the_options_that_it_was_made_with(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:3,3,3", mcts(300, exploration=0.3), HUMAN)
    desk.wait_for(State.HUMAN)
    desk.controller.set_player(0, mcts(300, exploration=2.0))
    desk.controller.jump(0)
    made = desk.controller.shown_snapshot
    model = studied_there(desk)
    assert model.agents.focused.agent.changed_options["exploration"] == 0.3
    assert visits(model.clock.shown()) == visits(made)


def test_two_searches_with_one_seed_are_told_apart(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:3,3,3", mcts(300, exploration=0.3), HUMAN)
    desk.wait_for(State.HUMAN)
    desk.controller.pause()
    desk.controller.jump(0)
    made = desk.controller.shown_snapshot
    desk.controller.suggester = mcts(300, exploration=2.0)
    desk.controller.suggest()
    desk.wait(lambda: desk.controller.suggestion is not None)
    model = studied_there(desk)
    assert model.agents.focused.agent.changed_options["exploration"] == 2.0
    desk.press(K.Key_F8)
    desk.wait(lambda: desk.window.modes.mode == PLAY)
    desk.controller.jump(1)
    desk.controller.jump(0)
    studied_there(desk)
    assert model.agents.focused.agent.changed_options["exploration"] == 0.3
    assert visits(model.clock.shown()) == visits(made)


def test_after_a_restart_a_search_is_brought_where_the_name_says_who_made_it(open_desk: OpenDesk) -> None:
    level = make_agent("level1")
    first = open_desk("nim:3,4,5", level, HUMAN)
    first.wait_for(State.HUMAN)
    made = first.controller.game.plies[0].snapshot
    first.close()
    desk = open_desk(None, None, None)
    desk.wait(lambda: desk.controller.game.plies[0].snapshot is not None)
    desk.controller.jump(0)
    model = studied_there(desk)
    assert model.agents.focused.agent == level
    assert visits(model.clock.shown()) == visits(made)
    assert not make_agent("mcts").known_by_name, "its constant and its switches are not kept"


def test_a_way_to_the_laboratory_that_was_thought_better_of_brings_nothing_later(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:3,3,3", suggest=mcts(300).to_json())
    desk.controller.suggest()
    desk.wait(lambda: desk.controller.suggestion is not None)
    desk.press(K.Key_F8)
    assert desk.window.modes.mode == PLAY, "the page is being made"
    desk.press((K.Key_1, CTRL))
    desk.press((K.Key_2, CTRL))
    desk.wait(lambda: desk.window.modes.mode == LABORATORY)
    desk.controller.snapshot_changed.emit()
    assert desk.laboratory.model.clock.shown() is None


def test_without_a_search_of_the_position_the_laboratory_keeps_its_agents(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:3,3,3", mcts(300), HUMAN)
    desk.wait_for(State.HUMAN)
    assert desk.controller.shown_snapshot is not None, "of the position before"
    model = studied_there(desk)
    assert model.agents.studied == (Studied(new_agent("uct"), 1),)
    assert model.clock.shown() is None


def test_who_is_brought_takes_the_place_of_who_was_brought_before_and_of_nobody_else() -> None:
    agents = AgentList()
    first, second, third = (Studied(new_agent("mcts"), seed) for seed in (1, 2, 3))
    agents.welcome(first)
    assert agents.studied == (first,), "one alone gives way"
    agents.add(new_agent("flat"))
    flat = agents.focused
    agents.welcome(second)
    assert (agents.studied, agents.focused) == ((second, flat), second)
    agents.remove(0)
    agents.add(new_agent("uct"))
    uct = agents.focused
    agents.welcome(third)
    assert (agents.studied, agents.focused) == ((flat, uct, third), third)
    agents.welcome(flat)
    assert (agents.studied, agents.focused) == ((flat, uct, third), flat)
