"""New games: one click for the well-known ones, everything else typed with checks, pasted or copied."""

from collections.abc import Callable

import pytest
from desk import CTRL, ENDLESS, HUMAN, Desk, K, OpenDesk
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QWidget

from nimdesk.games import Preset, presets
from nimdesk.ui.boards.nim.setup import TypedPiles
from nimdesk.ui.dialogs import NewGameDialog
from nimdesk.ui.look.actions import EXPERIMENTS
from nimdesk.ui.play.controller import State

Act = Callable[[NewGameDialog], object]
LEFT = Qt.MouseButton.LeftButton


def ask(desk: Desk, act: Act) -> None:
    """Open the dialog with its button and do this in it."""
    desk.in_dialog(desk.window.actions_by_name["new_game"].trigger, act)  # type: ignore[arg-type]


def press_button(dialog: NewGameDialog, text: str) -> None:
    (button,) = (each for each in dialog.findChildren(QPushButton) if each.text() == text)
    QTest.mouseClick(button, LEFT)


def field(dialog: NewGameDialog, name: str) -> QWidget:
    """A field of the form shown."""
    found = getattr(dialog.tabs.form, name)
    assert isinstance(found, QWidget)
    return found


def start(dialog: NewGameDialog) -> None:
    assert dialog.start.isEnabled()
    QTest.mouseClick(dialog.start, LEFT)


def game(desk: Desk) -> str:
    return desk.controller.game.game.text


@pytest.mark.parametrize("preset", presets(), ids=lambda preset: preset.name)
def test_a_well_known_game_is_one_click(desk: Desk, preset: Preset) -> None:
    ask(desk, lambda dialog: press_button(dialog, preset.name))
    assert game(desk) == preset.game.text
    assert desk.board.position == preset.game.start()
    assert desk.window.windowTitle() == f"{preset.game.title} – nimdesk"
    desk.wait(desk.board.hasFocus)


@pytest.mark.parametrize("preset", presets(), ids=lambda preset: preset.name)
def test_a_well_known_game_is_in_the_menu_too(desk: Desk, preset: Preset) -> None:
    menus = {action.text(): action.menu() for action in desk.window.menuBar().actions()}
    (well_known,) = (each.menu() for each in menus["&Game"].actions() if each.text() == "&Well-known games")
    (action,) = (each for each in well_known.actions() if each.text() == preset.name)
    action.trigger()
    assert game(desk) == preset.game.text


def test_a_game_of_nim_is_typed(desk: Desk) -> None:
    def act(dialog: NewGameDialog) -> None:
        form = dialog.tabs.form
        assert isinstance(form, TypedPiles)
        assert form.piles.text() == "3,4,5", "it begins with the game that is played"
        desk.type_into(form.piles, "2, 4 6", enter=False)
        desk.type_into(form.max_take, "3", enter=False)
        form.misere.setFocus()
        QTest.keyClick(form.misere, K.Key_Space)
        assert dialog.problem.text() == ""
        assert "loses" in dialog.about.text()
        QTest.keyClick(form.piles, K.Key_Return)

    ask(desk, act)
    assert game(desk) == "nim:2,4,6:max3:misere"


def test_twelve_piles_of_64(desk: Desk) -> None:
    text = ",".join(["64"] * 12)
    ask(desk, lambda dialog: (desk.type_into(field(dialog, "piles"), text, enter=False), start(dialog)))
    assert game(desk) == f"nim:{text}"
    desk.click("12-64", "1-1")
    assert desk.moves == ["12-64", "1-1"]


def test_an_mnk_game_is_typed(desk: Desk) -> None:
    def act(dialog: NewGameDialog) -> None:
        dialog.tabs.setCurrentIndex(1)
        for name, value in (("m", "6"), ("n", "5"), ("k", "4")):
            desk.type_into(field(dialog, name), value, enter=False)
        field(dialog, "gravity").setFocus()
        QTest.keyClick(field(dialog, "gravity"), K.Key_Space)
        start(dialog)

    ask(desk, act)
    assert game(desk) == "mnk:6,5,4:gravity"


