"""A game to a file and back: one JSON document (``schema``), validated against the rules when it is read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import msgspec

from nimdesk.agents import CATALOGUE
from nimdesk.disk.atomic import os_error_words, read_bounded, set_aside, write_atomically
from nimdesk.disk.documents import (
    MAX_BYTES,
    DocumentFaultError,
    NewerDocumentError,
    check_header,
    check_size,
    clause,
    format_of,
    parsed,
    sentence,
)
from nimdesk.disk.provenance import Provenance, made_here
from nimdesk.errors import NimdeskError, RecordError
from nimdesk.games import AnyPosition, Move, Side, parse_game
from nimdesk.games.truth import Value
from nimdesk.play.game import RECORD_SUFFIX, GameInProgress, Player, player_from_json, player_to_json
from nimdesk.play.schema import (
    FORMAT,
    MAX_COMMENT,
    MAX_MADE,
    MAX_REMARK,
    MAX_TRACE_BYTES,
    VERSION,
    VERSION_WITHOUT_COMMENTS,
    VERSION_WITHOUT_FORFEIT,
    VERSION_WITHOUT_NODES,
    VERSION_WITHOUT_PROOF,
    VERSION_WITHOUT_PROVENANCE,
    VERSION_WITHOUT_VARIATIONS,
    ForfeitPart,
    GamePart,
    MovePart,
    PlyPart,
    ProvenName,
    SearchPart,
    SideName,
    StepPart,
    StopName,
    TracePart,
    VariationPart,
    trace_bytes,
    trace_from,
    trace_part,
)
from nimdesk.play.tree import Line, Node, Ply, lines_of
from nimdesk.search import MoveStats, Snapshot, Step, StopReason, Trace
from nimdesk.version import __version__

_STOP_NAMES: dict[StopReason, StopName] = {
    StopReason.ITERATIONS: "iterations",
    StopReason.TIME: "time",
    StopReason.NODES: "nodes",
    StopReason.STOPPED: "stopped",
    StopReason.MOVE_NOW: "move_now",
    StopReason.NO_SEARCH: "no_search",
    StopReason.COMPLETE: "complete",
    StopReason.PROVEN: "proven",
    StopReason.PLAYOUTS: "playouts",
    StopReason.EXHAUSTED: "exhausted",
    StopReason.DECIDED: "decided",
    StopReason.DEPTH: "depth",
}
_PROVEN_NAMES: dict[Value, ProvenName] = {Value.WIN: "win", Value.DRAW: "draw", Value.LOSS: "loss"}
_STOP_REASONS = {name: reason for reason, name in _STOP_NAMES.items()}
# Lists of which people count the entries.
_NUMBERED = {"plies": "move", "players": "player", "variations": "variation"}
_DocumentT = TypeVar("_DocumentT")


def save_game(game: GameInProgress, path: Path) -> None:
    """Write the whole game, with its variations and searches, to ``path``, wherever the cursor is.

    The file is replaced as a whole or not at all. ``RecordError`` when it cannot be written; an old file is then
    as it was.
    """
    try:
        data = _encoded(game)
    except DocumentFaultError as fault:
        raise RecordError(f"The game cannot be saved to “{path}”: {fault}.") from None
    write_document(path, data, "game", RecordError)


def load_game(path: Path) -> GameInProgress:
    """The game that ``save_game`` wrote, the cursor at the end of its main line.

    ``RecordError``, one sentence with the file, the place in it, what is wrong and what is allowed, for a file that
    cannot be read, is no saved game, is of a newer version, or breaks a rule anywhere.
    """
    return read_document(path, _decoded, FORMAT, "game", RecordError)


def is_saved_game(path: Path) -> bool:
    """Whether this file is what ``save_game`` writes, by its name or else by what it holds."""
    if path.name.lower().endswith(RECORD_SUFFIX):
        return True
    with suppress(OSError, ValueError):
        return format_of(read_bounded(path, MAX_BYTES[FORMAT])) == FORMAT
    return False


def write_document(path: Path, data: bytes, what: str, error: type[NimdeskError], *, follow: bool = True) -> None:
    """Replace the file as a whole; where that cannot be done, an ``error`` about ``what`` this is.

    ``follow`` as in ``write_atomically``.
    """
    try:
        write_atomically(Path(path), data, follow=follow)
    except (OSError, ValueError) as fault:
        raise error(f"The {what} cannot be saved to “{path}”: {os_error_words(fault)}.") from fault


def read_document(
    path: Path, decode: Callable[[bytes], _DocumentT], form: str, what: str, error: type[NimdeskError]
) -> _DocumentT:
    """What ``decode`` makes of a file of this format; an ``error`` about ``what`` this is where that fails."""
    path = Path(path)
    try:
        data = read_bounded(path, MAX_BYTES[form])
    except (OSError, ValueError) as fault:
        raise error(f"The {what} “{path}” cannot be opened: {os_error_words(fault)}.") from fault
    try:
        return decode(data)
    except DocumentFaultError as fault:
        why = str(fault)
    except MemoryError:
        why = "it needs more memory than there is"
    raise error(sentence(f"The {what} “{path.name}” cannot be opened: {why}"))


def or_set_aside(path: Path, decode: Callable[[bytes], _DocumentT]) -> Callable[[bytes], _DocumentT]:
    """``decode`` for a file that the program keeps: a broken one gets another name, and the fault says which.

    One of a newer version is not broken and stays where it is.
    """

    def decoded(data: bytes) -> _DocumentT:
        try:
            return decode(data)
        except NewerDocumentError:
            raise
        except DocumentFaultError as fault:
            with suppress(OSError):
                raise DocumentFaultError(f"{fault}; it was kept as “{set_aside(path).name}”") from None
            raise

    return decoded


def _encoded(game: GameInProgress) -> bytes:
    snapshots = [node.ply.snapshot for node in game.root.walk() if node.ply is not None]
    traces = [each.trace for each in snapshots if each is not None and each.trace is not None]
    if sum(trace_bytes(len(trace), len(trace.moves)) for trace in traces) > MAX_TRACE_BYTES:
        raise DocumentFaultError(f"its curves take more than {MAX_TRACE_BYTES >> 20:,} MB, which no saved game may")
    first, second = game.players
    main, *variations = lines = lines_of(game.root)
    forfeit = _forfeit_part(game, lines)
    # The oldest version that has all of this, so that programs of before can read what they know.
    counted = any(trace.nodes is not None for trace in traces)
    without = VERSION_WITHOUT_FORFEIT if variations else VERSION_WITHOUT_VARIATIONS
    without_nodes = without if forfeit is None else VERSION_WITHOUT_NODES
    without_made = VERSION_WITHOUT_PROVENANCE if counted else without_nodes
    made = made_of(game.read, game.revision) if any(each is not None for each in snapshots) else ()
    proven = any(each.proven or each.stopped is StopReason.DEPTH for each in snapshots if each is not None)
    commented = any(node.ply is not None and node.ply.comment for node in game.root.walk())
    without_proof = VERSION_WITHOUT_PROOF if made else without_made
    part = GamePart(
        format=FORMAT,
        version=VERSION if commented else VERSION_WITHOUT_COMMENTS if proven else without_proof,
        program=__version__,
        game=game.game.text,
        players=[player_to_json(first), player_to_json(second)],
        plies=_ply_parts(main),
        variations=[VariationPart(of=line.of, after=line.after, plies=_ply_parts(line)) for line in variations],
        forfeit=forfeit,
        made=list(made),
    )
    data = msgspec.json.encode(part)
    check_size(data, FORMAT, "saved game")
    return data


def made_of(read: tuple[int, tuple[Provenance, ...]] | None, revision: int) -> Sequence[Provenance]:
    """What made the searches of a game, as far as known: this program those that were not ``GameInProgress.read``."""
    if read is None:
        return [made_here()]
    then, before = read
    return before if revision == then else [*before, made_here()][-MAX_MADE:]


def _forfeit_part(game: GameInProgress, lines: Sequence[Line]) -> ForfeitPart | None:
    if game.forfeited is None:
        return None
    node, forfeit = game.forfeited
    ends = [line.nodes[-1] if line.nodes else game.root for line in lines]
    if node not in ends:
        return None  # the game went on from there
    side: SideName = "first" if forfeit.side is Side.FIRST else "second"
    return ForfeitPart(of=ends.index(node), side=side, reason=forfeit.reason[:MAX_COMMENT])


def _ply_parts(line: Line) -> list[PlyPart]:
    return [_ply_part(node.ply) for node in line.nodes if node.ply is not None]


def _ply_part(ply: Ply) -> PlyPart:
    search = None if ply.snapshot is None else search_part(ply.snapshot)
    comment = ply.comment[:MAX_REMARK]
    return PlyPart(move=ply.move.text, by=ply.by[:200], elapsed_s=ply.elapsed_s, search=search, comment=comment)


def search_part(snapshot: Snapshot) -> SearchPart:
    """The snapshot as it is written."""
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
        comment=snapshot.comment[:MAX_COMMENT],
        playouts=None if snapshot.playouts is None else int(snapshot.playouts),
        reused=int(snapshot.reused),
        steps=[_step_part(step) for step in snapshot.steps],
        proven=None if snapshot.proven is None else _PROVEN_NAMES.get(snapshot.proven),
        distance=snapshot.distance,
        chosen_after=snapshot.chosen_after,
        in_python=snapshot.in_python,
    )


def _move_part(stats: MoveStats) -> MovePart:
    return MovePart(
        move=stats.move.text,
        visits=int(stats.visits),
        mean_value=None if stats.mean_value is None else float(stats.mean_value),
        pv=[move.text for move in stats.principal_variation],
        proven=None if stats.proven is None else _PROVEN_NAMES.get(stats.proven),
        distance=stats.distance,
    )


def _step_part(step: Step) -> StepPart:
    return StepPart(
        depth=int(step.depth),
        nodes=int(step.nodes),
        elapsed_s=float(step.elapsed_s),
        best_move=step.best_move.text,
        value=_PROVEN_NAMES.get(step.value),
    )


def _decoded(data: bytes) -> GameInProgress:
    check_header(data, FORMAT, VERSION, "saved game")
    part = parsed(data, GamePart, _NUMBERED)
    return _game_from(part)


def _game_from(part: GamePart) -> GameInProgress:
    try:
        start = parse_game(part.game).start()
    except NimdeskError as error:
        raise DocumentFaultError(f"in the game: {clause(error)}") from None
    players: list[Player] = []
    for number, data in enumerate(part.players, 1):
        try:
            players.append(player_from_json(data))
        except NimdeskError as error:
            raise DocumentFaultError(f"in player {number}: {clause(error)}") from None
    game = GameInProgress(start, (players[0], players[1]))
    replay = _Replay(game)
    replay.play(part.plies, "in move")
    lines = [game.line]
    for number, variation in enumerate(part.variations, 1):
        where = f"in variation {number}"
        _leave(game, variation, lines, where)
        replay.play(variation.plies, f"{where}, move")
        lines.append(game.line[variation.after + 1 :])
    if part.forfeit is not None:
        _lose(game, part.forfeit, lines)
    game.look_at(lines[0][-1], lines[0][-1])
    game.read = game.revision, tuple(part.made)
    return game


def _leave(game: GameInProgress, part: VariationPart, lines: list[tuple[Node, ...]], where: str) -> None:
    """Look at the place where this variation begins; ``DocumentFaultError`` if there is no such place."""
    if part.of >= len(lines):
        raise DocumentFaultError(f"{where}: it must leave a line before it, 0 to {len(lines) - 1}, not {part.of}")
    places = {node.position.ply: node for node in lines[part.of]}
    place = places.get(part.after)
    if place is None or not place.children:
        raise DocumentFaultError(f"{where}: line {part.of} has no move after move {part.after} that it could replace")
    game.look_at(place)
    first = part.plies[0].move
    if any(child.ply is not None and child.ply.move.text == first for child in place.children):
        raise DocumentFaultError(f"{where}: its first move {first} was played there before")


def _lose(game: GameInProgress, part: ForfeitPart, lines: list[tuple[Node, ...]]) -> None:
    """Let a side lose at the end of a line; ``DocumentFaultError`` if there is no such line, or it is over there."""
    if part.of >= len(lines):
        raise DocumentFaultError(f"in the forfeit: it must be in a line, 0 to {len(lines) - 1}, not {part.of}")
    end = lines[part.of][-1]
    if end.position.outcome is not None:
        raise DocumentFaultError(f"in the forfeit: line {part.of} ends by the rules, where no side can lose otherwise")
    game.look_at(end, end)
    game.lose(Side[part.side.upper()], part.reason)


class MoveReader:
    """Reads moves by their text, each text once: a move is the same value in all positions of a game.

    That leaves one ``play`` for each move of a principal variation, where ``parse_move`` would play it as well; a long
    gomoku game has a hundred thousand of them.
    """

    def __init__(self) -> None:
        """Without any text known."""
        self._known: dict[str, Move] = {}

    def read(self, text: str, position: AnyPosition) -> Move:
        """The move, which need not be legal in ``position``."""
        move = self._known.get(text)
        if move is None:
            move = position.parse_move(text)
            if move.text == text:  # the short forms, such as a column alone, depend on the position
                self._known[text] = move
        return move


class _Replay:
    """Plays the plies of a document; ``GameInProgress.play`` checks what the types do not."""

    def __init__(self, game: GameInProgress) -> None:
        self._game, self._reader, self._budget = game, MoveReader(), MAX_TRACE_BYTES

    def play(self, plies: list[PlyPart], where: str) -> None:
        """Play these from the cursor on; ``DocumentFaultError`` begins with ``where``."""
        for number, ply in enumerate(plies, 1):
            try:
                self._play(ply)
            except (NimdeskError, ValueError) as error:
                raise DocumentFaultError(f"{where} {number}: {clause(error)}") from None

    def _play(self, part: PlyPart) -> None:
        position = self._game.position
        snapshot = None
        if part.search is not None:
            if part.search.trace is not None:
                self._budget -= trace_bytes(len(part.search.trace.iterations), len(position.legal_moves))
                if self._budget < 0:
                    raise ValueError(f"the curves up to here take more than {MAX_TRACE_BYTES >> 20:,} MB")
            try:
                snapshot = snapshot_from(part.search, position, self._reader)
            except NimdeskError as error:
                raise ValueError(f"in its search: {clause(error)}") from None
        move = self._reader.read(part.move, position)
        self._game.play(move, by=part.by, elapsed_s=part.elapsed_s, snapshot=snapshot, comment=part.comment)


def snapshot_from(part: SearchPart, position: AnyPosition, reader: MoveReader) -> Snapshot:
    """The snapshot that ``search_part`` wrote; ``NimdeskError`` or ``ValueError`` for one against the rules."""
    moves = tuple(_stats_from(stats, position, reader) for stats in part.moves)
    return Snapshot(
        position=position,
        agent=part.agent,
        seed=part.seed,
        iterations=part.iterations,
        elapsed_s=part.elapsed_s,
        moves=moves,
        best_move=None if part.best_move is None else reader.read(part.best_move, position),
        tree_nodes=part.tree_nodes,
        tree_bytes=part.tree_bytes,
        tree_full=part.tree_full,
        stopped=None if part.stopped is None else _STOP_REASONS[part.stopped],
        trace=None if part.trace is None else _trace_from(part, part.trace, position),
        comment=part.comment,
        playouts=part.playouts,
        reused=part.reused,
        steps=tuple(_step_from(step, position, reader) for step in part.steps),
        proven=proven_by_moves(moves) if part.proven is None else Value(part.proven),
        distance=part.distance,
        chosen_after=part.chosen_after,
        in_python=part.in_python,
    )


def _trace_from(part: SearchPart, trace: TracePart, position: AnyPosition) -> Trace:
    info = CATALOGUE.get(part.agent)
    by_mean = info is not None and info.usual_choice == "mean"
    moves = position.legal_moves
    last = next((column for column, move in enumerate(moves) if move.text == part.best_move), None)
    return trace_from(trace, moves, by_mean=by_mean, last=last, reused=part.reused)


def proven_by_moves(moves: Sequence[MoveStats]) -> Value | None:
    """What is proven of a position by what is proven of its moves alone, for files that do not tell it."""
    proven = {each.proven for each in moves}
    if Value.WIN in proven or (moves and None not in proven):
        return next(value for value in (Value.WIN, Value.DRAW, Value.LOSS) if value in proven)
    return None


def _stats_from(part: MovePart, position: AnyPosition, reader: MoveReader) -> MoveStats:
    variation: list[Move] = []
    at = position
    for text in part.pv:
        variation.append(reader.read(text, at))
        at = at.play(variation[-1])
    move, proven = reader.read(part.move, position), None if part.proven is None else Value(part.proven)
    return MoveStats(move, part.visits, part.mean_value, tuple(variation), proven, part.distance)


def _step_from(part: StepPart, position: AnyPosition, reader: MoveReader) -> Step:
    value = Value.UNKNOWN if part.value is None else Value(part.value)
    return Step(part.depth, part.nodes, part.elapsed_s, reader.read(part.best_move, position), value)
