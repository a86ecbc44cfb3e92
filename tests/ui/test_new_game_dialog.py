"""New games: a tile for each well-known one, everything else typed with checks, pasted or copied."""

from collections.abc import Callable
from functools import partial

import pytest
from desk import CTRL, ENDLESS, HUMAN, Desk, K, OpenDesk, mcts
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QPushButton, QWidget

from nimdesk.games import Preset, Side, parse_position, presets
from nimdesk.play.moment import State
from nimdesk.ui.boards.nim.setup import TypedPiles
from nimdesk.ui.look.actions import EXPERIMENTS, LABORATORY
from nimdesk.ui.play.new_game import GameTile, NewGameSheet

Act = Callable[[NewGameSheet], object]
LEFT = Qt.MouseButton.LeftButton


def ask(desk: Desk, act: Act) -> None:
    """Open the sheet with its key and do this in it."""
    desk.in_dialog(desk.window.actions_by_name["new_game"].trigger, act)  # type: ignore[arg-type]


def press_button(sheet: NewGameSheet, text: str) -> None:
    (button,) = (each for each in sheet.findChildren(QPushButton) if each.text() == text)
    QTest.mouseClick(button, LEFT)


def tile(sheet: NewGameSheet, name: str) -> GameTile:
    return next(each for each in sheet.tiles if each.preset.name == name)


def unfold(sheet: NewGameSheet) -> None:
    if not sheet.fold.isChecked():
        QTest.mouseClick(sheet.fold, LEFT)


def choose(sheet: NewGameSheet, place: int, title: str) -> None:
    """Choose an opponent by its name."""
    choice = sheet.opponents[place]
    choice.unfold()
    choice.setCurrentIndex(choice.findText(title))
    assert choice.currentText() == title


def offered(sheet: NewGameSheet) -> list[str]:
    choice = sheet.opponents[0]
    return [choice.itemText(index) for index in range(choice.count())]


def field(sheet: NewGameSheet, name: str) -> QWidget:
    """A field of the form shown."""
    found = getattr(sheet.tabs.form, name)
    assert isinstance(found, QWidget)
    return found


def start(sheet: NewGameSheet) -> None:
    assert sheet.start.isEnabled()
    QTest.mouseClick(sheet.start, LEFT)


def game(desk: Desk) -> str:
    return desk.controller.game.game.text


def test_a_well_known_game_is_a_tile_and_start(desk: Desk) -> None:
    def act(sheet: NewGameSheet, preset: Preset, before: str) -> None:
        QTest.mouseClick(tile(sheet, preset.name), LEFT)
        assert sheet.isVisible(), "nothing is begun by choosing"
        assert game(desk) == before
        start(sheet)

    for preset in presets():
        ask(desk, partial(act, preset=preset, before=game(desk)))
        assert game(desk) == preset.game.text
        assert desk.board.position == preset.game.start()
        assert preset.game.title in desk.window.windowTitle()
        desk.wait(desk.board.hasFocus)


def test_in_the_laboratory_the_sheet_asks_for_a_game_and_no_players(desk: Desk) -> None:
    desk.window.modes.show_mode(LABORATORY)
    before = desk.controller.game

    def act(sheet: NewGameSheet) -> None:
        assert sheet.windowTitle() == "Study another game"
        assert not any(choice.isVisible() for choice in (*sheet.opponents, sheet.seats, sheet.rules, sheet.quiet))
        QTest.mouseClick(tile(sheet, "Connect Four"), LEFT)
        start(sheet)

    ask(desk, act)
    page = desk.session.laboratory.page
    assert page is not None
    assert page.model.place.position == parse_position("mnk:7,6,4:gravity")
    assert desk.controller.game is before


def test_a_well_known_game_is_in_the_menu_too(desk: Desk) -> None:
    menus = {action.text(): action.menu() for action in desk.window.menuBar().actions()}
    (well_known,) = (each.menu() for each in menus["&Game"].actions() if each.text() == "&Well-known games")
    for preset in presets():
        (action,) = (each for each in well_known.actions() if each.text() == preset.name)
        action.trigger()
        assert game(desk) == preset.game.text


