"""The game that is being played, between the model (``play``), the computer's thinking and whoever shows them.

All rules of conduct are here: when the computer thinks, what Undo, Stop and Suggest do, which search is shown. The
widgets call methods and follow the signals; nothing here knows a widget.
"""

from __future__ import annotations

import time
from enum import Enum, auto

from PySide6.QtCore import Signal, Slot

from nimdesk.agents import Agent
from nimdesk.errors import IllegalMoveError
from nimdesk.games import AnyPosition, Move, Side
from nimdesk.games.base import describe_turn
from nimdesk.play import Forfeit, GameInProgress, Human, Player, player_title
from nimdesk.search import Snapshot
from nimdesk.ui.jobs.truth import Followed
from nimdesk.ui.play.searching import SearchService
from nimdesk.ui.play.thinking import Thinking, proposal

_PREPARING = "Preparing the search. The first time with a kind of game it is compiled, which takes a few seconds."


class State(Enum):
    """What is going on at the board."""

    HUMAN = auto()
    """A person is to move."""
    THINKING = auto()
    """The computer searches for its move (or waits a moment before it plays it)."""
    SUGGESTING = auto()
    """The computer searches for a proposal, for whoever is to move."""
    PAUSED = auto()
    """A computer is to move, and waits to be told to go on."""
    OVER = auto()
    """The game is over at the position shown."""


