"""A Dask cluster as a standard executor; the package ``distributed`` is an extra of nimdesk."""

from __future__ import annotations

import asyncio
import importlib
import logging
import re
import socket
from asyncio import CancelledError
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager, suppress
from typing import Any

from nimdesk.disk.atomic import os_error_words
from nimdesk.disk.provenance import Provenance, made_here
from nimdesk.errors import ClusterError, lacking, quoted
from nimdesk.version import __version__

_CONNECT_S = 8
_CLOSE_S = 2
_ANSWER_S = 5
_ADDRESS = re.compile(r"(?:(?:tcp|tls)://)?(?:\[(?P<v6>[^\s/\[\]]+)\]|(?P<host>[^\s/:\[\]]+)):(?P<port>[0-9]{1,5})")


@contextmanager
def cluster_executor(address: str) -> Iterator[tuple[Executor, int, str]]:
    """The cluster whose scheduler listens at ``address``, such as ``tcp://host:8786``, its number of threads, and what
    it is made of in words.

    ``ClusterError`` if that is no address, distributed is not installed, no scheduler answers, or the workers have
    another nimdesk.
    """
    place = _place(address)
    try:
        distributed: Any = importlib.import_module("distributed")  # lazy: an extra, and a second to load
    except ImportError:
        raise ClusterError(lacking("A cluster needs", "distributed", "cluster")) from None
    _quiet()
    try:
        # A client that cannot connect waits for long, and reports much later that it cannot be closed: ask before.
        socket.create_connection(place, _CONNECT_S).close()
        asyncio.run(asyncio.wait_for(_asked(distributed, address), _CONNECT_S))
        client: Any = distributed.Client(address, timeout=_CONNECT_S, set_as_default=False)
    except Exception as error:  # what another program answers may be taken for anything, a length without end too
        raise ClusterError(f"No Dask scheduler answers at {address}: {_why_silent(error)}.") from error
    try:
        threads = sum(client.nthreads().values())
        if not threads:
            raise ClusterError(f"The Dask cluster at {address} has no workers; start one with “dask worker {address}”.")
        machines = Counter(_machines(client, address))
        on = ", ".join(f"{count} on {machine}" for machine, count in sorted(machines.items()))
        words = f"{threads} threads of a Dask cluster, workers: {on}"[:400]
        try:
            yield client.get_executor(pure=False), threads, words
        except ClusterError as error:
            # What a future raises when workers or the scheduler vanish depends on the moment.
            if _is_whole(client, threads):
                raise
            raise _lost(address) from error
    finally:
        with suppress(Exception):  # the cluster may be gone, which has been reported already
            client.close(timeout=_CLOSE_S)


def cluster_fault(address: str, error: BaseException) -> ClusterError:
    """An exception from a future of the cluster, as a sentence."""
    name = type(error).__name__
    if name in ("CancelledError", "FutureCancelledError", "CommClosedError", "TimeoutError"):
        return _lost(address)
    if name == "KilledWorker":
        return ClusterError(f"Workers of the Dask cluster at {address} ended again and again; what is stored is kept.")
    return ClusterError(f"A worker of the Dask cluster at {address} failed: {_first_line(error)}.")


def _place(address: str) -> tuple[str, int]:
    """The host and the port; ``ClusterError`` if the address is not of the form that is documented."""
    found = _ADDRESS.fullmatch(address)
    if found is None or not 0 < int(found["port"]) < 1 << 16:
        raise ClusterError(
            f"{quoted(address)} is no address of a Dask scheduler; write tcp://HOST:PORT or tls://HOST:PORT, such as "
            "tcp://localhost:8786."
        )
    return found["v6"] or found["host"], int(found["port"])


async def _asked(distributed: Any, address: str) -> None:
    """Ask the scheduler who it is."""
    security = distributed.Security().get_connection_args("client")
    async with distributed.rpc(address, connection_args=security) as scheduler:
        await scheduler.identity()


def _why_silent(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return f"nothing came within {_CONNECT_S} s"
    return os_error_words(error) if isinstance(error, OSError) and error.errno else _first_line(error)


def _is_whole(client: Any, threads: int) -> bool:
    """Whether the initial workers are still there, and one of them still answers: a cluster that is about to end looks
    alive for a moment.
    """
    with suppress(Exception, CancelledError):  # of a scheduler that is gone
        there = client.status == "running" and sum(client.nthreads().values()) >= threads
        return bool(there and client.submit(made_here, pure=False).result(timeout=_ANSWER_S).nimdesk == __version__)
    return False


def _lost(address: str) -> ClusterError:
    return ClusterError(f"The connection to the Dask cluster at {address} is lost; what is stored is kept.")


def _machines(client: Any, address: str) -> list[str]:
    """The processor of each worker; ``ClusterError`` where one has another nimdesk."""
    try:
        workers: list[Provenance] = list(client.run(made_here).values())
        versions = {worker.nimdesk for worker in workers}
    except Exception as error:  # whatever unpickling raises over there
        raise ClusterError(
            f"The workers of the Dask cluster at {address} cannot run nimdesk: {_first_line(error)}."
        ) from error
    if versions != {__version__}:
        found = ", ".join(sorted(versions))
        raise ClusterError(
            f"The workers of the Dask cluster at {address} have nimdesk {found}, and this is {__version__}; "
            "results need the same."
        )
    return [worker.processor for worker in workers]


def _quiet() -> None:
    """Silence tracebacks of lost connections, which would hide our own sentence."""
    logging.getLogger("distributed").setLevel(logging.CRITICAL)


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0].rstrip(".")[:200]
