"""The drawn game tree: unfolded by a click or by keys, true at every node, and taken away as it is seen."""

from __future__ import annotations

import csv
from pathlib import Path
from xml.etree import ElementTree

import pytest
from desk import LEFT, NONE, Desk, K, OpenDesk
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from reference_minimax import solve

from nimdesk.agents import make_agent
from nimdesk.games import parse_position
from nimdesk.play.game_tree import TreeNode
from nimdesk.ui.laboratory.drawn_tree import MOST_NODES, DrawnTree
from nimdesk.ui.plots.frame import View

LATE = "mnk:3,3,3 a1 b2 c3 c1"


class Garden:
    """The laboratory with the game tree in its first view."""

    def __init__(self, desk: Desk) -> None:
        self.desk, self.page = desk, desk.analyse()
        self.pane = self.page.views.panes[0]
        self.pane.choice.setFocus()
        QTest.keyClick(self.pane.choice, K.Key_End)
        assert self.pane.tree is not None
        self.tree: DrawnTree = self.pane.tree
        self.drawing = self.tree.drawing
        self.settle()

    def search(self, agent: str, **options: object) -> None:
        self.page.model.agents.set_agent(0, make_agent(agent, options))
        self.desk.window.actions_by_name["lab_run"].trigger()
        self.desk.wait(lambda: not self.page.model.searches.running)
        self.settle()

    def settle(self) -> None:
        self.page.display.draw_now()
        self.desk.wait(lambda: self.tree.settled)

    def node(self, *moves: str) -> TreeNode:
        return next(node for node in self.root.walk() if tuple(move.text for move in node.line) == moves)

    @property
    def root(self) -> TreeNode:
        assert self.tree.root is not None
        return self.tree.root

    def click(self, *moves: str) -> None:
        place = self.drawing.place(self.node(*moves).line).center().toPoint()
        self.tree.area.ensureVisible(place.x(), place.y())
        QTest.mouseClick(self.drawing, LEFT, NONE, place)
        self.settle()

    @property
    def lines(self) -> set[str]:
        return {" ".join(move.text for move in node.line) for node in self.root.walk()}


@pytest.fixture
def garden(open_desk: OpenDesk) -> Garden:
    return Garden(open_desk(LATE))


def test_its_buttons_show_all_their_words_in_a_small_window(garden: Garden) -> None:
    garden.desk.window.resize(800, 600)
    garden.desk.wait(lambda: garden.desk.window.width() == 800)
    for button in (garden.tree.deeper, garden.tree.fold):
        assert button.width() > button.fontMetrics().horizontalAdvance(button.text()), button.text()


def test_what_is_unfolded_is_in_sight_in_a_small_window(garden: Garden) -> None:
    garden.desk.window.resize(800, 600)
    garden.desk.wait(lambda: garden.desk.window.width() == 800)
    garden.click("a3")
    viewport = garden.tree.area.viewport()
    seen = QRect(-garden.drawing.pos(), viewport.size())
    after = [garden.drawing.place(node.line).toRect() for node in garden.root.walk() if len(node.line) == 2]
    assert any(seen.contains(place) for place in after)


def test_a_click_unfolds_a_position_and_folds_it_again(garden: Garden) -> None:
    first = {"", "b1", "a2", "c2", "a3", "b3"}
    assert garden.lines == first
    garden.click("a2")
    assert garden.lines == first | {"a2 b1", "a2 c2", "a2 a3", "a2 b3"}
    garden.click("a2", "c2")
    assert garden.lines >= {"a2 c2 b1", "a2 c2 a3", "a2 c2 b3"}
    assert "After a2 c2: X to move, worth +1 for X." in garden.tree.words.text()
    garden.click("a2")
    assert garden.lines == first


