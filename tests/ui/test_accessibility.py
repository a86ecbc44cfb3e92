"""Everything in the window can be named by a screen reader and reached by the keyboard."""

import re
from collections import Counter
from collections.abc import Callable
from itertools import combinations

import pytest
from desk import CTRL, HUMAN, Desk, K, OpenDesk, contrast, mcts
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAccessible, QAction, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QCheckBox,
    QComboBox,
    QDialog,
    QLabel,
    QLineEdit,
    QListWidget,
    QMenu,
    QPlainTextEdit,
    QSpinBox,
    QTableView,
    QTabWidget,
    QToolButton,
    QTreeView,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from nimdesk.play.moment import State
from nimdesk.ui.look.actions import ACTIONS, LABORATORY, PLAY
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.play.new_game import NewGameSheet


@pytest.fixture
def full(open_desk: OpenDesk) -> Desk:
    """A window with everything in it: two forms, moves, curves and a legend."""
    desk = open_desk("nim:3,4,5", mcts(200), HUMAN)
    desk.wait_for(State.HUMAN)
    desk.choose_player(1, "MCTS")
    desk.wait_for(State.OVER)
    return desk


def name_of(widget: QWidget) -> str:
    """What a screen reader calls it: its own name, or that of the label that is tied to it."""
    interface = QAccessible.queryAccessibleInterface(widget)
    assert interface is not None
    if isinstance(widget, QComboBox):
        # On Linux a combo box is told by its label and its value; its own name is not heard.
        tied = [relation[0] for relation in interface.relations(QAccessible.RelationFlag.Label)]
        return " ".join(label.text(QAccessible.Text.Name) for label in tied)
    return interface.text(QAccessible.Text.Name)


def reachable(window: QWidget) -> list[QWidget]:
    """All that can have the keyboard, and every button."""
    return [
        widget
        for widget in window.findChildren(QWidget)
        if widget.isVisible()
        and (widget.focusPolicy() & Qt.FocusPolicy.TabFocus or isinstance(widget, QAbstractButton))
        # Whoever stands in for it is asked instead.
        and widget.focusProxy() is None
        and widget.objectName() not in ("qt_spinbox_lineedit", "qt_toolbar_ext_button")
    ]


def nameless(window: QWidget) -> list[str]:
    return [f"{type(w).__name__} {w.objectName()}" for w in reachable(window) if not name_of(w).strip()]


def test_everything_in_the_window_has_a_name(full: Desk) -> None:
    assert nameless(full.window) == []
    assert len(reachable(full.window)) > 20
    assert [name_of(full.choice(side)) for side in (0, 1)] == ["First", "Second"], "both forms say whose they are"


def test_everything_in_the_laboratory_has_a_name(desk: Desk) -> None:
    desk.window.modes.show_mode(LABORATORY)
    page = desk.session.laboratory.page
    assert page is not None
    page.model.agents.add()
    page.set_two_views(True)
    page.model.searches.set_limit(100.0)
    page.model.searches.run()
    desk.wait(lambda: not page.model.searches.running)
    for index in range(page.tabs.count()):
        page.tabs.setCurrentIndex(index)
        QApplication.processEvents()
        assert nameless(desk.window) == []
    choices = [name_of(box) for box in page.findChildren(QComboBox)]
    assert sorted(choices) == ["Agent A", "Agent B", "First view", "Second view", "Speed of playing back"]


def test_everything_among_the_experiments_has_a_name(desk: Desk) -> None:
    for tab in desk.each_experiment():
        assert nameless(desk.window) == [], tab


def test_everything_in_the_new_game_dialog_has_a_name(desk: Desk) -> None:
    def act(dialog: QDialog) -> None:
        assert nameless(dialog) == []
        assert_mnemonics_differ(dialog)
        assert isinstance(dialog, NewGameSheet)
        dialog.fold.setChecked(True)
        for page in range(4):
            dialog.tabs.setCurrentIndex(page)
            assert nameless(dialog) == []
            assert_mnemonics_differ(dialog)

    desk.in_dialog(desk.window.actions_by_name["new_game"].trigger, act)