def test_the_keyboard_alone_begins_a_game(desk: Desk) -> None:
    def act(sheet: NewGameSheet) -> None:
        first = tile(sheet, "Nim 3-4-5")
        assert first.isChecked(), "it begins with the game that is played"
        assert first.hasFocus()
        QTest.keyClick(first, K.Key_Right)
        QTest.keyClick(sheet.focusWidget(), K.Key_Right)
        assert tile(sheet, "Tic-tac-toe").isChecked()
        QTest.keyClick(sheet.focusWidget(), K.Key_Return)
        assert not sheet.isVisible()

    ask(desk, act)
    assert game(desk) == "mnk:3,3,3"


def test_who_sits_where(desk: Desk) -> None:
    def act(sheet: NewGameSheet, seat: str) -> None:
        QTest.mouseClick(sheet.seats.button(seat), LEFT)
        assert [choice.isVisible() for choice in sheet.opponents] == [seat != "both", seat == "watch"]
        for place in (0, 1):
            choose(sheet, place, "Random")
        start(sheet)

    seats = {"first": [True, False], "second": [False, True], "both": [True, True], "watch": [False, False]}
    for seat, people in seats.items():
        ask(desk, partial(act, seat=seat))
        assert [player == HUMAN for player in desk.controller.game.players] == people


def test_the_opponent_of_now_keeps_its_options(open_desk: OpenDesk) -> None:
    agent = mcts(77, seed=5)
    desk = open_desk("mnk:3,3,3", agent, HUMAN)

    def act(sheet: NewGameSheet) -> None:
        assert sheet.seats.value == "second"
        assert sheet.opponents[0].currentText() == "MCTS, textbook"
        QTest.mouseClick(sheet.seats.button("first"), LEFT)
        start(sheet)

    ask(desk, act)
    assert desk.controller.game.players == (HUMAN, agent)
    assert desk.window.column.below.side is Side.FIRST


def test_levels_come_first_and_only_who_can_play_is_offered(desk: Desk) -> None:
    def act(sheet: NewGameSheet) -> None:
        names = offered(sheet)
        assert names.index("Levels") < names.index("Engines") < names.index("As published ▸")
        assert "Value table" in names
        assert "Flat Monte Carlo, document 004" not in names, "it needs one pile"
        QTest.mouseClick(tile(sheet, "Gomoku"), LEFT)
        names = offered(sheet)
        assert "Value table" not in names
        assert "Minimax" not in names, "its tree is too large"
        assert "MCTS" in names

    ask(desk, act)


def test_a_player_who_cannot_play_the_game_is_told_of_before_start(desk: Desk) -> None:
    def act(sheet: NewGameSheet) -> None:
        QTest.mouseClick(sheet.seats.button("first"), LEFT)
        QTest.mouseClick(tile(sheet, "Tic-tac-toe"), LEFT)
        choose(sheet, 0, "Minimax")
        assert sheet.start.isEnabled()
        QTest.mouseClick(tile(sheet, "Gomoku"), LEFT)
        assert sheet.problem.text() == "Minimax cannot play Gomoku 15 × 15; choose another player."
        assert sheet.problem.isVisible()
        assert not sheet.start.isEnabled()
        choose(sheet, 0, "MCTS")
        assert sheet.start.isEnabled()
        assert not sheet.problem.isVisible()
        QTest.mouseClick(tile(sheet, "Tic-tac-toe"), LEFT)
        choose(sheet, 0, "Minimax")
        QTest.mouseClick(tile(sheet, "Gomoku"), LEFT)
        assert not sheet.start.isEnabled()
        QTest.mouseClick(sheet.seats.button("both"), LEFT)
        assert sheet.start.isEnabled(), "nobody is asked for"

    ask(desk, act)


