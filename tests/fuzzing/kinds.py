"""A kind of file, and what must hold whatever is in one: ``Kind``, ``spoiled``, ``check``."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from nimdesk.errors import NimdeskError

LONGEST = 300


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of file: good ones are made in a folder, and made wrong; ``use`` does with a file what nimdesk does.

    ``use`` returns what the file means, and raises ``NimdeskError`` for one that is refused.
    """

    name: str
    make: Callable[[Path], list[Path]]
    spoil: Callable[[Path, Random, int], None]
    use: Callable[[Path], object]


def spoiled(kind: Kind, seed: int, folder: Path, *, huge: int = 20_000) -> Path:
    """A file of this kind made wrong; the folder is for this kind alone, and is kept from one call to the next."""
    good = sorted((folder / "good").glob("*"))
    if not good:
        (folder / "good").mkdir(parents=True)
        good = sorted(kind.make(folder / "good"))
    random = Random(f"{kind.name} {seed}")
    wrong = folder / "wrong"
    if wrong.exists():
        shutil.rmtree(wrong)
    wrong.mkdir()
    path = Path(shutil.copy(random.choice(good), wrong))
    kind.spoil(path, random, huge)
    return path


def check(kind: Kind, path: Path) -> str:
    """Use this file; an ``AssertionError`` where something does not hold. How it was refused, or ""."""
    before = path.read_bytes()
    try:
        kind.use(path)
        refused = ""
    except NimdeskError as error:
        refused = str(error)
        check_sentence(refused)
    if path.exists():  # else it was set aside, which ``use`` has seen to
        assert path.read_bytes() == before, "the file was changed"
    return refused


def check_sentence(text: str) -> None:
    """Whether this can be shown to a person."""
    assert 0 < len(text) <= LONGEST, f"{len(text)} letters: {text}"
    assert text.endswith((".", "?", "…”")), text
    assert text.isprintable(), text
    assert text[0].isupper() or text[0] in "“-0123456789", text
    own = re.sub("“[^“”]*”", "“”", text)
    for word in ("Traceback", "codec", "Error:", "Error(", "`", "<class", "object at 0x", "errno", "None"):
        assert word not in own, text
