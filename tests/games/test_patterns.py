"""Classes of lines follow from their definition, and what is kept of a board is what one would count on it."""

from __future__ import annotations

import random
from functools import cache, reduce
from itertools import permutations, product

import numpy as np
import pytest

from nimdesk.games import MnkGame, MnkPosition, Side, parse_game
from nimdesk.games.mnk.lines import as_lists, lift, make_lines, put
from nimdesk.games.mnk.patterns import (
    CATEGORIES,
    CLASS_BITS,
    COMPLETES,
    FIVE,
    FOUR,
    FOUR_AND_PROMISE,
    FOUR_AND_THREE,
    MAKES_FOUR,
    NO_LINE,
    NONE,
    ONE,
    OPEN_FOUR,
    OPEN_THREE,
    OPEN_TWO,
    PROMISES,
    PROMISES_TWICE,
    SOMETHING,
    THREATENS,
    THREE,
    THREE_AND_PROMISE,
    TWO,
    TWO_THREES,
    WINS_SOON,
    patterns,
)

NEARER = {OPEN_FOUR: OPEN_THREE, FOUR: THREE, OPEN_THREE: OPEN_TWO, THREE: TWO}


@cache
def defined(line: str, k: int, exact: bool) -> int:
    """The class of a line with the side's mark in its middle: "x" is its own, "o" the opponent's or off the board."""
    middle = len(line) // 2
    rows = [(first, line[first : first + k]) for first in range(middle - k + 1, middle + 1)]
    if exact:
        rows = [(at, row) for at, row in rows if line[at - 1] != "x" and line[at + k] != "x"]
    if any(row == "x" * k for _, row in rows):
        return FIVE
    if not any("o" not in row for _, row in rows):
        return NONE
    after = [line[:at] + "x" + line[at + 1 :] for at, cell in enumerate(line) if cell == "."]
    classes = [defined(each, k, exact) for each in after]
    if FIVE in classes:
        return OPEN_FOUR if classes.count(FIVE) > 1 else FOUR
    return max((NEARER.get(each, ONE) for each in classes), default=ONE)


@pytest.mark.parametrize(("k", "exact"), [(4, False), (4, True), (5, False), (5, True), (6, False)])
def test_the_class_of_a_line_follows_from_its_definition(k: int, exact: bool) -> None:
    tables, chance = patterns(k, exact), random.Random(k)
    for _ in range(3_000):
        # Mostly free or one's own, or few lines would be open.
        cells = chance.choices((0, 1, 2), (5, 4, 1), k=2 * tables.span)
        text = "".join(".xo"[cell] for cell in cells)
        line = text[: tables.span] + "x" + text[tables.span :]
        assert tables.classes[sum(cell * 3**at for at, cell in enumerate(cells))] == defined(line, k, exact), line


def around(position: MnkPosition, column: int, row: int, step: tuple[int, int], side: Side) -> str:
    """What stands around a cell in one direction, as a side sees it, with its own mark in the middle."""
    game, text = position.game, ""
    span = game.k if game.exact else game.k - 1
    for i in range(-span, span + 1):
        x, y = column + i * step[0], row + i * step[1]
        mark = position.mark(x, y) if 0 <= x < game.m and 0 <= y < game.n else side.other
        text += "x" if not i or mark is side else "." if mark is None else "o"
    return text


@pytest.mark.parametrize("text", ["15,15,5", "5,5,4", "9,7,6", "6,4,4", "4,12,4", "8,8,4:exact", "11,11,5:exact"])
def test_the_patterns_of_a_board_are_those_of_its_lines_also_after_marks_were_taken_back(text: str) -> None:
    game = parse_game(f"mnk:{text}")
    assert isinstance(game, MnkGame)
    chance, steps = random.Random(game.n), ((1, 0), (0, 1), (1, 1), (-1, 1))
    for _ in range(3):
        position = game.start()
        board = as_lists(make_lines(position))
        for _ in range(chance.randrange(game.m * game.n // 2)):
            after = position.play(chance.choice(position.legal_moves))
            if after.outcome is not None:
                break
            put(board, position.turn, after.moves[-1].row * game.m + after.moves[-1].column)
            position = after
        for _ in range(min(3, position.ply)):
            *before, last = position.moves
            position = reduce(MnkPosition.play, before, position.game.start())
            lift(board, position.turn, last.row * game.m + last.column)
        root, seen = as_lists(make_lines(position)), [0] * (2 * CATEGORIES)
        for move, side in product(position.legal_moves, Side):
            at = 2 * (move.row * game.m + move.column) + side
            lines = [around(position, move.column, move.row, step, side) for step in steps]
            classes = [defined(line, game.k, game.exact) for line in lines]
            assert board.around[4 * at : 4 * at + 4] == root.around[4 * at : 4 * at + 4]
            assert [board.classes[line] for line in board.around[4 * at : 4 * at + 4]] == classes
            shape = sum(each << CLASS_BITS * i for i, each in enumerate(classes))
            assert board.found[at] == root.found[at] == board.categories[shape]
            seen[CATEGORIES * side + board.found[at]] += 1
        assert board.counts == root.counts == seen
        assert board.marks == root.marks


@pytest.mark.parametrize(
    ("category", "classes"),
    [
        (COMPLETES, (FIVE, OPEN_FOUR, FOUR, FOUR)),
        (WINS_SOON, (OPEN_FOUR, NONE, NONE, NONE)),
        (WINS_SOON, (FOUR, FOUR, TWO, NONE)),
        (FOUR_AND_THREE, (FOUR, OPEN_THREE, OPEN_THREE, THREE)),
        (FOUR_AND_PROMISE, (FOUR, OPEN_TWO, NONE, NONE)),
        (FOUR_AND_PROMISE, (FOUR, THREE, NONE, NONE)),
        (MAKES_FOUR, (FOUR, TWO, TWO, ONE)),
        (TWO_THREES, (OPEN_THREE, OPEN_THREE, THREE, NONE)),
        (THREE_AND_PROMISE, (OPEN_THREE, THREE, TWO, NONE)),
        (THREATENS, (OPEN_THREE, TWO, TWO, TWO)),
        (PROMISES_TWICE, (OPEN_TWO, THREE, NONE, NONE)),
        (PROMISES, (OPEN_TWO, TWO, TWO, TWO)),
        (SOMETHING, (TWO, ONE, NONE, NONE)),
        (NO_LINE, (NONE, NONE, NONE, NONE)),
    ],
)
def test_the_category_of_a_move_follows_from_its_four_lines_in_any_order(
    category: int, classes: tuple[int, ...]
) -> None:
    shapes = {sum(each << CLASS_BITS * i for i, each in enumerate(order)) for order in permutations(classes)}
    assert {int(patterns(5).categories[shape]) for shape in shapes} == {category}


def test_marks_near_each_other_are_worth_more_than_marks_with_a_gap() -> None:
    tables = patterns(5)

    def worth(line: str) -> int:
        return int(tables.worth[sum(".xo".index(cell) * 3**at for at, cell in enumerate(line.replace("*", "")))])

    assert worth("....*x...") > worth("....*.x..") > worth("....*..x.")
    assert np.all(np.diff([worth(f"....*{'x' * marks:.<4}") for marks in range(5)]) > 0)
