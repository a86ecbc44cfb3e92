"""Random events in the real window by the ten thousand: faults, and what holds the event loop for longer than 150 ms.

    uv run python tests/benchmarks/bench_monkey.py --events 100000
    uv run python tests/benchmarks/bench_monkey.py --seed 17 --events 5000 --each 5000

Each seed has a window in a process of its own (``tests/ui/monkey.py``), so that a crash or a hang is told and the next
one begins. Turns are measured as processor time of the UI thread, and named by the event before them and by the lines
of the program that a look every 10 ms found there. Not collected by pytest, which has one seed in ``tests/ui``.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

_MONKEY = Path(__file__).parents[1] / "ui" / "monkey.py"


def run(seed: int, events: int, turns: Counter[str]) -> tuple[int, int]:
    """One window: how many events were done, and how many faults were found, each of which is printed."""
    command = [sys.executable, str(_MONKEY), "--turns", "--seed", str(seed), "--events", str(events)]
    done = faults = 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("TURN"):
                _, took, _, what = line.split(maxsplit=3)
                turns[what.strip().rpartition(", in ")[2].split(" (")[0]] += 1
                print(f"seed {seed}: {took} ms {what.strip()}", flush=True)
            elif line.startswith("done "):
                done, faults = map(int, line.split()[1:])
            else:
                print(f"seed {seed}: {line.rstrip()}", flush=True)
    if process.returncode not in (0, 1):
        faults += 1
        print(f"seed {seed}: the process ended with {process.returncode}", flush=True)
    return done, faults


def main() -> None:
    """Read the command line and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=20_000, help="how many in all")
    parser.add_argument("--each", type=int, default=2_000, help="how many in a window")
    parser.add_argument("--seed", type=int, default=1, help="the first one")
    given = parser.parse_args()
    begin, turns, done, faults = time.monotonic(), Counter[str](), 0, 0
    for seed in range(given.seed, given.seed + -(-given.events // given.each)):
        here, found = run(seed, min(given.each, given.events), turns)
        done, faults = done + here, faults + found
        print(f"seed {seed}: {here} events, {found} faults", flush=True)
    print(f"{done:,} events, {faults} faults, {sum(turns.values())} long turns, {time.monotonic() - begin:.0f} s")
    for where, times in turns.most_common(15):
        print(f"{times:6}  {where}")


if __name__ == "__main__":
    main()
