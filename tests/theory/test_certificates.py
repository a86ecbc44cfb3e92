"""Certificates of draws: written by the solver, checked by a program that shares nothing with it."""

import ast
import hashlib
import json
import random
import sys
import zlib
from functools import cache
from pathlib import Path
from subprocess import run
from threading import Event
from typing import Any

import pytest

from nimdesk.errors import GameParameterError
from nimdesk.games import parse_position
from nimdesk.games.mnk import verify
from nimdesk.games.mnk.certificate import certificate

CHECKER = Path(verify.__file__)


@cache
def made(text: str) -> bytes:
    return certificate(parse_position(text), Event())


def alone(path: Path) -> tuple[int, str]:
    """What the checker says as a single file, in a process that finds no package."""
    ended = run([sys.executable, "-I", "-S", CHECKER, path], capture_output=True, encoding="utf-8", check=False)
    return ended.returncode, ended.stdout


def claims(content: Any) -> str:
    """What the checker says of this content, with a right checksum."""
    body = zlib.compress(json.dumps(content).encode())
    return verify.check(verify.read(verify.MAGIC + hashlib.sha256(body).hexdigest().encode() + b"\n" + body))


@pytest.mark.parametrize("text", ["mnk:4,4,4", "mnk:5,5,5", "mnk:7,6,5", "mnk:7,7,6", "mnk:6,6,5 c3 d4 d3 c4 b2"])
def test_a_process_that_cannot_import_nimdesk_finds_it_proven(text: str, tmp_path: Path) -> None:
    path = tmp_path / "proof"
    path.write_bytes(made(text))
    code, out = alone(path)
    assert code == 0, out
    assert "is a draw" in out
    assert run([sys.executable, "-I", "-S", "-c", "import nimdesk"], capture_output=True, check=False).returncode != 0


def test_the_checker_is_short_and_needs_python_alone() -> None:
    source = CHECKER.read_text(encoding="utf-8")
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {(node.module if isinstance(node, ast.ImportFrom) else node.names[0].name) or "" for node in nodes}
    assert {name.partition(".")[0] for name in names} <= sys.stdlib_module_names
    assert len(source.splitlines()) <= 250


def test_every_wrong_byte_is_found(tmp_path: Path) -> None:
    whole = made("mnk:4,4,4")
    for at in range(len(whole)):
        wrong = bytearray(whole)
        wrong[at] ^= 1 << at % 8
        with pytest.raises(verify.WrongError):
            verify.check(verify.read(bytes(wrong)))
    path = tmp_path / "proof"
    path.write_bytes(whole[:-1])
    assert alone(path) == (1, "NOT PROVEN: the file is damaged: its checksum differs.\n")


def test_every_wrong_cell_is_found_by_the_rules_alone() -> None:
    """Without help of the checksum: a changed cell or number is refused, or the proof holds as it then is."""
    content = verify.read(made("mnk:5,4,4"))
    assert isinstance(content, dict)
    assert "is a draw" in claims(content)
    refused, draw = 0, random.Random(1)
    for _ in range(150):
        wrong = json.loads(json.dumps(content))
        ((kind, given),) = draw.choice(wrong["positions"]).items()
        entry = draw.choice(given) if kind == "answers" else given
        entry[draw.randrange(len(entry))] = draw.randrange(20)
        try:
            claims(wrong)
        except verify.WrongError:
            refused += 1
    assert refused > 75


@pytest.mark.parametrize(
    "change", ["no pair", "no answer", "a longer line wanted", "other marks", "no proof", "a loop"]
)
def test_what_is_missing_is_said_with_its_place(change: str) -> None:
    content: Any = verify.read(made("mnk:5,4,4"))
    answers = next(i for i, reason in enumerate(content["positions"]) if "answers" in reason)
    if change == "no pair":
        next(r for r in content["positions"] if "pairs" in r)["pairs"][-2:] = []
    elif change == "no answer":
        content["positions"][content["proofs"][0][1]]["answers"].pop()
    elif change == "a longer line wanted":
        content["k"] = 3
    elif change == "other marks":
        content["marks"] = [[0], []]
    elif change == "no proof":
        content["proofs"] = []
    else:
        content["positions"][answers]["answers"][0][2] = answers
    with pytest.raises(verify.WrongError, match=r"[a-z]"):
        claims(content)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("mnk:3,3,3", "O cannot keep X from winning by blocking alone"),
        ("mnk:4,3,3", "cannot keep X"),
        ("mnk:7,6,4:gravity", "without gravity"),
        ("mnk:9,9,9", "at most 64 cells"),
    ],
)
def test_there_is_no_certificate_of_what_is_not_so(text: str, says: str) -> None:
    with pytest.raises(GameParameterError, match=says):
        made(text)
