"""Compiling and loading come before the clock of a search or a proof: nothing of it is counted as thinking."""

import os
from pathlib import Path

from fresh_python import run

SEARCHED = """
import gc
from numba.extending import is_jitted
from nimdesk.agents import CATALOGUE, make_agent
from nimdesk.games import parse_position, solver_for
from nimdesk.limit import Limit

def started(position):
    solver = solver_for(position)
    solver.start(position)
    yield "solver", solver.advance, solver.truth
    for name in CATALOGUE:
        agent = make_agent(name)
        if agent.plays(position) and name != "minimax":  # which refuses a large tree
            searcher = agent.new_searcher(position)
            searcher.start(position, 1)
            yield name, searcher.advance, searcher.snapshot

for text in ("nim:2,2,3", "mnk:3,3,3", "mnk:3,3,3 b2", "mnk:5,4,4:gravity", "take:0.77:5,6", "mnk:9,9,5 e5 f5"):
    all_of_them = list(started(parse_position(text)))
    before = {kernel: len(kernel.signatures) for kernel in gc.get_objects() if is_jitted(kernel)}
    for name, advance, look in all_of_them:
        for number in range(1, 6):
            if advance(Limit(time_s=0.01 * number)):
                break
            look()
        look()
        for kernel, signatures in before.items():
            if len(kernel.signatures) > signatures:
                print(name, text, kernel.py_func.__qualname__)
"""


def test_no_kernel_is_compiled_or_loaded_while_a_clock_runs() -> None:
    assert run(SEARCHED, Path(os.environ["NIMDESK_CACHE_DIR"])) == []


TAKEN = """
import time
from nimdesk.games import parse_position, solver_for
position = parse_position("take:0.77:9,12")
begin = time.perf_counter()
solver = solver_for(position)
solver.start(position)
took = time.perf_counter() - begin
print(solver.truth().elapsed_s < took / 3)
"""


def test_a_theory_that_is_compiled_first_answers_at_once(tmp_path: Path) -> None:
    assert run(TAKEN, tmp_path) == ["True"]
