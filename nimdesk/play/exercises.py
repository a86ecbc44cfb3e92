"""Positions in which a move was missed, asked again later, turned or mirrored, at growing intervals.

A document is ``{"format": "nimdesk-exercises", "version": 1, "program", "exercises": [...]}``; moves and positions are
in notation. The box of a person and a file that was shared are the same kind of document. Version 2 has ``made`` as
well, what made the exercises (``nimdesk.disk.provenance``), and is written only for a file that is shared. Version 3
may have ``find`` in an exercise, and version 4 may have "parry" there; each is written only where one has.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from nimdesk.disk.documents import MAX_BYTES, DocumentFaultError, check_header, check_size, clause, parsed
from nimdesk.disk.paths import make_private
from nimdesk.disk.provenance import Provenance
from nimdesk.errors import NimdeskError, RecordError
from nimdesk.games import AnyPosition, Move, kit_of, parse_position
from nimdesk.play.move_review import Mark, MoveReview
from nimdesk.play.record import or_set_aside, read_document, write_document
from nimdesk.version import __version__

FORMAT: Literal["nimdesk-exercises"] = "nimdesk-exercises"
VERSION: Literal[4] = 4
VERSION_WITHOUT_PARRIES: Literal[3] = 3
VERSION_WITHOUT_WINS: Literal[2] = 2
VERSION_WITHOUT_PROVENANCE: Literal[1] = 1
SUFFIX = ".nimexercises.json"
_WHAT = "file of exercises"
MAX_EXERCISES = 10_000
DAY_S = 86_400
SPACING_S = (600, DAY_S, 3 * DAY_S, 7 * DAY_S, 16 * DAY_S, 35 * DAY_S, 90 * DAY_S)
"""How long until an exercise is asked again, by how often it was solved in a row."""

_Found = Literal["", "fours", "fours and threes", "parry"]
_FOUND_BY: dict[bool, _Found] = {True: "fours", False: "fours and threes"}
_Text = Annotated[str, Meta(max_length=4000)]
_MoveTexts = Annotated[list[Annotated[str, Meta(min_length=1, max_length=16)]], Meta(max_length=1000)]
_Seconds = Annotated[int, Meta(ge=0, le=2**53)]
_Count = Annotated[int, Meta(ge=0, le=1_000_000)]


class Exercise(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A position whose best move was missed once.

    ``best`` are the moves that count as right: where ``exact``, every move that keeps the value, else those that are
    proven to, and those that a search estimates at no more than ``review.MARGIN`` less than its choice. ``line`` goes
    on with the first of them. ``played`` is the move that was made, ``sentence`` what it cost. ``asked`` counts the
    answers so far, ``in_a_row`` the right ones since the last wrong one; ``due_s`` is when to ask again, in seconds
    since 1970. ``find`` is what is to be found where it was a win by threats, "fours" or "fours and threes"; then
    ``best`` are the moves after which the win stays proven. It is "parry" where the other side's threats were to be
    parried; then ``best`` are all moves that do.
    """

    position: _Text
    best: Annotated[_MoveTexts, Meta(min_length=1)]
    line: _MoveTexts = []
    played: Annotated[str, Meta(max_length=16)] = ""
    sentence: _Text = ""
    exact: bool = False
    find: _Found = ""
    asked: _Count = 0
    in_a_row: _Count = 0
    due_s: _Seconds = 0

    @property
    def asks_for_win(self) -> bool:
        """Whether a win by threats is to be found: a move that is not listed may keep it as well."""
        return self.find in _FOUND_BY.values()


class Question(NamedTuple):
    """An exercise as it is asked this time: turned or mirrored, with the moves turned alike."""

    position: AnyPosition
    best: tuple[Move, ...]
    line: tuple[Move, ...]


