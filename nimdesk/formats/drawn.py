"""A board as text, for a message or a remark in a program."""

from __future__ import annotations

from nimdesk.games import AnyPosition, MnkGame, MnkMove, Side
from nimdesk.games.base import describe_turn
from nimdesk.games.mnk.rules import MnkPosition

_MARKS = {Side.FIRST: "X", Side.SECOND: "O", None: "."}


def board_text(position: AnyPosition) -> str:
    """The board line by line, whose turn it is, and the position in notation."""
    rows = _grid(position) if isinstance(position, MnkPosition) else list(position.rows)
    return "\n".join([*rows, describe_turn(position), position.text, ""])


def _grid(position: MnkPosition) -> list[str]:
    game: MnkGame = position.game
    width = len(str(game.n))
    rows = [
        f"{row + 1:>{width}} " + " ".join(_MARKS[position.mark(column, row)] for column in range(game.m))
        for row in reversed(range(game.n))
    ]
    letters = " ".join(MnkMove(column, 0).text[0] for column in range(game.m))
    return [*rows, f"{' ' * width} {letters}"]
