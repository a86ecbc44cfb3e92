"""A game as a file of any program holds it, what a format is, and where a fault in a file lies.

A ``Record`` is a frozen value: the rules, a tree of moves with comments and times, names, and what else its format
says, so that a file which is read and written again is the same. Which moves are legal, only the game's own rules say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import msgspec

from nimdesk.disk.documents import clause
from nimdesk.errors import NimdeskError, RecordError
from nimdesk.games import AnyPosition, Game, MnkGame, Move, parse_game
from nimdesk.games.base import MOST_PLIES

NOTHING: Mapping[str, str] = MappingProxyType({})
MOST_NODES = 50_000
"""How many moves one game may have, with all its variations."""


MOST_RECORDS = 20_000
"""How many games one file may have."""
MOST_LETTERS = 100_000
"""How long the line of one position may be."""


class FaultInFileError(Exception):
    """What is wrong with a text, as a clause without a full stop, and the place of the letter at which it is."""

    def __init__(self, why: str, place: int = 0) -> None:
        super().__init__(why)
        self.place = place


class RecordNode(msgspec.Struct, frozen=True):
    """A move, the number of the node it was played at, and what is said of it; the root has no move and no parent.

    ``labels`` are short texts on places of the board. ``others`` is what a format says besides, by its own names.
    """

    parent: int
    move: Move | None = None
    comment: str = ""
    elapsed_ms: int | None = None
    others: tuple[tuple[str, tuple[str, ...]], ...] = ()
    labels: tuple[tuple[Move, str], ...] = ()


class Record(msgspec.Struct, frozen=True):
    """One game. ``nodes`` has the root first and each other one after its parent; of several moves at one node the
    first goes on with the game, and the others begin variations.

    ``names`` are the players', by side, or "". ``score`` is the value that stood beside a position, for the side to
    move, as solvers of Connect Four count it. ``source`` is what the file says besides, by names of its format.
    """

    game: Game
    nodes: tuple[RecordNode, ...]
    names: tuple[str, str] = ("", "")
    score: int | None = None
    source: Mapping[str, str] = NOTHING

    @property
    def main_line(self) -> tuple[RecordNode, ...]:
        """The nodes of the game without its variations, from the first move on."""
        return tuple(self.nodes[number] for number in self.main_numbers)

    @property
    def main_numbers(self) -> list[int]:
        """Their numbers."""
        first: dict[int, int] = {}
        for number, node in enumerate(self.nodes):
            first.setdefault(node.parent, number)
        numbers: list[int] = []
        while (after := first.get(numbers[-1] if numbers else 0)) is not None:
            numbers.append(after)
        return numbers

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves of the game without its variations."""
        return tuple(node.move for node in self.main_line if node.move is not None)

    @property
    def variations(self) -> int:
        """How many variations begin somewhere in the tree."""
        return len(self.nodes) - 1 - len({node.parent for node in self.nodes[1:]})

    @property
    def commented(self) -> bool:
        """Whether there is a comment anywhere."""
        return any(node.comment for node in self.nodes)

    @property
    def position(self) -> AnyPosition:
        """Where the game without its variations ends."""
        position = self.game.start()
        for move in self.moves:
            position = position.play(move)
        return position


