"""``nimdesk bench``: the simulations per second of the plain UCT search on this machine."""

import threading
import time
from dataclasses import asdict, dataclass
from statistics import median

from nimdesk.cli.interrupting import interruptibly
from nimdesk.cli.options import console, print_json, progress_bar, table
from nimdesk.disk.provenance import made_here
from nimdesk.games import parse_position
from nimdesk.limit import Limit
from nimdesk.search.options import UctOptions
from nimdesk.search.parallel_uct import uct_searcher
from nimdesk.search.types import Snapshot

POSITIONS = ("nim:1,3,5,7", "nim:1,3,5,7:misere", "mnk:3,3,3", "mnk:5,5,4", "mnk:7,7,5", "mnk:15,15,5")
THREADS = (1, 2)
ITERATIONS = (10_000, 100_000)
# On one position the tree is too large for any cache.
LONG = ("mnk:5,5,4", 1_000_000)
_RUNS = 5
# The approximate length of a measurement; slow machines repeat less.
_ENOUGH_S = 0.6


@dataclass(frozen=True, slots=True)
class Measurement:
    """The median of a few searches from the start position; starting is part of the time, compiling is not."""

    position: str
    threads: int
    iterations: int
    simulations_per_s: float
    bytes_per_node: float


def bench(*, as_json: bool) -> None:
    """Measure everything, for about half a minute, and print it."""
    cases = [(text, threads, count) for text in POSITIONS for threads in THREADS for count in _counts(text)]
    with progress_bar("") as (bar, task):
        bar.update(task, total=len(cases))

        def measure_all(stop: threading.Event) -> list[Measurement]:
            measured = []
            for text, threads, count in cases:
                if stop.is_set():
                    raise KeyboardInterrupt
                bar.update(task, description=text)
                measured.append(measure(text, threads, count))
                bar.advance(task)
            return measured

        measured = interruptibly(measure_all)
    if as_json:
        print_json({"measured": [asdict(each) for each in measured]}, [made_here()])
    else:
        _print(measured)


def _counts(text: str) -> tuple[int, ...]:
    return (*ITERATIONS, LONG[1]) if text == LONG[0] else ITERATIONS


def measure(text: str, threads: int, iterations: int) -> Measurement:
    """Search a few times with different seeds and take the median."""
    _search(text, threads, 64, seed=0)
    took: list[float] = []
    begin = time.perf_counter()
    while len(took) < _RUNS and (not took or time.perf_counter() - begin < _ENOUGH_S):
        start = time.perf_counter()
        snapshot = _search(text, threads, iterations, seed=len(took) + 1)
        took.append(time.perf_counter() - start)
    return Measurement(text, threads, iterations, iterations / median(took), snapshot.tree_bytes / snapshot.tree_nodes)


def _search(text: str, threads: int, iterations: int, seed: int) -> Snapshot:
    searcher = uct_searcher(UctOptions(iterations=iterations, threads=threads))
    searcher.start(parse_position(text), seed)
    searcher.advance(Limit())
    return searcher.snapshot()


def _print(measured: list[Measurement]) -> None:
    rows = table("Position", "Threads", "Simulations", "Simulations/s", "Bytes a node")
    for column in rows.columns[1:]:
        column.justify = "right"
    for each in measured:
        rows.add_row(
            each.position,
            str(each.threads),
            f"{each.iterations:,}",
            f"{each.simulations_per_s:,.0f}",
            f"{each.bytes_per_node:.1f}",
        )
    console().print(rows)
