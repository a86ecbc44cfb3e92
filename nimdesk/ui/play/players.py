"""Any player for a side, with its options: what is behind the levels in the sheet of its card."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from nimdesk.agents import Agent, AgentOptions, named_as_published, published_as
from nimdesk.agents.naming import HUMAN
from nimdesk.games import Game, Side
from nimdesk.play import Human, Player, opponent
from nimdesk.ui.look.agent_choice import AgentChoice
from nimdesk.ui.look.forms import OptionsForm
from nimdesk.ui.look.widgets import keyless, label, tip


class PlayerBox(QFrame):
    """One side: a choice of players, one sentence about the choice, and the form of its options.

    Options typed for an agent come back when that agent is chosen again.
    """

    player_changed = Signal(object, object)
    """``Side`` and the new ``Player``."""
    problem_shown = Signal(object)
    """A sentence appeared in this label: it should be in sight."""

    def __init__(self, side: Side, player: Player, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.side = side
        self._player = player
        self._remembered: dict[str, Agent] = {}
        self._form: OptionsForm | None = None
        self._name = label(role="side")
        self._choice = AgentChoice(human=HUMAN)
        self._choice.activated.connect(self._on_chosen)
        # Screen readers on Linux tell a list by its label, and not by its accessible name. The eye has a title.
        self._name.setBuddy(self._choice)
        self._name.hide()
        self._about = label(role="muted", wrap=True)
        top = QHBoxLayout()
        top.addWidget(self._name)
        top.addWidget(self._choice, 1)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(8, 6, 8, 8)
        self._layout.setSpacing(5)
        self._layout.addLayout(top)
        self._layout.addWidget(self._about)
        self.set_player(player)

    @property
    def form(self) -> OptionsForm | None:
        """The form of the chosen agent; None for Human."""
        return self._form

    def set_game(self, game: Game) -> None:
        """Call the side by the name it has in this game."""
        name = game.side_name(self.side)
        self._name.setText(keyless(name))
        self._choice.offer_for(game.start())
        self._choice.setAccessibleName(f"{name} is played by")

    def set_player(self, player: Player, *, anew: bool = False) -> None:
        """Show this player without telling anyone.

        Where the same one is shown, what is half typed stays; not if ``anew``: then it was meant for another game.
        """
        if isinstance(player, Agent) and named_as_published(player) is None:
            self._remembered[player.name] = player
        if player == self._player and self._about.text() and not anew:
            return
        self._player = player
        self._show_choice()
        self._show_about()
        self._rebuild_form()

    def _show_about(self) -> None:
        about, note = _about(self._player)
        self._about.setText(about)
        self._about.setToolTip(tip(note))

    def take_keyboard(self) -> None:
        """The choice of the player has the keyboard."""
        self._choice.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def refresh(self) -> None:
        """Offer what the catalogue holds now; the player stays."""
        self._show_choice()

    def _show_choice(self) -> None:
        if isinstance(self._player, Agent):
            self._choice.show_agent(self._player)
        else:
            self._choice.show_key(HUMAN)

    def _rebuild_form(self) -> None:
        if self._form is not None:
            self._layout.removeWidget(self._form)
            self._form.go()
            self._form = None
        if isinstance(self._player, Agent):
            self._form = OptionsForm(self._player.info, self._player.options)
            self._form.options_changed.connect(self._on_options)
            self._form.problem_shown.connect(self.problem_shown)
            self._layout.addWidget(self._form)

    def _on_chosen(self, index: int) -> None:
        chosen = self._choice.choose(index)
        if isinstance(chosen, Agent):
            self.set_player(chosen)
        elif chosen is None or (chosen == key_of(self._player) and not self._is_published):
            return
        else:
            known = self._remembered.get(chosen)
            self.set_player(Human() if chosen == HUMAN else known or opponent(chosen))
        self._show_choice()
        self.player_changed.emit(self.side, self._player)

    @property
    def _is_published(self) -> bool:
        return isinstance(self._player, Agent) and named_as_published(self._player) is not None

    def _on_options(self, options: AgentOptions) -> None:
        if isinstance(self._player, Agent):
            self._player = Agent(self._player.name, options)
            self._remembered[self._player.name] = self._player
            self._show_choice()
            self._show_about()
            self.player_changed.emit(self.side, self._player)


def _about(player: Player) -> tuple[str, str]:
    """What the player does, and, for one that a document published, the note on it."""
    if isinstance(player, Human):
        return "Moves by mouse or keyboard.", ""
    published = published_as(player)
    if published is None:
        return player.info.about, ""
    return f"{player.info.about} As published in document {published.document}.", published.note


def key_of(player: Player) -> str:
    """What stands for this player in lists: the agent's name, or ``HUMAN``."""
    return HUMAN if isinstance(player, Human) else player.name
