"""Asking where to save: a name without the ending of its kind gets it, and no file is replaced unasked."""

from __future__ import annotations

import re
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

_ENDINGS = re.compile(r"\*(\.[\w.]+)")


def ask_save_path(parent: QWidget, title: str, start: Path, filters: str) -> Path | None:
    """Where to write; None if the person changed their mind. ``filters`` as Qt has them, such as ``Table (*.csv)``."""
    chosen, used = QFileDialog.getSaveFileName(parent, title, str(start), filters)
    if not chosen:
        return None
    path = with_ending(Path(chosen), used, filters)
    # The dialog has asked about the name as it was typed, and about no other.
    if path != Path(chosen) and path.exists() and not _may_replace(parent, title, path):
        return None
    return path


def with_ending(path: Path, used: str, filters: str) -> Path:
    """The name with an ending of one of the ``filters``: its own if it has one, else that of the filter ``used``.

    Of an ending in two parts (``.nimbundle.json``) the last is enough, and the first is completed.
    """
    endings = _ENDINGS.findall(filters)
    name = path.name.lower()
    if not endings or any(name.endswith(_last_part(ending)) for ending in endings):
        return path
    wanted = next(iter(_ENDINGS.findall(used)), endings[0])
    begun = wanted.removesuffix(_last_part(wanted))
    stem = path.name[: -len(begun)] if begun and name.endswith(begun) else path.name
    return path.with_name(stem.rstrip(".") + wanted)


def _last_part(ending: str) -> str:
    return ending[ending.rindex(".") :]


def _may_replace(parent: QWidget, title: str, path: Path) -> bool:
    buttons = QMessageBox.StandardButton
    asked = f"“{path.name}” is already there. Replace it?"
    return QMessageBox.question(parent, title, asked, buttons.Yes | buttons.No, buttons.No) == buttons.Yes
