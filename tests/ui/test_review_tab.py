"""Review and practice: what the tab shows is what the review found, and what was missed can be tried until right."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from bad_games import LOADED
from desk import CTRL, HUMAN, LEFT, NONE, WAIT_MS, K, OpenDesk
from example_packages import installed
from msgspec.structs import replace
from plugin_packages import install
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from nimdesk.disk import paths
from nimdesk.games import parse_position
from nimdesk.lessons import load_lesson
from nimdesk.play import GameInProgress, Human
from nimdesk.play.exercises import MAX_EXERCISES, Exercise, load_exercises, save_exercises
from nimdesk.play.move_review import Mark
from nimdesk.play.review import reviewer, worth_words
from nimdesk.ui.jobs.bridge import GarbageCollector
from nimdesk.ui.look.theme import LOOK
from nimdesk.ui.play.practice import ExerciseBox, PracticeDialog
from nimdesk.ui.play.review import ReviewPanel

LOST = "mnk:3,3,3 b2 a2 a1 c3 a3 b1 c1"
MISSED = Exercise(position="nim:3,4,5 1-2 3-5", best=["2-3"], line=["2-3", "1-1", "2-1"], played="2-4", exact=True)


def game_of(text: str) -> GameInProgress:
    return GameInProgress(parse_position(text), (Human(), Human()))


@pytest.fixture
def panel(qtbot: QtBot) -> Iterator[ReviewPanel]:
    made = ReviewPanel()
    qtbot.addWidget(made)
    made.resize(520, 420)
    made.show()
    yield made
    made.end()


@pytest.fixture
def box(qtbot: QtBot, tmp_path: Path) -> Iterator[ExerciseBox]:
    made, garbage = ExerciseBox(tmp_path / "box" / "exercises.json"), GarbageCollector()
    yield made
    made.end()
    garbage.end()


def review(panel: ReviewPanel, qtbot: QtBot, text: str) -> GameInProgress:
    game = game_of(text)
    gone_through(panel, qtbot, game)
    return game


def gone_through(panel: ReviewPanel, qtbot: QtBot, game: GameInProgress) -> None:
    panel.show_game(game)
    panel.budget.setCurrentIndex(0)
    QTest.mouseClick(panel.begin, LEFT)
    assert panel.busy
    qtbot.waitUntil(lambda: not panel.busy, timeout=WAIT_MS)


def rows(panel: ReviewPanel) -> list[list[str]]:
    model = panel.model
    return [
        [str(model.data(model.index(row, column))) for column in range(model.columnCount())]
        for row in range(model.rowCount())
    ]


def test_a_whole_review_is_saved_as_a_report_and_as_a_lesson(
    open_desk: OpenDesk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, path, look = open_desk("mnk:3,3,3 b2 a2", HUMAN, HUMAN), tmp_path / "report.pdf", LOOK.theme
    panel = desk.session.review
    assert panel is not None
    assert desk.enabled("report") == [False], "nothing was reviewed yet"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    desk.press(K.Key_F7)
    desk.wait(lambda: desk.enabled("report") == [True])
    desk.press((K.Key_F7, CTRL))
    assert path.read_bytes().startswith(b"%PDF-")
    assert str(path) in desk.notice
    assert look is LOOK.theme
    path = tmp_path / "missed.nimdesk-lesson"
    desk.press((K.Key_F7, CTRL | Qt.KeyboardModifier.ShiftModifier))
    assert [step.title for step in load_lesson(path).steps] == ["The game", "Move 2, O"]
    desk.click("a1")
    assert desk.enabled("report") == [False], "that is not the game that was reviewed"


def test_every_figure_of_the_tab_is_that_of_the_review(panel: ReviewPanel, qtbot: QtBot) -> None:
    game = review(panel, qtbot, LOST)
    positions = [game.position_at(ply) for ply in range(len(game.plies) + 1)]
    played = [(ply.move, ply.by) for ply in game.plies]
    own = sorted(reviewer(2000).moves(positions, played), key=lambda each: each.ply)
    bad = [each for each in own if each.mark is not Mark.NONE]
    side = game.game.side_name
    shown = [[str(m.ply), side(m.side), m.move.text, m.mark.value, worth_words(m), m.sentence] for m in bad]
    assert rows(panel) == shown
    assert [row[4] for row in rows(panel)] == ["draw → loss", "win → draw", "draw → loss"]
    QTest.mouseClick(panel.all_moves, LEFT)
    assert [row[0] for row in rows(panel)] == [str(ply) for ply in range(1, 8)]
    assert panel.words.text().endswith("The game was decided at move 6, b1.")


def test_moves_that_came_with_the_start_are_not_listed(panel: ReviewPanel, qtbot: QtBot) -> None:
    game = game_of("mnk:3,3,3 b2 a2")
    for move in parse_position(LOST).moves[2:]:
        game.play(move, by="Human")
    gone_through(panel, qtbot, game)
    assert panel.words.text().startswith("O: 2 moves, ")
    QTest.mouseClick(panel.all_moves, LEFT)
    assert [row[0] for row in rows(panel)] == ["3", "4", "5", "6", "7"]


def test_choosing_a_mistake_shows_its_position_and_the_better_line(panel: ReviewPanel, qtbot: QtBot) -> None:
    game = review(panel, qtbot, LOST)
    lines: list[tuple[object, ...]] = []
    panel.jump_requested.connect(game.jump)
    panel.line_wanted.connect(lines.append)
    panel.table.setFocus()
    QTest.keyClick(panel.table, Qt.Key.Key_Down)
    panel.table.selectRow(0)
    assert game.cursor == 1
    assert lines[-1] == panel.model.moves[1].line


def test_every_sentence_is_whole(panel: ReviewPanel, qtbot: QtBot) -> None:
    review(panel, qtbot, LOST)
    table, column = panel.table, panel.model.columnCount() - 1
    for width in (520, 380):
        panel.resize(width, 420)
        QApplication.processEvents()
        for row in range(panel.model.rowCount()):
            words = str(panel.model.data(panel.model.index(row, column)))
            room = table.columnWidth(column) - 6
            needed = table.fontMetrics().boundingRect(0, 0, room, 0, Qt.TextFlag.TextWordWrap, words).height()
            assert table.rowHeight(row) >= needed, (width, table.columnWidth(column), words)


def test_a_move_that_was_judged_by_a_search_shows_that_search(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:15,15,5 h8 h9 i8 g7 j8 c3 k8 a1 a2", HUMAN, HUMAN)
    panel = desk.session.review
    assert panel is not None
    panel.budget.setCurrentIndex(0)
    panel.all_moves.setChecked(True)
    desk.press(K.Key_F7)
    desk.wait(lambda: not panel.busy and bool(panel.model.moves))
    judged = next(each for each in panel.model.moves if each.searched is not None)
    row = panel.model.moves.index(judged)
    panel.table.selectRow(row)
    assert desk.controller.game.cursor == judged.ply - 1
    assert desk.panel.searched is judged.searched
    assert desk.panel.title.text().startswith(f"Review of move {judged.ply}, ")
    assert desk.board.shown.overlay, "its shares lie on the board"
    desk.controller.jump(0 if judged.ply > 1 else 3)
    assert desk.panel.searched is not judged.searched


def test_another_line_of_play_forgets_the_review_and_a_cursor_does_not(panel: ReviewPanel, qtbot: QtBot) -> None:
    game = review(panel, qtbot, "nim:3,4,5 1-2 3-5 2-4 1-1")
    game.jump(0)
    panel.show_game(game)
    assert panel.model.moves
    panel.show_game(game_of("nim:3,4,5 1-2"))
    assert panel.model.moves == []
    assert not panel.again.isEnabled()


def test_stopping_keeps_what_was_found(panel: ReviewPanel, qtbot: QtBot) -> None:
    panel.show_game(game_of("mnk:15,15,5 h8 h9 i8 i9 j8 j9"))
    panel.budget.setCurrentIndex(0)
    QTest.mouseClick(panel.begin, LEFT)
    qtbot.waitUntil(lambda: bool(panel.model.moves), timeout=WAIT_MS)
    QTest.mouseClick(panel.begin, LEFT)
    assert not panel.busy
    count = len(panel.model.moves)
    QApplication.processEvents()
    assert 0 < count == len(panel.model.moves)


def test_what_was_missed_lands_in_the_box_and_is_there_at_the_next_start(panel: ReviewPanel, qtbot: QtBot) -> None:
    review(panel, qtbot, "nim:3,4,5 1-2 3-5 2-4 1-1")
    qtbot.waitUntil(lambda: bool(panel.box.exercises), timeout=WAIT_MS)
    assert [each.position for each in panel.box.exercises] == ["nim:3,4,5 1-2 3-5"]
    assert panel.practise.text() == "&Practise (1)"
    assert load_exercises(paths.data_dir() / "exercises.json") == panel.box.exercises


def test_in_the_window_a_finished_game_is_reviewed_by_key_and_its_mistake_shown_on_the_board(
    open_desk: OpenDesk,
) -> None:
    desk = open_desk("nim:3,4,5 1-2 3-5 2-4 1-1")
    desk.wait(desk.window.actions_by_name["review"].isEnabled)
    panel = desk.session.review
    panel.budget.setCurrentIndex(0)
    desk.press(K.Key_F7)
    desk.wait(lambda: bool(panel.model.moves) and not panel.busy)
    assert panel.isVisible()
    assert panel.begin.hasFocus(), "the keyboard goes where the answer is"
    assert desk.controller.game.cursor == 4, "and what is on the board stays"
    desk.press(K.Key_Tab, K.Key_Tab, K.Key_Tab)
    assert panel.table.hasFocus()
    assert desk.controller.game.cursor == 2
    assert [move.text for move in desk.board.shown.line] == ["2-3", "1-1", "2-1"]
    desk.controller.jump(4)
    assert desk.board.shown.line == (), "elsewhere in the game the line would be nonsense"
    assert panel.model.moves, "looking elsewhere forgets nothing"


def practice(box: ExerciseBox, qtbot: QtBot, *exercises: Exercise) -> PracticeDialog:
    with qtbot.waitSignal(box.changed, timeout=WAIT_MS):
        box.add(exercises)
    dialog = PracticeDialog(exercises, box)
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


def click(dialog: PracticeDialog, move: str) -> None:
    board = dialog.board
    QTest.mouseClick(board, LEFT, NONE, board.move_point(board.position.parse_move(move)).toPoint())


def test_a_wrong_answer_can_be_tried_until_right_and_counts_as_wrong(box: ExerciseBox, qtbot: QtBot) -> None:
    dialog = practice(box, qtbot, MISSED)
    with qtbot.waitSignal(box.changed, timeout=WAIT_MS):
        click(dialog, "1-1")
    assert dialog.verdict.text() == "1-1 gives it away as well. Try again."
    click(dialog, "2-3")
    assert dialog.verdict.text().startswith("Right: take 3 from pile 2.")
    assert [(each.asked, each.in_a_row) for each in box.exercises] == [(1, 0)]
    assert dialog.next.text() == "&Close"
    QTest.mouseClick(dialog.next, LEFT)
    assert not dialog.isVisible()


def test_a_right_answer_moves_the_exercise_away(box: ExerciseBox, qtbot: QtBot) -> None:
    dialog = practice(box, qtbot, MISSED)
    assert box.due == (MISSED,)
    with qtbot.waitSignal(box.changed, timeout=WAIT_MS):
        click(dialog, "2-3")
    assert [(each.asked, each.in_a_row) for each in box.exercises] == [(1, 1)]
    assert box.due == ()


def test_the_answer_can_be_asked_for_and_shows_the_line(box: ExerciseBox, qtbot: QtBot) -> None:
    dialog = practice(box, qtbot, MISSED)
    with qtbot.waitSignal(box.changed, timeout=WAIT_MS):
        QTest.mouseClick(dialog.answer, LEFT)
    assert dialog.verdict.text().startswith("The answer: 2-3.")
    assert [move.text for move in dialog.board.shown.line] == MISSED.line


def test_one_exercise_follows_the_other_and_one_can_be_forgotten(box: ExerciseBox, qtbot: QtBot) -> None:
    second = Exercise(position="mnk:3,3,3 b2", best=["a1", "a3", "c1", "c3"], exact=True)
    dialog = practice(box, qtbot, MISSED, second)
    assert dialog.heading.text() == "1 of 2: First to move"
    with qtbot.waitSignal(box.changed, timeout=WAIT_MS):
        QTest.mouseClick(dialog.forget, LEFT)
    assert dialog.heading.text() == "2 of 2: O to move"
    assert [each.position for each in box.exercises] == [second.position]


def test_a_win_by_threats_is_asked_for_and_any_move_that_keeps_it_is_right(box: ExerciseBox, qtbot: QtBot) -> None:
    asked = Exercise(position="mnk:9,9,5 d5 d6 e5 a1 f5 c2", best=["c5"], line=["c5", "b5", "g5"], find="fours")
    dialog = practice(box, qtbot, asked)
    assert dialog.words.text() == "A move was missed here. Find the win by fours."
    click(dialog, "a9")
    qtbot.waitUntil(lambda: "Try again" in dialog.verdict.text(), timeout=WAIT_MS)
    assert dialog.verdict.text() == "After a9 no win by fours is proven. Try again."
    click(dialog, "g5")
    qtbot.waitUntil(lambda: dialog.verdict.text().startswith("Right: g5 keeps the win as well."), timeout=WAIT_MS)


def test_threats_are_to_be_parried_and_any_move_that_does_is_right(box: ExerciseBox, qtbot: QtBot) -> None:
    asked = Exercise(position="mnk:9,9,5 d5 d6 e5 a1 f5 c2 a9", best=["c5", "g5"], line=["c5"], find="parry")
    dialog = practice(box, qtbot, asked)
    assert dialog.words.text() == "A move was missed here. Parry the threats."
    click(dialog, "a8")
    assert dialog.verdict.text() == "After a8 the other side wins by threats. Try again."
    click(dialog, "g5")
    assert dialog.verdict.text().startswith("Right: g5.")


def test_a_shared_file_is_brought_in_and_given_away(box: ExerciseBox, qtbot: QtBot, tmp_path: Path) -> None:
    save_exercises([MISSED], tmp_path / "in.json")
    with qtbot.waitSignal(box.changed, timeout=WAIT_MS):
        box.bring_in(tmp_path / "in.json")
    with qtbot.waitSignal(box.exported, timeout=WAIT_MS):
        box.export(tmp_path / "out.json")
    assert load_exercises(tmp_path / "out.json") == load_exercises(tmp_path / "in.json")


def test_a_broken_box_is_kept_aside_and_said_and_the_next_one_begins(
    box: ExerciseBox, qtbot: QtBot, tmp_path: Path
) -> None:
    (tmp_path / "box").mkdir()
    (tmp_path / "box" / "exercises.json").write_text("{")
    with qtbot.waitSignal(box.problem_found, timeout=WAIT_MS) as said:
        box.load()
    assert "exercises.broken-1.json" in said.args[0]
    with qtbot.waitSignal(box.changed, timeout=WAIT_MS):
        box.add([MISSED])
    assert (tmp_path / "box" / "exercises.broken-1.json").read_text() == "{"


def test_exercises_of_games_that_are_not_known_are_counted_and_not_asked(qtbot: QtBot) -> None:
    path = paths.data_dir() / "exercises.json"
    path.parent.mkdir(parents=True)
    save_exercises([MISSED, replace(MISSED, position="a-game-of-a-package:3 1")], path)
    panel = ReviewPanel()
    qtbot.addWidget(panel)
    qtbot.waitUntil(lambda: bool(panel.box.exercises), timeout=WAIT_MS)
    assert panel.box.due == (MISSED,)
    assert panel.practise.text() == "&Practise (1)"
    assert "1 of 2 exercises are to be asked now; 1 cannot be asked" in panel.practise.toolTip()
    panel.end()


def test_exercises_of_a_game_that_comes_later_are_asked_when_it_is_there(tmp_path: Path, open_desk: OpenDesk) -> None:
    (tmp_path / "site").mkdir()
    code = LOADED[0].code.replace("sound", "coming")
    install(tmp_path / "site", "acme-coming", {"coming": "coming_module:KIT"}, {"coming_module": code}, "nimdesk.games")
    path = paths.data_dir() / "exercises.json"
    path.parent.mkdir(parents=True)
    save_exercises([exercise := Exercise(position="coming:5", best=["1"])], path)
    with installed(str(tmp_path / "site")):
        desk = open_desk()
        box = desk.session.review.box
        desk.wait(lambda: box.exercises == (exercise,))
        desk.wait(lambda: box.due == (exercise,))
        desk.close()
    assert not list(path.parent.glob("*.broken-*"))


def test_a_full_box_says_how_many_new_exercises_it_has_no_room_for(
    box: ExerciseBox, qtbot: QtBot, tmp_path: Path
) -> None:
    many = [Exercise(position=f"nim:{number}", best=["1-1"]) for number in range(1, MAX_EXERCISES)]
    (tmp_path / "box").mkdir()
    save_exercises(many, tmp_path / "box" / "exercises.json")
    with qtbot.waitSignal(box.problem_found, timeout=WAIT_MS) as said:
        box.add([MISSED, *many[:5], replace(MISSED, position="nim:3,4,5"), replace(MISSED, position="nim:3,4")])
    assert said.args[0].startswith("2 of the new exercises were not added: the box holds 10,000 at most")
    assert box.exercises == (*many, MISSED)


def test_two_windows_add_to_the_same_box(box: ExerciseBox, qtbot: QtBot, tmp_path: Path) -> None:
    other = ExerciseBox(tmp_path / "box" / "exercises.json")
    second = Exercise(position="mnk:3,3,3 b2", best=["a1"])
    with qtbot.waitSignal(box.changed, timeout=WAIT_MS):
        box.add([MISSED])
    with qtbot.waitSignal(other.changed, timeout=WAIT_MS):
        other.add([second])
    assert other.exercises == (MISSED, second)
    other.end()
