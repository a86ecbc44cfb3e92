"""README's five minutes, and what F1 says to try, are true: each step is played in the real window."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from desk import LEFT, Desk, K, OpenDesk, stored
from PySide6.QtCore import QPoint
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTextBrowser

from nimdesk.games import parse_position
from nimdesk.play.moment import State
from nimdesk.settings import Settings

README = Path(__file__).parents[2] / "README.md"


def step(number: int) -> str:
    """This step of README, in one line."""
    text = README.read_text(encoding="utf-8").partition("## Five minutes")[2].partition("\n## ")[0]
    found = re.search(rf"\n{number}\. (.*?)(?=\n\d\. |\Z)", text, re.DOTALL)
    assert found is not None
    return " ".join(found[1].split())


@pytest.fixture
def first(open_desk: OpenDesk, tmp_path: Path) -> Desk:
    """The very first start, but for moves that are animated."""
    store = stored(tmp_path / "first.json", Settings(animations="off"))
    return open_desk(None, None, None, store=store)


def test_the_first_three_steps(first: Desk) -> None:
    assert "opens Connect Four" in step(1)
    assert first.controller.game.game.title == "Connect Four"
    assert "your turn" in step(1)
    assert first.headline == "Your turn"
    assert first.notice.startswith("Click a column to drop your disc.")
    first.click("d1")
    opponent = first.controller.game.players[1]
    assert "*Beginner* answers" in step(1)
    assert opponent.info.title.endswith("Beginner")  # type: ignore[union-attr]
    assert first.headline.endswith("Beginner is thinking…")
    first.wait(lambda: first.panel.searched is not None)
    assert first.panel.searched is not None
    assert first.panel.searched.iterations < 50, "its first simulations can be followed"
    first.wait_for(State.HUMAN)

    assert "how *Beginner* chose its move" in step(2)
    first.wait(lambda: bool(re.match("How .*Beginner chose move 2, Yellow: ", first.panel.title.text())))
    legend = first.panel.legend

    def looks_back() -> bool:
        """Move over the first row until it is laid out and the board follows."""
        row = legend.visualRect(legend.model().index(0, 0)).center()
        QTest.mouseMove(legend.viewport(), row)
        QTest.mouseMove(legend.viewport(), row + QPoint(1, 0))
        return first.board.position == parse_position("mnk:7,6,4:gravity d1")

    first.wait(looks_back)
    assert "the board goes back to the position that was searched" in step(2)
    assert first.board.shown.overlay
    QTest.mouseMove(first.panel.toolbar, QPoint(1, 1))
    first.wait(lambda: first.board.position == first.controller.position)

    assert "Press F2: *MCTS* thinks for two seconds" in step(3)
    assert first.controller.suggester.info.title == "MCTS"
    assert first.controller.suggester.limit.time_s == 2.0
    first.board.setFocus()
    first.press(K.Key_F2)
    first.wait(lambda: first.controller.suggestion is not None)
    assert len(first.moves) == 2, "nothing is played"
    pointed = first.controller.suggestion
    assert pointed is not None
    first.leave()
    first.hover(pointed.text)
    assert first.panel.pane.frame.highlight == pointed


def test_the_first_lesson_of_the_other_steps(first: Desk) -> None:
    offer, lessons = first.window.plots.offer, first.session.lessons
    assert offer is not None
    assert "*Show me* above the plot" in step(4)
    QTest.mouseClick(offer.yes, LEFT)
    panel, told = lessons.panel, list[str]()
    assert panel is not None
    while lessons.lesson is not None:
        first.wait(panel.next.isEnabled)  # the page is made in turns, and the searches are awaited
        told.append(panel.text.toPlainText())
        if len(told) == 10:
            uct, mcts = first.laboratory.model.searches.runs
        QTest.mouseClick(panel.next, LEFT)
    assert "with 500 simulations on Nim 3-4-5" in step(4)
    assert "With the seeds 1 to 100 the search finds it 6 times" in step(4)
    assert any("With 500 simulations the search finds it with 6 of 100 seeds" in text for text in told)
    assert "With 100,000 simulations" in step(5)
    assert uct.snapshot is not None
    assert uct.snapshot.best_move is not None
    assert uct.snapshot.best_move.text == "1-2"
    assert mcts.snapshot is not None
    assert "some 60 simulations" in step(6)
    assert 40 <= mcts.snapshot.iterations <= 80
    assert "certain" in told[-2]


def test_what_the_help_page_says_to_try_happens(first: Desk) -> None:
    first.press(K.Key_F1)
    first.wait(lambda: bool(first.window.findChildren(QTextBrowser)))
    text = " ".join(first.window.findChildren(QTextBrowser)[0].toPlainText().split())
    assert "Choose Nim 3-4-5 as a new game and press F2" in text
    first.press(K.Key_Escape)
    first.session.games.start(parse_position("nim:3,4,5"))
    first.button("suggest")
    first.wait(lambda: first.controller.suggestion is not None)
    assert first.notice == "Hint: take 2 from pile 1 (proven: it wins)."
    snapshot = first.controller.shown_snapshot
    assert snapshot is not None
    assert "within a hundred simulations" in text
    assert snapshot.iterations <= 100
