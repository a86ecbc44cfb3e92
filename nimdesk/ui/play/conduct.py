"""The rules of conduct at the board: whose turn it is, when the computer thinks, what is shown and said."""

from __future__ import annotations

import time
from enum import Enum, auto
from typing import NamedTuple

from PySide6.QtCore import Signal, Slot

from nimdesk.agents import CATALOGUE, Agent, make_agent
from nimdesk.errors import IllegalMoveError
from nimdesk.games import AnyPosition, Move
from nimdesk.play import Forfeit, GameInProgress, Human, player_title
from nimdesk.search import Snapshot
from nimdesk.ui.jobs.truth import Followed
from nimdesk.ui.play import words
from nimdesk.ui.play.searching import SearchService
from nimdesk.ui.play.thinking import Thinking

_PAUSED = "Paused. Continue lets the computer go on."
_HELD = "Paused. Continue goes on with the same search."
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


_WHAT_NEXT = {
    State.PAUSED: " Continue plays on from here.",
    State.HUMAN: " A move made here begins a variation.",
}


class Shown(NamedTuple):
    """The search that board, plot and figures show at one moment, and what to call it; None where there is none."""

    snapshot: Snapshot | None
    title: str
    here: bool
    """Whether it is of the position on the board, and not of one before it."""


class Conduct(Followed):
    """One game, and what follows from a move, from a search that has ended and from one that has failed."""

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
        self._slow_motion_s = 0.0
        self.move_delay_ms = 0
        self._paused = False
        self._notice = self._aside = ""
        self._suggestion: Move | None = None
        self._last_move_at = 0.0
        self._taken_back = False
        self._thinking = Thinking(service, self._not_before, self)
        self._thinking.changed.connect(self.state_changed)
        self._thinking.snapshot_changed.connect(self.snapshot_changed)
        self._thinking.suggestion_found.connect(self._on_suggestion)
        self._thinking.move_found.connect(self._on_move)
        self._thinking.failed.connect(self._on_failed)
        self._thinking.agent_failed.connect(self._lose)
        self.state_changed.connect(self._follow_clock)

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
    def slow_motion_s(self) -> float:
        """Over how many seconds the first simulations of a search are spread: the one under way, or else the next."""
        return self._thinking.slow_motion_s if self._thinking.busy else self._slow_motion_s

    @slow_motion_s.setter
    def slow_motion_s(self, seconds: float) -> None:
        self._slow_motion_s = seconds
        self.state_changed.emit()

    @property
    def preparing(self) -> bool:
        """Whether a search is wanted that cannot run yet, for so long that it is worth a word."""
        return self._thinking.preparing

    @property
    def paused(self) -> bool:
        """Whether computers wait to be told to go on."""
        return self._paused

    @property
    def headline(self) -> str:
        """Whose turn it is, or who won and why."""
        position, players = self.position, self._game.players
        if position.outcome is not None:
            plies, cursor = self._game.plies, self._game.cursor
            return words.end_words(position, players, plies[cursor - 1] if cursor else None)
        if self._forfeit is not None:
            return words.forfeit_words(position, players, self._forfeit)
        doing = "" if self.state is not State.THINKING else "getting ready" if self.preparing else "thinking"
        return words.turn_words(position, players, doing)

    @property
    def notice(self) -> str:
        """One sentence below the headline: a proposal, an explanation, an error; may be empty."""
        if self._aside:
            return self._aside
        if self._thinking.preparing:
            return _PREPARING
        if self._notice:
            return self._notice
        if self._forfeit is not None:
            return self._forfeit.reason
        state = self.state
        if not self._game.at_end and self._taken_back and state is State.HUMAN:
            return "Taken back. The game goes on with your next move; what followed here stays as a variation."
        if not self._game.at_end:
            return f"You are looking at move {self._game.cursor} of {len(self._game.plies)}.{_WHAT_NEXT.get(state, '')}"
        if state is State.PAUSED:
            player = self._game.player_to_move
            held = isinstance(player, Agent) and self._thinking.goes_on(self.position, player)
            return _HELD if held and self._thinking.of(self.position) is not None else _PAUSED
        if state is not State.HUMAN:
            return ""
        return f"{words.known_words(self._game)} {self.position.game.hint}".strip()

    @property
    def suggestion(self) -> Move | None:
        """The proposed move in the position shown."""
        return self._suggestion

    @property
    def shown(self) -> Shown:
        """The search to show: one of the position on the board, or else the newest one before it."""
        game, cursor = self._game, self._game.cursor
        newest = self._thinking.of(self.position)
        if newest is not None:
            suggestion = newest is self._thinking.suggested or self._thinking.suggesting
            what = "Hint for" if suggestion else "Thinking about"
            return Shown(newest, f"{what} move {cursor + 1}, {game.game.side_name(self.position.turn)}", here=True)
        plies = game.plies
        for number in range(min(cursor + 1, len(plies)), 0, -1):
            if (snapshot := plies[number - 1].snapshot) is not None:
                here = number == cursor + 1
                return Shown(snapshot, words.shown_title(game, number, here=here), here)
        return Shown(None, "", here=False)

    @property
    def shown_snapshot(self) -> Snapshot | None:
        """The search to show."""
        return self.shown.snapshot

    def agent_of(self, snapshot: Snapshot) -> Agent | None:
        """Who made this search, with all options.

        Those of a search of before the program started are not kept: None, but for an agent whose name says it all.
        """
        made = self._thinking.agent_of(snapshot)
        if made is None and snapshot.agent in CATALOGUE:
            by_name = make_agent(snapshot.agent)
            made = by_name if by_name.known_by_name else None
        return made

    @property
    def busy(self) -> bool:
        """Whether a search runs, or its move waits to be played."""
        return self._thinking.busy

    @property
    def resting(self) -> tuple[Snapshot, bool] | None:
        """The search that is shown while none runs, held or made for a hint, and whether it is a hint."""
        return self._thinking.resting

    # What is said

    def explain(self, sentence: str) -> None:
        """Show one sentence below the headline until the next move."""
        self._notice = sentence
        self.state_changed.emit()

    def say_aside(self, sentence: str) -> None:
        """Show this sentence in place of all others until it is taken back by an empty one."""
        self._aside = sentence
        self.state_changed.emit()

    # What follows from it

    @property
    def _forfeit(self) -> Forfeit | None:
        return self._game.forfeit if self._game.at_end else None

    @Slot()
    def _follow_clock(self) -> None:
        """The clock of the turn runs while whoever is to move thinks, and nobody looks at other moves.

        A computer thinks once its search can run: what is compiled or loaded before is not its time.
        """
        state, game = self.state, self._game
        thinks = self.person_to_move or (state is State.THINKING and self._thinking.ready)
        if game.at_end and state is not State.OVER and thinks:
            game.clock.run(game.node)
        else:
            game.clock.rest()

    def _clear(self) -> None:
        """Take back what was said about the position."""
        self._suggestion, self._notice = None, ""
        self.suggestion_changed.emit()

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
            self._clear()
            self._thinking.start(self.position, player, slow_motion_s=self._slow_motion_s)

    def _not_before(self) -> float:
        """Two computers would play too fast to follow; against a person the answer comes at once."""
        watched = all(isinstance(player, Agent) for player in self._game.players)
        return self._last_move_at + self.move_delay_ms / 1000 if watched else 0.0

    def _play(self, move: Move, by: str, snapshot: Snapshot | None) -> None:
        try:
            self._game.play(move, by=by, elapsed_s=snapshot.elapsed_s if snapshot else None, snapshot=snapshot)
        except (IllegalMoveError, ValueError) as error:  # ValueError: a search that broke its contract
            self._lose(f"{by} failed: its move or its search cannot be used. {error}")
            return
        if self._taken_back:
            self._game.promote(self._game.node)
        self._taken_back = False
        self._last_move_at = time.monotonic()
        self._show(animate=True)
        self._go_on()

    @Slot(object)
    def _on_suggestion(self, snapshot: Snapshot) -> None:
        self._suggestion = snapshot.best_move
        self._notice = words.proposal(snapshot)
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
