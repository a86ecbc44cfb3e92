"""The sheet of a player: what is typed counts from the next move; what cannot be is said in one sentence."""

from collections.abc import Callable

import pytest
from desk import ENDLESS, HUMAN, Desk, K, OpenDesk, label_of, mcts
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialogButtonBox, QToolButton

from nimdesk.agents import PUBLISHED, Agent, UctOptions, agent_from_json, make_agent
from nimdesk.games import parse_position
from nimdesk.play.moment import State
from nimdesk.search import StopReason
from nimdesk.search.options import FlatOptions
from nimdesk.ui.dialogs import AgentOptionsDialog
from nimdesk.ui.laboratory.studied import Studied
from nimdesk.ui.look.forms import OptionsForm

UNSEEDED = make_agent("random")
BOTH_MISSING = "Give a number of iterations, or seconds, or both."


@pytest.fixture
def opponent(open_desk: OpenDesk) -> Desk:
    """A person plays the textbook's MCTS with 300 iterations."""
    return open_desk("mnk:5,5,4", HUMAN, mcts(300))


def options(desk: Desk, side: int = 1) -> UctOptions:
    player = desk.controller.game.players[side]
    assert isinstance(player, Agent)
    assert isinstance(player.options, UctOptions)
    return player.options


def answer(desk: Desk) -> None:
    """Play any move and wait for the answer."""
    desk.click(desk.board.position.legal_moves[0].text)
    desk.wait_for(State.HUMAN)


def test_typed_values_count_from_the_next_move(opponent: Desk) -> None:
    opponent.type_into(opponent.field(1, "iterations"), "777")
    opponent.type_into(opponent.field(1, "exploration"), "0.5")
    opponent.type_into(opponent.field(1, "seed"), "42", enter=False)
    opponent.board.setFocus()  # leaving the field is as good as Enter
    assert (options(opponent).iterations, options(opponent).exploration, options(opponent).seed) == (777, 0.5, 42)
    answer(opponent)
    snapshot = opponent.controller.game.plies[1].snapshot
    assert snapshot is not None
    assert (snapshot.iterations, snapshot.seed) == (777, 42)


def test_what_is_being_typed_for_one_player_does_not_become_an_option_of_another(open_desk: OpenDesk) -> None:
    flat, uct = Agent("flat", FlatOptions(playouts=50)), mcts(300)
    desk = open_desk("mnk:5,5,4", flat, uct)
    desk.type_into(desk.field(0, "playouts"), "7", enter=False)
    desk.window.actions_by_name["swap"].trigger()
    assert desk.controller.game.players == (uct, flat)
    assert options(desk, 0).iterations == 300
    assert [desk.field(0, "iterations").text(), desk.field(1, "playouts").text()] == ["300", "50"]


def test_seconds_instead_of_iterations(opponent: Desk) -> None:
    opponent.type_into(opponent.field(1, "time_s"), "0.05")
    opponent.type_into(opponent.field(1, "iterations"), "")
    assert (options(opponent).iterations, options(opponent).time_s) == (None, 0.05)
    answer(opponent)
    snapshot = opponent.controller.game.plies[1].snapshot
    assert snapshot is not None
    assert snapshot.stopped is StopReason.TIME


IMPOSSIBLE = [
    ("iterations", "-1", "Iterations is “-1”; it must be a whole number from 1 to 1,000,000,000 or empty."),
    ("iterations", "0", "Iterations is “0”; it must be a whole number from 1 to 1,000,000,000 or empty."),
    ("iterations", "1000000000000", "must be a whole number from 1 to 1,000,000,000 or empty."),
    ("iterations", "1.5", "must be a whole number from 1 to 1,000,000,000 or empty."),
    ("time_s", "0", "Seconds is “0”; it must be a number from 0.01 to 86400 s or empty."),
    ("time_s", "inf", "must be a number from 0.01 to 86400 s or empty."),
    ("exploration", "-1", "Exploration c is “-1”; it must be a number from 0 to 100."),
    ("exploration", "nan", "Exploration c is “nan”; it must be a number from 0 to 100."),
    ("exploration", "", "Exploration c is empty; it must be a number from 0 to 100."),
    ("seed", "abc", "Seed is “abc”; it must be a whole number from 0 to 9,223,372,036,854,775,807 or empty."),
    ("seed", "-3", "must be a whole number from 0 to"),
    ("memory_mb", "1", "must be a whole number from 8 to 16,384 MB."),
]


