"""Tables for spreadsheets: a name that begins as a formula does is written so that it is not run."""

from __future__ import annotations

import ast
import csv
import io
from pathlib import Path

import pytest

import nimdesk
from nimdesk.cells import cell, csv_text, tab_line


@pytest.mark.parametrize(
    "name",
    ["=1+1", "+1+cmd", "-2+3", "@SUM(A1)", "\tx", "\nx", " =1", "=HYPERLINK(1)", "\uff1d1+1", "\ufeff=2", "\u200b@x"],
)  # fmt: skip
def test_what_a_spreadsheet_would_run_is_marked_as_text(name: str) -> None:
    assert cell(name) == f"'{name}"


@pytest.mark.parametrize(
    ("name", "marked"),
    [
        ("a\r=1+1", "a\n'=1+1"),
        ("a\rb", "a\nb"),
        ("a\r\n\r\n @x", "a\n'\n' @x"),
        ("a;=1+1;b", "a;'=1+1;b"),
        ("a\t+x", "a\t'+x"),
        ("\r=1", "'\n'=1"),
        ("a; b, -1", "a; b, -1"),
    ],
)
def test_neither_does_it_run_what_follows_what_it_may_take_for_the_end_of_a_cell(name: str, marked: str) -> None:
    assert cell(name) == marked
    assert list(csv.reader(io.StringIO(csv_text(["n"], [[name, 1]]), newline="")))[1] == [marked, "1"]


@pytest.mark.parametrize(
    "value",
    [-1, -0.5, "-0.25", "+3", "1e-9", "-inf", "", "-", "+", "=", "+-=?", "2-3", "b2", "MCTS", "uct:exploration=0.5",
     "it's", "–", "x@y"],
)  # fmt: skip
def test_numbers_signs_and_other_names_stay_as_they_are(value: object) -> None:
    assert cell(value) == str(value)


def test_a_table_is_read_back_as_it_was_written() -> None:
    rows = [[1, None, 'a "quoted", name'], [0.1, "=x", "two\nlines"]]
    read = list(csv.reader(io.StringIO(csv_text(("@n", "m", "o"), rows))))
    assert read == [["'@n", "m", "o"], ["1", "", 'a "quoted", name'], ["0.1", "'=x", "two\nlines"]]


def test_a_line_for_the_clipboard_has_a_tab_for_each_column() -> None:
    assert tab_line(["a\tb\nc", None, -1.5, "=x"]) == "a b c\t\t-1.5\t'=x"


def test_all_csv_is_written_in_one_place() -> None:
    package = Path(nimdesk.__file__).parent
    writing = set()
    for path in package.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr in ("writer", "DictWriter"):
                writing.add(path.name)
            assert not (isinstance(node, ast.ImportFrom) and node.module == "csv"), path
    assert writing == {"cells.py"}
