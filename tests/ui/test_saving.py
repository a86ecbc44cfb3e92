"""A name typed into a dialog gets the ending of its kind, and no file is replaced unasked."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from desk import Desk
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QMessageBox, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from nimdesk.figures.files import files_of
from nimdesk.games import parse_position
from nimdesk.ui.figure_dialog import FIGURES
from nimdesk.ui.look.actions import PLAY
from nimdesk.ui.look.desktop import ask_save_path, with_ending

BUNDLES = "nimdesk bundles (*.nimbundle.json);;All files (*)"
PICTURES = "PNG picture (*.png);;SVG drawing (*.svg)"
FILTERS = {"png": "PNG picture (*.png)", "svg": "SVG drawing (*.svg)", "all": "All files (*)", "": ""}
Answer = QMessageBox.StandardButton


@pytest.mark.parametrize(
    ("typed", "used", "filters", "named"),
    [
        ("x", "", BUNDLES, "x.nimbundle.json"),
        ("x.nimbundle", "", BUNDLES, "x.nimbundle.json"),
        ("x.nimbundle.json", "", BUNDLES, "x.nimbundle.json"),
        ("X.NimBundle", "", BUNDLES, "X.nimbundle.json"),
        ("x.json", "all", BUNDLES, "x.json"),
        ("nim-3.4.5", "", BUNDLES, "nim-3.4.5.nimbundle.json"),
        ("x.", "", BUNDLES, "x.nimbundle.json"),
        ("x", "png", PICTURES, "x.png"),
        ("x", "svg", PICTURES, "x.svg"),
        ("x.svg", "png", PICTURES, "x.svg"),
        ("x.PNG", "svg", PICTURES, "x.PNG"),
        ("x.json", "png", PICTURES, "x.json.png"),
        ("c 0.5", "png", PICTURES, "c 0.5.png"),
        ("x", "", "Lesson (*.nimdesk-lesson)", "x.nimdesk-lesson"),
        ("x.nimdesk-lesson", "", "Lesson (*.nimdesk-lesson)", "x.nimdesk-lesson"),
    ],
)
def test_a_name_gets_the_ending_of_its_kind(typed: str, used: str, filters: str, named: str) -> None:
    assert with_ending(Path("/there") / typed, FILTERS[used], filters) == Path("/there") / named


@pytest.mark.parametrize("answer", [Answer.Yes, Answer.No])
@pytest.mark.parametrize("typed", ["x", "x.png"])
def test_a_file_that_is_there_is_asked_about_once(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, answer: Answer, typed: str
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    parent, asked = QWidget(), []
    qtbot.addWidget(parent)
    there = tmp_path / "x.png"
    there.touch()

    def say(box: QMessageBox) -> Answer:
        asked.append(box.text())
        return answer

    monkeypatch.setattr(QMessageBox, "exec", say)
    chosen = iter([(str(tmp_path / typed), FILTERS["png"]), ("", "")])
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: next(chosen))
    path = ask_save_path(parent, "Save", tmp_path, PICTURES)
    assert path == (there if answer is Answer.Yes else None)
    assert asked == ["“x.png” is already there. Replace it?"]
    assert len(list(chosen)) == (answer is Answer.Yes), "after No, another name can be chosen"


def test_the_script_of_an_earlier_figure_is_asked_about(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    parent, asked = QWidget(), []
    qtbot.addWidget(parent)
    (tmp_path / "x.figure.py").write_text("# with changes of mine")
    monkeypatch.setattr(QMessageBox, "exec", lambda box: asked.append(box.text()))
    chosen = iter([(str(tmp_path / "x.pdf"), ""), ("", "")])
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: next(chosen))
    assert ask_save_path(parent, "Save", tmp_path, FIGURES, files_of) is None
    assert asked == ["“x.figure.py” is already there. Replace it?"]


@pytest.mark.usefixtures("qapp")
def test_nothing_is_saved_for_a_dialog_that_is_gone_when_a_question_is_answered(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    parent, there = QDialog(), tmp_path / "x.png"
    parent.show()
    there.touch()

    def close() -> None:
        assert isinstance(QApplication.activeModalWidget(), QMessageBox)
        delete(parent)

    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(there), FILTERS["png"]))
    QTimer.singleShot(0, close)
    assert ask_save_path(parent, "Save", tmp_path, PICTURES) is None


def test_a_file_is_not_written_with_another_game_than_the_one_that_was_asked_about(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path, said = tmp_path / "a.nimdesk", list[str]()

    def choose(*_: object) -> tuple[str, str]:
        desk.session.games.start(parse_position("nim:1,2"))
        return str(path), ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", choose)
    monkeypatch.setattr(QMessageBox, "exec", lambda box: said.append(box.text()))
    desk.session.files.ask_save()
    assert said == ["Nothing was saved: another game has come onto the board meanwhile."]
    assert not path.exists()


def test_a_file_that_is_no_bundle_leaves_the_person_where_they_are(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path, said = tmp_path / "a.json", list[str]()
    path.write_text("{}")
    monkeypatch.setattr(QMessageBox, "exec", lambda box: said.append(box.text()))
    desk.session.files.open(path)
    assert "is not a bundle" in said[0]
    assert desk.window.modes.mode == PLAY