def test_everything_in_the_options_dialog_has_a_name(desk: Desk) -> None:
    desk.in_dialog(
        desk.window.actions_by_name["suggest_options"].trigger,
        lambda dialog: (assert_mnemonics_differ(dialog), _none(nameless(dialog))),
    )


def _none(found: list[str]) -> None:
    assert found == []


@pytest.mark.parametrize("name", ["help", "about"])
def test_help_pages_open_and_close_by_keyboard(desk: Desk, name: str) -> None:
    desk.window.actions_by_name[name].trigger()
    desk.wait(lambda: isinstance(QApplication.activeWindow(), QDialog))
    page = QApplication.activeWindow()
    assert page is not None
    assert nameless(page) == []
    QTest.keyClick(page, K.Key_Escape)
    assert not page.isVisible()


def test_the_tab_key_leads_to_every_panel_and_back_to_the_board(full: Desk) -> None:
    full.board.setFocus()
    seen: list[QWidget] = []
    for _ in range(80):
        full.press(K.Key_Tab)
        focus = QApplication.focusWidget()
        assert focus is not None
        if focus is full.board:
            break
        seen.append(focus)
    assert QApplication.focusWidget() is full.board
    for part in (full.window.column, full.window.moves, full.panel):
        assert any(part.isAncestorOf(widget) for widget in seen), f"Tab passes by {type(part).__name__}"


def test_tab_enters_a_switch_at_the_segment_that_is_down(desk: Desk) -> None:
    bar = desk.analyse().run_bar
    for key in ("seconds", "nodes"):
        bar.cost.button(key).click()
        bar.limit.setFocus()
        desk.press(K.Key_Tab)
        assert QApplication.focusWidget() is bar.cost.button(key)
        desk.press(K.Key_Tab)
        assert QApplication.focusWidget() is bar.scale.button(bar.scale.value)
    bar.cost.button("nodes").setFocus()
    desk.press(K.Key_Left)
    assert bar.cost.value == "playouts"


# Actions


def menu_actions(desk: Desk) -> list[QAction]:
    return [action for menu in desk.window.menuBar().findChildren(QMenu) for action in menu.actions()]


def test_every_action_is_in_a_menu_and_explains_itself(desk: Desk) -> None:
    listed = menu_actions(desk)
    for spec in ACTIONS:
        action = desk.window.actions_by_name[spec.name]
        assert action in listed, f"{spec.name} is in no menu"
        assert action.statusTip()
        if spec.key:
            for keys in QKeySequence.listFromString(spec.key):
                assert keys.toString(QKeySequence.SequenceFormat.NativeText) in action.toolTip()


def test_no_two_actions_of_a_page_share_a_shortcut(desk: Desk) -> None:
    for mode in (PLAY, LABORATORY):
        desk.window.modes.show_mode(mode)
        there = [action for action in desk.window.findChildren(QAction) if action.isVisible()]
        keys = Counter(key.toString() for action in there for key in action.shortcuts())
        # Escape ends a suggestion or pauses the computer, of which never more than one is under way.
        assert {key for key, count in keys.items() if count > 1} <= {"Esc"}
        assert len(keys) >= 20


def mnemonic(text: str) -> str:
    found = re.search(r"&(?!&)(\w)", text.replace("&&", ""))
    return found[1].upper() if found else ""


def assert_mnemonics_differ(window: QWidget) -> None:
    """Alt with a letter does one thing: menus, buttons, labels of fields and pages that are to be seen."""
    shown = [*window.findChildren(QAbstractButton), *window.findChildren(QLabel)]
    texts = [widget.text() for widget in shown if widget.isVisible()]
    for tabs in window.findChildren(QTabWidget):
        texts += [tabs.tabText(index) for index in range(tabs.count())]
    if hasattr(window, "menuBar"):
        texts += [action.text() for action in window.menuBar().actions() if action.isVisible()]
    letters = Counter(filter(None, map(mnemonic, texts)))
    assert [letter for letter, count in letters.items() if count > 1] == [], texts