def test_what_cannot_be_is_one_sentence_and_changes_nothing(opponent: Desk) -> None:
    before, form = options(opponent), opponent.box(1).form
    assert form is not None
    message = label_of(form, "problem")
    for name, typed, sentence in IMPOSSIBLE:
        field = opponent.field(1, name)
        opponent.type_into(field, typed)
        assert sentence in opponent.problem(1)
        assert opponent.problem(1).count(".") == 1 + opponent.problem(1).count("0.01") + typed.count(".")
        assert message.isVisible()
        assert message.text() == opponent.problem(1)
        assert options(opponent) == before
        answer(opponent)
        assert options(opponent) == before
        opponent.button("undo")
        opponent.type_into(field, str(getattr(before, name) or ""))
        assert opponent.problem(1) == ""
        assert not message.isVisible()
        assert options(opponent) == before


def test_a_mistake_shows_while_it_is_typed(opponent: Desk) -> None:
    field = opponent.field(1, "exploration")
    opponent.type_into(field, "-", enter=False)
    assert "must be a number from 0 to 100" in opponent.problem(1)
    QTest.keyClick(field, K.Key_Backspace)
    QTest.keyClicks(field, "2")
    assert opponent.problem(1) == ""
    assert options(opponent).exploration == mcts().options.exploration  # type: ignore[attr-defined]
    QTest.keyClick(field, K.Key_Return)
    assert options(opponent).exploration == 2.0


def test_a_search_needs_one_of_its_limits(opponent: Desk) -> None:
    field = opponent.field(1, "iterations")
    opponent.type_into(field, "")
    assert opponent.problem(1) == BOTH_MISSING
    assert options(opponent).iterations == 300
    for _ in range(2):
        QTest.keyClick(field, K.Key_Return)
        assert opponent.problem(1) == BOTH_MISSING, "pressing Enter again makes it no better"
    QTest.keyClicks(field, " ")
    opponent.board.setFocus()
    assert opponent.problem(1) == BOTH_MISSING
    opponent.type_into(opponent.field(1, "time_s"), "0.1")
    assert opponent.problem(1) == ""
    assert (options(opponent).iterations, options(opponent).time_s) == (None, 0.1)


def test_each_kind_of_player_keeps_its_own_options(opponent: Desk) -> None:
    opponent.type_into(opponent.field(1, "iterations"), "555")
    opponent.choose_player(1, "Random")
    opponent.type_into(opponent.field(1, "seed"), "9")
    opponent.choose_player(1, "You")
    assert opponent.box(1).form is None
    assert opponent.controller.game.players[1] == HUMAN
    opponent.choose_player(1, "MCTS, textbook")
    assert opponent.field(1, "iterations").text() == "555"
    assert options(opponent).iterations == 555
    opponent.choose_player(1, "Random")
    assert opponent.field(1, "seed").text() == "9"


def test_large_counts_are_shown_in_groups_and_read_back(opponent: Desk) -> None:
    field = opponent.field(1, "iterations")
    opponent.type_into(field, "1000000")
    assert field.text() == "1,000,000"
    assert options(opponent).iterations == 1_000_000
    opponent.type_into(field, "20 000")
    assert options(opponent).iterations == 20_000


def test_the_boxes_carry_the_names_of_the_sides(opponent: Desk) -> None:
    assert [label_of(opponent.box(side), "side").text() for side in (0, 1)] == ["X", "O"]


# Suggest with…


def suggest_options(desk: Desk, act: Callable[[AgentOptionsDialog], object]) -> None:
    desk.in_dialog(desk.window.actions_by_name["suggest_options"].trigger, act)  # type: ignore[arg-type]


def ok(dialog: AgentOptionsDialog) -> None:
    (box,) = dialog.findChildren(QDialogButtonBox)
    QTest.mouseClick(box.button(QDialogButtonBox.StandardButton.Ok), Qt.MouseButton.LeftButton)


def test_the_suggestion_gets_options_of_its_own(desk: Desk) -> None:
    def act(dialog: AgentOptionsDialog) -> None:
        # Fewer than a proof takes.
        desk.type_into(dialog.form.edit("iterations"), "23", enter=False)
        ok(dialog)
        assert not dialog.isVisible()

    suggest_options(desk, act)
    desk.button("suggest")
    desk.wait_for(State.HUMAN)
    snapshot = desk.controller.shown_snapshot
    assert snapshot is not None
    assert snapshot.iterations == 23


