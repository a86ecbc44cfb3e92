"""Runs plans on a real Dask cluster of two worker processes; a process of its own, since Dask's threads never end.

Its argument is a folder with ``plan.json``, ``study.json``, ``atlas.json`` and ``tuning.json``. Leaves there
``cluster.db``, ``study-cluster.db``, ``atlas-cluster.db`` and ``tuning-cluster.db``, run by the cluster alone, a worker
of which was killed on the way of the first; ``both.db``, begun by threads; ``lost.txt``, what a run says whose cluster
goes away.
"""

import os
import signal
import sys
import threading
from pathlib import Path

import distributed

from nimdesk.experiments.plan import Plan, load_plan
from nimdesk.experiments.run import Event, Run, TaskFinished
from nimdesk.experiments.schedule import schedule_of


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
    assert reached.wait(300), run.error
    return run


def ended(run: Run) -> None:
    """Wait for its end, which must be a good one."""
    assert run.wait(600)
    assert run.error is None, run.error


def with_a_worker_killed(plan: Plan, path: Path, client: distributed.Client) -> None:
    """The whole run, in which a machine loses power: Dask hears of it by the broken connection alone."""
    worker = min(client.run(os.getpid).values())
    run = begun(plan, path, 3, client.scheduler.address)
    os.kill(worker, signal.SIGKILL)
    assert run.progress().done < run.progress().total
    ended(run)


def main(folder: str) -> None:
    out = Path(folder)
    plan, study, atlas, tuning = (load_plan(out / f"{name}.json") for name in ("plan", "study", "atlas", "tuning"))
    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0")
    with cluster:
        address = cluster.scheduler_address
        with distributed.Client(address, set_as_default=False) as client:
            with_a_worker_killed(plan, out / "cluster.db", client)
        first = begun(plan, out / "both.db", 4, None)
        first.cancel()
        assert first.wait(300)
        for each, name in (
            (study, "study-cluster"),
            (atlas, "atlas-cluster"),
            (tuning, "tuning-cluster"),
            (plan, "both"),
        ):
            ended(begun(each, out / f"{name}.db", 1, address))

        lost = begun(plan, out / "lost.db", 3, address)
    assert lost.wait(300)
    (out / "lost.txt").write_text(str(lost.error))


if __name__ == "__main__":
    main(*sys.argv[1:])
