"""The list of agents to choose from, wherever a person chooses one."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox

from nimdesk.agents import CATALOGUE, PUBLISHED, PublishedAgent
from nimdesk.ui.look.widgets import narrow


class AgentChoice(QComboBox):
    """The agents of the catalogue by their names, and below them those that documents published.

    The data of an entry is the name of an agent, or a ``PublishedAgent``.
    """

    def __init__(self, *, human: str = "") -> None:
        """``human``, where a person may be chosen as well, is the data of the entry for it."""
        super().__init__()
        self._human = human
        self._fill()

    def _fill(self) -> None:
        if self._human:
            self.addItem("Human", self._human)
        for info in CATALOGUE.values():
            self._add(info.title, info.name, info.about)
        self.insertSeparator(self.count())
        for published in PUBLISHED.values():
            self._add(published.title, published, published.note)
        narrow(self)

    def _add(self, title: str, data: str | PublishedAgent, tip: str) -> None:
        self.addItem(title, data)
        self.setItemData(self.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)

    def show_key(self, key: str) -> None:
        """Show the agent of this name, or the person; it may have come into the catalogue since."""
        if self.findData(next(reversed(CATALOGUE))) < 0:
            self.clear()
            self._fill()
        self.setCurrentIndex(self.findData(key))
