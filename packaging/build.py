#!/usr/bin/env python3
"""Build nimdesk's packages into the folder dist of this checkout, on a machine that has only Python.

    python3 packaging/build.py wheel      the wheel and the source distribution
    python3 packaging/build.py bundle     a folder with its own Python, packed as .tar.gz, for the system it is built on
    python3 packaging/build.py deb        that folder as a Debian package (on Debian; for this release and later ones)
    python3 packaging/build.py all        all of them

On Linux the last two need objdump and strip (package binutils) and what Qt draws with; what is missing is said first.

The same checkout gives the same bytes: dates are SOURCE_DATE_EPOCH, or that of the last commit. SHA256SUMS has the
digests of all that is in dist. What is needed for building is installed into .build, in the versions of uv.lock.
A package that has become larger than its budget fails.
"""

import gzip
import hashlib
import io
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import bootstrap
from bootstrap import ROOT, BootstrapError, call, say

DIST, WORK = ROOT / "dist", ROOT / ".build"
DOCS = ROOT / "resources" / "docs"
VENV = WORK / "venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
BUNDLE = WORK / "bundle" / "nimdesk"
MB = 1_000_000
# What was measured when they were set, and a tenth more.
BUDGETS = {"site": 2 * 2**20, ".whl": 2.9 * MB, "sdist": 9.7 * MB, "bundle": 395 * MB, ".deb": 116 * MB}
# Libraries with names for debuggers that take megabytes. Not all: stripping breaks those that patchelf has changed.
STRIPPED = ("libllvmlite.so", "libpython3*.so*") if sys.platform == "linux" else ()
# What Qt links against, as ``nimdesk.ui.shell.display`` looks for it.
DEPENDS = (
    *("libc6 (>= {glibc})", "libstdc++6", "libgl1", "libegl1", "libglib2.0-0 | libglib2.0-0t64", "libxkbcommon0"),
    *(
        "libfontconfig1",
        "libfreetype6",
        "libdbus-1-3",
        "libx11-6",
        "libx11-xcb1",
        "libxcb-cursor0",
        "libxkbcommon-x11-0",
    ),
    *("libxcb-icccm4", "libxcb-image0", "libxcb-keysyms1", "libxcb-randr0", "libxcb-render-util0", "libxcb-render0"),
    *("libxcb-shape0", "libxcb-shm0", "libxcb-sync1", "libxcb-xfixes0", "libxcb-xkb1", "libxcb1", "libwayland-client0"),
    *("libwayland-cursor0", "libwayland-egl1", "fonts-dejavu-core | fonts-freefont-ttf | fonts-noto-core"),
)
# What tells the desktop of the kinds of files, and opens folders and pages in the desktop's own programs.
RECOMMENDS = ("shared-mime-info", "desktop-file-utils", "xdg-utils")
CONTROL = """Package: nimdesk
Version: {version}
Architecture: {architecture}
Maintainer: The nimdesk authors <nimdesk@users.noreply.github.com>
Installed-Size: {size}
Depends: {depends}
Recommends: {recommends}
Section: science
Priority: optional
Homepage: https://github.com/nimdesk/nimdesk
Description: laboratory for game-tree search
 Play Nim, tic-tac-toe, gomoku or Connect Four against the computer, and watch
 its search make up its mind: the visits of every move, live, on the board and
 on a plot, beside the exact answer wherever it is known.
 .
 A laboratory compares searches side by side, and experiments measure over many
 seeds how fast they find the truth. All of it works on the command line too.
"""
COPYRIGHT = """Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: nimdesk
Source: https://github.com/nimdesk/nimdesk
Comment: /opt/nimdesk has its own Python and other people's libraries, unchanged. The
 licence of each, as it was delivered, is below /opt/nimdesk/licences. Qt and
 PySide6 are under the LGPL, version 3, which is in /usr/share/common-licenses;
 their sources are at https://download.qt.io.

Files: *
Copyright: 2026 The nimdesk authors
License: Expat

License: Expat
"""
# Each with its reason.
OVERRIDES = """# The package is self-contained below /opt on purpose, as packages from outside Debian are.
nimdesk: dir-or-file-in-opt
# Libraries of others are as their authors built them, so that they are the tested ones.
nimdesk: embedded-library
nimdesk: unstripped-binary-or-object
nimdesk: custom-library-search-path
nimdesk: library-not-linked-against-libc
nimdesk: shared-library-lacks-prerequisites
# There is one Python that ever reads it, and that comes in the same package.
nimdesk: package-installs-python-pycache-dir
# The program that PyInstaller brings to start Python with.
nimdesk: hardening-no-pie
"""


