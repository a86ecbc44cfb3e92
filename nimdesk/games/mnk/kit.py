"""What m,n,k games bring to nimdesk."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from threading import Event
from typing import TYPE_CHECKING

from nimdesk.games.base import Move, Side
from nimdesk.games.diagram import Diagram
from nimdesk.games.kit import GameKit, Preset, View
from nimdesk.games.mnk.rules import COLUMN_LETTERS, MAX_SIZE, MnkGame, MnkMove, MnkPosition
from nimdesk.games.mnk.twin import MnkTwin

if TYPE_CHECKING:
    from nimdesk.games.mnk.encoding import MnkKernel
    from nimdesk.games.mnk.theory import MnkSolver
    from nimdesk.games.truth import Certificate, Heard, Published, ThreatSearch


def _kernel() -> MnkKernel:
    from nimdesk.games.mnk.encoding import MnkKernel  # lazy: loads numba

    return MnkKernel()


def _solver(*, distances: bool = True) -> MnkSolver:
    from nimdesk.games.mnk.theory import MnkSolver  # lazy: loads numba

    return MnkSolver(distances=distances)


def _solver_pace(game: MnkGame) -> int:
    """Positions a second, as measured: a position is a few words in Connect Four, and costs as the board elsewhere."""
    from nimdesk.games.mnk.drop_solver import covers  # lazy: loads numba

    return 10_000_000 if covers(game) else 10_000_000 // (game.m * game.n)


def _certificate(position: MnkPosition, stop: Event, guide: bytes | None = None) -> bytes:
    from nimdesk.games.mnk.certificate import certificate  # lazy: loads numba

    return certificate(position, stop, guide=guide)


def _read_certificate(data: bytes, stop: Event, heard: Heard) -> Certificate:
    from nimdesk.games.mnk.replay import MnkCertificate  # lazy: few ask

    return MnkCertificate(data, stop, heard)


def _published(game: MnkGame) -> Published | None:
    from nimdesk.games.mnk.published import published  # lazy: few ask

    return published(game)


def _threats(game: MnkGame) -> ThreatSearch | None:
    from nimdesk.games.mnk.patterns import suit  # lazy: few ask
    from nimdesk.games.mnk.threats import LineThreats  # lazy: few ask

    return LineThreats() if suit(game) else None


@lru_cache(maxsize=64)  # several agents are asked one after the other whether they can play
def _fewest_nodes(position: MnkPosition) -> int:
    """The number of move sequences up to the ply at which a line can first be complete."""
    game = position.game
    marks = {(c, r): position.mark(c, r) for c in range(game.m) for r in range(game.n)}
    needed = dict.fromkeys(Side, game.m * game.n)
    for (column, row), (right, up) in ((cell, step) for cell in marks for step in ((1, 0), (0, 1), (1, 1), (1, -1))):
        line = [marks.get((column + i * right, row + i * up), "outside") for i in range(game.k)]
        for side in Side:
            if all(mark is None or mark is side for mark in line):
                needed[side] = min(needed[side], line.count(None))
    empty = sum(mark is None for mark in marks.values())
    first_end = min(2 * needed[position.turn] - 1, 2 * needed[position.turn.other], empty)
    rooms = [sum(marks[column, row] is None for row in range(game.n)) for column in range(game.m)]
    nodes = level = 1
    for ply in range(first_end):
        # With gravity, a column with more room than moves have been made is certainly open.
        level *= sum(room > ply for room in rooms) if game.gravity else empty - ply
        nodes += level
    return nodes


def _preferences(position: MnkPosition) -> tuple[int, ...]:
    """Prefer moves near the marks, then near the middle, which more lines cross; marks that drop are near anyway."""
    game, reached = position.game, position.board[0] | position.board[1]
    left, right, every = _edges(game.m, game.n)
    numbers = [-max(abs(2 * m.column - game.m + 1), abs(2 * m.row - game.n + 1)) for m in position.legal_moves]
    while reached and reached != every and not game.gravity:
        beside = reached | (reached & ~right) << 1 | (reached & ~left) >> 1
        reached = (beside | beside << game.m | beside >> game.m) & every
        for at, move in enumerate(position.legal_moves):
            numbers[at] -= 0 if reached >> (move.row * game.m + move.column) & 1 else 2 * MAX_SIZE
    return tuple(numbers)


@lru_cache(maxsize=16)
def _edges(m: int, n: int) -> tuple[int, int, int]:
    """The cells of the first column, of the last one, and all cells, as bits like those of a position's board."""
    first = sum(1 << row * m for row in range(n))
    return first, first << (m - 1), (1 << m * n) - 1


def _views(game: MnkGame) -> tuple[View, ...]:
    """The board as it is, and mirrored; without gravity also upside down; a square one also across its diagonal."""
    right, top = game.m - 1, game.n - 1
    turns: list[Callable[[MnkMove], Move]] = [lambda move: move, lambda move: MnkMove(right - move.column, move.row)]
    if not game.gravity:
        turns.append(lambda move: MnkMove(move.column, top - move.row))
        turns.append(lambda move: MnkMove(right - move.column, top - move.row))
    if not game.gravity and game.m == game.n:
        turns += [_across(turn) for turn in turns]
    return tuple((game, turn) for turn in turns)


def _across(turn: Callable[[MnkMove], Move]) -> Callable[[MnkMove], Move]:
    return lambda move: turn(MnkMove(move.row, move.column))


def _diagram(position: MnkPosition) -> Diagram:
    """The marks, the top row first; the line that won stands out, or else the last mark."""
    game, pieces = position.game, {None: "", Side.FIRST: "X", Side.SECOND: "O"}
    rows = range(game.n - 1, -1, -1)
    return Diagram(
        rows=tuple(tuple(pieces[position.mark(column, row)] for column in range(game.m)) for row in rows),
        labels=tuple(str(row + 1) for row in rows),
        columns=tuple(COLUMN_LETTERS[: game.m]),
        marked=frozenset((game.n - 1 - at.row, at.column) for at in position.winning_line or position.moves[-1:]),
    )


KIT = GameKit(
    name="mnk",
    game_type=MnkGame,
    notation="mnk:3,3,3 (columns, rows, in a row; add :gravity for dropping, :exact if a longer line does not win)",
    presets=(
        Preset("Tic-tac-toe", MnkGame(3, 3, 3), "Three in a row on 3 × 3; a draw if both play well."),
        Preset("Four in a row on 4×4", MnkGame(4, 4, 4), "A small board; a draw if both play well."),
        Preset("Four in a row on 5×5", MnkGame(5, 5, 4), "Also a draw, but easy to lose."),
        Preset("Gomoku", MnkGame(15, 15, 5), "Five in a row on 15 × 15; the first player can win."),
        Preset("Gomoku, exactly five", MnkGame(15, 15, 5, exact=True), "Gomocup's standard: six in a row do not win."),
        Preset("Connect Four", MnkGame(7, 6, 4, gravity=True), "Four in a row with dropping marks on 7 × 6."),
    ),
    load_kernel=_kernel,
    twin=MnkTwin(),
    new_solver=_solver,
    solver_pace=_solver_pace,
    new_certificate=_certificate,
    read_certificate=_read_certificate,
    published=_published,
    threats=_threats,
    fewest_nodes=_fewest_nodes,
    preferences=_preferences,
    group=lambda game: ("k", game.k),
    views=_views,
    diagram=_diagram,
    usual=True,
    board="nimdesk.ui.boards.mnk:KIT",
)
