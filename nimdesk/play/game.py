"""A game in progress: who plays it, what was played with the searches behind it, and the place that is looked at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import msgspec
from msgspec.structs import replace

from nimdesk.agents import DEFAULT_LEVEL, LEVELS, Agent, agent_from_json, make_agent
from nimdesk.disk.provenance import Provenance
from nimdesk.errors import OptionError, StillLoadingError
from nimdesk.games import AnyPosition, Game, Move, Outcome, Side
from nimdesk.games.base import describe_turn
from nimdesk.play.clock import TurnClock
from nimdesk.play.schema import MAX_SECONDS
from nimdesk.play.snapshots import is_duration, kept
from nimdesk.play.tree import Node, Ply
from nimdesk.search import Snapshot


class Human(msgspec.Struct, frozen=True):
    """A person at the board."""

    @property
    def title(self) -> str:
        """What the window calls this player, and what ``Ply.by`` says."""
        return "Human"


class Awaited(Human, frozen=True):
    """A person in the place of an agent whose plug-in is still being loaded: ``player_from_json`` of ``data`` says
    when it is there.
    """

    data: dict[str, object]


Player: TypeAlias = Human | Agent


def player_title(player: Player) -> str:
    """What people call this player: "Human", "Random", "MCTS"."""
    return player.title if isinstance(player, Human) else player.info.title


def player_to_json(player: Player) -> dict[str, object]:
    """``{"player": "human"}``, or the agent's ``{"agent": name, "options": {...}}``."""
    if isinstance(player, Awaited):
        return player.data
    return {"player": "human"} if isinstance(player, Human) else player.to_json()


def player_from_json(data: object) -> Player:
    """The player that ``player_to_json`` wrote; ``OptionError`` for anything else, with what is allowed.

    In a window that does not wait for plug-ins, one that is not loaded yet is ``Awaited``.
    """
    if isinstance(data, dict) and "player" in data:
        if data != {"player": "human"}:
            raise OptionError("A player is written as {“player”: “human”} or as an agent with its options.")
        return Human()
    try:
        return agent_from_json(data)
    except StillLoadingError:
        assert isinstance(data, dict)
        return Awaited(data)


TIME_A_MOVE_S = 2.0
"""How long a computer thinks about a move, unless a person says otherwise."""


def opponent(name: str) -> Agent:
    """The agent of this name as people meet it: with ``TIME_A_MOVE_S`` in place of a count, where it takes seconds."""
    return make_agent(name).with_time(TIME_A_MOVE_S)


def first_opponent() -> Agent:
    """Whom a person meets at the very first start."""
    return opponent(DEFAULT_LEVEL.name)


def begins_quiet(players: tuple[Player, Player]) -> bool:
    """Whether a game of these players begins as a quiet one: a person's first lesson."""
    lesson = LEVELS[0].name
    return any(isinstance(each, Human) for each in players) and any(
        isinstance(each, Agent) and each.name == lesson for each in players
    )


RECORD_SUFFIX = ".nimdesk"
"""How the file names of saved games end."""


class Forfeit(msgspec.Struct, frozen=True):
    """A side that lost without a losing move, and why, as one sentence."""

    side: Side
    reason: str


class Pruned(msgspec.Struct, frozen=True, eq=False):
    """A variation that was deleted, as ``GameInProgress.restore`` wants it."""

    node: Node
    rank: int


