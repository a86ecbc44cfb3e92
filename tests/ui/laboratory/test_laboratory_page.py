"""The laboratory as a person uses it: keys, clicks, the scrubber, the table, and the way in and out."""

from __future__ import annotations

from typing import Any

import pytest
from desk import ALT, Desk, K, OpenDesk
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QCursor, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QMenu, QToolButton

from nimdesk.agents import make_agent
from nimdesk.games import MnkMove, Side, parse_position
from nimdesk.search import Limit, StopReason
from nimdesk.search.tree_types import TreeView
from nimdesk.ui.boards.mnk.setup import MarksForm
from nimdesk.ui.boards.nim.setup import CountedPiles
from nimdesk.ui.dialogs import PositionEditor
from nimdesk.ui.laboratory.board_panel import TheoryPanel
from nimdesk.ui.laboratory.moves_model import HEADERS, LINE, MEAN, MOVE, VISITS, Rows
from nimdesk.ui.laboratory.moves_table import MovesTable
from nimdesk.ui.laboratory.stepping_panel import SteppingPanel
from nimdesk.ui.laboratory.studied import new_agent
from nimdesk.ui.laboratory.tree_panel import TreePanel
from nimdesk.ui.look.actions import LABORATORY, PLAY
from nimdesk.ui.look.theme import DARK
from nimdesk.ui.plots.frame import View

CTRL, LEFT = Qt.KeyboardModifier.ControlModifier, Qt.MouseButton.LeftButton


class Lab:
    """The desk with its laboratory open."""

    def __init__(self, desk: Desk) -> None:
        self.desk, self.window = desk, desk.window
        self.page = desk.analyse()
        self.model = self.page.model
        self.act = desk.window.actions_by_name

    def run(self, limit: float = 2000) -> None:
        """Run as far as that, by the key."""
        self.model.searches.set_limit(limit)
        self.act["lab_run"].trigger()
        self.desk.wait(lambda: not self.model.searches.running)
        self.desk.wait(lambda: self.page.panel(MovesTable).rows.rowCount() > 0)
        self.settle()

    def settle(self) -> None:
        """What is drawn later has been drawn."""
        self.page.display.draw_now()

    @property
    def visits(self) -> list[int]:
        """Of each move, in the order of the table."""
        return [int(text.replace(",", "")) for text in self.column(VISITS)]

    @property
    def shown_visits(self) -> list[int]:
        """As the search had them at the moment shown, in the order of the table."""
        shown = self.model.clock.shown()
        moves = {stats.move.text: stats.visits for stats in shown.moves} if shown is not None else {}
        return [moves.get(text.removesuffix(" ▲"), -1) for text in self.column(MOVE)]

    @property
    def words(self) -> str:
        return self.page.board_panel.sentence.text()

    def column(self, section: int) -> list[str]:
        rows = self.page.panel(MovesTable).rows
        return [str(rows.data(rows.index(row, section))) for row in range(rows.rowCount())]


@pytest.fixture
def lab(open_desk: OpenDesk) -> Lab:
    return Lab(open_desk("nim:3,4,5"))


# Between the pages


def test_analyse_opens_the_position_of_the_game_and_play_leads_back(open_desk: OpenDesk) -> None:
    desk = open_desk("nim:3,4,5")
    desk.click("2-3")
    lab = Lab(desk)
    assert lab.model.place.position.text == "nim:3,4,5 2-3"
    assert desk.window.modes.mode == LABORATORY
    assert lab.page.isVisible()
    QTest.keyClick(desk.window, K.Key_1, CTRL)
    assert desk.window.modes.mode == PLAY
    assert desk.moves == ["2-3"]
    QTest.keyClick(desk.window, K.Key_2, CTRL)
    lab.model.place.play(lab.model.place.position.parse_move("1-2"))
    desk.press(K.Key_F8)
    assert desk.window.modes.mode == PLAY
    assert desk.controller.position.text == "nim:3,4,5 2-3 1-2"


def test_keys_belong_to_the_page_shown(lab: Lab) -> None:
    for name, there in (("undo", False), ("stop", False), ("lab_run", True)):
        assert lab.act[name].isVisible() is there
    lab.window.modes.show_mode(PLAY)
    assert lab.act["undo"].isVisible()
    assert not lab.act["lab_run"].isVisible()


def test_the_laboratory_is_remembered(open_desk: OpenDesk, tmp_path: object) -> None:
    lab = Lab(open_desk())
    lab.model.agents.add()
    lab.model.agents.set_seed(0, 77)
    lab.page.run_bar.cost.button("nodes").click()
    lab.page.run_bar.scale.button("linear").click()
    lab.model.searches.set_limit(123.0)
    lab.page.views.panes[0].set_view(View.STACK)
    lab.act["lab_two"].trigger()
    store = lab.desk.session.preferences.store
    lab.desk.close()
    again = Lab(open_desk(store=store))
    assert [each.seed for each in again.model.agents.studied] == [77, 1]
    assert again.model.searches.axis.cost.value == "nodes"
    assert not again.model.searches.axis.log
    assert again.model.searches.limit == 123.0
    assert again.page.views.panes[0].view is View.STACK
    assert again.page.views.panes[1].isVisible()


