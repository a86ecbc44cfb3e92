"""The work of a solver as a file, from which another one goes on: what it asked and was answered, and its tables.

The tables have only proven facts, so a file of any moment will do. Only the version of the search that wrote them knows
what they mean; no other version goes on with them.

The file is a line with the digest of the rest, a line of JSON (``Kept``), and for each table the numbers of its filled
rows and these rows, as they are in memory. So a few comparisons show that everything is there before any of it is used.
"""

from __future__ import annotations

import hashlib
from collections.abc import Container, Sequence
from typing import Annotated

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from nimdesk.games.mnk.plan import Answer, Question
from nimdesk.kernels import SOURCES

_MAGIC = b"nimdesk kept work 1 "
_FIRST_LINE = len(_MAGIC) + 2 * hashlib.sha256().digest_size + 1
_ROW_NUMBER, _WORD = np.dtype("<u4"), np.dtype("<u8")
_FAULT = "it is not what this version of the solver has kept of this position"
_Count = Annotated[int, Meta(ge=0, le=10**15)]


class Kept(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """How far a solver is; the questions serve to check that a later solver asks the same ones.

    No work comes near the bounds, which are there for what is read from a file.
    """

    position: str
    nodes: _Count
    elapsed_s: Annotated[float, Meta(ge=0, le=1e8)]
    defended: Annotated[float, Meta(ge=0, le=1)]
    asked: Annotated[list[tuple[Question, Answer | None]], Meta(max_length=100_000)]
    sizes: list[tuple[_Count, _Count]] = []
    """For each table, how many rows it has and how many of them are filled."""
    sources: str = SOURCES


def filled_rows(table: NDArray[np.uint64]) -> NDArray[np.intp]:
    """The numbers of the rows that are in use: the last word of an empty one is 0."""
    return np.flatnonzero(table[:, -1])


def keep(kept: Kept, tables: Sequence[NDArray[np.uint64]]) -> bytes:
    """The work as the bytes of a file; ``sizes`` is filled in here."""
    filled = [filled_rows(table) for table in tables]
    kept.sizes = [(len(table), len(rows)) for table, rows in zip(tables, filled, strict=True)]
    parts = [msgspec.json.encode(kept), b"\n"]
    for table, rows in zip(tables, filled, strict=True):
        parts += [rows.astype(_ROW_NUMBER).tobytes(), table[rows].astype(_WORD, copy=False).tobytes()]
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    return b"".join([_MAGIC, digest.hexdigest().encode(), b"\n", *parts])


def read_kept(
    position: str, data: bytes, shapes: Sequence[tuple[Container[int], int]]
) -> tuple[Kept, list[NDArray[np.uint64]]]:
    """The work at this position and its tables, from the bytes that ``keep`` made; ``ValueError`` for any others.

    ``shapes`` gives for each table the numbers of rows that it may have, and the words of a row.
    """
    rest = memoryview(data)[_FIRST_LINE:]
    _need(data[:_FIRST_LINE] == _MAGIC + hashlib.sha256(rest).hexdigest().encode() + b"\n")
    end = data.find(b"\n", _FIRST_LINE)
    _need(end >= 0)
    try:
        kept = msgspec.json.decode(data[_FIRST_LINE:end], type=Kept)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise ValueError(_FAULT) from error
    _need((kept.position, kept.sources, len(kept.sizes)) == (position, SOURCES, len(shapes)))
    body, at, tables = memoryview(data)[end + 1 :], 0, []
    for (rows, filled), (allowed, width) in zip(kept.sizes, shapes, strict=True):
        _need(rows in allowed and filled <= rows)
        # Both raise ValueError if the file is too short.
        numbers = np.frombuffer(body, _ROW_NUMBER, filled, at)
        entries = np.frombuffer(body, _WORD, filled * width, at + numbers.nbytes).reshape(filled, width)
        at += numbers.nbytes + entries.nbytes
        _need(not filled or bool(numbers[-1] < rows and (numbers[1:] > numbers[:-1]).all()))
        table = np.zeros((rows, width), np.uint64)
        table[numbers] = entries
        tables.append(table)
    _need(at == len(body))
    return kept, tables


def _need(condition: bool) -> None:
    if not condition:
        raise ValueError(_FAULT)
