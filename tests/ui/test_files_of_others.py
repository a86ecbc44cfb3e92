"""Games of other programs in the window: opened, dropped, pasted, imported, saved and exported; links and text."""

from __future__ import annotations

from pathlib import Path

import pytest
from desk import ALT, CTRL, HUMAN, Desk, K
from PySide6.QtCore import QMimeData, QUrl
from PySide6.QtWidgets import QApplication, QFileDialog

from nimdesk.formats import read_file
from nimdesk.games import parse_position
from nimdesk.play import GameInProgress
from nimdesk.play.links import read_link
from nimdesk.play.record import save_game
from nimdesk.ui.look.actions import LABORATORY
from nimdesk.ui.play.library import LibraryDialog

PSQ = "Piskvorky 15x15, 11:11, 0\n8,8,456\n9,7,4500\n8,9,60\none\ntwo\n-1\n"
SGF = "(;GM[4]FF[4]SZ[15];B[hh]C[centre];W[ii](;B[hi]C[main];W[jj])(;B[jh];W[gg]))"
CTRL_ALT = CTRL | ALT


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "a.psq").write_text(PSQ)
    (tmp_path / "b.sgf").write_text(SGF)
    (tmp_path / "four.txt").write_text("4453 2\n1234 -2\n")
    (tmp_path / "bad.psq").write_text(PSQ.replace("9,7", "8,8"))
    return tmp_path


def copied() -> str:
    return QApplication.clipboard().text()


def test_a_game_of_piskvork_is_opened_by_the_dialog_and_written_back(
    desk: Desk, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    offered: list[str] = []
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(files / "a.psq"), ""))
    desk.press((K.Key_O, CTRL))
    assert desk.moves == ["h8", "i9", "h7"]
    assert not desk.window.isWindowModified()

    def choose(_parent: object, _title: str, _start: str, kinds: str, *_: object) -> tuple[str, str]:
        offered.extend(kinds.split(";;"))
        return str(files / "c.psq"), ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", choose)
    desk.press((K.Key_S, CTRL))
    assert (files / "c.psq").read_text() == PSQ
    assert (files / "a.psq").read_text() == PSQ, "Save asks for a name: that file does not hold all of a game"
    assert "Game of Piskvork (*.psq)" in offered
    assert not any("Gomotur" in each for each in offered), "its board is another one"


@pytest.mark.parametrize("name", ["game", "game.txt", "game.json", "game.nimdesk.bak"])
def test_a_saved_game_is_opened_whatever_its_file_is_called(desk: Desk, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    save_game(GameInProgress(parse_position("mnk:3,3,3 b2 a1"), (HUMAN, HUMAN)), path)
    desk.session.files.open(path)
    assert desk.moves == ["b2", "a1"]
    assert desk.controller.game.game.text == "mnk:3,3,3"


def test_a_game_with_variations_and_comments_shows_them(desk: Desk, files: Path) -> None:
    desk.session.files.open(files / "b.sgf")
    assert desk.moves == ["h8", "i7", "h7", "j6"]
    assert [row[2] for row in desk.listed] == ["h8", "i7", "h7", "(3 j8  4 g9)", "j6"]
    comment = desk.window.moves.comment
    assert not comment.isVisible()
    desk.press((K.Key_Left, CTRL))
    assert comment.toPlainText() == "main"
    desk.press((K.Key_Home, CTRL), (K.Key_Right, CTRL))
    assert (comment.isVisible(), comment.toPlainText()) == (True, "centre")


@pytest.mark.parametrize(
    ("text", "moves", "said"),
    [
        (PSQ, ["h8", "i9", "h7"], ""),
        (SGF, ["h8", "i7", "h7", "j6"], ""),
        ("4453", ["d1", "d2", "e1", "c1"], "The columns were counted from 1: no 0 occurs."),
        ("nimdesk://show?position=mnk:3,3,3+b2+a1", ["b2", "a1"], ""),
    ],
)
def test_what_was_copied_elsewhere_is_pasted(desk: Desk, text: str, moves: list[str], said: str) -> None:
    QApplication.clipboard().setText(text)
    desk.press((K.Key_V, CTRL))
    assert desk.moves == moves
    assert said in desk.notice


def test_where_nothing_was_copied_a_sentence_says_so(desk: Desk) -> None:
    QApplication.clipboard().clear()
    desk.press((K.Key_V, CTRL))
    assert desk.notice.startswith("Nothing was pasted.")


def test_moves_alone_are_of_the_game_on_the_board(desk: Desk) -> None:
    desk.session.games.start(parse_position("mnk:15,15,5"))
    QApplication.clipboard().setText("h8 i9, j10")
    desk.press((K.Key_V, CTRL))
    assert desk.moves == ["h8", "i9", "j10"]


def test_a_file_that_was_copied_is_pasted_as_one(desk: Desk, files: Path) -> None:
    copied_file = QMimeData()
    copied_file.setUrls([QUrl.fromLocalFile(str(files / "a.psq"))])
    QApplication.clipboard().setMimeData(copied_file)
    desk.press((K.Key_V, CTRL))
    assert desk.moves == ["h8", "i9", "h7"]


def test_a_bad_file_is_one_sentence_and_the_game_stays(desk: Desk, files: Path, warnings: list[str]) -> None:
    desk.click("1-1")
    desk.session.files.open(files / "bad.psq")
    (sentence,) = warnings
    assert sentence.startswith("“bad.psq” is not read, line 3, column 1: in move 2: the move h8 is not legal here")
    assert desk.moves == ["1-1"]
    QApplication.clipboard().setText("(;GM[4]SZ[15];B[hh")
    desk.press((K.Key_V, CTRL))
    assert desk.notice.startswith("Nothing was pasted. “text” is not read, line 1, column 16: in the property B")
    assert desk.moves == ["1-1"]


def test_of_several_games_the_first_is_opened_and_it_is_said(desk: Desk, files: Path) -> None:
    desk.session.files.open(files / "four.txt")
    assert desk.moves == ["d1", "d2", "e1", "c1"]
    assert "“four.txt” has 2 games, and this is the first" in desk.notice


def library(desk: Desk) -> LibraryDialog:
    desk.window.actions_by_name["library"].trigger()
    (dialog,) = (each for each in desk.window.findChildren(LibraryDialog) if each.isVisible())
    desk.wait(lambda: dialog.told.text() != "Reading the library…")
    return dialog


def test_a_list_of_any_ending_is_not_written_over_by_the_game_that_was_opened_from_it(
    desk: Desk, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (files / "four.csv").write_text("4453 2\n1234 -2\n")
    desk.session.files.open(files / "four.csv")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: ("", ""))
    desk.press((K.Key_S, CTRL))
    assert (files / "four.csv").read_text() == "4453 2\n1234 -2\n"


def test_many_files_go_into_the_library_and_out_of_it_in_another_format(
    desk: Desk, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog = library(desk)
    names = [str(files / name) for name in ("a.psq", "b.sgf", "four.txt", "bad.psq")]
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: (names, ""))
    dialog.import_button.click()
    desk.wait(lambda: dialog.model.rowCount() == 4)
    assert dialog.told.text().startswith(
        "4 games of 3 of 4 files are in the library now. “bad.psq” is not read, line 3"
    )
    names = [str(dialog.model.data(dialog.model.index(row, 1))) for row in range(4)]
    assert sorted(names) == ["Two people", "Two people", "Two people", "one – two"]
    dialog.words.setText("gomoku")
    dialog.table.selectAll()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(files / "all.sgf"), ""))
    export = next(each for each in dialog.others_button.menu().actions() if each.text() == "File in SGF…")
    export.trigger()
    desk.wait(lambda: dialog.told.text().startswith("Exported."))
    records = read_file(files / "all.sgf").records
    assert {record.position.text: record.variations for record in records} == {
        "mnk:15,15,5 h8 i9 h7": 0,
        "mnk:15,15,5 h8 i7 h7 j6": 1,
    }
    assert any(node.comment == "centre" for record in records for node in record.nodes)


