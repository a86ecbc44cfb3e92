"""A game as the library keeps it: rows for its tree, and what has to be written since it was written last."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from nimdesk.errors import NimdeskError
from nimdesk.games import AnyPosition, Outcome, Side, parse_game
from nimdesk.play.game import GameInProgress, Human, Player, player_from_json, player_title, player_to_json
from nimdesk.play.schema import Seconds
from nimdesk.play.tree import Node, Ply
from nimdesk.search import Snapshot

ROOT = 0


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


class Head(msgspec.Struct, frozen=True, array_like=True):
    """What a game is besides its tree: what it is told apart by, and what is looked at.

    ``node`` is what is on the board and ``end`` the end of the line, as numbers of nodes. ``last`` is the position at
    that end in notation, ``result`` who won there ("first", "second", "draw", or "" while it goes on). Bit ``side`` of
    ``people`` is set where a person plays. ``file`` is where it was saved or opened, or "", and ``modified`` whether it
    has changed since.
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


class Change(msgspec.Struct, frozen=True):
    """What is to be written of a game; ``searches`` have the number of the node that each one chose."""

    id: int
    head: Head
    nodes: tuple[NodeRow, ...] = ()
    searches: tuple[tuple[int, Snapshot], ...] = ()
    gone: tuple[int, ...] = ()
    seen: tuple[tuple[Node, int, Ply], ...] = ()

    @property
    def of_tree(self) -> bool:
        """Whether more changed than what is looked at."""
        return bool(self.nodes or self.searches or self.gone)


class StoredGame(msgspec.Struct, frozen=True):
    """A game as it was read, without its searches."""

    id: int
    head: Head
    nodes: tuple[NodeRow, ...]


class KeptGame:
    """A game and what the library has of it; ``change`` says what it lacks.

    Belongs to one thread. The searches of a game that was read come later, by ``add_search``.
    """

    def __init__(self, game: GameInProgress) -> None:
        """A game of which the library has nothing yet."""
        self.game = game
        self.id = secrets.randbits(62)
        self.paused = False
        self.problem = ""
        """What of it could not be read, as a sentence; empty as a rule."""
        self.file = ""
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
        kept.game.look_at(at if at in end.path else end, end)
        kept._head, kept.file = head, head.file
        kept._saved = -1 if head.modified else kept.game.revision
        return kept

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
            self.game.play(position.parse_move(row.move), by=row.by, elapsed_s=row.elapsed_s)
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
    def modified(self) -> bool:
        """Whether it has changed since it was saved to its file; a game without one is kept here alone."""
        return bool(self.file) and self.game.revision != self._saved

    def mark_saved(self, file: str) -> None:
        """It is in this file as it is now."""
        self.file, self._saved = file, self.game.revision

    def end_reading(self) -> None:
        """All searches have come; until then nothing is deleted in the library."""
        self._reading = False

    def forget(self) -> None:
        """The library has lost it: the next change is the whole game."""
        self._known, self._offered, self._head = {}, set(), None

    def change(self) -> Change | None:
        """What the library lacks by now; None if nothing. Until ``written`` says so, nobody knows if it got there."""
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
                rows.append(NodeRow(number, self._number(parent), rank, ply.move.text, ply.by[:200], ply.elapsed_s))
                seen.append((node, rank, ply))
                if ply.snapshot is not None and (known is None or known[1] is not ply):
                    searches.append((number, ply.snapshot))
        gone = self._gone()
        head = self._current_head()
        if not rows and not gone and head == self._head:
            return None
        for node, _, _ in seen:
            self._known.pop(node, None)
            self._offered.add(node)
        self._head = None
        return Change(self.id, head, tuple(rows), tuple(searches), gone, tuple(seen))

    def _gone(self) -> tuple[int, ...]:
        """The numbers of nodes that are no longer in the tree, and that the library may have."""
        if self._reading:
            return ()
        there = set(self.game.root.walk())
        for node in self._offered - there:
            self._known.pop(node, None)
            self._lost.add(self._numbers[node])
        self._offered &= there
        self._lost -= {self._numbers[node] for node in there if node in self._numbers}
        return tuple(self._lost)

    def written(self, change: Change) -> None:
        """The library has this now."""
        self._head = change.head
        self._lost -= set(change.gone)
        for node, rank, ply in change.seen:
            self._known[node] = rank, ply

    def _number(self, node: Node) -> int:
        if node not in self._numbers:
            self._numbers[node] = self._next
            self._next += 1
        return self._numbers[node]

    def _current_head(self) -> Head:
        game, players = self.game, self.game.players
        end = game.line[-1]
        return Head(
            game=game.game.text,
            players=msgspec.json.encode([player_to_json(player) for player in players]).decode(),
            paused=self.paused,
            node=self._number(game.node),
            end=self._number(end),
            title=game.game.title,
            first=player_title(players[0]),
            second=player_title(players[1]),
            people=sum(1 << side for side, player in enumerate(players) if isinstance(player, Human)),
            result=_result(end.position.outcome),
            length=end.position.ply,
            last=end.position.text,
            file=self.file,
            modified=self.modified,
        )


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