def test_the_agents_have_what_they_need_and_the_board_the_rest(lab: Lab) -> None:
    page, agents, board = lab.page, lab.page.agents, lab.page.board_panel
    for size in ((1280, 860), (1024, 700), (1280, 860)):
        lab.window.resize(*size)
        lab.desk.wait(lambda: abs(agents.height() - agents.needed_height) <= 2)
    alone, tall = agents.height(), board.height()
    lab.model.agents.add()
    lab.desk.wait(lambda: abs(agents.height() - agents.needed_height) <= 2 and agents.height() > alone)
    assert board.height() < tall
    lab.model.agents.add()
    lab.model.agents.add()
    lab.window.resize(1024, 600)
    lab.desk.wait(lambda: agents.height() < agents.needed_height)
    assert board.height() > page.left.height() / 2


def test_what_a_person_has_divided_stays_so(lab: Lab) -> None:
    page = lab.page
    handle = page.left.handle(1)
    QTest.mousePress(handle, LEFT, pos=QPoint(5, 2))
    QTest.mouseMove(handle, QPoint(5, -120))
    QTest.mouseRelease(handle, LEFT, pos=QPoint(5, -120))
    height = page.agents.height()
    assert height > page.agents.needed_height + 60
    lab.model.agents.add()
    QApplication.processEvents()
    assert page.agents.height() == height


# Running and looking


def test_a_search_is_seen_in_every_panel(lab: Lab) -> None:
    lab.run()
    assert lab.visits == sorted(lab.visits, reverse=True)
    assert sum(lab.visits) == 2000
    assert lab.page.board_panel.board.shown.overlay
    assert "would play" in lab.words
    assert "2,000 iterations" in lab.page.agents.rows[0].state.text()
    assert lab.page.views.panes[0].plot.drawn_moves  # type: ignore[union-attr]
    assert lab.page.scrubber.words.text() == "iteration 2,000 (newest)"


