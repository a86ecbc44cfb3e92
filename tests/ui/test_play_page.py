"""The Play page: how it divides its room, what the cards say, and how one gets about in it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from desk import CTRL, ENDLESS, HUMAN, LEFT, RANDOM, Desk, K, OpenDesk, mcts
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QImage, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QWidget

from nimdesk.agents import make_agent
from nimdesk.games import Side, parse_position
from nimdesk.play.moment import State
from nimdesk.search.timeline import trace_csv
from nimdesk.ui.look.actions import ACTIONS
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.shell.palette import Palette


def resize(desk: Desk, width: int, height: int) -> None:
    desk.window.resize(width, height)
    QApplication.processEvents()
    QApplication.processEvents()


def share(desk: Desk, part: QWidget) -> float:
    """The part of the window that this widget has."""
    return part.width() * part.height() / (desk.window.width() * desk.window.height())


def wheel(widget: QWidget, steps: int) -> None:
    middle, none = widget.rect().center(), Qt.KeyboardModifier.NoModifier
    turn = QPoint(0, 120 * steps)
    buttons, phase = Qt.MouseButton.NoButton, Qt.ScrollPhase.NoScrollPhase
    QApplication.sendEvent(
        widget, QWheelEvent(middle, widget.mapToGlobal(middle), QPoint(), turn, buttons, none, phase, False)
    )


# Room


@pytest.mark.parametrize("position", ["mnk:15,15,5", "mnk:7,6,4:gravity"])
@pytest.mark.parametrize(
    ("size", "board", "plot"),
    [((800, 600), 0.28, 0.25), ((1024, 700), 0.32, 0.15), ((1280, 860), 0.34, 0.18), ((2560, 1440), 0.40, 0.20)],
)
def test_board_and_plot_fill_the_window(
    open_desk: OpenDesk, position: str, size: tuple[int, int], board: float, plot: float
) -> None:
    desk = open_desk(position)
    resize(desk, *size)
    assert (desk.window.width(), desk.window.height()) == size
    assert share(desk, desk.board) >= board
    assert share(desk, desk.window.plots) >= plot


def test_a_15_by_15_board_has_three_tenths_of_the_usual_window(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:15,15,5")
    resize(desk, 1280, 860)
    first, last = desk.point("a1"), desk.point("o15")
    cell = (last.x() - first.x()) / 14
    assert (15 * cell) ** 2 >= 0.30 * 1280 * 860, "the cells alone, without their letters and numbers"


def test_the_halves_keep_their_shares(desk: Desk) -> None:
    resize(desk, 1280, 860)
    halves = desk.window.page.halves
    before = halves.sizes()[0] / sum(halves.sizes())
    assert abs(before - 0.54) < 0.01
    handle = halves.handle(1)
    QTest.mousePress(handle, LEFT, pos=handle.rect().center())
    QTest.mouseMove(handle, handle.rect().center() + QPoint(-100, 0))
    QTest.mouseRelease(handle, LEFT, pos=handle.rect().center() + QPoint(-100, 0))
    moved = halves.sizes()[0] / sum(halves.sizes())
    assert moved < before - 0.05
    for width in (2000, 1000, 1500):
        resize(desk, width, 860)
        assert abs(halves.sizes()[0] / sum(halves.sizes()) - moved) < 0.01


def test_a_narrow_window_has_the_plot_among_the_tabs(desk: Desk) -> None:
    tabs = desk.window.page.tabs
    assert [tabs.tabText(index) for index in range(tabs.count())][:2] == ["Moves", "Lines"]
    resize(desk, 800, 600)
    assert [tabs.tabText(index) for index in range(tabs.count())][:3] == ["Plot", "Moves", "Lines"]
    assert desk.window.plots.isVisible()
    resize(desk, 1280, 860)
    assert tabs.tabText(0) == "Moves"
    assert desk.window.plots.isVisible()
    assert desk.window.game_tab.isVisible()


def test_the_window_fits_a_small_screen(desk: Desk) -> None:
    least = desk.window.minimumSizeHint()
    assert least.width() <= 800
    assert least.height() <= 540, "also at a scale of 1.5 on 1280 x 860, with a title bar"


# The players' cards


def test_the_person_sits_below_and_is_told_whose_turn_it_is(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:3,3,3", mcts(300), HUMAN)
    desk.wait_for(State.HUMAN)
    above, below = desk.window.column.above.words, desk.window.column.below.words
    assert (below.name, below.state, below.active) == ("You", "Your turn", True)
    assert above.name == "MCTS, textbook"
    assert "300 simulations a move" in above.about
    assert above.state.startswith("300 simulations")
    assert not above.active


def test_a_search_under_way_shows_its_figures_and_the_budget_used(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:15,15,5", ENDLESS, HUMAN)
    desk.wait_for_snapshot()
    card = desk.window.column.card(Side.FIRST)
    desk.wait(lambda: "simulations · " in card.words.state)
    assert card.words.state.endswith("/s")
    used = card.words.used
    assert used is not None
    desk.wait(lambda: (card.words.used or 0) > used)


def test_a_card_says_that_slow_motion_comes_on_top_of_the_seconds(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:15,15,5", mcts(None, time_s=0.3), HUMAN, slow_motion_s=10.0)
    card = desk.window.column.card(Side.FIRST)
    assert "0.3 s a move + 10 s in slow motion" in card.words.about
    desk.wait(
        lambda: (
            card.words.state.endswith("simulations · slow motion") or card.words.state == "1 simulation · slow motion"
        )
    )
    assert (card.words.used or 0.0) < 0.9, "most of it is to come, slow motion included"
    desk.window.actions_by_name["slow_motion"].trigger()
    assert "10 s in slow motion" in card.words.about, "the search under way is what it was"
    desk.button("move_now")
    desk.wait_for(State.HUMAN)
    assert card.words.about == "Black · 0.3 s a move · c 1.41"
    desk.controller.set_player(Side.SECOND, make_agent("deepening", {"time_s": 5.0}))
    desk.window.actions_by_name["slow_motion"].trigger()
    assert "slow motion" not in desk.window.column.card(Side.SECOND).words.about, "it does no simulations"


def test_an_agent_that_does_not_sample_shows_time_and_nodes(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:15,15,5", make_agent("alphabeta", {"depth": 6}), HUMAN)
    card = desk.window.column.card(Side.FIRST)
    desk.wait(lambda: " s · " in card.words.state)
    assert "nodes" in card.words.state
    assert card.words.used is not None


def test_the_only_move_there_is_has_no_share_but_is_called_forced(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:3,3,3 a1 b1 c1 a2 c2 b2 a3 c3", mcts(None, time_s=60.0), HUMAN)
    desk.wait_for(State.OVER)
    assert desk.listed[-1][2:4] == ("b3", "forced")


def test_the_row_shows_what_applies(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:15,15,5", HUMAN, ENDLESS)
    row = desk.window.column.row
    assert row.button("suggest").isVisible()
    assert not row.button("move_now").isVisible()
    desk.click("h8")
    desk.wait_for_snapshot()
    assert row.button("move_now").isVisible()
    assert row.button("pause").isVisible()
    assert not row.button("suggest").isVisible()
    desk.button("move_now")
    desk.wait_for(State.HUMAN)
    assert not row.button("move_now").isVisible()


def test_to_take_back_and_to_play_it_again_moves_no_button(open_desk: OpenDesk) -> None:
    desk = open_desk("nim:3,4,5")
    desk.click("1-1", "2-1")
    row = desk.window.column.row
    QApplication.processEvents()
    before = {name: row.button(name).geometry() for name in ("undo", "redo", "suggest", "truth", "restart", "swap")}
    for name in ("undo", "undo", "redo", "redo"):
        desk.button(name)
        QApplication.processEvents()
        assert {each: row.button(each).geometry() for each in before} == before, name


def test_the_card_of_a_computer_that_waits_does_not_claim_a_hint_by_the_same_agent_with_other_options(
    open_desk: OpenDesk,
) -> None:
    desk = open_desk("nim:3,4,5", HUMAN, mcts(None, time_s=60.0), suggest=mcts(500).to_json())
    desk.click("1-1")
    desk.wait_for_snapshot()
    desk.button("pause")
    desk.wait_for(State.PAUSED)
    desk.press(K.Key_F2)
    desk.wait(lambda: desk.controller.suggestion is not None)
    assert desk.panel.searched is not None
    assert desk.panel.searched.iterations == 500
    held = desk.controller.thinking.held
    assert held is not None
    assert desk.window.column.card(Side.SECOND).words.state.startswith(f"Paused · {held.iterations:,} simulations")


def test_the_bar_beside_the_board_shows_who_is_better(open_desk: OpenDesk) -> None:
    desk = open_desk("nim:1,2", HUMAN, mcts(200))
    bar = desk.window.column.evaluation
    assert bar.score is None
    desk.click("2-2")
    desk.wait_for(State.OVER)
    assert (bar.score, bar.exact) == (0.0, True)
    assert bar.toolTip()


def test_the_bar_is_exact_where_truth_is_shown(open_desk: OpenDesk) -> None:
    desk = open_desk("nim:3,4,5")
    bar = desk.window.column.evaluation
    assert bar.score is None
    desk.button("truth")
    desk.wait(lambda: bar.exact)
    assert bar.score == 1.0
    assert "proven" in bar.toolTip()


@pytest.mark.parametrize(
    ("position", "roles"),
    [
        ("mnk:3,3,3", ("first", "second")),
        ("mnk:7,6,4:gravity", ("disc_first", "disc_second")),
        ("mnk:15,15,5", ("stone_first", "stone_second")),
    ],
)
def test_cards_and_bar_wear_the_colours_of_the_pieces(
    open_desk: OpenDesk, position: str, roles: tuple[str, str]
) -> None:
    desk = open_desk("nim:3,4,5", HUMAN, RANDOM)
    desk.session.games.start(parse_position(position))
    color = desk.window.column.evaluation.side_color
    assert color is not None
    assert [color(side).name() for side in Side] == [LOOK.theme.color(role).name() for role in roles]
    desk.window.column.below.grab()


def test_cards_show_the_pieces_of_a_new_game_on_the_same_board(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:7,6,4:gravity", HUMAN, HUMAN)
    board, card = desk.board, desk.window.column.below
    card.grab()
    desk.session.games.start(parse_position("mnk:15,15,5"))
    assert desk.board is board
    shown = card.grab().toImage()
    card.set_piece(board.art.paint_side)
    assert shown == card.grab().toImage()


# Getting about


def test_the_wheel_over_the_board_steps_through_the_moves(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:3,3,3 a1 b2 c1")
    # What a wheel sends to the board goes on to the column; what a test sends does not.
    wheel(desk.window.column, 1)
    wheel(desk.window.column, 1)
    assert desk.controller.game.cursor == 1
    wheel(desk.window.column, -1)
    assert desk.controller.game.cursor == 2


def test_arrows_step_through_a_finished_game_until_enter_asks_for_the_cursor(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:3,3,3 a1 b2 c1 b1 a3 b3")
    desk.board.setFocus()
    desk.press(K.Key_Left, K.Key_Left)
    assert desk.controller.game.cursor == 4
    desk.press(K.Key_Return)
    assert desk.board.cursor_shown
    desk.press(K.Key_Left)
    assert desk.controller.game.cursor == 4


@pytest.mark.qt_log_ignore(r"raise\(\)|grabbing", extend=True)  # what the offscreen platform says to a menu
@pytest.mark.parametrize("part", ["place", "above"])
def test_a_right_press_opens_what_can_be_done_there(open_desk: OpenDesk, part: str) -> None:
    desk = open_desk("mnk:3,3,3 a1", HUMAN, HUMAN)
    widget: QWidget = getattr(desk.window.column, part)
    widget.customContextMenuRequested.emit(QPoint(20, 20))
    menu = QApplication.activePopupWidget()
    assert menu is not None
    texts = [action.text() for action in menu.actions() if not action.isSeparator()]
    assert texts
    assert all(action.isEnabled() for action in menu.actions())
    together = [action.text() for action in menu.actions()][:2]
    menu.close()
    assert ("Copy as pic&ture" in texts) == (part == "place")
    assert (together == ["Save as picture…", "Copy as pic&ture"]) == (part == "place")


def test_board_and_plot_are_copied_as_pictures(desk: Desk) -> None:
    desk.board.setFocus()
    desk.press((K.Key_C, CTRL | Qt.KeyboardModifier.ShiftModifier))
    assert QGuiApplication.clipboard().pixmap().width() == desk.board.width()
    desk.session.context_menus.copy_plot()
    assert QGuiApplication.clipboard().pixmap().size() == desk.window.plots.size()


def test_the_plot_is_saved_as_a_picture_and_as_its_numbers(
    open_desk: OpenDesk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = open_desk("mnk:3,3,3", HUMAN, mcts(50))
    menus, chosen = desk.session.context_menus, iter(["plot.png", "none.csv", "search.csv"])
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / next(chosen)), ""))
    menus.save_plot()
    picture = QImage(str(tmp_path / "plot.png"))
    assert picture.width() >= desk.window.plots.width()
    menus.save_numbers()
    assert "no search here" in desk.window.status.currentMessage()
    next(chosen)
    desk.click("b2")
    desk.wait_for(State.HUMAN)
    menus.save_numbers()
    searched = desk.controller.game.plies[1].snapshot
    assert searched is not None
    assert (tmp_path / "search.csv").read_text() == trace_csv(searched)
    made = json.loads((tmp_path / "search.csv.made.json").read_text())
    assert (made["position"], made["agent"], made["seed"]) == (searched.position.text, "uct", searched.seed)
    assert sorted(path.name for path in tmp_path.glob("*.csv")) == ["search.csv"]


def test_any_command_is_found_by_a_few_letters(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:3,3,3 a1 b2")

    def act(dialog: QDialog) -> None:
        assert isinstance(dialog, Palette)
        QTest.keyClicks(dialog.search, "rematch")
        QTest.keyClick(dialog.search, K.Key_Return)

    desk.in_dialog(lambda: desk.press((K.Key_K, CTRL)), act)
    assert desk.controller.game.cursor == 0
    assert not desk.moves


def test_the_palette_lists_every_command_of_the_page_with_its_key(desk: Desk) -> None:
    def act(dialog: QDialog) -> None:
        assert isinstance(dialog, Palette)
        rows = [dialog.list.topLevelItem(index) for index in range(dialog.list.topLevelItemCount())]
        keys = {row.text(0): row.text(2) for row in rows}
        assert keys["New game"] == "Ctrl+N"
        assert keys["Truth"] == "Ctrl+T"
        assert keys["Presenter mode"] == "F11"
        assert keys["Players"] == "Ctrl+E"
        assert "On the board" in keys
        QTest.keyClicks(dialog.search, "no such command")
        QTest.keyClick(dialog.search, K.Key_Return)
        assert dialog.isVisible()

    desk.in_dialog(lambda: desk.press((K.Key_K, CTRL)), act)


def test_where_the_screen_is_large_no_sentence_of_a_command_is_cut_off(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nimdesk.ui.shell.palette.open_with", QDialog.resize)
    told = {spec.tip for spec in ACTIONS if ". " not in spec.tip}

    def act(dialog: QDialog) -> None:
        assert isinstance(dialog, Palette)
        QApplication.processEvents()
        commands, room = dialog.list, dialog.list.columnWidth(1)
        rows = [commands.model().index(row, 1).data() for row in range(commands.topLevelItemCount())]
        wide = [words for words in rows if commands.fontMetrics().horizontalAdvance(words) > room]
        assert not told & set(wide)
        dialog.reject()

    desk.in_dialog(lambda: desk.press((K.Key_K, CTRL)), act)


def test_the_size_of_text_is_changed_and_remembered(desk: Desk, qapp: QApplication) -> None:
    before = qapp.font().pointSizeF()
    for _ in range(2):
        desk.window.actions_by_name["larger_text"].trigger()
    desk.wait(lambda: abs(qapp.font().pointSizeF() / before - 1.25) < 0.01)
    desk.wait(lambda: abs(desk.window.column.row.font().pointSizeF() / before - 1.25) < 0.01)
    assert desk.session.preferences.now.text_percent == 125
    desk.press((K.Key_0, CTRL))
    desk.wait(lambda: qapp.font().pointSizeF() == before)


def test_the_menu_shows_whether_truth_is_on(desk: Desk) -> None:
    truth = desk.window.actions_by_name["truth"]
    assert truth.isCheckable()
    assert not truth.isIconVisibleInMenu(), "an icon would stand where the check mark belongs"


def test_a_listing_is_offered_where_there_is_one(open_desk: OpenDesk) -> None:
    desk = open_desk("nim:1,2", HUMAN, make_agent("minimax"))
    assert desk.enabled("listing") == [False]
    desk.click("2-1")
    desk.wait_for(State.HUMAN)
    assert desk.enabled("listing") == [True]


def test_the_clock_of_a_turn_stands_while_other_moves_are_looked_at(
    open_desk: OpenDesk,
) -> None:
    desk = open_desk("nim:2,1")
    controller = desk.session.controller
    clock = controller.game.clock
    desk.click("1-1")
    turn = controller.game.node
    assert clock.runs
    controller.jump(0)
    assert not clock.runs
    used = clock.used_s(turn)
    controller.jump(1)
    assert clock.runs
    assert clock.used_s(turn) >= used
    desk.click("1-1")
    desk.click("2-1")
    desk.wait_for(State.OVER)
    assert not clock.runs