def test_of_two_computers_it_is_said_by_name_what_each_is(desk: Desk) -> None:
    def act(sheet: NewGameSheet) -> None:
        QTest.mouseClick(sheet.seats.button("watch"), LEFT)
        choose(sheet, 0, "MCTS")
        choose(sheet, 1, "Random")
        assert [line.partition(":")[0] for line in sheet.agent_about.text().splitlines()] == ["MCTS", "Random"]
        choose(sheet, 1, "MCTS")
        assert sheet.agent_about.text().count("MCTS:") == 1

    ask(desk, act)


def test_a_published_opponent_is_named_and_explained(desk: Desk) -> None:
    def act(sheet: NewGameSheet) -> None:
        QTest.mouseClick(sheet.seats.button("first"), LEFT)
        choose(sheet, 0, "MCTS, textbook, document 003")
        assert "document 003" in sheet.agent_about.text()
        start(sheet)

    ask(desk, act)
    assert desk.window.column.above.words.name == "MCTS, textbook, document 003"
    assert desk.choice(1).currentText() == "MCTS, textbook, document 003"


@pytest.mark.parametrize("percent", [100, 150, 200])
def test_every_tile_has_room_for_all_of_its_words(open_desk: OpenDesk, percent: int) -> None:
    desk = open_desk(text_percent=percent)

    def look(dialog: QDialog) -> None:
        assert isinstance(dialog, NewGameSheet)
        for each in dialog.tiles:
            room = QRect(0, 0, each.width() - 22, 1000)
            words = each.fontMetrics().boundingRect(room, Qt.TextFlag.TextWordWrap, each.preset.about)
            name = each.fontMetrics().lineSpacing()
            assert each.height() - words.height() - name > 60, "and for the picture"

    desk.in_dialog(lambda: desk.press((K.Key_N, CTRL)), look)


def test_a_game_of_no_tile_is_shown_by_its_rules(open_desk: OpenDesk) -> None:
    desk = open_desk("nim:2,2,9", HUMAN, mcts(300))

    def act(sheet: NewGameSheet) -> None:
        assert sheet.fold.isChecked()
        assert sheet.seats.value == "first"
        assert "2-2-9" in sheet.about.text()

    ask(desk, act)


def test_a_game_of_nim_is_typed(desk: Desk) -> None:
    def act(sheet: NewGameSheet) -> None:
        unfold(sheet)
        form = sheet.tabs.form
        assert isinstance(form, TypedPiles)
        assert form.piles.text() == "3,4,5", "it begins with the game that is played"
        desk.type_into(form.piles, "2, 4 6", enter=False)
        desk.type_into(form.max_take, "3", enter=False)
        form.misere.setFocus()
        QTest.keyClick(form.misere, K.Key_Space)
        assert sheet.problem.text() == ""
        assert "loses" in sheet.about.text()
        QTest.keyClick(form.piles, K.Key_Return)

    ask(desk, act)
    assert game(desk) == "nim:2,4,6:max3:misere"


def test_twelve_piles_of_64(desk: Desk) -> None:
    text = ",".join(["64"] * 12)
    ask(desk, lambda sheet: (unfold(sheet), desk.type_into(field(sheet, "piles"), text, enter=False), start(sheet)))
    assert game(desk) == f"nim:{text}"
    desk.click("12-64", "1-1")
    assert desk.moves == ["12-64", "1-1"]


def test_an_mnk_game_is_typed(desk: Desk) -> None:
    def act(sheet: NewGameSheet) -> None:
        unfold(sheet)
        sheet.tabs.setCurrentIndex(1)
        for name, value in (("m", "6"), ("n", "5"), ("k", "4")):
            desk.type_into(field(sheet, name), value, enter=False)
        field(sheet, "gravity").setFocus()
        QTest.keyClick(field(sheet, "gravity"), K.Key_Space)
        start(sheet)

    ask(desk, act)
    assert game(desk) == "mnk:6,5,4:gravity"


