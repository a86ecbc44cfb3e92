"""The small parts that several panels share."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QAbstractListModel, Qt
from PySide6.QtGui import QColor, QIcon
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from nimdesk.agents import CATALOGUE, PUBLISHED, make_agent
from nimdesk.games import parse_position
from nimdesk.search import ResumableSearcher, drive
from nimdesk.ui.look.agent_choice import AgentChoice
from nimdesk.ui.look.painting import icon
from nimdesk.ui.look.theme import DARK, LIGHT, Theme
from nimdesk.ui.look.widgets import ElidedLabel, SearchStatus

WORDS = "3,000,001 nodes after 3,000,000 iterations"


def painted(label: ElidedLabel) -> str:
    return QLabel.text(label)


def test_words_that_do_not_fit_end_in_an_ellipsis_and_are_whole_elsewhere(qtbot: QtBot) -> None:
    label = ElidedLabel()
    qtbot.addWidget(label)
    label.resize(100, 20)
    label.show()
    label.setText(WORDS)
    assert painted(label).endswith("…")
    assert label.text() == label.toolTip() == label.accessibleName() == WORDS
    label.resize(1000, 20)
    assert painted(label) == WORDS
    assert label.toolTip() == ""


def test_a_tool_tip_of_its_own_stays(qtbot: QtBot) -> None:
    label = ElidedLabel()
    qtbot.addWidget(label)
    label.setToolTip("more")
    label.resize(50, 20)
    label.show()
    label.setText(WORDS)
    assert label.toolTip() == "more"
    assert painted(label).endswith("…")


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_icon_of_a_disabled_button_is_seen_and_fainter_than_that_of_an_enabled_one(theme: Theme) -> None:
    button = QColor(theme.button).lightnessF()

    def seen(mode: QIcon.Mode) -> float:
        """How far its strongest pixel is from the button it stands on."""
        image = icon("pause", theme).pixmap(20, 20, mode).toImage()
        colors = [image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height())]
        return max(abs(color.lightnessF() - button) * color.alphaF() for color in colors)

    assert 0.2 < seen(QIcon.Mode.Disabled) < 0.8 * seen(QIcon.Mode.Normal)


def test_agents_are_listed_though_pyside_takes_their_model_for_another(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As once where the model of the box had come to the address of another object.
    monkeypatch.setattr(AgentChoice, "model", QAbstractListModel)
    choice = AgentChoice(human="human")
    qtbot.addWidget(choice)
    monkeypatch.undo()
    flags = {choice.itemText(row): choice.model().index(row, 0).flags() for row in range(choice.count())}
    assert [text for text, flag in flags.items() if not flag & Qt.ItemFlag.ItemIsEnabled] == ["Levels", "Engines"]
    assert {"You", *(info.title for info in CATALOGUE.values())} <= flags.keys()


@pytest.mark.qt_log_ignore(r"raise\(\)", "grabbing the keyboard", extend=True)  # all that the list says offscreen
def test_published_agents_are_offered_once_their_entry_is_unfolded(qtbot: QtBot) -> None:
    choice = AgentChoice()
    qtbot.addWidget(choice)
    choice.show_key("level3")
    heard: list[object] = []
    choice.activated.connect(lambda index: heard.append(choice.choose(index)))

    def texts() -> list[str]:
        return [choice.itemText(row) for row in range(choice.count())]

    folded = len(texts())
    assert texts()[-1] == "As published ▸"
    assert not {each.title for each in PUBLISHED.values()} & set(texts())
    choice.setFocus()
    while None not in heard:
        QTest.keyClick(choice, Qt.Key.Key_Down)
    assert {each.title for each in PUBLISHED.values()} <= set(texts())
    assert choice.currentText() == texts()[folded - 2], "the one chosen before stays"
    choice.hidePopup()


def test_the_figure_of_the_iterations_says_that_one_visit_kept_in_a_tree_belongs_to_no_move(qtbot: QtBot) -> None:
    status = SearchStatus()
    qtbot.addWidget(status)
    searcher = make_agent("uct", {"iterations": 50, "keep_tree": True}).new_searcher()
    assert isinstance(searcher, ResumableSearcher)
    first = parse_position("mnk:4,3,3")
    searcher.start(first, 1)
    drive(searcher)
    assert searcher.resume(first.play(searcher.snapshot().moves[0].move), 1)
    drive(searcher)
    ended = searcher.snapshot()
    status.show_snapshot(ended)
    (figure,) = [each for each in status.findChildren(QLabel) if "kept" in each.text()]
    assert figure.text() == f"{ended.iterations:,} simulations + {ended.reused:,} kept"
    assert ended.total_visits == ended.iterations + ended.reused - 1
    about = " ".join(figure.toolTip().split())
    assert "one of them is the first visit of the position itself, and belongs to no move" in about
