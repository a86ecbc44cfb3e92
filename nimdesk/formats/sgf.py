"""Games in SGF (FF[4]) of five in a row (GM[4]): variations, comments, and whatever else a node says.

A collection is ``(;...)(;...)``; a node is ``;B[hh]C[text]``. The first letter of a point is its column from the left,
the second its row from the top; ``B[h8]``, with the row from the bottom, is understood as well. Stones that are set up
by ``AB`` and ``AW`` become moves, in turn, if there are as many of both as in a game.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from nimdesk.errors import RecordError, quoted
from nimdesk.formats.base import (
    MOST_RECORDS,
    Asked,
    FaultInFileError,
    Format,
    Growing,
    Reading,
    Record,
    RecordNode,
    Writing,
    five_in_a_row,
    five_of,
    told_left,
    under_first,
)
from nimdesk.games import MnkGame, MnkMove, Move, Side

_FIVE_IN_A_ROW = "4"
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_GAMES = {"1": "Go", "2": "Othello", "3": "chess", "7": "Chinese chess", "8": "shogi", "11": "Hex"}
_SPACE = re.compile(r"\s*")
_PROPERTY = re.compile(r"[A-Za-z]{1,20}")
# Possessive: a value that is never closed is found out in one pass.
_VALUE = re.compile(r"\[((?:[^\]\\]++|\\.)*+)\]", re.DOTALL)
_POINT = re.compile(r"([a-zA-Z])([a-zA-Z])")
_BY_ROW = re.compile(r"([a-zA-Z])([0-9]{1,2})")
_BREAK = re.compile(r"\\\r?\n")
_MOST_DEPTH = 10_000
# What the writer says itself, in this order.
_ROOT = ("FF", "GM", "CA", "AP", "SZ", "RU", "PB", "PW", "RE")
_EXACT = ("exact", "standard", "five exactly")


class _Value(NamedTuple):
    """The text between two brackets, as it stands there, and its place."""

    raw: str
    place: int


class _Property(NamedTuple):
    name: str
    values: tuple[_Value, ...]
    place: int


class _Node(NamedTuple):
    """A node, its place, and the number of its parent; -1 for the first one of a game."""

    properties: tuple[_Property, ...]
    place: int
    parent: int

    def first(self, name: str) -> _Value | None:
        return next((each.values[0] for each in self.properties if each.name == name), None)

    def text(self, name: str) -> str:
        value = self.first(name)
        return "" if value is None else _plain(value.raw)


def _trees(text: str) -> Iterator[list[_Node]]:
    """The nodes of each game in the text."""
    at = text.find("(")
    if at < 0:
        raise FaultInFileError("an SGF file begins with “(;”")
    while at < len(text):
        nodes: list[_Node] = []
        at = _tree(text, at, nodes)
        yield nodes
        at = text.find("(", at)  # what stands between games is of no meaning
        if at < 0:
            return


def _tree(text: str, begin: int, nodes: list[_Node]) -> int:
    """Add the nodes of the tree that begins here, and return where it ends."""
    open_at: list[int] = []
    last, at = -1, begin
    while at < len(text):
        letter = text[at]
        if letter == "(":
            if len(open_at) >= _MOST_DEPTH:
                raise FaultInFileError("variations are nested too deeply", at)
            open_at.append(last)
            at += 1
        elif letter == ")":
            last = open_at.pop()
            at += 1
            if not open_at:
                return at
        elif letter == ";":
            properties, end = _properties(text, at + 1)
            nodes.append(_Node(properties, at, last))
            last, at = len(nodes) - 1, end
        elif letter.isspace():
            at += 1
        else:
            raise FaultInFileError(f"a node begins with “;”, and here is {quoted(letter)}", at)
    raise FaultInFileError("its end is missing: a bracket “(” is not closed", len(text))


def _properties(text: str, at: int) -> tuple[tuple[_Property, ...], int]:
    found: list[_Property] = []
    while True:
        at = _skip(text, at)
        name = _PROPERTY.match(text, at)
        if name is None:
            return tuple(found), at
        values, end = [], _skip(text, name.end())
        while (value := _VALUE.match(text, end)) is not None:
            values.append(_Value(value[1], value.start(1)))
            end = _skip(text, value.end())
        if not values:
            why = "its value is not closed by “]”" if text[end : end + 1] == "[" else "it has no value in brackets"
            raise FaultInFileError(f"in the property {name[0][:8]}: {why}", end)
        # Older files write names with small letters between, such as Black.
        found.append(_Property("".join(filter(str.isupper, name[0])) or name[0], tuple(values), name.start()))
        at = end


def _skip(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return at if space is None else space.end()


def _plain(raw: str) -> str:
    """A value as people read it: escaped letters as they are, escaped line breaks gone."""
    return re.sub(r"\\(.)", r"\1", _BREAK.sub("", raw), flags=re.DOTALL).replace("\r\n", "\n")


def _escaped(text: str) -> str:
    return re.sub(r"([\]\\])", r"\\\1", text)


# Reading


def _read(text: str, asked: Asked) -> Reading:
    records, told = list[Record](), dict[str, None]()
    for nodes in _trees(text):
        if len(records) == MOST_RECORDS:
            raise FaultInFileError(f"no file has more than {MOST_RECORDS:,} games", nodes[0].place if nodes else 0)
        if nodes:
            record, notes = _game(nodes, asked)
            records.append(record)
            told.update(dict.fromkeys(notes))
    if not records:
        raise FaultInFileError("it holds no game")
    return Reading(tuple(records), tuple(told))


def _game(nodes: Sequence[_Node], asked: Asked) -> tuple[Record, list[str]]:
    root, told = nodes[0], list[str]()
    kind = root.first("GM")
    if asked.game is None and (kind is None or kind.raw.strip() != _FIVE_IN_A_ROW):
        raw = "1" if kind is None else kind.raw.strip()
        what = _GAMES.get(raw, "another game")
        says = f"GM[{raw}] is {what}" if kind is not None else "without GM it is Go"
        raise FaultInFileError(f"{says}; five in a row is GM[4]", root.place if kind is None else kind.place)
    rule = root.text("RU").casefold()
    if "renju" in rule:
        told.append("Its rule is renju; nimdesk does not know its forbidden moves, and reads it as five in a row.")
    columns, rows, place = _size(root)
    rules = five_in_a_row(columns, rows, exact=any(word in rule for word in _EXACT))
    record = under_first(asked, rules, lambda game: _Reader(game, nodes, told).record(), place)
    return record, list(dict.fromkeys(told))


def _size(root: _Node) -> tuple[int, int, int]:
    value = root.first("SZ")
    if value is None:
        return 19, 19, root.place
    sizes = re.fullmatch(r"\s*([0-9]{1,3})\s*(?::\s*([0-9]{1,3})\s*)?", value.raw)
    if sizes is None:
        why = f"the size {quoted(value.raw)} is not understood; it is a number, or two as 15:20"
        raise FaultInFileError(why, value.place)
    return int(sizes[1]), int(sizes[2] or sizes[1]), value.place


class _Reader:
    """Plays the nodes of one game; ``told`` hears what is not taken over as it stands."""

    def __init__(self, game: MnkGame, nodes: Sequence[_Node], told: list[str]) -> None:
        self._game, self._nodes, self._told = game, nodes, told
        self._growing = Growing(game)
        self._first: Side | None = None
        self._numbers: dict[tuple[int, MnkMove], int] = {}

    def record(self) -> Record:
        """All of it."""
        numbers: list[int] = []
        for node in self._nodes:
            numbers.append(self._node(node, 0 if node.parent < 0 else numbers[node.parent]))
        root = self._nodes[0]
        names = (root.text("PB"), root.text("PW"))
        source = {"form": "sgf", "result": root.text("RE"), "rule": root.text("RU"), "program": root.text("AP")}
        known = {name: text for name, text in source.items() if text}
        return self._growing.record(names=names if self._first is not Side.SECOND else names[::-1], source=known)

    def _node(self, node: _Node, parent: int) -> int:
        """Play what this node says, and return the number of the record's node at which the next one is."""
        at = self._set_up(node, parent)
        for each in node.properties:
            if each.name in ("B", "W"):
                for value in each.values:
                    at = self._play(at, each.name, value)
        said = self._said(node)
        comment = "\n\n".join(filter(None, (node.text("N"), node.text("C"))))
        if at == 0 and node.parent < 0:
            self._growing.nodes[0] = RecordNode(-1, None, comment, None, said)
        elif comment or said:
            before = self._growing.nodes[at]
            comments = "\n\n".join(filter(None, (before.comment, comment)))
            self._growing.nodes[at] = RecordNode(before.parent, before.move, comments, None, (*before.others, *said))
        return at

    def _said(self, node: _Node) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """What it says besides moves, comments, and what every file says."""
        known = {"B", "W", "C", "N", "AB", "AW", "PL", *(_ROOT if node.parent < 0 else ())}
        return tuple(
            (each.name, tuple(value.raw for value in each.values)) for each in node.properties if each.name not in known
        )

    def _play(self, at: int, color: str, value: _Value) -> int:
        turn = Side.FIRST if color == "B" else Side.SECOND
        if self._first is None:
            self._first = turn
        position = self._growing.position(at)
        if (position.turn is Side.FIRST) is not (turn is self._first):
            name = "Black" if color == "B" else "White"
            raise FaultInFileError(f"{name} moves twice; in five in a row the sides take turns", value.place)
        move = self._move(value)
        if (at, move) not in self._numbers:
            self._numbers[at, move] = self._growing.play(at, move, value.place)
        return self._numbers[at, move]

    def _move(self, value: _Value) -> MnkMove:
        raw = value.raw.strip()
        # On boards that have no such point, “tt” is a pass as well.
        if not raw or (raw == "tt" and max(self._game.m, self._game.n) < _LETTERS.index("t") + 1):
            raise FaultInFileError(f"{quoted(raw)} is a pass, which five in a row does not know", value.place)
        if point := _POINT.fullmatch(raw):
            column, row = _LETTERS.index(point[1]), self._game.n - 1 - _LETTERS.index(point[2])
        elif point := _BY_ROW.fullmatch(raw):
            column, row = _LETTERS.index(point[1].lower()), int(point[2]) - 1
        else:
            raise FaultInFileError(f"{quoted(raw)} is no point, such as hh or h8", value.place)
        if not (0 <= column < self._game.m and 0 <= row < self._game.n):
            size = f"{self._game.m} by {self._game.n}"
            raise FaultInFileError(f"{quoted(raw)} is not on the board of {size}", value.place)
        return MnkMove(column, row)

    def _set_up(self, node: _Node, at: int) -> int:
        """Play the stones that are set up, Black and White in turn."""
        stones = {each.name: each.values for each in node.properties if each.name in ("AB", "AW", "AE")}
        if not stones:
            return at
        place = next(each.place for each in node.properties if each.name in stones)
        black, white = stones.get("AB", ()), stones.get("AW", ())
        if at or "AE" in stones or len(black) - len(white) not in (0, 1):
            raise FaultInFileError(
                f"{len(black)} black and {len(white)} white stones are set up here; nimdesk knows positions that arise "
                "by moves: as many of both, or one black stone more, before the first move",
                place,
            )
        for number in range(len(black) + len(white)):
            color, values = ("B", black) if number % 2 == 0 else ("W", white)
            at = self._play(at, color, values[number // 2])
        player = node.first("PL")
        black_to_move = self._growing.position(at).turn is Side.FIRST
        if player is not None and (player.raw[:1].upper() == "B") is not black_to_move:
            raise FaultInFileError("by the number of stones it is the other side's turn", player.place)
        self._told.append("Stones that are set up were played in turn, in the order in which they stand in the file.")
        return at


# Writing


def _write(records: Sequence[Record]) -> Writing:
    told = told_left(records, "file in SGF", "variations", "comments", "names")
    return Writing("\n".join(map(_written, records)) + "\n", told)


def _written(record: Record) -> str:
    game = five_of(record, "file in SGF")
    if max(game.m, game.n) > len(_LETTERS):
        raise RecordError(f"A board of {game.m} by {game.n} cannot be written in SGF: its columns have no letters.")
    size = str(game.m) if game.m == game.n else f"{game.m}:{game.n}"
    head = {"FF": "4", "GM": _FIVE_IN_A_ROW, "CA": "UTF-8", "AP": record.source.get("program", "nimdesk"), "SZ": size}
    rule = record.source.get("rule", "") or ("exact" if game.text.endswith(":exact") else "")
    said = {"RU": rule, "PB": record.names[0], "PW": record.names[1], "RE": record.source.get("result", "")}
    root = "".join(f"{name}[{_escaped(text)}]" for name, text in (head | said).items() if text)
    return f"(;{root}{_rest(record.nodes[0], game)}{_below(record, game)})"


def _below(record: Record, game: MnkGame) -> str:
    """Everything after the root, as brackets stand in the file: a node with one move after it needs none."""
    children: dict[int, list[int]] = {}
    for number, node in enumerate(record.nodes[1:], 1):
        children.setdefault(node.parent, []).append(number)
    parts: list[str] = []
    depth = {0: 0}
    waiting: list[int | str] = _branches(children.get(0, []))
    while waiting:
        part = waiting.pop()
        if isinstance(part, str):
            parts.append(part)
            continue
        number = part
        node = record.nodes[number]
        depth[number] = depth[node.parent] + 1
        assert node.move is not None
        point = _point(node.move, game)
        # A line of the file has ten moves: some editors cut longer ones.
        break_ = "\n" if depth[number] % 10 == 1 else ""
        parts.append(f"{break_};{'BW'[(depth[number] - 1) % 2]}[{point}]{_rest(node, game)}")
        waiting += _branches(children.get(number, []))
    return "".join(parts)


def _branches(numbers: Sequence[int]) -> list[int | str]:
    """These nodes and the brackets around them, the last one first."""
    if len(numbers) < 2:
        return list(numbers)
    return [part for number in reversed(numbers) for part in (")", number, "\n(")]


def _point(move: Move, game: MnkGame) -> str:
    assert isinstance(move, MnkMove)
    return _LETTERS[move.column] + _LETTERS[game.n - 1 - move.row]


def _rest(node: RecordNode, game: MnkGame) -> str:
    """What a node says besides its move."""
    comment = f"C[{_escaped(node.comment)}]" if node.comment else ""
    labels = "".join(f"[{_point(move, game)}:{_escaped(text)}]" for move, text in node.labels)
    others = "".join(f"{name}{''.join(f'[{raw}]' for raw in values)}" for name, values in node.others)
    return comment + (f"LB{labels}" if labels else "") + others


SGF = Format(
    "sgf",
    "file in SGF",
    (".sgf",),
    lambda text: re.match(r"\s*\(\s*;", text) is not None,
    _read,
    _write,
    many=True,
)
