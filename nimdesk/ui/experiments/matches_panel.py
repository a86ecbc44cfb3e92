"""stub"""

from __future__ import annotations
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget


class MatchesPanel(QWidget):
    told = Signal(str)
    abilities_changed = Signal()
    game_wanted = Signal(object)
    start_text = "&Start"

    def __init__(self, *a):
        super().__init__()

    def abilities(self):
        return {}

    def hold(self, h):
        pass

    def set_theme(self, t):
        pass

    def shutdown(self):
        pass
