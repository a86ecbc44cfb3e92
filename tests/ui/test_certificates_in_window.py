"""A certificate in the window: opened as a file, played against, its pairs on the board, its answers in a list."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from threading import Event

import pytest
from desk import CTRL, ENDLESS, LEFT, Desk, K, OpenDesk, mcts, truth_line
from PySide6.QtCore import QTimer, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QMessageBox,
    QProgressBar,
    QProgressDialog,
    QPushButton,
    QTextBrowser,
)

from nimdesk.agents import make_agent
from nimdesk.disk.paths import resources_dir
from nimdesk.games import parse_position
from nimdesk.games.certificates import certificates_dir
from nimdesk.play import Human
from nimdesk.play.moment import State
from nimdesk.ui.laboratory.board_panel import TheoryPanel
from nimdesk.ui.look.actions import PLAY
from nimdesk.ui.shell import proofs

SHIPPED = resources_dir() / "certificates"
CERTIFICATE = make_agent("certificate")


def test_a_certificate_is_opened_played_against_and_browsed(desk: Desk, tmp_path: Path) -> None:
    shutil.copy(SHIPPED / "mnk-5,5,5.cert", tmp_path / "mine.cert")
    desk.window.files_dropped.emit([tmp_path / "mine.cert"])
    desk.wait(lambda: bool(desk.board.shown.pairs))
    assert desk.controller.position == parse_position("mnk:5,5,5")
    assert desk.controller.game.players == (Human(), CERTIFICATE)
    assert desk.notice.startswith("Proven: mnk:5,5,5 is a draw.")
    assert (certificates_dir() / "mnk-5,5,5.cert").exists(), "kept, whatever becomes of the file"

    one, other = desk.board.shown.pairs[0]
    assert f"pairs {one.text} and {other.text}, " in desk.board.accessibleDescription()
    desk.click(one.text)
    desk.wait(lambda: len(desk.moves) == 2 and desk.state is State.HUMAN)
    assert desk.moves == [one.text, other.text]
    assert desk.notice.startswith(f"The cells {one.text} and {other.text} are a pair: X marked one, so O marks the")
    assert desk.board.shown.pairs
    assert not {one, other} & {cell for pair in desk.board.shown.pairs for cell in pair}
    snapshot = desk.controller.shown_snapshot
    assert snapshot is not None
    assert len([line for line in snapshot.listing if line.startswith("  ")]) == 23, "an answer to each move"

    desk.controller.jump(0)
    desk.wait(lambda: not desk.board.shown.pairs)


def test_a_broken_certificate_is_told_in_a_sentence_and_changes_nothing(
    desk: Desk, tmp_path: Path, warnings: list[str]
) -> None:
    (tmp_path / "broken.cert").write_bytes(b"no proof")
    desk.window.files_dropped.emit([tmp_path / "broken.cert"])
    desk.wait(lambda: bool(warnings))
    assert warnings == [
        "“broken.cert” cannot be opened: This certificate is not valid: this is not a certificate of nimdesk."
    ]
    assert desk.controller.position == parse_position("nim:3,4,5")
    assert not certificates_dir().exists()


def test_nobody_plays_while_a_certificate_is_checked_and_after_cancel_the_game_goes_on(
    open_desk: OpenDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def check_for_ever(_path: Path, stop: Event, heard: Callable[[float], object]) -> object:
        while not stop.wait(0.01):
            heard(0.31)
        raise KeyboardInterrupt

    monkeypatch.setattr(proofs, "read_certificate", check_for_ever)
    desk = open_desk("mnk:5,5,4", ENDLESS, ENDLESS)
    desk.wait_for(State.THINKING)
    desk.window.files_dropped.emit([SHIPPED / "mnk-5,5,5.cert"])
    desk.wait(lambda: isinstance(QApplication.activeModalWidget(), QProgressDialog))
    assert desk.state is State.PAUSED
    dialog = QApplication.activeModalWidget()
    assert isinstance(dialog, QProgressDialog)
    assert "takes minutes" in dialog.labelText()
    bar = dialog.findChild(QProgressBar)
    desk.wait(lambda: (bar.value(), bar.maximum()) == (31, 100))
    QTest.mouseClick(dialog.findChild(QPushButton), LEFT)
    desk.wait_for(State.THINKING)
    assert not desk.controller.sitting.paused


def test_no_progress_comes_up_over_the_message(desk: Desk, tmp_path: Path) -> None:
    alone: list[bool] = []

    def look() -> None:
        box = QApplication.activeModalWidget()
        if isinstance(box, QMessageBox):
            poll.stop()
            # After whatever waited to come up when the message did.
            QTimer.singleShot(400, box, lambda: (alone.append(QApplication.activeModalWidget() is box), box.accept()))

    (tmp_path / "broken.cert").write_bytes(b"no proof")
    poll = QTimer(interval=5)
    poll.timeout.connect(look)
    for times in (1, 2):  # the first may last long enough for the progress to be seen, and be closed, before
        poll.start()
        desk.window.files_dropped.emit([tmp_path / "broken.cert"])
        desk.wait(lambda times=times: len(alone) == times)
    assert alone == [True, True]


def test_the_theory_page_leads_to_a_game_against_the_certificate_of_its_position(open_desk: OpenDesk) -> None:
    desk = open_desk("mnk:4,3,3 a1 b2 d3")
    panel = desk.analyse().panel(TheoryPanel)
    desk.laboratory.tabs.setCurrentWidget(panel)
    desk.wait(lambda: "certificate:" in panel.text.toHtml())
    panel.text.anchorClicked.emit(QUrl("certificate:"))
    desk.wait(lambda: desk.window.modes.mode == PLAY and len(desk.moves) == 4)
    assert desk.controller.game.players == (Human(), CERTIFICATE), "O wins, so O is the certificate's"
    assert desk.notice.startswith("Proven: mnk:4,3,3 a1 b2 d3 is won by the second side.")


def test_truth_takes_from_the_proof_what_it_cannot_work_out_itself(open_desk: OpenDesk) -> None:
    desk = open_desk("nim:3,4,5", show_truth=True)
    desk.session.proofs.play(parse_position("mnk:15,15,5 h8 a1 g7 o15"))
    desk.wait(lambda: truth_line(desk) == "Truth: Black can win, as the search shown has proven.")
    assert len(desk.moves) == 5
    assert desk.notice.startswith("Proven: mnk:15,15,5 h8 a1 g7 o15 is won by the first side.")


def test_the_program_can_be_quit_while_a_certificate_is_checked(
    open_desk: OpenDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def check_for_ever(_path: Path, stop: Event, _heard: Callable[[float], object]) -> object:
        stop.wait()
        raise KeyboardInterrupt

    monkeypatch.setattr(proofs, "read_certificate", check_for_ever)
    desk = open_desk("nim:3,4,5")
    desk.window.files_dropped.emit([SHIPPED / "mnk-5,5,5.cert"])
    desk.wait(lambda: isinstance(QApplication.activeModalWidget(), QProgressDialog))
    dialog = QApplication.activeModalWidget()
    assert dialog is not None
    desk.wait(dialog.isActiveWindow)  # before, no window hears the key
    QTest.keyClick(dialog, K.Key_Q, CTRL)
    desk.wait(lambda: not desk.window.isVisible())


def test_a_hint_takes_neither_the_proof_nor_its_listing_away(open_desk: OpenDesk) -> None:
    desk = open_desk("nim:3,4,5", suggest=mcts(1).to_json())
    desk.session.proofs.play(parse_position("mnk:4,3,3 a1 b2 d3"))
    bar, human = desk.window.column.evaluation, (Human(), CERTIFICATE)
    desk.wait(lambda: desk.controller.game.players == human and desk.state is State.HUMAN and bar.exact)
    while desk.state is not State.OVER:
        assert (bar.score, bar.exact) == (0.0, True), "the person loses"
        listing = desk.window.display.shown.listing
        assert listing[0].startswith("Certificate: mnk:4,3,3 a1 b2 d3 is won by the second side")
        desk.press(K.Key_F2)
        desk.wait(lambda: desk.controller.suggestion is not None)
        assert (bar.score, bar.exact) == (0.0, True), "what a few simulations estimate is no news"
        desk.press((K.Key_I, CTRL))
        desk.wait(lambda: isinstance(QApplication.activeModalWidget(), QDialog))
        dialog = QApplication.activeModalWidget()
        assert isinstance(dialog, QDialog)
        assert listing[0] in dialog.findChildren(QTextBrowser)[0].toPlainText()
        dialog.reject()
        desk.window.activateWindow()
        desk.click(desk.board.position.legal_moves[0].text)
        desk.wait(lambda: desk.state in (State.HUMAN, State.OVER))