class Growing:
    """A record while it is read: each move is played by the rules, and one that they forbid is a fault."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.nodes = [RecordNode(-1)]
        self._positions: list[AnyPosition] = [game.start()]

    def position(self, number: int) -> AnyPosition:
        """The position at this node."""
        return self._positions[number]

    def play(
        self,
        parent: int,
        move: Move | Callable[[AnyPosition], Move],
        place: int,
        *,
        comment: str = "",
        elapsed_ms: int | None = None,
        others: tuple[tuple[str, tuple[str, ...]], ...] = (),
    ) -> int:
        """Play this at a node, and return the number of the new one; a fault names ``place``."""
        if len(self.nodes) > MOST_NODES or self._positions[parent].ply >= MOST_PLIES:
            raise FaultInFileError("no game has so many moves", place)
        try:
            played = move if isinstance(move, Move) else move(self._positions[parent])
            after = self._positions[parent].play(played)
        except NimdeskError as error:
            number = self._positions[parent].ply + 1
            raise FaultInFileError(f"in move {number}: {clause(error)}", place) from None
        self.nodes.append(RecordNode(parent, played, comment, elapsed_ms, others))
        self._positions.append(after)
        return len(self.nodes) - 1

    def line(self, moves: Sequence[tuple[Move | Callable[[AnyPosition], Move], int]]) -> None:
        """Play these one after the other from the start, each with its place in the text."""
        at = 0
        for move, place in moves:
            at = self.play(at, move, place)

    def record(self, **known: object) -> Record:
        """What has been read so far, with these other fields."""
        return msgspec.structs.replace(Record(self.game, tuple(self.nodes)), **known)


class Asked(msgspec.Struct, frozen=True):
    """What a person says of a text that it does not say itself: the game, and whether columns count from 0 or 1."""

    game: Game | None = None
    columns_from: int | None = None


class Reading(msgspec.Struct, frozen=True):
    """What was read, and a sentence for each thing that the text left open or that was not taken over."""

    records: tuple[Record, ...]
    told: tuple[str, ...] = ()


class Writing(msgspec.Struct, frozen=True):
    """What is to be written, and a sentence for each thing that the format has no place for."""

    text: str
    told: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Format:
    """One format: what people call it, how its files' names end, and how it is recognised, read and written.

    ``begins`` says whether a text is of this format, which its ending need not tell. ``read`` raises
    ``FaultInFileError``; ``write`` ``RecordError`` for a game that the format cannot hold. ``many`` says that a file
    holds more than one game.
    """

    name: str
    title: str
    endings: tuple[str, ...]
    begins: Callable[[str], bool]
    read: Callable[[str, Asked], Reading]
    write: Callable[[Sequence[Record]], Writing]
    many: bool = False

    @property
    def label(self) -> str:
        """The title as it begins a line of a menu."""
        return self.title[:1].upper() + self.title[1:]

    @property
    def ending(self) -> str:
        """How the name of a new file ends."""
        return next(iter(self.endings), ".txt")


def under_first(asked: Asked, rules: Sequence[str], read: Callable[[MnkGame], Record], place: int) -> Record:
    """What is read by the rules that are asked for, or the first of these by which all moves are legal.

    Files seldom say which rule was played. The fault is that under the first rules. ``place`` is where the text says
    how large the board is.
    """
    fault: FaultInFileError | None = None
    for text in rules if asked.game is None else [asked.game.text]:
        try:
            game = parse_game(text)
        except NimdeskError as error:  # a size or a rule that nimdesk does not know
            fault = fault or FaultInFileError(clause(error), place)
            continue
        if not isinstance(game, MnkGame):
            raise FaultInFileError(f"it is a game on a board of columns and rows, not one of {game.text}", place)
        try:
            return read(game)
        except FaultInFileError as error:
            fault = fault or error
    raise fault or FaultInFileError("it names no game", place)


def five_in_a_row(columns: int, rows: int, *, exact: bool = False) -> tuple[str, ...]:
    """The rules of five in a row on a board of this size, the likelier ones first."""
    usual = f"mnk:{columns},{rows},5"
    return (f"{usual}:exact", usual) if exact else (usual, f"{usual}:exact")


def lines_in(text: str) -> Iterator[tuple[int, str]]:
    """Each line with the place at which it begins, without its end."""
    place = 0
    for line in text.split("\n"):
        yield place, line.removesuffix("\r")
        place += len(line) + 1


def newline_in(text: str) -> str:
    """How its lines end."""
    return "\r\n" if "\r\n" in text else "\n"


def refuse(record: Record, title: str, holds: str) -> RecordError:
    """The error for a game that a format cannot hold; ``holds`` says which it can."""
    return RecordError(f"{record.game.title} cannot be written as a {title}, which holds {holds}.")


def five_of(record: Record, title: str) -> MnkGame:
    """The rules of five in a row that were played; the error for any other game, which this format cannot hold."""
    game = record.game
    if not isinstance(game, MnkGame) or game.gravity or game.k != 5:
        raise refuse(record, title, "five in a row without gravity")
    return game


def told_left(records: Sequence[Record], title: str, *holds: str) -> tuple[str, ...]:
    """Sentences about what these have and a format does not hold, of "variations", "comments", "times" and "names"."""
    told = []
    variations = sum(record.variations for record in records)
    if variations and "variations" not in holds:
        what = "One variation was" if variations == 1 else f"{variations:,} variations were"
        told.append(f"{what} left out: a {title} has the main line alone.")
    has = {
        "comments": any(record.commented for record in records),
        "times": any(node.elapsed_ms for record in records for node in record.nodes),
        "names": any(any(record.names) for record in records),
    }
    lacking = [what for what, there in has.items() if there and what not in holds]
    if lacking:
        told.append(f"A {title} has no place for {' and '.join(lacking)}, which were left out.")
    return tuple(told)
