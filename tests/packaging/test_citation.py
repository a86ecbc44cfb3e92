"""What is said of the program's name and version, in several places, is the same."""

import json
import re
import tomllib
from pathlib import Path

import pytest

from nimdesk.__main__ import main
from nimdesk.version import AUTHORS, HOME, RELEASE, RELEASED, TITLE, __version__

ROOT = Path(__file__).parents[2]


def test_the_citation_file_names_the_newest_release() -> None:
    cited = dict(re.findall(r"^(\S+): \"?(.*?)\"?$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE))
    assert (cited["title"], cited["version"], cited["date-released"]) == (TITLE, RELEASE, RELEASED)
    assert cited["repository-code"] == cited["url"] == HOME
    assert f"- name: {AUTHORS}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"] == __version__
    assert f"\n## {RELEASE} – {RELEASED}\n" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_cite_prints_words_bibtex_and_versions(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["nimdesk", "cite"])
    assert main() == 0
    said = capsys.readouterr().out
    assert re.match(rf"{AUTHORS} \(20\d\d\)\. {re.escape(f'{TITLE} (version {__version__})')}", said)
    assert f"  version = {{{__version__}}}," in said
    assert f"  url = {{{HOME}}}," in said
    assert "Computed with nimdesk" in said
    monkeypatch.setattr("sys.argv", ["nimdesk", "cite", "--json"])
    assert main() == 0
    assert json.loads(capsys.readouterr().out)["made"][0]["nimdesk"] == __version__
