"""Games in files, and the library of all games: found, opened, exported, deleted and brought back."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from desk import CTRL, HUMAN, LEFT, NONE, RANDOM, WAIT_MS, Desk, K, OpenDesk
from PySide6.QtCore import QEvent, QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu
from shiboken6 import isValid

from nimdesk.games import Side, parse_position
from nimdesk.play.kept import Change
from nimdesk.play.library import Library
from nimdesk.play.moment import State
from nimdesk.play.record import load_game
from nimdesk.ui.boards import BoardView
from nimdesk.ui.play.library import LibraryDialog


def kept(desk: Desk) -> bool:
    """Whether everything is on the disk."""
    return desk.session.keeper.kept.change() is None


# Files


def test_the_title_has_the_files_name_and_a_mark_of_what_is_not_saved(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, path = desk.window, tmp_path / "mine.nimdesk"
    assert window.windowTitle() == "Nim 3-4-5 – nimdesk"
    proposed: list[str] = []

    def choose(_parent: object, _title: str, start: str, *_: object) -> tuple[str, str]:
        proposed.append(Path(start).name)
        return str(path), ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", choose)
    desk.press((K.Key_S, CTRL))
    assert proposed == ["Nim 3-4-5.nimdesk"]
    assert window.windowTitle() == "mine.nimdesk[*] – Nim 3-4-5 – nimdesk"
    assert not window.isWindowModified()
    desk.click("1-1")
    assert window.isWindowModified()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: pytest.fail("its file is known"))
    desk.press((K.Key_S, CTRL))
    assert not window.isWindowModified()
    assert load_game(path).last_position.text == "nim:3,4,5 1-1"
    desk.window.modes.show_mode("laboratory")
    assert window.windowTitle() == "Nim 3-4-5 – laboratory – nimdesk"
    desk.window.modes.show_mode("play")
    assert window.windowTitle().startswith("mine.nimdesk[*]")
    desk.session.games.start(parse_position("nim:3"))
    assert window.windowTitle() == "Nim 3 – nimdesk"


def test_a_file_and_its_unsaved_mark_are_there_at_the_next_start(open_desk: OpenDesk, tmp_path: Path) -> None:
    first = open_desk("nim:3,4,5")
    first.session.files.save(tmp_path / "mine.nimdesk")
    first.click("1-1")
    first.close()
    second = open_desk(None, None, None)
    assert second.window.windowTitle().startswith("mine.nimdesk[*]")
    assert second.window.isWindowModified()


def test_recent_files_are_offered_the_latest_first(desk: Desk, tmp_path: Path, warnings: list[str]) -> None:
    for name in ("one", "two", "three", "one"):
        desk.session.files.save(tmp_path / f"{name}.nimdesk")
    (recent,) = (menu for menu in desk.window.findChildren(QMenu) if menu.title() == "Open r&ecent")
    recent.aboutToShow.emit()
    assert [action.text() for action in recent.actions()] == ["&1 one.nimdesk", "&2 three.nimdesk", "&3 two.nimdesk"]
    desk.click("1-1")
    recent.actions()[1].trigger()
    assert desk.moves == []
    (tmp_path / "two.nimdesk").unlink()
    recent.actions()[2].trigger()
    assert ["there is no such file" in warning for warning in warnings] == [True]
    recent.aboutToShow.emit()
    assert len(recent.actions()) == 2


@pytest.mark.parametrize("key", [NONE, Qt.KeyboardModifier.ShiftModifier])
def test_a_file_dropped_on_the_window_is_opened_and_stays_where_it_is(
    desk: Desk, tmp_path: Path, key: Qt.KeyboardModifier
) -> None:
    desk.click("1-1")
    desk.session.files.save(tmp_path / "mine.nimdesk")
    desk.session.games.start(parse_position("mnk:3,3,3"))
    carried = QMimeData()
    carried.setUrls([QUrl.fromLocalFile(str(tmp_path / "mine.nimdesk"))])
    where, offered = desk.window.rect().center(), Qt.DropAction.CopyAction | Qt.DropAction.MoveAction
    for event in (
        QDragEnterEvent(where, offered, carried, LEFT, key),
        QDropEvent(QPointF(where), offered, carried, LEFT, key),
    ):
        QApplication.sendEvent(desk.window, event)
        assert event.isAccepted()
        assert event.dropAction() == Qt.DropAction.CopyAction, "a file manager may delete what was moved"
    assert desk.moves == [], "not yet: a question would have the file manager wait"
    desk.wait(lambda: desk.moves == ["1-1"])


def test_a_file_that_can_only_be_moved_is_not_taken(desk: Desk, tmp_path: Path) -> None:
    desk.session.files.save(tmp_path / "mine.nimdesk")
    carried = QMimeData()
    carried.setUrls([QUrl.fromLocalFile(str(tmp_path / "mine.nimdesk"))])
    where, offered, dropped = desk.window.rect().center(), Qt.DropAction.MoveAction, list[Path]()
    desk.window.files_dropped.connect(dropped.extend)
    for event in (
        QDragEnterEvent(where, offered, carried, LEFT, NONE),
        QDropEvent(QPointF(where), offered, carried, LEFT, NONE),
    ):
        QApplication.sendEvent(desk.window, event)
        assert not event.isAccepted()
    assert dropped == []


# The library


def library(desk: Desk) -> LibraryDialog:
    desk.window.actions_by_name["library"].trigger()
    (dialog,) = (each for each in desk.window.findChildren(LibraryDialog) if each.isVisible())
    desk.wait(lambda: dialog.told.text() != "Reading the library…")
    return dialog


def rows(dialog: LibraryDialog) -> list[tuple[str, ...]]:
    model = dialog.model
    return [tuple(str(model.data(model.index(row, column))) for column in range(4)) for row in range(model.rowCount())]


def three_games(desk: Desk) -> None:
    """A win against nobody, a draw's beginning, and a game lost against a computer."""
    desk.click("1-3", "2-4", "3-5")
    desk.session.games.start(parse_position("mnk:3,3,3 b2"))
    desk.controller.set_player(Side.SECOND, RANDOM)
    desk.wait_for(State.HUMAN)
    desk.session.games.start(parse_position("nim:2"))
    desk.controller.set_player(Side.SECOND, HUMAN)
    desk.wait(lambda: kept(desk))


