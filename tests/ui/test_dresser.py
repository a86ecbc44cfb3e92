"""A change of the look or of the size of text is done in turns, and what it has to go through is kept small."""

from __future__ import annotations

from desk import HUMAN, Desk, OpenDesk, mcts
from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication, QDialog, QMenu, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from nimdesk.play.moment import State
from nimdesk.ui.look.actions import EXPERIMENTS, LABORATORY, PLAY
from nimdesk.ui.look.theme import DARK, LOOK
from nimdesk.ui.plots.curves import CurvesPlot


def test_keys_are_heard_while_the_look_changes_and_nothing_half_done_is_painted(desk: Desk) -> None:
    heard: list[tuple[bool, bool]] = []
    window = desk.window
    for page in (LABORATORY, PLAY):
        window.modes.show_mode(page)
    shown, hidden, around = window.page, desk.laboratory, window.menuBar()

    def dressed(*parts: QWidget) -> list[bool]:
        return [DARK.error in part.styleSheet() for part in parts]

    clock = QTimer(interval=0)
    clock.timeout.connect(lambda: heard.append((all(dressed(shown, around)), window.updatesEnabled())))
    clock.start()
    desk.session.preferences.change(theme="dark")
    assert LOOK.theme is DARK
    desk.wait(lambda: (True, True) in heard)
    clock.stop()
    # Before that turn the loop went round, and the window was not painted.
    assert (False, False) in heard
    assert (True, False) not in heard
    desk.wait(lambda: all(dressed(hidden)))
    desk.window.modes.show_mode(EXPERIMENTS)
    about = desk.window.findChildren(QDialog)
    desk.window.actions_by_name["about"].trigger()
    desk.wait(lambda: desk.window.findChildren(QDialog) != about)
    assert dressed(desk.window.modes.page(EXPERIMENTS), *desk.window.findChildren(QDialog)) == [True, True], (
        "and so is what comes later"
    )


def test_what_was_to_be_painted_before_the_look_changes_is_painted_after_it(desk: Desk) -> None:
    painted: list[bool] = []

    class Watch(QObject):
        def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802
            if event.type() == QEvent.Type.Paint:
                painted.append(desk.window.updatesEnabled())
            return False

    desk.leave()
    watch = Watch()
    desk.window.installEventFilter(watch)
    desk.window.update()  # as where a dialog in front of it is closed
    desk.session.preferences.change(theme="dark")
    desk.wait(lambda: True in painted)


def test_words_of_another_size_reach_every_part_that_is_shown(desk: Desk, qapp: QApplication) -> None:
    before = qapp.font().pointSizeF()
    desk.window.actions_by_name["larger_text"].trigger()
    desk.window.actions_by_name["larger_text"].trigger()
    desk.wait(lambda: desk.window.column.row.font().pointSizeF() > before and desk.window.updatesEnabled())
    for part in (desk.window.moves.table, desk.window.menuBar(), desk.window.status, desk.panel.legend):
        assert part.font().pointSizeF() == qapp.font().pointSizeF()


def test_words_that_were_about_to_be_larger_have_their_size_again_once_nimdesk_has_ended(
    open_desk: OpenDesk, qapp: QApplication
) -> None:
    usual, desk = qapp.font().pointSizeF(), open_desk()
    desk.window.actions_by_name["larger_text"].trigger()
    desk.close()
    assert qapp.font().pointSizeF() == usual


def test_words_that_are_large_and_small_again_are_whole_at_both_times(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:3,3,3", mcts(100), HUMAN)
    desk.wait_for(State.HUMAN)
    window, actions = desk.window, desk.window.actions_by_name
    buttons, axis = window.modes.findChildren(QToolButton), desk.panel.plot.x_axis

    def seen() -> tuple[float, list[int]]:
        return axis.height(), [button.width() for button in buttons]

    usual = seen()
    for _ in range(3):
        actions["larger_text"].trigger()
    desk.wait(
        lambda: axis.height() > 1.2 * usual[0] and all(each.width() >= each.sizeHint().width() for each in buttons)
    )
    actions["normal_text"].trigger()
    desk.wait(lambda: seen() == usual)


def test_words_of_a_size_that_was_set_before_have_it_everywhere_at_the_next_start(
    open_desk: OpenDesk, qapp: QApplication
) -> None:
    usual = qapp.font().pointSizeF()
    desk = open_desk(text_percent=150)
    desk.box(1)
    sizes = {part.font().pointSizeF() for part in desk.window.findChildren(QWidget) if part.isVisible()}
    assert sizes == {1.5 * usual}


def test_a_plot_makes_no_widgets_that_nobody_sees(qtbot: QtBot, qapp: QApplication) -> None:
    there = set(qapp.allWidgets())
    plot = CurvesPlot()
    qtbot.addWidget(plot)
    made = [each for each in qapp.allWidgets() if each not in there]
    assert not [each for each in made if isinstance(each, QMenu)]
    assert len(made) < 12
