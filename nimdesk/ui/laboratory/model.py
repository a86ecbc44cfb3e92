"""The laboratory without its panels: position, agents, searches, the moment shown, and what is proven."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from nimdesk.games import AnyPosition
from nimdesk.games.truth import Truth
from nimdesk.search import Snapshot
from nimdesk.ui.jobs.truth import Followed, TruthFollower
from nimdesk.ui.laboratory.agents import AgentList, Studied
from nimdesk.ui.laboratory.clock import Clock
from nimdesk.ui.laboratory.place import Place, Pointing
from nimdesk.ui.laboratory.runs import Rows
from nimdesk.ui.laboratory.searches import Searches
from nimdesk.ui.laboratory.words import run_sentence

TRUTH_TIME_S = 30.0


class Proof(Followed):
    """What is proven of the position studied, unless a person would rather guess; proofs run in a thread of theirs."""

    changed = Signal()
    """``truth``, ``words`` or ``shown`` changed."""

    def __init__(self, place: Place) -> None:
        super().__init__()
        self._place = place
        self._shown = True
        self._follower = TruthFollower(self, TRUTH_TIME_S)
        self._follower.truth_changed.connect(self.changed)

    def begin(self) -> None:
        """The page is on the screen: proofs may start."""
        # Not before: panels have to hear of a position before they are told what is proven of it.
        self._place.changed.connect(self._on_position)
        self._follower.set_shown(self._shown)

    def end(self) -> None:
        """End the thread."""
        self._follower.end()

    @property
    def position(self) -> AnyPosition:
        return self._place.position

    def _on_position(self) -> None:
        self.position_changed.emit(False)

    @property
    def truth(self) -> Truth | None:
        """What is proven of the position by now; None while it is not shown."""
        return self._follower.truth

    @property
    def words(self) -> tuple[str, str]:
        """The truth as a sentence, and why it is so."""
        return self._follower.sentence, self._follower.explanation

    @property
    def proving(self) -> bool:
        """Whether more of the truth may become known soon."""
        return self._follower.proving

    @property
    def shown(self) -> bool:
        """Whether what is proven is shown."""
        return self._shown

    def set_shown(self, shown: bool) -> None:
        """Show what is proven, or leave it to guess."""
        self._shown = shown
        self._follower.set_shown(shown)


class Laboratory(QObject):
    """One position, one to four agents, and their searches. Lives in the UI thread and never waits.

    Each part tells what changed by its own signals; the parts themselves hear each other before any panel does.
    """

    told = Signal(str)
    """One sentence for the person at the screen, such as why nothing was pasted."""

    def __init__(self, position: AnyPosition, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.place = Place(position, self)
        self.agents = AgentList(self)
        self.pointing = Pointing(self.place, self)
        self.searches = Searches(self.place, self.agents, self)
        self.clock = Clock(self.place, self.searches, self)
        self.proof = Proof(self.place)

    def shutdown(self) -> None:
        """End both threads; call it after the window is hidden."""
        self.clock.rest()
        self.searches.bridge.shutdown()
        self.proof.end()

    def show_saved(self, position: AnyPosition, saved: Sequence[tuple[Studied, Snapshot, Rows]]) -> None:
        """Study these agents in this position, with searches that were saved in place of their own."""
        self.place.go_to(position)
        self.agents.set_all(tuple(studied for studied, _, _ in saved))
        self.searches.restore((snapshot, rows) for _, snapshot, rows in saved)

    def sentence(self) -> str:
        """What the run in focus has come to at the moment shown."""
        searches = self.searches
        return run_sentence(
            self.agents.focused.agent.info.title,
            searches.focused,
            self.clock.shown(),
            self.proof.truth,
            searches.axis.cost,
            running=searches.running,
            preparing=searches.preparing,
        )
