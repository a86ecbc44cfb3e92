"""The list of agents, in groups: levels for people, the engines themselves, and those that documents published."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QComboBox

from nimdesk.agents import CATALOGUE, PUBLISHED, Agent, PublishedAgent, named_as_published
from nimdesk.games import AnyPosition
from nimdesk.ui.look.widgets import narrow, tip

_ENGINES = "Engines"
_PUBLISHED = "As published: rebuilt from documents"
_PUBLISHED_FOLDED, _FOLD = "As published ▸", "as published"
"""What the entry says that unfolds them, and its data; no agent has a space in its name."""
_ABOUT_PUBLISHED = (
    "Agents with exactly the options that a document on Nim or m,n,k games gives;"
    " the page “Why the published tables differ” names the documents"
)


class AgentChoice(QComboBox):
    """A list of the catalogue's agents by name, group by group, and below them those that documents published.

    The data of an entry is the name of an agent, or a ``PublishedAgent``; headings have none and cannot be chosen. The
    published agents are folded into one entry, which opens the list anew with all of them.
    """

    def __init__(self, *, human: str = "") -> None:
        """``human``, if a person may be chosen too, is the data of that entry."""
        super().__init__()
        # A model of our own: for one that Qt made, PySide may hand out an older object that was at the same address.
        self._items = QStandardItemModel(self)
        self.setModel(self._items)
        self._human = human
        self._position: AnyPosition | None = None
        self._known = 0
        self._shown: str | PublishedAgent = ""
        self._folded = True
        # Before anybody else hears of it: then a fold is a heading by then.
        self.activated.connect(self._on_activated)
        self._fill()

    def offer_for(self, position: AnyPosition) -> None:
        """Offer the agents that can play this position; the one chosen stays."""
        if self._position is None or self._position.game != position.game:
            self._position = position
            self._refill()

    def show_key(self, key: str) -> None:
        """Show the agent of this name, or the person; the agent may be new in the catalogue."""
        self._show(key)

    def show_agent(self, agent: Agent) -> None:
        """Show the agent; if a document published it with these options, by that document."""
        self._show(named_as_published(agent) or agent.name)

    def choose(self, index: int) -> Agent | str | None:
        """What the entry stands for: an agent as published, a name of the catalogue, or None for a heading."""
        chosen = None if self.itemData(index) == _FOLD else self.itemData(index)
        return chosen.agent if isinstance(chosen, PublishedAgent) else chosen

    @property
    def published(self) -> PublishedAgent | None:
        """The published agent that is chosen, if it is one."""
        chosen = self.currentData()
        return chosen if isinstance(chosen, PublishedAgent) else None

    def showPopup(self) -> None:
        """Open the list, with the agents that have come since."""
        if len(CATALOGUE) != self._known:
            self._refill()
        super().showPopup()

    # Filling

    def _show(self, data: str | PublishedAgent) -> None:
        if len(CATALOGUE) != self._known or (self._folded and isinstance(data, PublishedAgent)):
            self._folded = self._folded and not isinstance(data, PublishedAgent)
            self._refill()
        if (index := self.findData(data)) < 0:
            # The chosen agent cannot play this game, but must still be seen.
            title = data.title if isinstance(data, PublishedAgent) else CATALOGUE[data].title
            self._add(f"{title} (not in this game)", data, "")
            index = self.count() - 1
        self.setCurrentIndex(index)
        self._shown = data

    def _refill(self) -> None:
        chosen = self.currentData()
        self.clear()
        self._fill()
        if chosen is not None:
            self._show(chosen)

    def _fill(self) -> None:
        self._known = len(CATALOGUE)
        if self._human:
            self.addItem("You", self._human)
        for group in sorted({info.group for info in CATALOGUE.values()}, key=lambda name: (not name, name)):
            infos = [info for info in CATALOGUE.values() if info.group == group]
            self._add_group(group or _ENGINES, "", ((info.title, info.name, info.about) for info in infos))
        if self._folded:
            self._add(_PUBLISHED_FOLDED, _FOLD, _ABOUT_PUBLISHED)
        else:
            published = ((each.title, each, each.note) for each in PUBLISHED.values())
            self._add_group(_PUBLISHED, _ABOUT_PUBLISHED, published)
        narrow(self)

    def unfold(self) -> None:
        """Offer the agents that documents published, too; the one chosen stays."""
        if self._folded:
            self._folded = False
            self._refill()

    def _on_activated(self, index: int) -> None:
        if self.itemData(index) == _FOLD:
            self.setCurrentIndex(max(self.findData(self._shown), 0))
            self.unfold()
            self.showPopup()
        else:
            self._shown = self.itemData(index)

    def _add_group(self, title: str, about: str, entries: Iterator[tuple[str, str | PublishedAgent, str]]) -> None:
        offered = [entry for entry in entries if self._plays(entry[1])]
        if not offered:
            return
        self._add(title, None, about)
        heading = self._items.item(self.count() - 1)
        heading.setEnabled(False)
        font = heading.font()
        font.setBold(True)
        heading.setFont(font)
        for entry in offered:
            self._add(*entry)

    def _add(self, title: str, data: str | PublishedAgent | None, about: str) -> None:
        self.addItem(title, data)
        self.setItemData(self.count() - 1, tip(about), Qt.ItemDataRole.ToolTipRole)

    def _plays(self, data: str | PublishedAgent) -> bool:
        """Whether this agent, with its present options, can play the position."""
        if self._position is None:
            return True
        if isinstance(data, PublishedAgent):
            return data.agent.plays(self._position)
        info = CATALOGUE[data]
        return Agent(data, info.options_type()).plays(self._position)