def test_that_a_longer_line_does_not_win_is_ticked(desk: Desk) -> None:
    def act(sheet: NewGameSheet) -> None:
        unfold(sheet)
        sheet.tabs.setCurrentIndex(1)
        for name, value in (("m", "20"), ("n", "20"), ("k", "5")):
            desk.type_into(field(sheet, name), value, enter=False)
        field(sheet, "exact").setFocus()
        QTest.keyClick(field(sheet, "exact"), K.Key_Space)
        assert "Exactly 5 of your own in a row wins: across, up or diagonally. More do not win." in sheet.about.text()
        start(sheet)

    ask(desk, act)
    assert game(desk) == "mnk:20,20,5:exact"
    desk.click("a1", "t20")
    assert desk.moves == ["a1", "t20"]


def test_rules_that_are_typed_are_seen_on_a_board(desk: Desk) -> None:
    def act(sheet: NewGameSheet) -> None:
        assert not sheet.preview.isVisible()
        unfold(sheet)
        sheet.tabs.setCurrentIndex(sheet.tabs.count() - 1)
        desk.type_into(field(sheet, "text"), "mnk:5,4,3 b2", enter=False)
        assert sheet.preview.isVisible()
        assert sheet.preview.board.position.text == "mnk:5,4,3 b2"
        desk.type_into(field(sheet, "text"), "nim:2,2", enter=False)
        assert sheet.preview.board.position.text == "nim:2,2"
        desk.type_into(field(sheet, "text"), "nim:nonsense", enter=False)
        assert sheet.preview.board.position.text == "nim:2,2", "what is impossible changes nothing"
        assert sheet.preview.board.focusPolicy() is Qt.FocusPolicy.NoFocus

    ask(desk, act)


def test_a_position_is_typed_as_text_and_its_moves_are_listed(desk: Desk) -> None:
    def act(sheet: NewGameSheet) -> None:
        unfold(sheet)
        sheet.tabs.setCurrentIndex(3)
        desk.type_into(field(sheet, "text"), "mnk:3,3,3 b2 a1", enter=False)
        assert sheet.about.text().endswith("2 moves played.")
        start(sheet)

    ask(desk, act)
    assert desk.controller.position.text == "mnk:3,3,3 b2 a1"
    assert desk.headline == "X to move"
    assert [row[2] for row in desk.listed] == ["b2", "a1"]


IMPOSSIBLE = [
    (0, "piles", "", "There are no piles; give their sizes, like 1,3,5,7."),
    (0, "piles", "1,,2", "Between two commas there is no number"),
    (0, "max_take", "x", "The largest take is “x”; it must be a whole number from 1 to 127, or empty."),
    (0, "piles", "1,0,3", "Pile 2 has 0 sticks; a pile holds 1 to 127."),
    (0, "piles", "128", "Pile 1 has 128 sticks; a pile holds 1 to 127."),
    (0, "piles", "-3", "Pile 1 has -3 sticks; a pile holds 1 to 127."),
    (0, "piles", ",".join("1" * 13), "Nim needs 1 to 12 piles, not 13"),
    (0, "piles", "3, three", "“three” is no size of a pile; give whole numbers from 1 to 127, like 1,3,5,7."),
    (0, "piles", "1" * 60, "is no size of a pile"),
    (0, "max_take", "0", "The largest take is 0"),
    (3, "text", "", "The position is empty"),
    (3, "text", "chess", "does not name a game"),
    (3, "text", "mnk:3,3,3 b2 b2", "Move 2 of “mnk:3,3,3 b2 b2”"),
]


