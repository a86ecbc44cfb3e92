"""The small parts that several panels share."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

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
