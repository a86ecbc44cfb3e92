"""Positions set up by hand: from marks on a board or sizes of piles to a position that a game can reach."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from nimdesk.errors import GameParameterError
from nimdesk.games import MnkGame, MnkMove, MnkPosition, NimGame, NimPosition, Side

Marks = Mapping[MnkMove, Side]
_MOST_TRIED = 200_000
"""How many orders of dropping marks are looked at before giving up."""


def marks_of(position: MnkPosition) -> dict[MnkMove, Side]:
    """The marks on the board."""
    game = position.game
    cells = [MnkMove(column, row) for row in range(game.n) for column in range(game.m)]
    found = {cell: position.mark(cell.column, cell.row) for cell in cells}
    return {cell: side for cell, side in found.items() if side is not None}


def nim_position(sizes: Iterable[int], max_take: int | None, misere: bool) -> NimPosition:
    """A start with these piles; empty ones do not count. ``GameParameterError`` says what is allowed."""
    piles = tuple(size for size in sizes if size)
    if not piles:
        raise GameParameterError("There is no stick on the board; give at least one pile.")
    return NimGame(piles, max_take, misere).start()


def mnk_position(game: MnkGame, marks: Marks) -> MnkPosition:
    """A position with exactly these marks, by some order of moves; ``GameParameterError`` where there is none."""
    x, o = (sum(side == mark for mark in marks.values()) for side in Side)
    if x not in (o, o + 1):
        raise GameParameterError(
            f"There are {x} X and {o} O; X begins and the sides take turns, so X has as many marks as O or one more."
        )
    last = Side.FIRST if x > o else Side.SECOND
    if game.gravity:
        _check_gravity(marks)
    lines = {side: _has_line(game, marks, side) for side in Side}
    if lines[last.other]:
        name = game.side_name(last.other)
        raise GameParameterError(
            f"{name} has {game.k} in a row already, so {game.side_name(last)} could not have moved."
        )
    if not lines[last]:
        return _played(game, marks)
    problem = f"{game.side_name(last)} has more lines than one move can complete; the game would have ended before."
    for final in [cell for cell, side in marks.items() if side == last]:
        before = {cell: side for cell, side in marks.items() if cell != final}
        above = MnkMove(final.column, final.row + 1)
        if _has_line(game, before, last) or (game.gravity and above in marks):
            continue
        try:
            return _played(game, before).play(final)
        except GameParameterError as error:
            problem = str(error)
    raise GameParameterError(problem)


def _check_gravity(marks: Marks) -> None:
    for cell in sorted(marks, key=lambda cell: (cell.column, cell.row)):
        if cell.row and MnkMove(cell.column, cell.row - 1) not in marks:
            raise GameParameterError(f"The mark on {cell.text} hangs in the air; with gravity marks lie on others.")


def _has_line(game: MnkGame, marks: Marks, side: Side) -> bool:
    own = {(cell.column, cell.row) for cell, mark in marks.items() if mark == side}
    steps = ((1, 0), (0, 1), (1, 1), (1, -1))
    return any(
        all((column + i * right, row + i * up) in own for i in range(game.k))
        for column, row in own
        for right, up in steps
    )


def _played(game: MnkGame, marks: Marks) -> MnkPosition:
    """Some order of moves to marks without a line."""
    order = _dropped(game, marks) if game.gravity else _in_turns(marks)
    position = game.start()
    for cell in order:
        position = position.play(cell)
    return position


def _in_turns(marks: Marks) -> list[MnkMove]:
    sides = [sorted(cell for cell, mark in marks.items() if mark == side) for side in Side]
    return [sides[ply % 2][ply // 2] for ply in range(len(marks))]


def _dropped(game: MnkGame, marks: Marks) -> list[MnkMove]:
    """An order in which each mark falls on those below it, found by depth-first search over the columns' heights."""
    columns = [[marks.get(MnkMove(column, row)) for row in range(game.n)] for column in range(game.m)]
    heights = [0] * game.m
    order: list[MnkMove] = []
    failed: set[tuple[int, ...]] = set()
    choices = [0]
    while len(order) < len(marks):
        turn, column = Side(len(order) % 2), choices[-1]
        while column < game.m and (heights[column] >= game.n or columns[column][heights[column]] != turn):
            column += 1
        if column < game.m:
            heights[column] += 1
            order.append(MnkMove(column, heights[column] - 1))
            choices[-1] = column + 1
            # A dead end that is known is left at once.
            choices.append(game.m if tuple(heights) in failed else 0)
            continue
        failed.add(tuple(heights))
        choices.pop()
        if not order or len(failed) > _MOST_TRIED:
            raise GameParameterError("No order of moves leads to these marks when the sides take turns.")
        heights[order.pop().column] -= 1
    return order
