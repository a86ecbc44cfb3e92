"""A number that was typed and not yet entered counts for what a key begins, as it does for what a button begins."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from desk import CTRL, Desk, K
from PySide6.QtCore import QLocale, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QToolButton

from nimdesk.agents import Agent
from nimdesk.errors import OptionError
from nimdesk.figures.content import Content
from nimdesk.search.options import UctOptions
from nimdesk.ui.dialogs import AgentOptionsDialog
from nimdesk.ui.figure_dialog import FigureDialog
from nimdesk.ui.look.actions import LABORATORY
from nimdesk.ui.look.forms import OptionEdit


def test_run_goes_to_the_limit_that_was_just_typed(desk: Desk) -> None:
    desk.window.modes.show_mode(LABORATORY)
    page = desk.session.laboratory.page
    assert page is not None
    desk.type_into(page.run_bar.limit, "321", enter=False)
    desk.press(K.Key_F5)
    desk.wait(lambda: not page.model.searches.running)
    (run,) = page.model.searches.runs
    assert run.snapshot is not None
    assert run.snapshot.iterations == 321


def test_a_game_begins_anew_with_the_option_that_was_just_typed(desk: Desk) -> None:
    desk.choose_player(1, "MCTS, textbook")
    desk.type_into(desk.field(1, "iterations"), "77", enter=False)
    desk.press((K.Key_R, CTRL))
    player = desk.controller.game.players[1]
    assert isinstance(player, Agent)
    assert isinstance(player.options, UctOptions)
    assert player.options.iterations == 77


def test_keys_that_begin_nothing_leave_the_field_as_it_is(desk: Desk) -> None:
    desk.window.modes.show_mode(LABORATORY)
    page = desk.session.laboratory.page
    assert page is not None
    limit, before = page.run_bar.limit, page.model.searches.limit
    desk.type_into(limit, "5", enter=False)
    desk.press(K.Key_Shift, K.Key_Control, K.Key_Left, K.Key_End)
    assert (limit.text(), page.model.searches.limit) == ("5", before)
    desk.press(K.Key_0, K.Key_Return)
    assert page.model.searches.limit == 50


def test_a_number_that_is_shown_shorter_than_it_is_stays_as_it_is(desk: Desk) -> None:
    desk.choose_player(1, "MCTS, textbook")
    field = desk.field(1, "exploration")
    desk.type_into(field, "0.123456789")
    assert field.text() == "0.123457"
    field.setFocus()
    desk.press(K.Key_Return, K.Key_F2)
    assert isinstance(field, OptionEdit)
    assert field.value == 0.123456789


@pytest.fixture(params=["C", "en_US", "de_DE"])
def _language(request: pytest.FixtureRequest) -> Iterator[None]:
    before = QLocale()
    QLocale.setDefault(QLocale(request.param))
    yield
    QLocale.setDefault(before)


@pytest.mark.usefixtures("_language")
@pytest.mark.parametrize("typed", ["0,7", "0.7"])
def test_a_decimal_comma_is_one_whatever_the_language_of_the_machine(desk: Desk, typed: str) -> None:
    desk.choose_player(1, "MCTS, textbook")
    field = desk.field(1, "exploration")
    desk.type_into(field, typed)
    player = desk.controller.game.players[1]
    assert isinstance(player, Agent)
    assert (player.options.exploration, field.text()) == (0.7, "0.7")
    desk.type_into(desk.field(1, "iterations"), "1,500")
    assert desk.controller.game.players[1].limit.iterations == 1500


@pytest.mark.usefixtures("_language")
@pytest.mark.parametrize("typed", ["8,5", "8.5"])
def test_so_it_is_in_the_measures_of_a_figure(desk: Desk, typed: str) -> None:
    def content(_at: int) -> Content:
        raise OptionError("Nothing is drawn.")

    dialog = FigureDialog(["All"], content, desk.window)
    dialog.open()
    dialog.size_pt.selectAll()
    QTest.keyClicks(dialog.size_pt, typed)
    assert (dialog.look.size_pt, dialog.size_pt.text()) == (8.5, "8.5")
    dialog.reject()


def test_a_dialog_goes_to_the_field_that_is_wrong_and_has_room_for_the_words(desk: Desk) -> None:
    def act(dialog: QDialog) -> None:
        assert isinstance(dialog, AgentOptionsDialog)
        more = next(button for button in dialog.form.findChildren(QToolButton) if button.text() == "More options")
        more.setFocus()
        desk.press(K.Key_Space)
        memory = dialog.form.edit("memory_mb")
        desk.type_into(memory, "1")
        assert dialog.isVisible()
        assert QApplication.focusWidget() is memory
        QApplication.processEvents()
        assert memory.height() >= dialog.form.edit("exploration").sizeHint().height() - 2

    desk.in_dialog(lambda: desk.press((K.Key_F2, Qt.KeyboardModifier.ShiftModifier)), act)
