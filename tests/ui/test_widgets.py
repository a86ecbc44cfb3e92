"""The small parts that several panels share."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QAbstractListModel, Qt
from PySide6.QtGui import QColor, QIcon
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from nimdesk.agents import CATALOGUE
from nimdesk.ui.look.agent_choice import AgentChoice
from nimdesk.ui.look.painting import icon
from nimdesk.ui.look.theme import DARK, LIGHT, Theme
from nimdesk.ui.look.widgets import ElidedLabel

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
    assert [text for text, flag in flags.items() if not flag & Qt.ItemFlag.ItemIsEnabled] == [
        *("Levels", "Engines", "As published: rebuilt from documents")
    ]
    assert {"You", *(info.title for info in CATALOGUE.values())} <= flags.keys()