def main(arguments: list[str]) -> int:
    """Build what the argument names; 2 with a sentence for anything that a person can put right."""
    steps = {"wheel": [wheel], "bundle": [wheel, bundle], "deb": [wheel, bundle, deb], "all": [wheel, bundle, deb]}
    if arguments[:1] in (["-h"], ["--help"]) or len(arguments) != 1 or arguments[0] not in steps:
        print(__doc__)
        return 0 if arguments[:1] in (["-h"], ["--help"]) else 2
    try:
        look_at_the_system(arguments[0])
        environment = surroundings()
        make_environment()
        DIST.mkdir(exist_ok=True)
        for step in steps[arguments[0]]:
            step(environment)
        if arguments[0] != "wheel":
            pack_bundle(int(environment["SOURCE_DATE_EPOCH"]))
        files = sorted(path for path in DIST.iterdir() if path.name.startswith("nimdesk"))
        lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
        (DIST / "SHA256SUMS").write_text("".join(lines), encoding="utf-8")
        print("".join(lines), end="")
    except (BootstrapError, OSError) as error:
        print(f"nimdesk: {error}", file=sys.stderr)
        return 2
    return 0


def look_at_the_system(wanted: str) -> None:
    """``BootstrapError`` with all that is missing here to build it, before minutes go into half of it."""
    sys.path.insert(0, str(ROOT))
    from nimdesk.ui.shell import display  # this module needs nothing but Python

    packages, lacking = [], []
    python, of_system = "python{}.{}".format(*sys.version_info[:2]), sys.base_prefix == "/usr"
    if not PYTHON.exists() and not bootstrap.has_venv():
        lacking.append("Python's modules venv and ensurepip")
        packages += [f"{python}-venv"] if of_system else []
    if wanted != "wheel" and sys.platform == "linux":
        # PyInstaller takes it along; Debian splits it off.
        if of_system and not display.loads(f"lib{python}.so.1.0"):
            lacking.append(f"lib{python}.so.1.0")
            packages.append(f"lib{python}")
        tools = [name for name in ("objdump", "strip") if not shutil.which(name)]
        lacking += [*tools, *display.missing([display.OFFSCREEN])]
        packages += ["binutils"] if tools else []
    if lacking:
        raise BootstrapError(
            f"missing on this system: {', '.join(lacking)}; {display.how_to_install(lacking, ' '.join(packages))}"
        )


