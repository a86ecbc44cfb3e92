"""README, CONTRIBUTING and the page on the architecture are true: what they name is there, and can be typed."""

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
CONTRIBUTING = ROOT / "CONTRIBUTING.md"
ARCHITECTURE = ROOT / "resources" / "docs" / "architecture.md"
PATH = re.compile(r"`((?:[a-z_]+/)*[\w.]+(?:/|\.py|\.toml|\.md)|(?:[a-z_]+/)+[a-z_]+)`")
"""A file or a folder in signs for code."""


def _blocks(page: Path) -> list[str]:
    return re.findall(r"^```\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def _commands() -> list[list[str]]:
    lines = "".join(_blocks(CONTRIBUTING)).splitlines()
    return [shlex.split(line, comments=True) for line in lines if line.strip()]


@pytest.mark.parametrize("page", [CONTRIBUTING, ARCHITECTURE], ids=lambda page: page.name)
def test_files_and_folders_that_a_page_names_are_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    linked = [page.parent / each for each in re.findall(r"\]\(([^)#:]+)\)", text)]
    named = [(ROOT / each, ROOT / "nimdesk" / each) for each in PATH.findall(text) if "NAME" not in each]
    assert len(named) > 3
    assert [each for each in linked if not each.exists()] == []
    assert [each for each, inside in named if not each.exists() and not inside.exists()] == []


def test_readme_is_one_page_and_leads_to_the_others() -> None:
    text = README.read_text(encoding="utf-8")
    linked = re.findall(r"\]\(([^)#:]+)\)", text)
    assert [each for each in linked if not (ROOT / each).exists()] == []
    assert {f"resources/pictures/{page}.png" for page in ("play", "laboratory", "experiments")} <= set(linked)
    assert len(text.split()) < 1000
    commands = [words for block in _blocks(README) for words in map(str.split, block.splitlines())]
    assert [words[:2] for words in commands] == [["git", "clone"], ["python3", "packaging/bootstrap.py"]]


def test_the_drawing_has_the_layers_that_are_checked() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (layers,) = (each["layers"] for each in settings["tool"]["importlinter"]["contracts"] if each["type"] == "layers")
    checked = [list(dict.fromkeys(re.findall(r"nimdesk\.(\w+)", layer))) for layer in layers]
    drawn = [re.split(" {3,}", line)[0].split(" · ") for line in _blocks(ARCHITECTURE)[0].splitlines()]
    assert drawn == checked


@pytest.mark.parametrize("command", _commands(), ids=" ".join)
def test_a_command_can_be_typed(command: list[str]) -> None:
    read = command[:-1] if "sphinx-build" in command else command  # it makes the last one
    paths = [each.partition("::")[0] for each in read if "/" in each]
    assert [each for each in paths if not (ROOT / each).exists()] == []
    if command[:3] == ["uv", "run", "pytest"] and command[3:]:
        # What it selects is there in the last folder already; to look through all of them takes long.
        called = [
            sys.executable,
            "-m",
            *(each for each in command[2:] if each not in paths[:-1]),
            "--collect-only",
            "-q",
            *(["-n", "0"] if "-n" in command else []),  # without the processes that it begins
        ]
        done = subprocess.run(called, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stdout + done.stderr  # 5 where there are none
    elif command[:2] == ["uv", "run"]:
        assert (Path(sys.executable).parent / command[2]).exists() or command[2] == "nimdesk"
