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


def fits_one_word(m: int, n: int, k: int) -> bool:
    """Whether all that a side has is one word of 64 bits: the game then has the small kernel."""
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
def window_words(m: int, n: int, k: int) -> tuple[int, ...]:
    """Every window of ``all_windows`` as a word with a bit for each cell."""
    return tuple(sum(1 << cell for cell in cells) for cells in all_windows(m, n, k))


@lru_cache(maxsize=16)
def windows_of(m: int, n: int, k: int) -> tuple[tuple[int, ...], ...]:
    """For each cell the windows through it, each as a word with a bit for each cell."""
    through: list[list[int]] = [[] for _ in range(m * n)]
    for cells, word in zip(all_windows(m, n, k), window_words(m, n, k), strict=True):
        for cell in cells:
            through[cell].append(word)
    return tuple(map(tuple, through))


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
