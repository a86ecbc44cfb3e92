"""A game as the library keeps it: rows for its tree, and what has to be written since it was written last."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from nimdesk.disk.provenance import Provenance
from nimdesk.errors import NimdeskError
from nimdesk.games import AnyPosition, Outcome, Side, parse_game
from nimdesk.play.game import GameInProgress, Human, Player, player_from_json, player_title, player_to_json
from nimdesk.play.schema import MAX_REMARK, Seconds
from nimdesk.play.snapshots import kept
from nimdesk.play.tree import Node, Ply
from nimdesk.search import Snapshot

ROOT = 0
CLOCK_S = 5.0
"""So many seconds of a turn's clock may be lost with the program; a tenth of them in a long turn."""


_Text = Annotated[str, Meta(max_length=10_000)]
_Number = Annotated[int, Meta(ge=0, le=2**62)]


class NodeRow(msgspec.Struct, frozen=True, array_like=True):
    """One node of a tree: its number in the game, that of its parent (the root is 0), and how it came about."""

    node: Annotated[int, Meta(ge=1, le=2**62)]
    parent: _Number
    rank: _Number
    move: _Text
    by: _Text
    elapsed_s: Seconds | None
    comment: Annotated[str, Meta(max_length=MAX_REMARK)] = ""


class Head(msgspec.Struct, frozen=True, array_like=True):
    """What a game is besides its tree: what it is told apart by, and what is looked at.

    ``node`` is what is on the board and ``end`` the end of the line, as numbers of nodes. ``last`` (in notation),
    ``length`` and ``result`` (who won: "first", "second", "draw", or "" while it goes on) are those of the game's
    ``standing``. Bit ``side`` of ``people`` is set where a person plays. ``file`` is where it was saved or opened
    (``paths.path_text``), or "", and ``modified`` whether it has changed since. ``used_s`` is the clock of the turn at
    ``end``. ``forfeit`` is "", or a ``ForfeitRow`` as JSON.
    """

    game: _Text
    players: Annotated[str, Meta(max_length=100_000)]
    paused: bool
    node: _Number
    end: _Number
    title: _Text
    first: _Text
    second: _Text
    people: Annotated[int, Meta(ge=0, le=3)]
    result: Literal["", "first", "second", "draw"]
    length: _Number
    last: _Text
    file: _Text
    modified: bool
    used_s: Seconds = 0.0
    forfeit: _Text = ""


class ForfeitRow(msgspec.Struct, frozen=True, array_like=True):
    """A ``Forfeit`` and the number of the node at which it happened."""

    node: _Number
    side: Literal[0, 1]
    reason: _Text


class Resting(msgspec.Struct, frozen=True, eq=False):
    """A search of the position at ``node`` that is shown while it rests: held, or made for a ``hint``."""

    node: Node
    snapshot: Snapshot
    hint: bool


class Change(msgspec.Struct, frozen=True):
    """What is to be written of a game; ``searches`` have the number of the node that each one chose.

    Where ``rests`` is set, ``resting`` is the search that rests by now, with the number of its node; None for none.
    ``read`` and ``revision`` are those of the game.
    """

    id: int
    head: Head
    nodes: tuple[NodeRow, ...]
    searches: tuple[tuple[int, Snapshot], ...]
    gone: tuple[int, ...]
    seen: tuple[tuple[Node, int, Ply], ...]
    rests: bool
    resting: tuple[int, Resting] | None
    read: tuple[int, tuple[Provenance, ...]] | None
    revision: int

    @property
    def of_tree(self) -> bool:
        """Whether more changed than what is looked at and what rests."""
        return bool(self.nodes or self.searches or self.gone)


class StoredGame(msgspec.Struct, frozen=True):
    """A game as it was read, without its searches, and what made these, as far as known."""

    id: int
    head: Head
    nodes: tuple[NodeRow, ...]
    made: tuple[Provenance, ...] = ()


