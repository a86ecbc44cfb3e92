"""The packages in ``resources/examples`` as pip installs them: their wheels, built and unpacked into a folder."""

import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from nimdesk.experiments.parts import position_of
from nimdesk.games.kit import KITS, PROBLEMS
from nimdesk.plugins import games as plugin_games

EXAMPLES = Path(__file__).resolve().parents[1] / "resources" / "examples"


@cache
def _site(name: str) -> tempfile.TemporaryDirectory[str]:
    folder: tempfile.TemporaryDirectory[str] = tempfile.TemporaryDirectory()
    source, wheels = Path(folder.name, "source"), Path(folder.name, "wheels")
    shutil.copytree(EXAMPLES / name, source)
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(wheels)]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    (wheel,) = wheels.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(Path(folder.name, "site"))
    return folder


def example_site(name: str) -> str:
    """The folder that the example is installed in, alone; the same one in all tests of a process."""
    return str(Path(_site(name).name, "site"))


@contextmanager
def installed(site: str) -> Iterator[None]:
    """Have what is in the folder installed; at the end its games are gone with what was wrong with
    them, though not their modules."""
    plugin_games.begin()
    games, problems = set(KITS), set(PROBLEMS)
    sys.path.insert(0, site)
    try:
        yield
    finally:
        sys.path.remove(site)
        for name in set(KITS) - games:
            del KITS[name]
            plugin_games.LOADED.pop(name, None)
        for name in set(PROBLEMS) - problems:
            del PROBLEMS[name]
        position_of.cache_clear()
