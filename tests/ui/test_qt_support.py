"""Code kept from one start to the next: what is compiled again, and when."""

from __future__ import annotations

import builtins
import re
from pathlib import Path

import pytest

from nimdesk.ui.shell.qt_loading import begin_loading
from nimdesk.ui.shell.qt_support import compiled_once

NAME = "shibokensupport/tool.py"


def value_of(folder: Path, source: bytes, name: str = NAME) -> object:
    """The ``x`` that this code makes, compiled as PySide6 does it."""
    made: dict[str, object] = {}
    with compiled_once(folder):
        exec(compile(source, name, "exec"), made)
    return made["x"]


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of what Python really compiles."""
    names: list[str] = []
    now = builtins.compile

    def noted(source: object, filename: str, *args: object, **kwargs: object) -> object:
        names.append(filename)
        return now(source, filename, *args, **kwargs)  # type: ignore[call-overload]

    monkeypatch.setattr(builtins, "compile", noted)
    return names


def test_the_same_text_is_compiled_once(tmp_path: Path, compiled: list[str]) -> None:
    assert [value_of(tmp_path / "new", b"x = 6 * 7") for _ in range(3)] == [42, 42, 42]
    assert compiled == [NAME]


def test_another_text_under_the_same_name_is_compiled_anew(tmp_path: Path, compiled: list[str]) -> None:
    assert [value_of(tmp_path, text) for text in (b"x = 1", b"x = 2", b"x = 2")] == [1, 2, 2]
    assert compiled == [NAME, NAME]


def test_other_modules_are_left_to_python(tmp_path: Path, compiled: list[str]) -> None:
    assert [value_of(tmp_path, b"x = 1", "other.py") for _ in range(2)] == [1, 1]
    assert compiled == ["other.py", "other.py"]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("content", [b"", b"nonsense", b"(\x02\x00\x00\x00NN", b"N", b"\xff" * 100])
def test_a_broken_file_is_replaced(tmp_path: Path, compiled: list[str], content: bytes) -> None:
    value_of(tmp_path, b"x = 1")
    (kept,) = tmp_path.iterdir()
    kept.write_bytes(content)
    assert [value_of(tmp_path, b"x = 1") for _ in range(2)] == [1, 1]
    assert compiled == [NAME, NAME]


def test_where_nothing_can_be_kept_it_only_takes_longer(tmp_path: Path, compiled: list[str]) -> None:
    (tmp_path / "file").write_text("in the way")
    assert [value_of(tmp_path / "file", b"x = 1") for _ in range(2)] == [1, 1]
    assert compiled == [NAME, NAME]


def test_all_is_as_before_afterwards_whatever_happens(tmp_path: Path) -> None:
    before = builtins.compile, re.compile

    def fail() -> None:
        with compiled_once(tmp_path):
            assert builtins.compile != before[0]
            assert re.compile != before[1]
            raise ImportError

    with pytest.raises(ImportError):
        fail()
    assert (builtins.compile, re.compile) == before


def test_a_late_pattern_finds_what_it_should(tmp_path: Path) -> None:
    support = {"__name__": "shibokensupport.parser", "re": re}
    with compiled_once(tmp_path):
        exec("late = re.compile(r'( [a-z]+ )', flags=re.VERBOSE)\nfind = late.finditer", support)
    assert not isinstance(support["late"], re.Pattern)
    assert [found.group(1) for found in support["find"]("nim 3 desk")] == ["nim", "desk"]  # type: ignore[operator]
    with pytest.raises(AttributeError):
        support["late"].nonsense  # type: ignore[attr-defined]  # noqa: B018


def test_loading_libraries_beside_python_comes_to_an_end() -> None:
    loading = begin_loading()
    loading.join(timeout=20)
    assert not loading.is_alive()
