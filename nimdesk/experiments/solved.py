"""What is known of the starts of games, worked out board by board with a limit on the time of each.

The results are one file of JSON, replaced after each board. Of a board that takes long the work is kept every minute,
so that a run that is killed loses no more than that. Beside ours stands what the literature says
(``GameKit.published``); a value that neither has is unknown.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from nimdesk.cells import csv_text
from nimdesk.disk.atomic import os_error_words, read_bounded, write_atomically
from nimdesk.disk.documents import DocumentFaultError, clause, parsed, sentence
from nimdesk.disk.paths import file_name, make_private
from nimdesk.disk.provenance import Provenance, made_here
from nimdesk.errors import GameParameterError, NimdeskError, brief, quoted, shown
from nimdesk.experiments.results import duration
from nimdesk.experiments.sections import NONE
from nimdesk.games import AnyPosition, kit_of, parse_position, solver_for
from nimdesk.games.truth import MOST_KEPT_BYTES, KeptSolver, Published, Solver, Truth, Value
from nimdesk.games.truth_words import value_words
from nimdesk.limit import Limit
from nimdesk.play.schema import Count, Seconds

FORMULA = "nim", "win, unless the nim-sum is 0", "Bouton, Nim, a game with a complete mathematical theory (1901)"
"""The one row for all Nim in normal play."""
_SCHEMA: Literal["nimdesk solved boards 1"] = "nimdesk solved boards 1"
_MOST_BYTES = 1 << 22
_SLICE_S = 0.05
# From a smaller part of a proof nobody can tell how long the rest takes.
_LEAST_SHARE = 0.001
_Text = Annotated[str, Meta(max_length=1_000)]
KEEPING = threading.Lock()
"""Held while results or work are written; whoever ends the program in the middle of the work takes it first."""


class SolvedBoard(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the solver found for the start of a game.

    ``value`` is for the first side and ``plies`` the moves until the game ends (None if not found in time).
    ``value_s`` are the seconds until the value was known, ``time_s`` all of them, of at most ``limit_s``. ``how`` is
    the solver's own sentence. ``certificate`` is the size in bytes of one that was written, None if none was.
    """

    game: _Text
    value: Value
    plies: Count | None = None
    value_s: Seconds | None = None
    time_s: Seconds
    limit_s: Seconds
    nodes: Count
    how: _Text
    certificate: Count | None = None

    @property
    def complete(self) -> bool:
        """Whether the value and the last move are known."""
        return self.value is not Value.UNKNOWN and self.plies is not None