def test_a_position_is_typed_as_text_and_its_moves_are_listed(desk: Desk) -> None:
    def act(dialog: NewGameDialog) -> None:
        dialog.tabs.setCurrentIndex(2)
        desk.type_into(field(dialog, "text"), "mnk:3,3,3 b2 a1", enter=False)
        assert dialog.about.text().endswith("2 moves played.")
        start(dialog)

    ask(desk, act)
    assert desk.controller.position.text == "mnk:3,3,3 b2 a1"
    assert desk.headline == "X to move"
    assert [row[2] for row in desk.listed] == ["b2", "a1"]


@pytest.mark.parametrize(
    ("page", "name", "typed", "sentence"),
    [
        (0, "piles", "", "There are no piles; give their sizes, like 1,3,5,7."),
        (0, "max_take", "x", "The largest take is “x”; it must be a whole number from 1 to 64, or empty."),
        (0, "piles", "1,0,3", "Pile 2 has 0 sticks; a pile holds 1 to 64."),
        (0, "piles", "65", "Pile 1 has 65 sticks; a pile holds 1 to 64."),
        (0, "piles", "-3", "Pile 1 has -3 sticks; a pile holds 1 to 64."),
        (0, "piles", ",".join("1" * 13), "Nim needs 1 to 12 piles, not 13"),
        (0, "piles", "three", "three"),
        (0, "piles", "1" * 60, "too many digits"),
        (0, "max_take", "0", "The largest take is 0"),
        (1, "k", "7", "k is 7; on a board of 3 by 3 it may be 1 to 3, the longer side."),
        (2, "text", "", "The position is empty"),
        (2, "text", "chess", "does not name a game"),
        (2, "text", "mnk:3,3,3 b2 b2", "Move 2 of “mnk:3,3,3 b2 b2”"),
    ],
)
def test_an_impossible_game_is_one_sentence_and_cannot_be_started(
    desk: Desk, page: int, name: str, typed: str, sentence: str
) -> None:
    def act(dialog: NewGameDialog) -> None:
        dialog.tabs.setCurrentIndex(page)
        widget = field(dialog, name)
        desk.type_into(widget, typed, enter=False)
        assert sentence in dialog.problem.text()
        assert dialog.about.text() == ""
        assert not dialog.start.isEnabled()
        QTest.keyClick(widget, K.Key_Return)
        assert dialog.isVisible()
        dialog.tabs.setCurrentIndex(1 if page == 0 else 0)
        assert dialog.start.isEnabled(), "what stands on the other page is in order"

    ask(desk, act)
    assert game(desk) == "nim:3,4,5"


def test_cancel_changes_nothing(desk: Desk) -> None:
    desk.click("1-1")
    ask(desk, lambda dialog: press_button(dialog, "Cancel"))
    assert desk.moves == ["1-1"]


def test_the_game_goes_on_behind_the_dialog_until_another_is_chosen(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:15,15,5", ENDLESS, HUMAN)

    def act(dialog: NewGameDialog) -> None:
        desk.wait_for_snapshot()
        assert desk.state is State.THINKING
        press_button(dialog, "Tic-tac-toe")

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


@pytest.mark.parametrize("text", ["", "nonsense", "nim:0", "nim:3,4,5 9-9", "mnk:3,3,9", "\x00", "nim:1 " * 20_000])
def test_pasting_nonsense_is_one_sentence_and_changes_nothing(desk: Desk, text: str) -> None:
    desk.click("1-2")
    QGuiApplication.clipboard().setText(text)
    desk.board.setFocus()
    desk.press((K.Key_V, CTRL))
    assert desk.notice.startswith("Nothing was pasted. ")
    assert len(desk.notice) < 400
    assert desk.controller.position.text == "nim:3,4,5 1-2"
    desk.click("1-1")
    assert "pasted" not in desk.notice, "said until the next move"


def test_pasting_nonsense_among_the_experiments_is_said_there(desk: Desk) -> None:
    desk.window.modes.show_mode(EXPERIMENTS)
    QGuiApplication.clipboard().setText("nonsense")
    desk.window.actions_by_name["paste"].trigger()
    assert desk.window.status.currentMessage().startswith("Nothing was pasted. ")
    assert desk.window.modes.mode == EXPERIMENTS
