"""A game in progress: who plays it, its plies with the searches behind them, and the place that is looked at."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from nimdesk.agents import Agent, agent_from_json
from nimdesk.errors import OptionError
from nimdesk.games import AnyPosition, Game, Move, Side
from nimdesk.play.schema import MAX_SECONDS
from nimdesk.play.snapshots import is_duration, kept
from nimdesk.search import Snapshot


class Human(msgspec.Struct, frozen=True):
    """A person at the board."""

    @property
    def title(self) -> str:
        """What the window calls this player, and what ``Ply.by`` says."""
        return "Human"


Player: TypeAlias = Human | Agent


def player_title(player: Player) -> str:
    """What people call this player: "Human", "Random", "MCTS"."""
    return player.title if isinstance(player, Human) else player.info.title


def player_to_json(player: Player) -> dict[str, object]:
    """``{"player": "human"}``, or the agent's ``{"agent": name, "options": {...}}``."""
    return {"player": "human"} if isinstance(player, Human) else player.to_json()


def player_from_json(data: object) -> Player:
    """The player that ``player_to_json`` wrote; ``OptionError`` for anything else, with what is allowed."""
    if isinstance(data, dict) and "player" in data:
        if data != {"player": "human"}:
            raise OptionError("A player is written as {“player”: “human”} or as an agent with its options.")
        return Human()
    return agent_from_json(data)


RECORD_SUFFIX = ".nimdesk"
"""How the file names of saved games end."""


class Ply(msgspec.Struct, frozen=True):
    """One move played: by whom, how long it took, and the search that chose it.

    ``by`` is "Human", the title of the agent, or "" for a move that was given with the start position.
    """

    move: Move
    by: str = ""
    elapsed_s: float | None = None
    snapshot: Snapshot | None = None


class Forfeit(msgspec.Struct, frozen=True):
    """A side that lost without a losing move, and why, as one sentence."""

    side: Side
    reason: str


