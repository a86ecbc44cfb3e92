"""What a position with lines is worth: the probability that the side to move wins, fitted to games of self-play.

A logistic regression on how many free cells of each category (``patterns``) each side has. Its weights stand in
``resources/evaluation.json``, and ``tests/benchmarks/bench_evaluation.py`` fits them.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import msgspec

from nimdesk.disk.paths import resources_dir
from nimdesk.games.mnk.rules import MnkGame


class Fitted(msgspec.Struct, frozen=True, kw_only=True):
    """The weights for k in a row on boards of at least so many cells, and where they come from."""

    k: int
    fewest_cells: int
    games: int
    log_loss: float
    weights: tuple[float, ...]


@lru_cache(maxsize=64)
def weights(game: MnkGame) -> tuple[float, ...] | None:
    """The weights for this game; None where it is not evaluated, since that was not found to be better there."""
    fitted = msgspec.json.decode(evaluation_path().read_bytes(), type=Fitted)
    fits = game.k == fitted.k and not (game.gravity or game.exact) and game.m * game.n >= fitted.fewest_cells
    return fitted.weights if fits else None


def evaluation_path() -> Path:
    """Where the weights stand."""
    return resources_dir() / "evaluation.json"