def test_an_impossible_game_is_one_sentence_and_cannot_be_started(desk: Desk) -> None:
    def act(sheet: NewGameSheet, page: int, name: str, typed: str, sentence: str) -> None:
        unfold(sheet)
        sheet.tabs.setCurrentIndex(page)
        widget = field(sheet, name)
        desk.type_into(widget, typed, enter=False)
        assert sentence in sheet.problem.text()
        assert not sheet.about.isVisible()
        assert not sheet.start.isEnabled()
        QTest.keyClick(widget, K.Key_Return)
        assert sheet.isVisible()
        unfold(sheet)
        sheet.tabs.setCurrentIndex(1 if page == 0 else 0)
        assert sheet.start.isEnabled(), "what stands on the other page is in order"

    for page, name, typed, sentence in IMPOSSIBLE:
        ask(desk, partial(act, page=page, name=name, typed=typed, sentence=sentence))
        assert game(desk) == "nim:3,4,5"


def test_cancel_changes_nothing(desk: Desk) -> None:
    desk.click("1-1")
    ask(desk, lambda sheet: press_button(sheet, "Cancel"))
    assert desk.moves == ["1-1"]


def test_the_game_goes_on_behind_the_sheet_until_another_is_chosen(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:15,15,5", ENDLESS, HUMAN)

    def act(sheet: NewGameSheet) -> None:
        desk.wait_for_snapshot()
        assert desk.state is State.THINKING
        QTest.mouseClick(tile(sheet, "Tic-tac-toe"), LEFT)
        start(sheet)

    ask(desk, act)
    desk.wait_for_snapshot()
    snapshot = desk.controller.shown_snapshot
    assert snapshot is not None
    assert snapshot.position.game.text == "mnk:3,3,3"


# The clipboard


def test_copy_and_paste_carry_a_position_over(desk: Desk) -> None:
    desk.click("1-2", "3-5")
    desk.board.setFocus()
    desk.press((K.Key_C, CTRL))
    assert QGuiApplication.clipboard().text() == "nim:3,4,5 1-2 3-5"
    assert desk.window.status.currentMessage() == "Copied: nim:3,4,5 1-2 3-5"
    desk.session.games.start(presets()[3].game.start())
    desk.press((K.Key_V, CTRL))
    assert desk.controller.position.text == "nim:3,4,5 1-2 3-5"
    assert desk.headline == "First to move"


def test_pasting_nonsense_is_one_sentence_and_changes_nothing(desk: Desk) -> None:
    desk.click("1-2")
    for text in ("", "nonsense", "nim:0", "nim:3,4,5 9-9", "mnk:3,3,21", "\x00", "nim:1 " * 20_000):
        QGuiApplication.clipboard().setText(text)
        desk.board.setFocus()
        desk.press((K.Key_V, CTRL))
        assert desk.notice.startswith("Nothing was pasted. ")
        assert len(desk.notice) < 400
        assert desk.controller.position.text == "nim:3,4,5 1-2"
        desk.click("1-1")
        assert "pasted" not in desk.notice, "said until the next move"
        desk.session.controller.jump(1)


def test_pasting_nonsense_among_the_experiments_is_said_there(desk: Desk) -> None:
    desk.window.modes.show_mode(EXPERIMENTS)
    QGuiApplication.clipboard().setText("nonsense")
    desk.window.actions_by_name["paste"].trigger()
    assert desk.window.status.currentMessage().startswith("Nothing was pasted. ")
    assert desk.window.modes.mode == EXPERIMENTS


def test_the_sheet_fits_on_a_small_screen_and_shows_the_game_that_is_chosen(desk: Desk) -> None:
    def act(sheet: NewGameSheet) -> None:
        least = sheet.minimumSizeHint()
        assert least.width() <= 780
        assert least.height() <= 540
        sheet.resize(least)
        for each in (sheet.tiles[-1], sheet.tiles[0]):
            each.setFocus()
            QTest.keyClick(each, Qt.Key.Key_Space)
            assert each.visibleRegion().boundingRect().height() > 0.95 * each.height()
        unfold(sheet)
        assert sheet.minimumSizeHint().height() <= 540
        sheet.reject()

    ask(desk, act)