class GameInProgress:
    """The line of plies of one game, and a cursor: how many of them are on the board that is looked at.

    Moving the cursor drops nothing; playing a move drops the plies after the cursor first. ``revision`` rises with
    each change of what a saved game holds (a move played, a player changed), and not with the cursor: note it when
    you save or load, and the game is unsaved when it differs.
    """

    def __init__(self, position: AnyPosition, players: tuple[Player, Player]) -> None:
        """A game that goes on from ``position``; the moves in it become plies by nobody, and can be undone."""
        self._players = players
        self._positions: list[AnyPosition] = [position.game.start()]
        self._plies: list[Ply] = []
        for move in position.moves:
            self._positions.append(self._positions[-1].play(move))
            self._plies.append(Ply(move))
        self._cursor = len(self._plies)
        self._revision = 0
        self._forfeit: Forfeit | None = None

    @property
    def game(self) -> Game:
        """The rules."""
        return self._positions[0].game

    @property
    def players(self) -> tuple[Player, Player]:
        """The players, indexed by ``Side``."""
        return self._players

    def set_player(self, side: Side, player: Player) -> None:
        """Let someone else play this side from now on; the plies stay as they were played."""
        first, second = self._players
        changed = (player, second) if side == Side.FIRST else (first, player)
        if changed != self._players:
            self._players = changed
            self._revision += 1

    @property
    def player_to_move(self) -> Player | None:
        """Who is to move at the cursor; None when the game is over there."""
        return None if self.position.outcome is not None else self._players[self.position.turn]

    @property
    def forfeit(self) -> Forfeit | None:
        """Who lost at the end of the plies without a losing move, and why; None as usual. It is not saved."""
        return self._forfeit

    def lose(self, side: Side, reason: str) -> None:
        """Let this side lose at the last position; a move played from anywhere takes that back."""
        self._cursor = len(self._plies)
        self._forfeit = Forfeit(side, reason)

    @property
    def revision(self) -> int:
        """A number that is larger after each change of what a saved game holds."""
        return self._revision

    @property
    def plies(self) -> tuple[Ply, ...]:
        """Every ply from the start position on, also those after the cursor."""
        return tuple(self._plies)

    @property
    def cursor(self) -> int:
        """How many plies are on the board that is looked at, 0 to ``len(plies)``."""
        return self._cursor

    @property
    def position(self) -> AnyPosition:
        """The position at the cursor."""
        return self._positions[self._cursor]

    @property
    def last_position(self) -> AnyPosition:
        """The position after all plies."""
        return self._positions[-1]

    def position_at(self, cursor: int) -> AnyPosition:
        """The position after that many plies; ``ValueError`` if there are not so many."""
        return self._positions[self._checked(cursor)]

    def analysis(self, cursor: int) -> Snapshot | None:
        """The search that chose ply number ``cursor`` (the last one on that board, counted from 1), if there was one.

        Its root is ``position_at(cursor - 1)``. None for cursor 0; ``ValueError`` beyond the last ply.
        """
        return self._plies[cursor - 1].snapshot if self._checked(cursor) else None

    @property
    def at_end(self) -> bool:
        """Whether the cursor is after the last ply."""
        return self._cursor == len(self._plies)

    @property
    def can_undo(self) -> bool:
        """Whether ``undo`` has a ply to take back."""
        return self._cursor > 0

    @property
    def can_redo(self) -> bool:
        """Whether ``redo`` has a ply to go forward to."""
        return not self.at_end

    def play(self, move: Move, *, by: str, elapsed_s: float | None = None, snapshot: Snapshot | None = None) -> None:
        """Play a move at the cursor, in place of the plies after it.

        ``IllegalMoveError`` for a move the rules forbid, ``ValueError`` for a duration below 0 or not finite, and for
        a snapshot that is of another position or breaks its contract; in each case the game is as before. The
        snapshot is kept without the searcher's buffers.
        """
        after = self.position.play(move)
        if not is_duration(elapsed_s):
            raise ValueError(f"the move's elapsed_s is {elapsed_s}; it must be 0 to {MAX_SECONDS:g} seconds")
        ply = Ply(move, by, elapsed_s, None if snapshot is None else kept(snapshot, self.position))
        self._forfeit = None
        self._plies[self._cursor :] = [ply]
        self._positions[self._cursor + 1 :] = [after]
        self._cursor += 1
        self._revision += 1

    def undo(self) -> None:
        """Look one ply earlier; nothing happens at the start."""
        self._cursor = max(self._cursor - 1, 0)

    def redo(self) -> None:
        """Look one ply later; nothing happens at the end."""
        self._cursor = min(self._cursor + 1, len(self._plies))

    def jump(self, cursor: int) -> None:
        """Look at the board after that many plies; ``ValueError`` if there are not so many."""
        self._cursor = self._checked(cursor)

    def undo_target(self) -> int:
        """Where Undo goes in a game that is being played; the cursor itself when there is nothing to undo.

        With a Human at the board that is the nearest earlier turn of a Human: against the computer, one's own last
        move and the answer to it. Where the computer made the very first move and no more was played, there is no
        such turn, and nothing to undo: one ply back the computer would only move again (``jump(0)`` makes it do so).
        Without a Human it is one ply back.
        """
        for cursor in range(self._cursor - 1, -1, -1):
            if self._stops_at(cursor):
                return cursor
        return self._cursor

    def redo_target(self) -> int:
        """Where Redo goes: the nearest later turn of a Human, or else the end; without a Human one ply forward.

        The end counts even if the computer is to move there, since it then plays a move that is not yet known.
        """
        for cursor in range(self._cursor + 1, len(self._plies)):
            if self._stops_at(cursor):
                return cursor
        return len(self._plies)

    def _stops_at(self, cursor: int) -> bool:
        humans = [isinstance(player, Human) for player in self._players]
        return humans[cursor % 2] or not any(humans)

    def _checked(self, cursor: int) -> int:
        if not 0 <= cursor <= len(self._plies):
            raise ValueError(f"there is no ply {cursor}; the game has {len(self._plies)}")
        return cursor
