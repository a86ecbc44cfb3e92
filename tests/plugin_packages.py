"""Packages with plug-ins, as pip leaves them on disk: modules, and a ``.dist-info`` that names their entry points."""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from nimdesk.agents import CATALOGUE
from nimdesk.plugins import process as plugin_process

TUTORIAL = Path(__file__).resolve().parents[1] / "resources/docs/tutorials/agent.md"
FAULTY = """
import os, sys, time
from nimdesk.agents import PluginOptions
from nimdesk.games import MnkMove, NimMove

class Base:
    title = "Clumsy"
    about = "Fails in its game."

    def choose(self, position, options, seed):
"""


def install(
    folder: Path,
    package: str,
    entry_points: Mapping[str, str],
    modules: Mapping[str, str],
    group: str = "nimdesk.agents",
) -> None:
    """Install a package into ``folder``, which is on the path."""
    folder.mkdir(exist_ok=True)
    info = folder / f"{package.replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    lines = [f"{name} = {value}\n" for name, value in entry_points.items()]
    (info / "entry_points.txt").write_text(f"[{group}]\n{''.join(lines)}")
    for name, code in modules.items():
        (folder / f"{name}.py").write_text(code, encoding="utf-8")


def install_from_tutorial(folder: Path) -> int:
    """Install the package that the tutorial shows, and say how many lines it has."""
    page = TUTORIAL.read_text(encoding="utf-8")
    pyproject, module = re.findall(r"^:caption: [^\n]*\n\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    project = tomllib.loads(pyproject)["project"]
    install(folder, project["name"], project["entry-points"]["nimdesk.agents"], {"sprinter": module})
    return len(f"{pyproject}{module}".splitlines())


def install_faulty(folder: Path, *lines: str, name: str = "clumsy") -> None:
    """Install an agent that does this when it is to choose a move."""
    body = "".join(f"        {line}\n" for line in lines)
    install(folder, f"nimdesk-{name}", {name: f"{name}_module:Base"}, {f"{name}_module": FAULTY + body})


def leave_catalogue(*, but: Collection[str]) -> None:
    """Forget the plug-ins with their processes, apart from those named."""
    for name in set(CATALOGUE) - set(but):
        CATALOGUE.pop(name).make_searcher.__self__.hosts.close()  # type: ignore[attr-defined]


class Processes(list["subprocess.Popen[bytes]"]):
    """The processes of plug-ins that were started, oldest first."""

    @property
    def running(self) -> int:
        """How many of them have not ended."""
        return sum(process.poll() is None for process in self)


@contextmanager
def watched_processes(monkeypatch: pytest.MonkeyPatch) -> Iterator[Processes]:
    """Notes each process of a plug-in; at the end the plug-ins leave the catalogue, and no process may be left."""
    started = Processes()
    before = set(CATALOGUE)

    class Noted(subprocess.Popen):  # type: ignore[type-arg]
        def __init__(self, *args: object, **kwargs: object) -> None:
            super().__init__(*args, **kwargs)  # type: ignore[call-overload]
            if isinstance(self.args, tuple):  # those that compile kernels have a list
                started.append(self)

    monkeypatch.setattr(plugin_process.subprocess, "Popen", Noted)  # type: ignore[attr-defined]
    yield started
    leave_catalogue(but=before)
    assert not started.running, "processes of plug-ins are left running"
