"""The lines of a board and the ways to turn it; a cell is the number ``row * m + column``."""

from functools import lru_cache


def line_steps(k: int) -> list[int]:
    """Shifts that double the run length known so far, and a last one that makes it k exactly.

    ``word & word >> step``, repeated, leaves a bit only where k bits stood in a row.
    """
    steps, length = [], 1
    while length < k:
        steps.append(min(length, k - length))
        length += steps[-1]
    return steps


def fits_one_word(m: int, n: int, k: int, exact: bool = False) -> bool:
    """Whether all that a side has is one word of 64 bits: the game then has the small kernel.

    Where a line longer than k does not win, the kernel of large boards serves all.
    """
    if exact:
        return False
    # No shift by a word or more, which is nothing that all processors agree on: so far the farthest mark of a line is.
    return (m + 1) * n - 1 <= 64 and k <= 8 and (m + 2) * max(line_steps(k), default=0) < 64


@lru_cache(maxsize=16)
def all_windows(m: int, n: int, k: int) -> tuple[tuple[int, ...], ...]:
    """The cells of every window, which is k neighbouring cells in a line; each window once."""
    return tuple(
        tuple((row + i * up) * m + column + i * right for i in range(k))
        for right, up in ((1, 0), (0, 1), (1, 1), (-1, 1))
        if k > 1 or (right, up) == (1, 0)
        for row in range(n)
        for column in range(m)
        if 0 <= column + (k - 1) * right < m and row + (k - 1) * up < n
    )


@lru_cache(maxsize=16)
def all_besides(m: int, n: int, k: int, exact: bool) -> tuple[tuple[int, ...], ...]:
    """For each window the up to two cells that continue it: who has one of them cannot win with it.

    None where a longer line wins as well.
    """
    if not exact or k == 1:  # with k = 1 the first move wins
        return ((),) * len(all_windows(m, n, k))
    found = []
    for cells in all_windows(m, n, k):
        (row, column), (up, right) = divmod(cells[0], m), (cells[1] // m - cells[0] // m, cells[1] % m - cells[0] % m)
        ends = ((row - up, column - right), (row + k * up, column + k * right))
        found.append(tuple(y * m + x for y, x in ends if 0 <= x < m and 0 <= y < n))
    return tuple(found)


@lru_cache(maxsize=16)
def line_words(m: int, n: int, k: int, exact: bool) -> tuple[tuple[int, int], ...]:
    """Every window as a word with a bit for each cell, and the same with the cells beside it.

    Marks complete a line if ``marks & around == window``.
    """
    both = zip(all_windows(m, n, k), all_besides(m, n, k, exact), strict=True)
    return tuple((_word(cells), _word(cells + beside)) for cells, beside in both)


def _word(cells: tuple[int, ...]) -> int:
    return sum(1 << cell for cell in cells)


@lru_cache(maxsize=16)
def lines_through(m: int, n: int, k: int, exact: bool) -> tuple[tuple[tuple[int, int], ...], ...]:
    """For each cell the windows through it, as in ``line_words``."""
    lines = line_words(m, n, k, exact)
    return tuple(tuple(line for line in lines if line[0] >> cell & 1) for cell in range(m * n))


def views(m: int, n: int, gravity: bool) -> tuple[tuple[int, ...], ...]:
    """``views[v][cell]``: where the cell goes when the board is turned or mirrored; as it is first."""
    cells = [(row, column) for row in range(n) for column in range(m)]
    mirrored = tuple(row * m + m - 1 - column for row, column in cells)
    turned = [tuple(range(m * n)), mirrored]
    if not gravity:
        upside_down = tuple((n - 1 - row) * m + column for row, column in cells)
        turned = [turned[0], upside_down, mirrored, tuple(reversed(turned[0]))]
        if m == n:
            turned += [tuple(view[column * m + row] for row, column in cells) for view in turned]
    return tuple(turned)
