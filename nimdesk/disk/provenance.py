"""Where numbers come from: the machine, the date, the time they took, and the versions of all that computes them.

Every file with results says so, in a place of its own: a table that depends on a plan alone stays the same to the byte
wherever it is made, and what made it stands in a file beside it. The machine has no name here: files are passed on.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from nimdesk.disk.atomic import write_file
from nimdesk.errors import shown
from nimdesk.version import __version__

SUFFIX = ".made.json"
"""What is added to the name of a table for the file beside it."""
_Words = Annotated[str, Meta(max_length=400)]
_GIT_S = 5.0


class Provenance(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What made something, and when.

    ``date`` is in UTC: when a run began, or when anything else was written down. ``cores`` are the processors that the
    program might use. ``commit`` is "" for an installed package. ``by`` says how many threads, or what cluster, worked
    at it; ``results`` how many games or searches it made; ``wall_s`` the seconds that it took, without pauses. These
    are empty if nobody counted them.
    """

    nimdesk: _Words
    commit: _Words = ""
    python: _Words
    numpy: _Words
    numba: _Words
    system: _Words
    processor: _Words
    cores: Annotated[int, Meta(ge=0)]
    date: _Words
    by: _Words = ""
    results: Annotated[int, Meta(ge=0)] | None = None
    wall_s: Annotated[float, Meta(ge=0)] | None = None

    @property
    def programs(self) -> str:
        """The versions in words."""
        commit = f" ({self.commit})" if self.commit else ""
        return shown(f"nimdesk {self.nimdesk}{commit}, Python {self.python}, NumPy {self.numpy}, numba {self.numba}")

    @property
    def words(self) -> str:
        """All of it as one line without a full stop."""
        spent = "" if self.wall_s is None else f" in {self.wall_s:,.1f} s"
        found = "" if self.results is None else f", {self.results:,} results"
        by = f" by {self.by}" if self.by else ""
        machine = f"{self.system}, {self.processor}, {self.cores} {'core' if self.cores == 1 else 'cores'}"
        return f"{shown(f'{self.date}{found}{spent}{by}')}: {self.programs}; {shown(machine)}"


def made_here(*, by: str = "", results: int | None = None, wall_s: float | None = None) -> Provenance:
    """The provenance of what this program makes now."""
    return Provenance(
        nimdesk=__version__,
        commit=_commit(),
        python=platform.python_version(),
        numpy=_version_of("numpy"),
        numba=_version_of("numba"),
        system=f"{platform.system()} {platform.release()} {platform.machine()}",
        processor=_processor(),
        cores=cores(),
        date=datetime.now(UTC).isoformat(" ", "seconds").replace("+00:00", " UTC"),
        by=by,
        results=results,
        wall_s=wall_s,
    )


def plain(made: Provenance) -> dict[str, object]:
    """The provenance as plain JSON values."""
    fields: dict[str, object] = msgspec.to_builtins(made)
    return fields


def beside(table: Path) -> Path:
    """The file that says how this table was made."""
    return table.with_name(table.name + SUFFIX)


def document(about: Mapping[str, object], made: Sequence[Provenance]) -> bytes:
    """The content of the file beside a table: what the numbers are of, and what made them.

    Names of files that are no Unicode, as on Linux, have a "?" for what is wrong.
    """
    told = {key: _unicode(value) if isinstance(value, str) else value for key, value in about.items()}
    return msgspec.json.format(msgspec.json.encode({**told, "made": list(map(plain, made))}), indent=2) + b"\n"


def _unicode(text: str) -> str:
    return text.encode(errors="replace").decode()


def write_beside(table: Path, about: Mapping[str, object], made: Sequence[Provenance]) -> None:
    """Write what a table is of, and what made it, to the file beside it; ``NimdeskError`` if that fails."""
    write_file(beside(table), document({"file": table.name, **about}, made), follow=False)


def cores() -> int:
    """The processors that this program may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _version_of(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version  # lazy: saved games know this module from the start

    with suppress(PackageNotFoundError):
        return version(package)
    return "unknown"


@cache
def _processor() -> str:
    with suppress(OSError, ValueError):
        for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines():
            name, _, value = line.partition(":")
            if name.strip() in ("model name", "Model", "cpu model") and value.strip():
                return value.strip()[:200]
    return platform.processor() or platform.machine() or "unknown"


@cache
def _commit() -> str:
    """The commit of a checkout, with "-dirty" where files have been changed since; "" for an installed package."""
    root = Path(__file__).parents[2]
    if not (root / ".git").exists():
        return ""
    import subprocess  # lazy, as above

    # Other commands, such as "describe --dirty", lock the index, and leave the lock behind when they are killed.
    command = ["git", "--no-optional-locks", "-C", str(root), "status", "--porcelain=v2", "--branch", "-uno"]
    with suppress(OSError, ValueError, subprocess.SubprocessError):
        told = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=_GIT_S, check=True)
        head, *others = told.stdout.splitlines()
        dirty = any(not line.startswith("#") for line in others)
        commit = head.removeprefix("# branch.oid ")[:12]
        return "" if commit.startswith("(") else commit + "-dirty" * dirty  # "(initial)": there is none yet
    return ""
