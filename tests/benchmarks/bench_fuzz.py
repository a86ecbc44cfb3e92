"""Files made wrong by the thousand: what breaks, what takes longer than 5 s or more than a gigabyte.

    uv run python tests/benchmarks/bench_fuzz.py --number 10000
    uv run python tests/benchmarks/bench_fuzz.py --kind results --seed 123
    uv run python tests/benchmarks/bench_fuzz.py --huge 100000000 --number 50

Each kind of file has a process of its own, which is begun anew where it ended or hung; every file has a number (its
seed), by which it can be made again. ``--huge`` is how many letters the largest faults have. Prints every file that is
not refused in a sentence or read, and a table in the end. Not collected by pytest, which has a share of it in
``tests/fuzzing``. Memory is measured on Linux alone.
"""

from __future__ import annotations

import argparse
import faulthandler
import os
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "fuzzing"))
sys.path.insert(0, str(Path(__file__).parents[1] / "play"))

from fuzzed_command_lines import COMMAND_LINE
from fuzzed_files import FILES
from kinds import Kind, check, spoiled

LONGEST_S, HANGS_S, MOST_BYTES = 5.0, 60.0, 2**30


def peak_bytes() -> int:
    """The most memory that this process had since the last call; 0 where nobody knows."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return 0
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


def kinds() -> dict[str, Kind]:
    """All kinds by name."""
    return {kind.name: kind for kind in (*FILES, COMMAND_LINE)}


def work(kind_name: str, first: int, number: int, huge: int) -> None:
    """Use so many files and print a line for each that does not hold; the last line says how far this came."""
    kind = kinds()[kind_name]
    with tempfile.TemporaryDirectory() as folder:
        os.environ["NIMDESK_CONFIG_DIR"] = os.environ["NIMDESK_DATA_DIR"] = str(Path(folder) / "person")
        os.environ.pop("PYTEST_CURRENT_TEST", None)
        refused, slowest_s, largest = 0, 0.0, 0
        for seed in range(first, first + number):
            print(f"at {seed}", flush=True)
            faulthandler.dump_traceback_later(HANGS_S, exit=True)
            path = spoiled(kind, seed, Path(folder) / kind_name, huge=huge)
            peak_bytes()
            began = time.perf_counter()
            try:
                refused += bool(check(kind, path))
            except Exception as error:
                where = traceback.extract_tb(error.__traceback__)
                place = next((each for each in reversed(where) if "nimdesk" in each.filename), where[-1])
                print(
                    f"FOUND {seed}: {type(error).__name__} at {Path(place.filename).name}:{place.lineno}: {error}"[:600]
                )
            took_s, peak = time.perf_counter() - began, peak_bytes()
            if took_s > LONGEST_S:
                print(f"FOUND {seed}: took {took_s:.1f} s")
            if peak > MOST_BYTES:
                print(f"FOUND {seed}: took {peak >> 20:,} MB")
            slowest_s, largest = max(slowest_s, took_s), max(largest, peak)
        faulthandler.cancel_dump_traceback_later()
        print(f"done {refused} {slowest_s:.2f} {largest >> 20}", flush=True)


def run(kind: str, first: int, number: int, huge: int) -> tuple[int, int, int, float, int]:
    """All files of a kind, in as many processes as it takes: used, refused, found, the slowest, the largest."""
    refused = found = largest = 0
    slowest_s, at, end = 0.0, first, first + number
    while at < end:
        command = [sys.executable, __file__, "--work", "--kind", kind, "--seed", str(at), "--huge", str(huge)]
        process = subprocess.Popen(
            [*command, "--number", str(min(2_000, end - at))], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        here, last = at, ""
        assert process.stdout is not None
        for line in process.stdout:
            last = line
            if line.startswith("at "):
                here = int(line.split()[1])
            elif line.startswith("FOUND"):
                found += 1
                print(f"{kind} {line.rstrip()}", flush=True)
        assert process.stderr is not None
        errors = process.stderr.read()
        code = process.wait()
        if last.startswith("done"):
            words = last.split()
            refused, slowest_s = refused + int(words[1]), max(slowest_s, float(words[2]))
            largest = max(largest, int(words[3]))
        else:
            found += 1
            print(f"{kind} FOUND {here}: the process ended with {code}: {errors[-1500:]}", flush=True)
        at = here + 1
    return number, refused, found, slowest_s, largest


def main() -> None:
    """Read the command line and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", action="append", help="one kind alone, or several")
    parser.add_argument("--number", type=int, default=1, help="how many files of each kind")
    parser.add_argument("--seed", type=int, default=0, help="the number of the first")
    parser.add_argument("--huge", type=int, default=20_000, help="letters and entries of the largest faults")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        work(given.kind[0], given.seed, given.number, given.huge)
        return
    rows = [(kind, *run(kind, given.seed, given.number, given.huge)) for kind in given.kind or kinds()]
    print(f"{'kind':10} {'files':>8} {'refused':>8} {'found':>6} {'slowest':>9} {'largest':>9}")
    for kind, used, refused, found, slowest_s, largest in rows:
        print(f"{kind:10} {used:8,} {refused:8,} {found:6,} {slowest_s:7.1f} s {largest:6,} MB")


if __name__ == "__main__":
    main()
