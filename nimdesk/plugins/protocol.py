"""The protocol "nimdesk-search", version 1: what nimdesk and a program that searches say to each other.

Each message is one line of JSON (RFC 8259, UTF-8), an object whose ``is`` names its kind. nimdesk writes to the
program's standard input, the program to its standard output. A program reads only the fields that it needs: fields that
it does not know are no error, and nimdesk ignores those that it does not know as well. A line of the program that does
not begin with "{" is no message, but its own words: it goes to a log, as does its standard error.

This module is the whole protocol. ``json_schema`` is made from it, and so is the page of the site.
"""

from __future__ import annotations

from inspect import cleandoc
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

PROTOCOL, VERSION = "nimdesk-search", 1
MOST_TREE_NODES = 2_000
"""The most nodes that a ``go`` asks for."""
_Text = Annotated[str, Meta(max_length=1_000)]
_Move = Annotated[str, Meta(min_length=1, max_length=64)]
_Count = Annotated[int, Meta(ge=0, le=10**12)]
_Visits = Annotated[int, Meta(ge=0, le=2**32 - 1)]
_Score = Annotated[float, Meta(ge=0, le=1)]
_Number = int | float


class OptionPart(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An option of the program: a number from ``minimum`` to ``maximum``, one of ``choices`` (each a word, and what
    people read for it), or a switch.

    ``title`` and ``description`` are what people read, ``note`` is shown unasked, ``advanced`` ones on demand. An
    ``optional`` number may be null, which is shown as ``empty``.
    """

    name: str
    kind: Literal["int", "float", "choice", "switch"]
    default: _Number | str | bool | None
    title: str = ""
    description: str = ""
    advanced: bool = False
    note: str = ""
    minimum: _Number = 0
    maximum: _Number = 0
    optional: bool = False
    empty: str = ""
    unit: str = ""
    choices: tuple[tuple[str, str], ...] = ()


class _Message(msgspec.Struct, frozen=True, kw_only=True, tag=str.lower, tag_field="is", omit_defaults=True):
    pass


# What the program says.


class Greeting(_Message, frozen=True):
    """The first line of a program, said unasked.

    ``counts`` is what a search of it can be limited by: "iterations" (simulations) or "nodes"; null for a program that
    can only be told its time. ``samples``: it draws random numbers, so that another seed may give another search.
    ``games`` are the first words of the notations that it knows, such as "nim" or "mnk", or patterns of whole ones,
    such as "mnk:*,*,5"; none for all. ``tree``: it tells the top of its tree when a ``go`` asks for it. ``chooses``:
    whether it plays the move with the most visits or with the best mean; null for any other rule.
    """

    protocol: Literal["nimdesk-search"]
    version: Literal[1]
    name: Annotated[str, Meta(min_length=1, max_length=60)]
    about: _Text = ""
    counts: Literal["iterations", "nodes"] | None = None
    samples: bool = False
    games: tuple[str, ...] = ()
    options: tuple[OptionPart, ...] = ()
    tree: bool = False
    chooses: Literal["visits", "mean"] | None = None


class TreeNode(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A node of the tree: the moves that lead to it from the root, its visits, and the sum of its values for the side
    that made the last of these moves.
    """

    line: tuple[_Move, ...]
    visits: _Visits
    value_sum: float


class Checkpoint(_Message, frozen=True):
    """How far the search is, counted from its beginning.

    ``visits`` and ``value_sums`` have one number for each legal move, in the order of ``position``. A value is the
    expected score of the side to move at the root: 1 for a win, 1/2 for a draw, 0 for a loss. A program that counts
    nodes may leave both out, or have the nodes below each move in ``visits``. ``best`` is what it would play now;
    without it, that is the move with the most visits, or with the best mean if the greeting says so; among equals
    nimdesk draws by the seed. ``value`` is that of the position, ``line`` how it thinks the
    game goes on, ``tree`` the most visited nodes, each after its parent. ``words`` say what no field is for, such as an
    evaluation on a scale of its own.
    """

    iterations: _Count = 0
    nodes: _Count | None = None
    playouts: _Count | None = None
    visits: tuple[_Visits, ...] = ()
    value_sums: tuple[float, ...] = ()
    best: _Move | None = None
    value: _Score | None = None
    depth: Annotated[int, Meta(ge=0, le=10_000)] | None = None
    line: tuple[_Move, ...] = ()
    tree: tuple[TreeNode, ...] = ()
    words: _Text = ""


class Best(_Message, frozen=True):
    """The end of a ``go``: the move that the program plays; null for the one that its last checkpoint says.

    ``finished``: nothing is left to find out, so that a longer search would end here as well.
    """

    move: _Move | None = None
    finished: bool = False


class Error(_Message, frozen=True):
    """What the program cannot do, as a clause that follows its name: "knows no misère play". The search is over."""

    why: _Text


# What nimdesk says.


class Position(_Message, frozen=True):
    """A new search begins, of this position; what is known of another one is to be forgotten.

    ``game`` is the game in notation, ``moves`` have been played from its start, ``legal`` may be played now: never
    none. ``options`` has all options of the greeting.
    """

    game: str
    moves: tuple[str, ...]
    legal: tuple[str, ...]
    options: dict[str, Any] = {}

    @property
    def text(self) -> str:
        """The position in notation."""
        return " ".join((self.game, *self.moves))


class Go(_Message, frozen=True):
    """Search on until this many iterations, or nodes, are done in all since ``position``; or for this time.

    Say any number of checkpoints, the last one at the end, and then ``best``. The same position, options, seed and
    total give the same visits, in however many ``go`` it is reached. With ``tree`` tell as many nodes with the last
    checkpoint.
    """

    seed: Annotated[int, Meta(ge=0, le=2**63 - 1)]
    iterations: Annotated[int, Meta(ge=1)] | None = None
    nodes: Annotated[int, Meta(ge=1)] | None = None
    time_ms: Annotated[int, Meta(ge=1)] | None = None
    tree: Annotated[int, Meta(ge=0, le=MOST_TREE_NODES)] = 0


class Stop(_Message, frozen=True):
    """End the ``go`` under way as soon as possible, with ``best``. Without one under way it means nothing."""


class Quit(_Message, frozen=True):
    """End. The end of the input means the same."""


Told = Greeting | Checkpoint | Best | Error
"""What a program says."""
Asked = Position | Go | Stop | Quit
"""What nimdesk says."""
TOLD: msgspec.json.Decoder[Told] = msgspec.json.Decoder(Told)
ASKED: msgspec.json.Decoder[Asked] = msgspec.json.Decoder(Asked)


def json_schema() -> dict[str, Any]:
    """The schema of one line, published as ``resources/protocol.schema.json``."""
    (told, asked), parts = msgspec.json.schema_components([Told, Asked], ref_template="#/$defs/{name}")
    for part in parts.values():
        part["description"] = cleandoc(part["description"])  # before 3.13, Python keeps its indentation
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"A line of the protocol {PROTOCOL}, version {VERSION}",
        "anyOf": [told, asked],
        "$defs": parts,
    }
