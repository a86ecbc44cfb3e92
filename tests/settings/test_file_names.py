"""Names that people and files give, as names of files: such that every system allows, and never another place."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nimdesk.disk.paths import file_name, path_of, path_text


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("Nim 3-4-5 2026-11-22 16.48", "Nim 3-4-5 2026-11-22 16.48"),
        ("m,n,k 7×6", "m,n,k 7×6"),
        ("Käse 名前", "Käse 名前"),
        ("../../etc/passwd", "etc-passwd"),
        ("a/b\\c:d", "a-b-c-d"),
        ("two\nlines", "two-lines"),
        ("left \u202eto right", "left -to right"),
        (".hidden", "hidden"),
        ("--option", "option"),
        ("full stop. ", "full stop"),
        ("CON", "_CON"),
        ("nul.txt", "_nul.txt"),
        ("com1", "_com1"),
        ("console", "console"),
        ("...", "unnamed"),
        ("", "unnamed"),
        ("x" * 1000, "x" * 150),
    ],
)
def test_a_name_becomes_one_that_every_system_allows(words: str, name: str) -> None:
    assert file_name(words) == name


@given(st.text(max_size=300))
def test_no_words_become_a_path_or_an_invisible_name(words: str) -> None:
    name = file_name(words)
    assert 0 < len(name.encode()) <= 151
    assert name == file_name(name)
    assert not set(name) & set('/\\:*?"<>|\0\n\r\t')
    assert {unicodedata.category(letter)[0] for letter in name} <= set("LMNPSZ")
    assert name[0] not in " .-"
    assert name[-1] not in " .-"


@pytest.mark.parametrize("name", ["a game", "Käse 名前 50%", "b\udcff 50%.nimdesk", "file:", "file:\udcff"])
def test_every_path_has_a_text_that_can_be_kept_and_leads_back(name: str, tmp_path: Path) -> None:
    text = path_text(tmp_path / name)
    assert path_of(text) == tmp_path / name
    text.encode()
    if "\udcff" not in name:
        assert text == str(tmp_path / name)
