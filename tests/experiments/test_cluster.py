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


def run_on(address: str, folder: Path, connect_s: float) -> str:
    """What ``experiment run`` with this address of a cluster says on standard error."""
    (folder / "plan.json").write_bytes(mixed_plan(1).to_json())
    arguments = ["experiment", "run", str(folder / "plan.json"), "--cluster", address]
    patience = f"import nimdesk.experiments.cluster as c; c._CONNECT_S = {connect_s}"
    code = f"{patience}; from nimdesk.__main__ import main; sys.exit(main())"
    command = [sys.executable, "-c", f"import sys; sys.argv = {['nimdesk', *arguments]!r}; {code}"]
    environment = {**os.environ, "NIMDESK_DATA_DIR": str(folder)}
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=120, check=False, env=environment)
    assert done.returncode == 2, done.stderr
    return done.stderr


@pytest.mark.parametrize(
    "address", ["nosuch host", "ucx://x", "inproc://x:1", "tcp://x", "host:0", "host:99999", "tcp://host:8786/x", ""]
)
def test_what_is_no_address_is_one_sentence(address: str) -> None:
    with pytest.raises(ClusterError, match="is no address of a Dask scheduler; write tcp://HOST:PORT or tls") as told:
        cluster_executor(address).__enter__()
    assert len(str(told.value)) < 300


@needs_dask
@pytest.mark.parametrize("address", ["127.0.0.1:1", "tls://[::1]:1"])
def test_where_nobody_listens_a_run_ends_at_once_with_one_sentence(address: str, tmp_path: Path) -> None:
    said = run_on(address, tmp_path, connect_s=1_000)
    *progress, sentence = said.splitlines()
    assert sentence.startswith(f"nimdesk: No Dask scheduler answers at {address}: ")
    assert all(line == "0 of 12, 0 a second" for line in progress), "as on a slow machine"


@needs_dask
@pytest.mark.parametrize("greeting", [b"", b"HTTP/1.0 400 Bad request\r\n\r\n"], ids=["silent", "web server"])
def test_another_program_at_the_address_is_one_sentence(greeting: bytes, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        greeted = Thread(target=greet, args=(server, greeting))
        greeted.start()
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        said = run_on(address, tmp_path, connect_s=0.5)
        server.shutdown(socket.SHUT_RDWR)
        greeted.join()
    assert said.splitlines()[-1].startswith(f"nimdesk: No Dask scheduler answers at {address}: ")
    assert "Traceback" not in said


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
