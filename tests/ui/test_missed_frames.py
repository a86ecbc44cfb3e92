"""After a search too quick for the eye, plot, legend and status line run over it once; nobody waits for it."""

from __future__ import annotations

import re

import pytest
from desk import HUMAN, Desk, OpenDesk, mcts
from PySide6.QtWidgets import QLabel

from nimdesk.agents import make_agent
from nimdesk.games import parse_position
from nimdesk.play.moment import State
from nimdesk.search import Snapshot
from nimdesk.ui.plots.legend import VISITS


class Watched:
    """What plot, legend and status line say each time that another snapshot is shown."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self.counts: list[int] = []
        self.told: list[set[int]] = []
        self.turns: list[bool] = []
        desk.window.display.searched_changed.connect(self._look)

    def _look(self, snapshot: Snapshot | None) -> None:
        desk = self._desk
        panel = desk.panel
        if snapshot is None or panel.searched is None:
            return
        model = panel.legend.model()
        listed = sum(int(str(model.index(row, VISITS).data()).replace(",", "")) for row in range(model.rowCount()))
        status = " ".join(label.text() for label in desk.window.status.findChildren(QLabel))
        found = re.search(r"([\d,]+) simulation", status)
        assert found is not None
        self.counts.append(snapshot.iterations)
        self.told.append({listed, panel.searched.iterations, int(found[1].replace(",", "")), snapshot.iterations})
        self.turns.append(desk.state is State.HUMAN and desk.board.interactive)


@pytest.fixture(autouse=True)
def _compiled() -> None:
    """The kernel is loaded: no search here begins in Python, which would not come as far in its time."""
    position = parse_position("mnk:7,6,4:gravity")
    make_agent("level2").new_searcher(position).start(position, 0)


@pytest.fixture
def answering(open_desk: OpenDesk) -> Desk:
    """A level that answers at once; the first picture of its search is the last one."""
    return open_desk("mnk:7,6,4:gravity", HUMAN, make_agent("level2", {"seed": 3}), slow_motion_s=1e-6, animations="on")


def test_the_rise_is_seen_after_the_answer_in_every_display_at_once(answering: Desk) -> None:
    watched = Watched(answering)
    answering.click("d1")
    answering.wait(lambda: 2000 in watched.counts)
    shown = answering.controller.shown_snapshot
    assert shown is not None
    assert (shown.iterations, shown.chosen_after) == (2000, 50)
    risen = watched.counts[watched.counts.index(min(watched.counts)) :]
    assert risen == sorted(risen)
    assert len(risen) > 3, "more than one picture, on the busiest machine"
    assert all(len(told) == 1 for told in watched.told), watched.told
    assert all(watched.turns), "the person may move all the while"
    assert answering.panel.title.text().endswith("— 50 simulations, shown to 2,000")


def test_whoever_presses_anything_sees_the_end_and_moves_at_once(answering: Desk) -> None:
    watched = Watched(answering)
    answering.click("d1")
    answering.wait(lambda: len(watched.counts) >= 2)
    assert watched.counts[-1] < 2000
    answering.qtbot.keyClick(answering.board, "x")
    answering.wait(lambda: watched.counts[-1] == 2000)
    before = len(watched.counts)
    answering.click("c1")
    answering.wait(lambda: len(answering.moves) == 4)
    assert watched.counts[before - 1 : before] == [2000], "and nothing of it runs on"


@pytest.mark.parametrize("off", [{"slow_motion_s": 0.0}, {"animations": "off"}])
def test_nothing_runs_by_where_nothing_is_to_move(open_desk: OpenDesk, off: dict[str, object]) -> None:
    settings = {"slow_motion_s": 1e-6, "animations": "on"} | off
    desk = open_desk("mnk:7,6,4:gravity", HUMAN, make_agent("level2", {"seed": 3}), **settings)
    watched = Watched(desk)
    desk.click("d1")
    desk.wait_for(State.HUMAN)
    desk.wait(lambda: bool(watched.counts))
    assert set(watched.counts) == {2000}


def test_an_earlier_search_that_is_looked_at_again_stands_still(answering: Desk) -> None:
    answering.click("d1")
    answering.wait(lambda: len(answering.moves) == 2)
    answering.window.display.draw_now()
    watched = Watched(answering)
    answering.window.actions_by_name["previous"].trigger()
    answering.window.actions_by_name["next"].trigger()
    assert set(watched.counts) <= {2000}


def test_the_first_hint_is_offered_after_the_first_answer_and_never_again(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:3,3,3", HUMAN, mcts(50), hint_offered=False)
    offer = "Not sure what to play? Hint (F2) shows how a strong search sees your move."
    assert offer not in desk.notice
    desk.click("b2")
    desk.wait(lambda: offer in desk.notice)
    assert desk.session.preferences.now.hint_offered
    desk.click(desk.controller.position.legal_moves[0].text)
    desk.wait(lambda: len(desk.moves) == 4)
    assert offer not in desk.notice


def test_a_hint_runs_by_on_the_board_too(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:7,6,4:gravity", slow_motion_s=1e-6, animations="on")
    desk.controller.suggester = mcts(3000)
    seen: set[tuple[int, int]] = set()

    def look(snapshot: Snapshot | None) -> None:
        if snapshot is not None:
            seen.add((snapshot.iterations, sum(item.visits for item in desk.board.shown.overlay.values())))

    desk.window.display.searched_changed.connect(look)
    desk.button("suggest")
    desk.wait(lambda: (3000, 3000) in seen)
    assert all(searched == on_board for searched, on_board in seen)