def test_no_two_mnemonics_of_the_window_are_the_same(full: Desk) -> None:
    for size in ((780, 560), (1500, 900)):
        full.window.resize(*size)
        QApplication.processEvents()
        assert_mnemonics_differ(full.window)


def test_no_two_entries_of_a_menu_share_a_mnemonic(desk: Desk) -> None:
    for mode in (PLAY, LABORATORY):
        desk.window.modes.show_mode(mode)
        for menu in desk.window.menuBar().findChildren(QMenu):
            letters = Counter(filter(None, (mnemonic(each.text()) for each in menu.actions() if each.isVisible())))
            assert [letter for letter, count in letters.items() if count > 1] == [], menu.title()


@pytest.mark.parametrize("position", ["nim:3,4,5", "mnk:5,5,4"])
def test_shortcuts_work_while_the_board_has_the_keyboard(open_desk: OpenDesk, position: str) -> None:
    desk = open_desk(position)
    heard: list[str] = []
    for spec in ACTIONS:
        if not spec.key or spec.mode not in ("", PLAY):
            continue
        action = desk.window.actions_by_name[spec.name]
        action.triggered.disconnect()
        action.triggered.connect(lambda _checked=False, name=spec.name: heard.append(name))
        desk.window.actions_by_name["stop"].setEnabled(False)
        action.setEnabled(True)
        action.setVisible(True)  # some are there during a lesson alone
        action.setVisible(True)  # those of a lesson are not, while there is none
        desk.board.setFocus()
        for sequence in QKeySequence.listFromString(spec.key):
            QTest.keyClick(desk.board, sequence[0].key(), sequence[0].keyboardModifiers())
            assert heard.pop() == spec.name, f"{spec.key} does not reach {spec.name}"
        heard.append(spec.name)
    assert not desk.moves
    assert len(heard) >= 20