@pytest.mark.parametrize("start", [LATE, "nim:2,3", "nim:5:max3:misere"])
def test_each_node_has_the_value_of_brute_force(open_desk: OpenDesk, start: str) -> None:
    garden = Garden(open_desk(start))
    for _ in range(3):
        garden.tree.deeper.click()
        garden.settle()
    assert max(len(node.line) for node in garden.root.walk()) >= 3
    for node in garden.root.walk():
        value = solve(node.position)[0]
        assert node.value == (value if len(node.line) % 2 == 0 else -value)


def test_keys_go_from_node_to_node_unfold_and_study(garden: Garden) -> None:
    garden.drawing.setFocus()
    for key, line in ((K.Key_Down, "b1"), (K.Key_Right, "a2"), (K.Key_Space, "a2"), (K.Key_Down, "a2 b1")):
        QTest.keyClick(garden.drawing, key)
        garden.settle()
        assert " ".join(move.text for move in garden.drawing.selection) == line
    QTest.keyClick(garden.drawing, K.Key_Up)
    QTest.keyClick(garden.drawing, K.Key_Return)
    assert garden.page.model.place.position.text == f"{LATE} a2"
    garden.settle()
    assert garden.root.position.text == f"{LATE} a2"


def test_where_alpha_beta_has_cut_is_drawn_with_the_window_that_closed(garden: Garden) -> None:
    garden.search("alphabeta", depth=None, ordering="none")
    garden.click("a2")
    cut = garden.node("a2").cut
    assert cut is not None
    assert (cut.alpha, cut.beta) == (-1, -1)
    dashed = Qt.PenStyle.DashLine
    for off in (
        [node.line[-1].text for node in garden.node("a2").children if node.is_cut_off],
        [node.line[-1].text for node in garden.node("a2").children if garden.drawing.edge_pen(node).style() == dashed],
    ):
        assert off == ["b3"]
    assert "O holds X to at most −1 here; X has −1 elsewhere" in garden.tree.words.text()
    assert "As α −1 ≥ β −1, nothing depends on b3." in garden.tree.words.text()
    assert "cut off" in garden.pane.key.text()


def test_what_is_said_of_a_node_follows_the_search(garden: Garden) -> None:
    garden.click("a2")
    assert "Searched" not in garden.tree.words.text()
    garden.search("alphabeta", depth=None, ordering="none")
    assert "Searched with α −1, β +∞, found −1" in garden.tree.words.text()


def test_minimax_cuts_nothing_and_has_each_value_itself(garden: Garden) -> None:
    garden.search("minimax")
    for _ in range(2):
        garden.tree.deeper.click()
        garden.settle()
    for node in garden.root.walk():
        assert node.cut is None
        assert not node.is_cut_off
        if node.branch is not None:
            assert node.branch.window is not None
            assert node.branch.window.value == node.value


def test_a_search_by_simulations_has_its_visits_beside_the_values(garden: Garden) -> None:
    garden.search("uct", iterations=400)
    at = garden.page.model.shown.at.state
    assert at is not None
    visits = {child.line[-1]: child.branch.visits for child in garden.root.children if child.branch is not None}
    assert visits == {stats.move: stats.visits for stats in at.moves}
    assert {child.value for child in garden.root.children} == {1, -1}
    widths = {child.line[-1]: garden.drawing.edge_pen(child).widthF() for child in garden.root.children}
    assert sorted(widths, key=lambda move: widths[move]) == sorted(widths, key=lambda move: visits[move])
    assert {garden.drawing.edge_pen(child).style() for child in garden.root.children} == {Qt.PenStyle.SolidLine}


def test_while_the_truth_is_hidden_only_finished_games_have_a_value(garden: Garden) -> None:
    garden.click("a2")
    garden.desk.window.actions_by_name["lab_truth"].trigger()
    garden.settle()
    values = {node.value for node in garden.root.walk() if node.position.outcome is None}
    assert values == {None}
    assert garden.node("a2", "a3").value == -1


