"""The key of a position by itself, for whoever wants to know which positions are essentially the same."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nimdesk.kernels import identity, rules
from nimdesk.kernels.jit import int64, kernel


@kernel
def key_after(r: Any, g: Any, line: NDArray[np.int16]) -> np.uint64:
    """The key of the position after these moves from the root, which all positions that are the same share.

    Rules and identity are held (``memory.held``); no move before the last may end the game.
    """
    rules.reset(r)
    identity.begin(g)
    found = identity.key(g)
    for move in line:
        identity.moved(g, int64(move))
        rules.play(r, int64(move))
        found = identity.key(g)
    return found