def surroundings() -> dict[str, str]:
    """The environment in which every tool runs: nothing in it may differ from one build to the next."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    if not epoch:
        command = ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]
        git = subprocess.run(command, capture_output=True, text=True, check=False) if shutil.which("git") else None
        # Without git, as from the source distribution, whose files all have its date.
        epoch = (git.stdout.strip() if git else "") or str(int((ROOT / "pyproject.toml").stat().st_mtime))
    os.umask(0o022)
    os.chdir(ROOT)  # where hatchling looks
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "NIMDESK", "VIRTUAL"))}
    return {**kept, "SOURCE_DATE_EPOCH": epoch, "PYTHONHASHSEED": "1", "LC_ALL": "C.UTF-8", "TZ": "UTC"}


def make_environment() -> None:
    """What builds, and what nimdesk needs to run, in the versions of the lock; nothing where that is there."""
    stamp, wanted = VENV / "stamp", hashlib.sha256((ROOT / "uv.lock").read_bytes()).hexdigest()
    if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted and PYTHON.exists():
        return
    shutil.rmtree(VENV, ignore_errors=True)
    WORK.mkdir(exist_ok=True)
    say(f"making the environment for building in {VENV} (the first time takes minutes).")
    constraints = WORK / "constraints.txt"
    constraints.write_text("\n".join(bootstrap.locked_versions()) + "\n", encoding="utf-8")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    docs = project["project"]["optional-dependencies"]["docs"]
    names = [*project["dependency-groups"]["package"], *docs, *project["project"]["dependencies"]]
    pip = [
        str(PYTHON),
        "-m",
        "pip",
        "--disable-pip-version-check",
        "install",
        "-q",
        "--no-input",
        "-c",
        str(constraints),
    ]
    run([bootstrap.own_python(), "-m", "venv", str(VENV)], dict(os.environ))
    run([*pip, *names], dict(os.environ))
    stamp.write_text(wanted, encoding="utf-8")


def run(command: list[str], environment: dict[str, str]) -> None:
    """Run a tool in full view; ``BootstrapError`` if it fails."""
    if call(command, environment):
        raise BootstrapError(f"“{' '.join(command[:4])} …” failed (its last lines are above).")


def version() -> str:
    """The version of this checkout."""
    return str(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"])


def keep_to(budget: str, size: int, what: str) -> None:
    """Say a size; ``BootstrapError`` where it is over its budget."""
    say(f"{what}: {size / MB:.2f} MB, of at most {BUDGETS[budget] / MB:g}.")
    if size > BUDGETS[budget]:
        raise BootstrapError(f"{what} is larger than its budget in {Path(__file__).name}; see what has come in.")


# Wheel


def site(environment: dict[str, str]) -> Path:
    """The pages that F1 opens, built with warnings as errors, by a program that reaches no network; the folder."""
    folder = WORK / "site"
    shutil.rmtree(folder, ignore_errors=True)
    command = [str(PYTHON), "-m", "sphinx", "-q", "-W", "-E", "-d", str(WORK / "read pages"), str(DOCS), str(folder)]
    run(command, {**environment, "PYTHONPATH": str(ROOT), "QT_QPA_PLATFORM": "offscreen"})
    keep_to("site", sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()), "the site")
    return folder


def wheel(environment: dict[str, str]) -> None:
    """The wheel with the pages, and the source distribution, which hatchling makes the same each time."""
    environment = {**environment, "NIMDESK_SITE": str(site(environment))}
    run([str(PYTHON), "-m", "hatchling", "build", "-t", "wheel", "-t", "sdist", "-d", str(DIST)], environment)
    keep_to(".whl", wheel_path().stat().st_size, "the wheel")
    keep_to("sdist", (DIST / f"nimdesk-{version()}.tar.gz").stat().st_size, "the source distribution")


def wheel_path() -> Path:
    """The wheel of this version."""
    return DIST / f"nimdesk-{version()}-py3-none-any.whl"


# Bundle


def bundle(environment: dict[str, str]) -> None:
    """A folder with everything, made by PyInstaller from the wheel, and the licences of what is in it."""
    pip = [str(PYTHON), "-m", "pip", "--disable-pip-version-check", "install", "-q", "--no-deps", "--force-reinstall"]
    run([*pip, str(wheel_path())], environment)
    recipe, made = ROOT / "packaging" / "nimdesk.spec", WORK / "pyinstaller"
    shutil.rmtree(BUNDLE.parent, ignore_errors=True)
    folders = ["--distpath", str(BUNDLE.parent), "--workpath", str(made)]
    run(
        [str(PYTHON), "-m", "PyInstaller", "--noconfirm", "--clean", "--log-level", "ERROR", *folders, str(recipe)],
        # Else it would take nimdesk from the current folder, and not the wheel with its resources.
        {**environment, "PYTHONSAFEPATH": "1"},
    )
    # Its sources are files, and a frozen program writes no bytecode: without this, each start compiles them all.
    inside = BUNDLE / "_internal"
    compiling = ["-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash", "-s", str(inside)]
    run([str(PYTHON), *compiling, str(inside / "nimdesk")], environment)
    for library in (path for name in STRIPPED for path in inside.rglob(name)):
        run(["strip", "--strip-unneeded", str(library)], environment)
    run([str(PYTHON), str(ROOT / "packaging" / "licences.py"), str(BUNDLE)], environment)
    if platform.machine() in ("x86_64", "AMD64"):
        say("compiling the kernels that are shipped (a minute or two).")
        work = WORK / "kernels"
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        run([str(PYTHON), str(ROOT / "packaging" / "kernels.py"), str(BUNDLE), str(work)], environment)
    keep_to("bundle", sum(path.stat().st_size for path in BUNDLE.rglob("*") if not path.is_symlink()), "the bundle")


def pack_bundle(epoch: int) -> None:
    """The bundle as an archive, whose bytes depend on its files alone."""
    name = f"nimdesk-{version()}-{platform.system().lower()}-{platform.machine()}"
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path in [BUNDLE, *in_order(BUNDLE)]:
            entry = archive.gettarinfo(path, f"{name}/{path.relative_to(BUNDLE).as_posix()}")
            entry.uid = entry.gid = 0
            entry.uname = entry.gname = ""
            entry.mtime = epoch
            if entry.isreg():
                with path.open("rb") as file:
                    archive.addfile(entry, file)
            else:
                archive.addfile(entry)
    with (DIST / f"{name}.tar.gz").open("wb") as file, gzip.GzipFile("", "wb", 6, file, epoch) as zipped:
        zipped.write(packed.getbuffer())


def in_order(folder: Path) -> Iterator[Path]:
    """All below a folder, in an order that does not depend on the disk; links are not followed."""
    for path in sorted(folder.iterdir()):
        yield path
        if path.is_dir() and not path.is_symlink():
            yield from in_order(path)


# Debian


def deb(environment: dict[str, str]) -> None:
    """The bundle below /opt, and what a desktop and the shells want to have of it."""
    if not shutil.which("dpkg-deb"):
        raise BootstrapError("a Debian package is built by dpkg-deb, which this system does not have.")
    tree, epoch = WORK / "deb", int(environment["SOURCE_DATE_EPOCH"])
    shutil.rmtree(tree, ignore_errors=True)
    (tree / "opt").mkdir(parents=True)
    (tree / "usr" / "bin").mkdir(parents=True)
    shutil.copytree(BUNDLE, tree / "opt" / "nimdesk", symlinks=True)
    (tree / "usr" / "bin" / "nimdesk").symlink_to("/opt/nimdesk/nimdesk")
    drawing = {**environment, "QT_QPA_PLATFORM": "offscreen"}
    run([str(PYTHON), str(ROOT / "packaging" / "extras.py"), str(tree)], drawing)
    documents = tree / "usr" / "share" / "doc" / "nimdesk"
    documents.mkdir(parents=True)
    licence = (ROOT / "LICENSE").read_text(encoding="utf-8").partition("\n\n")[2].partition("\n\n")[2]
    text = "\n".join(f" {line}" if line.strip() else " ." for line in licence.strip().splitlines())
    (documents / "copyright").write_text(f"{COPYRIGHT}{text}\n", encoding="utf-8")
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    (documents / "CHANGELOG.md.gz").write_bytes(gzip.compress(changes.encode(), mtime=0))
    (documents / "changelog.gz").write_bytes(gzip.compress(debian_changelog(changes, epoch).encode(), mtime=0))
    overrides = tree / "usr" / "share" / "lintian" / "overrides" / "nimdesk"
    overrides.parent.mkdir(parents=True)
    overrides.write_text(OVERRIDES, encoding="utf-8")
    set_rights(tree, epoch)
    write_control(tree)
    architecture = output("dpkg", "--print-architecture")
    path = DIST / f"nimdesk_{debian_version(version())}_{architecture}.deb"
    run(["dpkg-deb", "--root-owner-group", "-Zxz", "-z3", "--build", str(tree), str(path)], environment)
    keep_to(".deb", path.stat().st_size, "the Debian package")


def debian_version(name: str) -> str:
    """A version as Debian sorts it: what is under way comes before its release, which ``~`` says."""
    return re.sub(r"\.?(dev|a|b|rc)(?=\d)", r"~\1", name)


def debian_changelog(changes: str, epoch: int) -> str:
    """An entry for each release in these changes, in Debian's form; for a version under way one more, of the epoch."""
    releases = re.findall(r"^## (\d\S*) – (\d+-\d+-\d+)$", changes, re.MULTILINE)
    dated = [(name, int(datetime.fromisoformat(f"{day}T12:00:00+00:00").timestamp())) for name, day in releases]
    if version() not in dict(releases):
        dated.insert(0, (version(), epoch))
    return "\n".join(
        f"nimdesk ({debian_version(name)}) unstable; urgency=medium\n\n"
        "  * What changes is in CHANGELOG.md.gz, beside this file.\n\n"
        f" -- The nimdesk authors <nimdesk@users.noreply.github.com>  {rfc_date(seconds)}\n"
        for name, seconds in dated
    )


