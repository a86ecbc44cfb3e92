"""The work of a solver as a file, from which another one goes on: what it asked and was answered, and its tables.

Only proven facts are in the tables, so that a file of any moment will do. What they mean is known to one version of
the search alone; no other one goes on with them.
"""

from __future__ import annotations

import io
import zipfile
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from nimdesk.games.mnk.plan import Answer, Question
from nimdesk.kernels import SOURCES

_FAULT = "it is not what this version of the solver has kept of this position"


class Kept(msgspec.Struct, kw_only=True):
    """How far a solver is; the questions are there to see that they are the same again."""

    position: str
    nodes: int
    elapsed_s: float
    defended: float
    asked: list[tuple[Question, Answer | None]]
    sources: str = SOURCES


def keep(kept: Kept, tables: dict[str, NDArray[np.uint64]]) -> bytes:
    """As a file; rows of the tables whose last word is 0 are empty."""
    arrays: dict[str, NDArray[Any]] = {}
    for name, table in tables.items():
        filled = np.flatnonzero(table[:, -1])
        arrays |= {f"{name}.shape": np.array(table.shape), f"{name}.filled": filled, name: table[filled]}
    file = io.BytesIO()
    np.savez(file, head=np.frombuffer(msgspec.json.encode(kept), np.uint8), **arrays)  # type: ignore[arg-type]
    return file.getvalue()


def read_kept(position: str, data: bytes, names: list[str]) -> tuple[Kept, list[NDArray[np.uint64]]]:
    """What ``keep`` made of the work at this position, and the tables of these names; ``ValueError`` if it did not."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            kept = msgspec.json.decode(arrays["head"].tobytes(), type=Kept)
            if (kept.position, kept.sources) != (position, SOURCES):
                raise ValueError(_FAULT)
            tables = []
            for name in names:
                table = np.zeros(arrays[f"{name}.shape"], np.uint64)
                table[arrays[f"{name}.filled"]] = arrays[name]
                tables.append(table)
    except (msgspec.MsgspecError, zipfile.BadZipFile, KeyError, EOFError, IndexError, OSError) as error:
        raise ValueError(_FAULT) from error
    return kept, tables
