"""A game to a file and back: one JSON document (``schema``), validated against the rules when it is read."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from nimdesk import __version__
from nimdesk.atomic import os_error_words, read_bounded, write_atomically
from nimdesk.errors import NimdeskError, RecordError
from nimdesk.games import AnyPosition, Move, parse_game
from nimdesk.play.game import GameInProgress, Ply
from nimdesk.play.players import Player, player_from_json, player_to_json
from nimdesk.play.schema import FORMAT, VERSION, GamePart, Header, MovePart, PlyPart, SearchPart
from nimdesk.play.traces import MAX_TRACE_BYTES, trace_bytes, trace_from, trace_part
from nimdesk.search import MoveStats, Snapshot, StopReason

RECORD_SUFFIX = ".nimdesk"
MAX_FILE_BYTES = 2**28
_LONGEST_MESSAGE = 400


class _Fault(Exception):
    """What is wrong with a document, as a clause that starts with where it is."""


def save_game(game: GameInProgress, path: Path) -> None:
    """Write the whole game, with its searches, to ``path``; wherever the cursor is, all plies are written.

    The file is replaced as a whole or not at all. ``RecordError`` when it cannot be written; an old file is then
    as it was.
    """
    try:
        data = _encoded(game)
        write_atomically(Path(path), data)
    except _Fault as fault:
        raise RecordError(f"The game cannot be saved to “{path}”: {fault}.") from None
    except (OSError, ValueError) as error:
        raise RecordError(f"The game cannot be saved to “{_shown(path)}”: {os_error_words(error)}.") from error


def load_game(path: Path) -> GameInProgress:
    """The game that ``save_game`` wrote, the cursor at its end.

    ``RecordError``, one sentence with the file, the place in it, what is wrong and what is allowed, for a file that
    cannot be read, is no saved game, is of a newer version, or breaks a rule anywhere.
    """
    path = Path(path)
    try:
        data = read_bounded(path, MAX_FILE_BYTES)
    except (OSError, ValueError) as error:
        raise RecordError(f"The game “{_shown(path)}” cannot be opened: {os_error_words(error)}.") from error
    try:
        return _decoded(data)
    except _Fault as fault:
        raise RecordError(f"The game “{path.name}” cannot be opened: {_cut(str(fault))}.") from None


def game_text(game: GameInProgress) -> str:
    """The position that is looked at, in notation, for copy and paste; ``parse_position`` reads it back."""
    return game.position.text


def _encoded(game: GameInProgress) -> bytes:
    traces = [ply.snapshot.trace for ply in game.plies if ply.snapshot is not None and ply.snapshot.trace is not None]
    if sum(trace_bytes(len(trace), len(trace.moves)) for trace in traces) > MAX_TRACE_BYTES:
        raise _Fault(f"its curves take more than {MAX_TRACE_BYTES >> 20:,} MB, which no saved game may")
    first, second = game.players
    part = GamePart(
        format=FORMAT,
        version=VERSION,
        program=__version__,
        game=game.game.text,
        players=[player_to_json(first), player_to_json(second)],
        plies=[_ply_part(ply) for ply in game.plies],
    )
    data = msgspec.json.encode(part)
    if len(data) > MAX_FILE_BYTES:
        raise _Fault(f"it would take more than {MAX_FILE_BYTES >> 20:,} MB, which no saved game may")
    return data


def _ply_part(ply: Ply) -> PlyPart:
    search = None if ply.snapshot is None else _search_part(ply.snapshot)
    return PlyPart(move=ply.move.text, by=ply.by[:200], elapsed_s=ply.elapsed_s, search=search)


def _search_part(snapshot: Snapshot) -> SearchPart:
    return SearchPart(
        agent=snapshot.agent[:200],
        seed=int(snapshot.seed),
        iterations=int(snapshot.iterations),
        elapsed_s=float(snapshot.elapsed_s),
        tree_nodes=int(snapshot.tree_nodes),
        tree_bytes=int(snapshot.tree_bytes),
        tree_full=bool(snapshot.tree_full),
        stopped=None if snapshot.stopped is None else _STOP_NAMES[snapshot.stopped],
        best_move=None if snapshot.best_move is None else snapshot.best_move.text,
        moves=[_move_part(stats) for stats in snapshot.moves],
        trace=None if snapshot.trace is None else trace_part(snapshot.trace),
    )


def _move_part(stats: MoveStats) -> MovePart:
    return MovePart(
        move=stats.move.text,
        visits=int(stats.visits),
        mean_value=None if stats.mean_value is None else float(stats.mean_value),
        pv=[move.text for move in stats.principal_variation],
    )
