"""Certificates of m,n,k games to play against and to browse: read, checked, and asked at any position."""

from __future__ import annotations

from threading import Event
from typing import Any

from nimdesk.errors import GameParameterError, NimdeskError, NotationError
from nimdesk.games.kit import parse_position
from nimdesk.games.mnk.rules import MnkMove, MnkPosition
from nimdesk.games.mnk.verify import Checker, WrongError, check, position_of, read, sides_to_prove, word
from nimdesk.games.mnk.walk import BlockingWalk, Reply, StrategyWalk, Walk
from nimdesk.games.truth import Advice, Answer, Value


class MnkCertificate:
    """A ``Certificate`` of a position of an m,n,k game."""

    def __init__(self, data: bytes, stop: Event) -> None:
        """Read and check it, which takes seconds for a large one; ``NotationError`` says what is wrong.

        ``KeyboardInterrupt`` once ``stop`` is set.
        """
        try:
            content: Any = read(data)
            self.claim = check(content, stop.is_set)
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