class BoxPart(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """The whole document."""

    format: Literal["nimdesk-exercises"]
    version: Literal[1, 2, 3, 4]
    program: Annotated[str, Meta(max_length=200)]
    exercises: Annotated[list[Exercise], Meta(max_length=MAX_EXERCISES)]
    made: Provenance | None = None


def exercises_of(positions: Sequence[AnyPosition], moves: Iterable[MoveReview], now_s: float) -> tuple[Exercise, ...]:
    """What can be learned from a game that was gone through; ``positions`` are those before each of its moves.

    In the order in which they came up, and due at once.
    """
    missed = sorted((each for each in moves if each.mark is not Mark.NONE and each.best), key=lambda each: each.ply)
    return tuple(
        Exercise(
            position=positions[each.ply - 1].text,
            best=[move.text for move in each.best],
            line=[move.text for move in each.line],
            played=each.move.text,
            sentence=each.sentence,
            exact=each.complete,
            find=_to_find(each),
            due_s=int(now_s),
        )
        for each in missed
    )


def _to_find(move: MoveReview) -> _Found:
    if move.missed is not None:
        return _FOUND_BY[move.missed.by_fours]
    return "" if move.unparried is None else "parry"


def merged(box: Sequence[Exercise], more: Iterable[Exercise]) -> tuple[Exercise, ...]:
    """The box with those positions added that it does not hold; what is in it keeps its times.

    It may have become more than ``MAX_EXERCISES``.
    """
    known = {each.position: each for each in more}
    known |= {each.position: each for each in box}
    order = dict.fromkeys([each.position for each in box] + list(known))
    return tuple(known[position] for position in order)


def askable(box: Sequence[Exercise]) -> tuple[Exercise, ...]:
    """Those that can be asked now: their games are installed and loaded, and their moves are of the rules."""
    found = []
    for each in box:
        with suppress(NimdeskError):
            question(each)
            found.append(each)
    return tuple(found)


def due(box: Sequence[Exercise], now_s: float) -> tuple[Exercise, ...]:
    """Those that are to be asked by now, the longest overdue first."""
    return tuple(sorted((each for each in box if each.due_s <= now_s), key=lambda each: each.due_s))


def answered(exercise: Exercise, right: bool, now_s: float) -> Exercise:
    """The exercise after an answer: one step further apart when right, from the start again when wrong."""
    in_a_row = exercise.in_a_row + 1 if right else 0
    wait_s = SPACING_S[min(in_a_row, len(SPACING_S) - 1)]
    return replace(exercise, asked=exercise.asked + 1, in_a_row=in_a_row, due_s=int(now_s) + wait_s)


def fresh(exercise: Exercise) -> Exercise:
    """The exercise as somebody else gets it: never asked, due at once."""
    return replace(exercise, asked=0, in_a_row=0, due_s=0)


def question(exercise: Exercise) -> Question:
    """How to ask it this time: as it was at first, then in another view of the board each time.

    ``NimdeskError`` for a position or a move that the rules do not know.
    """
    position = parse_position(exercise.position)
    best = tuple(position.parse_move(text) for text in exercise.best)
    line, there = [], position
    for text in exercise.line:
        line.append(there.parse_move(text))
        there = there.play(line[-1])
    return _in_view(Question(position, best, tuple(line)), exercise.asked)


def _in_view(asked: Question, number: int) -> Question:
    position = asked.position
    views = kit_of(position).views
    if views is None:
        return asked
    game, turned = (all_views := views(position.game))[number % len(all_views)]
    start = game.start()
    for move in position.moves:
        start = start.play(turned(move))
    return Question(start, tuple(turned(move) for move in asked.best), tuple(turned(move) for move in asked.line))


def save_exercises(
    exercises: Sequence[Exercise], path: Path, *, made: Provenance | None = None, follow: bool = True
) -> None:
    """Write them, whole or not at all; ``RecordError`` where that cannot be done, and an old file is as it was.

    ``made`` is for a file that is shared; ``follow`` as in ``write_atomically``.
    """
    version: Literal[1, 2, 3, 4] = VERSION_WITHOUT_PROVENANCE if made is None else VERSION_WITHOUT_WINS
    if any(each.find for each in exercises):
        version = VERSION if any(each.find == "parry" for each in exercises) else VERSION_WITHOUT_PARRIES
    box = BoxPart(format=FORMAT, version=version, program=__version__[:200], exercises=list(exercises), made=made)
    data = msgspec.json.encode(box)
    for_people = msgspec.json.format(data)
    if len(for_people) <= MAX_BYTES[FORMAT]:
        data = for_people
    try:
        check_size(data, FORMAT, _WHAT)  # else it could not be read again
    except DocumentFaultError as fault:
        raise RecordError(f"The exercises cannot be saved to “{path}”: {fault}.") from None
    write_document(path, data, "exercises", RecordError, follow=follow)


def load_exercises(path: Path) -> tuple[Exercise, ...]:
    """The exercises that ``save_exercises`` wrote; ``RecordError`` with one sentence for any other file."""
    return read_document(path, _decoded, FORMAT, _WHAT, RecordError)


def change_box(path: Path, change: Callable[[tuple[Exercise, ...]], Sequence[Exercise]]) -> tuple[Exercise, ...]:
    """Read a person's box, change it, write it back, and return it; a file that is not there is an empty box.

    Reading it anew each time keeps what another window has added. A broken file is set aside under a new name, and
    the ``RecordError`` says which; the next change begins an empty box. One that cannot be read now, or is of a newer
    version, stays where it is. Exercises that are not ``askable`` now stay in the box. Reads and writes a file: not on
    the UI thread.
    """

    decode = or_set_aside(path, _exercises_in)
    box = read_document(path, decode, FORMAT, _WHAT, RecordError) if os.path.exists(path) else ()
    changed = tuple(change(box))
    if changed != box:
        with suppress(OSError):  # else the writing says what is wrong
            make_private(path.parent)
        save_exercises(changed, path, follow=False)
    return changed


def _exercises_in(data: bytes) -> tuple[Exercise, ...]:
    check_header(data, FORMAT, VERSION, _WHAT)
    return tuple(parsed(data, BoxPart).exercises)


def _decoded(data: bytes) -> tuple[Exercise, ...]:
    exercises = _exercises_in(data)
    for number, exercise in enumerate(exercises, 1):
        try:
            question(exercise)
        except NimdeskError as error:
            raise DocumentFaultError(f"in exercise {number}: {clause(error)}") from None
    return exercises
