"""A plan on a Dask cluster of two worker processes, one of them killed on the way, gives the same bytes as threads."""

import importlib.util
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Self

import pytest
from runs import csv_of, finished, mixed_plan
from studies import plan

from nimdesk.agents import make_agent
from nimdesk.disk.provenance import Provenance
from nimdesk.errors import ClusterError
from nimdesk.experiments.atlas.tables import atlas_csv
from nimdesk.experiments.atlas.tally import AtlasTally
from nimdesk.experiments.atlas.work import AtlasSet
from nimdesk.experiments.cluster import cluster_executor, cluster_fault
from nimdesk.experiments.files import read
from nimdesk.experiments.matches.tally import MatchTally
from nimdesk.experiments.matches.tuning import tuning_of
from nimdesk.experiments.parts import PlayerPart
from nimdesk.experiments.plan import atlas_plan
from nimdesk.experiments.store import Store
from nimdesk.experiments.studies.tables import study_csv
from nimdesk.experiments.studies.tally import StudyTally
from nimdesk.experiments.tuning import tuning_plan

STUDY = plan("uct", "alphabeta", positions=("nim:3,4,5", "mnk:3,3,3 a1"), budgets=(10, 100), repeats=30)
ATLAS = atlas_plan(
    "atlas", [PlayerPart(agent="uct")], [AtlasSet(starts=["nim:3,4,5", "mnk:3,3,3 a1"], plies=1)], [10, 100], 15
)
TUNING = tuning_plan(
    make_agent("uct", {"iterations": 20}),
    [{"exploration": 0.1}, {"exploration": 1.0}, {"exploration": 3.0}],
    ["nim:3,4,5"],
    games=4,
    confirm=20,
)
needs_dask = pytest.mark.skipif(importlib.util.find_spec("distributed") is None, reason="needs nimdesk[cluster]")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of ``on_cluster``."""
    folder = tmp_path_factory.mktemp("cluster")
    (folder / "plan.json").write_bytes(mixed_plan().to_json())
    (folder / "study.json").write_bytes(STUDY.to_json())
    (folder / "atlas.json").write_bytes(ATLAS.to_json())
    (folder / "tuning.json").write_bytes(TUNING.to_json())
    script = Path(__file__).with_name("on_cluster.py")
    command = [sys.executable, str(script), str(folder)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=900, check=False)
    assert done.returncode == 0, done.stderr
    finished(mixed_plan(), folder / "threads.db")
    finished(STUDY, folder / "study-threads.db")
    finished(ATLAS, folder / "atlas-threads.db")
    finished(TUNING, folder / "tuning-threads.db")
    return folder


@needs_dask
def test_games_are_the_same_though_a_worker_is_killed_on_the_way(folder: Path) -> None:
    assert csv_of(folder / "cluster.db") == csv_of(folder / "threads.db")


@needs_dask
def test_a_study_is_the_same_as_on_threads(folder: Path) -> None:
    cluster, threads = (read(folder / f"study-{how}.db")[StudyTally] for how in ("cluster", "threads"))
    assert cluster is not None
    assert threads is not None
    assert study_csv(cluster) == study_csv(threads)


@needs_dask
def test_an_atlas_is_the_same_as_on_threads(folder: Path) -> None:
    cluster, threads = (read(folder / f"atlas-{how}.db")[AtlasTally] for how in ("cluster", "threads"))
    assert cluster is not None
    assert threads is not None
    assert atlas_csv(cluster) == atlas_csv(threads)


@needs_dask
def test_tuning_finds_the_same_as_on_threads(folder: Path) -> None:
    cluster, threads = (tuning_of(read(folder / f"tuning-{how}.db")[MatchTally]) for how in ("cluster", "threads"))
    assert cluster is not None
    assert threads is not None
    assert (cluster.verdict, cluster.candidates) == (threads.verdict, threads.candidates)
    assert csv_of(folder / "tuning-cluster.db") == csv_of(folder / "tuning-threads.db")


@needs_dask
def test_a_run_that_threads_began_is_ended_by_a_cluster(folder: Path) -> None:
    assert csv_of(folder / "both.db") == csv_of(folder / "threads.db")


@needs_dask
def test_a_cluster_that_goes_away_is_one_sentence_and_nothing_is_lost(folder: Path) -> None:
    said = (folder / "lost.txt").read_text()
    if said != "None":  # it may just have come to its end
        assert said.startswith("The connection to the Dask cluster at tcp://")
        assert said.endswith("is lost; what is stored is kept.")
    with Store.open_to_read(folder / "lost.db") as store:
        assert store.count() >= 3


RUNS = """
import sys
import nimdesk.experiments.cluster as cluster
from nimdesk.__main__ import main
cluster._CONNECT_S, (plan, *addresses) = float(sys.argv[1]), sys.argv[2:]
for address in addresses:
    sys.argv[1:] = ["experiment", "run", plan, "--cluster", address]
    code = main()
    print(f"exit code {code}", file=sys.stderr, flush=True)
