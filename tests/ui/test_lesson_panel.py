"""A lesson in the window: told, answered by field and on the board, kept, left, and everything as it was before."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from desk import LEFT, Desk, K, OpenDesk
from PySide6.QtCore import QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from nimdesk.lessons import AnswerFile, shipped_lessons
from nimdesk.lessons.answers import answers_dir
from nimdesk.ui.jobs.bridge import Bridge, Job
from nimdesk.ui.lessons.panel import LessonPanel, MarkdownView
from nimdesk.ui.look.actions import LABORATORY, PLAY

UCT = [{"agent": "uct"}]
Begin = Callable[..., LessonPanel]


@pytest.fixture
def desk(open_desk: OpenDesk) -> Desk:
    return open_desk("nim:1,2")


@pytest.fixture
def begin(desk: Desk, tmp_path: Path) -> Begin:
    """Open a lesson of these steps from a file."""

    def opened(*steps: dict[str, Any], **changed: Any) -> LessonPanel:
        path = tmp_path / "own.nimdesk-lesson"
        lesson = {"format": "nimdesk-lesson", "version": 1, "title": "Own", "about": "?", "steps": steps, **changed}
        path.write_text(json.dumps(lesson), encoding="utf-8")
        desk.session.files.take([path])  # as a file that was dropped
        panel = desk.session.lessons.panel
        assert panel is not None
        return panel

    return opened


def first_step(**changed: Any) -> dict[str, Any]:
    return {"text": "Look.", "show": {"position": "nim:3,4,5", "agents": UCT, **changed}}


def test_enter_goes_on_and_the_end_leads_back_to_the_game(desk: Desk, begin: Begin) -> None:
    desk.click("2-1")
    before = desk.controller.game
    panel = begin(first_step(), {"text": "And on."})
    desk.wait(lambda: desk.window.modes.mode == LABORATORY)
    desk.wait(panel.next.hasFocus)
    desk.press(K.Key_Return)
    assert "And on." in panel.text.toPlainText()
    desk.press(K.Key_Return)
    assert panel.next.text() == "Back to my game"
    assert desk.session.lessons.lesson is not None
    desk.press(K.Key_Return)
    assert panel.isHidden()
    assert desk.window.modes.mode == PLAY
    assert desk.controller.game is before
    assert desk.moves[0] == "2-1"


def test_a_game_of_the_lesson_gives_way_to_the_one_before(desk: Desk, begin: Begin) -> None:
    before = desk.controller.game
    play = {"page": "play", "position": "nim:1,1,1", "agents": [{"agent": "perfect"}]}
    panel = begin({"text": "Win.", "show": play, "task": {"kind": "prove"}})
    assert desk.controller.position.text == "nim:1,1,1"
    desk.click("1-1")
    desk.wait(lambda: len(desk.moves) == 2)
    left = desk.controller.position.legal_moves[0].text
    desk.click(left)
    desk.wait(lambda: panel.verdict.text().startswith("✓ Right. You won"))
    QTest.mouseClick(panel.leave, LEFT)
    assert desk.controller.game is before


def test_a_move_on_the_board_of_the_last_step_is_no_answer_once_the_lesson_is_at_its_end(
    desk: Desk, begin: Begin, monkeypatch: pytest.MonkeyPatch
) -> None:
    play = {"page": "play", "position": "nim:1,2"}
    panel = begin({"text": "Win.", "show": play, "task": {"kind": "move"}})
    panel.next.click()
    assert "0 of 1 questions are answered right" in panel.text.toPlainText()
    judged, start = [], Bridge.start

    def spy(bridge: Bridge, *parts: Any, **more: Any) -> Job:
        if bridge.parent() is desk.session.lessons:
            judged.append(parts)
        return start(bridge, *parts, **more)

    monkeypatch.setattr(Bridge, "start", spy)
    desk.click("2-1")
    assert desk.moves == ["2-1"]
    assert not judged


def test_a_window_that_is_closed_in_a_lesson_opens_with_the_game_before(desk: Desk, begin: Begin) -> None:
    before = desk.controller.game
    begin({"text": "Win.", "show": {"page": "play", "position": "nim:1,1,1", "agents": [{"agent": "perfect"}]}})
    assert desk.controller.game is not before
    desk.window.close()
    assert desk.controller.game is before
    assert desk.session.preferences.now.position == "nim:1,2"


def test_it_waits_for_search_and_truth_before_it_speaks_of_them(desk: Desk, begin: Begin) -> None:
    panel = begin({**first_step(iterations=2000, truth="shown"), "found": "Only 1-2 wins."})
    desk.wait(lambda: panel.waits.text() != "")
    assert not panel.next.isEnabled()
    assert "Only 1-2 wins." not in panel.text.toPlainText()
    desk.wait(panel.next.isEnabled)
    page = desk.laboratory
    assert "Only 1-2 wins." in panel.text.toPlainText()
    assert page.model.proof.known.truth is not None
    snapshot = page.model.searches.runs[0].snapshot
    assert snapshot is not None
    assert snapshot.iterations == 2000


def test_what_a_step_tells_is_of_its_last_simulation_also_after_the_search_went_further(
    desk: Desk, begin: Begin
) -> None:
    panel = begin(first_step(), {**first_step(iterations=500), "found": "So far."})
    desk.wait(lambda: desk.window.modes.mode == LABORATORY)
    searches = desk.laboratory.model.searches
    searches.set_limit(2000.0)
    searches.run()

    def iterations() -> int:
        snapshot = searches.runs[0].snapshot
        return 0 if snapshot is None or searches.running else snapshot.iterations

    desk.wait(lambda: iterations() == 2000)
    panel.next.click()
    desk.wait(lambda: "So far." in panel.text.toPlainText())
    desk.wait(lambda: iterations() == 500)


def test_a_step_that_leaves_the_search_to_the_person_shows_nothing_that_was_found_there_before(
    desk: Desk, begin: Begin
) -> None:
    panel = begin(first_step(iterations=50), first_step(position="nim:1,2"), {"text": "Same."}, first_step())
    desk.wait(lambda: desk.session.laboratory.page is not None and desk.session.laboratory.open)
    searches = desk.laboratory.model.searches

    def found(count: int) -> bool:
        snapshot = searches.runs[0].snapshot
        return not searches.running and (0 if snapshot is None else snapshot.iterations) == count

    desk.wait(lambda: found(50))
    for kept in (0, 0, 0):
        panel.next.click()
        assert found(kept)
    panel.back.click()
    searches.set_limit(70.0)
    searches.run()
    desk.wait(lambda: found(70))
    panel.back.click()
    assert found(70), "nothing else is shown there"


def test_the_end_leads_on_to_the_next_lesson_of_the_course(desk: Desk) -> None:
    first, second, *_ = shipped_lessons()
    file = AnswerFile(first)
    file.keep(msgspec.structs.replace(file.answers, at=len(first.steps)))
    desk.session.lessons.begin(first)
    panel = desk.session.lessons.panel
    assert panel is not None
    assert panel.following.isHidden()
    desk.wait(panel.next.isEnabled)
    panel.next.click()
    assert panel.following.toolTip() == second.title
    QTest.mouseClick(panel.following, LEFT)
    assert panel.title.text() == second.title
    assert desk.session.lessons.number == 1


def test_the_keyboard_is_at_the_question_once_a_hint_is_there(desk: Desk, begin: Begin) -> None:
    asked = {"task": {"kind": "number", "number": "moves"}, "hint": "Count."}
    panel = begin({**first_step(), **asked})
    panel.hint.setFocus()
    desk.press(K.Key_Return)
    assert panel.question is not None
    assert panel.question.first is not None
    desk.wait(panel.question.first.hasFocus)


def test_a_search_that_does_not_sample_is_awaited_by_its_nodes(desk: Desk, begin: Begin) -> None:
    agents = [{"agent": "alphabeta", "options": {"depth": None}}]
    show = {"position": "mnk:3,3,3", "agents": agents, "iterations": 300, "axis": "nodes"}
    panel = begin({"text": "Look.", "found": "So far.", "show": show})
    desk.wait(lambda: "So far." in panel.text.toPlainText())
    snapshot = desk.laboratory.model.searches.runs[0].snapshot
    assert snapshot is not None
    assert snapshot.tree_nodes >= 300


def test_the_truth_is_hidden_until_the_board_has_answered(desk: Desk, begin: Begin) -> None:
    panel = begin({**first_step(truth="after"), "task": {"kind": "move"}, "right": "Balanced."})
    desk.wait(lambda: desk.session.laboratory.page is not None and desk.session.laboratory.open)
    page = desk.laboratory
    truth = desk.window.actions_by_name["lab_truth"]
    assert not page.truth_shown
    assert not truth.isEnabled()
    for move, sign in (("3-5", "✗"), ("1-2", "✓")):
        page.board_panel.board.move_chosen.emit(page.model.place.position.parse_move(move))
        desk.wait(lambda sign=sign: panel.verdict.text().startswith(sign))  # type: ignore[misc]
        assert page.truth_shown is (sign == "✓")
        assert page.model.place.position.text == "nim:3,4,5", "an answer is not played"
    assert panel.verdict.text().endswith("Balanced.")
    assert truth.isEnabled()
    kept = AnswerFile(desk.session.lessons.lesson or shipped_lessons()[0]).answers.of(1)
    assert kept is not None
    assert (kept.answer, kept.right, kept.attempts) == ("1-2", True, 2)


def test_of_a_prediction_the_first_answer_counts_and_the_verdict_tells_what_came(desk: Desk, begin: Begin) -> None:
    panel = begin({**first_step(position="nim:1,1,1"), "task": {"kind": "number", "number": "games"}})
    question = panel.question
    assert question is not None
    for answer, said in ((5, "✗ It came differently. It is 6; you said 5."), (6, "✓ Right. It is 6; you said 6.")):
        question.restore(answer)
        QTest.mouseClick(question.button, LEFT)
        desk.wait(lambda said=said: panel.verdict.text().startswith(said))  # type: ignore[misc]
        assert panel.solution.isHidden()
    assert panel.verdict.text().endswith("Your first prediction counts.")
    kept = AnswerFile(desk.session.lessons.lesson or shipped_lessons()[0]).answers.of(1)
    assert kept is not None
    assert (kept.answer, kept.right, kept.attempts) == (5, False, 2)


def test_what_can_be_worked_out_is_not_told_before_it_is_asked_for(desk: Desk, begin: Begin) -> None:
    asked = {"task": {"kind": "number", "number": "moves"}, "right": "3 + 4 + 5."}
    panel = begin({**first_step(), **asked})
    assert panel.question is not None
    panel.question.restore(7)
    QTest.mouseClick(panel.question.button, LEFT)
    desk.wait(lambda: panel.verdict.text() == "✗ Not yet. It is more than 7.")
    QTest.mouseClick(panel.solution, LEFT)
    desk.wait(lambda: panel.verdict.text() == "The answer: 12. 3 + 4 + 5.")


def test_after_a_wrong_answer_the_keyboard_is_at_the_question_again(desk: Desk, begin: Begin) -> None:
    panel = begin({**first_step(), "task": {"kind": "choice", "choices": ["One.", "Two."], "right": 1}})
    desk.wait(lambda: desk.window.modes.mode == LABORATORY)
    question = panel.question
    assert question is not None
    assert question.first is not None
    desk.wait(question.first.hasFocus)
    question.restore(2)
    question.button.setFocus()
    desk.press(K.Key_Return)
    desk.wait(lambda: panel.verdict.text().startswith("✗"))
    assert question.first.hasFocus(), "and not at the way on"


def test_it_goes_on_where_it_was_left_and_next_restores_what_a_step_shows(desk: Desk, begin: Begin) -> None:
    steps = (first_step(), {**first_step(position="nim:1,2,3"), "text": "Two."}, {"text": "Three."})
    panel = begin(*steps)
    desk.wait(lambda: desk.session.laboratory.page is not None and desk.session.laboratory.open)
    page = desk.laboratory
    page.model.place.go_to(page.model.place.position.play(page.model.place.position.legal_moves[0]))
    QTest.mouseClick(panel.next, LEFT)
    assert page.model.place.position.text == "nim:1,2,3"
    QTest.mouseClick(panel.leave, LEFT)
    panel = begin(*steps)
    assert "Two." in panel.text.toPlainText()
    desk.wait(lambda: page.model.place.position.text == "nim:1,2,3")
    QTest.mouseClick(panel.back, LEFT)
    assert page.model.place.position.text == "nim:3,4,5"


def test_locks_hold_and_are_lifted_at_the_end(desk: Desk, begin: Begin) -> None:
    task = {"kind": "choice", "choices": ["Yes.", "No."], "right": 1}
    locked = ["position", "agents", "limit", "truth", "views", "next"]
    panel = begin({**first_step(), "task": task}, locked=locked)
    desk.wait(lambda: desk.session.laboratory.page is not None and desk.session.laboratory.open)
    page, actions = desk.laboratory, desk.window.actions_by_name
    parts = page.position_bar, page.agents, page.run_bar.limit, page.views.panes[0].choice

    def free() -> set[bool]:
        return {each.isEnabled() for each in parts}

    page.model.place.play(page.model.place.position.legal_moves[0])
    assert page.model.place.position.text == "nim:3,4,5"
    assert free() == {False}
    assert not actions["lab_truth"].isEnabled()
    assert not panel.next.isEnabled()
    assert panel.question is not None
    panel.question.restore(1)
    QTest.mouseClick(panel.question.button, LEFT)
    desk.wait(panel.next.isEnabled)
    desk.session.lessons.leave()
    assert free() == {True}
    desk.window.modes.show_mode(LABORATORY)  # elsewhere an action of the laboratory has no key
    assert actions["lab_truth"].isEnabled()
    assert page.model.place.position.text == "nim:1,2"


def test_the_laboratory_is_as_it_was_before(desk: Desk, begin: Begin) -> None:
    page = desk.analyse()
    page.model.agents.set_seed(0, 7)
    before, shown = page.remember(), page.model.place.position
    begin(first_step(iterations=50, truth="shown", second="regret"))
    desk.wait(lambda: page.model.place.position.text == "nim:3,4,5")
    desk.session.laboratory.remember()
    assert desk.session.preferences.now.laboratory == before, "what is remembered is the person's"
    desk.session.lessons.leave()
    assert (page.remember(), page.model.place.position) == (before, shown)
    assert desk.window.modes.mode == LABORATORY


def test_a_bad_file_is_told_in_one_sentence_and_changes_nothing(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr("nimdesk.ui.look.desktop.warn", lambda _window, sentence: told.append(sentence))
    path = tmp_path / "bad.nimdesk-lesson"
    path.write_text('{"format": "nimdesk-lesson", "version": 1, "title": "", "steps": []}', encoding="utf-8")
    desk.session.files.open(path)
    assert desk.session.lessons.lesson is None
    assert len(told) == 1
    assert "bad.nimdesk-lesson" in told[0]


def test_answers_that_a_newer_nimdesk_has_kept_are_told_of_before_the_first_answer(
    desk: Desk, begin: Begin, warnings: list[str]
) -> None:
    begin(first_step(), {"text": "And on."}).next.click()
    desk.session.lessons.leave()
    (kept,) = answers_dir().iterdir()
    kept.write_bytes(kept.read_bytes().replace(b'"version": 1', b'"version": 2'))
    begin(first_step(), {"text": "And on."})
    assert len(warnings) == 1
    assert "made by a newer nimdesk" in warnings[0]
    assert desk.session.lessons.number == 1


def test_nothing_is_loaded_from_outside(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[QUrl] = []
    monkeypatch.setattr("nimdesk.ui.lessons.panel.QDesktopServices.openUrl", opened.append)
    view = MarkdownView()
    view.show_markdown(f"![picture]({tmp_path}/secret.png) <img src='{tmp_path}/secret.png'> [a](file:///etc/passwd)")
    QApplication.processEvents()
    assert view.loadResource(2, QUrl.fromLocalFile(str(tmp_path / "secret.png"))) is None
    assert "<img src" in view.toPlainText(), "HTML is shown letter by letter"
    for address in ("file:///etc/passwd", "http://example.org", "javascript:1", "https://example.org"):
        view.anchorClicked.emit(QUrl(address))
    assert [url.toString() for url in opened] == ["https://example.org"]


def test_the_menu_lists_the_lessons_with_ticks_for_those_done(desk: Desk) -> None:
    lesson = shipped_lessons()[0]
    menus = desk.window.menuBar().findChildren(type(desk.window.menuBar().addMenu("")))
    menu = next(each for each in menus if each.title() == "&Lessons")
    menu.aboutToShow.emit()
    assert menu.actions()[0].text() == f"1. {lesson.title}"
    kept = AnswerFile(lesson)
    desk.session.lessons.begin(lesson)
    desk.session.lessons._keep(at=len(lesson.steps) + 1)
    menu.aboutToShow.emit()
    assert menu.actions()[0].text() == f"✓ 1. {lesson.title}"
    assert kept.path.exists()