def write_control(tree: Path) -> None:
    """What dpkg knows of the package, and the digests of its files."""
    files = [path for path in in_order(tree) if path.is_file() and not path.is_symlink()]
    glibc = platform.libc_ver()[1]
    control = CONTROL.format(
        version=debian_version(version()),
        architecture=output("dpkg", "--print-architecture"),
        size=sum(path.stat().st_size for path in files) // 1024,
        depends=", ".join(DEPENDS).format(glibc=glibc),
        recommends=", ".join(RECOMMENDS),
    )
    sums = [f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(tree).as_posix()}\n" for path in files]
    (tree / "DEBIAN").mkdir()
    (tree / "DEBIAN" / "control").write_text(control, encoding="utf-8")
    (tree / "DEBIAN" / "md5sums").write_text("".join(sums), encoding="utf-8")


def set_rights(tree: Path, epoch: int) -> None:
    """Only programs may be run, and everything has one date."""
    for path in in_order(tree):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or (path.name == "nimdesk" and path.parent.name == "nimdesk") else 0o644)
        os.utime(path, (epoch, epoch), follow_symlinks=False)


def rfc_date(epoch: int) -> str:
    """The date as changelogs have it."""
    from email.utils import formatdate

    return formatdate(epoch).replace("-0000", "+0000")


def output(*command: str) -> str:
    """What a tool prints."""
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
