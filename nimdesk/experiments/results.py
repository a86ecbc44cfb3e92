"""What a finished game or search leaves: plain values, as they are stored and sent between processes."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

Verdict: TypeAlias = Literal["?", "=", "+", "-"]
"""A move against the truth: "?" not known, "=" no move could lose value, "+" kept the value, "-" gave it away."""


class PlyResult(msgspec.Struct, frozen=True, array_like=True):
    """One move: its text, simulations (0 where the agent does not count any), nodes, seconds, and the verdict."""

    move: str
    iterations: int
    nodes: int
    time_s: float
    verdict: Verdict


class GameResult(msgspec.Struct, frozen=True, tag="game", tag_field="kind"):
    """One game. ``start`` is the position in which the players took over, ``plies`` the moves from there on.

    ``winner`` is 0 for the side that began the game, 1 for the other one, None for a draw; the setting says
    which player that is. ``forfeit`` is the sentence about a player that failed and so lost, or "".
    """

    number: int
    start: str
    winner: Literal[0, 1] | None
    plies: tuple[PlyResult, ...]
    forfeit: str = ""


class MoveResult(msgspec.Struct, frozen=True, array_like=True):
    """One move of a searched position: its text, visits, and mean value for the side that plays it, if any."""

    move: str
    visits: int
    mean_value: float | None


class SearchResult(msgspec.Struct, frozen=True, tag="search", tag_field="kind"):
    """One search: what it chose, the verdict, what it cost, and its statistics of every legal move.

    ``complete`` is False where the plan's node limit ended it. ``failure`` is the sentence about a player that failed.
    """

    number: int
    choice: str
    verdict: Verdict
    iterations: int
    nodes: int
    time_s: float
    complete: bool
    moves: tuple[MoveResult, ...]
    failure: str = ""


class StudyResult(msgspec.Struct, frozen=True, tag="study", tag_field="kind"):
    """One search of a study; columns are those of ``position.legal_moves``.

    For each budget there is one entry in ``choices`` (the column of the move it would play), ``spent`` (the iterations,
    or nodes, done by then: fewer than the budget where nothing was left to search) and ``visits`` (of each column).
    ``settled`` is the first iteration looked at from which on every choice was optimal, None where the last was not.
    """

    number: int
    choices: tuple[int, ...]
    spent: tuple[int, ...]
    visits: tuple[tuple[int, ...], ...]
    settled: int | None


Result: TypeAlias = GameResult | SearchResult | StudyResult

encode_result = msgspec.json.Encoder().encode
decode_result = msgspec.json.Decoder(Result).decode
