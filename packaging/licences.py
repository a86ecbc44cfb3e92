"""Copy the licences of all that is in a bundle into its folder ``licences``; run by the Python that it was made from.

Packages bring theirs in their metadata, Python its own; libraries of the system have Debian's copyright files.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
from importlib.metadata import Distribution, distributions
from pathlib import Path

_NAMES = ("licen", "copying", "notice", "authors", "copyright")
_ONLY_FOR_BUILDING = {"pip", "setuptools", "hatchling", "pyinstaller-hooks-contrib", "altgraph", "trove-classifiers"}


def main(bundle: Path) -> None:
    """Do it for the bundle in this folder."""
    folder = bundle / "licences"
    for found in distributions():
        if found.metadata["Name"].lower() not in _ONLY_FOR_BUILDING:
            copy_package(found, folder / found.metadata["Name"])
    python = Path(sysconfig.get_path("stdlib")) / "LICENSE.txt"
    if python.is_file():
        (folder / "Python").mkdir(parents=True, exist_ok=True)
        shutil.copyfile(python, folder / "Python" / "LICENSE.txt")
    for library in sorted((bundle / "_internal").glob("*.so*")):
        copy_library(library.name, folder)


def copy_package(found: Distribution, folder: Path) -> None:
    """The licences of a package; its summary of them where it brings none."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in found.files or ():
        path = Path(str(found.locate_file(file)))
        if ".dist-info" in str(file) and file.name.lower().startswith(_NAMES) and path.is_file():
            shutil.copyfile(path, folder / file.name)
    if not any(folder.iterdir()):
        said = [found.metadata[field] for field in ("License-Expression", "License") if field in found.metadata]
        said += [line for line in found.metadata.get_all("Classifier") or () if line.startswith("License ::")]
        said += [found.metadata[field] for field in ("Home-page",) if field in found.metadata]
        (folder / "LICENCE").write_text("\n".join(said) + "\n", encoding="utf-8")


def copy_library(name: str, folder: Path) -> None:
    """The copyright file of a library that comes from Debian."""
    if not shutil.which("dpkg-query"):
        return
    found = subprocess.run(["dpkg-query", "-S", f"*/{name}"], capture_output=True, text=True, check=False).stdout
    package = found.partition(":")[0]
    source = Path("/usr/share/doc") / package / "copyright"
    if package and source.is_file():
        (folder / package).mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, folder / package / "copyright")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
