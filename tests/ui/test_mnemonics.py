"""Alt with a letter does one thing, whatever is shown: on each page, with each tab, beside a lesson."""

from __future__ import annotations

import re
from collections import defaultdict

import pytest
from desk import ALT, Desk, K
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QTabBar, QTabWidget

from nimdesk.ui.look.actions import EXPERIMENTS, LABORATORY
from nimdesk.ui.shell.window import MainWindow


def mnemonic(text: str) -> str:
    found = re.search(r"&(?!&)(\w)", text.replace("&&", ""))
    return found[1].upper() if found else ""


def shared(window: MainWindow) -> dict[str, list[str]]:
    """The letters that more than one thing answers to, and what those say."""
    shown = [*window.findChildren(QAbstractButton), *window.findChildren(QLabel)]
    texts = [widget.text() for widget in shown if widget.isVisible()]
    for bar in window.findChildren(QTabBar):
        texts += [bar.tabText(index) for index in range(bar.count()) if bar.isVisible()]
    # Menus that are hidden, too: they answer to the letters of their titles.
    texts += [action.text() for action in window.menuBar().actions()]
    letters = defaultdict(list)
    for text in texts:
        if letter := mnemonic(text):
            letters[letter].append(text)
    assert len(letters) > 5
    return {letter: there for letter, there in letters.items() if len(there) > 1}


@pytest.mark.parametrize("lesson", [False, True], ids=["alone", "lesson"])
def test_letters_of_the_laboratory_differ_with_every_tab(desk: Desk, lesson: bool) -> None:
    desk.window.modes.show_mode(LABORATORY)
    page = desk.session.laboratory.page
    assert page is not None
    page.set_two_views(True)
    if lesson:
        desk.window.actions_by_name["first_lesson"].trigger()
        desk.session.lessons.go_on()
        assert desk.session.lessons.number == 2
    for index in range(page.tabs.count()):
        page.tabs.setCurrentIndex(index)
        QApplication.processEvents()
        assert shared(desk.window) == {}, page.tabs.tabText(index)


def test_a_letter_of_a_hidden_menu_is_free_for_a_button(desk: Desk) -> None:
    page = desk.analyse()
    for letter, scale in ((K.Key_E, "linear"), (K.Key_O, "log")):
        desk.press((letter, ALT))
        desk.wait(page.run_bar.scale.button(scale).isChecked)


def test_letters_of_the_experiments_differ_with_every_tab(desk: Desk) -> None:
    desk.window.modes.show_mode(EXPERIMENTS)
    QApplication.processEvents()
    seen = 0
    for tabs in desk.window.findChildren(QTabWidget):
        for index in range(tabs.count()) if tabs.isVisible() else ():
            tabs.setCurrentIndex(index)
            QApplication.processEvents()
            assert shared(desk.window) == {}, tabs.tabText(index)
            seen += 1
    assert seen >= 2
