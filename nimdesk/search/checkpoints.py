"""When a trace takes its rows: every iteration at first, then at evenly spaced logarithms."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

# Each checkpoint is at most this much later than the one before: 59 rows for every tenfold of iterations.
RATIO = 1.04


@cache
def checkpoints(last: int) -> NDArray[np.int64]:
    """Strictly increasing iterations from 1 to at least ``last``, then one that is never reached; read-only."""
    steps: list[int] = []
    at = 1
    while at <= last:
        steps.append(at)
        at = max(at + 1, int(at * RATIO))
    steps += [at, np.iinfo(np.int64).max]
    made = np.array(steps, np.int64)
    made.flags.writeable = False
    return made
