"""SECURITY.md names the tests that hold the program to it: they exist."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def test_the_tests_that_it_names_exist() -> None:
    named = re.findall(r"`(tests/[\w/]+\.py)`", (ROOT / "SECURITY.md").read_text("utf-8"))
    assert len(named) > 10
    assert [name for name in named if not (ROOT / name).is_file()] == []