class KeptGame:
    """A game and what the library has of it; ``change`` says what it lacks.

    Belongs to one thread. The searches of a game that was read come later, by ``add_search``.
    """

    def __init__(self, game: GameInProgress) -> None:
        """A game of which the library has nothing yet."""
        self.game = game
        self.id = int.from_bytes(os.urandom(8)) >> 2
        self.paused = False
        self.problem = ""
        """What of it could not be read, as a sentence; empty as a rule."""
        self.file = ""
        self.resting: Resting | None = None
        """The search that rests, which is kept with the game."""
        self._resting_known: tuple[Resting | None] | None = (None,)
        self._noted: Snapshot | None = None
        self._used_s = 0.0
        self._saved = game.revision
        self._numbers = {game.root: ROOT}
        # Above every number in use: between those that were read there are gaps.
        self._next = ROOT + 1
        # What the library certainly has of each node: its rank and its ply; which nodes it may have, since they were in
        # a change; and the numbers of those that it may have without need.
        self._known: dict[Node, tuple[int, Ply]] = {}
        self._offered: set[Node] = set()
        self._lost: set[int] = set()
        self._head: Head | None = None
        self._reading = False

    @classmethod
    def read(cls, stored: StoredGame) -> KeptGame:
        """The game that was kept, with what was looked at; ``NimdeskError`` where the rules do not allow it."""
        head = stored.head
        players, problem = _players(head.players)
        kept = cls(GameInProgress(parse_game(head.game).start(), players))
        kept.id, kept.paused, kept.problem, kept._reading = stored.id, head.paused, problem, True
        nodes = kept._rebuild(stored.nodes)
        end = nodes.get(head.end, kept.game.root)
        at = nodes.get(head.node, end)
        kept._lose(head.forfeit, nodes)
        kept.game.clock.set(end, head.used_s)
        kept._used_s = head.used_s
        kept.game.look_at(at if at in end.path else end, end)
        kept._head, kept.file = head, head.file
        kept._saved = -1 if head.modified else kept.game.revision
        kept.game.read = kept.game.revision, stored.made
        return kept

    def _lose(self, text: str, nodes: dict[int, Node]) -> None:
        """Let a side lose where it did so without a losing move."""
        if not text:
            return
        with suppress(msgspec.DecodeError, KeyError):  # what is damaged costs this alone
            row = msgspec.json.decode(text, type=ForfeitRow)
            self.game.look_at(nodes[row.node], nodes[row.node])
            self.game.lose(Side(row.side), row.reason)

    def _rebuild(self, rows: Sequence[NodeRow]) -> dict[int, Node]:
        below: dict[int, list[NodeRow]] = {}
        for row in sorted(rows, key=lambda row: row.rank):
            below.setdefault(row.parent, []).append(row)
        nodes = {ROOT: self.game.root}
        waiting = below.pop(ROOT, [])[::-1]
        while waiting:
            row = waiting.pop()
            self.game.look_at(nodes[row.parent])
            position = self.game.position
            self.game.play(position.parse_move(row.move), by=row.by, elapsed_s=row.elapsed_s, comment=row.comment)
            node = nodes[row.node] = self.game.node
            assert node.ply is not None
            self._numbers[node] = row.node
            self._next = max(self._next, row.node + 1)
            self._known[node] = row.rank, node.ply
            self._offered.add(node)
            waiting += below.pop(row.node, [])[::-1]
        return nodes

    @property
    def numbered(self) -> list[tuple[int, Node]]:
        """The nodes that the library has, with their numbers."""
        return [(self._numbers[node], node) for node in self._known]

    @property
    def searched(self) -> dict[int, AnyPosition]:
        """The number of every node that may have a search in the library, and the position that was searched."""
        return {number: node.parent.position for number, node in self.numbered if node.parent is not None}

    def add_search(self, number: int, snapshot: Snapshot) -> None:
        """Give a node the search that the library has of it; nothing happens where it has changed meanwhile."""
        node = next((node for node, known in self._numbers.items() if known == number), None)
        if node is None or node.ply is None or node not in self._known or node.ply is not self._known[node][1]:
            return
        self.game.add_search(node, snapshot)
        self._known[node] = self._known[node][0], node.ply

    @property
    def positions(self) -> dict[int, AnyPosition]:
        """The position at every node that the library has, and at the root, by their numbers."""
        return {ROOT: self.game.root.position} | {number: node.position for number, node in self.numbered}

    def add_resting(self, number: int, snapshot: Snapshot, hint: bool) -> None:
        """The search that the library has as the one that rests; nothing happens where another one rests by now."""
        node = next((node for node, known in self._numbers.items() if known == number), None)
        if self._reading and node is not None:
            self._noted, self.resting = snapshot, Resting(node, snapshot, hint)
            self._resting_known = (self.resting,)

    def note_resting(self, snapshot: Snapshot | None, *, hint: bool) -> bool:
        """This search, of a position of the line looked at, rests by now, or none; whether that is news."""
        if self._reading or snapshot is self._noted:
            return False
        self._noted = snapshot
        line = self.game.line if snapshot is not None else ()
        node = next((node for node in line if snapshot is not None and node.position == snapshot.position), None)
        self.resting = None
        if snapshot is not None and node is not None:
            with suppress(ValueError):  # it breaks its contract
                self.resting = Resting(node, kept(snapshot, node.position), hint)
        return True

    @property
    def modified(self) -> bool:
        """Whether it has changed since it was saved to its file; a game without one is kept here alone."""
        return bool(self.file) and self.game.revision != self._saved

    def mark_saved(self, file: str) -> None:
        """It is in this file (``paths.path_text``) as it is now."""
        self.file, self._saved = file, self.game.revision

    def end_reading(self) -> None:
        """All searches have come; until then nothing is deleted in the library."""
        self._reading = False

    @property
    def reading(self) -> bool:
        """Whether its searches are still to come."""
        return self._reading

    def note_clock(self) -> None:
        """The clock is to be kept as it is now; it runs all the time, and need not be written all the time."""
        self._used_s = round(self.game.clock.used_s(self.game.line[-1]), 1)

    @property
    def clock_due(self) -> bool:
        """Whether the clock is so far ahead of what is kept that it should be written."""
        return self.game.clock.used_s(self.game.line[-1]) > self._used_s + max(CLOCK_S, self._used_s / 10)

    def forget(self) -> None:
        """The library has lost it: the next change is the whole game."""
        self._known, self._offered, self._head, self._resting_known = {}, set(), None, None

    def change(self, *, of_nothing: bool = False) -> Change | None:
        """What the library lacks by now; None if nothing. Until ``written`` says so, nobody knows if it got there.

        With ``of_nothing`` there always is a change, to tell the library that a window shows this game.
        """
        seen: list[tuple[Node, int, Ply]] = []
        searches: list[tuple[int, Snapshot]] = []
        rows: list[NodeRow] = []
        for parent in self.game.root.walk():
            for rank, node in enumerate(parent.children):
                known, ply = self._known.get(node), node.ply
                assert ply is not None
                if known is not None and known[0] == rank and known[1] is ply:
                    continue
                number = self._number(node)
                move, comment = (ply.move.text, ply.by[:200], ply.elapsed_s), ply.comment[:MAX_REMARK]
                rows.append(NodeRow(number, self._number(parent), rank, *move, comment))
                seen.append((node, rank, ply))
                if ply.snapshot is not None and (known is None or known[1] is not ply):
                    searches.append((number, ply.snapshot))
        gone = self._gone()
        head = self._current_head()
        rests = not self._reading and self._resting_known != (self.resting,)
        if not rows and not gone and not rests and head == self._head and not of_nothing:
            return None
        for node, _, _ in seen:
            self._known.pop(node, None)
            self._offered.add(node)
        self._head = None
        resting = None if self.resting is None else (self._number(self.resting.node), self.resting)
        if rests:
            self._resting_known = None
        read, revision = self.game.read, self.game.revision
        return Change(self.id, head, tuple(rows), tuple(searches), gone, tuple(seen), rests, resting, read, revision)

    def _gone(self) -> tuple[int, ...]:
        """The numbers of nodes that are no longer in the tree, and that the library may have."""
        if self._reading:
            return ()
        there = set(self.game.root.walk())
        for node in self._offered - there:
            self._known.pop(node, None)
            self._lost.add(self._numbers[node])
        self._offered &= there
        self._lost -= {self._numbers[node] for node in there}
        return tuple(self._lost)

    def written(self, change: Change) -> None:
        """The library has this now."""
        self._head = change.head
        self._lost -= set(change.gone)
        for node, rank, ply in change.seen:
            self._known[node] = rank, ply
        if change.rests:
            self._resting_known = (None if change.resting is None else change.resting[1],)

    def _number(self, node: Node) -> int:
        if node not in self._numbers:
            self._numbers[node] = self._next
            self._next += 1
        return self._numbers[node]

    def _current_head(self) -> Head:
        game, players = self.game, self.game.players
        end, (last, result) = game.line[-1], game.standing
        return Head(
            game=game.game.text,
            players=msgspec.json.encode([player_to_json(player) for player in players]).decode(),
            paused=self.paused,
            node=self._number(game.node),
            end=self._number(end),
            title=game.game.title,
            first=_name(game, Side.FIRST),
            second=_name(game, Side.SECOND),
            people=sum(1 << side for side, player in enumerate(players) if isinstance(player, Human)),
            result=_result(result),
            length=last.ply,
            last=last.text,
            file=self.file,
            modified=self.modified,
            used_s=self._used_s,
            forfeit=self._forfeit_row(),
        )

    def _forfeit_row(self) -> str:
        if self.game.forfeited is None:
            return ""
        node, forfeit = self.game.forfeited
        return msgspec.json.encode(ForfeitRow(self._number(node), forfeit.side.value, forfeit.reason[:2000])).decode()


def _result(outcome: Outcome | None) -> Literal["", "first", "second", "draw"]:
    if outcome is None:
        return ""
    return "draw" if outcome.winner is None else ("first", "second")[outcome.winner]


def _players(text: str) -> tuple[tuple[Player, Player], str]:
    """The players; a Human and a sentence in place of one that this program does not know."""
    try:
        data = msgspec.json.decode(text, type=list[object])
    except (msgspec.DecodeError, RecursionError):
        data = []
    players: list[Player] = [Human(), Human()]
    problem = ""
    for side in Side:
        try:
            players[side] = player_from_json(data[side] if side < len(data) else None)
        except NimdeskError as error:
            problem = f"A player of this game is not known here; a person plays instead. {error}"
    return (players[0], players[1]), problem


def _name(game: GameInProgress, side: Side) -> str:
    """Who plays this side; for a person the name that a file of another program gave all its moves, if it did."""
    player = game.players[side]
    if not isinstance(player, Human):
        return player_title(player)
    names = {"" if ply.snapshot else ply.by for ply in game.plies[side::2]}
    return (names.pop() if len(names) == 1 else "") or player_title(player)