def test_typing_in_a_field_triggers_no_action(full: Desk) -> None:
    field = full.field(0, "seed")
    moves = full.moves
    full.type_into(field, "12345", enter=False)
    QTest.keyClick(field, K.Key_Z, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(field, K.Key_C, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(field, K.Key_Left, Qt.KeyboardModifier.ControlModifier)
    assert full.moves == moves
    assert full.controller.game.cursor == len(moves)


def test_with_nothing_typed_to_take_back_undo_is_for_the_game(full: Desk) -> None:
    field = full.field(0, "seed")
    full.type_into(field, "12345")
    played = full.controller.game.cursor
    QTest.keyClick(field, K.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert full.controller.game.cursor < played
    assert field.text().replace(",", "") == "12345"


# Room


def test_nothing_in_the_sheet_of_a_player_is_cut_off(full: Desk) -> None:
    for size in ((700, 520), (1280, 860)):
        full.window.resize(*size)
        box = full.box(0)
        QApplication.processEvents()
        assert box.visibleRegion().boundingRect().width() == box.width()
        full.sheet(0).hide()


# Contrast


def editable() -> QComboBox:
    made = QComboBox()
    made.setEditable(True)
    return made


OUTLINED: list[Callable[[], QWidget]] = [
    QLineEdit, QComboBox, editable, QCheckBox, QSpinBox, QPlainTextEdit, QListWidget, QTableView, QTreeView
]  # fmt: skip


@pytest.mark.parametrize("look", ["light", "dark"])
def test_what_one_types_into_or_chooses_from_has_an_outline(open_desk: OpenDesk, qtbot: QtBot, look: str) -> None:
    """Somewhere from above into it a pixel stands out from the window at a contrast of 3, as WCAG 1.4.11 wants it."""
    desk = open_desk(theme=look)
    for make in OUTLINED:
        around, part = QDialog(desk.window), make()
        qtbot.addWidget(around)
        layout = QVBoxLayout(around)
        layout.setContentsMargins(20, 20, 20, 20)
        layout.addWidget(part)
        around.resize(200, 140)
        around.show()
        picture = around.grab().toImage()
        window = picture.pixelColor(3, 3)
        assert contrast(window, LOOK.theme.color("text")) > 7, make
        down = range(part.y() - 2, part.y() + part.height() // 2)
        assert max(contrast(picture.pixelColor(part.x() + 8, y), window) for y in down) >= 3, make


def test_the_rows_of_every_table_grow_with_the_words(full: Desk) -> None:
    tables = full.window.findChildren(QTableView)

    def heights() -> list[int]:
        return [table.verticalHeader().defaultSectionSize() for table in tables]

    before = heights()
    assert len(tables) >= 4
    full.press(*[(K.Key_Plus, CTRL)] * 5)
    full.wait(lambda: all(large > small for large, small in zip(heights(), before, strict=True)))
    full.press((K.Key_0, CTRL))
    full.wait(lambda: heights() == before)


def whole(row: QWidget) -> bool:
    """Whether each button and label that is shown in the row has the room it needs, beside the others."""
    shown = [each for each in row.findChildren(QWidget) if each.isVisible() and isinstance(each, QToolButton | QLabel)]
    places = [QRect(each.mapTo(row, QPoint()), each.size()) for each in shown]
    return (
        bool(shown)
        and all(each.width() >= min(each.sizeHint().width(), each.maximumWidth()) for each in shown)
        and all(row.rect().adjusted(-1, -9, 1, 9).contains(place) for place in places)
        and not any(one.intersects(other) for one, other in combinations(places, 2))
    )


def test_each_action_is_whole_at_every_width(full: Desk) -> None:
    row = full.window.column.row
    for width in range(200, 700):
        row.resize(width, row.height())
        row.layout().activate()
        assert whole(row), width


@pytest.mark.parametrize(("width", "larger"), [(1280, 0), (800, 0), (1024, 3), (800, 4)])
def test_in_large_type_and_little_room_what_is_shown_is_whole(full: Desk, width: int, larger: int) -> None:
    """The switches of the plot, the figures below the window and the actions: fewer, but none cut off or covered."""
    full.window.resize(width, 700)
    before = full.window.status.fontMetrics().height()
    full.press(*[(K.Key_Plus, CTRL)] * larger)
    full.wait(lambda: (full.window.status.fontMetrics().height() > before) == (larger > 0))
    full.window.page.tabs.setCurrentIndex(0)
    full.wait(
        lambda: all(whole(row) for row in (full.panel.toolbar, full.window.status, full.window.column.row)), 20_000
    )


def test_in_large_type_sentences_are_whole_and_the_legend_has_the_columns_that_fit(
    open_desk: OpenDesk,
) -> None:
    desk = open_desk("nim:1,3,5,7", HUMAN, HUMAN, show_truth=True, suggest=mcts(3000).to_json())
    window, column = desk.window, desk.window.column
    window.resize(800, 560)
    desk.press(*[(K.Key_Plus, CTRL)] * 3)
    desk.controller.suggest()
    desk.wait(lambda: desk.controller.suggestion is not None)
    desk.controller.explain(f"{desk.notice} {desk.notice}")  # the longest there are
    said = [each for each in column.findChildren(QLabel) if each.isVisible() and each.text()]
    assert [each.wordWrap() for each in said] == [True, True]
    desk.wait(lambda: all(each.height() >= each.heightForWidth(each.width()) for each in said), 20_000)
    places = [QRect(each.mapTo(column, QPoint()), each.size()) for each in said]
    assert max(place.bottom() for place in places) < column.below.y()
    assert column.row.geometry().bottom() <= column.height()
    legend, header = desk.panel.legend, desk.panel.legend.horizontalHeader()
    assert legend.isVisible()
    desk.wait(lambda: header.length() <= legend.viewport().width(), 20_000)
