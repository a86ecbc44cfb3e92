"""Two kernels that are compiled in a moment, called as a search calls its own: for tests of what is compiled when."""

from typing import Any

import numpy as np

from nimdesk.kernels import CACHE
from nimdesk.kernels.jit import first_use, kernel


@kernel
def count(numbers: Any) -> int:
    return numbers.size  # type: ignore[no-any-return]


@kernel
def first(numbers: Any) -> int:
    return numbers[0]  # type: ignore[no-any-return]


def load() -> None:
    """Call both."""
    numbers = np.zeros(3, np.int64)
    assert (count(numbers), first(numbers)) == (3, 0)


def use() -> None:
    """Have both on disk, compiled in another process where there is one for it, and call them."""
    first_use("probe", (), load, use)


def tell() -> None:
    """Print the cache's folder, and how many of the two were loaded from it after ``use``."""
    use()
    print(CACHE.folder, *(sum(each.stats.cache_hits.values()) for each in (count, first)))  # type: ignore[attr-defined]
