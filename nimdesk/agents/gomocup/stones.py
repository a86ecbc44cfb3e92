"""What the lines of the protocol name: boards, rules and stones, as games and positions of nimdesk."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from nimdesk.errors import NimdeskError, quoted
from nimdesk.games import AnyPosition, Move
from nimdesk.games.kit import parse_game
from nimdesk.games.mnk.rules import MnkGame, MnkMove

FREE_STYLE, EXACTLY_FIVE = 0, 1
"""What "INFO rule" says: five or more win, or exactly five."""
OWN, OTHER = 1, 2
"""Whose a stone is in the lines of BOARD: the program's that is addressed, or its opponent's."""
_CELL = re.compile(r"\s*(-?\d{1,4})\s*,\s*(-?\d{1,4})\s*")
_RULES = {2: "continuous games", 4: "renju", 8: "caro"}


class CommandError(NimdeskError):
    """A command that cannot be obeyed, in the sentence that follows ERROR."""


class Stone(NamedTuple):
    """A stone on the board, and whether it is ``OWN``."""

    move: MnkMove
    whose: int


def game_of(width: int, height: int, rule: int) -> MnkGame:
    """Five in a row on this board; ``CommandError`` where nimdesk does not play that."""
    if unknown := [words for bit, words in _RULES.items() if rule & bit] or ["this rule"] * (rule not in (0, 1)):
        raise CommandError(f"unsupported rule {rule}: nimdesk does not play {unknown[0]}, only rules 0 and 1")
    text = f"mnk:{width},{height},5"
    try:
        game = parse_game(text)
    except NimdeskError as error:
        raise CommandError(f"unsupported board {width},{height}: {error}") from None
    if rule == EXACTLY_FIVE:
        try:
            game = parse_game(f"{text}:exact")
        except NimdeskError:
            raise CommandError("unsupported rule 1: nimdesk does not play exactly five on this board") from None
    assert isinstance(game, MnkGame)
    return game


def rule_of(game: MnkGame) -> int:
    """The rule under which programs play this game."""
    return EXACTLY_FIVE if game.text.endswith(":exact") else FREE_STYLE


def cell_of(text: str, game: MnkGame) -> MnkMove:
    """The cell that "x,y" names; ``CommandError`` for what is no cell of the board."""
    found = _CELL.fullmatch(text)
    if found is None:
        raise CommandError(f"{quoted(text)} is no cell; write x,y such as 7,7")
    column, y = int(found[1]), int(found[2])
    if not (0 <= column < game.m and 0 <= y < game.n):
        raise CommandError(f"{quoted(text)} is not on the board of {game.m} by {game.n}")
    return MnkMove(column, game.n - 1 - y)


def cell_text(move: Move, game: MnkGame) -> str:
    """The cell as the protocol writes it."""
    assert isinstance(move, MnkMove)
    return f"{move.column},{game.n - 1 - move.row}"


def position_of(stones: Iterable[Stone], game: MnkGame) -> AnyPosition:
    """The position with these stones and the owner of ``OWN`` to move, whatever order they are told in.

    ``CommandError`` if no game leads there, or nothing is left to choose.
    """
    told = list(stones)
    own: list[MnkMove] = [stone.move for stone in told if stone.whose == OWN]
    other: list[MnkMove] = [stone.move for stone in told if stone.whose != OWN]
    if not 0 <= len(other) - len(own) <= 1:
        raise CommandError(f"{len(own)} of my stones and {len(other)} of the opponent's cannot be where it is my turn")
    first, second = (own, other) if len(own) == len(other) else (other, own)
    position: AnyPosition = game.start()
    for number in range(len(first) + len(second)):
        if position.outcome is not None:
            break
        position = position.play((second if number % 2 else first)[number // 2])
    if position.outcome is not None:
        raise CommandError(f"the game is over: {position.outcome.reason}")
    return position
