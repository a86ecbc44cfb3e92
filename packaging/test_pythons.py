#!/usr/bin/env python3
"""Run the tests on each Python that is there, and with the lowest versions that pyproject.toml allows.

    python3 packaging/test_pythons.py [--only 3.12] [--lowest] [arguments of pytest]

Without a flag: Python 3.11 to 3.14, as far as uv finds or fetches them, in the versions of uv.lock, and then the oldest
of them with the lowest versions of what nimdesk needs. Each has an environment of its own below .build; the last lines
are a table of what passed. It needs uv.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tomllib

from bootstrap import NEWEST, OLDEST, ROOT, say

WORK = ROOT / ".build" / "pythons"


def main() -> int:
    """0 if all that could be had has passed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", help="this Python alone")
    parser.add_argument("--lowest", action="store_true", help="the lowest versions alone, on the oldest Python")
    known, rest = parser.parse_known_args()
    uv = shutil.which("uv")
    if uv is None:
        print("nimdesk: this needs uv, which is not on the PATH.", file=sys.stderr)
        return 2
    versions = [f"3.{minor}" for minor in range(OLDEST[1], NEWEST[1] + 1)]
    wanted = [(version, False) for version in versions if known.only in (None, version) and not known.lowest]
    if known.lowest or known.only is None:
        wanted.append((known.only or versions[0], True))
    told = [f"{name(version, lowest):<24}{tried(uv, version, lowest, rest)}" for version, lowest in wanted]
    print("\n" + "\n".join(told))
    return int(any("FAILED" in line for line in told))


def name(version: str, lowest: bool) -> str:
    """What this run is called."""
    return f"Python {version}{', lowest' if lowest else ''}"


def tried(uv: str, version: str, lowest: bool, arguments: list[str]) -> str:
    """How the tests went, in a word or two."""
    venv = WORK / f"{version}{'-lowest' if lowest else ''}"
    python = venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if call([uv, "venv", "-q", "--clear", "--python", version, str(venv)]):
        return "not to be had here"
    install = [uv, "pip", "install", "-q", "--python", str(python), "-e", str(ROOT)]
    if lowest:
        # What the tests need is not what is asked about: it comes after, as new as it goes with what is there.
        failed = call([*install, "--resolution", "lowest-direct"]) or call([*install, *dev_packages()])
    else:
        environment = {**os.environ, "UV_PROJECT_ENVIRONMENT": str(venv)}
        command = [uv, "sync", "-q", "--locked", "--project", str(ROOT), "--python", str(python)]
        failed = call(command, environment)
    if failed:
        return "FAILED to install"
    say(f"{name(version, lowest)}: testing")
    return "FAILED" if call([str(python), "-P", "-m", "pytest", *arguments]) else "passed"


def dev_packages() -> list[str]:
    """What the tests need."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return list(project["dependency-groups"]["dev"])


def call(command: list[str], environment: dict[str, str] | None = None) -> int:
    """Run it in full view, in the checkout."""
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
