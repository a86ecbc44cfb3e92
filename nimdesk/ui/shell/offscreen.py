"""Drawing without a screen: the Qt application for that, and a board as a picture."""

from __future__ import annotations

import os
import sys

from PySide6.QtCore import QLoggingCategory, QSize
from PySide6.QtWidgets import QApplication

from nimdesk.search import Snapshot
from nimdesk.ui.boards import board_for
from nimdesk.ui.boards.base import overlay_of
from nimdesk.ui.laboratory.export_pictures import board_sheet, file_of
from nimdesk.ui.look.move_marks import MoveColors
from nimdesk.ui.look.theme import printed

_SIZE = QSize(520, 440)


def offscreen_application() -> QApplication:
    """The application, which draws into pictures alone; call ``check_offscreen_libraries`` before this is imported."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    # The offscreen platform says at each window that it cannot hint at sizes; nobody needs to know.
    QLoggingCategory.setFilterRules("default.warning=false\nqt.qpa.*=false")
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    app.setStyle("Fusion")
    return app


def board_file(snapshot: Snapshot, suffix: str) -> bytes:
    """The board that was searched with the shares of the visits on it, as PNG, SVG or PDF; white, for print."""
    offscreen_application()
    colors = MoveColors()
    with printed():
        colors.update(snapshot)
        board = board_for(snapshot.position.game)
        board.set_animation_enabled(False)
        board.resize(_SIZE)
        board.set_position(snapshot.position)
        board.set_overlay(overlay_of(snapshot, colors))
        return file_of(board_sheet(board.twin()), suffix)
