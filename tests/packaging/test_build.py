"""What packages are made of, without building the large ones: metadata, archives, files for the desktop."""

import configparser
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from email import message_from_bytes
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest

from nimdesk.ui.shell.pages import PAGES
from nimdesk.version import HOME, ISSUES, __version__

ROOT = Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "packaging"
EPOCH = "1700000000"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="packages are built on Linux")


@pytest.fixture(scope="module")
def wheel(build: ModuleType, site: Path, tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """The wheel as the script builds it, which refuses one, or a source distribution, that is over its budget."""
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(build, "site", lambda _environment: site)
        changed.setattr(build, "DIST", tmp_path_factory.mktemp("dist"))
        changed.setattr(build, "PYTHON", Path(sys.executable))
        changed.chdir(ROOT)
        build.wheel({**os.environ, "SOURCE_DATE_EPOCH": EPOCH})
        return zipfile.ZipFile(build.wheel_path())


def test_the_wheel_says_what_it_is(wheel: zipfile.ZipFile) -> None:
    name = f"nimdesk-{__version__}.dist-info/METADATA"
    said = message_from_bytes(wheel.read(name))
    addresses = dict(url.split(", ") for url in said.get_all("Project-URL") or ())
    assert addresses["Issues"] == ISSUES
    assert addresses["Documentation"].startswith(HOME)
    assert addresses["Changelog"].startswith(HOME)
    classifiers = said.get_all("Classifier") or []
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    oldest, after = (int(word.rpartition(".")[2]) for word in re.findall(r"3\.\d+", project["requires-python"]))
    for minor in range(oldest, after):
        assert f"Programming Language :: Python :: 3.{minor}" in classifiers
    assert not re.findall(r"\]\((?!https://|#)[^)]*\)", said.get_payload()), "links that lead nowhere there"


def test_the_wheel_has_what_is_read_and_nothing_to_look_at(wheel: zipfile.ZipFile) -> None:
    names = [name for name in wheel.namelist() if not name.startswith("nimdesk/_resources/site/")]
    parts = ("icons/*.svg", "certificates/*.cert", "notebooks/*.py", "*.schema.json", "*.book", "*.db", "solved.json")
    read = [path for part in parts for path in (ROOT / "resources").glob(part)]
    assert len(read) > len(parts)
    assert {f"nimdesk/_resources/{path.relative_to(ROOT / 'resources').as_posix()}" for path in read} <= set(names)
    assert {"nimdesk/__init__.py", "nimdesk/py.typed"} <= set(names)
    texts = {name for name in names if name.endswith(".md")}
    assert texts == {"nimdesk/_resources/readings.md"}, "what the notes of a published table open"
    assert not [name for name in names if name.endswith(".png") or name.startswith("tests")]


def test_the_wheel_has_a_page_about_every_place_of_the_window(wheel: zipfile.ZipFile) -> None:
    pages = {f"nimdesk/_resources/site/{page}.html" for page in ("index", "search", *PAGES.values())}
    assert pages - set(wheel.namelist()) == set()


def test_an_archive_depends_on_its_files_alone(
    build: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    packed = []
    for number, order in enumerate(("ab", "ba")):
        bundle, dist = tmp_path / f"{number}" / "nimdesk", tmp_path / f"dist-{number}"
        dist.mkdir()
        for name in order:
            (bundle / name).mkdir(parents=True)
            (bundle / name / "file").write_text(name)
            os.utime(bundle / name / "file", (number, number))
        (bundle / "link").symlink_to("a/file")
        monkeypatch.setattr(build, "BUNDLE", bundle)
        monkeypatch.setattr(build, "DIST", dist)
        build.pack_bundle(int(EPOCH))
        packed.append(next(dist.iterdir()).read_bytes())
    assert packed[0] == packed[1]


@pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="dpkg-deb is not installed")
def test_the_debian_package_has_the_bundle_and_starts_it(
    build: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    bundle = tmp_path / "bundle" / "nimdesk"
    (bundle / "_internal").mkdir(parents=True)
    (bundle / "nimdesk").write_text("program")
    (bundle / "_internal" / "library.so").write_text("library")
    for name, path in {"BUNDLE": bundle, "DIST": tmp_path, "WORK": tmp_path, "PYTHON": Path(sys.executable)}.items():
        monkeypatch.setattr(build, name, path)
    build.deb({**os.environ, "SOURCE_DATE_EPOCH": EPOCH, "PYTHONPATH": str(ROOT)})
    (made,) = tmp_path.glob(f"nimdesk_{build.debian_version(__version__)}_*.deb")
    said = subprocess.run(["dpkg-deb", "-f", str(made)], capture_output=True, text=True, check=True).stdout
    assert "\nRecommends: shared-mime-info, " in said
    command = ["dpkg-deb", "-c", str(made)]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert all(line.split()[1] == "root/root" for line in listed)
    assert [line for line in listed if line.endswith("./usr/bin/nimdesk -> /opt/nimdesk/nimdesk")]
    rights = {line.split()[5]: line.split()[0] for line in listed}
    assert rights["./opt/nimdesk/nimdesk"] == "-rwxr-xr-x"
    assert rights["./opt/nimdesk/_internal/library.so"] == "-rw-r--r--"


def test_the_changelog_of_debian_has_every_release_with_its_day(build: ModuleType) -> None:
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    said = build.debian_changelog(changes, int(EPOCH))
    entries = re.findall(
        r"^nimdesk \((\S+)\) unstable; .*\n\n  \* .*\n\n -- .*> {2}\w{3}, (.*) \S+ \+0000$", said, re.MULTILINE
    )
    assert entries[0][0] == build.debian_version(__version__)
    assert entries[-2:] == [("0.2.0", "21 Nov 2026"), ("0.1.0", "21 Nov 2026")]


def test_a_release_replaces_what_was_on_the_way_to_it(build: ModuleType) -> None:
    assert [build.debian_version(name) for name in ("0.3.0.dev0", "1.0rc2", "0.3.0")] == [
        "0.3.0~dev0",
        "1.0~rc2",
        "0.3.0",
    ]


def test_a_package_over_its_budget_is_refused(build: ModuleType) -> None:
    build.keep_to(".whl", build.BUDGETS[".whl"], "the wheel")
    with pytest.raises(build.BootstrapError, match="larger than its budget"):
        build.keep_to(".whl", build.BUDGETS[".whl"] + 1, "the wheel")


def test_what_is_missing_for_a_bundle_is_said_before_anything_is_made(
    build: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(build, "DIST", tmp_path / "dist")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert build.main(["bundle"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("nimdesk: missing on this system: ")
    assert "objdump, strip; install " in said
    assert not (tmp_path / "dist").exists()


def test_nonsense_builds_nothing(build: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in ([], ["exe"], ["wheel", "deb"]):
        assert build.main(arguments) == 2
        assert "build.py deb" in capsys.readouterr().out


@pytest.fixture(scope="module")
def share(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("extras")
    more = {"SOURCE_DATE_EPOCH": EPOCH, "PYTHONPATH": str(ROOT), "QT_QPA_PLATFORM": "offscreen"}
    subprocess.run([sys.executable, str(PACKAGING / "extras.py"), str(folder)], env={**os.environ, **more}, check=True)
    return folder / "usr" / "share"


def test_the_desktop_finds_program_icons_and_kinds_of_files(share: Path) -> None:
    entry = configparser.ConfigParser(interpolation=None)
    entry.read(share / "applications" / "nimdesk.desktop")
    assert entry["Desktop Entry"]["exec"] == "nimdesk --reuse-window %u"
    metainfo = ElementTree.parse(share / "metainfo" / "io.github.nimdesk.nimdesk.metainfo.xml").getroot()
    provided = {kind.text for kind in metainfo.iter("mediatype")}
    # Besides kinds of files it opens links, which are no files to be found by.
    assert provided == set(entry["Desktop Entry"]["mimetype"].split(";")) - {"", "x-scheme-handler/nimdesk"}
    assert metainfo.findtext("launchable") == "nimdesk.desktop"
    released = [(release.get("version"), release.get("date")) for release in metainfo.iter("release")]
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert released == re.findall(r"^## (\d\S*) – (\S+)$", changes, re.MULTILINE)
    sizes = {path.parent.parent.name for path in (share / "icons" / "hicolor").rglob("nimdesk*")}
    assert {"16x16", "512x512", "scalable", "symbolic"} <= sizes
    colours = set(re.findall("#[0-9a-f]{6}", (share / "icons/hicolor/symbolic/apps/nimdesk-symbolic.svg").read_text()))
    assert len(colours) == 1


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="the pictures are in the repository alone")
def test_every_screenshot_of_the_metainfo_is_a_picture_of_this_repository() -> None:
    metainfo = ElementTree.parse(next((PACKAGING / "desktop").glob("*.metainfo.xml"))).getroot()
    pictures = [image.text or "" for image in metainfo.iter("image")]
    assert len(pictures) >= 3
    for address in pictures:
        _, found, name = address.partition("/nimdesk/nimdesk/main/")
        assert found
        assert (ROOT / name).read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("tool", "file"),
    [
        (["desktop-file-validate"], "applications/nimdesk.desktop"),
        (["appstreamcli", "validate", "--no-net"], "metainfo/io.github.nimdesk.nimdesk.metainfo.xml"),
        (["bash", "-n"], "bash-completion/completions/nimdesk"),
        (["zsh", "-n"], "zsh/vendor-completions/_nimdesk"),
        (["fish", "-n"], "fish/vendor_completions.d/nimdesk.fish"),
    ],
)
def test_their_own_tools_find_nothing_wrong(share: Path, tool: list[str], file: str) -> None:
    if shutil.which(tool[0]) is None:
        pytest.skip(f"{tool[0]} is not installed")
    checked = subprocess.run([*tool, str(share / file)], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout + checked.stderr
