"""The manual page says what the program's own help says."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from nimdesk import cli

SCRIPT = Path(__file__).resolve().parents[2] / "packaging" / "man_page.py"


@pytest.fixture(scope="module")
def page() -> str:
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "0", "PYTHONPATH": str(SCRIPT.parents[1])}
    return subprocess.run(
        [sys.executable, str(SCRIPT)], env=environment, capture_output=True, text=True, check=True
    ).stdout


def test_every_command_and_option_is_there(page: str) -> None:
    group = cli.commands(lambda *_, **__: 0, lambda _out, _tell: [])
    plain = page.replace("\\-", "-")
    for name, command in group.commands.items():
        assert (f'.SS "nimdesk {name} ' in plain) != command.hidden
        for option in command.params:
            assert all(f"{flag}" in plain for flag in option.opts if flag.startswith("--"))
    assert plain.startswith('.TH NIMDESK 1 "1970-01-01"')


def test_roff_finds_nothing_wrong(page: str) -> None:
    assert not re.search(r"^[.'](?!TH |SH |SS |TP$|B |PP$|nf$|fi$)", page, re.MULTILINE)
    if shutil.which("groff"):
        checked = subprocess.run(
            ["groff", "-man", "-Kutf8", "-ww", "-Tutf8", "-z"], input=page, capture_output=True, text=True, check=False
        )
        assert checked.stderr == ""