def test_the_library_lists_what_was_played_and_finds_it(desk: Desk) -> None:
    three_games(desk)
    dialog = library(desk)
    desk.wait(lambda: dialog.model.rowCount() == 2)
    assert rows(dialog) == [
        ("Tic-tac-toe", "You – Random", "Unfinished", "2"),
        ("Nim 3-4-5", "Two people", "First won", "3"),
    ]
    assert "Beyond 500 MB the searches of the games played longest ago are dropped" in dialog.room.text()
    assert "their moves stay" in dialog.room.text()
    assert not dialog.model.data(dialog.model.index(0, 0), Qt.ItemDataRole.DecorationRole).isNull()  # type: ignore[attr-defined]
    QTest.keyClicks(dialog.words, "first nim")
    assert [row[0] for row in rows(dialog)] == ["Nim 3-4-5"]
    dialog.words.clear()
    dialog.opponent.setCurrentText("Random")
    assert [row[0] for row in rows(dialog)] == ["Tic-tac-toe"]
    dialog.opponent.setCurrentIndex(0)
    dialog.outcome.setCurrentText("First won")
    assert [row[0] for row in rows(dialog)] == ["Nim 3-4-5"]
    QTest.mouseClick(dialog.open_button, LEFT)
    desk.wait(lambda: desk.moves == ["1-3", "2-4", "3-5"])
    assert desk.controller.sitting.paused


def test_the_library_is_searched_and_opened_from_where_one_types(desk: Desk) -> None:
    three_games(desk)
    dialog = library(desk)
    desk.wait(lambda: dialog.model.rowCount() == 2)
    QTest.keyClick(dialog.words, K.Key_Down)
    assert dialog.table.hasFocus()
    dialog.words.setFocus()
    QTest.keyClicks(dialog.words, "3-4-5")
    QTest.keyClick(dialog.words, K.Key_Return)
    desk.wait(lambda: desk.moves == ["1-3", "2-4", "3-5"])


def test_the_library_asked_right_after_a_new_game_has_the_one_that_was_left(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on, write = threading.Event(), threading.Event(), Library.write

    def slow(library: Library, change: Change, window: int = 0) -> None:
        begun.set()
        go_on.wait(WAIT_MS / 1000)
        write(library, change, window)

    desk.wait(lambda: kept(desk))
    monkeypatch.setattr(Library, "write", slow)
    desk.click("1-1")
    desk.wait(begun.is_set)
    desk.click("2-1")
    desk.press((K.Key_R, CTRL))
    desk.window.actions_by_name["library"].trigger()
    go_on.set()
    (dialog,) = desk.window.findChildren(LibraryDialog)
    desk.wait(lambda: dialog.told.text() != "Reading the library…")
    assert rows(dialog) == [("Nim 3-4-5", "Two people", "Unfinished", "2")]


def test_games_deleted_in_the_library_come_back_by_undo(desk: Desk) -> None:
    three_games(desk)
    dialog = library(desk)
    dialog.table.selectAll()
    QTest.mouseClick(dialog.delete_button, LEFT)
    desk.wait(lambda: not dialog.model.rowCount())
    assert dialog.told.text() == "No games."
    dialog.reject()
    again = library(desk)
    QTest.mouseClick(again.undo_button, LEFT)
    desk.wait(lambda: again.model.rowCount() == 2)
    assert not again.undo_button.isEnabled()
    again.reject()


def test_a_deleted_game_that_goes_back_to_the_board_is_there_at_the_next_start(open_desk: OpenDesk) -> None:
    first = open_desk("nim:3,4,5", HUMAN, HUMAN)
    first.click("1-1")
    first.wait(lambda: kept(first))
    first.press((K.Key_R, CTRL))
    dialog = library(first)
    first.wait(lambda: dialog.model.rowCount() == 1)
    QTest.mouseClick(dialog.delete_button, LEFT)
    first.wait(lambda: not dialog.model.rowCount())
    dialog.reject()
    first.window.actions_by_name["game_before"].trigger()
    assert first.moves == ["1-1"]
    first.close()
    assert open_desk(None, None, None).moves == ["1-1"]


def test_games_of_the_library_are_exported(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    three_games(desk)
    dialog = library(desk)
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(tmp_path / "out"))
    (tmp_path / "out").mkdir()
    dialog.table.selectAll()
    QTest.mouseClick(dialog.export_button, LEFT)
    desk.wait(lambda: dialog.told.text() == "Exported.")
    files = sorted((tmp_path / "out").iterdir())
    assert [load_game(file).game.title for file in files] == ["Nim 3-4-5", "Tic-tac-toe"]
    dialog.reject()


def test_the_dialog_leaves_no_board_behind(desk: Desk) -> None:
    """Left to Python, one would go with its cycles, in whichever thread then runs, and the program with it."""
    three_games(desk)
    dialog = library(desk)
    desk.wait(lambda: dialog.model.rowCount() == 2)
    for row in range(2):
        dialog.model.data(dialog.model.index(row, 0), Qt.ItemDataRole.DecorationRole)
    boards = dialog.findChildren(BoardView)
    assert len(boards) == 2, "the small pictures are drawn by boards"
    dialog.close()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert not any(isValid(board) for board in boards)