class _Document(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    schema: Literal["nimdesk solved boards 1"]
    boards: list[SolvedBoard] = []
    made: list[Provenance] = []


class SolvedFile:
    """The results in a file, which need not be there yet."""

    def __init__(self, path: Path, *, follow: bool = True) -> None:
        """Read them; ``NimdeskError`` says what is wrong with the file. ``follow`` as in ``write_atomically``."""
        self.path, self._follow = path, follow
        self._document = _read(path) if path.exists() else _Document(schema=_SCHEMA)
        self._by_game = {board.game: board for board in self._document.boards}

    @property
    def boards(self) -> list[SolvedBoard]:
        """What was found, in the order in which the boards were first asked for."""
        return list(self._by_game.values())

    @property
    def made(self) -> Sequence[Provenance]:
        """The machines and programs that worked at it."""
        return self._document.made

    def find(self, game: str) -> SolvedBoard | None:
        """What was found for the game."""
        return self._by_game.get(game)

    def add(self, board: SolvedBoard) -> None:
        """Keep a result, on the disk too."""
        self._by_game[board.game] = board
        made = made_here()
        if not any(_same(made, each) for each in self._document.made):
            self._document.made.append(made)
        self._document.boards = self.boards
        data = msgspec.json.format(msgspec.json.encode(self._document), indent=1) + b"\n"
        try:
            with KEEPING:
                write_atomically(self.path, data, follow=self._follow)
        except (OSError, ValueError) as error:
            raise NimdeskError(f"The results cannot be written to “{self.path}”: {os_error_words(error)}.") from error


def _same(one: Provenance, other: Provenance) -> bool:
    return msgspec.structs.replace(one, date="") == msgspec.structs.replace(other, date="")


def _read(path: Path) -> _Document:
    try:
        data = read_bounded(path, _MOST_BYTES)
    except (OSError, ValueError) as error:
        raise NimdeskError(f"“{path}” cannot be read: {os_error_words(error)}.") from error
    try:
        if len(data) > _MOST_BYTES:
            raise DocumentFaultError(f"it is larger than {_MOST_BYTES >> 20} MB")
        document = parsed(data, _Document, {"boards": "board"})
        if len({board.game for board in document.boards}) < len(document.boards):
            raise DocumentFaultError("a board is there twice")
        for number, board in enumerate(document.boards, 1):
            _check_start(board.game, number)
    except DocumentFaultError as fault:
        raise NimdeskError(sentence(f"“{path.name}” is no table of solved boards: {fault}")) from None
    return document


def _check_start(text: str, number: int) -> None:
    try:
        start = parse_position(text)
    except NimdeskError as error:
        raise DocumentFaultError(f"in board {number}: {clause(error)}") from None
    if start.game.text != text or start.outcome is not None:
        raise DocumentFaultError(f"in board {number}: {quoted(text)} is not the start of a game")


class KeptWork:
    """A solver at work on a position, which is kept in the file ``part``; another one goes on from there.

    ``tell`` gets a ``brief`` sentence whenever it is kept, and one if it cannot be, or if what is there is of no use.
    """

    def __init__(self, start: AnyPosition, part: Path, keep_s: float, tell: Callable[[str], object]) -> None:
        self._solver, self._part, self._keep_s, self._tell = solver_for(start), part, keep_s, tell
        if not self._resumed(start):
            self._solver.start(start)
        self.truth = self._solver.truth()
        self._kept_s = self.truth.elapsed_s

    def _resumed(self, start: AnyPosition) -> bool:
        if not isinstance(self._solver, KeptSolver):
            return False
        try:
            data = read_bounded(self._part, MOST_KEPT_BYTES)
            if len(data) > MOST_KEPT_BYTES:
                raise ValueError("it is too large")
            self._solver.resume(start, data)
        except FileNotFoundError:
            return False
        except (OSError, ValueError):
            words = "is damaged or of another version of nimdesk, so the work begins anew."
            self._tell(brief(f"{start.text}: what was kept in “{self._part}” {words}"))
            return False
        return True

    @property
    def progress(self) -> float:
        """That of the solver."""
        return self._solver.progress

    def advance(self, limit_s: float) -> bool:
        """Work for a moment, at most until ``limit_s`` counted from the first start; whether the truth is complete.

        Every ``keep_s`` seconds the work is kept.
        """
        done = self._solver.advance(Limit(time_s=min(self.truth.elapsed_s + _SLICE_S, limit_s)))
        self.truth = self._solver.truth()
        if not done and self.truth.elapsed_s >= self._kept_s + self._keep_s:
            self._kept_s = self.truth.elapsed_s
            self._keep()
            self._tell(_far_words(self._solver, self.truth))
        return done

    def end(self, done: bool) -> bool:
        """Keep the work, if it was much and is not done, else remove the file; whether the work is kept."""
        if done:
            with suppress(OSError):  # as for a folder of that name
                self._part.unlink()
        return not done and self.truth.elapsed_s >= self._keep_s and self._keep()

    def _keep(self) -> bool:
        with KEEPING:
            data = self._solver.keep() if isinstance(self._solver, KeptSolver) else None
            if data is None:
                return False
            try:
                make_private(self._part.parent)
                write_atomically(self._part, data, follow=False)
            except (OSError, ValueError) as error:
                why = os_error_words(error)
                self._tell(brief(f"The work goes on, but cannot be kept in “{self._part}”: {why}."))
                return False
            return True


def solve_board(
    start: AnyPosition,
    limit_s: float,
    stop: threading.Event,
    part: Path,
    keep_s: float,
    tell: Callable[[str], object],
    keep: Callable[[SolvedBoard], object] = bool,
) -> SolvedBoard | None:
    """Work out the start of a game; None if ``stop`` was set before the limit. See ``KeptWork``.

    ``keep`` gets the result while the work behind it is still there, and may raise.
    """
    kept, value_s = KeptWork(start, part, keep_s, tell), None
    truth, done = kept.truth, False
    while not (done or stop.is_set() or truth.elapsed_s >= limit_s):
        done = kept.advance(limit_s)
        truth = kept.truth
        if truth.value is not Value.UNKNOWN and value_s is None:
            value_s = round(truth.elapsed_s, 3)
        done = done or (truth.value is not Value.UNKNOWN and truth.distance is not None)
    if stop.is_set() and not done:
        kept.end(done)
        return None
    board = SolvedBoard(
        game=start.game.text,
        value=truth.value,
        plies=truth.distance,
        value_s=value_s,
        time_s=round(truth.elapsed_s, 3),
        limit_s=limit_s,
        nodes=truth.nodes,
        how=truth.explanation,
    )
    keep(board)
    kept.end(done)  # not before the result is kept, for which there may be no room
    return board


def _far_words(solver: Solver, truth: Truth) -> str:
    """How far it is, and how long the rest may take."""
    far = f"{truth.position.game.text}: {duration(truth.elapsed_s)}, {truth.nodes:,} positions"
    share = solver.defended if isinstance(solver, KeptSolver) else 0.0
    if share < _LEAST_SHARE:
        return f"{far}; how long the rest takes cannot be told yet."
    rest = duration(truth.elapsed_s * (1 - share) / share)
    return f"{far}; {share:.1%} of a defence by blocking is found. If it holds, the rest takes {rest} at this pace."


class _Until(threading.Event):
    """Set once another event is, or the time is up."""

    def __init__(self, other: threading.Event, limit_s: float) -> None:
        super().__init__()
        self._other, self._end_s = other, time.monotonic() + limit_s

    def is_set(self) -> bool:
        return self._other.is_set() or time.monotonic() >= self._end_s


def _certificate_in(folder: Path, start: AnyPosition) -> Path:
    return folder / f"{file_name(start.game.text)}.cert"


def certify(start: AnyPosition, folder: Path, limit_s: float, stop: threading.Event) -> int:
    """Write the certificate of a start into the folder; its size, or 0 if there is none within the time."""
    make = kit_of(start).new_certificate
    if make is None:
        return 0
    try:
        data = make(start, _Until(stop, limit_s))
    except (GameParameterError, KeyboardInterrupt):
        return 0
    path = _certificate_in(folder, start)
    try:
        with KEEPING:
            write_atomically(path, data, follow=False)
    except (OSError, ValueError) as error:
        raise NimdeskError(f"The certificate cannot be written to “{path}”: {os_error_words(error)}.") from error
    return len(data)


def work(
    file: SolvedFile,
    games: Iterable[str],
    limit_s: float,
    stop: threading.Event,
    certificates: Path | None = None,
    keep_s: float = 60.0,
    tell: Callable[[str], object] = str,
) -> Iterator[SolvedBoard]:
    """Work at the boards that the file wants until ``stop`` is set; each result is yielded once it is kept.

    ``certificates`` is a folder for those of the boards whose value is known, each within the limit as well. Work that
    takes longer than ``keep_s`` is kept beside the file, too (see ``solve_board``).
    """
    for game in games:
        start = parse_position(game)
        board = file.find(game)
        if board is None or not (board.complete or board.limit_s >= limit_s):
            part = file.path.with_name(f"{file.path.stem} {file_name(game)}.part")
            board = solve_board(start, limit_s, stop, part, keep_s, tell, file.add)
        elif certificates is None or board.value is Value.UNKNOWN or board.certificate == 0:
            continue
        elif board.certificate and os.path.exists(_certificate_in(certificates, start)):
            continue  # else it was written into another folder, or is gone
        if board is not None and certificates is not None and board.value is not Value.UNKNOWN:
            size = certify(start, certificates, limit_s, stop)
            # One that was written once exists, though this time did not suffice.
            board = msgspec.structs.replace(board, certificate=size or board.certificate or 0)
            if not stop.is_set():
                file.add(board)
        if board is None or stop.is_set():
            return
        yield board


@dataclass(frozen=True, slots=True)
class SolvedRow:
    """A board with what we found and what the literature says; ``board`` is None for the formula."""

    game: str
    board: SolvedBoard | None
    published: Published | None

    @property
    def value(self) -> str:
        """Ours in words, for the first side."""
        return FORMULA[1] if self.board is None else self.board.value.value

    @property
    def published_words(self) -> str:
        """Theirs in words, a dash if there is no source."""
        if self.board is None:
            return FORMULA[1]
        if self.published is None:
            return NONE
        return value_words(self.published.value, self.published.distance)

    @property
    def example(self) -> str:
        """A position of the game to look at."""
        return "nim:1,3,5,7" if self.board is None else self.game

    @property
    def agrees(self) -> bool | None:
        """Whether ours is what is published; None if one of them is unknown."""
        board, published = self.board, self.published
        if board is None or published is None or board.value is Value.UNKNOWN:
            return None
        told = board.plies is not None and published.distance is not None
        return board.value is published.value and (not told or board.plies == published.distance)


def solved_rows(file: SolvedFile) -> list[SolvedRow]:
    """A row for each board of the file, and one for Nim, whose values have a formula."""
    rows = []
    for board in file.boards:
        game = parse_position(board.game).game
        tell = kit_of(game).published
        rows.append(SolvedRow(board.game, board, None if tell is None else tell(game)))
    return [*rows, SolvedRow(FORMULA[0], None, None)]


def solved_words(rows: Sequence[SolvedRow]) -> str:
    """How many boards there are, and how ours compare with the published values, in a sentence."""
    boards = [row for row in rows if row.board is not None]
    unknown, compared = (sum(map(test, boards)) for test in (_unknown, _compared))
    differ = sum(row.agrees is False for row in boards)
    agree = "all of which agree with it" if not differ else f"of which {differ:,} differ from it"
    return f"{len(boards):,} boards, {unknown:,} of them unknown; {compared:,} have a published value, too, {agree}."


def _unknown(row: SolvedRow) -> bool:
    return row.value == Value.UNKNOWN.value


def _compared(row: SolvedRow) -> bool:
    return row.agrees is not None


def source_words(row: SolvedRow) -> str:
    """How a value was proven, and where it is published, in a sentence or two."""
    if row.board is None:
        return f"Nim: {row.value}. {FORMULA[2]}."
    published = "No published value is known."
    if row.published is not None:
        published = f"Published: {row.published_words} ({row.published.source})."
    return f"{row.game}: {shown(row.board.how)} {published}"


SOLVED_HEADERS = ("Board", "Value", "Moves", "Value after", "All after", "Nodes", "Published", "Certificate", "How")
SOLVED_TIPS = (
    "The game, from its start",
    "What it is worth for the first side if both play perfectly; unknown is what was not proven within the limit",
    "After how many moves the game then ends: the winner hurries, the loser resists, a draw is played out",
    "Seconds until the value was proven",
    "Seconds until it was known how soon the game ends, too; or the limit",
    "How many positions the proof visited",
    "What the literature says, with the last move where a source tells it",
    "The size of the certificate, for “nimdesk verify”, where one was written; small ones come with nimdesk",
    "How it was proven",
)


def solved_cells(row: SolvedRow) -> tuple[str, ...]:
    """A row as a person reads it, below ``SOLVED_HEADERS``."""
    board = row.board
    if board is None:
        return row.game, row.value, "", "", "", "0", row.published_words, "", FORMULA[2]
    differs = " – differs" if row.agrees is False else ""
    return (
        board.game,
        board.value.value,
        "" if board.plies is None else str(board.plies),
        "" if board.value_s is None else f"{board.value_s:,.2f} s",
        f"{board.time_s:,.2f} s",
        f"{board.nodes:,}",
        row.published_words + differs,
        f"{board.certificate:,} bytes" if board.certificate else "",
        shown(board.how),
    )


def solved_csv(rows: Sequence[SolvedRow]) -> str:
    """All rows as CSV, with the sources; an empty cell is what is unknown or was not asked."""
    header = (
        "game", "value", "plies", "value_s", "time_s", "limit_s", "nodes", "certificate_bytes", "how",
        "published", "published_plies", "source", "agrees",
    )  # fmt: skip
    return csv_text(header, map(_csv_cells, rows))


def _csv_cells(row: SolvedRow) -> tuple[object, ...]:
    board, told = row.board, row.published
    theirs = ("", None, "") if told is None else (told.value.value, told.distance, told.source)
    if board is None:
        return row.game, row.value, None, None, None, None, 0, None, "formula", row.value, None, FORMULA[2], None
    agrees = {True: "yes", False: "no", None: ""}[row.agrees]
    ours = (board.game, board.value.value, board.plies, board.value_s, board.time_s, board.limit_s, board.nodes)
    return *ours, board.certificate or None, board.how, *theirs, agrees


def usual_boards() -> list[str]:
    """All m,n,k boards of up to 7 by 7, some of the next larger ones, and Connect Four of up to 12 columns and rows."""
    small = [(m, n, k) for m in range(1, 8) for n in range(1, m + 1) for k in range(1, m + 1)]
    larger = [*((m, 4, 4) for m in range(8, 13)), (8, 6, 5), (8, 7, 5), (8, 8, 6), (8, 8, 7), (9, 6, 6), (8, 8, 5)]
    dropping = [(m, n, 4) for total in range(8, 13) for m in range(4, total - 3) for n in [total - m]]
    return [f"mnk:{m},{n},{k}" for m, n, k in small + larger] + [f"mnk:{m},{n},{k}:gravity" for m, n, k in dropping]
