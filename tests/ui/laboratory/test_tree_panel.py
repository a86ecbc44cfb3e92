"""The tree explorer: rows unfold, follow the search, keep what a person chose, and say what the search knows."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from desk import Desk, K, OpenDesk
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from nimdesk.agents import make_agent
from nimdesk.games import Move, parse_position
from nimdesk.search.timeline import Cost
from nimdesk.search.tree_types import Branch, Family
from nimdesk.ui.laboratory.searches import Axis
from nimdesk.ui.laboratory.tree_model import Item, TreeModel
from nimdesk.ui.laboratory.tree_panel import TreePanel

CTRL = Qt.KeyboardModifier.ControlModifier


class Explorer:
    """The laboratory with its tree in front."""

    def __init__(self, desk: Desk, agent: str = "uct", **options: object) -> None:
        self.desk = desk
        page = desk.analyse()
        self.model = page.model
        self.model.agents.set_agent(0, make_agent(agent, options))
        self.panel = page.panel(TreePanel)
        self.rows = self.panel.rows
        page.tabs.setCurrentWidget(self.panel)

    def run(self, limit: float) -> None:
        self.model.searches.set_limit(limit)
        self.desk.window.actions_by_name["lab_run"].trigger()
        self.desk.wait(lambda: not self.model.searches.running)
        self.settle()

    def settle(self) -> None:
        """Everything that is wanted has been read."""
        self.desk.laboratory.display.draw_now()
        while True:
            self.panel.read_now()
            self.desk.wait(lambda: not self.panel.asker.busy)
            if not self.rows.wanted or self.panel.message.isVisible():
                return

    def texts(self, column: int, parent: Item | None = None) -> list[str]:
        return [self.rows.text(item, column) for item in (parent or self.rows.root).children]

    def unfold(self, item: Item) -> None:
        """By the keyboard, as a person does it."""
        self.panel.list.setCurrentIndex(self.rows.index_of(item))
        self.panel.list.setFocus()
        QTest.keyClick(self.panel.list, K.Key_Right)
        self.desk.wait(lambda: item.loaded)
        self.settle()


@pytest.fixture
def explorer(open_desk: OpenDesk) -> Explorer:
    made = Explorer(open_desk("nim:3,4,5"))
    made.run(3000)
    return made


def test_the_rows_are_the_moves_of_the_search_most_visits_first(explorer: Explorer) -> None:
    snapshot = explorer.model.clock.shown()
    assert snapshot is not None
    ranked = sorted(snapshot.moves, key=lambda stats: -stats.visits)
    assert sorted(explorer.texts(0)) == sorted(stats.move.text for stats in snapshot.moves)
    assert explorer.texts(1) == [f"{stats.visits:,}" for stats in ranked]
    means = {stats.move.text: stats.mean_value for stats in snapshot.moves}
    for move, mean in zip(explorer.texts(0), explorer.texts(3), strict=True):
        assert float(mean) == pytest.approx(means[move], abs=0.0006)


def test_unfolding_shows_the_replies_and_the_position_of_the_selected_row(explorer: Explorer) -> None:
    first = explorer.rows.root.children[0]
    explorer.unfold(first)
    assert first.branch is not None
    position = explorer.model.place.position.play(first.branch.move)
    assert sorted(explorer.texts(0, first)) == sorted(move.text for move in position.legal_moves)
    visits = [int(text.replace(",", "")) for text in explorer.texts(1, first)]
    # One visit of a node ended in it.
    assert sum(visits) == first.branch.visits - 1
    assert visits == sorted(visits, reverse=True)
    assert explorer.panel.small.board.position == position
    assert explorer.model.place.position.text == "nim:3,4,5"


def test_selection_and_unfolded_rows_stay_while_the_search_goes_on_and_rows_change_places(explorer: Explorer) -> None:
    first, last = explorer.rows.root.children[0], explorer.rows.root.children[-1]
    explorer.unfold(first)
    explorer.unfold(last)
    chosen = last.children[0]
    explorer.panel.list.setCurrentIndex(explorer.rows.index_of(chosen))
    order = explorer.texts(0)
    explorer.run(40_000)
    assert explorer.texts(0) != order
    assert explorer.rows.item(explorer.panel.list.currentIndex()) is chosen
    for item in (first, last):
        assert explorer.panel.list.isExpanded(explorer.rows.index_of(item))
    snapshot = explorer.model.clock.shown()
    assert snapshot is not None
    assert sorted(explorer.texts(1)) == sorted(f"{stats.visits:,}" for stats in snapshot.moves)


def test_rows_with_fewer_visits_than_the_threshold_are_left_out(explorer: Explorer) -> None:
    counts = sorted((int(text.replace(",", "")) for text in explorer.texts(1)), reverse=True)
    least = counts[3]
    explorer.desk.type_into(explorer.panel.least.lineEdit(), str(least))
    explorer.desk.wait(lambda: len(explorer.rows.root.children) < len(counts))
    explorer.settle()
    assert [int(text.replace(",", "")) for text in explorer.texts(1)] == [n for n in counts if n >= least]
    explorer.desk.type_into(explorer.panel.least.lineEdit(), "1")
    explorer.desk.wait(lambda: len(explorer.rows.root.children) == len(counts))


def test_replies_that_a_threshold_took_away_come_back_with_a_lower_one(explorer: Explorer) -> None:
    first = explorer.rows.root.children[0]
    explorer.unfold(first)
    replies = explorer.texts(0, first)
    assert len(replies) > 2
    assert first.branch is not None
    for least, there in ((first.branch.visits, False), (1, True)):
        explorer.desk.type_into(explorer.panel.least.lineEdit(), str(least))
        explorer.desk.wait(lambda there=there: bool(first.children) is there)
        explorer.settle()
        assert explorer.rows.hasChildren(explorer.rows.index_of(first)) is there
    assert explorer.texts(0, first) == replies


def test_what_was_unfolded_at_one_moment_is_read_anew_at_another(explorer: Explorer) -> None:
    first = explorer.rows.root.children[0]
    assert first.branch is not None
    explorer.unfold(first)
    explorer.panel.fold_all()
    newest = explorer.texts(1, first)
    explorer.model.clock.set_moment(150.0)
    explorer.settle()
    at = explorer.rows.index_of(first)
    assert first.branch.visits < 150
    explorer.panel.list.expand(at)
    explorer.settle()
    assert explorer.texts(1, first) != newest
    assert sum(child.branch.visits for child in first.children if child.branch) == first.branch.visits - 1
    QTest.mouseClick(explorer.panel.unfold, Qt.MouseButton.LeftButton)
    explorer.desk.wait(lambda: len(explorer.rows.item(explorer.panel.list.currentIndex()).line) > 1)
    item = explorer.rows.item(explorer.panel.list.currentIndex())
    while item.parent is not None and item.parent.branch is not None:
        visits = sum(child.branch.visits for child in item.parent.children if child.branch)
        assert visits == item.parent.branch.visits - 1
        item = item.parent


def test_a_copy_of_the_tree_is_of_one_moment_in_sight_or_not(explorer: Explorer) -> None:
    for item in list(explorer.rows.root.children):
        explorer.unfold(item)
    explorer.panel.list.scrollToTop()
    explorer.model.clock.set_moment(400.0)
    explorer.settle()
    snapshot = explorer.model.clock.shown()
    assert snapshot is not None
    games = snapshot.iterations
    assert 300 < games <= 400
    rows = [line.split("\t") for line in explorer.panel.list.tsv().splitlines()[1:]]
    assert len(rows) > 60, "more than there is room for"
    assert sum(int(cells[1]) for cells in rows if not cells[0].startswith(" ")) == games
    # One visit of each ended in it.
    assert sum(int(cells[1]) for cells in rows if cells[0].startswith(" ")) == games - 12


def test_the_scrubber_shows_the_tree_as_it_was(explorer: Explorer) -> None:
    explorer.model.clock.set_moment(100.0)
    shown = explorer.model.clock.shown()
    assert shown is not None
    assert shown.iterations <= 100
    visits = sorted(f"{stats.visits:,}" for stats in shown.moves if stats.visits)
    explorer.desk.wait(lambda: sorted(explorer.texts(1)) == visits)
    explorer.model.clock.set_moment(None)
    newest = explorer.model.clock.shown()
    assert newest is not None
    explorer.desk.wait(lambda: sorted(explorer.texts(1)) == sorted(f"{stats.visits:,}" for stats in newest.moves))


def test_while_the_tree_of_an_earlier_moment_is_still_searched_the_panel_says_so(explorer: Explorer) -> None:
    explorer.run(1000)
    note, searched = explorer.panel.note, threading.Event()
    # The thread of the searches is busy for a while.
    explorer.model.searches.bridge.ask(lambda _job: searched.wait(), done=bool, failed=pytest.fail)
    explorer.model.clock.set_moment(50.0)
    explorer.desk.wait(lambda: note.text() == "Searching once more, up to this moment…")
    searched.set()
    explorer.desk.wait(lambda: note.text().endswith("after 50 iterations"))


def test_one_click_unfolds_the_most_visited_line_to_its_end(explorer: Explorer) -> None:
    QTest.mouseClick(explorer.panel.unfold, Qt.MouseButton.LeftButton)
    explorer.desk.wait(lambda: explorer.panel.list.currentIndex().isValid())
    explorer.settle()
    item: Item | None = explorer.rows.item(explorer.panel.list.currentIndex())
    assert item is not None
    assert len(item.line) > 3
    while item is not None and item.parent is not None:
        assert item.row == 0
        item = item.parent


def test_right_on_a_leaf_leaves_the_moves_in_sight(explorer: Explorer) -> None:
    lst = explorer.panel.list
    explorer.model.agents.new_seeds()
    explorer.run(12)
    lst.setColumnWidth(0, 900)
    lst.setCurrentIndex(explorer.rows.index_of(explorer.rows.root.children[0]))
    explorer.desk.wait(lambda: lst.horizontalScrollBar().maximum() > 0)
    assert lst.horizontalScrollBar().value() == 0
    QTest.keyClick(lst, K.Key_Right)
    assert lst.horizontalScrollBar().value() == 0


def test_a_narrow_tree_shows_the_moves_and_what_is_proven_first(explorer: Explorer) -> None:
    lst = explorer.panel.list
    shown = []
    for width in (700, 460, 330):
        lst.resize(width, 200)
        QApplication.processEvents()
        shown.append([column for column in range(6) if not lst.isColumnHidden(column)])
        assert lst.horizontalScrollBar().maximum() == 0
    assert shown == [[0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 5], [0, 1, 3, 5]]


def test_enter_studies_the_position_of_the_row(explorer: Explorer) -> None:
    first = explorer.rows.root.children[0]
    assert first.branch is not None
    move = first.branch.move
    explorer.unfold(first)
    explorer.panel.list.setCurrentIndex(explorer.rows.index_of(first))
    QTest.keyClick(explorer.panel.list, K.Key_Return)
    assert explorer.model.place.position == parse_position("nim:3,4,5").play(move)
    assert explorer.rows.root.children == []


def test_what_is_unfolded_is_copied_as_text(explorer: Explorer) -> None:
    first = explorer.rows.root.children[0]
    explorer.unfold(first)
    explorer.panel.list.setFocus()
    QTest.keyClick(QApplication.focusWidget(), K.Key_C, CTRL)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0].split("\t") == ["Move", "Visits", "Share", "Mean", "Bound", "Proven"]
    assert lines[1].split("\t")[0] == explorer.texts(0)[0]
    assert lines[2].split("\t")[0] == "  " + explorer.texts(0, first)[0]
    assert len(lines) == 1 + len(explorer.texts(0)) + len(first.children)


def test_rows_speak_in_words(explorer: Explorer) -> None:
    index = explorer.rows.index(0, 0)
    words = explorer.rows.data(index, Qt.ItemDataRole.AccessibleTextRole)
    pile, take = explorer.texts(0)[0][0], explorer.texts(0)[0][2]
    assert words.startswith(f"First: take {take} from pile {pile}, visits {explorer.texts(1)[0]}")


def test_mcts_shows_what_it_has_proven(open_desk: OpenDesk) -> None:
    explorer = Explorer(open_desk("nim:3,4,5"), "mcts")
    explorer.run(2000)
    proven = dict(zip(explorer.texts(0), explorer.texts(5), strict=True))
    assert proven["1-2"] == "✓ win"


def test_alpha_beta_shows_windows_values_and_why_a_search_ended(open_desk: OpenDesk) -> None:
    explorer = Explorer(open_desk("mnk:3,3,3"), "alphabeta", depth=None)
    explorer.model.place.go_to(parse_position("mnk:3,3,3 b2 a1 c3"))
    explorer.run(1_000_000)
    snapshot = explorer.model.clock.shown()
    assert snapshot is not None
    assert explorer.rows.headerData(5, Qt.Orientation.Horizontal) == "How its search ended"
    nodes = {stats.move.text: f"{stats.visits:,}" for stats in snapshot.moves}
    assert dict(zip(explorer.texts(0), explorer.texts(1), strict=True)) == nodes
    assert explorer.texts(3)[0] == "−∞"
    assert explorer.texts(4)[0] == "+∞"
    assert any(text.startswith("cut off") for text in explorer.texts(5))
    best = [move for move, value in zip(explorer.texts(0), explorer.texts(2), strict=True) if value.endswith("◂")]
    assert best == [snapshot.best_move.text if snapshot.best_move else ""]


def test_deepening_shows_the_tree_of_the_depth_it_has_come_to(open_desk: OpenDesk) -> None:
    explorer = Explorer(open_desk("nim:3,4,5"), "deepening")
    explorer.model.searches.set_axis(Axis(Cost.NODES))
    explorer.run(1000)
    snapshot = explorer.model.clock.shown()
    assert snapshot is not None
    assert [step.depth for step in snapshot.steps] == [1, 2, 3, 4]
    assert "depth 5" in explorer.panel.note.text()
    assert sum(int(text.replace(",", "")) for text in explorer.texts(1)) == 1000 - snapshot.steps[-1].nodes - 1


def test_of_a_deepening_too_long_to_keep_the_last_complete_depth_is_shown(
    open_desk: OpenDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nimdesk.search.textbook.searchers.NODE_LIMIT", 500)
    monkeypatch.setattr("nimdesk.search.textbook.depth_first.NODE_LIMIT", 500)
    explorer = Explorer(open_desk("mnk:4,4,4"), "deepening")
    explorer.model.searches.set_axis(Axis(Cost.NODES))
    explorer.run(2000)
    # Depth 4 goes on beyond the first 500 nodes.
    assert "2,000 nodes; depth 3, the last that the first 500 nodes complete" in explorer.panel.note.text()
    assert len(explorer.texts(0)) == 16
    assert not any("not recorded" in text or "being searched" in text for text in explorer.texts(5))


def test_an_agent_without_a_tree_says_so(open_desk: OpenDesk) -> None:
    explorer = Explorer(open_desk("nim:3,4,5"), "flat")
    explorer.desk.wait(lambda: "Flat Monte Carlo keeps no tree" in explorer.panel.message.text())
    explorer.run(300)
    explorer.desk.wait(lambda: explorer.panel.stack.currentWidget() is explorer.panel.message)
    assert "Flat Monte Carlo keeps no tree" in explorer.panel.message.text()


def test_before_the_first_run_the_panel_says_what_to_do(open_desk: OpenDesk) -> None:
    explorer = Explorer(open_desk("nim:3,4,5"))
    explorer.settle()
    assert "Press F5" in explorer.panel.message.text()


# The model alone, under Qt's own tester.


def family(*visits: int, line: tuple[Move, ...] = ()) -> Family:
    position = parse_position("nim:5,5,5")
    for move in line:
        position = position.play(move)
    pairs = zip(position.legal_moves, visits, strict=False)
    branches = tuple(Branch(move, n, 0.5, 1.0, None, 3) for move, n in pairs if n)
    return Family(line, sum(visits), branches, 1.0)


def test_rows_come_go_and_change_places_by_the_rules_of_qt(qtbot: QtBot) -> None:
    model = TreeModel()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.reset(parse_position("nim:5,5,5"), recorded=False)
    model.apply({(): family(5, 9, 7)})
    assert [model.text(item, 1) for item in model.root.children] == ["9", "7", "5"]
    nine = model.root.children[0]
    line = nine.line
    index = model.index_of(nine)
    assert model.canFetchMore(index)
    model.fetchMore(index)
    assert line in model.wanted
    model.apply({line: family(1, 2, 3, line=line)})
    assert line not in model.wanted
    assert [model.text(item, 1) for item in nine.children] == ["3", "2", "1"]
    assert model.parent(model.index_of(nine.children[1])) == index
    # Others overtake, one is new, and the unfolded row stays the same row.
    model.apply({(): family(50, 9, 70, 8)})
    assert [model.text(item, 1) for item in model.root.children] == ["70", "50", "9", "8"]
    assert model.root.children[2] is nine
    assert len(nine.children) == 3
    model.set_least(9)
    model.apply({(): family(50, 9, 70, 8), line: family(1, 2, 3, line=line)})
    assert [model.text(item, 1) for item in model.root.children] == ["70", "50", "9"]
    assert nine.children == []
    model.apply({(): None})
    assert model.rowCount() == 0
    assert tester.model() is model


def test_the_lit_line_is_marked_from_the_root_down(qtbot: QtBot) -> None:
    model = TreeModel()
    model.reset(parse_position("nim:5,5,5"), recorded=False)
    model.apply({(): family(5, 9, 7)})
    lit = model.root.children[1]
    model.set_lit((*lit.line, lit.line[0]))
    assert [model.is_lit(item) for item in model.root.children] == [False, True, False]


def test_what_is_unfolded_is_saved_as_a_figure(
    explorer: Explorer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = explorer.rows.root.children[0]
    explorer.unfold(first)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "tree.dot"), ""))
    explorer.desk.window.actions_by_name["take_tree"].trigger()
    text = (tmp_path / "tree.dot").read_text(encoding="utf-8")
    labels = [line.split('"')[1].split()[:2] for line in text.splitlines() if "label=" in line]
    shown = [explorer.rows.root.children[0], *first.children, *explorer.rows.root.children[1:]]
    assert labels == [[explorer.rows.text(item, 0), explorer.rows.text(item, 1)] for item in shown]
    caption = QGuiApplication.clipboard().text()
    assert "what is unfolded of it after 3,000 iterations. MCTS, textbook (exploration" in caption
