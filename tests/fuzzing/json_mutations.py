"""JSON documents made wrong in ways that people, disks and enemies have: ``mutated`` makes one of them at random."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from random import Random
from typing import Any

# What json.dumps would not write stands in the document as a text between these, and replaces it with its quotes.
_RAWS = re.compile(r'"@@<((?:[^"\\]|\\.)*?)>@@"')
_ODD_NUMBERS = (
    0,
    -1,
    1,
    2,
    1.5,
    -0.0,
    1e-320,
    1e308,
    -1e308,
    2**31,
    2**32,
    2**53 + 1,
    2**63,
    2**64,
    -(2**63) - 1,
    10**30,
)
_RAW_NUMBERS = ("NaN", "Infinity", "-Infinity", "1e999", "-1e999", "9" * 5000, "0x10", "01", "1.", "+1", "1e5", "100.0")
ODD_TEXTS = (
    "",
    " ",
    "\0",
    "a\nb",
    "\u200b",
    "Random\u200b",
    "\u202eevil",
    "\ufeff",
    "\u3164",
    "e\u0301\u0301\u0301",
    "<img src=/dev/zero>",
    "../../x",
    "=1+1",
    "%s%n{0}",
    "\U0001f600" * 9,
    "”.“",
    "null",
    "1e999",
    "nim:999",
    "mnk:0,0,0",
    "mnk:19,19,5",
    "nim:" + ",".join(["64"] * 12),
    "nan",
    "x" * 5000,
)
_RAW_TEXTS = (r'"\ud800"', r'"\udc00\ud800"', r'"\u0000"', r'"\x41"', '"\t"', '"', "'a'")

_Path = tuple[Any, ...]


def mutated(document: Any, random: Random, *, huge: int = 20_000) -> bytes:
    """The document as JSON with one to four faults in its values, in its text, or in both.

    ``huge`` is how many letters or entries the largest faults have.
    """
    document = copy.deepcopy(document)
    kind = random.random()
    if kind < 0.85:
        for _ in range(random.choice((1, 1, 1, 2, 4))):
            document = _with_fault(document, random, huge)
    data = _dumped(document, random)
    if kind > 0.75:
        data = _with_bad_bytes(data, random, huge)
    return data


def _dumped(document: Any, random: Random) -> bytes:
    text = json.dumps(document, ensure_ascii=random.random() < 0.3, indent=random.choice((None, None, 1)))
    return _RAWS.sub(lambda found: json.loads(f'"{found[1]}"'), text).encode("utf-8", "surrogatepass")


def _raw(text: str) -> str:
    return f"@@<{text}>@@"


def _places(value: Any, path: _Path = ()) -> list[_Path]:
    """The paths of all values in a document."""
    found = [path]
    if isinstance(value, dict):
        for key, inner in value.items():
            found += _places(inner, (*path, key))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            found += _places(inner, (*path, place))
    return found


def _at(document: Any, path: _Path) -> Any:
    for step in path:
        document = document[step]
    return document


def _with_fault(document: Any, random: Random, huge: int) -> Any:
    places = sorted(_places(document), key=len)
    # What is near the top is rare among all places, and matters more.
    path = places[int(len(places) * random.random() ** random.choice((1, 1, 1, 2, 6)))]
    if not path:
        return _odd_value(document, random, huge)
    parent, key = _at(document, path[:-1]), path[-1]
    fault = random.choice(_FAULTS)
    fault(document, parent, key, random, huge)
    return document


def _odd_value(value: Any, random: Random, huge: int) -> Any:
    kind = random.randrange(9)
    if kind == 0:
        return random.choice((None, True, False))
    if kind == 1:
        return random.choice(_ODD_NUMBERS)
    if kind == 2:
        return _raw(random.choice(_RAW_NUMBERS))
    if kind == 3:
        return random.choice(ODD_TEXTS)
    if kind == 4:
        return _raw(random.choice(_RAW_TEXTS))
    if kind == 5:
        return random.choice(([], {}, [None], {"": None}, [[]], [{}], {"a": {}}))
    if kind == 6:
        depth = random.choice((3, 50, 400, 900, 20_000))
        return _raw("[" * depth + "]" * depth if random.random() < 0.5 else '{"a":' * depth + "1" + "}" * depth)
    if kind == 7:
        size = int(huge * random.random())
        return random.choice(([0] * size, ["a"] * size, {f"{at}": at for at in range(min(size, 50_000))}, [[]] * size))
    return random.choice(("x", "\U0001f600", "é", "\u200b", '"')) * int(huge * random.random()) + "y"


def _replace(_document: Any, parent: Any, key: Any, random: Random, huge: int) -> None:
    parent[key] = _odd_value(parent[key], random, huge)


def _swap(document: Any, parent: Any, key: Any, random: Random, _huge: int) -> None:
    """Any other value of the document takes the place: of another type, as a rule."""
    parent[key] = copy.deepcopy(_at(document, random.choice(_places(document))))


def _drop(_document: Any, parent: Any, key: Any, _random: Random, _huge: int) -> None:
    del parent[key]


def _tweak(_document: Any, parent: Any, key: Any, random: Random, huge: int) -> None:
    """A number or a text a little different."""
    value = parent[key]
    if isinstance(value, bool) or value is None:
        parent[key] = not value
    elif isinstance(value, int | float):
        parent[key] = random.choice((value + 1, value - 1, -value, value * 1000, value + 0.5, str(value), float(value)))
    elif isinstance(value, str):
        parent[key] = _tweaked(value, random, huge)
    else:
        _replace(_document, parent, key, random, huge)


def _tweaked(text: str, random: Random, huge: int) -> str:
    at = random.randint(0, len(text))
    odd = random.choice(("\u200b", "\0", " ", "\n", "-", "9", "\u202e", "ä", "\U0001f600", "\ufe0f", "”", "“"))
    return random.choice(
        (
            text[:at] + odd + text[at:],
            text[:at] + text[at + 1 :],
            text.upper(),
            text[::-1],
            text * 2,
            text + " " + text,
            text + odd * random.choice((1, 100, huge)),
            odd + text,
        )
    )


def _repeat(_document: Any, parent: Any, key: Any, random: Random, _huge: int) -> None:
    """The same entry many times, or the entries in another order."""
    if not isinstance(parent, list):
        parent[key] = [parent[key]] * random.choice((1, 2, 50))
    elif random.random() < 0.5:
        parent[key:key] = [copy.deepcopy(parent[key])] * random.choice((1, 1, 2, 60))
    else:
        random.shuffle(parent)


def _name(_document: Any, parent: Any, key: Any, random: Random, huge: int) -> None:
    """A name that nobody knows, or that is there twice, or written otherwise."""
    if not isinstance(parent, dict):
        return
    if random.random() < 0.3:
        parent[random.choice(ODD_TEXTS)] = random.choice((None, 1, [], {}))
    elif random.random() < 0.3:
        # Twice: the name is written as a raw text that contains another entry.
        parent[_raw(f"{json.dumps(key)}: null, {json.dumps(key)}")] = parent.pop(key)
    else:
        parent[_tweaked(str(key), random, huge)] = parent.pop(key)


_FAULTS: tuple[Callable[[Any, Any, Any, Random, int], None], ...] = (
    _replace,
    _replace,
    _tweak,
    _tweak,
    _tweak,
    _swap,
    _drop,
    _repeat,
    _name,
)


def _with_bad_bytes(data: bytes, random: Random, huge: int) -> bytes:
    for _ in range(random.choice((1, 1, 3))):
        data = with_bad_bytes(data, random, huge)
    return data


def with_bad_bytes(data: bytes, random: Random, huge: int = 20_000) -> bytes:
    """These bytes with one fault: cut, flipped, lost, doubled, or with others in between."""
    at, to = sorted((random.randint(0, len(data)), random.randint(0, len(data))))
    near = min(at + random.choice((1, 2, 20)), len(data))
    odd = random.choice((b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\0", b"\x1b[2J", b"\xef\xbb\xbf"))
    flipped = bytes([data[at % len(data)] ^ 1 << random.randrange(8)]) if data else b""
    return random.choice(
        (
            lambda: data[:at],
            lambda: data[at:],
            lambda: data[:at] + odd + data[at:],
            lambda: data[:at] + flipped + data[at + 1 :],
            lambda: data[:at] + flipped + data[at + 1 :],
            lambda: data[:at] + data[near:],
            lambda: data[:at] + data[at:to] + data[at:],
            lambda: data[:at] + random.randbytes(near - at) + data[near:],
            lambda: b"\xef\xbb\xbf" + data,
            lambda: data.decode("utf-8", "replace").encode(random.choice(("utf-16", "utf-32", "latin-1")), "replace"),
            lambda: data + random.choice((b"\0" * 100, b"x", data, b" " * huge)),
            lambda: b"\0" * len(data),
            lambda: b"",
            lambda: random.choice((b"[", b'{"a":', b'"', b"\0", b" ")) * huge,
        )
    )()
