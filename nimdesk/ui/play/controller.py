"""The game that is being played, between the model (``play``), the computer's thinking and whoever shows them.

The widgets call methods and follow the signals; nothing here knows a widget. ``conduct`` has the rules, ``browsing``
the ways through the game.
"""

from __future__ import annotations

from collections.abc import Callable

from nimdesk.agents import Agent
from nimdesk.games import Move, Side
from nimdesk.play import GameInProgress, Player, player_title
from nimdesk.search import Snapshot
from nimdesk.ui.play.browsing import Browsing
from nimdesk.ui.play.conduct import Shown, State

__all__ = ["GameController", "Shown", "State"]


class GameController(Browsing):
    """What a person does at the board. One game at a time; ``new_game`` replaces it."""

    def begin(self) -> None:
        """The window is there: a computer to move starts to think."""
        self._go_on()
        self.state_changed.emit()

    def halt(self) -> None:
        """End whatever runs, for good."""
        self._thinking.halt()

    def new_game(self, game: GameInProgress) -> None:
        """Replace the game at once."""
        self._thinking.halt()
        self._game.clock.rest()
        self._clear()
        self._game, self._paused, self._taken_back = game, False, False
        self.game_replaced.emit()
        self._show(animate=False)
        self._go_on()

    def bring_back(self, snapshot: Snapshot, *, hint: bool) -> None:
        """Show a search that rested when this game was left; nothing happens where another one runs by now."""
        if self.busy or (hint and snapshot.position != self.position):
            return
        self._thinking.bring_back(snapshot, hint=hint)
        if hint:
            self._on_suggestion(snapshot)
        self.snapshot_changed.emit()

    def human_move(self, move: Move) -> None:
        """A person chose a move on the board."""
        if not self.person_to_move:
            return
        snapshot = self._thinking.suggested
        self._thinking.halt()
        self._clear()
        # A person who stopped the computer and then moves wants an answer.
        self._paused = False
        self._play(move, "Human", snapshot)

    def set_player(self, side: Side, player: Player) -> None:
        """Someone else, or the same with other options, plays this side from the next move on."""
        if self._game.players[side] == player:
            return
        kind_changed = player_title(self._game.players[side]) != player_title(player)
        self._game.set_player(side, player)
        if kind_changed and side == self.position.turn:
            self._thinking.halt()
            self._clear()
            self._show(animate=False)
        self.players_changed.emit()
        self._go_on()
        self.state_changed.emit()

    def suggest(self) -> None:
        """Propose a move for whoever is to move, by a search that plays nothing."""
        if self.position.outcome is not None or self._thinking.busy:
            return
        self._clear()
        self._thinking.suggest(self.position, self.suggester, slow_motion_s=self._slow_motion_s)

    def stop(self) -> None:
        """End the search for a suggestion; its curves stay."""
        if self._thinking.suggesting:
            self._thinking.hold()
            self.state_changed.emit()

    def move_now(self) -> None:
        """Let the computer play (or propose) what it thinks best so far."""
        self._thinking.move_now()

    def pause(self) -> None:
        """Computers make no further move until Continue or Step, which go on with the search under way."""
        self._paused = True
        if self.state is State.THINKING:
            self._thinking.hold()
        self.state_changed.emit()

    def resume(self) -> None:
        """Computers go on, from the position shown."""
        self._paused = False
        self._go_on(from_here=True)
        self.state_changed.emit()

    def step(self) -> None:
        """One move of the computer that is to move, then pause."""
        if isinstance(self._game.player_to_move, Agent) and not self._thinking.busy:
            self._paused = True
            self._go_on(from_here=True)

    def wait_while(self, waits: Callable[[], bool]) -> None:
        """Let computers play no move while this is true, such as while the move before is not on the disk."""
        self._thinking.waits = waits
