"""The game that is being played, between the model (``play``), the computer's thinking and whoever shows them.

The widgets call methods and follow the signals; nothing here knows a widget.
"""

from __future__ import annotations

import time
from collections.abc import Mapping

from PySide6.QtCore import Signal, Slot

from nimdesk.agents import Agent
from nimdesk.errors import IllegalMoveError
from nimdesk.games import AnyPosition, Move, Side
from nimdesk.play import GameInProgress, Node, Player, begins_quiet, player_title, words
from nimdesk.play.moment import Search, Sitting, State, search_to_show, state_of
from nimdesk.play.results import Results
from nimdesk.search import Snapshot
from nimdesk.ui.jobs.truth import Followed
from nimdesk.ui.play.searching import SearchService
from nimdesk.ui.play.thinking import Thinking


class GameController(Followed):
    """What a person does at the board, and what follows from it. One game at a time; ``new_game`` replaces it."""

    game_replaced = Signal()
    """Another game, perhaps of other rules, is on the board."""
    players_changed = Signal()
    """Who plays changed."""
    state_changed = Signal()
    """Something in ``sitting`` or ``search`` changed, other than the search to show."""
    hint_offered = Signal()
    """A person was told of the hint, which is done once."""

    def __init__(self, game: GameInProgress, service: SearchService, suggester: Agent) -> None:
        super().__init__()
        self.sitting = Sitting(game)
        """The game and what is said about it; change it through this controller alone."""
        self.thinking = Thinking(service, self._not_before, self)
        """Who is thinking, and what is known of it."""
        self.suggester = suggester
        """Who searches for proposals."""
        self._in_sight = True
        self.move_delay_ms = 0
        """How long a move of two computers is to be seen before the next one."""
        self.offers_hint = False
        """Whether to tell a person of the hint after the next move of a computer."""
        self._slow_motion_s = 0.0
        self._last_move_at = 0.0
        self.thinking.changed.connect(self.state_changed)
        self.thinking.snapshot_changed.connect(self.snapshot_changed)
        self.thinking.suggestion_found.connect(self._on_suggestion)
        self.thinking.move_found.connect(self._on_move)
        self.thinking.failed.connect(self._on_failed)
        self.thinking.agent_failed.connect(self._lose)
        self.state_changed.connect(self._follow_clock)

    # What there is to show

    @property
    def game(self) -> GameInProgress:
        """The game; change it through this controller alone."""
        return self.sitting.game

    @property
    def position(self) -> AnyPosition:
        """The position on the board."""
        return self.sitting.position

    @property
    def state(self) -> State:
        """What is going on."""
        return state_of(self.sitting, busy=self.thinking.busy, suggesting=self.thinking.suggesting)

    @property
    def suggestion(self) -> Move | None:
        """The proposed move in the position on the board."""
        return self.sitting.suggestion

    @property
    def search(self) -> Search:
        """What the computer is doing, and the newest search to show."""
        thinking, game, position = self.thinking, self.game, self.position
        newest, player = thinking.of(position), game.player_to_move
        hint = newest is thinking.suggested or thinking.suggesting
        snapshot, title = search_to_show(game, newest, hint=hint)
        held = thinking.held
        return Search(
            snapshot,
            title,
            asked=hint and newest is not None,
            behind=held if held is not None and held is not snapshot and held.position == position else None,
            busy=thinking.busy,
            suggesting=thinking.suggesting,
            preparing=thinking.preparing,
            held=newest is not None and isinstance(player, Agent) and thinking.goes_on(position, player),
            slow_motion_s=self.slow_motion_s,
            elapsed_s=thinking.elapsed_s,
            turn_s=game.clock.used_s(game.node),
        )

    @property
    def shown_snapshot(self) -> Snapshot | None:
        """The newest search to show."""
        return self.search.snapshot

    @property
    def slow_motion_s(self) -> float:
        """Over how many seconds the first simulations of a search are spread: the one under way, or else the next."""
        return self.thinking.slow_motion_s if self.thinking.busy else self._slow_motion_s

    @slow_motion_s.setter
    def slow_motion_s(self, seconds: float) -> None:
        self._slow_motion_s = seconds
        self.state_changed.emit()

    def set_quiet(self, quiet: bool) -> None:
        """Keep the search from the people at the board until the game is over, or show it again."""
        self.sitting.quiet = quiet
        self.state_changed.emit()

    def set_in_sight(self, in_sight: bool) -> None:
        """Whether the board is the page shown; a person who looks at another page does not think about a move."""
        self._in_sight = in_sight
        self.state_changed.emit()

    def explain(self, sentence: str) -> None:
        """Show one sentence below the headline until the next move."""
        self.sitting.explained = sentence
        self.state_changed.emit()

    def show_results(self, results: Mapping[str, Results]) -> None:
        """Show how a person has done in this game against each agent, by the agent's name."""
        self.sitting.results = results
        self.state_changed.emit()

    # The game as a whole

    def begin(self) -> None:
        """The window is there: a computer to move starts to think."""
        self._go_on()
        self.state_changed.emit()

    def halt(self) -> None:
        """End whatever runs, for good."""
        self.thinking.halt()

    def new_game(self, game: GameInProgress, *, quiet: bool | None = None) -> None:
        """Replace the game at once; ``quiet`` is by default as games of these players begin."""
        self.thinking.halt()
        self.game.clock.rest()
        self.sitting = Sitting(game, quiet=begins_quiet(game.players) if quiet is None else quiet)
        self.game_replaced.emit()
        self.show_again()
        self._go_on()

    def bring_back(self, snapshot: Snapshot, *, hint: bool) -> None:
        """Show a search that rested when this game was left; nothing happens where another one runs by now."""
        if self.thinking.busy or (hint and snapshot.position != self.position):
            return
        self.thinking.bring_back(snapshot, hint=hint)
        if hint:
            self._on_suggestion(snapshot)
        self.snapshot_changed.emit()

    def set_player(self, side: Side, player: Player) -> None:
        """Someone else, or the same with other options, plays this side from the next move on."""
        if self.game.players[side] == player:
            return
        kind_changed = player_title(self.game.players[side]) != player_title(player)
        lesson = begins_quiet(self.game.players)
        self.game.set_player(side, player)
        if not self.game.plies and lesson != begins_quiet(self.game.players):
            self.sitting.quiet = not lesson
        if kind_changed and side == self.position.turn:
            self.thinking.halt()
            self.sitting.clear()
            self.show_again()
        self.players_changed.emit()
        self._go_on()
        self.state_changed.emit()

    # Moves and searches

    def human_move(self, move: Move) -> None:
        """A person chose a move on the board."""
        if not self.sitting.person_to_move:
            return
        snapshot = self.thinking.suggested
        self.thinking.halt()
        self.sitting.clear()
        # A person who stopped the computer and then moves wants an answer.
        self.sitting.paused = False
        self._play(move, "Human", snapshot)

    def suggest(self) -> None:
        """Propose a move for whoever is to move, by a search that plays nothing."""
        if self.position.outcome is not None or self.thinking.busy:
            return
        self.sitting.clear()
        self.thinking.suggest(self.position, self.suggester, slow_motion_s=self._slow_motion_s)

    def stop(self) -> None:
        """End the search for a suggestion; its curves stay."""
        if self.thinking.suggesting:
            self.thinking.hold()
            self.state_changed.emit()

    def pause(self) -> None:
        """Computers make no further move until Continue or Step, which go on with the search under way."""
        self.sitting.paused = True
        if self.state is State.THINKING:
            self.thinking.hold()
        self.state_changed.emit()

    def resume(self) -> None:
        """Computers go on, from the position shown."""
        self.sitting.paused = False
        self._go_on(from_here=True)
        self.state_changed.emit()

    def step(self) -> None:
        """One move of the computer that is to move, then pause."""
        if isinstance(self.game.player_to_move, Agent) and not self.thinking.busy:
            self.sitting.paused = True
            self._go_on(from_here=True)

    # Looking back and forward, and the variations

    def undo(self) -> None:
        """Take back to the person's own last turn (without a person: one move).

        A move played then is the game, and what was taken back a variation.
        """
        target = self.game.undo_target()
        if target != self.game.cursor:
            self.jump(target)
            self.sitting.taken_back = True
            self.state_changed.emit()

    def redo(self) -> None:
        """Take forward what Undo took back."""
        self.jump(self.game.redo_target())

    def jump(self, cursor: int) -> None:
        """Look at the board after that many moves of the line, or of what goes on where it ends."""
        line = self.game.line
        if cursor >= len(line) and line[-1].children:
            self.look_at(line[-1].children[0])
        else:
            self.look_at(line[min(max(cursor, 0), len(line) - 1)])

    def look_at(self, node: Node) -> None:
        """Look at this place of the game's tree; a search for a move rests until its position is back and goes on."""
        self.sitting.taken_back = False
        if node is self.game.node:
            return
        self.thinking.leave()
        self.sitting.clear()
        self.game.look_at(node)
        self.show_again()
        self._go_on()

    def promote(self, node: Node | None = None) -> None:
        """Make the line that leads to this place, or else to the one looked at, the main line."""
        self.game.promote(node or self.game.node)
        self.show_again()

    def prune(self, node: Node | None = None) -> None:
        """Delete this move, or else the one looked at, and all after it; ``restore`` brings it back."""
        gone = node or self.game.node
        if gone.parent is None:
            return
        looked_at = gone in self.game.node.path
        if looked_at:
            self.thinking.halt()
            self.sitting.clear()
        self.game.pruned.append(self.game.prune(gone))
        if looked_at:
            self.game.look_at(gone.parent)
        self.show_again()

    def restore(self) -> None:
        """Bring back what ``prune`` deleted last in this game."""
        if self.game.pruned:
            self.thinking.leave()
            self.sitting.clear()
            self.game.restore(self.game.pruned.pop())
            self.show_again()

    def show_again(self, *, animate: bool = False) -> None:
        """Have the position shown anew: it is another one, or its game has got variations or searches."""
        self.position_changed.emit(animate)
        self.snapshot_changed.emit()
        self.state_changed.emit()

    # What follows

    def _go_on(self, *, from_here: bool = False) -> None:
        """Let the computer think if it is to move and may."""
        sitting, player = self.sitting, self.game.player_to_move
        if not isinstance(player, Agent) or self.thinking.busy or sitting.forfeit is not None:
            return
        if from_here or (self.game.at_end and not sitting.paused):
            sitting.clear()
            self.thinking.start(self.position, player, slow_motion_s=self._slow_motion_s)

    def _not_before(self) -> float:
        """Two computers would play too fast to follow; against a person the answer comes at once."""
        watched = all(isinstance(player, Agent) for player in self.game.players)
        return self._last_move_at + self.move_delay_ms / 1000 if watched else 0.0

    def _play(self, move: Move, by: str, snapshot: Snapshot | None) -> None:
        game, sitting = self.game, self.sitting
        try:
            game.play(move, by=by, elapsed_s=snapshot.elapsed_s if snapshot else None, snapshot=snapshot)
        except (IllegalMoveError, ValueError) as error:  # ValueError: a search that broke its contract
            self._lose(f"{by} failed: its move or its search cannot be used. {error}")
            return
        if sitting.taken_back:
            game.promote(game.node)
        sitting.taken_back = sitting.opened = False
        self._last_move_at = time.monotonic()
        self.show_again(animate=True)
        self._go_on()

    @Slot()
    def _follow_clock(self) -> None:
        """The clock of the turn runs while whoever is to move thinks, and nobody looks at other moves or another page.

        A computer thinks once its search can run: what is compiled or loaded before is not its time.
        """
        state, game = self.state, self.game
        person = self.sitting.person_to_move and self._in_sight
        thinks = person or (state is State.THINKING and self.thinking.ready)
        if game.at_end and state is not State.OVER and thinks:
            game.clock.run(game.node)
        else:
            game.clock.rest()

    @Slot(object)
    def _on_suggestion(self, snapshot: Snapshot) -> None:
        self.sitting.suggestion = words.proposed(snapshot)
        self.sitting.proposal = words.proposal(snapshot)
        self.snapshot_changed.emit()
        self.state_changed.emit()

    @Slot(object)
    def _on_move(self, snapshot: Snapshot) -> None:
        if snapshot.best_move is None or snapshot.position != self.position:
            return
        by = player_title(self.game.players[self.position.turn])
        self.thinking.forget()
        self._play(snapshot.best_move, by, snapshot)
        if self.offers_hint and self.state is State.HUMAN:
            self.offers_hint, self.sitting.offers_hint = False, True
            self.hint_offered.emit()
            self.state_changed.emit()

    @Slot(str)
    def _lose(self, reason: str) -> None:
        """The side to move loses, since its agent failed; a person who looks back may play on from there."""
        self.game.lose(self.position.turn, reason)
        self.thinking.forget()
        self.show_again()

    @Slot(str)
    def _on_failed(self, message: str) -> None:
        self.sitting.paused = True
        self.snapshot_changed.emit()
        self.explain(message)
