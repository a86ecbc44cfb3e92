"""Certificates of m,n,k games to play against and to browse: read, checked, and asked at any position."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from threading import Event
from typing import Any

from nimdesk.disk.atomic import read_bounded, write_atomically
from nimdesk.disk.paths import data_dir, make_private
from nimdesk.errors import GameParameterError, NimdeskError, NotationError
from nimdesk.games.kit import parse_position
from nimdesk.games.mnk import verify
from nimdesk.games.mnk.rules import MnkMove, MnkPosition
from nimdesk.games.mnk.verify import Checker, WrongError, check, position_of, read, sides_to_prove, word, worth
from nimdesk.games.mnk.walk import BlockingWalk, Reply, StrategyWalk, Walk
from nimdesk.games.truth import Advice, Answer, Heard, Value

_CHECKER = Path(verify.__file__).read_bytes()
_REMEMBERED_S = 3.0
"""A check that took longer is remembered."""
_LONGEST_CLAIM = 10_000


class MnkCertificate:
    """A ``Certificate`` of a position of an m,n,k game."""

    def __init__(self, data: bytes, stop: Event, heard: Heard = bool) -> None:
        """Read and check it, which takes minutes for a large one; ``NotationError`` says what is wrong.

        Once that was proven, it is not checked again on this machine, unless the checker has changed. ``heard`` gets
        the part of its positions that was looked at, in [0, 1]. ``KeyboardInterrupt`` once ``stop`` is set.
        """
        try:
            content: Any = read(data)
            self.claim = _claim(data, content, stop, heard)
        except WrongError as problem:
            raise NotationError(f"This certificate is not valid: {problem}.") from None
        self.start = _start(content)
        game = self.start.game
        checker = Checker(game.m, game.n, game.k, game.gravity, content["positions"], exact=game.exact)
        marks, turn = [word(side) for side in content["marks"]], content["turn"]
        sides = sides_to_prove(content["winner"], marks, game.may_hurt)
        self._wins = content["winner"] is not None
        self._walks: list[Walk] = []
        for side, (kind, *given) in zip(sides, content["proofs"], strict=True):
            own, other, moves = marks[side], marks[1 - side], side == turn
            if kind == "blocking":
                self._walks.append(BlockingWalk(checker, side, own, other, given))
            else:
                walk = StrategyWalk(checker, side, own, other, given, wins=self._wins)
                self._walks.append(walk.begun() if moves else walk)

    def advise(self, position: MnkPosition) -> Advice:
        """See ``Certificate``."""
        game, count = position.game, len(self.start.moves)
        if game != self.start.game or position.moves[:count] != self.start.moves or position.outcome is not None:
            raise GameParameterError(f"The certificate of {self.start.text} says nothing of {position.text}.")
        own, other = None, None
        for walk in self._walks:
            if (met := self._met(walk, position)) is not None and met.side == position.turn:
                own = met
            else:
                other = met or other
        if own is None and other is None:
            raise GameParameterError(
                f"The moves since {self.start.text} are not those of its certificate, so it has no answer here; take "
                "moves back to where it was followed."
            )
        answer = None if own is None else self._answer(own, position)
        answers = () if other is None else tuple(self._reply(other, position, move) for move in position.legal_moves)
        pairs = (other or own or self._walks[0]).pairs()
        return Advice(
            answer=answer,
            answers=answers,
            pairs=tuple((_move(game.m, a), _move(game.m, b)) for a, b in pairs),
            value=self._value(own, other, at_start=len(position.moves) == count),
        )

    def _value(self, own: Walk | None, other: Walk | None, *, at_start: bool) -> Value:
        """What is proven for the side to move, whose proof is ``own``: of a draw, after moves, only both can tell."""
        if self._wins:
            return Value.WIN if own is not None else Value.LOSS
        return Value.DRAW if at_start or (own is not None and other is not None) else Value.UNKNOWN

    def _met(self, walk: Walk, position: MnkPosition) -> Walk | None:
        """The proof after the moves that were played; None if its side has played other moves than the proof's."""
        met: Walk | None = walk
        for ply, move in enumerate(position.moves[len(self.start.moves) :], len(self.start.moves)):
            if met is not None:
                cell = move.row * position.game.m + move.column
                met = met.played(cell) if ply % 2 == met.side else met.heard(cell)
        return met

    def _reply(self, walk: Walk, position: MnkPosition, move: MnkMove) -> Answer | None:
        after = position.play(move)
        if after.outcome is not None:
            return None
        return self._answer(walk.heard(move.row * position.game.m + move.column), after)

    def _answer(self, walk: Walk, position: MnkPosition) -> Answer:
        """What the side to move plays, and why."""
        m, best = position.game.m, walk.best()
        assert best.cell is not None
        move = _move(m, best.cell)
        return Answer(move, _why(best, position))


class _Watched(Sequence[Any]):
    """The positions of a certificate, which tell how many of them were looked at."""

    def __init__(self, positions: Sequence[Any], heard: Heard) -> None:
        self._positions, self._heard = positions, heard
        self._seen, self._count = bytearray(len(positions)), 0

    def __len__(self) -> int:
        return len(self._positions)

    def __getitem__(self, number: Any) -> Any:
        if not self._seen[number]:
            self._seen[number] = 1
            self._count += 1
            self._heard(self._count / len(self._seen))
        return self._positions[number]


def _claim(data: bytes, content: dict[str, Any], stop: Event, heard: Heard) -> str:
    """What is proven, in one sentence; ``WrongError`` if it is not.

    The proof of gomoku takes minutes, and agents ask for it in each session: what was proven is noted.
    """
    note = data_dir() / "proven" / f"{hashlib.sha256(_CHECKER + data).hexdigest()}.txt"
    with suppress(OSError, ValueError, LookupError, TypeError):  # of a winner that is none, the check says so
        claims = f"{position_of(content)} is {worth(content['winner'])} ("
        if (noted := read_bounded(note, _LONGEST_CLAIM).decode()).startswith(claims):
            return noted
    begin = time.monotonic()
    claim = check({**content, "positions": _Watched(content["positions"], heard)}, stop.is_set)
    if time.monotonic() - begin > _REMEMBERED_S:
        with suppress(OSError, ValueError):  # then it is checked again
            make_private(note.parent)
            write_atomically(note, claim.encode(), follow=False)
    return claim


def _why(best: Reply, position: MnkPosition) -> str:
    """The reason of a reply as a sentence; the last move of the position is what it answers."""
    assert best.cell is not None
    game, side = position.game, position.turn
    clause = best.why.format(
        cell=_move(game.m, best.cell).text,
        move=position.moves[-1].text if position.moves else "",
        number=best.number,
        as_to="" if best.as_to is None else _move(game.m, best.as_to).text,
        us=game.side_name(side),
        them=game.side_name(side.other),
    )
    return f"{clause[0].upper()}{clause[1:]}."


def _move(m: int, cell: int) -> MnkMove:
    return MnkMove(cell % m, cell // m)


def _start(content: Any) -> MnkPosition:
    """The position that was proven, with its moves; marks alone do not tell their order."""
    text = position_of(content)
    if not text:
        raise NotationError("This certificate has marks, but names no position to play from.")
    try:
        position = parse_position(text)
    except NimdeskError as error:
        raise NotationError(f"This certificate is of a board that nimdesk does not play on. {error}") from None
    assert isinstance(position, MnkPosition)
    return position
