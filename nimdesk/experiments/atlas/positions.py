"""The essentially different positions of a game: turned and mirrored boards count once, as do orders of moves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

import numpy as np

from nimdesk.errors import PlanError
from nimdesk.experiments.atlas.work import AtlasSet
from nimdesk.experiments.parts import study_position
from nimdesk.games import AnyPosition, kit_of
from nimdesk.kernels import keys
from nimdesk.kernels.jit import first_use
from nimdesk.kernels.memory.held import hold

_NO_MOVES = np.zeros(0, np.int16)
MOST_POSITIONS = 50_000
"""To find them takes some seconds, and to search them all a day or more."""


def different_positions(sets: Iterable[AtlasSet]) -> tuple[AnyPosition, ...]:
    """The positions of all sets, each once; ply by ply from each start. Finished games are not among them.

    ``PlanError`` if they are more than ``MOST_POSITIONS``.
    """
    found: dict[str, AnyPosition] = {}
    for each in sets:
        for number, text in enumerate(each.starts, 1):
            for position in _after(study_position(text, number), each.plies):
                found[position.text] = position
                if len(found) > MOST_POSITIONS:
                    raise PlanError(
                        f"The atlas has more than {MOST_POSITIONS:,} positions, which is the most; let fewer moves "
                        f"follow {text}."
                    )
    return tuple(found.values())


def _after(start: AnyPosition, plies: int) -> Iterator[AnyPosition]:
    yield start
    if not plies:
        return
    kernel = kit_of(start).kernel
    if kernel is None:
        raise PlanError(
            f"There are no compiled rules for {start.game.text}, which tell what positions are the same; name each "
            "position as a start."
        )
    rules, identity = hold(kernel.encode_position(start)), hold(kernel.encode_identity(start))
    load = partial(keys.key_after, rules, identity, _NO_MOVES)
    first_use("keys", (rules, identity), load, partial(_load_keys, start))
    seen, level, ply = {int(keys.key_after(rules, identity, _NO_MOVES))}, [start], start.ply
    for _ in range(plies):
        following = []
        for after in (position.play(move) for position in level for move in position.legal_moves):
            if after.outcome is None:
                line = [kernel.encode_move(start.game, each) for each in after.moves[ply:]]
                key = int(keys.key_after(rules, identity, np.array(line, np.int16)))
                if key not in seen:
                    seen.add(key)
                    following.append(after)
                    yield after
        level = following


def _load_keys(start: AnyPosition) -> None:
    for _ in _after(start, 1):
        pass
