"""Have a bundle compile all its kernels, put them into its resources, and see that they are found from elsewhere.

    python packaging/kernels.py BUNDLE WORK     in an environment that has the same nimdesk

WORK is a folder for what is needed meanwhile. What is checked: the bundle, moved to another folder and with an empty
cache, has all its searches and compiles nothing.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from nimdesk.kernels.shipped import FOLDER, ship


def main(bundle: Path, work: Path) -> None:
    """Do both, or exit with a sentence."""
    resources = bundle / "_internal" / "nimdesk" / "_resources"
    # Because this is there, the program compiles for the processor that the folder is named by.
    (resources / FOLDER).mkdir(parents=True)
    made = warmed_up(bundle, work / "made")
    ship(made, bundle / "_internal" / "nimdesk", resources)
    moved = work / "moved" / bundle.name
    moved.parent.mkdir()
    bundle.rename(moved)
    try:
        found = warmed_up(moved, work / "found")
    finally:
        moved.rename(bundle)
    if not code(made) or code(made) != code(found):
        sys.exit(f"The shipped kernels are not all found: {len(code(made))} were compiled, then {len(code(found))}.")
    size = sum(path.stat().st_size for path in resources.joinpath(FOLDER).rglob("*") if path.is_file())
    print(f"nimdesk: {len(code(made))} kernels for {FOLDER.name} are shipped, {size / 1e6:.1f} MB.", file=sys.stderr)


def warmed_up(bundle: Path, cache: Path) -> Path:
    """The folder of kernels after the bundle's “warm-up” with this cache."""
    shutil.rmtree(cache, ignore_errors=True)
    environment = {**os.environ, **{f"NIMDESK_{kind}_DIR": str(cache) for kind in ("CACHE", "CONFIG", "DATA")}}
    if subprocess.run([str(bundle / "nimdesk"), "warm-up"], env=environment, check=False).returncode:
        sys.exit("The bundle cannot compile its kernels (its last lines are above).")
    [folder] = cache.glob("kernels-*")
    return folder


def code(folder: Path) -> list[str]:
    """What was compiled, whatever numba calls the folders."""
    return sorted(f"{path.parent.name.partition('_')[0]}/{path.name}" for path in folder.rglob("*.nbc"))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
