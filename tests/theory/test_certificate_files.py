"""The files of certificates: their bytes, their JSON, and the memory that they take."""

import bz2
import hashlib
import json
import os
import random
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from subprocess import run
from typing import Any

import pytest
from certifying import CHECKER, alone, filed, made, sealed, unpacked

from nimdesk.games.mnk import verify


@pytest.mark.skipif(os.name != "posix", reason="no pipe has a name there")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "proof")
    command = [sys.executable, "-I", "-S", CHECKER, tmp_path / "proof"]
    ended = run(command, capture_output=True, encoding="utf-8", check=False, timeout=20)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == "The file cannot be read: That is no ordinary file.\n"


@pytest.mark.parametrize("text", ["mnk:4,4,4", "mnk:4,3,3"])
def test_every_wrong_byte_is_found(text: str, tmp_path: Path) -> None:
    whole = made(text)
    for at in range(len(whole)):
        wrong = bytearray(whole)
        wrong[at] ^= 1 << at % 8
        with pytest.raises(verify.WrongError):
            verify.check(verify.read(bytes(wrong)))
    path = tmp_path / "proof"
    path.write_bytes(whole[:-1])
    assert alone(path) == (1, "NOT PROVEN: the file is damaged: its checksum differs.\n")


def test_what_cannot_be_unpacked_is_told() -> None:
    with pytest.raises(verify.WrongError, match="what is in the file cannot be read"):
        verify.read(filed(b"no stream of bz2"))


def test_files_of_the_first_kind_can_be_read() -> None:
    data = made("mnk:4,3,3")
    body = zlib.compress(verify.unpack(data))
    before = b"nimdesk certificate 1 " + hashlib.sha256(body).hexdigest().encode() + b"\n" + body
    assert verify.unpack(before) == verify.unpack(data)
    with pytest.raises(verify.WrongError, match="what is in the file cannot be read"):
        verify.unpack(before.replace(b"certificate 1", b"certificate 2"))


def strict(text: bytes) -> Any:
    """What a text says that is JSON by its standard as a whole; ``ValueError`` if it is not, or is ambiguous."""

    def once(named: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(named)) < len(named):
            raise ValueError("a name is given twice")
        return dict(named)

    def number(name: str) -> float:
        raise ValueError(f"{name} is no number of JSON")

    return json.loads(text.decode("utf-8"), object_pairs_hook=once, parse_constant=number)


def says(text: bytes) -> Any:
    """What the checker reads in a text."""
    read = verify.read(sealed(text))
    return {**read, "positions": list(read["positions"])}


def spoilt(text: bytes, chance: random.Random) -> bytes:
    """The text with one to three of its letters changed, left out or put in."""
    letters = [bytes([byte]) for byte in b'{}[],:"\\0123456789-. \n\tetNIa'] + [b"\xff", b"\xc3\xa4", b"null", b"NaN"]
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(text))
        text = text[:at] + chance.choice([*letters, b""]) + text[at + chance.randint(0, 1) :]
    return text