def test_the_drawing_ends_where_it_would_be_too_large(open_desk: OpenDesk) -> None:
    garden = Garden(open_desk("mnk:3,3,3"))
    for _ in range(3):
        garden.tree.deeper.click()
        garden.settle()
    assert sum(1 for _ in garden.root.walk()) <= MOST_NODES
    assert "The drawing is full" in garden.tree.words.text()
    assert not garden.drawing.has_boards
    garden.tree.fold.click()
    garden.settle()
    assert garden.drawing.has_boards


def test_what_is_taken_away_is_what_is_seen(garden: Garden, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    garden.search("alphabeta", depth=None, ordering="none")
    garden.click("a2")
    with garden.drawing.exactly():
        seen = garden.drawing.grab().toImage()

    def save(name: str, action: str = "take_picture") -> Path:
        path = tmp_path / name
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
        garden.desk.window.actions_by_name[action].trigger()
        assert path.exists()
        return path

    picture = QImage(str(save("tree.png"))).scaledToWidth(seen.width() + 24)
    # The drawing is at the bottom of the picture, in its margins; what is drawn is alike but for the edges of lines.
    at = QPoint(12, picture.height() - 12 - seen.height())
    places = [(x, y) for x in range(0, seen.width(), 2) for y in range(0, seen.height(), 2)]
    alike = sum(
        abs(seen.pixelColor(x, y).lightness() - picture.pixelColor(at.x() + x, at.y() + y).lightness()) < 90
        for x, y in places
    )
    assert alike / len(places) > 0.995

    words = " ".join(ElementTree.parse(save("tree.svg")).getroot().itertext())
    assert words.count("α −1 ≥ β −1") >= 1
    for move in ("b1", "a2", "c2", "a3", "b3"):
        assert move in words
    assert save("tree.pdf").read_bytes().startswith(b"%PDF")
    with save("tree.csv", "take_data").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["line"] for row in rows] == [" ".join(move.text for move in node.line) for node in garden.root.walk()]
    assert next(row for row in rows if row["line"] == "a2 b3")["search"] == "cut off"


def test_a_picture_can_be_had_before_any_search(garden: Garden) -> None:
    assert garden.desk.enabled("take_picture", "take_data", "take_full") == [True, True, False]


def test_a_logarithmic_axis_is_offered_where_a_view_can_have_one(garden: Garden) -> None:
    assert garden.desk.enabled("lab_log_y") == [False]
    garden.page.set_two_views(True)
    second = garden.page.views.panes[1]
    for view, able in ((View.ENTROPY, True), (View.MEAN, False), (View.VISITS, True)):
        second.set_view(view)
        assert garden.desk.enabled("lab_log_y") == [able]
    garden.page.set_two_views(False)
    assert garden.desk.enabled("lab_log_y") == [False]
    garden.pane.set_view(View.SHARE)
    assert garden.desk.enabled("lab_log_y") == [True]


def test_a_screen_reader_is_told_of_the_tree_and_not_of_the_plot_behind_it(garden: Garden) -> None:
    garden.search("minimax")
    words = garden.pane.accessibleDescription()
    assert words.startswith("Game tree. ")
    assert words.endswith(f" {garden.page.model.shown.sentence}")


def test_the_view_is_there_again_at_the_next_start(open_desk: OpenDesk) -> None:
    desk = open_desk(LATE)
    Garden(desk)
    state = desk.laboratory.remember()
    assert state["views"][0] == "tree"
    desk.laboratory.views.panes[0].set_view(desk.laboratory.views.panes[1].view)
    assert desk.laboratory.views.panes[0].tree is None
    desk.laboratory.restore(state)
    assert desk.laboratory.views.panes[0].tree is not None


def test_a_finished_game_has_no_tree(open_desk: OpenDesk) -> None:
    garden = Garden(open_desk("nim:1"))
    garden.page.model.place.go_to(parse_position("nim:1 1-1"))
    garden.settle()
    assert garden.tree.why_not
    assert len(garden.lines) == 1
