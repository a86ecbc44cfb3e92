"""A Python of its own for tests of what is compiled when, and two small kernels to be compiled there."""

import os
import socket
import subprocess
import sys
from pathlib import Path

PROBE = "import probe; probe.tell()"
COMPILED, LOADED = ["0", "0"], ["1", "1"]


def tell_and_stay(port: int) -> None:
    """What a job that takes long does: say that it has begun, stay until it is told to go on, and say that it has."""
    with socket.create_connection(("127.0.0.1", port)) as heard:
        heard.sendall(b"begun")
        heard.recv(1)
        heard.sendall(b"finished")


def has_niceness(niceness: int) -> None:
    """A job that fails where its process has another priority than this."""
    assert os.getpriority(os.PRIO_PROCESS, 0) == niceness


def run(code: str, cache_dir: Path, **environment: str) -> list[str]:
    """What a fresh Python prints, word by word; nothing may go to stderr."""
    here = os.pathsep.join((str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])))
    env = {**os.environ, "PYTHONPATH": here, "NIMDESK_CACHE_DIR": str(cache_dir), **environment}
    # As in a shell: nothing that numba, or nimdesk in the process of the tests, has set.
    env = {name: value for name, value in env.items() if not name.startswith("NUMBA_")}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=env,
        cwd=cache_dir.anchor,  # not the checkout, which would come before PYTHONPATH
        check=False,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()
