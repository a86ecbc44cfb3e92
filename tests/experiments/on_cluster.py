"""Runs plans on a real Dask cluster of two worker processes; a process of its own, since Dask's threads never end.

Its argument is a folder with ``plan.json``, ``study.json`` and ``atlas.json``. Leaves there ``cluster.db``,
``study-cluster.db`` and ``atlas-cluster.db``, run by the cluster alone; ``both.db``, begun by threads; ``lost.txt``,
what a run says whose cluster goes away.
"""

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
    assert reached.wait(60), run.error
    return run


def main(folder: str) -> None:
    out = Path(folder)
    plan, study, atlas = (load_plan(out / f"{name}.json") for name in ("plan", "study", "atlas"))
    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0")
    with cluster:
        address = cluster.scheduler_address
        for wanted, name in ((plan, "cluster.db"), (study, "study-cluster.db"), (atlas, "atlas-cluster.db")):
            whole = Run(schedule_of(wanted), out / name, cluster=address)
            whole.start()
            assert whole.wait(120)
            assert whole.error is None, whole.error

        first = begun(plan, out / "both.db", 4, None)
        first.cancel()
        assert first.wait(60)
        second = Run(schedule_of(plan), out / "both.db", cluster=address)
        second.start()
        assert second.wait(120)
        assert second.error is None, second.error

        lost = begun(plan, out / "lost.db", 3, address)
    assert lost.wait(60)
    (out / "lost.txt").write_text(str(lost.error))


if __name__ == "__main__":
    main(*sys.argv[1:])
