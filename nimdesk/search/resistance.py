"""How long a proven position lasts, as far as a search has proven it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

NodeT = TypeVar("NodeT", bound=Hashable)
# A proof of this many positions takes hardly noticeable time in Python.
_MOST = 50_000


def plies_left(starts: Sequence[NodeT], look: Callable[[NodeT], tuple[bool, list[NodeT]] | int]) -> list[int] | None:
    """The plies from each of these proven positions to the end: the winner hurries, the loser holds out.

    ``look`` says whether the side to move wins a proven position, and which positions matter: those it can win by, or
    all it can lose by. It may answer with a number of plies instead. The game may end sooner if the search did not look
    for a quicker win. None if the proof is too large to be gone through.
    """
    known: dict[NodeT, int] = {}
    stack = list(starts)
    while stack:
        node = stack[-1]
        if node in known:
            stack.pop()
            continue
        seen = look(node)
        if isinstance(seen, int):
            known[node] = seen
        elif waiting := [each for each in seen[1] if each not in known]:
            stack += waiting
        else:
            wins, below = seen
            known[node] = 1 + (min if wins else max)(known[each] for each in below)
        if len(known) > _MOST:
            return None
    return [known[start] for start in starts]