def test_any_agent_can_be_asked_for_a_hint_as_document_001_asks_minimax(open_desk: OpenDesk) -> None:
    desk = open_desk("nim:6:max3:misere")

    def act(dialog: AgentOptionsDialog) -> None:
        dialog.choice.unfold()
        titles = [dialog.choice.itemText(at) for at in range(dialog.choice.count())]
        assert "Alpha-beta" in titles
        place = titles.index(PUBLISHED["minimax-001"].title)
        dialog.choice.setCurrentIndex(place)
        dialog.choice.activated.emit(place)
        ok(dialog)

    suggest_options(desk, act)
    assert desk.controller.suggester == PUBLISHED["minimax-001"].agent
    desk.button("suggest")
    desk.wait(lambda: desk.controller.suggestion is not None)
    assert desk.notice == "Hint: take 1 from pile 1 (proven: it wins in 4)."
    assert agent_from_json(desk.session.preferences.now.suggest) == desk.controller.suggester
    snapshot = desk.controller.shown_snapshot
    assert snapshot is not None
    assert snapshot.listing, "it tells how it came to it"
    heading = f"Hint for move 1, First — {snapshot.tree_nodes} nodes, proven: wins in 4"
    assert desk.panel.title.text() == heading


def test_what_is_half_typed_goes_with_the_agent_that_it_was_meant_for(desk: Desk) -> None:
    def act(dialog: AgentOptionsDialog) -> None:
        desk.type_into(dialog.form.edit("iterations"), "23", enter=False)
        # The wheel, and a click on macOS, leave the keyboard where it is.
        place = dialog.choice.findText("Random")
        dialog.choice.setCurrentIndex(place)
        dialog.choice.activated.emit(place)
        dialog.form.edit("seed").setFocus()
        desk.wait(dialog.form.isVisible)
        assert [form.isVisible() for form in dialog.findChildren(OptionsForm)].count(True) == 1
        ok(dialog)

    suggest_options(desk, act)
    assert desk.controller.suggester == UNSEEDED
    assert agent_from_json(desk.session.preferences.now.suggest) == UNSEEDED


def test_options_reach_no_other_agent_than_the_one_they_were_meant_for(desk: Desk) -> None:
    page = desk.analyse()
    agents, row = page.model.agents, page.agents.rows[0]
    other = Studied(make_agent("flat").unlimited(), 3)

    def act(dialog: AgentOptionsDialog) -> None:
        more = next(button for button in dialog.form.findChildren(QToolButton) if button.text() == "More options")
        more.click()
        desk.type_into(dialog.form.edit("exploration"), "0.25", enter=False)
        agents.set_all((other,))
        ok(dialog)

    desk.in_dialog(row.options.click, act)  # type: ignore[arg-type]
    assert agents.studied == (other,)


def test_what_is_half_typed_does_not_reach_the_next_game(opponent: Desk) -> None:
    opponent.type_into(opponent.field(1, "iterations"), "777", enter=False)
    opponent.session.games.start(parse_position("nim:3,4,5"))
    opponent.board.setFocus()
    assert options(opponent).iterations == 300
    assert opponent.field(1, "iterations").text() == "300"


@pytest.mark.parametrize("presses", [1, 3])
def test_bad_options_for_the_suggestion_keep_the_dialog_open(desk: Desk, presses: int) -> None:
    before = desk.controller.suggester

    def act(dialog: AgentOptionsDialog) -> None:
        for name, text in (("time_s", ""), ("exploration", "-1")):
            desk.type_into(dialog.form.edit(name), text, enter=False)
            for _ in range(presses):
                QTest.keyClick(dialog.form.edit(name), K.Key_Return)
            assert dialog.isVisible()
            assert dialog.form.problem
            ok(dialog)
            assert dialog.isVisible()
            assert dialog.form.problem

    suggest_options(desk, act)
    assert desk.controller.suggester == before


def test_the_sheet_is_told_of_players_that_come_with_a_game(open_desk: OpenDesk) -> None:
    desk = open_desk("nim:3,4,5", ENDLESS, HUMAN)
    assert desk.field(0, "time_s").text() == "3600"
    assert desk.field(0, "iterations").text() == ""
    assert desk.field(0, "iterations").placeholderText() == "no limit"
