"""What a question is answered with: each widget says the answer that is filled in, and takes it back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from desk import LEFT, K
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QRadioButton
from pytestqt.qtbot import QtBot

from nimdesk.lessons.files import lesson_from
from nimdesk.lessons.model import Shown
from nimdesk.ui.lessons.pad import CurvePad
from nimdesk.ui.lessons.questions import Question, question_for


def shown(task: dict[str, Any], agents: list[dict[str, Any]] | None = None) -> Shown:
    show = {"position": "nim:3,4,5", "agents": agents or [{"agent": "uct"}, {"agent": "mcts"}]}
    step = {"text": "", "show": show, "task": task}
    document = {"format": "nimdesk-lesson", "version": 1, "title": "T", "about": "?", "steps": [step]}
    return lesson_from(json.dumps(document).encode()).at(1)


def made(qtbot: QtBot, *about: Any) -> Question:
    question = question_for(shown(*about))
    qtbot.addWidget(question)
    question.show()
    return question


@pytest.mark.parametrize(
    ("task", "answer"),
    [
        ({"kind": "choice", "choices": ["One.", "Two."], "right": 1}, 2),
        ({"kind": "which", "iterations": 10}, "B"),
        ({"kind": "which", "of": "moves", "iterations": 10}, "2-4"),
        ({"kind": "number", "number": "moves"}, 431_128),
        ({"kind": "number", "number": "moves"}, 0.25),
        ({"kind": "option", "options": ["exploration"], "iterations": 10}, {"exploration": 0.3}),
        ({"kind": "text"}, "In my own words."),
    ],
)
def test_what_is_filled_in_is_the_answer(qtbot: QtBot, task: dict[str, Any], answer: Any) -> None:
    question = made(qtbot, task)
    question.restore(answer)
    with qtbot.waitSignal(question.answered) as heard:
        QTest.mouseClick(question.button, LEFT)
    assert heard.args == [answer]


def test_nothing_is_handed_in_before_there_is_an_answer(qtbot: QtBot) -> None:
    for task in ({"kind": "choice", "choices": ["One.", "Two."], "right": 1}, {"kind": "text"}):
        question = made(qtbot, task)
        with qtbot.assertNotEmitted(question.answered):
            QTest.mouseClick(question.button, LEFT)


def test_the_wrong_switch_is_chosen_among_those_that_may_be_it(qtbot: QtBot) -> None:
    question = made(qtbot, {"kind": "fault"}, [{"agent": "variants", "options": {"backup": "leaf"}}])
    question.restore("backup")
    assert question.answer() == "backup"
    question.restore("iterations")
    assert question.answer() is None, "how far it searches is no fault"


def test_a_curve_is_drawn_by_mouse_and_by_keys(qtbot: QtBot) -> None:
    pad = CurvePad((1, 1000), 1.0, log=True, words="simulations")
    qtbot.addWidget(pad)
    pad.resize(300, 160)
    pad.show()
    ends = pad.points[0], pad.points[-1]
    assert [round(x) for x, _y in ends] == [1, 1000]
    QTest.mouseClick(pad, LEFT, Qt.KeyboardModifier.NoModifier, QPoint(6, 7))
    assert pad.points[0][1] > 0.95
    for key in (K.Key_Right, K.Key_Up, K.Key_Up):
        QTest.keyClick(pad, key)
    assert pad.points[1][1] == pytest.approx(0.6)
    assert "0.6" in pad.accessibleDescription()
    QTest.mousePress(pad, LEFT, Qt.KeyboardModifier.NoModifier, QPoint(6, 7))
    QTest.mouseMove(pad, QPoint(294, 7))
    assert min(y for _x, y in pad.points) > 0.95, "a quick hand leaves no point behind"
    QTest.mouseRelease(pad, LEFT)
    drawn = pad.points
    again = CurvePad((1, 1000), 1.0, log=True, words="simulations")
    qtbot.addWidget(again)
    again.show_points(drawn)
    assert again.points == drawn


def test_an_option_that_is_folded_away_elsewhere_is_in_sight_where_it_is_asked_for(qtbot: QtBot) -> None:
    question = made(qtbot, {"kind": "option", "options": ["playouts"], "iterations": 10})
    assert question.form.edit("playouts").isVisible()


def test_agents_that_differ_in_an_option_are_told_apart(qtbot: QtBot) -> None:
    agents = [{"agent": "uct", "options": {"exploration": c}} for c in (0.0, 0.5)]
    question = made(qtbot, {"kind": "which", "iterations": 10}, agents)
    names = [radio.accessibleName() for radio in question.findChildren(QRadioButton)]
    assert [name.rpartition(" ")[2] for name in names] == ["0", "0.5"]
