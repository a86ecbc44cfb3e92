"""Runs plans on a real Dask cluster of two worker processes; a process of its own, since Dask's threads never end.

Its argument is a folder with ``plan.json``, ``study.json``, ``atlas.json`` and ``tuning.json``. Leaves there
``cluster.db``, ``atlas-cluster.db`` and ``tuning-cluster.db``, run by the cluster alone; ``study-cluster.db``, where a
worker was killed on the way; ``both.db``, begun by threads; ``lost.txt``, what a run says whose cluster goes away.
"""

import os
import signal
import sys
import threading
from pathlib import Path

import distributed

from nimdesk.experiments.plan import Plan, load_plan
from nimdesk.experiments.planned import schedule_of
from nimdesk.experiments.run import Event, Run, TaskFinished


def begun(plan: Plan, path: Path, tasks: int, cluster: str | None) -> Run:
    """A run that has done so many tasks."""
    reached, count = threading.Event(), 0

    def listen(event: Event) -> None:
        nonlocal count
        count += isinstance(event, TaskFinished)
        if count >= tasks:
            reached.set()

    run = Run(schedule_of(plan), path, cluster=cluster, listener=listen)
    run.start()
    assert reached.wait(60), run.error
    return run


def ended(run: Run) -> None:
    """Wait for its end, which must be a good one."""
    assert run.wait(120)
    assert run.error is None, run.error


def kill_a_worker(address: str) -> None:
    """As if its machine lost power: Dask hears of it by the broken connection alone."""
    with distributed.Client(address, set_as_default=False) as client:
        os.kill(min(client.run(os.getpid).values()), signal.SIGKILL)


def main(folder: str) -> None:
    out = Path(folder)
    plan, study, atlas, tuning = (load_plan(out / f"{name}.json") for name in ("plan", "study", "atlas", "tuning"))
    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0")
    with cluster:
        address = cluster.scheduler_address
        for wanted, name in ((plan, "cluster.db"), (atlas, "atlas-cluster.db"), (tuning, "tuning-cluster.db")):
            whole = Run(schedule_of(wanted), out / name, cluster=address)
            whole.start()
            ended(whole)

        first = begun(plan, out / "both.db", 4, None)
        first.cancel()
        assert first.wait(60)
        second = Run(schedule_of(plan), out / "both.db", cluster=address)
        second.start()
        ended(second)

        damaged = begun(study, out / "study-cluster.db", 3, address)
        kill_a_worker(address)
        assert damaged.progress().done < damaged.progress().total
        ended(damaged)

        lost = begun(plan, out / "lost.db", 3, address)
    assert lost.wait(60)
    (out / "lost.txt").write_text(str(lost.error))


if __name__ == "__main__":
    main(*sys.argv[1:])
