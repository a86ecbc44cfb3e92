"""The game that is being played, between the model (``play``), the search service and whoever shows them.

All rules of conduct are here: when the computer thinks, what Undo, Stop and Suggest do, which search is shown. The
widgets call methods and follow the signals; nothing here knows a widget.
"""

from __future__ import annotations

import time
from enum import Enum, auto

from PySide6.QtCore import QTimer, Signal, Slot

from nimdesk.agents import Agent
from nimdesk.errors import IllegalMoveError
from nimdesk.games import AnyPosition, Move, Side
from nimdesk.games.words import describe_move, describe_turn
from nimdesk.play import Forfeit, GameInProgress, Human, Player, player_title
from nimdesk.search import Snapshot, StopReason
from nimdesk.ui.jobs.truth import Followed
from nimdesk.ui.play.searching import SearchService

_PREPARING_NOTICE_MS = 250
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
        self._game, self._service = game, service
        self.suggester = suggester
        self.slow_motion_s = 0.0
        self.move_delay_ms = 0
        self._paused = False
        self._suggesting = False
        self._preparing = False
        self._notice = ""
        self._suggestion: Move | None = None
        self._suggested: Snapshot | None = None
        self._live: Snapshot | None = None
        self._last_move_at = 0.0
        self._chosen: Snapshot | None = None
        self._play_timer = QTimer(self, singleShot=True)
        self._play_timer.timeout.connect(self._play_chosen)
        self._preparing_timer = QTimer(self, singleShot=True, interval=_PREPARING_NOTICE_MS)
        self._preparing_timer.timeout.connect(self._say_preparing)
        service.search_started.connect(self._on_started)
        service.snapshot_ready.connect(self._on_snapshot)
        service.search_finished.connect(self._on_finished)
        service.search_failed.connect(self._on_failed)
        service.agent_failed.connect(self._on_agent_failed)

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
        if self._suggesting:
            return State.SUGGESTING
        if isinstance(self._game.player_to_move, Human):
            return State.HUMAN
        return State.THINKING if self._busy else State.PAUSED

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
        if self._preparing:
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
        return self._live if self._live is not None else self._game.analysis(self._game.cursor)

    @property
    def shown_title(self) -> str:
        """What that search was for, such as "Move 4, X: MCTS"; empty before the first move."""
        game = self._game.game
        if self._live is not None:
            ply = self._game.cursor
            side = game.side_name(Side(ply % 2))
            what = "Suggestion for" if self._live is self._suggested or self._suggesting else "Thinking about"
            return f"{what} move {ply + 1}, {side}"
        if self._game.cursor == 0:
            return ""
        played = self._game.plies[self._game.cursor - 1]
        by = f" by {played.by}" if played.by else ""
        return f"Move {self._game.cursor}, {game.side_name(Side((self._game.cursor - 1) % 2))}: {played.move.text}{by}"

    @property
    def slowed_down(self) -> bool:
        """Whether the search shown is running, and is spread over time to be watched."""
        return self._service.slowed_down

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
        snapshot = self._suggested
        self._halt()
        # Who stopped the computer and then moves wants an answer.
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
        if cursor == self._game.cursor and not self._busy:
            return
        self._halt()
        self._game.jump(cursor)
        self._show(animate=False)
        self._go_on()

    def suggest(self) -> None:
        """Propose a move for whoever is to move, by a search that plays nothing."""
        if self.position.outcome is not None or self._busy:
            return
        self._forget()
        self._suggesting = True
        self._start(self.suggester)

    def stop(self) -> None:
        """End the search at once and keep its curves; a computer to move then waits for Continue."""
        if not self._busy:
            return
        shown = self._live.ended(StopReason.STOPPED) if self._live and self._service.searching else self._live
        suggesting = self._suggesting
        self._service.stop()
        self._play_timer.stop()
        self._chosen = None
        self._suggesting = False
        if not suggesting:
            self._paused = True
        self._live = shown
        self._suggested = self._live if suggesting else None
        self._set_preparing(False)
        self.snapshot_changed.emit()
        self.state_changed.emit()

    def move_now(self) -> None:
        """Let the computer play (or propose) what it thinks best so far."""
        if self._chosen is not None:
            self._play_chosen()
        else:
            self._service.move_now()

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
        if isinstance(self._game.player_to_move, Agent) and not self._busy:
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
    def _busy(self) -> bool:
        return self._service.searching or self._chosen is not None

    @property
    def _humans(self) -> int:
        return sum(isinstance(player, Human) for player in self._game.players)

    @property
    def _what_next(self) -> str:
        if self.state is State.PAUSED:
            return " Continue plays on from here."
        return " A move made here replaces what followed." if self.state is State.HUMAN else ""

    def _forget(self) -> None:
        self._suggestion = self._suggested = self._live = None
        self._notice = ""
        self.suggestion_changed.emit()

    def _halt(self) -> None:
        """End whatever runs, without a trace on the screen."""
        self._service.stop()
        self._play_timer.stop()
        self._chosen = None
        self._suggesting = False
        self._set_preparing(False)
        self._forget()

    def _show(self, *, animate: bool) -> None:
        self.position_changed.emit(animate)
        self.snapshot_changed.emit()
        self.state_changed.emit()

    def _go_on(self, *, from_here: bool = False) -> None:
        """Let the computer think if it is to move and may."""
        player = self._game.player_to_move
        if not isinstance(player, Agent) or self._busy or self._forfeit is not None:
            return
        if from_here or (self._game.at_end and not self._paused):
            self._forget()
            self._start(player)

    def _start(self, agent: Agent) -> None:
        slow = self.slow_motion_s
        self._service.start(self.position, agent, slow_motion_s=slow)
        self._preparing_timer.start()
        self.state_changed.emit()

    def _play(self, move: Move, by: str, snapshot: Snapshot | None) -> None:
        try:
            self._game.play(move, by=by, elapsed_s=snapshot.elapsed_s if snapshot else None, snapshot=snapshot)
        except (IllegalMoveError, ValueError) as error:  # ValueError: a search that broke its contract
            self._lose(f"{by} failed: its move or its search cannot be used. {error}")
            return
        self._last_move_at = time.monotonic()
        self._show(animate=True)
        self._go_on()

    def _set_preparing(self, preparing: bool) -> None:
        self._preparing_timer.stop()
        self._preparing = preparing

    @Slot()
    def _say_preparing(self) -> None:
        self._set_preparing(True)
        self.state_changed.emit()

    @Slot()
    def _on_started(self) -> None:
        self._set_preparing(False)
        self.state_changed.emit()

    @Slot(object)
    def _on_snapshot(self, snapshot: Snapshot) -> None:
        self._live = snapshot
        self.snapshot_changed.emit()

    @Slot(object)
    def _on_finished(self, snapshot: Snapshot) -> None:
        self._set_preparing(False)
        self._live = snapshot
        if self._suggesting:
            self._suggesting = False
            self._suggested = snapshot
            self._suggestion = snapshot.best_move
            self._notice = _proposal(snapshot)
            self.suggestion_changed.emit()
            self.snapshot_changed.emit()
            self.state_changed.emit()
            return
        self._chosen = snapshot
        # Two computers would play too fast to follow; against a person the answer comes at once.
        waited_ms = int(1000 * (time.monotonic() - self._last_move_at))
        delay = self.move_delay_ms - waited_ms if self._humans == 0 else 0
        if delay > 0 or snapshot.best_move is None:
            self.snapshot_changed.emit()
        # Else it is shown with the move: drawing it twice would only make the person wait.
        self._play_timer.start(max(delay, 0))

    @Slot()
    def _play_chosen(self) -> None:
        snapshot, self._chosen = self._chosen, None
        self._play_timer.stop()
        if snapshot is None or snapshot.best_move is None or snapshot.position != self.position:
            return
        by = player_title(self._game.players[self.position.turn])
        self._live = None
        self._play(snapshot.best_move, by, snapshot)

    @Slot(str)
    def _on_agent_failed(self, message: str) -> None:
        self._set_preparing(False)
        if self._suggesting:
            self._on_failed(message)
            return
        self._lose(message)

    def _lose(self, reason: str) -> None:
        """The side to move loses, since its agent failed; who looks back may play on from there."""
        self._game.lose(self.position.turn, reason)
        self._live = None
        self._show(animate=False)

    @Slot(str)
    def _on_failed(self, message: str) -> None:
        self._set_preparing(False)
        self._suggesting = False
        self._paused = True
        # Its curves would claim for ever that the search goes on.
        self._live = None
        self.snapshot_changed.emit()
        self.explain(message)


def _proposal(snapshot: Snapshot) -> str:
    best = snapshot.best_move
    if best is None:
        return "The search ended before it could propose a move."
    stats = next(stats for stats in snapshot.moves if stats.move == best)
    value = "" if stats.mean_value is None else f", expected score {stats.mean_value:.2f}"
    return f"Suggestion: {describe_move(best)} ({_percent(snapshot.share(stats))} of the visits{value})."


def _percent(share: float) -> str:
    return f"{share:.0%}" if share >= 0.1 else f"{share:.1%}"
