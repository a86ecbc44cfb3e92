"""Random events in the whole window, by a seed: nobody complains of anything, and nothing is left behind.

``tests/benchmarks/bench_monkey.py`` does the same with many seeds, a hundred thousand times.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

MONKEY, EVENTS = Path(__file__).parent / "monkey.py", 400


def test_random_events_find_no_fault() -> None:
    command = [sys.executable, str(MONKEY), "--seed", "1", "--events", str(EVENTS)]
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    ended = subprocess.run(command, check=False, env=environment, capture_output=True, text=True, timeout=400)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, f"done {EVENTS} 0\n", "")