"""


def run_on(addresses: list[str], folder: Path, connect_s: float) -> list[list[str]]:
    """What ``experiment run`` with each address of a cluster says on standard error, line by line.

    In one process, since Dask's threads never end, and it takes a while to load.
    """
    (folder / "plan.json").write_bytes(mixed_plan(1).to_json())
    command = [sys.executable, "-c", RUNS, str(connect_s), str(folder / "plan.json"), *addresses]
    environment = {**os.environ, "NIMDESK_DATA_DIR": str(folder)}
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=120, check=True, env=environment)
    *said, end = done.stderr.split("exit code 2\n")
    assert (len(said), end) == (len(addresses), ""), done.stderr
    return [each.splitlines() for each in said]


@pytest.mark.parametrize(
    "address", ["nosuch host", "ucx://x", "inproc://x:1", "tcp://x", "host:0", "host:99999", "tcp://host:8786/x", ""]
)
def test_what_is_no_address_is_one_sentence(address: str) -> None:
    with pytest.raises(ClusterError, match="is no address of a Dask scheduler; write tcp://HOST:PORT or tls") as told:
        cluster_executor(address).__enter__()
    assert len(str(told.value)) < 300


@needs_dask
def test_where_nobody_listens_a_run_ends_at_once_with_one_sentence(tmp_path: Path) -> None:
    addresses = ["127.0.0.1:1", "tls://[::1]:1"]
    for address, said in zip(addresses, run_on(addresses, tmp_path, connect_s=1_000), strict=True):
        *progress, sentence = said
        assert sentence.startswith(f"nimdesk: No Dask scheduler answers at {address}: ")
        assert all(line == "0 of 12, 0 a second" for line in progress), "as on a slow machine"


@needs_dask
def test_another_program_at_the_address_is_one_sentence(tmp_path: Path) -> None:
    """One that says nothing, and a web server."""
    with socket.create_server(("127.0.0.1", 0)) as silent, socket.create_server(("127.0.0.1", 0)) as web:
        greetings = {silent: b"", web: b"HTTP/1.0 400 Bad request\r\n\r\n"}
        threads = [Thread(target=greet, args=each) for each in greetings.items()]
        for thread in threads:
            thread.start()
        addresses = [f"tcp://127.0.0.1:{server.getsockname()[1]}" for server in greetings]
        heard = run_on(addresses, tmp_path, connect_s=0.5)
        for server, thread in zip(greetings, threads, strict=True):
            server.shutdown(socket.SHUT_RDWR)
            thread.join()
    for address, said in zip(addresses, heard, strict=True):
        assert said[-1].startswith(f"nimdesk: No Dask scheduler answers at {address}: ")
        assert not [line for line in said if "Traceback" in line]


def greet(server: socket.socket, greeting: bytes) -> None:
    """Say this to all who call, until the server is shut down."""
    called = []
    with suppress(OSError):
        while True:
            called.append(server.accept()[0])
            called[-1].sendall(greeting)
    for each in called:
        each.close()


class Scheduler:
    """One that answers, as ``distributed`` asks it."""

    def __init__(self, address: str, connection_args: object) -> None:
        self.address = address

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        pass

    async def identity(self) -> dict[str, str]:
        return {"address": self.address}


class Cluster:
    """A connected cluster, as ``distributed`` shows it, whose workers answer or do not."""

    status = "running"

    def __init__(self, answers: bool) -> None:
        self.answers = answers

    def nthreads(self) -> dict[str, int]:
        return {"worker": 2}

    def run(self, function: Callable[[], Provenance]) -> dict[str, Provenance]:
        return {"worker": function()}

    def submit(self, function: Callable[[], Provenance], *, pure: bool) -> Future[Provenance]:
        done = Future[Provenance]()
        if self.answers:
            done.set_result(function())
        else:
            done.set_exception(TimeoutError())
        return done

    def get_executor(self, *, pure: bool) -> None:
        return None

    def close(self, *, timeout: float) -> None:
        pass


@pytest.mark.parametrize(
    ("answers", "sentence"),
    [
        (
            True,
            "A worker of the Dask cluster at {address} failed: not enough values to unpack (expected 3, got 1).",
        ),
        (False, "The connection to the Dask cluster at {address} is lost; what is stored is kept."),
    ],
    ids=["alive", "dying"],
)
def test_whatever_a_dying_cluster_raises_is_a_lost_connection(
    monkeypatch: pytest.MonkeyPatch, answers: bool, sentence: str
) -> None:
    security = SimpleNamespace(get_connection_args=lambda _role: {})
    module = SimpleNamespace(Client=lambda *_, **__: Cluster(answers), Security=lambda: security, rpc=Scheduler)
    monkeypatch.setitem(sys.modules, "distributed", module)
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        fault = cluster_fault(address, ValueError("not enough values to unpack (expected 3, got 1)"))
        with pytest.raises(ClusterError) as told, cluster_executor(address):
            raise fault
    assert str(told.value) == sentence.format(address=address)
