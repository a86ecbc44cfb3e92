"""kill -9 in earnest: a run is killed at random moments, again and again, until it is done; nothing may be lost.

    uv run python tests/benchmarks/bench_kill.py --kills 40

Each time a process runs the plan and is killed after a random time, from its start-up on; every game that was stored
must still be there, as it was. In the end the table must be, to the byte, that of an undisturbed run. Not collected by
pytest, which has a short version in ``tests/experiments/test_run.py``.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from nimdesk.errors import ResultsError
from nimdesk.experiments.files import Found
from nimdesk.experiments.matches.work import MatchPart
from nimdesk.experiments.parts import PlayerPart
from nimdesk.experiments.plan import Plan, load_plan, new_plan
from nimdesk.experiments.report import csv_files
from nimdesk.experiments.results import Result
from nimdesk.experiments.run import Run
from nimdesk.experiments.schedule import schedule_of
from nimdesk.experiments.store import Store


def plan(games: int) -> Plan:
    players = {
        "mcts": PlayerPart(agent="uct", options={"iterations": 2_000}),
        "alpha-beta": PlayerPart(agent="alphabeta", options={"depth": 2}),
        "random": PlayerPart(agent="random"),
    }
    positions = ["mnk:4,4,3", "mnk:3,3,3"]
    match = MatchPart(players=["mcts", "alpha-beta", "random"], positions=positions, games=games, opening_plies=1)
    return new_plan("killed", players, matches=[match])


def work(plan_path: str, path: str) -> None:
    run = Run(schedule_of(load_plan(Path(plan_path))), Path(path), workers=2)
    run.start()
    run.wait()
    sys.exit(run.error is not None)


def results(path: Path) -> list[Result]:
    try:
        with Store.open_to_read(path) as store:
            return list(store.results())
    except ResultsError as error:
        if "no such file" in str(error) or "nothing is stored" in str(error):
            return []
        raise


def csv_of(wanted: Plan, path: Path) -> dict[str, str]:
    found = Found(schedule_of(wanted), path)
    for result in results(path):
        found.add(result)
    files = csv_files(found)
    del files["times.csv"]
    return files


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=40)
    parser.add_argument("--games", type=int, default=250, help="of each pair, position and order")
    parser.add_argument("--seed", type=int, default=0, help="of the moments")
    parser.add_argument("--longest-s", type=float, default=4.0, help="the longest time a process is given")
    parser.add_argument("--work", nargs=2, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.work:
        work(*args.work)
    wanted, chance = plan(args.games), random.Random(args.seed)
    folder = Path(tempfile.mkdtemp(prefix="nimdesk-kill-"))
    (folder / "plan.json").write_bytes(wanted.to_json())
    whole = Run(schedule_of(wanted), folder / "whole.db", workers=2)
    whole.start()
    whole.wait()
    print(f"undisturbed: {whole.progress().done:,} games in {whole.progress().elapsed_s:.1f} s")
    path, before, kills = folder / "killed.db", list[Result](), 0
    while True:
        process = subprocess.Popen([sys.executable, __file__, "--work", str(folder / "plan.json"), str(path)])
        end = time.monotonic() + (chance.uniform(0.0, args.longest_s) if kills < args.kills else 3_600)
        while process.poll() is None and time.monotonic() < end:
            time.sleep(0.001)
        done = process.poll() is not None
        process.kill()
        process.wait()
        found = {result.number: result for result in results(path)}
        assert all(found.get(result.number) == result for result in before), "a stored game is lost or changed"
        kills += not done
        print(f"kill {kills:3}: {len(found):6,} games stored, {len(found) - len(before):5,} more")
        before = list(found.values())
        if done:
            assert process.returncode == 0
            break
    same = csv_of(wanted, path) == csv_of(wanted, folder / "whole.db")
    print(f"killed {kills} times; {len(before):,} games; the CSV files are {'identical' if same else 'DIFFERENT'}")
    sys.exit(not same)


if __name__ == "__main__":
    main()
