"""Certificates to play against and to browse: what a game's offer, and the files in which they are.

Some come with nimdesk; those that were made or opened here are kept.
"""

from __future__ import annotations

import os
from pathlib import Path
from threading import Event

from nimdesk.disk.atomic import os_error_words, read_bounded, write_atomically
from nimdesk.disk.paths import CERTIFICATES, data_dir, existing, file_name, make_private, resources_dir
from nimdesk.errors import GameParameterError, NimdeskError
from nimdesk.games.base import AnyPosition
from nimdesk.games.kit import KITS, kit_of
from nimdesk.games.truth import Certificate, Heard

_MOST_BYTES = 1 << 26
_MOST_CHECKED = 4
_CHECKED: dict[bytes, Certificate] = {}
"""Those checked last, by their files: a game asks for its own again at each move."""


def certificates_dir() -> Path:
    """The folder of those that are kept. It may not exist yet."""
    return data_dir() / "certificates"


def find_certificate(position: AnyPosition) -> Path | None:
    """The file of the certificate of the latest position of this game that has one, back to its start."""
    if kit_of(position).read_certificate is None:
        return None
    game, words = file_name(position.game.text), position.text.split()
    folders = filter(os.path.isdir, (resources_dir() / "certificates", certificates_dir()))
    there = {path.name: path for folder in folders for path in folder.glob(f"{game}*{CERTIFICATES}")}
    # Most games have none, and nothing of theirs is to be worked out.
    names = (certificate_name(" ".join(words[:count])) for count in range(len(words), 0, -1)) if there else ()
    return next((there[name] for name in names if name in there), None)


def read_certificate(path: Path, stop: Event | None = None, heard: Heard = bool) -> tuple[Certificate, bytes]:
    """The certificate in a file, checked, which may take minutes, and the bytes of the file.

    ``NimdeskError`` says in one sentence what is wrong with it; ``KeyboardInterrupt`` once ``stop`` is set.
    """
    data = certificate_bytes(path)
    try:
        return _checked(data, stop or Event(), heard), data
    except NimdeskError as error:
        raise NimdeskError(f"“{path.name}” cannot be opened: {error}") from error


def certificate_bytes(path: Path) -> bytes:
    """The content of the file, unchecked; ``NimdeskError`` if it cannot be read."""
    try:
        return read_bounded(existing(path), _MOST_BYTES)
    except (OSError, ValueError) as error:
        raise NimdeskError(f"“{path}” cannot be read: {os_error_words(error)}.") from error


def keep_certificate(data: bytes, stop: Event | None = None, heard: Heard = bool) -> Certificate:
    """Check a certificate and keep it where agents find it; ``KeyboardInterrupt`` once ``stop`` is set."""
    certificate, folder = _checked(data, stop or Event(), heard), certificates_dir()
    try:
        make_private(folder)
        write_atomically(folder / certificate_name(certificate.start.text), data, follow=False)
    except (OSError, ValueError) as error:
        raise NimdeskError(f"The certificate cannot be kept in “{folder}”: {os_error_words(error)}.") from error
    return certificate


def make_certificate(position: AnyPosition, stop: Event) -> bytes:
    """A certificate of this position; ``GameParameterError`` if there is none, ``KeyboardInterrupt`` once stopped."""
    make = kit_of(position).new_certificate
    if make is None:
        raise GameParameterError(f"There are no certificates for {position.game.text}; only for m,n,k games.")
    return make(position, stop)


def certificate_name(position: str) -> str:
    """The name of the file of the certificate of the position with this text."""
    return f"{file_name(position)}{CERTIFICATES}"


def _checked(data: bytes, stop: Event, heard: Heard) -> Certificate:
    read = next(kit.read_certificate for kit in KITS.values() if kit.read_certificate is not None)
    certificate = _CHECKED.pop(data, None) or read(data, stop, heard)
    _CHECKED[data] = certificate
    for old in list(_CHECKED)[:-_MOST_CHECKED]:
        _CHECKED.pop(old, None)
    return certificate
