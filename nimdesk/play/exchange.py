"""Games of other programs become games here, and games here become theirs (``nimdesk.formats``).

Variations stay variations, comments and times stay with their moves, and the players' names stand where a saved game
says who made a move. A search behind a move becomes a comment, and labels on the board with the moves it visited most.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

from nimdesk.errors import RecordError
from nimdesk.formats import Asked, Format, Record, RecordNode, read_file, write_file
from nimdesk.games import Move, Side
from nimdesk.play.game import GameInProgress, Human, player_title
from nimdesk.play.record import is_saved_game, load_game, save_game
from nimdesk.play.schema import MAX_REMARK, MAX_SECONDS
from nimdesk.play.tree import Node
from nimdesk.search import MoveStats, Snapshot

SAVED = "nimdesk"
"""What the format of saved games is called among the others."""
_LABELLED = 10
_EXPLAINED = 5
_LINE = 8
_RESULTS = {Side.FIRST: "B+", Side.SECOND: "W+", None: "0"}


Source: TypeAlias = GameInProgress | Record
"""A game on its way from file to file: a game of this program as it is, or the record of another."""


class Games(NamedTuple):
    """The games of a file, and sentences about what it left open or what was not taken over."""

    games: tuple[GameInProgress, ...]
    told: tuple[str, ...] = ()


def read_games(path: Path, asked: Asked | None = None) -> Games:
    """All games of a file, be it nimdesk's or of another program; ``RecordError`` for any other file."""
    found, told = read_sources(path, asked)
    if any(isinstance(each, Record) and each.nodes[0].comment for each in found):
        told = (*told, "What was said of the empty board stands at the first move.")
    return Games(tuple(map(as_game, found)), told)


def first_words(path: Path, games: Games) -> str:
    """What to say of a file of which one game was opened; "" for nothing."""
    more = len(games.games) - 1
    many = f"“{path.name}” has {more + 1:,} games, and this is the first; “Library of games” imports them all."
    return " ".join(([many] if more else []) + list(games.told))


def game_from(record: Record) -> GameInProgress:
    """The game that this record is, between two people, the cursor at the end of its main line."""
    game = GameInProgress(record.game.start(), (Human(), Human()))
    nodes = [game.root]
    for number, node in enumerate(record.nodes[1:], 1):
        assert node.move is not None
        game.look_at(nodes[node.parent])
        comment = node.comment
        if number == 1:
            comment = "\n\n".join(filter(None, (record.nodes[0].comment, comment)))
        name = record.names[game.position.turn]
        elapsed_s = None if node.elapsed_ms is None else min(max(node.elapsed_ms / 1000, 0.0), MAX_SECONDS)
        game.play(node.move, by=name[:200], elapsed_s=elapsed_s, comment=comment[:MAX_REMARK])
        nodes.append(game.node)
    end = nodes[(record.main_numbers or [0])[-1]]
    game.look_at(end, end)
    game.read, game.origin = (game.revision, ()), record.source
    return game


def record_of(game: GameInProgress) -> Record:
    """The game as other programs may have it, with its searches as comments."""
    found: list[RecordNode] = []
    numbers: dict[Node, int] = {}
    for node in game.root.walk():
        numbers[node] = len(found)
        labels = next((_labels(search) for search in map(_search, node.children) if search is not None), ())
        if node.ply is None or node.parent is None:
            found.append(RecordNode(-1, labels=labels))
            continue
        ply, search = node.ply, _search(node)
        comment = "\n\n".join(filter(None, (ply.comment, "" if search is None else analysis_words(search))))
        elapsed_ms = None if ply.elapsed_s is None else round(ply.elapsed_s * 1000)
        found.append(RecordNode(numbers[node.parent], ply.move, comment, elapsed_ms, labels=labels))
    last, result = game.standing
    lost_otherwise = result is not None and last.outcome is None
    source = dict(game.origin)
    if result is not None:
        source["result"] = _RESULTS[result.winner] + "F" * lost_otherwise
    return Record(game.game, tuple(found), (_name(game, Side.FIRST), _name(game, Side.SECOND)), source=source)


def _search(node: Node) -> Snapshot | None:
    return None if node.ply is None else node.ply.snapshot


def _name(game: GameInProgress, side: Side) -> str:
    """Who made the moves of this side: the name that stands there most, or the player of now."""
    names = [node.ply.by for node in game.root.onward if node.ply is not None and (node.position.turn is not side)]
    known = [name for name in names if name]
    return max(dict.fromkeys(known), key=known.count, default=player_title(game.players[side]) if names else "")


def _visited(snapshot: Snapshot) -> list[MoveStats]:
    return sorted((stats for stats in snapshot.moves if stats.visits), key=lambda stats: -stats.visits)


def _labels(snapshot: Snapshot) -> tuple[tuple[Move, str], ...]:
    """Shares of the visits in percent, on the moves that have most of them."""
    total = sum(stats.visits for stats in snapshot.moves)
    shares = [(stats.move, round(100 * stats.visits / total)) for stats in _visited(snapshot)[:_LABELLED]]
    return tuple((move, str(share)) for move, share in shares if share)


def analysis_words(snapshot: Snapshot) -> str:
    """The search behind a move as a comment: who searched how much, and what it thought of the moves."""
    done = f"{snapshot.iterations:,} simulations" if snapshot.iterations else f"{snapshot.tree_nodes:,} nodes"
    proven = ""
    if snapshot.proven is not None:
        proven = f" Proven: {snapshot.proven.value}"
        proven += "." if snapshot.distance is None else f" in {snapshot.distance}."
    lines = [f"{snapshot.agent}: {done}, seed {snapshot.seed}.{proven}"]
    for stats in _visited(snapshot)[:_EXPLAINED]:
        mean = "" if stats.mean_value is None else f", expected score {stats.mean_value:.3f}"
        line = " ".join(move.text for move in stats.principal_variation[:_LINE])
        lines.append(f"{stats.move.text}: {stats.visits:,} visits{mean}{f'; {line}' if line else ''}")
    return "\n".join(lines)


def as_record(source: Source) -> Record:
    """The game as other programs may have it."""
    return source if isinstance(source, Record) else record_of(source)


def as_game(source: Source) -> GameInProgress:
    """The game as this program has it."""
    return game_from(source) if isinstance(source, Record) else source


def read_sources(path: Path, asked: Asked | None = None) -> tuple[tuple[Source, ...], tuple[str, ...]]:
    """All games of a file, and sentences about what it left open; ``RecordError``."""
    if is_saved_game(path):
        return (load_game(path),), ()
    reading = read_file(path, asked)
    return reading.records, reading.told


def write_games(games: Sequence[Source], path: Path, form: Format | None) -> tuple[str, ...]:
    """Write these games to a file in this format, or one of them as a saved game without one; ``RecordError``.

    Sentences say what the format has no place for.
    """
    if form is not None:
        return write_file(list(map(as_record, games)), path, form).told
    if len(games) != 1:
        raise RecordError(f"A saved game is one game, and here are {len(games):,}; give a folder in its place.")
    save_game(as_game(games[0]), path)
    return ()


def file_names(stem: str, number: int, ending: str) -> Sequence[str]:
    """A name for each of so many games in a folder."""
    if number == 1:
        return [f"{stem}{ending}"]
    digits = len(str(number))
    return [f"{stem}-{each:0{digits}}{ending}" for each in range(1, number + 1)]
