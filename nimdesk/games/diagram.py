"""What a board looks like, as a small value without a screen, from which texts and pictures are made."""

from __future__ import annotations

import msgspec


class Diagram(msgspec.Struct, frozen=True):
    """A board as rows of pieces, the highest row first.

    A piece is one letter: ``X`` or ``O`` for the marks or stones of the first and second side, ``|`` for a stick, ``●``
    for a token, "" for an empty place. Each row has its label. With ``columns``, the labels of the columns, all rows
    are as long as there are columns, and the places are drawn; without, a row has only its pieces. ``marked`` are
    places that stand out, as row and column: the last move, or the line that won.
    """

    rows: tuple[tuple[str, ...], ...]
    labels: tuple[str, ...]
    columns: tuple[str, ...] = ()
    marked: frozenset[tuple[int, int]] = frozenset()
