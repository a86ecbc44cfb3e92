"""The entry in the menu of a Linux desktop."""

import configparser
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from calling import Nimdesk

from nimdesk.disk.paths import resources_dir

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the desktops of Linux")


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data"


def test_the_entry_opens_what_the_kinds_of_files_name(nimdesk: Nimdesk, data: Path) -> None:
    result = nimdesk("desktop")
    assert result.code == 0
    files = [Path(line) for line in result.out.splitlines()]
    assert all(file.is_file() and data in file.parents for file in files)
    parser = configparser.ConfigParser(interpolation=None)
    parser.read(data / "applications" / "nimdesk.desktop")
    entry = parser["Desktop Entry"]
    assert entry["exec"].endswith(" --reuse-window %u"), "a link is no file"
    kinds = ElementTree.parse(data / "mime" / "packages" / "nimdesk.xml").getroot()
    space = "{http://www.freedesktop.org/standards/shared-mime-info}"
    systems = {"application/x-go-sgf", "x-scheme-handler/nimdesk"}
    assert {kind.get("type") for kind in kinds} == set(entry["mimetype"].split(";")) - {""} - systems
    patterns = {glob.get("pattern") for glob in kinds.iter(f"{space}glob")}
    assert patterns == {"*.nimdesk", "*.nimdesk-lesson", "*.nimbundle.json", "*.psq", "*.cert"}
    # X.509 certificates end in .cert as well: only those of nimdesk may become its own.
    matches = {kind.get("type"): match for kind in kinds for match in kind.iter(f"{space}match")}
    match = matches["application/x-nimdesk-certificate"]
    for certificate in (resources_dir() / "certificates").iterdir():
        assert certificate.read_bytes().startswith(str(match.get("value")).encode())


def test_it_can_be_taken_away(nimdesk: Nimdesk, data: Path) -> None:
    nimdesk("desktop")
    assert nimdesk("desktop", "--remove").code == 0
    assert not (data / "applications" / "nimdesk.desktop").exists()
    assert nimdesk("desktop", "--remove").code == 0


def test_a_folder_that_cannot_be_written_is_one_sentence(nimdesk: Nimdesk, data: Path) -> None:
    data.write_text("a file")
    result = nimdesk("desktop")
    assert result.code == 2
    assert "cannot be written to" in result.err
