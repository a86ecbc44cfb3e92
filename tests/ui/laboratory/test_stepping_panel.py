"""One simulation at a time, by the keyboard: every step, its numbers, and the way back."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import pytest
from desk import Desk, K, OpenDesk
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from nimdesk.agents import make_agent
from nimdesk.games import MnkMove, parse_position
from nimdesk.games.truth import Value
from nimdesk.limit import Limit
from nimdesk.search.bounds import Ucb1
from nimdesk.search.tree_types import Branch, Change, Decision, Ending, Family, Simulation
from nimdesk.ui.laboratory.moves_model import VISITS
from nimdesk.ui.laboratory.moves_table import MovesTable
from nimdesk.ui.laboratory.stepping_panel import SteppingPanel
from nimdesk.ui.laboratory.stepping_stages import Phase, Stage, stages_of
from nimdesk.ui.laboratory.tree_panel import TreePanel

LEFT = Qt.MouseButton.LeftButton


class Steps:
    """The laboratory with one simulation in front."""

    def __init__(self, desk: Desk, agent: str = "uct", **options: object) -> None:
        self.desk = desk
        self.page = desk.analyse()
        self.model = self.page.model
        self.model.agents.set_agent(0, make_agent(agent, options))
        self.panel = self.page.panel(SteppingPanel)
        self.page.tabs.setCurrentWidget(self.panel)
        self.panel.table.setFocus()

    @property
    def stage(self) -> Stage:
        assert self.panel.stage is not None
        return self.panel.stage

    @property
    def place(self) -> tuple[int, Phase, int]:
        return self.panel.shown_number, self.stage.phase, self.stage.depth

    def wait(self) -> None:
        self.desk.wait(lambda: not self.panel.asker.busy and self.panel.stage is not None)

    def press(self, key: Qt.Key) -> None:
        QTest.keyClick(self.panel.table, key)
        self.wait()

    def go_to(self, number: int) -> None:
        self.desk.type_into(self.panel.number.lineEdit(), str(number))
        self.desk.wait(lambda: self.panel.shown_number == number)
        self.wait()
        self.panel.table.setFocus()


@pytest.fixture
def steps(open_desk: OpenDesk) -> Steps:
    made = Steps(open_desk("nim:3,4,5"))
    made.wait()
    return made


def test_the_first_simulation_expands_plays_out_and_backs_up(steps: Steps) -> None:
    assert steps.place == (1, Phase.EXPAND, 0)
    assert not steps.panel.back.isEnabled()
    assert len(steps.stage.rows) == 12
    chosen = steps.stage.preview
    assert len(chosen) == 1
    steps.press(K.Key_Space)
    assert steps.place == (1, Phase.PLAYOUT, 1)
    assert "play at random to the end" in steps.panel.sentence.text()
    assert steps.page.board_panel.board.shown.line == steps.stage.preview
    position = steps.model.place.position
    for move in steps.stage.preview:
        position = position.play(move)
    assert position.outcome is not None
    steps.press(K.Key_Right)
    assert steps.place == (1, Phase.BACKUP, 1)
    assert steps.stage.rows[0][0].text == chosen[0].text
    assert steps.stage.rows[0][2].text == "new → 1"
    assert steps.stage.rows[0][2].marked
    steps.press(K.Key_Space)
    assert steps.place[:2] == (2, Phase.EXPAND)
    assert steps.panel.sentence.text().startswith("11 of 12 moves have not been tried here, ")
    assert steps.panel.sentence.text().endswith(" of First becomes a new node.")


def test_stepping_back_shows_the_very_same_steps(steps: Steps) -> None:
    steps.go_to(40)
    seen = []
    for _ in range(12):
        seen.append((steps.place, steps.stage))
        steps.press(K.Key_Right)
    for place, stage in reversed(seen):
        steps.press(K.Key_Left)
        assert (steps.place, steps.stage) == (place, stage)


def test_enter_goes_to_the_end_of_the_simulation_and_then_of_the_next(steps: Steps) -> None:
    steps.press(K.Key_Return)
    assert steps.place[:2] == (1, Phase.BACKUP)
    steps.press(K.Key_Return)
    assert steps.place[:2] == (2, Phase.BACKUP)


def test_the_formula_is_filled_in_with_numbers_that_add_up(steps: Steps) -> None:
    steps.go_to(300)
    stage = steps.stage
    assert stage.phase is Phase.SELECT
    c, n = make_agent("uct").options.exploration, 299  # type: ignore[attr-defined]
    assert f"N = {n:,}" in steps.panel.formula.text()
    bounds = []
    for move, visits, mean, term, bound, filled in ([cell.text for cell in row] for row in stage.rows):
        expected = c * math.sqrt(math.log(n) / int(visits))
        assert float(term) == pytest.approx(expected, abs=0.001), move
        assert float(bound) == pytest.approx(float(mean) + expected, abs=0.002)
        numbers = re.fullmatch(r"([\d.]+) \+ ([\d.]+) · √\(([\d.]+) / ([\d,]+)\)", filled)
        assert numbers is not None
        assert (numbers[1], numbers[4]) == (mean, visits)
        assert float(numbers[2]) == pytest.approx(c, abs=0.001)
        bounds.append(float(bound))
    assert bounds == sorted(bounds, reverse=True)
    assert stage.chosen == 0
    shown = steps.panel.table.item(0, 0).text()
    assert shown == f"▸ {stage.preview[0].text}"


def test_the_next_change_of_leader_is_found_and_told(steps: Steps) -> None:
    steps.panel.change.setFocus()
    QTest.mouseClick(steps.panel.change, LEFT)
    steps.desk.wait(lambda: steps.panel.shown_number > 1)
    steps.wait()
    assert steps.place[1] is Phase.BACKUP
    assert "The leader changes from" in steps.panel.sentence.text()
    assert steps.panel.change.hasFocus(), "the keyboard stays where it is"
    said = steps.desk.window.status.currentMessage()
    assert said == f"The leader changes at simulation {steps.panel.shown_number:,}."


def test_each_step_is_read_out(steps: Steps, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr("nimdesk.ui.laboratory.stepping_panel.announce", lambda _widget, words: said.append(words))
    steps.press(K.Key_Space)
    assert said == [f"Simulation 1, Play out: {steps.panel.sentence.text()}"]
    steps.press(K.Key_Space)
    assert said[1:] == [f"Simulation 1, Back up: {steps.panel.sentence.text()}"]


def test_a_step_ends_the_look_for_the_next_leader(steps: Steps) -> None:
    QTest.mouseClick(steps.panel.change, LEFT)
    assert steps.desk.window.status.currentMessage().startswith("Looking for")
    steps.press(K.Key_Right)
    steps.wait()
    assert not steps.panel.asker.busy
    assert steps.panel.shown_number == 1
    assert steps.desk.window.status.currentMessage() == ""


def test_the_scrubber_leads_to_its_simulation_and_steps_lead_the_scrubber(steps: Steps) -> None:
    steps.model.searches.set_limit(1000)
    steps.desk.window.actions_by_name["lab_run"].trigger()
    steps.desk.wait(lambda: not steps.model.searches.running)
    steps.model.clock.set_moment(30.0)
    steps.desk.wait(lambda: steps.panel.shown_number == 31)
    steps.press(K.Key_Return)
    assert steps.model.clock.moment == 31.0
    shown = steps.model.clock.shown()
    assert shown is not None
    assert shown.iterations == 31


def test_everything_shows_the_moment_of_the_step_exactly(steps: Steps) -> None:
    page, model = steps.page, steps.model
    model.searches.set_limit(1000)
    steps.desk.window.actions_by_name["lab_run"].trigger()
    steps.desk.wait(lambda: not model.searches.running)
    checkpoints = model.searches.focused.timeline.iterations  # type: ignore[union-attr]
    assert 299 not in checkpoints
    steps.go_to(300)
    assert "N = 299" in steps.panel.formula.text()
    assert page.scrubber.words.text() == "iteration 299 of 1,000"
    assert page.views.frame().moment == 299
    shown = model.clock.shown()
    assert shown is not None
    assert (shown.iterations, shown.total_visits) == (299, 299)
    assert sum(item.visits for item in page.board_panel.board.shown.overlay.values()) == 299
    tree = page.panel(TreePanel)
    page.tabs.setCurrentWidget(tree)
    steps.desk.wait(lambda: tree.note.text() == f"{shown.tree_nodes:,} nodes after 299 iterations")
    assert sum(item.branch.visits for item in tree.rows.root.children if item.branch) == 299
    table = page.panel(MovesTable)
    page.tabs.setCurrentWidget(table)
    assert sum(int(table.rows.data(table.rows.index(row, VISITS)).replace(",", "")) for row in range(12)) == 299


def test_a_look_at_one_simulation_leaves_the_tree_where_it_was(steps: Steps) -> None:
    steps.model.searches.set_limit(1000)
    steps.desk.window.actions_by_name["lab_run"].trigger()
    steps.desk.wait(lambda: not steps.model.searches.running)
    tree = steps.page.panel(TreePanel)
    steps.page.tabs.setCurrentWidget(tree)
    steps.desk.wait(lambda: tree.note.text().endswith("after 1,000 iterations"))


def test_another_agent_has_no_mark_of_the_simulation_before(steps: Steps) -> None:
    steps.press(K.Key_Space)
    assert steps.page.board_panel.board.shown.line
    steps.model.agents.add(make_agent("alphabeta"))
    assert "does not search by single simulations" in steps.panel.message.text()
    assert steps.page.board_panel.board.shown.line == ()


@pytest.mark.parametrize("final", ["mean", "secure"])
def test_the_leader_is_what_the_agent_would_play(open_desk: OpenDesk, final: str) -> None:
    steps = Steps(open_desk("nim:3,4,5"), "uct", final=final)
    steps.wait()
    QTest.mouseClick(steps.panel.change, LEFT)
    steps.desk.wait(lambda: steps.panel.shown_number > 1)
    steps.wait()
    number, told = steps.panel.shown_number, steps.panel.sentence.text()
    found = re.search(r"The leader changes from (\S+) to (\S+)\.", told)
    assert found is not None
    best = []
    for count in (number - 1, number):
        searcher = make_agent("uct", {"final": final, "iterations": count}).new_searcher()
        searcher.start(steps.model.place.position, steps.model.agents.focused.seed)
        searcher.advance(Limit())
        best.append(searcher.snapshot().best_move)
    assert [move.text for move in best if move is not None] == [found[1], found[2]]


def test_the_way_is_lit_in_the_tree_as_it_was_after_that_simulation(steps: Steps) -> None:
    steps.go_to(120)
    steps.press(K.Key_Return)
    line, tree = steps.stage.preview, steps.page.panel(TreePanel)
    changed = {row[0].text: row[2].text.split(" → ")[1] for row in steps.stage.rows}
    steps.page.tabs.setCurrentWidget(tree)
    steps.desk.wait(lambda: tree.rows.find(line) is not None)
    assert tree.rows.lit == line
    first = tree.rows.find(line[:1])
    assert first is not None
    assert tree.rows.text(first, 1) == changed[line[0].text]
    assert tree.list.isExpanded(tree.rows.index_of(first)) == (len(line) > 1)
    assert sum(item.branch.visits for item in tree.rows.root.children if item.branch) == 120


def test_mcts_steps_until_the_result_is_proven(open_desk: OpenDesk) -> None:
    steps = Steps(open_desk("nim:3,4,5"), "mcts")
    steps.wait()
    told: list[str] = []
    steps.model.told.connect(told.append)
    steps.desk.type_into(steps.panel.number.lineEdit(), "100000")
    steps.desk.wait(lambda: bool(told))
    assert re.search(r"own end after \d+ simulations: the result is proven", told[-1])
    assert steps.place[0] == 1
    steps.press(K.Key_Return)
    assert steps.place[:2] == (1, Phase.BACKUP)


def test_an_agent_without_simulations_says_so(open_desk: OpenDesk) -> None:
    steps = Steps(open_desk("nim:3,4,5"), "alphabeta")
    assert "Alpha-beta does not search by single simulations" in steps.panel.message.text()
    assert not steps.panel.forward.isEnabled()


# The words alone.


def simulation(ending: Ending, *, leaders: tuple[str | None, str | None] = (None, None)) -> Simulation:
    """Of tic-tac-toe: X has tried b2 three times and goes there again; a1 is new for O."""
    root = parse_position("mnk:3,3,2")
    b2, a1, bound = MnkMove(1, 1), MnkMove(0, 0), Ucb1(0.5)
    others = [move for move in root.legal_moves if move != b2]
    top = Family((), 12, (Branch(b2, 3, 0.8, 1.9), *(Branch(move, 1, 0.5, 1.2) for move in others)), bound)
    decisions = (
        Decision(top, root, b2, False),
        Decision(Family((b2,), 3, (), bound), root.play(b2), a1, True),
    )
    changes = (
        Change((b2,), Branch(b2, 3, 0.8), Branch(b2, 4, 0.85)),
        Change((b2, a1), None, Branch(a1, 1, 0.0, None, Value.LOSS)),
    )
    before, after = (None if each is None else root.parse_move(each) for each in leaders)
    playout = (MnkMove(2, 2),) if ending is Ending.PLAYOUT else None
    families = tuple(decision.family for decision in decisions)
    return Simulation(13, root, decisions, ending, 1.0, playout, changes, families, (before, after))


def test_each_step_is_one_plain_sentence() -> None:
    select, expand, playout, backup = stages_of(simulation(Ending.PLAYOUT, leaders=("a1", "b2")))
    assert [stage.phase for stage in (select, expand, playout, backup)] == list(Phase)
    assert "every move of X has been tried here" in select.sentence
    assert "largest bound, b2 (1.900)" in select.sentence
    assert expand.sentence == "Nothing has been tried here yet: a first move of O, a1, becomes a new node of the tree."
    assert "1 random move: c3. X wins: 2 in a row: a win for X, worth 1." in playout.sentence
    assert "The leader changes from a1 to b2." in backup.sentence
    assert [[cell.text for cell in row] for row in backup.rows] == [
        ["b2", "X", "3 → 4", "0.800 → 0.850", "1 for X"],
        ["a1", "O", "new → 1", "– → 0.000", "0 for O, now proven: loss"],
    ]
    assert [cell.marked for cell in backup.rows[0]] == [False, False, True, True, False]


def test_without_a_playout_the_sentence_says_why() -> None:
    proven = stages_of(simulation(Ending.PROVEN, leaders=("b2", "b2")))
    assert "proven already, so no playout is needed: a win for X, worth 1." in proven[2].sentence
    assert "b2 still leads" in proven[3].sentence
    estimated = stages_of(replace(simulation(Ending.ESTIMATE, leaders=("b2", "b2")), score=0.625, playout=None))
    assert "No playout is made here" in estimated[2].sentence
    assert "X wins, 0.625." in estimated[2].sentence
    assert estimated[3].rows[0][-1].text == "0.625 for X"


def test_untried_moves_stand_first_where_one_is_taken_and_last_where_they_wait() -> None:
    whole = simulation(Ending.PLAYOUT)
    first, *others = whole.decisions
    few = replace(first, family=replace(first.family, branches=first.family.branches[:3]))
    select, expand, *_ = stages_of(replace(whole, decisions=(few, *others)))
    assert "3 of 9 moves are open" in select.sentence
    assert [row[4].text for row in select.rows] == ["1.900", "1.200", "1.200", *["untried"] * 6]
    assert expand.rows[0][0].text == "a1"


def test_what_is_proven_stands_last_and_has_no_bound() -> None:
    whole = simulation(Ending.PLAYOUT)
    first, *others = whole.decisions
    chosen, lost, *rest = first.family.branches
    family = replace(
        first.family, branches=(chosen, replace(lost, mean_value=0.0, bound=None, proven=Value.LOSS), *rest)
    )
    select = stages_of(replace(whole, decisions=(replace(first, family=family), *others)))[0]
    assert [cell.text for cell in select.rows[-1]] == [lost.move.text, "1", "0.000", "–", "–", "proven loss"]
    assert select.rows[select.chosen][0].text == "b2"