def test_several_files_that_are_dropped_are_imported(desk: Desk, files: Path) -> None:
    desk.window.files_dropped.emit([files / "a.psq", files / "b.sgf"])
    desk.wait(lambda: "2 games of 2 of 2 files are in the library now." in desk.notice)
    assert desk.moves == []


def test_a_position_is_shared_as_a_link_and_as_text(desk: Desk) -> None:
    desk.session.games.start(parse_position("mnk:3,3,3 b2"))
    desk.press((K.Key_C, CTRL_ALT))
    assert copied() == "nimdesk://show?position=mnk:3,3,3+b2"
    desk.press((K.Key_X, CTRL_ALT))
    assert copied() == "3 . . .\n2 . X .\n1 . . .\n  a b c\nO to move\nmnk:3,3,3 b2\n"


def test_searches_are_shared_as_a_link_that_sets_them_up_again(desk: Desk) -> None:
    page = desk.analyse()
    desk.press((K.Key_C, CTRL_ALT))
    link = read_link(copied())
    assert link.position.text == "nim:3,4,5"
    assert [(each.agent, each.seed) for each in link.searches] == [
        (each.agent, each.seed) for each in page.model.agents.studied
    ]
    text = "nimdesk://show?position=mnk:3,3,3&search=uct:exploration=0.5,seed=77&iterations=500"
    QApplication.clipboard().setText(text)
    desk.press((K.Key_V, CTRL))
    desk.wait(lambda: page.model.place.position.text == "mnk:3,3,3")
    (studied,) = page.model.agents.studied
    assert (studied.agent.label, studied.seed, page.model.searches.limit) == ("uct:exploration=0.5", 77, 500)
    assert not page.model.searches.running, "a link runs nothing"
    desk.press((K.Key_C, CTRL_ALT))
    assert copied() == text
    assert desk.window.modes.mode == LABORATORY


def test_the_field_for_a_position_takes_what_others_write_and_says_how(desk: Desk) -> None:
    desk.session.games.start(parse_position("mnk:15,15,5"))
    page = desk.analyse()
    bar = page.position_bar
    bar.text.setFocus()
    bar.text.setText("[[8, 8], [9, 7]]")
    desk.press(K.Key_Return)
    assert page.model.place.position.text == bar.text.text() == "mnk:15,15,5 h8 i9"
    assert bar.told.text() == "The numbers were read as column and row from the top, counted from 1: no 0 occurs."
    assert (bar.told.isVisible(), bar.problem.isVisible()) == (True, False)
    bar.text.setText("h8h8")
    desk.press(K.Key_Return)
    said = "“h8h8” is not understood: in move 2: the move h8 is not legal here: the cell is taken; legal moves: a1, "
    assert bar.problem.text().startswith(said)
    assert not bar.told.isVisible()