class GameInProgress:
    """A game as a tree of variations, the line of it that is looked at, and a cursor on that line.

    The cursor is how many plies of the line are on the board. Moving it drops nothing; a move played where the game
    went on otherwise begins a variation. ``revision`` rises with each change of what a saved game holds (a move
    played, a variation deleted, a player changed, a forfeit), and not with the cursor: note it when you save or load,
    and the game is unsaved when it differs.
    """

    clock: TurnClock
    """How long the side to move has thought about its turn; whoever conducts the game runs it. No file has it."""
    read: tuple[int, tuple[Provenance, ...]] | None
    """For a game from a file or the library: its revision then, and what made its searches, as far as known there."""
    origin: Mapping[str, str]
    """What a file of another program said besides, by names of its format. No file of nimdesk has it."""
    pruned: list[Pruned]
    """What was deleted at the board and can be brought back, the last at the end. No file has it."""

    def __init__(self, position: AnyPosition, players: tuple[Player, Player], comment: str = "") -> None:
        """A game that goes on from ``position``; the moves in it become plies by nobody, and can be undone.

        ``comment`` is on the last of them.
        """
        self._players = players
        self.clock, self.read, self.pruned, self.origin = TurnClock(), None, [], {}
        self._line = [Node(position.game.start())]
        self._cursor = 0
        self._revision = 0
        self._forfeit: tuple[Node, Forfeit] | None = None
        for number, move in enumerate(position.moves, 1):
            about = comment if number == len(position.moves) else ""
            self._append(Ply(move, comment=about), self.position.play(move))

    def __repr__(self) -> str:
        """The position on the board, and whose turn it is or how the game ended."""
        return f"<{self.position.text}: {describe_turn(self.position)}>"

    @property
    def game(self) -> Game:
        """The rules."""
        return self.root.position.game

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
        """Who lost at the end of the line without a losing move, and why; None as usual."""
        return self._forfeit[1] if self._forfeit is not None and self._forfeit[0] is self._line[-1] else None

    @property
    def forfeited(self) -> tuple[Node, Forfeit] | None:
        """The place in the tree at which a side lost so, and how; also while another line is looked at."""
        found = self._forfeit
        return found if found is not None and any(node is found[0] for node in self.root.walk()) else None

    @property
    def result(self) -> Outcome | None:
        """How the game ended in the last position of the line, by its moves or by a forfeit; None while it goes on."""
        forfeit = self.forfeit
        return Outcome(forfeit.side.other, forfeit.reason) if forfeit is not None else self.last_position.outcome

    @property
    def standing(self) -> tuple[AnyPosition, Outcome | None]:
        """The last position and the result of the game as a whole, by which a list of games tells it apart.

        Once the main line is over that is the game, also while a variation is looked at or played on: trying something
        else does not take the result away (but for a forfeit, see ``lose``). Until then it is the line that is looked
        at.
        """
        end = (self.root, *self.root.onward)[-1]
        lost = self.forfeited
        if lost is not None and lost[0] is end:
            return end.position, Outcome(lost[1].side.other, lost[1].reason)
        if end.position.outcome is not None:
            return end.position, end.position.outcome
        return self.last_position, self.result

    def lose(self, side: Side, reason: str) -> None:
        """Let this side lose at the last position of the line; a move played from anywhere takes that back."""
        self._cursor = len(self._line) - 1
        self._forfeit = self._line[-1], Forfeit(side, reason)
        self._revision += 1

    @property
    def revision(self) -> int:
        """A number that is larger after each change of what a saved game holds."""
        return self._revision

    # The line that is looked at

    @property
    def plies(self) -> tuple[Ply, ...]:
        """Every ply of the line from the start position on, also those after the cursor."""
        return tuple(node.ply for node in self._line if node.ply is not None)

    @property
    def cursor(self) -> int:
        """How many plies are on the board that is looked at, 0 to ``len(plies)``."""
        return self._cursor

    @property
    def position(self) -> AnyPosition:
        """The position at the cursor."""
        return self._line[self._cursor].position

    @property
    def last_position(self) -> AnyPosition:
        """The position after all plies of the line."""
        return self._line[-1].position

    @property
    def positions(self) -> tuple[AnyPosition, ...]:
        """Every position of the line, the start first: one more than ``plies``."""
        return tuple(node.position for node in self._line)

    def position_at(self, cursor: int) -> AnyPosition:
        """The position after that many plies; ``ValueError`` if there are not so many."""
        return self._line[self._checked(cursor)].position

    def analysis(self, cursor: int) -> Snapshot | None:
        """The search that chose ply number ``cursor`` (the last one on that board, counted from 1), if there was one.

        Its root is ``position_at(cursor - 1)``. None for cursor 0; ``ValueError`` beyond the last ply.
        """
        ply = self._line[self._checked(cursor)].ply
        return None if ply is None else ply.snapshot

    @property
    def at_end(self) -> bool:
        """Whether the cursor is after the last ply of the line."""
        return self._cursor == len(self._line) - 1

    @property
    def can_undo(self) -> bool:
        """Whether ``undo`` has a ply to take back."""
        return self._cursor > 0

    @property
    def can_redo(self) -> bool:
        """Whether ``redo`` has a ply to go forward to."""
        return not self.at_end or bool(self.node.children)

    def play(
        self,
        move: Move,
        *,
        by: str,
        elapsed_s: float | None = None,
        snapshot: Snapshot | None = None,
        comment: str = "",
    ) -> None:
        """Play a move at the cursor, where the line then ends; what followed stays in the tree.

        A move that was played there before leads to the same node again; a search that comes with it takes the place
        of the one before.

        ``IllegalMoveError`` for a move the rules forbid, ``ValueError`` for a duration below 0 or not finite, and for
        a snapshot that is of another position or breaks its contract; in each case the game is as before. The
        snapshot is kept without the searcher's buffers.
        """
        after = self.position.play(move)
        if not is_duration(elapsed_s):
            raise ValueError(f"the move's elapsed_s is {elapsed_s}; it must be 0 to {MAX_SECONDS:g} seconds")
        search = None if snapshot is None else kept(snapshot, self.position)
        self._append(Ply(move, by, elapsed_s, search, comment), after)
        self._forfeit = None
        self._revision += 1

    def undo(self) -> None:
        """Look one ply earlier; nothing happens at the start."""
        self._cursor = max(self._cursor - 1, 0)

    def redo(self) -> None:
        """Look one ply later, also where the line ends and a variation goes on; nothing happens at the very end."""
        if self.at_end:
            self._line += self.node.onward
        self._cursor = min(self._cursor + 1, len(self._line) - 1)

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
        last = len(self._line) - 1
        for cursor in range(self._cursor + 1, last):
            if self._stops_at(cursor):
                return cursor
        return last

    def _stops_at(self, cursor: int) -> bool:
        humans = [isinstance(player, Human) for player in self._players]
        return humans[cursor % 2] or not any(humans)

    def _checked(self, cursor: int) -> int:
        if not 0 <= cursor < len(self._line):
            raise ValueError(f"there is no ply {cursor}; the game has {len(self._line) - 1}")
        return cursor

    def _append(self, ply: Ply, after: AnyPosition) -> None:
        node = self.node.child(ply.move)
        if node is None:
            node = Node(after, ply, self.node)
            self.node.insert(node)
        elif ply.snapshot is not None or (node.ply is not None and node.ply.snapshot is None):
            node.ply = replace(ply, comment=ply.comment or ("" if node.ply is None else node.ply.comment))
        self._cursor += 1
        self._line[self._cursor :] = [node]

    # The tree

    @property
    def root(self) -> Node:
        """The start position, with all that was played from it."""
        return self._line[0]

    @property
    def node(self) -> Node:
        """The place in the tree that is looked at."""
        return self._line[self._cursor]

    @property
    def line(self) -> tuple[Node, ...]:
        """The nodes of the line that is looked at, the root first: one more than ``plies``."""
        return tuple(self._line)

    def look_at(self, node: Node, end: Node | None = None) -> None:
        """Put the cursor on this node of the tree, and the line through it to ``end``, a node at or below it.

        Without an end the line stays as it is where it leads through the node; else it goes on to its own end.
        """
        if end is not None:
            self._line = end.path
        elif node not in self._line:
            self._line = [*node.path, *node.onward]
        self._cursor = self._line.index(node)

    def promote(self, node: Node) -> None:
        """Make this node part of the main line, from which all other lines are variations."""
        for each in node.path:
            if each.parent is not None and each.rank:
                each.parent.remove(each)
                each.parent.insert(each, 0)
                self._revision += 1

    def prune(self, node: Node) -> Pruned:
        """Delete this node, which is not the root, and all below it; ``restore`` takes that back.

        If it was on the line, the line goes on with what else was played there.
        """
        parent = node.parent
        if parent is None:
            raise ValueError("the start of a game cannot be deleted")
        pruned = Pruned(node, node.rank)
        parent.remove(node)
        if node in self._line:
            self._line = [*parent.path, *parent.onward]
            self._cursor = min(self._cursor, parent.position.ply)
        self._revision += 1
        return pruned

    def restore(self, pruned: Pruned) -> None:
        """Bring a deleted variation back to its place and look at it.

        Where its first move was played again meanwhile, what is missing below that comes back there.
        """
        node, parent = pruned.node, pruned.node.parent
        assert parent is not None
        assert node.ply is not None
        again = parent.child(node.ply.move)
        if again is None:
            parent.insert(node, pruned.rank)
        else:
            _graft(node, again)
        self._revision += 1
        self.look_at(again or node)

    def add_search(self, node: Node, snapshot: Snapshot) -> None:
        """Give a ply that has none the search that chose it, as when it is read later than the moves.

        ``ValueError`` for a search that breaks its contract.
        """
        if node.ply is not None and node.parent is not None and node.ply.snapshot is None:
            node.ply = replace(node.ply, snapshot=kept(snapshot, node.parent.position))


def _graft(old: Node, new: Node) -> None:
    """Give a node what was played below another one at the same place, and the searches that it has not."""
    waiting = [(old, new)]
    while waiting:
        old, new = waiting.pop()
        if new.ply is not None and new.ply.snapshot is None:
            new.ply = old.ply
        for child in old.children:
            there = None if child.ply is None else new.child(child.ply.move)
            if there is None:
                there = Node(child.position, child.ply, new)
                new.insert(there)
            waiting.append((child, there))