class GameController(Followed):
    """One game at a time; ``new_game`` replaces it."""

    game_replaced = Signal()
    """Another game, perhaps of other rules, is on the board."""
    players_changed = Signal()
    """Who plays changed."""
    state_changed = Signal()
    """``state``, ``headline`` or ``notice`` changed."""
    suggestion_changed = Signal()
    """``suggestion`` changed."""

    def __init__(self, game: GameInProgress, service: SearchService, suggester: Agent) -> None:
        super().__init__()
        self._game = game
        self.suggester = suggester
        self.slow_motion_s = 0.0
        self.move_delay_ms = 0
        self._paused = False
        self._notice = ""
        self._suggestion: Move | None = None
        self._last_move_at = 0.0
        self._thinking = Thinking(service, self._not_before, self)
        self._thinking.changed.connect(self.state_changed)
        self._thinking.snapshot_changed.connect(self.snapshot_changed)
        self._thinking.suggestion_found.connect(self._on_suggestion)
        self._thinking.move_found.connect(self._on_move)
        self._thinking.failed.connect(self._on_failed)
        self._thinking.agent_failed.connect(self._lose)

    # What is shown

    @property
    def game(self) -> GameInProgress:
        """The game; change it through this controller alone."""
        return self._game

    @property
    def position(self) -> AnyPosition:
        """The position on the board."""
        return self._game.position

    @property
    def state(self) -> State:
        """What is going on."""
        if self.position.outcome is not None or self._forfeit is not None:
            return State.OVER
        if self._thinking.suggesting:
            return State.SUGGESTING
        if isinstance(self._game.player_to_move, Human):
            return State.HUMAN
        return State.THINKING if self._thinking.busy else State.PAUSED

    @property
    def person_to_move(self) -> bool:
        """Whether a person may choose a move on the board now, also while a proposal is searched."""
        return isinstance(self._game.player_to_move, Human)

    @property
    def paused(self) -> bool:
        """Whether computers wait to be told to go on."""
        return self._paused

    @property
    def headline(self) -> str:
        """Whose turn it is, or who won and why."""
        text = describe_turn(self.position)
        if self.position.outcome is not None:
            return text
        if self._forfeit is not None:
            return f"{self.position.game.side_name(self._forfeit.side)} loses: its player failed"
        who = player_title(self._game.players[self.position.turn])
        if self.state is State.THINKING:
            return f"{text}: {who} (thinking…)"
        return f"{text}: {who}" if who != "Human" or self._humans == 1 else text

    @property
    def notice(self) -> str:
        """One sentence below the headline: a proposal, an explanation, an error; may be empty."""
        if self._thinking.preparing:
            return _PREPARING
        if self._notice:
            return self._notice
        if self._forfeit is not None:
            return self._forfeit.reason
        if not self._game.at_end:
            return f"You are looking at move {self._game.cursor} of {len(self._game.plies)}." + self._what_next
        if self.state is State.PAUSED:
            return "Paused. Continue lets the computer go on."
        return "" if self.state is State.OVER else self.position.game.rules_text

    @property
    def suggestion(self) -> Move | None:
        """The proposed move in the position shown."""
        return self._suggestion

    @property
    def shown_snapshot(self) -> Snapshot | None:
        """The search to show: the running or last one here, else the one that chose the last move on the board."""
        live = self._thinking.live
        return live if live is not None else self._game.analysis(self._game.cursor)

    @property
    def shown_title(self) -> str:
        """What that search was for, such as "Move 4, X: MCTS"; empty before the first move."""
        game = self._game.game
        thinking = self._thinking
        if thinking.live is not None:
            ply = self._game.cursor
            side = game.side_name(Side(ply % 2))
            what = "Suggestion for" if thinking.live is thinking.suggested or thinking.suggesting else "Thinking about"
            return f"{what} move {ply + 1}, {side}"
        if self._game.cursor == 0:
            return ""
        played = self._game.plies[self._game.cursor - 1]
        by = f" by {played.by}" if played.by else ""
        return f"Move {self._game.cursor}, {game.side_name(Side((self._game.cursor - 1) % 2))}: {played.move.text}{by}"

    @property
    def busy(self) -> bool:
        """Whether a search runs, or its move waits to be played."""
        return self._thinking.busy

    @property
    def slowed_down(self) -> bool:
        """Whether the search shown is running, and is spread over time to be watched."""
        return self._thinking.slowed_down

    # What a person does

    def begin(self) -> None:
        """The window is there: a computer to move starts to think."""
        self._go_on()
        self.state_changed.emit()

    def halt(self) -> None:
        """End whatever runs, for good."""
        self._halt()

    def new_game(self, game: GameInProgress) -> None:
        """Replace the game at once."""
        self._halt()
        self._game, self._paused = game, False
        self.game_replaced.emit()
        self._show(animate=False)
        self._go_on()

    def human_move(self, move: Move) -> None:
        """A person chose a move on the board."""
        if not self.person_to_move:
            return
        snapshot = self._thinking.suggested
        self._halt()
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
            self._halt()
            self._show(animate=False)
        self.players_changed.emit()
        self._go_on()
        self.state_changed.emit()

    def undo(self) -> None:
        """Take back to the person's own last turn (without a person: one move)."""
        self.jump(self._game.undo_target())

    def redo(self) -> None:
        """Take forward what Undo took back."""
        self.jump(self._game.redo_target())

    def jump(self, cursor: int) -> None:
        """Look at the board after that many moves; a search for another position ends."""
        cursor = min(max(cursor, 0), len(self._game.plies))
        if cursor == self._game.cursor and not self._thinking.busy:
            return
        self._halt()
        self._game.jump(cursor)
        self._show(animate=False)
        self._go_on()

    def suggest(self) -> None:
        """Propose a move for whoever is to move, by a search that plays nothing."""
        if self.position.outcome is not None or self._thinking.busy:
            return
        self._forget()
        self._start(self.suggester, suggest=True)

    def stop(self) -> None:
        """End the search at once and keep its curves; a computer to move then waits for Continue."""
        if not self._thinking.busy:
            return
        if not self._thinking.suggesting:
            self._paused = True
        self._thinking.stop()
        self.state_changed.emit()

    def move_now(self) -> None:
        """Let the computer play (or propose) what it thinks best so far."""
        self._thinking.move_now()

    def pause(self) -> None:
        """Computers make no further move until Continue or Step."""
        self._paused = True
        if self.state is State.THINKING:
            self.stop()
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
            self.state_changed.emit()

    def explain(self, sentence: str) -> None:
        """Show one sentence below the headline until the next move."""
        self._notice = sentence
        self.state_changed.emit()

    # What follows from it

    @property
    def _forfeit(self) -> Forfeit | None:
        return self._game.forfeit if self._game.at_end else None

    @property
    def _humans(self) -> int:
        return sum(isinstance(player, Human) for player in self._game.players)

    @property
    def _what_next(self) -> str:
        if self.state is State.PAUSED:
            return " Continue plays on from here."
        return " A move made here begins a variation." if self.state is State.HUMAN else ""

    def _forget(self) -> None:
        self._suggestion = None
        self._thinking.forget()
        self._notice = ""
        self.suggestion_changed.emit()

    def _halt(self) -> None:
        """End whatever runs, without a trace on the screen."""
        self._thinking.halt()
        self._forget()

    def _show(self, *, animate: bool) -> None:
        self.position_changed.emit(animate)
        self.snapshot_changed.emit()
        self.state_changed.emit()

    def _go_on(self, *, from_here: bool = False) -> None:
        """Let the computer think if it is to move and may."""
        player = self._game.player_to_move
        if not isinstance(player, Agent) or self._thinking.busy or self._forfeit is not None:
            return
        if from_here or (self._game.at_end and not self._paused):
            self._forget()
            self._start(player)

    def _start(self, agent: Agent, *, suggest: bool = False) -> None:
        self._thinking.start(self.position, agent, slow_motion_s=self.slow_motion_s, suggest=suggest)

    def _not_before(self) -> float:
        """Two computers would play too fast to follow; against a person the answer comes at once."""
        return self._last_move_at + self.move_delay_ms / 1000 if self._humans == 0 else 0.0

    def _play(self, move: Move, by: str, snapshot: Snapshot | None) -> None:
        try:
            self._game.play(move, by=by, elapsed_s=snapshot.elapsed_s if snapshot else None, snapshot=snapshot)
        except (IllegalMoveError, ValueError) as error:  # ValueError: a search that broke its contract
            self._lose(f"{by} failed: its move or its search cannot be used. {error}")
            return
        self._last_move_at = time.monotonic()
        self._show(animate=True)
        self._go_on()

    @Slot(object)
    def _on_suggestion(self, snapshot: Snapshot) -> None:
        self._suggestion = snapshot.best_move
        self._notice = proposal(snapshot)
        self.suggestion_changed.emit()
        self.snapshot_changed.emit()
        self.state_changed.emit()

    @Slot(object)
    def _on_move(self, snapshot: Snapshot) -> None:
        if snapshot.best_move is None or snapshot.position != self.position:
            return
        by = player_title(self._game.players[self.position.turn])
        self._thinking.forget()
        self._play(snapshot.best_move, by, snapshot)

    @Slot(str)
    def _lose(self, reason: str) -> None:
        """The side to move loses, since its agent failed; a person who looks back may play on from there."""
        self._game.lose(self.position.turn, reason)
        self._thinking.forget()
        self._show(animate=False)

    @Slot(str)
    def _on_failed(self, message: str) -> None:
        self._paused = True
        self.snapshot_changed.emit()
        self.explain(message)