def test_dragging_the_scrubber_moves_everything(lab: Lab) -> None:
    lab.run()
    newest = lab.column(VISITS)
    slider = lab.page.scrubber.slider
    QTest.mouseClick(slider, LEFT, pos=QPoint(slider.width() // 2, slider.height() // 2))
    lab.settle()
    moment = lab.model.clock.moment
    assert moment is not None
    then = lab.model.clock.shown()
    assert then is not None
    assert then.iterations <= moment < 2000
    assert sum(lab.visits) == then.iterations
    assert lab.page.board_panel.board.shown.overlay
    assert sum(item.visits for item in lab.page.board_panel.board.shown.overlay.values()) == then.iterations
    assert f"iteration {then.iterations:,} of 2,000" == lab.page.scrubber.words.text()
    assert lab.page.views.panes[0].plot.moment_line.isVisible()
    lab.act["lab_newest"].trigger()
    lab.settle()
    assert lab.model.clock.moment is None
    assert lab.column(VISITS) == newest


def test_keys_step_through_rows_and_changes_of_the_leader(lab: Lab) -> None:
    lab.run()
    line = lab.model.searches.focused.timeline
    assert line is not None
    for name, row in (("lab_first", 0), ("lab_later", 1), ("lab_later", 2), ("lab_earlier", 1)):
        lab.act[name].trigger()
        assert lab.model.clock.moment == line.iterations[row]
    changes = line.changes
    assert changes
    for row in changes[:3]:
        lab.act["lab_change_after"].trigger()
        assert lab.model.clock.moment == line.iterations[row]
    lab.act["lab_change_before"].trigger()
    assert lab.model.clock.moment == line.iterations[changes[1]]


def test_a_press_on_the_plot_chooses_the_moment(lab: Lab) -> None:
    lab.run()
    plot = lab.page.views.panes[0].plot
    place = plot.pixel(2.0, 0.05) - plot.view.pos().toPointF()
    QTest.mouseClick(plot.view.viewport(), LEFT, pos=place.toPoint())
    assert lab.model.clock.moment == pytest.approx(100, rel=0.05)


def test_playing_back_runs_from_the_first_moment_to_the_newest(lab: Lab) -> None:
    lab.run()
    moments: list[float | None] = []
    lab.model.clock.moment_changed.connect(lambda: moments.append(lab.model.clock.moment))
    lab.page.scrubber.speed.setCurrentText("8×")
    lab.act["lab_play"].trigger()
    lab.desk.wait(lambda: not lab.act["lab_play"].isChecked())
    shown = [moment for moment in moments if moment is not None]
    assert len(shown) >= 5
    assert shown == sorted(shown)
    assert lab.model.clock.moment is None


# Views


@pytest.mark.parametrize("position", ["nim:3,4,5", "mnk:7,7,5"])
def test_every_view_draws_or_says_why_not(open_desk: OpenDesk, position: str) -> None:
    lab = Lab(open_desk(position))
    lab.run(300)
    pane = lab.page.views.panes[0]
    for view in View:
        pane.set_view(view)
        lab.page.display.draw_now()
        if pane.plots.frame.why_not():
            assert pane.plots.empty.isVisible()
            assert view in (View.OPTIMAL, View.REGRET)
            assert position.startswith("mnk")
            continue
        assert pane.plot.isVisible()
        ground = pane.plot.view.backgroundBrush().color()
        image = pane.plot.grab().toImage()
        places = [(x, y) for x in range(0, image.width(), 3) for y in range(0, image.height(), 3)]
        colors = {image.pixelColor(x, y).rgb() for x, y in places}
        assert len(colors - {ground.rgb()}) > 5, f"{view.title}: something is painted"


def test_the_key_of_the_ribbons_is_that_of_what_is_drawn(open_desk: OpenDesk) -> None:
    lab = Lab(open_desk("nim:3,4,5"))
    pane = lab.page.views.panes[0]
    pane.set_view(View.ENTROPY)
    lab.run(300)
    lab.desk.wait(lambda: "optimal" in pane.key.text())
    lab.act["lab_truth"].trigger()
    lab.desk.wait(lambda: pane.key.text() == "Ribbon in the colour of the move it would play")
    lab.act["lab_truth"].trigger()
    lab.model.place.go_to(parse_position("mnk:15,15,5"))
    lab.run(300)
    lab.desk.wait(lambda: pane.key.text() == "Ribbon in the colour of the move it would play")


def test_two_views_share_their_x_axis(lab: Lab) -> None:
    lab.act["lab_two"].trigger()
    lab.page.views.panes[1].set_view(View.HEAT)
    lab.run()
    lab.page.display.draw_now()
    first, second = (pane.plot for pane in lab.page.views.panes)
    for x in (0.0, 1.0, 3.0):
        assert first.pixel(x, 0).x() == pytest.approx(second.pixel(x, 0).x(), abs=2)


def test_in_a_low_window_two_views_get_more_of_the_page_than_one(lab: Lab) -> None:
    lab.desk.window.resize(1024, 700)
    one = lab.page.right.sizes()
    lab.act["lab_two"].trigger()
    two = lab.page.right.sizes()
    assert sum(one) == sum(two)
    assert two[0] > one[0] + 40
    assert lab.page.tabs.height() >= 130, "still a few rows"
    lab.run()
    heights = [pane.plot.box.height() for pane in lab.page.views.panes]
    assert min(heights) >= 105
    assert max(heights) - min(heights) <= 8, "they share it evenly"


@pytest.mark.parametrize("two", [False, True])
def test_the_tabs_stay_where_they_are_when_one_is_clicked(lab: Lab, two: bool) -> None:
    lab.desk.window.resize(1024, 700)
    if two:
        lab.act["lab_two"].trigger()
    lab.run(300)
    tabs, bar = lab.page.tabs, lab.page.tabs.tabBar()
    place = bar.mapTo(lab.window, QPoint())
    for number, panel in enumerate(lab.page.panels):
        QTest.mouseClick(bar, LEFT, pos=bar.tabRect(number).center())
        assert tabs.currentWidget() is panel
        assert bar.mapTo(lab.window, QPoint()) == place
    QTest.mouseClick(bar, LEFT, pos=bar.tabRect(lab.page.panels.index(lab.page.panel(SteppingPanel))).center())
    lab.desk.wait(lambda: lab.page.panel(SteppingPanel).stage is not None)
    steps = lab.page.panel(SteppingPanel).table
    assert steps.viewport().height() >= 2 * steps.rowHeight(0), "also there is room for a panel of many parts"


def test_the_heads_of_the_views_stay_where_they_are_when_the_first_results_come(lab: Lab) -> None:
    lab.act["lab_two"].trigger()
    lab.settle()
    first, second = lab.page.views.panes
    lab.desk.wait(lambda: first.height() + second.height() < lab.page.views.height())  # the handle has its place
    choices = [first.choice, second.choice]
    empty = [each.mapTo(lab.window, QPoint()) for each in choices]
    lab.run(300)
    lab.desk.wait(lambda: all(pane.draws for pane in lab.page.views.panes))
    assert [each.mapTo(lab.window, QPoint()) for each in choices] == empty


def test_the_table_of_moves_is_up_to_date_as_soon_as_it_is_opened(lab: Lab) -> None:
    lab.run(300)
    page, table = lab.page, lab.page.panel(MovesTable)
    lab.model.clock.set_moment(100.0)
    page.tabs.setCurrentWidget(page.panel(TreePanel))
    page.tabs.setCurrentWidget(table)
    assert lab.visits == lab.shown_visits


def test_a_panel_opened_by_its_letter_has_the_keyboard(lab: Lab) -> None:
    lab.run(300)
    page = lab.page
    for letter, place in (
        (K.Key_S, page.panel(TreePanel).list),
        (K.Key_U, page.panel(SteppingPanel).table),
        (K.Key_Y, page.panel(TheoryPanel).text),
        (K.Key_M, page.panel(MovesTable)),
    ):
        lab.desk.press((letter, ALT))
        lab.desk.wait(place.hasFocus)


def test_of_two_views_above_each_other_the_lower_has_the_x_axis_of_both(lab: Lab) -> None:
    lab.desk.window.resize(1024, 700)
    lab.act["lab_two"].trigger()
    first, second = lab.page.views.panes
    lab.run()
    lab.desk.wait(lambda: first.plot.x_axis.bare)
    assert not second.plot.x_axis.bare
    lab.act["lab_truth"].trigger()
    lab.desk.wait(lambda: not first.plot.x_axis.bare)
    assert not second.draws, "this view needs the truth"
    lab.act["lab_truth"].trigger()
    lab.desk.wait(lambda: first.plot.x_axis.bare)
    lab.act["lab_two"].trigger()
    assert not first.plot.x_axis.bare
    lab.act["lab_two"].trigger()
    lab.page.views.resize(900, 300)
    assert not first.plot.x_axis.bare, "side by side each has its own"


def test_a_view_says_what_it_lacks(lab: Lab) -> None:
    lab.model.agents.set_agent(0, make_agent("flat"))
    lab.run(100)
    pane = lab.page.views.panes[0]
    pane.set_view(View.BOUND)
    lab.page.display.draw_now()
    assert pane.plots.empty.text() == "Flat Monte Carlo does not search by an upper bound."
    pane.set_view(View.REGRET)
    lab.act["lab_truth"].trigger()
    lab.page.display.draw_now()
    assert "proven" in pane.plots.empty.text()


def test_a_long_seed_is_seen_whole(lab: Lab) -> None:
    field = lab.page.agents.rows[0].seed
    narrow = field.width()
    lab.model.agents.set_seed(0, 2**64 - 1)
    assert field.text() == str(2**64 - 1)
    assert field.fontMetrics().horizontalAdvance(field.text()) < field.width() - 8
    lab.model.agents.set_seed(0, 5)
    assert field.width() == narrow


# The table


def test_the_table_sorts_by_any_column_without_a_mouse_too_and_is_copied(lab: Lab) -> None:
    lab.run()
    header = lab.page.panel(MovesTable).horizontalHeader()
    for section in (MEAN, VISITS):
        for backwards in (True, False):
            QTest.mouseClick(header.viewport(), LEFT, pos=QPoint(header.sectionViewportPosition(section) + 12, 5))
            values = [float(text.replace(",", "")) for text in lab.column(section)]
            assert values == sorted(values, reverse=backwards)

    # The menu of the table sorts without a mouse.
    table = lab.page.panel(MovesTable)
    (menu,) = (action.menu() for action in table.actions() if action.menu() is not None)
    assert isinstance(menu, QMenu)
    assert [action.text() for action in menu.actions()] == list(HEADERS)
    menu.actions()[MEAN].trigger()
    means = [float(text) for text in lab.column(MEAN)]
    assert means == sorted(means, reverse=True)

    # The arrow of the order stands beside the words of the header.
    rows = table.rows
    for section, words in enumerate(HEADERS):
        rows.sort_by(section)
        text = str(rows.headerData(section, Qt.Orientation.Horizontal))
        assert sorted(text.replace(words, "").strip()) in (["▾"], ["▴"])
        assert not header.isSortIndicatorShown()
        if not table.isColumnHidden(section):
            assert header.sectionSize(section) >= header.fontMetrics().horizontalAdvance(text) + 12, words

    # The table is copied with tabs.
    lab.page.panel(MovesTable).setFocus()
    QTest.keyClick(lab.page.panel(MovesTable), K.Key_C, CTRL)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0].split("\t")[:4] == ["Move", "Visits", "Share", "Mean"]
    assert len(lines) == 13
    assert sum(int(line.split("\t")[1]) for line in lines[1:]) == 2000


def test_the_table_follows_while_one_moment_comes_after_the_other(lab: Lab) -> None:
    lab.run()
    shown: list[int] = []
    rows = lab.page.panel(MovesTable).rows
    rows.dataChanged.connect(lambda *_: shown.append(sum(lab.visits)))
    moments = iter(range(1, 2000))

    def scrub() -> bool:
        lab.model.clock.set_moment(float(next(moments)))
        return len(shown) >= 2

    lab.desk.wait(scrub)
    assert shown == sorted(shown)
    last = lab.model.clock.shown()
    lab.settle()
    assert last is not None
    assert shown[-1] == last.iterations == sum(lab.visits)


def test_row_board_and_curve_point_at_the_same_move(lab: Lab) -> None:
    lab.run()
    table, board = lab.page.panel(MovesTable), lab.page.board_panel.board
    plain = board.grab().toImage()
    QTest.mouseMove(table.viewport(), table.visualRect(table.rows.index(0, MOVE)).center())
    row = table.rows.row(0)
    assert row is not None
    assert lab.model.pointing.move == row.move
    assert [index.row() for index in table.selectionModel().selectedRows()] == [0], "the row is lit, too"
    assert board.shown.line == row.stats.principal_variation
    assert [move.text for move in board.shown.line] == lab.column(LINE)[0].split()
    assert board.grab().toImage() != plain
    lab.desk.leave()
    assert lab.model.pointing.move is None
    assert board.shown.line == ()
    assert not table.selectionModel().selectedRows()

    # Pointing at the board lights up curve and row.
    move = board.position.parse_move("2-3")
    QTest.mouseMove(board, board.move_point(move).toPoint())
    assert lab.model.pointing.move == move
    plot = lab.page.views.panes[0].plot
    assert plot.curve(move).pen.widthF() > 2  # type: ignore[union-attr]
    assert selected_moves(lab) == ["2-3"]
    lab.desk.leave()
    assert lab.model.pointing.move is None
    assert plot.curve(move).pen.widthF() < 2  # type: ignore[union-attr]
    assert selected_moves(lab) == [], "nothing is pointed at any more"

    # The row that has the keyboard is lit when nothing else is pointed at.
    table.setFocus()
    lab.desk.press(K.Key_Down)
    own = lab.column(MOVE)[table.currentIndex().row()]
    assert selected_moves(lab) == [own]
    other = next(move for move in board.position.legal_moves if move.text != own.split()[0])
    QTest.mouseMove(board, board.move_point(other).toPoint())
    assert [text.split()[0] for text in selected_moves(lab)] == [other.text]
    lab.desk.leave()
    assert selected_moves(lab) == [own]
    lab.page.scrubber.slider.setFocus()
    assert selected_moves(lab) == []
    table.setFocus()
    assert selected_moves(lab) == [own]


def selected_moves(lab: Lab) -> list[str]:
    return [lab.column(MOVE)[index.row()] for index in lab.page.panel(MovesTable).selectionModel().selectedRows()]


# Positions


def test_a_click_on_the_board_goes_to_the_position_after_it(lab: Lab) -> None:
    board = lab.page.board_panel.board
    move = board.position.parse_move("1-2")
    QTest.mouseClick(board, LEFT, pos=board.move_point(move).toPoint())
    assert lab.model.place.position.text == "nim:3,4,5 1-2"
    assert lab.page.position_bar.text.text() == "nim:3,4,5 1-2"
    lab.act["lab_parent"].trigger()
    assert lab.model.place.position.text == "nim:3,4,5"
    lab.act["lab_back"].trigger()
    assert lab.model.place.position.text == "nim:3,4,5 1-2"


def test_a_position_is_typed_copied_and_pasted(lab: Lab) -> None:
    bar = lab.page.position_bar
    lab.desk.type_into(bar.text, "mnk:3,3,3 b2")
    assert lab.model.place.position.text == "mnk:3,3,3 b2"
    lab.desk.type_into(bar.text, "mnk:3,3,21")
    assert "(k) is 21" in bar.problem.text()
    assert bar.problem.width() > bar.text.width(), "a sentence has the whole width"
    assert lab.model.place.position.text == "mnk:3,3,3 b2"
    lab.desk.press(K.Key_Tab)
    assert bar.text.text() == "mnk:3,3,3 b2", "what is not studied does not stay"
    assert not bar.problem.isVisible()
    lab.desk.type_into(bar.text, "rubbish")
    lab.desk.press(K.Key_Escape)
    assert bar.text.text() == "mnk:3,3,3 b2"
    assert bar.text.selectedText() == "mnk:3,3,3 b2"
    lab.page.board_panel.board.setFocus()
    lab.act["copy"].trigger()
    assert QGuiApplication.clipboard().text() == "mnk:3,3,3 b2"
    QGuiApplication.clipboard().setText("nim:1,2 3")
    lab.act["paste"].trigger()
    assert lab.window.status.currentMessage().startswith("Nothing was pasted. ")
    QGuiApplication.clipboard().setText("nim:1,2")
    lab.act["paste"].trigger()
    assert lab.model.place.position.text == "nim:1,2"
    assert not lab.window.status.currentMessage()


def marks(dialog: PositionEditor) -> MarksForm:
    form = dialog.tabs.form
    assert isinstance(form, MarksForm)
    return form


def test_marks_are_put_and_taken_away_with_checks(lab: Lab) -> None:
    lab.model.place.go_to(parse_position("mnk:3,3,3 b2"))

    def edit(dialog: object) -> None:
        assert isinstance(dialog, PositionEditor)
        board, corner = marks(dialog).board, marks(dialog).board.cell_rect(MnkMove(0, 0)).center()
        QTest.mouseClick(board.viewport(), LEFT, pos=corner)
        assert board.marks()[MnkMove(0, 0)] is Side.FIRST
        assert "2 X and 0 O" in dialog.problem.text()
        assert not dialog.ok.isEnabled()
        QTest.mouseClick(board.viewport(), LEFT, pos=corner)
        assert dialog.words.text() == "Tic-tac-toe. X to move."
        QTest.mouseClick(dialog.ok, LEFT)

    lab.desk.in_dialog(lab.act["lab_edit"].trigger, edit)
    assert lab.model.place.position == parse_position("mnk:3,3,3 b2 a1")


def test_the_board_of_the_editor_stays_where_it_is_while_marks_come_and_go(lab: Lab) -> None:
    """Or a second press would meet another cell."""
    lab.model.place.go_to(parse_position("mnk:3,3,3 b2"))

    def edit(dialog: object) -> None:
        assert isinstance(dialog, PositionEditor)
        board, place = marks(dialog).board, marks(dialog).board.cell_rect(MnkMove(2, 2)).center()
        before = board.mapToGlobal(QPoint()), dialog.size()
        for problem in (True, False, False, True):
            QTest.mouseClick(board.viewport(), LEFT, pos=place)
            QApplication.processEvents()
            assert bool(dialog.problem.isVisible()) is problem
            assert (board.mapToGlobal(QPoint()), dialog.size()) == before
        dialog.reject()

    lab.desk.in_dialog(lab.act["lab_edit"].trigger, edit)


def test_arrows_lead_over_the_board_of_the_editor(lab: Lab) -> None:
    lab.model.place.go_to(parse_position("mnk:4,3,3"))

    def edit(dialog: object) -> None:
        assert isinstance(dialog, PositionEditor)
        board = marks(dialog).board
        QTest.mouseClick(board.viewport(), LEFT, pos=board.cell_rect(MnkMove(1, 1)).center())
        assert board.hasFocus()
        lab.desk.press(K.Key_Delete)
        seen = []
        for key in (K.Key_Up, K.Key_Up, K.Key_Right, K.Key_Down, K.Key_Down, K.Key_Left, K.Key_Left, K.Key_Left):
            lab.desk.press(key)
            seen.append(board.cell.text)
        assert seen == ["b3", "b3", "c3", "c2", "c1", "b1", "a1", "a1"]
        assert board.accessibleDescription() == "a1, empty"
        for key in (K.Key_X, K.Key_Right, K.Key_O):
            lab.desk.press(key)
        assert board.marks() == {MnkMove(0, 0): Side.FIRST, MnkMove(1, 0): Side.SECOND}
        assert board.accessibleDescription() == "b1, O"
        lab.desk.press(K.Key_Space, K.Key_Left, K.Key_Backspace, K.Key_Space, K.Key_Space)
        assert board.marks() == {MnkMove(0, 0): Side.SECOND}

    lab.desk.in_dialog(lab.act["lab_edit"].trigger, edit)


def test_a_board_of_the_editor_that_changes_its_size_keeps_the_marks_that_fit(lab: Lab) -> None:
    lab.model.place.go_to(parse_position("mnk:5,4,3 a1 e4 c2"))

    def edit(dialog: object) -> None:
        assert isinstance(dialog, PositionEditor)
        board = marks(dialog).board
        at_end = board.cell_rect(MnkMove(4, 3))
        assert board.viewport().rect().contains(at_end)
        QTest.mouseClick(board.viewport(), LEFT, pos=at_end.topRight())
        assert board.cell == MnkMove(4, 3)
        assert board.marks() == {MnkMove(0, 0): Side.FIRST, MnkMove(2, 1): Side.FIRST}
        marks(dialog).size_form.m.setValue(3)
        assert board.cell == MnkMove(2, 3)
        marks(dialog).size_form.n.setValue(1)
        marks(dialog).size_form.n.setValue(4)
        assert board.marks() == {MnkMove(0, 0): Side.FIRST}
        assert dialog.ok.isEnabled()
        QTest.mouseClick(board.viewport(), LEFT, pos=board.cell_rect(MnkMove(1, 3)).center())
        QTest.mouseClick(board.viewport(), LEFT, pos=board.cell_rect(MnkMove(1, 3)).center())
        QTest.mouseClick(dialog.ok, LEFT)

    lab.desk.in_dialog(lab.act["lab_edit"].trigger, edit)
    assert lab.model.place.position == parse_position("mnk:3,4,3 a1 b4")


def test_the_editor_paints_each_mark_in_its_cell(lab: Lab) -> None:
    lab.model.place.go_to(parse_position("mnk:4,3,3 d3 a1"))

    def edit(dialog: object) -> None:
        assert isinstance(dialog, PositionEditor)
        board = marks(dialog).board
        picture = board.viewport().grab().toImage()
        for column in range(4):
            for row in range(3):
                rect = board.cell_rect(MnkMove(column, row)).adjusted(3, 3, -3, -3)
                colors = {
                    picture.pixel(x, y)
                    for x in range(rect.left(), rect.right())
                    for y in range(rect.top(), rect.bottom())
                }
                assert (len(colors) > 1) == ((column, row) in ((3, 2), (0, 0))), (column, row)

    lab.desk.in_dialog(lab.act["lab_edit"].trigger, edit)


def test_piles_are_set_up(lab: Lab) -> None:
    def edit(dialog: object) -> None:
        assert isinstance(dialog, PositionEditor)
        form = dialog.tabs.form
        assert isinstance(form, CountedPiles)
        assert [box.value() for box in form.piles[:4]] == [3, 4, 5, 0]
        form.piles[3].setValue(9)
        form.misere.setChecked(True)
        QTest.mouseClick(dialog.ok, LEFT)

    lab.desk.in_dialog(lab.act["lab_edit"].trigger, edit)
    assert lab.model.place.position.text == "nim:3,4,5,9:misere"


# Agents


def test_agents_are_added_focused_and_removed(lab: Lab) -> None:
    lab.act["lab_add"].trigger()
    lab.act["lab_add"].trigger()
    rows = lab.page.agents.rows
    assert [row.isVisible() for row in rows] == [True, True, True]
    assert len({each.agent.name for each in lab.model.agents.studied}) == 3
    QTest.mouseClick(rows[0].letter, LEFT)
    assert lab.model.agents.focus == 0
    assert [row.letter.isChecked() for row in rows] == [True, False, False]
    QTest.mouseClick(rows[1].remove, LEFT)
    assert len(lab.model.agents.studied) == 2
    assert [row.isVisible() for row in rows] == [True, True, False]
    lab.act["lab_add"].trigger()
    lab.act["lab_add"].trigger()
    assert not lab.act["lab_add"].isEnabled()


def test_an_agent_that_draws_no_random_numbers_has_no_seed_to_set(lab: Lab) -> None:
    row = lab.page.agents.rows[0]
    assert row.seed.isVisible()
    lab.model.agents.set_agent(0, new_agent("alphabeta"))
    assert not row.seed.isVisible()
    assert "Seed" not in [each.text() for each in row.findChildren(QLabel) if each.isVisible()]
    lab.model.agents.set_agent(0, new_agent("mcts"))
    assert row.seed.isVisible()


def test_the_plot_opens_on_what_the_agent_chooses_by_unless_another_view_was_chosen(lab: Lab) -> None:
    first = lab.page.views.panes[0]
    lab.run(300)
    assert first.view is View.SHARE
    lab.model.agents.set_agent(0, new_agent("flat"))
    assert first.view is View.MEAN
    lab.run(300)
    assert " with a mean value of 0." in lab.page.model.shown.sentence
    lab.page.restore({"views": ["share", "optimal"]})
    assert first.view is View.MEAN, "as most settings have it, which is no choice"
    lab.page.restore(lab.page.remember())
    lab.model.agents.set_agent(0, new_agent("uct"))
    assert first.view is View.SHARE
    first.choice.setCurrentIndex(first.choice.findData(View.VISITS.key))
    first.choice.activated.emit(first.choice.currentIndex())
    lab.model.agents.set_agent(0, new_agent("flat"))
    assert first.view is View.VISITS
    lab.page.restore(lab.page.remember())
    assert first.view is View.VISITS


def test_a_wrong_seed_is_said_at_its_field(lab: Lab) -> None:
    row = lab.page.agents.rows[0]
    lab.desk.type_into(row.seed, "-1")
    assert "Seed is" in row.problem.text()
    assert row.problem.isVisible()
    lab.desk.type_into(row.seed, "5")
    assert lab.model.agents.studied[0].seed == 5
    assert not row.problem.isVisible()


def test_a_search_can_be_started_over_while_it_runs(lab: Lab) -> None:
    lab.model.searches.set_limit(None)
    lab.act["lab_run"].trigger()
    assert not lab.act["lab_over"].isEnabled(), "there is nothing to forget yet"
    lab.desk.wait(lab.act["lab_over"].isEnabled)
    assert lab.model.searches.running
    lab.act["lab_over"].trigger()
    lab.desk.wait(lambda: not lab.model.searches.running)
    assert lab.model.searches.focused.snapshot is None
    assert lab.act["lab_run"].text() == "&Run"
    assert not lab.act["lab_over"].isEnabled()


def test_the_keyboard_goes_from_run_to_stop_and_back(lab: Lab) -> None:
    run, stop = lab.page.run_bar.run_button, lab.page.run_bar.stop_button
    lab.model.searches.set_limit(None)
    run.setFocus()
    lab.desk.press(K.Key_Space)
    assert stop.hasFocus()
    lab.desk.press(K.Key_Space)
    lab.desk.wait(run.hasFocus)


def test_leaving_the_page_lets_the_search_rest(lab: Lab) -> None:
    lab.model.searches.set_limit(None)
    lab.act["lab_run"].trigger()
    lab.desk.wait(lambda: lab.model.searches.focused.snapshot is not None)
    assert lab.act["lab_stop"].isEnabled()
    lab.window.modes.show_mode(PLAY)
    assert not lab.model.searches.running
    lab.desk.wait(lambda: lab.model.searches.focused.snapshot.stopped is StopReason.STOPPED)  # type: ignore[union-attr]


def test_dark_reaches_every_part(lab: Lab) -> None:
    lab.run(200)
    light = lab.page.grab().toImage()
    lab.desk.session.preferences.change(theme="dark")
    lab.desk.wait(lambda: DARK.error in lab.page.styleSheet())
    dark = lab.page.grab().toImage()
    for x, y in ((light.width() - 40, light.height() - 30), (light.width() // 2 + 60, 160)):
        assert light.pixelColor(x, y).lightness() > 150
        assert dark.pixelColor(x, y).lightness() < 110


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("uct", {}),
        ("uct", {"exploration": 0.5, "log_n": "root"}),
        ("mcts", {}),
        ("variants", {}),
        ("variants", {"rewards": "two"}),
    ],
)
@pytest.mark.parametrize("iterations", [12, 60])
def test_the_bound_is_the_one_the_search_compares(name: str, options: dict[str, Any], iterations: int) -> None:
    agent = make_agent(name, options)
    searcher = agent.new_searcher()
    searcher.start(parse_position("nim:3,4,5"), 1)
    searcher.advance(Limit(iterations=iterations))
    rows = Rows(searcher.snapshot(), None, agent.bound(parse_position("nim:3,4,5").game))
    assert isinstance(searcher, TreeView)
    root = searcher.family(())
    assert root is not None
    compared = {branch.move: branch.bound for branch in root.branches if branch.proven is None}
    assert {row.move: pytest.approx(row.bound) for row in rows if row.bound is not None} == compared
    settled = [row for row in rows if row.stats.proven is not None]
    assert bool(settled) == (name == "mcts" and iterations == 60)
    assert all(row.bound is None for row in settled)


def test_what_the_search_has_come_to_is_read_out_when_it_rests_and_at_each_moment(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr("nimdesk.ui.laboratory.page.announce", lambda _widget, words: said.append(words))
    lab.run(5_000)
    lab.desk.wait(lambda: bool(said))
    assert said == [lab.page.model.shown.sentence]
    assert "the leader changed" in said[0]
    assert said[0].endswith(("The leader is optimal.", "wins."))
    lab.act["lab_change_before"].trigger()
    lab.desk.wait(lambda: len(said) > 1)
    assert said[1:] == [lab.page.model.shown.sentence]
    assert said[1] != said[0]


def test_tab_goes_as_the_eye_does(lab: Lab) -> None:
    lab.act["lab_two"].trigger()
    lab.model.agents.add()
    lab.run(300)
    page = lab.page
    first, second = page.agents.rows[:2]
    wanted = [first.letter, first.choice, first.options, first.remove, first.seed, second.letter, second.choice]
    wanted += [second.options, second.remove, second.seed, *page.agents.below]
    for pane in page.views.panes:
        wanted += [pane.choice]
        wanted += [button for button in pane.children() if isinstance(button, QToolButton) and button.isEnabled()]
        wanted += [pane.plot]
        # The zoom is there where the shares are small enough for it.
        wanted += [button for button in pane.plot.findChildren(QAbstractButton) if button.isVisible()]
    wanted += [page.scrubber.findChildren(QToolButton)[0]]
    first.letter.setFocus()
    seen = []
    for _ in wanted:
        seen.append(QApplication.focusWidget())
        lab.desk.press(K.Key_Tab)
    assert seen == wanted


def test_the_values_at_the_cross_hair_are_read_out(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr("nimdesk.ui.plots.canvas.announce", lambda _widget, words: said.append(words))
    lab.run(100)
    plot = lab.page.views.panes[0].plot
    assert plot.accessibleDescription().endswith(lab.page.model.shown.sentence)
    plot.setFocus()
    lab.desk.press(K.Key_Home, K.Key_Right)
    assert len(said) == 2
    snapshot = lab.model.searches.focused.snapshot
    assert snapshot is not None
    assert snapshot.trace is not None
    leader = snapshot.trace.moves[int(snapshot.trace.visits[1].argmax())]
    assert said[1].startswith("iteration 2; ")
    assert f"; {leader.text} 1 50.0% " in said[1]
    assert "<" not in said[1]


def test_the_row_of_a_move_pointed_at_elsewhere_comes_into_sight_and_goes_again(lab: Lab) -> None:
    lab.model.place.go_to(parse_position("mnk:7,7,5"))
    lab.run(300)
    table, board = lab.page.panel(MovesTable), lab.page.board_panel.board
    last = table.rows.row(table.rows.rowCount() - 1)
    assert last is not None
    lab.desk.wait(lambda: table.verticalScrollBar().maximum() > 30)
    table.verticalScrollBar().setValue(30)
    QTest.mouseMove(board, board.move_point(last.move).toPoint())
    assert lab.model.pointing.move == last.move
    place = table.rows.place_of(last.move)
    assert place is not None
    assert table.viewport().rect().contains(table.visualRect(table.rows.index(place, MOVE)).center())
    lab.desk.leave()
    assert table.verticalScrollBar().value() == 30


def test_scrolling_under_a_resting_mouse_points_at_the_row_that_comes(lab: Lab) -> None:
    lab.model.place.go_to(parse_position("mnk:7,7,5"))
    lab.run(300)
    table = lab.page.panel(MovesTable)
    place = table.visualRect(table.rows.index(1, MOVE)).center()
    QCursor.setPos(table.viewport().mapToGlobal(place))
    QTest.mouseMove(table.viewport(), place)
    first = lab.model.pointing.move
    assert first is not None
    table.verticalScrollBar().setValue(5 * table.rowHeight(0))
    row = table.rows.row(6)
    assert row is not None
    assert lab.model.pointing.move == row.move != first
