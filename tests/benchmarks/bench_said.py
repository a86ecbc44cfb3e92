"""Random positions by the hour: what is said, played and printed of them, compared with an oracle of its own.

    uv run python tests/benchmarks/bench_said.py --minutes 60
    uv run python tests/benchmarks/bench_said.py --channel games --kind nim --first 1234 --number 1

Prints each false claim as it is found, with the position, who said it and the truth, then how many comparisons there
were of each kind. The same channel, kind and number are the same position again. Not collected by pytest, which has a
share of it in ``tests/said``.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "said"))

from channels import CHANNELS, judged
from example_packages import example_site, installed
from judge import Judge
from positions import KINDS
from PySide6.QtWidgets import QApplication


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60.0, help="how long it goes on at most")
    parser.add_argument("--number", type=int, default=10**9, help="how many positions of each kind at most")
    parser.add_argument("--first", type=int, default=1_000, help="the number of the first one")
    parser.add_argument("--channel", choices=CHANNELS, action="append", help="only these; more may be named")
    parser.add_argument("--kind", choices=KINDS, action="append", help="only these games; more may be named")
    wanted = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    app = QApplication([])
    judge, end, told, positions = Judge(), time.monotonic() + 60 * wanted.minutes, 0, 0
    with tempfile.TemporaryDirectory() as folder, installed(example_site("kayles")):
        os.environ["NIMDESK_CONFIG_DIR"] = os.environ["NIMDESK_DATA_DIR"] = folder
        for number in range(wanted.first, wanted.first + wanted.number):
            for channel in wanted.channel or CHANNELS:
                for kind in wanted.kind or KINDS:
                    if time.monotonic() >= end:
                        break
                    judged(channel, kind, number, judge)
                    positions += 1
                    for fault in judge.faults[told:]:
                        print(f"{channel} {kind} {number}: {fault}", flush=True)
                    told = len(judge.faults)
            if time.monotonic() >= end:
                break
    print(judge.report())
    print(f"{positions:,} positions, {number - wanted.first + 1:,} of each kind")
    del app
    return int(bool(judge.faults))


if __name__ == "__main__":
    sys.exit(main())
