"""Certificates as files: made wrong on purpose with a right checksum, and read by the checker, also as a file alone."""

import bz2
import hashlib
import json
import sys
from functools import cache
from pathlib import Path
from subprocess import run
from threading import Event
from typing import Any

from nimdesk.games import parse_position
from nimdesk.games.mnk import verify
from nimdesk.games.mnk.certificate import certificate

CHECKER = Path(verify.__file__)


@cache
def made(text: str) -> bytes:
    """The certificate of the position with this text."""
    return certificate(parse_position(text), Event())


def alone(path: Path) -> tuple[int, str]:
    """What the checker says as a single file, in a process that finds no package."""
    ended = run([sys.executable, "-I", "-S", CHECKER, path], capture_output=True, encoding="utf-8", check=False)
    return ended.returncode, ended.stdout


def filed(body: bytes) -> bytes:
    """A file with this body, whatever it is, and a right checksum."""
    return verify.MAGIC + hashlib.sha256(body).hexdigest().encode() + b"\n" + body


def sealed(content: Any) -> bytes:
    """A file that says this, given as a text or to be written as JSON, and a right checksum."""
    return filed(bz2.compress(content if isinstance(content, bytes) else json.dumps(content).encode()))


def unpacked(data: bytes) -> Any:
    """All that a certificate says."""
    return json.loads(verify.unpack(data))


def claims(content: Any) -> str:
    """What the checker says of this content."""
    return verify.check(verify.read(sealed(content)))
