"""A list of positions as a set of exercises: ``nimdesk convert positions.txt set.nimexercises.json``."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from rich.progress import MofNCompleteColumn

from nimdesk.cli.interrupting import interruptibly
from nimdesk.cli.options import progress_bar
from nimdesk.disk.provenance import made_here
from nimdesk.errors import OptionError
from nimdesk.formats import Record
from nimdesk.games.kit import solver_for
from nimdesk.games.truth import Value
from nimdesk.limit import Limit
from nimdesk.play.exercises import MAX_EXERCISES, Exercise, save_exercises

EXACT_S = 2.0
"""How long the solver may look at one position."""


class _Solved(NamedTuple):
    exercises: tuple[Exercise, ...]
    unsolved: int
    easy: int
    wrong: int


def write_exercises(records: Sequence[Record], path: Path) -> tuple[int, tuple[str, ...]]:
    """Write the positions in which one move is better than another as exercises; how many, and what became of the rest.

    Each is solved here: a value beside a position says how good it is, and not which moves are.
    """
    if len(records) > MAX_EXERCISES:
        raise OptionError(f"There are {len(records):,} positions, and a set has {MAX_EXERCISES:,} exercises at most.")
    solved = interruptibly(lambda stop: _solve(records, stop))
    if not solved.exercises:
        raise OptionError("No position is an exercise: each is over, all its moves are equal, or it took too long.")
    save_exercises(solved.exercises, path, made=made_here())
    told = []
    if solved.unsolved:
        told.append(f"{solved.unsolved:,} took the solver longer than {EXACT_S:g} s and were left out.")
    if solved.easy:
        told.append(f"{solved.easy:,} have no wrong move, or no move, and were left out.")
    if solved.wrong:
        told.append(f"In {solved.wrong:,} the value beside the position is not what the solver proves; that counts.")
    return len(solved.exercises), tuple(told)


def _solve(records: Sequence[Record], stop: threading.Event) -> _Solved:
    found: list[Exercise] = []
    unsolved = easy = wrong = 0
    with progress_bar("solving", MofNCompleteColumn()) as (bar, task):
        for number, record in enumerate(records):
            bar.update(task, completed=number, total=len(records))
            if stop.is_set():
                raise KeyboardInterrupt
            position = record.position
            if position.outcome is not None:
                easy += 1
                continue
            solver = solver_for(position)
            solver.start(position)
            solver.advance(Limit(time_s=EXACT_S))
            truth = solver.truth()
            if not truth.complete:
                unsolved += 1
                continue
            wrong += record.score is not None and _value(record.score) is not truth.value
            if len(truth.best_moves) == len(truth.moves):
                easy += 1
                continue
            # First the move that is played on with: one that wins soonest, or loses latest.
            best = dict.fromkeys((*truth.quickest_moves, *truth.best_moves))
            found.append(Exercise(position=position.text, best=[move.text for move in best], exact=True))
    return _Solved(tuple(found), unsolved, easy, wrong)


def _value(score: int) -> Value:
    return Value.WIN if score > 0 else Value.LOSS if score < 0 else Value.DRAW