@pytest.mark.parametrize("text", ["mnk:3,3,3", "mnk:4,3,3 b2", "mnk:5,4,4"])
@pytest.mark.parametrize("cut", [400, verify.MOST_LETTERS])
def test_a_text_is_read_as_json_reads_it_or_refused(text: str, cut: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether its positions are read all at once, or some at a time."""
    monkeypatch.setattr(verify, "MOST_LETTERS", cut)
    chance, whole = random.Random(5), json.dumps(unpacked(made(text))).encode()
    taken, refused, broken = 0, 0, 0
    assert says(whole) == strict(whole)
    for _ in range(1_500):
        wrong = spoilt(whole, chance)
        try:
            read = says(wrong)
        except verify.WrongError:
            refused += 1
            try:
                strict(wrong)
            except ValueError:
                broken += 1
            continue
        assert read == strict(wrong), wrong
        taken += 1
    assert taken > 50
    assert broken > 0.9 * refused, "hardly anything but what is no JSON is refused"


WRONG: dict[str, Callable[[bytes], bytes]] = {
    "a letter for a comma between positions": lambda text: text.replace(b'},{"', b'}x{"', 1),
    "no comma between positions": lambda text: text.replace(b'},{"', b'} {"', 1),
    "a comma after the last position": lambda text: text[:-2] + b",]}",
    "no bracket at the end": lambda text: text[:-2],
    "a letter after the end": lambda text: text + b"x",
    "another document after the end": lambda text: text + b"{}",
    "a position after the end": lambda text: text + b'{"pairs":[]}]}',
    "a name twice": lambda text: text.replace(b'"m":', b'"m":9,"m":', 1),
    "a reason twice": lambda text: text.replace(b'{"strategy":', b'{"strategy":[0,[],null],"strategy":', 1),
    "two lists of positions": lambda text: text.replace(b'"positions":', b'"positions":[],"positions":', 1),
    "a list of positions inside of another name": lambda text: (
        text.replace(b'"positions"', b'"more":{"positions"') + b"}"
    ),
    "a list of positions in letters of another kind": lambda text: text[:-1] + b',"\\u0070ositions":[]}',
    "a list with a name that ends so": lambda text: text.replace(b'"positions"', b'"the\\"positions"', 1),
    "a number that is none": lambda text: text.replace(b'"m":4', b'"more":NaN,"m":4', 1),
    "an endless number": lambda text: text.replace(b'"m":4', b'"more":-Infinity,"m":4', 1),
    "letters that are none": lambda text: text.replace(b'"m":4', b'"more":"\xff","m":4', 1),
    "letters of two bytes": lambda text: text.decode().encode("utf-16"),
    "a mark before the first letter": lambda text: b"\xef\xbb\xbf" + text,
    "a list for the whole": lambda text: b"[" + text + b"]",
    "nothing": lambda text: b"",
}


@pytest.mark.parametrize("change", WRONG.values(), ids=WRONG)
def test_a_text_that_is_no_json_or_ambiguous_is_not_proven(change: Callable[[bytes], bytes], tmp_path: Path) -> None:
    text, path = verify.unpack(made("mnk:4,3,3")), tmp_path / "proof"
    wrong = change(text)
    assert wrong != text
    path.write_bytes(sealed(wrong))
    code, out = alone(path)
    assert code == 1
    assert out.startswith("NOT PROVEN: ")
    assert out.count("\n") == 1


def test_room_between_what_is_told_and_what_else_is_told_change_nothing() -> None:
    content = unpacked(made("mnk:4,3,3"))
    told = verify.check(content)
    wide = json.dumps({"by": "Zoë, {]", **content}, indent=2, ensure_ascii=False).encode()
    assert verify.check(verify.read(sealed(wide.replace(b'"positions":', b'"positions"\t:') + b"\r\n "))) == told


def test_a_small_file_takes_no_memory_that_only_a_large_certificate_would() -> None:
    """Nearly nothing is left of what is always the same."""
    assert len(verify.unpack(sealed(b" " * (1 << 20)))) == 1 << 20
    assert len(verify.unpack(sealed(b" " * (1 << 26)))) < 1 << 22


_HEAD = b'{"m":3,"n":3,"k":3,"gravity":false,"turn":0,"marks":[[],[]],"winner":null,"proofs":[["blocking",null,0]],'
_ROOM = 1 << 25  # a quarter of the longest text, in a quarter of a gigabyte, which is soon read
_LIST = _HEAD + b'"positions":['
UNREADABLE, TOO_MANY = "what is in the file cannot be read", "it has more than 4,194,304 positions"
HOSTILE: dict[str, tuple[Callable[[], bytes], str]] = {
    "lists": (lambda: b'{"m":[' + b"[]," * (1 << 23) + b'0],"positions":[]}', UNREADABLE),
    "objects": (lambda: _LIST + b"{}," * (_ROOM // 3 - 99) + b"{}]}", TOO_MANY),
    "a position": (lambda: _LIST + b'{"pairs":[' + b"[]," * (1 << 23) + b"0]}]}", UNREADABLE),
    "positions": (lambda: _LIST + b'{"pairs":[[],[],[[]]]},' * (1 << 20) + b"{}]}", "a pair is not on the board"),
    "letters": (lambda: _LIST + b'"' + "ä".encode() * (1 << 23) + b'"]}', UNREADABLE),
    "an endless one": (lambda: _LIST + b'{"' + b"a" * (1 << 24), UNREADABLE),
    "brackets": (lambda: _LIST + b"[{" * (1 << 23) + b"]}", UNREADABLE),
    "room": (lambda: _LIST + b" " * (_ROOM - 999) + b"]}", UNREADABLE),
    "room for a comma": (lambda: _LIST + b"{}" + b" " * (_ROOM - 999) + b",]}", UNREADABLE),
    "what follows": (lambda: _LIST + b"{}]" + b" " * (_ROOM - 999) + b"}", UNREADABLE),
}


@pytest.mark.skipif(os.name != "posix", reason="no limit of memory there")
@pytest.mark.parametrize("name", HOSTILE)
def test_no_text_takes_a_gigabyte_of_memory(name: str, tmp_path: Path) -> None:
    text, problem = HOSTILE[name]
    body = bz2.compress(text(), 1) + random.Random(1).randbytes(1 << 21)  # what follows the text makes the file large
    path = tmp_path / "proof"
    path.write_bytes(filed(body))
    limited = (
        "import resource, runpy, sys; resource.setrlimit(resource.RLIMIT_AS, (10**9 // 4,) * 2);"
        "runpy.run_path(sys.argv.pop(1), run_name='__main__')"
    )
    command = [sys.executable, "-I", "-S", "-c", limited, CHECKER, path]
    ended = run(command, capture_output=True, encoding="utf-8", check=False)
    assert (ended.returncode, ended.stderr) == (1, "")
    assert problem in ended.stdout
