"""What goes to paper: nothing is cut by the end of a page, and boards are in the colours of print."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec.structs import replace
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage, QPainter
from pytestqt.qtbot import QtBot

from nimdesk.games import parse_position
from nimdesk.lessons import Lesson
from nimdesk.lessons.files import lesson_from
from nimdesk.lessons.judging import Key
from nimdesk.ui.look.theme import DARK, LIGHT, LOOK, printed
from nimdesk.ui.paper.document import WIDTH, Box, beside, heading, pages_of, pdf, stacked, words
from nimdesk.ui.paper.report import board_beside
from nimdesk.ui.paper.worksheet import step_boxes


def box(height: float) -> Box:
    return Box(height, lambda painter: painter.fillRect(QRectF(0, 0, 10, height), QColor("red")))


def painted(shown: Box) -> QImage:
    image = QImage(round(WIDTH), round(shown.height), QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    with QPainter(image) as painter:
        shown.paint(painter)
    return image


def test_no_box_is_cut_by_the_end_of_a_page() -> None:
    heights = [400.0, 400.0, 400.0, 3000.0, 100.0, 800.0]
    pages = [[each.height for each in page] for page in pages_of([box(height) for height in heights])]
    assert pages == [[400, 400], [400], [3000], [100, 800]]


def test_boxes_stand_below_and_beside_each_other(qtbot: QtBot) -> None:
    image = painted(beside(stacked([box(20), box(20)]), 100, box(50)))
    red = [[image.pixelColor(x, y) == QColor("red") for x in (5, 50, 105)] for y in (10, 26, 40)]
    assert red == [[True, False, True], [False, False, True], [True, False, True]]


def test_words_and_boards_are_dark_on_white_whatever_the_look(qtbot: QtBot) -> None:
    LOOK.use(DARK)
    try:
        with printed():
            text = painted(words("**Seven** sticks", markdown=True))
            board = painted(board_beside(parse_position("mnk:3,3,3 b2"), (), [words("X begins.")]))
        assert LOOK.theme is DARK
    finally:
        LOOK.use(LIGHT)
    for image in (text, board):
        shades = [image.pixelColor(x, y).lightness() for x in range(image.width()) for y in range(image.height())]
        assert max(set(shades), key=shades.count) == 255
        assert min(shades) < 60


def test_a_table_in_a_text_is_a_table(qtbot: QtBot) -> None:
    row = words("a", markdown=True).height
    assert words("| a | b |\n| - | - |\n| 1 | 2 |\n| 3 | 4 |", markdown=True).height > 2.5 * row


def test_a_document_has_a_page_for_each_and_its_title(qtbot: QtBot) -> None:
    made = pdf("A game", lambda: [box(600.0), box(600.0)])
    assert made.startswith(b"%PDF-")
    assert b"/Count 2" in made
    assert "A game".encode("utf-16-be") in made


def every_kind() -> Lesson:
    tasks: list[dict[str, Any]] = [
        {"kind": "move"},
        {"kind": "choice", "choices": ["one", "two"], "right": 1},
        {"kind": "which", "iterations": 50},
        {"kind": "number", "number": "moves"},
        {"kind": "curve", "iterations": 200},
        {"kind": "option", "options": ["exploration"], "iterations": 50},
        {"kind": "text", "lines": 3, "answer": "Because."},
        {"kind": "prove"},
        {"kind": "fault", "agent": 3},
    ]
    agents = [{"agent": "uct"}, {"agent": "flat"}, {"agent": "variants", "options": {"backup": "root"}}]
    shown = {"position": "mnk:3,3,3", "agents": agents}
    steps: list[dict[str, Any]] = [{"text": "*Look.*", "task": task} for task in tasks]
    steps[0]["show"], steps[7]["show"] = shown, {"page": "play"}
    made = {"format": "nimdesk-lesson", "version": 1, "title": "All", "about": "?", "steps": steps}
    return lesson_from(msgspec.json.encode(made))


def test_every_kind_of_question_has_room_for_its_answer_and_a_key(qtbot: QtBot) -> None:
    lesson = every_kind()
    with printed():
        for number in range(1, len(lesson.steps) + 1):
            blank, key = (stacked(step_boxes(lesson, number, each)) for each in (None, Key("One.")))
            asked = stacked([heading("1."), words(lesson.steps[number - 1].text, markdown=True)])
            assert min(blank.height, key.height) > asked.height + 12, lesson.steps[number - 1].task


def test_the_key_shows_the_curve_that_was_to_be_drawn(qtbot: QtBot) -> None:
    lesson, curve = every_kind(), ((1.0, 0.2), (200.0, 0.9))
    accent = LIGHT.color("accent").rgb()

    def inked(key: Key | None) -> bool:
        image = painted(stacked(step_boxes(lesson, 5, key)))
        return any(image.pixel(x, y) == accent for x in range(image.width()) for y in range(image.height()))

    with printed():
        assert inked(Key("", curve))
        assert not inked(None)


def test_a_step_that_asks_nothing_is_not_in_the_key(qtbot: QtBot) -> None:
    lesson = every_kind()
    quiet = replace(lesson, steps=[replace(lesson.steps[0], task=None)])
    with printed():
        assert step_boxes(quiet, 1, None)
        assert step_boxes(quiet, 1, Key("")) == []
